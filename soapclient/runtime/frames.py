"""What lists can be turned into: tables of other libraries, which stand here for type checkers alone."""

from __future__ import annotations

import datetime as dt
import os
from collections.abc import Callable, Coroutine, Iterator, Mapping
from functools import wraps
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, Protocol, TypedDict, TypeVar, Unpack

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow

    from soapclient._support.part_file import Written

P = ParamSpec("P")
T = TypeVar("T")

Zone = str | dt.tzinfo | None
ArrowTypes = Mapping[str, "pyarrow.DataType"]


class SchemaOptions(TypedDict, total=False):
    """Options of all tables: see `Tabular`."""

    zone: Zone
    types: ArrowTypes | None


class TableOptions(SchemaOptions, total=False):
    """Options of tables for which items are read: see `Tabular`."""

    progress: bool


class Tabular(Protocol):
    """Items that are left to be read, as a table: nested fields flattened, types exact.

    The columns come from the contract, so they are the same whatever comes (docs/how-to/tables.md). `zone` is
    what a date-time is shown in, and what one without a zone means: an IANA name or a tzinfo, by default UTC
    for the former and an error for the latter. `types` are those of columns by name, in place of the usual:
    `{"price": pyarrow.decimal128(38, 18)}`. `progress` shows how far it is, by tqdm or rich.

    All raise what iterating raises, TableError for a value that its column cannot hold, and ConfigError for a
    library that is not installed.
    """

    def schema(self, **options: Unpack[SchemaOptions]) -> pyarrow.Schema:
        """The columns and their types; nothing is asked for."""
        ...

    def batches(self, rows: int = 16_384, **options: Unpack[TableOptions]) -> Iterator[pyarrow.RecordBatch]:
        """Yield the items as record batches of `rows` rows, the last with fewer, in bounded memory."""
        ...

    def to_arrow(self, **options: Unpack[TableOptions]) -> pyarrow.Table:
        """Read all items into an Arrow table."""
        ...

    def to_pandas(self, **options: Unpack[TableOptions]) -> pandas.DataFrame:
        """Read all items into a pandas frame of Arrow types; enumerations are categories."""
        ...

    def to_polars(self, **options: Unpack[TableOptions]) -> polars.DataFrame:
        """Read all items into a polars frame."""
        ...

    def to_parquet(self, path: str | os.PathLike[str], **options: Unpack[TableOptions]) -> Written:
        """Write a Parquet file, in bounded memory. It gets its name when it is whole; one of that name is
        replaced.

        A range of days goes on where an earlier try was killed: its days lie in `PATH.days` until all are
        there.
        """
        ...

    def to_csv(self, path: str | os.PathLike[str], **options: Unpack[TableOptions]) -> Written:
        """Write a CSV file (RFC 4180, UTF-8), as `to_parquet` does; lists are JSON."""
        ...

    def to_excel(self, path: str | os.PathLike[str], **options: Unpack[TableOptions]) -> Written:
        """Write an Excel workbook, as `to_parquet` does. Needs the extra `excel`.

        Excel knows no zones: date-times are wall clock times of the zone that their column's name ends with.
        Numbers of more than 15 digits, which Excel would round, are texts.
        """
        ...


def _in_a_thread(
    method: Callable[Concatenate[Tabular, P], T],
) -> Callable[Concatenate[AsyncTabular, P], Coroutine[Any, Any, T]]:
    """Return a method of `Tabular` as one of `AsyncTabular`."""

    @wraps(method)
    async def run(self: AsyncTabular, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return await self._as_table(lambda items: getattr(items, method.__name__)(*args, **kwargs))

    return run


class AsyncTabular:
    """The same for asyncio: `Tabular` with `await`. What it does runs in a thread."""

    async def _as_table(self, made: Callable[[Tabular], T]) -> T:
        """What `made` makes of the list, in a thread."""
        raise NotImplementedError

    to_arrow = _in_a_thread(Tabular.to_arrow)
    to_pandas = _in_a_thread(Tabular.to_pandas)
    to_polars = _in_a_thread(Tabular.to_polars)
    to_parquet = _in_a_thread(Tabular.to_parquet)
    to_csv = _in_a_thread(Tabular.to_csv)
    to_excel = _in_a_thread(Tabular.to_excel)
