"""Estimate the cost for libxml2 to compile schemas and to validate messages with them.

libxml2 does not limit its work, so bindgen does not use it if the estimated cost is too high. These parts of
a schema are expensive:

- Large content models: libxml2 makes tables whose size is the square of the number of elements.
- Many optional elements in a row: libxml2 scans them again and again.
- Groups and unions: libxml2 expands them.
- Groups that repeat and may be empty, in a row or nested: libxml2 follows every path through them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple, TypeVar

from lxml import etree

from bindgen.reading.nodes import MODEL_GROUPS, first, kind, parts, step_of
from bindgen.reading.schemas import Component, Schemas, Table
from bindgen.simple_types import XSD

Key = tuple[etree._Element, str]
# Particles, the optional ones among them, attributes, and the length of the chain of bases.
Counts = tuple[int, int, int, int]
_Result = TypeVar("_Result")

# Each limit is about a second or 250 MB, measured with libxml2 2.14.
_MOST_SQUARES = 20_000_000  # squares of particles, which take 12 bytes each
_MOST_CUBES = 500_000_000  # of optional particles
_MOST_ATTRIBUTES = 1_000_000_000  # squares of attributes
_MOST_STEPS = 50_000_000  # total length of the inheritance chains
_MOST_REPEATS = 2_000_000_000  # cubes of the quantifiers in a pattern
_MOST_MEMBERS = 1_000_000  # of unions
# Fourth powers of particles in groups with a numeric maxOccurs, times 5 per level
_MOST_COUNTED = 100_000_000
_MOST_LOOPED = 500_000_000  # squares of particles in groups that repeat, times 10 per level
_MANY = 10_000_000
_DEEPEST = 300
_ANYTHING = f"{{{XSD}}}anyType"
_QUANTIFIER = re.compile(r"[*+?{]")


def is_too_expensive(schemas: Schemas) -> bool:
    """Return True if libxml2 would take too much memory or time to compile the schemas."""
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
    if _has_loops(schemas) and _Loops(schemas).any_too_expensive(complex_types):
        return True
    patterns = (node for schema in schemas.all for node in schema.node.iter(f"{{{XSD}}}pattern"))
    if sum(len(_QUANTIFIER.findall(node.get("value", ""))) ** 3 for node in patterns) > _MOST_REPEATS:
        return True
    simple = [component for component in schemas.types.values() if kind(component.node) == "simpleType"]
    depth: dict[Key, int] = {}
    for component in simple:
        _fold_chain(
            component,
            depth,
            lambda component: _base_type(component, schemas),
            0,
            lambda length, _: length + 1,
        )
    steps = sum(depth.values()) + counter.steps()
    return steps > _MOST_STEPS or _count_members(simple, schemas) > _MOST_MEMBERS


def invalid_members(schemas: Schemas) -> Iterator[tuple[Component, Component]]:
    """Yield each invalid element of a substitution group, together with the head of the group.

    An element is invalid if its type is not derived from the head's type. libxml2 does not terminate if such
    an element is a member of a model group.
    """
    for component in schemas.elements.values():
        head, own = _head(component, schemas), _declared(component, schemas)
        if head is None or own is None:
            continue
        head_type, seen = _type_of(head, schemas), set[str | etree._Element]()
        name, current = own
        while (
            current is not None
            and kind(current.node) == "complexType"
            and name not in seen
            and name != head_type
        ):
            seen.add(name)
            step = step_of(current.node)
            if step is None:
                name, current = _ANYTHING, None
            else:
                name, current = schemas.find("types", current.schema, step, step.get("base", ""))
        if name == _ANYTHING and head_type not in (None, _ANYTHING):
            yield component, head


def _head(component: Component, schemas: Schemas) -> Component | None:
    """Return the declaration of the element that `component` names in its substitutionGroup (the head).

    Returns None if `component` does not have a substitutionGroup, or if the head is not declared.
    """
    raw = component.node.get("substitutionGroup", "").split()[:1]
    return schemas.find("elements", component.schema, component.node, raw[0])[1] if raw else None


def _declared(component: Component, schemas: Schemas) -> tuple[str | etree._Element, Component | None] | None:
    """Return the type that an element declares, as a pair. Returns None if it does not declare a type.

    - Type with a name: the name, and the type's declaration (None if it is unknown).
    - Anonymous type: the node of the type, and its declaration.
    """
    raw = component.node.get("type")
    if raw is not None:
        return schemas.find("types", component.schema, component.node, raw)
    node = first(component.node, "complexType", "simpleType")
    return None if node is None else (node, Component(component.schema, node))


def _type_of(component: Component | None, schemas: Schemas) -> str | etree._Element | None:
    """Return the name of an element's type; for an anonymous type, its node. None if the type is unknown.

    If an element does not declare a type, it has the type of the head of its substitution group.
    """
    seen = set[etree._Element]()
    while component is not None and component.node not in seen:
        seen.add(component.node)
        own = _declared(component, schemas)
        if own is not None:
            is_known = own[1] is not None or str(own[0]).startswith(f"{{{XSD}}}")
            return own[0] if is_known else None
        if not component.node.get("substitutionGroup", "").split():
            return _ANYTHING
        component = _head(component, schemas)
    return None


class _Counter:
    """Counts the particles and attributes of complex types (including their bases) and of groups.

    The counts of each type and group are computed once.
    """

    def __init__(self, schemas: Schemas) -> None:
        self._schemas = schemas
        self._types: dict[Key, Counts] = {}
        self._groups: dict[Key, Counts] = {}
        self._group_size_by_head = _group_sizes(schemas)

    def steps(self) -> int:
        """Return the total length of the inheritance chains of all types."""
        return sum(steps for _, _, _, steps in self._types.values())

    def total(self, component: Component) -> Counts:
        """Return the `Counts` of a complex type, including the types that it extends."""

        def fold(total: Counts, component: Component) -> Counts:
            content = first(component.node, "complexContent", "simpleContent")
            step = first(content, "extension", "restriction") if content is not None else component.node
            deeper = (0, 0, 0, total[3] + 1)
            if step is None:
                return _sum(total, (0, 0, 0, 1))
            own = _sum(self._count_children(Component(component.schema, step), 0), deeper)
            return own if kind(step) == "restriction" else _sum(own, (*total[:3], 0))

        return _fold_chain(component, self._types, self._base, (0, 0, 0, 0), fold)

    def _base(self, component: Component) -> Component | None:
        """Return the type that a complex type extends; None if it does not extend a declared type."""
        step = step_of(component.node, "extension")
        return None if step is None else _referenced(component, step, "types", "base", self._schemas)

    def _count_children(self, component: Component, depth: int) -> Counts:
        """Return the sum of the `Counts` of all children of a node. `depth` is its depth in nested groups."""
        particles = optional_particles = attributes = steps = 0
        for child in component.node:
            node_kind = kind(child)
            if node_kind in ("element", "any"):
                count = self._alternatives(component, child) if self._group_size_by_head else 1
                particles += count
                if child.get("minOccurs", "1").strip() == "0":
                    optional_particles += count
            elif node_kind == "attribute":
                attributes += 1
            elif depth < _DEEPEST and (node_kind in MODEL_GROUPS or node_kind == "attributeGroup"):
                if node_kind != "attributeGroup":
                    counts = self._count_model_group(Component(component.schema, child), depth + 1)
                else:
                    group = _referenced(component, child, "attribute_groups", "ref", self._schemas)
                    if group is None:
                        continue
                    counts = self._count_group(group, depth + 1)
                    attributes += 1
                particles += counts[0]
                optional_particles += counts[1]
                attributes += counts[2]
                steps += counts[3]
        return (
            min(particles, _MANY),
            min(optional_particles, _MANY),
            min(attributes, _MANY),
            min(steps, _MANY),
        )

    def _count_model_group(self, component: Component, depth: int) -> Counts:
        """Return the `Counts` of a model group, or of the named group to which a reference refers.

        `component` is the model group or the reference, and `depth` its nesting depth.
        """
        node = component.node
        if kind(node) == "group":
            group = _referenced(component, node, "groups", "ref", self._schemas)
            if group is None:
                return 1, 1, 0, 0
            component = group
        size, optional, _, _ = self._count_group(component, depth)
        free = node.get("minOccurs", "1").strip() == "0" or kind(node) == "choice"
        return size + 1, size if free else optional, 0, 0

    def _count_group(self, component: Component, depth: int) -> Counts:
        key = component.key
        if key not in self._groups:
            self._groups[key] = (0, 0, 0, 0)
            self._groups[key] = self._count_children(component, depth)
        return self._groups[key]

    def _alternatives(self, component: Component, node: etree._Element) -> int:
        """Return the number of different elements that can occur in the place of the particle `node`.

        It is more than 1 only if `node` refers to the head of a substitution group.
        """
        raw = node.get("ref")
        if raw is None:
            return 1
        return self._group_size_by_head.get(self._schemas.find("elements", component.schema, node, raw)[0], 1)


class _Repetitions(NamedTuple):
    """The properties of a part of a content model that determine the compile time of libxml2.

    A loop is a particle that may be empty and repeats. A counted loop is a loop with a numeric maxOccurs.

    - `empty`: True if the part may be empty. `size`: the number of its particles.
    - `looped`, `loops`: the number of particles inside loops, and the depth of nested loops.
    - `counted`, `counts`: the same for counted loops.
    """

    empty: bool = True
    size: int = 0
    counted: int = 0
    counts: int = 0
    looped: int = 0
    loops: int = 0

    def then(self, *others: _Repetitions, choice: bool) -> _Repetitions:
        """Return the properties of a sequence (or a choice, if `choice` is True) of this and other parts."""
        empties, sizes, counted, counts, looped, loops = zip(self, *others, strict=True)
        return _Repetitions(
            any(empties) if choice else all(empties),
            min(sum(sizes), _MANY),
            min(sum(counted), _MANY),
            max(counts),
            min(sum(looped), _MANY),
            max(loops),
        )

    def occurring(self, least: str, most: str) -> _Repetitions:
        """Return the properties of this part of a content model, repeated by minOccurs and maxOccurs."""
        most = most.strip()
        empty, size = self.empty or least.strip() == "0", min(self.size + 1, _MANY)
        if most in ("0", "1") or not empty:
            return self._replace(empty=empty, size=size)
        looped = _Repetitions(empty, size, self.counted, self.counts, size, self.loops + 1)
        return looped if most == "unbounded" else looped._replace(counted=size, counts=self.counts + 1)


_GROUP_TAGS = frozenset(f"{{{XSD}}}{name}" for name in MODEL_GROUPS)
_PARTICLE_TAGS = (*_GROUP_TAGS, f"{{{XSD}}}element", f"{{{XSD}}}any")


def _has_loops(schemas: Schemas) -> bool:
    """Return True if the schemas can have counted or nested loops (see `_Repetitions`).

    Otherwise, the search by `_Loops` is not necessary: it cannot find anything expensive. This is the usual
    case, because most contracts only repeat single elements, without a numeric maxOccurs.
    """
    for schema in schemas.all:
        for node in schema.node.iter(*_PARTICLE_TAGS):
            most = node.get("maxOccurs", "1")
            if most not in ("0", "1") and (most != "unbounded" or node.tag in _GROUP_TAGS):
                return True
    return False


@lru_cache(256)  # few combinations occur
def _of_particle(least: str, most: str) -> _Repetitions:
    """Return the properties of an element or wildcard with minOccurs=`least` and maxOccurs=`most`."""
    return _Repetitions(empty=False).occurring(least, most)


class _Loops:
    """Determines the `_Repetitions` of complex types and groups. Examines each type and group only once."""

    def __init__(self, schemas: Schemas) -> None:
        self._schemas = schemas
        self._known: dict[Key, _Repetitions] = {}

    def any_too_expensive(self, complex_types: Sequence[Component]) -> bool:
        """Return True if a type has too many paths through its content model."""
        return any(self._is_too_expensive(self._of_type(component, 0)) for component in complex_types)

    @staticmethod
    def _is_too_expensive(repetitions: _Repetitions) -> bool:
        counts, loops = min(repetitions.counts, 30), min(repetitions.loops, 30)
        return (counts > 0 and repetitions.counted**4 * 5 ** (counts - 1) > _MOST_COUNTED) or (
            loops > 1 and repetitions.looped**2 * 10**loops > _MOST_LOOPED
        )

    def _of_type(self, component: Component, depth: int) -> _Repetitions:
        """Return the `_Repetitions` of a complex type's content, including the types that it extends.

        `depth` is the nesting depth so far. The search stops at a maximum depth.
        """
        if component.key in self._known:
            return self._known[component.key]
        self._known[component.key] = _Repetitions()  # ends cycles
        step = step_of(component.node, "extension")
        holder = step if step is not None else step_of(component.node, "restriction")
        repetitions = self._of_children(
            Component(component.schema, component.node if holder is None else holder), depth
        )
        if step is not None and depth < _DEEPEST:
            base = _referenced(component, step, "types", "base", self._schemas)
            if base is not None and kind(base.node) == "complexType":
                repetitions = self._of_type(base, depth + 1).then(repetitions, choice=False)
        self._known[component.key] = repetitions
        return repetitions

    def _of_children(self, component: Component, depth: int) -> _Repetitions:
        """Return the `_Repetitions` of all children of a node together. `depth` is its nesting depth."""
        repetitions: list[_Repetitions] = []
        for child in component.node:
            node_kind = kind(child)
            if node_kind in ("element", "any"):
                child_repetitions = _of_particle(child.get("minOccurs", "1"), child.get("maxOccurs", "1"))
            elif node_kind in MODEL_GROUPS and depth < _DEEPEST:
                group = self._of_model_group(Component(component.schema, child), depth + 1)
                child_repetitions = group.occurring(child.get("minOccurs", "1"), child.get("maxOccurs", "1"))
            else:
                continue
            repetitions.append(child_repetitions)
        if not repetitions:
            return _Repetitions()
        return repetitions[0].then(*repetitions[1:], choice=kind(component.node) == "choice")

    def _of_model_group(self, component: Component, depth: int) -> _Repetitions:
        """Return the `_Repetitions` of a model group, or of the named group to which a reference refers.

        `component` is the model group or the reference, and `depth` its nesting depth.
        """
        if kind(component.node) != "group":
            return self._of_children(component, depth)
        group = _referenced(component, component.node, "groups", "ref", self._schemas)
        if group is None:
            return _Repetitions()
        if group.key not in self._known:
            self._known[group.key] = _Repetitions()
            self._known[group.key] = self._of_children(group, depth)
        return self._known[group.key]


def _group_sizes(schemas: Schemas) -> dict[str, int]:
    """Return the number of possible elements of each substitution group, by the name of its head.

    The head itself is counted, too.
    """
    sizes: dict[str, int] = {}
    for qname, component in schemas.elements.items():
        head, seen, current = qname, set[str](), component
        while current.node.get("substitutionGroup") and head not in seen and len(seen) < 1000:
            seen.add(head)
            raw = current.node.get("substitutionGroup", "").split()[0]
            head, above = schemas.find("elements", current.schema, current.node, raw)
            sizes[head] = sizes.get(head, 1) + 1
            if above is None:
                break
            current = above
    return sizes


def _fold_chain(
    component: Component,
    results: dict[Key, _Result],
    next_component: Callable[[Component], Component | None],
    initial: _Result,
    fold: Callable[[_Result, Component], _Result],
) -> _Result:
    """Return the result for `component`, computed from the results for the components above it in a chain.

    - `next_component`: returns the component directly above a component, or None at the top.
    - `fold`: called as `fold(result_above, component)`, from the top down. Returns the component's result.
    - `initial`: the `result_above` for the component at the top.
    - `results`: keeps all results, so that each component is computed only once.
    """
    chain: list[Component] = []
    current: Component | None = component
    while current is not None and (key := current.key) not in results:
        results[key] = initial  # ends cycles
        chain.append(current)
        current = next_component(current)
    result = results[current.key] if current is not None else initial
    for component in reversed(chain):
        result = results[component.key] = fold(result, component)
    return result


def _base_type(component: Component, schemas: Schemas) -> Component | None:
    step = first(component.node, "restriction")
    return None if step is None else _referenced(component, step, "types", "base", schemas)


def _count_members(components: list[Component], schemas: Schemas) -> int:
    """Return the total number of member types of all unions, with nested unions expanded."""
    counts: dict[Key, int] = {}

    def members(component: Component, depth: int) -> int:
        if component.key not in counts:
            counts[component.key] = 1
            total = sum(members(member, depth + 1) for member in below(component)) if depth < 200 else 1
            counts[component.key] = min(max(total, 1), _MANY)
        return counts[component.key]

    def below(component: Component) -> Iterator[Component]:
        node = first(component.node, "union")
        if node is None:
            return
        for raw in node.get("memberTypes", "").split():
            _, member = schemas.find("types", component.schema, node, raw)
            if member is not None:
                yield member
        for child in parts(node):
            yield Component(component.schema, child)

    return sum(members(component, 0) for component in components)


def _referenced(
    component: Component, node: etree._Element, table: Table, attribute: str, schemas: Schemas
) -> Component | None:
    raw = node.get(attribute)
    return None if raw is None else schemas.find(table, component.schema, node, raw)[1]


def _sum(left: Counts, right: Counts) -> Counts:
    return (
        min(left[0] + right[0], _MANY),
        min(left[1] + right[1], _MANY),
        min(left[2] + right[2], _MANY),
        min(left[3] + right[3], _MANY),
    )
