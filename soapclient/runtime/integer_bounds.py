"""The lowest and the highest value of each integer type of XSD.

Fast readers use them to check numbers without a call of `Leaf.parse`, the function that parses any text.
"""

from __future__ import annotations

from typing import Final

from soapclient.runtime import scalars

_LONGEST: Final = 2**63
# Integer types by their `parse`, which the copies of a type for other written forms share. Numbers beyond 63
# bits are uncommon: the readers that use these bounds leave them to a slower path.
INTEGER_BOUNDS: Final[dict[object, tuple[int, int]]] = {
    leaf.parse: (low, high)
    for leaf, low, high in (
        (scalars.INTEGER, -_LONGEST, _LONGEST - 1),
        (scalars.NON_NEGATIVE_INTEGER, 0, _LONGEST - 1),
        (scalars.POSITIVE_INTEGER, 1, _LONGEST - 1),
        (scalars.NON_POSITIVE_INTEGER, -_LONGEST, 0),
        (scalars.NEGATIVE_INTEGER, -_LONGEST, -1),
        (scalars.LONG, -_LONGEST, _LONGEST - 1),
        (scalars.INT, -(2**31), 2**31 - 1),
        (scalars.SHORT, -(2**15), 2**15 - 1),
        (scalars.BYTE, -(2**7), 2**7 - 1),
        (scalars.UNSIGNED_LONG, 0, _LONGEST - 1),
        (scalars.UNSIGNED_INT, 0, 2**32 - 1),
        (scalars.UNSIGNED_SHORT, 0, 2**16 - 1),
        (scalars.UNSIGNED_BYTE, 0, 2**8 - 1),
    )
}
