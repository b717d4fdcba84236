"""Read the types of elements, SOAP arrays, and substitution groups (XSD 1.0 part 1, 3.3)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from lxml import etree

from bindgen.model import ANYTHING, Facets, Field, Struct, Type
from bindgen.problems import Place
from bindgen.reading.findings import Findings
from bindgen.reading.nodes import (
    EARLIER_XSD,
    ENCODING,
    EXPECTED_TYPES,
    WSDL,
    below,
    doc,
    first,
    kind,
    parts,
    true,
)
from bindgen.reading.schemas import Component, Schema, Schemas
from bindgen.reading.simple import ANY_TYPE, SimpleTypes, built_in
from bindgen.simple_types import XSD

_ARRAY = f"{{{ENCODING}}}Array"
_ARRAY_TYPE = f"{{{WSDL}}}arrayType"


def array_item(schema: Schema, step: etree._Element) -> str | None:
    """Return the wsdl:arrayType of a SOAP array, such as `xsd:int[]`.

    `step` is the xs:restriction or xs:extension in the definition of the type. Returns "" for an array
    without wsdl:arrayType, and None for a type that is not a SOAP array.
    """
    raw = step.get("base")
    if raw is None or schema.resolve(step, raw) != _ARRAY:
        return None
    for child in parts(step):
        if kind(child) == "attribute" and (value := child.get(_ARRAY_TYPE)):
            return value.strip()
    return ""


def array(
    struct: Struct, schema: Schema, step: etree._Element, array_type: str, elements: ElementTypes
) -> list[Field]:
    """Return the fields of a SOAP array: one list field with the name `item`.

    `step` is the xs:restriction or xs:extension in the definition of the type. If `step` itself declares
    elements, returns an empty list: the caller reads these elements as the fields. `array_type` is the item
    type with its sizes, such as `xsd:int[][]`. `elements` finds the item type by name.
    """
    if any(inner.get("name") or inner.get("ref") for inner in step.iter("*") if kind(inner) == "element"):
        return []
    place = schema.document.place(step)
    item_type, _, sizes = array_type.partition("[")
    declared = Declared(ANYTHING)
    if item_type:
        node = next(child for child in parts(step) if child.get(_ARRAY_TYPE) is not None)
        declared = elements.named(schema, node, item_type)
    for _ in range(min(sizes.count("["), 8)):  # arrays of arrays
        inner = Struct(f"{struct.qname}_item", place, doc=doc(step), anonymous=True)
        inner.fields = [declared.field("item", (0, None), place, nillable=True)]
        declared = Declared(inner)
    return [declared.field("item", (0, None), place, nillable=True)]


@dataclass(frozen=True, slots=True)
class Declared:
    """A type that was read, with its facets. `name` is its qualified name, or "" if it is anonymous."""

    type: Type
    facets: Facets | None = None
    name: str = ""

    def field(
        self,
        tag: str,
        times: tuple[int, int | None],
        place: Place,
        node: etree._Element | None = None,
        *,
        nillable: bool = False,
    ) -> Field:
        """Return the field of an element of this type.

        `times` are the minimum and maximum occurrences of the element. `place` is its place in the contract,
        for messages. `node` is its declaration. `nillable` is used only if there is no `node`.
        """
        wire = tag.rpartition("}")[2]
        field = Field(wire, "element", tag, self.type, times[0], times[1], place, nillable=nillable)
        field.type_name, field.facets = self.name, self.facets
        if node is not None:
            field.default, field.fixed = node.get("default"), node.get("fixed")
            field.doc = doc(node)
            field.nillable = true(node, "nillable")
            field.content_types = node.get(EXPECTED_TYPES, "").strip()
        return field


class ComplexTypes(Protocol):
    """Interface of the reader for complex types."""

    def type_of(self, component: Component, qname: str, *, anonymous: bool) -> Type:
        """Return the type that an xs:complexType declares.

        `qname` is the name of the type. If `anonymous` is True, the type has no name in the contract, and
        `qname` is made from its path.
        """


_ANYTHING = Declared(ANYTHING)
_ANY_TYPES = frozenset(
    (ANY_TYPE, *(f"{{{ENCODING}}}{name}" for name in ("Array", "Struct", "anyType", "ur-type")))
)


class ElementTypes:
    """Finds the simple or complex types of elements."""

    def __init__(
        self, schemas: Schemas, simple: SimpleTypes, complex_types: ComplexTypes, findings: Findings
    ) -> None:
        self._schemas = schemas
        self._simple = simple
        self._complex = complex_types
        self._findings = findings
        self._named: dict[str, Declared] = {}
        # The same types by schema and `raw`, for prefixes that mean the same everywhere in the document.
        self._by_text: dict[tuple[Schema, str], Declared] = {}

    def of(self, schema: Schema, node: etree._Element, path: str, within: str = "") -> Declared:
        """Return the type of an element declaration.

        The name of an anonymous type is made from `within` and `path`. `within` is the path of the type that
        contains the element, and `path` is the name of the element.
        """
        raw = node.get("type")
        if raw is not None and not len(node):
            return self.named(schema, node, raw)
        seen: set[etree._Element] = set()
        while node not in seen:
            seen.add(node)
            if (inline := first(node, "complexType", "simpleType")) is not None:
                return self._inline(schema, inline, below(within, path) if within else path)
            if (raw := node.get("type")) is not None:
                return self.named(schema, node, raw)
            head = node.get("substitutionGroup")
            if head is None:
                break
            qname, component = self._schemas.find("elements", schema, node, head)
            if component is None:
                break
            schema, node, path, within = component.schema, component.node, qname, ""
        return Declared(ANYTHING, name=ANY_TYPE)

    def named(self, schema: Schema, node: etree._Element, raw: str) -> Declared:
        """Return the type with the name `raw`. Each type is read once.

        For an unknown name, a note is added, and the type allows any content.
        """
        if (cached := self._by_text.get((schema, raw))) is not None:
            return cached
        resolve = schema.resolve(node, raw)
        if resolve not in self._named:
            declared = self._read_named(schema, node, raw)
            # A replacement: note every use, so do not cache it
            if resolve is None or declared.name != resolve:
                return declared
            self._named[resolve] = declared
        if raw.partition(":")[0] in schema.document.prefixes:
            self._by_text[schema, raw] = self._named[resolve]
        return self._named[resolve]

    def _read_named(self, schema: Schema, node: etree._Element, raw: str) -> Declared:
        """Read the type with the name `raw`, like `named`, but without a cache."""
        qname, component = self._schemas.find("types", schema, node, raw)
        if qname in _ANY_TYPES:
            return Declared(ANYTHING, name=ANY_TYPE)
        if (simple := built_in(qname)) is not None:
            return Declared(simple, name=qname)
        if component is not None:
            if kind(component.node) == "simpleType":
                read = self._simple.of(component, qname)
                return Declared(read.type, read.facets, qname)
            return Declared(self._complex.type_of(component, qname, anonymous=False), name=qname)
        problem = "is not declared in the contract"
        if qname.startswith((f"{{{XSD}}}", *(f"{{{space}}}" for space in EARLIER_XSD))):
            problem = "is not supported"
        self._findings.weaken(schema.document, node, f"type {raw!r} {problem}; read as any content")
        return _ANYTHING

    def _inline(self, schema: Schema, inline: etree._Element, path: str) -> Declared:
        """Read `inline`, a type that is declared inside an element. `path` is the name to use for it."""
        component = Component(schema, inline)
        if kind(inline) == "simpleType":
            read = self._simple.of(component, path)
            return Declared(read.type, read.facets)
        type_ = self._complex.type_of(component, path, anonymous=True)
        return Declared(type_)


class Substitutions:
    """Creates the holders of substitution groups, one for each head element.

    A holder is a struct with a field for each element that can occur instead of the head.
    """

    def __init__(self, schemas: Schemas, elements: ElementTypes) -> None:
        self._schemas = schemas
        self._elements = elements
        self._members: dict[str, list[str]] | None = None
        self._holders: dict[str, Struct | None] = {}

    def holder(self, head: str) -> Struct | None:
        """Return the struct (holder) for the substitution group of the element `head`.

        Returns None if no other element can occur instead of the head.
        """
        if head not in self._holders:
            members = self._possible_elements(head)
            if members == [head] or not members:
                self._holders[head] = None
            else:
                self._holders[head] = self._new_holder(head, members)
        return self._holders[head]

    def _new_holder(self, head: str, members: list[str]) -> Struct:
        """Create the holder of a substitution group, with a field for each member."""
        component = self._schemas.elements[head]
        place = component.schema.document.place(component.node)
        holder = Struct(head, place, doc=doc(component.node), anonymous=True, holder="substitution")
        self._holders[head] = holder  # before its fields: their types may contain the holder
        for qname in members:
            holder.fields.append(self._field(qname, self._schemas.elements[qname]))
        return holder

    def _field(self, qname: str, component: Component) -> Field:
        node, schema = component.node, component.schema
        declared = self._elements.of(schema, node, qname)
        return declared.field(qname.removeprefix("{}"), (0, 1), schema.document.place(node), node)

    def _possible_elements(self, head: str) -> list[str]:
        """Return the names of the elements that can occur in place of `head`, except abstract elements.

        The first name is `head` itself, unless it is abstract.
        """
        if self._members is None:
            self._members = self._read_members()
        members, todo = {head: None}, [head]
        while todo:
            for member in self._members.get(todo.pop(), ()):
                if member not in members:
                    members[member] = None
                    todo.append(member)
        if len(members) == 1:
            return [head]
        others = [name for name in self._schemas.elements if name in members and name != head]
        return [name for name in (head, *others) if not self._abstract(name)]

    def _abstract(self, name: str) -> bool:
        component = self._schemas.elements.get(name)
        return component is None or true(component.node, "abstract")

    def _read_members(self) -> dict[str, list[str]]:
        """Return a dict from the head of each substitution group to the names of its immediate members."""
        members: dict[str, list[str]] = {}
        for qname, component in self._schemas.elements.items():
            for raw in component.node.get("substitutionGroup", "").split():
                head, _ = self._schemas.find("elements", component.schema, component.node, raw)
                members.setdefault(head, []).append(qname)
        return members
