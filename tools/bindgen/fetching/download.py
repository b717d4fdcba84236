"""One document over HTTP, within limits: how long, how big, how many redirects, and where to."""

from __future__ import annotations

import http.client
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bindgen.fetching import addresses

if TYPE_CHECKING:
    import requests

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
_USE_A_FILE = "save the document by hand and give it with --file PATH"
_TRY_LATER = "try again later; the committed documents still stand"


class FetchError(Exception):
    """A document that could not be had or may not be taken.

    `url` is the address (or file) concerned, `problem` says what is wrong, `remedy` what to do. Nothing in
    the folder has been changed when it is raised while fetching.
    """

    def __init__(self, url: str, problem: str, remedy: str) -> None:
        super().__init__(url, problem, remedy)
        self.url = url
        self.problem = problem
        self.remedy = remedy

    def __str__(self) -> str:
        return f"{self.url}: {self.problem}. What to do: {self.remedy}."


@dataclass(frozen=True, slots=True)
class Limits:
    """What a fetch may cost: bytes and seconds are per document, redirects are per request."""

    document_bytes: int = 20 * 1024 * 1024
    documents: int = 200
    import_depth: int = 20
    redirects: int = 5
    seconds: float = 30.0


@dataclass(frozen=True, slots=True)
class Downloaded:
    """A reply: the address it finally came from, and its bytes (None: 304, not modified)."""

    url: str
    content: bytes | None
    media_type: str
    etag: str | None
    last_modified: str | None


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
    ) -> None:
        self._given = session
        self._own: requests.Session | None = None
        self._limits = limits
        self._timer = timer

    def __enter__(self) -> Downloader:
        return self

    def __exit__(self, *_: object) -> None:
        if self._own is not None:
            self._own.close()

    def get(self, url: str, validators: Mapping[str, Mapping[str, str]]) -> Downloaded:
        """The document at a normalised address.

        `validators` holds, per address, the conditional headers to send to it; only such an address may
        answer 304. Raises FetchError.
        """
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
                    self._check_status(here, response.status_code)
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
        """The reply, its body not yet read, and where it redirects to."""
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
        except requests.Timeout as error:
            raise FetchError(url, f"no answer within {self._limits.seconds:g} s", _TRY_LATER) from error
        except requests.exceptions.SSLError as error:
            raise FetchError(url, "the TLS certificate or handshake was not accepted", _USE_A_FILE) from error
        except (requests.RequestException, OSError, ValueError) as error:
            raise FetchError(
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
        return target

    def _check_status(self, url: str, status_code: int) -> None:
        if status_code == 200:
            return
        if status_code in (401, 403, 407):
            remedy = f"bindgen sends no credentials: {_USE_A_FILE}"
        elif status_code in (404, 410):
            remedy = "check the address, or the location in the document that names it"
        else:
            remedy = _TRY_LATER
        raise FetchError(url, f"HTTP {status_code} instead of a document", remedy)

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
            raise FetchError(url, f"broke off after {len(body)} bytes", _TRY_LATER) from error
        return bytes(body)
