"""An exported file: its rows, and its conversions to CSV, Arrow, Parquet, pandas and polars."""

from __future__ import annotations

import datetime as dt
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
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
    """A complete, verified gzip CSV file. Iterating yields the rows.

    - `size`, `sha256`: of the compressed file; the size is in bytes.
    - `columns`: the names in the header.
    - `known`: the expected columns with the types of their cells.
    - `ordered`: True if `known` comes from the order: the columns it chose, or its groups and their sums.
      False if `known` are the contract's columns of the report type.
    - `types`: types from the caller, which take precedence.
    - `naive_zone`: the time zone for date-times without a zone.
    - `on_drift`: the default policy for unexpected columns.

    >>> import datetime as dt
    >>> from soapclient import Client
    >>> day = dt.date(2026, 11, 1)
    >>> with Client() as client:
    ...     export = client.data.export(report_type="sale", from_date=day, to_date=day, reorder=True)
    ...     file = export.wait(deadline=600).download("sales.csv.gz")
    >>> row = next(file.rows())
    >>> table = file.to_arrow()
    >>> table.num_rows == file.row_count
    True
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
    _regular: bool = field(default=False, repr=False, compare=False)  # quotes are as in RFC 4180

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
        """Open a file on disk. The file is read once to verify it.

        - `group_by`, `columns`: as in the order (see OrderOptions).
        - `types`: overrides the contract's column types or adds missing ones: column → XSD type
          (`{"amount": "xsd:decimal"}`) or Python type (`Decimal`).
        - `known`: the expected columns. Default: the columns of the shipped contract.
        - `naive_zone`: the time zone for date-times without a zone. If it is None, they are errors.
        - `on_drift`: a function that is called with the difference if the columns are not the expected ones,
          or "error" to raise ColumnsDiffer.

        Raises ConfigError for invalid types, ExportError if the file is not a complete gzip file,
        ResponseError if the header is invalid, and OSError if the file cannot be read. If the file has blank
        lines or unescaped quotes, its rows are parsed to count them. ResponseError is then also raised if
        they are not valid CSV.
        """
        path, overrides = nameable(Path(path)), typed_columns(types)
        inspection = _inspect(path)
        header = header_of(path)
        options = {"group_by": group_by, "columns": columns}
        request = {key: ",".join(names_in(value)) for key, value in options.items() if value}
        expected = (
            expected_columns(PACKAGE.settings, report_type, request, header)
            if known is None
            else Expected(known)
        )
        file = cls(
            path=path,
            report_type=report_type,
            columns=header,
            row_count=inspection.rows if inspection.exact else count_rows(path),
            size=inspection.size,
            sha256=inspection.sha256,
            known=expected.columns,
            naive_zone=naive_zone,
            ordered=expected.ordered,
            types=overrides,
            _regular=inspection.exact,
        )
        file.report_drift(on_drift)
        report_types(str(path), report_type, header, expected.untyped, overrides)
        return file

    def with_types(self, types: ColumnTypes) -> ExportFile:
        """Return a copy that reads the columns in `types` with these types; see `open`.

        Raises ConfigError if a type is not supported.
        """
        merged = {column.name: column for column in (*self.types, *typed_columns(types))}
        file = replace(self, types=tuple(merged.values()))
        report_types(str(self.path), self.report_type, self.columns, (), file.types)
        return file

    @property
    def typed(self) -> tuple[Column, ...]:
        """All columns with the types of their cells: first the expected columns, then the others."""
        overrides = {column.name: column for column in self.types}
        known = {column.name: column for column in self.known}
        others = [Column(name, TEXT) for name in self.columns if name not in known]
        return tuple(overrides.get(column.name, column) for column in (*known.values(), *others))

    def rows(self) -> Iterator[dict[str, Value]]:
        """Yield each row as column → typed value, in constant memory; an empty cell is None.

        Raises ResponseError with the line if a row and the header differ in the number of cells, or a cell
        does not match its column's type.
        """
        reader = RowReader(self.columns, self.typed, self.naive_zone, self.path.name)
        for line, cells in self._body():
            yield reader.row(cells, line)

    def raw_rows(self) -> Iterator[list[str]]:
        """Yield each row as a list of strings, unchecked."""
        return (cells for _, cells in self._body())

    __iter__ = rows

    def to_csv(self, path: str | os.PathLike[str]) -> Written:
        """Write the unpacked CSV to a file, byte for byte, with its header.

        The file appears at `path` when it is complete, and replaces an existing file. Raises ExportError if
        the source is damaged or has changed, and OSError if the target cannot be written.
        """
        with NewFile(path, self.path) as target:
            with unpacked(self.path, self.sha256) as content:
                while block := content.read(_BLOCK):
                    target.write(block)
            return target.finish(self.row_count)

    def schema(self) -> pyarrow.Schema:
        """Return the Arrow schema of `batches`: first the expected columns, then the others."""
        with needs("pyarrow"):
            from soapclient.tracking.exports.formats.arrow import schema_of
        return schema_of(self)

    def batches(
        self, rows: int = 65_536, *, on_drift: OnDrift | None = None
    ) -> Iterator[pyarrow.RecordBatch]:
        """Yield the rows as Arrow record batches of `rows` rows, in memory that does not grow with the file.

        The values are the same as from `rows()`. Expected columns that the file does not have are null.
        Date-times are in UTC with microseconds. xsd:decimal, xsd:float and xsd:double become
        decimal128(38, 9), xsd:integer becomes decimal128(38, 0).

        Raises ResponseError with line and column for rows that `rows()` rejects, and for numbers outside the
        range of the Arrow type. Raises ColumnsDiffer for unexpected columns if `on_drift` is "error",
        ExportError if the file is damaged or has changed, and ConfigError without pyarrow.
        """
        if rows < 1:
            raise ValueError(f"rows must be 1 or more, got {rows}")
        with needs("pyarrow"):
            from soapclient.tracking.exports.formats.arrow import batches_of
        self._refuse_drift(on_drift)
        return batches_of(self, rows)

    def to_parquet(self, path: str | os.PathLike[str], *, on_drift: OnDrift | None = None) -> Written:
        """Write the rows as a Parquet file, zstd-compressed. The file gets its name when it is complete.

        Its metadata contains the source's SHA-256, the report type and, if the columns come from the shipped
        contract, the contract's SHA-256. An existing file is replaced. Raises the errors of `batches`, and
        OSError if the target cannot be written.
        """
        with needs("pyarrow"):
            from soapclient.tracking.exports.formats.arrow import write_parquet
        self._refuse_drift(on_drift)
        return write_parquet(self, path)

    def to_arrow(self, *, on_drift: OnDrift | None = None) -> pyarrow.Table:
        """Read all rows into memory as an Arrow table. Raises the errors of `batches`."""
        with needs("pyarrow"):
            from soapclient.tracking.exports.formats.arrow import table_of
        self._refuse_drift(on_drift)
        return table_of(self)

    to_table = to_arrow

    def to_pandas(self, *, on_drift: OnDrift | None = None) -> pandas.DataFrame:
        """Read all rows into a pandas frame of Arrow types, so that id columns with nulls stay integers.

        Raises the errors of `batches`, and ConfigError without pandas.
        """
        with needs("pandas"):
            import pandas  # noqa: F401  # fail before the file is read
        return frame_of(self.to_arrow(on_drift=on_drift))

    def to_polars(self, *, on_drift: OnDrift | None = None) -> polars.DataFrame:
        """Read all rows into a polars frame. Raises the errors of `batches`; ConfigError without polars."""
        with needs("polars"):
            import polars
        return polars.DataFrame(self.to_arrow(on_drift=on_drift))

    def drift(self) -> ColumnDrift | None:
        """Return how the columns differ from the expected columns `known`, or None if they agree.

        Also returns None if `known` is empty. If the order chose columns, `known` are these columns. If the
        order groups rows, `known` are the groups and their sums. Otherwise, `known` are the contract's
        columns of the report type.
        """
        names = tuple(column.name for column in self.known)
        return drift_between(self.report_type, names, self.columns, ordered=self.ordered)

    def report_drift(self, on_drift: OnDrift | Callable[[ColumnDrift], None] | None = None) -> None:
        """Report the difference between the file's columns and the expected columns, if there is one.

        The difference is logged, except if `on_drift` is "tolerate" or "error". If `on_drift` is a function,
        it is also called with the difference. If `on_drift` is "error", ColumnsDiffer is raised.
        """
        report_drift(str(self.path), self.drift(), on_drift)

    def _refuse_drift(self, on_drift: OnDrift | None) -> None:
        # Do not log again: opening or downloading the file logged the warning.
        if drift_policy(on_drift, self.on_drift) == "error":
            report_drift(str(self.path), self.drift(), "error")

    def _body(self) -> Iterator[tuple[int, list[str]]]:
        lines = records(self.path)
        next(lines, None)
        return lines


def _inspect(path: Path) -> Inspection:
    inspection = Inspection()
    try:
        with path.open("rb") as file:
            while block := file.read(_BLOCK):
                inspection.feed(block)
        inspection.finish()
    except NotGzip:
        raise ExportError(f"{path}: not a gzip file. Give a file that was downloaded by an export.") from None
    except Damaged as damage:
        raise ExportError(f"{path}: the file is damaged ({damage}). Download it again.") from None
    return inspection
