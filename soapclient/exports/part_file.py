"""A file that gets its name only once it is whole: `name.part` until then, beside it."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path
from types import TracebackType
from typing import Final

from soapclient.errors import ExportError

with contextlib.suppress(ImportError):  # Windows, which lets nobody else rename or remove an open file
    import fcntl

_LOCKING: Final = "fcntl" in globals()


class PartFile:
    """`target`.part, open for writing. `finish` renames it to `target`; left otherwise, it is removed.

    What a process that was killed left behind is written over. Raises ExportError if another download is
    writing it, and OSError where the file system refuses.
    """

    def __init__(self, target: Path) -> None:
        if target.is_dir():
            raise IsADirectoryError(f"{target} is a folder; name the file in it")
        self.target = target
        self.path = target.with_name(target.name + ".part")
        self._fd = _open(self.path)
        self._finished = False

    def __enter__(self) -> PartFile:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._finished:
            return
        with contextlib.suppress(OSError):
            if _LOCKING:
                self.path.unlink()  # while it is still locked, and so surely ours
                self._close()
            else:
                self._close()
                self.path.unlink()

    def restart(self) -> None:
        """Forget what was written."""
        os.ftruncate(self._fd, 0)
        os.lseek(self._fd, 0, os.SEEK_SET)

    def write(self, data: bytes) -> None:
        """Append."""
        view = memoryview(data)
        while view:
            view = view[os.write(self._fd, view) :]

    def finish(self) -> None:
        """Bring the content to the disk, then give the file its name; a file of that name is replaced."""
        os.fsync(self._fd)
        if not _LOCKING:
            self._close()
        # Where there are locks: still locked, so that nobody takes it for a left-over.
        os.replace(self.path, self.target)
        self._finished = True
        self._close()
        _sync_folder(self.target.parent)

    def _close(self) -> None:
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1


def _open(path: Path) -> int:
    while True:
        fd = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o666)
        try:
            if not _LOCKING or _lock(fd, path):
                os.ftruncate(fd, 0)
                return fd
        except BaseException:
            os.close(fd)
            raise
        os.close(fd)


def _lock(fd: int, path: Path) -> bool:
    """Lock an open file; False if by then its name had gone over to another, or was gone."""
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise ExportError(
            f"{path}: another download is writing this file. Wait for it, or name another file."
        ) from None
    try:
        return os.path.samestat(os.fstat(fd), os.stat(path))
    except FileNotFoundError:
        return False


def _sync_folder(folder: Path) -> None:
    with contextlib.suppress(OSError):  # Windows cannot open a folder; some file systems cannot sync one
        fd = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(fd)
        finally:
            os.close(fd)
