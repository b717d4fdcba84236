"""The client's Publisher service: the generated operations, and reports as tables."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final, TypeVar

from soapclient._support.lazy_pattern import LazyPattern
from soapclient.calling.engine import Engine
from soapclient.errors import TableError
from zxws.publisher.service import PACKAGE, PublisherService

if TYPE_CHECKING:
    from soapclient.tables.columns import TableColumn
    from soapclient.tables.tabular import Rows
    from soapclient.tracking.settings import Settings
    from zxws.publisher.types import (
        DateType,
        DateTypeValue,
        GetReportBasicResponse,
        GroupBy,
        GroupByValue,
        ReportItem,
        ReviewState,
        ReviewStateValue,
        StatsType,
    )

__all__ = ["Publisher"]

T = TypeVar("T")


class Publisher(PublisherService):
    """The Publisher service: all operations of the contract as typed methods, and reports as tables.

    >>> import datetime as dt
    >>> from soapclient import Client
    >>> with Client() as client:
    ...     page = client.publisher.get_sales(date=dt.date(2026, 11, 1), date_type="trackingDate", items=2)
    ...     profile = client.publisher.get_profile().profile_item
    >>> len(page.sale_items), profile.country
    (2, 'DE')
    """

    def __init__(self, engine: Engine[Settings]) -> None:
        super().__init__(engine)
        self.engine = engine

    def report(
        self,
        *,
        from_date: dt.date,
        to_date: dt.date,
        currency: str | None = None,
        program_id: int | None = None,
        admedium_id: int | None = None,
        adspace_id: int | None = None,
        review_state: ReviewState | ReviewStateValue | None = None,
        group_by: Sequence[GroupBy | GroupByValue] = (),
        date_type: DateType | DateTypeValue | None = None,
        by_state: bool = False,
    ) -> Rows:
        """Call `get_report_basic` and return the report as a table: see `report_rows`."""
        response = self.get_report_basic(
            from_date=from_date,
            to_date=to_date,
            currency=currency,
            program_id=program_id,
            admedium_id=admedium_id,
            adspace_id=adspace_id,
            review_state=review_state,
            group_by=group_by,
            date_type=date_type,
        )
        return report_rows(response, by_state=by_state)


_STATES: Final = ("total", "open", "approved", "confirmed", "rejected")
_WEEKDAY: Final = LazyPattern(r"[1-7]", re.ASCII)
_DAY: Final = LazyPattern(r"\d{4}-\d\d-\d\d", re.ASCII)
_YEAR: Final = LazyPattern(r"\d{4}", re.ASCII)


class _ReportRow:
    """A row of the table that `report_rows` returns: an item of the report, with its day and year parsed.

    - `day` is a date. If the item is for a day of the week, `day` is None, and `day_of_week` is the number of
      this day of the week, from 1 to 7.
    - `state` is the review state of the row, and `stats` has the figures of this state. Both are None if the
      row is for all states.
    """

    def __init__(self, item: ReportItem, row: int, state: str | None) -> None:
        self._item = item
        weekday = item.day is not None and _WEEKDAY.fullmatch(item.day) is not None
        self.day_of_week = int(item.day or 0) if weekday else None
        self.day = None if weekday else _parsed("day", item.day, row, _day, "2026-11-01")
        self.year = _parsed("year", item.year, row, _year, "2026")
        self.state = state
        self.stats: StatsType | None = None if state is None else getattr(item, state)

    def __getattr__(self, name: str) -> object:
        if name.startswith("_"):  # `_item` does not exist yet while `copy` builds an object
            raise AttributeError(name)
        return getattr(self._item, name)


def _day(text: str) -> dt.date:
    if not _DAY.fullmatch(text):
        raise ValueError(text)
    return dt.date.fromisoformat(text)


def _year(text: str) -> int:
    if not _YEAR.fullmatch(text):
        raise ValueError(text)
    return int(text)


def _parsed(column: str, text: str | None, row: int, parse: Callable[[str], T], example: str) -> T | None:
    try:
        return None if text is None else parse(text)
    except ValueError:
        advice = "Read the text in the response."
        raise TableError("GetReportBasic", column, row, text, f"a value such as {example}", advice) from None


def report_rows(response: GetReportBasicResponse, *, by_state: bool = False) -> Rows:
    """Return a report as a table with one row per group, such as a day of a program.

    - `day` is a date, `year` a number. If the groups are days of the week, `day_of_week` is 1 to 7.
    - Figures have columns such as `confirmed_sale_commission`: a review state or `total`, then the figure.
    - With `by_state`, each group has one row for each review state and one for `total`. The column `state`
      has the name, and the other columns have the figures of this state.

    Raises TableError for an invalid day or year.
    """
    # Imported late, because only reports need tables.
    from soapclient.tables.columns import Shape, TableColumn, layout_of_type
    from soapclient.tables.tabular import Rows

    base = layout_of_type(PACKAGE.codec, "ReportItem")
    columns: list[TableColumn] = []
    for column in base.columns:
        if column.path == ("day",):
            columns.append(column._replace(shape=Shape("date32")))
            columns.append(TableColumn("day_of_week", ("day_of_week",), Shape("int8")))
        elif column.path == ("year",):
            columns.append(column._replace(shape=Shape("int16")))
        elif not (by_state and column.path[0] in _STATES):
            columns.append(column)
    if by_state:
        columns.append(TableColumn("state", ("state",), Shape("enum", values=_STATES)))
        stats = layout_of_type(PACKAGE.codec, "StatsType").columns
        columns += [column._replace(path=("stats", *column.path)) for column in stats]
    states = _STATES if by_state else (None,)
    items = enumerate(response.report_items or (), 1)
    rows = [_ReportRow(item, at, state) for at, item in items for state in states]
    return Rows("GetReportBasic", base._replace(columns=tuple(columns)), rows)
