"""Replay detection: remember each message until it expires, and refuse it if it arrives a second time."""

from __future__ import annotations

import heapq
from collections.abc import Collection
from datetime import datetime

from soapclient._support.forks import Lock
from soapclient.errors import ConfigError, SecurityError


class Replays:
    """The messages that were accepted and have not expired, for `Verify(replay=…)`. Thread-safe.

    The object keeps a hash of each signature and of each nonce in memory. `size` is the highest number of
    hashes. If this number is reached, new messages are refused until old ones expire. Otherwise, an attacker
    could send many messages, so that the object forgets an old one, and then repeat the old one.

    Use one object for all rules of a service. Other processes do not share it. Raises ConfigError if `size`
    is not a positive number.

    >>> from soapclient.security import Replays, Verify
    >>> replays = Replays(size=10_000)  # one for all clients of the process
    >>> verify = Verify(trust="server.pem", replay=replays)
    """

    __slots__ = ("_by_end", "_lock", "_size", "_values")

    def __init__(self, size: int = 100_000) -> None:
        if isinstance(size, bool) or not isinstance(size, int) or size < 1:
            raise ConfigError(
                "size",
                f"must be a whole number greater than 0, got {size!r}",
                "Pass the highest number of hashes: Replays(100_000)",
            )
        self._size = size
        self._values: set[bytes] = set()
        self._by_end: list[tuple[datetime, bytes]] = []
        self._lock = Lock()

    def add(self, values: Collection[bytes], end: datetime, now: datetime) -> None:
        """Remember the values of a message (hashes of its signatures and nonces) until the time `end`.

        Raises SecurityError if a value is already known, or if the memory is full. In both cases, none of the
        values is added. `now` is the current time: values that have expired before it are forgotten.
        """
        with self._lock:
            while self._by_end and self._by_end[0][0] < now:
                self._values.discard(heapq.heappop(self._by_end)[1])
            if not self._values.isdisjoint(values):
                raise SecurityError("replay", "the same message was received before")
            if len(self._values) + len(values) > self._size:
                raise SecurityError(
                    "replay",
                    f"Replays is full ({self._size} hashes): no message is accepted until old ones expire",
                )
            self._values.update(values)
            for value in set(values):
                heapq.heappush(self._by_end, (end, value))

    def __reduce__(self) -> tuple[type[Replays], tuple[int]]:
        """Support copy and pickle. The copy is empty, because only this process remembers its messages."""
        return Replays, (self._size,)

    def __repr__(self) -> str:
        return f"Replays({self._size})"
