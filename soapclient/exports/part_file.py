"""Files that get their name once they are complete: `name.part` until then.

With a mark (`name.part.json`) that says which job's bytes they are, a later download resumes them. The mark
of a complete file stays until it is acknowledged.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import io
import json
import os
import re
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Final

import msgspec

from soapclient.errors import ExportError
from soapclient.exports.durable import (
    PART,
    check_writable,
    nameable,
    open_locked,
    open_regular,
    read_json,
    read_regular,
    sync_folder,
    write_text,
)
from soapclient.exports.handle import JobId

FORMAT: Final = 2
_STRONG: Final = re.compile(r'"[\x21\x23-\x7e]{1,200}"', re.ASCII)
_MOST_READ: Final = 1 << 16  # bytes of such a file that are looked at


@dataclass(frozen=True, slots=True)
class PartMark:
    """Whose bytes they are: of which job of which account at which service, of which state of its file.

    `etag` is a strong one, None where none vouches for them, which only a whole file may do without.
    `service` is the configured address, `account` stands for the account. The file's own address is left out:
    a ticket in its path would lie on the disk. `sha256` is that of the whole, verified file, once it is
    about to get its name: a file of that content under that name is the job's delivery.
    """

    job_id: JobId
    etag: str | None
    service: str
    account: str
    sha256: str | None = field(default=None, compare=False)

    def write(self, path: Path) -> None:
        """Raises OSError."""
        values = {"format": FORMAT, **asdict(self)}
        if self.sha256 is None:
            del values["sha256"]
        write_text(path, json.dumps(values) + "\n")

    @classmethod
    def read(cls, path: Path) -> PartMark | None:
        """Return what `write` wrote; None where nothing, or anything else, is there."""
        try:
            data = read_json(read_regular(path, _MOST_READ))
        except (OSError, ValueError, RecursionError):
            return None
        if not isinstance(data, dict) or data.get("format") != FORMAT:
            return None
        try:
            mark = msgspec.convert(data, cls)
        except msgspec.ValidationError:
            return None
        vouched = mark.sha256 is not None if mark.etag is None else is_strong(mark.etag)
        return mark if vouched else None


def mark_path(target: Path) -> Path:
    """Return where the mark of a file lies, until it is acknowledged that the file is there."""
    return target.with_name(target.name + ".part.json")


def is_strong(text: str) -> bool:
    """Tell whether a text is a strong ETag that may stand in a request."""
    return _STRONG.fullmatch(text) is not None


_LOCKING: Final = os.name != "nt"  # Windows lets nobody else rename or remove an open file
_BLOCK: Final = 1 << 20
_LEFT: Final = 3600.0  # seconds since its last byte, after which nobody is at work on a part file


class PartFile:
    """`target`.part, open and locked. `finish` renames it to `target`.

    `mark` says whose the `size` bytes in it are: those of an earlier download, which may have been killed, or
    what `restart` was given. Left otherwise than by `finish`, bytes with a mark stay for the next download;
    without one they are removed, and what was found without one is written over. Raises ExportError if
    another download is writing it, and OSError where the file system refuses.
    """

    def __init__(self, target: Path) -> None:
        _check_replaceable(target)
        self.target = target
        self.path = _part_of(target)
        self.side = mark_path(target)
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
        # In this order: whenever the process is killed, no bytes have the mark of others.
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

    So is what killed processes left of which no download can make use.
    """
    with contextlib.suppress(OSError):
        nameable(target)
        mark_path(target).unlink(missing_ok=True)
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
        useless = os.fstat(fd).st_size == 0 or PartMark.read(mark_path(target)) is None
        with contextlib.suppress(OSError):  # its name may be too long for there to be one
            _unfinished_mark(target).unlink(missing_ok=True)
        if useless and _LOCKING:
            part.unlink(missing_ok=True)  # while it is still locked, and so surely ours
    finally:
        os.close(fd)
    if useless and not _LOCKING:
        part.unlink(missing_ok=True)


def _unfinished_mark(target: Path) -> Path:
    side = mark_path(target)
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
    def busy() -> None:
        raise ExportError(
            f"{path}: another download is writing this file. Wait for it, or name another file."
        )

    return open_locked(path, busy) if _LOCKING else open_regular(path, os.O_RDWR | os.O_CREAT)


@dataclass(frozen=True, slots=True)
class Written:
    """A file that was written. `size` is in bytes, `sha256` is that of the file, in hex."""

    path: Path
    rows: int
    size: int
    sha256: str


class NewFile(io.RawIOBase):
    """Write-only stream to `path`, which takes its name with `finish` alone; left otherwise, it is removed.

    Raises ValueError for the path of the `source`, ExportError if another is writing the file, OSError where
    the file system refuses.
    """

    def __init__(self, path: str | os.PathLike[str], source: Path) -> None:
        target = Path(path)
        if target.exists() and target.samefile(source):
            raise ValueError(f"{target} is the export itself; name another file")
        self._part = PartFile(target)
        self._part.restart()
        self._hash = hashlib.sha256()
        self._size = 0

    def __enter__(self) -> NewFile:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._part.__exit__(kind, error, trace)

    def writable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._size

    def write(self, data: bytes, /) -> int:  # type: ignore[override]  # any buffer is bytes to what is below
        self._part.write(data)
        self._hash.update(data)
        count = memoryview(data).nbytes
        self._size += count
        return count

    def finish(self, rows: int) -> Written:
        """Bring the file to the disk and give it its name."""
        self._part.finish()
        return Written(self._part.target, rows, self._size, self._hash.hexdigest())
