"""What it costs to check messages against schemas. libxml2 builds tables of each content model, whose size
grows with the square of it, goes through runs of optional elements again and again, and writes out all groups
and unions. It knows no bounds, so whether it is asked is decided here."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import TypeVar

from lxml import etree

from bindgen.reading.nodes import COMPOUNDS, first, kind, parts, step_of
from bindgen.reading.schemas import Component, Schemas, Table
from bindgen.simple_types import XSD

Key = tuple[etree._Element, str]
Counts = tuple[int, int, int, int]  # particles, optional ones among them, attributes, steps to the first base
_Found = TypeVar("_Found")

# Measured with libxml2 2.14: about a second, or 250 MB, each.
_MOST_SQUARES = 20_000_000  # of particles: 12 bytes each
_MOST_CUBES = 500_000_000  # of optional particles
_MOST_ATTRIBUTES = 1_000_000_000  # squares of attributes
_MOST_STEPS = 50_000_000  # of types upon one another
_MOST_REPEATS = 2_000_000_000  # cubes of what repeats in a pattern
_MOST_MEMBERS = 1_000_000  # of unions
_MANY = 10_000_000
_DEEPEST = 300
_QUANTIFIER = re.compile(r"[*+?{]")


def too_much(schemas: Schemas) -> bool:
    """Whether libxml2 would take too much memory, or time, to compile the schemas."""
    counter = _Counter(schemas)
    complex_types = [
        Component(schema, node)
        for schema in schemas.all
        for node in schema.node.iter(f"{{{XSD}}}complexType")
    ]
    counts = [counter.total(component) for component in complex_types]
    if (
        sum(size**2 for size, _, _, _ in counts) > _MOST_SQUARES
        or sum(optional**3 for _, optional, _, _ in counts) > _MOST_CUBES
        or sum(attributes**2 for _, _, attributes, _ in counts) > _MOST_ATTRIBUTES
    ):
        return True
    patterns = (node for schema in schemas.all for node in schema.node.iter(f"{{{XSD}}}pattern"))
    if sum(len(_QUANTIFIER.findall(node.get("value", ""))) ** 3 for node in patterns) > _MOST_REPEATS:
        return True
    simple = [component for component in schemas.types.values() if kind(component.node) == "simpleType"]
    depth: dict[Key, int] = {}
    for component in simple:
        _folded(component, depth, lambda one: _restricted(one, schemas), 0, lambda at, _: at + 1)
    steps = sum(depth.values()) + counter.steps()
    return steps > _MOST_STEPS or _members(simple, schemas) > _MOST_MEMBERS


class _Counter:
    """Counts what complex types hold, with what they extend, and what groups hold; each is looked at once."""

    def __init__(self, schemas: Schemas) -> None:
        self._schemas = schemas
        self._types: dict[Key, Counts] = {}
        self._groups: dict[Key, Counts] = {}
        self._standing_for = _group_sizes(schemas)

    def steps(self) -> int:
        """How many steps it is from all types together to what is built upon nothing."""
        return sum(steps for _, _, _, steps in self._types.values())

    def total(self, component: Component) -> Counts:
        """What a complex type holds, with all that it extends."""

        def fold(found: Counts, one: Component) -> Counts:
            content = first(one.node, "complexContent", "simpleContent")
            step = first(content, "extension", "restriction") if content is not None else one.node
            deeper = (0, 0, 0, found[3] + 1)
            if step is None:
                return _sum(found, (0, 0, 0, 1))
            own = _sum(self._own(Component(one.schema, step), 0), deeper)
            return own if kind(step) == "restriction" else _sum(own, (*found[:3], 0))

        return _folded(component, self._types, self._base, (0, 0, 0, 0), fold)

    def _base(self, component: Component) -> Component | None:
        """The type that one extends."""
        step = step_of(component.node, "extension")
        return None if step is None else _named(component, step, "types", "base", self._schemas)

    def _own(self, component: Component, deep: int) -> Counts:
        """What a node's children hold."""
        found = (0, 0, 0, 0)
        for child in parts(component.node):
            what = kind(child)
            if what in ("element", "any"):
                many = self._stand_for(component, child)
                found = _sum(found, (many, many if child.get("minOccurs", "1").strip() == "0" else 0, 0, 0))
            elif what in COMPOUNDS and deep < _DEEPEST:
                found = _sum(found, self._compound(Component(component.schema, child), deep + 1))
            elif what == "attribute":
                found = _sum(found, (0, 0, 1, 0))
            elif what == "attributeGroup" and deep < _DEEPEST:
                group = _named(component, child, "attribute_groups", "ref", self._schemas)
                if group is not None:
                    found = _sum(found, _sum(self._held(group, deep + 1), (0, 0, 1, 0)))
        return found

    def _compound(self, component: Component, deep: int) -> Counts:
        node = component.node
        if kind(node) == "group":
            group = _named(component, node, "groups", "ref", self._schemas)
            if group is None:
                return 1, 1, 0, 0
            component = group
        size, optional, _, _ = self._held(component, deep)
        free = node.get("minOccurs", "1").strip() == "0" or kind(node) == "choice"
        return size + 1, size if free else optional, 0, 0

    def _held(self, component: Component, deep: int) -> Counts:
        if component.key not in self._groups:
            self._groups[component.key] = (0, 0, 0, 0)
            self._groups[component.key] = self._own(component, deep)
        return self._groups[component.key]

    def _stand_for(self, component: Component, node: etree._Element) -> int:
        """How many elements may stand where a particle is."""
        raw = node.get("ref")
        if raw is None or not self._standing_for:
            return 1
        return self._standing_for.get(self._schemas.find("elements", component.schema, node, raw)[0], 1)


def _group_sizes(schemas: Schemas) -> dict[str, int]:
    """How many elements stand for the head of each substitution group, at most."""
    found: dict[str, int] = {}
    for qname, component in schemas.elements.items():
        head, met, current = qname, set[str](), component
        while current.node.get("substitutionGroup") and head not in met and len(met) < 1000:
            met.add(head)
            raw = current.node.get("substitutionGroup", "").split()[0]
            head, above = schemas.find("elements", current.schema, current.node, raw)
            found[head] = found.get(head, 1) + 1
            if above is None:
                break
            current = above
    return found


def _folded(
    component: Component,
    known: dict[Key, _Found],
    above: Callable[[Component], Component | None],
    nothing: _Found,
    fold: Callable[[_Found, Component], _Found],
) -> _Found:
    """What `fold` makes of all that a component is built upon, and then of itself; each is looked at once."""
    chain: list[Component] = []
    current: Component | None = component
    while current is not None and current.key not in known:
        known[current.key] = nothing  # a circle ends here
        chain.append(current)
        current = above(current)
    found = known[current.key] if current is not None else nothing
    for one in reversed(chain):
        found = known[one.key] = fold(found, one)
    return found


def _restricted(component: Component, schemas: Schemas) -> Component | None:
    step = first(component.node, "restriction")
    return None if step is None else _named(component, step, "types", "base", schemas)


def _members(components: list[Component], schemas: Schemas) -> int:
    """How many types all unions name when each is written out."""
    known: dict[Key, int] = {}

    def members(component: Component, deep: int) -> int:
        if component.key not in known:
            known[component.key] = 1
            total = sum(members(one, deep + 1) for one in below(component)) if deep < 200 else 1
            known[component.key] = min(max(total, 1), _MANY)
        return known[component.key]

    def below(component: Component) -> Iterator[Component]:
        node = first(component.node, "union")
        if node is None:
            return
        for raw in node.get("memberTypes", "").split():
            _, found = schemas.find("types", component.schema, node, raw)
            if found is not None:
                yield found
        for child in parts(node):
            yield Component(component.schema, child)

    return sum(members(component, 0) for component in components)


def _named(
    component: Component, node: etree._Element, table: Table, attribute: str, schemas: Schemas
) -> Component | None:
    raw = node.get(attribute)
    return None if raw is None else schemas.find(table, component.schema, node, raw)[1]


def _sum(one: Counts, other: Counts) -> Counts:
    size, optional, attributes, steps = (min(sum(pair), _MANY) for pair in zip(one, other, strict=True))
    return size, optional, attributes, steps
