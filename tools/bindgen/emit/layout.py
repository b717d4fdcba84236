"""Breaks a long line of Python at its brackets, as the usual formatters do."""

from __future__ import annotations

import re

_OPEN, _CLOSE = "([{", ")]}"
_UNFINISHED = re.compile(r"\blambda\b[^:]*$").search  # its parameters are no items


def fold(line: str, width: int) -> list[str]:
    """`line` as lines of at most `width` where brackets allow it.

    What stands in the first bracket that closes near the line's end goes on a line of its own, or, if that is
    too long still, each item of it does.
    """
    if len(line) <= width or line.lstrip().startswith(("#", '"""')):
        return [line]
    indent = line[: len(line) - len(line.lstrip())]
    span = _bracket(line)
    if span is None:
        return [line]
    start, end = span
    head, body, tail = line[: start + 1], line[start + 1 : end].strip(), line[end:]
    deeper = indent + "    "
    items = _items(body)
    if len(items) > 1 or not _is_tuple(line, start, body):
        body = body.rstrip(",")  # what makes a tuple of one item stays
    definition = line.lstrip().startswith("def ")
    if len(deeper + body) <= width and (len(items) == 1 or definition or line[start] == "("):
        return [head, deeper + body, indent + tail]
    comma = "" if len(items) == 1 and _is_index(line, start) else ","
    folded = [piece for item in items for piece in fold(f"{deeper}{item}{comma}", width)]
    return [head, *folded, indent + tail]


def _bracket(line: str) -> tuple[int, int] | None:
    """The first bracket of depth 0, right of any assignment, whose end leaves room for no other one."""
    found = None
    opened: list[int] = []
    for at, sign in _signs(line):
        if sign in _OPEN:
            opened.append(at)
        elif sign in _CLOSE:
            start = opened.pop()
            if not opened and start + 1 < at:
                found = (start, at)
    return found


def _is_tuple(line: str, start: int, body: str) -> bool:
    return line[start] == "(" and not _follows_a_value(line, start) and body.endswith(",")


def _is_index(line: str, start: int) -> bool:
    return line[start] == "[" and _follows_a_value(line, start)


def _follows_a_value(line: str, start: int) -> bool:
    """Whether a bracket calls or indexes what stands before it."""
    before = line[start - 1 : start]
    return before.isidentifier() or before.isdigit() or before in (")", "]")


def _items(body: str) -> list[str]:
    """The items of a bracket, cut at its own commas."""
    items, depth, begin = [], 0, 0
    for at, sign in _signs(body):
        if sign in _OPEN:
            depth += 1
        elif sign in _CLOSE:
            depth -= 1
        elif sign == "," and depth == 0:
            items.append(body[begin:at].strip())
            begin = at + 1
    whole: list[str] = []
    for item in (*items, body[begin:].strip()):
        if whole and _UNFINISHED(whole[-1]):
            whole[-1] += f", {item}"
        elif item:
            whole.append(item)
    return whole


def _signs(text: str) -> list[tuple[int, str]]:
    """Brackets and commas that stand outside of string literals."""
    signs: list[tuple[int, str]] = []
    quote = ""
    at = 0
    while at < len(text):
        sign = text[at]
        if quote:
            if sign == "\\":
                at += 1
            elif sign == quote:
                quote = ""
        elif sign in "\"'":
            quote = sign
        elif sign in _OPEN + _CLOSE + ",":
            signs.append((at, sign))
        at += 1
    return signs
