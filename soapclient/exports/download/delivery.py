"""The files of exports: downloaded, compared with their orders, named; and what earlier downloads brought."""

from __future__ import annotations

import contextlib
import datetime as dt
import logging
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import KW_ONLY, dataclass, replace
from pathlib import Path
from typing import cast

from soapclient.auth.signing import Signer
from soapclient.calling.retry import RetryPolicy, RetryQuota
from soapclient.clock import Deadline
from soapclient.config import Config
from soapclient.errors import ConfigError, DeadlineExceeded, ExportError, JobExpired, JobFailed, ResponseError
from soapclient.exports.download.downloader import Downloader, DownloadProgress
from soapclient.exports.download.fetch import Getter, Home
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
from soapclient.exports.formats.request_match import (
    NotThisExport,
    Tick,
    UnverifiedExport,
    check_request,
    reaches_both_ends,
)
from soapclient.exports.handle import ExportHandle
from soapclient.exports.jobs.job import JobSnapshot, JobUnknown, ReportJobs
from soapclient.exports.part_file import PartFile, PartMark, mark_path
from soapclient.runtime.settings import Column
from soapclient.transport.session import open_session

log = logging.getLogger(__name__)


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
        self,
        handle: ExportHandle,
        until: Deadline,
        on_progress: Callable[[JobSnapshot], None] | None = None,
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
        """A session of its own for one download; the longest silence is what a call may take."""
        config, files = self.config, self.jobs.service.job_tables.download
        with closing(open_session(config)) as session:
            yield Getter(
                session=session,
                home=self._home(),
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
