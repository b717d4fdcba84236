"""Dates and waits in HTTP headers."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from email.utils import parsedate_to_datetime


def http_date(text: str | None) -> datetime | None:
    """The moment a header names, aware; None where it names none."""
    try:
        moment = parsedate_to_datetime(text or "")
    except (ValueError, OverflowError):
        return None
    return moment if moment.tzinfo is not None else None


def retry_after(headers: Mapping[str, str]) -> float | None:
    """The wait in seconds that an answer asks for; a date counts from the answer's own `Date`."""
    said = headers.get("Retry-After", "").strip()
    if said.isascii() and said.isdigit() and len(said) < 10:
        return float(said)
    until, now = http_date(said), http_date(headers.get("Date"))
    return None if until is None or now is None else max(0.0, (until - now).total_seconds())
