"""Write record batches to an Excel workbook. Requires pyarrow and xlsxwriter."""

from __future__ import annotations

import datetime as dt
import math
import os
import shutil
import tempfile
from collections.abc import Iterable
from decimal import Decimal
from pathlib import Path
from typing import Final

import pyarrow as pa
import xlsxwriter
from xlsxwriter.exceptions import FileCreateError

from soapclient._support.part_file import NewFile, Written
from soapclient.errors import TableError
from soapclient.tables.sinks import rows_in, settled
from soapclient.tables.texts import cell_text

_MOST_ROWS: Final = 1_048_575  # without the header
_MOST_COLUMNS: Final = 16_384
_MOST_TEXT: Final = 32_767  # characters per cell
_DIGITS: Final = 15  # number of digits that Excel keeps
_FIRST: Final = dt.date(1900, 3, 1)  # earlier dates are wrong: Excel has a 29 February 1900
_MADE: Final = dt.datetime(2000, 1, 1)  # fixed, so that the same rows give the same file
_ANOTHER: Final = "Use to_parquet or to_csv."


def write_excel(
    name: str, schema: pa.Schema, batches: Iterable[pa.RecordBatch], path: str | os.PathLike[str]
) -> Written:
    """Write record batches to the file `path`, as a workbook with one sheet. Return what was written.

    Date-times are local times in the zone given in the header. `name` is the name of the sheet.
    """
    if len(schema) > _MOST_COLUMNS:
        raise TableError(name, "", 0, len(schema), f"at most {_MOST_COLUMNS:,} columns", _ANOTHER)
    with NewFile(path) as target, tempfile.TemporaryDirectory(prefix="soapclient-") as folder:
        schema, batches = settled(schema, batches)
        columns = [_header(field) for field in schema]
        whole = Path(folder, "whole.xlsx")
        options = {
            "constant_memory": True,
            "tmpdir": folder,
            "strings_to_formulas": False,  # texts of the service must never become formulas
            "strings_to_urls": False,
            "strings_to_numbers": False,
        }
        try:
            with xlsxwriter.Workbook(str(whole), options) as book:
                book.set_properties({"created": _MADE})
                sheet = _Sheet(book, name, columns)
                for batch in batches:
                    for row in rows_in(batch):
                        sheet.write(row)
                rows = sheet.finish()
        except FileCreateError as error:
            (failed,) = error.args
            raise failed if isinstance(failed, OSError) else OSError(str(failed)) from None
        with whole.open("rb") as workbook:
            shutil.copyfileobj(workbook, target)
        return target.finish(rows)


def _header(field: pa.Field[pa.DataType]) -> str:
    kind = field.type
    return f"{field.name} ({kind.tz})" if isinstance(kind, pa.TimestampType) and kind.tz else field.name


class _Sheet:
    """The sheet of a workbook, which is written row by row."""

    def __init__(self, book: xlsxwriter.Workbook, name: str, columns: list[str]) -> None:
        self._name = name
        self._columns = columns
        self._sheet = book.add_worksheet(name[:31])
        self._day = book.add_format({"num_format": "yyyy-mm-dd"})
        self._moment = book.add_format({"num_format": "yyyy-mm-dd hh:mm:ss.000"})
        bold = book.add_format({"bold": True})
        self._sheet.freeze_panes(1, 0)
        for at, column in enumerate(columns):
            self._sheet.set_column(at, at, min(60, max(12, len(column) + 2)))
            self._sheet.write_string(0, at, column, bold)
        self._rows = 0

    def write(self, row: tuple[object, ...]) -> None:
        """Append a row. Raises TableError if a limit of Excel is exceeded."""
        if self._rows == _MOST_ROWS:
            raise TableError(self._name, "", 0, _MOST_ROWS + 1, f"at most {_MOST_ROWS:,} rows", _ANOTHER)
        self._rows += 1
        for at, value in enumerate(row):
            if value is not None:
                self._put(self._rows, at, value)

    def finish(self) -> int:
        """Add Excel's filter to the columns. Returns the number of rows."""
        self._sheet.autofilter(0, 0, self._rows, max(0, len(self._columns) - 1))
        return self._rows

    def _put(self, row: int, at: int, value: object) -> None:
        sheet = self._sheet
        if isinstance(value, bool):
            sheet.write_boolean(row, at, value)
        elif isinstance(value, int | float | Decimal) and _fits(value):
            sheet.write_number(row, at, value)
        elif isinstance(value, dt.datetime) and value.date() >= _FIRST:
            sheet.write_datetime(row, at, value.replace(tzinfo=None), self._moment)
        elif isinstance(value, dt.date) and not isinstance(value, dt.datetime) and value >= _FIRST:
            sheet.write_datetime(row, at, dt.datetime(value.year, value.month, value.day), self._day)
        else:
            text = cell_text(value)
            if len(text) > _MOST_TEXT:
                column = self._columns[at]
                raise TableError(
                    self._name, column, row, text, f"at most {_MOST_TEXT:,} characters", _ANOTHER
                )
            sheet.write_string(row, at, text)


def _fits(value: float | Decimal) -> bool:
    """Return True if Excel can store a number without losing digits."""
    if isinstance(value, float):
        return math.isfinite(value) and float(f"{value:.16G}") == value  # xlsxwriter's format
    digits = "".join(map(str, Decimal(value).as_tuple().digits)).strip("0")
    return len(digits) <= _DIGITS
