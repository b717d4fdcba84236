"""A range of days, where a list is asked for day by day."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from typing import Final, NamedTuple

REFUSED: Final = "a range of days goes into `iterate` alone, and there into one field"


class Days(NamedTuple):
    """Days one after the other, both ends included; `workers` are asked for at a time."""

    first: dt.date
    last: dt.date
    workers: int = 1

    def each(self) -> Iterator[dt.date]:
        """The days."""
        return map(dt.date.fromordinal, range(self.first.toordinal(), self.last.toordinal() + 1))

    def __repr__(self) -> str:
        return f"days({self.first}, {self.last})"
