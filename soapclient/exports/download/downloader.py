"""Download a finished job's file: to a part file, verified on its way, named once it is complete."""

from __future__ import annotations

import logging
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from typing import Final

from soapclient.calling.retry import RetryPolicy, RetryQuota, call_with_retries, transient_errors
from soapclient.clock import Clock, Deadline
from soapclient.errors import (
    CorruptDownload,
    DeadlineExceeded,
    ExportError,
    ResponseError,
    TransportError,
    UnexpectedResponse,
)
from soapclient.exports.download.fetch import (
    OPERATION,
    AddressExpired,
    Getter,
    Home,
    Since,
    fetch,
    strong_etag,
    unexpected,
)
from soapclient.exports.formats.gzip_csv import Damaged, Inspection, NotGzip, count_rows, header_of
from soapclient.exports.jobs.job import JobSnapshot
from soapclient.exports.part_file import PartFile, PartMark
from soapclient.transport import http

_LEAST: Final = 2  # bytes; fewer do not even tell whether it is gzip
_EXCERPT: Final = 2048  # bytes of an improper file that an error may quote from

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class DownloadProgress:
    """How far a download is. `received` and `total` are bytes, compressed; `total` is None if unknown."""

    received: int
    total: int | None
    rows: int


OnDownload = Callable[[DownloadProgress], None]
"""Called with how far a download is."""


class Transfer:
    """What has come of a file so far. `joined` tells whether it was put together from several responses,
    `damaged` whether it is not the file that was sent.

    `found` is what was seen in it, `head` its first bytes.
    """

    def __init__(
        self, part: PartFile, home: Home, deadline: Deadline, on_progress: OnDownload | None = None
    ) -> None:
        self.part = part
        self.deadline = deadline
        self._home = home
        self._on_progress = on_progress
        self.found = Inspection()
        self.head = b""
        self.joined = False
        self.damaged = False

    def report(self, job: JobSnapshot) -> None:
        """Call `on_progress` with how far it is."""
        if self._on_progress is not None:
            self._on_progress(DownloadProgress(self.found.size, job.size, self.found.rows))

    def take_up(self, job: JobSnapshot) -> None:
        """Look through what an earlier download of this job left, so that this one can go on with it.

        What is of another job, of another account or service, or damaged, is as good as nothing.
        Raises Timeout at the deadline.
        """
        part = self.part
        if part.mark is None or part.mark != self.mark_for(job, part.mark.etag) or not part.size:
            return
        try:
            for block in part.blocks():
                self.deadline.check(OPERATION, request_sent=False)
                self._see(block)
        except (Damaged, NotGzip) as damage:
            log.warning("%s: damaged (%s), the download starts again", part.path, damage)
            self.begin(None)
            return
        self.joined = True
        log.info("%s: resuming after the %d bytes of an earlier download", part.path, self.found.size)

    def since(self, job: JobSnapshot) -> Since | None:
        """Return what is to be asked for; None for the whole file."""
        mark, size = self.part.mark, self.found.size
        if mark is None or mark.etag is None or mark != self.mark_for(job, mark.etag) or size < _LEAST:
            return None
        return Since(size, mark.etag)

    def mark_for(self, job: JobSnapshot, etag: str | None) -> PartMark | None:
        """Return what marks bytes of this job's file; None without an ETag that vouches for them."""
        return None if etag is None else PartMark(job.id, etag, self._home.base, self._home.account)

    def final_mark(self, job: JobSnapshot, sha256: str) -> PartMark:
        """Return what marks the whole file of this job until somebody has heard of it."""
        etag = None if self.part.mark is None else self.part.mark.etag
        return PartMark(job.id, etag, self._home.base, self._home.account, sha256)

    def complete(self, job: JobSnapshot) -> bool:
        """Tell whether all bytes are there, by what the job says, so that nothing need be asked for."""
        return self.since(job) is not None and self.found.size == job.size

    def begin(self, mark: PartMark | None) -> None:
        """Forget what came: what comes now is the file from its start."""
        self.part.restart(mark)
        self.found = Inspection()
        self.head = b""
        self.joined = False
        self.damaged = False

    def take(self, chunk: bytes) -> None:
        """Take the next bytes. Raises NotGzip, Damaged, OSError."""
        self._see(chunk)
        self.part.write(chunk)

    def _see(self, chunk: bytes) -> None:
        self.head = self.head or chunk[:_EXCERPT]
        self.found.feed(chunk)


MOST_ADDRESSES: Final = 4
"""How many addresses of one job are tried, each after the one before had expired."""

_NOT_YET: Final = frozenset({404, 409})


@dataclass(frozen=True, slots=True)
class Downloaded:
    """What was downloaded. `rows` do not count the header."""

    columns: tuple[str, ...]
    rows: int
    size: int
    sha256: str


@dataclass(frozen=True, kw_only=True)
class Downloader:
    """How files are downloaded: `compression` is the one form understood, `fallback_path` where files lie.

    `again` asks the job how it stands, for another address. `check` may refuse a whole file before it gets
    its name.
    """

    getter: Getter
    home: Home
    clock: Clock
    compression: str
    fallback_path: str
    policy: RetryPolicy
    quota: RetryQuota
    random: Callable[[], float]
    again: Callable[[], JobSnapshot]
    check: Callable[[Downloaded], None] = lambda _: None

    def download(
        self,
        job: JobSnapshot,
        part: PartFile,
        deadline: Deadline,
        on_progress: OnDownload | None = None,
    ) -> Downloaded:
        """Download into `part`, and give the file its name; its mark stays until it is acknowledged.

        A transient failure is tried again, each time freshly signed, going on after the bytes that came
        where the service tells a strong ETag, else from the start; bytes that an earlier download of this
        job left are gone on with. Raises CorruptDownload (damaged, or not as long as the job says),
        UnexpectedResponse (no gzip, or no address that gives it), JobExpired (as the job says),
        AuthenticationError, TransportError, DeadlineExceeded, ResponseError (the job says something
        improper), OSError, and what `check` raises.
        """
        transfer = Transfer(part, self.home, deadline, on_progress)
        try:
            transfer.take_up(job)
            try:
                done = self._fetched(job, transfer)
            except CorruptDownload as error:
                if not (transfer.joined or transfer.damaged):
                    raise
                # The damage may be from the way here, or from the putting together: once more tells.
                log.warning("export job %s: %s Fetching it once more in one piece.", job.id, error)
                transfer.begin(None)
                done = self._fetched(job, transfer)
        except TransportError as error:
            if deadline.expired:
                raise DeadlineExceeded(str(job.id), "downloading its file", deadline.seconds) from error
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
        part.finish(transfer.final_mark(job, done.sha256))
        return done

    def is_there(self, job: JobSnapshot, deadline: Deadline) -> bool:
        """Ask once for the file, and do not read it; for a job that does not tell how it stands.

        Raises AuthenticationError, and UnexpectedResponse for a refusal that time does not mend.
        """
        try:
            fetch(self.getter, self._address(job), self.home, job, deadline).close()
        except AddressExpired as expired:
            raise expired.refusal from None
        except (TransportError, UnexpectedResponse) as error:
            later = isinstance(error, UnexpectedResponse) and error.status in _NOT_YET
            if not later and not transient_errors()(error):
                raise
            return False
        return True

    def _fetched(self, job: JobSnapshot, transfer: Transfer) -> Downloaded:
        """Take the file in, from as many addresses as the job tells one after the other."""
        for tried in range(1, MOST_ADDRESSES + 1):
            url = self._address(job)
            try:
                self._patiently(job, url, transfer)
                break
            except AddressExpired as expired:
                job = self.again()  # that a job has expired is said by the job, never by an address
                if tried == MOST_ADDRESSES or self._address(job) == url:
                    raise expired.refusal from None
                log.warning("export job %s: its address had expired, using its new one", job.id)
        return _verified(job, transfer)

    def _address(self, job: JobSnapshot) -> str:
        if job.compression not in (None, self.compression):
            raise ResponseError("job/compression", job.compression, self.compression, operation=OPERATION)
        return self.home.fallback(self.fallback_path, job.id) if job.url is None else job.url

    def _patiently(self, job: JobSnapshot, url: str, transfer: Transfer) -> None:
        """Try until the file is there. Attempts that brought it forward are not counted against the next."""
        is_transient = transient_errors()
        furthest = transfer.found.size
        while True:
            try:
                call_with_retries(
                    lambda _: self._attempt(job, url, transfer),
                    safe=True,
                    deadline=transfer.deadline,
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
                forward = transfer.since(job) is not None and transfer.found.size > furthest
                if not (used_up and forward) or transfer.deadline.expired:
                    raise
                furthest = transfer.found.size
                log.info("export job %s: %s, resuming at byte %d", job.id, error, furthest)

    def _attempt(self, job: JobSnapshot, url: str, transfer: Transfer) -> None:
        if transfer.complete(job):
            _end(transfer)
            return
        with closing(self._response(job, url, transfer)) as response:
            try:
                for chunk in response.chunks():
                    transfer.take(chunk)
                    if job.size is not None and transfer.found.size > job.size:
                        return
                    transfer.report(job)
                _end(transfer)
            except NotGzip:
                head = transfer.head
                transfer.begin(None)
                raise unexpected(response, head, "a download that is not gzip", damaged=True) from None
            except Damaged as damage:
                raise _damaged(transfer, damage) from None

    def _response(self, job: JobSnapshot, url: str, transfer: Transfer) -> http.Response:
        """Return the response whose body comes next: the rest of the file, or the file anew."""
        since = transfer.since(job)
        response = fetch(self.getter, url, self.home, job, transfer.deadline, since)
        try:
            if since is not None and response.status != 200:
                if since.begun_by(response.status, response.headers):
                    transfer.joined = True
                    return response
                response.close()
                response = fetch(self.getter, url, self.home, job, transfer.deadline)
            transfer.begin(transfer.mark_for(job, strong_etag(response.headers)))
        except BaseException:
            response.close()
            raise
        return response


def _end(transfer: Transfer) -> None:
    try:
        transfer.found.finish()
    except Damaged as damage:
        raise _damaged(transfer, damage) from None


def _damaged(transfer: Transfer, damage: Damaged) -> CorruptDownload:
    transfer.damaged = True
    return CorruptDownload(str(transfer.part.target), f"the file is damaged: {damage}")


def _verified(job: JobSnapshot, transfer: Transfer) -> Downloaded:
    """Compare what came with what the job says of it."""
    part, found = transfer.part, transfer.found
    target = str(part.target)
    if job.size is not None and found.size != job.size:
        transfer.damaged = True
        more = "more than " if found.size > job.size else ""
        raise CorruptDownload(
            target,
            "the file's size is not the one the job reports",
            expected=f"{job.size} bytes",
            found=f"{more}{job.size if more else found.size} bytes",
        )
    rows = found.rows
    if not found.exact:
        rows = _recounted(part, rows)
    if job.rows not in (None, rows):
        raise CorruptDownload(
            target,
            "its number of rows is not the one the job reports",
            expected=f"{job.rows} rows",
            found=f"{rows} rows",
        )
    columns = header_of(part.path, part.target.name)
    return Downloaded(columns=columns, rows=rows, size=found.size, sha256=found.sha256)


def _recounted(part: PartFile, rows: int) -> int:
    """Count again, with the reader; a file that is not CSV keeps its first count."""
    try:
        return count_rows(part.path)
    except (ResponseError, ExportError):
        return rows
