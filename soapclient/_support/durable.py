"""Crash-safe files and locks.

After a crash, a file has either its old or its new content, and the locks of the crashed process are
released.
"""

from __future__ import annotations

import contextlib
import errno
import json
import logging
import os
import stat
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Final, Literal, Self

from soapclient._support.forks import renewed_in_children
from soapclient.clock import Clock, Deadline
from soapclient.errors import LedgerBusy

PART: Final = ".part"
"""Suffix of a file that is not complete yet. A file that a killed process left is replaced."""

PRIVATE: Final = 0o600
"""Mode of files that only their owner can read: ledgers, marks, handles, locks, part files."""

NOT_REGULAR: Final = (errno.ELOOP, errno.EINVAL)
"""The error numbers of `open_regular` for a symbolic link, a pipe, a directory or a device."""

_CANNOT_SYNC: Final = (errno.EINVAL, errno.ENOTSUP)
_ROOT: Final = 0  # files of root are trusted, because root can read and change everything anyway

log = logging.getLogger(__name__)
_warned: set[Path] = set()


def nameable(path: Path) -> Path:
    """Return the path unchanged if it is a valid name for a file.

    Raises OSError if the path contains NUL, or a character that is not in the file system's encoding.
    """
    try:
        if b"\0" not in os.fsencode(path):
            return path
    except UnicodeEncodeError:
        pass
    raise OSError(errno.EINVAL, "this is not a valid file name: choose another name", str(path))


def make_folder(folder: Path, *, private: bool = False) -> None:
    """Create a directory and its parents, and sync the new directory entries to disk.

    If `private` is True, only the owner can use the new directories. Raises OSError.
    """
    nameable(folder)
    if not folder.is_dir():
        make_folder(folder.parent, private=private)
        try:
            folder.mkdir(0o700 if private else 0o777)
        except FileExistsError:  # another process was faster
            if folder.is_symlink() and not folder.is_dir():
                raise  # a dangling symbolic link
        sync_folder(folder.parent)


def check_owner(path: Path) -> None:
    """Raise PermissionError or log a warning if other users can change a file or directory.

    - Owned by another user (not root), and its group or all users can write to it: raises PermissionError.
      OpenSSH has the same rule for its configuration.
    - Owned by another user (not root), who alone can write to it: logs a warning.
    - Owned by this user or root, and all users can write to it: logs a warning.

    A missing path is accepted. Warnings are logged once per process and path. Raises OSError if the path
    cannot be examined.
    """
    if not hasattr(os, "geteuid"):  # Windows has no modes
        return
    try:
        status = path.stat()
    except FileNotFoundError:
        return
    other_owner = status.st_uid not in (os.geteuid(), _ROOT)
    if other_owner and status.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        problem = f"it belongs to another user (uid {status.st_uid}), and others can change it"
        raise PermissionError(errno.EPERM, f"{problem}: chown it, or run chmod go-w on it", str(path))
    open_to_all = status.st_mode & stat.S_IWOTH and not status.st_mode & stat.S_ISVTX
    if (other_owner or open_to_all) and path not in _warned:
        _warned.add(path)
        if other_owner:
            log.warning("%s belongs to another user (uid %d), who can change its files", path, status.st_uid)
        else:
            log.warning("all users of this machine can change %s: chmod go-w %s", path, path)


def default_mode(folder: Path) -> int:
    """Return the mode that new files in a directory get by default (from the umask). Raises OSError."""
    probe = folder / f".{os.urandom(8).hex()}{PART}"
    fd = os.open(probe, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
    try:
        return stat.S_IMODE(os.fstat(fd).st_mode)
    finally:
        os.close(fd)
        probe.unlink(missing_ok=True)


def open_regular(path: Path, flags: int) -> int:
    """Open a regular file and return its descriptor. `flags` are the flags of `os.open`.

    If the file is created, only its owner can read it. Does not open pipes and devices, and does not block on
    them. Does not follow symbolic links, because a link would allow another user with write access to the
    directory to choose the file that is overwritten. Raises OSError.
    """
    nameable(path)
    if path.is_symlink():  # for a clear message, and for systems without O_NOFOLLOW
        raise OSError(errno.ELOOP, "it is a symbolic link: remove it, or choose another name", str(path))
    # Not every system has all of these flags.
    extra_flags = (getattr(os, name, 0) for name in ("O_BINARY", "O_NOFOLLOW", "O_NONBLOCK"))
    not_regular = OSError(
        errno.EINVAL, "it is not a regular file: remove it, or choose another name", str(path)
    )
    try:
        fd = os.open(path, flags | sum(extra_flags), PRIVATE)
    except OSError as error:
        if error.errno == errno.ENXIO:  # a pipe without a reader, or a socket
            raise not_regular from None
        raise
    if not stat.S_ISREG(os.fstat(fd).st_mode):
        os.close(fd)
        raise not_regular
    return fd


def create_private(path: Path) -> int:
    """Create a new file that only its owner can read, and return its descriptor for `os.write`.

    Removes an existing file of that name first, because it may belong to another user. Raises OSError, as
    `open_regular` does.
    """
    flags = os.O_WRONLY | os.O_CREAT
    try:
        regular = stat.S_ISREG(os.lstat(nameable(path)).st_mode)
        if regular:
            path.unlink()
    except FileNotFoundError:
        regular = True
    return open_regular(path, flags | os.O_EXCL if regular else flags)


def read_regular(path: Path, limit: int = -1) -> bytes:
    """Return the first `limit` bytes of a file (-1: all). Raises OSError, as `open_regular` does."""
    with open(open_regular(path, os.O_RDONLY), "rb") as file:
        return file.read(limit)


def read_json(text: str | bytes) -> object:
    """Parse the JSON of one of this package's files.

    Raises ValueError if the text is not JSON. Also raises ValueError for a lone surrogate: JSON can escape
    it, but requests, file names and terminals do not accept it. Raises RecursionError if the nesting is too
    deep.
    """
    value: object = json.loads(text)
    json.dumps(value, ensure_ascii=False).encode("utf-8")
    return value


def indented_json(values: Mapping[str, object]) -> str:
    """Return an object as JSON in ASCII, with a line for each name, and a line break at the end.

    The text equals `json.dumps(values, indent=1)`, which uses a much slower encoder.
    """
    import msgspec  # not at import: the settings need this module, and not msgspec

    try:
        return msgspec.json.format(json.dumps(values), indent=1) + "\n"
    except msgspec.DecodeError:  # lone surrogates, NaN or Infinity, which the standard library accepts
        return json.dumps(values, indent=1) + "\n"


def check_writable(path: Path) -> None:
    """Check that a file can be created: create it empty, and remove it again. Raises OSError if it cannot.

    If the file exists and has content, it is kept unchanged. An empty file is removed even if it existed
    before, because an earlier check may have left it when its process was killed.
    """
    fd = open_regular(path, os.O_WRONLY | os.O_CREAT)
    try:
        empty = os.fstat(fd).st_size == 0
    finally:
        os.close(fd)
    if empty:
        path.unlink(missing_ok=True)


def write_text(
    path: Path, text: str, *, synced: Literal["file and name", "file", ""] = "file and name"
) -> None:
    """Replace the content of a file atomically. Raises OSError.

    Only the owner can read the file. The caller must ensure that only one thread of one process writes the
    file at a time.

    `synced` is what is synced to disk before this function returns:

    - "file and name": the new content survives a power failure.
    - "file": a power failure can bring back the previous content, until the caller syncs the directory.
    - "": a power failure can also leave the file empty or damaged. Use it only if the code that
      reads the file detects this.
    """
    part = path.with_name(path.name + PART)
    fd = create_private(part)
    try:
        view = memoryview(text.encode("utf-8"))
        while view:
            view = view[os.write(fd, view) :]
        if synced:
            os.fsync(fd)
    finally:
        os.close(fd)
    if synced == "file and name":
        give_name(part, path)
    else:
        os.replace(part, path)


def finish(part: Path, path: Path, *, name_synced: bool = True, mode: int | None = None) -> None:
    """Sync `part`, a temporary file that is complete, to disk and rename it to `path`. Raises OSError.

    With `name_synced=False`, the caller syncs the directory. The file gets the mode `mode`, if it is passed
    and the file system has modes.
    """
    fd = open_regular(part, os.O_RDWR)
    try:
        if mode is not None and hasattr(os, "fchmod"):  # Windows has no modes
            with contextlib.suppress(OSError):
                os.fchmod(fd, mode)
        os.fsync(fd)
    finally:
        os.close(fd)
    if name_synced:
        give_name(part, path)
    else:
        os.replace(part, path)


def give_name(part: Path, path: Path) -> None:
    """Rename `part`, a temporary file that is already synced, to `path` and sync the directory.

    Replaces a file of that name. Raises OSError.
    """
    os.replace(part, path)
    sync_folder(path.parent)


def remove(path: Path) -> None:
    """Remove a file and sync the directory. A missing file is not an error. Raises OSError."""
    path.unlink(missing_ok=True)
    sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """Sync the entries (names) of a directory to disk, if the system supports it. Raises OSError."""
    try:
        fd = os.open(folder, os.O_RDONLY)
    except PermissionError:
        if os.name == "nt":  # Windows cannot open directories and does not need the sync
            return
        raise
    try:
        os.fsync(fd)
    except OSError as error:
        if error.errno not in _CANNOT_SYNC:  # some network file systems cannot sync directories
            raise
    finally:
        os.close(fd)


if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

_PAUSE: Final = 0.05  # seconds between two attempts to lock


class FileLock:
    """Context manager that holds an exclusive lock on the file `path`. Forked children do not share the lock.

    The file is created if it is missing, and is not removed. If another process replaces the file, the lock
    is taken on the new file. While another process holds the lock, `busy` is called before each new try: it
    waits for a moment, or raises an error to give up.

    Entering raises OSError if the file cannot be opened or locked. On a network file system, the lock is as
    reliable as the locks of that file system.
    """

    def __init__(self, path: Path, busy: Callable[[], None]) -> None:
        self._path = path
        self._busy = busy
        self._fd = -1
        renewed_in_children(self)

    def __enter__(self) -> Self:
        self._fd = open_locked(self._path, self._busy)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        fd, self._fd = self._fd, -1
        if fd >= 0:
            unlock(fd)

    def renew(self) -> None:
        """Close the file in a forked child, so that only the parent process holds the lock."""
        fd, self._fd = self._fd, -1
        if fd >= 0:
            os.close(fd)


class OrdererLock(FileLock):
    """Lock that is held while exports are ordered for an account, so that only one process orders at a time.

    The file is in the ledger: the folder that stores the orders of one account. If another process or thread
    holds the lock, the `with` statement waits for up to `patience` seconds, and then raises LedgerBusy.
    """

    def __init__(self, path: Path, *, patience: float, clock: Clock) -> None:
        super().__init__(path, self._wait)
        self._patience = patience
        self._clock = clock
        self._deadline = Deadline(clock, patience)

    def __enter__(self) -> Self:
        self._deadline = Deadline(self._clock, self._patience)
        return super().__enter__()

    def _wait(self) -> None:
        if self._deadline.expired:
            raise LedgerBusy(str(self._path), self._patience)
        self._clock.sleep(self._deadline.within(_PAUSE))


def unlock(fd: int) -> None:
    """Release the lock on a descriptor from `open_locked`, and close the descriptor."""
    if sys.platform != "win32":
        with contextlib.suppress(OSError):
            fcntl.flock(fd, fcntl.LOCK_UN)  # closing is not enough: a forked child may have it open
    os.close(fd)


def open_locked(path: Path, busy: Callable[[], None]) -> int:
    """Open a file, lock it and return its descriptor. The file is created if it is missing.

    While another process holds the lock, `busy` is called before each new try: it waits for a moment, or
    raises an error to give up. If another process replaces the file meanwhile, the lock is taken on the new
    file. Raises OSError.
    """
    while True:
        fd = open_regular(path, os.O_RDWR | os.O_CREAT)
        try:
            while not _try_lock(fd):
                busy()
            with contextlib.suppress(FileNotFoundError):
                if os.path.samestat(os.fstat(fd), path.stat()):
                    return fd
        except BaseException:
            os.close(fd)
            raise
        os.close(fd)


def _try_lock(fd: int) -> bool:
    """Try to lock an open file. Return True if this succeeds, False if another process holds the lock."""
    try:
        if sys.platform == "win32":
            msvcrt.locking(fd, msvcrt.LK_NBLCK, 1)
        else:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):
        return False
    return True
