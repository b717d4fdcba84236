"""Messages (WSDL 1.1 section 2.3), the bodies they make (3.5), and a schema of those that none declares."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from lxml import etree

from bindgen import naming
from bindgen.model import ANY_ELEMENT, ANYTHING, Field, Simple, Struct, Wildcard
from bindgen.problems import Place
from bindgen.reading.definitions import Definitions, Part
from bindgen.reading.documents import Document
from bindgen.reading.elements import Declared
from bindgen.reading.findings import Findings
from bindgen.reading.nodes import WSDL, true
from bindgen.reading.schemas import Component, Schemas
from bindgen.reading.simple import ANY_TYPE
from bindgen.reading.types import TypeReader
from bindgen.simple_types import XSD
from soapclient.runtime.schema import wrapper_tag


class Missing(Exception):
    """What a message names is not there."""

    def __init__(self, document: Document, node: etree._Element, why: str) -> None:
        super().__init__(document, node, why)
        self.document = document
        self.node = node
        self.why = why


@dataclass(frozen=True, slots=True)
class MessagePart:
    """One part of a message: the element it is, or a name and a type."""

    name: str
    message: Part
    node: etree._Element
    declared: Declared
    component: Component | None = None  # the element's declaration
    tag: str = ""  # the element's qualified name

    @property
    def own(self) -> Component:
        """What the part is declared by, be it itself."""
        return self.component or Component(self.message.schema, self.node)

    @property
    def nillable(self) -> bool:
        """Whether the part is an element that may be nil."""
        return self.component is not None and true(self.component.node, "nillable")


class Messages:
    """Reads the messages of a contract."""

    def __init__(
        self, definitions: Definitions, schemas: Schemas, types: TypeReader, findings: Findings
    ) -> None:
        self._definitions = definitions
        self._schemas = schemas
        self._types = types
        self._findings = findings
        self.undeclared = MessageSchema(schemas)

    def parts(self, where: Part, node: etree._Element) -> list[MessagePart]:
        """The parts of the message that `node` names, none where it names none. Raises Missing."""
        message = self.named(where, node)
        if message is None:
            return []
        return [self.part(message, part) for part in message.node.iterfind(f"{{{WSDL}}}part")]

    def named(self, where: Part, node: etree._Element) -> Part | None:
        """The message that `node` names. Raises Missing."""
        raw = node.get("message", "")
        if not raw.strip():
            return None
        message = self._definitions.named("message", where, node, raw)
        if message is None:
            raise Missing(where.document, node, f"no message {raw!r} in the contract")
        return message

    def part(self, message: Part, node: etree._Element) -> MessagePart:
        """One part. Raises Missing."""
        name = node.get("name", "").strip() or "part"
        element, type_ = node.get("element"), node.get("type")
        if element is not None:
            return self._element(message, node, name, element)
        if type_ is not None:
            return self._type(message, node, name, type_)
        self._findings.weaken(message.document, node, "a part without element and type; taken for anything")
        return MessagePart(name, message, node, Declared(ANYTHING))

    def struct(self, part: MessagePart, qname: str) -> Struct:
        """What a part holds, as a struct. `qname` is for one that has to be made up."""
        if part.component is not None and part.component.node is not part.node:
            return self._types.of_message(part.component, part.tag)
        return self._types.struct(part.declared, part.own, qname)

    def document(self, parts: Sequence[MessagePart], qname: str, place: Place) -> Body:
        """A body of document style. `qname` is for a struct that has to be made up."""
        if len(parts) != 1:
            fields = [self._child(part) for part in parts]
            return Body("", Struct(qname, place, fields, anonymous=True))
        (part,) = parts
        if part.component is not None and true(part.component.node, "abstract"):
            return Body("", Struct(qname, place, [self._stand_in(part)], anonymous=True))
        tag = part.tag or part.name
        if part.component is None:
            self.undeclared.element(tag, part.declared)
        struct = self.struct(part, f"{{}}{part.name}" if part.component is None else qname)
        return Body(tag, struct, part.nillable, self._members(part))

    def rpc(
        self, parts: Sequence[MessagePart], tag: str, place: Place, *, encoded: bool, response: bool
    ) -> Body:
        """A body of RPC style: an element `tag` with the parts in it.

        Encoded values may be nil, and a response may leave them out: the encoding says so (SOAP 1.1 5.1).
        """
        least = 0 if encoded and response else 1
        struct = Struct(tag if tag.startswith("{") else f"{{}}{tag}", place, anonymous=True)
        children = []
        for part in parts:
            field = self._child(part)
            field.least, field.nillable = least, encoded and part.component is None
            struct.fields.append(field)
            declared = None if part.component is not None else part.declared
            children.append(Child(field.tag, declared, least, field.nillable))
        if not self.undeclared.wrapper(tag, children) and parts:
            why = "overloaded: another message has the same element and other parts"
            said = f"{why}; neither is checked before it is sent"
            self._findings.note(parts[0].message.document, parts[0].node, said)
        return Body(tag, struct)

    def nothing(self, qname: str, place: Place) -> Body:
        """No body, or an empty one."""
        return Body("", Struct(qname, place, anonymous=True))

    def _child(self, part: MessagePart) -> Field:
        """A part as one child of several."""
        declared = part.declared
        place = part.message.document.place(part.node)
        return declared.field(part.tag or part.name, (1, 1), place, nillable=part.nillable)

    def _members(self, part: MessagePart) -> Mapping[str, Struct]:
        """The elements of complex types that may stand for that of a message (XSD 1.0 part 1 3.3.6)."""
        declared = part.component is not None and part.component.node is not part.node
        holder = self._types.standing_for(_qname(part.tag)) if declared else None
        fields = [] if holder is None else holder.fields
        return {one.tag: one.type for one in fields if isinstance(one.type, Struct) and one.tag != part.tag}

    def _stand_in(self, part: MessagePart) -> Field:
        """The one element that stands where an abstract one is named."""
        place = part.message.document.place(part.node)
        holder = self._types.standing_for(_qname(part.tag))
        if holder is not None:
            return Field(part.tag.rpartition("}")[2], "group", "", holder, 1, 1, place)
        why = "the element of a message is abstract, and no other is declared to stand for it"
        self._findings.weaken(part.message.document, part.node, f"{why}; taken for any element")
        return Field("any", "any", "", ANY_ELEMENT, 1, 1, place, wildcard=Wildcard(process="lax"))

    def _element(self, message: Part, node: etree._Element, name: str, raw: str) -> MessagePart:
        schema = message.schema
        qname, component = self._schemas.find("elements", schema, node, raw)
        if component is not None:
            declared = self._types.of_declaration(component, qname)
            return MessagePart(name, message, node, declared, component, _tag(qname))
        type_name, found = self._schemas.find("types", schema, node, raw)
        if found is None and not self._schemas.foreign(qname):
            raise Missing(message.document, node, f"no element {raw!r} in any schema of the contract")
        instead = "the type of that name is taken" if found is not None else "taken for anything"
        why = f"no element {raw!r} in any schema of the contract; {instead}"
        self._findings.weaken(message.document, node, why)
        declared = self._types.named(schema, node, raw) if found is not None else Declared(ANYTHING)
        return MessagePart(name, message, node, declared, Component(schema, node), _tag(type_name))

    def _type(self, message: Part, node: etree._Element, name: str, raw: str) -> MessagePart:
        schema = message.schema
        qname, found = self._schemas.find("types", schema, node, raw)
        if found is None and qname in self._schemas.elements:
            why = f"no type {raw!r} in the contract; that of the element of that name is taken"
            self._findings.weaken(message.document, node, why)
            declared = self._types.of_declaration(self._schemas.elements[qname], qname)
            return MessagePart(name, message, node, declared)
        return MessagePart(name, message, node, self._types.named(schema, node, raw))


def _tag(qname: str) -> str:
    return qname.removeprefix("{}")


@dataclass(frozen=True, slots=True)
class Child:
    """A part within a wrapper: an element of the contract's (`tag` alone), or a name and its type."""

    tag: str
    declared: Declared | None = None
    least: int = 1
    nillable: bool = False


class MessageSchema:
    """Collects elements, and writes them down as schemas, one for each namespace."""

    def __init__(self, schemas: Schemas) -> None:
        self._schemas = schemas
        # None: it was asked for twice with different content, so anything is let in.
        self._elements: dict[str, tuple[Child, ...] | Declared | None] = {}

    def wrapper(self, tag: str, children: Iterable[Child]) -> bool:
        """Add an element around some parts. Return False if a schema cannot say what these are."""
        name = wrapper_tag(tag) if self._is_declared(tag) else tag
        self._take(name, tuple(children))
        return self._elements[name] is not None

    def element(self, tag: str, declared: Declared) -> None:
        """Add an element of a type, unless the contract has it."""
        if not self._is_declared(tag):
            self._take(tag, declared)

    def _is_declared(self, tag: str) -> bool:
        return _qname(tag) in self._schemas.elements

    def _take(self, tag: str, content: tuple[Child, ...] | Declared) -> None:
        known = self._elements.get(tag, content)
        self._elements[tag] = content if known == content else None

    def text(self) -> bytes:
        """The schema; several of them stand in a wsdl:types, and nothing gives nothing."""
        spaces = list(dict.fromkeys(naming.space(tag) for tag in self._elements))
        schemas = [self._schema(space) for space in spaces]
        if not schemas:
            return b""
        root = schemas[0]
        if len(schemas) > 1:
            root = etree.Element(f"{{{WSDL}}}types", nsmap={None: WSDL})
            root.extend(schemas)
        etree.indent(root)
        return etree.tostring(root, xml_declaration=True, encoding="UTF-8") + b"\n"

    def _schema(self, space: str) -> etree._Element:
        elements = {tag: content for tag, content in self._elements.items() if naming.space(tag) == space}
        names = [name for content in elements.values() for name in self._named(content)]
        spaces = list(dict.fromkeys(naming.space(name) for name in names))
        prefixes = {
            each: f"n{at}" for at, each in enumerate((one for one in spaces if one not in ("", XSD)), 1)
        }
        nsmap = {"x": XSD, **{prefix: each for each, prefix in prefixes.items()}}
        prefixes[XSD] = "x"
        schema = etree.Element(f"{{{XSD}}}schema", nsmap=nsmap)
        if space:
            schema.set("targetNamespace", space)
        for each in spaces:
            if each not in (space, XSD):
                link = etree.SubElement(schema, f"{{{XSD}}}import")
                if each:
                    link.set("namespace", each)
        for tag, content in elements.items():
            node = etree.SubElement(schema, f"{{{XSD}}}element", name=naming.local(tag))
            if isinstance(content, Declared):
                node.set("type", _written(self._type(content), prefixes))
            elif content is not None:
                inner = etree.SubElement(node, f"{{{XSD}}}complexType")
                sequence = etree.SubElement(inner, f"{{{XSD}}}sequence")
                for child in content:
                    self._child(sequence, child, prefixes)
        return schema

    def _child(self, sequence: etree._Element, child: Child, prefixes: dict[str, str]) -> None:
        node = etree.SubElement(sequence, f"{{{XSD}}}element")
        if child.declared is None:
            node.set("ref", _written(child.tag, prefixes))
        else:
            node.set("name", naming.local(child.tag))
            node.set("type", _written(self._type(child.declared), prefixes))
            if child.nillable:
                node.set("nillable", "true")
        if not child.least:
            node.set("minOccurs", "0")

    def _named(self, content: tuple[Child, ...] | Declared | None) -> Iterable[str]:
        if isinstance(content, Declared):
            yield self._type(content)
        for child in content if isinstance(content, tuple) else ():
            yield child.tag if child.declared is None else self._type(child.declared)

    def _type(self, declared: Declared) -> str:
        """The name of a type, as a schema may say it."""
        if declared.name in self._schemas.types:
            return declared.name
        return f"{{{XSD}}}{declared.type.xsd}" if isinstance(declared.type, Simple) else ANY_TYPE


def _written(name: str, prefixes: dict[str, str]) -> str:
    prefix = prefixes.get(naming.space(name), "")
    return f"{prefix}:{naming.local(name)}" if prefix else naming.local(name)


@dataclass(frozen=True, slots=True)
class Body:
    """The struct of a body, and the element it is; "" where the fields are the body's own children."""

    tag: str
    struct: Struct
    nillable: bool = False
    members: Mapping[str, Struct] = field(default_factory=dict)  # elements that may stand for it


def _qname(tag: str) -> str:
    return tag if tag.startswith("{") else f"{{}}{tag}"


def body_namespace(body: etree._Element | None) -> str:
    """The namespace that a binding gives the wrapper of RPC style."""
    return "" if body is None else body.get("namespace", "").strip()
