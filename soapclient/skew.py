"""A machine with a wrong clock signs times that a service refuses; the service's own `Date` puts it right."""

from __future__ import annotations

import threading
from datetime import datetime, timedelta
from email.utils import parsedate_to_datetime
from typing import Final

_WORTH_CORRECTING: Final = timedelta(minutes=2)


class Skew:
    """The offset between an endpoint's clock and ours. Threads may share it."""

    def __init__(self) -> None:
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
        try:
            theirs = parsedate_to_datetime(date or "")
        except ValueError:
            return False
        if theirs.tzinfo is None:
            return False
        found = theirs - now
        with self._lock:
            if abs(found - used) > _WORTH_CORRECTING and self._offset == used:
                self._offset = found
            return self._offset != used
