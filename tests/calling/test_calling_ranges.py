"""The items of a range of days: the properties of all days together."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from typing import Any, cast

import pytest

from soapclient import days
from soapclient.calling.ranges import DayPages
from soapclient.runtime import ItemPages
from zxws.publisher.service import GET_SALES
from zxws.publisher.types import GetSalesRequest

FIRST = dt.date(2026, 11, 1)


class OneDay:
    """The pages of one day, with the methods that `DayPages` uses."""

    def __init__(self, items: str, total: int | None) -> None:
        self._items = iter(items)
        self.given = 0
        self.total = total

    def on_page(self, listener: object) -> OneDay:
        return self

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        item = next(self._items)
        self.given += 1
        return item


@pytest.mark.parametrize("workers", [1, 3])
@pytest.mark.parametrize(
    ("totals", "total"), [([2, 0, 3], 5), ([2, None, 3], None), ([None, 2, 3], None), ([0, 0, 0], 0)]
)
def test_total_is_known_only_if_each_day_has_one(
    workers: int, totals: list[int | None], total: int | None
) -> None:
    span = days(FIRST, FIRST + dt.timedelta(days=2), workers=workers)
    request = GetSalesRequest(date=cast("Any", span), date_type="trackingDate")

    def opened(of_day: GetSalesRequest) -> ItemPages[Any]:
        return cast("ItemPages[Any]", OneDay("ab", totals[(of_day.date - FIRST).days]))

    pages: DayPages[Any, Any, Any] = DayPages(GET_SALES, request, "date", opened)
    assert pages.total is None
    assert list(pages) == list("ababab")
    assert pages.total == total
