"""What became of a simple type: the values it takes, whatever it is called; looser, tighter, or others."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterator
from decimal import Decimal, InvalidOperation
from typing import TypeVar

from bindgen.model import Enum, Facets, ListOf, Simple, SimpleType, UnionOf

Outcome = tuple[str, str]  # the change's name, and what happened
End = tuple[Decimal, int]  # a value, and 1 or -1 for what lies just above or below it
_End = TypeVar("_End", Decimal, End)
Interval = tuple[_End | None, _End | None]  # from the first to the second, None for no end

INTEGERS: dict[str, tuple[int | None, int | None]] = {
    "integer": (None, None),
    "nonNegativeInteger": (0, None),
    "positiveInteger": (1, None),
    "nonPositiveInteger": (None, 0),
    "negativeInteger": (None, -1),
    "long": (-(2**63), 2**63 - 1),
    "int": (-(2**31), 2**31 - 1),
    "short": (-(2**15), 2**15 - 1),
    "byte": (-(2**7), 2**7 - 1),
    "unsignedLong": (0, 2**64 - 1),
    "unsignedInt": (0, 2**32 - 1),
    "unsignedShort": (0, 2**16 - 1),
    "unsignedByte": (0, 2**8 - 1),
}
# Each text type → what it is derived from; anyURI takes what a string may hold, give or take its spelling.
_ABOVE = {
    "normalizedString": "string",
    "token": "normalizedString",
    "language": "token",
    "NMTOKEN": "token",
    "Name": "token",
    "NCName": "Name",
    "ID": "NCName",
    "IDREF": "NCName",
    "ENTITY": "NCName",
    "anyURI": "string",
    "float": "double",
}
_ANY = frozenset(("anySimpleType", "anyAtomicType"))
_TEXTS = frozenset(_ABOVE) - {"float"} | {"string"}
_NO_FACETS = Facets()


def compare(
    old: SimpleType, new: SimpleType, old_facets: Facets | None, new_facets: Facets | None
) -> Iterator[Outcome]:
    """The changes of the values, each with what happened; none where both take the same."""
    one, other = old_facets or _NO_FACETS, new_facets or _NO_FACETS
    if isinstance(old, ListOf) and isinstance(new, ListOf):
        for change, said in compare(old.item, new.item, None, None):
            yield change, f"of the list's items: {said}"
        yield from _facets("", one, other)
    elif isinstance(old, Simple | Enum) and isinstance(new, Simple | Enum):
        yield from _atomic(old, new, one, other)
    else:
        yield from _by_containment(old, new)
        yield from _facets("", one, other)


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


# ---- types


def _atomic(old: Simple | Enum, new: Simple | Enum, one: Facets, other: Facets) -> Iterator[Outcome]:
    before, after = _base(old, new), _base(new, old)
    was, now = named(old, one), named(new, other)
    integers = {before, after} <= INTEGERS.keys()
    if before != after:
        wider, narrower = _takes(after, before), _takes(before, after)
        if integers:
            wider, narrower = _both_ways(_numbers(before, one), _numbers(after, other))
        change = _change("type", wider, narrower)
        if change:
            yield change, f"{now} now, it was {was}"
        if change == "type-changed":
            return
    values, others = _values(old, one), _values(new, other)
    if values and not others:
        yield "enum-opened", f"any value of {now} now, it was {was}"
    elif others and not values:
        yield "enum-closed", f"{now} now, it was any value of {was}"
    for change, said in _facets(after, one, other):
        # Of integers of two types, the bounds have been weighed with the types.
        if before == after or not (integers and said.startswith("range")):
            yield change, said


def _base(kind: Simple | Enum, other: SimpleType) -> str:
    """The built-in type; of an enumeration, which does not say its own, the other one's if that is a text."""
    if isinstance(kind, Simple):
        return kind.xsd
    return other.xsd if isinstance(other, Simple) and other.xsd in _TEXTS else "string"


def _values(kind: Simple | Enum, said: Facets | None) -> tuple[str, ...]:
    return tuple(kind.values) if isinstance(kind, Enum) else said.enumeration if said else ()


def _by_containment(old: SimpleType, new: SimpleType) -> Iterator[Outcome]:
    wider, narrower = _contains(new, old), _contains(old, new)
    # Of a union's members, the first that takes the text wins.
    orders = [list(map(named, each.members)) if isinstance(each, UnionOf) else [] for each in (old, new)]
    if not (wider and narrower and orders[0] == orders[1]):
        change = "type-changed" if wider == narrower else _change("type", wider, narrower)
        yield change, f"{named(new)} now, it was {named(old)}"


def _contains(wide: SimpleType, narrow: SimpleType) -> bool:
    if isinstance(narrow, UnionOf):
        return all(_contains(wide, member) for member in narrow.members)
    if isinstance(wide, UnionOf):
        return any(_contains(member, narrow) for member in wide.members)
    if isinstance(wide, ListOf) or isinstance(narrow, ListOf):
        return isinstance(wide, ListOf) and isinstance(narrow, ListOf) and _contains(wide.item, narrow.item)
    if isinstance(wide, Enum):
        return isinstance(narrow, Enum) and set(narrow.values) <= set(wide.values)
    return _takes(wide.xsd, _base(narrow, wide))


def _takes(wide: str, narrow: str) -> bool:
    """Whether the built-in type `wide` takes every value of `narrow` (both by their local names)."""
    if wide == narrow or wide in _ANY or (narrow in INTEGERS and wide == "decimal"):
        return True
    if narrow in INTEGERS and wide in INTEGERS:
        return _holds(_numbers(wide, _NO_FACETS), _numbers(narrow, _NO_FACETS))
    above = _ABOVE.get(narrow)
    return above is not None and _takes(wide, above)


# ---- facets other than the enumeration

_WHITE_SPACE = "preserve"  # where nothing is said
_LENGTHS = (("length", "length"), ("minLength", "min_length"), ("maxLength", "max_length"))
_RANGE = (
    ("minInclusive", "min_inclusive", 0),
    ("minExclusive", "min_exclusive", 1),
    ("maxInclusive", "max_inclusive", 0),
    ("maxExclusive", "max_exclusive", -1),
)


def _facets(base: str, old: Facets, new: Facets) -> Iterator[Outcome]:
    """Changes of facets between types that have one base."""
    if old == new:
        return
    yield from _weighed("length", _both_ways(_lengths(old), _lengths(new)), _words(old), _words(new))
    yield from _range(base, old, new)
    for name, before, after in (
        ("totalDigits", old.total_digits, new.total_digits),
        ("fractionDigits", old.fraction_digits, new.fraction_digits),
    ):
        yield from _weighed(name, _both_ways((None, _number(before)), (None, _number(after))), before, after)
    yield from _patterns(old.patterns, new.patterns)
    before, after = (each.white_space or _WHITE_SPACE for each in (old, new))
    if before != after:  # it changes what a text means, not only which are taken
        yield "facet-changed", f"whiteSpace became {after}, it was {before}"


def _lengths(facets: Facets) -> Interval[Decimal]:
    if facets.length:
        return _number(facets.length), _number(facets.length)
    return _number(facets.min_length) or None, _number(facets.max_length)  # a least length of 0 says nothing


def _words(facets: Facets) -> str:
    return ", ".join(f"{name} {text}" for name, key in _LENGTHS if (text := getattr(facets, key)))


def _range(base: str, old: Facets, new: Facets) -> Iterator[Outcome]:
    said = [{name: getattr(side, key) for name, key, _ in _RANGE} for side in (old, new)]
    if said[0] == said[1]:
        return
    words = [", ".join(f"{name} {text}" for name, text in side.items() if text) for side in said]
    if base in INTEGERS:
        ways = _both_ways(_numbers(base, old), _numbers(base, new))
    else:
        (one, zoned), (other, zoned_now) = _ends(base, old), _ends(base, new)
        if one is None or other is None or len(zoned | zoned_now) > 1:
            # What cannot be weighed: added narrows, dropped widens, replaced does a bit of both.
            ways = (not words[1], not words[0])
        else:
            ways = _both_ways(one, other)
    yield from _weighed("range", ways, *words)


def _numbers(base: str, facets: Facets) -> Interval[Decimal]:
    """The least and greatest value that a type of whole numbers takes with its facets."""
    low, high = (None if each is None else Decimal(each) for each in INTEGERS[base])
    ends = [_number(getattr(facets, key)) for _, key, _ in _RANGE]
    low, over, high, under = (
        *(low, ends[1] if ends[1] is None else ends[1] + 1),
        *(high, ends[3] if ends[3] is None else ends[3] - 1),
    )
    return (
        max((each for each in (low, ends[0], over) if each is not None), default=None),
        min((each for each in (high, ends[2], under) if each is not None), default=None),
    )


def _ends(base: str, facets: Facets) -> tuple[Interval[End] | None, set[bool]]:
    """The range that facets leave of a built-in type, None where its values cannot be weighed; and whether
    its times name a zone: those that do and those that do not cannot be held against each other."""
    found: dict[str, list[End]] = {"min": [], "max": []}
    zones: set[bool] = set()
    for name, key, beyond in _RANGE:
        if text := getattr(facets, key):
            value, zoned = _value(base, text)
            if value is None:
                return None, zones
            found[name[:3]].append((value, beyond))
            zones |= set() if zoned is None else {zoned}
    return (max(found["min"], default=None), min(found["max"], default=None)), zones


_DAY = r"(?P<y>-?[0-9]{4,})(-(?P<m>[0-9]{2})(-(?P<day>[0-9]{2}))?)?"
_TIME = r"(?P<hour>[0-9]{2}):(?P<minute>[0-9]{2}):(?P<second>[0-9]{2}([.][0-9]+)?)"
_ZONE = r"(?P<zone>Z|[+-][0-9]{2}:[0-9]{2})?"
_TIMES = {
    "dateTime": re.compile(f"{_DAY}T{_TIME}{_ZONE}"),
    "date": re.compile(f"{_DAY}{_ZONE}"),
    "gYearMonth": re.compile(f"{_DAY}{_ZONE}"),
    "gYear": re.compile(f"{_DAY}{_ZONE}"),
    "time": re.compile(f"{_TIME}{_ZONE}"),
}
_DAYS_OF_400_YEARS = 146_097


def _value(base: str, text: str) -> tuple[Decimal | None, bool | None]:
    """A value as a number, and whether it names a time zone; None for what is no such value."""
    if base in ("decimal", "float", "double"):
        try:
            number = Decimal(text.replace("INF", "Infinity"))
        except InvalidOperation:
            return None, None
        return None if number.is_nan() else number, None
    found = _TIMES[base].fullmatch(text) if base in _TIMES else None
    if found is None:
        return None, None
    part = {key: value for key, value in found.groupdict().items() if value is not None}
    years = int(part.get("y", 1))
    try:  # the calendar of today carried on both ways, beyond what Python's dates hold
        day = dt.date(400 + years % 400, int(part.get("m", 1)), int(part.get("day", 1)))
    except ValueError:
        return None, None
    days = day.toordinal() + years // 400 * _DAYS_OF_400_YEARS
    minutes = int(part.get("hour", 0)) * 60 + int(part.get("minute", 0))
    zone = found["zone"]
    if zone not in (None, "Z"):
        minutes -= int(f"{zone[0]}1") * (int(zone[1:3]) * 60 + int(zone[4:]))
    return Decimal(days * 86_400 + minutes * 60) + Decimal(part.get("second", 0)), zone is not None


def _patterns(old: tuple[str, ...], new: tuple[str, ...]) -> Iterator[Outcome]:
    """Each pattern of the list must fit, so more of them narrow; of one, each branch will do, so more of
    these widen (XSD 1.0 part 2, 4.3.4). One branch against another cannot be weighed.
    """
    one, other = ([_branches(each) for each in side] for side in (old, new))
    wider = all(any(before <= after for before in one) for after in other)
    narrower = all(any(after <= before for after in other) for before in one)
    yield from _weighed("pattern", (wider, narrower), " and ".join(old), " and ".join(new))


def _branches(pattern: str) -> frozenset[str]:
    """The branches of a pattern at its top, outside of parentheses and of classes in brackets."""
    found, start, deep, brackets, escaped = [], 0, 0, 0, False
    for at, sign in enumerate(pattern):
        if escaped or sign == "\\":
            escaped = not escaped
        elif brackets or sign == "[":
            brackets += {"[": 1, "]": -1}.get(sign, 0)
        elif sign == "|" and not deep:
            found.append(pattern[start:at])
            start = at + 1
        else:
            deep += {"(": 1, ")": -1}.get(sign, 0)
    return frozenset((*found, pattern[start:]))


# ---- what holds what


def _holds(wide: Interval[_End], narrow: Interval[_End]) -> bool:
    """Whether an interval holds the whole of another."""
    low = wide[0] is None or (narrow[0] is not None and wide[0] <= narrow[0])
    high = wide[1] is None or (narrow[1] is not None and wide[1] >= narrow[1])
    return low and high


def _both_ways(old: Interval[_End], new: Interval[_End]) -> tuple[bool, bool]:
    """Whether the new one holds the old one, and the other way round."""
    return _holds(new, old), _holds(old, new)


def _change(what: str, wider: bool, narrower: bool) -> str:
    """The name of the change; "" for none."""
    if wider and narrower:
        return ""
    return f"{what}-{'widened' if wider else 'narrowed' if narrower else 'changed'}"


def _weighed(name: str, ways: tuple[bool, bool], before: str, after: str) -> Iterator[Outcome]:
    if change := _change("facet", *ways):
        if not before:
            yield change, f"{name} is restricted now: {after}"
        elif not after:
            yield change, f"{name} is not restricted any more, it was: {before}"
        else:
            yield change, f"{name} is restricted to {after}, it was {before}"


def _number(text: str) -> Decimal | None:
    try:
        found = Decimal(text) if text else None
    except InvalidOperation:
        return None
    return found if found is None or found.is_finite() else None
