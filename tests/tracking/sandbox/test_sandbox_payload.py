"""Fields of a decoded request: each reader accepts only its own type, so that no error is hidden."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, date, datetime

import pytest

from soapclient.tracking.sandbox.payload import Fields, Value

MOMENT = datetime(2026, 11, 1, 12, tzinfo=UTC)
VALUES: dict[str, Value] = {
    "text": "abc",
    "number": 3,
    "flag": True,
    "instant": MOMENT,
    "day": date(2026, 11, 1),
    "structure": {"name": "x"},
}
READERS: dict[str, Callable[[Fields, str], object]] = {
    "text": Fields.text,
    "number": Fields.number,
    "flag": Fields.flag,
    "instant": Fields.instant,
    "day": Fields.day,
}


@pytest.mark.sampled(6)
@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("name", VALUES)
def test_reader_accepts_only_its_own_type(reader: str, name: str) -> None:
    """Even if Python's types overlap: a boolean is an int, a datetime is a date."""
    if reader == name:
        assert READERS[reader](Fields(VALUES), name) == VALUES[name]
    else:
        with pytest.raises(TypeError, match=f"^{name} is "):
            READERS[reader](Fields(VALUES), name)
    assert READERS[reader](Fields(VALUES), "absent") is None


@pytest.mark.parametrize(
    ("value", "texts", "numbers", "names"),
    [
        (None, [], [], []),
        ("ab", ["ab"], None, None),
        (["ab", "c"], ["ab", "c"], None, None),
        (7, None, [7], None),
        ([7, 8], None, [7, 8], None),
        ([7, True], None, None, None),
        (["ab", 7], None, None, None),
        ({"name": "x"}, None, None, ["x"]),
        ([{"name": "x"}, {"name": "y"}], None, None, ["x", "y"]),
        ([{"name": "x"}, "y"], None, None, None),
    ],
)
def test_single_value_is_a_list_of_one_and_lists_have_one_type(
    value: Value, texts: list[str] | None, numbers: list[int] | None, names: list[str] | None
) -> None:
    fields = Fields({"list": value})
    for read, expected in (
        (fields.texts, texts),
        (fields.numbers, numbers),
        (lambda name: [one.text("name") for one in fields.branches(name)], names),
    ):
        if expected is None:
            with pytest.raises(TypeError, match="list is "):
                read("list")
        else:
            assert read("list") == expected


def test_structure_is_read_as_an_object() -> None:
    assert Fields(VALUES).branch("structure").text("name") == "x"
    for other in ("text", "absent"):
        with pytest.raises(TypeError, match="not a structure"):
            Fields(VALUES).branch(other)
