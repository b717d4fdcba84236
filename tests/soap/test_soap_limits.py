"""Calls are bounded in time and size, and connections are returned to the pool."""

from __future__ import annotations

import gzip
import threading
import tracemalloc
import zlib
from collections.abc import Callable
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

import pytest

from soapclient import Client
from soapclient.clock import ManualClock
from soapclient.errors import AmbiguousOutcome, ConnectionFailed, Timeout, UnexpectedResponse
from tests.soap.conftest import responses, send, stall
from tests.support.clocks import Ticking
from tests.support.sales import DAY, stream_of_sales

if TYPE_CHECKING:
    from tests.soap.conftest import OpenClient
    from tests.support.wire import Exchange, Wire

SOON = 0.25  # seconds to wait on an idle socket; a busy machine only makes it longer
Act = Callable[["Exchange"], None]


def drip(piece: bytes, start: bytes = b"", **headers: str) -> Act:
    """Send headers (if any), `start`, and then `piece` repeatedly with pauses."""

    def act(exchange: Exchange) -> None:
        if headers:
            exchange.head(200, **headers)
        exchange.write(start)
        exchange.drip(piece)

    return act


DRIPPED_BODY = drip(b" ", Content_Length="100000")


@pytest.mark.parametrize(
    "act",
    [DRIPPED_BODY, drip(b" ", Connection="close"), drip(b"1\r\n \r\n", Transfer_Encoding="chunked")],
    ids=["body", "until closed", "chunks"],
)
def test_a_slow_response_leaves_time_for_another_attempt(
    open_client: OpenClient, wire: Wire, act: Act
) -> None:
    wire.does(act)
    wire.answers(responses.profile())
    client = open_client(clock=Ticking(10), deadline=1000, attempts=2)
    assert client.publisher.get_profile().profile_item is not None
    assert len(wire.sent) == 2


@pytest.mark.parametrize(
    "act",
    [
        drip(b"x", b"1;extension=", Transfer_Encoding="chunked"),
        # the head of a gzip file with an endless name: none of the bytes can be decoded
        drip(b"n", b"\x1f\x8b\x08\x08" + b"\0" * 5 + b"\x03", Content_Encoding="gzip", Connection="close"),
        drip(b"x", b"HTTP/1.1 200 OK\r\nX-Long: "),
        stall,
    ],
    ids=["size of a chunk", "compressed nothing", "headers", "silence"],
)
def test_response_without_a_chunk_stops_at_the_deadline(
    open_client: OpenClient, wire: Wire, act: Act
) -> None:
    """Only the connection itself can check the clock between the bytes."""
    wire.does(act)
    with pytest.raises(Timeout) as caught:
        open_client(deadline=SOON, attempts=1).publisher.get_profile()
    assert caught.value.operation == "GetProfile"
    assert caught.value.request_sent


def test_a_slow_page_of_an_error_does_not_hide_the_status(open_client: OpenClient, wire: Wire) -> None:
    wire.does(drip(b"<p>", Content_Type="text/html"))
    with pytest.raises(UnexpectedResponse, match="<p><p>"):
        open_client(clock=Ticking(), deadline=60, attempts=1).publisher.get_profile()


def test_endless_redirect_body_is_not_read(once: Client, wire: Wire) -> None:
    def endless(exchange: Exchange) -> None:
        exchange.head(302, Location="/elsewhere", Content_Type="text/html", Connection="close")
        while not exchange.ended.is_set():
            exchange.write(b"<p>" * 10_000)

    wire.does(endless)
    with pytest.raises(UnexpectedResponse, match="redirect"):
        once.publisher.get_profile()


def test_slow_stream_stops_if_one_wait_is_too_long(open_client: OpenClient, wire: Wire) -> None:
    whole = responses.sales(*(responses.sale(n) for n in range(300)))

    def pause(exchange: Exchange) -> None:
        exchange.head(Content_Length=str(len(whole)))
        exchange.write(whole[:100_000])
        stall(exchange)

    wire.does(pause)
    clock = Ticking(0)
    client = open_client(clock=clock, deadline=60)
    seen: list[Any] = []

    def slow(sale: object) -> object:
        if len(seen) > 100:  # from here on, each wait begins with a quarter of a second left
            clock.step = 60 - SOON
        return sale

    with (
        pytest.raises(Timeout),
        client.publisher.stream.get_sales(date=DAY, date_type="trackingDate") as sales,
    ):
        seen.extend(map(slow, sales))
    assert len(seen) > 100


def test_a_stream_may_last_longer_than_a_call(
    open_client: OpenClient, clock: ManualClock, wire: Wire
) -> None:
    wire.answers(responses.sales(*(responses.sale(n) for n in range(2000))))
    client = open_client(deadline=60)
    seen = 0
    with client.publisher.stream.get_sales(date=DAY, date_type="trackingDate") as sales:
        for _ in sales:
            clock.advance(1)  # the reader may be slow
            seen += 1
    assert seen == 2000


def raw_deflate_of(body: bytes) -> bytes:
    packed = zlib.compressobj(wbits=-15)
    return packed.compress(body) + packed.flush()


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    "name", ["gzip", "X-GZIP", "deflate", "identity", "identity, gzip", " gzip , identity", ""]
)
def test_known_content_encodings_are_decoded(client: Client, wire: Wire, name: str) -> None:
    body = responses.profile()
    pack = gzip.compress if "gzip" in name.lower() else zlib.compress if name == "deflate" else bytes
    wire.answers(pack(body), Content_Encoding=name)
    assert client.publisher.get_profile().profile_item is not None
    wire.answers(raw_deflate_of(body), Content_Encoding="deflate")
    assert client.publisher.get_profile().profile_item is not None
    wire.answers(gzip.compress(body[:50]) + gzip.compress(body[50:]), Content_Encoding="gzip")
    assert client.publisher.get_profile().profile_item is not None  # two members (RFC 1952 2.2)


@pytest.mark.sampled(4)
@pytest.mark.parametrize("name", ["compress", "exi", "no-such-encoding", "gzip, exi", "deflate, gzip"])
@pytest.mark.parametrize("write", [False, True])
def test_other_content_encodings_are_damage(client: Client, wire: Wire, name: str, write: bool) -> None:
    """The client did not ask for them. A body that can still be read does not match its headers."""
    if write:
        wire.answers(responses.of("DeleteAdspace", "<count>1</count>"), Content_Encoding=name)
        with pytest.raises(AmbiguousOutcome, match="encod"):
            client.publisher.delete_adspace(adspace_id=1)
    else:
        wire.answers(responses.profile(), Content_Encoding=name)
        wire.answers(responses.profile())
        assert client.publisher.get_profile().profile_item is not None
        assert len(wire.sent) == 2


@pytest.mark.sampled(4)
@pytest.mark.parametrize("cut", [1, 4, 7, 8])
@pytest.mark.parametrize("pack", [gzip.compress, zlib.compress])
def test_a_compressed_body_without_its_trailer_is_damage(
    client: Client, wire: Wire, pack: Callable[[bytes], bytes], cut: int
) -> None:
    """Without the checksum the text may be incomplete."""
    packed = pack(responses.profile())
    name = "gzip" if pack is gzip.compress else "deflate"
    wire.answers(packed[: -min(cut, 4 if name == "deflate" else 8)], Content_Encoding=name)
    wire.answers(packed, Content_Encoding=name)
    assert client.publisher.get_profile().profile_item is not None
    assert len(wire.sent) == 2


@pytest.mark.parametrize(
    "inside",
    ["<x " + " ".join(f'a{n}="1"' for n in range(5000)) + "/>", "<x>" * 90 + "</x>" * 90],
    ids=["attributes", "few"],
)
def test_markup_is_counted(open_client: OpenClient, wire: Wire, inside: str) -> None:
    wire.answers(responses.profile(inside))
    client = open_client(attempts=1, max_response_nodes=4000, stream_above=10**9)
    if inside.startswith("<x>"):
        assert client.publisher.get_profile().profile_item is not None
        return
    with pytest.raises(UnexpectedResponse, match=r"4000 tags.*raise the setting 'max_response_nodes'"):
        client.publisher.get_profile()


def test_stream_may_exceed_the_response_limit_but_no_item(open_client: OpenClient, wire: Wire) -> None:
    most = 200_000
    sale = responses.sale(1)
    count = 3 * most // len(sale)
    client = open_client(attempts=1, max_response_bytes=most, max_response_nodes=most // 20)
    wire.answers(responses.sales(*(responses.sale(n) for n in range(count))))
    assert len(stream_of_sales(client)) == count
    wire.answers(responses.sales(*(responses.sale(n) for n in range(count))))
    with pytest.raises(UnexpectedResponse, match="max_response"):  # a call holds the complete response
        client.publisher.get_sales(date=DAY, date_type="trackingDate")
    endless = sale.replace("<amount>", "<unknown>" + " " * 2 * most + "</unknown><amount>", 1)
    assert endless != sale
    wire.answers(responses.sales(sale, sale, endless))
    seen: list[Any] = []
    with pytest.raises(UnexpectedResponse, match="max_response_bytes"):
        stream_of_sales(client, seen)
    assert len(seen) <= 2


def test_endless_headers_are_a_failed_connection(once: Client, wire: Wire) -> None:
    for headers in (b"X: 1\r\n" * 1000, b"X: " + b"1" * 70_000 + b"\r\n"):

        def act(exchange: Exchange, headers: bytes = headers) -> None:
            exchange.write(b"HTTP/1.1 200 OK\r\n" + headers + b"\r\n")
            exchange.drop()

        wire.does(act)
        with pytest.raises(ConnectionFailed):
            once.publisher.get_profile()


@pytest.mark.exhaustive
@pytest.mark.parametrize("kind", ["spaces", "elements"])
def test_refusal_needs_little_memory(open_client: OpenClient, wire: Wire, kind: str) -> None:
    """Measures a response that would be 200 MB, with tracemalloc, which counts all buffers of bytes."""
    head, _, tail = responses.profile("@").partition(b"@")
    packed = zlib.compressobj(9, wbits=31)
    block = (b" " if kind == "spaces" else b"<x/>") * (1_000_000 if kind == "spaces" else 250_000)
    body = packed.compress(head) + b"".join(packed.compress(block) for _ in range(200))
    body += packed.compress(tail) + packed.flush()
    client = open_client(
        attempts=1, max_compression_ratio=10_000, max_response_bytes=8_000_000, max_response_nodes=300_000
    )
    wire.answers(body, Content_Encoding="gzip")
    wire.answers(responses.profile())
    tracemalloc.start()
    try:
        with pytest.raises(UnexpectedResponse, match="max_response"):
            client.publisher.get_profile()
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 20_000_000
    assert client.publisher.get_profile().profile_item is not None


def test_plain_zeep_service_is_bounded(open_client: OpenClient, wire: Wire) -> None:
    wire.answers(responses.profile(" " * 5000))
    with pytest.raises(UnexpectedResponse, match="max_response_bytes"):
        open_client(max_response_bytes=1000).publisher.zeep.GetProfile()
    wire.does(DRIPPED_BODY)
    with pytest.raises(Timeout):
        open_client(clock=Ticking(), deadline=60).publisher.zeep.GetProfile()
    wire.answers(b"<html/>", Content_Type="text/html")
    with pytest.raises(UnexpectedResponse):
        open_client().publisher.zeep.GetProfile()


def test_connections_are_reused_after_faults_and_finished_streams(client: Client, wire: Wire) -> None:
    wire.answers(responses.fault(107), 500)
    with pytest.raises(Exception, match="107"):
        client.publisher.get_profile()
    wire.answers(responses.sales(*(responses.sale(n) for n in range(500))))
    assert len(stream_of_sales(client)) == 500
    wire.answers(responses.profile())
    client.publisher.get_profile()
    assert len(set(wire.connections)) == 2  # a stream opens a new connection


def test_unfinished_stream_closes_its_connection(client: Client, wire: Wire) -> None:
    gone = threading.Event()

    def endless(exchange: Exchange) -> None:
        exchange.drop()
        exchange.head(Connection="close")
        exchange.write(responses.sales().partition(b"</saleItems>")[0])
        try:
            for number in range(10**9):
                exchange.write(responses.sale(number).encode())
        except OSError:
            gone.set()
            raise

    wire.does(endless)
    with client.publisher.stream.get_sales(date=DAY, date_type="trackingDate") as sales:
        assert next(sales).id == "sale-0"
    wire.answers(responses.profile())
    client.publisher.get_profile()
    assert gone.wait(60)


@pytest.mark.parametrize("status", [102, 103, 199])
def test_interim_responses_are_skipped(client: Client, wire: Wire, status: int) -> None:
    """Otherwise the response after it would be read as the response to the next request (RFC 9110 15.2)."""
    for city in ("Berlin", "Paris"):

        def act(exchange: Exchange, body: bytes = responses.profile(city=city)) -> None:
            exchange.write(f"HTTP/1.1 {status} So far\r\nLink: </a>; rel=preload\r\n\r\n".encode() * 2)
            send(exchange, body)

        wire.does(act)
    found = [client.publisher.get_profile().profile_item for _ in range(2)]
    assert [item and item.city for item in found] == ["Berlin", "Paris"]
    assert len(set(wire.connections)) == 1


@pytest.mark.parametrize(
    ("interim", "refused"),
    [
        (b"HTTP/1.1 103 Early Hints\r\n\r\n" * 10, None),
        (b"HTTP/1.1 103 Early Hints\r\n\r\n" * 11, "more than 10 interim responses"),
        (b"HTTP/1.1 101 Other\r\n\r\n", "GetProfile"),
    ],
)
def test_endless_and_upgrading_interim_responses_are_refused(
    once: Client, wire: Wire, interim: bytes, refused: str | None
) -> None:
    def act(exchange: Exchange) -> None:
        exchange.write(interim)
        send(exchange, responses.profile())
        exchange.drop()

    wire.does(act)
    expected = pytest.raises(ConnectionFailed, match=refused) if refused is not None else nullcontext()
    with expected:
        once.publisher.get_profile()
    wire.answers(responses.profile())
    assert once.publisher.get_profile().profile_item is not None
