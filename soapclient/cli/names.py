"""The names of fields as NAME=VALUE has them: what a request asks for, what its parts consist of.

It loads no library of XML, and by itself nothing: completion reads names, too, at each press of a key.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from soapclient.runtime.fields import Field, Types
    from soapclient.runtime.operations import AnyOperation

STEP: Final = re.compile(r"(@xsi:nil|@xsi:type|@?[^\W\d](?:[\w-]|\\\.)*|\$)(?:\[([1-9]\d{0,3})\])?")
DOT: Final = re.compile(r"(?<!\\)\.")  # one with a backslash before it is a part of a name
_WORD_STARTS: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


def asked_of(types: Types, operation: AnyOperation) -> list[Field]:
    """What a request consists of, but for what whoever signs it fills in."""
    return parts_of(types, operation.row.request)


def parts_of(types: Types, name: str) -> list[Field]:
    """What a value of a type consists of."""
    return [part for part in types.fields(name) if part.is_asked]


def contents(types: Types, part: Field) -> list[Field]:
    """What an element consists of: the items of a wrapped list, the fields of a type, or its text."""
    if part.item:
        return [within(part)]
    return (
        parts_of(types, part.holds) if part.holds else [part._replace(kind="text", name="", python="value")]
    )


def within(part: Field) -> Field:
    """What the element of a wrapped list consists of."""
    name = part.item.rpartition("}")[2]
    python = _WORD_STARTS.sub("_", name).lower()
    return part._replace(name=name, python=python, tag=part.item, item="", repeats=True)


def step(part: Field, among: Sequence[Field]) -> str:
    """A part as a step of NAME=VALUE, by its name in the contract if that is enough."""
    own = shown(part).replace(".", r"\.")
    return own if by_name(among)[shown(part)] is part and STEP.fullmatch(own) else part.python


def by_name(parts: Sequence[Field]) -> dict[str, Field]:
    """Each part by its names. The contract's own spelling precedes Python's: it keeps its meaning. Where two
    have the same, it is that of the first."""
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
    """The name of a part; of the text of an element `$`."""
    return "$" if part.kind in ("text", "content") else part.shown


def known_values(operation: AnyOperation, field: Field) -> tuple[str, ...]:
    """What is known to be taken where the contract says no more than `text`: what an export is ordered of."""
    settings = operation.package.settings
    if settings.job is None or operation.row.method != settings.job.order:
        return ()
    order = settings.order
    if order is None:
        return ()
    if field.python == order.report_type.field:
        return (*settings.columns, *settings.chosen)
    if order.columns is not None and field.python == order.columns.field:
        return tuple(dict.fromkeys(each.name for columns in settings.columns.values() for each in columns))
    is_group = order.group_by is not None and field.python == order.group_by.field
    return tuple(each.name for each in settings.groups) if is_group else ()


def is_comma_list(operation: AnyOperation, field: Field) -> bool:
    """Return True if a field of an order is one text of several names, with commas."""
    order = operation.package.settings.order
    lists = [] if order is None or order.separator != "," else [order.columns, order.group_by]
    is_list = any(each is not None and not each.several and each.field == field.python for each in lists)
    return is_list and bool(known_values(operation, field))
