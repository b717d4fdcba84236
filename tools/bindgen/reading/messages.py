"""Messages and their parts (WSDL 1.1 section 2.3): each an element of a schema, or a type."""

from __future__ import annotations

from dataclasses import dataclass

from lxml import etree

from bindgen.model import ANYTHING, Struct
from bindgen.reading.definitions import Definitions, Part
from bindgen.reading.documents import Document
from bindgen.reading.elements import Declared
from bindgen.reading.findings import Findings
from bindgen.reading.nodes import WSDL, true
from bindgen.reading.schemas import Component, Schemas
from bindgen.reading.types import TypeReader


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
