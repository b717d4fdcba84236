"""Orders exports and does the work on them: what stands behind `client.data.export`."""

from __future__ import annotations

import datetime as dt
import os
import random as system_random
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Final, Unpack

from soapclient.clock import Clock, Deadline, SystemClock
from soapclient.config import Config
from soapclient.errors import ConfigError, JobExpired, JobFailed, ReplyError
from soapclient.exports.address import Home
from soapclient.exports.departures import Departures, Findings
from soapclient.exports.download import Downloader, DownloadProgress
from soapclient.exports.export import Export
from soapclient.exports.handle import ExportHandle, JobId
from soapclient.exports.http import HttpGetter
from soapclient.exports.job import JobSnapshot, JobTables, JobUnknown, read_job
from soapclient.exports.ledger import Ledger, account_of
from soapclient.exports.once import SETTLE, TOLERANCE, Once
from soapclient.exports.order import OrderOptions, arguments_of, json_values, operation_of, place
from soapclient.exports.part_file import PartFile
from soapclient.exports.reordering import order_arguments
from soapclient.exports.rows import ExportFile
from soapclient.exports.waiting import seconds_of, wait_until_done
from soapclient.retry import RetryPolicy, RetryQuota, transient_errors
from soapclient.signing import Signer
from zxws._runtime.tables import Tables

_LEAST_LOOK: Final = 5.0  # seconds that a look at a job is given even at the deadline, or it would be none


class Exporter:
    """Orders exports from one service.

    `service` has the generated methods, `tables` say which of them order and tell a job. `service_within`
    gives the service with a time limit for its next calls; without it each poll has the service's own.
    `offset` is what has to be added to this machine's time before it is signed, `random` gives a number from
    0 to 1. `jobs` lists all jobs of the account, `their_time` is the service's clock by its last answer: what
    `order_once` needs. Threads may share it.
    """

    def __init__(
        self,
        service: object,
        tables: Tables,
        config: Config,
        signer: Signer,
        *,
        clock: Clock | None = None,
        random: Callable[[], float] = system_random.random,
        quota: RetryQuota | None = None,
        findings: Findings | None = None,
        offset: Callable[[], dt.timedelta] = dt.timedelta,
        service_within: Callable[[Deadline], object] | None = None,
        jobs: Callable[[], Iterable[object]] | None = None,
        their_time: Callable[[], dt.datetime | None] = lambda: None,
    ) -> None:
        self._service = service
        self._all_tables = tables
        self._tables = JobTables.of(tables)
        self._config = config
        self._signer = signer
        self._clock = SystemClock() if clock is None else clock
        self._random = random
        self._quota = RetryQuota() if quota is None else quota
        self._departures = Departures(self._tables.job, findings)
        self._offset = offset
        self._service_within = service_within
        self._jobs = jobs
        self._their_time = their_time

    def order(
        self, *, report_type: str, from_date: dt.date, to_date: dt.date, **options: Unpack[OrderOptions]
    ) -> Export:
        """Order a report for the days from `from_date` to `to_date`, both included (record.md 6).

        Raises ContractError, with nothing sent, for a report type or an argument that the service does not
        take or no longer takes, and what the ordering call raises. An order is never repeated by itself.
        """
        arguments = arguments_of(report_type, from_date, to_date, options)
        names = self._tables.job
        job = read_job(place(self._service, self._tables, arguments), self._tables, names.order)
        if job is None:
            raise ReplyError(names.item, None, "the job that was ordered", operation=names.order)
        return Export(
            ExportHandle(
                service=self._tables.service,
                job_id=job.id,
                report_type=report_type,
                request=json_values(arguments),
                ordered_at=self._clock.now(),
            ),
            self,
        )

    def ledger(self, folder: str | os.PathLike[str], *, patience: float = 0.0) -> Ledger:
        """The ledger of this client's account in a folder, named by a hash of the connect ID.

        `patience` is how many seconds another orderer is waited for. Sends nothing.
        """
        account = account_of(self._config.credentials().connect_id)
        service = self._tables.service
        return Ledger(folder, account=account, service=service, patience=patience, clock=self._clock)

    def order_once(
        self,
        ledger: Ledger,
        *,
        report_type: str,
        from_date: dt.date,
        to_date: dt.date,
        reorder: bool = False,
        tolerance: dt.timedelta = TOLERANCE,
        settle: float = SETTLE,
        **options: Unpack[OrderOptions],
    ) -> ExportHandle:
        """Order as `order` does, unless the ledger has this request: then give its handle and send nothing.

        Where an earlier order was not answered (a crash, a lost answer), its job is looked for among those of
        the account: same type, made since (by the service's clock, give or take `tolerance`), no other
        request's. One is adopted, in whatever state: a failed one raises JobFailed when it is waited for.
        With none, it is ordered anew, but not before `settle` seconds have passed since the earlier order
        was sent: safe if by then the service has carried it out, or never will. Several raise AmbiguousOrder,
        which names them, unless `reorder`. An adopted job may still be that of an order by hand, and nothing
        checks it by itself: give each file to `Ledger.verify`. All orders of an account have to go through
        one ledger. Raises what `order`, GetJobs and Ledger raise.
        """
        request = json_values(arguments_of(report_type, from_date, to_date, options))
        ledger.check(self._tables.service, self._config.credentials().connect_id)
        return self._once().order(
            ledger,
            request,
            lambda: (
                self.order(report_type=report_type, from_date=from_date, to_date=to_date, **options).handle
            ),
            reorder=reorder,
            tolerance=tolerance,
            settle=settle,
        )

    def reorder_once(self, ledger: Ledger, handle: ExportHandle) -> ExportHandle:
        """Order once more, through the ledger that keeps it, what a job was ordered with that has expired.

        Under the ledger's lock: where the request has another job by now, that one's handle is given and
        nothing is sent; where an order of it was not answered, its job is looked for as by `order_once`. The
        old job stays known as taken. Raises what `order_once` raises, and ConfigError for a handle that the
        ledger does not know.
        """
        report_type, first, last, options = order_arguments(handle)
        ledger.check(self._tables.service, self._config.credentials().connect_id)
        if handle.service != ledger.service or ledger.find(handle.request) is None:
            raise ConfigError(
                "ledger", f"it does not know the request of job {handle.job_id}", "Give the one that keeps it"
            )
        return self._once().order(
            ledger,
            handle.request,
            lambda: self.order(report_type=report_type, from_date=first, to_date=last, **options).handle,
            reorder=False,
            tolerance=TOLERANCE,
            settle=SETTLE,
            instead_of=handle.job_id,
        )

    def _once(self) -> Once:
        if self._jobs is None:
            raise ConfigError(
                "exports", "no list of jobs was given", "Use client.data.exports, or give `jobs`"
            )
        return Once(
            operation=self._tables.job.order,
            jobs=self._jobs,
            their_time=self._their_time,
            clock=self._clock,
            offset=self._offset,
            validity=dt.timedelta(minutes=self._config.signature_validity_minutes),
        )

    def resume(self, handle: ExportHandle, ledger: Ledger | None = None) -> Export:
        """Go on with an export that was ordered before, here or elsewhere. Sends nothing.

        One that has expired is ordered again by `reorder_once` where `ledger` is given; without it by itself,
        unless a ledger keeps it, which raises JobExpired. Raises ConfigError if it was ordered from another
        service.
        """
        if handle.service != self._tables.service:
            raise ConfigError(
                "export handle",
                f"belongs to the service {handle.service}, not to {self._tables.service}",
                "Give it to the client of that service",
            )
        return Export(handle, self, ledger)

    def resume_job(self, job_id: JobId, *, report_type: str) -> Export:
        """Go on with an export of which only the job's id is left. Sends nothing."""
        return Export(ExportHandle(self._tables.service, job_id, report_type, {}, None), self)

    def look(self, handle: ExportHandle) -> JobSnapshot:
        """Ask once how a job stands; see Export.status."""
        return self._look(handle, self._service)

    def reorder(self, handle: ExportHandle) -> ExportHandle:
        """Order once more what a handle was ordered with that no ledger keeps.

        Raises what `order` raises, and ConfigError for one of a ledger: that is for `reorder_once`.
        """
        if handle.in_ledger:
            raise ConfigError("export handle", "is kept by a ledger", "Give both to reorder_once()")
        report_type, first, last, options = order_arguments(handle)
        return self.order(report_type=report_type, from_date=first, to_date=last, **options).handle

    def until(self, deadline: float | dt.timedelta) -> Deadline:
        """Start counting. Raises ConfigError for a deadline that is none."""
        return Deadline(self._clock, seconds_of(deadline))

    def wait(
        self, handle: ExportHandle, until: Deadline, on_progress: Callable[[JobSnapshot], None] | None
    ) -> JobSnapshot:
        """See Export.wait."""
        return self._wait(handle, until, on_progress)

    def download(
        self,
        handle: ExportHandle,
        target: Path,
        until: Deadline,
        on_progress: Callable[[DownloadProgress], None] | None,
    ) -> ExportFile:
        """See Export.download."""
        config = self._config
        base = config.rest_base(self._tables.service, self._tables.version)
        # Opened before the wait: a file that cannot be written, or that another writes, is said now.
        with (
            PartFile(target) as part,
            HttpGetter(
                user_agent=config.user_agent,
                connect_timeout=config.connect_timeout,
                stall_timeout=config.timeout,
            ) as getter,
        ):
            downloader = Downloader(
                getter=getter,
                home=Home(
                    base,
                    self._tables.version,
                    self._signer,
                    lowercase=config.lowercase_path,
                    offset=self._offset,
                ),
                clock=self._clock,
                compression=self._tables.download.compression,
                fallback_path=self._tables.download.fallback_path,
                policy=RetryPolicy(attempts=config.attempts),
                quota=self._quota,
                random=self._random,
                again=lambda: self._wait(handle, until, None),
            )
            try:
                # Also asks for the address anew: one told earlier may be stale.
                job = self._wait(handle, until, None)
                done = downloader.download(job, part, until, on_progress)
            except (JobFailed, JobExpired) as error:
                # What is left of its file is of no use; a job that is only unknown may be another account's.
                if not isinstance(error, JobUnknown) and part.mark and part.mark.job_id == handle.job_id:
                    part.restart()
                raise
        file = ExportFile(
            path=target,
            report_type=handle.report_type,
            columns=done.columns,
            row_count=done.rows,
            size=done.size,
            sha256=done.sha256,
            known=self._all_tables.columns.get(handle.report_type, ()),
            naive_zone=self._naive_zone(),
        )
        if not {"group_by", "columns"} & handle.request.keys():  # these have columns of their own
            file.report_drift(self._departures.columns)
        return file

    def _wait(
        self, handle: ExportHandle, until: Deadline, on_progress: Callable[[JobSnapshot], None] | None
    ) -> JobSnapshot:
        fault = self._all_tables.fault
        return wait_until_done(
            lambda deadline: self._look(handle, self._limited(deadline)),
            handle.job_id,
            self._tables.waiter,
            deadline=until,
            clock=self._clock,
            random=self._random,
            is_transient=transient_errors(frozenset() if fault is None else fault.transient),
            on_progress=on_progress,
        )

    def _naive_zone(self) -> dt.tzinfo | None:
        try:
            return self._config.naive_tzinfo()
        except ConfigError:  # no such zone on this machine, which matters only if the file needs one
            return None

    def _limited(self, deadline: Deadline) -> object:
        if self._service_within is None:
            return self._service
        return self._service_within(Deadline(self._clock, max(deadline.remaining(), _LEAST_LOOK)))

    def _look(self, handle: ExportHandle, service: object) -> JobSnapshot:
        names = self._tables.job
        reply = operation_of(service, names.poll)(**{names.poll_id: handle.job_id})
        job = read_job(reply, self._tables, names.poll)
        if job is None:
            raise JobUnknown(handle.job_id)
        if job.id != handle.job_id:
            raise ReplyError(f"{names.item}/{names.id}", job.id, str(handle.job_id), operation=names.poll)
        if job.phase == "unknown":
            self._departures.unknown_state(job)
        return job
