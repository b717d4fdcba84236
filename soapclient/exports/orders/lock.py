"""One process orders at a time: a lock of the operating system, which a killed process cannot leave."""

from __future__ import annotations

import contextlib
import os
import sys
from pathlib import Path
from types import TracebackType
from typing import Final

from soapclient.clock import Clock, Deadline
from soapclient.errors import ExportError
from soapclient.exports.durable import open_regular

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

_PAUSE: Final = 0.05  # seconds between two tries


class LedgerBusy(ExportError):
    """Another process or thread is ordering for the same account. `seconds` is how long it was waited for."""

    def __init__(self, path: str, seconds: float) -> None:
        self.path = path
        self.seconds = seconds
        super().__init__(
            f"{path}: another process is ordering exports for this account (waited {seconds:g} seconds). "
            "Nothing was sent; let it finish, or allow more patience."
        )


class OrdererLock:
    """Holds the lock on `path` for a `with` block.

    The file stays; where somebody removed it, the lock is taken on the one of that name now.

    `patience` is how many seconds to wait for another holder. Raises LedgerBusy after that, OSError where
    the file system refuses. On a network file system it holds as far as that one's locks do.
    """

    def __init__(self, path: Path, *, patience: float, clock: Clock) -> None:
        self._path = path
        self._patience = patience
        self._clock = clock
        self._fd = -1
        self._pid = -1

    def __enter__(self) -> OrdererLock:
        deadline = Deadline(self._clock, self._patience)
        while True:
            fd = open_regular(self._path, os.O_RDWR | os.O_CREAT)
            try:
                while not _locked(fd):
                    if deadline.expired:
                        raise LedgerBusy(str(self._path), self._patience)
                    self._clock.sleep(deadline.within(_PAUSE))
                if _has_its_name(fd, self._path):
                    break
            except BaseException:
                os.close(fd)
                raise
            os.close(fd)
        self._fd, self._pid = fd, os.getpid()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        fd, self._fd = self._fd, -1
        if sys.platform != "win32" and os.getpid() == self._pid:
            with contextlib.suppress(OSError):
                fcntl.flock(fd, fcntl.LOCK_UN)  # a child that was forked meanwhile would keep it
        os.close(fd)  # which gives the lock back where no child has the file open


def _has_its_name(fd: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(fd), path.stat())
    except FileNotFoundError:
        return False


def _locked(fd: int) -> bool:
    try:
        if sys.platform == "win32":
            msvcrt.locking(fd, msvcrt.LK_NBLCK, 1)
        else:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):
        return False
    return True
