"""An exported file: its rows, and its conversions to CSV, Arrow, Parquet, pandas and polars."""

from __future__ import annotations

import datetime as dt
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from soapclient._support.durable import nameable
from soapclient._support.part_file import NewFile, Written
from soapclient.errors import ColumnDrift, ExportError
from soapclient.runtime.settings import Column
from soapclient.tables.libraries import needs
from soapclient.tables.tabular import frame_of
from soapclient.tracking.exports.formats.columns import (
    TEXT,
    ColumnTypes,
    Expected,
    OnDrift,
    RowReader,
    Value,
    drift_between,
    drift_policy,
    expected_columns,
    names_in,
    report_drift,
    report_types,
    typed_columns,
)
from soapclient.tracking.exports.formats.gzip_csv import (
    Damaged,
    Inspection,
    NotGzip,
    count_rows,
    header_of,
    records,
    unpacked,
)
from zxws.data.service import PACKAGE

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow

_BLOCK = 1 << 20


@dataclass(frozen=True, slots=True)
class ExportFile:
    """A complete, verified gzip CSV file. `size` is in bytes, compressed; `sha256` is that of the file.

    `columns` are those of its header, `known` those it should have (they give the cells their types): the
    contract's for the report type or, if `ordered`, the chosen ones, or the groups with their sums. `types`
    are the caller's own and take precedence. `on_drift` says what to do about other columns by default.
    Iterating yields the rows.
    """

    path: Path
    report_type: str
    columns: tuple[str, ...]
    row_count: int
    size: int
    sha256: str
    known: tuple[Column, ...] = ()
    naive_zone: dt.tzinfo | None = None
    on_drift: OnDrift = "warn"
    ordered: bool = False
    types: tuple[Column, ...] = ()

    @classmethod
    def open(
        cls,
        path: str | os.PathLike[str],
        *,
        report_type: str,
        group_by: str | Sequence[str] | None = None,
        columns: str | Sequence[str] | None = None,
        types: ColumnTypes | None = None,
        known: tuple[Column, ...] | None = None,
        naive_zone: dt.tzinfo | None = None,
        on_drift: OnDrift | Callable[[ColumnDrift], None] | None = None,
    ) -> ExportFile:
        """Open a file on disk; it is read once to verify it.

        `group_by` and `columns` are what was ordered (see OrderOptions), `types` the types of columns whose
        cells are not what the contract says, or of which it says nothing: column → XSD type
        (`{"amount": "xsd:decimal"}`) or Python type (`Decimal`). `known` are the columns of the shipped
        contract if not given. `naive_zone` is the zone of date-times that name none; without it they are
        refused. `on_drift` is called with how the columns differ from what they should be, if they do;
        "error" raises ColumnsDiffer instead. Raises ConfigError for improper types, ExportError for a file
        that is not whole gzip, ResponseError for one whose header cannot be read or, where quotes stand bare
        or lines are blank, whose rows cannot; OSError where there is none.
        """
        path, given = nameable(Path(path)), typed_columns(types)
        found = _inspected(path)
        header = header_of(path)
        named = {"group_by": group_by, "columns": columns}
        request = {key: ",".join(names_in(value)) for key, value in named.items() if value}
        expected = (
            expected_columns(PACKAGE.settings, report_type, request, header)
            if known is None
            else Expected(known)
        )
        file = cls(
            path=path,
            report_type=report_type,
            columns=header,
            row_count=found.rows if found.exact else count_rows(path),
            size=found.size,
            sha256=found.sha256,
            known=expected.columns,
            naive_zone=naive_zone,
            ordered=expected.ordered,
            types=given,
        )
        file.report_drift(on_drift)
        report_types(str(path), report_type, header, expected.untyped, given)
        return file

    def with_types(self, types: ColumnTypes) -> ExportFile:
        """Return the file with other types for these columns; see `open`. Raises ConfigError."""
        given = {column.name: column for column in (*self.types, *typed_columns(types))}
        file = replace(self, types=tuple(given.values()))
        report_types(str(self.path), self.report_type, self.columns, (), file.types)
        return file

    @property
    def typed(self) -> tuple[Column, ...]:
        """All columns with the types of their cells: those it should have, then its others."""
        given = {column.name: column for column in self.types}
        known = {column.name: column for column in self.known}
        others = [Column(name, TEXT) for name in self.columns if name not in known]
        return tuple(given.get(column.name, column) for column in (*known.values(), *others))

    def rows(self) -> Iterator[dict[str, Value]]:
        """Yield each row as column → typed value, in constant memory; an empty cell is None.

        Raises ResponseError with the line where a row has another number of cells than the header, or a cell
        does not fit its column's type.
        """
        reader = RowReader(self.columns, self.typed, self.naive_zone, self.path.name)
        for line, cells in self._body():
            yield reader.row(cells, line)

    def raw_rows(self) -> Iterator[list[str]]:
        """Yield each row as the text of its cells, unchecked."""
        return (cells for _, cells in self._body())

    __iter__ = rows

    def to_csv(self, path: str | os.PathLike[str]) -> Written:
        """Write the rows as plain CSV, the bytes as they came. The file gets its name when it is complete.

        A file of that name is replaced. Raises ExportError for a file that is damaged or was changed, OSError
        where the file system refuses.
        """
        with NewFile(path, self.path) as target:
            with unpacked(self.path, self.sha256) as content:
                while block := content.read(_BLOCK):
                    target.write(block)
            return target.finish(self.row_count)

    def schema(self) -> pyarrow.Schema:
        """Return the columns and types of `batches`: those it should have, then its others."""
        with needs("pyarrow"):
            from soapclient.tracking.exports.formats.arrow import schema_of
        return schema_of(self)

    def batches(
        self, rows: int = 65_536, *, on_drift: OnDrift | None = None
    ) -> Iterator[pyarrow.RecordBatch]:
        """Yield the rows as Arrow record batches of `rows` rows, in memory that does not grow with the file.

        The values are those of `rows()`; a column the file lacks is null throughout. Date-times are instants
        in UTC to the microsecond, xsd:decimal, xsd:float and xsd:double are decimal128(38, 9), xsd:integer
        decimal128(38, 0). Raises ResponseError with line and column for what `rows()` refuses and for a
        number that has no place in its type, ColumnsDiffer for other columns than it should have if
        `on_drift` is "error", ExportError for a file that is damaged or was changed, ConfigError without
        pyarrow.
        """
        if rows < 1:
            raise ValueError(f"rows must be 1 or more, got {rows}")
        with needs("pyarrow"):
            from soapclient.tracking.exports.formats.arrow import batches_of
        self._refuse_drift(on_drift)
        return batches_of(self, rows)

    def to_parquet(self, path: str | os.PathLike[str], *, on_drift: OnDrift | None = None) -> Written:
        """Write the rows as a Parquet file, zstd-compressed. The file gets its name when it is complete.

        Its metadata name the source's SHA-256, the report type and the contract's SHA-256 where the columns
        are the shipped contract's. A file of that name is replaced. Raises what `batches` raises, and OSError
        where the file system refuses.
        """
        with needs("pyarrow"):
            from soapclient.tracking.exports.formats.arrow import write_parquet
        self._refuse_drift(on_drift)
        return write_parquet(self, path)

    def to_arrow(self, *, on_drift: OnDrift | None = None) -> pyarrow.Table:
        """Read all rows into memory as an Arrow table. Raises what `batches` raises."""
        with needs("pyarrow"):
            from soapclient.tracking.exports.formats.arrow import table_of
        self._refuse_drift(on_drift)
        return table_of(self)

    to_table = to_arrow

    def to_pandas(self, *, on_drift: OnDrift | None = None) -> pandas.DataFrame:
        """Read all rows into a pandas frame of Arrow types, so that ids with gaps stay whole numbers.

        Raises what `batches` raises, and ConfigError without pandas.
        """
        with needs("pandas"):
            import pandas  # noqa: F401  # before the file is read
        return frame_of(self.to_arrow(on_drift=on_drift))

    def to_polars(self, *, on_drift: OnDrift | None = None) -> polars.DataFrame:
        """Read all rows into a polars frame. Raises what `batches` raises, and ConfigError without polars."""
        with needs("polars"):
            import polars
        return polars.DataFrame(self.to_arrow(on_drift=on_drift))

    def drift(self) -> ColumnDrift | None:
        """Return how the columns differ from what they should be; None if they do not, or nobody knows.

        They should be those that were chosen, or the groups and sums that were ordered, else the contract's.
        """
        names = tuple(column.name for column in self.known)
        return drift_between(self.report_type, names, self.columns, ordered=self.ordered)

    def report_drift(self, on_drift: OnDrift | Callable[[ColumnDrift], None] | None = None) -> None:
        """Log how the columns differ from what they should be, and call `on_drift` with it.

        Raises ColumnsDiffer if they do and `on_drift` is "error".
        """
        report_drift(str(self.path), self.drift(), on_drift)

    def _refuse_drift(self, on_drift: OnDrift | None) -> None:
        # A warning was logged when the file was opened or downloaded.
        if drift_policy(on_drift, self.on_drift) == "error":
            report_drift(str(self.path), self.drift(), "error")

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
        raise ExportError(
            f"{path}: this is not a gzip file. Name a file that was downloaded by an export."
        ) from None
    except Damaged as damage:
        raise ExportError(f"{path}: the file is damaged ({damage}). Download it again.") from None
    return found
