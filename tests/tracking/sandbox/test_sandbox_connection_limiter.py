"""A bounded number of connections: deliberately slow clients are dropped in favour of active ones."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import ExitStack

import pytest
from werkzeug.wrappers import Request

from soapclient.serving.connection_limiter import ConnectionLimiter
from soapclient.tracking.sandbox import Sandbox, Serving, serve
from tests.tracking.sandbox.caller import connected, received

ASKED = b"GET /wsdl/2011-03-01 HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"


@pytest.fixture(scope="module")
def served() -> Iterator[Serving]:
    with Sandbox() as sandbox, serve(sandbox, max_connections=4) as server:
        yield server


def test_slowest_idle_connections_are_closed_first(served: Serving) -> None:
    with ExitStack() as stack:
        slow = [stack.enter_context(connected(served.url)) for _ in range(4)]
        for each in slow:
            each.sendall(b"GET / HT")
        for _ in range(3):
            with connected(served.url) as honest:
                honest.sendall(ASKED)
                assert received(honest).startswith(b"HTTP/1.1 200")
        assert slow[0].recv(1) == b""  # closed without a response
        slow[3].sendall(b"TP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        assert received(slow[3]).startswith(b"HTTP/1.1 404")


def test_more_connections_than_the_limit_are_handled(served: Serving) -> None:
    port = served.url.rpartition(":")[2]
    with ExitStack() as stack:
        for _ in range(40):
            stack.enter_context(connected(served.url)).sendall(b"GET / HT")
        with connected(served.url) as honest:
            honest.sendall(ASKED)
            assert received(honest).startswith((b"HTTP/1.1 200", b"HTTP/1.1 503"))
        names = [thread.name for thread in threading.enumerate()]
        assert names.count(f"soapclient-connection-{port}") <= 8  # twice the limit


class Times:
    """A clock that advances by a second at each reading."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        self.now += 1
        return self.now


def pair(stack: ExitStack) -> tuple[socket.socket, socket.socket]:
    here, there = socket.socketpair()
    return stack.enter_context(here), stack.enter_context(there)


def test_busy_connections_are_kept_and_new_ones_refused_if_all_are_busy() -> None:
    guests = ConnectionLimiter(2, Times())
    with ExitStack() as stack:
        threads = [threading.Thread() for _ in range(4)]
        busy, waiting = pair(stack), pair(stack)
        assert guests.admit(threading.current_thread(), busy[0])
        guests.at_work()
        assert guests.admit(threads[0], waiting[0])
        assert guests.admit(threads[1], pair(stack)[0])  # replaces the waiting connection
        assert waiting[1].recv(1) == b""
        guests.forget(threads[0])
        third = pair(stack)
        assert guests.admit(threads[2], third[0])
        busy[1].sendall(b"x")
        assert busy[0].recv(1) == b"x"  # still connected
    full = ConnectionLimiter(1, Times())
    with ExitStack() as stack:
        assert full.admit(threading.current_thread(), pair(stack)[0])
        full.at_work()
        assert not full.admit(threading.Thread(), pair(stack)[0])
        full.waited_for()
        assert full.admit(threading.Thread(), pair(stack)[0])


def test_refused_connection_gets_retry_after() -> None:
    begun, over = threading.Event(), threading.Event()

    def interfere(request: Request) -> None:
        begun.set()
        over.wait(20)

    with (
        Sandbox(interfere=interfere) as sandbox,
        serve(sandbox, max_connections=1) as server,
        connected(server.url) as first,
    ):
        first.sendall(ASKED)
        assert begun.wait(20)
        with connected(server.url) as second:
            refusal = received(second)
        over.set()
        assert received(first).startswith(b"HTTP/1.1 200 ")
    assert refusal.startswith(b"HTTP/1.1 503 ")
    assert b"\r\nRetry-After: 1\r\n" in refusal


def test_limit_of_zero_connections_is_refused() -> None:
    with pytest.raises(ValueError, match="max_connections"):
        ConnectionLimiter(0, Times())
