"""What stands in a SOAP body (WSDL 1.1 section 3.5): one element, several, or those of RPC style."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from lxml import etree

from bindgen.model import ANYTHING, Field, Struct, Wildcard
from bindgen.problems import Place
from bindgen.reading.findings import Findings
from bindgen.reading.message_schema import Child, MessageSchema
from bindgen.reading.messages import MessagePart, Messages
from bindgen.reading.nodes import true
from bindgen.reading.types import TypeReader


@dataclass(frozen=True, slots=True)
class Body:
    """The struct of a body, and the element it is; "" where the fields are the body's own children."""

    tag: str
    struct: Struct
    nillable: bool = False
    members: Mapping[str, Struct] = field(default_factory=dict)  # elements that may stand for it


class Bodies:
    """Makes bodies of message parts."""

    def __init__(
        self, messages: Messages, types: TypeReader, schema: MessageSchema, findings: Findings
    ) -> None:
        self._messages = messages
        self._types = types
        self._schema = schema
        self._findings = findings

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
            self._schema.element(tag, part.declared)
        struct = self._messages.struct(part, f"{{}}{part.name}" if part.component is None else qname)
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
        if not self._schema.wrapper(tag, children) and parts:
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
        return Field("any", "any", "", ANYTHING, 1, 1, place, wildcard=Wildcard(process="lax"))


def _qname(tag: str) -> str:
    return tag if tag.startswith("{") else f"{{}}{tag}"


def body_namespace(body: etree._Element | None) -> str:
    """The namespace that a binding gives the wrapper of RPC style."""
    return "" if body is None else body.get("namespace", "").strip()
