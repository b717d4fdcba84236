"""Writing Python text: lines with indentation, literals and docstrings that no contract can break out of."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable

from bindgen.emit.layout import fold

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

    @property
    def empty(self) -> bool:
        """Whether there is no line yet."""
        return not self._lines

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
