"""Part files: write a file as `name.part` under a lock and rename it to `name` when it is complete.

A mark (`name.part.json`) records the export job to which the bytes in a part file belong, so that a later
download can resume. After the part file is complete and renamed, the mark is kept until `acknowledge` removes
it.
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
from dataclasses import dataclass, field, fields
from pathlib import Path
from types import TracebackType
from typing import Final

import msgspec

from soapclient._support.durable import (
    PART,
    check_writable,
    default_mode,
    nameable,
    open_locked,
    open_regular,
    read_json,
    read_regular,
    sync_folder,
    unlock,
    write_text,
)
from soapclient._support.forks import renewed_in_children
from soapclient._support.lazy_pattern import LazyPattern
from soapclient.errors import ExportError

FORMAT: Final = 2
_STRONG_ETAG: Final = LazyPattern(r'"[\x21\x23-\x7e]{1,200}"', re.ASCII)
_MAX_MARK_BYTES: Final = 1 << 16
_LOCKING: Final = os.name != "nt"  # Windows does not let other processes rename or remove an open file
_BLOCK: Final = 1 << 20
_STALE_AFTER: Final = 3600.0  # seconds; without locks, an older part file counts as abandoned
# Suffixes of an unfinished mark, a mark and a part file. The longest suffix comes first, because it ends with
# the shortest.
_SUFFIXES: Final = (f"{PART}.json{PART}", f"{PART}.json", PART)


@dataclass(frozen=True, slots=True)
class PartMark:
    """Identifies the bytes in a part file: the service, the account, the export job, and the job's file.

    `service` is the configured address and `account` a hash of the connect ID. The download URL is not
    stored, because its path can contain a secret.

    `etag` and `sha256` identify the version of the job's file. A valid mark has at least one of these values.

    - `etag` is the strong ETag of the response. It is needed to resume an incomplete download.
    - `sha256` is the hash of the complete, verified file. It is set just before `name.part` is renamed
      to `name`. If the file `name` has this hash, it is the complete file of the job.
    """

    job_id: str | int
    etag: str | None
    service: str
    account: str
    sha256: str | None = field(default=None, compare=False)

    def write(self, path: Path, *, synced: bool = True) -> None:
        """Write the mark as JSON. Raises OSError.

        If `synced` is True, the mark is synced to disk, but its name is not: the caller syncs the directory.
        If it is False, a power failure can damage the mark: the file is then downloaded again.
        """
        values = {"format": FORMAT, **{item.name: getattr(self, item.name) for item in fields(self)}}
        if self.sha256 is None:
            del values["sha256"]
        write_text(path, json.dumps(values) + "\n", synced="file" if synced else "")

    @classmethod
    def read(cls, path: Path) -> PartMark | None:
        """Read the mark of a download from its file, as `write` wrote it.

        Return None if the file is missing or does not contain a valid mark.
        """
        try:
            data = read_json(read_regular(path, _MAX_MARK_BYTES))
        except (OSError, ValueError, RecursionError):
            return None
        if not isinstance(data, dict) or data.get("format") != FORMAT:
            return None
        try:
            mark = msgspec.convert(data, cls)
        except msgspec.ValidationError:
            return None
        verifiable = mark.sha256 is not None if mark.etag is None else is_strong(mark.etag)
        return mark if verifiable else None


def mark_path(target: Path) -> Path:
    """Return the path of the mark (`target.part.json`) that belongs to a target file."""
    return target.with_name(target.name + ".part.json")


def is_strong(text: str) -> bool:
    """Return True if a string is a strong ETag that can be sent in a request header."""
    return _STRONG_ETAG.fullmatch(text) is not None


class PartFile:
    """The open, locked file `target`.part. `finish` renames it to `target`.

    `size` is its length in bytes. `mark` is the PartMark that identifies its bytes; None if they
    have no mark. The mark is read from the file `target`.part.json of an earlier download, or set by
    `restart`.

    On exit without `finish`, bytes with a mark are kept, so that the next download can resume. Bytes without
    a mark are removed. If the process is killed, bytes without a mark are removed when the file is opened
    again.

    Raises ExportError if another download is writing the file, and OSError if it cannot be opened or locked.
    """

    def __init__(self, target: Path) -> None:
        check_replaceable(target)
        self.target = target
        self.path = _part_path(target)
        self.side = mark_path(target)
        self._finished = False
        self._mark_pending = False  # `mark` is not written yet
        self._fd = -1
        renewed_in_children(self)
        self._fd = _open_part(self.path)
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
            with contextlib.suppress(OSError):  # without the mark, the next download starts again
                self._write_mark()
            self._close()
            return
        with contextlib.suppress(OSError):
            self.side.unlink(missing_ok=True)
            if _LOCKING:
                self.path.unlink()  # before unlocking, because another download cannot have opened it yet
        self._close()
        if not _LOCKING:
            with contextlib.suppress(OSError):
                self.path.unlink()

    def blocks(self) -> Iterator[bytes]:
        """Yield the content from the start, in blocks of bytes.

        Read to the end, or call `restart`, before you call `write`: reading and writing share one file
        position.
        """
        os.lseek(self._fd, 0, os.SEEK_SET)
        while block := os.read(self._fd, _BLOCK):
            yield block

    def restart(self, mark: PartMark | None = None) -> None:
        """Discard the content and replace the mark. All bytes written from now on belong to `mark`.

        If `mark` is None, a later download cannot resume with these bytes.

        The mark is written by the next `write`.
        """
        # Order matters: if the process is killed at any point, a mark is never next to another job's bytes.
        with contextlib.suppress(FileNotFoundError):
            self.side.unlink()
            sync_folder(self.side.parent)  # otherwise a power failure could bring the old mark back
        self.mark = None
        self._empty()
        self.mark = mark
        self._mark_pending = mark is not None

    def write(self, data: bytes, *, complete: bool = False) -> None:
        """Append bytes to the part file.

        With `complete`, the file then has all its bytes. If they come in one piece, the mark is not written
        before `finish`.
        """
        if not complete:
            self._write_mark()
        view = memoryview(data)
        while view:
            try:
                written = os.write(self._fd, view)
            except OSError as error:  # os.write does not set the file name
                error.filename = str(self.target)
                raise
            self.size += written
            view = view[written:]

    def _write_mark(self) -> None:
        if self._mark_pending and self.mark is not None:
            self.mark.write(self.side, synced=False)
            self._mark_pending = False

    def finish(self, mark: PartMark | None = None, *, temporary: bool = False) -> None:
        """Sync the content to disk and rename the file to `target`, replacing any file of that name.

        Until then only the owner can read the file. `target` gets the mode that new files get by default
        (from the umask). `mark` is stored in the file `target`.part.json before the rename. This file is
        kept until `acknowledge` is called.

        If `temporary` is True, nothing is synced, and only the owner can read the file: the caller moves or
        removes it soon, and can create it again after a power failure.
        """
        if not temporary:
            if _LOCKING:  # Windows has no modes
                with contextlib.suppress(OSError):  # some file systems do not have modes
                    os.fchmod(self._fd, default_mode(self.target.parent))
            os.fsync(self._fd)
        if mark is not None:
            mark.write(self.side, synced=not temporary)
        if not _LOCKING:
            self._close()
        # If files can be locked, rename the file while it is locked, so that no other process removes it as a
        # leftover.
        os.replace(self.path, self.target)
        self._finished = True
        if mark is None:
            acknowledge(self.target)
        self._close()
        if not temporary:
            with contextlib.suppress(OSError):  # the file is complete even if its directory cannot be synced
                sync_folder(self.target.parent)

    def _empty(self) -> None:
        os.ftruncate(self._fd, 0)
        os.lseek(self._fd, 0, os.SEEK_SET)
        self.size = 0

    def renew(self) -> None:
        """Close the file in a forked child. The parent process continues to write it."""
        self._finished = True
        fd, self._fd = self._fd, -1
        if fd >= 0:
            os.close(fd)

    def _close(self) -> None:
        fd, self._fd = self._fd, -1
        if fd >= 0:
            unlock(fd)


def acknowledge(target: Path) -> None:
    """Remove the mark (`target`.part.json) of the complete file `target`.

    Before you call this function, record elsewhere that the download is complete: without the mark, a later
    download does not recognize the file. Also removes leftovers of killed processes that no download can
    resume. Errors are ignored.
    """
    with contextlib.suppress(OSError):
        nameable(target)
        mark_path(target).unlink(missing_ok=True)
        part = _part_path(target)
        if os.path.lexists(part) or os.path.lexists(_unfinished_mark_path(target)):
            with contextlib.suppress(ExportError):
                _remove_leftovers(target, _open_part(part))


def check_target(target: Path) -> None:
    """Check that a download to `target` is possible, before an export is ordered for it.

    Bytes that a download can resume are kept; other leftovers are removed. Raises OSError or ExportError, as
    `PartFile` would.
    """
    check_replaceable(target)
    fd = _open_part(_part_path(target))
    try:
        check_writable(_unfinished_mark_path(target))  # the longest name that a download creates
    finally:
        _remove_leftovers(target, fd)


def _remove_leftovers(target: Path, fd: int) -> None:
    """Remove leftovers of killed processes that no download of `target` can resume.

    `fd` is the descriptor of the locked part file; this function closes it.
    """
    part = _part_path(target)
    try:
        useless = os.fstat(fd).st_size == 0 or PartMark.read(mark_path(target)) is None
        with contextlib.suppress(OSError):  # the name may be too long for the file system
            _unfinished_mark_path(target).unlink(missing_ok=True)
        if useless and _LOCKING:
            part.unlink(
                missing_ok=True
            )  # before unlocking, because another download cannot have opened it yet
    finally:
        unlock(fd)
    if useless and not _LOCKING:
        part.unlink(missing_ok=True)


def _unfinished_mark_path(target: Path) -> Path:
    """Return the temporary path that `durable.write_text` uses while it writes the mark."""
    path = mark_path(target)
    return path.with_name(path.name + PART)


def _part_path(target: Path) -> Path:
    return target.with_name(target.name + PART)


def check_replaceable(target: Path) -> None:
    """Raise OSError if a file cannot replace `target`, because `target` is a directory, pipe or device."""
    nameable(target)
    if target.is_dir():
        raise IsADirectoryError(f"cannot write {target}: it is a directory. Name a file in it.")
    if target.exists() and not target.is_file():
        raise OSError(errno.EINVAL, "it is not a regular file: choose another file name", str(target))


def sweep(folder: Path) -> None:
    """Remove part files and marks that killed processes left in a directory.

    Files that a process has open are locked and are kept. A process that opens a part file during the sweep
    may find it locked (ExportError) and must choose another name. On systems without locks, files are kept
    for an hour after their last change.
    """
    try:
        paths = [folder / name for name in os.listdir(folder)]
    except OSError:  # another process may have removed the directory
        return
    for path in paths:
        suffix = next((suffix for suffix in _SUFFIXES if path.name.endswith(suffix)), None)
        with contextlib.suppress(OSError, ExportError):
            if suffix in (None, path.name) or not _may_be_stale(path):
                continue
            target = path.with_name(path.name.removesuffix(suffix))
            fd = _open_part(_part_path(target))
            try:
                for leftover in (_unfinished_mark_path(target), mark_path(target), _part_path(target)):
                    leftover.unlink(missing_ok=True)
            finally:
                unlock(fd)


def _may_be_stale(path: Path) -> bool:
    """Return True if a file may be a leftover, according to its age.

    - On a system with file locks, returns True for any file, because the lock shows if the file is in use.
    - On a system without file locks, returns True if the last change of the file is at least an hour ago.
    """
    return _LOCKING or time.time() - path.lstat().st_mtime >= _STALE_AFTER


def _open_part(path: Path) -> int:
    """Open and lock a part file. Raises ExportError if another process has locked it."""

    def busy() -> None:
        raise ExportError(
            f"cannot write {path}: another download or export is writing it. Wait, or choose another file."
        )

    return open_locked(path, busy) if _LOCKING else open_regular(path, os.O_RDWR | os.O_CREAT)


@dataclass(frozen=True, slots=True)
class Written:
    """Describes a file that was written: its path, number of rows, size in bytes and SHA-256 in hex.

    >>> import datetime as dt
    >>> from soapclient import Client
    >>> with Client() as client:
    ...     sales = client.publisher.iterate.get_sales(date=dt.date(2026, 11, 1), date_type="trackingDate")
    ...     written = sales.to_csv("sales.csv")
    >>> written.path.name, written.size == written.path.stat().st_size
    ('sales.csv', True)
    """

    path: Path
    rows: int
    size: int
    sha256: str


class NewFile(io.RawIOBase):
    """Write-only stream to a new file. The file appears at `path` only when `finish` is called.

    On exit without `finish`, nothing is left. `source` is the file from which the content is read, if any.
    `temporary` is as in `PartFile.finish`.
    Raises ValueError if `path` is the same file as `source`, ExportError if another process is writing
    `path`, and OSError if the new file cannot be created.
    """

    def __init__(
        self, path: str | os.PathLike[str], source: Path | None = None, *, temporary: bool = False
    ) -> None:
        target = Path(path)
        if source is not None and target.exists() and target.samefile(source):
            raise ValueError(f"cannot write {target}: it is the file being read. Choose another file.")
        self._part = PartFile(target)
        self._part.restart()
        self._temporary = temporary
        self._hash = hashlib.sha256()
        self._size = 0

    def __enter__(self) -> NewFile:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._part.__exit__(kind, error, trace)
        self.close()  # otherwise, a buffer on top of this file would write to it after it is closed

    def writable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._size

    def write(self, data: bytes, /) -> int:  # type: ignore[override]  # any buffer works here
        self._part.write(data)
        self._hash.update(data)
        count = memoryview(data).nbytes
        self._size += count
        return count

    def finish(self, rows: int) -> Written:
        """Rename the file to `path`, and return its path, rows, size and hash. See `PartFile.finish`.

        `rows` is the number of rows that the caller wrote.
        """
        self._part.finish(temporary=self._temporary)
        return Written(self._part.target, rows, self._size, self._hash.hexdigest())
