"""Attempts: how long each may take, and which connection it uses."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest
import requests
from msgspec.structs import replace

from soapclient.clock import SystemClock
from soapclient.errors import ConnectionFailed
from tests.soap.conftest import responses, send, stall

if TYPE_CHECKING:
    from tests.soap.conftest import OpenClient
    from tests.support.wire import Exchange, Wire


def closed_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def answering(wire: Wire, body: bytes, before: Callable[[], object]) -> None:
    """Make the server do something before it sends its next response."""

    def act(exchange: Exchange) -> None:
        before()
        send(exchange, body)

    wire.does(act)


def test_silently_dropped_connections_cost_one_attempt(open_client: OpenClient, wire: Wire) -> None:
    """Two kept connections are dead. The second attempt uses neither of them."""
    client = open_client(clock=SystemClock(), deadline=9, attempts=4)
    both = threading.Barrier(2)
    for _ in range(2):
        answering(wire, responses.profile(), lambda: both.wait(10))
    pair = [threading.Thread(target=client.publisher.get_profile) for _ in range(2)]
    for each in pair:
        each.start()
    for each in pair:
        each.join()
    wire.does(stall)
    wire.answers(responses.profile())
    assert client.publisher.get_profile().profile_item is not None
    first, second, dead, new = wire.connections
    assert dead in {first, second}
    assert new not in {first, second}


def test_read_attempt_has_a_share_of_the_time_and_a_write_all_of_it(open_client: OpenClient) -> None:
    """A read on a used connection gets an equal share of the remaining time, on a new one two thirds.

    The last attempt gets everything.
    """
    engine = open_client(deadline=60, attempts=4).publisher.engine
    whole = engine.loop.limits("GetProfile", engine.loop.deadline())
    reads = [whole.of_attempt(number, 4, safe=True) for number in (1, 2, 3, 4)]
    assert [limits.reused for limits in reads] == [15, 20, 30, None]
    assert [limits.deadline.remaining() for limits in reads] == [40, 40, 40, 60]
    assert [limits.idle for limits in reads] == [None, 0, 0, 0]
    write = whole.of_attempt(1, 4, safe=False)
    assert (write.reused, write.deadline.remaining(), write.idle) == (None, 60, 0)
    chosen = replace(whole, timeout=50)
    for number, safe in [(1, True), (4, True), (1, False)]:
        assert chosen.of_attempt(number, 4, safe=safe).deadline.remaining() == 50


@pytest.mark.exhaustive  # takes five seconds of real time
def test_slow_response_is_read_to_its_end(open_client: OpenClient, wire: Wire) -> None:
    """The response takes longer than an equal share of the deadline. It arrives in the second attempt."""
    wire.answers(responses.profile())
    slow = threading.Event()
    for _ in range(2):
        answering(wire, responses.profile(), lambda: slow.wait(2.6))
    client = open_client(clock=SystemClock(), deadline=8, attempts=4)
    client.publisher.get_profile()
    assert client.publisher.get_profile().profile_item is not None
    assert len(wire.sent) == 3
    assert len(set(wire.connections)) == 2


def test_request_inside_an_auth_does_not_mark_the_outer_request_as_sent(
    open_client: OpenClient, wire: Wire
) -> None:
    """For example, an auth that fetches a token: its own exchange ends before the outer request is sent."""
    wire.answers(responses.profile())
    inner = open_client()
    outer = open_client(f"http://127.0.0.1:{closed_port()}")

    def fetch_a_token(request: requests.PreparedRequest) -> requests.PreparedRequest:
        inner.publisher.get_profile()
        return request

    outer.publisher.engine.session.auth = fetch_a_token
    with pytest.raises(ConnectionFailed) as caught:
        outer.publisher.delete_adspace(adspace_id=1)
    assert not caught.value.request_sent
    assert len(wire.sent) == 1


def test_challenge_is_answered_over_its_connection(open_client: OpenClient, wire: Wire) -> None:
    """This also holds for a retry, whose first request uses a new connection."""

    def answered(http_response: requests.Response, **options: Any) -> requests.Response:
        if http_response.status_code != 401:
            return http_response
        http_response.content  # noqa: B018 - read to the end to free the connection
        return http_response.connection.send(http_response.request.copy(), **options)

    def challenged(request: requests.PreparedRequest) -> requests.PreparedRequest:
        request.hooks["response"].append(answered)
        return request

    wire.does(lambda exchange: exchange.drop())  # no response
    wire.answers(b"", 401)
    wire.answers(responses.profile())
    client = open_client()
    client.publisher.engine.session.auth = challenged
    assert client.publisher.get_profile().profile_item is not None
    _, challenge, response = wire.connections
    assert challenge == response
