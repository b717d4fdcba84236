"""`python -m tests.bench compare` fails if a case needs more instructions than in another commit.

A case that fails is reported, and the others run.
"""

from __future__ import annotations

import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import msgspec
import pytest

import tests.bench.__main__ as command
from tests.bench import compare
from tests.bench.__main__ import main
from tests.bench.cases import ROOT, Case
from tests.bench.compare import Change, added_lines, changes, excused
from tests.bench.measuring import BenchError, Plan, Tree
from tests.bench.results import COMPILED, PURE, Result, Run
from tests.bench.worker import Job

pytestmark = pytest.mark.exhaustive

_DIFF = """--- a/CHANGELOG.md
+++ b/CHANGELOG.md
@@ -20,0 +21,2 @@
+- Decoding checks more (`bench: page`), and
+  the first call reads a file (`bench: first-call`).
-- A line that named another case (`bench: json`).
"""


def test_growth_above_the_limit_fails() -> None:
    before = {"page": {"soapclient": 100.0}, "json": {"soapclient": 100.0}, "call": {"soapclient": 100.0}}
    after = {"page": {"soapclient": 106.0}, "json": {"soapclient": 104.0}, "call": {"soapclient": 50.0}}
    compared = changes(before, after, set())
    assert [change.case for change in compared if change.failed(0.05)] == ["page"]
    assert compared[0].growth == pytest.approx(0.06)
    assert not any(change.failed(0.05) for change in changes(before, after, {"page"}))
    both = {f"{case}, compiled": counts for case, counts in after.items()}
    slow = {f"{case}, compiled": counts for case, counts in before.items()}
    slower = changes(slow, both, set())
    assert [change.case for change in slower if change.failed(0.05)] == ["page, compiled"]
    assert not any(change.failed(0.05) for change in changes(slow, both, {"page"}))


def test_cases_that_read_responses_are_counted_with_both_readers(monkeypatch: pytest.MonkeyPatch) -> None:
    def instructions(jobs: Sequence[Job], reader: str, tree: Tree) -> dict[str, dict[str, float] | str]:
        return {job.case: {"soapclient": 2.0 if reader == PURE else 1.0} for job in jobs}

    monkeypatch.setattr(compare, "instructions", instructions)
    monkeypatch.setattr(compare, "readers", lambda: [PURE, COMPILED])
    counts = compare.counted([Job(name, 1, ["soapclient"]) for name in ("page", "request")], Tree())
    ours = {name: count["soapclient"] for name, count in counts.items() if isinstance(count, dict)}
    assert ours == {"page": 2.0, "request": 2.0, "page, compiled": 1.0}


def test_only_added_lines_of_the_changelog_excuse_a_case() -> None:
    assert excused(added_lines(_DIFF)) == {"page", "first-call"}


def test_new_case_is_not_compared_and_a_broken_one_is_an_error() -> None:
    (change,) = changes({"page": "ImportError: no such name"}, {"page": {"soapclient": 1.0}}, set())
    assert not change.failed(0.05)
    assert "ImportError" in change.problem
    with pytest.raises(BenchError, match="page: boom"):
        changes({"page": {"soapclient": 1.0}}, {"page": "boom"}, set())


def test_report_shows_growth() -> None:
    table = compare.report([Change("page", 2e6, 3e6), Change("json", 2e6, 3e6, excused=True)], 0.05)
    assert table.splitlines()[2:] == [
        "| page | 2.00 | 3.00 | +50.0% | FAILED |",
        "| json | 2.00 | 3.00 | +50.0% | named in the changelog |",
    ]


@pytest.mark.parametrize(("growth", "code"), [(1.0, 0), (1.04, 0), (1.06, 1)])
def test_command_fails_for_a_planted_growth(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    growth: float,
    code: int,
) -> None:
    def counted(jobs: Sequence[Job], tree: Tree) -> dict[str, dict[str, float] | str]:
        factor = growth if tree.folder == ROOT else 1.0
        return {job.case: {"soapclient": 1e6 * factor} for job in jobs}

    @contextmanager
    def worktree(commit: str) -> Iterator[Path]:
        assert commit == "HEAD~1"
        yield tmp_path

    monkeypatch.setattr(compare, "counted", counted)
    monkeypatch.setattr(compare, "worktree", worktree)
    monkeypatch.setattr(compare, "can_count", lambda: True)
    monkeypatch.setattr(compare, "_git", lambda *arguments: "")
    assert main(["compare", "--with", "HEAD~1", "page"]) == code
    assert ("name the case in CHANGELOG.md" in capsys.readouterr().out) == bool(code)


def test_unknown_commit_is_named(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compare, "can_count", lambda: True)
    if subprocess.run(["git", "rev-parse"], cwd=ROOT, capture_output=True, check=False).returncode:
        pytest.skip("not a git checkout")
    assert main(["compare", "--with", "no-such-commit", "page"]) == 2
    assert "no-such-commit" in capsys.readouterr().err


def test_compare_needs_valgrind(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(compare, "can_count", lambda: False)
    assert main(["compare", "--with", "HEAD", "page"]) == 2
    assert "install valgrind" in capsys.readouterr().err


def test_failed_case_does_not_stop_the_others(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def measure(case: Case, size: int, reader: str, plan: Plan) -> Result:
        if case.name == "decode":
            raise BenchError("decode: zeep: result/page is 1, expected 0")
        return Result(case.name, case.title, size, case.unit, case.base, case.base_is, reader, [])

    monkeypatch.setattr(command, "measure", measure)
    assert main(["decode", "json", "--reader", "pure", "--json"]) == 2
    printed = capsys.readouterr()
    run = msgspec.json.decode(printed.out, type=Run)
    assert [result.case for result in run.results] == ["json"]
    assert "tests.bench: decode: zeep: result/page is 1, expected 0" in printed.err
