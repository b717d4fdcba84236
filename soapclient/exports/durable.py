"""Small files that survive a crash: whole in their old form or whole in their new one, never in between."""

from __future__ import annotations

import contextlib
import errno
import os
from pathlib import Path
from typing import Final

PART: Final = ".part"
"""What a file's name ends in until it is whole. What a killed process leaves, the next write replaces."""

_CANNOT_SYNC: Final = (errno.EINVAL, errno.ENOTSUP)


def make_folder(folder: Path) -> None:
    """Make a folder with those above it, durably. Raises OSError."""
    if not folder.is_dir():
        make_folder(folder.parent)
        with contextlib.suppress(FileExistsError):  # another process was faster
            folder.mkdir()
        sync_folder(folder.parent)


def write_text(path: Path, text: str) -> None:
    """Write a file as a whole: once this returns, it survives a power failure. Raises OSError.

    Only one process at a time may write a file.
    """
    part = path.with_name(path.name + PART)
    fd = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_BINARY", 0), 0o666)
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
    fd = os.open(part, os.O_RDWR)
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
