"""A machine with a wrong clock signs times that a service refuses; the service's own `Date` puts it right."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final

from soapclient._support.forks import Lock
from soapclient.transport.dates import http_date

_NO_CLOCK_IS_SO_WRONG: Final = timedelta(days=36_525)
_FRESH: Final = 60.0  # seconds: our monotonic time stands still while the machine sleeps


class Skew:
    """The offset between an endpoint's clock and ours. Threads may share it.

    A signature is refused when its time is further away than `validity`; a difference of less than half of
    that explains no refusal, for how long it is in truth is not known for sure
    (docs/explanation/service.md#signing).
    """

    def __init__(self, validity: timedelta) -> None:
        self._worth_correcting = validity / 2
        self._lock = Lock()
        self.offset = timedelta(0)  # added to our time before it is signed
        self._seen: tuple[datetime, float] | None = None

    def saw(self, date: str | None, monotonic: float) -> None:
        """Take the Date header of a response of the endpoint, with the monotonic time at which it came."""
        theirs = http_date(date)
        if theirs is not None:
            with self._lock:
                self._seen = theirs, monotonic

    def their_time(self, monotonic: float) -> datetime | None:
        """The endpoint's time at a monotonic time of ours, rather too early than too late.

        None before the first answer with a Date, and when the last is older than a minute: ask anew. Our wall
        clock plays no part, right or wrong.
        """
        with self._lock:
            seen = self._seen
        if seen is None or monotonic - seen[1] > _FRESH:
            return None
        return seen[0] + timedelta(seconds=monotonic - seen[1])

    def correction(
        self, used: timedelta, date: str | None, before: datetime, after: datetime
    ) -> timedelta | None:
        """The offset that a refused attempt is worth repeating with; None where the clock explains nothing.

        `used` is the offset that it was signed with, `date` the Date header of its refusal, `before` and
        `after` are our times around it: a clock that was set in between explains a refusal, too. What another
        thread has found is used where it still holds.
        """
        theirs = http_date(date)
        if theirs is None or not any(self._differ(theirs - now, used) for now in (before, after)):
            return None
        found = theirs - after
        if abs(found) >= _NO_CLOCK_IS_SO_WRONG:
            return None
        known = self.offset
        return found if self._differ(found, known) else known

    def proved(self, offset: timedelta) -> None:
        """Note the offset of an attempt that had been corrected, and was not refused.

        Before it is proved, it is a guess of one call's: a refusal for another reason, with a Date that is
        wrong, must not mislead all others.
        """
        with self._lock:
            if self._differ(offset, self.offset):
                self.offset = offset

    def _differ(self, one: timedelta, other: timedelta) -> bool:
        """Whether two offsets are so far apart that one may be refused where the other is not."""
        return abs(one - other) > self._worth_correcting
