"""After a fork the child shares no connection, lock or quota with its parent.

A child inherits the parent's sockets: two processes that write to one get each other's responses. It inherits
the locks as they stand, too, and a lock that another thread held is held for ever, for that thread is not in
the child.
"""

from __future__ import annotations

import functools
import logging
import os
import threading
import weakref
from collections.abc import Callable
from types import TracebackType
from typing import Any, Final, Protocol, TypeVar

T = TypeVar("T")
log = logging.getLogger(__name__)


class Renewable(Protocol):
    """What must not go on in a child as it was in the parent."""

    def renew(self) -> None:
        """Called in a forked child, before anything else runs there."""


class _Renewables:
    """Whom to renew, for as long as they live.

    No WeakSet: it calls Python whenever one of its members dies, which may be while somebody's recursion is
    as deep as it may be.
    """

    _FEW: Final = 64

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._references: list[weakref.ref[Renewable]] = []
        self._most = self._FEW

    def add(self, owner: Renewable) -> None:
        with self._lock:
            self._references.append(weakref.ref(owner))
            if len(self._references) > self._most:  # half of them are dead, or it may grow
                self._references = [each for each in self._references if each() is not None]
                self._most = max(self._FEW, 2 * len(self._references))

    def renew(self) -> None:
        self._lock = threading.Lock()
        for each in self._references:
            if (owner := each()) is not None:
                try:
                    owner.renew()
                except Exception:  # of one owner's own: the others are renewed all the same
                    log.exception("%s could not be renewed in a forked child", type(owner).__name__)


_renewables = _Renewables()


def renewed_in_children(owner: Renewable) -> None:
    """Have `owner.renew()` called in each forked child for as long as `owner` lives."""
    _renewables.add(owner)


class Lock:
    """A `threading.Lock` for use with `with`, free in a forked child whoever held it in the parent."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        renewed_in_children(self)

    def renew(self) -> None:
        self._lock = threading.Lock()

    def __enter__(self) -> None:
        self._lock.acquire()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._lock.release()


class lazy(functools.cached_property[T]):
    """`functools.cached_property`, whose lock (Python 3.11 has one) is free in a forked child."""

    # Any: as functools types it.
    def __init__(self, function: Callable[[Any], T]) -> None:
        super().__init__(function)
        renewed_in_children(self)

    def renew(self) -> None:
        if hasattr(self, "lock"):
            self.lock = threading.RLock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renewables.renew)
