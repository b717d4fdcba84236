"""Parse dates and waiting times in HTTP headers."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Final

from soapclient._support.lazy_pattern import LazyPattern

_YEARS: Final = range(1990, 2201)  # other years are defaults or overflows, and could overflow in sums
_EARLY_YEAR: Final = LazyPattern(r"[A-Za-z]{3}[ -]0\d{2,}\b")  # such as 0001, which would be parsed as 2001


def http_date(text: str | None) -> datetime | None:
    """Parse a date in a header. Returns None if the date is invalid or its year is not in 1990 to 2200."""
    from email.utils import parsedate_to_datetime  # imported late: it imports socket

    try:
        moment = parsedate_to_datetime(text or "")
    except (ValueError, OverflowError):
        return None
    if moment.tzinfo is None or moment.year not in _YEARS or _EARLY_YEAR.search(text or ""):
        return None
    return moment


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Return the seconds to wait according to the header `Retry-After`; None if it is missing or invalid.

    If the header is a date, the seconds are counted from the date in the response's header `Date`.
    """
    value = headers.get("Retry-After", "").strip()
    if value.isascii() and value.isdigit() and len(value) < 10:
        return float(value)
    until, now = http_date(value), http_date(headers.get("Date"))
    return None if until is None or now is None else max(0.0, (until - now).total_seconds())
