"""Payloads: the fields of requests and responses, as nested dicts that do not depend on a protocol.

Payloads have the service's JSON form (`docs/explanation/service.md#json`): keys are the names of elements,
`"@name"` for attributes, and `"$"` for the text of an element that has attributes. Repeated elements are
lists. All other values are plain Python values. Entries that are None are left out of the message.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, datetime
from decimal import Decimal
from typing import TypeVar

Scalar = str | int | bool | Decimal | date | datetime
Value = Scalar | None | Mapping[str, "Value"] | Sequence["Value"]
Payload = Mapping[str, Value]
T = TypeVar("T")


class Fields:
    """Typed access to the fields of a decoded request.

    A value of the wrong type is a bug in the sandbox and raises TypeError.
    """

    def __init__(self, tree: Payload) -> None:
        self.tree = tree

    def __contains__(self, name: str) -> bool:
        """Return True if the field is present and not None."""
        return self.tree.get(name) is not None

    def text(self, name: str) -> str | None:
        """Return a string, or None if the field is missing."""
        return self._value(name, str)

    def number(self, name: str) -> int | None:
        """Return an integer, or None if the field is missing."""
        return self._value(name, int)

    def flag(self, name: str) -> bool | None:
        """Return a boolean, or None if the field is missing."""
        return self._value(name, bool)

    def instant(self, name: str) -> datetime | None:
        """Return a date-time, or None if the field is missing."""
        return self._value(name, datetime)

    def day(self, name: str) -> date | None:
        """Return a date, or None if the field is missing."""
        return self._value(name, date)

    def texts(self, name: str) -> list[str]:
        """Return the strings of a repeated field, or [] if the field is missing."""
        return [_typed(name, entry, str) for entry in self._entries(name)]

    def numbers(self, name: str) -> list[int]:
        """Return the integers of a repeated field, or [] if the field is missing."""
        return [_typed(name, entry, int) for entry in self._entries(name)]

    def branch(self, name: str) -> Fields:
        """Return a required nested structure as `Fields`. Raises TypeError if it is missing."""
        return _structure(name, self.tree.get(name))

    def branches(self, name: str) -> list[Fields]:
        """Return the structures of a repeated field, each as `Fields`, or [] if the field is missing."""
        return [_structure(name, entry) for entry in self._entries(name)]

    def _value(self, name: str, kind: type[T]) -> T | None:
        value = self.tree.get(name)
        return None if value is None else _typed(name, value, kind)

    def _entries(self, name: str) -> Sequence[Value]:
        """Return the values of a repeated field. A single value becomes a list with one entry."""
        value = self.tree.get(name)
        if value is None:
            return ()
        return value if isinstance(value, Sequence) and not isinstance(value, str) else (value,)


# bool is a subclass of int, datetime of date; here they are distinct types.
_EXCLUDED: Mapping[type, type] = {int: bool, date: datetime}


def _typed(name: str, value: Value, kind: type[T]) -> T:
    if isinstance(value, kind) and not isinstance(value, _EXCLUDED.get(kind, ())):
        return value
    raise TypeError(f"{name} is {type(value).__name__}, not {kind.__name__}")


def _structure(name: str, value: Value) -> Fields:
    if isinstance(value, Mapping):
        return Fields(value)
    raise TypeError(f"{name} is {type(value).__name__}, not a structure")
