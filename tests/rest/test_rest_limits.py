"""Reading a response over REST ends at the deadline, whatever the response holds."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

from soapclient import Client
from soapclient.clock import ManualClock
from soapclient.errors import Timeout

if TYPE_CHECKING:
    from tests.conftest import Recorder, RestClient

DAY = dt.date(2026, 11, 1)
MANY = 10_000
PAGE = {"page": 0, "items": 1, "total": 1}
NAMES = {f"name{number}": "x" for number in range(MANY)}
SALE = {
    "@id": "a",
    "reviewState": "open",
    "trackingDate": "2026-11-01T10:00:00Z",
    "modifiedDate": "2026-11-01T10:00:00Z",
    "clickDate": "2026-11-01T10:00:00Z",
    "adspace": {"@id": "1", "$": "a"},
    "program": {"@id": "1", "$": "a"},
}


class Ticking(ManualClock):
    """A clock that advances one second whenever it is read."""

    def __init__(self) -> None:
        super().__init__(dt.datetime(2026, 11, 20, 12, tzinfo=dt.UTC))

    def monotonic(self) -> float:
        self.advance(1)
        return super().monotonic()


def sales(client: Client) -> object:
    return client.publisher.get_sales(date=DAY, date_type="trackingDate")


def stream_of_sales(client: Client) -> object:
    with client.publisher.stream.get_sales(date=DAY, date_type="trackingDate") as stream:
        return list(stream)


def partnerships(client: Client) -> object:
    return client.advertiser.partnerships(["a"])


@pytest.mark.parametrize("call", [sales, stream_of_sales])
@pytest.mark.parametrize(
    "document",
    [
        {**PAGE, "saleItems": {"saleItem": []}, **NAMES},
        {**PAGE, "saleItems": {"saleItem": [], **NAMES}},
        {**PAGE, "saleItems": {"saleItem": [{**SALE, **NAMES}]}},
        {**PAGE, "saleItems": {"saleItem": [{**SALE, "gpps": {"gpp": [{"@id": "a", "$": "b", **NAMES}]}}]}},
        {**PAGE, "saleItems": {"saleItem": [{**SALE, "unknown": ["x"] * MANY}]}},
        {**PAGE, "saleItems": {"saleItem": [{**SALE, "gpps": {"gpp": [{"@id": "a", "$": "b"}] * MANY}}]}},
        NAMES,
    ],
    ids=["top", "list", "item", "nested item", "array", "known nested items", "unknown alone"],
)
def test_json_is_read_within_the_deadline(
    rest_client: RestClient, recorder: Recorder, call: Callable[[Client], object], document: object
) -> None:
    recorder.answers(json.dumps(document))
    client = rest_client(protocol="rest", rest_format="json", clock=Ticking(), deadline=60, attempts=1)
    with pytest.raises(Timeout) as caught:
        call(client)
    assert caught.value.operation == "GetSales"
    assert caught.value.request_sent


@pytest.mark.parametrize(
    "document",
    [
        {"partnerCodeList": [], **NAMES},
        {"partnerCodeList": [], "errorList": [{"code": 1, **NAMES}]},
        {"partnerCodeList": [{"partnerCode": "a", **NAMES}]},
    ],
    ids=["top", "errors", "item"],
)
def test_a_list_of_unknown_nesting_is_read_within_the_deadline(
    rest_client: RestClient, recorder: Recorder, document: object
) -> None:
    recorder.answers(json.dumps(document))
    client = rest_client(clock=Ticking(), deadline=60, attempts=1)
    with pytest.raises(Timeout):
        partnerships(client)


def test_xml_is_read_within_the_deadline(rest_client: RestClient, recorder: Recorder) -> None:
    space = "http://api.zanox.com/namespace/2011-03-01/"
    items = "<unknown/>" * MANY
    recorder.answers(
        f'<GetSalesResponse xmlns="{space}"><page>0</page><items>1</items><total>1</total>'
        f"<saleItems>{items}</saleItems></GetSalesResponse>",
        kind="application/xml",
    )
    client = rest_client(protocol="rest", clock=Ticking(), deadline=60, attempts=1)
    with pytest.raises(Timeout):
        sales(client)
