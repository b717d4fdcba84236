"""Convert complete columns of Python values to Arrow arrays. Requires pyarrow.

Converting a column at once is several times faster than converting its values one by one. But pyarrow
converts some values that are errors here, such as a date-time without a zone, so the types of the values are
checked first. If a function cannot be certain of the result, it raises `Unusual`. The caller then converts
the values one by one (`arrow.py`), which also finds the invalid value for an error.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Sequence
from decimal import Context, Decimal, Rounded
from itertools import accumulate
from operator import attrgetter
from typing import Any, Final, TypeAlias
from zoneinfo import ZoneInfo

import pyarrow as pa

from soapclient.runtime.nil import NIL, Nil
from soapclient.tables.columns import Shape

Array: TypeAlias = "pa.Array[pa.Scalar[pa.DataType]]"
Convert = Callable[[object], object]
"""Converts a value for pyarrow. Raises ValueError with the allowed values as its message."""
Build = Callable[[list[object], set[type]], Array]
"""Converts a column of values without NIL. The second argument holds their types, without NoneType."""
Inner = Callable[[Shape], tuple[pa.DataType, Convert | None]]
"""Returns the Arrow type and the converter for the values of a shape."""

REFUSALS: Final = (pa.ArrowException, AttributeError, TypeError, ValueError, OverflowError)
"""Exceptions after which the values of a column are converted one by one. `Unusual` is a ValueError."""

_NONE: Final = type(None)
_ZONES: Final = frozenset({dt.timezone, ZoneInfo})  # these kinds always have an offset
_NUMBERS: Final = frozenset({Decimal, int})


class Unusual(ValueError):
    """Raised if the values of a column must be converted one by one."""


class Columns:
    """The columns of some items, as lists of values. Each path of attributes is followed only once."""

    def __init__(self, items: Sequence[object]) -> None:
        self._items = items
        self._values: dict[tuple[str, ...], Sequence[object]] = {(): items}

    def __getitem__(self, path: tuple[str, ...]) -> Sequence[object]:
        """Return the value of each item at a path of attributes. It is None if an attribute has no value."""
        return self._within(path) if len(path) < 2 else parts_of(self._within(path[:-1]), path[-1])

    def _within(self, path: tuple[str, ...]) -> Sequence[object]:
        values = self._values.get(path)
        if values is None:
            step = attrgetter(path[-1])
            try:
                values = list(map(step, self._items)) if len(path) == 1 else None
            except AttributeError:
                values = [getattr(item, path[0], None) for item in self._items]
            if values is None:
                values = parts_of(self._within(path[:-1]), path[-1])
            self._values[path] = values
        return values


def parts_of(values: Sequence[object], name: str) -> Sequence[object]:
    """Return the attribute `name` of each value. It is None if the value or the attribute is missing."""
    step = attrgetter(name)
    try:
        return [None if value is None or value is NIL else step(value) for value in values]
    except AttributeError:  # a concrete type without this field, which another concrete type has
        return [None if value is None or value is NIL else getattr(value, name, None) for value in values]


def array_of(values: Sequence[object], kind: pa.DataType, build: Build) -> Array:
    """Convert values to an array of the type `kind`. NIL (the value of an `xsi:nil` element) becomes null.

    `build` creates the array. It is called with the values, in which NIL is replaced by None, and with the
    set of the classes of all other values. Raises Unusual if the values are too large for one array.
    """
    kinds = set(map(type, values))
    if Nil in kinds:
        values = [None if value is NIL else value for value in values]
    kinds -= {_NONE, Nil}
    if not kinds:
        return pa.array([None] * len(values), kind)
    array = build(values if isinstance(values, list) else list(values), kinds)
    if not isinstance(array, pa.Array):  # a chunked array, because the values are too large for an array
        raise Unusual
    return array


def builder(kind: pa.DataType, convert: Convert | None, shape: Shape, inner: Inner) -> Build:
    """Return the function that builds arrays of the type `kind` from values that `shape` describes.

    `convert` converts single values, or is None if they need no conversion. `inner` is a function that
    returns the Arrow type and the converter for a shape inside `shape`, such as the shape of list items.
    """
    match shape.kind:
        case "list":
            return _list_builder(kind, shape.inner[0], inner)
        case "struct":
            return _struct_builder(kind, shape, inner)
        case "enum":
            return _repeating(kind, convert)
    return leaf_builder(kind, convert, shape.kind)


def leaf_builder(kind: pa.DataType, convert: Convert | None, name: str) -> Build:
    """Return the function that builds arrays from values that are neither lists nor structures.

    `convert` converts one value; None if pyarrow can convert all values. `name` is the kind of the values.
    pyarrow also converts values of these kinds, exactly as `convert` would:

    - `number`, `whole`: numbers that need no rounding.
    - `moment`: date-times with a zone. `naive`: date-times without a zone.
    - `string`: strings.

    All other values are converted one by one by `convert`.
    """
    if convert is None:
        return lambda values, kinds: pa.array(values, kind)
    usual = {
        "number": _numbers_within(kind),
        "whole": _numbers_within(kind),
        "moment": _have_zones,
        "naive": _have_no_zones,
        "string": _are_texts,
    }.get(name)

    def build(values: list[object], kinds: set[type]) -> Array:
        if usual is not None and usual(values, kinds):
            try:
                return pa.array(values, kind)
            except (pa.ArrowException, ValueError, OverflowError):
                pass  # such as a number with too many zeros at its end, which `convert` removes
        return pa.array([None if value is None else convert(value) for value in values], kind)

    return build


def _numbers_within(kind: pa.DataType) -> Callable[[list[Any], set[type]], bool]:
    """Return a function that returns True if pyarrow can convert numbers to `kind` without rounding them.

    Its arguments are the values and the set of their classes. `kind` is a decimal type.

    Usually pyarrow raises an error if it would have to round. The exception is a number that is much smaller
    than the last digit of `kind`, such as 1E-48: pyarrow converts it to 0.
    """
    if not isinstance(kind, pa.Decimal128Type):
        return lambda values, kinds: False
    least, most = -kind.scale, kind.precision - kind.scale - 1
    adjusted = Decimal.adjusted  # the exponent of a number's first digit

    def are_numbers(values: list[Any], kinds: set[type]) -> bool:
        if not kinds <= _NUMBERS:
            return False
        plus = Context(kind.precision, traps=[Rounded]).plus  # raises an error if a number has more digits
        try:
            exponents = {adjusted(plus(value)) for value in values if type(value) is Decimal}
        except Rounded:
            return False
        return not exponents or (least <= min(exponents) and max(exponents) <= most)

    return are_numbers


def _are_texts(values: list[object], kinds: set[type]) -> bool:
    return kinds == {str}


def _have_zones(values: list[Any], kinds: set[type]) -> bool:
    if kinds != {dt.datetime}:
        return False
    return {type(value.tzinfo) for value in values if value is not None} <= _ZONES


def _have_no_zones(values: list[Any], kinds: set[type]) -> bool:
    return kinds == {dt.datetime} and all(value is None or value.tzinfo is None for value in values)


def dictionary_array(values: Sequence[object], text: Callable[[object], str], known: Sequence[str]) -> Array:
    """Return a dictionary-encoded array of the texts of values. A value without text (None, NIL) is null.

    The dictionary contains the `known` values of the contract, then unknown values. `text` is called only
    once for each distinct object, because many values are the same member of an enumeration.
    """
    places = {value: at for at, value in enumerate(known)}
    objects = dict(zip(map(id, values), values, strict=True))
    place_of = {
        key: None if value is None or value is NIL else places.setdefault(text(value), len(places))
        for key, value in objects.items()
    }
    indices = pa.array(list(map(place_of.__getitem__, map(id, values))), pa.int32())
    return pa.DictionaryArray.from_arrays(indices, pa.array(list(places), pa.string()))


def _repeating(kind: pa.DataType, convert: Convert | None) -> Build:
    """Return a function that builds an array. It converts each object only once, even if it is repeated."""

    def build(values: list[object], kinds: set[type]) -> Array:
        assert convert is not None
        objects = dict(zip(map(id, values), values, strict=True))
        converted = {key: None if value is None else convert(value) for key, value in objects.items()}
        return pa.array(list(map(converted.__getitem__, map(id, values))), kind)

    return build


def _list_builder(kind: pa.DataType, shape: Shape, inner: Inner) -> Build:
    item_kind, convert = inner(shape)
    build_items = builder(item_kind, convert, shape, inner)

    def build(values: list[Any], kinds: set[type]) -> Array:
        if not kinds <= {list, tuple}:
            raise Unusual
        items = [item for value in values if value is not None for item in value]
        offsets: list[int | None] = [
            0,
            *accumulate([0 if value is None else len(value) for value in values]),
        ]
        if None in values:
            # An offset of None marks a missing list.
            offsets[:-1] = [
                None if value is None else offset for value, offset in zip(values, offsets[:-1], strict=True)
            ]
        item_array = array_of(items, item_kind, build_items)
        return pa.ListArray.from_arrays(pa.array(offsets, pa.int32()), item_array, type=kind)

    return build


def _struct_builder(kind: pa.DataType, shape: Shape, inner: Inner) -> Build:
    parts: list[tuple[str, pa.DataType, Build]] = []
    for name, part in zip(shape.names, shape.inner, strict=True):
        part_kind, convert = inner(part)
        parts.append(
            ("" if part.kind == "name" else name, part_kind, builder(part_kind, convert, part, inner))
        )
    assert isinstance(kind, pa.StructType)
    fields = [kind.field(at) for at in range(len(parts))]

    def build(values: list[object], kinds: set[type]) -> Array:
        arrays = [
            array_of(parts_of(values, name) if name else values, part_kind, build_part)
            for name, part_kind, build_part in parts
        ]
        mask = pa.array([value is None for value in values], pa.bool_()) if None in values else None
        return pa.StructArray.from_arrays(arrays, fields=fields, mask=mask)

    return build
