"""The schemas of a contract: where each named component is declared. `types` reads what they say."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

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
_BEFORE = "-redefined"
_LINKS = ("import", "include", "redefine")
_ASIDE = ("annotation", "notation")  # nothing to us


@dataclass(frozen=True, slots=True, eq=False)
class Schema:
    """One xsd:schema element and the document it stands in.

    One without a target namespace takes that of whoever includes it (`chameleon`).
    """

    document: Document
    node: etree._Element
    namespace: str
    chameleon: bool = False

    def qualifies(self, node: etree._Element, kind: str) -> bool:
        """Whether a local element's or attribute's name carries the namespace."""
        return node.get("form", self.node.get(f"{kind}FormDefault", "unqualified")).strip() == "qualified"

    def meant(self, node: etree._Element, raw: str) -> str | None:
        """The qualified name that a value means; None where its prefix is not declared."""
        prefix, _, local = raw.strip().rpartition(":")
        space = XML if prefix == "xml" else self.document.prefixes.get(prefix)
        if space is None:
            space = node.nsmap.get(prefix or None)
        if space is None:
            if prefix:
                return None
            space = self.namespace if self.chameleon else ""
        return f"{{{space}}}{local}"


@dataclass(frozen=True, slots=True)
class Component:
    """A declaration, top-level or within another."""

    schema: Schema
    node: etree._Element

    @property
    def key(self) -> tuple[etree._Element, str]:
        """What it is identified by: a schema may be included into several namespaces."""
        return self.node, self.schema.namespace


class Schemas:
    """All schemas reachable from those given, indexed by qualified name."""

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
        self.spaces: set[str] = set()  # those of all schemas
        self.unread: set[str] = set()  # namespaces that are imported, and whose schema cannot be had
        self.repeated: list[etree._Element] = []  # declarations of what is declared already
        self._unlocated: dict[str, tuple[Schema, etree._Element]] = {}  # imported, and found nowhere so far

    def add(self, document: Document, node: etree._Element, namespace: str | None = None) -> None:
        """Index a schema element and, once each, what it imports and includes.

        `namespace` is what a schema without one takes on.
        """
        todo = [(document, node, namespace)]
        while todo:  # schemas may include one another to any depth
            todo += reversed(list(self._add(*todo.pop())))

    def finish(self) -> None:
        """Add bundled schemas and work out redefinitions, once all schemas are there."""
        self._bundle(dict.fromkeys(self._unlocated))
        for schema, link in self._redefined:
            _redefine(self, schema, link, self._findings)
        self._redefined.clear()

    def table(self, name: Table) -> dict[str, Component]:
        """The components of a symbol space."""
        found: dict[str, Component] = getattr(self, name)
        return found

    def find(
        self, name: Table, schema: Schema, node: etree._Element, raw: str
    ) -> tuple[str, Component | None]:
        """The qualified name that a reference means, and its component, if there is one.

        What is not where the reference points is looked for by its bare name: in the schema's own namespace,
        then, if it is the only one of that name, anywhere. That is a note.
        """
        table = self.table(name)
        qname = schema.meant(node, raw)
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
        named = [own] if own in table else [] if elsewhere else self._named(name).get(local, [])
        if len(named) != 1:
            return qname or f"{{}}{local}", None
        what = name.removesuffix("s").replace("_", " ")
        self._findings.weaken(
            schema.document,
            node,
            f"{what} {raw!r} is declared nowhere in the contract; taken for {named[0]}",
        )
        return named[0], table[named[0]]

    def _bundle(self, spaces: Iterable[str]) -> bool:
        """Add the bundled schemas of some namespaces, and of those that they import. Return True for any."""
        todo, found = list(spaces), False
        while todo:
            space = todo.pop(0)
            document = None if space in self.spaces else bundled.document(space)
            if document is None:
                continue
            found, before = True, set(self._unlocated)
            schema, node = self._unlocated[space]
            self._findings.remark(
                schema.document, node, f"the schema of {space} is the one that bindgen brings along"
            )
            self.unread.discard(space)
            self.add(document, document.root)
            todo += [each for each in self._unlocated if each not in before]
        return found

    def foreign(self, qname: str) -> bool:
        """Whether a name is of a namespace that no schema of the contract is for."""
        return qname[1:].rpartition("}")[0] not in self.spaces

    def _named(self, name: Table) -> dict[str, list[str]]:
        if name not in self._by_name:
            found: dict[str, list[str]] = {}
            for qname in self.table(name):
                found.setdefault(qname.rpartition("}")[2], []).append(qname)
            self._by_name[name] = found
        return self._by_name[name]

    # ---- collecting

    def _add(
        self, document: Document, node: etree._Element, namespace: str | None
    ) -> Iterator[tuple[Document, etree._Element, str | None]]:
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
            what = kind(child)
            if what in _LINKS:
                yield from self._follow(schema, child, what)
            elif what in _TABLES:
                self.index(schema, child)
            elif what and what not in _ASIDE:
                self._weaken(document, child, f"{what} is not handled here yet")

    def index(self, schema: Schema, node: etree._Element) -> None:
        """Put a top-level declaration into its table. Of several of one name the first is taken."""
        name = node.get("name", "").strip()
        if not name:
            return  # no valid schema, which `compiled` says
        table = self.table(_TABLES[kind(node)])
        qname = f"{{{schema.namespace}}}{name}"
        if qname in table:
            self._weaken(schema.document, node, f"{name!r} is declared twice in its namespace")
            self.repeated.append(node)
        table.setdefault(qname, Component(schema, node))

    def _follow(
        self, schema: Schema, link: etree._Element, what: str
    ) -> Iterator[tuple[Document, etree._Element, str | None]]:
        location = link.get("schemaLocation", "").strip()
        space = link.get("namespace", "").strip()
        if what == "redefine":
            self._redefined.append((schema, link))
        if what == "import" and (not location or space in (XSD, XML, ENCODING, XSI)):
            self._unlocated.setdefault(space, (schema, link))
            return  # one without a place names a namespace that stands elsewhere in the contract
        if not location:
            self._weaken(schema.document, link, f"{_article(what)} must say where from: schemaLocation")
            return
        other = self._documents.sought(schema.document, location)
        if isinstance(other, str):
            self._missing(schema, link, space if what == "import" else schema.namespace, other)
        elif other.root.tag != f"{{{XSD}}}schema":
            inside = other.root.findall(f"{{{WSDL}}}types/{{{XSD}}}schema")
            said = "; the schemas in it are taken" if inside else ""
            self._weaken(schema.document, link, f"{location!r} is no schema{said}")
            yield from ((other, node, None) for node in inside)
        else:
            yield from self._linked(schema, link, what, space, other)

    def _linked(
        self, schema: Schema, link: etree._Element, what: str, space: str, other: Document
    ) -> Iterator[tuple[Document, etree._Element, str | None]]:
        own = other.root.get("targetNamespace", "").strip()
        if what == "import":
            if own != space and (own or space):
                named = f"the namespace {own}" if own else "no namespace"
                self._weaken(
                    schema.document, link, f"imports the namespace {space or '(none)'}, and gets {named}"
                )
            yield other, other.root, space
            return
        if own and own != schema.namespace:
            self._weaken(schema.document, link, f"includes a schema of another namespace, {own}")
        yield other, other.root, schema.namespace

    def _missing(self, schema: Schema, link: etree._Element, space: str, why: str) -> None:
        if bundled.document(space) is not None:
            self._unlocated.setdefault(space, (schema, link))
            return
        if space:
            self.unread.add(space)
        said = "what is in it is taken for anything" if space else "what is in it is missing"
        self._weaken(schema.document, link, f"{link.get('schemaLocation')!r} cannot be had, {said}: {why}")

    def _weaken(self, document: Document, node: etree._Element, why: str) -> None:
        self._findings.weaken(document, node, why)


# ---- xs:redefine (XSD 1.0 part 1, 4.2.2)


def _redefine(schemas: Schemas, schema: Schema, link: etree._Element, findings: Findings) -> None:
    """Turn a redefine into an include, with the components it held beside it.

    A component that is redefined gets another name, under which the new one builds upon it.
    """
    for node in list(parts(link)):
        name = node.get("name", "").strip()
        table = _REDEFINED.get(kind(node))
        if table is None or not name:
            findings.weaken(schema.document, node, f"{kind(node)} is not handled in a redefine")
            continue
        known = schemas.table(table)
        qname = f"{{{schema.namespace}}}{name}"
        before = known.pop(qname, None)
        if before is None:
            findings.weaken(schema.document, node, f"{name!r} is redefined, and defined nowhere")
        else:
            _rename_redefined(known, schema, node, name, before)
        link.addprevious(node)
        schemas.index(schema, node)


def _rename_redefined(
    known: dict[str, Component], schema: Schema, node: etree._Element, name: str, before: Component
) -> None:
    earlier = name + _BEFORE
    while f"{{{schema.namespace}}}{earlier}" in known:
        earlier += _BEFORE
    before.node.set("name", earlier)
    known[f"{{{schema.namespace}}}{earlier}"] = before
    for inner in node.iter("*"):
        attribute = "base" if kind(inner) in ("extension", "restriction") else "ref"
        raw = inner.get(attribute)
        if raw is not None and schema.meant(inner, raw) == f"{{{schema.namespace}}}{name}":
            inner.set(attribute, raw.strip() + _BEFORE * earlier.count(_BEFORE))


def earlier(root: etree._Element, document: Document) -> Iterator[Problem]:
    """Schemas in the language of the drafts before XSD 1.0, which nobody should speak any more."""
    for space in EARLIER_XSD:
        for node in root.iter(f"{{{space}}}schema"):
            yield Problem(
                f"a schema in the language of {space} is not handled, only {XSD}", document.place(node)
            )


def _article(what: str) -> str:
    return f"an {what}" if what == "include" else f"a {what}"
