"""Substitution groups (XSD 1.0 part 1, 3.3.6): which elements may stand for another."""

from __future__ import annotations

from bindgen.model import Field, Struct
from bindgen.reading.elements import ElementTypes
from bindgen.reading.nodes import doc, true
from bindgen.reading.schemas import Component, Schemas


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
