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
_Found = TypeVar("_Found")

# Measured with libxml2 2.14: about a second, or 250 MB, each.
_MOST_SQUARES = 20_000_000  # of particles: 12 bytes each
_MOST_CUBES = 500_000_000  # of optional particles
_MOST_ATTRIBUTES = 1_000_000_000  # squares of attributes
_MOST_STEPS = 50_000_000  # of types upon one another
_MOST_REPEATS = 2_000_000_000  # cubes of what repeats in a pattern
_MOST_MEMBERS = 1_000_000  # of unions
_MANY = 10_000_000
_QUANTIFIER = re.compile(r"[*+?{]")


def too_much(schemas: Schemas) -> bool:
    """Whether libxml2 would take too much memory, or time, to compile the schemas."""
    bases = _Bases(schemas)
    sizes = _Particles(schemas, bases)
    attributes = _Attributes(schemas, bases)
    squares = cubes = squares_of_attributes = 0
    complex_types = [
        Component(schema, node)
        for schema in schemas.all
        for node in schema.node.iter(f"{{{XSD}}}complexType")
    ]
    for component in complex_types:
        size, optional = sizes.total(component)
        squares += size**2
        cubes += optional**3
        squares_of_attributes += attributes.total(component)[0] ** 2
    if squares > _MOST_SQUARES or cubes > _MOST_CUBES or squares_of_attributes > _MOST_ATTRIBUTES:
        return True
    simple = [component for component in schemas.types.values() if kind(component.node) == "simpleType"]
    patterns = (node for schema in schemas.all for node in schema.node.iter(f"{{{XSD}}}pattern"))
    if sum(_repeats(pattern) ** 3 for pattern in patterns) > _MOST_REPEATS:
        return True
    steps = _steps(complex_types, bases.of) + _steps(simple, lambda one: _restricted(one, schemas))
    return steps > _MOST_STEPS or _members(simple, schemas) > _MOST_MEMBERS


class _Bases:
    """What complex types extend, looked up once."""

    def __init__(self, schemas: Schemas) -> None:
        self._schemas = schemas
        self._known: dict[Key, Component | None] = {}

    def of(self, component: Component) -> Component | None:
        """The type that one extends."""
        key = component.key
        if key not in self._known:
            step = step_of(component.node, "extension")
            self._known[key] = (
                None if step is None else _named(component, step, "types", "base", self._schemas)
            )
        return self._known[key]


class _Counted:
    """Counts something in complex types, with what they extend, and in the groups they name."""

    def __init__(self, schemas: Schemas, bases: _Bases) -> None:
        self.schemas = schemas
        self._bases = bases
        self.known: dict[Key, tuple[int, int]] = {}

    def own(self, component: Component, deep: int) -> tuple[int, int]:
        """What a node's children hold."""
        raise NotImplementedError

    def total(self, component: Component) -> tuple[int, int]:
        """What a complex type holds, with all that it extends."""

        def fold(found: tuple[int, int], one: Component) -> tuple[int, int]:
            content = first(one.node, "complexContent", "simpleContent")
            step = first(content, "extension", "restriction") if content is not None else one.node
            if step is None:
                return found
            own = self.own(Component(one.schema, step), 0)
            return own if kind(step) == "restriction" else _sum(found, own)

        return _folded(component, self.known, self._bases.of, (0, 0), fold)


class _Particles(_Counted):
    """Particles, and the optional ones among them."""

    def __init__(self, schemas: Schemas, bases: _Bases) -> None:
        super().__init__(schemas, bases)
        self._groups: dict[str, int] | None = None

    def own(self, component: Component, deep: int) -> tuple[int, int]:
        size = optional = 0
        for child in component.node:
            what = kind(child)
            if what in ("element", "any"):
                many = 1 if child.get("ref") is None else self._standing_for(component, child)
                size += many
                optional += many if child.get("minOccurs", "1").strip() == "0" else 0
            elif what in COMPOUNDS and deep < 300:
                inner, free = self._compound(Component(component.schema, child), deep + 1)
                size += inner
                optional += free
        return min(size, _MANY), min(optional, _MANY)

    def _compound(self, component: Component, deep: int) -> tuple[int, int]:
        node = component.node
        if kind(node) == "group":
            group = _named(component, node, "groups", "ref", self.schemas)
            if group is None:
                return 1, 1
            component = group
        if component.key not in self.known:
            self.known[component.key] = (0, 0)
            self.known[component.key] = self.own(component, deep)
        size, optional = self.known[component.key]
        free = node.get("minOccurs", "1").strip() == "0" or kind(node) == "choice"
        return size + 1, size if free else optional

    def _standing_for(self, component: Component, node: etree._Element) -> int:
        if self._groups is None:
            self._groups = _group_sizes(self.schemas)
        if not self._groups:
            return 1
        qname, _ = self.schemas.find("elements", component.schema, node, node.get("ref", ""))
        return self._groups.get(qname, 1)


class _Attributes(_Counted):
    """Attributes."""

    def own(self, component: Component, deep: int) -> tuple[int, int]:
        found = (0, 0)
        for child in parts(component.node):
            if kind(child) == "attribute":
                found = _sum(found, (1, 0))
            elif kind(child) == "attributeGroup" and deep < 300:
                group = _named(component, child, "attribute_groups", "ref", self.schemas)
                if group is None:
                    continue
                if group.key not in self.known:
                    self.known[group.key] = (0, 0)
                    self.known[group.key] = self.own(group, deep + 1)
                found = _sum(found, _sum(self.known[group.key], (1, 0)))
        return found


def _repeats(pattern: etree._Element) -> int:
    return len(_QUANTIFIER.findall(pattern.get("value", "")))


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


def _steps(components: list[Component], above: Callable[[Component], Component | None]) -> int:
    """How many steps it is from all of them together to what is built upon nothing."""
    depth: dict[Key, int] = {}
    for component in components:
        _folded(component, depth, above, 0, lambda at, _: at + 1)
    return sum(depth.values())


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


def _sum(one: tuple[int, int], other: tuple[int, int]) -> tuple[int, int]:
    return min(one[0] + other[0], _MANY), min(one[1] + other[1], _MANY)
