"""Decoding a response over REST is bounded in time and memory, whatever the response contains."""

from __future__ import annotations

import json
import tracemalloc
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest
from lxml import etree

from soapclient import Client, Settings
from soapclient.calling.reader import ResponseReader
from soapclient.errors import ResponseError, Timeout
from soapclient.rest.responses import interpret
from soapclient.runtime import DecodeError
from tests.support.clocks import Ticking
from tests.support.sales import DAY, SALE, sales, stream_of_sales, xml_of
from zxws.publisher.service import GET_SALES

if TYPE_CHECKING:
    from tests.conftest import RestClient
    from tests.support.wire import Recorder

MANY = 10_000
SPACE = "http://api.zanox.com/namespace/2011-03-01/"
PAGE = {"page": 0, "items": 1, "total": 1}
NAMES = {f"name{number}": "x" for number in range(MANY)}


def partnerships(client: Client) -> object:
    return client.advertiser.partnerships(["a"])


@pytest.fixture
def ticking(rest_client: RestClient) -> Client:
    """A client whose clock passes the deadline while it reads a response."""
    return rest_client(rest_format="json", clock=Ticking(), deadline=60, attempts=1)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("call", [sales, stream_of_sales])
@pytest.mark.parametrize(
    "document",
    [
        {**PAGE, "saleItems": {"saleItem": []}, **NAMES},
        {**PAGE, "saleItems": {"saleItem": [], **NAMES}},
        {**PAGE, "saleItems": {"saleItem": [{**SALE, **NAMES}]}},
        {**PAGE, "saleItems": {"saleItem": [{**SALE, "gpps": {"gpp": [{"@id": "a", "$": "b", **NAMES}]}}]}},
        {**PAGE, "saleItems": {"saleItem": [{**SALE, "unknown": ["x"] * MANY}]}},
        # Without the other fields, the document is not decoded directly, which would take less time.
        {**PAGE, "saleItems": {"saleItem": [{"gpps": {"gpp": [{"@id": "a", "$": "b"}] * MANY}}]}},
        NAMES,
    ],
    ids=["top", "list", "item", "nested item", "array", "known nested items", "unknown alone"],
)
def test_json_is_read_within_the_deadline(
    ticking: Client, recorder: Recorder, call: Callable[[Client], object], document: object
) -> None:
    recorder.answers(json.dumps(document))
    with pytest.raises(Timeout) as caught:
        call(ticking)
    assert caught.value.operation == "GetSales"
    assert caught.value.request_sent


@pytest.mark.sampled(4)
@pytest.mark.parametrize("values", [[1], [0.5], [{}]], ids=["integers", "fractions", "objects"])
@pytest.mark.parametrize("call", [sales, partnerships])
def test_the_deadline_applies_while_json_is_parsed(
    ticking: Client, recorder: Recorder, call: Callable[[Client], object], values: list[object]
) -> None:
    """Only the end of a document shows whether it is well-formed. The deadline passes before that."""
    recorder.answers(json.dumps({"unknown": values * MANY})[:-1])
    with pytest.raises(Timeout):
        call(ticking)


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
    ticking: Client, recorder: Recorder, document: object
) -> None:
    recorder.answers(json.dumps(document))
    with pytest.raises(Timeout):
        partnerships(ticking)


def page_in_xml(count: int, items: str) -> str:
    """Return a page of sales."""
    head = f"<page>0</page><items>{count}</items><total>{count}</total>"
    return f'<GetSalesResponse xmlns="{SPACE}">{head}<saleItems>{items}</saleItems></GetSalesResponse>'


def test_xml_is_read_within_the_deadline(rest_client: RestClient, recorder: Recorder) -> None:
    recorder.answers(page_in_xml(1, "<unknown/>" * MANY), kind="application/xml")
    client = rest_client(clock=Ticking(), deadline=60, attempts=1)
    with pytest.raises(Timeout):
        sales(client)


def sales_in_xml(*clicks: object) -> str:
    """Return a page of sales with these click ids."""
    items = (xml_of("saleItem", SALE | {"clickId": click}) for click in clicks)
    return page_in_xml(len(clicks), "".join(items))


@pytest.mark.parametrize("call", [sales, stream_of_sales])
def test_an_invalid_item_of_xml_is_an_error_before_the_rest_is_read(
    rest_client: RestClient, recorder: Recorder, call: Callable[[Client], object]
) -> None:
    body = sales_in_xml("x", *range(3_000))
    recorder.answers(body, kind="application/xml")
    client = rest_client(attempts=1, max_response_nodes=20_000)
    with pytest.raises(ResponseError, match=r"saleItem\[1\]/clickId"):  # not: too many tags
        call(client)


@pytest.mark.exhaustive
def test_an_error_in_a_stream_of_xml_says_where_and_in_which_call(
    rest_client: RestClient, recorder: Recorder
) -> None:
    recorder.answers(sales_in_xml(*range(2_000), "x"), kind="application/xml")
    client = rest_client(attempts=1)
    seen: list[Any] = []
    with pytest.raises(ResponseError) as caught:
        stream_of_sales(client, seen)
    assert caught.value.path == "GetSalesResponse/saleItems/saleItem[2001]/clickId"
    assert caught.value.items_returned == len(seen) == 2_000
    assert caught.value.request_id == recorder.last.headers["x-request-id"]


@pytest.mark.parametrize("namespace", [True, False])
def test_call_and_stream_read_the_same_with_and_without_a_namespace(
    rest_client: RestClient, recorder: Recorder, namespace: bool
) -> None:
    body = sales_in_xml(1, 2, 3)
    body = body if namespace else body.replace(f' xmlns="{SPACE}"', "")
    client = rest_client(attempts=1)
    recorder.answers(body, kind="application/xml")
    response = client.publisher.get_sales(date=DAY, date_type="trackingDate")
    recorder.answers(body, kind="application/xml")
    assert response.sale_items == stream_of_sales(client)
    assert [item.click_id for item in response.sale_items or ()] == [1, 2, 3]
    assert client.drift.counts() == {}


@pytest.mark.exhaustive
def test_a_document_of_many_unknown_elements_needs_little_memory() -> None:
    """lxml creates a Python object for each accessed element.

    Kept in a list, they need more memory than the document.
    """
    root = etree.fromstring(b"<other>" + b"<x/>" * 100_000 + b"</other>")
    config = Settings.load(file=None, profile=None, environ={})
    row = GET_SALES.rest
    assert row is not None
    tracemalloc.start()
    try:
        with pytest.raises(DecodeError, match="another document"):
            interpret(GET_SALES, row, root, ResponseReader(config))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 1 << 20
