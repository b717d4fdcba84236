"""What a field of a form may hold, in a few words: its type as the schema calls it, and what it asks for."""

from __future__ import annotations

import re
from typing import Final

from soapclient.runtime.errors import local_name
from soapclient.runtime.fields import Field, Types, members
from soapclient.runtime.simple_types import Choice

_BINARY: Final = ("base64_binary", "hex_binary")
_DATES: Final = {
    "date": "2026-11-01",
    "day": "2026-11-01",
    "date_time": "2026-11-01T09:30:00Z",
    "time": "09:30:00",
}
_BUILT_IN: Final = re.compile(r"\(xsd:(\w+)\)").search


def type_of(types: Types, field: Field) -> str:
    """The type of a field, as the contract reference shows it."""
    if field.holds:
        return type_name(types, field.holds)
    if field.leaf is None:
        return "anything"
    if field.row.declared and field.row.type[0].isupper():  # an enumeration that has a name
        return field.row.declared.rpartition(":")[2]
    return _simple(types, field.row.type)


def type_name(types: Types, name: str) -> str:
    """A type with fields; "" for one without a name of its own."""
    row = types.row(name)
    return "" if row.holder or row.anonymous else local_name(types.xml_name(name))


def _simple(types: Types, name: str) -> str:
    if name[0] == "[":
        return f"list separated by blanks, each {_simple(types, name[1:-1])}"
    if name[0] == "(":
        return " or ".join(_simple(types, each) for each in members(name[1:-1]))
    if name == "day":
        return "xsd:dateTime"
    known = _BUILT_IN(types.leaf(name).expected)
    return name if known is None else f"xsd:{known[1]}"


def values_of(field: Field) -> tuple[str, ...]:
    """The values of an enumeration, as far as facets let them be."""
    row = field.row
    if row.facets is not None and row.facets.enumeration:
        return row.facets.enumeration
    return tuple(field.leaf.members) if isinstance(field.leaf, Choice) else ()


def hint(field: Field) -> str:
    """What a value may be, in a few words."""
    kind, facets = field.row.type, field.row.facets
    base = kind.partition(":")[0]
    words = []
    if kind.startswith("["):
        words.append("with spaces between them")
    elif base.removeprefix("local_") in _DATES:
        words.append(f"such as {_DATES[base.removeprefix('local_')]}")
    if field.row.fixed is not None:
        words.append(f"always {field.row.fixed}")
    elif field.row.default is not None:
        words.append(f"by default {field.row.default}")
    if facets is not None:
        bounds = {
            "at least {}": facets.min_inclusive,
            "more than {}": facets.min_exclusive,
            "at most {}": facets.max_inclusive,
            "less than {}": facets.max_exclusive,
        }
        words += [said.format(text) for said, text in bounds.items() if text]
        unit = "value" if kind.startswith("[") else "byte" if base in _BINARY else "character"
        lengths = {"": facets.length, "at least ": facets.min_length, "at most ": facets.max_length}
        words += [f"{said}{text} {unit}{'s' * (text != '1')}" for said, text in lengths.items() if text]
        words += [f"pattern {pattern}" for pattern in facets.patterns[-1:]]
    return ", ".join(words)
