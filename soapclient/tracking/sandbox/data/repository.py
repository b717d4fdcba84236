"""The store for records that an account can create, change and delete."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from typing import Generic, TypeVar

K = TypeVar("K")
T = TypeVar("T")


class Repository(Generic[K, T]):
    """Records by key, oldest first. Thread-safe. The records themselves are immutable."""

    def __init__(self, key: Callable[[T], K], initial: Iterable[T]) -> None:
        self._key = key
        self._lock = threading.Lock()
        self._records = {key(record): record for record in initial}
        self._serial = 0

    def all(self) -> list[T]:
        """Return all records, oldest first."""
        with self._lock:
            return list(self._records.values())

    def get(self, key: K) -> T | None:
        """Return the record with this key; None if the key is unknown."""
        with self._lock:
            return self._records.get(key)

    def number(self) -> int:
        """Return a serial number for a new key: 1 at the first call, then 2, 3, …"""
        with self._lock:
            self._serial += 1
            return self._serial

    def add(self, record: T) -> bool:
        """Add a record and return True. If its key exists already, change nothing and return False."""
        with self._lock:
            return self._records.setdefault(self._key(record), record) is record

    def change(self, key: K, how: Callable[[T], T]) -> T | None:
        """Replace a record by `how(record)`. Return the new record, or None if the key is unknown."""
        with self._lock:
            before = self._records.get(key)
            if before is None:
                return None
            self._records[key] = after = how(before)
            return after

    def change_all(self, how: Callable[[T], T]) -> None:
        """Replace every record by `how(record)`."""
        with self._lock:
            self._records = {key: how(record) for key, record in self._records.items()}

    def remove(self, which: Callable[[T], bool]) -> int:
        """Delete the records for which `which` returns True. Return their number."""
        with self._lock:
            remaining = {key: record for key, record in self._records.items() if not which(record)}
            removed = len(self._records) - len(remaining)
            self._records = remaining
            return removed
