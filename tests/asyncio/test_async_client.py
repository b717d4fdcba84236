"""`AsyncClient` and `connect_async` against a served sandbox, over loopback."""

from __future__ import annotations

import asyncio
import datetime as dt
import inspect
import logging
import threading
from collections.abc import Awaitable, Callable
from contextvars import ContextVar
from pathlib import Path
from typing import Any

import pytest
from werkzeug.wrappers import Request, Response

from soapclient import AsyncClient, Client, Settings, connect, connect_async, days
from soapclient.auth.credentials import Credentials
from soapclient.connection import Attempt
from soapclient.errors import ClientClosed, ConfigError, ContractError
from soapclient.runtime import AsyncItemPages
from soapclient.tracking.async_client import AsyncExport
from soapclient.tracking.sandbox import SAMPLE_CONNECT_ID, SAMPLE_SECRET_KEY
from tests.asyncio.running import Counting, client_of, looped
from tests.stage import Stage
from zxws.publisher.service import PublisherService, PublisherServiceAsync
from zxws.publisher.types import SaleItem

DAY = dt.date(2026, 11, 1)
YEAR = days("2026-01-01", "2026-12-31")


def test_async_client_has_the_parameters_of_the_client() -> None:
    """Signatures, as `help` and notebooks show them."""
    for asynchronous, other in ((AsyncClient, Client), (connect_async, connect)):
        shown, taken = (dict(inspect.signature(each).parameters) for each in (asynchronous, other))
        assert shown.keys() == taken.keys()
        assert [name for name in taken if shown[name] != taken[name]] == ["service"] * (other is connect)


@pytest.mark.exhaustive
@looped
async def test_calls_pages_and_streams_return_the_items_of_the_client(stage: Stage) -> None:
    with stage.client() as other:
        expected = other.publisher.search_programs(items=7)
        names = [item.name for item in other.publisher.iterate.search_programs(items=40)]
    async with client_of(stage) as client:
        assert await client.publisher.search_programs(items=7) == expected
        heard: list[tuple[int, int, int | None]] = []
        pages = client.publisher.iterate.search_programs(items=40)
        assert (pages.given, pages.total, pages.page) == (0, None, None)
        loop_thread = threading.get_ident()

        def on_page(*page: Any) -> None:
            assert threading.get_ident() == loop_thread
            heard.append(page)

        pages.on_page(on_page)
        assert [item.name async for item in pages] == names
        assert (pages.given, pages.total) == (len(names), len(names))
        assert [page for page, _, _ in heard] == list(range(-(-len(names) // 40)))
        async with client.publisher.stream.search_programs(items=7) as programs:
            assert [item async for item in programs] == expected.program_items
            assert (programs.given, programs.head.total) == (7, expected.total)


@pytest.mark.exhaustive
@looped
async def test_iterator_reports_the_next_page(stage: Stage) -> None:
    async with client_of(stage) as client:
        pages = client.publisher.iterate.search_programs(items=2)
        seen = []
        async for _ in pages:
            seen.append(pages.page)
            if len(seen) == 5:
                break
        assert seen == [0, 1, 1, 2, 2]
        following = client.publisher.iterate.search_programs(items=2, page=2)
        rest = [item.id async for item in following]
        whole = [item.id async for item in client.publisher.iterate.search_programs()]
        assert rest == whole[4:]


@looped
async def test_errors_equal_the_errors_of_the_client(stage: Stage) -> None:
    async with client_of(stage) as client:
        with pytest.raises(ContractError, match=r"items must be an int from .*, got the string '5'"):
            await client.publisher.search_programs(items="5")  # type: ignore[arg-type] # invalid on purpose
        with pytest.raises(ContractError, match="not a valid value"):
            async for _ in client.publisher.iterate.search_programs(page=-1):
                pass
        with pytest.raises(ContractError, match="got the string '5'"):
            async with client.publisher.stream.search_programs(items="5"):  # type: ignore[arg-type] # invalid on purpose
                pass


@looped
async def test_export_is_ordered_and_downloaded(stage: Stage, tmp_path: Path) -> None:
    async with client_of(stage) as client:
        export = await client.data.export(report_type="click", from_date=DAY, to_date=DAY)
        assert isinstance(export, AsyncExport)
        assert await export.wait(deadline=3600) is not None
        assert (await export.status()).phase == "done"
        file = await export.download(tmp_path / "clicks.csv.gz")
        assert file.row_count == sum(1 for _ in file.rows())
        again = await client.data.exports.resume(export.handle)
        assert (again.id, again.handle, again.reordered) == (export.id, export.handle, None)


@pytest.mark.exhaustive
@looped
async def test_five_hundred_calls_start_in_order_and_each_has_its_full_deadline() -> None:
    """Each request takes ten of the sixty seconds of its deadline.

    The last call waits for a thread for 5,000 seconds.
    """
    counting, stages = Counting(), list[Stage]()

    def slow(request: Request) -> Response | None:
        stages[0].clock.advance(10)
        return counting(request)

    with Stage(interfere=slow) as stage:
        stages.append(stage)
        async with client_of(stage, pool_size=1, deadline=60) as client:
            asked = [client.publisher.search_programs(items=1, page=at) for at in range(500)]
            for at, response in enumerate(await asyncio.gather(*asked)):
                assert response.page == at
    assert counting.pages == list(range(500))


@looped
async def test_calls_do_not_wait_for_exports_or_streams(stage: Stage) -> None:
    async with client_of(stage, pool_size=1) as client:
        export = await client.data.export(report_type="click", from_date=DAY, to_date=DAY)
        polled, asked = asyncio.Event(), threading.Event()
        loop = asyncio.get_running_loop()

        def hold(snapshot: object) -> None:
            loop.call_soon_threadsafe(polled.set)
            asked.wait(60)

        waiting = asyncio.create_task(export.wait(deadline=3600, on_progress=hold))
        await polled.wait()
        async with client.publisher.stream.search_programs(items=3) as programs:
            async for program in programs:
                assert (await client.publisher.get_program(program_id=program.id)).program_item
        asked.set()
        await waiting


@looped
async def test_a_call_that_is_cancelled_before_it_begins_is_never_sent() -> None:
    counting = Counting(held=1)
    with Stage(interfere=counting) as stage:
        async with client_of(stage, pool_size=1) as client:
            first, second, third = (
                asyncio.create_task(client.publisher.search_programs(items=1, page=at)) for at in range(3)
            )
            await asyncio.to_thread(counting.arrived.acquire)
            second.cancel()
            with pytest.raises(asyncio.CancelledError):
                await second
            counting.go_on.set()
            assert [(await each).page for each in (first, third)] == [0, 2]
    assert counting.pages == [0, 2]


async def _call(client: AsyncClient) -> object:
    return await client.publisher.search_programs(items=1, page=0)


async def _make_table(client: AsyncClient) -> object:
    return await client.publisher.iterate.search_programs(items=1).to_arrow()


@pytest.mark.parametrize("make", [_call, _make_table], ids=["call", "table"])
@looped
async def test_cancelled_call_is_not_retried(make: Callable[[AsyncClient], Awaitable[object]]) -> None:
    """The clock is real: if the call were retried, closing the client would wait for most of its deadline."""
    counting = Counting(status=503)
    with Stage(interfere=counting) as stage:
        config = stage.client(deadline=3600).settings
        waits = asyncio.Event()
        loop = asyncio.get_running_loop()

        def heard(attempt: Attempt) -> None:
            if attempt.error is not None:
                loop.call_soon_threadsafe(waits.set)

        async with AsyncClient(config, on_attempt=heard, random=lambda: 1.0) as client:
            call = asyncio.ensure_future(make(client))
            await waits.wait()
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(call, 0)
        assert not [each.name for each in threading.enumerate() if each.name.startswith("soapclient-async")]
    assert counting.pages == [0]


@looped
async def test_call_runs_in_the_context_of_its_task(stage: Stage) -> None:
    request_of: ContextVar[str] = ContextVar("request_of")
    heard: list[str] = []

    async def call(client: AsyncClient, name: str) -> None:
        request_of.set(name)
        await client.publisher.search_programs(items=1)

    async with AsyncClient(
        stage.client().settings,
        clock=stage.clock,
        on_attempt=lambda attempt: heard.append(request_of.get()),
    ) as client:
        await asyncio.gather(*(call(client, name) for name in "abc"))
    assert sorted(set(heard)) == ["a", "b", "c"]


@looped
async def test_closed_client_makes_no_calls() -> None:
    counting = Counting(held=1)
    with Stage(interfere=counting) as stage:
        client = client_of(stage, pool_size=1)
        running, waiting = (
            asyncio.create_task(client.publisher.search_programs(items=1, page=at)) for at in range(2)
        )
        await asyncio.to_thread(counting.arrived.acquire)
        closing = asyncio.create_task(client.aclose())
        with pytest.raises(ClientClosed, match=r"search_programs: the client was closed\. Nothing was sent"):
            await waiting
        assert not closing.done()
        counting.go_on.set()
        assert (await running).page == 0  # the sent request gets its response
        await closing
        with pytest.raises(ClientClosed):
            await client.publisher.search_programs(items=1)
        await client.aclose()  # a second time
    assert counting.pages == [0]


@looped
async def test_cancelled_close_still_closes_the_client() -> None:
    """Closing stops to wait for the running call, which still gets its response."""
    counting = Counting(held=1)
    with Stage(interfere=counting) as stage:
        client = client_of(stage)
        running = asyncio.create_task(client.publisher.search_programs(items=1, page=0))
        await asyncio.to_thread(counting.arrived.acquire)
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(client.aclose(), 0.1)
        with pytest.raises(ClientClosed):
            client.sync.publisher.search_programs(items=1)
        counting.go_on.set()
        assert (await running).page == 0
    assert counting.pages == [0]


@looped
async def test_view_has_other_call_options() -> None:
    heard: list[str] = []

    def interfere(request: Request) -> Response | None:
        heard.append(request.headers.get("X-Team", ""))
        return None

    with Stage(interfere=interfere) as stage:
        async with client_of(stage) as client:
            view = client.with_options(headers={"X-Team": "maps"})
            async with view as same:
                await same.publisher.search_programs(items=1)
            await client.publisher.search_programs(items=1)  # closing a view closes nothing
            async with view.publisher.stream.search_programs(items=1) as programs:
                assert [item async for item in programs]
            async with client.publisher.with_options(headers={"X-Team": "own"}) as publisher:
                assert type(publisher) is type(client.publisher)
                await publisher.search_programs(items=1)
            with pytest.raises(ConfigError, match="iterate: AsyncAdvertiser does not have this method"):
                print(client.advertiser.iterate)  # type: ignore[attr-defined] # invalid on purpose
            assert publisher.drift.counts() == {}
            await client.publisher.aclose()
            with pytest.raises(ClientClosed):
                await publisher.search_programs(items=1)
    assert heard == ["maps", "", "maps", "own"]


@pytest.mark.exhaustive
@looped
async def test_package_service_is_called(stage: Stage) -> None:
    credentials = Credentials(SAMPLE_CONNECT_ID, SAMPLE_SECRET_KEY)
    address = f"{stage.url}/soap/publisher/2011-03-01"
    with stage.client() as other:
        address = other.publisher.engine.address
        ids = [item.id for item in other.publisher.iterate.search_programs()]
    connection = connect_async(
        PublisherServiceAsync,
        address=address,
        credentials=credentials,
        settings=Settings(pool_size=2),
        clock=stage.clock,
    )
    async with connection as service:
        response = await service.search_programs(items=3)
        assert [item.id for item in response.program_items or ()] == ids[:3]
        assert service is connection
        async with service.stream.search_programs(items=5) as programs:
            assert [item.id async for item in programs] == ids[:5]
        assert [item.id async for item in service.iterate.search_programs()] == ids
        view = connection.with_options(deadline=30)
        assert (await view.search_programs(items=3)).total == response.total
        async with view as same:  # opens and closes nothing
            assert (await same.search_programs(items=3)).total == response.total
        assert view.sync is not connection.sync
        assert view.sync.drift is connection.sync.drift
        assert (await service.search_programs(items=3)).total == response.total


async def check_two_at_a_time(service: Any, counting: Counting, calls: int) -> None:
    """Make calls, of which only two are sent before the first response."""
    asked = [asyncio.create_task(service.search_programs(items=1, page=at)) for at in range(calls)]
    for _ in range(2):
        await asyncio.to_thread(counting.arrived.acquire)
    names = [each.name for each in threading.enumerate()]
    assert len([name for name in names if name.startswith("soapclient-async-call")]) == 2
    assert sorted(counting.pages) == [0, 1]
    counting.go_on.set()
    await asyncio.gather(*asked)


@pytest.mark.parametrize("by", ["argument", "environment"])
@looped
async def test_pool_size_from_any_source_limits_the_calls_of_a_connection(
    by: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    counting = Counting(held=2)
    given: Any = {"pool_size": 2} if by == "argument" else {}
    if by == "environment":
        monkeypatch.setenv("SOAPCLIENT_POOL_SIZE", "2")
    with Stage(interfere=counting) as stage:
        with stage.client() as other:
            address = other.publisher.engine.address
        credentials = Credentials(SAMPLE_CONNECT_ID, SAMPLE_SECRET_KEY)
        connection = connect_async(
            PublisherServiceAsync, address=address, credentials=credentials, clock=stage.clock, **given
        )
        async with connection as service:
            await check_two_at_a_time(service, counting, calls=8)


@looped
async def test_settings_allow_concurrent_calls_of_a_client() -> None:
    counting = Counting(held=2)
    with Stage(interfere=counting) as stage:
        async with client_of(stage, pool_size=2) as client:
            await check_two_at_a_time(client.publisher, counting, calls=4)


def test_views_of_an_unopened_connection_are_refused() -> None:
    with pytest.raises(RuntimeError, match=r"not open\. Use it with `async with`"):
        connect_async(PublisherServiceAsync).with_options(deadline=5)


@looped
async def test_connect_async_refuses_other_arguments(stage: Stage) -> None:
    with pytest.raises(ConfigError, match="PublisherService is not a class for asyncio"):
        connect_async(PublisherService)  # type: ignore[arg-type]
    with pytest.raises(ConfigError, match="address"):
        async with connect_async(PublisherServiceAsync, address="ftp://nowhere"):
            pass


@looped
async def test_asyncio_logger_gets_no_records(stage: Stage, caplog: pytest.LogCaptureFixture) -> None:
    """asyncio would log futures whose errors are never retrieved."""
    with caplog.at_level(logging.DEBUG, logger="asyncio"):
        async with client_of(stage) as client:
            with pytest.raises(ContractError):
                await client.publisher.search_programs(items="5")  # type: ignore[arg-type]
    assert [record for record in caplog.records if record.levelno > logging.DEBUG] == []


def year_of(client: AsyncClient, **given: Any) -> Any:
    """The pages of a list of a year of days."""
    return client.publisher.iterate.get_sales(date=YEAR, date_type="trackingDate", **given)


@looped
async def test_cancelled_table_stops_after_its_page(stage: Stage, tmp_path: Path) -> None:
    heard: list[int] = []
    first = asyncio.Event()

    def begun(page: int, read: int, total: int | None) -> None:
        heard.append(page)
        first.set()

    async with client_of(stage) as client:
        pages = year_of(client, items=1)
        table = asyncio.create_task(pages.on_page(begun).to_parquet(tmp_path / "year.parquet"))
        await first.wait()  # waits in the event loop while the table is built
        table.cancel()
        with pytest.raises(asyncio.CancelledError):
            await table
    # Its thread has ended, because closing waits for it.
    assert len(heard) < 200
    assert not (tmp_path / "year.parquet").exists()


@looped
async def test_cancelled_table_without_rows_stops_after_its_page(stage: Stage) -> None:
    """The pages of the table have no rows, so the cancellation must be checked between pages."""
    loop, first = asyncio.get_running_loop(), asyncio.Event()
    asked: list[int] = []

    def heard(_: object) -> None:
        asked.append(1)
        loop.call_soon_threadsafe(first.set)

    config = stage.client().settings
    async with AsyncClient(config, clock=stage.clock, on_attempt=heard) as client:
        pages = year_of(client, program_id=999)
        table = asyncio.create_task(pages.to_arrow())
        await first.wait()
        table.cancel()
        with pytest.raises(asyncio.CancelledError):
            await table
    assert len(asked) < 200


@looped
async def test_iterator_over_days_reports_the_page_of_the_client(stage: Stage) -> None:
    span = days("2026-07-01", "2026-07-02")
    expected = []
    of_client = stage.client().publisher.iterate.get_sales(date=span, date_type="trackingDate", items=50)
    for _ in of_client:
        expected.append(of_client.page)
    async with client_of(stage) as client:
        pages = client.publisher.iterate.get_sales(date=span, date_type="trackingDate", items=50)
        assert [pages.page async for _ in pages] == expected
    assert expected.count(0) > 90  # rows of both days


@looped
async def test_closing_the_client_stops_a_table(stage: Stage, tmp_path: Path) -> None:
    first = asyncio.Event()
    client = client_of(stage)
    pages = year_of(client, items=1)
    pages.on_page(lambda *_: first.set())
    table = asyncio.create_task(pages.to_parquet(tmp_path / "year.parquet"))
    await first.wait()
    await client.aclose()
    with pytest.raises(ClientClosed):
        await table
    assert not (tmp_path / "year.parquet").exists()


@looped
async def test_exception_of_a_listener_stops_the_table(stage: Stage) -> None:
    def heard(page: int, read: int, total: int | None) -> None:
        raise LookupError(page)

    async with client_of(stage) as client:
        pages = year_of(client, items=1)
        with pytest.raises(LookupError):
            await pages.on_page(heard).to_arrow()


@looped
async def test_refused_table_can_be_requested_again(stage: Stage) -> None:
    async with client_of(stage) as client:
        pages = client.publisher.iterate.get_sales(date=DAY, date_type="trackingDate")
        with pytest.raises(ConfigError, match="zone"):
            await pages.to_arrow(zone="Nowhere")
        assert len(await pages.to_arrow(zone="Europe/Berlin")) > 0


@pytest.mark.exhaustive
@looped
async def test_lists_are_frames(stage: Stage) -> None:
    async with client_of(stage) as client:

        def sales() -> AsyncItemPages[SaleItem]:
            return client.publisher.iterate.get_sales(date=DAY, date_type="trackingDate", items=50)

        ids = [sale.id async for sale in sales()]
        assert list((await sales().to_pandas(zone="Europe/Berlin"))["id"]) == ids
        assert (await sales().to_polars())["id"].to_list() == ids


@looped
async def test_lists_are_tables(stage: Stage, tmp_path: Path) -> None:
    heard: list[int] = []
    async with client_of(stage) as client:
        iterate = client.publisher.iterate

        def sales() -> AsyncItemPages[SaleItem]:
            return iterate.get_sales(date=DAY, date_type="trackingDate", items=50)

        ids = [sale.id async for sale in sales()]
        pages = sales().on_page(lambda page, read, total: heard.append(page))
        assert (await pages.to_arrow())["id"].to_pylist() == ids
        assert heard == [0, 1]
        with pytest.raises(RuntimeError, match="items were already read"):
            await pages.to_arrow()
        for write in (sales().to_parquet, sales().to_csv, sales().to_excel):
            assert (await write(tmp_path / "sales.any")).rows == len(ids)
        week = iterate.get_sales(date=days("2026-07-01", "2026-07-03", workers=2), date_type="trackingDate")
        one = [
            sale.id
            for day in (1, 2, 3)
            async for sale in iterate.get_sales(date=dt.date(2026, 7, day), date_type="trackingDate")
        ]
        assert (await week.to_parquet(tmp_path / "week.parquet")).rows == len(one)
        for workers in (1, 2):
            span = days("2026-07-01", "2026-07-03", workers=workers)
            again = iterate.get_sales(date=span, date_type="trackingDate")
            assert [sale.id async for sale in again] == one
