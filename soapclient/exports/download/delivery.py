"""The files of exports: downloaded to a part file, verified on the way, compared with their orders, named
once they are complete; and what earlier downloads brought.
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
from typing import Final, cast
from urllib.parse import urlsplit

from soapclient.auth.signing import Signer
from soapclient.calling.retry import RetryPolicy, RetryQuota, call_with_retries, transient_errors
from soapclient.clock import Clock, Deadline
from soapclient.config import Config
from soapclient.errors import (
    ConfigError,
    CorruptDownload,
    DeadlineExceeded,
    ExportError,
    JobExpired,
    JobFailed,
    ResponseError,
    TransportError,
)
from soapclient.exports.download.fetch import (
    OPERATION,
    AddressExpired,
    Getter,
    Home,
    Since,
    strong_etag,
    unexpected,
)
from soapclient.exports.formats.columns import (
    ColumnsDiffer,
    ColumnTypes,
    Expected,
    OnDrift,
    expected_columns,
    report_drift,
    report_types,
    typed_columns,
)
from soapclient.exports.formats.export_file import ExportFile
from soapclient.exports.formats.gzip_csv import Damaged, Inspection, NotGzip, count_rows, header_of
from soapclient.exports.formats.request_match import (
    NotThisExport,
    Tick,
    UnverifiedExport,
    check_request,
    reaches_both_ends,
)
from soapclient.exports.handle import ExportHandle
from soapclient.exports.jobs.job import JobSnapshot, JobUnknown, ReportJobs
from soapclient.part_file import PartFile, PartMark, mark_path
from soapclient.runtime.settings import Column
from soapclient.transport import http
from soapclient.transport.reach import Reach
from soapclient.transport.session import open_session

MOST_ADDRESSES: Final = 4
"""How many addresses of one job are tried, each after the one before had expired."""

_LEAST: Final = 2  # bytes; fewer do not even tell whether it is gzip
_EXCERPT: Final = 2048  # bytes of an improper file that an error may quote from
_SLIGHT: Final = 64 << 20  # bytes of content of which nobody asks how little they were

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

    `most` and `ratio` bound what is downloaded, in bytes, and what each of them may become when it is
    unpacked. `again` asks the job how it stands, for another address. `check` may refuse a whole file before
    it gets its name. `joined` tells whether it was put together from several responses, `damaged` whether it
    is not the file that was sent; `found` is what was seen in it, `head` its first bytes.
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
        """Download, and give the file its name; its mark stays until it is acknowledged.

        A transient failure is tried again, each time freshly signed, going on after the bytes that came
        where the service tells a strong ETag, else from the start; bytes that an earlier download of this
        job left are gone on with. Raises CorruptDownload (damaged, or not as long as the job says),
        UnexpectedResponse (no gzip, or no address that gives it), JobExpired (as the job says),
        AuthenticationError, TransportError, DeadlineExceeded, ResponseError (the job says something
        improper), OSError, and what `check` raises.
        """
        part = self.part
        if job.size is not None:
            self._check_room(job.size)
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

    def _check_room(self, size: int) -> None:
        """Raise ResponseError for a file larger than allowed, ExportError where the disk has no room."""
        if size > self.most:
            raise self._too_much("its size", size, f"at most {self.most} bytes", "max_download_bytes")
        part = self.part
        free = shutil.disk_usage(part.path.parent).free
        if size - part.size > free:
            raise ExportError(
                f"{part.target}: the file has {size} bytes, and {free} are free on its disk. "
                "Make room, or choose a folder on another disk."
            )

    def _see(self, chunk: bytes) -> None:
        self.head = self.head or chunk[:_EXCERPT]
        found = self.found
        found.feed(chunk)
        if found.size > self.most:
            raise self._too_much("its size", "more", f"at most {self.most} bytes", "max_download_bytes")
        if found.unpacked > _SLIGHT and found.unpacked > self.ratio * found.size:
            allowed = f"at most {self.ratio} bytes of content for each of the file"
            raise self._too_much("its content", "more", allowed, "max_compression_ratio")

    @staticmethod
    def _too_much(what: str, found: object, allowed: str, setting: str) -> ResponseError:
        return ResponseError(
            f"the export's file: {what}", found, f"{allowed} (setting '{setting}')", operation=OPERATION
        )

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


@dataclass(eq=False)
class Downloads:
    """Downloads the files of report jobs. Threads may share it.

    `offset` is what has to be added to this machine's time before it is signed.
    """

    jobs: ReportJobs
    config: Config
    signer: Signer
    _: KW_ONLY
    quota: RetryQuota
    offset: Callable[[], dt.timedelta]

    def wait(
        self, handle: ExportHandle, until: Deadline, on_progress: Callable[[JobSnapshot], None] | None = None
    ) -> JobSnapshot:
        """Wait until a job's file is ready; see Export.wait."""
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
        """See Export.download."""
        given, on_drift = typed_columns(types), self._on_drift(on_drift)

        def check(file: ExportFile) -> None:
            file = self._typed(handle, file)
            if handle.adopted:  # first: the columns of another order are no drift of this one's
                zone, tick = self.config.report_tzinfo(), self._tick(handle, until)
                try:
                    check_request(file, handle.request, zone, tick, handle.vouched)
                except NotThisExport as error:  # what it was called until now is gone before anybody reads it
                    error.path = str(target)
                    error.args = (str(error).replace(str(file.path), str(target), 1),)
                    raise
            self._tell_drift(file, target, on_drift)

        # Opened before the wait: a file that cannot be written, or that another writes, is said now.
        with PartFile(target) as part:
            done = self.fetched(handle, part, until, check, on_progress)
        return self._finished(handle, replace(done, path=target), on_drift, given)

    def fetched(
        self,
        handle: ExportHandle,
        part: PartFile,
        until: Deadline,
        check: Callable[[ExportFile], None],
        on_progress: Callable[[DownloadProgress], None] | None = None,
    ) -> ExportFile:
        """Wait for a job and download its file into `part`, which `check` sees before it gets its name."""
        with self._getter() as getter:
            try:
                # Also asks for the address anew: an earlier one may be stale.
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
                # What is left of its file is of no use; a job that is only unknown may be another account's.
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
        """See Export.delivered."""
        given, on_drift = typed_columns(types), self._on_drift(on_drift)
        found = self._delivery(handle, target)
        if found is None:
            return None
        done, when = found
        self._tell_drift(self._typed(handle, done), target, on_drift)
        log.warning(
            "%s: the file of job %s was downloaded on %s and is used as it is. To order a new one, use "
            "reorder=True or --reorder",
            target,
            handle.job_id,
            f"{when:%Y-%m-%d %H:%M} UTC",
        )
        return self._finished(handle, done, on_drift, given)

    def is_delivered(self, handle: ExportHandle, target: Path) -> bool:
        """Tell whether `delivered` finds a file, whatever its columns."""
        return self._delivery(handle, target) is not None

    def is_there(self, handle: ExportHandle, job: JobSnapshot, until: Deadline) -> bool:
        """Ask whether a job's file is there, for one that tells no state."""
        with self._getter() as getter:
            return getter.is_there(job, until)

    def compared(self, handle: ExportHandle, done: ExportFile, until: Deadline) -> None:
        """Compare a file that came with what was ordered, of which it has to have the first and last day.

        Raises NotThisExport, of which UnverifiedExport, and DeadlineExceeded.
        """
        file, request = self._typed(handle, done), handle.request
        zone, tick = self.config.report_tzinfo(), self._tick(handle, until)
        check_request(file, request, zone, tick)
        if not reaches_both_ends(file, request, zone, tick):
            raise UnverifiedExport(str(file.path), f"{request['from_date']} to {request['to_date']}")

    def _delivery(self, handle: ExportHandle, target: Path) -> tuple[ExportFile, dt.datetime] | None:
        """What a job's earlier download brought to `target`, and when; None where nobody can be sure."""
        side, home = mark_path(target), self._home()
        mark = PartMark.read(side)
        if mark is None or mark.sha256 is None or not target.is_file():
            return None
        if mark != PartMark(handle.job_id, mark.etag, home.base, home.account):
            return None
        try:
            when = dt.datetime.fromtimestamp(side.stat().st_mtime, dt.UTC)
            found = ExportFile.open(target, report_type=handle.report_type, known=())  # compared elsewhere
        except (ExportError, ResponseError, FileNotFoundError):  # acknowledged meanwhile
            return None
        return (found, when) if found.sha256 == mark.sha256 else None

    def _typed(self, handle: ExportHandle, file: ExportFile) -> ExportFile:
        """The file with the columns that were ordered."""
        expected = self._expected(handle, file)
        known = replace(file, known=expected.columns, ordered=expected.ordered)
        with contextlib.suppress(ConfigError):  # no such zone here, which matters only if the file needs one
            known = replace(known, naive_zone=self.config.naive_tzinfo())
        return known

    def _finished(
        self, handle: ExportHandle, done: ExportFile, on_drift: OnDrift, given: tuple[Column, ...]
    ) -> ExportFile:
        untyped = self._expected(handle, done).untyped
        report_types(str(done.path), handle.report_type, done.columns, untyped, given)
        return replace(self._typed(handle, done), on_drift=on_drift, types=given)

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

    def _on_drift(self, on_drift: OnDrift | None) -> OnDrift:
        # By default one of the words that the setting allows.
        return cast("OnDrift", self.config.on_column_drift) if on_drift is None else on_drift

    def _expected(self, handle: ExportHandle, file: ExportFile) -> Expected:
        return expected_columns(self.jobs.service.tables, handle.report_type, handle.request, file.columns)

    @contextmanager
    def _getter(self) -> Iterator[Getter]:
        """Sessions of its own for one download; the longest silence is what a call may take."""
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

    def _tell_drift(self, file: ExportFile, target: Path, on_drift: OnDrift) -> None:
        drift = file.drift()
        report_drift(str(target), drift, self.jobs.drift.columns)
        if drift is not None and on_drift == "error":
            raise ColumnsDiffer(str(target), drift)

    def _tick(self, handle: ExportHandle, until: Deadline) -> Tick:
        def tick() -> None:
            if until.expired:
                doing = "comparing its file with the order"
                raise DeadlineExceeded(str(handle.job_id), doing, until.seconds)

        return tick
