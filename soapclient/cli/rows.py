"""Rows and columns of a JSON value, as aligned text or as CSV."""

from __future__ import annotations

import csv
import io
import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from soapclient.tables.texts import cell_text

Path = tuple[str, ...]

_NUMBER: Final = re.compile(r"-?\d+(\.\d+)?", re.ASCII)
_GAP: Final = "  "


@dataclass(frozen=True)
class Rows:
    """Rows of texts with the names of their columns. A missing value is an empty text."""

    columns: list[str]
    rows: list[list[str]]

    @classmethod
    def of(cls, items: Sequence[object]) -> Rows:
        """Make a row of each JSON value.

        The columns of an object are its fields; inner fields have names such as `program.id`. The columns of
        a list are its items, with the numbers 1, 2, … as names. Any other value is in a column named `value`.
        A list inside an object is written as JSON.
        """
        cells = [dict(_cells(item)) for item in items]
        paths: list[Path] = []
        seen: set[Path] = set()
        for row in cells:
            position = 0
            for path in row:
                if path not in seen:
                    seen.add(path)
                    paths.insert(position, path)
                    position += 1
                else:
                    position = paths.index(path) + 1
        parents = {path[:length] for path in paths for length in range(len(path))}
        empty = {path for path in parents if not any(row.get(path) for row in cells)}
        paths = [path for path in paths if path not in empty]
        rows = [[row.get(path) or "" for path in paths] for row in cells]
        return cls([".".join(path) or "value" for path in paths], rows)

    def csv(self) -> str:
        """Return the rows as CSV (RFC 4180), with the names of the columns in the first line."""
        text = io.StringIO(newline="")
        writer = csv.writer(text)
        writer.writerow(self.columns)
        writer.writerows(self.rows)
        return text.getvalue()

    def lines(self) -> list[str]:
        """Return the rows as lines with aligned columns. The first line has the names of the columns.

        A column that has only numbers is aligned on the right. Control characters are shown as escape
        sequences such as `\\n`.
        """
        table = [[printable(cell) for cell in row] for row in (self.columns, *self.rows)]
        columns = list(zip(*table, strict=True))
        widths = [max(map(width_of, column)) for column in columns]
        numeric = [all(not cell or _NUMBER.fullmatch(cell) for cell in column[1:]) for column in columns]
        return [_GAP.join(map(_aligned, row, widths, numeric)).rstrip(" ") for row in table]


def _cells(value: object, path: Path = ()) -> Iterator[tuple[Path, str | None]]:
    """Yield the path and the text of each cell of the row for the JSON value `value`.

    The text of null is None. The path has the names of the fields that contain the cell, such as
    `("program", "id")`.
    """
    if isinstance(value, dict) and value:
        for name, inner in value.items():
            yield from _cells(inner, (*path, name))
    elif isinstance(value, list) and value and not path:
        for number, inner in enumerate(value, 1):
            yield from _cells(inner, (str(number),))
    else:
        yield path, None if value is None else cell_text(value)


def printable(text: str, *, keep: str = "") -> str:
    """Replace characters that cannot be printed by escape sequences, except the characters in `keep`."""
    if text.isprintable():
        return text
    return "".join(
        char if char.isprintable() or char in keep else char.encode("unicode_escape").decode()
        for char in text
    )


def _aligned(text: str, width: int, is_number: bool) -> str:
    """Pad a cell with blanks to the width of its column: on the left if `is_number`, else on the right."""
    padding = " " * (width - width_of(text))
    return padding + text if is_number else text + padding


def width_of(text: str) -> int:
    """Return the number of columns that a text takes on a terminal."""
    if text.isascii():
        return len(text)
    return sum(map(_char_width, text))


def _char_width(char: str) -> int:
    """Return 2 for a wide character such as an ideograph, 0 for a combining character, else 1."""
    if unicodedata.combining(char):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


def fitted(line: str, width: int) -> str:
    """Cut a line to the width of a terminal. A cut line ends with `…`."""
    if width_of(line) <= width:
        return line
    kept, taken = 0, 0
    while taken + _char_width(line[kept]) < width:
        taken += _char_width(line[kept])
        kept += 1
    return f"{line[:kept]}…"
