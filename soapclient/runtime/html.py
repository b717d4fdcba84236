"""HTML tables of values for notebooks: escaped, of limited size, without secrets."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from enum import Enum
from html import escape
from typing import Final

import msgspec

from soapclient._support.secret_names import NOT_SHOWN, is_secret
from soapclient.runtime.nil import NIL

ROWS: Final = 10  # rows shown of a list
TEXT: Final = 200  # characters shown of a value
_MAX_DEPTH: Final = 4  # levels of nested structures
_MAX_CELLS: Final = 1_000  # cells of all tables together


def facts_html(title: str, facts: Iterable[tuple[str, object]]) -> str:
    """Return HTML with a title and a table of the names and values in `facts`."""
    return _Renderer().facts(title, facts)


def record_html(record: msgspec.Struct) -> str:
    """Return an HTML table of the fields of a struct. A list of structs becomes a nested table."""
    return _Renderer().record(record, 0)


class _Renderer:
    """Renders one HTML output, and limits the number of its table cells."""

    def __init__(self) -> None:
        self._left = _MAX_CELLS

    def facts(self, title: str, facts: Iterable[tuple[str, object]], depth: int = 0) -> str:
        rows = []
        for name, value in facts:
            if not self._has_room():
                rows.append("<tr><td>…</td></tr>")
                break
            rows.append(f"<tr><th>{_text(name)}</th><td>{self.value(name, value, depth)}</td></tr>")
        return f"<div><b>{_text(title)}</b><table>{''.join(rows)}</table></div>"

    def record(self, record: msgspec.Struct, depth: int) -> str:
        names = record.__struct_fields__
        values = ((name, getattr(record, name)) for name in names)
        present = ((name, value) for name, value in values if value is not None)
        return self.facts(type(record).__name__, present, depth)

    def value(self, name: str, value: object, depth: int) -> str:
        if is_secret(name):
            return _text(NOT_SHOWN)
        if isinstance(value, msgspec.Struct):
            return "…" if depth == _MAX_DEPTH else self.record(value, depth + 1)
        if isinstance(value, Mapping):
            return "…" if depth == _MAX_DEPTH else self.facts("", value.items(), depth + 1)
        if isinstance(value, Sequence) and not isinstance(value, str | bytes):
            return "…" if depth == _MAX_DEPTH else self._list(name, value, depth + 1)
        return _text(_plain(value))

    def _list(self, name: str, values: Sequence[object], depth: int) -> str:
        first = values[:ROWS]
        more = f"<div>{len(values) - ROWS:,} more of {len(values):,}</div>" if len(values) > ROWS else ""
        kinds = {type(value) for value in first}
        if len(kinds) == 1 and isinstance(first[0], msgspec.Struct):
            return self._table(first, depth) + more
        shown = [self.value(name, value, depth) for value in first if self._has_room()]
        return f"<div>{'<br>'.join(shown)}</div>{more}"

    def _table(self, records: Sequence[object], depth: int) -> str:
        structs = [record for record in records if isinstance(record, msgspec.Struct)]
        names = structs[0].__struct_fields__
        head = "".join(f"<th>{_text(name)}</th>" for name in names)
        rows = []
        for record in structs:
            cells = []
            for name in names:
                if not self._has_room():
                    cells.append("<td>…</td>")
                    break
                value = getattr(record, name)
                cells.append(f"<td>{'' if value is None else self.value(name, value, depth)}</td>")
            rows.append(f"<tr>{''.join(cells)}</tr>")
        return f"<table><tr>{head}</tr>{''.join(rows)}</table>"

    def _has_room(self) -> bool:
        self._left -= 1
        return self._left >= 0


def _plain(value: object) -> str:
    if value is NIL:
        return "nil"
    return str(value.value) if isinstance(value, Enum) else str(value)


def _text(value: str) -> str:
    return escape(value if len(value) <= TEXT else f"{value[:TEXT]}…")
