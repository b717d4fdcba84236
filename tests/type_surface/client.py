"""What users of `Client` and `connect` have: the types of today's surface. Read by type checkers, never run.

A line that ends in `# type: ignore[…]` must be an error: checkers report ignores that nothing needs.
"""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from typing import assert_type

from soapclient import Client, Settings, connect
from soapclient.connection import Attachment
from soapclient.runtime.service import DriftCounts
from soapclient.tracking.advertiser import Advertiser
from soapclient.tracking.data import Data
from soapclient.tracking.exports import Export
from soapclient.tracking.publisher import Publisher
from zxws.advertiser.service import AdvertiserService
from zxws.publisher.service import PublisherService, PublisherServicePages, PublisherServiceStreams
from zxws.publisher.types import (
    DateType,
    GetSaleResponse,
    GetSalesResponse,
    ProgramItem,
    SaleItem,
    SearchProgramsResponse,
)


def of_a_client(client: Client, day: dt.date) -> None:
    assert_type(client.settings, Settings)
    assert_type(client.publisher, Publisher)
    assert_type(client.data, Data)
    assert_type(client.advertiser, Advertiser)
    assert_type(client.publisher.search_programs(items=1), SearchProgramsResponse)
    assert_type(client.publisher.get_sales(date=day, date_type="trackingDate"), GetSalesResponse)
    assert_type(
        client.publisher.get_sales(date=day, date_type=DateType.CLICK_DATE).sale_items, list[SaleItem] | None
    )
    assert_type(client.publisher.get_sale(sale_id="1"), GetSaleResponse)
    assert_type(client.publisher.with_options(deadline=5), Publisher)
    with client as same:
        assert_type(same, Client)
    Client(protocol="rest")
    Client(protocol="reST")  # type: ignore[arg-type]
    client.publisher.get_sales(date=day, date_type="nonsense")  # type: ignore[arg-type]
    client.publisher.get_sales(date_type="clickDate")  # type: ignore[call-arg]
    client.publisher.search_programs(item=1)  # type: ignore[call-arg]
    client.publisher.search_programm(items=1)  # type: ignore[attr-defined]


def of_lists(client: Client, day: dt.date) -> None:
    assert_type(client.with_options(deadline=5, headers={"X-Team": "a"}, request_id="r"), Client)
    client.with_options(attempts="many")  # type: ignore[arg-type]
    iterate = client.publisher.iterate
    assert_type(iterate, PublisherServicePages)
    for program in iterate.search_programs(query="shoes"):
        assert_type(program, ProgramItem)
    assert_type(client.publisher.stream, PublisherServiceStreams)
    with client.publisher.stream.get_sales(date=day, date_type="trackingDate") as sales:
        for sale in sales:
            assert_type(sale, SaleItem)
            assert_type(sale.amount, Decimal)
    iterate.search_programs(pages=1)  # type: ignore[call-overload]


def of_exports(client: Client, day: dt.date) -> None:
    assert_type(client.data.export(report_type="click", from_date=day, to_date=day), Export)


def of_a_service() -> None:
    service = connect(PublisherService, address="https://publisher.example/soap")
    assert_type(service, PublisherService)
    with service as same:
        assert_type(same, PublisherService)
        assert_type(same.get_sale(sale_id="1"), GetSaleResponse)
    service.get_sales(date="2026-11-01", date_type="trackingDate")  # type: ignore[arg-type]
    service.search_products(query="q", program_id=7)  # type: ignore[arg-type]
    service.search_products(query="q", program_id=[7, 8])
    service.get_sales(date_type="clickDate").sale_items[0]  # type: ignore[call-arg, index]
    assert_type(service.with_options(deadline=dt.timedelta(seconds=5), attempts=1), PublisherService)
    service.with_options(patience=5)  # type: ignore[call-arg]  # there is no such option
    assert_type(service.stream, PublisherServiceStreams)
    assert_type(service.iterate, PublisherServicePages)
    assert_type(next(service.iterate.search_programs(query="shoes")), ProgramItem)
    assert_type(service.zeep.GetSale(saleId="1"), object)
    assert_type(service.drift, DriftCounts)
    with service.soap.attachments(Attachment(b"")) as beside:
        assert_type(beside.received, tuple[Attachment, ...])
    connect("PublisherService")  # type: ignore[arg-type]
    connect(PublisherService, adress="https://publisher.example/soap")  # type: ignore[call-arg]


def of_a_service_without_pages() -> None:
    print(connect(AdvertiserService).iterate)  # type: ignore[attr-defined]  # no list has pages
