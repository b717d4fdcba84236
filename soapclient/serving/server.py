"""HTTP server with a thread per connection and persistent connections (HTTP/1.1).

Closing the server closes all connections. Werkzeug's request handler closes a connection after each request,
so the handler here reads bodies and sends responses itself.
"""

from __future__ import annotations

import contextlib
import io
import ipaddress
import logging
import socket
import ssl
import struct
import threading
import time
from collections.abc import Callable, Iterable
from http.server import HTTPServer
from pathlib import Path
from socketserver import TCPServer
from typing import TYPE_CHECKING, Protocol, Self
from urllib.parse import quote

from werkzeug.middleware.proxy_fix import ProxyFix
from werkzeug.serving import WSGIRequestHandler

from .connection_limiter import MOST_CONNECTIONS, ConnectionLimiter
from .faults import CloseConnection
from .framing import BadFraming, HeaderLines, checked_line, read_body
from .guard import Guard

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

log = logging.getLogger("soapclient.serving.access")
_MAX_TIMEOUTS = 4  # maximum time from the first to the last byte of a request, as a multiple of the timeout
_LINGER = 1.0  # seconds without a byte, after which a refused client is no longer waited for
_LINGER_TOTAL = 5.0  # seconds
_BUSY = (
    b"HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
)
_LINGER_BYTES = 64 * 1024 * 1024


class Application(Protocol):
    """The interface of an application to serve: a sandbox, or a mock of another service."""

    max_body: int  # maximum bytes of a request

    def wsgi(self, environ: WSGIEnvironment, start_response: StartResponse, /) -> Iterable[bytes]:
        """The WSGI entry point. May raise `CloseConnection`."""


class UnusableCertificate(ValueError):
    """Raised if the TLS certificate or its key cannot be used. The message says why.

    >>> from soapclient.tracking.sandbox import Sandbox, UnusableCertificate, serve
    >>> with Sandbox() as sandbox:
    ...     try:
    ...         serve(sandbox, certificate="missing.pem")
    ...     except UnusableCertificate as error:
    ...         print("missing.pem" in str(error))
    True
    """


class _Server(HTTPServer):
    """Accepts connections and serves each in its own thread. `server_close` waits for all threads."""

    allow_reuse_address = True
    request_queue_size = 128
    # Attributes that werkzeug's handler reads.
    multithread = True
    multiprocess = False
    passthrough_errors = False

    def __init__(
        self,
        address: tuple[str, int],
        app: WSGIApplication,
        max_body: int,
        timeout: float,
        monotonic: Callable[[], float],
        ssl_context: ssl.SSLContext | None,
        max_connections: int,
    ) -> None:
        self.app = app
        self.ssl_context = ssl_context  # werkzeug's handler derives the scheme from it
        self.max_body = max_body
        self.idle_timeout = timeout
        self.monotonic = monotonic
        self.limiter = ConnectionLimiter(max_connections, monotonic)
        self.address_family = socket.AF_INET6 if ":" in address[0] else socket.AF_INET
        super().__init__(address, _Handler)

    def server_bind(self) -> None:
        """Bind to the address."""
        # Not HTTPServer's method: it looks up the host's name, which can take seconds.
        TCPServer.server_bind(self)
        self.server_name, self.server_port = self.server_address[:2]  # type: ignore[assignment] # str and int for inet

    def process_request(self, request: object, client_address: object) -> None:
        """Start a thread for a new connection, or respond with 503 if there are too many connections."""
        assert isinstance(request, socket.socket)
        name = f"soapclient-connection-{self.server_port}"
        thread = threading.Thread(target=self._serve, args=(request, client_address), name=name, daemon=True)
        if not self.limiter.admit(thread, request):
            with contextlib.suppress(OSError):
                request.settimeout(0)
                request.sendall(_BUSY if self.ssl_context is None else b"")
            self.shutdown_request(request)
            return
        try:
            thread.start()
        except RuntimeError:  # no more threads are available
            self.limiter.forget(thread)
            raise

    def _serve(self, request: socket.socket, client_address: tuple[str, int]) -> None:
        """Serve one connection in this thread."""
        try:
            if self.ssl_context is not None:  # in the thread, so that a slow handshake does not block others
                request.settimeout(self.idle_timeout)
                request = self.ssl_context.wrap_socket(
                    request, server_side=True, do_handshake_on_connect=False
                )
                self.limiter.renamed(request)  # before the handshake, so that `server_close` can end it
                request.do_handshake()
            self.finish_request(request, client_address)
        except Exception:
            log.debug("a connection ended with an error", exc_info=True)
        finally:
            self.shutdown_request(request)
            self.limiter.forget(threading.current_thread())

    def server_close(self) -> None:
        """Stop listening, and end all connections."""
        super().server_close()
        self.limiter.end()


class _Received(io.RawIOBase):
    """Stream of the bytes received on a connection, with time limits.

    Each read may take up to `timeout` seconds, and a complete request up to four times as many.
    """

    def __init__(self, connection: socket.socket, timeout: float, monotonic: Callable[[], float]) -> None:
        self._connection = connection
        self._timeout = timeout
        self._monotonic = monotonic
        self._end: float | None = None

    def begin(self) -> None:
        """Prepare for the next request. The time limit of a request starts at its first byte."""
        self._end = None

    def readable(self) -> bool:
        """Return True, because this stream can be read."""
        return True

    def readinto(self, buffer: WriteableBuffer, /) -> int:
        """Receive bytes into `buffer` and return their number. Raises TimeoutError at a time limit."""
        left = self._timeout
        if self._end is not None:
            left = min(left, self._end - self._monotonic())
            if left <= 0:
                raise TimeoutError("the request takes too long")
        self._connection.settimeout(left)
        try:
            received = self._connection.recv_into(buffer)
        finally:
            self._connection.settimeout(self._timeout)  # for sending
        if self._end is None:
            self._end = self._monotonic() + _MAX_TIMEOUTS * self._timeout
        return received


class _Handler(WSGIRequestHandler):
    """Serves the requests of one connection, one after the other."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # otherwise head and body of a response can be 40 ms apart
    # werkzeug declares its own server class, and uses four attributes of it.
    server: _Server  # type: ignore[assignment] # see above
    server_version = "soapclient-sandbox"
    sys_version = ""
    path = ""  # until a request line has been read
    _refused = False

    def setup(self) -> None:
        """Prepare the connection. Requests are read through `_Received`, which has time limits."""
        super().setup()
        self.rfile.close()
        self._received = _Received(self.connection, self.server.idle_timeout, self.server.monotonic)
        self.rfile = io.BufferedReader(self._received)

    def version_string(self) -> str:
        """Return the value of the header `Server`."""
        return "soapclient-sandbox"

    def finish(self) -> None:
        """Close the connection. If a request was refused, read its remaining data first (see `linger`)."""
        self.server.limiter.waited_for()
        super().finish()
        if self._refused:
            linger(self.connection, self.server.monotonic)

    def handle_one_request(self) -> None:
        """Read one request from the connection and respond to it."""
        self.server.limiter.waited_for()
        self._received.begin()
        super().handle_one_request()

    def parse_request(self) -> bool:
        """Read the request line and the headers. Return False if an error response was sent instead."""
        self.requestline = self.request_version = self.command = ""  # `send_error` reads these
        source, self.rfile = self.rfile, HeaderLines(self.rfile)
        try:
            checked_line(self.raw_requestline)
            if not super().parse_request():
                return False
            if (
                self.request_version == "HTTP/0.9"
            ):  # HTTP/0.9: its responses have no status, so the client could not see a refusal
                raise BadFraming("a request line must end with its version, HTTP/1.1", 505)
            return True
        except BadFraming as problem:
            self.send_error(problem.status, str(problem))
            return False
        finally:
            self.rfile = source

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """Send an error response, and close the connection."""
        self._refused = True
        if self.request_version == "HTTP/0.9":  # the initial value, before a version has been read
            self.request_version = "HTTP/1.0"
        super().send_error(code, message, explain)

    def run_wsgi(self) -> None:
        """Read the body and pass the request to the application."""
        try:
            environ = self.make_environ()
        except ValueError:  # from urlsplit, for a target such as http://[
            self.send_error(400, "the request target is not a valid address")
            return
        try:
            body, complete = read_body(self.rfile, self.headers, self.request_version, self.server.max_body)
        except BadFraming as problem:
            self.send_error(problem.status, str(problem))
            return
        if not complete:
            self.close_connection = True
        self.server.limiter.at_work()
        environ["wsgi.input"] = io.BytesIO(body)
        environ["wsgi.input_terminated"] = True
        self.environ = environ
        self._respond(environ)

    def _respond(self, environ: WSGIEnvironment) -> None:
        """Call the application and send its response."""
        status, headers = "", [("", "")]

        def start_response(line: str, fields: list[tuple[str, str]], exc_info: object = None) -> object:
            """Store the status and the headers, which are sent with the first block of the body."""
            nonlocal status, headers
            status, headers = line, fields
            return None

        try:
            # start_response does not return WSGI's write()
            response: Iterable[bytes] = self.server.app(environ, start_response)  # type: ignore[arg-type] # see above
        except CloseConnection:
            self.close_connection = True
            with contextlib.suppress(OSError):
                # Close without waiting for unsent data, so that the client sees a reset and not an end.
                self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                self.connection.close()
            return
        except Exception:
            log.exception("the application failed")
            self.close_connection = True
            self.send_error(500)
            return
        try:
            self._send(status, headers, response)
        finally:
            close = getattr(response, "close", None)
            if close is not None:
                close()

    def _send(self, status: str, headers: list[tuple[str, str]], response: Iterable[bytes]) -> None:
        """Send a response. If it has no known length, close the connection after its last byte."""
        code, _, phrase = status.partition(" ")
        self.log_request(code)
        # Not send_response, because it would add a second Date, from the real clock.
        self.send_response_only(int(code), phrase)
        self.send_header("Server", self.version_string())
        length: int | None = None
        for name, value in headers:
            if name.lower() == "connection":
                self.close_connection = True  # the header is sent below, once
                continue
            self.send_header(name, value)
            if name.lower() == "content-length":
                length = int(value)
        bare = self.command == "HEAD" or code in ("204", "304")
        if length is None and not bare:
            self.close_connection = True  # the end of the connection marks the end of the response
        if self.close_connection:
            self.send_header("Connection", "close")
        # Send the head together with the first block.
        head = b"".join(self._headers_buffer) + b"\r\n"
        self._headers_buffer.clear()
        sent = 0
        for block in response:
            if bare or not block:
                continue
            self.wfile.write(head + block)
            head = b""
            sent += len(block)
        if head:
            self.wfile.write(head)
        if length is not None and sent != length and not bare:
            self.close_connection = True  # truncated on purpose or by a bug: nothing more may follow

    def log_request(self, code: int | str = "-", size: int | str = "-") -> None:
        """Log a request without its query."""
        # Without the query: it can hold a signature.
        path = quote(self.path.partition("?")[0], safe="/%:")  # no control characters in a log
        log.debug("%s %s %s", self.command, path, code)

    def log(self, type: str, message: str, *args: object) -> None:
        """Log only the type of a message from the standard library, not its text."""
        log.debug("%s", type)


def _reached_at(host: str) -> str:
    """Return the host part of the server's URL on this machine, with an IPv6 address in brackets.

    `host` is the address on which the server listens. If this means all addresses, such as
    `0.0.0.0`, the result is the loopback address.
    """
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return host
    if address.is_unspecified:
        return "127.0.0.1" if address.version == 4 else "[::1]"
    return f"[{host}]" if address.version == 6 else host


def linger(connection: socket.socket, monotonic: Callable[[], float]) -> None:
    """Read and ignore the data that a refused client still sends, for a limited time.

    Closing a connection with unread data resets it, and the client would not see the refusal.
    """
    left = _LINGER_BYTES
    end = monotonic() + _LINGER_TOTAL
    try:
        connection.shutdown(socket.SHUT_WR)
        connection.settimeout(_LINGER)
        while left > 0 and monotonic() < end and (block := connection.recv(1 << 16)):
            left -= len(block)
    except OSError:
        log.debug("a client that was refused sent for too long, or disconnected")


class Server:
    """A running server that serves an application behind a `Guard`.

    It runs until `close()` or the end of its `with` block. `url` is the server's address on this machine,
    without a slash at the end. `token`: paths below `/-/` require it as `Authorization: Bearer TOKEN`; None
    if only this machine can reach the server.
    """

    def __init__(
        self,
        application: Application,
        host: str = "127.0.0.1",
        port: int = 0,
        timeout: float = 30.0,
        monotonic: Callable[[], float] = time.monotonic,
        *,
        certificate: str | Path | None = None,
        key: str | Path | None = None,
        trust_forwarded: bool = False,
        max_connections: int = MOST_CONNECTIONS,
        allow_hosts: Iterable[str] = (),
    ) -> None:
        self.application = application
        if certificate is None and key is not None:
            raise UnusableCertificate("key requires certificate: give the certificate, or omit both")
        context = None if certificate is None else _tls(certificate, key)
        guard = Guard(host, allow_hosts, trust_forwarded=trust_forwarded)
        self.token = guard.token
        app = guard.protect(application.wsgi)
        if trust_forwarded:
            app = ProxyFix(app, x_for=0, x_proto=1, x_host=1)
        self._server = _Server(
            (host, port), app, application.max_body, timeout, monotonic, context, max_connections
        )
        bound = self._server.server_address
        name = _reached_at(host)
        self.url = f"{'http' if context is None else 'https'}://{name}:{bound[1]}"
        self._thread = threading.Thread(
            target=self._server.serve_forever,
            kwargs={"poll_interval": 0.05},
            name=f"soapclient-server-{bound[1]}",
            daemon=True,
        )
        self._thread.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Stop accepting connections, close the open ones, and wait for their threads. May be called twice.

        The application is not closed. A sandbox keeps its data and jobs, and can be served again.
        """
        with contextlib.suppress(OSError):  # called twice, or a listening socket that cannot be shut down
            self._server.socket.shutdown(socket.SHUT_RDWR)  # wakes the accepting thread at once
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


def _tls(certificate: str | Path, key: str | Path | None) -> ssl.SSLContext:
    """Create the TLS context from PEM files. Raises UnusableCertificate."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    try:
        context.load_cert_chain(certificate, key, password=_refuse_to_ask)
    except (OSError, ValueError) as error:  # includes ssl.SSLError
        reason = getattr(error, "reason", None) or getattr(error, "strerror", None) or str(error)
        files = f"{certificate}" if key is None else f"{certificate} and {key}"
        raise UnusableCertificate(
            f"{files} cannot be used: {reason}. Give the certificate and its unencrypted key as PEM files"
        ) from error
    return context


def _refuse_to_ask() -> str:
    """Raise ValueError instead of asking for the password of a key on the terminal.

    OpenSSL calls this function if the key needs a password.
    """
    raise ValueError("the key is encrypted")
