"""Names of fields in NAME=VALUE: the fields of requests and of their parts.

This module imports no XML library, and calls none of its own functions when imported, because shell
completion uses it at each key press.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from soapclient.runtime.fields import Field, Types
    from soapclient.runtime.operations import AnyOperation

STEP: Final = re.compile(r"(@xsi:nil|@xsi:type|@?[^\W\d](?:[\w-]|\\\.)*|\$)(?:\[([1-9]\d{0,3})\])?")
DOT: Final = re.compile(r"(?<!\\)\.")  # a dot after a backslash is a part of a name
_WORD_STARTS: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


def asked_of(types: Types, operation: AnyOperation) -> list[Field]:
    """Return the fields of a request, without those that signing fills in."""
    return parts_of(types, operation.row.request)


def parts_of(types: Types, name: str) -> list[Field]:
    """Return the fields of a type."""
    return [part for part in types.fields(name) if part.is_asked]


def contents(types: Types, part: Field) -> list[Field]:
    """Return the content of an element: the items of a wrapped list, the fields of a type, or its text."""
    if part.item:
        return [within(part)]
    return (
        parts_of(types, part.holds) if part.holds else [part._replace(kind="text", name="", python="value")]
    )


def within(part: Field) -> Field:
    """Return the items of a wrapped list as a field."""
    name = part.item.rpartition("}")[2]
    python = _WORD_STARTS.sub("_", name).lower()
    return part._replace(name=name, python=python, tag=part.item, item="", repeats=True)


def step(part: Field, among: Sequence[Field]) -> str:
    """Return a field as a step of NAME=VALUE, by its name in the contract if that is unambiguous."""
    name = shown(part).replace(".", r"\.")
    return name if by_name(among)[shown(part)] is part and STEP.fullmatch(name) else part.python


def by_name(parts: Sequence[Field]) -> dict[str, Field]:
    """Map the names of fields to the fields.

    Names in the contract's spelling take precedence over Python's. If two fields have the same name, the
    first one counts.
    """
    from soapclient.runtime.record import camel

    names: dict[str, Field] = {}
    for part in parts:
        names.setdefault(shown(part), part)
    for part in parts:
        names.setdefault(part.python, part)
        names.setdefault(camel(part.python), part)
    for part in parts:
        if part.kind == "attribute":
            names.setdefault(part.name, part)
            names.setdefault(f"@{part.python}", part)
    return names


def shown(part: Field) -> str:
    """Return the name of a field; `$` for the text of an element."""
    return "$" if part.kind in ("text", "content") else part.shown


def known_values(operation: AnyOperation, field: Field) -> tuple[str, ...]:
    """Return the values that the service is known to accept, if the contract only says `text`.

    These are the report types, columns and groups of an order.
    """
    settings = operation.package.settings
    if settings.job is None or operation.row.method != settings.job.order:
        return ()
    order = settings.order
    if order is None:
        return ()
    if field.python == order.report_type.field:
        return (*settings.columns, *settings.chosen)
    if order.columns is not None and field.python == order.columns.field:
        return tuple(dict.fromkeys(item.name for columns in settings.columns.values() for item in columns))
    is_group = order.group_by is not None and field.python == order.group_by.field
    return tuple(item.name for item in settings.groups) if is_group else ()


def is_comma_list(operation: AnyOperation, field: Field) -> bool:
    """Return True if a field of an order is one text of several names, with commas."""
    order = operation.package.settings.order
    lists = [] if order is None or order.separator != "," else [order.columns, order.group_by]
    is_list = any(
        setting is not None and not setting.several and setting.field == field.python for setting in lists
    )
    return is_list and bool(known_values(operation, field))
