"""Moments at which a process ends by SIGKILL: the n-th time that it does something to the disk or network.

`rename:3` say: the process ends before that, or, where the thing can be told from what follows it, after it.
`never` lets all of them pass. A moment by the clock is for whoever started the process (`processes`).
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
    "os.mkdir": "mkdir",
    "os.rename": "rename",
    "os.remove": "remove",
    "os.link": "link",
    "fcntl.flock": "lock",
    "socket.connect": "connect",
}
_WRITING: Final = os.O_WRONLY | os.O_RDWR | os.O_CREAT
MOMENTS: Final = {
    "mkdir": 2,
    "lock": 5,
    "open": 9,
    "write": 24,
    "fsync": 24,
    "rename": 5,
    "remove": 3,
    "connect": 2,
    "send": 14,
    "receive": 60,
}
"""Roughly how many there are of each kind in one export where nothing goes wrong."""


class Moments:
    """Counts what is done, and ends the process at one moment."""

    def __init__(self, moment: str) -> None:
        self._kind, _, number = moment.partition(":")
        self._left = int(number or 0)

    def passes(self, kind: str) -> None:
        """Something of this kind is done, or was."""
        if kind != self._kind:
            return
        if self._left == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        self._left -= 1

    def around(self, kind: str, function: Callable[..., T]) -> Callable[..., T]:
        """The function, with a moment before and one after it."""

        def wrapped(*args: object, **named: object) -> T:
            self.passes(kind)
            result = function(*args, **named)
            self.passes(kind)
            return result

        return wrapped

    def audited(self, event: str, arguments: tuple[object, ...]) -> None:
        """A hook for `sys.addaudithook`: what is about to happen to files and connections."""
        if event in _AUDITED:
            self.passes(_AUDITED[event])
        elif event == "open" and _writes(arguments):
            self.passes("open")


def _writes(arguments: tuple[object, ...]) -> bool:
    path, _, flags = arguments
    return isinstance(flags, int) and bool(flags & _WRITING) and "__pycache__" not in str(path)


def end_at(moment: str) -> None:
    """From now on this process ends at that moment."""
    if moment == NEVER:
        return
    moments = Moments(moment)
    sys.addaudithook(moments.audited)
    for name in ("fsync", "write"):
        setattr(os, name, moments.around(name, getattr(os, name)))
    for name, kind in (("sendall", "send"), ("recv_into", "receive")):
        setattr(socket.socket, name, moments.around(kind, getattr(socket.socket, name)))


def drawn(random: Random, *, often: int = 1, seconds: float) -> str:
    """A moment of a process that does the work of `often` exports in about so many seconds."""
    if random.random() < _BY_CLOCK:
        return f"{CLOCK}:{random.uniform(0, seconds):.3f}"
    kind = random.choice(list(MOMENTS))
    return f"{kind}:{random.randrange(MOMENTS[kind] * often)}"


def on_disk(random: Random, often: int) -> str:
    """A moment in what is done to the disk, of a process that does the work of `often` exports."""
    kind = random.choice(_ON_DISK)
    return f"{kind}:{random.randrange(MOMENTS[kind] * often)}"


CLOCK: Final = "clock"
_ON_DISK: Final = ("lock", "open", "write", "fsync", "rename", "remove")
_BY_CLOCK: Final = 0.3  # of all moments
