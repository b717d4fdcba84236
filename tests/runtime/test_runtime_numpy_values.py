"""numpy and pandas scalars in requests: encoded like Python's own values, or refused."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import pytest
from lxml import etree

from soapclient.runtime import scalars, string_types
from soapclient.runtime.errors import EncodeError
from soapclient.runtime.numpy_values import plain_day, plain_value
from soapclient.runtime.simple_types import Scalar, list_of, union_of

pytestmark = pytest.mark.exhaustive

BERLIN = "Europe/Berlin"


def put(scalar: Scalar[Any], value: object) -> str:
    return scalar.put(value, etree.Element("it"), "it")


@pytest.mark.parametrize(
    ("scalar", "value", "text"),
    [
        (scalars.INT, np.int64(7), "7"),
        (scalars.INT, np.uint8(255), "255"),
        (scalars.INTEGER, np.int8(-1), "-1"),
        (scalars.DECIMAL, np.int64(7), "7"),
        (scalars.EXACT_DOUBLE, np.int32(7), "7"),
        (scalars.DOUBLE, np.float64(0.1), "0.1"),
        (scalars.DOUBLE, np.float32(0.5), "0.5"),
        (scalars.BOOLEAN, np.bool_(True), "true"),
        (scalars.STRING, np.str_("a"), "a"),
        (scalars.DATE, np.datetime64("2026-11-01"), "2026-11-01"),
        (scalars.DAY, np.datetime64("2026-11-01T00:00:00", "ns"), "2026-11-01"),
        (scalars.DATE, pd.Timestamp("2026-11-01"), "2026-11-01"),
        (scalars.DATE_TIME, pd.Timestamp("2026-11-01 12:00", tz=BERLIN), "2026-11-01T12:00:00+01:00"),
        (scalars.DATE_TIME, pd.Timestamp("2026-11-01", tz="UTC"), "2026-11-01T00:00:00+00:00"),
        (scalars.LOCAL_DATE_TIME, np.datetime64("2026-11-01T12:00:00", "ns"), "2026-11-01T12:00:00"),
        (scalars.LOCAL_DATE_TIME, pd.Timestamp("2026-11-01"), "2026-11-01T00:00:00"),
        (list_of(scalars.INT), [np.int64(1), 2], "1 2"),
        (union_of(scalars.INT, scalars.STRING), np.int64(3), "3"),
    ],
)  # fmt: skip
def test_foreign_scalar_is_written_as_its_value(scalar: Scalar[Any], value: object, text: str) -> None:
    assert put(scalar, value) == text


@pytest.mark.parametrize(
    ("scalar", "value"),
    [
        (scalars.DECIMAL, np.float64(0.1)),  # a float is not a Decimal
        (scalars.EXACT_DOUBLE, np.float32(0.5)),
        (scalars.INT, np.float64(7.0)),
        (scalars.INT, np.bool_(True)),
        (scalars.INT, np.int64(2**31)),  # out of bounds
        (scalars.INT, np.array(7)),
        (scalars.DOUBLE, np.float64("nan")),
        (scalars.DATE, np.datetime64("NaT")),
        (scalars.DATE, pd.NaT),
        (scalars.DATE_TIME, pd.NaT),
        (scalars.STRING, pd.NA),
        (scalars.DATE, np.datetime64("2026-11")),  # a month is not a date
        (scalars.DATE, np.datetime64("2026-11-01T12:00")),
        (scalars.DATE, pd.Timestamp("2026-11-01 12:00")),
        (scalars.DATE, pd.Timestamp("2026-11-01", tz=BERLIN)),  # the time zone of the day is unknown
        (scalars.DATE_TIME, pd.Timestamp("2026-11-01")),  # without a zone, like a datetime without one
        # Digits would be dropped.
        (scalars.DATE_TIME, pd.Timestamp("2026-11-01T00:00:00.000000001", tz="UTC")),
        (scalars.LOCAL_DATE_TIME, np.datetime64("2026-11-01T00:00:00.000000001", "ns")),
        (string_types.TIME, pd.Timestamp("2026-11-01 12:00")),
        (scalars.DAY, np.timedelta64(1, "D")),
    ],
)
def test_foreign_scalar_that_would_change_is_refused(scalar: Scalar[Any], value: object) -> None:
    with pytest.raises(EncodeError):
        put(scalar, value)


def test_error_shows_the_given_value() -> None:
    with pytest.raises(EncodeError) as raised:
        put(scalars.DECIMAL, np.float64(0.25))
    assert raised.value.allowed == "a decimal number (xsd:decimal): give a Decimal"
    assert "0.25" in str(raised.value.value)


@pytest.mark.parametrize("value", [7, "7", Decimal(7), dt.date(2026, 11, 1), None, object(), [np.int64(1)]])
def test_other_values_are_unchanged(value: object) -> None:
    assert plain_value(value) is value
    assert plain_day(value) is value
