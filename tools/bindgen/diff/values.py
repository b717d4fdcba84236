"""What became of a simple type: the values it takes, whatever it is called."""

from __future__ import annotations

from collections.abc import Iterator

from bindgen.diff import facets
from bindgen.diff.facets import Outcome
from bindgen.model import Enum, Facets, ListOf, Simple, SimpleType, UnionOf


def compare(
    old: SimpleType, new: SimpleType, old_facets: Facets | None, new_facets: Facets | None
) -> Iterator[Outcome]:
    """The changes of the values, each with what happened; none where both take the same."""
    if isinstance(old, ListOf) and isinstance(new, ListOf):
        for change, said in compare(old.item, new.item, None, None):
            yield change, f"of the list's items: {said}"
        yield from facets.compare("", old_facets, new_facets)
    elif isinstance(old, Simple | Enum) and isinstance(new, Simple | Enum):
        yield from _atomic(old, new, old_facets, new_facets)
    else:
        yield from _by_containment(old, new)
        yield from facets.compare("", old_facets, new_facets)


def listed(
    old: SimpleType, new: SimpleType, old_facets: Facets | None, new_facets: Facets | None
) -> Iterator[tuple[str, str, str]]:
    """Changes of an enumeration that stays one: the change, what happened, and the value."""
    if isinstance(old, ListOf) and isinstance(new, ListOf):
        yield from listed(old.item, new.item, None, None)
    if not (isinstance(old, Simple | Enum) and isinstance(new, Simple | Enum)):
        return
    before, after = _values(old, old_facets), _values(new, new_facets)
    if before and after:
        for value in sorted(set(after) - set(before), key=after.index):
            yield "enum-value-added", f"the value {value!r} was added", value
        for value in sorted(set(before) - set(after), key=before.index):
            yield "enum-value-removed", f"the value {value!r} was removed", value


def named(kind: SimpleType, said: Facets | None = None) -> str:
    """A simple type in words."""
    if isinstance(kind, Simple):
        return f"xsd:{kind.xsd}" + (" of listed values" if said and said.enumeration else "")
    if isinstance(kind, Enum):
        return f"the enumeration {kind.qname.rpartition('}')[2]}"
    if isinstance(kind, ListOf):
        return f"a list of {named(kind.item)}"
    return " or ".join(named(member) for member in kind.members)


def _atomic(
    old: Simple | Enum, new: Simple | Enum, old_facets: Facets | None, new_facets: Facets | None
) -> Iterator[Outcome]:
    before, after = _base(old, new), _base(new, old)
    was, now = named(old, old_facets), named(new, new_facets)
    if before != after:
        change = _weighed(before, after, old_facets, new_facets)
        if change:
            yield change, f"{now} now, it was {was}"
        if change == "type-changed":
            return
    yield from _enumeration(_values(old, old_facets), _values(new, new_facets), was, now)
    if before == after:
        yield from facets.compare(before, old_facets, new_facets)
    else:
        yield from _beside_bounds(before, after, old_facets, new_facets)


def _base(kind: Simple | Enum, other: Simple | Enum) -> str:
    """The built-in type; of an enumeration, which does not say its own, the other one's if that is a text."""
    if isinstance(kind, Simple):
        return kind.xsd
    return other.xsd if isinstance(other, Simple) and other.xsd in facets.TEXTS else "string"


def _weighed(before: str, after: str, old: Facets | None, new: Facets | None) -> str:
    wider, narrower = facets.contains(after, before), facets.contains(before, after)
    if {before, after} <= facets.INTEGERS.keys():
        one, other = facets.number_bounds(before, old), facets.number_bounds(after, new)
        wider, narrower = facets.bounds_contain(other, one), facets.bounds_contain(one, other)
    if wider and narrower:
        return ""
    return "type-widened" if wider else "type-narrowed" if narrower else "type-changed"


def _beside_bounds(before: str, after: str, old: Facets | None, new: Facets | None) -> Iterator[Outcome]:
    """The facets of types of two bases; of integers, the bounds have been weighed with the types."""
    integers = {before, after} <= facets.INTEGERS.keys()
    for change, said in facets.compare(after, old, new):
        if not (integers and said.startswith("range")):
            yield change, said


def _values(kind: Simple | Enum, said: Facets | None) -> tuple[str, ...]:
    return tuple(kind.values) if isinstance(kind, Enum) else said.enumeration if said else ()


def _enumeration(old: tuple[str, ...], new: tuple[str, ...], was: str, now: str) -> Iterator[Outcome]:
    if old and not new:
        yield "enum-opened", f"any value of {now} now, it was {was}"
    elif new and not old:
        yield "enum-closed", f"{now} now, it was any value of {was}"


def _by_containment(old: SimpleType, new: SimpleType) -> Iterator[Outcome]:
    wider, narrower = _contains(new, old), _contains(old, new)
    if wider and narrower and _order(old) == _order(new):
        return
    change = "type-changed" if wider == narrower else "type-widened" if wider else "type-narrowed"
    yield change, f"{named(new)} now, it was {named(old)}"


def _order(kind: SimpleType) -> list[str]:
    """Of a union's members, the first that takes the text wins."""
    return [named(member) for member in kind.members] if isinstance(kind, UnionOf) else []


def _contains(wide: SimpleType, narrow: SimpleType) -> bool:
    if isinstance(narrow, UnionOf):
        return all(_contains(wide, member) for member in narrow.members)
    if isinstance(wide, UnionOf):
        return any(_contains(member, narrow) for member in wide.members)
    if isinstance(wide, ListOf) or isinstance(narrow, ListOf):
        return isinstance(wide, ListOf) and isinstance(narrow, ListOf) and _contains(wide.item, narrow.item)
    if isinstance(wide, Enum):
        return isinstance(narrow, Enum) and set(narrow.values) <= set(wide.values)
    return facets.contains(wide.xsd, _base(narrow, wide))
