"""What an element or attribute declaration declares: its type, and what goes with it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from lxml import etree

from bindgen.model import ANYTHING, Facets, Type
from bindgen.reading.findings import Findings
from bindgen.reading.nodes import EARLIER_XSD, ENCODING, below, first, kind
from bindgen.reading.schemas import Component, Schema, Schemas
from bindgen.reading.simple import ANY_TYPE, SimpleTypes, built_in
from bindgen.simple_types import XSD


@dataclass(frozen=True, slots=True)
class Declared:
    """A type as it was read. `name` is that of its declaration, "" where it has none."""

    type: Type
    facets: Facets | None = None
    name: str = ""


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
