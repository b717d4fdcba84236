"""Measure cases: start a process for each of them, and collect its figures."""

from __future__ import annotations

import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path
from typing import Final

import msgspec

from tests.bench.cases import ROOT, Case, all_cases, child_environment
from tests.bench.results import COMPILED, PURE, Result, Row, spread
from tests.bench.worker import Counted, Job

_TOTALS: Final = re.compile(r"^totals: (\d+)", re.MULTILINE)
_LIBRARIES: Final = (
    *("lxml", "msgspec", "requests", "zeep", "suds", "xsdata", "pydantic-xml", "xmltodict", "pyarrow"),
    *("polars", "pandas", "isal"),
)
FOLDERS: Final = ("", "generated", "tools")  # of a checkout, with importable packages
_SPEEDUPS: Final = {PURE: "0", COMPILED: "1"}


class BenchError(Exception):
    """A case could not be measured."""


@dataclass(frozen=True)
class Plan:
    """What is measured, and how often. `memory` and `count` (of instructions) can be switched off."""

    rounds: int = 7
    budget: float = 20.0
    ways: tuple[str, ...] = ()
    times: bool = True
    count: bool = True
    memory: bool = True
    few: int | None = None  # another size for counting instructions


def readers() -> list[str]:
    """Return the readers that can be measured: the pure one, and the compiled one if it is installed."""
    return [PURE, COMPILED] if find_spec("_soapclient_xmlread") is not None else [PURE]


def can_count() -> bool:
    """Return True if callgrind is installed."""
    return shutil.which("valgrind") is not None


def machine() -> str:
    return f"{os.cpu_count()} cores, {platform.machine()}, Python {platform.python_version()}"


def versions() -> dict[str, str]:
    """Return the versions of the compared libraries that are installed."""
    installed = {}
    for name in _LIBRARIES:
        try:
            installed[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return installed


@dataclass(frozen=True)
class Tree:
    """A checkout whose code is measured. `path` are the folders that Python searches first."""

    folder: Path = ROOT
    path: tuple[Path, ...] = ()

    def environment(self, reader: str) -> dict[str, str]:
        speedups = _SPEEDUPS[reader] if len(readers()) > 1 else None
        environment = child_environment(os.environ, speedups)
        if self.path:
            # Without the folders of this checkout: more folders to search would cost another one more.
            own = {str(ROOT / name) for name in FOLDERS}
            others = [name for name in environment.get("PYTHONPATH", "").split(os.pathsep) if name not in own]
            environment["PYTHONPATH"] = os.pathsep.join([*map(str, self.path), *filter(None, others)])
        return environment


THIS: Final = Tree()


def measure(case: Case, size: int, reader: str, plan: Plan) -> Result:
    """Measure the ways of a case. Raises BenchError if a way returns wrong values or fails."""
    names = [way.name for way in case.selected(plan.ways)]
    job = Job(case.name, size, names)
    times: dict[str, list[float]] = {}
    if plan.times:
        options = ["--rounds", str(plan.rounds), "--budget", str(plan.budget)]
        (times,) = msgspec.json.decode(_worker([job], options, reader), type=list[dict[str, list[float]]])
    few = min(size, case.few if plan.few is None else plan.few)
    counts: dict[str, float] = {}
    if plan.count and case.counted and can_count():
        counted = instructions([Job(case.name, few, names)], reader)[case.name]
        if isinstance(counted, str):
            raise BenchError(f"{case.name}: {counted}")
        counts = counted
    memory = _memory(case, size, names, reader) if plan.memory and case.memory else {}
    rows = [
        Row(name, spread(times[name]) if name in times else None, counts.get(name), memory.get(name))
        for name in names
    ]
    missing = {way.name: f"{way.missing} is not installed" for way in case.ways if way.missing is not None}
    return Result(
        case=case.name,
        title=case.title,
        size=size,
        unit=case.unit,
        base=case.base,
        base_is=case.base_is,
        reader=reader,
        rows=rows,
        counted_size=few if counts else 0,
        missing=missing,
        idle=case.idle,
        reads=case.reads,
    )


def instructions(jobs: Sequence[Job], reader: str, tree: Tree = THIS) -> dict[str, dict[str, float] | str]:
    """Count the instructions of one round of each way with callgrind.

    Returns for each case the counts by way, or the error that prevented them. All jobs that run in a process
    share one, because most of the time under callgrind is spent on imports.
    """
    cases = all_cases()
    inside = [job for job in jobs if not cases[job.case].processes]
    counts: dict[str, dict[str, float] | str] = {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if inside:
            marked = _callgrind(folder, "--dump-before=getsid")
            output = _worker(inside, ["--count"], reader, tree, marked)
            sections = _sections(folder)
            for job, counted in zip(inside, msgspec.json.decode(output, type=list[Counted]), strict=True):
                counts[job.case] = counted.error or _between(counted.rounds, sections)
        for job in jobs:
            if job not in inside:
                counts[job.case] = _of_processes(job, reader, tree, folder)
    return {job.case: counts[job.case] for job in jobs}


def _callgrind(folder: Path, *options: str) -> list[str]:
    return ["valgrind", "--tool=callgrind", f"--callgrind-out-file={folder / 'counts'}", *options]


def _sections(folder: Path) -> Iterator[int]:
    """Yield the instructions between the marks, in order."""
    dumps = sorted(folder.glob("counts.*"), key=lambda path: int(path.suffix[1:]))
    return map(_total, dumps)


def _total(dump: Path) -> int:
    return sum(map(int, _TOTALS.findall(dump.read_text(errors="replace"))))


def _between(rounds: Mapping[str, tuple[int, int]], sections: Iterator[int]) -> dict[str, float]:
    """Return the instructions of one round: what is the same for any number of rounds is subtracted."""
    counts = {}
    for way, (fewer, more) in rounds.items():
        next(sections)  # everything since the last way
        first, second = next(sections), next(sections)
        counts[way] = (second - first) / (more - fewer)
    return counts


def _of_processes(job: Job, reader: str, tree: Tree, folder: Path) -> dict[str, float] | str:
    """Count the instructions of the commands of a job, after one run that writes the bytecode of modules.

    Otherwise, a fresh checkout would need twice the instructions of another one.
    """
    counts = {}
    with all_cases()[job.case].open(job.size) as opened:
        for name in job.ways:
            command = opened.prepare[name]().command
            try:
                for before in ((), _callgrind(folder)):
                    _output([*before, *command], tree.folder, tree.environment(reader), f"{job.case}: {name}")
            except BenchError as error:
                return str(error)
            counts[name] = float(_total(folder / "counts"))
    return counts


def _memory(case: Case, size: int, names: Sequence[str], reader: str) -> dict[str, float]:
    """Return the increase of the peak memory from the smallest size to this one, of each way."""

    def peak(way: str, size: int) -> float:
        output = _worker([Job(case.name, size, [way])], ["--memory"], reader)
        return msgspec.json.decode(output, type=list[float])[0]

    return {name: peak(name, size) - peak(name, 1) for name in names}


def _worker(
    jobs: Sequence[Job], options: Sequence[str], reader: str, tree: Tree = THIS, before: Sequence[str] = ()
) -> str:
    """Run a worker and return the JSON that it prints."""
    encoded = msgspec.json.encode(list(jobs)).decode()
    command = [*before, sys.executable, "-m", "tests.bench.worker", encoded, *options]
    return _output(command, tree.folder, tree.environment(reader), ", ".join(job.case for job in jobs))


def _output(command: Sequence[str], folder: Path, environment: Mapping[str, str], name: str) -> str:
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        end = done.stderr.strip().splitlines()[-12:]
        raise BenchError(f"{name} ended with {done.returncode}:\n" + "\n".join(end))
    return done.stdout
