"""What is wrong with a contract, and where: all of it at once, never the first thing only."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

_MOST_LINES = 6
LONG = 160  # signs; a longer line is quoted in part


@dataclass(frozen=True, slots=True)
class Place:
    """A stretch of a document: its file, the first line (from 1) and the lines themselves.

    `column` (from 0) is where in the first line it begins, as far as that is known.
    """

    file: str
    line: int
    lines: tuple[str, ...]
    column: int = 0


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that cannot be done, with the lines that ask for it."""

    message: str
    place: Place | None = None

    def __str__(self) -> str:
        if self.place is None:
            return self.message
        place = self.place
        shown = place.lines[:_MOST_LINES]
        clipped = [_clipped(line, 0 if at else place.column) for at, line in enumerate(shown)]
        quoted = [f"  {at:>5} | {line}" for at, line in enumerate(clipped, place.line)]
        if len(place.lines) > len(shown):
            quoted.append(f"        … {len(place.lines) - len(shown)} more")
        return "\n".join([f"{place.file}:{place.line}: {self.message}", *quoted])


def _clipped(line: str, column: int) -> str:
    """A line short enough to be read: all of a minified document may be one."""
    if len(line) <= LONG:
        return line
    start = max(0, min(column - LONG // 4, len(line) - LONG))
    end = start + LONG
    return f"{'…' if start else ''}{line[start:end]}{'…' if end < len(line) else ''}"


class ContractRefused(Exception):
    """A contract that cannot be turned into bindings; `problems` says all the reasons."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        super().__init__("\n\n".join(map(str, problems)))
        self.problems = tuple(problems)
