"""Write record batches to Parquet and CSV files. Requires pyarrow.

A file appears under its name only when it is complete.
"""

from __future__ import annotations

import csv
import datetime as dt
import io
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import islice
from typing import Final

import pyarrow as pa
import pyarrow.parquet as pq

from soapclient._support.part_file import NewFile, Written
from soapclient.errors import ConfigError
from soapclient.tables.texts import cell_text
from soapclient.tables.zones import Zone

Sink = Callable[[str, pa.Schema, Iterable[pa.RecordBatch], str | os.PathLike[str]], Written]
"""A function that writes a file, from the name of the list, its schema, its batches, and the path."""

GROUP: Final = 1 << 15  # rows per row group, which must fit in memory
_BUFFER: Final = 1 << 18  # bytes
_EPOCH: Final = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)


def write_parquet(
    name: str, schema: pa.Schema, batches: Iterable[pa.RecordBatch], path: str | os.PathLike[str]
) -> Written:
    """Write a Parquet file of zstd-compressed columns, with a row group for each batch."""
    rows = 0
    with NewFile(path) as target:
        schema, batches = settled(schema, batches)
        with parquet_writer(target, schema) as writer:
            for batch in batches:
                writer.write_batch(batch)
                rows += batch.num_rows
        return target.finish(rows)


@contextmanager
def parquet_writer(
    target: NewFile, schema: pa.Schema, dictionary: list[str] | bool = True
) -> Iterator[pq.ParquetWriter]:
    """Yield a writer for a Parquet file with zstd-compressed columns.

    `dictionary` has the names of the columns that are stored with a dictionary because their values repeat;
    True means all columns.
    """
    # buffered, because pyarrow writes each header and page separately
    buffered = io.BufferedWriter(target, _BUFFER)  # type: ignore[type-var]  # its `write` is freer
    with pq.ParquetWriter(
        pa.PythonFile(buffered, "w"),
        schema,
        compression="zstd",
        use_dictionary=dictionary,  # type: ignore[arg-type]  # names are taken, too
    ) as writer:
        yield writer
    buffered.flush()


def write_csv(
    name: str, schema: pa.Schema, batches: Iterable[pa.RecordBatch], path: str | os.PathLike[str]
) -> Written:
    """Write a CSV file (RFC 4180, UTF-8). A cell without a value is empty."""
    rows = 0
    with NewFile(path) as target:
        buffered = io.BufferedWriter(target, _BUFFER)  # type: ignore[type-var]  # its `write` is freer
        text = io.TextIOWrapper(buffered, "utf-8", newline="")
        writer = csv.writer(text)
        writer.writerow(schema.names)
        for batch in batches:
            writer.writerows(
                ["" if value is None else cell_text(value) for value in row] for row in rows_in(batch)
            )
            rows += batch.num_rows
        text.flush()
        return target.finish(rows)


def settled(
    schema: pa.Schema, batches: Iterable[pa.RecordBatch]
) -> tuple[pa.Schema, Iterable[pa.RecordBatch]]:
    """Return the final schema, and an iterator over all batches.

    The final schema is the schema of the first batch, or `schema` if there are no batches. `schema` cannot be
    final, because only the values of the first batch show if date-times have a zone.
    """
    rest = iter(batches)
    first = list(islice(rest, 1))

    def all_batches() -> Iterator[pa.RecordBatch]:
        while first:
            yield first.pop()  # free it before the next batch is built
        yield from rest

    return (first[0].schema if first else schema), all_batches()


def rows_in(batch: pa.RecordBatch) -> Iterator[tuple[object, ...]]:
    """Yield the rows of a batch as Python values, with date-times in the zone of their column."""
    return zip(*(_values(column) for column in batch.columns), strict=True)


def _values(column: pa.Array[pa.Scalar[pa.DataType]]) -> list[object]:
    kind = column.type
    if not isinstance(kind, pa.TimestampType):
        values: Callable[[], list[object]] = getattr(column, "to_pylist")  # noqa: B009  # of any type
        try:
            return values()
        except OverflowError:
            problem = "a date-time is outside the years 1 to 9999, which Python supports"
            raise ConfigError("zone", problem, "Use to_parquet, which can write such date-times") from None
    zone = Zone(kind.tz).tzinfo if kind.tz else None
    return [None if item is None else _moment(item, zone) for item in column.cast(pa.int64()).to_pylist()]


def _moment(microseconds: int, zone: dt.tzinfo | None) -> dt.datetime:
    try:
        moment = _EPOCH + dt.timedelta(microseconds=microseconds)
        return moment.replace(tzinfo=None) if zone is None else moment.astimezone(zone)
    except OverflowError:
        days = microseconds // 86_400_000_000
        raise ConfigError(
            "zone",
            f"a date-time {days} days after 1970 is outside the years 1 to 9999 in {zone}",
            "Use to_parquet, which can write such date-times",
        ) from None
