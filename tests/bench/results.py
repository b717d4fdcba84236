"""Results of benchmarks, as data: what `--json` prints, and the input of tables and charts."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from typing import Final

import msgspec

OURS: Final = "soapclient"
PURE: Final = "pure"
COMPILED: Final = "compiled"


class Spread(msgspec.Struct, frozen=True):
    """Seconds of CPU time: the median of several rounds and the quartiles."""

    median: float
    low: float
    high: float
    rounds: int


class Row(msgspec.Struct, frozen=True):
    """The figures of one way. None if a figure was not measured.

    `instructions` are per round. `memory` is the increase of the peak of a process, in MB.
    """

    way: str
    cpu: Spread | None = None
    instructions: float | None = None
    memory: float | None = None


class Result(msgspec.Struct, frozen=True):
    """The figures of a case at one size, with one of the two readers.

    `counted_size` is the size for which the instructions were counted. `missing` maps ways that did not run
    to the reason. `growth` is True if the case was measured at several sizes, and this is one of them.
    `reads` is True if the case reads responses, so that the reader matters. `date` is the day of the
    measurement, such as 2026-11-20.
    """

    case: str
    title: str
    size: int
    unit: str
    base: str
    base_is: str
    reader: str
    rows: list[Row]
    counted_size: int = 0
    missing: dict[str, str] = {}
    idle: str = ""
    growth: bool = False
    reads: bool = False
    date: str = ""

    def row(self, way: str) -> Row | None:
        """Return the row of a way, or None."""
        return next((row for row in self.rows if row.way == way), None)


class Run(msgspec.Struct, frozen=True):
    """All results of one run of the command, the machine, and the versions of libraries.

    `failures` are the errors of cases that have no result.
    """

    machine: str
    versions: dict[str, str]
    results: list[Result]
    failures: list[str] = []


def spread(seconds: Sequence[float]) -> Spread:
    """Return the median and the quartiles of measured times."""
    if len(seconds) == 1:
        return Spread(seconds[0], seconds[0], seconds[0], 1)
    low, median, high = statistics.quantiles(seconds, n=4, method="inclusive")
    return Spread(median, low, high, len(seconds))


def net(result: Result) -> list[Row]:
    """Return the rows without the idle way, whose costs are subtracted from the others."""
    idle = result.row(result.idle) if result.idle else None
    if idle is None:
        return result.rows
    rows = []
    for row in result.rows:
        if row.way == idle.way:
            continue
        cpu, count = row.cpu, row.instructions
        if cpu is not None and idle.cpu is not None:
            less = idle.cpu.median
            cpu = Spread(cpu.median - less, cpu.low - less, cpu.high - less, cpu.rounds)
        if count is not None and idle.instructions is not None:
            count -= idle.instructions
        rows.append(Row(row.way, cpu, count, row.memory))
    return rows


def ratios(result: Result) -> dict[str, tuple[float | None, float | None]]:
    """Return the ratios of each way to the base of the case: by CPU time, and by instructions."""
    rows = net(result)
    base = next((row for row in rows if row.way == result.base), None)
    return {
        row.way: (
            None if base is None or base.cpu is None or row.cpu is None else row.cpu.median / base.cpu.median,
            None
            if base is None or not base.instructions or row.instructions is None
            else row.instructions / base.instructions,
        )
        for row in rows
    }


def named(results: Sequence[Result]) -> list[tuple[str, Result, Row]]:
    """Return the rows of one case with their names: the results of one reader, or of both.

    If there are both, the names of the rows of soapclient include the reader, and all other rows are from the
    first reader.
    """
    first = results[0].reader
    several = any(result.reader != first for result in results)
    rows = []
    for result in results:
        for row in net(result):
            ours = row.way == OURS or row.way.startswith(f"{OURS} ")
            if ours or result.reader == first:
                rows.append((f"{row.way}, {result.reader}" if ours and several else row.way, result, row))
    return rows


def merged(runs: Sequence[Run]) -> Run:
    """Return one run with the results of several: a later result of the same case replaces an earlier one."""
    results = {
        (result.case, result.size, result.reader, result.growth): result
        for run in runs
        for result in run.results
    }
    failures = [failure for run in runs for failure in run.failures]
    # A later run may not have all libraries that earlier results were measured with.
    versions = {name: version for run in runs for name, version in run.versions.items()}
    return Run(runs[-1].machine, versions, list(results.values()), failures)
