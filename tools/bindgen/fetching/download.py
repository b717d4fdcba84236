"""One document over HTTP, within limits: how long, how big, how many redirects, and where to."""

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

# The transport is imported where it is used, since most commands of bindgen never touch the network.
if TYPE_CHECKING:
    from requests import Session
    from tenacity import RetryCallState

    from soapclient.clock import Clock, Deadline
    from soapclient.settings import CommonSettings
    from soapclient.transport.http import Response
    from soapclient.transport.reach import Reach


@dataclass(frozen=True, slots=True)
class Limits:
    """Bytes per document and for all of them, documents, how deep they import one another, redirects per
    request; seconds and attempts per document, each attempt with its own seconds, and the longest wait
    between two of them.
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
    """A document as it was obtained: the address it finally came from, its bytes, how it came, and the
    validators that came with it. `file` is the one on disk it was read from, if any.
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
        """The headers that ask for the document if it is not this one any more."""
        pairs = {"If-None-Match": self.etag, "If-Modified-Since": self.last_modified}
        return {name: value for name, value in pairs.items() if value is not None}


DEFAULT_LIMITS = Limits()
ANY_HOST = Hosts()
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
# identity: what arrives is what is kept, and the byte limit is met before anything is unpacked.
_HEADERS = {
    "Accept": "text/xml, application/wsdl+xml, application/xml;q=0.9, */*;q=0.1",
    "Accept-Encoding": "identity",
    "User-Agent": "bindgen",
}
_USE_A_FILE = "save the document by hand and give it with --file PATH"
_TRY_LATER = "try again later"
_FIRST_WAIT = 1.0  # seconds, doubled from attempt to attempt


class Downloader:
    """Fetches documents over the client's transport: its TLS, proxies and headers; a loopback address is
    always asked directly. The headers go to the service of the first address alone: they may hold a key.

    No cookies and no .netrc, so no credential can leave by accident, and redirects are judged one by one
    before they are followed.
    """

    def __init__(
        self,
        limits: Limits,
        clock: Clock | None = None,
        *,
        hosts: Hosts = ANY_HOST,
        settings: CommonSettings | None = None,
        reach: Callable[[str, bool | Collection[str]], Reach] | None = None,
    ) -> None:
        """`clock` is that of the machine by default; `hosts` are those that may be asked, also where a
        redirect leads to them. The transport settings of `settings` are by default those of the environment
        and of the file that SOAPCLIENT_CONFIG names. `reach` makes what judges the addresses of all hosts, of
        the host that is asked first and the setting `allow_private`: by default a
        `soapclient.transport.reach.Reach`.
        """
        self._settings = settings
        self._session: Session | None = None
        self._elsewhere: Session | None = None
        self._home = ""
        self._limits = limits
        self._clock = clock
        self._hosts = hosts
        self._reach = reach

    def __enter__(self) -> Downloader:
        return self

    def __exit__(self, *_: object) -> None:
        for session in (self._session, self._elsewhere):
            if session is not None:
                session.close()

    def get(self, url: str, before: Callable[[str], Document | None] = lambda _: None) -> Document:
        """The document at a normalised address.

        `before` gives the document that an address had, which is asked about by its validators; only such
        an address may answer 304, and it is given back then. Transient errors (no connection, a 429, a 5xx,
        a body that breaks off) are retried: `limits.attempts` in all, with 1, 2, 4 … seconds between them or
        as many as Retry-After says. One that says more than `limits.wait` ends the fetch. Raises FetchError.
        """
        from tenacity import Retrying, retry_if_exception_type, stop_after_attempt, wait_exponential

        from soapclient.clock import SystemClock

        longest = self._limits.wait
        backoff = wait_exponential(multiplier=_FIRST_WAIT, max=longest)
        clock = self._clock or SystemClock()
        retrying = Retrying(
            sleep=clock.sleep,
            stop=lambda state: (
                (_error(state).retry_after or 0) > longest or stop_after_attempt(self._limits.attempts)(state)
            ),
            wait=lambda state: backoff(state) if (asked := _error(state).retry_after) is None else asked,
            retry=retry_if_exception_type(TransientError),
            retry_error_callback=self._give_up,
        )
        return retrying(self._get, url, before, clock)

    def _give_up(self, state: RetryCallState) -> Document:
        error = _error(state)
        attempts, asked = state.attempt_number, error.retry_after
        said = f" ({attempts} attempts)" if attempts > 1 else ""
        if asked is not None and asked > self._limits.wait and attempts < self._limits.attempts:
            said = f", and the service asks to wait {asked:g} s"
        raise FetchError(error.url, error.problem + said, error.remedy) from error

    def _get(self, url: str, before: Callable[[str], Document | None], clock: Clock) -> Document:
        from soapclient.clock import Deadline

        deadline = Deadline(clock, self._limits.seconds)
        here = url
        for _ in range(self._limits.redirects + 1):
            known = before(here)
            conditions = {} if known is None else known.conditions
            with self._send(here, conditions, deadline) as response:
                headers = response.headers
                if response.status in _REDIRECTS:
                    here = self._redirect(here, headers.get("Location"))
                    continue
                if response.status == 304 and known is not None and conditions:
                    return replace(known, media_type="not modified")
                _check_status(here, response)
                media_type = headers.get("Content-Type", "no content type")
                content = self._body(here, response)
                return Document(here, content, media_type, headers.get("ETag"), headers.get("Last-Modified"))
        raise FetchError(
            url, f"more than {self._limits.redirects} redirects, the last to {here}", "give the final address"
        )

    def _send(self, url: str, conditions: dict[str, str], deadline: Deadline) -> Response:
        """The response, its body not yet read."""
        from requests.exceptions import ConnectionError as RequestsConnectionError
        from requests.exceptions import ConnectTimeout, RequestException, SSLError

        from soapclient.errors import AddressRefused, ConnectionFailed, Timeout
        from soapclient.settings import CommonSettings
        from soapclient.transport import http
        from soapclient.transport.reach import Reach
        from soapclient.transport.session import open_session
        from soapclient.transport.tls import explained

        if self._session is None or self._elsewhere is None:
            with _settled(url):
                settings = self._settings or CommonSettings.load()
                home = urlsplit(url).hostname or ""
                reach = (self._reach or Reach)(home, settings.allow_private)
                self._session = open_session(settings, reach)
                self._elsewhere = open_session(replace(settings, headers={}), reach)
            self._home = _origin(url)
        session = self._session if _origin(url) == self._home else self._elsewhere
        limits = http.Limits(
            operation=url,
            deadline=deadline,
            connect_timeout=self._limits.seconds,
            most=self._limits.document_bytes,
        )
        try:
            return http.send(session, "GET", url, headers=_HEADERS | conditions, limits=limits)
        except AddressRefused as error:
            raise FetchError(url, f"was not asked, for {error.reason}", _begun_small(error.advice)) from error
        except Timeout as error:
            raise FetchError(url, f"no response within {self._limits.seconds:g} s", _TRY_LATER) from error
        except ConnectionFailed as error:
            cause = error.__cause__
            if isinstance(cause, ConnectTimeout):
                said = f"no response within {self._limits.seconds:g} s"
                raise TransientError(url, said, _TRY_LATER) from error
            if isinstance(cause, SSLError):
                more, advice = explained(cause, urlsplit(url).hostname or "")
                remedy = f"{_begun_small(advice)}; or {_USE_A_FILE}" if advice else _USE_A_FILE
                raise FetchError(
                    url, f"the TLS certificate or handshake was not accepted{more}", remedy
                ) from error
            # Of what requests itself refuses, such as a malformed proxy address, nothing will pass.
            lasts = isinstance(cause, RequestException) and not isinstance(cause, RequestsConnectionError)
            said = f"could not be reached ({type(cause).__name__})"
            kind = FetchError if lasts else TransientError
            raise kind(url, said, "check the address and the network") from error

    def _redirect(self, here: str, location: str | None) -> str:
        if not location:
            raise FetchError(here, "a redirect without a target", _USE_A_FILE)
        try:
            written = addresses.join(here, location)
            target = addresses.resolve(here, location)
        except addresses.AddressError as error:
            shown = addresses.redacted(location)
            raise FetchError(here, f"redirects to {shown}, which {error}", _USE_A_FILE) from error
        # In a document http is read as https; a redirect must say https itself.
        read_as = addresses.read_as_https(written, addresses.without_tls(here))
        if read_as or (here.startswith("https:") and target.startswith("http:")):
            raise FetchError(here, f"redirects to {written}, and http is not followed", _USE_A_FILE)
        if addresses.leads_here(target, here):
            raise FetchError(here, f"redirects to {written}, which is this machine", _USE_A_FILE)
        if not self._hosts.admit(target):
            raise FetchError(here, f"redirects to {written}, on another host", how_to_allow(target))
        return target

    def _body(self, url: str, response: Response) -> bytes:
        from soapclient.errors import ConnectionFailed, Timeout, UnexpectedResponse

        body = bytearray()
        try:
            for piece in response.chunks():
                body += piece
            return bytes(body)
        except Timeout as error:
            said = f"not complete within {self._limits.seconds:g} s"
            raise FetchError(url, said, _TRY_LATER) from error
        except (ConnectionFailed, UnexpectedResponse) as error:
            if isinstance(error, UnexpectedResponse) and not error.damaged:
                said = f"larger than {self._limits.document_bytes} bytes"
                raise FetchError(url, said, _USE_A_FILE) from error
            raise TransientError(url, f"broke off after {len(body)} bytes", _TRY_LATER) from error


def _begun_small(advice: str) -> str:
    """A sentence as a part of another."""
    return f"{advice[0].lower()}{advice[1:].rstrip('.')}"


def _origin(url: str) -> str:
    """Scheme, host and port of an address, which is a normalised one."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"


def hosts_without_tls(url: str, settings: CommonSettings | None = None) -> tuple[str, ...]:
    """The host of an address that is http, if the setting allow_http lets it be asked so; else none.

    `settings` are as `Downloader` has them. Raises FetchError where they cannot be read.
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

    with _settled(addresses.redacted(url)):
        allowed = (settings or CommonSettings.load()).allow_http
    return (host,) if may_be_http(host, allowed or ()) else ()


@contextmanager
def _settled(url: str) -> Iterator[None]:
    """Around the reading of settings: a wrong one is a FetchError of the address that needs it."""
    from soapclient.errors import ConfigError

    try:
        yield
    except ConfigError as error:
        raise FetchError(url, f"{error.setting}: {error.problem}", error.where) from None


def _check_status(url: str, response: Response) -> None:
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
        problem = "HTTP 304 (not modified), though it was not asked whether it was modified"
        remedy = f"ask the service's people, or {_USE_A_FILE}"
    elif status in (404, 410):
        remedy = "check the address, or the location in the document that names it"
    raise FetchError(url, problem, remedy)


def _error(state: RetryCallState) -> TransientError:
    error = state.outcome.exception() if state.outcome is not None else None
    assert isinstance(error, TransientError)  # nothing else is retried
    return error
