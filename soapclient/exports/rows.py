"""An exported file and its rows."""

from __future__ import annotations

import datetime as dt
import logging
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from soapclient.errors import ExportError
from soapclient.exports.cells import RowReader, Value
from soapclient.exports.csv_file import count_rows, header_of, records
from soapclient.exports.gunzip import Damaged, NotGzip
from soapclient.exports.inspection import Inspection
from zxws._runtime.tables import Column
from zxws.data.tables import TABLES

_BLOCK = 1 << 20

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ColumnDrift:
    """How a file's columns differ from the contract's; they are found by name, so order does no harm."""

    report_type: str
    missing: tuple[str, ...]
    added: tuple[str, ...]
    reordered: bool


@dataclass(frozen=True, slots=True)
class ExportFile:
    """A whole, verified gzip-csv file. `size` is in bytes, compressed; `sha256` is that of the file.

    `columns` are those of its header, `known` those the contract names for the report type (they give the
    cells their types). Iterating gives the rows.
    """

    path: Path
    report_type: str
    columns: tuple[str, ...]
    row_count: int
    size: int
    sha256: str
    known: tuple[Column, ...] = ()
    naive_zone: dt.tzinfo | None = None

    @classmethod
    def open(
        cls,
        path: str | os.PathLike[str],
        *,
        report_type: str,
        known: tuple[Column, ...] | None = None,
        naive_zone: dt.tzinfo | None = None,
        on_drift: Callable[[ColumnDrift], None] | None = None,
    ) -> ExportFile:
        """Take up a file from disk, reading it through once to verify it.

        `known` are the columns of the shipped contract if not given. `naive_zone` is the zone of date-times
        that name none; without it they are refused. Raises ExportError for a file that is not whole gzip,
        ReplyError for one whose header cannot be read, OSError where there is none.
        """
        path = Path(path)
        found = _inspected(path)
        file = cls(
            path=path,
            report_type=report_type,
            columns=header_of(path),
            row_count=found.rows if found.balanced else count_rows(path),
            size=found.size,
            sha256=found.sha256,
            known=TABLES.columns.get(report_type, ()) if known is None else known,
            naive_zone=naive_zone,
        )
        file.report_drift(on_drift)
        return file

    def rows(self) -> Iterator[dict[str, Value]]:
        """Give each row as column → typed value, in constant memory; an empty cell is None.

        Raises ReplyError with the line where a row has another number of cells than the header, or a cell
        does not fit its column's type.
        """
        reader = RowReader(self.columns, self.known, self.naive_zone, self.path.name)
        for line, cells in self._body():
            yield reader.row(cells, line)

    def raw_rows(self) -> Iterator[list[str]]:
        """Give each row as the texts of its cells, unchecked."""
        return (cells for _, cells in self._body())

    __iter__ = rows

    def drift(self) -> ColumnDrift | None:
        """Return how the columns differ from the contract's; None if they do not, or it names none."""
        names = tuple(column.name for column in self.known)
        if not names or names == self.columns:
            return None
        missing = tuple(name for name in names if name not in self.columns)
        added = tuple(name for name in self.columns if name not in names)
        shared = [name for name in self.columns if name in names]
        return ColumnDrift(self.report_type, missing, added, shared != [n for n in names if n in shared])

    def report_drift(self, on_drift: Callable[[ColumnDrift], None] | None = None) -> None:
        """Log how the columns differ from the contract's, and call `on_drift` with it."""
        drift = self.drift()
        if drift is not None:
            log.warning("%s: not the columns of the contract: %s", self.path, drift)
            if on_drift is not None:
                on_drift(drift)

    def _body(self) -> Iterator[tuple[int, list[str]]]:
        lines = records(self.path)
        next(lines, None)
        return lines


def _inspected(path: Path) -> Inspection:
    found = Inspection()
    try:
        with path.open("rb") as file:
            while block := file.read(_BLOCK):
                found.feed(block)
        found.finish()
    except NotGzip:
        raise ExportError(f"{path}: this is not a gzip file. Name a file that an export gave.") from None
    except Damaged as damage:
        raise ExportError(f"{path}: the file is damaged ({damage}). Download it again.") from None
    return found
