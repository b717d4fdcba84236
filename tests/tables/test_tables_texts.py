"""Values as text: JSON without loss, cells with complete values."""

from __future__ import annotations

import datetime as dt
import json
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from soapclient.runtime.nil import NIL
from soapclient.tables.texts import cell_text, decimal_text, json_text


@given(st.decimals(allow_nan=False, allow_infinity=False))
def test_number_text_has_no_exponent(value: Decimal) -> None:
    text = decimal_text(value)
    assert Decimal(text) == value
    assert set(text) <= set("-.0123456789")
    assert "." not in text or text[-1] not in ".0"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (Decimal("NaN"), '"NaN"'),
        (Decimal("1E+3"), '"1000"'),
        (float("inf"), '"inf"'),
        (0.5, "0.5"),
        (True, "true"),
        (NIL, "null"),
        ([dt.date(2026, 11, 1), dt.time(12), b"\x00"], '["2026-11-01","12:00:00","AA=="]'),
        ({1: None}, '{"1":null}'),
        ("ä\n", '"ä\\n"'),
    ],
)
def test_values_become_json(value: object, text: str) -> None:
    assert json_text(value) == text
    json.loads(text)


def test_cells_of_unknown_types_are_text() -> None:
    assert cell_text(dt.timedelta(days=1)) == "1 day, 0:00:00"
