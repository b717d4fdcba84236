"""Download export files.

A download goes to a part file, is verified while it arrives, is compared with its order, and is renamed to
its target when it is complete. `Downloads` also finds files that earlier downloads completed.
"""

from __future__ import annotations

import contextlib
import datetime as dt
import logging
import shutil
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import KW_ONLY, dataclass, field, replace
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from soapclient._support.part_file import PartFile, PartMark, mark_path
from soapclient.auth.signing import Signer
from soapclient.calling.retry import RetryPolicy, RetryQuota, call_with_retries, transient_errors
from soapclient.clock import Clock, Deadline
from soapclient.errors import (
    ColumnsDiffer,
    ConfigError,
    CorruptDownload,
    DeadlineExceeded,
    ExportError,
    JobExpired,
    JobFailed,
    JobUnknown,
    NotThisExport,
    ResponseError,
    TransportError,
    UnverifiedExport,
)
from soapclient.runtime.settings import Column
from soapclient.tracking.exports.download.fetch import (
    OPERATION,
    AddressExpired,
    Getter,
    Home,
    Since,
    strong_etag,
    unexpected,
)
from soapclient.tracking.exports.formats.columns import (
    ColumnTypes,
    Expected,
    OnDrift,
    drift_policy,
    expected_columns,
    report_drift,
    report_types,
    typed_columns,
)
from soapclient.tracking.exports.formats.export_file import ExportFile
from soapclient.tracking.exports.formats.gzip_csv import Damaged, Inspection, NotGzip, count_rows, header_of
from soapclient.tracking.exports.formats.request_match import Tick, check_request, reaches_both_ends
from soapclient.tracking.exports.handle import ExportHandle
from soapclient.tracking.exports.jobs.job import JobSnapshot, ReportJobs
from soapclient.tracking.settings import Settings
from soapclient.transport import http
from soapclient.transport.reach import Reach
from soapclient.transport.session import open_session

MOST_ADDRESSES: Final = 4
"""Maximum number of download addresses to try for one job. A new one is requested when one has expired."""

_MIN_RESUME_SIZE: Final = 2  # bytes; the gzip magic number
_EXCERPT_SIZE: Final = 2048  # bytes of an invalid file that an error message may quote
_RATIO_CHECK_FROM: Final = 64 << 20  # unpacked bytes; smaller files skip the compression-ratio check

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class DownloadProgress:
    """Progress of a download. `received` and `total` are compressed bytes; `total` is None if unknown."""

    received: int
    total: int | None
    rows: int


@dataclass(eq=False, kw_only=True)
class Downloader:
    """Downloads the file of one job into `part`, with retries, resuming and new addresses.

    Parameters:
    `most`: the maximum size of the file in bytes.
    `ratio`: the maximum compression ratio.
    `again`: polls the job, to get a new download address.
    `check`: called with the complete file before it is renamed; raises to refuse it.

    State:
    `found`: size, rows and hash of the bytes received so far. `head`: the first bytes, for error messages.
    `joined`: the file consists of several responses. `damaged`: the file failed verification.
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
    most: int
    ratio: int
    found: Inspection = field(default_factory=Inspection, init=False)
    head: bytes = field(default=b"", init=False)
    joined: bool = field(default=False, init=False)
    damaged: bool = field(default=False, init=False)

    def download(self, job: JobSnapshot) -> ExportFile:
        """Download the file, verify it and rename it to its target. Its mark stays until `acknowledge`.

        Transient errors are retried, each attempt with a new signature. If the service sends a strong ETag,
        an attempt resumes after the bytes already received, including bytes from an earlier download of the
        same job. Otherwise it starts again.

        Raises CorruptDownload (the file is damaged, or differs from the size or rows the job reports),
        UnexpectedResponse (not gzip, or no address works), JobExpired, AuthenticationError, TransportError,
        DeadlineExceeded, ResponseError (the job's data is invalid or exceeds a limit), ExportError (the disk
        is full), OSError, and whatever `check` raises.
        """
        part = self.part
        if job.size is not None:
            self._check_room(job.size)
        try:
            self._load_existing(job)
            try:
                file = self._download_and_verify(job)
            except CorruptDownload as error:
                if not (self.joined or self.damaged):
                    raise
                # The damage may come from the transfer or from joining responses. Try once without resuming.
                log.warning("export job %s: %s Downloading it again from the start.", job.id, error)
                self._restart(None)
                file = self._download_and_verify(job)
        except TransportError as error:
            if self.deadline.expired:
                step = "downloading its file"
                raise DeadlineExceeded(str(job.id), step, self.deadline.seconds) from error
            raise
        except (CorruptDownload, ResponseError):
            part.restart()
            raise
        try:
            self.check(file)
        except DeadlineExceeded:  # keep the file: the next download resumes and checks it
            raise
        except (ExportError, ResponseError):
            part.restart()
            raise
        part.finish(self._mark(job, None if part.mark is None else part.mark.etag, file.sha256))
        return file

    def _mark(self, job: JobSnapshot, etag: str | None, sha256: str | None = None) -> PartMark:
        """Return the mark for this job's file. With `sha256`, it marks a complete file."""
        home = self.getter.home
        return PartMark(job.id, etag, home.base, home.account, sha256)

    def _load_existing(self, job: JobSnapshot) -> None:
        """Read the bytes of an earlier download of this job, so that this one can resume it.

        Bytes of another job, account or service are ignored, and so are damaged bytes. Raises Timeout at the
        deadline.
        """
        part = self.part
        if part.mark is None or part.mark != self._mark(job, part.mark.etag) or not part.size:
            return
        try:
            for block in part.blocks():
                self.deadline.check(OPERATION, request_sent=False)
                self._inspect(block)
        except (Damaged, NotGzip) as damage:
            log.warning("%s: damaged (%s), the download starts again", part.path, damage)
            self._restart(None)
            return
        self.joined = True
        log.info("%s: resuming after the %d bytes of an earlier download", part.path, self.found.size)

    def _check_room(self, size: int) -> None:
        """Raise ResponseError if the file is larger than allowed, ExportError if the disk is too full."""
        if size > self.most:
            raise self._limit_error("its size", size, f"at most {self.most} bytes", "max_download_bytes")
        part = self.part
        free = shutil.disk_usage(part.path.parent).free
        if size - part.size > free:
            raise ExportError(
                f"cannot download to {part.target}: the file has {size} bytes, but only {free} bytes are "
                "free on its disk. Free some space, or choose a directory on another disk."
            )

    def _inspect(self, chunk: bytes) -> None:
        """Unpack, count and hash a chunk. Raises ResponseError if the file exceeds a limit."""
        self.head = self.head or chunk[:_EXCERPT_SIZE]
        found = self.found
        found.feed(chunk)
        if found.size > self.most:
            raise self._limit_error("its size", "more", f"at most {self.most} bytes", "max_download_bytes")
        if found.unpacked > _RATIO_CHECK_FROM and found.unpacked > self.ratio * found.size:
            allowed = f"at most {self.ratio} bytes of content per byte of the file"
            raise self._limit_error("its content", "more", allowed, "max_compression_ratio")

    @staticmethod
    def _limit_error(what: str, value: object, allowed: str, setting: str) -> ResponseError:
        return ResponseError(
            f"the export's file: {what}", value, f"{allowed} (setting '{setting}')", operation=OPERATION
        )

    def _restart(self, mark: PartMark | None) -> None:
        """Discard the bytes received so far. The next chunk is the start of the file."""
        self.part.restart(mark)
        self.found, self.head = Inspection(), b""
        self.joined = self.damaged = False

    def _resume_point(self, job: JobSnapshot) -> Since | None:
        """Return the position to resume from, or None to request the complete file."""
        mark, size = self.part.mark, self.found.size
        if mark is None or mark.etag is None or mark != self._mark(job, mark.etag) or size < _MIN_RESUME_SIZE:
            return None
        return Since(size, mark.etag)

    def _download_and_verify(self, job: JobSnapshot) -> ExportFile:
        """Download the file and verify it. Asks the job for a new address if the current one has expired."""
        for attempt in range(1, MOST_ADDRESSES + 1):
            url = self.getter.address(job)
            try:
                self._download_from(url, job)
                break
            except AddressExpired as expired:
                job = self.again()  # raises JobExpired if the job itself has expired
                if attempt == MOST_ADDRESSES or self.getter.address(job) == url:
                    raise expired.refusal from None
                log.warning("export job %s: its address had expired, using its new one", job.id)
        return self._verify(job)

    def _download_from(self, url: str, job: JobSnapshot) -> None:
        """Download from one address, with retries. If the attempts made progress, start counting again."""
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
                exhausted = is_transient(error) and error.attempts >= self.policy.attempts
                progressed = self._resume_point(job) is not None and self.found.size > furthest
                if not (exhausted and progressed) or self.deadline.expired:
                    raise
                furthest = self.found.size
                log.info("export job %s: %s, resuming at byte %d", job.id, error, furthest)

    def _attempt(self, job: JobSnapshot, url: str) -> None:
        """Download the file, or the rest of it, in one request."""
        try:
            if self._resume_point(job) is not None and self.found.size == job.size:
                self.found.finish()  # the file already has the size that the job reports
                return
            with self._open_response(job, url) as response:
                try:
                    for chunk in response.chunks():
                        self._inspect(chunk)
                        self.part.write(chunk)
                        if job.size is not None and self.found.size > job.size:
                            return
                        if self.on_progress is not None:
                            self.on_progress(DownloadProgress(self.found.size, job.size, self.found.rows))
                    self.found.finish()
                except NotGzip:
                    head = self.head
                    self._restart(None)  # clears self.head
                    raise unexpected(response, head, "a download that is not gzip", damaged=True) from None
        except Damaged as damage:
            self.damaged = True
            raise CorruptDownload(str(self.part.target), f"the file is damaged: {damage}") from None

    def _open_response(self, job: JobSnapshot, url: str) -> http.Response:
        """Return a response with the rest of the file, or with the complete file if it cannot be resumed."""
        since = self._resume_point(job)
        response = self.getter.fetch(url, job, self.deadline, since)
        try:
            if since is not None and response.status != 200:
                if since.begun_by(response.status, response.headers):
                    self.joined = True
                    return response
                response.close()
                response = self.getter.fetch(url, job, self.deadline)
            etag = strong_etag(response.headers)
            self._restart(None if etag is None else self._mark(job, etag))
        except BaseException:
            response.close()
            raise
        return response

    def _verify(self, job: JobSnapshot) -> ExportFile:
        """Compare size and rows with those the job reports. Raises CorruptDownload if they differ."""
        part, found = self.part, self.found
        if job.size is not None and found.size != job.size:
            self.damaged = True
            actual = f"more than {job.size}" if found.size > job.size else f"{found.size}"
            raise CorruptDownload(
                str(part.target),
                "the file's size is not the one the job reports",
                expected=f"{job.size} bytes",
                found=f"{actual} bytes",
            )
        rows = found.rows
        if not found.exact:
            with contextlib.suppress(ResponseError, ExportError):  # not CSV: keep the first count
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


@dataclass(eq=False)
class Downloads:
    """Downloads the files of report jobs. Thread-safe.

    `offset` returns the correction to add to the local time before it is signed.
    """

    jobs: ReportJobs
    config: Settings
    signer: Signer
    _: KW_ONLY
    quota: RetryQuota
    offset: Callable[[], dt.timedelta]

    def wait(
        self, handle: ExportHandle, until: Deadline, on_progress: Callable[[JobSnapshot], None] | None = None
    ) -> JobSnapshot:
        """Wait until a job's file is ready. See `Export.wait`."""
        return self.jobs.wait(handle, until, lambda job: self.is_there(handle, job, until), on_progress)

    def download(
        self,
        handle: ExportHandle,
        target: Path,
        until: Deadline,
        on_progress: Callable[[DownloadProgress], None] | None,
        on_drift: OnDrift | None = None,
        types: ColumnTypes | None = None,
    ) -> ExportFile:
        """Download a job's file to `target`. See `Export.download`."""
        user_types, on_drift = typed_columns(types), self._drift_policy(on_drift)

        def check(file: ExportFile) -> None:
            file = self._with_ordered_columns(handle, file)
            if handle.adopted:  # before the drift check: another order's columns are not drift
                zone, tick = self.config.report_tzinfo(), self._deadline_check(handle, until)
                try:
                    check_request(file, handle.request, zone, tick, handle.vouched)
                except NotThisExport as error:  # the part file will be gone: name the target instead
                    error.path = str(target)
                    error.args = (str(error).replace(str(file.path), str(target), 1),)
                    raise
            self._report_drift(file, target, on_drift)

        # Open the file before waiting, so that a file that cannot be written fails at once.
        with PartFile(target) as part:
            file = self.fetched(handle, part, until, check, on_progress)
        return self._with_types(handle, replace(file, path=target), on_drift, user_types)

    def fetched(
        self,
        handle: ExportHandle,
        part: PartFile,
        until: Deadline,
        check: Callable[[ExportFile], None],
        on_progress: Callable[[DownloadProgress], None] | None = None,
    ) -> ExportFile:
        """Wait for a job and download its file into `part`. `check` is called before the file is renamed."""
        with self._getter() as getter:
            try:
                # Also gets the current download address: a stored one may have expired.
                job = self.wait(handle, until)
                return Downloader(
                    part=part,
                    report_type=handle.report_type,
                    getter=getter,
                    deadline=until,
                    clock=self.jobs.clock,
                    policy=RetryPolicy(attempts=self.config.attempts),
                    quota=self.quota,
                    random=self.jobs.random,
                    again=lambda: self.wait(handle, until),
                    check=check,
                    on_progress=on_progress,
                    most=self.config.max_download_bytes,
                    ratio=self.config.max_compression_ratio,
                ).download(job)
            except (JobFailed, JobExpired) as error:
                # The job is gone, so its bytes are useless. An unknown job may belong to another account.
                if not isinstance(error, JobUnknown) and part.mark and part.mark.job_id == handle.job_id:
                    part.restart()
                raise

    def delivered(
        self,
        handle: ExportHandle,
        target: Path,
        on_drift: OnDrift | None = None,
        types: ColumnTypes | None = None,
    ) -> ExportFile | None:
        """Return the file if an earlier download of this job completed it. See `Export.delivered`."""
        user_types, on_drift = typed_columns(types), self._drift_policy(on_drift)
        delivery = self._find_delivery(handle, target)
        if delivery is None:
            return None
        file, downloaded_at = delivery
        self._report_drift(self._with_ordered_columns(handle, file), target, on_drift)
        log.warning(
            "%s: using the file of job %s that was downloaded on %s. To order a new one, use reorder=True "
            "or --reorder",
            target,
            handle.job_id,
            f"{downloaded_at:%Y-%m-%d %H:%M} UTC",
        )
        return self._with_types(handle, file, on_drift, user_types)

    def is_delivered(self, handle: ExportHandle, target: Path) -> bool:
        """Return True if `delivered` would return a file. Does not check its columns."""
        return self._find_delivery(handle, target) is not None

    def is_there(self, handle: ExportHandle, job: JobSnapshot, until: Deadline) -> bool:
        """Return True if a job's file can be downloaded, for a job that reports no state."""
        with self._getter() as getter:
            return getter.is_there(job, until)

    def compared(self, handle: ExportHandle, done: ExportFile, until: Deadline) -> None:
        """Check that a downloaded file matches its order and has rows of the first and the last day.

        Raises NotThisExport, UnverifiedExport (a subclass) if the rows prove nothing, and DeadlineExceeded.
        """
        file, request = self._with_ordered_columns(handle, done), handle.request
        zone, tick = self.config.report_tzinfo(), self._deadline_check(handle, until)
        check_request(file, request, zone, tick)
        if not reaches_both_ends(file, request, zone, tick):
            raise UnverifiedExport(str(file.path), f"{request['from_date']} to {request['to_date']}")

    def _find_delivery(self, handle: ExportHandle, target: Path) -> tuple[ExportFile, dt.datetime] | None:
        """Return the file that an earlier download of this job put at `target`, and when it was completed.

        Returns None if there is no such file or if it cannot be verified.
        """
        path, home = mark_path(target), self._home()
        mark = PartMark.read(path)
        if mark is None or mark.sha256 is None or not target.is_file():
            return None
        if mark != PartMark(handle.job_id, mark.etag, home.base, home.account):
            return None
        try:
            completed_at = dt.datetime.fromtimestamp(path.stat().st_mtime, dt.UTC)
            # `known=()`: the caller compares the columns.
            file = ExportFile.open(target, report_type=handle.report_type, known=())
        except (ExportError, ResponseError, FileNotFoundError):  # removed or acknowledged by another process
            return None
        return (file, completed_at) if file.sha256 == mark.sha256 else None

    def _with_ordered_columns(self, handle: ExportHandle, file: ExportFile) -> ExportFile:
        """Return a copy of `file` that knows the columns of its order."""
        expected = self._expected(handle, file)
        typed = replace(file, known=expected.columns, ordered=expected.ordered)
        with contextlib.suppress(ConfigError):  # an unknown zone matters only if the file needs it
            typed = replace(typed, naive_zone=self.config.naive_tzinfo())
        return typed

    def _with_types(
        self, handle: ExportHandle, file: ExportFile, on_drift: OnDrift, user_types: tuple[Column, ...]
    ) -> ExportFile:
        """Return the file to hand to the caller: with its columns, the user's types and the drift policy."""
        untyped = self._expected(handle, file).untyped
        report_types(str(file.path), handle.report_type, file.columns, untyped, user_types)
        return replace(self._with_ordered_columns(handle, file), on_drift=on_drift, types=user_types)

    def _home(self) -> Home:
        config, tables = self.config, self.jobs.service.job_tables
        return Home(
            config.rest_base(tables.service, tables.version),
            tables.version,
            self.signer,
            lowercase=config.lowercase_path,
            offset=self.offset,
            in_query=config.rest_signature == "query",
        )

    def _drift_policy(self, on_drift: OnDrift | None) -> OnDrift:
        return drift_policy(on_drift, self.config.on_column_drift)

    def _expected(self, handle: ExportHandle, file: ExportFile) -> Expected:
        return expected_columns(self.jobs.service.tables, handle.report_type, handle.request, file.columns)

    @contextmanager
    def _getter(self) -> Iterator[Getter]:
        """Open the sessions for one download. The stall timeout is the maximum duration of a call."""
        config, files = self.config, self.jobs.service.job_tables.download
        bare, home = replace(config, headers={}), self._home()
        reach = Reach(urlsplit(home.base).hostname or "", config.allow_private)
        with (
            closing(open_session(config, reach)) as session,
            closing(open_session(bare, reach)) as elsewhere,
        ):
            yield Getter(
                session=session,
                elsewhere=elsewhere,
                home=home,
                files=files,
                connect_timeout=config.connect_timeout,
                stall=min(config.timeout or config.deadline, config.deadline),
            )

    def _report_drift(self, file: ExportFile, target: Path, on_drift: OnDrift) -> None:
        drift = file.drift()
        if on_drift != "tolerate":
            report_drift(str(target), drift, self.jobs.drift.columns)
        elif drift is not None:
            self.jobs.drift.columns(drift)
        if drift is not None and on_drift == "error":
            raise ColumnsDiffer(str(target), drift)

    def _deadline_check(self, handle: ExportHandle, until: Deadline) -> Tick:
        """Return a function that raises DeadlineExceeded once the deadline has passed."""

        def check() -> None:
            if until.expired:
                step = "comparing its file with the order"
                raise DeadlineExceeded(str(handle.job_id), step, until.seconds)

        return check
