"""Measure the ways of one case in this process: `python -m tests.bench.worker CASE`. Prints JSON.

tests.bench.measuring starts it. The ways take turns, so that the state of the allocator and the load of the
machine affect all of them. With `--count`, it runs under callgrind, and marks the begin and the end of what is
counted by a call of getsid, which nothing else calls.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import resource
import sys
import time
from collections.abc import Callable, Sequence

from tests.bench.cases import Case, Opened, Prepared, all_cases
from tests.bench.equality import difference

_FEW_ROUNDS = (1, 2)
ROUNDS = (1, 5)


class UnequalValues(Exception):
    """A way returned other values than expected."""


def prepared(case: Case, opened: Opened, ways: Sequence[str]) -> dict[str, Prepared]:
    """Prepare the ways, run each once, and check its values. Raises UnequalValues."""
    ready = {}
    for way in ways:
        one = opened.prepare[way]()
        found = difference(opened.expected, one.values(one.run()))
        if found is not None:
            raise UnequalValues(f"{case.name}: {way}: {found}")
        ready[way] = one
    return ready


def take_turns(
    ways: dict[str, Callable[[], object]],
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
            gc.collect()  # otherwise a run pays for the garbage of another
            begin = clock()
            _repeat(run, repeat)
            times[name].append((clock() - begin) / repeat)
    return times


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
    rounds = {name: _FEW_ROUNDS if name in heavy else ROUNDS for name in ways}
    for name, one in ways.items():
        gc.collect()
        for number in rounds[name]:
            _mark()
            _repeat(one.run, number)
        _mark()
    return rounds


def _worked(case: Case, given: argparse.Namespace) -> object:
    with case.open(given.size) as opened:
        if given.memory:
            one = opened.prepare[given.memory]()
            one.run()
            return peak()
        ready = prepared(case, opened, given.way)
        if given.commands:
            return {name: one.command for name, one in ready.items()}
        if given.count:
            return count(case, ready)
        clock = children_time if case.processes else time.process_time
        runs = {name: one.run for name, one in ready.items()}
        return take_turns(runs, given.rounds, given.budget, clock, case.repeat)


def main() -> int:
    """Measure a case, and print the figures as JSON."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.worker", description=__doc__)
    parser.add_argument("case", choices=list(all_cases()))
    parser.add_argument("--size", type=int, required=True)
    parser.add_argument("--way", action="append", required=True, help="the name of a way; several times")
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--budget", type=float, default=20.0, help="CPU seconds for a way")
    parser.add_argument("--count", action="store_true", help="this process runs under callgrind")
    parser.add_argument("--commands", action="store_true", help="print the commands of the ways")
    parser.add_argument("--memory", metavar="WAY", help="run this way once, and print the peak memory")
    given = parser.parse_args()
    try:
        figures = _worked(all_cases()[given.case], given)
    except UnequalValues as error:
        print(error, file=sys.stderr)
        return 3
    print(json.dumps(figures))
    return 0


if __name__ == "__main__":
    sys.exit(main())
