"""Download a finished job's file: to a part file, verified on its way, named once it is complete."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from soapclient.calling.retry import RetryPolicy, RetryQuota, call_with_retries, transient_errors
from soapclient.clock import Clock, Deadline
from soapclient.errors import (
    CorruptDownload,
    DeadlineExceeded,
    ExportError,
    ResponseError,
    TransportError,
)
from soapclient.exports.download.fetch import (
    OPERATION,
    AddressExpired,
    Getter,
    Since,
    strong_etag,
    unexpected,
)
from soapclient.exports.formats.export_file import ExportFile
from soapclient.exports.formats.gzip_csv import Damaged, Inspection, NotGzip, count_rows, header_of
from soapclient.exports.jobs.job import JobSnapshot
from soapclient.exports.part_file import PartFile, PartMark
from soapclient.transport import http

MOST_ADDRESSES: Final = 4
"""How many addresses of one job are tried, each after the one before had expired."""

_LEAST: Final = 2  # bytes; fewer do not even tell whether it is gzip
_EXCERPT: Final = 2048  # bytes of an improper file that an error may quote from

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class DownloadProgress:
    """How far a download is. `received` and `total` are bytes, compressed; `total` is None if unknown."""

    received: int
    total: int | None
    rows: int


@dataclass(eq=False, kw_only=True)
class Downloader:
    """Downloads the file of a job into `part`: in as many attempts, from as many addresses as it takes.

    `again` asks the job how it stands, for another address. `check` may refuse a whole file before it gets
    its name. `joined` tells whether it was put together from several responses, `damaged` whether it is not
    the file that was sent; `found` is what was seen in it, `head` its first bytes.
    """

    part: PartFile
    report_type: str
    getter: Getter
    deadline: Deadline
    clock: Clock
    policy: RetryPolicy
    quota: RetryQuota
    random: Callable[[], float]
    again: Callable[[], JobSnapshot]
    check: Callable[[ExportFile], None]
    on_progress: Callable[[DownloadProgress], None] | None
    found: Inspection = field(default_factory=Inspection, init=False)
    head: bytes = field(default=b"", init=False)
    joined: bool = field(default=False, init=False)
    damaged: bool = field(default=False, init=False)

    def download(self, job: JobSnapshot) -> ExportFile:
        """Download, and give the file its name; its mark stays until it is acknowledged.

        A transient failure is tried again, each time freshly signed, going on after the bytes that came
        where the service tells a strong ETag, else from the start; bytes that an earlier download of this
        job left are gone on with. Raises CorruptDownload (damaged, or not as long as the job says),
        UnexpectedResponse (no gzip, or no address that gives it), JobExpired (as the job says),
        AuthenticationError, TransportError, DeadlineExceeded, ResponseError (the job says something
        improper), OSError, and what `check` raises.
        """
        part = self.part
        try:
            self._take_up(job)
            try:
                done = self._fetched(job)
            except CorruptDownload as error:
                if not (self.joined or self.damaged):
                    raise
                # The damage may be from the way here, or from the putting together: once more tells.
                log.warning("export job %s: %s Fetching it once more in one piece.", job.id, error)
                self._begin(None)
                done = self._fetched(job)
        except TransportError as error:
            if self.deadline.expired:
                doing = "downloading its file"
                raise DeadlineExceeded(str(job.id), doing, self.deadline.seconds) from error
            raise
        except (CorruptDownload, ResponseError):
            part.restart()
            raise
        try:
            self.check(done)
        except DeadlineExceeded:  # what came is good, and looked at again by the next download
            raise
        except (ExportError, ResponseError):
            part.restart()
            raise
        part.finish(self._mark(job, None if part.mark is None else part.mark.etag, done.sha256))
        return done

    def _mark(self, job: JobSnapshot, etag: str | None, sha256: str | None = None) -> PartMark:
        """What marks bytes of this job's file; with its hash, the whole file that nobody has heard of."""
        home = self.getter.home
        return PartMark(job.id, etag, home.base, home.account, sha256)

    def _take_up(self, job: JobSnapshot) -> None:
        """Look through what an earlier download of this job left, so that this one can go on with it.

        What is of another job, of another account or service, or damaged, is as good as nothing.
        Raises Timeout at the deadline.
        """
        part = self.part
        if part.mark is None or part.mark != self._mark(job, part.mark.etag) or not part.size:
            return
        try:
            for block in part.blocks():
                self.deadline.check(OPERATION, request_sent=False)
                self._see(block)
        except (Damaged, NotGzip) as damage:
            log.warning("%s: damaged (%s), the download starts again", part.path, damage)
            self._begin(None)
            return
        self.joined = True
        log.info("%s: resuming after the %d bytes of an earlier download", part.path, self.found.size)

    def _see(self, chunk: bytes) -> None:
        self.head = self.head or chunk[:_EXCERPT]
        self.found.feed(chunk)

    def _begin(self, mark: PartMark | None) -> None:
        """Forget what came: what comes now is the file from its start."""
        self.part.restart(mark)
        self.found, self.head = Inspection(), b""
        self.joined = self.damaged = False

    def _since(self, job: JobSnapshot) -> Since | None:
        """What is to be asked for; None for the whole file."""
        mark, size = self.part.mark, self.found.size
        if mark is None or mark.etag is None or mark != self._mark(job, mark.etag) or size < _LEAST:
            return None
        return Since(size, mark.etag)

    def _fetched(self, job: JobSnapshot) -> ExportFile:
        """Take the file in, from as many addresses as the job tells one after the other."""
        for tried in range(1, MOST_ADDRESSES + 1):
            url = self.getter.address(job)
            try:
                self._patiently(job, url)
                break
            except AddressExpired as expired:
                job = self.again()  # that a job has expired is said by the job, never by an address
                if tried == MOST_ADDRESSES or self.getter.address(job) == url:
                    raise expired.refusal from None
                log.warning("export job %s: its address had expired, using its new one", job.id)
        return self._verified(job)

    def _patiently(self, job: JobSnapshot, url: str) -> None:
        """Try until the file is there. Attempts that brought it forward are not counted against the next."""
        is_transient = transient_errors()
        furthest = self.found.size
        while True:
            try:
                call_with_retries(
                    lambda _: self._attempt(job, url),
                    safe=True,
                    deadline=self.deadline,
                    clock=self.clock,
                    policy=self.policy,
                    quota=self.quota,
                    is_transient=is_transient,
                    random=self.random,
                    operation=OPERATION,
                )
                return
            except TransportError as error:
                used_up = is_transient(error) and error.attempts >= self.policy.attempts
                forward = self._since(job) is not None and self.found.size > furthest
                if not (used_up and forward) or self.deadline.expired:
                    raise
                furthest = self.found.size
                log.info("export job %s: %s, resuming at byte %d", job.id, error, furthest)

    def _attempt(self, job: JobSnapshot, url: str) -> None:
        try:
            if self._since(job) is not None and self.found.size == job.size:
                self.found.finish()  # all bytes are there by what the job says: nothing need be asked for
                return
            with self._response(job, url) as response:
                try:
                    for chunk in response.chunks():
                        self._see(chunk)
                        self.part.write(chunk)
                        if job.size is not None and self.found.size > job.size:
                            return
                        if self.on_progress is not None:
                            self.on_progress(DownloadProgress(self.found.size, job.size, self.found.rows))
                    self.found.finish()
                except NotGzip:
                    head = self.head
                    self._begin(None)
                    raise unexpected(response, head, "a download that is not gzip", damaged=True) from None
        except Damaged as damage:
            self.damaged = True
            raise CorruptDownload(str(self.part.target), f"the file is damaged: {damage}") from None

    def _response(self, job: JobSnapshot, url: str) -> http.Response:
        """Return the response whose body comes next: the rest of the file, or the file anew."""
        since = self._since(job)
        response = self.getter.fetch(url, job, self.deadline, since)
        try:
            if since is not None and response.status != 200:
                if since.begun_by(response.status, response.headers):
                    self.joined = True
                    return response
                response.close()
                response = self.getter.fetch(url, job, self.deadline)
            etag = strong_etag(response.headers)
            self._begin(None if etag is None else self._mark(job, etag))
        except BaseException:
            response.close()
            raise
        return response

    def _verified(self, job: JobSnapshot) -> ExportFile:
        """Compare what came with what the job says of it."""
        part, found = self.part, self.found
        if job.size is not None and found.size != job.size:
            self.damaged = True
            had = f"more than {job.size}" if found.size > job.size else f"{found.size}"
            raise CorruptDownload(
                str(part.target),
                "the file's size is not the one the job reports",
                expected=f"{job.size} bytes",
                found=f"{had} bytes",
            )
        rows = found.rows
        if not found.exact:
            with contextlib.suppress(ResponseError, ExportError):  # what is not CSV keeps its first count
                rows = count_rows(part.path)
        if job.rows not in (None, rows):
            raise CorruptDownload(
                str(part.target),
                "its number of rows is not the one the job reports",
                expected=f"{job.rows} rows",
                found=f"{rows} rows",
            )
        columns = header_of(part.path, part.target.name)
        return ExportFile(part.path, self.report_type, columns, rows, found.size, found.sha256)
