"""Download export files.

A download writes to a part file (`name.part`) and verifies the bytes while they arrive. The complete file is
compared with its order and then renamed to its target.
"""

from __future__ import annotations

import contextlib
import logging
import shutil
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from soapclient._support.part_file import PartFile, PartMark
from soapclient.calling.retry import RetryPolicy, call_with_retries, transient_errors
from soapclient.clock import Deadline
from soapclient.errors import (
    CorruptDownload,
    DeadlineExceeded,
    ExportError,
    JobExpired,
    JobFailed,
    JobUnknown,
    MisplacedResponse,
    NotThisExport,
    ResponseError,
    TransportError,
    UnverifiedExport,
)
from soapclient.tracking.exports.download.delivery import (
    refuse_drift,
    with_ordered_columns,
    with_types,
)
from soapclient.tracking.exports.download.fetch import (
    OPERATION,
    AddressExpired,
    FileClient,
    ResumeRange,
    file_client,
    strong_etag,
    unexpected,
)
from soapclient.tracking.exports.formats.columns import ColumnTypes, OnDrift, drift_policy, typed_columns
from soapclient.tracking.exports.formats.export_file import ExportFile
from soapclient.tracking.exports.formats.gzip_csv import Damaged, Inspection, NotGzip, count_rows, header_of
from soapclient.tracking.exports.formats.request_match import check_request, reaches_both_ends
from soapclient.tracking.exports.handle import ExportHandle
from soapclient.tracking.exports.jobs.job import JobSnapshot, ReportJobs
from soapclient.transport import http

MOST_ADDRESSES: Final = 4
"""Maximum number of download addresses to try for one job. A new one is requested when one has expired."""

_MIN_RESUME_SIZE: Final = 2  # bytes; the gzip magic number
_EXCERPT_SIZE: Final = 2048  # bytes of an invalid file that an error message may quote
_RATIO_CHECK_FROM: Final = 64 << 20  # unpacked bytes; smaller files skip the compression-ratio check

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class DownloadProgress:
    """Progress of a download.

    `received` and `total` are numbers of compressed bytes; `total` is None if it is unknown. `rows` is the
    number of rows received so far.

    >>> import datetime as dt
    >>> from soapclient import Client
    >>> day = dt.date(2026, 11, 1)
    >>> with Client() as client:
    ...     export = client.data.export(report_type="sale", from_date=day, to_date=day, reorder=True)
    ...     shown = []
    ...     file = export.wait(deadline=600).download("sales.csv.gz", on_progress=shown.append)
    >>> shown[-1].received == file.size
    True
    """

    received: int
    total: int | None
    rows: int


@dataclass(eq=False)
class Download:
    """One download of a job's file, until the deadline `until`. Can be used only once.

    Failed attempts are retried, and resume after the bytes already received. If the address of the file has
    expired, the job's new address is used.

    - `_found`: size, rows and hash of the bytes received so far.
    - `_head`: the first bytes, for error messages.
    - `_joined`: True if the bytes come from several responses.
    - `_damaged`: True if the file failed verification.
    """

    jobs: ReportJobs
    handle: ExportHandle
    until: Deadline
    _temporary: bool = field(default=False, init=False)
    _part: PartFile = field(init=False)
    _client: FileClient = field(init=False)
    _check: Callable[[ExportFile], None] = field(init=False)
    _on_progress: Callable[[DownloadProgress], None] | None = field(default=None, init=False)
    _found: Inspection = field(default_factory=Inspection, init=False)
    _head: bytes = field(default=b"", init=False)
    _joined: bool = field(default=False, init=False)
    _damaged: bool = field(default=False, init=False)

    def wait(self, on_progress: Callable[[JobSnapshot], None] | None = None) -> JobSnapshot:
        """Wait until the job's file is ready. See `Export.wait`."""
        return self.jobs.wait(self.handle, self.until, self.is_there, on_progress)

    def is_there(self, job: JobSnapshot) -> bool:
        """Return True if the job's file can already be downloaded.

        Sends a request for the file. Used for jobs that do not report a state.
        """
        with file_client(self.jobs) as client:
            return client.is_there(job, self.until)

    def to(
        self,
        target: Path,
        on_progress: Callable[[DownloadProgress], None] | None = None,
        on_drift: OnDrift | None = None,
        types: ColumnTypes | None = None,
        *,
        temporary: bool = False,
    ) -> ExportFile:
        """Download the file to `target`. See `Export.download`. `temporary` is as in `PartFile.finish`."""
        self._temporary = temporary
        jobs, handle = self.jobs, self.handle
        user_types, on_drift = typed_columns(types), drift_policy(on_drift, jobs.config.on_column_drift)

        def check(file: ExportFile) -> None:
            file = with_ordered_columns(jobs, handle, file)
            if handle.adopted:  # before the drift check, because the columns of another order are not drift
                zone = jobs.config.report_tzinfo()
                try:
                    check_request(file, handle.request, zone, self._check_deadline, handle.vouched)
                except NotThisExport as error:  # the part file will be gone: name the target instead
                    error.path = str(target)
                    error.args = (str(error).replace(str(file.path), str(target), 1),)
                    raise
            refuse_drift(jobs, file, target, on_drift)

        # Open the file before waiting, so that a file that cannot be written fails at once.
        with PartFile(target) as part:
            file = self.into(part, check, on_progress)
        return with_types(jobs, handle, replace(file, path=target), on_drift, user_types)

    def into(
        self,
        part: PartFile,
        check: Callable[[ExportFile], None],
        on_progress: Callable[[DownloadProgress], None] | None = None,
    ) -> ExportFile:
        """Wait for the job and download its file into `part`, the part file (temporary file) of the target.

        `check` is called with the complete file before the file gets its final name. It raises an exception
        to reject the file.
        """
        self._part, self._check, self._on_progress = part, check, on_progress
        with file_client(self.jobs) as self._client:
            try:
                # Also gets the current download address: a stored one may have expired.
                return self._transfer(self.wait())
            except (JobFailed, JobExpired) as error:
                # The job is gone, so its bytes are useless. An unknown job may belong to another account.
                if not isinstance(error, JobUnknown) and part.mark and part.mark.job_id == self.handle.job_id:
                    part.restart()
                raise

    def compare(self, file: ExportFile) -> None:
        """Check that a downloaded file matches the order, and has rows of the first and the last ordered day.

        Raises NotThisExport if the file belongs to another order. Raises its subclass UnverifiedExport if the
        file does not show to which order it belongs. Raises DeadlineExceeded at the deadline.
        """
        file, request = with_ordered_columns(self.jobs, self.handle, file), self.handle.request
        zone, tick = self.jobs.config.report_tzinfo(), self._check_deadline
        check_request(file, request, zone, tick)
        if not reaches_both_ends(file, request, zone, tick):
            raise UnverifiedExport(str(file.path), f"{request['from_date']} to {request['to_date']}")

    def _check_deadline(self) -> None:
        """Raise DeadlineExceeded if the deadline has passed.

        Called while the file is compared with its order.
        """
        if self.until.expired:
            step = "comparing its file with the order"
            raise DeadlineExceeded(str(self.handle.job_id), step, self.until.seconds)

    def _transfer(self, job: JobSnapshot) -> ExportFile:
        """Download the file, verify it and rename it to its target. Return the file.

        A small JSON file next to the target, called the mark, stores the id of the job. `acknowledge` removes
        the mark.

        Transient errors are retried, each attempt with a new signature. If the service sends a strong ETag,
        an attempt resumes after the bytes already received, including bytes from an earlier download of the
        same job. Without a strong ETag, each attempt requests the complete file.

        Raises:

        - CorruptDownload: the file is damaged, or its size or number of rows differs from the job's.
        - UnexpectedResponse: the file is not gzip, or no address works.
        - ResponseError: the job's data is invalid or exceeds a limit.
        - ExportError: the disk is full.
        - JobExpired, AuthenticationError, TransportError, DeadlineExceeded, OSError.
        - The errors of the function `check` that was passed to `into`.
        """
        part = self._part
        if job.size is not None:
            self._check_room(job.size)
        try:
            self._load_existing(job)
            try:
                file = self._download_and_verify(job)
            except CorruptDownload as error:
                if not (self._joined or self._damaged):
                    raise
                # The damage may come from the transfer or from joining responses. Try once without resuming.
                log.warning("export job %s: %s Downloading it again from the start.", job.id, error)
                self._restart(None)
                file = self._download_and_verify(job, reuse=False)
        except TransportError as error:
            if self.until.expired:
                step = "downloading its file"
                raise DeadlineExceeded(str(job.id), step, self.until.seconds) from error
            raise
        except (CorruptDownload, ResponseError):
            part.restart()
            raise
        try:
            self._check(file)
        except DeadlineExceeded:  # keep the file: the next download resumes and checks it
            raise
        except (ExportError, ResponseError):
            part.restart()
            raise
        etag = None if part.mark is None else part.mark.etag
        part.finish(self._mark(job, etag, file.sha256), temporary=self._temporary)
        return file

    def _mark(self, job: JobSnapshot, etag: str | None, sha256: str | None = None) -> PartMark:
        """Return the mark of the file: its job, service, account and ETag.

        The mark is a JSON file, which is stored next to the file. `sha256` is the hash of the complete
        file, None for an incomplete file.
        """
        origin = self._client.origin
        return PartMark(job.id, etag, origin.base, origin.account, sha256)

    def _load_existing(self, job: JobSnapshot) -> None:
        """Read the bytes of an earlier download of this job, so that this download resumes after them.

        Bytes of another job, account or service are ignored, and so are damaged bytes. Raises Timeout at the
        deadline.
        """
        part = self._part
        if part.mark is None or part.mark != self._mark(job, part.mark.etag) or not part.size:
            return
        try:
            for block in part.blocks():
                self.until.check(OPERATION, request_sent=False)
                self._inspect(block)
        except (Damaged, NotGzip) as damage:
            log.warning("%s is damaged (%s); the download starts again", part.path, damage)
            self._restart(None)
            return
        self._joined = True
        log.info("%s: resuming after the %d bytes of an earlier download", part.path, self._found.size)

    def _check_room(self, size: int) -> None:
        """Check that a file of `size` bytes is allowed and fits on the disk.

        Raises ResponseError if it is larger than the setting `max_download_bytes`, and ExportError if the
        disk does not have enough free space.
        """
        if size > (most := self.jobs.config.max_download_bytes):
            raise _limit_error("size in bytes", size, f"at most {most} bytes", "max_download_bytes")
        part = self._part
        free = shutil.disk_usage(part.path.parent).free
        if size - part.size > free:
            raise ExportError(
                f"cannot download to {part.target}: the file has {size} bytes, but only {free} bytes are "
                "free on its disk. Free some space, or choose a directory on another disk."
            )

    def _inspect(self, chunk: bytes) -> None:
        """Process the next bytes of the file: decompress them, count bytes and rows, and update the hash.

        Raises ResponseError if the file exceeds a size limit.
        """
        self._head = self._head or chunk[:_EXCERPT_SIZE]
        found, config = self._found, self.jobs.config
        found.feed(chunk)
        if found.size > (most := config.max_download_bytes):
            raise _limit_error(
                "size", f"more than {most} bytes", f"at most {most} bytes", "max_download_bytes"
            )
        ratio = config.max_compression_ratio
        if found.unpacked > _RATIO_CHECK_FROM and found.unpacked > ratio * found.size:
            allowed = f"at most {ratio} times the size of the file"
            raise _limit_error("decompressed size", "too large", allowed, "max_compression_ratio")

    def _restart(self, mark: PartMark | None) -> None:
        """Discard the bytes received so far, because the file is downloaded from its start again.

        `mark` is stored as the new mark of the file (see `_mark`), if it is not None.
        """
        self._part.restart(mark)
        self._found, self._head = Inspection(), b""
        self._joined = self._damaged = False

    def _resume_point(self, job: JobSnapshot) -> ResumeRange | None:
        """Return the range of bytes that is still missing.

        Returns None if the complete file must be requested, because too few bytes were received so far, or
        because they may belong to another version of the file.
        """
        mark, size = self._part.mark, self._found.size
        if mark is None or mark.etag is None or mark != self._mark(job, mark.etag) or size < _MIN_RESUME_SIZE:
            return None
        return ResumeRange(size, mark.etag)

    def _download_and_verify(self, job: JobSnapshot, *, reuse: bool = True) -> ExportFile:
        """Download the file and verify it. If its address has expired, polls the job for a new address.

        With `reuse`, the first request may use an open connection.
        """
        for attempt in range(1, MOST_ADDRESSES + 1):
            url = self._client.address(job)
            try:
                self._download_from(url, job, reuse=reuse)
                break
            except AddressExpired as expired:
                job = self.wait()  # raises JobExpired if the job itself has expired
                if attempt == MOST_ADDRESSES or self._client.address(job) == url:
                    raise expired.refusal from None
                log.warning(
                    "export job %s: the address of the file had expired, using the new address", job.id
                )
        return self._verify(job)

    def _download_from(self, url: str, job: JobSnapshot, *, reuse: bool) -> None:
        """Download from one address, in rounds of the configured number of attempts.

        If all attempts of a round fail, but at least one of them received new bytes, another round begins.
        The last error is raised if a round received no new bytes, or at the deadline.
        """
        is_transient, policy = transient_errors(), RetryPolicy(attempts=self.jobs.config.attempts)
        furthest = self._found.size
        while True:
            try:
                call_with_retries(
                    lambda number: self._attempt(job, url, reuse=reuse and number == 1),
                    safe=True,
                    deadline=self.until,
                    clock=self.jobs.clock,
                    policy=policy,
                    quota=self.jobs.quota,
                    is_transient=is_transient,
                    random=self.jobs.random,
                    operation=OPERATION,
                )
                return
            except TransportError as error:
                exhausted = is_transient(error) and error.attempts >= policy.attempts
                progressed = self._resume_point(job) is not None and self._found.size > furthest
                if not (exhausted and progressed) or self.until.expired:
                    raise
                furthest = self._found.size
                log.info("export job %s: %s, resuming at byte %d", job.id, error, furthest)

    def _attempt(self, job: JobSnapshot, url: str, *, reuse: bool) -> None:
        """Download the file, or the rest of it. With `reuse`, an open connection may be used."""
        try:
            self._receive(job, url, reuse=reuse)
        except MisplacedResponse:
            # The bytes may be a late duplicate of the response to an earlier download on this connection.
            self._restart(None)
            self._receive(job, url, reuse=False)

    def _receive(self, job: JobSnapshot, url: str, *, reuse: bool) -> None:
        """Download the file, or the rest of it, in one request."""
        try:
            if self._resume_point(job) is not None and self._found.size == job.size:
                self._found.finish()  # the file already has the size that the job reports
                return
            with self._open_response(job, url, reuse=reuse) as response:
                try:
                    for chunk in response.chunks():
                        self._inspect(chunk)
                        self._part.write(chunk, complete=self._found.size == job.size)
                        if job.size is not None and self._found.size > job.size:
                            return
                        if self._on_progress is not None:
                            self._on_progress(DownloadProgress(self._found.size, job.size, self._found.rows))
                    self._found.finish()
                except NotGzip:
                    head = self._head
                    self._restart(None)  # clears self._head
                    raise unexpected(response, head, "a download that is not gzip", damaged=True) from None
        except Damaged as damage:
            self._damaged = True
            raise CorruptDownload(str(self._part.target), f"the file is damaged: {damage}") from None

    def _open_response(self, job: JobSnapshot, url: str, *, reuse: bool) -> http.Response:
        """Return a response with the missing bytes, or with the complete file if resuming is not possible."""
        since = self._resume_point(job)
        response = self._client.fetch(url, job, self.until, since, reuse=reuse)
        try:
            if since is not None and response.status != 200:
                if since.begun_by(response.status, response.headers):
                    self._joined = True
                    return response
                response.close()
                response = self._client.fetch(url, job, self.until, reuse=reuse)
            etag = strong_etag(response.headers)
            self._restart(None if etag is None else self._mark(job, etag))
        except BaseException:
            response.close()
            raise
        return response

    def _verify(self, job: JobSnapshot) -> ExportFile:
        """Compare the downloaded file with the size and the number of rows that the job reports.

        Returns the file. Raises CorruptDownload if the size or the number of rows differs.
        """
        part, found = self._part, self._found
        if job.size is not None and found.size != job.size:
            self._damaged = True
            actual = f"more than {job.size}" if found.size > job.size else f"{found.size}"
            raise CorruptDownload(
                str(part.target),
                "the size of the file differs from the size that the job reports",
                expected=f"{job.size} bytes",
                found=f"{actual} bytes",
            )
        rows = found.rows
        if not found.exact:
            with contextlib.suppress(ResponseError, ExportError):  # not CSV, so the first count is kept
                rows = count_rows(part.path)
        if job.rows not in (None, rows):
            raise CorruptDownload(
                str(part.target),
                "the number of rows differs from the number that the job reports",
                expected=f"{job.rows} rows",
                found=f"{rows} rows",
            )
        columns = header_of(part.path, part.target.name)
        return ExportFile(
            part.path,
            self.handle.report_type,
            columns,
            rows,
            found.size,
            found.sha256,
            _regular=found.exact,
        )


def _limit_error(what: str, value: object, allowed: str, setting: str) -> ResponseError:
    return ResponseError(
        f"the export's file: {what}", value, f"{allowed} (setting '{setting}')", operation=OPERATION
    )
