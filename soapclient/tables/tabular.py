"""Methods to read lists of the client as tables. Libraries are imported when needed."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Final, Literal

import msgspec

from soapclient._support.part_file import Written
from soapclient._support.redaction import clean, shown
from soapclient.errors import ConfigError
from soapclient.runtime import AnyOperation, Package
from soapclient.runtime.frames import ArrowTypes, Zone
from soapclient.runtime.html import facts_html
from soapclient.runtime.package import package as package_named
from soapclient.runtime.schema import OperationRow
from soapclient.tables.columns import Layout, layout, layout_of, layout_of_type
from soapclient.tables.libraries import needs
from soapclient.tables.progress import Bar, progress_bar
from soapclient.tables.source import Parts, Source

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow

    from soapclient.tables.arrow import Batches
    from soapclient.tables.sinks import Sink

_ROWS: Final = 16_384


class TableMethods:
    """Implements the methods of `soapclient.runtime.frames.Tabular`. Subclasses define `_source`.

    The arguments of the methods are described in the docstring of `Tabular`.
    """

    def _source(self) -> Source:
        """Return the list to read."""
        raise NotImplementedError

    def _repr_html_(self) -> str:
        """Return HTML for notebooks that shows how far the list has been read.

        It does not show items, because reading them would send requests.
        """
        shown = [(name, getattr(self, name, None)) for name in ("day", "page", "given", "total")]
        facts = [(name, value) for name, value in shown if value is not None]
        return facts_html(f"{type(self).__name__} of {self._source().name}", facts)

    def schema(self, *, zone: Zone = None, types: ArrowTypes | None = None) -> pyarrow.Schema:
        """Return the columns and their types. Sends nothing."""
        return _batches(self._source(), zone, types).schema

    def batches(
        self,
        rows: int = _ROWS,
        *,
        zone: Zone = None,
        types: ArrowTypes | None = None,
        progress: bool = False,
    ) -> Iterator[pyarrow.RecordBatch]:
        """Yield the items as record batches of `rows` rows (the last may have fewer), in bounded memory."""
        if rows < 1:
            raise ValueError(f"rows must be 1 or more, got {rows}")
        source = self._source()
        return _with_progress(source, _batches(source, zone, types), rows, progress)

    def to_arrow(
        self, *, zone: Zone = None, types: ArrowTypes | None = None, progress: bool = False
    ) -> pyarrow.Table:
        """Read all items into an Arrow table."""
        with needs("pyarrow"):
            import pyarrow
        source = self._source()
        converter = _batches(source, zone, types)
        batches = list(_with_progress(source, converter, _ROWS, progress)) or [converter.empty()]
        return pyarrow.Table.from_batches(batches, converter.schema).unify_dictionaries()

    def to_pandas(
        self, *, zone: Zone = None, types: ArrowTypes | None = None, progress: bool = False
    ) -> pandas.DataFrame:
        """Read all items into a pandas frame of Arrow types. Enumerations become categories."""
        with needs("pandas"):
            import pandas  # noqa: F401  # fail before anything is sent
        return frame_of(self.to_arrow(zone=zone, types=types, progress=progress))

    def to_polars(
        self, *, zone: Zone = None, types: ArrowTypes | None = None, progress: bool = False
    ) -> polars.DataFrame:
        """Read all items into a polars frame."""
        with needs("polars"):
            import polars
        with needs("pyarrow"):
            import pyarrow
        row = pyarrow.Table.from_pylist([{}], self.schema(zone=zone, types=types))
        try:
            polars.DataFrame(row)  # fail before anything is sent
        except polars.exceptions.PolarsError as error:
            problem = f"polars does not support these columns: {clean(str(error), 200)}"
            raise ConfigError("zone", problem, "Pass a zone of the IANA time zone database") from None
        return polars.DataFrame(self.to_arrow(zone=zone, types=types, progress=progress))

    def to_parquet(
        self,
        path: str | os.PathLike[str],
        *,
        zone: Zone = None,
        types: ArrowTypes | None = None,
        progress: bool = False,
    ) -> Written:
        """Write a Parquet file, in bounded memory.

        The file appears at `path` only when it is complete, and replaces an existing file.

        After an interruption, the same call for a range of days continues: complete days are stored in
        `PATH.days` until all are complete. If `path` is a folder, each day is stored in this folder instead,
        as a data set. A later call with a longer range then adds only the missing days.
        """
        return self._write(path, "parquet", zone, types, progress)

    def to_csv(
        self,
        path: str | os.PathLike[str],
        *,
        zone: Zone = None,
        types: ArrowTypes | None = None,
        progress: bool = False,
    ) -> Written:
        """Write a CSV file (RFC 4180, UTF-8). Lists become JSON.

        See `to_parquet` for when the file appears, and how an interrupted call continues.
        """
        return self._write(path, "csv", zone, types, progress)

    def to_excel(
        self,
        path: str | os.PathLike[str],
        *,
        zone: Zone = None,
        types: ArrowTypes | None = None,
        progress: bool = False,
    ) -> Written:
        """Write an Excel workbook. Requires the extra `excel`.

        See `to_parquet` for when the file appears, and how an interrupted call continues.

        Excel does not support time zones: date-times are written as local times, and the column's name ends
        with their zone. Numbers of more than 15 digits become text, because Excel would round them.
        """
        return self._write(path, "excel", zone, types, progress)

    def _write(
        self,
        path: str | os.PathLike[str],
        form: Literal["parquet", "csv", "excel"],
        zone: Zone,
        types: ArrowTypes | None,
        progress: bool,
    ) -> Written:
        sink, source = _sink(form), self._source()
        if not os.fspath(path):
            raise ConfigError("path", "is empty", "Pass the path of a file")
        slashed = os.fspath(path).endswith(tuple(separator for separator in (os.sep, os.altsep) if separator))
        if slashed and (source.parts is None or form != "parquet"):
            problem = f"{os.fspath(path)} is a folder, which is possible only for a range of days as Parquet"
            raise ConfigError("path", problem, "Pass the path of a file")
        converter = _batches(source, zone, types)
        if source.parts is None:
            return sink(
                source.name, converter.schema, _with_progress(source, converter, _ROWS, progress), path
            )
        from soapclient.tables.parts import write_parts

        request = {"zone": converter.zone, "types": {name: str(kind) for name, kind in (types or {}).items()}}
        return write_parts(
            source,
            source.parts,
            path,
            sink,
            batches=lambda part: _batches(part, zone, types, settle=False),  # all parts have one schema
            shape=request,
            to_folder=form == "parquet" and (slashed or os.path.isdir(path)),
            progress=progress,
        )


def frame_of(table: pyarrow.Table) -> pandas.DataFrame:
    """Return a table as a pandas frame of Arrow types. Enumerations become categories."""
    with needs("pandas"):
        import pandas
    from pyarrow.types import is_dictionary

    def mapped(kind: pyarrow.DataType) -> pandas.ArrowDtype | None:
        return None if is_dictionary(kind) else pandas.ArrowDtype(kind)

    return table.to_pandas(types_mapper=mapped)


class Rows(TableMethods):
    """The items of a response as a table. Iterating yields the items.

    >>> import datetime as dt
    >>> from soapclient import Client
    >>> from soapclient.tables import rows_of
    >>> with Client() as client:
    ...     page = client.publisher.get_sales(date=dt.date(2026, 11, 1), date_type="trackingDate", items=3)
    >>> table = rows_of(page).to_arrow()
    >>> table.num_rows, table.column_names[:2]
    (3, ['id', 'review_state'])
    """

    def __init__(self, name: str, layout: Layout, items: Sequence[object]) -> None:
        self._name = name
        self._layout = layout
        self._items = items

    def __iter__(self) -> Iterator[object]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)

    def _source(self) -> Source:
        return Source(self._name, lambda: self._layout, lambda: self._items, lambda: len(self._items))


def rows_of(response: object) -> Rows:
    """Return the list of a response as a table.

    For example, `rows_of(client.publisher.get_sales(date=day, date_type="trackingDate")).to_pandas()`. A
    response without a list becomes a table of one row. Raises ConfigError if `response` is not a value of a
    generated package.

    >>> import datetime as dt
    >>> from soapclient import Client
    >>> from soapclient.tables import rows_of
    >>> with Client() as client:
    ...     page = client.publisher.get_sales(date=dt.date(2026, 11, 1), date_type="trackingDate", items=3)
    >>> len(list(rows_of(page)))
    3
    """
    package = package_of(response)
    name = type(response).__name__
    field = list_field(package, name)
    if field is None:
        return Rows(name, layout_of_type(package.codec, name), [response])
    (listed,) = (item for item in package.codec.fields(name) if item.python == field)
    return Rows(name, layout(package.codec, listed), getattr(response, field) or [])


def package_of(value: object) -> Package:
    """Return the generated package that defines the type of a value.

    Raises ConfigError if no generated package defines it.
    """
    module = type(value).__module__
    if isinstance(value, msgspec.Struct) and module.endswith(".types"):
        package = package_named(module.removesuffix(".types"))
        if type(value).__name__ in package.schema.types:
            return package
    raise ConfigError(
        "response", f"{shown(value)} is not a value of a generated package", "Pass a response of a call"
    )


def list_field(package: Package, response: str) -> str | None:
    """Return the name of the attribute that holds the list in a response type; None if it has no list."""
    rows: Iterable[OperationRow] = map(package.operation_row, package.schema.operations)
    return next((row.list for row in rows if row.response == response and row.list), None)


def source_of(
    operation: AnyOperation,
    items: Callable[[], Iterable[object]],
    total: Callable[[], int | None] = lambda: None,
    parts: Parts | None = None,
) -> Source:
    """Return a `Source` for the list that an operation returns, so that it can be read as a table.

    `items` is a function that returns the items. `total` is a function that returns the number of items, or
    None if it is not known. `parts` is None if the list cannot be requested in parts.
    """
    return Source(operation.name, lambda: layout_of(operation), items, total, parts)


def _batches(source: Source, zone: Zone, types: ArrowTypes | None, *, settle: bool = True) -> Batches:
    with needs("pyarrow"):
        from soapclient.tables.arrow import Batches
    return Batches(source.name, source.layout(), zone, types, settle=settle)


def _sink(form: Literal["parquet", "csv", "excel"]) -> Sink:
    with needs("pyarrow"):
        from soapclient.tables import sinks
    if form == "excel":
        with needs("xlsxwriter"):
            from soapclient.tables.excel import write_excel
        return write_excel
    return sinks.write_parquet if form == "parquet" else sinks.write_csv


def _with_progress(
    source: Source, batches: Batches, rows: int, progress: bool
) -> Iterator[pyarrow.RecordBatch]:
    with progress_bar(progress, source.name, "rows") as bar:
        yield from batches.of(_count_items(source, bar) if progress else source.items(), rows)


def _count_items(source: Source, bar: Bar) -> Iterator[object]:
    for item in source.items():
        bar(1, source.total())
        yield item
