"""Responses that differ from the contract: tolerated and counted, or rejected with validate="all"."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING

import pytest

from soapclient import Client
from soapclient.errors import ConfigError, ResponseError
from soapclient.runtime import Finding
from tests.soap.conftest import cut, responses
from tests.support.sales import DAY, stream_of_sales

if TYPE_CHECKING:
    from tests.soap.conftest import OpenClient
    from tests.support.wire import Wire

PROFILE = "GetProfileResponse/profileItem"


def profile_of(client: Client, wire: Wire, body: bytes) -> object:
    wire.answers(body)
    return client.publisher.get_profile()


def test_naive_date_time_gets_the_configured_zone_and_is_counted(open_client: OpenClient, wire: Wire) -> None:
    found = Finding("naive-time", "GetSalesResponse/saleItems/saleItem/trackingDate", "")
    for zone, hours in (("Europe/Berlin", 2), ("America/New_York", -4)):
        client = open_client(naive_zone=zone)
        for _ in range(2):
            wire.answers(responses.sales(responses.sale(1, trackingDate="2026-07-01T10:00:00")))
        (sale,) = client.publisher.get_sales(date=DAY, date_type="trackingDate").sale_items or []
        (streamed,) = stream_of_sales(client)
        for each in (sale, streamed):
            assert each.tracking_date is not None
            assert each.tracking_date.utcoffset() == dt.timedelta(hours=hours)
        assert client.drift.counts() == {("GetSales", found): 2}


def test_unknown_zone_is_an_error_on_use(open_client: OpenClient, wire: Wire) -> None:
    client = open_client(naive_zone="Europe/Nowhere")
    wire.answers(responses.sales(responses.sale(1)))
    client.publisher.get_sales(date=DAY, date_type="trackingDate")
    wire.answers(responses.sales(responses.sale(1, trackingDate="2026-07-01T10:00:00")))
    with pytest.raises(ConfigError, match="naive_zone"):
        client.publisher.get_sales(date=DAY, date_type="trackingDate")


def test_truncated_and_retried_response_is_counted_once(open_client: OpenClient, wire: Wire) -> None:
    body = responses.sales(*(responses.sale(n, "<shade/>") for n in range(300)))
    wire.does(cut(body, -100))
    wire.answers(body)
    client = open_client(stream_above=0)
    client.publisher.get_sales(date=DAY, date_type="trackingDate")
    assert list(client.drift.counts().values()) == [300]


def test_services_of_a_client_share_one_count(client: Client, wire: Wire) -> None:
    profile_of(client, wire, responses.profile("<badge/>"))
    space = "http://data.zanox.com/namespace/2011-05-01/"
    wire.answers(responses.of("GetJob", "<news/>", space=space))
    client.data.get_job(job_id="job-1")
    assert {operation for operation, _ in client.drift.counts()} == {"GetProfile", "GetJob"}


# ---- validate="all"


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("body", "path", "expected"),
    [
        (responses.profile("<badge>x</badge>"), f"{PROFILE}/badge", "not expected"),
        (responses.profile(loginName=None), f"{PROFILE}/userName", "loginName"),
        (responses.profile(isAdvertiser="perhaps"), f"{PROFILE}/isAdvertiser", "xsd:boolean"),
        (responses.profile().replace(b"4711", b"x"), f"{PROFILE}/@id", "xsd:int"),
    ],
    ids=["unknown", "missing", "value", "attribute"],
)
def test_strict_client_refuses_schema_violations(
    open_client: OpenClient, wire: Wire, body: bytes, path: str, expected: str
) -> None:
    client = open_client(validate="all")
    with pytest.raises(ResponseError) as caught:
        profile_of(client, wire, body)
    assert caught.value.path == path
    assert expected in caught.value.expected
    assert len(wire.sent) == 1
    assert profile_of(client, wire, responses.profile()) is not None


def test_validate_all_checks_a_stream_before_its_first_item(open_client: OpenClient, wire: Wire) -> None:
    items = [responses.sale(n) for n in range(20)]
    client = open_client(validate="all")
    wire.answers(responses.sales(*items))
    with client.publisher.stream.get_sales(date=DAY, date_type="trackingDate") as sales:
        assert sales.head.sale_items == []
        assert len(list(sales)) == sales.given == 20
    wire.answers(responses.sales(*items, "<saleItem/>"))
    with pytest.raises(ResponseError, match="saleItem"):
        client.publisher.stream.get_sales(date=DAY, date_type="trackingDate").__enter__()


def test_plain_zeep_service_is_strict_if_the_client_is(open_client: OpenClient, wire: Wire) -> None:
    strict, usual = open_client(validate="all"), open_client()
    wire.answers(responses.profile(isAdvertiser="perhaps"))
    with pytest.raises(ResponseError, match="isAdvertiser"):
        strict.publisher.zeep.GetProfile()
    wire.answers(responses.profile())
    strict.publisher.zeep.GetProfile()
    wire.answers(responses.profile(isAdvertiser="perhaps"))
    usual.publisher.zeep.GetProfile()
    wire.answers(responses.fault(107, "no"), 500)
    with pytest.raises(Exception, match="no") as caught:
        strict.publisher.zeep.GetProfile()
    assert type(caught.value).__name__ == "Fault"  # zeep's own
