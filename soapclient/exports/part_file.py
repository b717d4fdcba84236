"""A file that gets its name only once it is whole: `name.part` until then, beside it.

With a mark that says whose bytes they are (`name.part.json`), a later download may go on with them. The mark
of a whole file stays until somebody has heard of it.
"""

from __future__ import annotations

import contextlib
import errno
import os
import time
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Final

from soapclient.errors import ExportError
from soapclient.exports.durable import PART, check_writable, nameable, open_regular, sync_folder
from soapclient.exports.part_mark import PartMark, mark_beside

with contextlib.suppress(ImportError):  # Windows, which lets nobody else rename or remove an open file
    import fcntl

_LOCKING: Final = "fcntl" in globals()
_BLOCK: Final = 1 << 20
_LEFT: Final = 3600.0  # seconds since its last byte, after which nobody is at work on a part file


class PartFile:
    """`target`.part, open and locked. `finish` renames it to `target`.

    `mark` says whose the `size` bytes in it are: those of an earlier download, which may have been killed,
    or what `restart` was told. Left otherwise than by `finish`, bytes with a mark stay for the next download;
    without one they are removed, and what was found without one is written over. Raises ExportError if
    another download is writing it, and OSError where the file system refuses.
    """

    def __init__(self, target: Path) -> None:
        _check_replaceable(target)
        self.target = target
        self.path = _part_of(target)
        self.side = mark_beside(target)
        self._fd = _open(self.path)
        self._finished = False
        self.mark = PartMark.read(self.side)
        self.size = os.lseek(self._fd, 0, os.SEEK_END)
        if self.mark is None and self.size:
            self._empty()

    def __enter__(self) -> PartFile:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._finished:
            return
        if self.mark is not None and self.size:
            self._close()
            return
        with contextlib.suppress(OSError):
            self.side.unlink(missing_ok=True)
            if _LOCKING:
                self.path.unlink()  # while it is still locked, and so surely ours
        self._close()
        if not _LOCKING:
            with contextlib.suppress(OSError):
                self.path.unlink()

    def blocks(self) -> Iterator[bytes]:
        """Give what is there, from its start. To its end, or `restart`: what is written goes there."""
        os.lseek(self._fd, 0, os.SEEK_SET)
        while block := os.read(self._fd, _BLOCK):
            yield block

    def restart(self, mark: PartMark | None = None) -> None:
        """Forget what was written; what is written from now on belongs to `mark`."""
        # In this order: whenever the process is killed, no bytes stand beside the mark of others.
        self.side.unlink(missing_ok=True)
        self.mark = None
        self._empty()
        if mark is not None:
            mark.write(self.side)
            self.mark = mark

    def write(self, data: bytes) -> None:
        """Append."""
        view = memoryview(data)
        while view:
            written = os.write(self._fd, view)
            self.size += written
            view = view[written:]

    def finish(self, mark: PartMark | None = None) -> None:
        """Bring the content to the disk, then give the file its name; a file of that name is replaced.

        The `mark` of the whole file is written before and stays: see `acknowledge`.
        """
        os.fsync(self._fd)
        if mark is not None:
            mark.write(self.side)
        if not _LOCKING:
            self._close()
        # Where there are locks: still locked, so that nobody takes it for a left-over.
        os.replace(self.path, self.target)
        self._finished = True
        if mark is None:
            acknowledge(self.target)
        self._close()
        with contextlib.suppress(OSError):  # the file is whole and in its place whatever its folder says
            sync_folder(self.target.parent)

    def _empty(self) -> None:
        os.ftruncate(self._fd, 0)
        os.lseek(self._fd, 0, os.SEEK_SET)
        self.size = 0

    def _close(self) -> None:
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1


def acknowledge(target: Path) -> None:
    """Remove the mark of a file that is in its place: whoever it is for has heard of it.

    So is what killed processes left beside it of which no download can make use.
    """
    with contextlib.suppress(OSError):
        nameable(target)
        mark_beside(target).unlink(missing_ok=True)
        part = _part_of(target)
        if os.path.lexists(part) or os.path.lexists(_unfinished_mark(target)):
            with contextlib.suppress(ExportError):
                _tidy(target, _open(part))


def check_target(target: Path) -> None:
    """Refuse a file that could not be downloaded, before anything is ordered for it.

    Leaves what a download can go on with, and nothing else. Raises what PartFile raises for one: OSError, and
    ExportError if another download is writing it.
    """
    _check_replaceable(target)
    fd = _open(_part_of(target))
    try:
        check_writable(_unfinished_mark(target))  # the longest name that there will be
    finally:
        _tidy(target, fd)


def _tidy(target: Path, fd: int) -> None:
    """Remove what no download can make use of; `fd` is the part file, locked, and closed by this."""
    part = _part_of(target)
    try:
        useless = os.fstat(fd).st_size == 0 or PartMark.read(mark_beside(target)) is None
        with contextlib.suppress(OSError):  # its name may be too long for there to be one
            _unfinished_mark(target).unlink(missing_ok=True)
        if useless and _LOCKING:
            part.unlink(missing_ok=True)  # while it is still locked, and so surely ours
    finally:
        os.close(fd)
    if useless and not _LOCKING:
        part.unlink(missing_ok=True)


def _unfinished_mark(target: Path) -> Path:
    side = mark_beside(target)
    return side.with_name(side.name + PART)


def _part_of(target: Path) -> Path:
    return target.with_name(target.name + PART)


def _check_replaceable(target: Path) -> None:
    nameable(target)
    if target.is_dir():
        raise IsADirectoryError(f"{target} is a folder; name the file in it")
    if target.exists() and not target.is_file():
        raise OSError(errno.EINVAL, "it is neither a file nor a free name: name a file", str(target))


def sweep(folder: Path) -> None:
    """Remove the part files in a folder, and their marks, that were left long ago by killed processes."""
    for path in folder.glob("*.part"):
        with contextlib.suppress(OSError, ExportError):
            if time.time() - path.lstat().st_mtime < _LEFT:  # perhaps opened just now, and not locked yet
                continue
            fd = _open(path)
            try:
                path.with_name(path.name + ".json").unlink(missing_ok=True)
                path.unlink()
            finally:
                os.close(fd)


def _open(path: Path) -> int:
    while True:
        fd = open_regular(path, os.O_RDWR | os.O_CREAT)
        try:
            if not _LOCKING or _lock(fd, path):
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
