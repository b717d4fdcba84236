"""Golden files are compared completely, and rewritten only on request. Each case is the input of a test."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from tests.support.golden import Golden, refuse_in_ci

pytestmark = pytest.mark.exhaustive


def test_changed_missing_and_unused_files_fail_with_a_diff(tmp_path: Path) -> None:
    Golden(tmp_path, update=True).check_folder("case", {"a.golden": "one\ntwo\n", "b.golden": ""})
    golden = Golden(tmp_path, update=False)
    golden.check_folder("case", {"a.golden": "one\ntwo\n", "b.golden": ""})
    with pytest.raises(
        pytest.fail.Exception, match=r"case/a.golden:(.|\n)*-two\n\+three\n(.|\n)*pytest --update"
    ):
        golden.check_folder("case", {"a.golden": "one\nthree\n", "b.golden": ""})
    with pytest.raises(pytest.fail.Exception, match=r"case/b.golden:"):
        golden.check_folder("case", {"a.golden": "one\ntwo\n"})
    with pytest.raises(pytest.fail.Exception, match=r"case/c.golden:"):
        golden.check_folder("case", {"a.golden": "one\ntwo\n", "b.golden": "", "c.golden": "new"})


def test_update_removes_unused_files(tmp_path: Path) -> None:
    golden = Golden(tmp_path, update=True)
    golden.check_folder("case", {"a.golden": "one", "b.golden": "two"})
    golden.check_folder("case", {"b.golden": "three"})
    assert {path.name: path.read_text() for path in (tmp_path / "case").iterdir()} == {"b.golden": "three"}


@pytest.mark.parametrize(
    ("update", "ci", "refused"), [(True, "true", True), (True, "", False), (False, "true", False)]
)
def test_update_is_refused_in_ci(
    monkeypatch: pytest.MonkeyPatch, update: bool, ci: str, refused: bool
) -> None:
    monkeypatch.setenv("CI", ci)
    config = cast(pytest.Config, SimpleNamespace(getoption=lambda name: update))
    if refused:
        with pytest.raises(pytest.UsageError, match="--update"):
            refuse_in_ci(config)
    else:
        refuse_in_ci(config)


TESTS = Path(__file__).parents[1]


def test_each_case_is_used_by_a_test_next_to_it() -> None:
    folders = list(TESTS.rglob("cases"))
    assert len(folders) > 10
    for folder in folders:
        code = "".join(path.read_text(encoding="utf-8") for path in folder.parent.glob("*.py"))
        uses = ['case_text(__file__, "{}")', 'Path(__file__).parent / "cases/{}"']  # a file, a folder
        for path in (path.relative_to(folder) for path in folder.rglob("*") if path.is_file()):
            names = [path.as_posix(), *(parent.as_posix() for parent in path.parents)]
            assert any(use.format(name) in code for use in uses for name in names), folder / path
