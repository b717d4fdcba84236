"""What elements declare: types, arrays, and which elements may stand for others (XSD 1.0 part 1, 3.3)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from lxml import etree

from bindgen.model import ANYTHING, Facets, Field, Struct, Type
from bindgen.problems import Place
from bindgen.reading.findings import Findings
from bindgen.reading.nodes import EARLIER_XSD, ENCODING, WSDL, below, doc, first, kind, parts, true
from bindgen.reading.schemas import Component, Schema, Schemas
from bindgen.reading.simple import ANY_TYPE, SimpleTypes, built_in
from bindgen.simple_types import XSD

_ARRAY = f"{{{ENCODING}}}Array"
_ARRAY_TYPE = f"{{{WSDL}}}arrayType"


def array_item(schema: Schema, step: etree._Element) -> str | None:
    """What the items of an array are, as wsdl:arrayType says, "" where it does not; None for no array."""
    raw = step.get("base")
    if raw is None or schema.meant(step, raw) != _ARRAY:
        return None
    for child in parts(step):
        if kind(child) == "attribute" and (said := child.get(_ARRAY_TYPE)):
            return said.strip()
    return ""


def array(
    struct: Struct, schema: Schema, step: etree._Element, said: str, elements: ElementTypes
) -> list[Field]:
    """The one field of an array, `item`; none where its element is declared as such."""
    if any(inner.get("name") or inner.get("ref") for inner in step.iter("*") if kind(inner) == "element"):
        return []
    place = schema.document.place(step)
    named, _, sizes = said.partition("[")
    declared = Declared(ANYTHING)
    if named:
        node = next(child for child in parts(step) if child.get(_ARRAY_TYPE) is not None)
        declared = elements.named(schema, node, named)
    for _ in range(min(sizes.count("["), 8)):  # arrays of arrays
        inner = Struct(f"{struct.qname}_item", place, doc=doc(step), anonymous=True)
        inner.fields = [declared.field("item", (0, None), place, nillable=True)]
        declared = Declared(inner)
    return [declared.field("item", (0, None), place, nillable=True)]


@dataclass(frozen=True, slots=True)
class Declared:
    """A type as it was read. `name` is that of its declaration, "" where it has none."""

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
        """The field of an element of this type; `node` is its declaration."""
        return Field(
            wire=tag.rpartition("}")[2],
            kind="element",
            tag=tag,
            type=self.type,
            least=times[0],
            most=times[1],
            place=place,
            default=None if node is None else node.get("default"),
            doc="" if node is None else doc(node),
            fixed=None if node is None else node.get("fixed"),
            nillable=nillable if node is None else true(node, "nillable"),
            type_name=self.name,
            facets=self.facets,
        )


class ComplexTypes(Protocol):
    """What knows the complex types."""

    def type_of(self, component: Component, qname: str, *, anonymous: bool) -> Type: ...


_ANYTHING = Declared(ANYTHING)
_ANY_TYPES = frozenset(
    (ANY_TYPE, *(f"{{{ENCODING}}}{name}" for name in ("Array", "Struct", "anyType", "ur-type")))
)


class ElementTypes:
    """Finds the types of elements, simple ones and complex ones."""

    def __init__(
        self, schemas: Schemas, simple: SimpleTypes, complex_types: ComplexTypes, findings: Findings
    ) -> None:
        self._schemas = schemas
        self._simple = simple
        self._complex = complex_types
        self._findings = findings
        self._named: dict[str, Declared] = {}

    def of(self, schema: Schema, node: etree._Element, path: str, within: str = "") -> Declared:
        """The type of an element declaration; `path` names an anonymous one, which stands `within`."""
        raw = node.get("type")
        if raw is not None and not len(node):
            return self.named(schema, node, raw)
        met: set[etree._Element] = set()
        while node not in met:
            met.add(node)
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
        """The type that a value names; anything, and a word about it, where it names none."""
        meant = schema.meant(node, raw)
        if meant not in self._named:
            found = self._found(schema, node, raw)
            if meant is None or found.name != meant:  # taken for another, which is worth a word every time
                return found
            self._named[meant] = found
        return self._named[meant]

    def _found(self, schema: Schema, node: etree._Element, raw: str) -> Declared:
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
        what = "is declared nowhere in the contract"
        if qname.startswith((f"{{{XSD}}}", *(f"{{{space}}}" for space in EARLIER_XSD))):
            what = "is not handled yet"
        self._findings.weaken(schema.document, node, f"type {raw!r} {what}; taken for anything")
        return _ANYTHING

    def _inline(self, schema: Schema, inline: etree._Element, path: str) -> Declared:
        component = Component(schema, inline)
        if kind(inline) == "simpleType":
            read = self._simple.of(component, path)
            return Declared(read.type, read.facets)
        type_ = self._complex.type_of(component, path, anonymous=True)
        return Declared(type_)


class Substitutions:
    """The holders of substitution groups, one for each head."""

    def __init__(self, schemas: Schemas, elements: ElementTypes) -> None:
        self._schemas = schemas
        self._elements = elements
        self._members: dict[str, list[str]] | None = None
        self._holders: dict[str, Struct | None] = {}

    def holder(self, head: str) -> Struct | None:
        """One element of the head's group; None where nothing but the head may stand there."""
        if head not in self._holders:
            named = self._standing_for(head)
            if named == [head] or not named:
                self._holders[head] = None
            else:
                self._holders[head] = self._made(head, named)
        return self._holders[head]

    def _made(self, head: str, named: list[str]) -> Struct:
        component = self._schemas.elements[head]
        place = component.schema.document.place(component.node)
        holder = Struct(head, place, doc=doc(component.node), anonymous=True, holder="substitution")
        self._holders[head] = holder  # before its fields, whose types may have it again
        for qname in named:
            holder.fields.append(self._field(qname, self._schemas.elements[qname]))
        return holder

    def _field(self, qname: str, component: Component) -> Field:
        node, schema = component.node, component.schema
        declared = self._elements.of(schema, node, qname)
        return declared.field(qname.removeprefix("{}"), (0, 1), schema.document.place(node), node)

    def _standing_for(self, head: str) -> list[str]:
        """The elements that may stand where `head` is named, that one first, abstract ones left out."""
        if self._members is None:
            self._members = self._read()
        found, todo = {head: None}, [head]
        while todo:
            for member in self._members.get(todo.pop(), ()):
                if member not in found:
                    found[member] = None
                    todo.append(member)
        if len(found) == 1:
            return [head]
        others = [name for name in self._schemas.elements if name in found and name != head]
        return [name for name in (head, *others) if not self._abstract(name)]

    def _abstract(self, name: str) -> bool:
        component = self._schemas.elements.get(name)
        return component is None or true(component.node, "abstract")

    def _read(self) -> dict[str, list[str]]:
        members: dict[str, list[str]] = {}
        for qname, component in self._schemas.elements.items():
            for raw in component.node.get("substitutionGroup", "").split():
                head, _ = self._schemas.find("elements", component.schema, component.node, raw)
                members.setdefault(head, []).append(qname)
        return members
