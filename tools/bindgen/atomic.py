"""Files that are either wholly the old ones or wholly the new ones."""

from __future__ import annotations

import errno
import os
from pathlib import Path


def stage(path: Path, content: bytes) -> Path:
    """Put the content safely on disk beside `path`, under a temporary name, and return that.

    The name is fixed, so what a crash leaves behind is written over by the next run.
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
    """Replace one file at once. Raises OSError, also for what is no file: a pipe, a device."""
    if path.exists() and not path.is_file():
        raise OSError(errno.EINVAL, "it is neither a file nor a free name: name a file", str(path))
    part = stage(path, content)
    try:
        part.replace(path)
    except BaseException:
        part.unlink(missing_ok=True)
        raise
