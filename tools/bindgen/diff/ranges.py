"""What minInclusive and its like let in, of types with an order (XSD 1.0 part 2, 4.3.7 to 4.3.10)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation

from bindgen.model import Facets

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
_MARCH_FIRST = (0, 31, 61, 92, 122, 153, 184, 214, 245, 275, 306, 337)

End = tuple[Decimal, int]  # a value, and 1 or -1 for what lies just above or below it


@dataclass(frozen=True, slots=True)
class Range:
    """From `low` to `high`, None for no end. `zoned` is whether its times name a zone; None where none do."""

    low: End | None
    high: End | None
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
    return Range(max(lows, default=None), min(highs, default=None), *zones)


def comparable(one: Range, other: Range) -> bool:
    """Whether their ends can be held against each other: times with a zone and without one cannot."""
    return one.zoned is None or other.zoned is None or one.zoned == other.zoned


def contains(wide: Range, narrow: Range) -> bool:
    """Whether a range holds the whole of another."""
    low = wide.low is None or (narrow.low is not None and wide.low <= narrow.low)
    high = wide.high is None or (narrow.high is not None and wide.high >= narrow.high)
    return low and high


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
    days = _days(int(part.get("y") or 1), int(part.get("m") or 1), int(part.get("day") or 1))
    seconds = Decimal(days * 86_400 + int(part.get("hour") or 0) * 3600 + int(part.get("minute") or 0) * 60)
    seconds += Decimal(part.get("second") or 0)
    zone = part["zone"]
    if zone is not None and zone != "Z":
        minutes = int(zone[1:3]) * 60 + int(zone[4:])
        seconds -= minutes * 60 if zone[0] == "+" else -minutes * 60
    return seconds, zone is not None


def _days(y: int, m: int, day: int) -> int:
    """Days since 1 March of 0, by the calendar of today carried on both ways."""
    y -= m < 3
    march = _MARCH_FIRST[(m - 3) % 12]
    return y * 365 + y // 4 - y // 100 + y // 400 + march + day - 1
