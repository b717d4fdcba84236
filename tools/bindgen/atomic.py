"""Write files atomically: after a crash, a file has either the old or the new content."""

from __future__ import annotations

import errno
import os
from pathlib import Path


def stage(path: Path, content: bytes) -> Path:
    """Write `content` to a temporary file next to `path`, flush it to disk, and return the path of this file.

    The temporary name is fixed, so the next run overwrites a file that a crash left behind.
    """
    part = path.with_name(f".{path.name}.part")
    try:
        with part.open("wb") as stream:
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())
    except BaseException:
        part.unlink(missing_ok=True)
        raise
    return part


def replace(path: Path, content: bytes) -> None:
    """Write a file atomically, and replace an existing one.

    Raises OSError if the write fails, or if `path` exists but is not a regular file (a pipe, for example).
    """
    if path.exists() and not path.is_file():
        raise OSError(errno.EINVAL, "it is not a regular file: choose another file name", str(path))
    part = stage(path, content)
    try:
        part.replace(path)
    except BaseException:
        part.unlink(missing_ok=True)
        raise
