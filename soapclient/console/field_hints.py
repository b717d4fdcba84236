"""Short descriptions of the fields of a form: type, allowed values, and hints."""

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
    """Return the name of a field's type as on the reference pages, such as `xsd:date`."""
    if field.holds:
        return type_name(types, field.holds)
    if field.leaf is None:
        return "anything"
    if field.row.declared and field.row.type[0].isupper():  # a named enumeration
        return field.row.declared.rpartition(":")[2]
    return _simple(types, field.row.type)


def type_name(types: Types, name: str) -> str:
    """Return the name of a complex type in the contract. `name` is the name of its Python class.

    Returns "" if the type has no name in the contract, for example because it is anonymous.
    """
    row = types.row(name)
    return "" if row.holder or row.anonymous else local_name(types.xml_name(name))


def _simple(types: Types, name: str) -> str:
    if name[0] == "[":
        return f"list separated by spaces, each {_simple(types, name[1:-1])}"
    if name[0] == "(":
        return " or ".join(_simple(types, member) for member in members(name[1:-1]))
    if name == "day":
        return "xsd:dateTime"
    built_in = _BUILT_IN(types.leaf(name).expected)
    return name if built_in is None else f"xsd:{built_in[1]}"


def values_of(field: Field) -> tuple[str, ...]:
    """Return the allowed values of a field that has an enumeration as its type; otherwise an empty tuple."""
    row = field.row
    if row.facets is not None and row.facets.enumeration:
        return row.facets.enumeration
    return tuple(field.leaf.members) if isinstance(field.leaf, Choice) else ()


def hint(field: Field) -> str:
    """Return a short description of the values that a field allows, such as `at most 20 characters`."""
    kind, facets = field.row.type, field.row.facets
    base = kind.partition(":")[0]
    words = []
    if kind.startswith("["):
        words.append("separated by spaces")
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
        words += [template.format(text) for template, text in bounds.items() if text]
        unit = "value" if kind.startswith("[") else "byte" if base in _BINARY else "character"
        lengths = {"": facets.length, "at least ": facets.min_length, "at most ": facets.max_length}
        words += [f"{limit}{text} {unit}{'s' * (text != '1')}" for limit, text in lengths.items() if text]
        words += [f"pattern {pattern}" for pattern in facets.patterns[-1:]]
    return ", ".join(words)
