"""Moments at which a process kills itself with SIGKILL: the n-th disk or network operation of a kind.

`rename:3` kills the process before an operation. Some kinds, such as `fsync` and `send`, also count when the
operation returns, so that the process may end after it. `never` disables this. The parent process does the
kills by the clock (`processes`).
"""

from __future__ import annotations

import os
import signal
import socket
import sys
from collections.abc import Callable
from random import Random
from typing import Final, TypeVar

T = TypeVar("T")

NEVER: Final = "never"
_AUDITED: Final = {
    "os.mkdir": "mkdir", "os.rename": "rename", "os.remove": "remove", "fcntl.flock": "lock",
    "socket.connect": "connect",
}  # fmt: skip
_WRITING: Final = os.O_WRONLY | os.O_RDWR | os.O_CREAT
MOMENTS: Final = {
    "mkdir": 2, "lock": 5, "open": 9, "write": 24, "fsync": 24, "rename": 5, "remove": 3, "connect": 2,
    "send": 14, "receive": 60,
}  # fmt: skip
"""Roughly how many there are of each kind in one export where nothing goes wrong."""


class Moments:
    """Counts operations and kills the process at one of them."""

    def __init__(self, moment: str) -> None:
        self._kind, _, number = moment.partition(":")
        self._left = int(number or 0)

    def passes(self, kind: str) -> None:
        """Register an operation of this kind."""
        if kind != self._kind:
            return
        if self._left == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        self._left -= 1

    def around(self, kind: str, function: Callable[..., T]) -> Callable[..., T]:
        """Wrap a function with a moment before and one after it."""

        def wrapped(*args: object, **named: object) -> T:
            self.passes(kind)
            result = function(*args, **named)
            self.passes(kind)
            return result

        return wrapped

    def audited(self, event: str, arguments: tuple[object, ...]) -> None:
        """Audit hook for `sys.addaudithook`. Registers file and connection operations."""
        if event in _AUDITED:
            self.passes(_AUDITED[event])
        elif event == "open" and _writes(arguments):
            self.passes("open")


def _writes(arguments: tuple[object, ...]) -> bool:
    path, _, flags = arguments
    return isinstance(flags, int) and bool(flags & _WRITING) and "__pycache__" not in str(path)


def end_at(moment: str) -> None:
    """Make this process end at that moment."""
    if moment == NEVER:
        return
    moments = Moments(moment)
    sys.addaudithook(moments.audited)
    for name in ("fsync", "write"):
        setattr(os, name, moments.around(name, getattr(os, name)))
    for name, kind in (("sendall", "send"), ("recv_into", "receive")):
        setattr(socket.socket, name, moments.around(kind, getattr(socket.socket, name)))


def drawn(random: Random, *, often: int = 1, seconds: float) -> str:
    """Pick a moment for a process that does the work of `often` exports in about `seconds` seconds."""
    if random.random() < _BY_CLOCK:
        return f"{CLOCK}:{random.uniform(0, seconds):.3f}"
    kind = random.choice(list(MOMENTS))
    return f"{kind}:{random.randrange(MOMENTS[kind] * often)}"


def on_disk(random: Random, often: int) -> str:
    """Pick a disk operation for a process that does the work of `often` exports."""
    kind = random.choice(_ON_DISK)
    return f"{kind}:{random.randrange(MOMENTS[kind] * often)}"


CLOCK: Final = "clock"
_ON_DISK: Final = ("lock", "open", "write", "fsync", "rename", "remove")
_BY_CLOCK: Final = 0.3  # share of all moments
