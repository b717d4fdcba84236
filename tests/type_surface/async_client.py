"""What users of `AsyncClient` and `connect_async` have. Read by type checkers, never run."""

from __future__ import annotations

import datetime as dt
from typing import assert_type

from soapclient import AsyncClient, Client, Settings, connect_async
from soapclient.runtime import AsyncItemPages, AsyncItemStream
from soapclient.tracking.advertiser import ProgramReport
from soapclient.tracking.async_client import AsyncExport, AsyncPublisher
from soapclient.tracking.exports import ExportFile
from soapclient.tracking.exports.jobs.job import JobSnapshot
from zxws.publisher.service import (
    PublisherService,
    PublisherServiceAsync,
    PublisherServiceAsyncPages,
    PublisherServiceAsyncStreams,
)
from zxws.publisher.types import GetSalesResponse, ProgramItem, SaleItem, SearchProgramsResponse


async def of_a_client(client: AsyncClient, day: dt.date) -> None:
    assert_type(client.settings, Settings)
    assert_type(client.sync, Client)
    assert_type(client.publisher, AsyncPublisher)
    assert_type(await client.publisher.search_programs(items=1), SearchProgramsResponse)
    assert_type(await client.publisher.get_sales(date=day, date_type="trackingDate"), GetSalesResponse)
    report = client.advertiser.program_report(1, from_date=day, to_date=day)
    assert_type(await report, ProgramReport)
    async with client as same:
        assert_type(same, AsyncClient)
    assert_type(client.with_options(deadline=5), AsyncClient)
    assert_type(client.publisher.with_options(deadline=5), AsyncPublisher)
    AsyncClient(Settings.load(), protocol="rest")
    AsyncClient(protocol="reST")  # type: ignore[arg-type]
    AsyncClient(protokol="rest")  # type: ignore[call-arg]
    await client.publisher.get_sales(date=day, date_type="nonsense")  # type: ignore[arg-type]
    await client.publisher.search_programs(item=1)  # type: ignore[call-arg]
    client.publisher.search_programm(items=1)  # type: ignore[attr-defined]


async def of_lists(client: AsyncClient, day: dt.date) -> None:
    pages = client.publisher.iterate.search_programs(query="shoes")
    assert_type(pages, AsyncItemPages[ProgramItem])
    async for program in pages.on_page(lambda page, read, total: None):
        assert_type(program, ProgramItem)
    stream = client.publisher.stream.get_sales(date=day, date_type="trackingDate")
    assert_type(stream, AsyncItemStream[GetSalesResponse, SaleItem])
    async with stream as sales:
        async for sale in sales:
            assert_type(sale, SaleItem)
        assert_type(sales.head, GetSalesResponse)
    client.publisher.iterate.search_programs(pages=1)  # type: ignore[call-arg]


async def of_exports(client: AsyncClient, day: dt.date) -> None:
    export = await client.data.export(report_type="click", from_date=day, to_date=day, currency="EUR")
    assert_type(export, AsyncExport)
    assert_type(await export.wait(deadline=600), AsyncExport)
    assert_type(await export.status(), JobSnapshot)
    assert_type(await export.download("clicks.csv.gz"), ExportFile)
    assert_type(await client.data.exports.resume(export.handle), AsyncExport)
    await export.wait(dead_line=600)  # type: ignore[call-arg]


async def of_a_service() -> None:
    service = connect_async(
        PublisherServiceAsync, address="https://publisher.example/soap", settings=Settings()
    )
    assert_type(service, PublisherServiceAsync)
    async with service as same:
        assert_type(same, PublisherServiceAsync)
        assert_type(await same.search_programs(items=1), SearchProgramsResponse)
    assert_type(service.with_options(deadline=5), PublisherServiceAsync)
    assert_type(service.stream, PublisherServiceAsyncStreams)
    assert_type(service.iterate, PublisherServiceAsyncPages)
    connect_async(PublisherService)  # type: ignore[arg-type]
    connect_async(PublisherServiceAsync, adress="https://publisher.example")  # type: ignore[call-arg]
