"""Input of tests in files: the folder `cases` next to a test file."""

from __future__ import annotations

from pathlib import Path


def case_text(test_file: str, name: str) -> str:
    """Return the text of a file in the folder `cases` next to a test file."""
    return (Path(test_file).parent / "cases" / name).read_text(encoding="utf-8")
