"""What is wrong with a contract, and where: all of it at once, never the first thing only."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

_MOST_LINES = 6
_MOST_ALIKE, _SHOWN_ALIKE, _MOST_PLACES = 3, 2, 20
# What sets messages of one kind apart: quoted texts, qualified names, numbers.
_NAMES = re.compile(r"'[^']*'|\{[^}\s]*\}[\w.-]*|\b\d+\b")
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
    """One thing that cannot be done, with the lines that ask for it.

    `setting` is the setting at fault, by its path in the contract's table; `paste` are lines for its file.
    `unplaced` are the elements that the problem is about, if it is that no setting names them.
    """

    message: str
    place: Place | None = None
    setting: str = ""
    paste: tuple[str, ...] = ()
    unplaced: tuple[str, ...] = ()

    def __str__(self) -> str:
        return "\n".join([self._located(), *(f"    {line}" for line in self.paste)])

    def _located(self) -> str:
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


def in_words(problems: Sequence[Problem]) -> str:
    """All problems as people read them. Of many that differ in names alone, and so mostly have one cause, the
    first are shown, and where the others are."""
    alike: dict[str, list[Problem]] = {}
    for problem in problems:
        kind = problem.message if problem.place is None else _NAMES.sub("…", problem.message)
        alike.setdefault(kind, []).append(problem)
    pieces: list[str] = []
    for several in alike.values():
        shown = several if len(several) <= _MOST_ALIKE else several[:_SHOWN_ALIKE]
        pieces += map(str, shown)
        if rest := several[len(shown) :]:
            pieces.append(f"… {len(rest)} more of this kind{_places(rest)}")
    return "\n\n".join(pieces)


def _places(problems: Sequence[Problem]) -> str:
    lines: dict[str, dict[int, None]] = {}
    for problem in problems:
        if problem.place is not None:
            lines.setdefault(problem.place.file, {})[problem.place.line] = None
    said = []
    for file, numbers in lines.items():
        shown = ", ".join(map(str, list(numbers)[:_MOST_PLACES]))
        said.append(f"{file}:{shown}{', …' if len(numbers) > _MOST_PLACES else ''}")
    return f", at {'; '.join(said)}" if said else ""


class ContractRefused(Exception):
    """A contract that cannot be turned into bindings; `problems` says all the reasons."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        super().__init__(in_words(problems))
        self.problems = tuple(problems)
