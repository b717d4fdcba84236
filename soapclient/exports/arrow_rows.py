"""Rows as Arrow columns, value by value: for what pyarrow's CSV reader does not read as it should."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterable, Iterator, Sequence
from decimal import Decimal
from typing import Final

import pyarrow as pa

from soapclient.exports.arrow_types import MOMENT
from soapclient.exports.cells import CellError, RowReader, Value

_EPOCH: Final = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
_MICROSECOND: Final = dt.timedelta(microseconds=1)
_ROWS: Final = 16_384  # in memory at once

Convert = Callable[[Value], object]
"""Value of a row → what pyarrow takes for the column. Raises ValueError for what does not fit."""


class RowColumns:
    """Turns records into record batches of a schema. Raises CellError for what a column cannot hold."""

    def __init__(self, schema: pa.Schema, reader: RowReader, header: Sequence[str], where: str) -> None:
        self._schema = schema
        self._reader = reader
        self._header = tuple(header)
        self._where = where
        self._converts = {field.name: _convert_for(field.type) for field in schema}

    def batches(self, records: Iterable[tuple[int, list[str]]]) -> Iterator[pa.RecordBatch]:
        """Give batches of bounded size."""
        columns: dict[str, list[object]] = {name: [] for name in self._schema.names}
        count = 0
        for line, cells in records:
            row = self._reader.row(cells, line)
            for name, values in columns.items():
                value = row.get(name)
                convert = self._converts[name]
                if value is None or convert is None:
                    values.append(value)
                    continue
                try:
                    values.append(convert(value))
                except ValueError as error:
                    cell = cells[self._header.index(name)]
                    raise CellError(self._where, line, name, cell, str(error)) from None
            count += 1
            if count == _ROWS:
                yield self._batch(columns)
                columns = {name: [] for name in self._schema.names}
                count = 0
        if count:
            yield self._batch(columns)

    def _batch(self, columns: dict[str, list[object]]) -> pa.RecordBatch:
        arrays = [pa.array(columns[field.name], field.type) for field in self._schema]
        return pa.RecordBatch.from_arrays(arrays, schema=self._schema)


def _convert_for(kind: pa.DataType) -> Convert | None:
    if isinstance(kind, pa.Decimal128Type):
        return _number_with(kind.precision, kind.scale)
    return _microseconds if kind == MOMENT else None


def _number_with(precision: int, scale: int) -> Convert:
    allowed = f"a number of at most {precision - scale} digits before the point and {scale} after it"

    def convert(value: Value) -> Decimal:
        if not isinstance(value, int | Decimal) or not Decimal(value).is_finite():
            raise ValueError(allowed)
        sign, digits, exponent = Decimal(value).as_tuple()
        assert isinstance(exponent, int)  # as in all finite numbers
        whole = "".join(map(str, digits)).lstrip("0")
        if not whole:
            return Decimal((sign, (0,), -scale))
        shown = whole.rstrip("0")
        exponent += len(whole) - len(shown)
        if exponent < -scale or len(shown) + exponent > precision - scale:
            raise ValueError(allowed)
        return Decimal((sign, tuple(map(int, shown)), exponent))

    return convert


def _microseconds(value: Value) -> int:
    """Microseconds since 1970: unlike a datetime in UTC, of any year that an offset can lead to."""
    if not isinstance(value, dt.datetime):
        raise TypeError(value)
    return (value - _EPOCH) // _MICROSECOND
