"""One document over HTTP, within limits: how long, how big, how many redirects, and where to."""

from __future__ import annotations

import http.client
import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Protocol

from bindgen.fetching import addresses
from bindgen.fetching.addresses import Hosts, how_to_allow
from bindgen.fetching.errors import FetchError, TransientError

if TYPE_CHECKING:
    import requests
    from tenacity import RetryCallState


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


DEFAULT_LIMITS = Limits()


IF_NONE_MATCH = "If-None-Match"
IF_MODIFIED_SINCE = "If-Modified-Since"
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_CHUNK = 64 * 1024
# identity: what arrives is what is kept, and the byte limit is met before anything is unpacked.
_HEADERS = {
    "Accept": "text/xml, application/wsdl+xml, application/xml;q=0.9, */*;q=0.1",
    "Accept-Encoding": "identity",
    "User-Agent": "bindgen",
}
ANY_HOST = Hosts()
_USE_A_FILE = "save the document by hand and give it with --file PATH"
_TRY_LATER = "try again later"
_DATE = "%a, %d %b %Y %H:%M:%S GMT"  # the one form that is still sent (RFC 9110 5.6.7)
_FIRST_WAIT = 1.0  # seconds, doubled from attempt to attempt


@dataclass(frozen=True, slots=True)
class Downloaded:
    """A response: the address it finally came from, and its bytes (None: 304, not modified)."""

    url: str
    content: bytes | None
    media_type: str
    etag: str | None
    last_modified: str | None


class Getter(Protocol):
    """Whatever has documents by address: the network, or offline what is at hand."""

    def get(self, url: str, validators: Mapping[str, Mapping[str, str]], /) -> Downloaded:
        """The document at a normalised address; see `Downloader.get`. Raises FetchError."""


class Downloader:
    """Fetches documents through a requests session: its adapters, its TLS and its proxy settings (which are
    those of the environment, too; a loopback address is always asked directly).

    Nothing else of the session is used: no cookies, no headers, no client certificate, no .netrc, so
    no credential can leave by accident, and redirects are judged one by one before they are followed.
    """

    def __init__(
        self,
        session: requests.Session | None,
        limits: Limits,
        timer: Callable[[], float] = time.monotonic,
        *,
        sleep: Callable[[float], None] = time.sleep,
        hosts: Hosts = ANY_HOST,
    ) -> None:
        """`hosts` are those that may be asked, also where a redirect leads to them."""
        self._given = session
        self._own: requests.Session | None = None
        self._limits = limits
        self._timer = timer
        self._sleep = sleep
        self._hosts = hosts

    def __enter__(self) -> Downloader:
        return self

    def __exit__(self, *_: object) -> None:
        if self._own is not None:
            self._own.close()

    def get(self, url: str, validators: Mapping[str, Mapping[str, str]]) -> Downloaded:
        """The document at a normalised address.

        `validators` holds, per address, the conditional headers to send to it; only such an address may
        answer 304. Transient errors (no connection, a 429, a 5xx, a body that breaks off) are retried:
        `limits.attempts` in all, with 1, 2, 4 … seconds between them or as many as Retry-After says. One that
        says more than `limits.wait` ends the fetch. Raises FetchError.
        """
        # here, since most commands of bindgen never touch the network
        from tenacity import Retrying, retry_if_exception_type, stop_after_attempt, wait_exponential

        longest = self._limits.wait
        backoff = wait_exponential(multiplier=_FIRST_WAIT, max=longest)
        retrying = Retrying(
            sleep=self._sleep,
            stop=lambda state: (
                (_asked(state) or 0) > longest or stop_after_attempt(self._limits.attempts)(state)
            ),
            wait=lambda state: backoff(state) if (asked := _asked(state)) is None else asked,
            retry=retry_if_exception_type(TransientError),
            retry_error_callback=self._give_up,
        )
        return retrying(self._get, url, validators)

    def _give_up(self, state: RetryCallState) -> Downloaded:
        error = _error(state)
        attempts, asked = state.attempt_number, error.retry_after
        said = f" ({attempts} attempts)" if attempts > 1 else ""
        if asked is not None and asked > self._limits.wait and attempts < self._limits.attempts:
            said = f", and the service asks to wait {asked:g} s"
        raise FetchError(error.url, error.problem + said, error.remedy) from error

    def _get(self, url: str, validators: Mapping[str, Mapping[str, str]]) -> Downloaded:
        deadline = self._timer() + self._limits.seconds
        here = url
        for _ in range(self._limits.redirects + 1):
            conditions = validators.get(here, {})
            response, location = self._send(here, conditions)
            with response:
                if response.status_code in _REDIRECTS:
                    here = self._redirect(here, location)
                    continue
                content = None
                if not (response.status_code == 304 and conditions):
                    self._check_status(here, response)
                    content = self._body(here, response, deadline)
                headers = response.headers
                return Downloaded(
                    here,
                    content,
                    headers.get("Content-Type", "no content type"),
                    headers.get("ETag"),
                    headers.get("Last-Modified"),
                )
        raise FetchError(
            url, f"more than {self._limits.redirects} redirects, the last to {here}", "give the final address"
        )

    def _send(self, url: str, conditions: Mapping[str, str]) -> tuple[requests.Response, str | None]:
        """The response, its body not yet read, and where it redirects to."""
        import requests  # here, since most commands of bindgen never touch the network

        session = self._given or self._own
        if session is None:
            session = self._own = requests.Session()
        location: str | None = None

        def take_location(response: requests.Response, *_: object, **__: object) -> None:
            # Left in place, Session.send would read the whole body of a redirect, however long.
            nonlocal location
            location = response.headers.pop("Location", None)

        try:
            request = requests.Request(
                "GET", url, headers={**_HEADERS, **conditions}, hooks={"response": take_location}
            ).prepare()
            settings = session.merge_environment_settings(url, {}, True, None, None)
            response = session.send(
                request,
                stream=True,
                allow_redirects=False,
                timeout=self._limits.seconds,
                verify=settings["verify"],
                # This machine is not to be looked for through another one.
                proxies={} if addresses.is_loopback(url) else settings["proxies"],
                cert=None,
            )
            return response, location
        except requests.ConnectTimeout as error:
            raise TransientError(url, f"no response within {self._limits.seconds:g} s", _TRY_LATER) from error
        except requests.Timeout as error:
            raise FetchError(url, f"no response within {self._limits.seconds:g} s", _TRY_LATER) from error
        except requests.exceptions.SSLError as error:
            raise FetchError(url, "the TLS certificate or handshake was not accepted", _USE_A_FILE) from error
        except (requests.RequestException, OSError, ValueError) as error:
            # requests' own errors are all OSErrors, a malformed proxy address among them.
            transient = isinstance(error, requests.ConnectionError) or (
                isinstance(error, OSError) and not isinstance(error, requests.RequestException)
            )
            raise (TransientError if transient else FetchError)(
                url, f"could not be reached ({type(error).__name__})", "check the address and the network"
            ) from error

    def _redirect(self, here: str, location: str | None) -> str:
        if not location:
            raise FetchError(here, "a redirect without a target", _USE_A_FILE)
        try:
            written = addresses.join(here, location)
            target = addresses.normalise(written)
        except addresses.AddressError as error:
            shown = addresses.redacted(location)
            raise FetchError(here, f"redirects to {shown}, which {error}", _USE_A_FILE) from error
        # In a document http is read as https; a redirect must say https itself.
        if addresses.read_as_https(written) or (here.startswith("https:") and target.startswith("http:")):
            raise FetchError(here, f"redirects to {written}, and http is not followed", _USE_A_FILE)
        if addresses.is_loopback(target) and not addresses.is_loopback(here):
            raise FetchError(here, f"redirects to {written}, which is this machine", _USE_A_FILE)
        if not self._hosts.admit(target):
            raise FetchError(here, f"redirects to {written}, on another host", how_to_allow(target))
        return target

    def _check_status(self, url: str, response: requests.Response) -> None:
        status_code = response.status_code
        if status_code == 200:
            return
        problem = f"HTTP {status_code} instead of a document"
        if status_code == 429 or status_code >= 500:
            raise TransientError(url, problem, _TRY_LATER, _retry_after(response.headers))
        if status_code in (401, 403, 407):
            remedy = f"bindgen sends no credentials: {_USE_A_FILE}"
        elif status_code == 304:
            problem = "HTTP 304 (not modified), though it was not asked whether it was modified"
            remedy = f"ask the service's people, or {_USE_A_FILE}"
        elif status_code in (404, 410):
            remedy = "check the address, or the location in the document that names it"
        else:
            remedy = _TRY_LATER
        raise FetchError(url, problem, remedy)

    def _body(self, url: str, response: requests.Response, deadline: float) -> bytes:
        from urllib3.exceptions import HTTPError

        limit = self._limits.document_bytes
        body = bytearray()
        try:
            # read1 gives what has arrived, so a trickle meets the deadline too.
            while chunk := response.raw.read1(_CHUNK, decode_content=True):
                body += chunk
                if len(body) > limit:
                    raise FetchError(url, f"larger than {limit} bytes", _USE_A_FILE)
                if self._timer() > deadline:
                    raise FetchError(url, f"not complete within {self._limits.seconds:g} s", _TRY_LATER)
        except (HTTPError, http.client.HTTPException, OSError) as error:
            raise TransientError(url, f"broke off after {len(body)} bytes", _TRY_LATER) from error
        return bytes(body)


def _error(state: RetryCallState) -> TransientError:
    error = state.outcome.exception() if state.outcome is not None else None
    assert isinstance(error, TransientError)  # nothing else is retried
    return error


def _asked(state: RetryCallState) -> float | None:
    return _error(state).retry_after


def _retry_after(headers: Mapping[str, str]) -> float | None:
    """The wait a response asks for, in seconds; None where it asks for none, or in no way that can be read.

    A date counts from the response's own Date (RFC 9110 10.2.3): the two clocks need not agree.
    """
    written = headers.get("Retry-After", "").strip()
    if re.fullmatch(r"[0-9]{1,9}", written):
        return float(written)
    until, now = _moment(written), _moment(headers.get("Date", ""))
    return None if until is None or now is None else max(0.0, (until - now).total_seconds())


def _moment(written: str) -> datetime | None:
    try:
        return datetime.strptime(written, _DATE).replace(tzinfo=UTC)
    except ValueError:
        return None
