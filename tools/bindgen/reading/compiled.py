"""Compile the schemas of a contract with libxml2, and copy them so that they can be in one document.

The module `types` reports constructs that are not supported. This module reports errors in the schemas
themselves, such as a maxOccurs that is not a number, an unknown name or a cycle. It also checks types that
operations do not use.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any
from xml.sax.saxutils import quoteattr

from lxml import etree

from bindgen.problems import Problem
from bindgen.reading import compile_cost
from bindgen.reading.findings import Findings
from bindgen.reading.nodes import ENCODING, XML, kind, parse_fragment
from bindgen.reading.schemas import Component, Schema, Schemas
from bindgen.simple_types import SIMPLE, XSD

_XML_SCHEMA = f"""<x:schema xmlns:x="{XSD}" targetNamespace="{XML}">
<x:attribute name="lang"><x:simpleType><x:union memberTypes="x:language"><x:simpleType>
  <x:restriction base="x:string"><x:enumeration value=""/></x:restriction>
</x:simpleType></x:union></x:simpleType></x:attribute>
<x:attribute name="base" type="x:anyURI"/>
<x:attribute name="id" type="x:ID"/>
<x:attribute name="space"><x:simpleType><x:restriction base="x:NCName">
  <x:enumeration value="default"/><x:enumeration value="preserve"/>
</x:restriction></x:simpleType></x:attribute>
<x:attributeGroup name="specialAttrs"><x:attribute ref="xml:lang"/><x:attribute ref="xml:base"/>
  <x:attribute ref="xml:id"/><x:attribute ref="xml:space"/></x:attributeGroup>
</x:schema>"""
_ANY_CONTENT = {"minOccurs": "0", "maxOccurs": "unbounded", "processContents": "lax"}
_ANY_ATTRIBUTES = {"namespace": "##any", "processContents": "lax"}


def predefined_schema(space: str) -> etree._Element:
    """Return a schema for the namespace of the prefix `xml:` (`XML`) or of SOAP encoding (`ENCODING`).

    Contracts use these two namespaces without a schema for them.
    """
    if space == XML:
        return etree.fromstring(_XML_SCHEMA)
    assert space == ENCODING
    schema = etree.Element(f"{{{XSD}}}schema", nsmap={"x": XSD, "t": space}, targetNamespace=space)
    _add_encoding_types(schema)
    return schema


def _add_encoding_types(schema: etree._Element) -> None:
    """Add the declarations of the SOAP encoding: arrays, structs, attributes and simple types."""
    for name in ("Array", "Struct"):
        type_node = etree.SubElement(schema, f"{{{XSD}}}complexType", name=name)
        sequence = etree.SubElement(type_node, f"{{{XSD}}}sequence")
        etree.SubElement(sequence, f"{{{XSD}}}any", _ANY_CONTENT)
        etree.SubElement(type_node, f"{{{XSD}}}anyAttribute", _ANY_ATTRIBUTES)
    for name in ("arrayType", "offset", "position", "root"):
        etree.SubElement(schema, f"{{{XSD}}}attribute", name=name, type="x:string")
    for name in ("commonAttributes", "arrayAttributes", "arrayMemberAttributes"):
        group = etree.SubElement(schema, f"{{{XSD}}}attributeGroup", name=name)
        etree.SubElement(group, f"{{{XSD}}}anyAttribute", _ANY_ATTRIBUTES)
    for qname in SIMPLE:
        local = qname.rpartition("}")[2]
        _add_named_type(schema, local, f"x:{local}")
    _add_named_type(schema, "base64", "x:base64Binary")


def _add_named_type(schema: etree._Element, name: str, base: str) -> None:
    """Add a type that extends `base` with the attributes of SOAP encoding, and an element of this type."""
    type_node = etree.SubElement(schema, f"{{{XSD}}}complexType", name=name)
    content = etree.SubElement(type_node, f"{{{XSD}}}simpleContent")
    extension = etree.SubElement(content, f"{{{XSD}}}extension", base=base)
    etree.SubElement(extension, f"{{{XSD}}}anyAttribute", _ANY_ATTRIBUTES)
    etree.SubElement(schema, f"{{{XSD}}}element", name=name, type=f"t:{name}")


_REFERENCES = {
    f"{{{XSD}}}{name}": attributes
    for name, attributes in {
        "element": ("type", "ref", "substitutionGroup"),
        "attribute": ("type", "ref"),
        "group": ("ref",),
        "attributeGroup": ("ref",),
        "extension": ("base",),
        "restriction": ("base",),
        "list": ("itemType",),
        "union": ("memberTypes",),
        "keyref": ("refer",),
    }.items()
}
_COMPONENTS = ("element", "complexType", "simpleType", "group", "attribute", "attributeGroup", "notation")
_UNBOUND = re.compile(r"<[^\s/>]+")


# The texts of schemas for the compiler or for one document, each with its target namespace.
SchemaTexts = Sequence[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Inlined:
    """A copy of a schema. `origin` maps the nodes of the copy to the original nodes in the documents."""

    namespace: str
    node: etree._Element
    schema: Schema | None = None  # None for a generated schema
    origin: dict[etree._Element, etree._Element] = field(default_factory=dict)  # empty unless requested


def copy_all(schemas: Schemas, *, traced: bool = False) -> list[Inlined]:
    """Return copies of all schemas of a contract, changed so that they can be in one document.

    Includes are removed, and schemas without a namespace have the namespace of the schema that includes them.
    Repeated declarations are removed. Well-known schemas (xml:lang, SOAP encoding) are added if they are
    used. If `traced` is True, `Inlined.origin` of the copies is set.
    """
    repeated = set(schemas.repeated)
    copies = []
    used: set[str] = set()
    for schema in schemas.all:
        inlined = copy_schema(schema, traced=traced)
        for node, original in list(zip(inlined.node, schema.node, strict=True)):
            node_kind = kind(node)
            if node_kind != "annotation" and (node_kind not in _COMPONENTS or original in repeated):
                inlined.node.remove(node)
        spaces = set(_spaces(inlined.node))
        _link(inlined, spaces, schema, schemas)
        used |= spaces
        copies.append(inlined)
    for space in (XML, ENCODING):
        if space in used and space not in schemas.spaces:
            copies.append(Inlined(space, predefined_schema(space)))
    return copies


def copy_schema(schema: Schema, *, traced: bool) -> Inlined:
    """Return a copy of a schema. If `traced` is True, `Inlined.origin` is set.

    The schema is serialized and parsed again so that the copy declares the prefixes of its document.
    """
    text = etree.tostring(schema.node, with_tail=False, encoding="unicode")
    if schema.chameleon:
        attributes = f" targetNamespace={quoteattr(schema.namespace)}"
        if None not in schema.node.nsmap:  # names without a prefix are in the namespace that it takes on
            attributes += f" xmlns={quoteattr(schema.namespace)}"
        # Remove an empty targetNamespace first.
        text = re.sub(r'^(<[^>]*?)\stargetNamespace=(""|"\s+")', r"\1", text)
        text = _UNBOUND.sub(lambda match: match[0] + attributes, text, count=1)
    node = parse_fragment(text)
    origin = dict(zip(node.iter(), schema.node.iter(), strict=True)) if traced else {}
    return Inlined(schema.namespace, node, schema, origin)


def _link(inlined: Inlined, spaces: set[str], schema: Schema, schemas: Schemas) -> None:
    """Add one xs:import to `inlined` for each other namespace that it uses, before its components.

    XSD requires the imports to be before the components. `inlined` is the copy of `schema`, and `spaces` are
    the namespaces to which the copy refers. References to xs:schema are replaced, see `_as_any`.
    """
    for node in list(inlined.node.iter(f"{{{XSD}}}element")) if XSD in spaces else ():
        raw = node.get("ref")
        if raw and raw.rpartition(":")[2] == "schema" and schema.resolve(node, raw) == f"{{{XSD}}}schema":
            _as_any(node)
    imported = dict.fromkeys(
        node.get("namespace", "").strip() for node in schema.node if kind(node) == "import"
    )
    imported |= dict.fromkeys(sorted(spaces))
    for index, space in enumerate(
        [
            candidate
            for candidate in imported
            if candidate not in (inlined.namespace, XSD)
            and (candidate or (inlined.namespace and "" in schemas.spaces))
        ]
    ):
        attributes = {"namespace": space} if space else {}
        inlined.node.insert(index, inlined.node.makeelement(f"{{{XSD}}}import", attributes))


def _as_any(node: etree._Element) -> None:
    """Replace a reference to xs:schema by a wildcard, because the schema of XSD itself is not included.

    .NET data sets contain such references.
    """
    for name in set(node.attrib) - {"minOccurs", "maxOccurs", "id"}:
        del node.attrib[name]
    node.tag = f"{{{XSD}}}any"
    node.set("namespace", XSD)
    node.set("processContents", "skip")


def _spaces(root: etree._Element) -> Iterator[str]:
    """Yield the namespaces to which a schema refers."""
    # Look up prefixes in the root first. Only other prefixes can have different meanings in different places.
    prefixes: dict[str, str | None] = {prefix or "": space for prefix, space in root.nsmap.items()}
    prefixes["xml"] = XML
    seen: set[str] = set()  # values that mean the same everywhere; most occur many times
    for tag, names in _REFERENCES.items():
        for node in root.iter(tag):
            for name in names:
                raw = node.get(name)
                if raw is None or raw in seen:
                    continue
                for value in raw.split():
                    prefix = value.rpartition(":")[0]
                    if prefix in prefixes:
                        space = prefixes[prefix]
                        seen.add(value)
                    else:
                        space = node.nsmap.get(prefix or None)
                    if space is not None or not prefix:
                        yield space or ""


_LINKS = tuple(f"{{{XSD}}}{name}" for name in ("import", "include", "redefine"))
_SCHEME = "contract:"


def schema_texts(schemas: Schemas) -> SchemaTexts:
    """Return a pair (namespace, XML text) for each schema that `copy_all` returns."""
    if len(schemas.all) == 1 and (text := _unchanged_text(schemas.all[0], schemas)) is not None:
        return [(schemas.all[0].namespace, text)]
    return [
        (item.namespace, etree.tostring(item.node, with_tail=False, encoding="unicode"))
        for item in copy_all(schemas)
    ]


def _unchanged_text(schema: Schema, schemas: Schemas) -> str | None:
    """Return the text of a contract's only schema if it needs no changes; None if `copy_all` must change it.

    Most schemas need no changes. Parsing and serializing a copy takes much longer than these checks.
    """
    kinds = set(map(kind, schema.node))
    if schema.chameleon or schemas.repeated or not kinds <= {*_COMPONENTS, "annotation"}:
        return None
    if set(_spaces(schema.node)) - {schema.namespace, XSD}:
        return None
    if any(node.get("ref", "").endswith("schema") for node in schema.node.iter(f"{{{XSD}}}element")):
        return None  # possibly a reference to xs:schema, see `_link`
    return etree.tostring(schema.node, with_tail=False, encoding="unicode")


def of_all(schemas: Schemas, texts: SchemaTexts | None = None) -> list[Problem] | None:
    """Return libxml2's errors for all schemas of a contract; None if compiling would be too expensive.

    `texts` is the result of `schema_texts`, if the caller already has it.
    """
    if not schemas.all:
        return []
    if compile_cost.is_too_expensive(schemas):
        return None
    if problems := [
        _invalid_member_problem(item, head) for item, head in compile_cost.invalid_members(schemas)
    ]:
        return problems
    texts = schema_texts(schemas) if texts is None else texts
    try:
        schema([text.encode() for _, text in texts], [namespace for namespace, _ in texts])
    except etree.XMLSchemaParseError:
        return list(_compile_with_places(schemas))
    return []


def _invalid_member_problem(component: Component, head: Component) -> Problem:
    reason = (
        f"its type is not derived from the type of {head.node.get('name')}, "
        "the head of its substitution group"
    )
    return Problem(f"not a valid schema: element: {reason}", component.schema.document.place(component.node))


def add_findings(
    schemas: Schemas, findings: Findings, texts: SchemaTexts | None = None
) -> list[Problem] | None:
    """Compile all schemas, and add libxml2's errors to the findings.

    Return these errors, or None if compiling would be too expensive. `texts` is the result of
    `schema_texts`, if the caller already has it.
    """
    invalid = of_all(schemas, texts)
    if invalid is None:
        first = schemas.all[0]
        message = "the schemas are too large to check messages with libxml2"
        findings.note(first.document, first.node, message)
    elif findings.strict:  # report only one problem for each element
        reported = {_position(problem) for problem in findings.problems}
        findings.problems += [problem for problem in invalid if _position(problem) not in reported]
    else:
        findings.notes += invalid
    return invalid


def _position(problem: Problem) -> tuple[str, int, int] | None:
    place = problem.place
    return (place.file, place.line, place.column) if place else None


def _compile_with_places(schemas: Schemas) -> Iterator[Problem]:
    """Compile the schemas a second time, and yield each error with its place in the contract.

    An error without a place is reported at the first schema.
    """
    first, inlined = schemas.all[0], copy_all(schemas, traced=True)
    copies = [_SchemaCopy(copy, first) for copy in inlined]
    try:
        schema([copy.text for copy in copies], [item.namespace for item in inlined])
    except etree.XMLSchemaParseError as error:
        entries = [entry for entry in error.error_log if entry.level_name != "WARNING"]
        messages = {(entry.filename, entry.line, entry.message): None for entry in entries}
        if not messages:
            yield Problem(f"not a valid schema: {error}", first.document.place(first.node))
        for file, line, message in messages:
            number = file.removeprefix(_SCHEME)
            copy = copies[int(number)] if number.isdigit() else copies[0]
            yield copy.problem(line, message)


def schema(texts: Sequence[bytes], namespaces: Sequence[str]) -> etree.XMLSchema:
    """Compile schemas together. `namespaces` are their target namespaces.

    The imports in the schemas must not have a schemaLocation. Raises XMLSchemaParseError. In its error log,
    the schemas are named `contract:0`, `contract:1` and so on, by their index in `texts`.
    """
    spaces = list(dict.fromkeys(namespaces))
    sources = {f"{_SCHEME}{number}": text for number, text in enumerate(texts)}
    for number, space in enumerate(spaces):  # libxml2 takes one document per imported namespace
        numbers = [number for number, namespace in enumerate(namespaces) if namespace == space]
        sources[f"{_SCHEME}all-{number}"] = _include_all(space, numbers)
    parser = etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=True)
    parser.resolvers.add(_MemoryResolver(sources))
    return etree.XMLSchema(etree.fromstring(_import_all(spaces), parser))


def unlink(root: etree._Element) -> None:
    """Remove from a schema the schemaLocation of its imports, and its includes.

    The compiler does not need them, because it gets the texts of all schemas.
    """
    for node in list(root.iter(*_LINKS)):
        if node.tag == _LINKS[0]:
            node.attrib.pop("schemaLocation", None)
        elif (parent := node.getparent()) is not None:
            parent.remove(node)


class _SchemaCopy:
    """The text of a schema for the compiler. Each element is on its own line, so a line identifies it."""

    def __init__(self, inlined: Inlined, first: Schema) -> None:
        self._schema = inlined.schema or first
        copy = parse_fragment(etree.tostring(inlined.node, with_tail=False, encoding="UTF-8"))
        nodes = [inlined.origin.get(node) for node in inlined.node.iter()]
        for node in copy.iter():
            node.text = node.tail = "\n"
        copy.tail = None
        self.text = etree.tostring(copy, encoding="UTF-8")
        lines = [node.sourceline for node in parse_fragment(self.text).iter()]
        self._by_line = dict(zip(lines, nodes, strict=True))

    def problem(self, line: int, message: str) -> Problem:
        """Return a problem for a compiler message about `line`. Its place is the element on this line."""
        node = self._by_line.get(line)
        node = self._schema.node if node is None else node
        text = re.sub(r"^Element '[^']*'(, )?:? ?", "", message.replace(f"{{{XSD}}}", ""))
        name = etree.QName(node).localname
        return Problem(f"not a valid schema: {name}: {text}", self._schema.document.place(node))


class _MemoryResolver(etree.Resolver):
    """Resolver that gives the parser the schemas from memory. `sources` maps addresses to texts."""

    def __init__(self, sources: dict[str, bytes]) -> None:
        self._sources = sources

    # lxml's stubs do not export the types of these arguments.
    def resolve(self, system_url: Any, public_id: Any, context: Any) -> Any:
        """Return the text at `system_url`, which must be a key of `sources`, as input for the parser."""
        return self.resolve_string(self._sources[str(system_url)], context, base_url=str(system_url))


def _import_all(spaces: Sequence[str]) -> bytes:
    # It needs a namespace, because only then may it import components without a namespace.
    root = etree.Element(f"{{{XSD}}}schema", targetNamespace=f"{_SCHEME}all")
    for number, space in enumerate(spaces):
        link = etree.SubElement(root, _LINKS[0], schemaLocation=f"{_SCHEME}all-{number}")
        if space:
            link.set("namespace", space)
    return etree.tostring(root)


def _include_all(space: str, numbers: Sequence[int]) -> bytes:
    """Return a schema that includes all schemas of a namespace. `numbers` are the indexes of their texts."""
    root = etree.Element(f"{{{XSD}}}schema")
    if space:
        root.set("targetNamespace", space)
    for number in numbers:
        etree.SubElement(root, _LINKS[1], schemaLocation=f"{_SCHEME}{number}")
    return etree.tostring(root)
