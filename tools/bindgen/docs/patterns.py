"""A text that a pattern of XSD takes (XSD 1.0 part 2, appendix F): the first of each choice, the least of
each repetition. Sets of characters are tried out with a few usual ones; what is beyond that gives None."""

from __future__ import annotations

import re

from bindgen.docs.classes import ESCAPES, Class, everything, members, of_category

_MOST = 400  # signs: a pattern may ask for a million of them
_DEEPEST = 40


def example(pattern: str) -> str | None:
    """A text that `pattern` takes as a whole, or None where no text is found."""
    try:
        parser = _Parser(pattern)
        text = parser.choice(0)
        return text if parser.at == len(pattern) and len(text) <= _MOST else None
    except (_Beyond, IndexError, ValueError):
        return None


class _Beyond(Exception):
    """More than this tries to understand."""


class _Parser:
    """Reads a pattern and gives the example of each part as it goes."""

    def __init__(self, pattern: str) -> None:
        self.pattern = pattern
        self.at = 0

    def peek(self) -> str:
        return self.pattern[self.at : self.at + 1]

    def take(self) -> str:
        sign = self.pattern[self.at]
        self.at += 1
        return sign

    def choice(self, depth: int) -> str:
        if depth > _DEEPEST:
            raise _Beyond
        first = self.branch(depth)
        while self.peek() == "|":
            self.take()
            self.branch(depth)  # read on, for the end of it
        return first

    def branch(self, depth: int) -> str:
        text = ""
        while (sign := self.peek()) and sign not in "|)":
            piece = self.atom(depth)
            least = self.least()
            if len(piece) * least > _MOST:
                raise _Beyond
            text += piece * least
            if len(text) > _MOST:
                raise _Beyond
        return text

    def atom(self, depth: int) -> str:
        sign = self.take()
        if sign == "(":
            inner = self.choice(depth + 1)
            if self.take() != ")":
                raise _Beyond
            return inner
        if sign == "[":
            return self.one_of(self.group(0))
        if sign == ".":
            return "a"
        if sign == "\\":
            return self.one_of(self.escaped())
        if sign in "?*+{}])":
            raise _Beyond
        return sign

    def least(self) -> int:
        """How often at least; once where something may be left out altogether, for an example shows it."""
        sign = self.peek()
        if sign in ("?", "*", "+") and sign:
            self.take()
            return 1
        if sign != "{":
            return 1
        end = self.pattern.index("}", self.at)
        said, self.at = self.pattern[self.at + 1 : end], end + 1
        least, comma, most = said.partition(",")
        if not comma or least != "0":
            return int(least)
        return 0 if most == "0" else 1

    def one_of(self, wanted: Class) -> str:
        found = next((sign for sign in everything() if wanted(sign)), None)
        if found is None:
            raise _Beyond
        return found

    def escaped(self) -> Class:
        sign = self.take()
        if sign in "pP":
            matched = re.compile(r"\{([A-Za-z0-9-]+)\}").match(self.pattern, self.at)
            if matched is None:
                raise _Beyond
            self.at = matched.end()
            return of_category(matched[1], negated=sign == "P")
        return ESCAPES.get(sign) or members(sign)

    def group(self, depth: int) -> Class:
        """What stands between brackets, after the opening one: ranges, escapes, and what is taken away."""
        if depth > _DEEPEST:
            raise _Beyond
        negated = self.peek() == "^"
        if negated:
            self.take()
        found: list[Class] = []
        without: Class | None = None
        while (sign := self.take()) != "]":
            if sign == "-" and self.peek() == "[":
                self.take()
                without = self.group(depth + 1)
                continue
            if sign == "\\" and self.peek() in (*ESCAPES, "p", "P") and self.peek() not in "nrt":
                found.append(self.escaped())
                continue
            start = self._literal(sign)
            if self.peek() == "-" and self.pattern[self.at + 1] not in "[]":
                self.take()
                found.append(_between(start, self._literal(self.take())))
            else:
                found.append(members(start))
        return _combined(found, negated, without)

    def _literal(self, sign: str) -> str:
        if sign != "\\":
            return sign
        escaped = self.take()
        return {"n": "\n", "r": "\r", "t": "\t"}.get(escaped, escaped)


def _between(first: str, last: str) -> Class:
    return lambda sign: first <= sign <= last


def _combined(found: list[Class], negated: bool, without: Class | None) -> Class:
    def inside(sign: str) -> bool:
        taken = any(one(sign) for one in found) != negated
        return taken and not (without is not None and without(sign))

    return inside
