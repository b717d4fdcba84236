"""The problems of a contract and their places. All problems are reported at once."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

_MOST_LINES = 6
_MOST_ALIKE, _SHOWN_ALIKE, _MOST_PLACES = 3, 2, 20
# The parts in which similar messages differ: quoted strings, qualified names, numbers.
_NAMES = re.compile(r"'[^']*'|\{[^}\s]*\}[\w.-]*|\b\d+\b")
LONG = 160  # characters; only a part of a longer line is quoted


class Place(NamedTuple):
    """Lines of a document: its file, the first line number (from 1), and the lines.

    `column` (from 0) is the start of the place in the first line, or 0 if it is unknown.
    """

    file: str
    line: int
    lines: tuple[str, ...]
    column: int = 0


@dataclass(frozen=True, slots=True)
class Problem:
    """A problem with a contract or its settings. `place` are the lines of the document that cause it.

    - `setting`: the path (in the contract's table) of the setting that causes it; "" if no setting does.
    - `paste`: proposed lines for the settings file.
    - `unplaced`: the elements of a request that the REST table does not place in path, query or body.
    - `removable`: True if removing the setting solves the problem.
    """

    message: str
    place: Place | None = None
    setting: str = ""
    paste: tuple[str, ...] = ()
    unplaced: tuple[str, ...] = ()
    removable: bool = False

    def __str__(self) -> str:
        return "\n".join([self._with_place(), *(f"    {line}" for line in self.paste)])

    def _with_place(self) -> str:
        """Return the message with its place and the lines of the document."""
        if self.place is None:
            return self.message
        place = self.place
        shown = place.lines[:_MOST_LINES]
        clipped = [_clip(line, 0 if number else place.column) for number, line in enumerate(shown)]
        quoted = [f"  {number:>5} | {line}" for number, line in enumerate(clipped, place.line)]
        if len(place.lines) > len(shown):
            quoted.append(f"        … {len(place.lines) - len(shown)} more")
        return "\n".join([f"{place.file}:{place.line}: {self.message}", *quoted])


def _clip(line: str, column: int) -> str:
    """Return a part of a long line around a column, because minified documents may be a single line."""
    if len(line) <= LONG:
        return line
    start = max(0, min(column - LONG // 4, len(line) - LONG))
    end = start + LONG
    return f"{'…' if start else ''}{line[start:end]}{'…' if end < len(line) else ''}"


def in_words(problems: Sequence[Problem]) -> str:
    """Return a text that describes all problems.

    Problems that differ only in names mostly have the same cause. Of several such problems, only the first
    ones are shown completely; for the others, only the places are listed.
    """
    groups: dict[str, list[Problem]] = {}
    for problem in problems:
        key = problem.message if problem.place is None else _NAMES.sub("…", problem.message)
        groups.setdefault(key, []).append(problem)
    pieces: list[str] = []
    for group in groups.values():
        shown = group if len(group) <= _MOST_ALIKE else group[:_SHOWN_ALIKE]
        pieces += map(str, shown)
        if rest := group[len(shown) :]:
            pieces.append(f"… {len(rest)} more of this kind{_places(rest)}")
    return "\n\n".join(pieces)


def _places(problems: Sequence[Problem]) -> str:
    """Return the files and lines of problems as text, such as `, at service.wsdl:12, 40`."""
    lines: dict[str, dict[int, None]] = {}
    for problem in problems:
        if problem.place is not None:
            lines.setdefault(problem.place.file, {})[problem.place.line] = None
    places = []
    for file, numbers in lines.items():
        shown = ", ".join(map(str, list(numbers)[:_MOST_PLACES]))
        places.append(f"{file}:{shown}{', …' if len(numbers) > _MOST_PLACES else ''}")
    return f", at {'; '.join(places)}" if places else ""


class ContractRefused(Exception):
    """Raised if a contract cannot be converted to bindings. `problems` are the reasons."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        super().__init__(in_words(problems))
        self.problems = tuple(problems)
