"""Write Python text: indented lines, folded at brackets like a formatter does, and safe literals.

Text of a contract cannot break out of a literal, a docstring or a comment.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable

WIDTH = 110


class Lines:
    """Lines of Python code, indented with `with lines.block(...)`."""

    def __init__(self) -> None:
        self._lines: list[str] = []
        self._indent = ""

    def __call__(self, *lines: str) -> None:
        """Add lines of code; "" is a blank line. Lines that are too long are folded."""
        indent, written = self._indent, self._lines
        for line in lines:
            indented = indent + line if line else ""
            if len(indented) <= WIDTH:
                written.append(indented)
            else:
                written += fold(indented, WIDTH)

    def _append(self, *lines: str) -> None:
        self._lines += [self._indent + line if line else "" for line in lines]

    def extend(self, other: Lines) -> None:
        """Add all lines of another object unchanged."""
        self._lines += other._lines

    def fits(self, line: str) -> bool:
        """Return True if a line with the current indentation is not longer than `WIDTH` characters."""
        return len(self._indent) + len(line) <= WIDTH

    def block(self, head: str, tail: str = "") -> _Block:
        """Add the line `head`, and return a context manager for the indented lines below it.

        The context manager adds `tail` at its end.
        """
        self(head)
        return _Block(self, tail)

    def inside(self) -> _Block:
        """Return a context manager that indents the lines added inside it."""
        return _Block(self, "")

    def doc(self, *paragraphs: str) -> None:
        """Add a docstring with wrapped paragraphs."""
        width = WIDTH - len(self._indent) - 6
        texts = [_wrap(harmless(text), width) for text in paragraphs if text]
        if len(texts) == 1 and len(texts[0]) == 1:
            self._append(f'"""{texts[0][0]}"""')
            return
        self._append(f'"""{texts[0][0]}', *texts[0][1:])
        for text in texts[1:]:
            self._append("", *text)
        self._append('"""')

    def text(self) -> str:
        """Return all lines, with a newline at the end."""
        return "\n".join(self._lines) + "\n"


class _Block:
    """Context manager that indents lines. Has slots, because many are created."""

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


def _wrap(text: str, width: int) -> list[str]:
    """Return the lines of a paragraph.

    Most paragraphs are one line, and do not need the slower `textwrap`.
    """
    fits = len(text) <= width and text == text.strip() != ""
    return [text] if fits else textwrap.wrap(text, width)


def literal(text: str) -> str:
    """Return a string as a Python literal, in double quotes if no character needs escaping."""
    return f'"{text}"' if text.isprintable() and '"' not in text and "\\" not in text else repr(text)


def imported(where: str, names: Iterable[str]) -> list[str]:
    """Return the lines that import `names` from the module `where`; an empty list if there are no names."""
    ordered = sorted(set(names), key=_import_order)
    if not ordered:
        return []
    one_line = f"from {where} import {', '.join(ordered)}"
    if len(one_line) <= WIDTH:
        return [one_line]
    return [f"from {where} import (", *(f"    {name}," for name in ordered), ")"]


def _import_order(name: str) -> tuple[int, str, str]:
    """Return the sort key for an imported name, so that constants come first, then classes, then functions.

    The formatter (ruff) uses the same order.
    """
    kind = 0 if name.isupper() else 1 if name[:1].isupper() else 2
    return kind, name.casefold(), name


def harmless(text: str) -> str:
    """Return a version of a text that cannot break out of a comment or a docstring."""
    printable = text if text.isprintable() else "".join(c if c.isprintable() else " " for c in text)
    return printable.replace("\\", "/").replace('"', "'")


_OPENING, _CLOSING = "([{", ")]}"
_UNFINISHED = re.compile(r"\blambda\b[^:]*$").search  # commas between parameters do not separate items


def fold(line: str, width: int) -> list[str]:
    """Split a line at its brackets into lines of at most `width`, if possible.

    Splits at the last pair of outer brackets. If their content fits on one line, it is written on one line.
    Otherwise, each item has its own line. Outside of a `def`, several items in square or curly brackets
    always have their own lines.
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
        body = body.rstrip(",")  # the comma of a tuple with one item is kept
    definition = line.lstrip().startswith("def ")
    if len(deeper + body) <= width and (len(items) == 1 or definition or line[start] == "("):
        return [head, deeper + body, indent + tail]
    comma = "" if len(items) == 1 and _is_index(line, start) else ","
    folded = [piece for item in items for piece in fold(f"{deeper}{item}{comma}", width)]
    return [head, *folded, indent + tail]


def _bracket(line: str) -> tuple[int, int] | None:
    """Return the positions of the last pair of brackets that has content and is not inside other brackets.

    Returns None if there is no such pair.
    """
    span = None
    opened: list[int] = []
    for position, character in _punctuation(line):
        if character in _OPENING:
            opened.append(position)
        elif character in _CLOSING:
            start = opened.pop()
            if not opened and start + 1 < position:
                span = (start, position)
    return span


def _is_tuple(line: str, start: int, body: str) -> bool:
    return line[start] == "(" and not _follows_a_value(line, start) and body.endswith(",")


def _is_index(line: str, start: int) -> bool:
    return line[start] == "[" and _follows_a_value(line, start)


def _follows_a_value(line: str, start: int) -> bool:
    """Return True if the bracket at `start` follows a value, so that it is a call or an index."""
    before = line[start - 1 : start]
    return before.isidentifier() or before.isdigit() or before in (")", "]")


def _items(body: str) -> list[str]:
    """Return the items of a bracket's content, split at its top-level commas."""
    items, depth, begin = [], 0, 0
    for position, character in _punctuation(body):
        if character in _OPENING:
            depth += 1
        elif character in _CLOSING:
            depth -= 1
        elif character == "," and depth == 0:
            items.append(body[begin:position].strip())
            begin = position + 1
    merged: list[str] = []
    for item in (*items, body[begin:].strip()):
        if merged and _UNFINISHED(merged[-1]):
            merged[-1] += f", {item}"
        elif item:
            merged.append(item)
    return merged


def _punctuation(text: str) -> list[tuple[int, str]]:
    """Return the brackets and commas outside of string literals, as (position, character)."""
    signs: list[tuple[int, str]] = []
    quote = ""
    position = 0
    while position < len(text):
        character = text[position]
        if quote:
            if character == "\\":
                position += 1
            elif character == quote:
                quote = ""
        elif character in "\"'":
            quote = character
        elif character in _OPENING + _CLOSING + ",":
            signs.append((position, character))
        position += 1
    return signs
