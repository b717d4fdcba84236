"""What operations are given and return: nested dicts, as the service's JSON form has them
(`docs/explanation/service.md#json`).

Elements by name, attributes as `"@name"`, text beside attributes as `"$"`, a repeated element as a list.
Leaves are Python values. An entry that is None is left out. No protocol is known here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, datetime
from decimal import Decimal

Scalar = str | int | bool | Decimal | date | datetime
Value = Scalar | None | Mapping[str, "Value"] | Sequence["Value"]
Payload = Mapping[str, Value]


class Fields:
    """Typed reading of a decoded request. A wrong type here is a bug of the sandbox, hence TypeError."""

    def __init__(self, tree: Payload) -> None:
        self.tree = tree

    def __contains__(self, name: str) -> bool:
        return self.tree.get(name) is not None

    def text(self, name: str) -> str | None:
        value = self.tree.get(name)
        if value is None or isinstance(value, str):
            return value
        raise TypeError(f"{name} is not a text")

    def number(self, name: str) -> int | None:
        value = self.tree.get(name)
        if value is None or (isinstance(value, int) and not isinstance(value, bool)):
            return value
        raise TypeError(f"{name} is not a whole number")

    def flag(self, name: str) -> bool | None:
        value = self.tree.get(name)
        if value is None or isinstance(value, bool):
            return value
        raise TypeError(f"{name} is not a boolean")

    def instant(self, name: str) -> datetime | None:
        value = self.tree.get(name)
        if value is None or isinstance(value, datetime):
            return value
        raise TypeError(f"{name} is not a date-time")

    def day(self, name: str) -> date | None:
        value = self.tree.get(name)
        if value is None or (isinstance(value, date) and not isinstance(value, datetime)):
            return value
        raise TypeError(f"{name} is not a date")

    def texts(self, name: str) -> list[str]:
        value = self.tree.get(name)
        if value is None:
            return []
        entries = [value] if isinstance(value, str) else value
        if not isinstance(entries, Sequence):
            raise TypeError(f"{name} is not a list")
        return [str(entry) for entry in entries]

    def numbers(self, name: str) -> list[int]:
        value = self.tree.get(name)
        if value is None:
            return []
        entries = value if isinstance(value, Sequence) and not isinstance(value, str) else [value]
        numbers = [one for one in entries if isinstance(one, int) and not isinstance(one, bool)]
        if len(numbers) != len(entries):
            raise TypeError(f"{name} is not a list of whole numbers")
        return numbers

    def branch(self, name: str) -> Fields:
        value = self.tree.get(name)
        if isinstance(value, Mapping):
            return Fields(value)
        raise TypeError(f"{name} is not a structure")

    def branches(self, name: str) -> list[Fields]:
        value = self.tree.get(name)
        if value is None:
            return []
        entries = [value] if isinstance(value, Mapping) or not isinstance(value, Sequence) else value
        found = [Fields(one) for one in entries if isinstance(one, Mapping)]
        if len(found) != len(entries):
            raise TypeError(f"{name} is not a list of structures")
        return found
