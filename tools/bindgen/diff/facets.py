"""What became of the facets of a simple type: looser, tighter, or other than before."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import TypeVar

from bindgen.model import Facets

Bounds = tuple[Decimal | None, Decimal | None]
End = tuple[Decimal, int]  # a value, and 1 or -1 for what lies just above or below it
_End = TypeVar("_End", Decimal, End)

ANY = frozenset(("anySimpleType", "anyAtomicType"))
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
TEXTS = frozenset(_ABOVE) - {"float"} | {"string"}


def contains(wide: str, narrow: str) -> bool:
    """Whether the built-in type `wide` takes every value of `narrow` (both by their local names)."""
    if wide == narrow or wide in ANY:
        return True
    if narrow in INTEGERS and wide == "decimal":
        return True
    if narrow in INTEGERS and wide in INTEGERS:
        return bounds_contain(bounds(wide), bounds(narrow))
    above = _ABOVE.get(narrow)
    return above is not None and contains(wide, above)


def bounds(name: str) -> Bounds:
    """The least and greatest value of a type of numbers; None where there is none."""
    low, high = INTEGERS.get(name, (None, None))
    return (None if low is None else Decimal(low), None if high is None else Decimal(high))


def bounds_contain(wide: tuple[_End | None, _End | None], narrow: tuple[_End | None, _End | None]) -> bool:
    """Whether an interval holds the whole of another."""
    low = wide[0] is None or (narrow[0] is not None and wide[0] <= narrow[0])
    high = wide[1] is None or (narrow[1] is not None and wide[1] >= narrow[1])
    return low and high


_NUMBERS = frozenset(("decimal", "float", "double"))
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


@dataclass(frozen=True, slots=True)
class Range:
    """From the first end to the second, None for no end. `zoned`: whether its times name a zone."""

    ends: tuple[End | None, End | None]
    zoned: bool | None = None


def of(base: str, facets: Facets) -> Range | None:
    """The range that facets leave of a built-in type; None where its values cannot be weighed."""
    lows: list[End] = []
    highs: list[End] = []
    zones: set[bool] = set()
    for text, ends, beyond in (
        (facets.min_inclusive, lows, 0),
        (facets.min_exclusive, lows, 1),
        (facets.max_inclusive, highs, 0),
        (facets.max_exclusive, highs, -1),
    ):
        if text:
            found = _value(base, text)
            if found is None:
                return None
            ends.append((found[0], beyond))
            zones |= set() if found[1] is None else {found[1]}
    if len(zones) > 1:
        return None
    return Range((max(lows, default=None), min(highs, default=None)), *zones)


def comparable(one: Range, other: Range) -> bool:
    """Whether their ends can be held against each other: times with a zone and without one cannot."""
    return one.zoned is None or other.zoned is None or one.zoned == other.zoned


def _value(base: str, text: str) -> tuple[Decimal, bool | None] | None:
    """A value as a number, and whether it names a time zone; None for what is no such value."""
    if base in _NUMBERS:
        try:
            number = Decimal(text.replace("INF", "Infinity"))
        except InvalidOperation:
            return None
        return None if number.is_nan() else (number, None)
    pattern = _TIMES.get(base)
    found = pattern.fullmatch(text) if pattern is not None else None
    if found is None:
        return None
    part = found.groupdict()
    years = int(part.get("y") or 1)
    try:  # the calendar of today carried on both ways, beyond what Python's dates hold
        day = dt.date(400 + years % 400, int(part.get("m") or 1), int(part.get("day") or 1))
    except ValueError:
        return None
    days = day.toordinal() + years // 400 * _DAYS_OF_400_YEARS
    seconds = Decimal(days * 86_400 + int(part.get("hour") or 0) * 3600 + int(part.get("minute") or 0) * 60)
    seconds += Decimal(part.get("second") or 0)
    zone = part["zone"]
    if zone is not None and zone != "Z":
        minutes = int(zone[1:3]) * 60 + int(zone[4:])
        seconds -= minutes * 60 if zone[0] == "+" else -minutes * 60
    return seconds, zone is not None


Outcome = tuple[str, str]  # the change's name, and what happened

_WHITE_SPACE = ("preserve", "replace", "collapse")
_NO_FACETS = Facets()


def compare(base: str, old: Facets | None, new: Facets | None) -> Iterator[Outcome]:
    """Changes of facets other than the enumeration, between types of one base."""
    one, other = old or _NO_FACETS, new or _NO_FACETS
    if one == other:
        return
    yield from _interval("length", _lengths(one), _lengths(other), _length_words(one), _length_words(other))
    yield from _range(base, one, other)
    for name, before, after in (
        ("totalDigits", one.total_digits, other.total_digits),
        ("fractionDigits", one.fraction_digits, other.fraction_digits),
    ):
        yield from _interval(name, (None, _number(before)), (None, _number(after)), before, after)
    yield from _patterns(one.patterns, other.patterns)
    if one.white_space != other.white_space:
        # It changes what a text means, not only which are taken.
        before, after = one.white_space or _WHITE_SPACE[0], other.white_space or _WHITE_SPACE[0]
        if before != after:
            yield "facet-changed", f"whiteSpace became {after}, it was {before}"


def number_bounds(base: str, facets: Facets | None) -> Bounds:
    """The least and greatest value that a type of numbers takes with its facets."""
    low, high = bounds(base)
    if facets is None:
        return low, high
    step = Decimal(1) if base in INTEGERS else Decimal(0)
    lows = [low, _number(facets.min_inclusive), _shifted(facets.min_exclusive, step)]
    highs = [high, _number(facets.max_inclusive), _shifted(facets.max_exclusive, -step)]
    return (
        max((each for each in lows if each is not None), default=None),
        min((each for each in highs if each is not None), default=None),
    )


def _range(base: str, old: Facets, new: Facets) -> Iterator[Outcome]:
    before = (old.min_inclusive, old.min_exclusive, old.max_inclusive, old.max_exclusive)
    after = (new.min_inclusive, new.min_exclusive, new.max_inclusive, new.max_exclusive)
    if before == after:
        return
    words = [
        ", ".join(
            f"{name} {text}"
            for name, text in zip(
                ("minInclusive", "minExclusive", "maxInclusive", "maxExclusive"), side, strict=True
            )
            if text
        )
        for side in (before, after)
    ]
    if base in INTEGERS:
        yield from _interval("range", number_bounds(base, old), number_bounds(base, new), *words)
        return
    one, other = of(base, old), of(base, new)
    if one is None or other is None or not comparable(one, other):
        # What cannot be weighed: added narrows, dropped widens, replaced does a bit of both.
        yield from _weighed("range", not words[1], not words[0], *words)
    else:
        wider, narrower = bounds_contain(other.ends, one.ends), bounds_contain(one.ends, other.ends)
        yield from _weighed("range", wider, narrower, *words)


def _lengths(facets: Facets) -> Bounds:
    if facets.length:
        return _number(facets.length), _number(facets.length)
    return _number(facets.min_length) or None, _number(facets.max_length)  # a least length of 0 says nothing


def _length_words(facets: Facets) -> str:
    pairs = (("length", facets.length), ("minLength", facets.min_length), ("maxLength", facets.max_length))
    return ", ".join(f"{name} {text}" for name, text in pairs if text)


def _interval(name: str, old: Bounds, new: Bounds, before: str, after: str) -> Iterator[Outcome]:
    yield from _weighed(name, bounds_contain(new, old), bounds_contain(old, new), before, after)


def _weighed(name: str, wider: bool, narrower: bool, before: str, after: str) -> Iterator[Outcome]:
    if not (wider and narrower):
        change = "facet-widened" if wider else "facet-narrowed" if narrower else "facet-changed"
        yield change, _words(name, before, after)


def _patterns(old: tuple[str, ...], new: tuple[str, ...]) -> Iterator[Outcome]:
    """Each pattern of the list must fit, so more of them narrow; of one, each branch will do, so more of
    these widen (XSD 1.0 part 2, 4.3.4). One branch against another cannot be weighed.
    """
    one, other = ([_branches(each) for each in side] for side in (old, new))
    wider = all(any(before <= after for before in one) for after in other)
    narrower = all(any(after <= before for after in other) for before in one)
    yield from _weighed("pattern", wider, narrower, " and ".join(old), " and ".join(new))


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


def _words(name: str, before: str, after: str) -> str:
    if not before:
        return f"{name} is restricted now: {after}"
    return (
        f"{name} is not restricted any more, it was: {before}"
        if not after
        else (f"{name} is restricted to {after}, it was {before}")
    )


def _number(text: str) -> Decimal | None:
    try:
        found = Decimal(text) if text else None
    except InvalidOperation:
        return None
    return found if found is None or found.is_finite() else None


def _shifted(text: str, by: Decimal) -> Decimal | None:
    found = _number(text)
    return None if found is None else found + by
