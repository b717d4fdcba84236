"""Reset connections, locks and quotas in a forked child, so that it does not share them with its parent.

A child inherits the sockets of its parent. If two processes use one socket, they get each other's responses.
The child also inherits the state of the locks. If another thread holds a lock during the fork, the lock is
never released in the child, because this thread does not exist there.
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
    """Interface of objects with a state that a forked child must not share with its parent process."""

    def renew(self) -> None:
        """Reset the state. Called in each forked child before any other code runs there."""


class _Renewables:
    """The objects whose `renew` is called in a forked child, held by weak references.

    A WeakSet is not used, because it runs Python code when a member is freed. This code fails with
    RecursionError if the program is at its recursion limit.
    """

    _FEW: Final = 64

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._references: list[weakref.ref[Renewable]] = []
        self._threshold = self._FEW

    def add(self, owner: Renewable) -> None:
        """Add an object. References to objects that no longer exist are removed from time to time."""
        with self._lock:
            self._references.append(weakref.ref(owner))
            if len(self._references) > self._threshold:  # remove dead references; the threshold may double
                self._references = [reference for reference in self._references if reference() is not None]
                self._threshold = max(self._FEW, 2 * len(self._references))

    def renew(self) -> None:
        """Call `renew` of all objects that still exist. Called in a forked child."""
        self._lock = threading.Lock()
        for reference in self._references:
            if (owner := reference()) is not None:
                try:
                    owner.renew()
                except Exception:  # an error of one object must not stop the renewal of the others
                    log.exception("could not reset %s in a forked child", type(owner).__name__)


_renewables = _Renewables()


def renewed_in_children(owner: Renewable) -> None:
    """Call `owner.renew()` in each forked child, as long as `owner` exists."""
    _renewables.add(owner)


class Lock:
    """A lock like `threading.Lock`, for use with `with`.

    After a fork, the lock is free in the child, even if a thread of the parent process held it.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        renewed_in_children(self)

    def renew(self) -> None:
        """Replace the lock with a free one."""
        self._lock = threading.Lock()

    def __enter__(self) -> None:
        self._lock.acquire()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._lock.release()


class lazy(functools.cached_property[T]):
    """`functools.cached_property` that also works in forked children.

    In Python 3.11, `cached_property` has a lock, which another thread may hold during the fork. The child
    gets a free lock. `runtime.cached_attribute` is an alternative without a lock, for values that may be
    computed twice.
    """

    # Any, as in the type hints of functools.
    def __init__(self, function: Callable[[Any], T]) -> None:
        super().__init__(function)
        renewed_in_children(self)

    def renew(self) -> None:
        """Replace the lock, if there is one, with a free one."""
        if hasattr(self, "lock"):
            self.lock = threading.RLock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renewables.renew)
