"""Writing Python text: lines with indentation, broken at their brackets, as the usual formatters do, where
they are too long; literals and docstrings that no contract can break out of."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable

WIDTH = 110


class Lines:
    """Lines of Python, indented by `with lines.block(...)`."""

    def __init__(self) -> None:
        self._lines: list[str] = []
        self._indent = ""

    def __call__(self, *lines: str) -> None:
        """Add lines of code, broken where they are too long; an empty one is a blank line."""
        indent, written = self._indent, self._lines
        for line in lines:
            whole = indent + line if line else ""
            if len(whole) <= WIDTH:
                written.append(whole)
            else:
                written += fold(whole, WIDTH)

    def _plain(self, *lines: str) -> None:
        self._lines += [self._indent + line if line else "" for line in lines]

    def extend(self, other: Lines) -> None:
        """Add the lines of others as they are."""
        self._lines += other._lines

    def fits(self, line: str) -> bool:
        """Whether a line needs no breaking here."""
        return len(self._indent) + len(line) <= WIDTH

    def block(self, head: str, tail: str = "") -> _Block:
        """Add `head`, indent what follows, and close with `tail`."""
        self(head)
        return _Block(self, tail)

    def inside(self) -> _Block:
        """Indent what follows."""
        return _Block(self, "")

    def doc(self, *paragraphs: str) -> None:
        """Add a docstring, wrapped."""
        width = WIDTH - len(self._indent) - 6
        texts = [_wrapped(harmless(text), width) for text in paragraphs if text]
        if len(texts) == 1 and len(texts[0]) == 1:
            self._plain(f'"""{texts[0][0]}"""')
            return
        self._plain(f'"""{texts[0][0]}', *texts[0][1:])
        for text in texts[1:]:
            self._plain("", *text)
        self._plain('"""')

    def text(self) -> str:
        """Everything, with a newline at the end."""
        return "\n".join(self._lines) + "\n"


class _Block:
    """Lines that are indented; there are many of them."""

    __slots__ = ("_lines", "_outer", "_tail")

    def __init__(self, lines: Lines, tail: str) -> None:
        self._lines = lines
        self._outer = lines._indent
        self._tail = tail

    def __enter__(self) -> None:
        self._lines._indent = f"{self._outer}    "

    def __exit__(self, *raised: object) -> None:
        self._lines._indent = self._outer
        if self._tail:
            self._lines(self._tail)


def _wrapped(text: str, width: int) -> list[str]:
    """A paragraph's lines. Most are one line, which needs no library."""
    fits = len(text) <= width and text == text.strip() != ""
    return [text] if fits else textwrap.wrap(text, width)


def literal(text: str) -> str:
    """A str as a Python literal, in double quotes where nothing needs escaping."""
    return f'"{text}"' if text.isprintable() and '"' not in text and "\\" not in text else repr(text)


def imported(where: str, names: Iterable[str]) -> list[str]:
    """An import of sorted names, on one line where they fit; nothing for no names."""
    ordered = sorted(set(names), key=_import_order)
    if not ordered:
        return []
    one_line = f"from {where} import {', '.join(ordered)}"
    if len(one_line) <= WIDTH:
        return [one_line]
    return [f"from {where} import (", *(f"    {name}," for name in ordered), ")"]


def _import_order(name: str) -> tuple[int, str, str]:
    """Constants, classes, functions, as the formatter orders them."""
    kind = 0 if name.isupper() else 1 if name[:1].isupper() else 2
    return kind, name.casefold(), name


def harmless(text: str) -> str:
    """A text that cannot leave a comment or a docstring."""
    printable = text if text.isprintable() else "".join(c if c.isprintable() else " " for c in text)
    return printable.replace("\\", "/").replace('"', "'")


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
