"""Berlin time from its rule, so that no zone database is needed (slim machines have none).

The rule in force since 1996: summer time from the last Sunday of March to the last Sunday of October,
both at 01:00 UTC. `docs/explanation/service.md#dates`: reports run on CET/CEST.
"""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta, timezone
from functools import lru_cache

CET = timezone(timedelta(hours=1))
CEST = timezone(timedelta(hours=2))


@lru_cache(maxsize=256)
def _summer(year: int) -> tuple[datetime, datetime]:
    """When summer time begins and ends, in UTC."""

    def last_sunday(month: int) -> datetime:
        last = date(year, month, 31)
        return datetime.combine(last - timedelta(days=(last.weekday() + 1) % 7), time(1), UTC)

    return last_sunday(3), last_sunday(10)


def in_berlin(moment: datetime) -> datetime:
    """The same instant on the wall clock of Berlin, with its offset fixed. `moment` must be aware."""
    utc = moment.astimezone(UTC)
    begin, end = _summer(utc.year)
    return utc.astimezone(CEST if begin <= utc < end else CET)


def midnight(day: date) -> datetime:
    """Where a day begins in Berlin. The clock never changes at midnight, so this is unambiguous."""
    guess = datetime.combine(day, time(), CET)
    return in_berlin(guess).replace(hour=0, minute=0, second=0) if in_berlin(guess).hour else guess


@lru_cache(maxsize=1024)
def day_length(day: date) -> int:
    """Seconds from midnight to midnight: 86400, an hour less or more when the clock changes."""
    return int((midnight(day + timedelta(days=1)) - midnight(day)).total_seconds())


def day_of(moment: datetime) -> date:
    """The Berlin day an instant falls on; a date-time without zone is read as Berlin time."""
    return moment.date() if moment.tzinfo is None else in_berlin(moment).date()
