"""Streams, pages and exports return the same items in the same order over all protocols."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from soapclient import Client
from soapclient.errors import ContractError
from soapclient.runtime import ItemStream
from zxws.publisher.types import GetSalesResponse, SaleItem

if TYPE_CHECKING:
    from tests.protocols.conftest import Ways

DAY = dt.date(2026, 11, 1)
Pages = Callable[[Client], Iterable[object]]
Sales = AbstractContextManager["ItemStream[GetSalesResponse, SaleItem]"]


# name → (all pages of a list, number of items)
PAGES: dict[str, tuple[Pages, int]] = {
    "sales": (lambda c: c.publisher.iterate.get_sales(date=DAY, date_type="trackingDate"), 96),
    "leads": (lambda c: c.publisher.iterate.get_leads(date=DAY, date_type="trackingDate", items=7), 59),
    "programs": (lambda c: c.publisher.iterate.search_programs(region="ES"), 73),
    "exclusive": (lambda c: c.publisher.iterate.search_exclusive_incentives(items=50), 100),
    "no products": (lambda c: c.publisher.iterate.search_products(query="no such thing"), 0),
    "categories": (
        lambda c: c.publisher.iterate.get_tracking_categories(program_id=1801, adspace_id=25978510),
        4,
    ),
    "spaces": (lambda c: c.publisher.iterate.get_adspaces(page=1, items=10), 13),
    "balances": (lambda c: c.publisher.iterate.get_balances(items=5), 12),
    "jobs": (lambda c: c.data.iterate.get_jobs(), 0),
}


@pytest.mark.sampled(1)
@pytest.mark.parametrize("name", PAGES)
def test_all_pages_of_a_list_are_the_same_over_all_protocols(ways: Ways, name: str) -> None:
    ask, count = PAGES[name]
    answers = {way.name: list(ask(way.client)) for way in ways.values()}
    assert {way: len(items) for way, items in answers.items()} == dict.fromkeys(ways, count)
    for way, items in answers.items():
        assert items == answers["soap"], way
        assert ways[way].client.drift.counts() == {}


@pytest.mark.sampled(1)
@pytest.mark.parametrize("name", ["soap", "rest-xml-headers", "rest-json-headers"])
def test_pages_of_any_size_have_the_same_items_and_are_told_to_listeners(ways: Ways, name: str) -> None:
    iterate = ways[name].client.publisher.iterate
    whole = list(iterate.get_sales(date=DAY, date_type="trackingDate"))
    told: list[tuple[int, int, int | None]] = []
    for chained in (False, True):
        given: Any = {} if chained else {"on_page": lambda *one: told.append(one)}
        pages = iterate.get_sales(date=DAY, date_type="trackingDate", items=35, **given)
        assert list(pages.on_page(lambda *one: told.append(one)) if chained else pages) == whole
        assert told == [(0, 35, 96), (1, 70, 96), (2, 96, 96)]
        told.clear()
    assert list(iterate.get_sales(date=DAY, date_type="trackingDate", items=35, page=1)) == whole[35:]
    # Nothing is sent before the first page, and a type checker rejects the call.
    with pytest.raises(ContractError):
        next(
            iterate.get_sales(date=5, date_type="trackingDate").on_page(print)  # type: ignore[call-overload] # invalid on purpose
        )


@pytest.mark.sampled(1)
@pytest.mark.parametrize(("page", "count"), [(0, 50), (1, 46), (2, 0)])
def test_a_stream_is_the_same_over_all_protocols(ways: Ways, page: int, count: int) -> None:
    def opened(client: Client) -> Sales:
        return client.publisher.stream.get_sales(date=DAY, date_type="trackingDate", page=page, items=50)

    answers = {}
    for name, way in ways.items():
        with opened(way.client) as stream:
            sales = list(stream)
            answers[name] = (sales, stream.given, stream.head.page, stream.head.items, stream.head.total)
        whole = way.client.publisher.get_sales(date=DAY, date_type="trackingDate", page=page, items=50)
        assert sales == (whole.sale_items or [])
    for name, answer in answers.items():
        assert answer == answers["soap"], name
        assert answer[1:] == (count, page, count, 96)


def test_advertiser_report_can_be_streamed(ways: Ways) -> None:
    rows = []
    for way in ways.values():
        program = way.sandbox.program_of(str(way.client.settings.connect_id))
        with way.client.advertiser.stream.get_program_report(
            program_id=program, from_date=DAY, to_date=dt.date(2026, 11, 4), group_by=["day"]
        ) as stream:
            rows.append(list(stream))
    assert [row.day for row in rows[0]] == ["2026-11-01", "2026-11-02", "2026-11-03"]
    assert all(row == rows[0] for row in rows)


def test_invalid_page_is_refused_before_sending(ways: Ways) -> None:
    for way in ways.values():
        with pytest.raises(ContractError, match=r"items.*50"):
            way.client.publisher.iterate.search_programs(items=51)


@pytest.mark.exhaustive
def test_export_is_ordered_awaited_and_downloaded_over_all_protocols(
    fresh_ways: Ways, tmp_path: Path
) -> None:
    files = {}
    for name, way in fresh_ways.items():
        path = tmp_path / f"{name}.csv.gz"
        export = way.client.data.export(
            report_type="click", from_date=DAY, to_date=dt.date(2026, 11, 2), date_type="clickDate"
        )
        assert way.client.data.get_job(job_id=str(export.id)).job_item is not None
        file = export.wait(deadline=60).download(path)
        rows = list(file.rows())
        assert len(rows) == 2 * 40  # clicks_per_day
        assert [one.id for one in way.client.data.iterate.get_jobs()] == [export.id]
        files[name] = (rows, path.read_bytes())
        assert way.client.drift.counts() == {}
    for name, found in files.items():
        assert found == files["soap"], name
