"""A server for the sandbox: threads, connections kept alive (HTTP/1.1), and an end that leaves nothing open.

Werkzeug's own request handler closes every connection, so this one hands bodies and answers over itself.
"""

from __future__ import annotations

import io
import logging
import socket
import threading
from collections.abc import Iterable
from http.server import HTTPServer
from socketserver import TCPServer
from typing import TYPE_CHECKING, Self
from urllib.parse import quote

from werkzeug.serving import WSGIRequestHandler

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIApplication, WSGIEnvironment

    from .app import Sandbox

log = logging.getLogger("soapclient.sandbox.access")
_DRAIN = 64 * 1024 * 1024  # bytes of a refused body that are read, so that its sender sees the refusal


class _BadRequest(Exception):
    """A message whose end cannot be told: status and text, then the connection closes."""


class _Server(HTTPServer):
    """Accepts; every connection is answered by a thread that `server_close` waits for."""

    allow_reuse_address = True
    request_queue_size = 128
    # What werkzeug's handler asks of its server.
    multithread = True
    multiprocess = False
    ssl_context = None
    passthrough_errors = False

    def __init__(self, address: tuple[str, int], app: WSGIApplication, max_body: int, timeout: float) -> None:
        self.app = app
        self.max_body = max_body
        self.idle_timeout = timeout
        self._lock = threading.Lock()
        self._open: dict[threading.Thread, socket.socket] = {}
        self.address_family = socket.AF_INET6 if ":" in address[0] else socket.AF_INET
        super().__init__(address, _Handler)

    def server_bind(self) -> None:
        # Not HTTPServer's: that one asks the name service who we are, which can take seconds.
        TCPServer.server_bind(self)
        self.server_name, self.server_port = self.server_address[:2]  # type: ignore[assignment]  # str and int for inet

    def process_request(self, request: object, client_address: object) -> None:
        assert isinstance(request, socket.socket)
        thread = threading.Thread(target=self._serve, args=(request, client_address), daemon=True)
        with self._lock:
            self._open[thread] = request
        thread.start()

    def _serve(self, request: socket.socket, client_address: tuple[str, int]) -> None:
        try:
            self.finish_request(request, client_address)
        except Exception:
            log.debug("a connection ended badly", exc_info=True)
        finally:
            self.shutdown_request(request)
            with self._lock:
                self._open.pop(threading.current_thread(), None)

    def server_close(self) -> None:
        super().server_close()
        with self._lock:
            left = dict(self._open)
        for connection in left.values():
            try:
                connection.shutdown(socket.SHUT_RDWR)
            except OSError:
                log.debug("a connection was gone already")
        for thread in left:
            thread.join(timeout=5)


class _Handler(WSGIRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # or a kept connection waits 40 ms between head and body
    server: _Server  # type: ignore[assignment]  # werkzeug names its own server class, and uses four attributes of it
    server_version = "soapclient-sandbox"
    sys_version = ""

    def setup(self) -> None:
        super().setup()
        self.connection.settimeout(self.server.idle_timeout)

    def version_string(self) -> str:
        return "soapclient-sandbox"

    def run_wsgi(self) -> None:
        try:
            body = self._body()
        except _BadRequest as problem:
            self.close_connection = True
            self.send_error(400, str(problem))
            return
        environ = self.make_environ()
        environ["wsgi.input"] = io.BytesIO(body)
        environ["wsgi.input_terminated"] = True
        self.environ = environ
        self._respond(environ)

    def _body(self) -> bytes:
        """All of the body, so that the next request on this connection starts where it should.

        One too large is read but not kept; the application refuses it by its length.
        """
        if "chunked" in self.headers.get("Transfer-Encoding", "").lower():
            try:
                body: bytes = self.make_environ()["wsgi.input"].read(self.server.max_body + 1)
            except (OSError, ValueError) as problem:
                raise _BadRequest("the chunks of the body are broken, or did not come in time") from problem
            if len(body) > self.server.max_body:
                self.close_connection = True
            return body
        text = self.headers.get("Content-Length")
        if text is None:
            return b""
        if not (text.isascii() and text.isdigit() and len(text) < 16):
            raise _BadRequest("Content-Length is not a number of bytes")
        length = int(text)
        try:
            if length > self.server.max_body:
                self.close_connection = True
                left = min(length, _DRAIN)
                while left > 0 and (block := self.rfile.read(min(left, 1 << 16))):
                    left -= len(block)
                return b""
            body = self.rfile.read(length)
        except TimeoutError as problem:
            raise _BadRequest("the body is shorter than its Content-Length") from problem
        if len(body) < length:
            raise _BadRequest("the body is shorter than its Content-Length")
        return body

    def _respond(self, environ: WSGIEnvironment) -> None:
        status, headers = "", [("", "")]

        def start_response(line: str, fields: list[tuple[str, str]], exc_info: object = None) -> object:
            nonlocal status, headers
            status, headers = line, fields
            return None

        try:
            answer: Iterable[bytes] = self.server.app(environ, start_response)  # type: ignore[arg-type]  # no write()
        except Exception:
            log.exception("the application failed")
            self.close_connection = True
            self.send_error(500)
            return
        try:
            self._send(status, headers, answer)
        finally:
            close = getattr(answer, "close", None)
            if close is not None:
                close()

    def _send(self, status: str, headers: list[tuple[str, str]], answer: Iterable[bytes]) -> None:
        code, _, phrase = status.partition(" ")
        self.log_request(code)
        # Not send_response: that would add a second Date, by the real clock.
        self.send_response_only(int(code), phrase)
        self.send_header("Server", self.version_string())
        length: int | None = None
        for name, value in headers:
            if name.lower() == "connection":
                self.close_connection = True  # said below, once
                continue
            self.send_header(name, value)
            if name.lower() == "content-length":
                length = int(value)
        bare = self.command == "HEAD" or code in ("204", "304")
        if length is None and not bare:
            self.close_connection = True  # its end is the end of the answer
        if self.close_connection:
            self.send_header("Connection", "close")
        # Head and first block go out together.
        head = b"".join(self._headers_buffer) + b"\r\n"
        self._headers_buffer.clear()
        sent = 0
        for block in answer:
            if bare or not block:
                continue
            self.wfile.write(head + block)
            head = b""
            sent += len(block)
        if head:
            self.wfile.write(head)
        if length is not None and sent != length and not bare:
            self.close_connection = True  # cut on purpose, or a bug: either way nothing may follow it

    def log_request(self, code: int | str = "-", size: int | str = "-") -> None:
        # Without the query: it can hold a signature.
        path = quote(self.path.partition("?")[0], safe="/%:")  # no control characters in a log
        log.debug("%s %s %s", self.command, path, code)

    def log(self, type: str, message: str, *args: object) -> None:
        log.debug("%s", type)


class Serving:
    """A running server. `url` has no slash at its end. Ends with `close()` or its `with` block."""

    def __init__(
        self, sandbox: Sandbox, host: str = "127.0.0.1", port: int = 0, timeout: float = 30.0
    ) -> None:
        self.sandbox = sandbox
        self._server = _Server((host, port), sandbox.wsgi, sandbox.max_body, timeout)
        bound = self._server.server_address
        name = f"[{host}]" if ":" in host else host
        self.url = f"http://{name}:{bound[1]}"
        self._thread = threading.Thread(
            target=self._server.serve_forever,
            kwargs={"poll_interval": 0.05},
            name="soapclient-sandbox",
            daemon=True,
        )
        self._thread.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Stop accepting, end open connections, wait for their threads. Twice does no harm.

        The sandbox itself lives on, with its data and jobs, and may be served again.
        """
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


def serve(sandbox: Sandbox, host: str = "127.0.0.1", port: int = 0, *, timeout: float = 30.0) -> Serving:
    """Serve in the background; port 0 takes a free one. `timeout`: seconds a silent connection may last.

    Raises OSError where the port cannot be had.
    """
    return Serving(sandbox, host, port, timeout)
