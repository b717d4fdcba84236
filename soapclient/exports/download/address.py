"""Where a file may be downloaded from, and which addresses get credentials: the configured service alone.

A signature goes to the origin (scheme, host, port) of the configured data service and nowhere else.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import Final
from urllib.parse import SplitResult, quote, urljoin, urlsplit

from soapclient.auth.credentials import is_visible_ascii
from soapclient.auth.signing import Signer, signed_uri
from soapclient.config.addresses import is_loopback
from soapclient.errors import ResponseError
from soapclient.exports.handle import JobId
from soapclient.redaction import safe_url

_PORTS: Final = {"https": 443, "http": 80}
_OPERATION: Final = "download"

Origin = tuple[str, str, int]
HeadersFor = Callable[[str], Mapping[str, str]]
"""Gives the credentials for an address, written exactly as it will be sent."""
QueryFor = Callable[[str], str]
"""Gives them as query parameters, encoded."""


def no_credentials(url: str) -> Mapping[str, str]:
    """Give no header at all, for addresses that are not the service's."""
    return {}


class Home:
    """The configured REST base of a service: what belongs to it, and how requests to it are signed."""

    def __init__(
        self,
        base: str,
        version: str,
        signer: Signer,
        *,
        lowercase: bool = False,
        offset: Callable[[], timedelta] = timedelta,
        in_query: bool = False,
    ) -> None:
        """`offset` is what has to be added to this machine's time before it is signed.

        `in_query` tells that signatures go into the query and not into headers.
        """
        self.base = base
        self._origin = origin_of(base, "the configured address")
        self._version = version
        self._signer = signer
        self._lowercase = lowercase
        self._offset = offset
        self.in_query = in_query

    @property
    def account(self) -> str:
        """What stands for the account where files are kept: a short hash of its connect ID."""
        return hashlib.sha256(f"part/{self._signer.connect_id}".encode()).hexdigest()[:12]

    def owns(self, url: str) -> bool:
        """Tell whether an address has the origin of the base."""
        return origin_of(url, "the address") == self._origin

    def check(self, url: str, path: str) -> None:
        """Refuse an address that nothing may be fetched from; `path` names where it was found.

        Raises ResponseError: it must be https, without user info. http is for a service on this machine, when
        it is configured so.
        """
        scheme, host, _ = origin_of(url, path)
        if scheme == "http" and not (self._origin[0] == "http" and is_loopback(host)):
            raise ResponseError(path, safe_url(url), "an https address", operation=_OPERATION)

    def signed_headers(self, url: str) -> Mapping[str, str]:
        """Sign a GET of `url`, without its query (docs/explanation/service.md#signing)."""
        return self._signer.header_fields(self._signer.stamp(offset=self._offset()), "GET", self._uri(url))

    def signed_query(self, url: str) -> str:
        """Sign as `signed_headers` does, for the end of the query (docs/explanation/service.md#signing)."""
        fields = self._signer.query_fields(self._signer.stamp(offset=self._offset()), "GET", self._uri(url))
        return "&".join(f"{quote(name, safe='')}={quote(text, safe='')}" for name, text in fields.items())

    def _uri(self, url: str) -> str:
        """What is signed of an address. Raises ResponseError for one that is not the service's."""
        if not self.owns(url):
            # Whoever prepared the request has changed its address: better no request than a leak.
            raise ResponseError("download address", safe_url(url), "one of the service", operation=_OPERATION)
        path, own = urlsplit(url).path, urlsplit(self.base).path
        if path.startswith(f"{own}/"):  # whatever our own address has before its version
            path = path.removeprefix(own)
            return path.lower() if self._lowercase else path
        return signed_uri(path, self._version, lowercase=self._lowercase)

    def fallback(self, template: str, job_id: JobId) -> str:
        """Return the address of a job's file where the job names none: `template` below the base."""
        segment = quote(str(job_id), safe="")
        if segment in {".", ".."}:  # would lead to another path
            raise ResponseError("job id", job_id, "an id that can stand in a path", operation=_OPERATION)
        return self.base + template.replace("{id}", segment)


def redirected(url: str, location: str) -> str:
    """Return where a redirect leads. Raises ResponseError if that is less safe than where it came from."""
    target = urljoin(url, location)
    if origin_of(url, "address")[0] == "https" and origin_of(target, "Location")[0] != "https":
        raise ResponseError("Location", safe_url(target), "an https address", operation=_OPERATION)
    return target


def origin_of(url: str, path: str) -> Origin:
    """Return scheme, host and port. Raises ResponseError for an address that libraries may read
    differently."""
    try:
        parts: SplitResult = urlsplit(url)
        port = parts.port
    except ValueError:
        parts, port = urlsplit(""), None
    # A backslash or user info is where parsers part ways about which host is meant.
    proper = is_visible_ascii(url) and "\\" not in url and "@" not in parts.netloc
    if not proper or not parts.hostname or parts.scheme not in _PORTS:
        raise ResponseError(
            path, safe_url(url), "an absolute https address without user info", operation=_OPERATION
        )
    return parts.scheme, parts.hostname, _PORTS[parts.scheme] if port is None else port
