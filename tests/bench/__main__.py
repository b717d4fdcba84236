"""Measure this project and its peers side by side: `python -m tests.bench [CASE…]`.

Prints a table for each case: CPU time and instructions, as ratios to a floor or to a peer. All ways must
return equal values before anything is measured. README.md in this folder explains the cases and columns.
"""

from __future__ import annotations

import argparse
import datetime as dt
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import msgspec

from tests.bench import pages, tables
from tests.bench.cases import OURS, Case, all_cases
from tests.bench.compare import CASES, LIMIT, compare, report
from tests.bench.measuring import BenchError, Plan, can_count, machine, measure, readers, versions
from tests.bench.results import Result, Run, merged

# Sizes for growth. Only the case `decode` of 1,000,000 items is left to `--sizes`: it needs 3 GB.
_GROWTH: Final = {
    "decode": (100, 1_000, 10_000, 100_000),
    "stream": (100, 1_000, 10_000, 100_000),
    "bindgen-types": (1, 10, 100, 1_000, 3_000),
    "package": (1, 10, 100, 1_000, 3_000),
}
# zeep and suds need too long or too much memory for the larger sizes.
_GROWTH_WAYS: Final = {"decode": ("zeep",), "stream": ()}
_LARGE: Final = 1_000_000
_SMALL: Final = 20
_COMPARE: Final = "compare"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return the exit code."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    try:
        if words[:1] == [_COMPARE]:
            return _compare(words[1:])
        return _measure(words)
    except BenchError as error:
        print(f"tests.bench: {error}", file=sys.stderr)
        return 2


def _compare(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tests.bench compare",
        description="Count the instructions of cases in this checkout and in another commit. The exit code "
        "is 1 if a case grew too much.",
    )
    parser.add_argument("cases", nargs="*", metavar="CASE", help=f"by default: {', '.join(CASES)}")
    parser.add_argument(
        "--with", dest="commit", required=True, help="the commit to compare with, such as HEAD~1"
    )
    parser.add_argument("--limit", type=float, default=LIMIT * 100, help="allowed growth in percent")
    parser.add_argument("--few", type=int, help="the size of each case, to try the command")
    options = parser.parse_args(arguments)
    _check(parser, options.cases)
    limit = options.limit / 100
    compared = compare(options.commit, options.cases, limit=limit, few=options.few)
    print(report(compared, limit), end="")
    failed = [change.case for change in compared if change.failed(limit)]
    if failed:
        print(
            f"\n{', '.join(failed)}: more than {options.limit:g} % more instructions. If this is intended, "
            f"name the case in CHANGELOG.md and say why: `bench: {failed[0]}`"
        )
    return 1 if failed else 0


def _check(parser: argparse.ArgumentParser, names: Sequence[str]) -> None:
    cases = all_cases()
    for name in names:
        if name not in cases:
            parser.error(f"{name} is not a case. Cases: {', '.join(cases)}")


def _measure(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tests.bench",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog="`python -m tests.bench compare --with COMMIT` compares the instructions of two commits.",
    )
    parser.add_argument("cases", nargs="*", metavar="CASE", help="by default all cases (--list shows them)")
    parser.add_argument("--list", action="store_true", help="list the cases, their ways, and what is missing")
    parser.add_argument("--json", action="store_true", help="print the results as JSON")
    parser.add_argument(
        "--update", action="store_true", help="add the results to the page of measurements and README.md"
    )
    parser.add_argument(
        "--from",
        dest="files",
        type=Path,
        action="append",
        default=[],
        help="use results of --json, and measure nothing; several times: later results replace earlier ones",
    )
    parser.add_argument("--rounds", type=int, default=7, help="rounds, of which the median counts")
    parser.add_argument("--budget", type=float, default=20.0, help="CPU seconds for a way; then it stops")
    parser.add_argument("--size", type=int, help="the size of each case, instead of its usual one")
    parser.add_argument("--sizes", help="several sizes, such as 100,1000,1000000")
    parser.add_argument("--growth", action="store_true", help=f"several sizes of {', '.join(_GROWTH)}, too")
    parser.add_argument("--large", action="store_true", help="1,000,000 items for the case stream")
    parser.add_argument("--small", action="store_true", help="small sizes and one round, to try the command")
    parser.add_argument(
        "--way", action="append", default=[], help="only this way and the base; several times"
    )
    parser.add_argument(
        "--reader", choices=["pure", "compiled"], help="only this reader (SOAPCLIENT_SPEEDUPS)"
    )
    parser.add_argument("--no-instructions", action="store_true", help="do not count instructions")
    parser.add_argument("--no-times", action="store_true", help="do not measure CPU time")
    parser.add_argument("--no-memory", action="store_true", help="do not measure memory")
    options = parser.parse_args(arguments)
    _check(parser, options.cases)
    unknown = set(options.way) - {way.name for case in all_cases().values() for way in case.ways}
    if unknown:
        parser.error(f"{', '.join(sorted(unknown))} is not a way; --list shows the ways")
    if options.sizes and not all(size.strip().isdecimal() for size in options.sizes.split(",")):
        parser.error(f"--sizes {options.sizes}: must be numbers, such as 100,1000")
    if options.reader is not None and options.reader not in readers():
        raise BenchError("the compiled reader is not installed: there is no module _soapclient_xmlread")
    if options.list:
        print(_listing(), end="")
        return 0
    if options.files:
        run = merged([msgspec.json.decode(file.read_bytes(), type=Run) for file in options.files])
    else:
        run = _run(options)
    if options.json:
        print(msgspec.json.format(msgspec.json.encode(run)).decode())
    else:
        print(pages.content(run), end="")
    if options.update:
        for path in pages.update(run):
            print(f"wrote {path}", file=sys.stderr)
    for failure in run.failures:
        print(f"tests.bench: {failure}", file=sys.stderr)
    return 2 if run.failures else 0


def today() -> dt.date:
    """Return the date of this run, in UTC."""
    return dt.datetime.now(dt.UTC).date()


def _listing() -> str:
    lines = []
    for case in all_cases().values():
        ways = [way.name if way.missing is None else f"{way.name} (missing)" for way in case.ways]
        base = f"{case.base} ({case.base_is})"
        lines.append(
            [f"`{case.name}`", case.title, tables.size_text(case.size, case.unit), base, ", ".join(ways)]
        )
    return tables.table(["Case", "Work", "Size", "Base", "Ways"], lines)


def _run(options: argparse.Namespace) -> Run:
    cases = all_cases()
    chosen = [cases[name] for name in options.cases or cases]
    if not can_count() and not options.no_instructions:
        print("valgrind is not installed: instructions are not counted", file=sys.stderr)
    results, failures = [], []
    for case in chosen:
        for size, growth in _sizes(case, options):
            for reader in _readers(case, options):
                try:
                    result = _one(case, size, reader, options, growth=growth)
                    results.append(msgspec.structs.replace(result, growth=growth))
                except BenchError as error:
                    failures.append(str(error))
    return Run(machine(), versions(), results, failures)


def _readers(case: Case, options: argparse.Namespace) -> list[str]:
    if options.reader is not None:
        return [options.reader]
    return readers() if case.reads else readers()[-1:]


def _sizes(case: Case, options: argparse.Namespace) -> list[tuple[int, bool]]:
    """Return the sizes to measure. The second value is True if the size is one of several."""
    if options.sizes:
        return [(int(size), True) for size in options.sizes.split(",")]
    usual = case.size
    if options.size is not None:
        usual = options.size
    elif options.small:
        usual = min(case.size, _SMALL)
    elif options.large and case.name == "stream":
        usual = _LARGE
    several = _GROWTH.get(case.name, ()) if options.growth else ()
    return [(usual, False), *((size, True) for size in several)]


def _one(case: Case, size: int, reader: str, options: argparse.Namespace, *, growth: bool) -> Result:
    print(f"{case.name}, {size:,}, {reader}", file=sys.stderr, flush=True)
    ways = tuple(options.way)
    if growth and not ways and case.name in _GROWTH_WAYS:
        ways = (OURS, *_GROWTH_WAYS[case.name])
    plan = Plan(
        rounds=1 if options.small else options.rounds,
        budget=options.budget,
        ways=ways,
        times=not options.no_times,
        count=not (options.no_instructions or growth),
        memory=not (options.no_memory or growth),
        few=1 if options.small else None,
    )
    return msgspec.structs.replace(measure(case, size, reader, plan), date=today().isoformat())


if __name__ == "__main__":
    sys.exit(main())
