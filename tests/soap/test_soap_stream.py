"""Streams return the same items as a plain call, one by one, in constant memory."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree

from soapclient import Client
from soapclient.errors import ContractError, ResponseError, ServiceFault
from soapclient.runtime import CountingReader, Finding
from soapclient.soap.operations import TypedOperation
from soapclient.soap.streams import ResponseStream
from tests.rings import examples
from tests.soap.conftest import Pieces, cut, responses
from tests.support.sales import DAY, stream_of_sales
from zxws.publisher.service import GET_SALES, GET_TRACKING_CATEGORIES, PACKAGE

if TYPE_CHECKING:
    from tests.soap.conftest import OpenClient
    from tests.support.wire import Exchange, Wire


@pytest.mark.parametrize("validate", ["requests", "all", "off"])
def test_empty_and_missing_list_are_distinguished(open_client: OpenClient, wire: Wire, validate: str) -> None:
    client = open_client(validate=validate, stream_above=0)
    no_list = responses.of("GetSales", "<page>0</page><items>0</items><total>5</total>")
    for body, expected in ((responses.sales(total=5), []), (no_list, None)):
        wire.answers(body)
        with client.publisher.stream.get_sales(date=DAY, date_type="trackingDate") as sales:
            assert list(sales) == []
            assert sales.head.sale_items == expected
            assert sales.head.total == 5
        wire.answers(body)
        response = client.publisher.get_sales(date=DAY, date_type="trackingDate")
        assert (response.sale_items, response.total) == (expected, 5)


def test_fault_instead_of_a_stream_is_raised(client: Client, wire: Wire) -> None:
    wire.answers(responses.fault(107, "no"), 500)
    with pytest.raises(ServiceFault, match="no"):
        client.publisher.stream.get_sales(date=DAY, date_type="trackingDate").__enter__()
    assert len(wire.sent) == 1


def test_invalid_request_is_refused_before_opening_a_stream(client: Client, wire: Wire) -> None:
    untyped: Any = client.publisher.stream
    with pytest.raises(ContractError):
        untyped.get_sales(date=DAY, date_type="never").__enter__()
    assert wire.sent == []


# ---- errors in the middle


@pytest.mark.sampled(2)
@pytest.mark.parametrize("at", [0, 1, 399, 799])
def test_error_has_the_position_of_the_item_in_the_list(once: Client, wire: Wire, at: int) -> None:
    items = [responses.sale(n) for n in range(800)]
    items[at] = responses.sale(at, "<gpps><gpp>x</gpp></gpps>")  # a gpp must have an id
    items.insert(0, "<novelty/>")  # unknown elements do not count as items
    wire.answers(responses.sales(*items))
    seen: list[Any] = []
    with pytest.raises(ResponseError) as caught:
        stream_of_sales(once, seen)
    assert caught.value.path.startswith(f"GetSalesResponse/saleItems/saleItem[{at + 1}]/gpps/gpp")
    assert caught.value.items_returned == len(seen) == at
    wire.answers(responses.sales(*items))
    with pytest.raises(ResponseError) as plain:
        once.publisher.get_sales(date=DAY, date_type="trackingDate")
    assert plain.value.path == caught.value.path
    assert plain.value.items_returned is None


def test_error_of_a_long_call_equals_that_of_a_short_one(open_client: OpenClient, wire: Wire) -> None:
    body = responses.sales(*(responses.sale(n, amount="12,30" if n == 450 else "12.30") for n in range(500)))
    errors = []
    for above in (0, 10**9):
        wire.answers(body)
        with pytest.raises(ResponseError) as caught:
            open_client(stream_above=above).publisher.get_sales(date=DAY, date_type="trackingDate")
        errors.append((str(caught.value), caught.value.path, caught.value.items_returned))
    assert errors[0] == errors[1]
    assert errors[0][1:] == ("GetSalesResponse/saleItems/saleItem[451]/amount", None)


def test_second_list_is_an_error(once: Client, wire: Wire) -> None:
    wire.answers(responses.sales(responses.sale(1), more=f"<saleItems>{responses.sale(2)}</saleItems>"))
    with pytest.raises(ResponseError, match="at most one"):
        stream_of_sales(once)


def test_broken_header_fields_are_an_error_before_the_first_item(once: Client, wire: Wire) -> None:
    body = responses.sales(*(responses.sale(n) for n in range(500))).replace(b"<page>0<", b"<page>none<")
    wire.answers(body)
    with pytest.raises(ResponseError) as caught:
        once.publisher.stream.get_sales(date=DAY, date_type="trackingDate").__enter__()
    assert (caught.value.path, caught.value.value) == ("GetSalesResponse/page", "'none'")


def test_fields_after_the_list_are_available_at_the_end(client: Client, wire: Wire) -> None:
    items = "".join(responses.sale(n) for n in range(500))
    tail = "<page>0</page><items>500</items><total>500</total>"
    wire.answers(responses.of("GetSales", f"<saleItems>{items}</saleItems>{tail}"))
    with client.publisher.stream.get_sales(date=DAY, date_type="trackingDate") as sales:
        with pytest.raises(ResponseError, match="not read yet"):
            sales.head  # noqa: B018 - the access is what is tested
        assert len(list(sales)) == 500
        assert (sales.head.total, sales.head.sale_items) == (500, [])


def test_non_ascii_element_before_the_list_is_an_unknown_element(client: Client, wire: Wire) -> None:
    body = "<page>0</page><items>0</items><größe>7</größe><total>5</total><saleItems/>"
    wire.answers(responses.of("GetSales", body))
    with client.publisher.stream.get_sales(date=DAY, date_type="trackingDate") as sales:
        assert list(sales) == []
        assert sales.head.total == 5


def test_reading_an_abandoned_stream_is_an_error(client: Client, wire: Wire) -> None:
    wire.answers(responses.sales(*(responses.sale(n) for n in range(2000))))
    with client.publisher.stream.get_sales(date=DAY, date_type="trackingDate") as sales:
        next(sales)
    with pytest.raises(ValueError, match="inside its `with`"):
        list(sales)


# ---- retries


def test_stream_is_not_retried_after_its_first_item(client: Client, wire: Wire) -> None:
    whole = responses.sales(*(responses.sale(n) for n in range(500)))
    wire.does(cut(whole, 150_000))
    wire.answers(whole)
    seen: list[Any] = []
    with pytest.raises(Exception, match="connection") as caught:
        stream_of_sales(client, seen)
    assert len(wire.sent) == 1
    assert 100 < len(seen) < 500
    assert type(caught.value).__name__ == "ConnectionFailed"


def test_exception_of_the_caller_inside_a_stream_is_unchanged(client: Client, wire: Wire) -> None:
    wire.answers(responses.sales(responses.sale(1)))
    with (
        pytest.raises(ZeroDivisionError),
        client.publisher.stream.get_sales(date=DAY, date_type="trackingDate"),
    ):
        raise ZeroDivisionError
    assert len(wire.sent) == 1


# ---- unknown elements


def test_unknown_content_of_a_stream_is_counted_once(open_client: OpenClient, wire: Wire) -> None:
    items = [responses.sale(n, "<shade>red</shade>") for n in range(500)] + ["<novelty/>"] * 3
    body = responses.sales(*items, more="<after/>").replace(b"<page>", b'<before/><page unit="none">')
    body = body.replace(b"<saleItems>", b'<saleItems kind="new">')
    expected = {
        Finding("element", "GetSalesResponse/saleItems/saleItem/shade", ""): 500,
        Finding("element", "GetSalesResponse/saleItems/novelty", ""): 3,
        Finding("element", "GetSalesResponse/before", ""): 1,
        Finding("element", "GetSalesResponse/after", ""): 1,
        Finding("attribute", "GetSalesResponse/page/@unit", ""): 1,
        Finding("attribute", "GetSalesResponse/saleItems/@kind", ""): 1,
    }
    for above in (0, 10**9):
        client = open_client(stream_above=above)
        wire.answers(body)
        client.publisher.get_sales(date=DAY, date_type="trackingDate")
        assert client.drift.counts() == {("GetSales", found): times for found, times in expected.items()}
    client = open_client()
    wire.answers(body)
    assert len(stream_of_sales(client)) == 500
    assert client.drift.counts() == {("GetSales", found): times for found, times in expected.items()}


def test_unfinished_stream_reports_its_findings(client: Client, wire: Wire) -> None:
    wire.answers(responses.sales(*(responses.sale(n, "<shade/>") for n in range(1000))))
    with client.publisher.stream.get_sales(date=DAY, date_type="trackingDate") as sales:
        for _ in range(10):
            next(sales)
    ((_, times),) = client.drift.counts().items()
    assert 10 <= times < 1000


# ---- a wrapper and items of one name


def tracking_category(number: int, more: str = "") -> str:
    return (
        f'<trackingCategoryItem id="c-{number}"><name>Category {number}</name>'
        f"<salePercent>{number}.50</salePercent>{more}</trackingCategoryItem>"
    )


def tracking_categories(*items: str) -> bytes:
    head = f"<page>0</page><items>{len(items)}</items><total>{len(items)}</total>"
    wrapped = f"<trackingCategoryItem>{''.join(items)}</trackingCategoryItem>"
    return responses.of("GetTrackingCategories", head + wrapped)


def test_error_below_a_wrapper_named_like_its_items_has_the_right_path(
    open_client: OpenClient, wire: Wire
) -> None:
    items = [tracking_category(n, "<viewFixed>much</viewFixed>" if n == 700 else "") for n in range(900)]
    wire.answers(tracking_categories(*items))
    with (
        pytest.raises(ResponseError) as caught,
        open_client().publisher.stream.get_tracking_categories(adspace_id=1, program_id=2) as stream,
    ):
        list(stream)
    wrapper = "GetTrackingCategoriesResponse/trackingCategoryItem"
    assert caught.value.path == f"{wrapper}/trackingCategoryItem[701]/viewFixed"


# ---- any chunk boundaries, any number of items


@settings(max_examples=examples(60), deadline=None)
@given(
    count=st.integers(0, 6),
    unknown=st.lists(st.integers(0, 6), max_size=2),
    cuts=st.lists(st.integers(0, 5000), max_size=12),
    same_name=st.booleans(),
    white=st.sampled_from(["", "\n  ", "<!-- c -->"]),
)
def test_stream_items_equal_the_tree_for_any_chunks(
    count: int, unknown: list[int], cuts: list[int], same_name: bool, white: str
) -> None:
    operation: Any = GET_TRACKING_CATEGORIES if same_name else GET_SALES
    items = [tracking_category(n) if same_name else responses.sale(n, "<x/>") for n in range(count)]
    for at in unknown:
        items.insert(at, "<novelty>1</novelty>")
    items = [white + item for item in items]
    body = tracking_categories(*items) if same_name else responses.sales(*items, more="<after/>")

    tree_reader = CountingReader()
    node = etree.fromstring(body, etree.XMLParser(remove_comments=True))[0][0]
    expected = operation.read_response(node, tree_reader)

    def pieces() -> Iterator[bytes]:
        edges = [0, *sorted(cut for cut in cuts if cut < len(body)), len(body)]
        for start, end in pairwise(edges):
            if start < end:
                yield body[start:end]

    def opened(reader: CountingReader) -> ResponseStream:
        answer: Any = Pieces()
        return ResponseStream(
            TypedOperation(operation, fault_shape=PACKAGE.settings.fault), answer, pieces(), reader
        )

    reader = CountingReader()
    stream = opened(reader)
    assert list(stream) == getattr(expected, operation.list_field)
    assert reader.findings == tree_reader.findings
    collected_reader = CountingReader()
    assert opened(collected_reader).collect() == expected
    assert collected_reader.findings == tree_reader.findings


# ---- memory

MEMORY = """
import datetime as dt, resource, sys
from soapclient import Client, Settings
client = Client(Settings.load(environ={}, connect_id="nobody", secret_key="none", publisher_url=sys.argv[1]))
seen, peaks = 0, {}
with client.publisher.stream.get_sales(date=dt.date(2026, 11, 1), date_type="trackingDate") as sales:
    for sale in sales:
        seen += 1
        if seen in (2_000, 40_000):
            peaks[seen] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print(seen, peaks[40_000] - peaks[2_000])
"""


@pytest.mark.exhaustive
def test_a_long_stream_needs_no_more_memory_than_a_short_one(wire: Wire) -> None:
    block = "".join(responses.sale(n) for n in range(1000)).encode()
    head, _, tail = responses.sales().partition(b"</saleItems>")

    def long(exchange: Exchange) -> None:
        exchange.head(Transfer_Encoding="chunked")
        for piece in (head, *[block] * 40, b"</saleItems>" + tail):
            exchange.write(b"%x\r\n%b\r\n" % (len(piece), piece))
        exchange.write(b"0\r\n\r\n")

    wire.does(long)
    done = subprocess.run(
        [sys.executable, "-c", MEMORY, wire.url], capture_output=True, text=True, timeout=60, check=True
    )
    seen, grown = map(int, done.stdout.split())
    assert seen == 40_000
    assert len(block) * 38 > 12_000_000, "what is not kept must be worth noticing"
    assert grown < 3_000  # kilobytes


def test_second_thread_does_not_end_the_stream_of_the_first() -> None:
    body = responses.sales(*(responses.sale(number) for number in range(20)))
    waiting, resumed = threading.Event(), threading.Event()

    def pieces() -> Iterator[bytes]:
        yield body[: len(body) // 2]
        waiting.set()
        assert resumed.wait(30)
        yield body[len(body) // 2 :]

    answer: Any = Pieces()
    operation = TypedOperation(GET_SALES, fault_shape=PACKAGE.settings.fault)
    stream = ResponseStream(operation, answer, pieces(), CountingReader())
    with ThreadPoolExecutor(1) as pool:
        items = pool.submit(list, stream)
        assert waiting.wait(30)
        try:
            with pytest.raises(ValueError, match="already executing"):
                next(stream)
        finally:
            resumed.set()
        assert len(items.result(30)) == 20
