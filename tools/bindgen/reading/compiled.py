"""The schemas of a contract, each for itself, as libxml2 compiles them and as they stand in one document.

`types` reads what is handled; what makes no sense in XSD itself (an occurrence that is no number, a name
declared nowhere, a circle) is found here, also in types that no operation reaches.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any
from xml.sax.saxutils import quoteattr

from lxml import etree

from bindgen.problems import Problem
from bindgen.reading import effort
from bindgen.reading.findings import Findings
from bindgen.reading.nodes import ENCODING, XML, kind, parsed
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


def made(space: str) -> etree._Element:
    """The schema of one of the two namespaces."""
    if space == XML:
        return etree.fromstring(_XML_SCHEMA)
    assert space == ENCODING
    schema = etree.Element(f"{{{XSD}}}schema", nsmap={"x": XSD, "t": space}, targetNamespace=space)
    _encoding(schema)
    return schema


def _encoding(schema: etree._Element) -> None:
    for name in ("Array", "Struct"):
        kind = etree.SubElement(schema, f"{{{XSD}}}complexType", name=name)
        sequence = etree.SubElement(kind, f"{{{XSD}}}sequence")
        etree.SubElement(sequence, f"{{{XSD}}}any", _ANY_CONTENT)
        etree.SubElement(kind, f"{{{XSD}}}anyAttribute", _ANY_ATTRIBUTES)
    for name in ("arrayType", "offset", "position", "root"):
        etree.SubElement(schema, f"{{{XSD}}}attribute", name=name, type="x:string")
    for name in ("commonAttributes", "arrayAttributes", "arrayMemberAttributes"):
        group = etree.SubElement(schema, f"{{{XSD}}}attributeGroup", name=name)
        etree.SubElement(group, f"{{{XSD}}}anyAttribute", _ANY_ATTRIBUTES)
    for qname in SIMPLE:
        local = qname.rpartition("}")[2]
        _named(schema, local, f"x:{local}")
    _named(schema, "base64", "x:base64Binary")


def _named(schema: etree._Element, name: str, base: str) -> None:
    """A type of that name that is no more than another, with attributes of the encoding's."""
    kind = etree.SubElement(schema, f"{{{XSD}}}complexType", name=name)
    content = etree.SubElement(kind, f"{{{XSD}}}simpleContent")
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


@dataclass(frozen=True, slots=True)
class Inlined:
    """A copy of a schema, and which nodes of the documents its nodes come from."""

    namespace: str
    node: etree._Element
    schema: Schema | None = None  # None for one that is made up
    origin: dict[etree._Element, etree._Element] = field(default_factory=dict)  # where that is asked for


def every(schemas: Schemas, *, traced: bool = False) -> list[Inlined]:
    """All schemas of a contract, ready to stand in one document.

    Includes are gone, schemas without a namespace have that of whoever included them, what was declared twice
    is there once, and what XSD knows of old (xml:lang, SOAP's encoding) is there where it is used.
    """
    repeated = set(schemas.repeated)
    found = []
    named: set[str] = set()
    for schema in schemas.all:
        inlined = copied(schema, traced=traced)
        for node, original in list(zip(inlined.node, schema.node, strict=True)):
            what = kind(node)
            if what != "annotation" and (what not in _COMPONENTS or original in repeated):
                inlined.node.remove(node)
        spaces = set(_spaces(inlined.node))
        _link(inlined, spaces, schema, schemas)
        named |= spaces
        found.append(inlined)
    for space in (XML, ENCODING):
        if space in named and space not in schemas.spaces:
            found.append(Inlined(space, made(space)))
    return found


def copied(schema: Schema, *, traced: bool) -> Inlined:
    """A schema by itself; `traced`: with the origin of each node.

    It is written out and parsed again, so that the prefixes of the whole document travel along.
    """
    text = etree.tostring(schema.node, with_tail=False, encoding="unicode")
    if schema.chameleon:
        said = f" targetNamespace={quoteattr(schema.namespace)}"
        if None not in schema.node.nsmap:  # names without a prefix are of the namespace it takes on
            said += f" xmlns={quoteattr(schema.namespace)}"
        # What it says of its target namespace, if anything, is that it has none.
        text = re.sub(r'^(<[^>]*?)\stargetNamespace=(""|"\s+")', r"\1", text)
        text = _UNBOUND.sub(lambda found: found[0] + said, text, count=1)
    node = parsed(text)
    origin = dict(zip(node.iter(), schema.node.iter(), strict=True)) if traced else {}
    return Inlined(schema.namespace, node, schema, origin)


def _link(inlined: Inlined, spaces: set[str], schema: Schema, schemas: Schemas) -> None:
    """Name the other namespaces that are used, each once and before all components, as XSD has it."""
    for node in list(inlined.node.iter(f"{{{XSD}}}element")) if XSD in spaces else ():
        raw = node.get("ref")
        if raw and raw.rpartition(":")[2] == "schema" and schema.meant(node, raw) == f"{{{XSD}}}schema":
            _as_any(node)
    wanted = dict.fromkeys(
        node.get("namespace", "").strip() for node in schema.node if kind(node) == "import"
    )
    wanted |= dict.fromkeys(sorted(spaces))
    for at, space in enumerate(
        [
            each
            for each in wanted
            if each not in (inlined.namespace, XSD) and (each or (inlined.namespace and "" in schemas.spaces))
        ]
    ):
        named = {"namespace": space} if space else {}
        inlined.node.insert(at, inlined.node.makeelement(f"{{{XSD}}}import", named))


def _as_any(node: etree._Element) -> None:
    """A reference to xs:schema, as data sets have it: any schema, for there is no schema of schemas here."""
    for name in set(node.attrib) - {"minOccurs", "maxOccurs", "id"}:
        del node.attrib[name]
    node.tag = f"{{{XSD}}}any"
    node.set("namespace", XSD)
    node.set("processContents", "skip")


def _spaces(root: etree._Element) -> Iterator[str]:
    """The namespaces of what a schema refers to."""
    # By prefix; only one that the root does not declare can mean something else elsewhere.
    known: dict[str, str | None] = {prefix or "": space for prefix, space in root.nsmap.items()}
    known["xml"] = XML
    met: set[str] = set()  # values that mean the same everywhere, most of them many times
    for tag, names in _REFERENCES.items():
        for node in root.iter(tag):
            for name in names:
                raw = node.get(name)
                if raw is None or raw in met:
                    continue
                for value in raw.split():
                    prefix = value.rpartition(":")[0]
                    if prefix in known:
                        space = known[prefix]
                        met.add(value)
                    else:
                        space = node.nsmap.get(prefix or None)
                    if space is not None or not prefix:
                        yield space or ""


_LINKS = tuple(f"{{{XSD}}}{name}" for name in ("import", "include", "redefine"))
_SCHEME = "contract:"


def of_all(schemas: Schemas) -> list[Problem] | None:
    """What the compiler says of all schemas of a contract; None where it would take too long to say."""
    if not schemas.all:
        return []
    if effort.too_much(schemas):
        return None
    if strays := [_stray(one, head) for one, head in effort.strays(schemas)]:
        return strays
    inlined = every(schemas)
    texts = [etree.tostring(one.node, with_tail=False, encoding="UTF-8") for one in inlined]
    try:
        schema(texts, [one.namespace for one in inlined])
    except etree.XMLSchemaParseError:
        return list(_located(schemas))
    return []


def _stray(one: Component, head: Component) -> Problem:
    what = f"its type is not derived from that of {head.node.get('name')}, for which it may stand"
    return Problem(f"not a valid schema: element: {what}", one.schema.document.place(one.node))


def noted(schemas: Schemas, findings: Findings) -> list[Problem] | None:
    """The same, put among the findings."""
    invalid = of_all(schemas)
    if invalid is None:
        first = schemas.all[0]
        why = "the schemas are too large for libxml2 to check messages against them within bounds"
        findings.note(first.document, first.node, why)
    elif findings.strict:  # no second problem of an element that has one already
        known = {_where(each) for each in findings.problems}
        findings.problems += [each for each in invalid if _where(each) not in known]
    else:
        findings.notes += invalid
    return invalid


def _where(problem: Problem) -> tuple[str, int, int] | None:
    place = problem.place
    return (place.file, place.line, place.column) if place else None


def _located(schemas: Schemas) -> Iterator[Problem]:
    """The same once more, each with its place. What has none is put upon the first schema."""
    first, inlined = schemas.all[0], every(schemas, traced=True)
    copies = [_Copy(one, first) for one in inlined]
    try:
        schema([copy.text for copy in copies], [one.namespace for one in inlined])
    except etree.XMLSchemaParseError as error:
        entries = [entry for entry in error.error_log if entry.level_name != "WARNING"]
        said = {(entry.filename, entry.line, entry.message): None for entry in entries}
        if not said:
            yield Problem(f"not a valid schema: {error}", first.document.place(first.node))
        for file, line, message in said:
            at = file.removeprefix(_SCHEME)
            copy = copies[int(at)] if at.isdigit() else copies[0]
            yield copy.problem(line, message)


def schema(texts: Sequence[bytes], namespaces: Sequence[str]) -> etree.XMLSchema:
    """Compile schemas of these namespaces, none of which says where another is, together.

    Raises XMLSchemaParseError, its places in documents `contract:` and the text's number.
    """
    spaces = list(dict.fromkeys(namespaces))
    sources = {f"{_SCHEME}{at}": text for at, text in enumerate(texts)}
    for number, space in enumerate(spaces):  # libxml2 takes one document per imported namespace
        own = [at for at, namespace in enumerate(namespaces) if namespace == space]
        sources[f"{_SCHEME}all-{number}"] = _joined(space, own)
    parser = etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=True)
    parser.resolvers.add(_Memory(sources))
    return etree.XMLSchema(etree.fromstring(_every(spaces), parser))


def unlink(root: etree._Element) -> None:
    """Leave of the links of a schema what names a namespace: all schemas are given to the compiler anyway."""
    for node in list(root.iter(*_LINKS)):
        if node.tag == _LINKS[0]:
            node.attrib.pop("schemaLocation", None)
        elif (parent := node.getparent()) is not None:
            parent.remove(node)


class _Copy:
    """A schema's text for the compiler, a line an element, so that a line of it means one element."""

    def __init__(self, inlined: Inlined, first: Schema) -> None:
        self._schema = inlined.schema or first
        copy = parsed(etree.tostring(inlined.node, with_tail=False, encoding="UTF-8"))
        nodes = [inlined.origin.get(node) for node in inlined.node.iter()]
        for node in copy.iter():
            node.text = node.tail = "\n"
        copy.tail = None
        self.text = etree.tostring(copy, encoding="UTF-8")
        lines = [node.sourceline for node in parsed(self.text).iter()]
        self._by_line = dict(zip(lines, nodes, strict=True))

    def problem(self, line: int, message: str) -> Problem:
        node = self._by_line.get(line)
        node = self._schema.node if node is None else node
        said = re.sub(r"^Element '[^']*'(, )?:? ?", "", message.replace(f"{{{XSD}}}", ""))
        kind = etree.QName(node).localname
        return Problem(f"not a valid schema: {kind}: {said}", self._schema.document.place(node))


class _Memory(etree.Resolver):
    def __init__(self, sources: dict[str, bytes]) -> None:
        self._sources = sources

    # The stubs hide the types of what is passed through here.
    def resolve(self, system_url: Any, public_id: Any, context: Any) -> Any:
        """Give the text of one of our own addresses; nothing else is ever asked for."""
        return self.resolve_string(self._sources[str(system_url)], context, base_url=str(system_url))


def _every(spaces: Sequence[str]) -> bytes:
    # A namespace of its own, for only such a schema may import components of no namespace.
    root = etree.Element(f"{{{XSD}}}schema", targetNamespace=f"{_SCHEME}all")
    for number, space in enumerate(spaces):
        link = etree.SubElement(root, _LINKS[0], schemaLocation=f"{_SCHEME}all-{number}")
        if space:
            link.set("namespace", space)
    return etree.tostring(root)


def _joined(space: str, own: Sequence[int]) -> bytes:
    root = etree.Element(f"{{{XSD}}}schema")
    if space:
        root.set("targetNamespace", space)
    for at in own:
        etree.SubElement(root, _LINKS[1], schemaLocation=f"{_SCHEME}{at}")
    return etree.tostring(root)
