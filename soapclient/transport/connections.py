"""Connections with a deadline for the complete response. They record if a request may have been sent.

The timeout of a socket restarts with every byte, so a response that arrives byte by byte could take forever.

If a request fails before it is sent, the service cannot have processed it. If the request fails later, the
service may have processed it. The type of the exception does not show when the error occurred: a ValueError,
for example, can occur both before a request is sent and while its response is read.

Imported only inside functions, so that requests and urllib3 are loaded only when a session is opened.
"""

from __future__ import annotations

import io
import queue
import socket
import ssl
import threading
import time
from collections.abc import Callable
from functools import partial
from http.client import BadStatusLine, HTTPResponse, parse_headers
from http.cookiejar import DefaultCookiePolicy
from typing import TYPE_CHECKING, Any, ClassVar, Final, cast

from requests.adapters import HTTPAdapter
from requests.cookies import RequestsCookieJar
from urllib3 import HTTPConnectionPool, HTTPSConnectionPool
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.exceptions import ConnectTimeoutError, NameResolutionError, NewConnectionError

from soapclient._support.forks import renewed_in_children

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer
    from requests import PreparedRequest, Response
    from urllib3 import ProxyManager

    from soapclient.transport.ssrf_guard import SsrfGuard

_BUFFER: Final = 1 << 16
_MAX_INTERIM: Final = 10  # interim responses (1xx) before the final one


class Exchange(threading.local):
    """State of the exchange (one request and its response) that the current thread is making.

    `tracked`: True if this module created the connection. `reused`: True if the connection was used before.
    `sent`: True if a part of the request may have been sent. `history`: the earlier responses on the
    connection. `request`: identifies the content of the request, see `limits.Limits`.
    """

    tracked = False
    reused = False
    sent = False
    history: History | None = None
    request: int | None = None
    _idle: float | None = None
    _head: float | None = None

    def begin(self, idle: float | None, head: float | None, request: int | None) -> dict[str, object]:
        """Start an exchange. Return the state of the exchange that was in progress, to pass to `end`.

        Exchanges can be nested, because the auth of a session may send its own request for a token.

        A connection that was idle for `idle` seconds is not used. On a reused connection, the head of the
        response must arrive within `head` seconds. None means no limit.
        """
        outer = dict(self.__dict__)
        self.__dict__.clear()
        self._idle, self._head, self.request = idle, head, request
        return outer

    def end(self, outer: dict[str, object]) -> None:
        """End the exchange, and continue the exchange `outer`, which `begin` has returned."""
        self.__dict__.clear()
        self.__dict__.update(outer)

    def may_use(self, idle_since: float | None) -> bool:
        """Return False if a connection has been idle for too long.

        `idle_since` is a monotonic time; None if the connection was never used.
        """
        # Checked only once per exchange: the second request of an exchange answers a challenge, and a
        # challenge is often bound to its connection.
        idle, self._idle = self._idle, None
        return idle is None or idle_since is None or time.monotonic() - idle_since < idle

    def wait(self, seconds: float | None) -> float | None:
        """Return the maximum time to wait for the head of a response, in seconds.

        This is `seconds`, or the limit for reused connections (see `begin`) if that is shorter.
        """
        if self._head is None or not self.reused:
            return seconds
        return self._head if seconds is None else min(seconds, self._head)


class History:
    """The responses received over one connection, which determine if the connection may be used again.

    A server or a proxy may send a response twice. If the duplicate arrives late, the client takes it for the
    response to the next request. From then on, each request gets the response to the request before it. A
    duplicate has the same body as an earlier response on its connection, and mostly the same head. Therefore
    a connection remembers checksums of its latest responses.

    `ambiguous` contains checksums of bodies that were the response to two different requests, such as an
    empty list. All connections of a pool share `ambiguous`. After a response with such a body, this
    connection may only be used to repeat the same request. If a different request got this body, too, the
    client could not tell if the body is the correct response or a duplicate.
    """

    _MAX_RESPONSES: Final = 256

    def __init__(self, ambiguous: set[int] | None = None) -> None:
        self.reusable = True
        self._ambiguous = set() if ambiguous is None else ambiguous
        self._responses: dict[int, int | None] = {}
        self._suspect = False
        self._only_for: int | None = None
        self._held = False
        self._release: Callable[[], None] | None = None

    def seems_repeated(self, head: object, body: int, request: int | None) -> bool:
        """Record a response. Return True if it repeats an earlier response to a different request.

        - `head`, `body`: the head of the response (None: compare only bodies), and a checksum of its body.
        - `request`: a checksum of the request, or None for a write. For a write, the result is False.

        After a repeated response, or a response with an ambiguous body, the connection may only be used to
        repeat this request: `suits` returns False for any other request.
        """
        response = hash((head, body))  # does not store anything from the head
        duplicate = response in self._responses
        earlier = self._responses.pop(response, None)
        self._responses[response] = request
        if len(self._responses) > self._MAX_RESPONSES:
            del self._responses[next(iter(self._responses))]
        repeated = duplicate and request is not None and request != earlier
        if repeated:
            if len(self._ambiguous) >= self._MAX_RESPONSES:
                self._ambiguous.clear()
            self._ambiguous.add(body)
        if duplicate or body in self._ambiguous:
            self._suspect, self._only_for = True, request
        return repeated

    def suits(self, request: int | None) -> bool:
        """Return True if the connection may be used for this request."""
        return self.reusable and (not self._suspect or request == self._only_for)

    def hold(self) -> None:
        """Keep the connection out of the pool until `release` is called, even if the body ends earlier."""
        self._held = True

    def release(self) -> None:
        """End `hold`. If the response has been read to the end, return the connection to the pool now."""
        self._held = False
        release, self._release = self._release, None
        if release is not None:
            release()

    def when_released(self, put: Callable[[], None]) -> None:
        """Call `put`, a function that returns the connection to the pool.

        If `hold` was called before, `put` is called later, by `release`. Otherwise it is called at once.
        """
        if self._held:
            self._release = put
        else:
            put()


exchange = Exchange()
StandIn = Callable[["PreparedRequest", Callable[[], "Response"]], "Response"]


class NoCookies(RequestsCookieJar):
    """A cookie jar that stays empty.

    In a forked child, its lock is replaced, because another thread may have held the lock during the fork.
    """

    def __init__(self) -> None:
        super().__init__(DefaultCookiePolicy(allowed_domains=[]))
        renewed_in_children(self)

    def renew(self) -> None:
        self._cookies_lock = threading.RLock()

    def extract_cookies(self, response: object, request: object) -> None:
        """Ignore the cookies of a response, without parsing it."""


class TimedResponse(HTTPResponse):
    """A response with one deadline for all its reads.

    By default, all reads must end within the socket's timeout, counted from the creation of this object.
    `allow` sets another deadline.
    """

    # Any, here and below: arguments of overridden methods, passed through.
    def __init__(self, sock: socket.socket, *args: Any, **kwargs: Any) -> None:
        super().__init__(sock, *args, **kwargs)
        self._file = _TimedFile(self.fp.detach(), sock)
        self.fp = io.BufferedReader(self._file, _BUFFER)
        self.allow = self._file.allow
        self.allow(exchange.wait(sock.gettimeout()))
        self.history = exchange.history or History()

    def begin(self) -> None:
        """Read the head. If it states the length of the body more than once, the connection is not reused."""
        super().begin()
        lengths = self.headers.get_all("Content-Length", [])
        if len(lengths) + (self.headers["Transfer-Encoding"] is not None) > 1:
            self.history.reusable = False

    def _close_conn(self) -> None:
        """Prevent reuse of the connection if more bytes than the response have arrived on it.

        http.client calls this method at the end of the body, or when the response is closed.
        """
        if self._file.has_more(self.fp):
            self.history.reusable = False
        super()._close_conn()  # type: ignore[misc] # typeshed lacks it

    def _read_status(self) -> tuple[str, int, str]:
        """Read the status line of the final response, skipping interim responses (RFC 9110 15.2).

        http.client itself skips only 100. It would return any other interim response as the final response.
        The real final response would then be taken for the response to the next request.
        """
        for _ in range(_MAX_INTERIM + 1):
            version, status, reason = super()._read_status()  # type: ignore[misc] # typeshed lacks it
            if not 100 < status < 200:
                return version, status, reason
            if status == 101:
                raise BadStatusLine("the server switched protocols without being asked (status 101)")
            parse_headers(self.fp)
        raise BadStatusLine(f"the server sent more than {_MAX_INTERIM} interim responses (status 1xx)")


class _TimedFile(io.RawIOBase):
    """The socket of a response as a file, with a deadline."""

    _ended = False

    def __init__(self, raw: io.RawIOBase, sock: socket.socket) -> None:
        self._raw = raw
        self.sock = sock
        self.allow(sock.gettimeout())

    def allow(self, seconds: float | None) -> None:
        """Set the deadline for reads to `seconds` from now. None removes it."""
        self._until = None if seconds is None else time.monotonic() + seconds

    def has_more(self, reader: io.BufferedReader) -> bool:
        """Return True if bytes were received that have not been read from `reader` yet."""
        self._ended = True  # otherwise `peek` would wait for more
        pending = getattr(self.sock, "pending", None)  # decrypted bytes of TLS
        return bool(reader.peek()) or bool(pending and pending())

    def readable(self) -> bool:
        """Return True, because this file can be read."""
        return True

    def readinto(self, buffer: WriteableBuffer) -> int | None:
        """Read bytes from the socket. Raises TimeoutError at the deadline."""
        if self._ended:
            return None
        if self._until is not None:
            remaining = self._until - time.monotonic()
            if remaining <= 0:
                raise TimeoutError("timed out")
            self.sock.settimeout(remaining)
        read: int | None = self._raw.readinto(buffer)
        return read

    def close(self) -> None:
        """Close the socket's file."""
        self._raw.close()
        super().close()


# While vcrpy records or replays, it replaces urllib3's classes. If this module is imported meanwhile, it must
# still use urllib3's own classes.
_urllib3_http: type[HTTPConnection] = getattr(HTTPConnection, "_baseclass", HTTPConnection)
_urllib3_https: type[HTTPSConnection] = getattr(HTTPSConnection, "_baseclass", HTTPSConnection)


class _HttpConnection(_urllib3_http):  # type: ignore[misc,valid-type] # a class, as its annotation says
    """A connection over http. Records in `exchange` when a part of a request may have been sent."""

    response_class = TimedResponse
    history: History | None = None
    guard: SsrfGuard | None = None
    _tunnelling = False

    def _new_conn(self) -> socket.socket:
        """Open a socket. If `guard` (an SsrfGuard) is set, connect only to addresses that it allows.

        The guard itself looks up the host name, so no other lookup can return different addresses.
        """
        if self.guard is None:
            return cast("socket.socket", super()._new_conn())
        name: str = self._dns_host  # type: ignore[has-type] # of the base class, which is Any for mypy
        timeout: Any = self.timeout  # type: ignore[has-type] # likewise
        try:
            addresses = self.guard.addresses(name, self.port)
        except socket.gaierror as error:
            raise NameResolutionError(self.host, self, error) from error
        last_error: Exception = NewConnectionError(self, f"no IP address was found for the host {name}")
        for address in addresses:
            self._dns_host = address
            if isinstance(timeout, int | float):  # the addresses share the time for one connection
                self.timeout = timeout / len(addresses)
            try:
                sock = cast("socket.socket", super()._new_conn())
            except (ConnectTimeoutError, NewConnectionError) as error:
                last_error = error
            else:
                if isinstance(timeout, int | float):
                    sock.settimeout(timeout)
                return sock
            finally:
                self._dns_host, self.timeout = name, timeout
        raise last_error

    def send(self, data: Any) -> None:
        """Send a part of a request. Opens the connection first if necessary."""
        if self.sock is None and self.auto_open:
            self.connect()
        if not self._tunnelling:
            exchange.sent = True
        super().send(data)

    def _tunnel(self) -> None:
        """Request a tunnel from a proxy. This does not send any part of the request itself."""
        self._tunnelling = True
        try:
            super()._tunnel()
        finally:
            self._tunnelling = False


class _HttpsConnection(_HttpConnection, _urllib3_https):  # type: ignore[misc,valid-type] # as above
    """A connection over https. Records in `exchange` when a part of a request may have been sent."""

    def connect(self) -> None:
        """Connect. If the server's certificate is refused, raise an error that contains the certificate.

        The error's attribute `presented` is the certificate. If the certificate could not be fetched, it is
        the class name of the exception that prevented this.
        """
        tunnel = self._tunnel_host, self._tunnel_port, getattr(self, "_tunnel_headers", None)
        try:
            super().connect()
        except ssl.SSLCertVerificationError as error:
            beyond_proxy: bool = self.has_connected_to_proxy  # `close()` resets it
            try:
                presented: bytearray | str = self._presented(*tunnel)
            except Exception as failure:  # the certificate is only used in the message
                presented = type(failure).__name__
            error.presented = presented  # type: ignore[attr-defined] # our attribute, for `tls.explained`
            self._has_connected_to_proxy = beyond_proxy  # otherwise urllib3 blames the proxy
            raise

    def _presented(self, name: str | None, port: int | None, headers: Any) -> bytearray:
        """Fetch the refused certificate on a new connection. No request is sent.

        Returns its DER encoding, empty if the server sends no certificate. It is not `bytes`, because
        `redaction.conceal` would replace bytes in it that look like a secret in a query.

        `name`, `port` and `headers` describe the tunnel through a proxy. Without a tunnel, `name` is None.
        """
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        self.close()
        try:
            if name:
                self.set_tunnel(name, port, headers)
            self.sock = self._new_conn()
            if name:
                self._tunnel()
            with context.wrap_socket(self.sock, server_hostname=name or self.host) as tls:
                return bytearray(tls.getpeercert(binary_form=True) or b"")
        finally:
            self.close()


class _HttpPool(HTTPConnectionPool):
    """A pool of connections over http."""

    def __init__(self, *args: Any, guard: SsrfGuard | None = None, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._guard = guard
        self._ambiguous: set[int] = set()

    def _new_conn(self) -> Any:
        """Create a connection."""
        connection: Any = super()._new_conn()
        if isinstance(connection, _HttpConnection):
            connection.guard = self._guard
        return connection

    @property
    def ConnectionCls(self) -> Any:  # type: ignore[override] # a class attribute in urllib3
        """The class of new connections.

        This is the class of this module. If urllib3's class is replaced, for example by vcrpy, it is the
        replacement.
        """
        replaced = HTTPConnectionPool.ConnectionCls
        return _HttpConnection if replaced is _urllib3_http else replaced

    def _get_conn(self, timeout: float | None = None) -> Any:
        """Take a connection from the pool, and record its state in `exchange`.

        If its socket must not be used again, the socket is closed, and urllib3 opens a new one.
        """
        connection: Any = super()._get_conn(timeout)
        exchange.tracked = isinstance(connection, _HttpConnection)
        history = getattr(connection, "history", None)
        suits = history is None or history.suits(exchange.request)
        if not exchange.may_use(getattr(connection, "idle_since", None)) or not suits:
            connection.close()  # the connection is opened again when it is used
        exchange.reused = connection.sock is not None
        if not exchange.reused or connection.history is None:
            connection.history = History(self._ambiguous)
        exchange.history = connection.history
        return connection

    def _put_conn(self, conn: Any) -> None:
        """Return a connection to the pool.

        If `History.hold` was called, the connection is returned later, by `History.release`. If the pool is
        full, no warning is logged.
        """
        history: History | None = getattr(conn, "history", None)
        if history is None:
            self._keep(conn)
        else:
            history.when_released(partial(self._keep, conn))

    def _keep(self, conn: Any) -> None:
        """Put a connection into the pool.

        If its socket must not be used again, the socket is closed, and urllib3 opens a new one.
        """
        if conn is not None:
            conn.idle_since = time.monotonic()
            history: History | None = getattr(conn, "history", None)
            if history is not None and not history.reusable:
                conn.close()
        try:
            self.pool.put(conn, block=False)  # type: ignore[union-attr]  # None once the pool is closed
        except (AttributeError, queue.Full):
            if conn is not None:
                conn.close()


class _HttpsPool(_HttpPool, HTTPSConnectionPool):
    """A pool of connections over https."""

    @property
    def ConnectionCls(self) -> Any:  # type: ignore[override] # a class attribute in urllib3
        """The class of new connections.

        This is the class of this module. If urllib3's class is replaced, for example by vcrpy, it is the
        replacement.
        """
        replaced = HTTPSConnectionPool.ConnectionCls
        return _HttpsConnection if replaced is _urllib3_https else replaced


class TimedAdapter(HTTPAdapter):
    """An adapter for the library requests, whose connections have deadlines.

    A forked child opens its own connections.

    `stand_in` is set while a test records or replays responses. It is a function
    `(request, send) -> response` that returns the response to each request of this process. It may call
    `send()` to send the request to the service.
    """

    stand_in: ClassVar[StandIn | None] = None

    def __init__(
        self, pool_size: int = 10, key_password: str | None = None, guard: SsrfGuard | None = None
    ) -> None:
        """Create an adapter that keeps up to `pool_size` connections per host.

        `key_password` decrypts the client's key (the library requests has no argument for it). `guard` checks
        the address of each request.
        """
        self._pool_size = pool_size
        self._guard = guard
        self._tls = {} if key_password is None else {"key_password": key_password}
        self.renew()
        renewed_in_children(self)

    def renew(self) -> None:
        """Create new pools, for example in a forked child."""
        super().__init__(pool_maxsize=self._pool_size, max_retries=0)

    def send(self, request: PreparedRequest, *args: Any, **kwargs: Any) -> Response:
        """Send a request. Raises HostForbidden if the guard forbids the host in its URL."""
        if self._guard is not None:  # with a proxy, which looks up names, this is the only check
            self._guard.check(request.url or "")
        # If requests' own method is replaced, for example by `responses`, nothing is known about the request.
        exchange.tracked = HTTPAdapter.send.__module__ == HTTPAdapter.__module__
        stand_in = TimedAdapter.stand_in
        if stand_in is None:
            return super().send(request, *args, **kwargs)
        response = stand_in(request, lambda: super(TimedAdapter, self).send(request, *args, **kwargs))
        response.connection = self  # the auth of a session sends its second request here
        return response

    def init_poolmanager(self, *args: Any, **kwargs: Any) -> None:
        """Create the pools for direct connections."""
        super().init_poolmanager(*args, **(kwargs | self._tls))
        self.poolmanager.pool_classes_by_scheme = {
            "http": partial(_HttpPool, guard=self._guard),
            "https": partial(_HttpsPool, guard=self._guard),
        }

    def proxy_manager_for(self, *args: Any, **kwargs: Any) -> ProxyManager:
        """Return the pools for connections through a proxy."""
        manager: ProxyManager = super().proxy_manager_for(*args, **(kwargs | self._tls))
        manager.pool_classes_by_scheme = {"http": _HttpPool, "https": _HttpsPool}
        return manager
