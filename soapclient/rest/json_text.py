"""What is wrong with a text that should be JSON, and where."""

from __future__ import annotations

import re
from itertools import accumulate

DEEPEST = 100

_STRING = re.compile(r'"(?:[^"\\]++|\\.)*+"', re.DOTALL)
_NO_BRACKET = re.compile(r"[^\[\]{}]+")
_STEP = {"[": 1, "{": 1, "]": -1, "}": -1}


class BrokenJson(ValueError):
    """A document that is no JSON, or that cannot be a response.

    `problem` says what is wrong; `line` and `column` (counted from 1) where, None where a path is in
    `problem`.
    """

    def __init__(self, problem: str, line: int | None = None, column: int | None = None) -> None:
        super().__init__(problem, line, column)
        self.problem = problem
        self.line = line
        self.column = column

    def __str__(self) -> str:
        return (
            self.problem if self.line is None else f"{self.problem} (line {self.line}, column {self.column})"
        )


def place_of(text: str, at: int) -> tuple[int, int]:
    """Line and column of an index of a text."""
    return text.count("\n", 0, at) + 1, at - text.rfind("\n", 0, at)


def check_depth(text: str) -> None:
    """Raise BrokenJson for objects and arrays in each other more than `DEEPEST` deep.

    The parser of the standard library recurses: how deep it gets depends on the caller's stack, this not.
    """
    if text.count("[") + text.count("{") <= DEEPEST:
        return
    brackets = _NO_BRACKET.sub("", _STRING.sub("", text))
    if max(accumulate(map(_STEP.__getitem__, brackets)), default=0) > DEEPEST:
        raise BrokenJson(f"it is nested more than {DEEPEST} deep", *_where_too_deep(text))


def _where_too_deep(text: str) -> tuple[int, int]:
    depth = 0
    for match in re.finditer(r'"(?:[^"\\]++|\\.)*+"|[\[\]{}]', text, re.DOTALL):
        depth += _STEP.get(match[0], 0)
        if depth > DEEPEST:
            return place_of(text, match.start())
    return 1, 1
