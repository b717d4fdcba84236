"""Edit a TOML file as text, so that everything else in the file stays the same to the byte.

The text must be valid TOML, because callers have parsed it before.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass, field

Path = tuple[str | int, ...]
_BLANK = " \t"
_SPACE = " \t\r\n"
_BARE = re.compile(r"[A-Za-z0-9_-]+")
_STRING = re.compile(
    r'"""(?:[^\\]|\\.)*?"{3,5}(?!")|\'\'\'.*?\'{3,5}(?!\')|"(?:[^"\\\n]|\\.)*"|\'[^\'\n]*\'', re.DOTALL
)
_SCALAR = re.compile(r"[^,\]}#\r\n]+")
MARK = "[A] proposed"


@dataclass(frozen=True, slots=True)
class Span:
    """A range of characters in the text."""

    start: int
    end: int


@dataclass(slots=True)
class Entry:
    """A key with its value, or an item of an array. An item has no `keys`.

    - `path`: the complete path from the root of the document.
    - `keys`: the spans of the parts of the key, as written before the `=`. In `[a]` with `b.c = 1`, these are
      `b` and `c`, while the path also has `a`.
    - `inline`: True if the entry is in an inline table.
    """

    path: Path
    keys: list[Span]
    value: Span
    inline: bool = False


@dataclass(slots=True)
class Header:
    """The header line of a table: its path, the span of each part of it, and the span from `[` to `]`."""

    path: Path
    keys: list[Span]
    span: Span
    entries: list[Entry] = field(default_factory=list)


def quoted(text: str) -> str:
    """Return a string as a TOML value, with quotes."""
    return json.dumps(text, ensure_ascii=False)


def key(text: str) -> str:
    """Return a name as a TOML key, with quotes if they are needed."""
    return text if _BARE.fullmatch(text) else quoted(text)


def dotted(path: Path) -> str:
    """Return a path as a dotted key."""
    return ".".join(key(str(part)) for part in path)


class TomlText:
    """A TOML document as text, with the spans of its keys and values.

    `replace`, `add`, `rename` and `remove` record edits. `edited` returns the text with all of them, each
    marked by a comment.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.headers: list[Header] = [Header((), [], Span(0, 0))]
        self.entries: dict[Path, Entry] = {}
        self._comments: dict[int, int] = {}  # end of a line -> start of its comment
        self._at = 0
        self._read()
        self._edits: dict[Span, str] = {}
        self._marks: dict[int, list[str]] = {}  # end of a line -> notes to add there
        self._removed: dict[Path, dict[int, str]] = {}  # array on one line -> items to remove, and why
        self._added: dict[int, list[str]] = {}  # end of a line -> lines to add after it
        self._lines: dict[int, str] = {}  # start of a line to comment out -> note

    def has(self, path: Path) -> bool:
        """Return True if the document has a value or a table at a path."""
        items: list[Header | Entry] = [*self.headers, *self.entries.values()]
        return any(item.path[: len(path)] == path for item in items)

    # ---- edits

    def replace(self, path: Path, new: str) -> None:
        """Replace the value at a path by a string."""
        entry = self.entries[path]
        self._change(entry.value, quoted(new))

    def replace_list(self, path: Path, items: Iterable[str]) -> None:
        """Replace the array at a path by an array of strings."""
        self._change(self.entries[path].value, f"[{', '.join(map(quoted, items))}]")

    def add(self, path: Path, new: str) -> None:
        """Add a key with a string value at the end of its table. Does nothing if there is no such table."""
        for header in self.headers:
            if header.path == path[:-1]:
                last = header.entries[-1].value.end if header.entries else header.span.end
                line = f"{key(str(path[-1]))} = {quoted(new)} # {MARK}"
                self._added.setdefault(self._line_end(last), []).append(line)
                return

    def rename(self, path: Path, new: str) -> None:
        """Rename the key at a path everywhere in the document.

        The key is renamed before values, inside dotted keys, and in table headers.
        """
        position = len(path) - 1
        holders: list[Header | Entry] = [*self.headers, *self.entries.values()]
        for full, keys in [(holder.path, holder.keys) for holder in holders]:
            index = position - (len(full) - len(keys))
            if full[: len(path)] == path and 0 <= index < len(keys):
                self._change(keys[index], key(new))

    def remove(self, path: Path, why: str) -> None:
        """Remove an item of an array, a key with its value, or a table with everything below it.

        The removed lines are commented out, with the reason `why`. If an item shares its line with other
        items, only the item is cut out.
        """
        entry = self.entries.get(path)
        if entry is None:
            for header in self.headers:
                is_inside = header.path[: len(path)] == path
                if is_inside:
                    self._comment_out(header.span, why)
                for inner in header.entries:
                    if is_inside or inner.path[: len(path)] == path:
                        span = Span(inner.keys[0].start, inner.value.end)
                        self._comment_out(span, "" if is_inside else why)
        elif not entry.keys or entry.inline:
            self._remove_item(entry, why)
        else:
            self._comment_out(Span(entry.keys[0].start, entry.value.end), why)

    def edited(self) -> str:
        """Return the text of the document with all recorded edits applied."""
        for path, items in self._removed.items():
            self._rewrite_array(path, items)
        pieces = [(span.start, span.end, new) for span, new in self._edits.items()]
        for end, notes in self._marks.items():
            if self._line_start(end) not in self._lines:
                position = self._comments.get(end, end)
                blank = "" if self.text[position - 1 : position] in ("", " ", "\t", "\n") else " "
                note = f"{blank}# {MARK}: {'; '.join(dict.fromkeys(notes))}"
                pieces.append((position, position, note + (" " if position < end else "")))
        for start, why in self._lines.items():
            indent = self._indent(start)
            pieces.append((indent, indent, "# "))
            end = self._line_end(start)
            if why:
                pieces.append((end, end, f" # {MARK}: {why}"))
        text = self.text
        for end, lines in self._added.items():
            newline = "\r\n" if text.startswith("\r\n", end) else "\n"
            pieces.append((end, end, "".join(f"{newline}{line}" for line in lines)))
        # A line is added after the notes of the line before it.
        in_order = sorted(
            pieces, key=lambda piece: (piece[:2], piece[2].startswith(("\r", "\n"))), reverse=True
        )
        for start, end, new in in_order:
            text = text[:start] + new + text[end:]
        return text

    def _change(self, span: Span, new: str) -> None:
        if span not in self._edits:
            self._edits[span] = new
            self._note(span.end, f"it was {' '.join(self.text[span.start : span.end].split())}")

    def _note(self, position: int, note: str) -> None:
        self._marks.setdefault(self._line_end(position), []).append(note)

    def _comment_out(self, span: Span, why: str) -> None:
        """Comment out all lines of a span. The first line also gets the note `why`."""
        start = self._line_start(span.start)
        while True:
            self._lines.setdefault(start, why)
            start, why = self.text.find("\n", start) + 1, ""
            if not 0 < start < span.end:
                return

    def _remove_item(self, entry: Entry, why: str) -> None:
        """Remove an item from an array or an inline table.

        If the item has its own line, the line is commented out with the reason `why`.
        """
        start = entry.keys[0].start if entry.keys else entry.value.start
        line, end = self._line_start(start), self._line_end(entry.value.end)
        before = self.text[line:start].strip(_BLANK)
        after = self.text[entry.value.end : self._comments.get(end, end)].strip(_SPACE)
        if not entry.keys and not before and after in ("", ","):
            self._comment_out(Span(start, entry.value.end), why)
            return
        self._removed.setdefault(entry.path[:-1], {})[start] = why

    def _rewrite_array(self, path: Path, removed: dict[int, str]) -> None:
        """Rewrite the array or inline table at a path without the items in `removed`.

        `removed` maps the start position of each removed item to the reason.
        """
        entry = self.entries[path]
        remaining = []
        for inner in self.entries.values():
            if inner.path[:-1] == path:
                start = inner.keys[0].start if inner.keys else inner.value.start
                if start not in removed:
                    remaining.append(self._with_edits(Span(start, inner.value.end)))
        opening, closing = self.text[entry.value.start], self.text[entry.value.end - 1]
        inner_text = ", ".join(remaining)
        if opening == "{" and remaining:
            inner_text = f" {inner_text} "
        self._edits = {
            span: new
            for span, new in self._edits.items()
            if not (entry.value.start <= span.start and span.end <= entry.value.end)
        }
        self._edits[entry.value] = f"{opening}{inner_text}{closing}"
        for why in dict.fromkeys(removed.values()):
            self._note(entry.value.end, why)

    def _with_edits(self, span: Span) -> str:
        """Return the text of a span with the edits inside it applied."""
        text = self.text[span.start : span.end]
        inside = [edit for edit in self._edits if span.start <= edit.start and edit.end <= span.end]
        for edit in sorted(inside, key=lambda item: item.start, reverse=True):
            start, end = edit.start - span.start, edit.end - span.start
            text = text[:start] + self._edits[edit] + text[end:]
        return text

    def _line_start(self, position: int) -> int:
        return self.text.rfind("\n", 0, position) + 1

    def _line_end(self, position: int) -> int:
        end = self.text.find("\n", position)
        end = len(self.text) if end < 0 else end
        return end - 1 if end and self.text[end - 1 : end] == "\r" else end

    def _indent(self, start: int) -> int:
        while self.text[start : start + 1] in (" ", "\t"):
            start += 1
        return start

    # ---- reading

    def _read(self) -> None:
        """Parse the document, and record its headers and entries."""
        while True:
            self._skip(_SPACE)
            if self._at >= len(self.text):
                return
            if self.text[self._at] == "[":
                self._header()
            else:
                header = self.headers[-1]
                header.entries.append(self._pair(header.path, inline=False))

    def _header(self) -> None:
        """Parse the header of a table, and add it to the headers of the document."""
        start = self._at
        brackets = 2 if self.text.startswith("[[", self._at) else 1
        self._at += brackets
        parts, keys = self._key()
        self._at = self.text.index("]", self._at) + brackets
        self.headers.append(Header(tuple(parts), keys, Span(start, self._at)))

    def _key(self) -> tuple[list[str], list[Span]]:
        """Parse a dotted key. Returns its parts and their spans."""
        parts, spans = [], []
        while True:
            self._skip(_BLANK)
            match = _STRING.match(self.text, self._at) or _BARE.match(self.text, self._at)
            assert match is not None  # it is valid TOML
            spans.append(Span(match.start(), match.end()))
            parts.append(next(iter(tomllib.loads(f"{match[0]} = 1"))))
            self._at = match.end()
            self._skip(_BLANK)
            if self.text[self._at] != ".":
                return parts, spans
            self._at += 1

    def _pair(self, path: Path, *, inline: bool) -> Entry:
        """Parse a key with its value, record them as an entry, and return this entry.

        `path` is the path of the table that contains the key. `inline` is True for an inline table.
        """
        parts, keys = self._key()
        self._at = self.text.index("=", self._at) + 1
        self._skip(_BLANK)
        full = (*path, *parts)
        entry = Entry(full, keys, Span(0, 0), inline)
        self.entries[full] = entry
        entry.value = self._value(full)
        return entry

    def _value(self, path: Path) -> Span:
        """Parse the value at a path, and record its inner entries. Returns its span."""
        start = self._at
        first = self.text[start]
        if first in "\"'":
            match = _STRING.match(self.text, start)
        elif first in "[{":
            self._at += 1
            self._items(path, "]" if first == "[" else "}")
            return Span(start, self._at)
        else:
            match = _SCALAR.match(self.text, start)
        assert match is not None  # it is valid TOML
        self._at = start + len(match[0].rstrip(_BLANK))
        return Span(start, self._at)

    def _items(self, path: Path, closing: str) -> None:
        """Parse the items of the array or inline table at `path`, up to the bracket `closing`."""
        count = 0
        while True:
            self._skip(f"{_SPACE},")
            if self.text[self._at] == closing:
                self._at += 1
                return
            if closing == "}":
                self._pair(path, inline=True)
            else:
                entry = Entry((*path, count), [], Span(0, 0))
                self.entries[entry.path] = entry
                entry.value = self._value(entry.path)
                count += 1

    def _skip(self, signs: str) -> None:
        """Skip all characters that are in `signs`. If `signs` has line ends, comments are skipped, too."""
        while self._at < len(self.text):
            if self.text[self._at] == "#" and "\n" in signs:
                end = self._line_end(self._at)
                self._comments[end] = self._at
                self._at = end
            elif self.text[self._at] in signs:
                self._at += 1
            else:
                return
