"""Writes results into the documentation: tables, charts, and three numbers for the README.

A measured part is between `<!-- measured: WHAT -->` and `<!-- measured end -->`. The results of earlier runs
are stored in a file next to the page, so that a run of some cases keeps the rows of the others.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import msgspec

from tests.bench import charts, tables
from tests.bench.cases import ROOT, all_cases
from tests.bench.results import COMPILED, OURS, PURE, Result, Run, merged, named, net, ratios

PAGE: Final = Path("docs/reference/measurements.md")
STORED: Final = PAGE.with_suffix(".json")
README: Final = Path("README.md")
_PART: Final = re.compile(r"(<!-- measured: (\w+) -->\n).*?(?=<!-- measured end -->)", re.DOTALL)
_DECODE, _GROWTH_CHART, _TYPES_CHART = "decode", "measurements-growth.svg", "measurements-types.svg"


def replace_part(text: str, name: str, content: str) -> str:
    """Return a page with another content in a measured part. Raises KeyError if the page lacks the part."""
    if name not in (match[2] for match in _PART.finditer(text)):
        raise KeyError(f"<!-- measured: {name} -->")
    return _PART.sub(lambda match: match[1] + content if match[2] == name else match[0], text)


def update(run: Run, root: Path = ROOT) -> list[Path]:
    """Add the results of a run to the stored ones, and write the pages and the charts from all of them.

    Return the files that were written.
    """
    page, stored = root / PAGE, root / STORED
    if stored.exists():
        run = merged([msgspec.json.decode(stored.read_bytes(), type=Run), run])
    run = msgspec.structs.replace(run, results=in_order(run.results), failures=[])
    written = {stored: msgspec.json.format(msgspec.json.encode(run)).decode() + "\n"}
    written[page] = replace_part(page.read_text(encoding="utf-8"), "tables", content(run))
    for name, chart in drawings(run).items():
        written[page.parent / name] = chart
    if numbers := readme_numbers(run):
        readme = root / README
        written[readme] = replace_part(readme.read_text(encoding="utf-8"), "numbers", numbers)
    for path, text in written.items():
        path.write_text(text, encoding="utf-8")
    return list(written)


def in_order(results: Sequence[Result]) -> list[Result]:
    """Return results in the order of the cases, and of their sizes. Cases that no longer exist come last."""
    order = list(all_cases())

    def position(result: Result) -> tuple[int, int, bool]:
        place = order.index(result.case) if result.case in order else len(order)
        return place, result.size, result.reader != PURE

    return sorted(results, key=position)


def content(run: Run) -> str:
    """Return the measured part of the page of measurements."""
    versions = ", ".join(f"{name} {version}" for name, version in run.versions.items())
    counted = any(row.instructions is not None for result in run.results for row in result.rows)
    how = (
        f"Measured on {run.machine}; {versions}. CPU times are medians with quartiles; the ways of a case "
        "take turns in one process. "
        + (
            "Instructions are counted by callgrind, at the sizes given below; they hardly depend on the "
            "load of the machine. A figure that was not measured is shown as `-`."
            if counted
            else "Instructions were not counted: valgrind is not installed, or it was switched off."
        )
    )
    plain_cases, growths = split(run.results)
    parts = [textwrap.fill(how, 120) + "\n", tables.summary(plain_cases)]
    pictures = drawings(run)
    for group in tables.by_case(plain_cases).values():
        parts.append(tables.case_table(group))
        if (name := f"measurements-{group[0].case}.svg") in pictures:
            parts.append(f"![{group[0].title}: ratios]({name})\n")
    for growth in growths:
        parts.append(tables.growth_table(growth))
        if (name := _growth_name(growth[0].case)) in pictures:
            parts.append(f"![{growth[0].title}, at several sizes]({name})\n")
    return "\n" + "\n".join(parts) + "\n"


def split(results: Sequence[Result]) -> tuple[list[Result], list[list[Result]]]:
    """Return the results of cases at their usual sizes, and for each case the results at several sizes."""
    groups: dict[str, list[Result]] = {}
    for result in results:
        if result.growth:
            groups.setdefault(result.case, []).append(result)
    growths = [
        sorted(group, key=lambda result: (result.reader != PURE, result.size)) for group in groups.values()
    ]
    return [result for result in results if not result.growth], growths


def _growth_name(case: str) -> str:
    return f"measurements-{case}-growth.svg"


def drawings(run: Run) -> dict[str, str]:
    """Return the charts by file name: bars for cases with several peers, and lines for growth."""
    plain_cases, growths = split(run.results)
    drawn = {}
    for group in tables.by_case(plain_cases).values():
        values, ours = {}, []
        for name, result, row in named(group):
            times, counts = ratios(result)[row.way]
            if (ratio := times if counts is None else counts) is not None:
                values[name] = ratio
                ours += [name] if row.way.startswith(OURS) else []
        if len(values) > 3:
            first = group[0]
            basis = "instructions" if first.counted_size else "CPU time"
            note = f"{basis}, ratio to {first.base}"
            ordered = dict(sorted(values.items(), key=lambda pair: pair[1]))
            drawn[f"measurements-{first.case}.svg"] = charts.bars(first.title, note, ordered, ours)
    for growth in growths:
        series: dict[str, list[tuple[float, float]]] = {}
        for name, result, row in named(growth):
            if row.cpu is not None and row.cpu.median > 0:
                series.setdefault(name, []).append((result.size, row.cpu.median * 1e3))
        first = growth[0]
        note = f"milliseconds of CPU, by the number of {first.unit}s; both axes are logarithmic"
        drawn[_growth_name(first.case)] = charts.lines(first.title, note, series, OURS)
    return drawn


def readme_numbers(run: Run) -> str:
    """Return a line for the README, or "" if one of its three cases was not measured."""
    facts = []
    results, _ = split(run.results)
    for case, peer, text in (
        ("decode", "zeep", "{} times as much CPU time to decode a list of sales"),
        ("call", "zeep", "{} times as much for a call"),
        ("first-call", "", "{} times as much for the first call of a process"),  # the peer is zeep
    ):
        matches = [result for result in results if result.case == case]
        best = next(
            (result for result in matches if result.reader == COMPILED), matches[0] if matches else None
        )
        if best is None:
            return ""
        times = {row.way: row.cpu for row in net(best)}
        ours, other = times.get(OURS), times.get(peer or best.base)
        if ours is None or other is None:
            return ""
        facts.append(text.format(tables.number(other.median / ours.median)))
    text = f"zeep needs {', '.join(facts[:-1])} and {facts[-1]} ([measurements]({PAGE.as_posix()}))."
    return textwrap.fill(text, 120, break_on_hyphens=False) + "\n"
