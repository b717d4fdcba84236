"""Comparison of simple types by the values that they allow. The names of the types make no difference."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterator
from decimal import Decimal, InvalidOperation
from typing import TypeVar

from bindgen.model import Enum, Facets, ListOf, Simple, SimpleType, UnionOf

Outcome = tuple[str, str]  # the kind of change (a key in `rules.CHANGES`), and a message
End = tuple[Decimal, int]  # a value, and 1 or -1 for the point just above or below it
_End = TypeVar("_End", Decimal, End)
Interval = tuple[_End | None, _End | None]  # lower and upper end, None if there is none

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
# Each string type and its base type. anyURI allows the same values as string, apart from escaping.
_BASES = {
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
_STRING_TYPES = frozenset(_BASES) - {"float"} | {"string"}
_NO_FACETS = Facets()


def compare(
    old: SimpleType, new: SimpleType, old_facets: Facets | None, new_facets: Facets | None
) -> Iterator[Outcome]:
    """Yield the changes of the values that a simple type allows.

    Each one is a pair: the kind of change (a key in `rules.CHANGES`) and a message. Yields nothing if both
    types allow the same values.
    """
    old_known, new_known = old_facets or _NO_FACETS, new_facets or _NO_FACETS
    if isinstance(old, ListOf) and isinstance(new, ListOf):
        for change, message in compare(old.item, new.item, None, None):
            yield change, f"items of the list: {message}"
        yield from _facets("", old_known, new_known)
    elif isinstance(old, Simple | Enum) and isinstance(new, Simple | Enum):
        yield from _atomic(old, new, old_known, new_known)
    else:
        yield from _by_containment(old, new)
        yield from _facets("", old_known, new_known)


def listed(
    old: SimpleType, new: SimpleType, old_facets: Facets | None, new_facets: Facets | None
) -> Iterator[tuple[str, str, str]]:
    """Yield each added or removed value of an enumeration, as (kind of change, message, value)."""
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


def named(kind: SimpleType, facets: Facets | None = None) -> str:
    """Describe a simple type in words."""
    if isinstance(kind, Simple):
        return f"xsd:{kind.xsd}" + (" of listed values" if facets and facets.enumeration else "")
    if isinstance(kind, Enum):
        return f"the enumeration {kind.qname.rpartition('}')[2]}"
    if isinstance(kind, ListOf):
        return f"a list of {named(kind.item)}"
    return " or ".join(named(member) for member in kind.members)


# ---- types


def _atomic(
    old: Simple | Enum, new: Simple | Enum, old_facets: Facets, new_facets: Facets
) -> Iterator[Outcome]:
    """Yield the changes between two built-in types or enumerations."""
    before, after = _base(old, new), _base(new, old)
    was, now = named(old, old_facets), named(new, new_facets)
    integers = {before, after} <= INTEGERS.keys()
    if before != after:
        wider, narrower = _allows(after, before), _allows(before, after)
        if integers:
            wider, narrower = _containment(_numbers(before, old_facets), _numbers(after, new_facets))
        change = _change_name("type", wider, narrower)
        if change:
            yield change, f"{now} now, it was {was}"
        if change == "type-changed":
            return
    values, others = _values(old, old_facets), _values(new, new_facets)
    if values and not others:
        yield "enum-opened", f"any value of {now} now, it was {was}"
    elif others and not values:
        yield "enum-closed", f"{now} now, it was any value of {was}"
    for change, message in _facets(after, old_facets, new_facets):
        # If two integer types differ, their bounds are already compared with the types.
        if before == after or not (integers and message.startswith("range")):
            yield change, message


def _base(kind: Simple | Enum, other: SimpleType) -> str:
    """Return the local name of the built-in type to use for `kind` in a comparison with `other`.

    - For a built-in type, the result is the name of `kind` itself.
    - For an enumeration, the result is the name of `other` if this is a string type, otherwise `string`.
    """
    if isinstance(kind, Simple):
        return kind.xsd
    return other.xsd if isinstance(other, Simple) and other.xsd in _STRING_TYPES else "string"


def _values(kind: Simple | Enum, facets: Facets | None) -> tuple[str, ...]:
    """Return the listed values of an enumeration, or of a built-in type with enumeration facets; else ()."""
    return tuple(kind.values) if isinstance(kind, Enum) else facets.enumeration if facets else ()


def _by_containment(old: SimpleType, new: SimpleType) -> Iterator[Outcome]:
    """Yield a change if the types allow different values, or if the members of a union change their order."""
    wider, narrower = _contains(new, old), _contains(old, new)
    # The first member of a union that accepts a value wins, so their order matters.
    orders = [list(map(named, kind.members)) if isinstance(kind, UnionOf) else [] for kind in (old, new)]
    if not (wider and narrower and orders[0] == orders[1]):
        change = "type-changed" if wider == narrower else _change_name("type", wider, narrower)
        yield change, f"{named(new)} now, it was {named(old)}"


def _contains(wide: SimpleType, narrow: SimpleType) -> bool:
    """Return True if the simple type `wide` allows every value of the simple type `narrow`."""
    if isinstance(narrow, UnionOf):
        return all(_contains(wide, member) for member in narrow.members)
    if isinstance(wide, UnionOf):
        return any(_contains(member, narrow) for member in wide.members)
    if isinstance(wide, ListOf) or isinstance(narrow, ListOf):
        return isinstance(wide, ListOf) and isinstance(narrow, ListOf) and _contains(wide.item, narrow.item)
    if isinstance(wide, Enum):
        return isinstance(narrow, Enum) and set(narrow.values) <= set(wide.values)
    return _allows(wide.xsd, _base(narrow, wide))


def _allows(wide: str, narrow: str) -> bool:
    """Return True if the built-in type `wide` allows every value of `narrow` (local names)."""
    if wide == narrow or wide in _ANY or (narrow in INTEGERS and wide == "decimal"):
        return True
    if narrow in INTEGERS and wide in INTEGERS:
        return _interval_contains(_numbers(wide, _NO_FACETS), _numbers(narrow, _NO_FACETS))
    base = _BASES.get(narrow)
    return base is not None and _allows(wide, base)


# ---- facets other than the enumeration

_WHITE_SPACE = "preserve"  # the default
_LENGTHS = (("length", "length"), ("minLength", "min_length"), ("maxLength", "max_length"))
_RANGE = (
    ("minInclusive", "min_inclusive", 0),
    ("minExclusive", "min_exclusive", 1),
    ("maxInclusive", "max_inclusive", 0),
    ("maxExclusive", "max_exclusive", -1),
)


def _facets(base: str, old: Facets, new: Facets) -> Iterator[Outcome]:
    """Yield the changes from the facets `old` to the facets `new`, except enumeration facets.

    `base` is the local name of the built-in type that both types restrict.
    """
    if old == new:
        return
    yield from _facet_change(
        "length", _containment(_lengths(old), _lengths(new)), _length_words(old), _length_words(new)
    )
    yield from _range(base, old, new)
    for name, before, after in (
        ("totalDigits", old.total_digits, new.total_digits),
        ("fractionDigits", old.fraction_digits, new.fraction_digits),
    ):
        yield from _facet_change(
            name, _containment((None, _number(before)), (None, _number(after))), before, after
        )
    yield from _patterns(old.patterns, new.patterns)
    before, after = (facets.white_space or _WHITE_SPACE for facets in (old, new))
    if before != after:  # changes the meaning of values, not only the set of allowed values
        yield "facet-changed", f"whiteSpace became {after}, it was {before}"


def _lengths(facets: Facets) -> Interval[Decimal]:
    """Return the interval of lengths that facets allow."""
    if facets.length:
        return _number(facets.length), _number(facets.length)
    return _number(facets.min_length) or None, _number(facets.max_length)  # a minimum of 0 is no limit


def _length_words(facets: Facets) -> str:
    """Return the facets that limit the length, as text such as `minLength 1, maxLength 10`."""
    return ", ".join(f"{name} {text}" for name, key in _LENGTHS if (text := getattr(facets, key)))


def _range(base: str, old: Facets, new: Facets) -> Iterator[Outcome]:
    """Yield a change of the range that the facets minInclusive, maxExclusive and so on define.

    `base` is the local name of the built-in type that both types restrict.
    """
    bounds = [{name: getattr(side, key) for name, key, _ in _RANGE} for side in (old, new)]
    if bounds[0] == bounds[1]:
        return
    words = [", ".join(f"{name} {text}" for name, text in side.items() if text) for side in bounds]
    if base in INTEGERS:
        containment = _containment(_numbers(base, old), _numbers(base, new))
    else:
        (old_ends, zoned), (new_ends, zoned_now) = _ends(base, old), _ends(base, new)
        if old_ends is None or new_ends is None or len(zoned | zoned_now) > 1:
            # These ranges cannot be compared. Count an added range as narrower, a removed one as wider.
            containment = (not words[1], not words[0])
        else:
            containment = _containment(old_ends, new_ends)
    yield from _facet_change("range", containment, *words)


def _numbers(base: str, facets: Facets) -> Interval[Decimal]:
    """Return the smallest and the largest integer that the integer type `base` with these facets allows."""
    low, high = (None if value is None else Decimal(value) for value in INTEGERS[base])
    ends = [_number(getattr(facets, key)) for _, key, _ in _RANGE]
    low, over, high, under = (
        *(low, ends[1] if ends[1] is None else ends[1] + 1),
        *(high, ends[3] if ends[3] is None else ends[3] - 1),
    )
    return (
        max((value for value in (low, ends[0], over) if value is not None), default=None),
        min((value for value in (high, ends[2], under) if value is not None), default=None),
    )


def _ends(base: str, facets: Facets) -> tuple[Interval[End] | None, set[bool]]:
    """Return the range that the facets of a built-in type define, and a set of bools.

    The range is None if a bound cannot be converted to a number. The set contains True if a bound is a date
    or time with a time zone. It contains False if a bound is a date or time without a time zone. If the set
    contains both values, the bounds cannot be compared.
    """
    ends: dict[str, list[End]] = {"min": [], "max": []}
    zones: set[bool] = set()
    for name, key, beyond in _RANGE:
        if text := getattr(facets, key):
            value, zoned = _value(base, text)
            if value is None:
                return None, zones
            ends[name[:3]].append((value, beyond))
            zones |= set() if zoned is None else {zoned}
    return (max(ends["min"], default=None), min(ends["max"], default=None)), zones


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
    """Convert `text`, a value of the built-in type `base`, to a number. Return two results.

    - The number; for a date or time, a number that increases with time.
    - For a date or time: True if it has a time zone, otherwise False. For a number: None.

    For any other type, for an invalid text and for NaN, both results are None.
    """
    if base in ("decimal", "float", "double"):
        try:
            number = Decimal(text.replace("INF", "Infinity"))
        except InvalidOperation:
            return None, None
        return None if number.is_nan() else number, None
    match = _TIMES[base].fullmatch(text) if base in _TIMES else None
    if match is None:
        return None, None
    part = {key: value for key, value in match.groupdict().items() if value is not None}
    years = int(part.get("y", 1))
    try:  # dates outside of Python's range: shift by multiples of 400 years
        day = dt.date(400 + years % 400, int(part.get("m", 1)), int(part.get("day", 1)))
    except ValueError:
        return None, None
    days = day.toordinal() + years // 400 * _DAYS_OF_400_YEARS
    minutes = int(part.get("hour", 0)) * 60 + int(part.get("minute", 0))
    zone = match["zone"]
    if zone not in (None, "Z"):
        minutes -= int(f"{zone[0]}1") * (int(zone[1:3]) * 60 + int(zone[4:]))
    return Decimal(days * 86_400 + minutes * 60) + Decimal(part.get("second", 0)), zone is not None


def _patterns(old: tuple[str, ...], new: tuple[str, ...]) -> Iterator[Outcome]:
    """Yield a change of the patterns.

    A value must match all patterns of a type, so more patterns allow fewer values. A pattern consists of
    branches, separated by `|`. A value must match only one branch, so more branches allow more values (XSD
    1.0 part 2, section 4.3.4). Two different branches cannot be compared.
    """
    old_branches, new_branches = ([_branches(pattern) for pattern in side] for side in (old, new))
    wider = all(any(before <= after for before in old_branches) for after in new_branches)
    narrower = all(any(after <= before for after in new_branches) for before in old_branches)
    yield from _facet_change("pattern", (wider, narrower), " and ".join(old), " and ".join(new))


def _branches(pattern: str) -> frozenset[str]:
    """Split a pattern at `|` into its branches, except in parentheses and in character classes."""
    branches, start, depth, brackets, escaped = [], 0, 0, 0, False
    for position, char in enumerate(pattern):
        if escaped or char == "\\":
            escaped = not escaped
        elif brackets or char == "[":
            brackets += {"[": 1, "]": -1}.get(char, 0)
        elif char == "|" and not depth:
            branches.append(pattern[start:position])
            start = position + 1
        else:
            depth += {"(": 1, ")": -1}.get(char, 0)
    return frozenset((*branches, pattern[start:]))


# ---- comparison of intervals


def _interval_contains(wide: Interval[_End], narrow: Interval[_End]) -> bool:
    """Return True if the interval `wide` contains the interval `narrow` completely."""
    low = wide[0] is None or (narrow[0] is not None and wide[0] <= narrow[0])
    high = wide[1] is None or (narrow[1] is not None and wide[1] >= narrow[1])
    return low and high


def _containment(old: Interval[_End], new: Interval[_End]) -> tuple[bool, bool]:
    """Return two bools. True means, in this order:

    - The new interval contains the old one.
    - The old interval contains the new one.
    """
    return _interval_contains(new, old), _interval_contains(old, new)


def _change_name(prefix: str, wider: bool, narrower: bool) -> str:
    """Return the kind of change: `prefix`, followed by -widened, -narrowed or -changed.

    `wider` is True if all old values are still allowed, `narrower` if all new values were allowed before.
    Returns "" if both are True, because then the same values are allowed.
    """
    if wider and narrower:
        return ""
    return f"{prefix}-{'widened' if wider else 'narrowed' if narrower else 'changed'}"


def _facet_change(name: str, containment: tuple[bool, bool], before: str, after: str) -> Iterator[Outcome]:
    """Yield the change of a facet, unless the old and the new facet allow the same values.

    `name` is what the facet limits, such as "range", for the message. `containment` is the result of
    `_containment`, `before` and `after` are the values of the facet.
    """
    if change := _change_name("facet", *containment):
        if not before:
            yield change, f"{name} is restricted now: {after}"
        elif not after:
            yield change, f"{name} is no longer restricted, it was: {before}"
        else:
            yield change, f"{name} is restricted to {after}, it was {before}"


def _number(text: str) -> Decimal | None:
    """Convert a text to a finite number; None if it is empty or not a finite number."""
    try:
        number = Decimal(text) if text else None
    except InvalidOperation:
        return None
    return number if number is None or number.is_finite() else None
