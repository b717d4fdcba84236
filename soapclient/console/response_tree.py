"""A response as a tree, labelled with the names of the contract, and its longest list as a table."""

from __future__ import annotations

import base64
import datetime as dt
import json
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from enum import Enum
from typing import Final, Literal, NamedTuple

import msgspec
from lxml import etree

from soapclient._support.redaction import redact
from soapclient._support.secret_names import NOT_SHOWN, is_secret, xml_without_secrets
from soapclient.console.field_hints import type_name, type_of, values_of
from soapclient.console.forms import number_of
from soapclient.console.targets import Exchange
from soapclient.runtime.any_element import AnyElement, append_any
from soapclient.runtime.documentation import Documentation
from soapclient.runtime.fields import Field, Types
from soapclient.runtime.operations import AnyOperation
from soapclient.runtime.record import Record

_MAX_BYTES: Final = 96  # shown of binary content
_MAX_LEVELS: Final = 4  # of a contract that are shown before the first call
_MAX_DEPTH: Final = 100  # of a response
_MAX_NODES: Final = 50_000  # of a response

Kind = Literal["record", "list", "text", "number", "bool", "date", "enum", "null"]


@dataclass(frozen=True)
class Node:
    """A node of a response: a value, or a record or list with `items`.

    `type` is the name of the node's type in the contract. `omitted` is the number of items of a list that are
    not in `items`.
    """

    name: str
    kind: Kind
    value: str = ""
    type: str = ""
    items: tuple[Node, ...] = ()
    omitted: int = 0


@dataclass(frozen=True)
class Table:
    """A list of records as a table.

    `columns` maps the names of the columns to the kind of their values, such as "text". `omitted` is the
    number of rows that are not in `rows`.
    """

    name: str
    columns: dict[str, str]
    rows: list[dict[str, Node]]
    omitted: int = 0


@dataclass(frozen=True)
class FieldOutline:
    """A field that a response can have. `items` are its inner fields, `values` its allowed values."""

    name: str
    type: str
    repeats: bool
    required: bool
    doc: str
    items: tuple[FieldOutline, ...]
    values: tuple[str, ...]


class PageTurn(NamedTuple):
    """The position of a response, which is one page, in a paged list.

    `first` and `last` are the positions of the page's first and last item in the list, counted from 1.
    `total` is the number of items in the list. `previous` and `following` are the numbers of the previous and
    the next page; None if there is no such page. `key` is the form key of the page number.
    """

    first: int
    last: int
    total: int
    previous: int | None
    following: int | None
    key: str


def tree(types: Types, value: object, name: str = "", secrets: Collection[str] = ()) -> Node:
    """Convert a response to a tree. Hides fields named like secrets, and the texts in `secrets`.

    If the response is large, the last items of its lists are omitted.
    """
    return _TreeBuilder(types, secrets).node(value, name, _MAX_DEPTH)


class _TreeBuilder:
    """Builds the tree of one response.

    `left` is the number of nodes that may still be added before items of lists are omitted.
    """

    def __init__(self, types: Types, secrets: Collection[str]) -> None:
        self._types = types
        self._secrets = secrets
        self.left = _MAX_NODES

    def node(self, value: object, name: str, depth: int) -> Node:
        """Return the node for a value. `depth` is the highest number of levels, including this node."""
        self.left -= 1
        if value is not None and not isinstance(value, bool) and is_secret(name):
            return Node(name, "text", NOT_SHOWN)
        if depth <= 0:
            return Node(name, "text", "…")
        if isinstance(value, Record):
            owner = type(value).__name__
            fields = [
                (_shown_name(field), getattr(value, field.python, None))
                for field in self._types.fields(owner)
            ]
            items = tuple(self.node(item, label, depth - 1) for label, item in fields if item is not None)
            return Node(name, "record", type=type_name(self._types, owner), items=items)
        if isinstance(value, list | tuple):
            return self._list(value, name, depth)
        if isinstance(value, dict):
            pairs = ((str(key), item) for key, item in value.items())
            return Node(name, "record", items=tuple(self.node(item, key, depth - 1) for key, item in pairs))
        if isinstance(value, msgspec.Struct) and not isinstance(value, AnyElement):
            return self.node(msgspec.structs.asdict(value), name, depth)
        kind, text = _leaf(value, name)
        return Node(name, kind, redact(text, self._secrets))

    def _list(self, values: Sequence[object], name: str, depth: int) -> Node:
        items: list[Node] = []
        for number, item in enumerate(values, start=1):
            if self.left <= 0:
                break
            items.append(self.node(item, str(number), depth - 1))
        return Node(name, "list", items=tuple(items), omitted=len(values) - len(items))


def _leaf(value: object, name: str) -> tuple[Kind, str]:
    """Return the kind of a simple value, such as "number", and its text. `name` is the name of its field."""
    match value:
        case AnyElement():
            if not (value.children or value.attributes):
                return "text", value.text or ""
            holder = etree.Element("any")
            append_any(holder, value, name)
            return "text", xml_without_secrets(etree.tostring(holder[0], encoding="unicode", with_tail=False))
        case bytes():
            shown = base64.b64encode(value[:_MAX_BYTES]).decode()
            return "text", f"{len(value)} bytes, in base64: {shown}{'…' if len(value) > _MAX_BYTES else ''}"
        case None | bool():
            return "null" if value is None else "bool", json.dumps(value)
        case Enum():
            return "enum", str(value.value)
        case int() | float() | Decimal():
            return "number", str(value)
        case dt.date() | dt.time():
            return "date", value.isoformat()
    return "text", str(value)


def _shown_name(field: Field) -> str:
    return f"@{field.name}" if field.kind == "attribute" else field.shown


def table_of(response: Node) -> Table | None:
    """Return the longest list of records in a response as a table; None if there is no such list.

    The table has a column for each field of the records. If the value of a field is another record, the
    fields of this record have columns such as `program.id`.
    """
    lists = list(_lists(response))
    if not lists:
        return None
    longest = max(lists, key=lambda node: len(node.items))
    columns: dict[str, str] = {}
    rows: list[dict[str, Node]] = []
    for item in longest.items:
        rows.append(dict(_cells(item, "")))
        for column, node in rows[-1].items():
            columns.setdefault(column, "more" if node.items else node.kind)
    return Table(longest.name, columns, rows, longest.omitted)


def _lists(node: Node) -> Iterator[Node]:
    """Yield the lists of records below a node that are not inside another list."""
    if node.kind == "list":
        if node.items and all(item.kind == "record" for item in node.items):
            yield node
        return
    for item in node.items:
        yield from _lists(item)


def _cells(record: Node, prefix: str) -> Iterator[tuple[str, Node]]:
    """Yield a pair (column name, cell) for each cell of a record. The column names begin with `prefix`.

    A list, or a record in an inner record, has a cell with a short text such as `5 items`.
    """
    for item in record.items:
        if item.kind == "record" and not prefix:
            yield from _cells(item, f"{item.name}.")
        elif item.kind == "record":
            yield f"{prefix}{item.name}", Node(item.name, "text", f"{len(item.items)} values")
        elif item.kind == "list":
            count = len(item.items) + item.omitted
            simple = all(not inner.items for inner in item.items) and count < 4 and not item.omitted
            text = ", ".join(inner.value for inner in item.items) if simple else f"{count} items"
            yield f"{prefix}{item.name}", Node(item.name, "text", text)
        else:
            yield f"{prefix}{item.name}", item


def outline(types: Types, documentation: Documentation, name: str) -> tuple[FieldOutline, ...]:
    """Return the fields that a type has, four levels deep. `name` is the Python name of the type."""
    return _outline(types, documentation, name, ())


def _outline(
    types: Types, documentation: Documentation, name: str, above: tuple[str, ...]
) -> tuple[FieldOutline, ...]:
    result: list[FieldOutline] = []
    for field in types.fields(name):
        if field.kind in ("any_attributes", "nil"):
            continue
        opened = field.holds and field.holds not in above and len(above) < _MAX_LEVELS
        result.append(
            FieldOutline(
                _shown_name(field),
                type_of(types, field),
                field.is_list,
                bool(field.least),
                documentation.of_field(types, name, field),
                _outline(types, documentation, field.holds, (*above, name)) if opened else (),
                () if field.holds else values_of(field),
            )
        )
    return tuple(result)


def page_turn(operation: AnyOperation, exchange: Exchange) -> PageTurn | None:
    """Return the position of a response in its paged list; None if the response is not a page of a list."""
    pages, paging = operation.row.pages, operation.package.settings.paging
    if pages is None or paging is None or not pages.response_total:
        return None
    result = exchange.result
    page = getattr(result, pages.response_page, None) if pages.response_page else None
    count = getattr(result, pages.response_items, None) if pages.response_items else None
    total = getattr(result, pages.response_total, None)
    if not (isinstance(page, int) and isinstance(count, int) and isinstance(total, int) and count and total):
        return None
    size = number_of(exchange.values.get(f"v:{pages.items}", ""), paging.default) or paging.default
    start = (page - paging.first) * size
    return PageTurn(
        start + 1,
        start + count,
        total,
        page - 1 if page > paging.first else None,
        page + 1 if start + count < total else None,
        f"v:{pages.page}",
    )
