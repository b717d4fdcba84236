"""Reports as tables: a row for each group, with days and years, compared with zeep and sales by hand."""

from __future__ import annotations

import copy
import datetime as dt
import pickle
from collections.abc import Callable
from decimal import Decimal
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

import pyarrow as pa
import pytest

from soapclient.tables import TableError
from soapclient.tracking.publisher import report_rows
from tests.stage import Stage
from zxws.publisher.types import GetReportBasicResponse, ReportItem, StatsType

if TYPE_CHECKING:
    from tests.tables.conftest import Read

FIRST, LAST = dt.date(2026, 7, 1), dt.date(2026, 7, 3)
STATES = ["total", "open", "approved", "confirmed", "rejected"]


@pytest.fixture(scope="module")
def theirs(stage: Stage) -> list[dict[str, object]]:
    """Return the report read by plain zeep."""
    berlin = ZoneInfo("Europe/Berlin")
    first, last = (dt.datetime(day.year, day.month, day.day, tzinfo=berlin) for day in (FIRST, LAST))
    response = stage.caller.call("GetReportBasic", fromDate=first, toDate=last, groupBy=["day", "program"])
    return [
        {
            "day": dt.date.fromisoformat(row.text("day")),
            "program_id": row.number("program.id"),
            "currency": row.text("currency"),
            **{state: row.number(f"{state}.saleCount") for state in STATES},
        }
        for row in response.each("reportItems.reportItem")
    ]


@pytest.mark.exhaustive
def test_each_group_is_a_row(stage: Stage, theirs: list[dict[str, object]]) -> None:
    with stage.client() as client:
        table = client.publisher.report(from_date=FIRST, to_date=LAST, group_by=["day", "program"]).to_arrow()
    groups = ("day", "program_id", "currency")
    assert [
        {name: row[name] for name in groups} | {state: row[f"{state}_sale_count"] for state in STATES}
        for row in table.to_pylist()
    ] == theirs
    assert (table.schema.field("day").type, table.schema.field("year").type) == (pa.date32(), pa.int16())
    assert table.schema.field("total_sale_commission").type == pa.decimal128(38, 9)


@pytest.mark.exhaustive
def test_each_state_may_have_a_row(stage: Stage, theirs: list[dict[str, object]]) -> None:
    asked: dict[str, Any] = {"from_date": FIRST, "to_date": LAST, "group_by": ["day", "program"]}
    groups = ("day", "program_id", "currency")
    with stage.client() as client:
        rows = client.publisher.report(**asked, by_state=True)
        table = rows.to_arrow().select([*groups, "state", "sale_count"])
    assert table.to_pylist() == [
        {name: row[name] for name in groups} | {"state": state, "sale_count": row[state]}
        for row in theirs
        for state in STATES
    ]


def test_report_of_a_day_equals_the_sum_of_its_sales(stage: Stage, read_sales: Read) -> None:
    sums: dict[str | None, Decimal] = {}
    for sale in read_sales(FIRST):
        sums[sale["currency"]] = sums.get(sale["currency"], Decimal(0)) + Decimal(sale["commission"] or "")
    with stage.client() as client:
        rows = client.publisher.report(from_date=FIRST, to_date=FIRST, group_by=["currency", "day"])
        found = rows.to_arrow().select(["currency", "day", "total_sale_commission"]).to_pylist()
    earned = {row["currency"]: row["total_sale_commission"] for row in found}
    assert {currency: total for currency, total in earned.items() if total} == sums
    assert {row["day"] for row in found} == {FIRST}


@pytest.mark.parametrize("again", [copy.copy, copy.deepcopy, lambda it: pickle.loads(pickle.dumps(it))])
def test_a_row_can_be_copied(again: Callable[[object], Any]) -> None:
    (row,) = report_rows(response(item(day="2026-11-01")))
    found = again(row)
    assert (found.day, found.currency) == (dt.date(2026, 11, 1), getattr(row, "currency", None))
    assert found.currency


def test_a_report_without_rows_has_the_same_columns(stage: Stage) -> None:
    with stage.client() as client:
        some = client.publisher.report(from_date=FIRST, to_date=FIRST)
        none = client.publisher.report(from_date=FIRST, to_date=FIRST, program_id=999)
        assert (len(some) > 0, len(none)) == (True, 0)
        assert some.to_arrow().schema == none.to_arrow().schema == none.schema()


def item(**more: str) -> ReportItem:
    states = dict.fromkeys(STATES, StatsType())
    return ReportItem(currency="EUR", **states, **more)  # type: ignore[arg-type]  # two kinds of values


def response(*items: ReportItem) -> GetReportBasicResponse:
    return GetReportBasicResponse(page=0, items=len(items), total=len(items), report_items=list(items))


def test_days_of_the_week_and_years_are_numbers() -> None:
    rows = report_rows(response(item(day="7", year="2026"), item(day="2026-11-01", month="2026-11")))
    assert rows.to_arrow().select(["day", "day_of_week", "month", "year"]).to_pylist() == [
        {"day": None, "day_of_week": 7, "month": None, "year": 2026},
        {"day": dt.date(2026, 11, 1), "day_of_week": None, "month": "2026-11", "year": None},
    ]


@pytest.mark.parametrize(
    ("field", "value", "example"),
    [
        ("day", "8", "2026-11-01"),
        ("day", "01.11.2026", "2026-11-01"),
        ("day", "20261101", "2026-11-01"),
        ("year", "99999", "2026"),
        ("year", " 2026", "2026"),
        ("year", "26 BC", "2026"),
    ],
)
def test_invalid_day_is_an_error(field: str, value: str, example: str) -> None:
    with pytest.raises(TableError) as raised:
        report_rows(response(item(), item(**{field: value})))
    said = f"GetReportBasic: {field} of row 2 is {value!r}, expected a value such as {example}."
    assert str(raised.value).startswith(said)
