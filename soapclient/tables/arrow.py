"""Convert items to Arrow record batches without loss. Requires pyarrow.

The type of a column is defined by its `Shape` (`columns.py`), which comes from the contract.
"""

from __future__ import annotations

import datetime as dt
import logging
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from decimal import Decimal
from itertools import islice
from operator import attrgetter
from typing import Final, NamedTuple

import pyarrow as pa

from soapclient._support.redaction import shown
from soapclient.errors import ConfigError, TableError
from soapclient.runtime.nil import NIL
from soapclient.tables.arrow_arrays import (
    REFUSALS,
    Array,
    Build,
    Columns,
    Convert,
    array_of,
    builder,
    dictionary_array,
    leaf_builder,
)
from soapclient.tables.columns import Layout, Shape, TableColumn
from soapclient.tables.texts import cell_text, json_text
from soapclient.tables.zones import Zone

# 29 digits before the point and 9 after it: enough for money, and supported by databases as NUMERIC.
NUMBER: Final = pa.decimal128(38, 9)
WHOLE: Final = pa.decimal128(38, 0)  # xsd:integer is unbounded; larger values are errors
MOMENT: Final = pa.timestamp("us", "UTC")  # the original offset is not kept
NAIVE: Final = pa.timestamp("us")  # date-times without a zone
ENUM: Final = pa.dictionary(pa.int32(), pa.string())

_TYPES: Final[Mapping[str, pa.DataType]] = {
    "number": NUMBER,
    "whole": WHOLE,
    "moment": MOMENT,
    "enum": ENUM,
    "json": pa.string(),
    "name": pa.string(),
}
_EPOCH: Final = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
_MICROSECOND: Final = dt.timedelta(microseconds=1)

log = logging.getLogger(__name__)


def arrow_type(kind: str) -> pa.DataType:
    """Return the Arrow type for a kind, which is a value of `arrow_types.KINDS` or `string`."""
    arrow: pa.DataType = _TYPES.get(kind) or getattr(pa, kind)()
    return arrow


def number_with(precision: int, scale: int) -> Convert:
    """Return a function that converts numbers to decimal128(precision, scale).

    The function raises ValueError if a number has too many digits.
    """
    allowed = (
        f"a number with at most {precision - scale} digits before the decimal point and {scale} after it"
    )

    def convert(value: object) -> Decimal:
        if not isinstance(value, int | Decimal) or not Decimal(value).is_finite():
            raise ValueError(allowed)
        sign, digits, exponent = Decimal(value).as_tuple()
        assert isinstance(exponent, int)  # the exponent is a letter for infinity and NaN
        whole = "".join(map(str, digits)).lstrip("0")
        if not whole:
            return Decimal((sign, (0,), -scale))
        shown = whole.rstrip("0")
        exponent += len(whole) - len(shown)
        if exponent < -scale or len(shown) + exponent > precision - scale:
            raise ValueError(allowed)
        return Decimal((sign, tuple(map(int, shown)), exponent))

    return convert


def microseconds(value: object) -> int:
    """Return a date-time as microseconds since 1970.

    Works even if the time in UTC is outside the years 1 to 9999, which datetime supports.
    """
    if not isinstance(value, dt.datetime):
        raise TypeError(value)
    return (value - _EPOCH) // _MICROSECOND


class _ZoneError(ValueError):
    """Raised if some date-times of a column have a zone and others do not."""


def _naive_microseconds(value: object) -> int:
    if not isinstance(value, dt.datetime):
        raise TypeError(value)
    if value.tzinfo is not None:
        raise _ZoneError("a date-time without a zone")
    return microseconds(value.replace(tzinfo=dt.UTC))


class _ArrowColumn(NamedTuple):
    """A column: its Arrow field, and functions that get its value from an item and convert it.

    `build` converts the values of all items at `path`. It is None if each value must be converted by itself.
    """

    field: pa.Field[pa.DataType]
    get: Callable[[object], object]
    convert: Convert | None
    values: tuple[str, ...]  # of an enumeration
    path: tuple[str, ...] = ()
    build: Build | None = None


class Batches:
    """Converts items to record batches with the columns of a layout. `name` is the list's name in errors.

    `types` overrides the types of columns, by column name. Raises ConfigError if the zone is invalid, if
    `types` contains an unknown column, or if a column cannot have its type in `types`.
    """

    def __init__(
        self,
        name: str,
        layout: Layout,
        zone: str | dt.tzinfo | None = None,
        types: Mapping[str, pa.DataType] | None = None,
        *,
        settle: bool = True,
    ) -> None:
        """Prepare the columns.

        Date-time columns have a time zone by default. If `settle` is True and `zone` is None, a column has a
        zone only if its values in the first batch have one.
        """
        self._name = name
        self._zone = Zone(zone)
        self.zone = self._zone.name if self._zone.naive else ""
        chosen = dict(types or {})
        self._chosen = frozenset(chosen)
        self._unsettled = {
            at
            for at, column in enumerate(layout.columns)
            if settle and column.shape.kind == "moment" and zone is None and column.name not in chosen
        }
        self._columns = [
            self._arrow_column(column, chosen.pop(column.name, None)) for column in layout.columns
        ]
        for column in chosen:
            known = ", ".join(column.name for column in layout.columns)
            raise ConfigError(
                "types", f"{shown(column)} is not a column of {name}", f"Its columns are: {known}"
            )
        self._open = [(_getter(place.path), place) for place in layout.open]
        self._logged: set[tuple[tuple[str, ...], type]] = set()
        self.schema = pa.schema([column.field for column in self._columns])
        self._done = 0

    def of(self, items: Iterable[object], rows: int) -> Iterator[pa.RecordBatch]:
        """Yield the items as batches of `rows` rows (the last may have fewer).

        Raises TableError for a value that its column cannot hold.
        """
        rest = iter(items)
        while chunk := list(islice(rest, rows)):
            yield self._batch(chunk)

    def empty(self) -> pa.RecordBatch:
        """Return a batch without rows.

        The columns of enumerations are dictionary-encoded, with the contract's values as the dictionary.
        """
        return self._batch([])

    def _batch(self, items: Sequence[object]) -> pa.RecordBatch:
        self._look_at_types(items)
        if items and self._unsettled:
            self._settle(items)
        columns = Columns(items)
        arrays = [self._array(column, items, columns) for column in self._columns]
        self._done += len(items)
        return pa.RecordBatch.from_arrays(arrays, schema=self.schema)

    def _settle(self, items: Sequence[object]) -> None:
        """Give date-time columns a type without a zone if their first value has no zone."""
        for at in self._unsettled:
            column = self._columns[at]
            values = (column.get(item) for item in items)
            first = next((value for value in values if isinstance(value, dt.datetime)), None)
            if first is not None and first.tzinfo is None:
                self._columns[at] = _naive(column)
        self._unsettled.clear()
        self.schema = pa.schema([column.field for column in self._columns])

    def _array(self, column: _ArrowColumn, items: Sequence[object], columns: Columns) -> Array:
        """Convert the values of a column together. If this fails, convert them one by one.

        `columns` has the values of `items` by path.
        """
        with suppress(*REFUSALS):
            if column.field.type == ENUM:
                return dictionary_array(columns[column.path], _enum_text, column.values)
            if column.build is not None:
                return array_of(columns[column.path], column.field.type, column.build)
        return self._array_by_value(column, items)

    def _array_by_value(self, column: _ArrowColumn, items: Sequence[object]) -> Array:
        """Convert the values of a column one by one. Raises TableError for the first invalid value."""
        get, convert = column.get, column.convert
        values: list[object] = []
        for at, item in enumerate(items):
            value = get(item)
            if value is None or value is NIL:
                value = None
            elif convert is not None:
                try:
                    value = convert(value)
                except (TypeError, OverflowError):
                    raise self._unfit(column, self._done + at + 1, value, f"{column.field.type}") from None
                except ValueError as error:
                    zone = isinstance(error, _ZoneError) and column.field.name not in self._chosen
                    raise self._unfit(
                        column, self._done + at + 1, value, str(error), needs_zone=zone
                    ) from None
            values.append(value)
        if column.field.type == ENUM:
            return dictionary_array(values, _enum_text, column.values)
        try:
            return pa.array(values, column.field.type)
        except (pa.ArrowException, TypeError, ValueError, OverflowError):
            at = next((at for at, value in enumerate(values) if not _fits(value, column.field.type)), -1)
            if at < 0:  # the error is not caused by a single value
                raise
            raise self._unfit(column, self._done + at + 1, values[at], f"{column.field.type}") from None

    def _unfit(
        self, column: _ArrowColumn, row: int, value: object, allowed: str, *, needs_zone: bool = False
    ) -> TableError:
        """Return the error for a value that does not have the type of its column.

        `allowed` describes the values that the column can have. If `needs_zone` is True, the error says that
        the caller should pass the argument `zone`.
        """
        name = column.field.name
        advice = (
            "Pass zone=, such as zone='Europe/Berlin'"
            if needs_zone
            else f"Give the column another type, such as types={{{name!r}: pyarrow.string()}}"
        )
        return TableError(self._name, name, row, value, allowed, f"{advice}.")

    def _look_at_types(self, items: Sequence[object]) -> None:
        """Log a warning if values have a derived type, because its additional fields have no columns.

        The warning is logged once for each path and type.
        """
        for get, place in self._open:
            for kind in {type(get(item)) for item in items} - {place.kind, type(None), type(NIL)}:
                if (place.path, kind) not in self._logged:
                    self._logged.add((place.path, kind))
                    where = ".".join(place.path) or "its items"
                    log.warning(
                        "%s: the columns of %s are the fields of %s; other fields of %s are omitted",
                        self._name,
                        where,
                        place.kind.__name__,
                        kind.__name__,
                    )

    # ---- building columns

    def _arrow_column(self, column: TableColumn, given: pa.DataType | None) -> _ArrowColumn:
        shape = column.shape
        if shape.kind == "name":
            return _ArrowColumn(pa.field(column.name, pa.string()), _class_name(column.path[:-1]), None, ())
        get = _getter(column.path)
        if given is not None:
            chosen = self._chosen_converter(column, given)
            build = leaf_builder(given, chosen, _usual_values(chosen, given))
            return _ArrowColumn(pa.field(column.name, given), get, chosen, (), column.path, build)
        if shape.kind == "enum":
            return _ArrowColumn(pa.field(column.name, ENUM), get, _enum_text, shape.values, column.path)
        kind, convert = self._inner(shape)
        build = builder(kind, convert, shape, self._inner)
        return _ArrowColumn(pa.field(column.name, kind), get, convert, (), column.path, build)

    def _inner(self, shape: Shape) -> tuple[pa.DataType, Convert | None]:
        return self._type(shape), self._convert(shape)

    def _type(self, shape: Shape) -> pa.DataType:
        if shape.kind == "list":
            return pa.list_(self._type(shape.inner[0]))
        if shape.kind == "struct":
            inner = zip(shape.names, map(self._type, shape.inner), strict=True)
            return pa.struct([pa.field(name, kind) for name, kind in inner])
        if shape.kind == "moment":
            return pa.timestamp("us", self._zone.name)
        return pa.string() if shape.kind == "enum" else arrow_type(shape.kind)

    def _convert(self, shape: Shape) -> Convert | None:
        """Return a function that converts the values of a shape for pyarrow. None if no conversion is needed.

        The function is not called for missing values.
        """
        match shape.kind:
            case "list":
                return _list_converter(self._convert(shape.inner[0]))
            case "struct":
                inner = map(self._convert, shape.inner)
                return _structure(shape, tuple(zip(shape.names, inner, strict=True)))
            case "json":
                return json_text
            case "name":
                return lambda value: type(value).__name__
            case "enum":
                return _enum_text
            case "number":
                return number_with(NUMBER.precision, NUMBER.scale)
            case "whole":
                return number_with(WHOLE.precision, WHOLE.scale)
            case "moment":
                return self._moment
            case "string":
                return _text_converter(shape.text)
        return None

    def _moment(self, value: object) -> int:
        if isinstance(value, dt.datetime) and value.tzinfo is None:
            if not self._zone.naive:
                raise _ZoneError("a date-time with a zone")
            value = value.replace(tzinfo=self._zone.tzinfo)
        return microseconds(value)

    def _chosen_converter(self, column: TableColumn, given: pa.DataType) -> Convert:
        """Return a function that converts a column's values to `given`, the type that the caller chose.

        Raises ConfigError if the column cannot have this type.
        """
        if not isinstance(given, pa.DataType):
            problem = f"the type of {column.name} must be a pyarrow type, got {shown(given)}"
            raise ConfigError("types", problem, "Choose a type such as pyarrow.string()")
        if pa.types.is_string(given):
            return json_text if column.shape.inner or column.shape.kind == "json" else cell_text
        if column.shape.kind == "moment" and given == NAIVE:
            return _naive_microseconds
        numbers = column.shape.kind in ("number", "whole", "float64") or "int" in column.shape.kind
        if numbers and isinstance(given, pa.Decimal128Type):
            return number_with(given.precision, given.scale)
        if numbers and pa.types.is_float64(given):
            return _binary
        raise ConfigError(
            "types",
            f"{column.name} cannot have the type {shown(given)}",
            "Choose pyarrow.string(), for a number pyarrow.decimal128(38, 18) or pyarrow.float64(), "
            "for date-times without a zone pyarrow.timestamp('us')",
        )


def _naive(column: _ArrowColumn) -> _ArrowColumn:
    build = leaf_builder(NAIVE, _naive_microseconds, "naive")
    field = pa.field(column.field.name, NAIVE)
    return column._replace(field=field, convert=_naive_microseconds, build=build)


def _usual_values(convert: Convert, given: pa.DataType) -> str:
    """Return the kind of values that need no `convert`: pyarrow gives the same result for the type `given`.

    The kind is "string", "naive" or "number" (see `leaf_builder`), or "" if all values need `convert`.
    """
    if convert is cell_text:
        return "string"
    if convert is _naive_microseconds:
        return "naive"
    return "number" if isinstance(given, pa.Decimal128Type) else ""


def _fits(value: object, kind: pa.DataType) -> bool:
    try:
        pa.array([value], kind)
    except (pa.ArrowException, TypeError, ValueError, OverflowError):
        return False
    return True


def _getter(path: tuple[str, ...]) -> Callable[[object], object]:
    """Return a function that gets the value at a path of attributes from an item.

    The function returns None if an attribute on the path has no value.
    """
    if not path:
        return lambda item: item
    steps = [attrgetter(name) for name in path]
    if len(steps) == 1:
        return _lenient(path[0], steps[0])

    def get(item: object) -> object:
        for name, step in zip(path, steps, strict=True):
            if item is None or item is NIL:
                return None
            try:
                item = step(item)
            except AttributeError:
                item = getattr(item, name, None)
        return item

    return get


def _lenient(name: str, step: Callable[[object], object]) -> Callable[[object], object]:
    def get(item: object) -> object:
        try:
            return step(item)
        except AttributeError:  # a concrete type without this field, which another concrete type has
            return None

    return get


def _class_name(path: tuple[str, ...]) -> Callable[[object], object]:
    get = _getter(path)

    def name(item: object) -> object:
        value = get(item)
        return None if value is None or value is NIL else type(value).__name__

    return name


def _enum_text(value: object) -> str:
    return str(getattr(value, "value", value))


def _text_converter(text: Callable[[object], str] | None) -> Convert:
    """Return a function that converts values to text, in the format that the contract defines.

    The function returns a string unchanged, and calls `text` for any other value, such as a time.
    """

    def convert(value: object) -> str:
        if isinstance(value, str):
            return str(value)
        assert text is not None  # every simple type has one
        return text(value)

    return convert


def _list_converter(convert: Convert | None) -> Convert:
    def several(values: object) -> list[object]:
        assert isinstance(values, Iterable)
        return [
            None if value is None or value is NIL else value if convert is None else convert(value)
            for value in values
        ]

    return several


def _structure(shape: Shape, inner: tuple[tuple[str, Convert | None], ...]) -> Convert:
    named = {name for name, kind in zip(shape.names, shape.inner, strict=True) if kind.kind == "name"}

    def convert(value: object) -> dict[str, object]:
        converted: dict[str, object] = {}
        for name, inside in inner:
            part = value if name in named else getattr(value, name, None)
            if part is None or part is NIL:
                converted[name] = None
            else:
                converted[name] = part if inside is None else inside(part)
        return converted

    return convert


def _binary(value: object) -> float:
    assert isinstance(value, int | float | Decimal)  # the kind of a column of numbers
    result = float(value)
    if math.isinf(result) and Decimal(value).is_finite():
        raise ValueError("a number that fits in float64 (up to 1.8e308)")
    return result
