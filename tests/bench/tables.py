"""Markdown tables of results."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from tests.bench.results import OURS, Result, Spread, named, net, ratios

NONE: Final = "-"


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a Markdown table. Bars in cells are escaped."""
    lines = [head, ["---"] * len(head), *rows]
    return "".join(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in line)} |\n" for line in lines)


def number(value: float | None) -> str:
    """Return a number with three significant digits."""
    if value is None:
        return NONE
    if value and abs(value) < 1:
        return f"{value:.3g}"
    return f"{value:,.{2 if abs(value) < 10 else 1 if abs(value) < 100 else 0}f}"


def time_text(spread: Spread | None) -> str:
    """Return a median and quartiles in milliseconds."""
    if spread is None:
        return NONE
    if spread.rounds == 1:
        return f"{number(spread.median * 1e3)} (one round)"
    low, high = number(spread.low * 1e3), number(spread.high * 1e3)
    return f"{number(spread.median * 1e3)} ({low} to {high})"


def by_case(results: Iterable[Result]) -> dict[tuple[str, int], list[Result]]:
    """Return the results of each case and size: of one reader, or of both."""
    groups: dict[tuple[str, int], list[Result]] = {}
    for result in results:
        groups.setdefault((result.case, result.size), []).append(result)
    return groups


def size_text(size: int, unit: str) -> str:
    """Return a size with its unit, such as `10,000 sales`."""
    return f"{size:,} {unit}{'' if size == 1 else 's'}"


def case_table(group: Sequence[Result]) -> str:
    """Return the section of a case: its title, the base, and a table of all ways.

    `group` has the results of one reader or of both. If there are both, each row of soapclient names the
    reader, and the rows of the others are from the first result.
    """
    first = group[0]
    rows = named(group)
    with_memory = any(row.memory is not None for _, _, row in rows)
    head = ["Way", "CPU, ratio", "CPU, ms", "Instructions, ratio", f"Instructions per {first.unit}"]
    lines = []
    for name, result, row in rows:
        times, counts = ratios(result)[row.way]
        each = None if row.instructions is None else row.instructions / result.counted_size
        cells = [name, number(times), time_text(row.cpu), number(counts), _thousands(each)]
        lines.append([*cells, number(row.memory)] if with_memory else cells)
    title = f"### `{first.case}`: {first.title}\n\n"
    text = f"{size_text(first.size, first.unit)}. Ratios to the {first.base_is} `{first.base}`."
    if first.counted_size and first.counted_size != first.size:
        text += f" Instructions: {size_text(first.counted_size, first.unit)}."
    if first.date:
        text += f" Measured on {first.date}."
    if first.idle:
        text += f" The costs of {first.idle} are subtracted."
    absent = "".join(f" Without {way}: {reason}." for way, reason in first.missing.items())
    return f"{title}{text}{absent}\n\n" + table([*head, "Memory, MB"] if with_memory else head, lines)


def _thousands(value: float | None) -> str:
    if value is None:
        return NONE
    return f"{value / 1e6:,.1f} million" if value >= 1e6 else f"{value / 1e3:,.1f} thousand"


def growth_table(results: Sequence[Result]) -> str:
    """Return a table of one case at several sizes: microseconds of CPU per unit, for each way."""
    first = results[0]
    each: dict[int, dict[str, str]] = {}
    for name, result, row in named(results):
        cpu = None if row.cpu is None else row.cpu.median / result.size * 1e6
        each.setdefault(result.size, {})[name] = number(cpu)
    ways = list(dict.fromkeys(name for cells in each.values() for name in cells))
    lines = [[f"{size:,}", *(cells.get(way, NONE) for way in ways)] for size, cells in sorted(each.items())]
    title = f"### `{first.case}` at several sizes\n\n{first.title}: CPU in microseconds per {first.unit}.\n\n"
    return title + table([f"{first.unit}s", *ways], lines)


def summary(results: Sequence[Result]) -> str:
    """Return one table of all cases: the ratios of soapclient to the base of each case."""
    lines = []
    for group in by_case(results).values():
        for result in group:
            for row in net(result):
                if row.way != OURS:
                    continue
                times, counts = ratios(result)[row.way]
                reader = result.reader if result.reads else NONE
                what = f"{result.title}, {size_text(result.size, result.unit)}"
                base = f"{result.base} ({result.base_is})"
                lines.append([f"`{result.case}`", what, base, reader, number(times), number(counts)])
    head = ["Case", "Work", "Compared with", "Reader", "CPU, ratio", "Instructions, ratio"]
    return table(head, lines)
