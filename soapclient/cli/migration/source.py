"""Source code that is edited at the positions of its syntax nodes, so that the rest keeps its layout."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from soapclient._support.lazy_pattern import LazyPattern

_LINE: Final = LazyPattern(r"[^\n]*\n|[^\n]+")
_COMMENT: Final = LazyPattern(r"#[^\r\n]*")
COMMENT: Final = "# soapclient: "
_WIDTH: Final = 100  # columns; longer calls are written with an argument on each line


@dataclass(frozen=True)
class _Edit:
    start: int
    end: int
    text: str


class Source:
    """Python source code and the edits to it. Raises SyntaxError or ValueError if it cannot be parsed."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tree = ast.parse(text)
        self._lines = _LINE.findall(text)
        self._starts = [0]
        for line in self._lines:
            self._starts.append(self._starts[-1] + len(line))
        self._edits: list[_Edit] = []
        self._deleted: set[ast.AST] = set()
        self._notes: dict[tuple[int, str], str] = {}
        self._parents = {child: node for node in ast.walk(self.tree) for child in ast.iter_child_nodes(node)}
        self._first_lines = {
            node.lineno
            for node in ast.walk(self.tree)
            if isinstance(node, ast.stmt | ast.ExceptHandler) and self._starts_line(node)
        }

    @property
    def notes(self) -> list[str]:
        """The messages that were passed to `note`, each once."""
        return list(dict.fromkeys(message for _, message in self._notes))

    def parents(self, node: ast.AST) -> Iterator[ast.AST]:
        """Yield the nodes that contain a node, innermost first."""
        while node in self._parents:
            node = self._parents[node]
            yield node

    def span(self, node: ast.AST) -> tuple[int, int]:
        """Return where a node starts and ends, as offsets in the text."""
        assert isinstance(node, ast.expr | ast.stmt | ast.keyword | ast.ExceptHandler | ast.alias | ast.arg)
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        return self._offset(node.lineno, node.col_offset), self._offset(node.end_lineno, node.end_col_offset)

    def end_of_value(self, node: ast.Attribute | ast.Subscript) -> int:
        """Return the offset after the expression to which an attribute or an item belongs.

        If this expression is in parentheses, the offset is after them.
        """
        start, end = self.span(node.value)[1], self.span(node)[1]
        text = self.text[start:end]
        # Comments can contain dots and brackets.
        code = _COMMENT.sub(lambda comment: " " * len(comment[0]), text)
        text = text[: code.index("[") if isinstance(node, ast.Subscript) else code.rindex(".")]
        return start + len(text if "#" in text else text.rstrip())

    def edited(self, node: ast.AST) -> str:
        """Return the text of a node with the edits inside it."""
        return self._between(*self.span(node))

    def replace(self, node: ast.AST, text: str) -> None:
        """Replace a node with `text`, and discard earlier edits inside the node."""
        self.replace_between(*self.span(node), text)

    def replace_between(self, start: int, end: int, text: str) -> None:
        """Replace the code between two offsets with `text`, and discard earlier edits between them."""
        self._edits = [edit for edit in self._edits if not (start <= edit.start and edit.end <= end)]
        self._edits.append(_Edit(start, end, text))

    def delete(self, statement: ast.stmt) -> None:
        """Delete a statement, or replace it with `pass` if it is the only one in its block."""
        parent = self._parents[statement]
        blocks = (getattr(parent, name, None) for name in ("body", "orelse", "finalbody"))
        block = next(block for block in blocks if isinstance(block, list) and statement in block)
        end = self.span(statement)[1]
        line, after = self._starts[statement.lineno - 1], self.text.find("\n", end)
        after = len(self.text) if after < 0 else after + 1
        rest = self.text[end:after].strip()
        self._deleted.add(statement)
        if (
            self._deleted.issuperset(block)
            or not self._starts_line(statement)
            or (rest and not rest.startswith("#"))
        ):
            self.replace(statement, "pass")
        else:
            self.replace_between(line, after, "")

    def call(self, node: ast.AST, function: str, arguments: list[str]) -> str:
        """Return the code of a call of `function` with `arguments`, formatted to replace `node`.

        The call is on one line if it fits there. Otherwise, each argument is on a separate line.
        """
        text = f"{function}({', '.join(arguments)})"
        assert isinstance(node, ast.expr)
        if node.col_offset + len(text) <= _WIDTH and "\n" not in text:
            return text
        line = self._lines[node.lineno - 1]
        indent = line[: len(line) - len(line.lstrip())]
        inner = "".join(f"{indent}    {argument},\n" for argument in arguments)
        return f"{function}(\n{inner}{indent})"

    def note(self, node: ast.AST, message: str) -> None:
        """Put `message`, which says what is left to do, as a comment above the statement of `node`."""
        assert isinstance(node, ast.expr | ast.stmt | ast.keyword | ast.ExceptHandler | ast.alias | ast.arg)
        statements = [node, *self.parents(node)]
        first = next(
            (item.lineno for item in statements if isinstance(item, ast.stmt | ast.ExceptHandler)),
            node.lineno,
        )
        number = max((line for line in self._first_lines if line <= first), default=1)
        line = self._lines[number - 1]
        self._notes[number, message] = line[: len(line) - len(line.lstrip())]

    def result(self) -> str:
        """Return the edited source code, with the comments that the migration added."""
        for (number, message), indent in self._notes.items():
            start = self._starts[number - 1]
            self._edits.append(_Edit(start, start, f"{indent}{COMMENT}{message}\n"))
        self._notes = {}
        return self._between(0, len(self.text))

    def _starts_line(self, node: ast.stmt | ast.ExceptHandler) -> bool:
        before = self._lines[node.lineno - 2] if node.lineno > 1 else ""
        line = self._lines[node.lineno - 1].encode()
        return not line[: node.col_offset].strip() and not before.rstrip("\n").endswith("\\")

    def _offset(self, line: int, column: int) -> int:
        """Return the offset of a position in the text. `column` counts bytes of UTF-8."""
        start = self._starts[line - 1]
        text = self._lines[line - 1] if line <= len(self._lines) else ""
        return start + (column if text.isascii() else len(text.encode()[:column].decode()))

    def _between(self, start: int, end: int) -> str:
        parts, position = [], start
        inside = [edit for edit in self._edits if start <= edit.start and edit.end <= end]
        for edit in sorted(inside, key=lambda edit: (edit.start, edit.end)):
            if edit.start >= position:
                parts += [self.text[position : edit.start], edit.text]
                position = edit.end
        return "".join([*parts, self.text[position:end]])
