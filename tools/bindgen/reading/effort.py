"""What it costs to check messages against schemas. libxml2 builds tables of each content model, whose size
grows with the square of it, goes through runs of optional elements again and again, and writes out all groups
and unions. Groups that repeat and may be empty, row on row or within each other, it takes every way through.
It knows no bounds, so whether it is asked is decided here."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
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
_MOST_COUNTED = 100_000_000  # fourth powers of what is in groups that repeat so many times, by 5 a level
_MOST_LOOPED = 500_000_000  # squares of what is in groups that repeat, by 10 a level
_MANY = 10_000_000
_DEEPEST = 300
_ANYTHING = f"{{{XSD}}}anyType"
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
    if _Loops(schemas).too_many(complex_types):
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


def strays(schemas: Schemas) -> Iterator[tuple[Component, Component]]:
    """The elements of a complex type that is not built upon that of the head of their substitution group.

    Each comes with the head. Where an element may stand for such a one, libxml2 does not end.
    """
    for component in schemas.elements.values():
        head, own = _head(component, schemas), _declared(component, schemas)
        if head is None or own is None:
            continue
        wanted, met = _type_of(head, schemas), set[str | etree._Element]()
        name, current = own
        while (
            current is not None and kind(current.node) == "complexType" and name not in met and name != wanted
        ):
            met.add(name)
            step = step_of(current.node)
            if step is None:
                name, current = _ANYTHING, None
            else:
                name, current = schemas.find("types", current.schema, step, step.get("base", ""))
        if name == _ANYTHING and wanted not in (None, _ANYTHING):
            yield component, head


def _head(component: Component, schemas: Schemas) -> Component | None:
    """The head of the substitution group that an element is in."""
    raw = component.node.get("substitutionGroup", "").split()[:1]
    return schemas.find("elements", component.schema, component.node, raw[0])[1] if raw else None


def _declared(component: Component, schemas: Schemas) -> tuple[str | etree._Element, Component | None] | None:
    """The type that an element itself names (its name) or holds (its node)."""
    raw = component.node.get("type")
    if raw is not None:
        return schemas.find("types", component.schema, component.node, raw)
    node = first(component.node, "complexType", "simpleType")
    return None if node is None else (node, Component(component.schema, node))


def _type_of(component: Component | None, schemas: Schemas) -> str | etree._Element | None:
    """The type of an element, which may be that of a head above it; None where that is unknown."""
    met = set[etree._Element]()
    while component is not None and component.node not in met:
        met.add(component.node)
        own = _declared(component, schemas)
        if own is not None:
            known = own[1] is not None or str(own[0]).startswith(f"{{{XSD}}}")
            return own[0] if known else None
        if not component.node.get("substitutionGroup", "").split():
            return _ANYTHING
        component = _head(component, schemas)
    return None


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


@dataclass(frozen=True, slots=True)
class _Ways:
    """What a part of a content model is to libxml2: whether it may be `empty`, its particles, how many of
    them repeat (`looped`) or do so a set number of times (`counted`), and how many levels of each there are.
    """

    empty: bool = True
    size: int = 0
    counted: int = 0
    counts: int = 0
    looped: int = 0
    loops: int = 0

    def then(self, other: _Ways, *, choice: bool) -> _Ways:
        """Both, one after the other or one of them."""
        return _Ways(
            (self.empty or other.empty) if choice else (self.empty and other.empty),
            min(self.size + other.size, _MANY),
            min(self.counted + other.counted, _MANY),
            max(self.counts, other.counts),
            min(self.looped + other.looped, _MANY),
            max(self.loops, other.loops),
        )

    def occurring(self, node: etree._Element) -> _Ways:
        """As often as a particle says."""
        most = node.get("maxOccurs", "1").strip()
        empty, size = self.empty or node.get("minOccurs", "1").strip() == "0", min(self.size + 1, _MANY)
        if most in ("0", "1") or not empty:
            return replace(self, empty=empty, size=size)
        looped = _Ways(empty, size, self.counted, self.counts, size, self.loops + 1)
        return looped if most == "unbounded" else replace(looped, counted=size, counts=self.counts + 1)


class _Loops:
    """Counts what repeats in complex types and groups; each is looked at once."""

    def __init__(self, schemas: Schemas) -> None:
        self._schemas = schemas
        self._known: dict[Key, _Ways] = {}

    def too_many(self, complex_types: Sequence[Component]) -> bool:
        """Whether one of the types has too many ways through it."""
        return any(self._is_too_much(self._content(each, 0)) for each in complex_types)

    @staticmethod
    def _is_too_much(ways: _Ways) -> bool:
        counts, loops = min(ways.counts, 30), min(ways.loops, 30)
        return (counts > 0 and ways.counted**4 * 5 ** (counts - 1) > _MOST_COUNTED) or (
            loops > 1 and ways.looped**2 * 10**loops > _MOST_LOOPED
        )

    def _content(self, component: Component, deep: int) -> _Ways:
        """What a complex type holds, with all that it extends."""
        if component.key in self._known:
            return self._known[component.key]
        self._known[component.key] = _Ways()  # a circle ends here
        step = step_of(component.node, "extension")
        holder = step if step is not None else step_of(component.node, "restriction")
        found = self._held(Component(component.schema, component.node if holder is None else holder), deep)
        if step is not None and deep < _DEEPEST:
            base = _named(component, step, "types", "base", self._schemas)
            if base is not None and kind(base.node) == "complexType":
                found = self._content(base, deep + 1).then(found, choice=False)
        self._known[component.key] = found
        return found

    def _held(self, component: Component, deep: int) -> _Ways:
        """What a node's children come to."""
        choice = kind(component.node) == "choice"
        found: _Ways | None = None
        for child in parts(component.node):
            what = kind(child)
            if what in ("element", "any"):
                one = _Ways(empty=False).occurring(child)
            elif what in COMPOUNDS and deep < _DEEPEST:
                one = self._compound(Component(component.schema, child), deep + 1).occurring(child)
            else:
                continue
            found = one if found is None else found.then(one, choice=choice)
        return found or _Ways()

    def _compound(self, component: Component, deep: int) -> _Ways:
        if kind(component.node) != "group":
            return self._held(component, deep)
        group = _named(component, component.node, "groups", "ref", self._schemas)
        if group is None:
            return _Ways()
        if group.key not in self._known:
            self._known[group.key] = _Ways()
            self._known[group.key] = self._held(group, deep)
        return self._known[group.key]


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
