"""Dates and waits in HTTP headers."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime
from email.utils import parsedate_to_datetime
from typing import Final

_YEARS: Final = range(1990, 2201)  # others come of defaults and overflows, and sums with them overflow, too
_EARLY_YEAR: Final = re.compile(r"[A-Za-z]{3}[ -]0\d{2,}\b")  # 0001, which the parser takes for 2001


def http_date(text: str | None) -> datetime | None:
    """The moment a header names, aware; None where it names none, or one outside the years 1990 to 2200."""
    try:
        moment = parsedate_to_datetime(text or "")
    except (ValueError, OverflowError):
        return None
    if moment.tzinfo is None or moment.year not in _YEARS or _EARLY_YEAR.search(text or ""):
        return None
    return moment


def retry_after(headers: Mapping[str, str]) -> float | None:
    """The wait in seconds that a response asks for; a date counts from the response's own `Date`."""
    said = headers.get("Retry-After", "").strip()
    if said.isascii() and said.isdigit() and len(said) < 10:
        return float(said)
    until, now = http_date(said), http_date(headers.get("Date"))
    return None if until is None or now is None else max(0.0, (until - now).total_seconds())
