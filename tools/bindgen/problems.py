"""What is wrong with a contract, and where: all of it at once, never the first thing only."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

_MOST_LINES = 6


@dataclass(frozen=True, slots=True)
class Place:
    """A stretch of a document: its file, the first line (from 1) and the lines themselves."""

    file: str
    line: int
    lines: tuple[str, ...]


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
        quoted = [f"  {at:>5} | {line}" for at, line in enumerate(shown, place.line)]
        if len(place.lines) > len(shown):
            quoted.append(f"        … {len(place.lines) - len(shown)} more")
        return "\n".join([f"{place.file}:{place.line}: {self.message}", *quoted])


class ContractRefused(Exception):
    """A contract that cannot be turned into bindings; `problems` says all the reasons."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        super().__init__("\n\n".join(map(str, problems)))
        self.problems = tuple(problems)
