"""zeep is loaded when the first call needs it, by one thread alone: half-loaded modules are no use to
another."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from soapclient.forks import Lock

_lock = Lock()


@contextmanager
def zeep_loaded() -> Iterator[None]:
    """Around whatever imports zeep, or what imports it."""
    with _lock:
        yield
