"""`python -m tests.campaigns NAME`: prints one line of figures; exit code 1 if there are findings."""

from __future__ import annotations

import argparse
import logging
import sys
from dataclasses import dataclass
from typing import Final, Protocol

from . import backfills, calls, clock, exports, fuzz, guests, hostile, sharing
from .findings import Report


class Runner(Protocol):
    """Does `count` pieces of work, or as many as can start within `minutes`, determined by the seed."""

    def __call__(self, seed: int, *, count: int, minutes: float | None) -> Report: ...


@dataclass(frozen=True)
class Campaign:
    """A campaign: how to run it, its full size, and the name of one piece of work."""

    run: Runner
    count: int
    pieces: str


CAMPAIGNS: Final = {
    "calls": Campaign(calls.run, 10_000, "pieces of work, of one to five calls"),
    "clock": Campaign(clock.run, 10_000, "calls"),
    "exports": Campaign(exports.run, 300, "exports of 20,000 rows"),
    "backfill": Campaign(backfills.run, 500, "partitions by threads, and as many by Dask workers"),
    "processes": Campaign(sharing.run, 8000, "calls by one client in many processes"),
    "fuzz": Campaign(fuzz.run, fuzz.FULL, "inputs"),
    "hostile": Campaign(hostile.run, 10_000, "hostile requests"),
}
_ALL: Final = "all"
HOSTILE: Final[dict[str, Runner]] = {
    "sandbox": hostile.run,
    "mock": guests.run_mock,
    "console": guests.run_console,
}


def main(arguments: list[str] | None = None) -> int:
    """Run the campaigns named in the arguments and return the exit code."""
    sizes = "; ".join(f"{name}: {one.count:,} {one.pieces}" for name, one in CAMPAIGNS.items())
    parser = argparse.ArgumentParser(prog="python -m tests.campaigns", description=__doc__)
    parser.add_argument("campaign", choices=[*CAMPAIGNS, _ALL], help=f"{_ALL}: one after the other")
    parser.add_argument("--seed", type=int, default=1, help="all chance comes from it")
    parser.add_argument("--minutes", type=float, help="begin nothing after so many")
    parser.add_argument("--count", type=int, help=f"how much is done ({sizes})")
    parser.add_argument("--only", metavar="TARGET", help="fuzz: this target alone")
    parser.add_argument("--index", type=int, help="fuzz: of that target this input alone, once more")
    parser.add_argument("--target", default=_ALL, help="hostile: this server alone; fuzz: as --only")
    parser.add_argument("--json", action="store_true", help="figures and findings as one JSON object")
    given = parser.parse_args(arguments)
    if given.campaign == "fuzz" and given.target != _ALL:
        given.only = given.target
    elif given.target not in (*HOSTILE, _ALL):
        parser.error(f"argument --target: choose from {', '.join((*HOSTILE, _ALL))}")
    before = logging.root.manager.disable
    logging.disable(logging.CRITICAL)  # thousands of warnings about findings and retries
    try:
        return max(_run(given))
    finally:
        logging.disable(before)


def _run(given: argparse.Namespace) -> list[int]:
    """Run the selected campaigns and return their exit codes."""
    codes = []
    for name in CAMPAIGNS if given.campaign == _ALL else [given.campaign]:
        count = CAMPAIGNS[name].count if given.count is None else given.count
        if name == "fuzz" and given.only is not None:
            report = fuzz.run_only(
                given.only, given.seed, count=count, minutes=given.minutes, index=given.index
            )
            reports = [report]
        else:
            runs = [CAMPAIGNS[name].run]
            if name == "hostile":
                runs = [run for each, run in HOSTILE.items() if given.target in (each, _ALL)]
            reports = [run(given.seed, count=count, minutes=given.minutes) for run in runs]
        for report in reports:
            report.tell(as_json=given.json)
            codes.append(report.exit_code)
    return codes


if __name__ == "__main__":
    sys.exit(main())
