"""Interfaces of item iterators that can be converted to tables: pandas, polars, Arrow and files."""

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
    """Options of all methods of `Tabular`. The docstring of `Tabular` describes them.

    >>> import datetime as dt
    >>> from soapclient import Client
    >>> from soapclient.runtime import SchemaOptions
    >>> options: SchemaOptions = {"zone": "Europe/Berlin"}
    >>> with Client() as client:
    ...     sales = client.publisher.iterate.get_sales(date=dt.date(2026, 11, 1), date_type="trackingDate")
    ...     print(sales.schema(**options).field("tracking_date").type)
    timestamp[us, tz=Europe/Berlin]
    """

    zone: Zone
    types: ArrowTypes | None


class TableOptions(SchemaOptions, total=False):
    """Options of the methods of `Tabular` that read items. The docstring of `Tabular` describes them.

    >>> import datetime as dt
    >>> from soapclient import Client
    >>> from soapclient.runtime import TableOptions
    >>> options: TableOptions = {"zone": "Europe/Berlin", "progress": False}
    >>> with Client() as client:
    ...     sales = client.publisher.iterate.get_sales(date=dt.date(2026, 11, 1), date_type="trackingDate")
    ...     table = sales.to_arrow(**options)
    >>> print(table.schema.field("tracking_date").type)
    timestamp[us, tz=Europe/Berlin]
    """

    progress: bool


class Tabular(Protocol):
    """An iterator whose remaining items can be converted to a table. Nested fields become separate columns.

    The columns and their exact types come from the contract, so they are the same for all responses
    (docs/how-to/tables.md). `zone` is an IANA name or a tzinfo. Date-times are converted to this zone
    (default: UTC). Date-times without a zone are taken as local times in this zone; if `zone` is not given,
    they cause an error. `types` overrides column types by name: `{"price": pyarrow.decimal128(38, 18)}`.
    `progress` shows a progress bar with tqdm or rich.

    All methods raise the errors that iterating over the items raises, TableError for a value that its column
    cannot hold, and ConfigError if a library is not installed.
    """

    def schema(self, **options: Unpack[SchemaOptions]) -> pyarrow.Schema:
        """Return the columns and their types. Sends nothing."""
        ...

    def batches(self, rows: int = 16_384, **options: Unpack[TableOptions]) -> Iterator[pyarrow.RecordBatch]:
        """Yield the items as record batches of `rows` rows, in bounded memory.

        The last batch can be smaller.
        """
        ...

    def to_arrow(self, **options: Unpack[TableOptions]) -> pyarrow.Table:
        """Read all items into an Arrow table."""
        ...

    def to_pandas(self, **options: Unpack[TableOptions]) -> pandas.DataFrame:
        """Read all items into a pandas data frame of Arrow types. Enumerations are categories."""
        ...

    def to_polars(self, **options: Unpack[TableOptions]) -> polars.DataFrame:
        """Read all items into a polars data frame."""
        ...

    def to_parquet(self, path: str | os.PathLike[str], **options: Unpack[TableOptions]) -> Written:
        """Write a Parquet file, in bounded memory.

        The file gets its name only when it is complete. It then replaces an existing file. For a range of
        days, each day is first stored in the folder `PATH.days` when it is complete. If the process is
        killed, a new call requests only the missing days. At the end, the folder is replaced by the file.
        """
        ...

    def to_csv(self, path: str | os.PathLike[str], **options: Unpack[TableOptions]) -> Written:
        """Write a CSV file (RFC 4180, UTF-8) in the same way as `to_parquet`. Lists are written as JSON."""
        ...

    def to_excel(self, path: str | os.PathLike[str], **options: Unpack[TableOptions]) -> Written:
        """Write an Excel workbook in the same way as `to_parquet`. Needs the extra `excel`.

        Excel does not support time zones. Date-times are written as local times, and the column's name ends
        with their zone. Numbers of more than 15 digits are written as texts, because Excel would round them.
        """
        ...


def _in_a_thread(
    method: Callable[Concatenate[Tabular, P], T],
) -> Callable[Concatenate[AsyncTabular, P], Coroutine[Any, Any, T]]:
    """Convert a method of `Tabular` to a coroutine function, for use in `AsyncTabular`."""

    @wraps(method)
    async def run(self: AsyncTabular, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return await self._as_table(lambda items: getattr(items, method.__name__)(*args, **kwargs))

    return run


class AsyncTabular:
    """The `to_…` methods of `Tabular` as coroutine functions. They run in a thread."""

    async def _as_table(self, convert: Callable[[Tabular], T]) -> T:
        """Call `convert` in a thread with a synchronous iterator over the items. Return its result."""
        raise NotImplementedError

    to_arrow = _in_a_thread(Tabular.to_arrow)
    to_pandas = _in_a_thread(Tabular.to_pandas)
    to_polars = _in_a_thread(Tabular.to_polars)
    to_parquet = _in_a_thread(Tabular.to_parquet)
    to_csv = _in_a_thread(Tabular.to_csv)
    to_excel = _in_a_thread(Tabular.to_excel)
