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

from tests.bench.cases import ROOT, Case, Way, child_environment
from tests.bench.results import COMPILED, PURE, Result, Row, spread

_TOTALS: Final = re.compile(r"^totals: (\d+)", re.MULTILINE)
_LIBRARIES: Final = (
    *("lxml", "msgspec", "requests", "zeep", "suds", "xsdata", "pydantic-xml", "xmltodict", "pyarrow"),
    *("polars", "pandas", "isal"),
)
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
    """Return a line about this machine."""
    return f"{os.cpu_count()} cores, {platform.machine()}, Python {platform.python_version()}"


def versions() -> dict[str, str]:
    """Return the versions of the compared libraries that are installed."""
    found = {}
    for name in _LIBRARIES:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return found


@dataclass(frozen=True)
class Tree:
    """A checkout whose code is measured. `path` are the folders that Python searches first."""

    folder: Path = ROOT
    path: tuple[Path, ...] = ()

    def environment(self, reader: str) -> dict[str, str]:
        """Return the environment of a worker."""
        speedups = _SPEEDUPS[reader] if len(readers()) > 1 else None
        environment = child_environment(os.environ, speedups)
        if self.path:
            others = [environment["PYTHONPATH"]] if environment.get("PYTHONPATH") else []
            environment["PYTHONPATH"] = os.pathsep.join([*map(str, self.path), *others])
        return environment


THIS: Final = Tree()


def measure(case: Case, size: int, reader: str, plan: Plan) -> Result:
    """Measure the ways of a case. Raises BenchError if a way returns wrong values or fails."""
    ways = case.selected(plan.ways)
    names = [way.name for way in ways]
    times: dict[str, list[float]] = {}
    if plan.times:
        options = ["--rounds", str(plan.rounds), "--budget", str(plan.budget)]
        times = msgspec.json.decode(
            _worker(case, size, names, options, reader), type=dict[str, list[float]]
        )
    few = min(size, case.few if plan.few is None else plan.few)
    counting = plan.count and case.counted and can_count()
    counts = instructions(case, few, ways, reader) if counting else {}
    memory = _memory(case, size, names, reader) if plan.memory and case.memory else {}
    rows = [
        Row(name, spread(times[name]) if name in times else None, counts.get(name), memory.get(name))
        for name in names
    ]
    missing = {way.name: f"{way.missing} is not installed" for way in case.ways if way.missing is not None}
    return Result(
        *(case.name, case.title, size, case.unit, case.base, case.base_is, reader, rows),
        counted_size=few if counts else 0,
        missing=missing,
        idle=case.idle,
    )


def instructions(
    case: Case, size: int, ways: Sequence[Way], reader: str, tree: Tree = THIS
) -> dict[str, float]:
    """Count the instructions of one round of each way with callgrind."""
    names = [way.name for way in ways]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if case.processes:
            return _of_processes(case, size, names, reader, tree, folder)
        marked = _callgrind(folder, "--dump-before=getsid")
        output = _worker(case, size, names, ["--count"], reader, tree, marked)
        rounds = msgspec.json.decode(output, type=dict[str, tuple[int, int]])
        sections = _sections(folder)
        counts = {}
        for way, (fewer, more) in rounds.items():
            next(sections)  # everything since the last way
            first, second = next(sections), next(sections)
            counts[way] = (second - first) / (more - fewer)
        return counts


def _callgrind(folder: Path, *options: str) -> list[str]:
    return ["valgrind", "--tool=callgrind", f"--callgrind-out-file={folder / 'counts'}", *options]


def _sections(folder: Path) -> Iterator[int]:
    """Yield the instructions between the marks, in order."""
    dumps = sorted(folder.glob("counts.*"), key=lambda path: int(path.suffix[1:]))
    return (sum(map(int, _TOTALS.findall(path.read_text(errors="replace")))) for path in dumps)


def _of_processes(
    case: Case, size: int, names: Sequence[str], reader: str, tree: Tree, folder: Path
) -> dict[str, float]:
    with case.open(size) as opened:
        counts = {}
        for name in names:
            command = [*_callgrind(folder), *opened.prepare[name]().command]
            _output(command, tree.folder, tree.environment(reader), f"{case.name}: {name}")
            file = folder / "counts"
            counts[name] = float(sum(map(int, _TOTALS.findall(file.read_text(errors="replace")))))
            file.unlink()
        return counts


def _memory(case: Case, size: int, names: Sequence[str], reader: str) -> dict[str, float]:
    """Return the increase of the peak memory from the smallest size to this one, of each way."""
    return {
        name: float(_worker(case, size, names, ["--memory", name], reader))
        - float(_worker(case, 1, names, ["--memory", name], reader))
        for name in names
    }


def _worker(
    case: Case,
    size: int,
    names: Sequence[str],
    options: Sequence[str],
    reader: str,
    tree: Tree = THIS,
    before: Sequence[str] = (),
) -> str:
    """Run a worker and return the JSON that it prints."""
    command = [
        *(*before, sys.executable, "-m", "tests.bench.worker", case.name, "--size", str(size)),
        *(option for name in names for option in ("--way", name)),
        *options,
    ]
    return _output(command, tree.folder, tree.environment(reader), case.name)


def _output(command: Sequence[str], folder: Path, environment: Mapping[str, str], name: str) -> str:
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        end = done.stderr.strip().splitlines()[-12:]
        raise BenchError(f"{name} ended with {done.returncode}:\n" + "\n".join(end))
    return done.stdout
