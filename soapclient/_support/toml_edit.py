"""Change one value in a TOML document. Comments, order and layout of all other lines stay."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from soapclient._support.lazy_pattern import LazyPattern
from soapclient._support.toml import NotToml, loads, tables_of

_BARE: Final = LazyPattern(r"[A-Za-z0-9_-]+")
_BEFORE_VALUE: Final = LazyPattern(r"""(?:"(?:[^"\\]|\\.)*"|'[^']*'|[^"'=])*=[ \t]*""")
_LINE: Final = LazyPattern(r"[^\n]*\n|[^\n]+")
_LONGEST: Final = 10_000  # lines; a longer file is not a file of settings

Path = tuple[str, ...]


@dataclass
class _Statement:
    """A statement of a TOML document: a key with its value, or the header of a table.

    - `first`, `end`: the numbers of its first line and of the line after it.
    - `path`: the full path of the key or the table.
    - `parsed`: the result of parsing only this statement as a TOML document; None for a header.
    """

    first: int
    end: int
    path: Path
    parsed: dict[str, object] | None
    is_header: bool


def with_value(
    content: bytes, matches: Callable[[Path], bool], table: Path, key: str, value: object
) -> bytes:
    """Set one value in the TOML document `content`, and return the new document.

    - `matches`: a function that gets the full path of a key in the document, and returns True if it is the
      key to change. If there is no such key, `key` is added.
    - `table`, `key`: the path of the table to which the key is added, and its name there. `()` is the top
      level.
    - `value`: a string, number, boolean, list or dict.

    Raises NotToml if `content` is not TOML, or if the value cannot be changed, for example because it is part
    of a larger value.
    """
    before = loads(content)
    text = content.decode("utf-8")
    newline = "\r\n" if "\r\n" in text else "\n"
    lines = _LINE.findall(text)
    if len(lines) > _LONGEST:
        raise NotToml(f"the document has more than {_LONGEST} lines: change it by hand")
    statements = _statements(lines)
    matching = [item for item in statements if not item.is_header and matches(item.path)]
    if len(matching) == 1:
        path = matching[0].path
        _replace(lines, matching[0], literal(value))
    else:
        path = (*table, key)
        _insert(lines, statements, table, f"{_quoted(key)} = {literal(value)}{newline}", newline)
    result = "".join(lines).encode("utf-8")
    _set(before, path, value)
    if matching[1:] or tables_of(result) != before:
        raise NotToml(f"{key} is part of a table or of another value in the file: change it by hand")
    return result


def literal(value: object) -> str:
    """Return a value as TOML text. Raises TypeError if TOML cannot express the value."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float) and not math.isfinite(value):
        raise TypeError("cannot write the number as TOML: it must be finite")
    if isinstance(value, int | float):
        return repr(value)
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, Mapping):
        pairs = ", ".join(f"{_quoted(str(name))} = {literal(inner)}" for name, inner in value.items())
        return f"{{ {pairs} }}" if pairs else "{}"
    if isinstance(value, Sequence):
        return f"[{', '.join(map(literal, value))}]"
    raise TypeError(f"cannot write a value of the type {type(value).__name__} as TOML")


def _quoted(key: str) -> str:
    return key if _BARE.fullmatch(key) else literal(key)


def _statements(lines: Sequence[str]) -> list[_Statement]:
    """Return the statements in the lines of a valid document, in order."""
    statements: list[_Statement] = []
    table: Path = ()
    number = 0
    while number < len(lines):
        first, start = number, lines[number].strip()
        number += 1
        if not start or start.startswith("#"):
            continue
        while isinstance(parsed := tables_of("".join(lines[first:number]).encode()), str):
            if number == len(lines):
                raise NotToml(parsed)
            number += 1  # a value of several lines
        if start.startswith("["):
            table = _path(parsed)
            statements.append(_Statement(first, number, table, None, is_header=True))
        else:
            body = "".join(lines[first:number])
            path = _path(loads(f"{body[: _value_start(body)]}0".encode()))
            statements.append(_Statement(first, number, (*table, *path), parsed, is_header=False))
    return statements


def _path(parsed: dict[str, object]) -> Path:
    """Return the path of the only key in a parsed statement.

    The path leads through nested tables, and ends at an empty table or at a value that is not a table.
    """
    path: list[str] = []
    value: object = parsed
    while isinstance(value, dict) and value:
        ((name, value),) = value.items()
        path.append(name)
    return tuple(path)


def _replace(lines: list[str], item: _Statement, value: str) -> None:
    """Replace the value of a statement in `lines`. Raises NotToml. A comment after the value stays."""
    text = "".join(lines[item.first : item.end])
    body = text.rstrip("\r\n")
    start = _value_start(body)
    for end in range(start + 1, len(body) + 1):
        rest = body[end:].lstrip(" \t")
        if (not rest or rest.startswith("#")) and tables_of(body[:end].encode()) == item.parsed:
            lines[item.first : item.end] = [body[:start] + value + text[end:]]
            return
    raise NotToml("the value to replace was not found: change it by hand")


def _value_start(body: str) -> int:
    """Return the index at which the value of a statement starts.

    This is the first character other than a blank after the first `=` outside of quotes.
    """
    match = _BEFORE_VALUE.match(body)
    if match is None:
        raise NotToml("a key has no value after `=`")
    return match.end()


def _insert(lines: list[str], statements: list[_Statement], table: Path, line: str, newline: str) -> None:
    """Add `line` to `lines`, at the end of a table.

    A missing table is added at the end of the document. `newline` is the line break of the document.
    """
    if lines and not lines[-1].endswith("\n"):
        lines[-1] += newline
    headers = [item for item in statements if item.is_header]
    header = next((item for item in headers if item.path == table), None)
    if table and header is None:
        lines += [*([newline] if lines else []), f"[{'.'.join(map(_quoted, table))}]{newline}", line]
        return
    first = 0 if header is None else header.end
    following = next((item for item in headers if item.first >= first), None)
    end = len(lines) if following is None else following.first
    keys = [item for item in statements if not item.is_header and first <= item.first < end]
    if keys or header is not None:
        position = keys[-1].end if keys else first
        lines.insert(position, line)
    elif following is None:
        lines.append(line)
    else:
        while end and lines[end - 1].lstrip().startswith("#"):  # the comment of the first table
            end -= 1
        lines[end:end] = [line, newline]


def _set(document: dict[str, object], path: Path, value: object) -> None:
    """Set the value at a path. Does nothing if a part of the path is not a table."""
    inner: object = document
    for name in path[:-1]:
        inner = inner.setdefault(name, {}) if isinstance(inner, dict) else None
    if isinstance(inner, dict):
        inner[path[-1]] = _plain(value)


def _plain(value: object) -> object:
    """Return a value in which sequences are lists and mappings are dicts, as in a parsed document."""
    if isinstance(value, Mapping):
        return {str(name): _plain(inner) for name, inner in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [_plain(item) for item in value]
    return value
