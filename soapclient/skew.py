"""A machine with a wrong clock signs times that a service refuses; the service's own `Date` puts it right."""

from __future__ import annotations

import threading
from datetime import datetime, timedelta
from typing import Final

from soapclient.dates import http_date

_NO_CLOCK_IS_SO_WRONG: Final = timedelta(days=36_525)


class Skew:
    """The offset between an endpoint's clock and ours. Threads may share it.

    A signature is refused when its time is further away than `validity`; a difference of less than half of
    that explains no refusal, for how long it is in truth is not known for sure (record.md 1).
    """

    def __init__(self, validity: timedelta) -> None:
        self._worth_correcting = validity / 2
        self._lock = threading.Lock()
        self._offset = timedelta(0)

    @property
    def offset(self) -> timedelta:
        """What is added to our time before it is signed."""
        with self._lock:
            return self._offset

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
