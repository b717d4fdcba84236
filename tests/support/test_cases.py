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
        unused = [path.name for path in folder.iterdir() if f'case_text(__file__, "{path.name}")' not in code]
        assert unused == [], folder
