"""The schemas of a contract, and an index of their named components. `types` reads the components."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal, NamedTuple

from lxml import etree

from bindgen.problems import Problem
from bindgen.reading import bundled
from bindgen.reading.documents import Document, Documents
from bindgen.reading.findings import Findings
from bindgen.reading.nodes import EARLIER_XSD, ENCODING, WSDL, XML, XSI, kind, parts
from bindgen.simple_types import SIMPLE, XSD

Table = Literal["elements", "types", "groups", "attributes", "attribute_groups"]

_TABLES: dict[str, Table] = {
    "element": "elements",
    "complexType": "types",
    "simpleType": "types",
    "group": "groups",
    "attribute": "attributes",
    "attributeGroup": "attribute_groups",
}
_REDEFINED = {name: table for name, table in _TABLES.items() if name not in ("element", "attribute")}
_REDEFINED_SUFFIX = "-redefined"
_LINKS = ("import", "include", "redefine")
_IGNORED = ("annotation", "notation")


@dataclass(frozen=True, slots=True, eq=False)
class Schema:
    """An xsd:schema element and its document.

    A schema without a target namespace takes the namespace of the schema that includes it. `chameleon` is
    True for such a schema.
    """

    document: Document
    node: etree._Element
    namespace: str
    chameleon: bool = False

    def qualifies(self, node: etree._Element, kind: str) -> bool:
        """Return True if the name of a local element or attribute is in the target namespace.

        `kind` is "element" or "attribute".
        """
        form = node.get("form")
        if form is None:
            form = self.node.get(f"{kind}FormDefault", "")
        return form.strip() == "qualified"

    def resolve(self, node: etree._Element, raw: str) -> str | None:
        """Return the qualified name for `raw`, a name in an attribute of `node`.

        Returns None if the prefix of the name is not declared.
        """
        prefix, _, local = raw.strip().rpartition(":")
        space = XML if prefix == "xml" else self.document.prefixes.get(prefix)
        if space is None:
            space = node.nsmap.get(prefix or None)
        if space is None:
            if prefix:
                return None
            space = self.namespace if self.chameleon else ""
        return f"{{{space}}}{local}"


class Component(NamedTuple):
    """A declaration in a schema, either at top level or inside another declaration."""

    schema: Schema
    node: etree._Element

    @property
    def key(self) -> tuple[etree._Element, str]:
        """A key that identifies the component.

        It includes the namespace, because several namespaces may include the same schema.
        """
        return self.node, self.schema.namespace


class Schemas:
    """The schemas of a contract, with all schemas they import and include, indexed by qualified name."""

    def __init__(self, documents: Documents, findings: Findings) -> None:
        self._documents = documents
        self._findings = findings
        self._seen: dict[tuple[etree._Element, str], Schema] = {}
        self._redefined: list[tuple[Schema, etree._Element]] = []
        self._by_name: dict[Table, dict[str, list[str]]] = {}
        self.all: list[Schema] = []
        self.elements: dict[str, Component] = {}
        self.types: dict[str, Component] = {}
        self.groups: dict[str, Component] = {}
        self.attributes: dict[str, Component] = {}
        self.attribute_groups: dict[str, Component] = {}
        self.spaces: set[str] = set()  # the namespaces of all schemas
        self.unread: set[str] = set()  # imported namespaces whose schema could not be read
        self.repeated: list[etree._Element] = []  # declarations with the name of an earlier one
        self._unlocated: dict[str, tuple[Schema, etree._Element]] = {}  # imported, without a schema so far

    def add(self, document: Document, node: etree._Element, namespace: str | None = None) -> None:
        """Index a schema element and everything that it imports and includes, each once.

        A schema without a target namespace takes on `namespace`.
        """
        todo = [(document, node, namespace)]
        while todo:  # schemas may include one another to any depth
            todo += reversed(list(self._add(*todo.pop())))

    def finish(self) -> None:
        """Add the bundled schemas that are needed, and apply each xs:redefine.

        Call this after all schemas were added.
        """
        self._bundle(dict.fromkeys(self._unlocated))
        for schema, link in self._redefined:
            _redefine(self, schema, link, self._findings)
        self._redefined.clear()

    def table(self, name: Table) -> dict[str, Component]:
        """Return all components of one kind, such as `types` or `elements`, by qualified name."""
        components: dict[str, Component] = getattr(self, name)
        return components

    def find(
        self, name: Table, schema: Schema, node: etree._Element, raw: str
    ) -> tuple[str, Component | None]:
        """Return the qualified name that `raw` means, and its component (None if it is not declared).

        `raw` is the text of an attribute of `node`. `name` is the name of the table to search, such as
        `types`. If the qualified name is not in the table, the result is:

        - the component with the same local name in the namespace of `schema`,
        - or else the component with this local name in any namespace, if there is only one.

        A note is added in both cases.
        """
        table = self.table(name)
        qname = schema.resolve(node, raw)
        if qname in table:
            return qname, table[qname]
        local = raw.strip().rpartition(":")[2]
        space = qname[1:].rpartition("}")[0] if qname is not None else ""
        if space in bundled.SPACES and space not in self.spaces:
            self._unlocated.setdefault(space, (schema, node))
            if self._bundle([space]):
                return self.find(name, schema, node, raw)
        elsewhere = space in (XSD, XML, XSI, ENCODING, *EARLIER_XSD) or (space and space not in self.spaces)
        if elsewhere and (":" in raw or f"{{{XSD}}}{local}" in SIMPLE):
            return qname or f"{{}}{local}", None
        own = f"{{{schema.namespace}}}{local}"
        candidates = [own] if own in table else [] if elsewhere else self._by_local_name(name).get(local, [])
        if len(candidates) != 1:
            return qname or f"{{}}{local}", None
        component_kind = name.removesuffix("s").replace("_", " ")
        self._findings.weaken(
            schema.document,
            node,
            f"{component_kind} {raw!r} is not declared in the contract; {candidates[0]} is used instead",
        )
        return candidates[0], table[candidates[0]]

    def _bundle(self, spaces: Iterable[str]) -> bool:
        """Add the bundled schemas for namespaces. Return True if any schema was added.

        If an added schema imports other bundled schemas, these are added, too.
        """
        todo, added = list(spaces), False
        while todo:
            space = todo.pop(0)
            document = None if space in self.spaces else bundled.document(space)
            if document is None:
                continue
            added, before = True, set(self._unlocated)
            schema, node = self._unlocated[space]
            self._findings.remark(schema.document, node, f"the schema for {space} is included in bindgen")
            self.unread.discard(space)
            self.add(document, document.root)
            todo += [imported for imported in self._unlocated if imported not in before]
        return added

    def foreign(self, qname: str) -> bool:
        """Return True if the contract does not have a schema for the namespace of a qualified name."""
        return qname[1:].rpartition("}")[0] not in self.spaces

    def _by_local_name(self, name: Table) -> dict[str, list[str]]:
        """Return the qualified names in a table by their local names. Cached."""
        if name not in self._by_name:
            qnames: dict[str, list[str]] = {}
            for qname in self.table(name):
                qnames.setdefault(qname.rpartition("}")[2], []).append(qname)
            self._by_name[name] = qnames
        return self._by_name[name]

    # ---- collecting

    def _add(
        self, document: Document, node: etree._Element, namespace: str | None
    ) -> Iterator[tuple[Document, etree._Element, str | None]]:
        """Add the components of a schema, and yield the schemas that it imports and includes.

        `namespace` is used if the schema has no target namespace. Each schema is yielded as a tuple of its
        document, its xs:schema element and its `namespace`.
        """
        own = node.get("targetNamespace", "").strip()
        space = own or namespace or ""
        if (node, space) in self._seen:
            return
        schema = Schema(document, node, space, chameleon=not own and bool(space))
        self._seen[node, space] = schema
        self.all.append(schema)
        self.spaces.add(space)
        self._by_name.clear()
        for child in node:
            node_kind = kind(child)
            if node_kind in _LINKS:
                yield from self._follow(schema, child, node_kind)
            elif node_kind in _TABLES:
                self.index(schema, child)
            elif node_kind and node_kind not in _IGNORED:
                self._weaken(document, child, f"{node_kind} is not supported here")

    def index(self, schema: Schema, node: etree._Element) -> None:
        """Add a top-level declaration to the table for its kind.

        If a name is declared twice, only the first declaration is used. The second declaration is reported.
        """
        name = node.get("name", "").strip()
        if not name:
            return  # an invalid schema; reported by `compiled`
        table = self.table(_TABLES[kind(node)])
        qname = f"{{{schema.namespace}}}{name}"
        if qname in table:
            self._weaken(schema.document, node, f"{name!r} is declared twice in its namespace")
            self.repeated.append(node)
        table.setdefault(qname, Component(schema, node))

    def _follow(
        self, schema: Schema, link: etree._Element, link_kind: str
    ) -> Iterator[tuple[Document, etree._Element, str | None]]:
        """Yield each schema that `link` names: an import, include or redefine in `schema`.

        `link_kind` is the local name of `link`. Each schema is yielded as in `_add`: its document, its
        xs:schema element, and the namespace to use if it has no target namespace.
        """
        location = link.get("schemaLocation", "").strip()
        space = link.get("namespace", "").strip()
        if link_kind == "redefine":
            self._redefined.append((schema, link))
        if link_kind == "import" and (not location or space in (XSD, XML, ENCODING, XSI)):
            self._unlocated.setdefault(space, (schema, link))
            return  # without a location: the namespace is declared elsewhere in the contract
        if not location:
            self._weaken(schema.document, link, f"{_with_article(link_kind)} must have a schemaLocation")
            return
        other = self._documents.try_follow(schema.document, location)
        if isinstance(other, str):
            self._report_missing(schema, link, space if link_kind == "import" else schema.namespace, other)
        elif other.root.tag != f"{{{XSD}}}schema":
            inside = other.root.findall(f"{{{WSDL}}}types/{{{XSD}}}schema")
            addition = "; the schemas in it are used" if inside else ""
            self._weaken(schema.document, link, f"{location!r} is not a schema{addition}")
            yield from ((other, node, None) for node in inside)
        else:
            yield from self._add_linked(schema, link, link_kind, space, other)

    def _add_linked(
        self, schema: Schema, link: etree._Element, link_kind: str, space: str, other: Document
    ) -> Iterator[tuple[Document, etree._Element, str | None]]:
        """Yield an imported or included schema, with the namespace to use if it has no target namespace.

        `link` is the import or include in `schema`, and `other` is the document to which it refers. An import
        requires that the target namespace of `other` is `space`. An include requires the namespace of
        `schema`. If `other` has a different target namespace, a note is added.
        """
        own = other.root.get("targetNamespace", "").strip()
        if link_kind == "import":
            if own != space and (own or space):
                actual = f"the namespace {own}" if own else "no namespace"
                self._weaken(
                    schema.document,
                    link,
                    f"imports the namespace {space or '(none)'}, but the document has {actual}",
                )
            yield other, other.root, space
            return
        if own and own != schema.namespace:
            self._weaken(schema.document, link, f"includes a schema of another namespace, {own}")
        yield other, other.root, schema.namespace

    def _report_missing(self, schema: Schema, link: etree._Element, space: str, reason: str) -> None:
        """Add a note about a schema that cannot be read, unless bindgen has a bundled schema for it.

        `link` is the import or include in `schema`, `space` the namespace of the missing schema, and `reason`
        says why it cannot be read.
        """
        if bundled.document(space) is not None:
            self._unlocated.setdefault(space, (schema, link))
            return
        if space:
            self.unread.add(space)
        effect = "its types are read as any content" if space else "its components are missing"
        self._weaken(schema.document, link, f"cannot read {link.get('schemaLocation')!r}: {reason}; {effect}")

    def _weaken(self, document: Document, node: etree._Element, reason: str) -> None:
        self._findings.weaken(document, node, reason)


# ---- xs:redefine (XSD 1.0 part 1, 4.2.2)


def _redefine(schemas: Schemas, schema: Schema, link: etree._Element, findings: Findings) -> None:
    """Apply an xs:redefine: the components in it replace the original components of the same name.

    The original components are kept under new names, because their redefinitions refer to them. The
    redefinitions are moved from the xs:redefine to the schema that contains it.
    """
    for node in list(parts(link)):
        name = node.get("name", "").strip()
        table = _REDEFINED.get(kind(node))
        if table is None or not name:
            findings.weaken(schema.document, node, f"{kind(node)} is not supported in a redefine")
            continue
        components = schemas.table(table)
        qname = f"{{{schema.namespace}}}{name}"
        original = components.pop(qname, None)
        if original is None:
            findings.weaken(schema.document, node, f"{name!r} is redefined, but not defined")
        else:
            _rename_redefined(components, schema, node, name, original)
        link.addprevious(node)
        schemas.index(schema, node)


def _rename_redefined(
    components: dict[str, Component], schema: Schema, node: etree._Element, name: str, original: Component
) -> None:
    """Rename a redefined component, and the references to it in its redefinition `node`.

    `original` is the component to rename, and `name` its current name, without the namespace. `components` is
    the table that gets the new name. `schema` contains the redefinition.
    """
    new_name = name + _REDEFINED_SUFFIX
    while f"{{{schema.namespace}}}{new_name}" in components:
        new_name += _REDEFINED_SUFFIX
    original.node.set("name", new_name)
    components[f"{{{schema.namespace}}}{new_name}"] = original
    for inner in node.iter("*"):
        attribute = "base" if kind(inner) in ("extension", "restriction") else "ref"
        raw = inner.get(attribute)
        if raw is not None and schema.resolve(inner, raw) == f"{{{schema.namespace}}}{name}":
            inner.set(attribute, raw.strip() + _REDEFINED_SUFFIX * new_name.count(_REDEFINED_SUFFIX))


def earlier(root: etree._Element, document: Document) -> Iterator[Problem]:
    """Yield a problem for each schema in a draft version of XSD before 1.0, which is not supported."""
    for space in EARLIER_XSD:
        for node in root.iter(f"{{{space}}}schema"):
            yield Problem(
                f"a schema in the language {space} is not supported, only {XSD}", document.place(node)
            )


def _with_article(link_kind: str) -> str:
    return f"an {link_kind}" if link_kind == "include" else f"a {link_kind}"
