"""The Date headers that are accepted as the service's time."""

from __future__ import annotations

import pytest

from soapclient.transport.dates import http_date


@pytest.mark.parametrize(
    "text",
    [
        "Mon, 01 Jan 0001 00:00:00 GMT",  # the standard library reads it as 2001
        "Mon, 01 Jan 001 00:00:00 GMT",
        "Monday, 01-Jan-0001 00:00:00 GMT",
        "Fri, 31 Dec 9999 23:59:59 GMT",
        "Sun, 31 Dec 1989 23:59:59 GMT",
        "Thu, 01 Jan 2201 00:00:00 GMT",
        "Fri, 20 Nov 2026 12:00:00",  # without a zone
    ],
)
def test_implausible_years_and_times_without_a_zone_are_not_dates(text: str) -> None:
    assert http_date(text) is None


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
