"""Responses are bounded in size, markup, compression and time."""

from __future__ import annotations

import gzip

import pytest

from soapclient._support import speedups
from soapclient.errors import ResponseError, SoapClientError, Timeout, UnexpectedResponse
from tests.interfaces.conftest import Case
from tests.support.clocks import Ticking
from tests.support.wire import Exchange

pytestmark = pytest.mark.sampled(2, 4)


def test_longest_allowed_response_is_read_and_a_longer_one_is_an_error(case: Case) -> None:
    body = case.profile()
    case.answers(body)
    assert case.open(max_response_bytes=len(body)).read() == "Berlin"
    case.answers(body)
    with pytest.raises(UnexpectedResponse, match=f"{len(body) - 1} bytes.*max_response_bytes") as caught:
        case.open(max_response_bytes=len(body) - 1).read()
    assert (caught.value.attempts, len(case.wire.sent)) == (1, 2)


def test_limit_applies_to_the_decompressed_size(case: Case) -> None:
    packed = gzip.compress(case.profile() + b" " * 200_000)
    assert len(packed) < 2000
    case.answers(packed, Content_Encoding="gzip")
    with pytest.raises(UnexpectedResponse, match="100000 bytes"):
        case.open(max_response_bytes=100_000).read()
    case.answers(packed, Content_Encoding="gzip")
    assert case.open().read() == "Berlin"


def test_extremely_compressed_response_is_refused(case: Case) -> None:
    bomb = gzip.compress(case.profile() + b" " * 2_000_000, 9)
    case.answers(bomb, Content_Encoding="gzip")
    with pytest.raises(UnexpectedResponse, match=r"200 times.*raise the setting 'max_compression_ratio'"):
        case.open().read()
    case.answers(bomb, Content_Encoding="gzip")
    assert case.open(max_compression_ratio=2000).read() == "Berlin"


def test_doubly_compressed_response_is_refused(case: Case) -> None:
    case.answers(gzip.compress(gzip.compress(case.profile())), Content_Encoding="gzip, gzip")
    with pytest.raises(UnexpectedResponse, match="encoded more than once"):
        case.open(attempts=1).read()


def test_markup_is_counted(case: Case) -> None:
    case.answers(case.profile(x=[{"y": n} for n in range(2500)]))
    with pytest.raises(UnexpectedResponse, match=r"4000 .*raise the setting 'max_response_nodes'"):
        case.open(attempts=1, max_response_nodes=4000, stream_above=10**9).read()


def test_deep_nesting_is_refused(case: Case) -> None:
    deep, close = (b'{"a":', b"}") if case.protocol == "json" else (b"<a>", b"</a>")
    body = case.profile(phone="PHONE")
    inner = deep * 5000 + (b"1" if case.protocol == "json" else b"") + close * 5000
    case.answers(body.replace(b'"PHONE"' if case.protocol == "json" else b"PHONE", inner))
    with pytest.raises(SoapClientError) as caught:
        case.open(attempts=1).read()
    assert isinstance(caught.value, ResponseError | UnexpectedResponse)


def test_stream_may_be_longer_than_the_limit_of_a_call(case: Case) -> None:
    ids = [f"{number:0999}" for number in range(400)]
    calls = case.open(attempts=1, max_response_bytes=200_000, max_response_nodes=1000)
    case.answers(case.balances(*ids))
    if case.protocol != "json":  # JSON is not streamed: it is read as a document
        assert list(calls.stream()) == ids
        case.answers(case.balances(*ids))
    with pytest.raises(UnexpectedResponse, match="max_response"):
        calls.balances()


def test_slow_response_stops_at_the_deadline(case: Case) -> None:
    """Each piece arrives in time, but the complete response does not."""

    def drip(exchange: Exchange) -> None:
        exchange.head(Content_Type=case.kind, Content_Length="100000")
        while not exchange.ended.wait(0.001):
            exchange.write(b" ")

    case.wire.does(drip)
    with pytest.raises(Timeout, match="GetProfile") as caught:
        case.open(clock=Ticking(), deadline=30, attempts=1).read()
    assert caught.value.request_sent


def test_reading_a_response_stops_at_the_deadline(case: Case) -> None:
    """The clock is read for each chunk, and between the items, too, unless the compiled reader is in use."""
    case.answers(case.balances(*[f"id-{number}" for number in range(5000)]))
    is_by_item = case.protocol != "xml" and not speedups.in_use()
    deadline = 60 if is_by_item else 15
    with pytest.raises(Timeout, match="GetBalances") as caught:
        case.open(clock=Ticking(), deadline=deadline, attempts=1).balances()
    assert caught.value.request_sent
