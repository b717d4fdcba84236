"""Compare the instructions of cases with another commit: `python -m tests.bench compare --with COMMIT`.

Both commits run the cases of this checkout, on the same machine and in the same run. The other commit is
checked out into a temporary worktree, with the benchmarks of this checkout in it. Cases that read responses
are counted with both readers; if the sources of the compiled reader differ, the other one is built, too. The
comparison fails if a case needs more than 5 % more instructions, unless a line that was added to CHANGELOG.md
names the case, such as `bench: page`.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tests.bench import tables
from tests.bench.cases import OURS, ROOT, Case, all_cases
from tests.bench.measuring import FOLDERS, BenchError, Tree, can_count, instructions, readers
from tests.bench.results import COMPILED, PURE
from tests.bench.worker import Job

LIMIT: Final = 0.05
# Not `arrow-list`, `backfill` and `package`: other cases run the same code, or they depend on the disk.
CASES: Final = (
    *("page", "wide", "deep", "json", "stream", "request", "call", "arrow", "parquet", "bindgen"),
    *("first-call", "import", "help"),
)
_CHANGELOG: Final = "CHANGELOG.md"
_SPEEDUPS: Final = "tools/speedups"
_NAMED: Final = re.compile(r"`bench: ([\w-]+)`")

Counts = Mapping[str, "dict[str, float] | str"]


@dataclass(frozen=True)
class Change:
    """The instructions of a case before and after. `problem` says why there is no comparison."""

    case: str
    before: float = 0.0
    after: float = 0.0
    problem: str = ""
    excused: bool = False

    @property
    def growth(self) -> float:
        """The increase as a share: 0.05 is 5 %."""
        return self.after / self.before - 1 if self.before else 0.0

    def failed(self, limit: float) -> bool:
        """Return True if the case grew by more than the limit and the changelog does not say so."""
        return self.growth > limit and not self.excused


def added_lines(diff: str) -> str:
    """Return the lines that a diff adds."""
    added = (line[1:] for line in diff.splitlines() if line.startswith("+") and not line.startswith("+++"))
    return "\n".join(added)


def excused(added: str) -> set[str]:
    """Return the cases that are named by added lines of the changelog."""
    return set(_NAMED.findall(added))


def changes(before: Counts, after: Counts, named: set[str]) -> list[Change]:
    """Compare the counts of two commits.

    A case that only this commit can run is not compared. Raises BenchError if this commit cannot run it.
    """
    compared = []
    for case, counts in after.items():
        if isinstance(counts, str):
            raise BenchError(f"{case}: {counts}")
        old = before[case]
        if isinstance(old, str):
            compared.append(Change(case, problem=f"not comparable, the other commit failed: {old}"))
        else:
            excused = case.partition(",")[0] in named
            compared.append(Change(case, sum(old.values()), sum(counts.values()), excused=excused))
    return compared


def report(compared: Sequence[Change], limit: float) -> str:
    """Return a table of the changes."""
    lines = []
    for change in compared:
        if change.problem:
            lines.append([change.case, *[tables.NONE] * 3, change.problem.splitlines()[0]])
            continue
        verdict = "FAILED" if change.failed(limit) else ""
        if change.growth > limit and change.excused:
            verdict = "named in the changelog"
        millions = [f"{count / 1e6:,.2f}" for count in (change.before, change.after)]
        lines.append([change.case, *millions, f"{change.growth:+.1%}", verdict])
    head = ["Case", "Before, million instructions", "After", "Growth", ""]
    return tables.table(head, lines)


def _git(*arguments: str, folder: Path = ROOT) -> str:
    done = subprocess.run(["git", *arguments], cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        raise BenchError(f"git {' '.join(arguments)}: {done.stderr.strip()}")
    return done.stdout


@contextlib.contextmanager
def worktree(commit: str) -> Iterator[Path]:
    """Check out a commit into a temporary worktree, with the benchmarks of this checkout in it."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name, "commit")
        _git("worktree", "add", "--detach", str(folder), commit)
        try:
            shutil.rmtree(folder / "tests/bench", ignore_errors=True)
            ignored = shutil.ignore_patterns("__pycache__")
            shutil.copytree(ROOT / "tests/bench", folder / "tests/bench", ignore=ignored)
            yield folder
        finally:
            _git("worktree", "remove", "--force", str(folder))


def tree_of(folder: Path, *others: Path) -> Tree:
    """Return a checkout whose code is imported first. `others` are further folders for imports."""
    return Tree(folder, (*(folder / name for name in FOLDERS), *others))


def _with_own_module(commit: str, folder: Path) -> Tree:
    """Return the checkout of another commit, with its own compiled reader if the sources differ."""
    if COMPILED not in readers() or not _git("diff", "--name-only", commit, "--", _SPEEDUPS):
        return tree_of(folder)
    target = folder / "build/compiled"
    install = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--target", str(target)]
    environment = {**os.environ, "SOAPCLIENT_SPEEDUPS": "1"}
    done = subprocess.run(
        [*install, str(folder)], env=environment, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise BenchError(f"the compiled reader of {commit} cannot be built: {done.stderr.strip()[-500:]}")
    return tree_of(folder, target)


def counted(jobs: Sequence[Job], tree: Tree) -> dict[str, dict[str, float] | str]:
    """Count the instructions of the ways of soapclient, with each reader that is installed.

    A case that does not read responses is counted once. A count with the compiled reader has a
    name such as `page, compiled`. The costs of the idle way of a case, such as the start of Python, are
    subtracted.
    """
    cases = all_cases()
    results: dict[str, dict[str, float] | str] = {}
    for reader in readers():
        chosen = [job for job in jobs if reader == PURE or cases[job.case].reads]
        for case, count in (instructions(chosen, reader, tree) if chosen else {}).items():
            name = case if reader == PURE else f"{case}, {reader}"
            results[name] = count if isinstance(count, str) else _net(cases[case], count)
    return results


def _net(case: Case, counts: dict[str, float]) -> dict[str, float]:
    idle = counts.get(case.idle, 0.0)
    return {way: count - idle for way, count in counts.items() if way != case.idle}


def compare(
    commit: str, names: Sequence[str] = (), *, limit: float = LIMIT, few: int | None = None
) -> list[Change]:
    """Count the instructions of the cases in both commits. `few` replaces the sizes of the cases.

    Raises BenchError if valgrind is missing, or if the cases do not run in this checkout.
    """
    if not can_count():
        raise BenchError("compare counts instructions: install valgrind")
    cases = all_cases()
    jobs = []
    for name in names or CASES:
        case = cases[name]
        ways = [way.name for way in case.selected() if way.name in (OURS, case.idle)]
        if OURS in ways:
            jobs.append(Job(name, case.few if few is None else min(few, case.few), ways))
    with worktree(commit) as folder, ThreadPoolExecutor(2) as pool:
        trees = [_with_own_module(commit, folder), tree_of(ROOT)]
        before, after = pool.map(lambda tree: counted(jobs, tree), trees)
    named = excused(added_lines(_git("diff", "--unified=0", commit, "--", _CHANGELOG)))
    return changes(before, after, named)
