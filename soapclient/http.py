"""One HTTP exchange: a session without surprises, a request inside a deadline, a body read in pieces.

Nothing here repeats a request: a nonce is valid once (service.md 5.2). Nothing follows a redirect: a
signature is for one address.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping
from http.cookiejar import DefaultCookiePolicy
from types import TracebackType
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from soapclient import __version__
from soapclient.clock import Deadline
from soapclient.errors import ConnectionFailed, Timeout, TransportError, UnexpectedReply
from soapclient.redaction import redact, redacted_headers, safe_url

if TYPE_CHECKING:
    import requests

CHUNK: Final = 1 << 16
_LEAST_WAIT: Final = 0.001  # a socket takes no timeout of 0 for "at once"

log = logging.getLogger(__name__)


def open_session(user_agent: str = "") -> requests.Session:
    """A session that keeps connections and nothing else: no cookies, no netrc, no retries."""
    import requests
    from requests.adapters import HTTPAdapter

    session = requests.Session()
    for scheme in ("https://", "http://"):
        session.mount(scheme, HTTPAdapter(pool_maxsize=32, max_retries=0))
    session.cookies.set_policy(DefaultCookiePolicy(allowed_domains=[]))
    session.auth = _leave_authorization  # else requests puts a netrc entry over the signature
    # Even told not to follow a redirect, requests reads its body to prepare the next request, however long.
    session.get_redirect_target = _nowhere  # type: ignore[method-assign] # the one way to keep it from that
    session.headers["User-Agent"] = f"soapclient/{__version__} {user_agent}".strip()
    return session


def _leave_authorization(request: requests.PreparedRequest) -> requests.PreparedRequest:
    return request


def _nowhere(response: requests.Response) -> None:
    return None


class Reply:
    """An answer whose body is still on the wire. Close it on every path; `with` does.

    `status` is the HTTP status, `headers` are case-insensitive.
    """

    def __init__(self, response: requests.Response, deadline: Deadline, operation: str, most: int) -> None:
        self.status = response.status_code
        self.headers: Mapping[str, str] = response.headers
        self._response = response
        self._deadline = deadline
        self._renewed: Callable[[], Deadline] | None = None
        self._operation = operation
        self._most = most

    def __enter__(self) -> Reply:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Give the connection back, or drop it if the body was not read to its end."""
        self._response.close()

    @property
    def content_type(self) -> str:
        """The media type, lower case, without parameters; empty where none was sent."""
        return self.headers.get("Content-Type", "").partition(";")[0].strip().lower()

    def renew(self, deadline: Callable[[], Deadline]) -> None:
        """From now on, give each wait for more of the body a deadline of its own."""
        self._renewed = deadline

    def whole(self) -> requests.Response:
        """The answer with its body read, for code that knows requests alone. Raises what `chunks` raises."""
        # The one way to hand requests a body that was read under a deadline of our own.
        self._response._content = b"".join(self.chunks())
        self._response._content_consumed = True  # type: ignore[attr-defined] # not in the stubs
        return self._response

    def chunks(self, *, decode: bool = True) -> Iterator[bytes]:
        """The body in pieces as they arrive, with its content encoding undone unless `decode` is False.

        Raises Timeout at the deadline, ConnectionFailed where the body breaks off, UnexpectedReply where it
        is longer than allowed or its encoding is broken.
        """
        from urllib3.exceptions import DecodeError, HTTPError

        total = 0
        while True:
            if self._renewed is not None:
                self._deadline = self._renewed()
            self._deadline.check(self._operation)
            self._limit_wait()
            try:
                # read1, not read: one piece of a slow body must not wait for the next
                piece = self._response.raw.read1(CHUNK, decode_content=decode)
            except DecodeError:
                raise self._unexpected(b"", "a body that is not encoded as its headers say") from None
            except (HTTPError, OSError) as error:
                raise failure(error, self._response.url, self._operation, self._deadline) from error
            if not piece:
                return
            total += len(piece)
            if total > self._most:
                raise self._unexpected(b"", f"a body of more than {self._most} bytes (max_reply_bytes)")
            yield piece

    def _limit_wait(self) -> None:
        """Let the next wait on the socket end at the deadline; a fixed timeout would start anew each time."""
        connection = getattr(self._response.raw, "connection", None)
        sock = getattr(connection, "sock", None)
        if sock is not None:
            sock.settimeout(max(self._deadline.remaining(), _LEAST_WAIT))

    def _unexpected(self, body: bytes, problem: str) -> UnexpectedReply:
        return UnexpectedReply(
            self.status, self.content_type or None, body, problem=problem, operation=self._operation
        )


def post(
    session: requests.Session,
    address: str,
    body: bytes,
    headers: Mapping[str, str],
    *,
    deadline: Deadline,
    connect_timeout: float,
    operation: str,
    most: int,
) -> Reply:
    """Send one POST; give its answer once the headers are there. Raises Timeout or ConnectionFailed."""
    from requests import RequestException

    deadline.check(operation, request_sent=False)
    log.debug("POST %s, %d bytes, headers %s", safe_url(address), len(body), redacted_headers(headers))
    try:
        response = session.post(
            address,
            data=body,
            headers=dict(headers),
            stream=True,
            allow_redirects=False,
            timeout=(deadline.within(connect_timeout) or _LEAST_WAIT, deadline.remaining() or _LEAST_WAIT),
        )
    except (RequestException, OSError) as error:
        raise failure(error, address, operation, deadline) from error
    log.debug("status %d of %s", response.status_code, safe_url(address))
    return Reply(response, deadline, operation, most)


def failure(error: Exception, address: str, operation: str, deadline: Deadline) -> TransportError:
    """What a failed exchange means, and whether the request had left: a write that had may have happened."""
    import requests
    from urllib3.exceptions import NewConnectionError, ReadTimeoutError

    if isinstance(error, requests.ConnectTimeout):
        return Timeout(operation, deadline.seconds, request_sent=False)
    if isinstance(error, requests.Timeout | ReadTimeoutError | TimeoutError):
        return Timeout(operation, deadline.seconds)
    reason = getattr(error.args[0], "reason", None) if error.args else None
    unsent = isinstance(reason, NewConnectionError) or isinstance(
        error, requests.exceptions.SSLError | requests.exceptions.ProxyError | ValueError
    )
    said = redact(f"{type(reason or error).__name__}: {reason or error}")
    return ConnectionFailed(safe_url(address), said, operation=operation, request_sent=not unsent)


def path_of(address: str) -> str:
    """The path of an address, `/` where it has none."""
    return urlsplit(address).path or "/"
