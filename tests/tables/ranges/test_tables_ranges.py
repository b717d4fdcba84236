"""Ranges of days: in order, page by page, with and without workers."""

from __future__ import annotations

import datetime as dt
import threading
from collections import Counter
from contextvars import ContextVar
from pathlib import Path
from typing import Any

import pytest

from soapclient import Client, days
from soapclient.errors import ConfigError, ContractError, UnexpectedResponse
from tests.stage import Stage
from tests.tables.ranges.range_of_sales import DAYS, FIRST, LAST, Gate, Ids, flat, sales


@pytest.mark.sampled(1)
@pytest.mark.parametrize("workers", [1, 3, 9])
def test_items_are_returned_day_by_day_in_order(
    client: Client, gate: Gate, expected: Ids, workers: int
) -> None:
    heard: list[tuple[int, int, int | None]] = []
    pages = sales(client, workers, items=50).on_page(lambda *page: heard.append(page))
    assert (pages.day, pages.page, pages.given, pages.total) == (FIRST, 0, 0, None)
    found = [(pages.day, sale.id) for sale in pages]
    assert found == [(day, each) for day in DAYS for each in expected[day]]
    assert (pages.day, pages.given, pages.total) == (None, len(found), len(found))
    told, before = [], 0
    for ids in expected.values():
        pages_of_day = range(0, len(ids), 50)
        told += [(page, before + min(len(ids), at + 50), None) for page, at in enumerate(pages_of_day)]
        before += len(ids)
    assert heard == told
    assert len(gate.asked) == len(told)
    assert set(gate.asked) == set(DAYS)


def test_no_read_ahead_without_workers(client: Client, gate: Gate) -> None:
    pages = sales(client, items=50)
    next(pages)
    assert gate.asked == [FIRST]
    assert pages.page == 0


def test_workers_request_days_concurrently(client: Client, gate: Gate) -> None:
    """Three requests wait for each other, so that fewer concurrent requests would never return."""
    gate.meeting = meeting = threading.Barrier(3, timeout=30)
    pages = sales(client, 3, date=days(FIRST, dt.date(2026, 7, 1), workers=3))
    next(pages)
    assert set(gate.asked) == set(DAYS[:3])
    meeting.abort()


@pytest.mark.parametrize("workers", [1, 2])
def test_failed_day_raises_in_order_and_is_requested_again(
    client: Client, gate: Gate, expected: Ids, workers: int
) -> None:
    gate.broken = {DAYS[2]}
    pages = sales(client, workers)
    found: list[str | None] = []
    with pytest.raises(UnexpectedResponse):
        found.extend(sale.id for sale in pages)
    assert found == expected[DAYS[0]] + expected[DAYS[1]]
    assert pages.day == DAYS[2]
    gate.broken = set()
    assert [sale.id for sale in pages] == expected[DAYS[2]] + expected[DAYS[3]]


@pytest.mark.parametrize("workers", [1, 3])
def test_exception_of_a_listener_loses_or_repeats_no_day(client: Client, expected: Ids, workers: int) -> None:
    told: list[int] = []

    def heard(page: int, read: int, total: int | None) -> None:
        told.append(page)
        if len(told) == 3:
            raise LookupError

    pages = sales(client, workers).on_page(heard)
    found: list[str | None] = []
    with pytest.raises(LookupError):
        found.extend(sale.id for sale in pages)
    before = len(found)
    found.extend(sale.id for sale in pages)
    assert 0 < before < len(found)
    assert sorted(map(str, found)) == sorted(map(str, flat(expected)))


def test_failed_day_stops_the_read_ahead(client: Client, gate: Gate) -> None:
    """The workers stop after their current page."""

    class Meeting:
        """Waits until all three are at their first pages. Later pages wait for the failure."""

        first = threading.Barrier(3, timeout=30)
        failed = threading.Event()

        def wait(self) -> None:
            if len(gate.asked) <= 3:
                self.first.wait()
            else:
                self.failed.wait(30)

    gate.broken, meeting = {DAYS[0]}, Meeting()
    gate.meeting = meeting
    with pytest.raises(UnexpectedResponse):
        next(sales(client, 3, items=1))
    meeting.failed.set()
    for thread in threading.enumerate():
        if thread.name.startswith("soapclient-days"):
            thread.join(30)
            assert not thread.is_alive()
    assert Counter(gate.asked)[DAYS[0]] == 1
    assert max(Counter(gate.asked).values()) <= 2


@pytest.mark.exhaustive
@pytest.mark.parametrize("workers", [1, 3])
def test_workers_run_in_the_context_of_the_caller(
    stage: Stage, client: Client, tmp_path: Path, workers: int
) -> None:
    """Tracing spans depend on it."""
    mark: ContextVar[str] = ContextVar("mark", default="lost")
    seen: set[str] = set()
    mark.set("kept")
    with Client(client.settings, clock=stage.clock, on_attempt=lambda _: seen.add(mark.get())) as listening:
        list(sales(listening, workers))
        sales(listening, workers).to_parquet(tmp_path / "sales.parquet")
    assert seen == {"kept"}


def test_optional_day_does_not_accept_a_range(client: Client) -> None:
    """An omitted day means all days from the given one on."""
    with pytest.raises(ContractError, match="a range is not allowed for an optional date"):
        client.publisher.iterate.search_programs(start_date=days(FIRST, LAST))


@pytest.mark.parametrize("first", ["2026-06-29", dt.date(2026, 6, 29)])
def test_days_accept_dates_and_texts(client: Client, gate: Gate, first: dt.date | str) -> None:
    list(sales(client, date=days(first, "2026-06-30"), items=50))
    assert set(gate.asked) == {DAYS[0], DAYS[1]}


@pytest.mark.exhaustive
def test_days_accept_types_of_numpy_and_pandas(client: Client, gate: Gate) -> None:
    import numpy as np
    import pandas as pd

    pairs: list[tuple[Any, Any]] = [
        (np.datetime64("2026-06-29"), np.datetime64("2026-06-30T00:00:00")),
        (pd.Timestamp("2026-06-29"), pd.Timestamp(2026, 6, 30)),
    ]
    for first, last in pairs:
        gate.asked = []
        list(sales(client, date=days(first, last), items=50))
        assert set(gate.asked) == {DAYS[0], DAYS[1]}
    missing: Any = pd.NaT
    with pytest.raises(ConfigError, match="first: must be a date such as 2026-07-01, got NaT"):
        days(missing, "2026-07-01")


JULY = "2026-07-01"


@pytest.mark.parametrize(
    ("first", "last", "workers", "message"),
    [
        ("2026-07-02", JULY, 1, "last: is 2026-07-01, which is before first (2026-07-02)"),
        ("1.7.2026", JULY, 1, "first: must be a date such as 2026-07-01, got '1.7.2026'"),
        (JULY, "20260702", 1, "last: must be a date such as 2026-07-01, got '20260702'"),
        (dt.datetime(2026, 7, 1), JULY, 1, "first: must be a date"),
        (JULY, JULY, 0, "workers: must be from 1 to 32, got 0"),
        (JULY, JULY, True, "workers: must be from 1 to 32"),
    ],
)
def test_invalid_days_are_refused(first: Any, last: Any, workers: int, message: str) -> None:
    with pytest.raises(ConfigError) as raised:
        days(first, last, workers=workers)
    assert str(raised.value).startswith(message)


def test_range_is_accepted_only_by_iterate(client: Client, gate: Gate) -> None:
    span = days(FIRST, LAST)
    only_there = "a range of days is allowed only in `iterate`"
    with pytest.raises(ContractError, match=rf"{only_there}.*days\(2026-06-29, "):
        client.publisher.get_sales(date=span, date_type="trackingDate")
    with (
        pytest.raises(ContractError, match=only_there),
        client.publisher.stream.get_sales(date=span, date_type="trackingDate"),
    ):
        pass
    with pytest.raises(ContractError, match="page: it cannot be combined with a range of days"):
        client.publisher.iterate.get_sales(date=span, date_type="trackingDate", page=1)
    both: Any = {"program_id": span}
    with pytest.raises(ContractError, match="and only in one field"):
        client.publisher.iterate.get_sales(date=span, date_type="trackingDate", **both)
    assert gate.asked == []
