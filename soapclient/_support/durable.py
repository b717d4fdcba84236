"""Files that survive a crash, in their old form or their new one, and locks that a crash releases."""

from __future__ import annotations

import contextlib
import errno
import json
import logging
import os
import stat
import sys
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from soapclient._support.forks import renewed_in_children
from soapclient.clock import Clock, Deadline
from soapclient.errors import LedgerBusy

PART: Final = ".part"
"""What a file's name ends in until it is whole. What a killed process leaves, the next write replaces."""

PRIVATE: Final = 0o600
"""The mode of files that only their owner reads: ledgers, marks, handles, locks, part files."""

NOT_REGULAR: Final = (errno.ELOOP, errno.EINVAL)
"""How `open_regular` says that what it found is a link, a pipe, a folder or a device."""

_CANNOT_SYNC: Final = (errno.EINVAL, errno.ENOTSUP)
_ROOT: Final = 0  # its files are trusted: it can read and change everything anyway

log = logging.getLogger(__name__)
_warned: set[Path] = set()


def nameable(path: Path) -> Path:
    """Return the path. Raises OSError for what the system knows no such name for: a NUL, half a character."""
    try:
        if b"\0" not in os.fsencode(path):
            return path
    except UnicodeEncodeError:
        pass
    raise OSError(errno.EINVAL, "no file can be called this: name another", str(path))


def make_folder(folder: Path, *, private: bool = False) -> None:
    """Make a folder with those above it, durably; `private`: for its owner alone. Raises OSError."""
    nameable(folder)
    if not folder.is_dir():
        make_folder(folder.parent, private=private)
        try:
            folder.mkdir(0o700 if private else 0o777)
        except FileExistsError:  # another process was faster
            if folder.is_symlink() and not folder.is_dir():
                raise  # it leads nowhere
        sync_folder(folder.parent)


def check_owner(path: Path) -> None:
    """Check that a file or folder, if it exists, belongs to this user or to root.

    Warns, once in a process, if it belongs to another user or if every user can change it. Raises
    PermissionError if it belongs to another user and others than that user can change it, as OpenSSH does for
    its configuration. Raises OSError.
    """
    if not hasattr(os, "geteuid"):  # Windows has other rights
        return
    try:
        status = path.stat()
    except FileNotFoundError:
        return
    foreign = status.st_uid not in (os.geteuid(), _ROOT)
    if foreign and status.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        problem = f"it belongs to another user (uid {status.st_uid}), and others can change it"
        raise PermissionError(errno.EPERM, f"{problem}: chown it, or chmod go-w", str(path))
    open_to_all = status.st_mode & stat.S_IWOTH and not status.st_mode & stat.S_ISVTX
    if (foreign or open_to_all) and path not in _warned:
        _warned.add(path)
        if foreign:
            log.warning("%s belongs to another user (uid %d), who can change it", path, status.st_uid)
        else:
            log.warning("every user of this machine can change %s: chmod go-w %s", path, path)


def default_mode(folder: Path) -> int:
    """Return the mode that new files get in a folder, by the umask. Raises OSError."""
    probe = folder / f".{os.urandom(8).hex()}{PART}"
    fd = os.open(probe, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
    try:
        return stat.S_IMODE(os.fstat(fd).st_mode)
    finally:
        os.close(fd)
        probe.unlink(missing_ok=True)


def open_regular(path: Path, flags: int) -> int:
    """Open a file by its own name, for `os.read` and `os.write`. A file that `flags` create is private.

    A symbolic link is not followed: whoever may write in a folder would choose what is written over. A pipe
    or a device is refused, and not waited for. Raises OSError.
    """
    nameable(path)
    if path.is_symlink():  # said in words, and where the system has no such flag
        raise OSError(errno.ELOOP, "it is a symbolic link: remove it, or name another file", str(path))
    # Looked up here: not every system has all of them.
    more = (getattr(os, name, 0) for name in ("O_BINARY", "O_NOFOLLOW", "O_NONBLOCK"))
    no_file = OSError(errno.EINVAL, "it is not a regular file: remove it, or name another", str(path))
    try:
        fd = os.open(path, flags | sum(more), PRIVATE)
    except OSError as error:
        if error.errno == errno.ENXIO:  # a pipe that nobody reads, or a socket
            raise no_file from None
        raise
    if not stat.S_ISREG(os.fstat(fd).st_mode):
        os.close(fd)
        raise no_file
    return fd


def create_private(path: Path) -> int:
    """Create a file that its owner alone can read, from its first moment on, for `os.write`.

    What a killed process left under its name is removed; so nobody else's file is written to. Raises OSError
    as `open_regular` does.
    """
    flags = os.O_WRONLY | os.O_CREAT
    try:
        regular = stat.S_ISREG(os.lstat(nameable(path)).st_mode)
        if regular:
            path.unlink()
    except FileNotFoundError:
        regular = True
    return open_regular(path, flags | os.O_EXCL if regular else flags)


def read_regular(path: Path, most: int = -1) -> bytes:
    """Return what is in a file, or its first `most` bytes. Raises OSError as `open_regular` does."""
    with open(open_regular(path, os.O_RDONLY), "rb") as file:
        return file.read(most)


def read_json(text: str | bytes) -> object:
    """Return what a file of ours says. Raises ValueError for what is no JSON, RecursionError if it is nested.

    Half a character (a lone surrogate, which JSON's escapes can name) is none either: no request, file name
    or terminal takes it.
    """
    found: object = json.loads(text)
    json.dumps(found, ensure_ascii=False).encode("utf-8")
    return found


def check_writable(path: Path) -> None:
    """Make an empty file and remove it; one that holds something is left alone. Raises OSError.

    An empty one is what another check left that was killed on its way.
    """
    fd = open_regular(path, os.O_WRONLY | os.O_CREAT)
    try:
        empty = os.fstat(fd).st_size == 0
    finally:
        os.close(fd)
    if empty:
        path.unlink(missing_ok=True)


def write_text(path: Path, text: str) -> None:
    """Write a file as a whole: once this returns, it survives a power failure. Raises OSError.

    Its owner alone can read it. Only one thread of all processes at a time may write a file.
    """
    part = path.with_name(path.name + PART)
    fd = create_private(part)
    try:
        view = memoryview(text.encode("utf-8"))
        while view:
            view = view[os.write(fd, view) :]
        os.fsync(fd)
    finally:
        os.close(fd)
    give_name(part, path)


def finish(part: Path, path: Path) -> None:
    """Bring a file that was written whole to the disk, and give it its name. Raises OSError."""
    fd = open_regular(part, os.O_RDWR)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)
    give_name(part, path)


def give_name(part: Path, path: Path) -> None:
    """Give a file that is on the disk its name, durably; one of that name is replaced. Raises OSError."""
    os.replace(part, path)
    sync_folder(path.parent)


def remove(path: Path) -> None:
    """Remove a file durably; one that is not there is no error. Raises OSError."""
    path.unlink(missing_ok=True)
    sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """Bring the names in a folder to the disk, where the system has a way to do so. Raises OSError."""
    try:
        fd = os.open(folder, os.O_RDONLY)
    except PermissionError:
        if os.name == "nt":  # which opens no folders, and needs no such thing
            return
        raise
    try:
        os.fsync(fd)
    except OSError as error:
        if error.errno not in _CANNOT_SYNC:  # some network file systems know no folders either
            raise
    finally:
        os.close(fd)


if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

_PAUSE: Final = 0.05  # seconds between two tries


class FileLock:
    """Holds the lock on `path` for a `with` block. A child that is forked meanwhile has no part in it.

    The file, made if need be, stays; where somebody removed it, the lock is taken on the one of that name
    now. `busy` is called while another holds it, to wait or raise. Entering raises OSError where the file
    system refuses. On a network file system it holds as far as that one's locks do.
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
        """In a forked child: there the file is closed, and the lock its parent's alone."""
        fd, self._fd = self._fd, -1
        if fd >= 0:
            os.close(fd)


class OrdererLock(FileLock):
    """The lock of whoever orders for an account.

    `patience` is how many seconds to wait for another holder. Raises LedgerBusy after that.
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
    """Give back what `open_locked` took, and close it."""
    if sys.platform != "win32":
        with contextlib.suppress(OSError):
            fcntl.flock(fd, fcntl.LOCK_UN)  # a child that was forked meanwhile would keep it
    os.close(fd)


def open_locked(path: Path, busy: Callable[[], None]) -> int:
    """Open a file, made if need be, and lock it; `busy` is called while another holds it, to wait or raise.

    Where somebody removed it meanwhile, the lock is taken on the file of that name now.
    """
    while True:
        fd = open_regular(path, os.O_RDWR | os.O_CREAT)
        try:
            while not _locked(fd):
                busy()
            with contextlib.suppress(FileNotFoundError):
                if os.path.samestat(os.fstat(fd), path.stat()):
                    return fd
        except BaseException:
            os.close(fd)
            raise
        os.close(fd)


def _locked(fd: int) -> bool:
    try:
        if sys.platform == "win32":
            msvcrt.locking(fd, msvcrt.LK_NBLCK, 1)
        else:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):
        return False
    return True
