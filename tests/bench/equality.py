"""Compare the results of different libraries: convert them to plain values, and find the first difference."""

from __future__ import annotations

import datetime as dt
import enum
from collections.abc import Callable
from decimal import Decimal, InvalidOperation

from tests.bench.shapes import Field, Shape, Values

Get = Callable[[object, Field], object]


def plain(shape: Shape, node: object, get: Get) -> Values:
    """Return the values of a result. `get` returns a field of it: None, a value, a node, or a list."""
    values: Values = {}
    for field in shape.all_fields:
        value = get(node, field)
        if value is None:
            continue
        if not isinstance(field.kind, Shape):
            values[field.name] = value
        elif not field.many:
            values[field.name] = plain(field.kind, value, get)
        elif items := [plain(field.kind, item, get) for item in _listed(value)]:
            values[field.name] = items
    return values


def _listed(value: object) -> list[object]:
    return value if isinstance(value, list) else [value]


def difference(expected: object, actual: object, path: str = "result") -> str | None:
    """Return the first difference as a text, or None if the values are equal.

    The text of a value, as untyped libraries return it, is equal to the value.
    """
    if isinstance(expected, dict) and isinstance(actual, dict):
        if expected.keys() != actual.keys():
            return f"{path} has the fields {sorted(actual)}, expected {sorted(expected)}"
        pairs = [(f"{path}/{name}", value, actual[name]) for name, value in expected.items()]
    elif isinstance(expected, list) and isinstance(actual, list):
        if len(expected) != len(actual):
            return f"{path} has {len(actual)} items, expected {len(expected)}"
        pairs = [(f"{path}[{at}]", *both) for at, both in enumerate(zip(expected, actual, strict=True))]
    else:
        return None if _same(expected, actual) else f"{path} is {actual!r}, expected {expected!r}"
    differences = (difference(value, other, below) for below, value, other in pairs)
    return next((text for text in differences if text is not None), None)


def _same(expected: object, actual: object) -> bool:
    if isinstance(actual, enum.Enum):
        actual = actual.value
    try:
        if isinstance(expected, bool):
            return actual is expected or actual == str(expected).lower()
        if isinstance(expected, (int, float, Decimal)):
            return not isinstance(actual, bool) and Decimal(str(actual)) == Decimal(str(expected))
        if isinstance(expected, dt.datetime):
            value = dt.datetime.fromisoformat(actual) if isinstance(actual, str) else actual
            return isinstance(value, dt.datetime) and value.tzinfo is not None and value == expected
        if isinstance(expected, dt.date):
            return (dt.date.fromisoformat(actual) if isinstance(actual, str) else actual) == expected
    except (ValueError, InvalidOperation):
        return False
    return isinstance(actual, type(expected)) and actual == expected
