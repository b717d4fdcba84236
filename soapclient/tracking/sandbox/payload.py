"""What operations are given and return: nested dicts, as the service's JSON form has them
(`docs/explanation/service.md#json`).

Elements by name, attributes as `"@name"`, text beside attributes as `"$"`, a repeated element as a list.
Leaves are Python values. An entry that is None is left out. No protocol is known here.
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
    """Typed reading of a decoded request. A wrong type here is a bug of the sandbox, hence TypeError."""

    def __init__(self, tree: Payload) -> None:
        self.tree = tree

    def __contains__(self, name: str) -> bool:
        return self.tree.get(name) is not None

    def text(self, name: str) -> str | None:
        return self._value(name, str)

    def number(self, name: str) -> int | None:
        return self._value(name, int)

    def flag(self, name: str) -> bool | None:
        return self._value(name, bool)

    def instant(self, name: str) -> datetime | None:
        return self._value(name, datetime)

    def day(self, name: str) -> date | None:
        return self._value(name, date)

    def texts(self, name: str) -> list[str]:
        return [_typed(name, one, str) for one in self._entries(name)]

    def numbers(self, name: str) -> list[int]:
        return [_typed(name, one, int) for one in self._entries(name)]

    def branch(self, name: str) -> Fields:
        return _structure(name, self.tree.get(name))

    def branches(self, name: str) -> list[Fields]:
        return [_structure(name, one) for one in self._entries(name)]

    def _value(self, name: str, kind: type[T]) -> T | None:
        value = self.tree.get(name)
        return None if value is None else _typed(name, value, kind)

    def _entries(self, name: str) -> Sequence[Value]:
        """Those of a list; one that stands alone is a list of one."""
        value = self.tree.get(name)
        if value is None:
            return ()
        return value if isinstance(value, Sequence) and not isinstance(value, str) else (value,)


_NARROWER: Mapping[type, type] = {int: bool, date: datetime}  # Python's subclasses that are other types here


def _typed(name: str, value: Value, kind: type[T]) -> T:
    if isinstance(value, kind) and not isinstance(value, _NARROWER.get(kind, ())):
        return value
    raise TypeError(f"{name} is {type(value).__name__}, not {kind.__name__}")


def _structure(name: str, value: Value) -> Fields:
    if isinstance(value, Mapping):
        return Fields(value)
    raise TypeError(f"{name} is {type(value).__name__}, not a structure")
