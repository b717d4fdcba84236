"""Each file in a folder `cases` is the input of a test."""

from __future__ import annotations

from pathlib import Path

import pytest

pytestmark = pytest.mark.exhaustive
TESTS = Path(__file__).parents[1]


def test_each_case_is_used_by_a_test_next_to_it() -> None:
    folders = list(TESTS.rglob("cases"))
    assert len(folders) > 10
    for folder in folders:
        code = "".join(path.read_text(encoding="utf-8") for path in folder.parent.glob("*.py"))
        uses = ['case_text(__file__, "{}")', 'Path(__file__).parent / "cases/{}"']  # a file, a folder
        names = [path.name for path in folder.iterdir()]
        assert [name for name in names if not any(use.format(name) in code for use in uses)] == [], folder
