"""The Date headers that are accepted as the service's time."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from soapclient.calling.clock_skew import ClockSkew
from soapclient.transport.dates import http_date

NOON = "Fri, 20 Nov 2026 12:00:00 GMT"


def test_server_time_advances_with_the_monotonic_clock() -> None:
    skew = ClockSkew(timedelta(minutes=30))
    assert skew.their_time(5.0) is None
    skew.saw(None, 5.0)
    skew.saw("yesterday", 5.0)
    skew.saw("Fri, 20 Nov 2026 12:00:00", 5.0)  # without a zone
    assert skew.their_time(5.0) is None
    skew.saw(NOON, 5.0)
    assert skew.their_time(64.5) == datetime(2026, 11, 20, 12, 0, 59, 500_000, tzinfo=UTC)
    assert skew.their_time(65.5) is None  # the machine may have been suspended: ask again
    skew.saw("Fri, 20 Nov 2026 09:00:00 GMT", 70.0)
    assert skew.their_time(70.0) == datetime(2026, 11, 20, 9, tzinfo=UTC)
    assert skew.offset == timedelta(0)


@pytest.mark.parametrize(
    "text",
    [
        "Mon, 01 Jan 0001 00:00:00 GMT",  # the standard library reads it as 2001
        "Mon, 01 Jan 001 00:00:00 GMT",
        "Monday, 01-Jan-0001 00:00:00 GMT",
        "Fri, 31 Dec 9999 23:59:59 GMT",
        "Sun, 31 Dec 1989 23:59:59 GMT",
        "Thu, 01 Jan 2201 00:00:00 GMT",
    ],
)
def test_implausible_years_are_not_dates(text: str) -> None:
    assert http_date(text) is None
    skew = ClockSkew(timedelta(minutes=30))
    skew.saw(text, 0.0)
    assert skew.their_time(1.0) is None
    ours = datetime(2026, 11, 20, tzinfo=UTC)
    assert skew.correction(timedelta(), text, ours, ours) is None


@pytest.mark.parametrize(
    ("text", "year"),
    [
        ("Mon, 01 Jan 1990 00:00:00 GMT", 1990),
        ("Wed, 31 Dec 2200 23:59:59 GMT", 2200),
        ("Sunday, 01-Nov-26 08:49:37 GMT", 2026),
        ("Sun, 01 Nov 2026 08:49:37 +0000", 2026),
    ],
)
def test_plausible_years_are_accepted(text: str, year: int) -> None:
    moment = http_date(text)
    assert moment is not None
    assert moment.year == year
