"""GET the file of a finished job: redirects, credentials, byte ranges, error responses.

A download is resumed with a byte range (RFC 9110, sections 13 and 14), but only if the file still has the
same strong ETag. An equal ETag guarantees that the file is unchanged, so parts of different files are never
joined.
"""

from __future__ import annotations

import contextlib
import hashlib
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import KW_ONLY, dataclass, field, replace
from datetime import timedelta
from functools import cache
from typing import Final
from urllib.parse import quote, urljoin, urlsplit

from soapclient._support.lazy_pattern import LazyPattern
from soapclient._support.part_file import is_strong
from soapclient._support.redaction import excerpt, safe_url
from soapclient.auth.credentials import is_visible_ascii
from soapclient.auth.signing import Signer, signed_uri
from soapclient.calling.retry import transient_errors
from soapclient.clock import Deadline
from soapclient.errors import (
    AuthenticationError,
    MisplacedResponse,
    ResponseError,
    SoapClientError,
    TransportError,
    UnexpectedResponse,
)
from soapclient.runtime.settings import Download
from soapclient.settings.addresses import is_loopback
from soapclient.tracking.exports.handle import JobId
from soapclient.tracking.exports.jobs.job import JobSnapshot, ReportJobs
from soapclient.transport import http
from soapclient.transport.dates import retry_after
from soapclient.transport.session import open_session
from soapclient.transport.ssrf_guard import SsrfGuard

_PORTS: Final = {"https": 443, "http": 80}
OPERATION: Final = "download"

Origin = tuple[str, str, int]


@dataclass(eq=False)
class ServiceOrigin:
    """The configured REST base address of a service, and the signer of requests to the service.

    - `lowercase`: True if paths are signed in lower case.
    - `offset`: returns the difference to add to this machine's time before signing.
    - `in_query`: True if signatures are sent in the query, False if they are sent in headers.
    """

    base: str
    version: str
    signer: Signer
    _: KW_ONLY
    lowercase: bool = False
    offset: Callable[[], timedelta] = timedelta
    in_query: bool = False

    _origin: Origin = field(init=False)

    def __post_init__(self) -> None:
        self._origin = origin_of(self.base, "the configured address")

    @property
    def account(self) -> str:
        """A short hash of the connect ID. Identifies the account in files on disk."""
        return hashlib.sha256(f"part/{self.signer.connect_id}".encode()).hexdigest()[:12]

    def owns(self, url: str) -> bool:
        """Return True if an address has the same origin (scheme, host and port) as the base."""
        return origin_of(url, "the address") == self._origin

    def check(self, url: str, path: str) -> None:
        """Raise ResponseError for an unsafe address.

        `path` says in the error where the address comes from, such as `job/url`.

        A safe address is https without user info. If the base is configured as http, an http address is also
        safe if its host is the host of the base or a loopback address.
        """
        scheme, host, _ = origin_of(url, path)
        if scheme == "http" and not (
            self._origin[0] == "http" and (is_loopback(host) or host == self._origin[1])
        ):
            raise ResponseError(path, safe_url(url), "an https address", operation=OPERATION)

    def signed_headers(self, url: str) -> Mapping[str, str]:
        """Return the headers with the signature of a GET of `url`.

        The query of `url` is not signed. See docs/explanation/service.md#signing.
        """
        return self.signer.header_fields(self.signer.stamp(offset=self.offset()), "GET", self._uri(url))

    def signed_query(self, url: str) -> str:
        """Return the signature of a GET of `url` as query parameters.

        See docs/explanation/service.md#signing.
        """
        fields = self.signer.query_fields(self.signer.stamp(offset=self.offset()), "GET", self._uri(url))
        return "&".join(f"{quote(name, safe='')}={quote(text, safe='')}" for name, text in fields.items())

    def _uri(self, url: str) -> str:
        """Return the path of `url` in the form that is signed.

        Raises ResponseError if `url` does not belong to the service.
        """
        if not self.owns(url):
            # An auth or session hook changed the address: send nothing, so that no signature leaks.
            raise ResponseError(
                "download address", safe_url(url), "an address of the service", operation=OPERATION
            )
        path, own = urlsplit(url).path, urlsplit(self.base).path
        if path.startswith(f"{own}/"):  # the base may have a path prefix before the version
            path = path.removeprefix(own)
            return path.lower() if self.lowercase else path
        return signed_uri(path, self.version, lowercase=self.lowercase)

    def fallback(self, template: str, job_id: JobId) -> str:
        """Return the default address of a job's file, for a job that does not report an address.

        The address is the base followed by `template`, with the job's id instead of `{id}`. Raises
        ResponseError for the ids `.` and `..`, which would lead to another path.
        """
        segment = quote(str(job_id), safe="")
        if segment in {".", ".."}:  # would lead to another path
            raise ResponseError("job id", job_id, "an id that can be part of a path", operation=OPERATION)
        return self.base + template.replace("{id}", segment)


def redirected(url: str, location: str) -> str:
    """Return the address to which a response redirects. `location` is its Location header.

    `url` is the address of the request. Raises ResponseError if the redirect leads from https to http.
    """
    target = urljoin(url, location)
    if origin_of(url, "address")[0] == "https" and origin_of(target, "Location")[0] != "https":
        raise ResponseError("Location", safe_url(target), "an https address", operation=OPERATION)
    return target


def origin_of(url: str, path: str) -> Origin:
    """Return scheme, host and port of an address.

    Raises ResponseError if the address is not absolute or has user info, or if URL parsers may disagree about
    its host. `path` says in the error where the address comes from, such as `job/url`.
    """
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        parts, port = urlsplit(""), None
    # Parsers disagree about the host if an address contains a backslash or user info.
    proper = is_visible_ascii(url) and "\\" not in url and "@" not in parts.netloc
    if not proper or not parts.hostname or parts.scheme not in _PORTS:
        raise ResponseError(
            path, safe_url(url), "an absolute https address without user info", operation=OPERATION
        )
    return parts.scheme, parts.hostname, _PORTS[parts.scheme] if port is None else port


PARTIAL: Final = 206
NOT_SATISFIABLE: Final = 416
_CONTENT_RANGE: Final = LazyPattern(r"bytes ([0-9]{1,18})-([0-9]{1,18})/([0-9]{1,18}|\*)", re.ASCII)


@dataclass(frozen=True, slots=True)
class ResumeRange:
    """The bytes of a file that are still missing: all from `offset`. `etag` identifies the file's version."""

    offset: int
    etag: str

    def headers(self) -> dict[str, str]:
        """Return the headers that request only the missing bytes.

        If the file has changed, the server sends the complete file instead.
        """
        return {"Range": f"bytes={self.offset}-", "If-Range": self.etag}

    def begun_by(self, status: int, headers: Mapping[str, str]) -> bool:
        """Return True if the body of a response is exactly the missing bytes: from `offset` to the end.

        `status` and `headers` are the response's. The headers must name the same version of the file.
        """
        match = _CONTENT_RANGE.fullmatch(headers.get("Content-Range", "").strip())
        if status != PARTIAL or match is None or strong_etag(headers) != self.etag:
            return False
        first, last, size = match.groups()
        # A server may send a shorter range. The missing bytes would later look like a damaged file.
        return int(first) == self.offset and (size == "*" or int(last) == int(size) - 1 >= self.offset)


def strong_etag(headers: Mapping[str, str]) -> str | None:
    """Return a response's ETag, or None if it is missing or weak."""
    text = headers.get("ETag", "").strip()
    return text if is_strong(text) else None


MOST_REDIRECTS: Final = 3
_REDIRECTS: Final = frozenset({301, 302, 303, 307, 308})
_OF_A_PART: Final = frozenset({PARTIAL, NOT_SATISFIABLE})
_NOT_YET: Final = frozenset({404, 409})
_HEAD: Final = 2048  # bytes of an error's body that are read
_MAX_IDLE: Final = 10.0  # seconds; a connection that was idle for longer may be dead

_PROBLEMS: Final = {
    404: "the service does not know the file",
    410: "the address of the file has expired, although the job is done",
    409: "the file is not ready yet",
}


class AddressExpired(Exception):
    """Raised if the file can no longer be downloaded from an address.

    The caller then polls the job for a new address. If there is none, the caller raises `refusal`, the error
    for the server's response.
    """

    def __init__(self, refusal: SoapClientError) -> None:
        super().__init__(str(refusal))
        self.refusal = refusal


@dataclass(frozen=True, kw_only=True)
class FileClient:
    """Requests files of jobs.

    - `service`: the HTTP client for addresses of the service (`origin`).
    - `elsewhere`: returns the HTTP client for all requests after a redirect to another origin. Its session
      does not have the configured headers, because the headers may contain a key.
    - `files`: the contract's settings for downloads: the supported compression, and the path to use if a job
      reports no address.
    - `connect_timeout`, `stall` (maximum time without receiving data): in seconds.
    """

    service: http.HttpClient
    elsewhere: Callable[[], http.HttpClient]
    origin: ServiceOrigin
    files: Download
    connect_timeout: float
    stall: float

    def address(self, job: JobSnapshot) -> str:
        """Return the address of a job's file.

        Raises ResponseError if the compression of the file is not supported.
        """
        if job.compression not in (None, self.files.compression):
            expected = self.files.compression
            raise ResponseError("job/compression", job.compression, expected, operation=OPERATION)
        return self.origin.fallback(self.files.fallback_path, job.id) if job.url is None else job.url

    def is_there(self, job: JobSnapshot, deadline: Deadline) -> bool:
        """Request the file once, without reading it. Return True if the service already sends the file.

        Use it for jobs without a state. Returns False if the file is not ready, or after a transient error.
        Raises AuthenticationError, and UnexpectedResponse for any other error response.
        """
        try:
            self.fetch(self.address(job), job, deadline).close()
        except AddressExpired as expired:
            raise expired.refusal from None
        except (TransportError, UnexpectedResponse) as error:
            later = isinstance(error, UnexpectedResponse) and error.status in _NOT_YET
            if not later and not transient_errors()(error):
                raise
            return False
        return True

    def fetch(
        self,
        url: str,
        job: JobSnapshot,
        deadline: Deadline,
        since: ResumeRange | None = None,
        *,
        reuse: bool = True,
    ) -> http.Response:
        """GET a file. Return the response with its body unread. The caller closes the response.

        - Without `since`, the complete file is requested. The response has the status 200.
        - With `since`, only the missing bytes that `since` describes are requested. The response has the
          status 206 (these bytes), 200 (the complete file) or 416 (the range is invalid).

        With `reuse=False`, a new connection is opened.

        Each request to the service's own origin is signed for its exact address. After a redirect to another
        origin, no further request is signed. Raises AddressExpired, AuthenticationError, UnexpectedResponse,
        ResponseError (unsafe address), Timeout and ConnectionFailed. The caller gets MisplacedResponse while
        it reads the body, if the body may belong to the file of another job.
        """
        try:
            return self._fetch(url, job, deadline, since, reuse=reuse)
        except MisplacedResponse:  # an error response, whose body is read here
            return self._fetch(url, job, deadline, since, reuse=False)

    def _fetch(
        self, url: str, job: JobSnapshot, deadline: Deadline, since: ResumeRange | None, *, reuse: bool
    ) -> http.Response:
        # The file itself is gzip. Disable content encoding so that it is not compressed twice.
        headers = {"Accept": "application/gzip, */*;q=0.1", "Accept-Encoding": "identity"}
        headers |= {} if since is None else since.headers()
        limits = http.Limits(
            operation=OPERATION,
            deadline=deadline,
            connect_timeout=self.connect_timeout,
            stall=self.stall,
            # A late response to another download must not be taken for this file. If its body was not seen
            # before on this connection, only the reported size or number of rows shows this.
            idle=_MAX_IDLE if reuse and (job.size, job.rows) != (None, None) else 0.0,
            request=hash((job.id, since)),  # the address may have a new token each time
            by_body=True,  # a gateway that sends a file again sets another date
        )
        origin, trusted = self.origin, True
        for _ in range(MOST_REDIRECTS + 1):
            origin.check(url, "download address")
            trusted = trusted and origin.owns(url)
            client = self.service if trusted else self.elsewhere()
            response = client.get(
                url,
                headers,
                limits,
                signed=origin.signed_headers if trusted and not origin.in_query else None,
                appended=origin.signed_query if trusted and origin.in_query else None,
                decode=False,
            )
            if response.status == 200 or (since is not None and response.status in _OF_A_PART):
                return response
            with response:
                location = response.headers.get("Location")
                if response.status not in _REDIRECTS or not location:
                    refusal = _refusal(response, job, trusted)
                    # Other hosts answer like this when a signed address has expired.
                    if response.status == 410 or (not trusted and response.status in {403, 404}):
                        raise AddressExpired(refusal)
                    raise refusal
                url = redirected(url, location)
        raise UnexpectedResponse(
            response.status, None, b"", problem=f"more than {MOST_REDIRECTS} redirects", operation=OPERATION
        )


def unexpected(
    response: http.Response, body: bytes, problem: str, *, damaged: bool = False
) -> UnexpectedResponse:
    """Return the error for a response that does not contain the file.

    `body` is the start of the response's body. `problem` is the reason in the error's message. `damaged` is
    True if the body is damaged: a retry may then succeed.
    """
    return UnexpectedResponse(
        response.status,
        response.headers.get("Content-Type"),
        body,
        problem=problem,
        operation=OPERATION,
        retry_after=retry_after(response.headers),
        damaged=damaged,
    )


def _refusal(response: http.Response, job: JobSnapshot, trusted: bool) -> SoapClientError:
    body = b""
    with contextlib.suppress(TransportError):  # report the status, even if its body is incomplete
        for chunk in response.chunks():
            body += chunk
            if len(body) >= _HEAD:
                break
    if trusted and response.status in {401, 403}:
        return AuthenticationError(response.status, excerpt(body), operation=OPERATION)
    problem = _PROBLEMS.get(response.status, "the file was refused")
    return unexpected(response, body, f"export job {job.id}: {problem}")


def service_origin(jobs: ReportJobs) -> ServiceOrigin:
    """Return the ServiceOrigin of the service that creates the files of `jobs`.

    It has the configured REST base address of the service.
    """
    config, tables = jobs.config, jobs.job_tables
    return ServiceOrigin(
        config.rest_base(tables.service, tables.version),
        tables.version,
        jobs.signer,
        lowercase=config.lowercase_path,
        offset=jobs.offset,
        in_query=config.rest_signature == "query",
    )


@contextlib.contextmanager
def file_client(jobs: ReportJobs) -> Iterator[FileClient]:
    """Yield a client for one download of a file of `jobs`.

    All downloads share the connections to the service. Connections to other origins are closed at the end of
    the `with` block. The client's stall timeout is the setting `timeout`, but at most the setting `deadline`.
    """
    config, origin = jobs.config, service_origin(jobs)
    with contextlib.ExitStack() as sessions:

        @cache  # few files are redirected
        def elsewhere() -> http.HttpClient:
            guard = SsrfGuard(urlsplit(origin.base).hostname or "", config.allow_private)
            bare = open_session(replace(config, headers={}), guard, 1)
            return http.HttpClient(sessions.enter_context(contextlib.closing(bare)), "")

        yield FileClient(
            service=jobs.files.client(),
            elsewhere=elsewhere,
            origin=origin,
            files=jobs.job_tables.download,
            connect_timeout=config.connect_timeout,
            stall=min(config.timeout or config.deadline, config.deadline),
        )
