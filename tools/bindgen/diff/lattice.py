"""Which built-in simple type takes all the values of which other (XSD 1.0 part 2, section 3).

By what may stand on the wire: integers by their bounds, texts by derivation. Types of different value spaces
(a date and a date-time, a decimal and a double) take nothing of each other, even where spellings overlap.
"""

from __future__ import annotations

from decimal import Decimal

Bounds = tuple[Decimal | None, Decimal | None]

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
NUMBERS = frozenset((*INTEGERS, "decimal"))


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


def bounds_contain(wide: Bounds, narrow: Bounds) -> bool:
    """Whether an interval holds the whole of another."""
    low = wide[0] is None or (narrow[0] is not None and wide[0] <= narrow[0])
    high = wide[1] is None or (narrow[1] is not None and wide[1] >= narrow[1])
    return low and high
