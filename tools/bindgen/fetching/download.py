"""Download of one document over HTTP, with limits for time, size, redirects and hosts."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from bindgen.fetching import addresses
from bindgen.fetching.addresses import Hosts, how_to_allow
from bindgen.fetching.errors import FetchError, TransientError
from bindgen.fetching.imports import Kind

# Imported in functions, because most commands of bindgen never use the network.
if TYPE_CHECKING:
    from requests import Session
    from tenacity import RetryCallState

    from soapclient.clock import Clock, Deadline
    from soapclient.settings import CommonSettings
    from soapclient.transport.http import Response
    from soapclient.transport.ssrf_guard import SsrfGuard


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of a fetch.

    Sizes are in bytes, times in seconds. `seconds` is the time for one attempt, `attempts` the number of
    attempts per document, and `wait` the longest time between two attempts. `redirects` is per request,
    `import_depth` the depth of nested imports.
    """

    document_bytes: int = 20 * 1024 * 1024
    documents: int = 200
    import_depth: int = 20
    redirects: int = 5
    seconds: float = 30.0
    attempts: int = 3
    wait: float = 20.0
    total_bytes: int = 100 * 1024 * 1024


@dataclass(slots=True)
class Document:
    """A document that was downloaded or read from a file.

    `url` is its final address, `aliases` are addresses that redirected to it. `etag` and `last_modified` are
    its HTTP validators. `media_type` is its Content-Type, or a remark such as "a file". `file` is the file
    from which it was read, if any.
    """

    url: str
    content: bytes
    media_type: str = "a file"
    etag: str | None = None
    last_modified: str | None = None
    aliases: list[str] = field(default_factory=list)
    file: Path | None = None
    kind: Kind = "wsdl"

    @property
    def conditions(self) -> dict[str, str]:
        """The headers of a conditional request, which returns the document only if it changed."""
        pairs = {"If-None-Match": self.etag, "If-Modified-Since": self.last_modified}
        return {name: value for name, value in pairs.items() if value is not None}


DEFAULT_LIMITS = Limits()
ANY_HOST = Hosts()
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
# Without compression, the bytes are kept as they arrive, and the size limit needs no decompression.
_HEADERS = {
    "Accept": "text/xml, application/wsdl+xml, application/xml;q=0.9, */*;q=0.1",
    "Accept-Encoding": "identity",
    "User-Agent": "bindgen",
}
_USE_A_FILE = "save the document yourself and give it with --file PATH"
_TRY_LATER = "try again later"
_FIRST_WAIT = 1.0  # seconds, doubled from attempt to attempt


class Downloader:
    """Downloads documents over the client's transport, with its TLS, proxies and headers.

    Loopback addresses are requested without a proxy. The configured headers are sent only to the origin of
    the first address, because they may contain a key. There are no cookies and no .netrc, so no
    credentials are sent by accident. Each redirect is checked before it is followed.
    """

    def __init__(
        self,
        limits: Limits,
        clock: Clock | None = None,
        *,
        hosts: Hosts = ANY_HOST,
        settings: CommonSettings | None = None,
        guard: Callable[[str, bool | Collection[str]], SsrfGuard] | None = None,
    ) -> None:
        """Create a downloader. `clock` is the system's clock by default.

        Only `hosts` may be requested, also by redirects. `settings` are the transport settings, by default
        from the environment and the file in SOAPCLIENT_CONFIG. `guard` creates the object that checks the IP
        addresses of hosts, by default `soapclient.transport.ssrf_guard.SsrfGuard`. It is called with the host
        of the first address and the setting `allow_private`.
        """
        self._settings = settings
        self._session: Session | None = None
        self._other_session: Session | None = None
        self._first_origin = ""
        self._limits = limits
        self._clock = clock
        self._hosts = hosts
        self._guard = guard

    def __enter__(self) -> Downloader:
        return self

    def __exit__(self, *_: object) -> None:
        for session in (self._session, self._other_session):
            if session is not None:
                session.close()

    def get(self, url: str, before: Callable[[str], Document | None] = lambda _: None) -> Document:
        """Download the document at a normalised address.

        `before` is a function that returns the document of an earlier fetch for an address, or None. The
        validators (ETag, Last-Modified) of this document are sent. If the server responds with 304 (not
        modified), the document from the earlier fetch is returned.

        Transient errors (connection errors, 429, 5xx, incomplete bodies) are retried, up to `limits.attempts`
        attempts, after 1, 2, 4 … seconds or as Retry-After says. If Retry-After exceeds `limits.wait`, the
        fetch fails. Raises FetchError.
        """
        from tenacity import Retrying, retry_if_exception_type, stop_after_attempt, wait_exponential

        from soapclient.clock import SystemClock

        longest_wait = self._limits.wait
        backoff = wait_exponential(multiplier=_FIRST_WAIT, max=longest_wait)
        clock = self._clock or SystemClock()
        retrying = Retrying(
            sleep=clock.sleep,
            stop=lambda state: (
                (_error(state).retry_after or 0) > longest_wait
                or stop_after_attempt(self._limits.attempts)(state)
            ),
            wait=lambda state: (
                backoff(state) if (retry_after := _error(state).retry_after) is None else retry_after
            ),
            retry=retry_if_exception_type(TransientError),
            retry_error_callback=self._give_up,
        )
        return retrying(self._get, url, before, clock)

    def _give_up(self, state: RetryCallState) -> Document:
        """Raise the FetchError of a failed download. `state` is tenacity's state of the retries."""
        error = _error(state)
        attempts, retry_after = state.attempt_number, error.retry_after
        details = f" ({attempts} attempts)" if attempts > 1 else ""
        if retry_after is not None and retry_after > self._limits.wait and attempts < self._limits.attempts:
            details = f", and the service asks to wait {retry_after:g} s"
        raise FetchError(error.url, error.problem + details, error.remedy) from error

    def _get(self, url: str, before: Callable[[str], Document | None], clock: Clock) -> Document:
        """Make one attempt to download the document at `url`, following redirects. Return the document.

        `before` returns the document of an earlier fetch for an address, or None (see `get`).
        """
        from soapclient.clock import Deadline

        deadline = Deadline(clock, self._limits.seconds)
        current_url = url
        for _ in range(self._limits.redirects + 1):
            known_document = before(current_url)
            conditions = {} if known_document is None else known_document.conditions
            with self._send(current_url, conditions, deadline) as response:
                headers = response.headers
                if response.status in _REDIRECTS:
                    current_url = self._redirect(current_url, headers.get("Location"))
                    continue
                if response.status == 304 and known_document is not None and conditions:
                    return replace(known_document, media_type="not modified")
                _check_status(current_url, response)
                media_type = headers.get("Content-Type", "no content type")
                content = self._body(current_url, response)
                return Document(
                    current_url, content, media_type, headers.get("ETag"), headers.get("Last-Modified")
                )
        raise FetchError(
            url,
            f"redirects more than {self._limits.redirects} times, the last time to {current_url}",
            "give the final address",
        )

    def _send(self, url: str, conditions: dict[str, str], deadline: Deadline) -> Response:
        """Send a GET request and return the response, whose body is not read yet.

        `conditions` are the headers of a conditional request. Raises FetchError if there is no response.
        """
        from requests.exceptions import ConnectionError as RequestsConnectionError
        from requests.exceptions import ConnectTimeout, RequestException, SSLError

        from soapclient.errors import AddressRefused, ConnectionFailed, Timeout
        from soapclient.settings import CommonSettings
        from soapclient.transport import http
        from soapclient.transport.session import open_session
        from soapclient.transport.ssrf_guard import SsrfGuard
        from soapclient.transport.tls import explained

        if self._session is None or self._other_session is None:
            with _convert_config_errors(url):
                settings = self._settings or CommonSettings.load()
                home = urlsplit(url).hostname or ""
                guard = (self._guard or SsrfGuard)(home, settings.allow_private)
                self._session = open_session(settings, guard)
                self._other_session = open_session(replace(settings, headers={}), guard)
            self._first_origin = _origin(url)
        session = self._session if _origin(url) == self._first_origin else self._other_session
        limits = http.Limits(
            operation=url,
            deadline=deadline,
            connect_timeout=self._limits.seconds,
            most=self._limits.document_bytes,
        )
        try:
            return http.send(session, "GET", url, headers=_HEADERS | conditions, limits=limits)
        except AddressRefused as error:
            raise FetchError(
                url, f"was not requested: {error.reason}", _uncapitalized(error.advice)
            ) from error
        except Timeout as error:
            raise FetchError(url, f"no response within {self._limits.seconds:g} s", _TRY_LATER) from error
        except ConnectionFailed as error:
            cause = error.__cause__
            if isinstance(cause, ConnectTimeout):
                message = f"no response within {self._limits.seconds:g} s"
                raise TransientError(url, message, _TRY_LATER) from error
            if isinstance(cause, SSLError):
                more, advice = explained(cause, urlsplit(url).hostname or "")
                remedy = f"{_uncapitalized(advice)}; or {_USE_A_FILE}" if advice else _USE_A_FILE
                raise FetchError(
                    url, f"the TLS certificate or handshake was not accepted{more}", remedy
                ) from error
            # Other errors of requests itself, such as a malformed proxy address, are permanent.
            permanent = isinstance(cause, RequestException) and not isinstance(cause, RequestsConnectionError)
            message = f"could not be reached ({type(cause).__name__})"
            kind = FetchError if permanent else TransientError
            raise kind(url, message, "check the address and the network") from error

    def _redirect(self, url: str, location: str | None) -> str:
        """Return the target of a redirect. Raises FetchError if it must not be followed.

        `url` is the address that redirects, and `location` the value of its Location header.
        """
        if not location:
            raise FetchError(url, "redirects without a Location header", _USE_A_FILE)
        try:
            written = addresses.join(url, location)
            target = addresses.resolve(url, location)
        except addresses.AddressError as error:
            shown = addresses.redacted(location)
            raise FetchError(url, f"redirects to {shown}, which {error}", _USE_A_FILE) from error
        # References in documents may say http and are read as https. A redirect must say https itself.
        read_as = addresses.read_as_https(written, addresses.without_tls(url))
        if read_as or (url.startswith("https:") and target.startswith("http:")):
            raise FetchError(
                url, f"redirects to {written}, but redirects to http are not followed", _USE_A_FILE
            )
        if addresses.leads_here(target, url):
            raise FetchError(
                url, f"redirects to {written}, but redirects to this machine are not followed", _USE_A_FILE
            )
        if not self._hosts.admit(target):
            raise FetchError(url, f"redirects to {written}, on another host", how_to_allow(target))
        return target

    def _body(self, url: str, response: Response) -> bytes:
        """Read the body of a response. Raises FetchError."""
        from soapclient.errors import ConnectionFailed, Timeout, UnexpectedResponse

        body = bytearray()
        try:
            for chunk in response.chunks():
                body += chunk
            return bytes(body)
        except Timeout as error:
            message = f"not complete within {self._limits.seconds:g} s"
            raise FetchError(url, message, _TRY_LATER) from error
        except (ConnectionFailed, UnexpectedResponse) as error:
            if isinstance(error, UnexpectedResponse) and not error.damaged:
                message = f"larger than {self._limits.document_bytes} bytes"
                raise FetchError(url, message, _USE_A_FILE) from error
            raise TransientError(
                url, f"the response ended early, after {len(body)} bytes", _TRY_LATER
            ) from error


def _uncapitalized(advice: str) -> str:
    """Convert a sentence to the end of another sentence: first letter in lower case, no full stop."""
    return f"{advice[0].lower()}{advice[1:].rstrip('.')}"


def _origin(url: str) -> str:
    """Return the scheme, host and port of a normalised address."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"


def hosts_without_tls(url: str, settings: CommonSettings | None = None) -> tuple[str, ...]:
    """Return a tuple with the host of `url` if it is an http address and allow_http permits http, else ().

    allow_http is one of the `settings`, which have the same default as in `Downloader`. Raises FetchError if
    the settings cannot be read.
    """
    try:
        parts = urlsplit(url.strip())
        host = parts.hostname or ""
    except ValueError:
        return ()
    if parts.scheme != "http":
        return ()
    from soapclient.settings import CommonSettings
    from soapclient.settings.addresses import may_be_http

    with _convert_config_errors(addresses.redacted(url)):
        allowed = (settings or CommonSettings.load()).allow_http
    return (host,) if may_be_http(host, allowed or ()) else ()


@contextmanager
def _convert_config_errors(url: str) -> Iterator[None]:
    """Convert a ConfigError from reading settings to a FetchError for `url` (context manager)."""
    from soapclient.errors import ConfigError

    try:
        yield
    except ConfigError as error:
        raise FetchError(url, f"{error.setting}: {error.problem}", error.where) from None


def _check_status(url: str, response: Response) -> None:
    """Raise FetchError or TransientError unless the status is 200."""
    from soapclient.transport.dates import retry_after

    status = response.status
    if status == 200:
        return
    problem, remedy = f"HTTP {status} instead of a document", _TRY_LATER
    if status == 429 or status >= 500:
        raise TransientError(url, problem, remedy, retry_after(response.headers))
    if status in (401, 403, 407):
        remedy = f"bindgen sends no credentials: {_USE_A_FILE}"
    elif status == 304:
        problem = "HTTP 304 (not modified) to an unconditional request"
        remedy = f"ask the operator of the service, or {_USE_A_FILE}"
    elif status in (404, 410):
        remedy = "check the address, or the location in the document that refers to it"
    raise FetchError(url, problem, remedy)


def _error(state: RetryCallState) -> TransientError:
    """Return the error of the last attempt. `state` is tenacity's state of the retries."""
    error = state.outcome.exception() if state.outcome is not None else None
    assert isinstance(error, TransientError)  # nothing else is retried
    return error
