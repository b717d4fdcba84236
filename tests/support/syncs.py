"""Record syncs and renames of files, in their order."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

NEEDS_PROC = pytest.mark.skipif(
    not os.path.isdir("/proc/self/fd"), reason="the path of an open file is read from /proc"
)


def record_syncs(
    monkeypatch: pytest.MonkeyPatch, shown: Callable[[Path], str], renamed: Callable[[Path, Path], str]
) -> list[str]:
    """Return the list to which each sync and each rename is added.

    `shown` returns the text for the path of a synced file or folder, and `renamed` the text for the old and
    the new path of a rename.
    """
    seen: list[str] = []
    sync, rename = os.fsync, os.replace

    def fsync(fd: int) -> None:
        seen.append(f"sync {shown(Path(os.readlink(f'/proc/self/fd/{fd}')))}")
        sync(fd)

    def replaced(old: Path, new: Path) -> None:
        if Path(new).suffix != ".pyc":  # pytest stores bytecode of modules that are imported during the test
            seen.append(renamed(Path(old), Path(new)))
        rename(old, new)

    monkeypatch.setattr(os, "fsync", fsync)
    monkeypatch.setattr(os, "replace", replaced)
    return seen
