"""What an account can create, change and delete: one small store for all kinds."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from typing import Generic, TypeVar

K = TypeVar("K")
T = TypeVar("T")


class Repository(Generic[K, T]):
    """Things by their key, oldest first. Thread-safe; the things themselves never change."""

    def __init__(self, key: Callable[[T], K], initial: Iterable[T]) -> None:
        self._key = key
        self._lock = threading.Lock()
        self._records = {key(one): one for one in initial}
        self._made = 0

    def all(self) -> list[T]:
        with self._lock:
            return list(self._records.values())

    def get(self, key: K) -> T | None:
        with self._lock:
            return self._records.get(key)

    def number(self) -> int:
        """1, 2, 3… for making the key of something new. Never the same twice."""
        with self._lock:
            self._made += 1
            return self._made

    def add(self, one: T) -> bool:
        """Keep it; False (and nothing done) if its key is taken."""
        with self._lock:
            return self._records.setdefault(self._key(one), one) is one

    def change(self, key: K, how: Callable[[T], T]) -> T | None:
        """Replace the one with this key by what `how` makes of it; None if there is none."""
        with self._lock:
            before = self._records.get(key)
            if before is None:
                return None
            self._records[key] = after = how(before)
            return after

    def change_all(self, how: Callable[[T], T]) -> None:
        with self._lock:
            self._records = {key: how(one) for key, one in self._records.items()}

    def remove(self, which: Callable[[T], bool]) -> int:
        """Delete those for which `which` is true; how many they were."""
        with self._lock:
            left = {key: one for key, one in self._records.items() if not which(one)}
            gone = len(self._records) - len(left)
            self._records = left
            return gone
