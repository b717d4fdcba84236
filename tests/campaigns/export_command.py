"""`soapclient` in a process that may kill itself: `python -m … MOMENT ARGUMENTS`.

A moment is the n-th time that something is done to the disk or the network, `rename:3` say: the process ends
by SIGKILL before it, or, where the thing can be told from what follows it, after it. `never` lets all of them
pass. An order that was not answered is settled in seconds: the campaign's proxy passes on at once or never.
"""

from __future__ import annotations

import os
import signal
import socket
import sys
from collections.abc import Callable
from typing import Final, TypeVar

from soapclient.cli import main
from soapclient.exports.orders import orders

T = TypeVar("T")

_SETTLE: Final = 2.0  # seconds; 60 in life
_AUDITED: Final = {
    "os.mkdir": "mkdir",
    "os.rename": "rename",
    "os.remove": "remove",
    "fcntl.flock": "lock",
    "socket.connect": "connect",
}
_WRITING: Final = os.O_WRONLY | os.O_RDWR | os.O_CREAT
MOMENTS: Final = {
    "mkdir": 2,
    "lock": 5,
    "open": 9,
    "write": 16,
    "fsync": 24,
    "rename": 5,
    "remove": 3,
    "connect": 2,
    "send": 14,
    "receive": 40,
}
"""Roughly how many there are of each kind where nothing goes wrong."""


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


def run(moment: str) -> None:
    """Run the command line in `sys.argv` until that moment."""
    assert hasattr(orders, "SETTLE")
    vars(orders)["SETTLE"] = _SETTLE
    moments = Moments(moment)
    sys.addaudithook(moments.audited)
    for name in ("fsync", "write"):
        setattr(os, name, moments.around(name, getattr(os, name)))
    for name, kind in (("sendall", "send"), ("recv_into", "receive")):
        setattr(socket.socket, name, moments.around(kind, getattr(socket.socket, name)))
    sys.exit(main())


if __name__ == "__main__":
    chosen = sys.argv.pop(1)
    run(chosen)
