"""Responses that belong to another request: late duplicates on a used connection, and values not echoed."""

from __future__ import annotations

import contextlib
import datetime as dt
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import pytest

from soapclient import Client
from soapclient.errors import AmbiguousOutcome, ResponseError, SoapClientError
from tests.soap.conftest import responses, send
from zxws.publisher.service import PACKAGE
from zxws.publisher.types import AdspaceItem

if TYPE_CHECKING:
    from tests.soap.conftest import OpenClient
    from tests.support.wire import Exchange, Wire

FIRST = dt.date(2026, 11, 1)
DATES = [FIRST + dt.timedelta(days=number) for number in range(12)]


class Repeating:
    """A server that sends each response twice: again when the next request has arrived.

    This is what a late duplicate looks like on a connection in use.
    """

    def __init__(self, wire: Wire, respond: Callable[[Exchange], bytes]) -> None:
        self._last: dict[object, bytes] = {}
        self._wire = wire
        self._respond = respond

    def expect(self, count: int) -> None:
        for _ in range(count):
            self._wire.does(self._act)

    def _act(self, exchange: Exchange) -> None:
        connection = exchange.handler.client_address
        body = self._respond(exchange)
        head = f"HTTP/1.1 200 OK\r\nContent-Type: text/xml\r\nContent-Length: {len(body)}\r\n\r\n"
        response = head.encode() + body
        exchange.write(self._last.get(connection, b"") + response)
        self._last[connection] = response


def sales_of_the_day() -> Callable[[Exchange], bytes]:
    """Return a response whose total is the requested day. Nothing else identifies its request."""
    return lambda exchange: responses.sales(
        total=dt.date.fromisoformat(exchange.sent.fields["date"][:10]).day
    )


def adspace(number: int) -> str:
    fields = (
        "<name>A</name><url>https://a.example</url><description/><adspaceType>website</adspaceType>"
        "<visitors>1</visitors><impressions>1</impressions><language>de</language>"
        "<checkNumber>1</checkNumber>"
    )
    return f'<adspaceItem id="{number}">{fields}</adspaceItem>'


def test_a_late_duplicate_is_not_taken_for_the_response_to_a_write(client: Client, wire: Wire) -> None:
    def respond(exchange: Exchange) -> bytes:
        return responses.of("DeleteAdspace", f"<count>{exchange.sent.fields['adspaceId']}</count>")

    Repeating(wire, respond).expect(10)
    assert [client.publisher.delete_adspace(adspace_id=n).count for n in range(10)] == list(range(10))
    assert len(set(wire.connections)) == 10


@pytest.mark.parametrize("attempts", [1, 4])
def test_a_late_duplicate_is_not_taken_for_the_response_to_a_read(
    open_client: OpenClient, wire: Wire, attempts: int
) -> None:
    """No value tells them apart. Each attempt is repeated over a new connection, without a wait."""
    client = open_client(attempts=attempts)
    Repeating(wire, sales_of_the_day()).expect(40)
    totals = [client.publisher.get_sales(date=day, date_type="trackingDate").total for day in DATES]
    assert totals == [day.day for day in DATES]


def test_the_same_response_to_other_requests_is_accepted(client: Client, wire: Wire) -> None:
    """A static server is healthy.

    Its response could be a duplicate, so one request is repeated. From then on, each such request has its own
    connection.
    """
    wire.numbered = False
    for _ in range(len(DATES) + 1):
        wire.answers(responses.sales())
    for day in DATES:
        assert client.publisher.get_sales(date=day, date_type="trackingDate").total == 0
    first, second, *others = wire.connections
    assert first == second
    assert len(others) == len({first, *others}) - 1 == len(DATES) - 1


def test_a_late_duplicate_is_recognized_although_the_response_takes_long(client: Client, wire: Wire) -> None:
    """The response to the second request arrives only after the client has left its connection."""
    respond = sales_of_the_day()
    first = b""
    repeated = threading.Event()

    def answer(exchange: Exchange) -> None:
        nonlocal first
        body = respond(exchange)
        send(exchange, body)
        first = first or body

    def duplicate(exchange: Exchange) -> None:
        send(exchange, first)
        repeated.wait(5)

    def answer_again(exchange: Exchange) -> None:
        repeated.set()
        answer(exchange)

    for action in (answer, duplicate, answer_again):
        wire.does(action)
    totals = [client.publisher.get_sales(date=day, date_type="trackingDate").total for day in DATES[:2]]
    assert totals == [1, 2]


@pytest.mark.parametrize("refused", [False, True])
def test_late_duplicate_does_not_hide_the_change_of_a_write(
    client: Client, wire: Wire, *, refused: bool
) -> None:
    """The request is the same before and after the write, and so is the duplicate of its response."""
    both, used = threading.Barrier(2, timeout=5), set[object]()
    before, after = responses.sales(total=5), responses.sales(total=4)

    def answer(exchange: Exchange) -> None:
        connection = exchange.handler.client_address
        body = before if len(wire.sent) <= 2 or connection in used else after
        if len(wire.sent) != 6:  # all reads come in pairs, except the repeated one
            both.wait()
        used.add(connection)
        send(exchange, body)

    def two_totals() -> list[int | None]:
        def total() -> int | None:
            return client.publisher.get_sales(date=FIRST, date_type="trackingDate").total

        with ThreadPoolExecutor() as threads:
            return [future.result() for future in [threads.submit(total), threads.submit(total)]]

    for _ in range(2):
        wire.does(answer)
    assert two_totals() == [5, 5]
    with pytest.raises(SoapClientError) if refused else contextlib.nullcontext():
        if refused:
            wire.answers(responses.fault(107, "no"), 500)
        else:
            wire.answers(responses.of("DeleteAdspace", "<count>1</count>"))
        client.publisher.delete_adspace(adspace_id=1)
    for _ in range(3):
        wire.does(answer)
    assert two_totals() == [4, 4]
    assert len(wire.sent) == 6


def test_connection_with_an_identical_response_is_reused_for_the_same_request_only(
    client: Client, wire: Wire
) -> None:
    """Responses may have shifted by one. This makes no difference to the same request."""
    wire.numbered = False
    for day in (DATES[0], DATES[0], DATES[0], DATES[1]):
        wire.answers(responses.sales())
        client.publisher.get_sales(date=day, date_type="trackingDate")
    first, second, third, other = wire.connections
    assert first == second == third
    assert other != first


@pytest.mark.parametrize("odd", ["surplus byte", "two lengths"])
def test_connection_is_not_reused_after_odd_framing(client: Client, wire: Wire, odd: str) -> None:
    body = responses.profile()
    length = f"Content-Length: {len(body)}\r\n" * (2 if odd == "two lengths" else 1)
    response = f"HTTP/1.1 200 OK\r\nContent-Type: text/xml\r\n{length}\r\n".encode() + body

    for _ in range(2):
        wire.does(lambda exchange: exchange.write(response + (b"x" if odd == "surplus byte" else b"")))
        assert client.publisher.get_profile().profile_item is not None
    assert len(set(wire.connections)) == 2


def test_connection_is_not_reused_after_a_mismatched_response(once: Client, wire: Wire) -> None:
    wire.answers(responses.of("GetAdspaces"))
    wire.answers(responses.profile())
    with pytest.raises(ResponseError):
        once.publisher.get_profile()
    assert once.publisher.get_profile().profile_item is not None
    assert len(set(wire.connections)) == 2


# ---- echoes


def test_a_read_whose_response_has_another_id_is_retried(open_client: OpenClient, wire: Wire) -> None:
    for number in (8, 8, 7):
        wire.answers(responses.of("GetAdspace", adspace(number)))
    item = open_client().publisher.get_adspace(adspace_id=7).adspace_item
    assert item is not None
    assert item.id == 7
    assert len(wire.sent) == 3
    for _ in range(2):
        wire.answers(responses.of("GetAdspace", adspace(8)))
    with pytest.raises(ResponseError, match="GetAdspaceResponse/adspaceItem/@id is '8', expected 7, as requ"):
        open_client(attempts=2).publisher.get_adspace(adspace_id=7)
    assert len(wire.sent) == 5


def test_write_whose_response_has_another_id_is_ambiguous(client: Client, wire: Wire) -> None:
    wire.answers(responses.of("UpdateAdspace", adspace(8)))
    item = AdspaceItem(
        id=7, name="A", url="https://a.example", description="", adspace_type="website", visitors=1,
        impressions=1, language="de", check_number=1,
    )  # fmt: skip
    with pytest.raises(AmbiguousOutcome, match="expected 7"):
        client.publisher.update_adspace(adspace_item=item)
    assert len(wire.sent) == 1


@pytest.mark.parametrize(
    ("returned", "accepted"), [("007", True), (" 7 ", True), ("8", False), ("7" * 5000, False)]
)
def test_ids_are_compared_as_numbers(once: Client, wire: Wire, returned: str, *, accepted: bool) -> None:
    item = responses.sale(1).replace('id="sale-1"', f'id="{returned}"')
    wire.answers(responses.of("GetSale", item))
    with contextlib.nullcontext() if accepted else pytest.raises(ResponseError, match="expected 7, as req"):
        once.publisher.get_sale(sale_id="7")


@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    ("requested", "page", "items", "accepted"),
    [
        pytest.param({"page": 3}, 3, 0, True, id="the page"),
        pytest.param({"page": 3}, 4, 0, False, id="another page"),
        pytest.param({}, 4, 0, True, id="no page requested"),
        pytest.param({"items": 2}, 0, 2, True, id="a full page"),
        pytest.param({"items": 50}, 0, 2, True, id="fewer items: the last page, or a service that clamps"),
        pytest.param({"items": 1}, 0, 2, False, id="more items than requested"),
    ],
)
@pytest.mark.parametrize("streamed", [False, True])
def test_page_and_items_are_compared(
    once: Client, wire: Wire, requested: dict[str, Any], page: int, items: int, accepted: bool, streamed: bool
) -> None:
    given: Any = {"date": FIRST, "date_type": "trackingDate"} | requested
    wire.answers(responses.sales(*map(responses.sale, range(items)), page=page))
    refused = pytest.raises(ResponseError, match="as requested")
    with contextlib.nullcontext() if accepted else refused:
        if streamed:
            with once.publisher.stream.get_sales(**given) as sales:
                list(sales)
        else:
            once.publisher.get_sales(**given)


def test_contract_declares_the_echoed_fields() -> None:
    """Independent of the table: each response of a paged list has the request's page."""
    for operation in PACKAGE.operations.values():
        declared = {echo.request for echo in operation.row.echoes}
        assert (operation.row.pages is not None) == ("page" in declared), operation.name
