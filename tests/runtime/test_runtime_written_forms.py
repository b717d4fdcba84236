"""The forms in which values are written if the pattern of a type allows only one form of a value."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from typing import Any

import pytest

from soapclient.runtime import scalars
from soapclient.runtime.scalars import in_form
from soapclient.runtime.simple_types import Scalar

PLUS_2 = dt.timezone(dt.timedelta(hours=2))
NOON = dt.datetime(2026, 11, 20, 12, tzinfo=PLUS_2)


@pytest.mark.parametrize(
    ("scalar", "form", "value", "text"),
    [
        (scalars.INT, "+", 15, "+15"),
        (scalars.INT, "+", -15, "-15"),
        (scalars.INT, "3", 15, "015"),
        (scalars.INT, "3", -15, "-015"),
        (scalars.INT, "3", 1500, "1500"),
        (scalars.DECIMAL, "2", Decimal("1.5"), "01.5"),
        (scalars.DECIMAL, ".", Decimal("0.5"), ".5"),
        (scalars.DECIMAL, ".", Decimal("-0.5"), "-.5"),
        (scalars.DECIMAL, ".", Decimal("1.5"), "1.5"),
        (scalars.DECIMAL, "0.", 5, "5."),
        (scalars.DECIMAL, "0.", -5, "-5."),
        (scalars.DECIMAL, "0.", Decimal("0.5"), "0.5"),
        (scalars.EXACT_DOUBLE, "E", 15, "1.5E1"),
        (scalars.EXACT_DOUBLE, "E", Decimal("-0.015"), "-1.5E-2"),
        (scalars.EXACT_DOUBLE, "e", 5, "5e0"),
        (scalars.EXACT_DOUBLE, "nE", 15, "15E0"),
        (scalars.EXACT_DOUBLE, "ne", Decimal("1.5"), "15e-1"),
        (scalars.ENDLESS_DOUBLE, "E", Decimal("NaN"), "NaN"),
        (scalars.ENDLESS_DOUBLE, "E", Decimal("-Infinity"), "-INF"),
        (scalars.BOOLEAN, "01", True, "1"),
        (scalars.BOOLEAN, "01", False, "0"),
        (scalars.BOOLEAN, "true0", True, "true"),
        (scalars.BOOLEAN, "true0", False, "0"),
        (scalars.BOOLEAN, "1false", True, "1"),
        (scalars.BOOLEAN, "1false", False, "false"),
        (scalars.DATE, "Z", dt.date(2026, 11, 20), "2026-11-20Z"),
        (scalars.DATE_TIME, "3", NOON, "2026-11-20T12:00:00.000+02:00"),
        (scalars.DATE_TIME, "3", NOON.replace(microsecond=500), "2026-11-20T12:00:00.0005+02:00"),
        (scalars.DATE_TIME, "Z", NOON, "2026-11-20T10:00:00Z"),
        (scalars.DATE_TIME, "3Z", NOON.replace(microsecond=250_000), "2026-11-20T10:00:00.250Z"),
        (scalars.LOCAL_DATE_TIME, "Z", NOON.replace(tzinfo=None), "2026-11-20T12:00:00"),
    ],
)
def test_value_is_written_in_the_form_of_its_type(
    scalar: Scalar[Any], form: str, value: object, text: str
) -> None:
    assert in_form(scalar, form).text(value) == text
