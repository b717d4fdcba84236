"""Which text pyarrow reads just as the row reader does: the rest has to go the slow way.

pyarrow takes what XSD does not (`0x10`, `1E3` as a decimal, `True`, a blank for the T, text after a closing
quote) and refuses some that XSD has (`+1`, 24:00:00, a seventh digit of a second). One regular expression
over whole blocks of text finds both; it runs several times faster than the parsing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

import pyarrow as pa
import pyarrow.compute as pc

from soapclient.runtime.settings import Column

# Bounds that pyarrow keeps are not for here, for counting is slow. It does not keep those of a decimal: it
# takes a number with a digit too many before the point, and holds what no decimal128(38, 9) may hold.
_WHOLE: Final = "-?[0-9]+"
_LONG: Final = "-?[0-9]{1,38}"
_NATURAL: Final = "[0-9]+"
_NUMBER: Final = r"-?[0-9]{1,29}(?:\.[0-9]+)?"
_DAY: Final = "[1-8][0-9]{3}-[0-9]{2}-[0-9]{2}"  # years that stay Python's whatever the offset
_MOMENT: Final = (
    rf"{_DAY}T(?:[01][0-9]|2[0-3]):[0-9]{{2}}:[0-9]{{2}}(?:\.[0-9]{{1,6}})?"
    r"(?:Z|[+-](?:0[0-9]|1[0-3]):[0-5][0-9])"
)
_TEXT: Final = r'(?:[^",\r\n][^,\r\n"]*|"(?:[^"]|"")*")?'

# A type that is not here is text.
_FORMS: Final = {
    "xsd:boolean": "true|false|0|1",
    "xsd:decimal": _NUMBER,
    "xsd:float": _NUMBER,
    "xsd:double": _NUMBER,
    "xsd:dateTime": _MOMENT,
    "xsd:date": _DAY,
    "xsd:integer": _LONG,
    "xsd:nonNegativeInteger": "[0-9]{1,38}",
    "xsd:positiveInteger": "[1-9][0-9]{0,37}",
    "xsd:long": _WHOLE,
    "xsd:int": _WHOLE,
    "xsd:short": _WHOLE,
    "xsd:byte": _WHOLE,
    "xsd:unsignedLong": _NATURAL,
    "xsd:unsignedInt": _NATURAL,
    "xsd:unsignedShort": _NATURAL,
    "xsd:unsignedByte": _NATURAL,
}


class UsualText:
    """Recognises blocks whose every cell is in the usual form of its column's type."""

    def __init__(self, header: Sequence[str], known: Iterable[Column]) -> None:
        types = {column.name: column.type for column in known}
        # Most files have quotes around text alone: without the other case the expression is a third faster.
        self._patterns = tuple(
            _rows([_cell(types.get(name), quoted) for name in header]) for quoted in (False, True)
        )

    def is_usual(self, block: bytes) -> bool:
        """Whether the block is whole records, all of them usual. It has to end in a line break."""
        ends = pa.array([0, len(block)], pa.int32()).buffers()[1]
        one = pa.Array.from_buffers(pa.binary(), 1, [None, ends, pa.py_buffer(block)])  # not copied
        return any(pc.match_substring_regex(one, each)[0].as_py() for each in self._patterns)


def _rows(cells: list[str]) -> str:
    # Blank lines are no records, for both readers.
    return rf"\A[\r\n]*(?:{','.join(cells)}[\r\n]+)*\z"


def _cell(kind: str | None, quoted: bool) -> str:
    form = _FORMS.get(kind or "xsd:string")
    if form is None:
        return _TEXT
    return f'(?:{form}|"(?:{form})"|"")?' if quoted else f"(?:{form})?"
