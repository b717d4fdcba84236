"""The server: connections kept alive, odd HTTP answered, and nothing left behind."""

from __future__ import annotations

import http.client
import io
import logging
import socket
import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING

import pytest
from werkzeug.wrappers import Request, Response

from soapclient.sandbox import SAMPLE_CONNECT_ID, SAMPLE_SECRET_KEY, Sandbox, serve

if TYPE_CHECKING:
    from tests.sandbox.conftest import Stage

PUBLISHER = "http://api.zanox.com/namespace/2011-03-01/"
SEARCH = (
    '<e:Envelope xmlns:e="http://schemas.xmlsoap.org/soap/envelope/"><e:Body>'
    f'<SearchProgramsRequest xmlns="{PUBLISHER}"><connectId>{SAMPLE_CONNECT_ID}</connectId>'
    "</SearchProgramsRequest></e:Body></e:Envelope>"
).encode()


def talk(stage: Stage, message: bytes, *, half_close: bool = False) -> bytes:
    """Send bytes, read until the server is silent or gone."""
    host, port = stage.server.url.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), timeout=8) as connection:
        connection.sendall(message)
        if half_close:
            connection.shutdown(socket.SHUT_WR)
        received = b""
        while block := connection.recv(65536):
            received += block
        return received


def test_one_connection_serves_many_requests(staged: Callable[..., Stage]) -> None:
    stage = staged()
    host, port = stage.server.url.removeprefix("http://").split(":")
    connection = http.client.HTTPConnection(host, int(port), timeout=5)
    connection.connect()
    first = connection.sock
    try:
        for path, status in (("/soap/2011-03-01", 200), ("/soap/2009-01-01", 404), ("/soap/2011-03-01", 200)):
            connection.request("POST", path, SEARCH, {"Content-Type": "text/xml"})
            response = connection.getresponse()
            assert response.version == 11
            body = response.read()
            assert response.status == status
            assert int(response.headers["Content-Length"]) == len(body)
            assert connection.sock is first
    finally:
        connection.close()


def test_the_date_of_an_answer_is_the_sandboxes(staged: Callable[..., Stage]) -> None:
    stage = staged()
    stage.clock.now = datetime(2031, 2, 3, 4, 5, 6, tzinfo=UTC)
    response = stage.caller.session.get(f"{stage.server.url}/wsdl/2011-03-01", timeout=5)
    assert parsedate_to_datetime(response.headers["Date"]) == stage.clock.now
    assert "," not in response.headers["Date"].partition(",")[2]


HEAD = b"POST /soap/2011-03-01 HTTP/1.1\r\nHost: x\r\nContent-Type: text/xml\r\n"


def test_expect_100_continue_is_answered(staged: Callable[..., Stage]) -> None:
    length = f"Content-Length: {len(SEARCH)}\r\n".encode()
    answer = talk(staged(), HEAD + length + b"Expect: 100-continue\r\nConnection: close\r\n\r\n" + SEARCH)
    assert answer.startswith(b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200")


def test_a_chunked_body_is_read(staged: Callable[..., Stage]) -> None:
    chunks = b"%x\r\n%b\r\n0\r\n\r\n" % (len(SEARCH), SEARCH)
    head = HEAD + b"Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n"
    assert talk(staged(), head + chunks).startswith(b"HTTP/1.1 200")


@pytest.mark.parametrize(
    ("lines", "body"),
    [
        (b"Content-Length: many\r\n", SEARCH),
        (b"Content-Length: -5\r\n", SEARCH),
        (b"Content-Length: 99999\r\n", SEARCH),
        (b"Transfer-Encoding: chunked\r\n", b"zz\r\nhello\r\n"),
        (b"Transfer-Encoding: chunked\r\n", b"5\r\nhel"),
    ],
)
def test_a_body_without_an_end_does_not_hang(staged: Callable[..., Stage], lines: bytes, body: bytes) -> None:
    answer = talk(staged(), HEAD + lines + b"\r\n" + body, half_close=True)
    assert answer.startswith(b"HTTP/1.1 400")


def test_a_silent_connection_is_given_up() -> None:
    with serve(Sandbox(), timeout=0.2) as server:
        host, port = server.url.removeprefix("http://").split(":")
        for message in (b"", HEAD + b"Content-Length: 500\r\n\r\nhalf"):
            with socket.create_connection((host, int(port)), timeout=5) as connection:
                connection.sendall(message)
                answer = connection.recv(65536)
                assert answer == b"" if not message else answer.startswith(b"HTTP/1.1 400")


def test_closing_ends_open_connections_and_leaves_no_thread() -> None:
    before = set(threading.enumerate())
    server = serve(Sandbox(), timeout=60)
    host, port = server.url.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), timeout=5) as idle:
        idle.sendall(b"GET /wsdl/2011-05-01 HTTP/1.1\r\nHost: x\r\n\r\n")
        while not idle.recv(65536).endswith(b"</wsdl:definitions>"):
            pass
        started = time.monotonic()
        server.close()
        assert time.monotonic() - started < 3
        assert idle.recv(1) == b""
    server.close()
    left = [thread for thread in set(threading.enumerate()) - before if thread.is_alive()]
    assert left == []
    with pytest.raises(OSError, match="refused"):
        socket.create_connection((host, int(port)), timeout=1)


def test_a_taken_port_is_an_error_and_no_exit(staged: Callable[..., Stage]) -> None:
    port = int(staged().server.url.rpartition(":")[2])
    with pytest.raises(OSError, match="in use"):
        serve(Sandbox(), port=port)


def test_interfering_with_requests(staged: Callable[..., Stage]) -> None:
    seen: list[str] = []

    def interfere(request: Request) -> Response | None:
        seen.append(request.path)
        return (
            Response("<html>down</html>", 503, content_type="text/html") if "soap" in request.path else None
        )

    stage = staged(interfere=interfere)
    assert stage.caller.post(SEARCH).status_code == 503
    stage.sandbox.interfere = None
    assert stage.caller.post(SEARCH).status_code == 200
    assert seen[-1] == "/soap/2011-03-01"
    assert "/wsdl/2011-03-01" in seen


def test_who_interferes_may_read_the_body(staged: Callable[..., Stage]) -> None:
    seen: list[bytes] = []

    def interfere(request: Request) -> Response | None:
        seen.append(request.get_data())
        return None

    assert staged(interfere=interfere).caller.post(SEARCH).status_code == 200
    assert seen[-1] == SEARCH


@pytest.mark.parametrize(("length", "too_large"), [(900, False), (901, True), (100_000, True)])
def test_a_body_is_bounded_under_a_server_that_does_not(length: int, too_large: bool) -> None:
    from werkzeug.test import Client

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


def test_the_access_log_is_quiet_and_without_queries_or_secrets(
    staged: Callable[..., Stage], caplog: pytest.LogCaptureFixture
) -> None:
    stage = staged()
    with caplog.at_level(logging.DEBUG, logger="soapclient.sandbox"):
        stage.caller.call("GetProfile")
        stage.caller.session.get(f"{stage.server.url}/xml/x?signature=SECRET", timeout=5)
    ours = [record for record in caplog.records if record.name.startswith("soapclient.sandbox")]
    assert {record.levelno for record in ours} == {logging.DEBUG}
    text = "\n".join(record.getMessage() for record in ours)
    assert "GET /xml/x 404" in text
    assert "SECRET" not in text
    assert SAMPLE_SECRET_KEY not in text


def test_the_sandbox_is_a_wsgi_application_by_itself() -> None:
    from werkzeug.test import Client

    with Sandbox() as sandbox:
        client = Client(sandbox)
        response = client.post("/soap/2011-03-01", data=SEARCH, content_type="text/xml")
        assert response.status_code == 200
        assert client.get("/wsdl/2011-05-01").status_code == 200
