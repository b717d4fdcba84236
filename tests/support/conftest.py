"""Fixtures for the tests of files."""

from __future__ import annotations

import os
from pathlib import Path

import pytest


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Recorded syncs and renames in order: file names, with `.` for the folder."""
    seen: list[str] = []
    sync, rename = os.fsync, os.replace

    def fsync(fd: int) -> None:
        path = Path(os.readlink(f"/proc/self/fd/{fd}"))
        seen.append(f"sync {'.' if path.is_dir() else path.name}")
        sync(fd)

    def replaced(old: Path, new: Path) -> None:
        seen.append(f"{Path(old).name} -> {Path(new).name}")
        rename(old, new)

    monkeypatch.setattr(os, "fsync", fsync)
    monkeypatch.setattr(os, "replace", replaced)
    return seen
