"""Fixtures for the tests of files."""

from __future__ import annotations

import pytest

from tests.support.syncs import record_syncs


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Recorded syncs and renames in order: file names, with `.` for the folder."""
    return record_syncs(
        monkeypatch,
        lambda path: "." if path.is_dir() else path.name,
        lambda old, new: f"{old.name} -> {new.name}",
    )
