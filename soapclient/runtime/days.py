"""A range of days, for lists that are requested day by day."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from typing import Final, NamedTuple

REFUSED: Final = "a range of days is allowed only in `iterate`, and only in one field"


class Days(NamedTuple):
    """Consecutive days, both ends included. `workers` is the number of days requested in parallel."""

    first: dt.date
    last: dt.date
    workers: int = 1

    def each(self) -> Iterator[dt.date]:
        """Yield each day of the range, in order."""
        return map(dt.date.fromordinal, range(self.first.toordinal(), self.last.toordinal() + 1))

    def __repr__(self) -> str:
        return f"days({self.first}, {self.last})"
