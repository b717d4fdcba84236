"""Replay detection: remember messages for as long as they are fresh, and refuse them the second time."""

from __future__ import annotations

import heapq
from collections.abc import Collection
from datetime import datetime

from soapclient._support.forks import Lock
from soapclient.errors import ConfigError, SecurityError


class Replays:
    """The messages that were accepted and have not expired, for `Verify(replay=…)`. Thread-safe.

    It holds a hash of each signature and of each nonce in memory. `size` is the highest number of hashes. If
    it is reached, further messages are refused until some expire: without this, an attacker could make it
    forget a message. Share one object between all rules of a service. Each process has its own.

    Raises ConfigError if `size` is not a positive number.
    """

    __slots__ = ("_by_end", "_lock", "_size", "_values")

    def __init__(self, size: int = 100_000) -> None:
        if isinstance(size, bool) or not isinstance(size, int) or size < 1:
            raise ConfigError("size", f"must be a positive number, got {size!r}", "Pass Replays(100_000)")
        self._size = size
        self._values: set[bytes] = set()
        self._by_end: list[tuple[datetime, bytes]] = []
        self._lock = Lock()

    def add(self, values: Collection[bytes], end: datetime, now: datetime) -> None:
        """Remember the values of a message until `end`: either all, or nothing if it raises.

        Raises SecurityError if a value is known, or if the memory is full.
        """
        with self._lock:
            while self._by_end and self._by_end[0][0] < now:
                self._values.discard(heapq.heappop(self._by_end)[1])
            if not self._values.isdisjoint(values):
                raise SecurityError("replay", "the message was received before")
            if len(self._values) + len(values) > self._size:
                problem = f"{self._size} messages are remembered, and the memory is full until some expire"
                raise SecurityError("replay", problem)
            self._values.update(values)
            for value in set(values):
                heapq.heappush(self._by_end, (end, value))

    def __reduce__(self) -> tuple[type[Replays], tuple[int]]:
        """Copies and pickles are empty: messages are remembered in one process."""
        return Replays, (self._size,)

    def __repr__(self) -> str:
        return f"Replays({self._size})"
