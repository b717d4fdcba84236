"""What lists can be turned into: tables of other libraries, which stand here for type checkers alone."""

from __future__ import annotations

import datetime as dt
import os
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Protocol, TypeVar

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow

    from soapclient._support.part_file import Written

T = TypeVar("T")


class Tabular(Protocol):
    """Items that are left to be read, as a table: nested fields flattened, types exact.

    The columns come from the contract, so they are the same whatever comes (docs/how-to/tables.md). `zone` is
    what a date-time is shown in, and what one without a zone means: an IANA name or a tzinfo, by default UTC
    for the former and an error for the latter. `types` are those of columns by name, in place of the usual:
    `{"price": pyarrow.decimal128(38, 18)}`. `progress` shows how far it is, by tqdm or rich.

    All raise what iterating raises, TableError for a value that its column cannot hold, and ConfigError for a
    library that is not installed.
    """

    def schema(
        self, *, zone: str | dt.tzinfo | None = None, types: Mapping[str, pyarrow.DataType] | None = None
    ) -> pyarrow.Schema:
        """The columns and their types; nothing is asked for."""
        ...

    def batches(
        self,
        rows: int = 16_384,
        *,
        zone: str | dt.tzinfo | None = None,
        types: Mapping[str, pyarrow.DataType] | None = None,
        progress: bool = False,
    ) -> Iterator[pyarrow.RecordBatch]:
        """Yield the items as record batches of `rows` rows, the last with fewer, in bounded memory."""
        ...

    def to_arrow(
        self,
        *,
        zone: str | dt.tzinfo | None = None,
        types: Mapping[str, pyarrow.DataType] | None = None,
        progress: bool = False,
    ) -> pyarrow.Table:
        """Read all items into an Arrow table."""
        ...

    def to_pandas(
        self,
        *,
        zone: str | dt.tzinfo | None = None,
        types: Mapping[str, pyarrow.DataType] | None = None,
        progress: bool = False,
    ) -> pandas.DataFrame:
        """Read all items into a pandas frame of Arrow types; enumerations are categories."""
        ...

    def to_polars(
        self,
        *,
        zone: str | dt.tzinfo | None = None,
        types: Mapping[str, pyarrow.DataType] | None = None,
        progress: bool = False,
    ) -> polars.DataFrame:
        """Read all items into a polars frame."""
        ...

    def to_parquet(
        self,
        path: str | os.PathLike[str],
        *,
        zone: str | dt.tzinfo | None = None,
        types: Mapping[str, pyarrow.DataType] | None = None,
        progress: bool = False,
    ) -> Written:
        """Write a Parquet file, in bounded memory. It gets its name when it is whole; one of that name is
        replaced.

        A range of days goes on where an earlier try was killed: its days lie in `PATH.days` until all are
        there.
        """
        ...

    def to_csv(
        self,
        path: str | os.PathLike[str],
        *,
        zone: str | dt.tzinfo | None = None,
        types: Mapping[str, pyarrow.DataType] | None = None,
        progress: bool = False,
    ) -> Written:
        """Write a CSV file (RFC 4180, UTF-8), as `to_parquet` does; lists are JSON."""
        ...

    def to_excel(
        self,
        path: str | os.PathLike[str],
        *,
        zone: str | dt.tzinfo | None = None,
        types: Mapping[str, pyarrow.DataType] | None = None,
        progress: bool = False,
    ) -> Written:
        """Write an Excel workbook, as `to_parquet` does. Needs the extra `excel`.

        Excel knows no zones: date-times are wall clock times of the zone that their column's name ends with.
        Numbers of more than 15 digits, which Excel would round, are texts.
        """
        ...


class AsyncTabular:
    """The same for asyncio: `Tabular` with `await`. What it does runs in a thread."""

    async def _as_table(self, made: Callable[[Tabular], T]) -> T:
        """What `made` makes of the list, in a thread."""
        raise NotImplementedError

    async def to_arrow(
        self,
        *,
        zone: str | dt.tzinfo | None = None,
        types: Mapping[str, pyarrow.DataType] | None = None,
        progress: bool = False,
    ) -> pyarrow.Table:
        """As `Tabular.to_arrow`."""
        return await self._as_table(lambda items: items.to_arrow(zone=zone, types=types, progress=progress))

    async def to_pandas(
        self,
        *,
        zone: str | dt.tzinfo | None = None,
        types: Mapping[str, pyarrow.DataType] | None = None,
        progress: bool = False,
    ) -> pandas.DataFrame:
        """As `Tabular.to_pandas`."""
        return await self._as_table(lambda items: items.to_pandas(zone=zone, types=types, progress=progress))

    async def to_polars(
        self,
        *,
        zone: str | dt.tzinfo | None = None,
        types: Mapping[str, pyarrow.DataType] | None = None,
        progress: bool = False,
    ) -> polars.DataFrame:
        """As `Tabular.to_polars`."""
        return await self._as_table(lambda items: items.to_polars(zone=zone, types=types, progress=progress))

    async def to_parquet(
        self,
        path: str | os.PathLike[str],
        *,
        zone: str | dt.tzinfo | None = None,
        types: Mapping[str, pyarrow.DataType] | None = None,
        progress: bool = False,
    ) -> Written:
        """As `Tabular.to_parquet`."""
        return await self._as_table(
            lambda items: items.to_parquet(path, zone=zone, types=types, progress=progress)
        )

    async def to_csv(
        self,
        path: str | os.PathLike[str],
        *,
        zone: str | dt.tzinfo | None = None,
        types: Mapping[str, pyarrow.DataType] | None = None,
        progress: bool = False,
    ) -> Written:
        """As `Tabular.to_csv`."""
        return await self._as_table(
            lambda items: items.to_csv(path, zone=zone, types=types, progress=progress)
        )

    async def to_excel(
        self,
        path: str | os.PathLike[str],
        *,
        zone: str | dt.tzinfo | None = None,
        types: Mapping[str, pyarrow.DataType] | None = None,
        progress: bool = False,
    ) -> Written:
        """As `Tabular.to_excel`."""
        return await self._as_table(
            lambda items: items.to_excel(path, zone=zone, types=types, progress=progress)
        )
