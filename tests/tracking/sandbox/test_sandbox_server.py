"""The server: keep-alive connections, malformed HTTP, and cleanup."""

from __future__ import annotations

import http.client
import io
import itertools
import logging
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from datetime import UTC, datetime
from email.parser import Parser
from email.utils import parsedate_to_datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from werkzeug.test import Client
from werkzeug.wrappers import Request, Response

from soapclient.serving.connection_limiter import ConnectionLimiter
from soapclient.serving.framing import BadFraming, read_body
from soapclient.serving.server import linger
from soapclient.tracking.sandbox import SAMPLE_CONNECT_ID, SAMPLE_SECRET_KEY, Sandbox, Serving, serve
from tests.stage import Stage
from tests.tracking.sandbox.caller import connected, received

PUBLISHER = "http://api.zanox.com/namespace/2011-03-01/"
SEARCH = (
    '<e:Envelope xmlns:e="http://schemas.xmlsoap.org/soap/envelope/"><e:Body>'
    f'<SearchProgramsRequest xmlns="{PUBLISHER}"><connectId>{SAMPLE_CONNECT_ID}</connectId>'
    "</SearchProgramsRequest></e:Body></e:Envelope>"
).encode()


def test_one_connection_serves_many_requests(staged: Callable[..., Stage]) -> None:
    with closing(http.client.HTTPConnection(staged().url.removeprefix("http://"), timeout=5)) as connection:
        connection.connect()
        first = connection.sock
        for path, status in (("/soap/2011-03-01", 200), ("/soap/2009-01-01", 404), ("/soap/2011-03-01", 200)):
            connection.request("POST", path, SEARCH, {"Content-Type": "text/xml"})
            response = connection.getresponse()
            assert response.version == 11
            body = response.read()
            assert response.status == status
            assert int(response.headers["Content-Length"]) == len(body)
            assert connection.sock is first


def exchange(url: str, message: bytes, *, half_close: bool = False) -> bytes:
    """Send bytes, then read until the server closes the connection."""
    with connected(url) as connection:
        connection.sendall(message)
        if half_close:
            connection.shutdown(socket.SHUT_WR)
        return received(connection)


def test_response_date_follows_the_sandbox_clock(stage: Stage) -> None:
    stage.clock.set(datetime(2031, 2, 3, 4, 5, 6, tzinfo=UTC))
    response = stage.caller.session.get(f"{stage.server.url}/wsdl/2011-03-01", timeout=5)
    assert parsedate_to_datetime(response.headers["Date"]) == stage.clock.now()
    assert "," not in response.headers["Date"].partition(",")[2]


HEAD = b"POST /soap/2011-03-01 HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/xml\r\n"
ASKED = b"GET /wsdl/2011-03-01 HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"


def test_expect_100_continue_is_answered(staged: Callable[..., Stage]) -> None:
    fields = b"Content-Length: %d\r\nExpect: 100-continue\r\nConnection: close\r\n\r\n" % len(SEARCH)
    response = exchange(staged().url, HEAD + fields + SEARCH)
    assert response.startswith(b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200")


@pytest.mark.parametrize(
    "chunks",
    [
        b"%x;name=value\r\n%b\r\n0\r\n\r\n" % (len(SEARCH), SEARCH),
        b"%X \r\n%b\r\n00000\r\n\r\n" % (len(SEARCH), SEARCH),
        b"".join(b"1\r\n%c\r\n" % byte for byte in SEARCH) + b"0\r\n\r\n",
        b"%x\r\n%b\r\n0\r\nChecksum: none\r\nAnother: one\r\n\r\n" % (len(SEARCH), SEARCH),
    ],
    ids=["an extension", "zeros", "bytes", "trailers"],
)
def test_next_request_starts_after_the_chunks(staged: Callable[..., Stage], chunks: bytes) -> None:
    following = b"GET /soap/2011-03-01?wsdl HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
    response = exchange(staged().url, HEAD + b"Transfer-Encoding: chunked\r\n\r\n" + chunks + following)
    first, _, second = response.partition(b"</soap:Envelope>")
    assert first.startswith(b"HTTP/1.1 200")
    assert b"SearchProgramsResponse" in first
    assert second.startswith(b"HTTP/1.1 200")
    assert second.endswith(b"</wsdl:definitions>")


@pytest.mark.parametrize(
    ("lines", "body"),
    [
        (b"Content-Length: 100000\r\n", b"x" * 100_000),
        (b"Transfer-Encoding: chunked\r\n", b"186a0\r\n%b\r\n0\r\n\r\n" % (b"x" * 100_000)),
        (b"Transfer-Encoding: chunked\r\n", b"64\r\n%b\r\n" % (b"x" * 100) * 1000 + b"0\r\n\r\n"),
    ],
    ids=["counted", "one chunk", "many chunks"],
)
def test_sender_of_too_much_data_gets_the_refusal(
    staged: Callable[..., Stage], lines: bytes, body: bytes
) -> None:
    response = exchange(staged(max_body=900).url, HEAD + lines + b"\r\n" + body)
    assert response.startswith(b"HTTP/1.1 500")
    assert b">110<" in response
    assert b"at most 900 bytes" in response
    assert b"Connection: close" in response


CHUNKED = b"Transfer-Encoding: chunked\r\n"
# Header lines, the bytes after them, and the status by RFC 9112.
HOSTILE = {
    "a chunk that never comes": (CHUNKED, b"ffffffff\r\n", 400),
    "a chunk that ends early": (CHUNKED, b"ffffffff\r\nabc", 400),
    "a short chunk": (CHUNKED, b"5\r\nhel", 400),
    "a size above all": (CHUNKED, b"f" * 20 + b"\r\n", 400),
    "a size of 16 digits": (CHUNKED, b"f" * 16 + b"\r\nabc", 400),
    "a negative size": (CHUNKED, b"-5\r\nhello\r\n0\r\n\r\n", 400),
    "a size with a plus": (CHUNKED, b"+5\r\nhello\r\n0\r\n\r\n", 400),
    "a size with 0x": (CHUNKED, b"0x5\r\nhello\r\n0\r\n\r\n", 400),
    "a size with _": (CHUNKED, b"0_5\r\nhello\r\n0\r\n\r\n", 400),
    "a garbled size": (CHUNKED, b"zz\r\nhello\r\n", 400),
    "no size": (CHUNKED, b"\r\nhello\r\n0\r\n\r\n", 400),
    "a size without an end": (CHUNKED, b"0" * 100_000, 400),
    "an extension with a line feed": (CHUNKED, b"5;a\nb\r\nhello\r\n0\r\n\r\n", 400),
    "no line's end after a chunk": (CHUNKED, b"5\r\nhello0\r\n\r\n", 400),
    "more than the size": (CHUNKED, b"5\r\nhello, you\r\n0\r\n\r\n", 400),
    "no last chunk": (CHUNKED, b"5\r\nhello\r\n", 400),
    "no end after the last chunk": (CHUNKED, b"5\r\nhello\r\n0\r\n", 400),
    "trailers without an end": (CHUNKED, b"0\r\n" + b"A: b\r\n" * 100_000, 400),
    "a line feed after the last chunk": (CHUNKED, b"0\r\n\nGET / HTTP/1.1\r\nHost: localhost\r\n\r\n", 400),
    "a trailer that a line feed ends": (CHUNKED, b"0\r\nA: b\nC: d\r\n\r\n", 400),
    "a trailer with a carriage return": (CHUNKED, b"0\r\nA: b\rC: d\r\n\r\n", 400),
    "a trailer with a zero byte": (CHUNKED, b"0\r\nA: b\0\r\n\r\n", 400),
    "a trailer without an end": (CHUNKED, b"0\r\nA: " + b"b" * 1_000_000, 400),
    "chunked twice": (CHUNKED + CHUNKED, b"0\r\n\r\n", 501),
    "not quite chunked": (b"Transfer-Encoding: xchunked\r\n", b"0\r\n\r\n", 501),
    "compressed chunks": (b"Transfer-Encoding: gzip, chunked\r\n", b"0\r\n\r\n", 501),
    "chunks and a length": (CHUNKED + b"Content-Length: 5\r\n", b"0\r\n\r\n", 400),
    "two lengths": (b"Content-Length: 5\r\nContent-Length: 6\r\n", b"hello!", 400),
    "a length twice": (b"Content-Length: 5\r\nContent-Length: 5\r\n", b"hello", 400),
    "lengths in one line": (b"Content-Length: 5, 5\r\n", b"hello", 400),
    "a length that is no number": (b"Content-Length: many\r\n", b"hello", 400),
    "a length of other digits": ("Content-Length: \u0665\r\n".encode(), b"hello", 400),
    "a negative length": (b"Content-Length: -5\r\n", b"hello", 400),
    "a length too large for a number": (b"Content-Length: " + b"9" * 5000 + b"\r\n", b"hello", 400),
    "a length above what comes": (b"Content-Length: 99999\r\n", b"hello", 400),
    "a blank before the colon": (b"Content-Length : 5\r\n", b"hello", 400),
    "a line that is no field": (b"Foo\r\nContent-Length: 5\r\n", b"hello", 400),
    "a field without a name": (b": 5\r\n", b"", 400),
    "a carriage return in a field": (b"X: a\rContent-Length: 5\r\n", b"hello", 400),
    "a carriage return too many": (b"Content-Length: 5\r\r\n", b"hello", 400),
    "a zero byte in a field": (b"X: a\0b\r\nContent-Length: 5\r\n", b"hello", 400),
    "a huge field": (b"Huge: " + b"x" * 200_000 + b"\r\n", b"", 431),
    "a thousand fields": (b"X: y\r\n" * 1000, b"", 431),
}


@pytest.fixture(scope="module")
def process() -> Iterator[tuple[subprocess.Popen[str], str]]:
    """A sandbox in another process, which may be killed, and its address."""
    code = (
        "import sys; from soapclient.tracking.sandbox import Sandbox, serve\n"
        "with Sandbox() as sandbox, serve(sandbox, timeout=20) as server:\n"
        "    print(server.url, flush=True); sys.stdin.read()"
    )
    command = [sys.executable, "-c", code]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as running:
        assert running.stdout is not None
        yield running, running.stdout.readline().strip()
        assert running.stdin is not None
        running.stdin.close()
        assert running.wait(timeout=30) == 0


@pytest.mark.sampled(6)
@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_message_is_refused_without_effects(
    process: tuple[subprocess.Popen[str], str], name: str
) -> None:
    running, url = process
    lines, body, status = HOSTILE[name]
    response = exchange(url, HEAD + lines + b"\r\n" + body, half_close=True)
    assert response.startswith(b"HTTP/1.1 %d " % status), response[:200]
    assert response.count(b"HTTP/1.1 ") == 1, "what follows it was taken for another request"
    whole = HEAD + b"Connection: close\r\nContent-Length: %d\r\n\r\n" % len(SEARCH) + SEARCH
    assert exchange(url, whole).startswith(b"HTTP/1.1 200")
    assert running.poll() is None


def read(wire: bytes, lines: str = "Transfer-Encoding: chunked", most: int = 50) -> tuple[bytes, bool, bytes]:
    """Return the results of `read_body` and the bytes it leaves unread."""
    source = io.BufferedReader(io.BytesIO(wire))
    headers = Parser(http.client.HTTPMessage).parsestr(f"{lines}\r\n\r\n")
    body, complete = read_body(source, headers, "HTTP/1.1", most)
    return body, complete, source.read()


EXTENSIONS = st.text(' \t!~;="az\u00e9', max_size=20).map(lambda text: b";" + text.encode("latin-1"))
CHUNKS = st.lists(st.tuples(st.binary(min_size=1, max_size=30), st.just(b"") | EXTENSIONS), max_size=6)


@settings(deadline=None)
@given(CHUNKS, st.lists(st.just(b"Name: value\r\n"), max_size=3), st.binary(max_size=40))
def test_chunks_are_joined(
    chunks: list[tuple[bytes, bytes]], trailers: list[bytes], following: bytes
) -> None:
    wire = b"".join(b"%x%b\r\n%b\r\n" % (len(data), more, data) for data, more in chunks)
    whole = b"".join(data for data, _ in chunks)
    wire += b"0\r\n" + b"".join(trailers) + b"\r\n"
    body, complete, rest = read(wire + following)
    assert (body, complete, rest) == (whole[:51], len(whole) <= 50, following)
    for end in range(len(wire)):
        with pytest.raises(BadFraming):
            read(wire[:end])


@settings(deadline=None)
@given(
    st.binary(max_size=200) | st.text("0123456789abcdefx;\r\n-+ ", max_size=200).map(str.encode),
    st.sampled_from(["Transfer-Encoding: chunked", "Content-Length: 20", "Content-Length: 70", "A: b"]),
)
def test_any_input_is_a_body_or_refused(wire: bytes, lines: str) -> None:
    try:
        body, _, rest = read(wire, lines)
    except BadFraming:
        return
    assert len(body) <= 51
    assert len(body) + len(rest) <= len(wire)


@pytest.mark.parametrize(
    ("line", "status"),
    [
        (b"GET http://[ HTTP/1.1", 400),
        (b"GET /a b HTTP/1.1", 400),
        (b"GET /" + b"a" * 70_000 + b" HTTP/1.1", 414),
        (b"GET / HTTP/1.x", 400),
        (b"GET / ICY", 400),
        (b"GET / HTTP/2.0", 505),
        # A response to HTTP/0.9 has no status line, so a client cannot recognise a refusal.
        (b"GET /wsdl/2011-05-01", 505),
        (b"GET ", 400),
        (b"nonsense", 400),
        (b"GET\r/wsdl/2011-05-01 HTTP/1.1", 400),
        (b"GET /wsdl/2011-05-01\0 HTTP/1.1", 400),
    ],
)
def test_bad_request_line_is_refused(staged: Callable[..., Stage], line: bytes, status: int) -> None:
    response = exchange(staged().url, line + b"\r\nHost: localhost\r\n\r\n", half_close=True)
    assert response.startswith((b"HTTP/1.1 %d " % status, b"HTTP/1.0 %d " % status)), response[:100]
    assert b"Error code: %d<" % status in response


def test_chunks_need_http_1_1(staged: Callable[..., Stage]) -> None:
    chunks = b"%x\r\n%b\r\n0\r\n\r\n" % (len(SEARCH), SEARCH)
    head = HEAD.replace(b"HTTP/1.1", b"HTTP/1.0") + CHUNKED + b"\r\n"
    assert exchange(staged().url, head + chunks).startswith(b"HTTP/1.1 400")


def test_silent_connection_is_closed() -> None:
    # The longer wait is for a busy machine, on which half a request may arrive late.
    for message, timeout in ((b"", 0.2), (HEAD + b"Content-Length: 500\r\n\r\nhalf", 2)):
        with serve(Sandbox(), timeout=timeout) as server, connected(server.url, 60) as connection:
            connection.sendall(message)
            response = connection.recv(65536)
            assert response == b"" if not message else response.startswith(b"HTTP/1.1 400")


def test_request_sent_byte_by_byte_is_closed() -> None:
    now = [0.0]
    with serve(Sandbox(), timeout=25, monotonic=lambda: now[0]) as server:
        with connected(server.url) as connection:
            connection.sendall(HEAD + b"Expect: 100-continue\r\nContent-Length: 500\r\n\r\n")
            assert connection.recv(65536).startswith(b"HTTP/1.1 100 ")  # its timeout is running
            now[0] = 99.0
            connection.sendall(b"<")
            now[0] = 101.0  # four times the timeout, and one second
            connection.sendall(b"e")
            assert connection.recv(65536).startswith(b"HTTP/1.1 400")
        now[0] = 9999.0  # an idle connection has no request timeout
        response = exchange(server.url, b"GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        assert response.startswith(b"HTTP/1.1 404")


class Trickling(socket.socket):
    """A refused sender that always has one more byte to send."""

    received = 0

    def shutdown(self, how: int, /) -> None:
        pass

    def recv(self, most: int, flags: int = 0, /) -> bytes:
        self.received += 1
        assert self.received < 1000, "read without an end"
        return b"x"


def test_refused_sender_is_drained_for_a_limited_time() -> None:
    with Trickling() as connection:
        linger(connection, itertools.count(0.0, 0.5).__next__)
        assert 2 <= connection.received <= 100


def test_closing_ends_open_connections_and_leaves_no_thread() -> None:
    before = set(threading.enumerate())
    server = serve(Sandbox(), timeout=24 * 3600)
    with connected(server.url, 60) as idle:
        idle.sendall(b"GET /wsdl/2011-05-01 HTTP/1.1\r\nHost: localhost\r\n\r\n")
        while not idle.recv(65536).endswith(b"</wsdl:definitions>"):
            pass
        closer = threading.Thread(target=server.close, daemon=True)
        closer.start()
        closer.join(60)
        assert not closer.is_alive()  # it does not wait for the connection, which may be idle for a day
        assert idle.recv(1) == b""
    server.close()
    left = [thread for thread in set(threading.enumerate()) - before if thread.is_alive()]
    assert left == []
    with pytest.raises(OSError, match="refused"):
        connected(server.url, 1)


def test_port_in_use_is_an_error_and_not_an_exit(staged: Callable[..., Stage]) -> None:
    port = int(staged().server.url.rpartition(":")[2])
    with pytest.raises(OSError, match="in use"):
        serve(Sandbox(), port=port)


def test_interceptor_can_replace_responses_and_read_bodies(staged: Callable[..., Stage]) -> None:
    seen: list[tuple[str, bytes]] = []
    responses = [Response("<html>down</html>", 503, content_type="text/html")]

    def interfere(request: Request) -> Response | None:
        seen.append((request.path, request.get_data()))
        return responses.pop() if "soap" in request.path and responses else None

    caller = staged(interfere=interfere).caller
    assert [caller.post(SEARCH).status_code for _ in range(2)] == [503, 200]
    assert seen[-1] == ("/soap/2011-03-01", SEARCH)
    assert ("/wsdl/2011-03-01", b"") in seen


def test_failing_interceptor_is_a_500_logged_without_details_to_the_caller(
    stage: Stage, caplog: pytest.LogCaptureFixture
) -> None:
    def interfere(request: Request) -> Response | None:
        raise RuntimeError("a mistake of a test")

    stage.sandbox.interfere = interfere
    # The connection is closed although the request does not ask for it.
    response = exchange(stage.url, b"GET /wsdl/2011-03-01 HTTP/1.1\r\nHost: localhost\r\n\r\n")
    assert response.startswith(b"HTTP/1.1 500 ")
    assert b"a mistake" not in response
    assert "RuntimeError: a mistake of a test" in caplog.text


@pytest.mark.parametrize(("length", "too_large"), [(900, False), (901, True), (100_000, True)])
def test_body_is_limited_under_a_server_without_limits(length: int, too_large: bool) -> None:
    with Sandbox(max_body=900) as sandbox:
        body = io.BytesIO(b"x" * length)
        response = Client(sandbox).post(
            "/soap/2011-03-01",
            input_stream=body,
            content_type="text/xml",
            environ_overrides={"wsgi.input_terminated": True},
        )
        assert response.status_code == 500
        assert (b"at most 900 bytes" in response.data) == too_large
        assert body.tell() <= 901


def test_access_log_has_no_queries_or_secrets(stage: Stage, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG, logger="soapclient.serving"):
        stage.caller.call("GetProfile")
        stage.caller.session.get(f"{stage.server.url}/xml/x?signature=SECRET", timeout=5)
    ours = [record for record in caplog.records if record.name.startswith("soapclient.serving")]
    assert {record.levelno for record in ours} == {logging.DEBUG}
    text = "\n".join(record.getMessage() for record in ours)
    assert "GET /xml/x 404" in text
    assert "SECRET" not in text
    assert SAMPLE_SECRET_KEY not in text


# ---- a bounded number of connections: slow clients are dropped in favour of active ones


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


def limiter(most: int) -> ConnectionLimiter:
    """Return a limiter whose clock advances by a second at each reading."""
    return ConnectionLimiter(most, itertools.count(1.0).__next__)


def pair(stack: ExitStack) -> tuple[socket.socket, socket.socket]:
    here, there = socket.socketpair()
    return stack.enter_context(here), stack.enter_context(there)


def test_busy_connections_are_kept_and_new_ones_refused_if_all_are_busy() -> None:
    guests = limiter(2)
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
    full = limiter(1)
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
        limiter(0)
