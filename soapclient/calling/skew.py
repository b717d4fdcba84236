"""A machine with a wrong clock signs times that a service refuses; the service's own `Date` puts it right."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final

from soapclient.forks import Lock
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
        self._offset = timedelta(0)
        self._seen: tuple[datetime, float] | None = None

    @property
    def offset(self) -> timedelta:
        """What is added to our time before it is signed."""
        with self._lock:
            return self._offset

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

    def explains(self, used: timedelta, date: str | None, now: datetime) -> bool:
        """Whether a refused attempt that used the offset `used` is worth repeating with the stored one.

        `date` is the Date header of the refusal. A difference that is small does not explain a refusal; one
        that another thread has corrected meanwhile does.
        """
        theirs = http_date(date)
        if theirs is None:
            return False
        found = theirs - now
        with self._lock:
            worth = self._worth_correcting < abs(found - used) and abs(found) < _NO_CLOCK_IS_SO_WRONG
            if worth and self._offset == used:
                self._offset = found
            return self._offset != used
