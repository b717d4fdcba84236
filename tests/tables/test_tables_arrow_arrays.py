"""Columns that are converted at once equal columns whose values are converted one by one."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from decimal import Decimal
from enum import Enum, StrEnum
from types import SimpleNamespace
from typing import Any
from zoneinfo import ZoneInfo

import pyarrow as pa
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from soapclient.errors import ConfigError, TableError
from soapclient.runtime.any_element import AnyElement
from soapclient.runtime.nil import NIL
from soapclient.tables import arrow
from soapclient.tables.arrow_arrays import Columns
from soapclient.tables.arrow_types import KINDS
from soapclient.tables.columns import Layout, Shape, TableColumn
from tests.rings import examples

BERLIN = ZoneInfo("Europe/Berlin")


class Colour(StrEnum):
    RED = "red"
    BLUE = "blue"


class Size(str, Enum):  # noqa: UP042 - `str` of a StrEnum is its value
    """An enumeration whose values are not the texts that `str` returns."""

    SMALL = "s"


class Later(dt.datetime):
    """A date-time of a derived class."""


class Nowhere(dt.tzinfo):
    """A zone without an offset."""

    def utcoffset(self, when: dt.datetime | None) -> None:
        return None

    dst = utcoffset

    def tzname(self, when: dt.datetime | None) -> None:
        return None


class ByValue(arrow.Batches):
    """The reference: converts each value by itself."""

    def _array(self, column: Any, items: Sequence[object], columns: Columns) -> Any:
        return self._array_by_value(column, items)


def text_of(value: object) -> str:
    return f"<{value}>"


SCALAR_SHAPES = [
    *(Shape(kind) for kind in sorted(set(KINDS.values()))),
    Shape("string", text=text_of),
    Shape("json"),
    Shape("enum", values=("red", "blue")),
]

ZONES = st.sampled_from(
    [dt.UTC, BERLIN, dt.timezone(dt.timedelta(hours=-14)), dt.timezone(dt.timedelta(seconds=1))]
)
DECIMALS = st.one_of(
    st.decimals(allow_nan=False, allow_infinity=False, places=9, min_value=-(10**29), max_value=10**29),
    st.decimals(allow_nan=False, allow_infinity=False),
    st.builds(
        lambda sign, digits, exponent: Decimal((sign, tuple(digits), exponent)),
        st.integers(0, 1),
        st.lists(st.integers(0, 9), min_size=1, max_size=45),
        st.integers(-50, 40),
    ),
    st.sampled_from([Decimal("NaN"), Decimal("sNaN"), Decimal("-Infinity"), Decimal("-0"), Decimal("0E-20")]),
)
INTEGERS = st.one_of(
    st.integers(-3, 300),
    st.integers(),
    st.integers(10**36, 10**39),
    st.sampled_from([2**31, 2**31 - 1, -(2**63), 2**63, 2**64 - 1, 2**64, 2**53 + 1]),
)
MOMENTS = st.datetimes(timezones=st.one_of(ZONES, st.none()), allow_imaginary=True)
TEXTS = st.one_of(st.text(max_size=5), st.sampled_from(["red", "\ud800", "2026-11-01", "1.5", "true"]))
ODD = st.sampled_from(
    [
        True,
        0.1,
        1.5,
        float("inf"),
        b"\xff",
        (1, 2),
        Colour.RED,
        Size.SMALL,
        Later(2026, 11, 1, tzinfo=dt.UTC),
        dt.datetime(2026, 11, 1, tzinfo=Nowhere()),
        dt.time(12, 30),
        dt.timedelta(days=1, microseconds=1),
        AnyElement(name="{urn:x}y", text="z"),
        {"a": Decimal("1.50")},
        ["red", None],
    ]
)
GOOD: dict[str, st.SearchStrategy[object]] = {
    "bool_": st.booleans(),
    "number": st.one_of(DECIMALS, INTEGERS),
    "whole": INTEGERS,
    "float64": st.floats(),
    "moment": MOMENTS,
    "date32": st.dates(),
    "binary": st.binary(max_size=4),
    "string": TEXTS,
    "enum": st.one_of(st.sampled_from(list(Colour)), TEXTS),
    "json": TEXTS,
}
ANY = st.one_of(DECIMALS, INTEGERS, MOMENTS, TEXTS, st.dates(), st.floats(), ODD)
MISSING = st.sampled_from([None, NIL])


def objects(parts: Mapping[str, st.SearchStrategy[object]]) -> st.SearchStrategy[SimpleNamespace]:
    """Return objects with some of these attributes."""
    return st.fixed_dictionaries({}, optional=parts).map(lambda made: SimpleNamespace(**made))


def values_of(shape: Shape) -> st.SearchStrategy[object]:
    """Return values of a shape, some of them missing."""
    good: st.SearchStrategy[Any]
    if shape.kind == "list":
        lists = st.lists(values_of(shape.inner[0]), max_size=3)
        good = st.one_of(lists, lists.map(tuple))
    elif shape.kind == "struct":
        parts = {name: values_of(kind) for name, kind in zip(shape.names, shape.inner, strict=True)}
        good = objects(parts)
    else:
        good = GOOD.get(shape.kind, INTEGERS)
    return st.one_of(good, good, good, MISSING)


def shapes() -> st.SearchStrategy[Shape]:
    """Return shapes of up to three levels of lists and structures."""
    return st.recursive(
        st.sampled_from(SCALAR_SHAPES),
        lambda inner: st.one_of(
            inner.map(lambda shape: Shape("list", inner=(shape,))),
            st.lists(st.one_of(inner, st.just(Shape("name"))), min_size=1, max_size=3).map(
                lambda made: Shape("struct", names=tuple("abc"[: len(made)]), inner=tuple(made))
            ),
        ),
        max_leaves=4,
    )


@st.composite
def columns(draw: st.DrawFn) -> tuple[Shape, list[object]]:
    """Return a shape and values, most of them of this shape."""
    shape = draw(shapes())
    usual = values_of(shape)
    mixed = st.one_of(usual, usual, usual, ANY)
    return shape, draw(st.lists(draw(st.sampled_from([usual, usual, mixed])), max_size=6))


def result(kind: type[arrow.Batches], shape: Shape, values: Sequence[object], **options: Any) -> Any:
    """Return what a batch of one column is: its type, values and dictionary, or the error."""
    batches = kind("Ask", Layout((TableColumn("v", (), shape),), ()), **options)
    try:
        made = list(batches.of(values, 4))
    except (TableError, AssertionError, pa.ArrowException, TypeError, ValueError, AttributeError) as error:
        return type(error), str(error)
    for batch in made:
        batch.validate(full=True)
    return [(batch.schema, repr(exact(batch.column(0))), batch.column(0).null_count) for batch in made]


def exact(array: Any) -> list[object]:
    """Return the values of an array. Date-times become integers, so that all of them are supported."""
    if pa.types.is_dictionary(array.type):
        return [array.indices.to_pylist(), array.dictionary.to_pylist()]
    if pa.types.is_timestamp(array.type):
        return list(array.cast(pa.int64()).to_pylist())
    if pa.types.is_list(array.type):
        inner = [None if not item.is_valid else exact(item.values) for item in array]
        return [array.offsets.to_pylist(), *inner]
    if pa.types.is_struct(array.type):
        missing = array.is_null().to_pylist()
        parts = [exact(part) for part in array.flatten()]
        return [missing, *parts]
    return list(array.to_pylist())


@settings(max_examples=examples(400))
@given(columns(), st.sampled_from([None, "UTC", "Europe/Berlin"]))
@example((Shape("moment"), [dt.datetime(2026, 11, 1)]), "Europe/Berlin")
@example((Shape("moment"), [dt.datetime(2026, 10, 25, 2, 30, fold=1, tzinfo=BERLIN)]), None)
@example((Shape("moment"), [dt.datetime(1, 1, 1, tzinfo=dt.timezone(dt.timedelta(hours=14)))]), None)
@example((Shape("number"), [Decimal("1.0000000000000")]), None)
@example((Shape("number"), [Decimal("1E-48")]), None)  # pyarrow converts it to 0
@example((Shape("number"), [Decimal(f"0.000{'1' * 45}")]), None)  # the same
@example((Shape("number"), [Decimal("0E-60"), Decimal("1E+29")]), None)
@example((Shape("number"), [0.1]), None)
@example((Shape("number"), [True]), None)
@example((Shape("whole"), [10**38]), None)
@example((Shape("list", inner=(Shape("string", text=text_of),)), [None, [], NIL, ["a", NIL]]), None)
@example((Shape("list", inner=(Shape("string", text=text_of),)), ["red"]), None)
def test_columns_converted_at_once_equal_columns_converted_by_value(
    column: tuple[Shape, list[object]], zone: str | None
) -> None:
    shape, values = column
    assert result(arrow.Batches, shape, values, zone=zone) == result(ByValue, shape, values, zone=zone)


@settings(max_examples=examples(200))
@given(
    st.sampled_from(["number", "whole", "float64", "int64", "moment", "string", "json", "bool_"]),
    st.sampled_from([pa.string(), pa.decimal128(10, 2), pa.float64(), arrow.NAIVE]),
    st.data(),
)
def test_columns_of_chosen_types_equal_columns_converted_by_value(
    kind: str, chosen: pa.DataType, data: st.DataObject
) -> None:
    shape, types = Shape(kind), {"v": chosen}
    values = data.draw(st.lists(st.one_of(values_of(shape), values_of(shape), ANY), max_size=5))
    try:
        arrow.Batches("Ask", Layout((TableColumn("v", (), shape),), ()), types=types)
    except ConfigError:
        return  # a column of this kind cannot have this type
    assert result(arrow.Batches, shape, values, types=types) == result(ByValue, shape, values, types=types)


ITEMS = st.recursive(
    st.one_of(st.none(), st.just(NIL), st.just("text"), st.integers(0, 9)),
    lambda inner: objects(dict.fromkeys(("a", "b"), inner)),
)


@settings(max_examples=examples(200))
@given(st.lists(ITEMS, max_size=5))
def test_values_at_a_path_are_found_as_for_one_item(items: list[object]) -> None:
    gathered = Columns(items)
    for path in [(), ("a",), ("a", "b"), ("a", "a"), ("a", "b", "a"), ("value",), ("b", "a", "b")]:
        assert list(gathered[path]) == [arrow._getter(path)(item) for item in items]


VALUES: list[tuple[str, list[object]]] = [
    ("number", [Decimal("1.5"), 2, None]),
    ("moment", [dt.datetime(2026, 11, 1, tzinfo=dt.UTC), None]),
    ("int32", [1, None]),
    ("bool_", [True, NIL]),
    ("enum", [Colour.RED, "green", None]),
]


@pytest.mark.parametrize(("kind", "values"), VALUES, ids=[kind for kind, _ in VALUES])
def test_usual_values_are_not_converted_one_by_one(
    kind: str, values: list[object], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(arrow.Batches, "_array_by_value", forbidden)
    shape = Shape(kind, values=("red",) if kind == "enum" else ())
    assert len(result(arrow.Batches, shape, values)) == 1


def forbidden(*_: object) -> Any:
    raise AssertionError("converted one by one")
