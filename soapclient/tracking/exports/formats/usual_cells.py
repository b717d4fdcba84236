"""Check that pyarrow and `RowReader` read the same values from all cells of a column (`CellType.usual`).

Most columns are checked by a few operations on the bytes of all cells together, which takes a fraction of the
time of a regular expression. Importing this module requires pyarrow.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

import pyarrow as pa
import pyarrow.compute as pc

from soapclient.tracking.exports.formats.columns import DAY, MOMENT, NATURAL, NUMBER, WHOLE

Cells = pa.StringArray
_DIGITS: Final = b"0123456789"
_NINES: Final = bytes.maketrans(_DIGITS, b"9" * 10)
_YEARS: Final = b"12345678"  # first digits of the years in `DAY`
_MOST_DIGITS: Final = 29  # as in `NUMBER`


def are_usual(cells: Cells, form: str) -> bool:
    """Return True if all cells have the form of their type, or another form that pyarrow reads correctly.

    `form` is the pattern `CellType.usual`. If the return value is True, casting the cells either raises
    ArrowInvalid or returns the values that `RowReader` returns. Null cells are ignored.
    """
    check = _QUICK.get(form)
    if check is not None and check(cells):
        return True
    matches = pc.match_substring_regex(cells, rf"\A(?:{form})\z")
    return pc.all(matches).as_py() is not False  # None: there are only null cells


def _content(cells: Cells) -> bytes:
    """Return the bytes of all cells, without separators."""
    _, ends, content = cells.buffers()
    if ends is None or content is None:
        return b""
    positions = memoryview(ends).cast("i")
    return bytes(memoryview(content)[positions[cells.offset] : positions[cells.offset + len(cells)]])


def _consists_of(characters: bytes) -> Callable[[Cells], bool]:
    return lambda cells: not _content(cells).translate(None, characters)


def _is_number(cells: Cells) -> bool:
    """Return True if all cells consist of digits, points and minus signs, and fit into decimal128(38, 9).

    A cell fits if it has at most 29 characters.
    """
    longest = pc.max(pc.binary_length(cells)).as_py()
    return longest is None or (
        longest <= _MOST_DIGITS and not _content(cells).translate(None, b".-0123456789")
    )


def _has_shape(content: bytes, count: int, shape: bytes) -> bool:
    """Return True if `content` consists of `count` texts of the form `shape`.

    Each 9 in `shape`, such as `9999-99-99`, means any digit. The first character of each text is the first
    digit of a year, and must be 1 to 8.
    """
    size = len(shape)
    return (
        len(content) == count * size
        and content.translate(_NINES) == shape * count
        and not content[::size].translate(None, _YEARS)
    )


def _is_day(cells: Cells) -> bool:
    return _has_shape(_content(cells), len(cells) - cells.null_count, b"9999-99-99")


def _is_moment(cells: Cells) -> bool:
    """Return True if all cells are date-times with whole seconds and with the same kind of time zone.

    Either all cells end in Z, or all have a UTC offset of less than ten hours with the same sign.
    """
    content, count = _content(cells), len(cells) - cells.null_count
    shape = b"9999-99-99T99:99:99"
    if content[len(shape) : len(shape) + 1] == b"Z":
        return _has_shape(content, count, shape + b"Z")
    sign = b"-" if content[len(shape) : len(shape) + 1] == b"-" else b"+"
    size = len(shape) + 6
    return (
        _has_shape(content, count, shape + sign + b"99:99")
        and not content[size - 5 :: size].strip(b"0")  # less than ten hours
        and not content[size - 2 :: size].translate(None, b"012345")
    )


_QUICK: Final[Mapping[str, Callable[[Cells], bool]]] = {
    WHOLE: _consists_of(b"-0123456789"),
    NATURAL: _consists_of(_DIGITS),
    NUMBER: _is_number,
    DAY: _is_day,
    MOMENT: _is_moment,
}
