"""Measure the ways of cases in this process, and print JSON.

tests.bench.measuring starts it as `python -m tests.bench.worker JOBS`. The ways of a case take turns, so that
the state of the allocator and the load of the machine affect all of them. With `--count`, it runs under
callgrind, and calls getsid before and after the counted rounds, whereupon callgrind writes its counts.
Nothing else calls getsid.
"""

from __future__ import annotations

import argparse
import ctypes
import gc
import os
import resource
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Final

import msgspec

from tests.bench.cases import Case, Opened, Prepared, all_cases
from tests.bench.equality import difference

# malloc_trim of glibc. None for other C libraries.
_trim: Final = getattr(ctypes.CDLL(None), "malloc_trim", None) if os.name == "posix" else None
FEW_ROUNDS: Final = (1, 2)
ROUNDS: Final = (1, 5)


class Job(msgspec.Struct, frozen=True):
    """A case to measure at one size, and the names of its ways."""

    case: str
    size: int
    ways: list[str]


class Counted(msgspec.Struct, frozen=True):
    """The numbers of rounds between the marks, for each way, or the error that prevented them."""

    rounds: dict[str, tuple[int, int]] = {}
    error: str = ""


class UnequalValues(Exception):
    """A way returned other values than expected."""


def prepared(case: Case, opened: Opened, ways: Sequence[str]) -> dict[str, Prepared]:
    """Prepare the ways, run each once, and check its values. Raises UnequalValues."""
    ready = {}
    for way in ways:
        ready[way] = opened.prepare[way]()
        unequal = difference(opened.expected, ready[way].values(ready[way].run()))
        if unequal is not None:
            raise UnequalValues(f"{case.name}: {way}: {unequal}")
    return ready


def take_turns(
    ways: Mapping[str, Callable[[], object]],
    rounds: int,
    budget: float,
    clock: Callable[[], float],
    repeat: int = 1,
) -> dict[str, list[float]]:
    """Return the times of a run of each way, one for each round. Each way runs `repeat` times in a round.

    A way that has used more than `budget` seconds does not run again.
    """
    times: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(rounds):
        for name, run in ways.items():
            if sum(times[name]) * repeat > budget:
                continue
            settle()
            begin = clock()
            _repeat(run, repeat)
            times[name].append((clock() - begin) / repeat)
    return times


def settle() -> None:
    """Free what the last run left, so that the next run does not pay for it.

    glibc merges freed chunks in a later call: about 40 ms after lxml's tree of 8 MB of XML. Without this
    function, the next run would take that time.
    """
    gc.collect()
    if _trim is not None:
        _trim(0)


def children_time() -> float:
    """Return the CPU time of all processes that this process has waited for."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def peak() -> float:
    """Return the peak memory of this process in MB."""
    kilobytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return kilobytes / (1 << 20 if sys.platform == "darwin" else 1 << 10)


def _mark() -> None:
    os.getsid(0)


def _repeat(run: Callable[[], object], times: int) -> None:
    for _ in range(times):
        run()


def count(case: Case, ways: dict[str, Prepared]) -> dict[str, tuple[int, int]]:
    """Run each way under callgrind, between marks, with two numbers of rounds. Return the numbers."""
    heavy = {way.name for way in case.ways if way.heavy}
    rounds = {name: FEW_ROUNDS if name in heavy else ROUNDS for name in ways}
    for name, way in ways.items():
        settle()
        for number in rounds[name]:
            _mark()
            _repeat(way.run, number)
        _mark()
    return rounds


def counted(job: Job) -> Counted:
    """Count the instructions of a job. An exception is returned as text, so that the other jobs go on."""
    case = all_cases()[job.case]
    try:
        with case.open(job.size) as opened:
            return Counted(rounds=count(case, prepared(case, opened, job.ways)))
    except Exception as error:
        return Counted(error=f"{type(error).__name__}: {error}")


def _times(job: Job, rounds: int, budget: float) -> dict[str, list[float]]:
    case = all_cases()[job.case]
    with case.open(job.size) as opened:
        ready = prepared(case, opened, job.ways)
        clock = children_time if case.processes else time.process_time
        runs = {name: way.run for name, way in ready.items()}
        return take_turns(runs, rounds, budget, clock, case.repeat)


def _peak_of(job: Job) -> float:
    with all_cases()[job.case].open(job.size) as opened:
        for way in job.ways:
            opened.prepare[way]().run()
        return peak()


def main() -> int:
    """Measure, and print the figures as JSON."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.worker", description=__doc__)
    parser.add_argument("jobs", help="JSON: a list of objects with case, size and ways")
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--budget", type=float, default=20.0, help="CPU seconds for a way")
    parser.add_argument("--count", action="store_true", help="this process runs under callgrind")
    parser.add_argument("--memory", action="store_true", help="run each way once, and print the peak memory")
    options = parser.parse_args()
    jobs = msgspec.json.decode(options.jobs, type=list[Job])
    figures: object
    try:
        if options.count:
            figures = [counted(job) for job in jobs]
        elif options.memory:
            figures = [_peak_of(job) for job in jobs]
        else:
            figures = [_times(job, options.rounds, options.budget) for job in jobs]
    except UnequalValues as error:
        print(error, file=sys.stderr)
        return 3
    print(msgspec.json.encode(figures).decode())
    return 0


if __name__ == "__main__":
    sys.exit(main())
