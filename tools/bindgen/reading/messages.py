"""Read the messages of a WSDL, and the SOAP bodies that their parts form (WSDL 1.1, sections 2.3 and 3.5).

In some contracts, for example in RPC style, the schemas do not declare the element of a body. A generated
schema declares such elements, for validation.
"""

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
    """Raised if a message cannot be used, usually because it refers to a component that does not exist."""

    def __init__(self, document: Document, node: etree._Element, reason: str) -> None:
        super().__init__(document, node, reason)
        self.document = document
        self.node = node
        self.reason = reason


@dataclass(frozen=True, slots=True)
class MessagePart:
    """A part of a message (wsdl:part). It refers to an element, or has a type."""

    name: str
    message: Part
    node: etree._Element
    declared: Declared
    component: Component | None = None  # the element's declaration
    tag: str = ""  # the element's qualified name

    @property
    def own(self) -> Component:
        """The declaration of the element to which the part refers, or the part itself if it has a type."""
        return self.component or Component(self.message.schema, self.node)

    @property
    def nillable(self) -> bool:
        """True if the part is a nillable element."""
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
        """Return the parts of the message that `node` names; an empty list if it does not name a message.

        `where` is the component that contains `node`.

        Raises Missing for an unknown message.
        """
        message = self.named(where, node)
        if message is None:
            return []
        return [self.part(message, part) for part in message.node.iterfind(f"{{{WSDL}}}part")]

    def named(self, where: Part, node: etree._Element) -> Part | None:
        """Return the message that `node` names in its attribute `message`.

        `where` is the component that contains `node`. Returns None if `node` does not have this attribute.
        Raises Missing for an unknown message.
        """
        raw = node.get("message", "")
        if not raw.strip():
            return None
        message = self._definitions.named("message", where, node, raw)
        if message is None:
            raise Missing(where.document, node, f"no message {raw!r} in the contract")
        return message

    def part(self, message: Part, node: etree._Element) -> MessagePart:
        """Read a part of a message from its node. Raises Missing if its element does not exist."""
        name = node.get("name", "").strip() or "part"
        element, type_ = node.get("element"), node.get("type")
        if element is not None:
            return self._element(message, node, name, element)
        if type_ is not None:
            return self._type(message, node, name, type_)
        self._findings.weaken(message.document, node, "a part without element and type; read as any content")
        return MessagePart(name, message, node, Declared(ANYTHING))

    def struct(self, part: MessagePart, qname: str) -> Struct:
        """Return the struct for the content of a part.

        The struct is generated, with the name `qname`, if no complex type describes the content.
        """
        if part.component is not None and part.component.node is not part.node:
            return self._types.of_message(part.component, part.tag)
        return self._types.struct(part.declared, part.own, qname)

    def document(self, parts: Sequence[MessagePart], qname: str, place: Place) -> Body:
        """Return a body in document style that contains the message parts `parts`.

        `qname` and `place` are the name and the place of the body's struct if the struct is generated.
        """
        if len(parts) != 1:
            fields = [self._child(part) for part in parts]
            return Body("", Struct(qname, place, fields, anonymous=True))
        (part,) = parts
        if part.component is not None and true(part.component.node, "abstract"):
            return Body("", Struct(qname, place, [self._substituted(part)], anonymous=True))
        tag = part.tag or part.name
        if part.component is None:
            self.undeclared.element(tag, part.declared)
        struct = self.struct(part, f"{{}}{part.name}" if part.component is None else qname)
        return Body(tag, struct, part.nillable, self._members(part))

    def rpc(
        self, parts: Sequence[MessagePart], tag: str, place: Place, *, encoded: bool, response: bool
    ) -> Body:
        """Return a body in RPC style: an element `tag` that contains the parts.

        `place` is the place of the operation. `response` is True for the body of a response. If `encoded` is
        True (use="encoded"), parts may be nil, and may be missing in responses (SOAP 1.1, section 5.1).
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
            reason = "another message of an overloaded operation has the same element, but other parts"
            message = f"{reason}; the schema is not checked for either of the two messages"
            self._findings.note(parts[0].message.document, parts[0].node, message)
        return Body(tag, struct)

    def nothing(self, qname: str, place: Place) -> Body:
        """Return a body without content, for an operation without a response. `qname` names its struct."""
        return Body("", Struct(qname, place, anonymous=True))

    def _child(self, part: MessagePart) -> Field:
        """Return the field for a part. The field is in the RPC wrapper, or directly in the SOAP body."""
        declared = part.declared
        place = part.message.document.place(part.node)
        return declared.field(part.tag or part.name, (1, 1), place, nillable=part.nillable)

    def _members(self, part: MessagePart) -> Mapping[str, Struct]:
        """Return the elements that can replace the part's element, with their types.

        They are in the substitution group of the element (XSD 1.0 part 1, 3.3.6). Elements with simple types
        are left out.
        """
        declared = part.component is not None and part.component.node is not part.node
        holder = self._types.substitution_holder(_qname(part.tag)) if declared else None
        fields = [] if holder is None else holder.fields
        return {
            item.tag: item.type for item in fields if isinstance(item.type, Struct) and item.tag != part.tag
        }

    def _substituted(self, part: MessagePart) -> Field:
        """Return the field for a part whose element is abstract.

        Its value is an element of the substitution group, or any element if the group is empty.
        """
        place = part.message.document.place(part.node)
        holder = self._types.substitution_holder(_qname(part.tag))
        if holder is not None:
            return Field(part.tag.rpartition("}")[2], "group", "", holder, 1, 1, place)
        reason = "the element of a message is abstract, and no other element can replace it"
        self._findings.weaken(part.message.document, part.node, f"{reason}; read as any element")
        return Field("any", "any", "", ANY_ELEMENT, 1, 1, place, wildcard=Wildcard(process="lax"))

    def _element(self, message: Part, node: etree._Element, name: str, raw: str) -> MessagePart:
        """Read a part that refers to an element.

        `name` is the name of the part. `raw` is the name of the element as it is written in `node`. Raises
        Missing if the element is unknown although the contract has a schema for its namespace.
        """
        schema = message.schema
        qname, component = self._schemas.find("elements", schema, node, raw)
        if component is not None:
            declared = self._types.of_declaration(component, qname)
            return MessagePart(name, message, node, declared, component, _tag(qname))
        type_name, type_component = self._schemas.find("types", schema, node, raw)
        if type_component is None and not self._schemas.foreign(qname):
            raise Missing(message.document, node, f"no element {raw!r} in any schema of the contract")
        replacement = "the type of that name is used" if type_component is not None else "read as any content"
        reason = f"no element {raw!r} in any schema of the contract; {replacement}"
        self._findings.weaken(message.document, node, reason)
        declared = self._types.named(schema, node, raw) if type_component is not None else Declared(ANYTHING)
        return MessagePart(name, message, node, declared, Component(schema, node), _tag(type_name))

    def _type(self, message: Part, node: etree._Element, name: str, raw: str) -> MessagePart:
        """Read a part that has a type instead of an element.

        `name` is the name of the part. `raw` is the name of the type as it is written in `node`.
        """
        schema = message.schema
        qname, component = self._schemas.find("types", schema, node, raw)
        if component is None and qname in self._schemas.elements:
            reason = f"no type {raw!r} in the contract; the type of the element of that name is used"
            self._findings.weaken(message.document, node, reason)
            declared = self._types.of_declaration(self._schemas.elements[qname], qname)
            return MessagePart(name, message, node, declared)
        return MessagePart(name, message, node, self._types.named(schema, node, raw))


def _tag(qname: str) -> str:
    return qname.removeprefix("{}")


@dataclass(frozen=True, slots=True)
class Child:
    """A child of an RPC wrapper in the generated schema.

    If `declared` is None, the child is a reference to the contract's element `tag`. Otherwise the child is a
    local element with the name in `tag` and the type `declared`.
    """

    tag: str
    declared: Declared | None = None
    least: int = 1
    nillable: bool = False


class MessageSchema:
    """Collects the elements that need a generated declaration, and writes them as schemas."""

    def __init__(self, schemas: Schemas) -> None:
        self._schemas = schemas
        # None: the element was requested with different contents, so any content is allowed.
        self._elements: dict[str, tuple[Child, ...] | Declared | None] = {}

    def wrapper(self, tag: str, children: Iterable[Child]) -> bool:
        """Add an RPC wrapper: an element `tag` with the given children.

        Returns False if an element of this name was already added with other children. The element then
        allows any content.
        """
        name = wrapper_tag(tag) if self._is_declared(tag) else tag
        self._add(name, tuple(children))
        return self._elements[name] is not None

    def element(self, tag: str, declared: Declared) -> None:
        """Generate a declaration of the element `tag` with the type `declared`.

        Does nothing if the contract already declares this element.
        """
        if not self._is_declared(tag):
            self._add(tag, declared)

    def _is_declared(self, tag: str) -> bool:
        return _qname(tag) in self._schemas.elements

    def _add(self, tag: str, content: tuple[Child, ...] | Declared) -> None:
        existing = self._elements.get(tag, content)
        self._elements[tag] = content if existing == content else None

    def text(self) -> bytes:
        """Return the generated schemas as one document; empty if there are no elements.

        There is one schema for each namespace. Several schemas are inside a wsdl:types element.
        """
        spaces = list(dict.fromkeys(naming.namespace_of(tag) for tag in self._elements))
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
        """Build the schema of one namespace, with imports of the namespaces that it uses."""
        elements = {
            tag: content for tag, content in self._elements.items() if naming.namespace_of(tag) == space
        }
        names = [name for content in elements.values() for name in self._names(content)]
        spaces = list(dict.fromkeys(naming.namespace_of(name) for name in names))
        prefixes = {
            name_space: f"n{number}"
            for number, name_space in enumerate(
                (name_space for name_space in spaces if name_space not in ("", XSD)), 1
            )
        }
        nsmap = {"x": XSD, **{prefix: name_space for name_space, prefix in prefixes.items()}}
        prefixes[XSD] = "x"
        schema = etree.Element(f"{{{XSD}}}schema", nsmap=nsmap)
        if space:
            schema.set("targetNamespace", space)
        for name_space in spaces:
            if name_space not in (space, XSD):
                link = etree.SubElement(schema, f"{{{XSD}}}import")
                if name_space:
                    link.set("namespace", name_space)
        for tag, content in elements.items():
            node = etree.SubElement(schema, f"{{{XSD}}}element", name=naming.local_name(tag))
            if isinstance(content, Declared):
                node.set("type", _prefixed(self._type(content), prefixes))
            elif content is not None:
                inner = etree.SubElement(node, f"{{{XSD}}}complexType")
                sequence = etree.SubElement(inner, f"{{{XSD}}}sequence")
                for child in content:
                    self._child(sequence, child, prefixes)
        return schema

    def _child(self, sequence: etree._Element, child: Child, prefixes: dict[str, str]) -> None:
        """Add the element `child` to an xs:sequence. `prefixes` maps namespaces to prefixes."""
        node = etree.SubElement(sequence, f"{{{XSD}}}element")
        if child.declared is None:
            node.set("ref", _prefixed(child.tag, prefixes))
        else:
            node.set("name", naming.local_name(child.tag))
            node.set("type", _prefixed(self._type(child.declared), prefixes))
            if child.nillable:
                node.set("nillable", "true")
        if not child.least:
            node.set("minOccurs", "0")

    def _names(self, content: tuple[Child, ...] | Declared | None) -> Iterable[str]:
        if isinstance(content, Declared):
            yield self._type(content)
        for child in content if isinstance(content, tuple) else ():
            yield child.tag if child.declared is None else self._type(child.declared)

    def _type(self, declared: Declared) -> str:
        """Return the qualified name by which the schema refers to a type; xs:anyType if it has no name."""
        if declared.name in self._schemas.types:
            return declared.name
        return f"{{{XSD}}}{declared.type.xsd}" if isinstance(declared.type, Simple) else ANY_TYPE


def _prefixed(name: str, prefixes: dict[str, str]) -> str:
    prefix = prefixes.get(naming.namespace_of(name), "")
    return f"{prefix}:{naming.local_name(name)}" if prefix else naming.local_name(name)


@dataclass(frozen=True, slots=True)
class Body:
    """The content of a SOAP body: the tag of its element, and the struct of the element's content.

    The tag is "" if there is no such element: the fields of the struct are then directly in the SOAP body.
    """

    tag: str
    struct: Struct
    nillable: bool = False
    members: Mapping[str, Struct] = field(default_factory=dict)  # elements that can replace it: tag → type


def _qname(tag: str) -> str:
    return tag if tag.startswith("{") else f"{{}}{tag}"


def body_namespace(body: etree._Element | None) -> str:
    """Return the namespace in a soap:body element. It is the namespace of an RPC wrapper."""
    return "" if body is None else body.get("namespace", "").strip()
