"""Berlin time, for systems without a time zone database.

The rule since 1996: summer time lasts from the last Sunday of March to the last Sunday of October, changing
at 01:00 UTC. Reports use CET/CEST (`docs/explanation/service.md#dates`).
"""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta, timezone
from functools import lru_cache

CET = timezone(timedelta(hours=1))
CEST = timezone(timedelta(hours=2))


@lru_cache(maxsize=256)
def _summer(year: int) -> tuple[datetime, datetime]:
    """Return the start and end of summer time in UTC."""

    def last_sunday(month: int) -> datetime:
        last = date(year, month, 31)
        return datetime.combine(last - timedelta(days=(last.weekday() + 1) % 7), time(1), UTC)

    return last_sunday(3), last_sunday(10)


def in_berlin(moment: datetime) -> datetime:
    """Convert an aware date-time to Berlin time. Its time zone is the fixed offset at that moment."""
    utc = moment.astimezone(UTC)
    begin, end = _summer(utc.year)
    return utc.astimezone(CEST if begin <= utc < end else CET)


def midnight(day: date) -> datetime:
    """Return the start of a day in Berlin. It is unambiguous: the clock never changes at midnight."""
    guess = datetime.combine(day, time(), CET)
    return in_berlin(guess).replace(hour=0, minute=0, second=0) if in_berlin(guess).hour else guess


@lru_cache(maxsize=1024)
def day_length(day: date) -> int:
    """Return the length of a Berlin day in seconds: 86400, plus or minus 3600 if the clock changes."""
    return int((midnight(day + timedelta(days=1)) - midnight(day)).total_seconds())


def day_of(moment: datetime) -> date:
    """Return the Berlin day of a date-time. A date-time without zone is Berlin time."""
    return moment.date() if moment.tzinfo is None else in_berlin(moment).date()
