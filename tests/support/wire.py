"""HTTP servers on loopback that send scripted responses and record the requests."""

from __future__ import annotations

import socket
import ssl
import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from typing import Final
from urllib.parse import unquote

from lxml import etree

_XML: Final = "text/xml; charset=utf-8"
_REFUSAL: Final = b'{"code":230,"message":"bad parameter","reason":"recorded"}'
_serial = count(1)


@dataclass(frozen=True)
class Sent:
    """A recorded request. `target` is from the request line; header names are in lower case."""

    method: str
    target: str
    headers: dict[str, str]
    body: bytes

    @property
    def path(self) -> str:
        return self.target.partition("?")[0]

    @property
    def query(self) -> str:
        """The query as sent."""
        return self.target.partition("?")[2]

    @property
    def pairs(self) -> list[tuple[str, str]]:
        """The query's parameters in order, decoded. A plus is not decoded to a space."""
        parts = [part.partition("=") for part in self.query.split("&") if part]
        return [(unquote(name, errors="strict"), unquote(text, errors="strict")) for name, _, text in parts]

    @property
    def message(self) -> etree._Element:
        """The child of the envelope's body, over SOAP 1.1."""
        child = etree.fromstring(self.body).find("{http://schemas.xmlsoap.org/soap/envelope/}Body/*")
        assert child is not None
        return child

    @property
    def fields(self) -> dict[str, str]:
        """The message's simple children in document order: local name → text."""
        return {etree.QName(child).localname: child.text or "" for child in self.message if not len(child)}

    def raw(self) -> bytes:
        """The complete request as bytes, for a connection that is closed afterwards."""
        headers = self.headers | {"connection": "close"}
        head = "".join(f"{name}: {text}\r\n" for name, text in headers.items())
        return f"{self.method} {self.target} HTTP/1.1\r\n{head}\r\n".encode("latin-1") + self.body

    def sent_to(self, url: str) -> tuple[int, bytes]:
        """Send the request to a server at `url` over a new connection. Returns status and body."""
        host, _, port = url.removeprefix("http://").partition(":")
        with socket.create_connection((host, int(port)), timeout=10) as connection:
            connection.sendall(self.raw())
            answer = b"".join(iter(lambda: connection.recv(1 << 16), b""))
        head, _, body = answer.partition(b"\r\n\r\n")
        return int(head.split()[1]), body


class Exchange:
    """One request being answered, for handlers that break the protocol."""

    def __init__(self, handler: BaseHTTPRequestHandler, sent: Sent, ended: threading.Event) -> None:
        self.handler = handler
        self.sent = sent
        self.ended = ended

    def head(self, status: int = 200, **headers: str) -> None:
        """Send only status and headers. `_` in a header name becomes `-`."""
        self.handler.send_response_only(status)
        for name, text in ({"Content_Type": _XML} | headers).items():
            self.handler.send_header(name.replace("_", "-"), text)
        self.handler.end_headers()

    def write(self, piece: bytes) -> None:
        self.handler.wfile.write(piece)
        self.handler.wfile.flush()

    def drop(self) -> None:
        """Close the connection after this response."""
        self.handler.close_connection = True

    def drip(self, piece: bytes) -> None:
        """Send a piece repeatedly, with pauses, until the client disconnects or the test ends."""
        self.drop()
        while not self.ended.wait(0.002):
            self.write(piece)


Action = Callable[[Exchange], None]


class _QuietServer(ThreadingHTTPServer):
    def handle_error(self, request: object, client_address: object) -> None:
        """Ignore clients that disconnect, because tests do so on purpose."""


class Wire:
    """An HTTP server that sends the next scripted response to each request, and records the requests."""

    def __init__(self) -> None:
        self.sent: list[Sent] = []
        self.connections: list[object] = []  # one for each request
        self.numbered = True  # no two responses are identical, because the client would repeat such a read
        self._actions: deque[Action] = deque()
        self._ended = threading.Event()
        wire = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True
            timeout = 10

            def answer(self) -> None:
                headers = {name.lower(): value for name, value in self.headers.items()}
                body = self.rfile.read(int(headers.get("content-length", "0")))
                # Not self.path, which is normalised.
                method, target, _ = self.requestline.split(" ")
                sent = Sent(method, target, headers, body)
                wire.connections.append(self.client_address)
                wire.sent.append(sent)
                try:
                    wire._next()(Exchange(self, sent, wire._ended))
                except OSError:
                    self.close_connection = True  # the client has disconnected

            do_GET = do_POST = do_PUT = do_DELETE = answer

            def log_message(self, format: str, *args: object) -> None:
                pass

        self._server = _QuietServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02})
        self._thread.start()

    @property
    def last(self) -> Sent:
        return self.sent[-1]

    def secure(self, context: ssl.SSLContext) -> None:
        """Use TLS for all connections from now on."""
        self._server.socket = context.wrap_socket(self._server.socket, server_side=True)
        self.url = self.url.replace("http:", "https:")

    def does(self, action: Action) -> None:
        """Answer the next request with this handler."""
        self._actions.append(action)

    def answers(self, body: str | bytes, status: int = 200, **headers: str) -> None:
        """Answer the next request with this response; `_` in a header name becomes `-`."""
        content = body.encode() if isinstance(body, str) else body
        self._actions.append(partial(self._answer, status, content, headers))

    def reset(self) -> None:
        """Forget requests and scripted responses, and end the handlers that still run."""
        self._ended.set()
        self._ended = threading.Event()
        self.sent, self.connections = [], []
        self._actions.clear()

    def close(self) -> None:
        self._ended.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def _next(self) -> Action:
        return self._actions.popleft() if self._actions else self._unscripted

    def _unscripted(self, exchange: Exchange) -> None:
        self._answer(410, b"no more", {}, exchange)

    def _answer(self, status: int, body: bytes, headers: dict[str, str], exchange: Exchange) -> None:
        number = {"X_Number": str(next(_serial))} if self.numbered else {}
        exchange.head(status, **({"Content_Length": str(len(body))} | number | headers))
        exchange.write(body)


class Recorder(Wire):
    """A `Wire` for REST: responses are JSON, and the default is a 400, which clients do not retry."""

    def answers(
        self, body: str | bytes, status: int = 200, kind: str = "application/json", **headers: str
    ) -> None:
        """Answer the next request with this; `_` in a header name becomes `-`."""
        super().answers(body, status, **({"Content_Type": kind} | headers))

    def _unscripted(self, exchange: Exchange) -> None:
        self._answer(400, _REFUSAL, {"Content_Type": "application/json"}, exchange)
