"""What a script asks for a number of times: counted down here, whoever asks and from whichever thread."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from ..faults import Busy

if TYPE_CHECKING:
    from .jobs import JobScript


class Troubles:
    """What is still to go wrong with one job."""

    def __init__(self, script: JobScript) -> None:
        self._lock = threading.Lock()
        self._retry_after = script.retry_after
        self._busy_looks = script.busy_looks
        self._busy_downloads = script.busy_downloads
        self._breaks = script.breaks
        self._stale = script.stale_addresses
        self._ticket = 1 if script.stale_addresses else 0

    def look(self) -> None:
        """Raises `Busy` as long as looks at the job are to be refused."""
        with self._lock:
            if self._busy_looks > 0:
                self._busy_looks -= 1
                raise Busy(self._retry_after)

    def download(self) -> None:
        """Raises `Busy` as long as downloads are to be refused."""
        with self._lock:
            if self._busy_downloads > 0:
                self._busy_downloads -= 1
                raise Busy(self._retry_after)

    def breaks(self) -> bool:
        """Whether this download is to end in its middle."""
        with self._lock:
            broken = self._breaks > 0
            self._breaks -= broken
            return broken

    def ticket(self) -> int:
        """What the address that the job tells now ends with; 0 for nothing."""
        with self._lock:
            return self._ticket

    def stale(self, ticket: str) -> bool:
        """Whether an address has run out; the job tells another one once it was tried."""
        with self._lock:
            if self._ticket == 0:
                return False
            if ticket != str(self._ticket):
                return True
            stale = self._stale > 0
            if stale:
                self._stale -= 1
                self._ticket += 1
            return stale
