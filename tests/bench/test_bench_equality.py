"""Nothing is measured before all ways return the expected values."""

from __future__ import annotations

import contextlib
import datetime as dt
import json
from collections.abc import Iterator
from decimal import Decimal

import pytest

from tests.bench import peers
from tests.bench.cases import Case, Opened, Prepared, Way
from tests.bench.equality import difference, plain
from tests.bench.shapes import (
    DEEP,
    SALES,
    SALES_SPACE,
    WIDE,
    deep,
    document,
    json_document,
    sales_of,
    sales_pieces,
    sales_values,
    sample,
)
from tests.bench.worker import UnequalValues, prepared, take_turns

pytestmark = pytest.mark.exhaustive

_SALES = sales_values(2)


def case_of(opened: Opened) -> Case:

    @contextlib.contextmanager
    def open_case(size: int) -> Iterator[Opened]:
        yield opened

    ways = tuple(Way(name) for name in opened.prepare)
    return Case("test", "A test", "floor", "thing", 1, 1, ways, open_case)


def returning(value: object) -> Prepared:
    return Prepared(lambda: value, lambda result: result)


def test_wrong_peer_is_noticed_and_its_value_is_shown() -> None:
    right, wrong = {"items": [{"id": 1}, {"id": 2}]}, {"items": [{"id": 1}, {"id": 3}]}
    opened = Opened(right, {"right": lambda: returning(right), "wrong": lambda: returning(wrong)})
    case = case_of(opened)
    assert list(prepared(case, opened, ["right"])) == ["right"]
    with pytest.raises(UnequalValues, match=r"test: wrong: result/items\[1\]/id is 3, expected 2"):
        prepared(case, opened, ["right", "wrong"])


@pytest.mark.parametrize(
    ("expected", "actual"),
    [
        (1, 2),
        (1, True),
        (1, "one"),
        (True, "yes"),
        (True, 1.5),
        (Decimal("0.10"), Decimal("0.1000001")),
        (dt.datetime(2026, 11, 1, 10, tzinfo=dt.UTC), dt.datetime(2026, 11, 1, 10)),
        (dt.datetime(2026, 11, 1, 10, tzinfo=dt.UTC), "2026-11-01T10:00:00+01:00"),
        (dt.date(2026, 11, 1), dt.datetime(2026, 11, 1)),
        ("text", "text "),
        ("1", 1),
        ([1], [1, 1]),
        ({"a": 1}, {"a": 1, "b": 2}),
        ({"a": 1}, None),
        (None, "text"),
    ],
)
def test_different_values_are_different(expected: object, actual: object) -> None:
    assert difference(expected, actual) is not None


@pytest.mark.parametrize(
    ("expected", "actual"),
    [
        (1, "1"),
        (True, "true"),
        (Decimal("0.10"), "0.1"),
        (Decimal("0.25"), 0.25),
        (dt.datetime(2026, 11, 1, 10, tzinfo=dt.UTC), "2026-11-01T11:00:00+01:00"),
        (dt.date(2026, 11, 1), "2026-11-01"),
        (None, None),
        ({"a": [1, {"b": "x"}]}, {"a": ["1", {"b": "x"}]}),
    ],
)
def test_same_values_in_other_types_are_equal(expected: object, actual: object) -> None:
    assert difference(expected, actual) is None


def test_documents_hold_their_values() -> None:
    from lxml import etree

    root = etree.fromstring(document(SALES, _SALES, SALES_SPACE))
    assert difference(_SALES, plain(SALES, peers.body_of(root), peers.get_element)) is None
    read = json.loads(json_document(SALES, _SALES))
    assert difference(_SALES, plain(SALES, read, peers.get_mapping("@", "$"))) is None
    numbers = [f'"amount":{values["amount"]},'.encode() for values in sales_of(2)]
    assert all(number in json_document(SALES, _SALES) for number in numbers)  # not as texts


def test_pieces_are_the_same_document() -> None:
    pieces = list(sales_pieces(200))
    assert len(pieces) > 3
    assert b"".join(pieces) == document(SALES, sales_values(200), SALES_SPACE)


def test_shapes_have_the_promised_sizes() -> None:
    assert len(sample(WIDE)) == 300
    levels, values = 0, deep(100)
    while values:
        levels += 1
        values = values.get("deep")  # type: ignore[assignment]  # values of the next level, or None
    assert levels == 100
    assert DEEP.all_fields[-1].kind is DEEP


def test_ways_take_turns_and_a_slow_one_stops() -> None:
    order: list[str] = []
    now = [0.0]

    def way(name: str, seconds: float) -> None:
        order.append(name)
        now[0] += seconds

    ways = {"quick": lambda: way("quick", 1.0), "slow": lambda: way("slow", 6.0)}
    times = take_turns(ways, rounds=4, budget=10.0, clock=lambda: now[0])
    assert order == ["quick", "slow", "quick", "slow", "quick", "quick"]
    assert times == {"quick": [1.0] * 4, "slow": [6.0, 6.0]}
    assert take_turns(ways, rounds=1, budget=10.0, clock=lambda: now[0], repeat=3)["quick"] == [1.0]
