"""Large files, which get their name once they are complete, and are `name.part` until then, locked.

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

from soapclient.durable import (
    PART,
    check_writable,
    nameable,
    open_locked,
    open_regular,
    read_json,
    read_regular,
    sync_folder,
    unlock,
    write_text,
)
from soapclient.errors import ExportError
from soapclient.forks import renewed_in_children

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

    job_id: str | int
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
# Of a mark on its way, a mark, a part file.
_ENDINGS: Final = (f"{PART}.json{PART}", f"{PART}.json", PART)


class PartFile:
    """`target`.part, open and locked. `finish` renames it to `target`.

    `mark` says whose the `size` bytes in it are: those of an earlier download, which may have been killed, or
    what `restart` was given. Left otherwise than by `finish`, bytes with a mark stay for the next download;
    without one they are removed, and what was found without one is written over. Raises ExportError if
    another download is writing it, and OSError where the file system refuses.
    """

    def __init__(self, target: Path) -> None:
        check_replaceable(target)
        self.target = target
        self.path = _part_of(target)
        self.side = mark_path(target)
        self._finished = False
        self._fd = -1
        renewed_in_children(self)
        self._fd = _open(self.path)
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
            try:
                written = os.write(self._fd, view)
            except OSError as error:  # which names no file
                error.filename = str(self.target)
                raise
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

    def renew(self) -> None:
        """In a forked child: there it is closed, and its parent's alone."""
        self._finished = True
        fd, self._fd = self._fd, -1
        if fd >= 0:
            os.close(fd)

    def _close(self) -> None:
        fd, self._fd = self._fd, -1
        if fd >= 0:
            unlock(fd)


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
    check_replaceable(target)
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
        unlock(fd)
    if useless and not _LOCKING:
        part.unlink(missing_ok=True)


def _unfinished_mark(target: Path) -> Path:
    side = mark_path(target)
    return side.with_name(side.name + PART)


def _part_of(target: Path) -> Path:
    return target.with_name(target.name + PART)


def check_replaceable(target: Path) -> None:
    """Raise OSError for what a file cannot take the place of: a folder, a pipe, a device."""
    nameable(target)
    if target.is_dir():
        raise IsADirectoryError(f"{target} is a folder; name the file in it")
    if target.exists() and not target.is_file():
        raise OSError(errno.EINVAL, "it is neither a file nor a free name: name a file", str(target))


def sweep(folder: Path) -> None:
    """Remove the part files in a folder, and their marks, that killed processes left.

    What a process has open is locked, and stays. One that opens a file at this moment may find it locked
    (ExportError): it is to take another name. Where nothing is locked, the age tells what was left.
    """
    try:
        found = [folder / name for name in os.listdir(folder)]
    except OSError:  # there is none: another process may remove it at any moment
        return
    for path in found:
        ending = next((each for each in _ENDINGS if path.name.endswith(each)), None)
        with contextlib.suppress(OSError, ExportError):
            if ending in (None, path.name) or not (_LOCKING or time.time() - path.lstat().st_mtime >= _LEFT):
                continue
            target = path.with_name(path.name.removesuffix(ending))
            fd = _open(_part_of(target))
            try:
                for left in (_unfinished_mark(target), mark_path(target), _part_of(target)):
                    left.unlink(missing_ok=True)
            finally:
                unlock(fd)


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

    Raises ValueError for the path of the `source`, if there is one, ExportError if another is writing the
    file, OSError where the file system refuses.
    """

    def __init__(self, path: str | os.PathLike[str], source: Path | None = None) -> None:
        target = Path(path)
        if source is not None and target.exists() and target.samefile(source):
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
        self.close()  # else a buffer over this, when it is collected, writes its rest to a file that is gone

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
