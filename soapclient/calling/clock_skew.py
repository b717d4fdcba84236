"""Correction of a wrong local clock, using the Date header of the service's responses.

Without this correction, the service would refuse signatures with a wrong time.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final

from soapclient._support.forks import Lock
from soapclient.transport.dates import http_date

_MAX_CLOCK_ERROR: Final = timedelta(days=36_525)
_FRESH: Final = 60.0  # seconds; short, because the monotonic clock stops while the machine sleeps


class ClockSkew:
    """The offset between an endpoint's clock and the local clock. Thread-safe.

    A service refuses a signature if its timestamp differs from the service's time by more than `validity`.
    This value is not known exactly (docs/explanation/service.md#signing). Therefore all differences of more
    than half of `validity` are corrected.
    """

    def __init__(self, validity: timedelta) -> None:
        self._worth_correcting = validity / 2
        self._lock = Lock()
        self.offset = timedelta(0)  # offset that is added to the local time before it is signed
        self._seen: tuple[datetime, float] | None = None

    def saw(self, date: str | None, monotonic: float) -> None:
        """Record the Date header of a response, and the monotonic time at which the response arrived."""
        theirs = http_date(date)
        if theirs is not None:
            with self._lock:
                self._seen = theirs, monotonic

    def their_time(self, monotonic: float) -> datetime | None:
        """Estimate the endpoint's time at a local monotonic time. Errs on the early side.

        Returns None if no response with a Date header arrived in the last minute. The local wall clock is not
        used.
        """
        with self._lock:
            seen = self._seen
        if seen is None or monotonic - seen[1] > _FRESH:
            return None
        return seen[0] + timedelta(seconds=monotonic - seen[1])

    def correction(
        self, used: timedelta, date: str | None, before: datetime, after: datetime
    ) -> timedelta | None:
        """Return the clock offset with which to repeat a refused attempt.

        Returns None if a wrong clock was not the reason for the refusal, or if `date` is invalid or more than
        100 years off.

        - `used` is the offset with which the attempt was signed.
        - `date` is the Date header of the refusal.
        - `before` and `after` are the local times before and after the attempt. They are both needed, because
          the clock can be set in between.

        Two offsets are measured: `date` minus `before`, and `date` minus `after`. A wrong clock was the
        reason if one of them differs from `used`. The result is then the offset measured with `after` or, if
        another thread has already recorded an offset close to it, the recorded offset.
        """
        theirs = http_date(date)
        if theirs is None or not any(self._differ(theirs - now, used) for now in (before, after)):
            return None
        offset = theirs - after
        if abs(offset) >= _MAX_CLOCK_ERROR:
            return None
        current = self.offset
        return offset if self._differ(offset, current) else current

    def proved(self, offset: timedelta) -> None:
        """Use `offset` for all calls from now on.

        Call this method only after an attempt with this offset has succeeded. Before, the offset is only a
        guess: the refusal may have another reason or a wrong Date header.
        """
        with self._lock:
            if self._differ(offset, self.offset):
                self.offset = offset

    def _differ(self, one: timedelta, other: timedelta) -> bool:
        """Return True if two offsets differ so much that the service may accept one and refuse the other."""
        return abs(one - other) > self._worth_correcting
