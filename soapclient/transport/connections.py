"""Connections that end the reading of a response at one moment, and know whether a request has left.

The timeout of a socket begins anew with every byte: headers, or bytes that decode to nothing, that come one
by one could go on for ever. And whether a failed write may have been processed depends on where it failed,
not on the exception: a ValueError may come of a request as of a response. Imported by `transport.http`
alone, when a session is opened.
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

    from soapclient.transport.reach import Reach

_BUFFER: Final = 1 << 16
_MOST_INTERIM: Final = 10


class Exchange(threading.local):
    """What this thread's exchange may use, and what it has come to.

    `known`: one of our adapters has it; `reused`: it goes over a connection that was used before; `left`:
    some of its request may have left; `history`: that of its connection; `request`: as in `http.Limits`.
    """

    known = False
    reused = False
    left = False
    history: History | None = None
    request: int | None = None
    _idle: float | None = None
    _head: float | None = None

    def begin(self, idle: float | None, head: float | None, request: int | None) -> dict[str, object]:
        """Begin an exchange; return what `end` needs. It may have others in it: an auth may ask for a token.

        A connection that was idle for `idle` seconds is not used; over a used one the head of the response
        has to be there within `head` seconds.
        """
        outer = dict(self.__dict__)
        self.__dict__.clear()
        self._idle, self._head, self.request = idle, head, request
        return outer

    def end(self, outer: dict[str, object]) -> None:
        """End the exchange."""
        self.__dict__.clear()
        self.__dict__.update(outer)

    def takes(self, idle_since: float | None) -> bool:
        """Whether a connection may be used that is idle since then (None: was not used yet)."""
        # Asked once: a second request of one exchange answers a challenge, often bound to its connection.
        idle, self._idle = self._idle, None
        return idle is None or idle_since is None or time.monotonic() - idle_since < idle

    def wait(self, seconds: float | None) -> float | None:
        """How long to wait for the head of a response, where otherwise it would be `seconds`."""
        if self._head is None or not self.reused:
            return seconds
        return self._head if seconds is None else min(seconds, self._head)


class History:
    """The responses that came over one connection, and whether it may be used again.

    A server or a proxy may send a response twice. If the second one arrives late, it is taken for the
    response to a later request, and all further responses shift by one. Such a response is identical to an
    earlier one on its connection, in head and body. Therefore a connection remembers its latest responses.

    `ambiguous` is shared by the connections of a pool: bodies that were the response to two requests, such as
    an empty list. A connection on which one arrives is not used for another request, because the response to
    that would have to be repeated.
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
        """Record a response. Return True if it is identical to the response to another request.

        `body` is a checksum. `request` identifies the content of a read, and is None for writes.
        After an identical response, the connection is used again for the same request only.
        """
        response = hash((head, body))  # keeps nothing of the head
        known = response in self._responses
        earlier = self._responses.pop(response, None)
        self._responses[response] = request
        if len(self._responses) > self._MAX_RESPONSES:
            del self._responses[next(iter(self._responses))]
        repeated = known and request is not None and request != earlier
        if repeated:
            if len(self._ambiguous) >= self._MAX_RESPONSES:
                self._ambiguous.clear()
            self._ambiguous.add(body)
        if known or body in self._ambiguous:
            self._suspect, self._only_for = True, request
        return repeated

    def suits(self, request: int | None) -> bool:
        """Return True if the connection may be used for this request."""
        return self.reusable and (not self._suspect or request == self._only_for)

    def hold(self) -> None:
        """Keep the connection out of the pool until `release`, even if the body is read to its end before."""
        self._held = True

    def release(self) -> None:
        """Return the connection to the pool if its response has been read to the end."""
        self._held = False
        release, self._release = self._release, None
        if release is not None:
            release()

    def when_released(self, put: Callable[[], None]) -> None:
        """Call `put` at once, or at `release` if the connection is held."""
        if self._held:
            self._release = put
        else:
            put()


exchange = Exchange()
StandIn = Callable[["PreparedRequest", Callable[[], "Response"]], "Response"]


class NoCookies(RequestsCookieJar):
    """A jar that takes no cookies, whose lock is free in a forked child."""

    def __init__(self) -> None:
        super().__init__(DefaultCookiePolicy(allowed_domains=[]))
        renewed_in_children(self)

    def renew(self) -> None:
        self._cookies_lock = threading.RLock()

    def extract_cookies(self, response: object, request: object) -> None:
        """Take none, without looking."""


class TimedResponse(HTTPResponse):
    """A response that may be read for as long as its socket would have waited once, or as `allow` says."""

    # Any, here and below: arguments of other people's methods, handed through.
    def __init__(self, sock: socket.socket, *args: Any, **kwargs: Any) -> None:
        super().__init__(sock, *args, **kwargs)
        self._file = _TimedFile(self.fp.detach(), sock)
        self.fp = io.BufferedReader(self._file, _BUFFER)
        self.allow = self._file.allow
        self.allow(exchange.wait(sock.gettimeout()))
        self.history = exchange.history or History()

    def begin(self) -> None:
        """Read the head. A connection with unusual framing is not used again."""
        super().begin()
        lengths = self.headers.get_all("Content-Length", [])
        if len(lengths) + (self.headers["Transfer-Encoding"] is not None) > 1:
            self.history.reusable = False

    def _close_conn(self) -> None:
        """Called by http.client at the end of the body, or when the response is closed."""
        if self._file.has_more(self.fp):
            self.history.reusable = False
        super()._close_conn()  # type: ignore[misc] # typeshed lacks it

    def _read_status(self) -> tuple[str, int, str]:
        """Read the status line of the final response. http.client itself reads over 100 alone, of the interim
        responses (RFC 9110 15.2): the final one would be taken for the response to the next request."""
        for _ in range(_MOST_INTERIM + 1):
            version, status, reason = super()._read_status()  # type: ignore[misc] # typeshed lacks it
            if not 100 < status < 200:
                return version, status, reason
            if status == 101:
                raise BadStatusLine("101: the protocol is switched, which nobody asked for")
            parse_headers(self.fp)
        raise BadStatusLine(f"more than {_MOST_INTERIM} interim responses")


class _TimedFile(io.RawIOBase):
    _ended = False

    def __init__(self, raw: io.RawIOBase, sock: socket.socket) -> None:
        self._raw = raw
        self.sock = sock
        self.allow(sock.gettimeout())

    def allow(self, seconds: float | None) -> None:
        """Read for so many seconds from now on, None: without an end."""
        self._until = None if seconds is None else time.monotonic() + seconds

    def has_more(self, reader: io.BufferedReader) -> bool:
        """Return True if bytes beyond those that were read from `reader` have been received."""
        self._ended = True  # otherwise `peek` would wait for more
        pending = getattr(self.sock, "pending", None)  # decrypted bytes of TLS
        return bool(reader.peek()) or bool(pending and pending())

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer) -> int | None:
        if self._ended:
            return None
        if self._until is not None:
            left = self._until - time.monotonic()
            if left <= 0:
                raise TimeoutError("timed out")
            self.sock.settimeout(left)
        read: int | None = self._raw.readinto(buffer)
        return read

    def close(self) -> None:
        self._raw.close()
        super().close()


# vcrpy puts classes of its own in the place of urllib3's while it records and replays; this module may be
# imported then, and must stand on urllib3's own.
_urllib3_http: type[HTTPConnection] = getattr(HTTPConnection, "_baseclass", HTTPConnection)
_urllib3_https: type[HTTPSConnection] = getattr(HTTPSConnection, "_baseclass", HTTPSConnection)


class _HttpConnection(_urllib3_http):  # type: ignore[misc,valid-type] # a class, as its annotation says
    response_class = TimedResponse
    history: History | None = None
    reach: Reach | None = None
    _tunnelling = False

    def _new_conn(self) -> socket.socket:
        """Connect; with a reach to addresses that it lets pass, of the one lookup that it judged."""
        if self.reach is None:
            return cast("socket.socket", super()._new_conn())
        name: str = self._dns_host  # type: ignore[has-type] # of the base class, which mypy takes for any
        whole: Any = self.timeout  # type: ignore[has-type] # likewise
        try:
            found = self.reach.addresses(name, self.port)
        except socket.gaierror as error:
            raise NameResolutionError(self.host, self, error) from error
        failed: Exception = NewConnectionError(self, f"{name} has no address")
        for each in found:
            self._dns_host = each
            if isinstance(whole, int | float):  # together they have the time of one
                self.timeout = whole / len(found)
            try:
                connected = cast("socket.socket", super()._new_conn())
            except (ConnectTimeoutError, NewConnectionError) as error:
                failed = error
            else:
                if isinstance(whole, int | float):
                    connected.settimeout(whole)
                return connected
            finally:
                self._dns_host, self.timeout = name, whole
        raise failed

    def send(self, data: Any) -> None:
        """Send a piece of a request, once there is a connection for it."""
        if self.sock is None and self.auto_open:
            self.connect()
        if not self._tunnelling:
            exchange.left = True
        super().send(data)

    def _tunnel(self) -> None:
        """Ask a proxy for the way: that is not the request yet."""
        self._tunnelling = True
        try:
            super()._tunnel()
        finally:
            self._tunnelling = False


class _HttpsConnection(_HttpConnection, _urllib3_https):  # type: ignore[misc,valid-type] # as above
    def connect(self) -> None:
        """Connect. An error about a certificate gets it as `presented`, which OpenSSL does not tell; if it
        cannot be fetched, the error of that."""
        tunnel = self._tunnel_host, self._tunnel_port, getattr(self, "_tunnel_headers", None)
        try:
            super().connect()
        except ssl.SSLCertVerificationError as error:
            beyond_proxy: bool = self.has_connected_to_proxy  # `close()` resets it
            try:
                presented: bytes | Exception | None = self._presented(*tunnel)
            except Exception as failure:  # the certificate is for the message alone
                presented = failure
            error.presented = presented  # type: ignore[attr-defined] # ours, for `tls.explained`
            self._has_connected_to_proxy = beyond_proxy  # otherwise urllib3 blames the proxy
            raise

    def _presented(self, name: str | None, port: int | None, headers: Any) -> bytes | None:
        """The certificate that was refused, in DER, asked for once more. Nothing is sent on the way."""
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
                return tls.getpeercert(binary_form=True)
        finally:
            self.close()


class _HttpPool(HTTPConnectionPool):
    def __init__(self, *args: Any, reach: Reach | None = None, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._reach = reach
        self._ambiguous: set[int] = set()

    def _new_conn(self) -> Any:
        connection: Any = super()._new_conn()
        if isinstance(connection, _HttpConnection):
            connection.reach = self._reach
        return connection

    @property
    def ConnectionCls(self) -> Any:  # type: ignore[override] # urllib3 sets it for classes alone
        """The class of new connections: ours, unless somebody replaced urllib3's own, as vcrpy does."""
        replaced = HTTPConnectionPool.ConnectionCls
        return _HttpConnection if replaced is _urllib3_http else replaced

    def _get_conn(self, timeout: float | None = None) -> Any:
        connection: Any = super()._get_conn(timeout)
        exchange.known = isinstance(connection, _HttpConnection)
        history = getattr(connection, "history", None)
        suits = history is None or history.suits(exchange.request)
        if not exchange.takes(getattr(connection, "idle_since", None)) or not suits:
            connection.close()  # it opens anew when it is used
        exchange.reused = connection.sock is not None
        if not exchange.reused or connection.history is None:
            connection.history = History(self._ambiguous)
        exchange.history = connection.history
        return connection

    def _put_conn(self, conn: Any) -> None:
        """Return a connection to the pool, once its response is closed. Does not warn if the pool is full."""
        history: History | None = getattr(conn, "history", None)
        if history is None:
            self._keep(conn)
        else:
            history.when_released(partial(self._keep, conn))

    def _keep(self, conn: Any) -> None:
        """Put a connection into the pool. Closes it if it must not be used again; urllib3 then reopens it."""
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
    @property
    def ConnectionCls(self) -> Any:  # type: ignore[override] # urllib3 sets it for classes alone
        """As that of the pool over http."""
        replaced = HTTPSConnectionPool.ConnectionCls
        return _HttpsConnection if replaced is _urllib3_https else replaced


class TimedAdapter(HTTPAdapter):
    """requests' own adapter, with timed connections, and none of its parent's in a forked child.

    `stand_in`, where there is one, has all requests of this process instead, each with what would send it.
    """

    stand_in: ClassVar[StandIn | None] = None

    def __init__(
        self, pool_size: int = 10, key_password: str | None = None, reach: Reach | None = None
    ) -> None:
        """`key_password` is that of the client's key, which requests does not know; `reach` judges whom a
        request goes to."""
        self._pool_size = pool_size
        self._reach = reach
        self._tls = {} if key_password is None else {"key_password": key_password}
        self.renew()
        renewed_in_children(self)

    def renew(self) -> None:
        super().__init__(pool_maxsize=self._pool_size, max_retries=0)

    def send(self, request: PreparedRequest, *args: Any, **kwargs: Any) -> Response:
        if self._reach is not None:  # by way of a proxy, which looks names up, there is nothing else
            self._reach.check(request.url or "")
        # Where somebody replaced requests' own method, as responses does, nobody knows what has left.
        exchange.known = HTTPAdapter.send.__module__ == HTTPAdapter.__module__
        stand_in = TimedAdapter.stand_in
        if stand_in is None:
            return super().send(request, *args, **kwargs)
        response = stand_in(request, lambda: super(TimedAdapter, self).send(request, *args, **kwargs))
        response.connection = self  # where an auth sends its second request
        return response

    def init_poolmanager(self, *args: Any, **kwargs: Any) -> None:
        super().init_poolmanager(*args, **(kwargs | self._tls))
        self.poolmanager.pool_classes_by_scheme = {
            "http": partial(_HttpPool, reach=self._reach),
            "https": partial(_HttpsPool, reach=self._reach),
        }

    def proxy_manager_for(self, *args: Any, **kwargs: Any) -> ProxyManager:
        manager: ProxyManager = super().proxy_manager_for(*args, **(kwargs | self._tls))
        manager.pool_classes_by_scheme = {"http": _HttpPool, "https": _HttpsPool}
        return manager
