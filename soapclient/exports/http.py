"""One GET whose body is read as it arrives, unchanged, inside a deadline."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager
from email.utils import parsedate_to_datetime
from types import TracebackType
from typing import TYPE_CHECKING, Final, Protocol

from soapclient import http
from soapclient.clock import Clock, Deadline
from soapclient.errors import Timeout
from soapclient.exports.address import HeadersFor
from soapclient.redaction import redacted_headers, safe_url

if TYPE_CHECKING:
    import requests

OPERATION: Final = "download"
_CHUNK: Final = 1 << 18
_LEAST_WAIT: Final = 0.001  # a socket takes no timeout of 0 for "at once"

log = logging.getLogger(__name__)


class Reply(Protocol):
    """An answer whose body is still on the wire; the names of `headers` are case-insensitive."""

    @property
    def status(self) -> int: ...
    @property
    def headers(self) -> Mapping[str, str]: ...
    def chunks(self) -> Iterator[bytes]: ...
    def close(self) -> None: ...


class Getter(Protocol):
    """What downloads need of HTTP."""

    def get(self, url: str, headers_for: HeadersFor, deadline: Deadline) -> Reply:
        """GET `url`, without following redirects; `headers_for` is asked with the address as it is sent."""


class HttpGetter(AbstractContextManager["HttpGetter"]):
    """A session of its own for one download. Close it; `with` does.

    `connect_timeout` and `stall_timeout` (the longest silence) are in seconds.
    """

    def __init__(self, *, user_agent: str, connect_timeout: float, stall_timeout: float) -> None:
        self._session = http.open_session(user_agent)
        # Even where it is not to follow a redirect, requests reads the redirect's body, however long that is.
        self._session.get_redirect_target = _nowhere  # type: ignore[assignment]  # of this one session
        self._connect_timeout = connect_timeout
        self._stall_timeout = stall_timeout

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._session.close()

    def get(self, url: str, headers_for: HeadersFor, deadline: Deadline) -> HttpReply:
        """GET `url`. Raises Timeout or ConnectionFailed."""
        import requests

        deadline.check(OPERATION, request_sent=False)
        silence = deadline.within(self._stall_timeout) or _LEAST_WAIT
        # The file is gzip itself: it must arrive as it lies there, not packed once more.
        headers = {"Accept": "application/gzip, */*;q=0.1", "Accept-Encoding": "identity"}
        try:
            prepared = self._session.prepare_request(requests.Request("GET", url, headers=headers))
            sent_to = prepared.url or url
            prepared.headers.update(headers_for(sent_to))
            log.debug("GET %s, headers %s", safe_url(sent_to), redacted_headers(prepared.headers))
            found = self._session.merge_environment_settings(sent_to, {}, True, None, None)
            response = self._session.send(
                prepared,
                allow_redirects=False,
                timeout=(deadline.within(self._connect_timeout) or _LEAST_WAIT, silence),
                **found,
            )
        except requests.ReadTimeout:
            raise Timeout(OPERATION, silence) from None
        except (requests.RequestException, OSError) as error:
            raise http.failure(error, url, OPERATION, deadline) from error
        return HttpReply(response, deadline, self._stall_timeout)


def _nowhere(response: requests.Response) -> None:
    return None


class HttpReply:
    """A reply read piece by piece."""

    def __init__(self, response: requests.Response, deadline: Deadline, stall_timeout: float) -> None:
        self._response = response
        self._deadline = deadline
        self._stall_timeout = stall_timeout

    @property
    def status(self) -> int:
        return self._response.status_code

    @property
    def headers(self) -> Mapping[str, str]:
        return self._response.headers

    def close(self) -> None:
        """Drop the connection, or give it back if the body was read to its end."""
        self._response.close()

    def chunks(self) -> Iterator[bytes]:
        """Give the body as it is on the wire, with no content encoding undone.

        Raises Timeout at the deadline or after too long a silence, ConnectionFailed where the body breaks
        off.
        """
        from urllib3.exceptions import HTTPError, ReadTimeoutError

        while True:
            self._deadline.check(OPERATION)
            silence = self._limit_silence()
            try:
                # read1, not read: one piece of a slow body must not wait for the next
                chunk = self._response.raw.read1(_CHUNK, decode_content=False)
            except ReadTimeoutError:
                raise Timeout(OPERATION, silence) from None
            except (HTTPError, OSError) as error:
                raise http.failure(error, self._response.url, OPERATION, self._deadline) from error
            if not chunk:
                return
            yield chunk

    def _limit_silence(self) -> float:
        """Let the next wait on the socket end at the deadline, where the socket can be reached."""
        silence = self._deadline.within(self._stall_timeout) or _LEAST_WAIT
        sock = getattr(getattr(self._response.raw, "connection", None), "sock", None)
        if sock is not None:
            sock.settimeout(silence)
        return silence


def retry_after(headers: Mapping[str, str], clock: Clock) -> float | None:
    """Return the wait in seconds a reply asks for, as seconds or as a date; None if it does not."""
    text = headers.get("Retry-After", "").strip()
    if text.isascii() and text.isdigit() and len(text) < 10:
        return float(text)
    try:
        moment = parsedate_to_datetime(text)
    except ValueError:
        return None
    if moment.utcoffset() is None:
        return None
    return max(0.0, (moment - clock.now()).total_seconds())
