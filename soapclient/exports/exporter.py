"""Orders exports and does the work on them: what stands behind `client.data.export`."""

from __future__ import annotations

import datetime as dt
import random as system_random
from collections.abc import Callable
from pathlib import Path
from typing import Final, Unpack

from soapclient.clock import Clock, Deadline, SystemClock
from soapclient.config import Config
from soapclient.errors import ConfigError, ReplyError
from soapclient.exports.address import Home
from soapclient.exports.departures import Departures, Findings
from soapclient.exports.download import Downloader, DownloadProgress
from soapclient.exports.export import Export
from soapclient.exports.handle import ExportHandle, JobId
from soapclient.exports.http import HttpGetter
from soapclient.exports.job import JobSnapshot, JobTables, JobUnknown, read_job
from soapclient.exports.order import OrderOptions, arguments_of, json_values, operation_of, place
from soapclient.exports.part_file import PartFile
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
    0 to 1. Threads may share it.
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

    def resume(self, handle: ExportHandle) -> Export:
        """Go on with an export that was ordered before, here or elsewhere. Sends nothing.

        Raises ConfigError if it was ordered from another service.
        """
        if handle.service != self._tables.service:
            raise ConfigError(
                "export handle",
                f"belongs to the service {handle.service}, not to {self._tables.service}",
                "Give it to the client of that service",
            )
        return Export(handle, self)

    def resume_job(self, job_id: JobId, *, report_type: str) -> Export:
        """Go on with an export of which only the job's id is left. Sends nothing."""
        return Export(ExportHandle(self._tables.service, job_id, report_type, {}, None), self)

    def look(self, handle: ExportHandle) -> JobSnapshot:
        """Ask once how a job stands; see Export.status."""
        return self._look(handle, self._service)

    def wait(
        self,
        handle: ExportHandle,
        deadline: float | dt.timedelta,
        on_progress: Callable[[JobSnapshot], None] | None,
    ) -> JobSnapshot:
        """See Export.wait."""
        return self._wait(handle, Deadline(self._clock, seconds_of(deadline)), on_progress)

    def download(
        self,
        handle: ExportHandle,
        target: Path,
        deadline: float | dt.timedelta,
        on_progress: Callable[[DownloadProgress], None] | None,
    ) -> ExportFile:
        """See Export.download."""
        config, until = self._config, Deadline(self._clock, seconds_of(deadline))
        base = config.rest_base(self._tables.service, self._tables.version)
        with PartFile(target):
            pass  # a file that cannot be written is said now, not after the wait
        job = self._wait(handle, until, None)  # also asks for the address anew: one told earlier may be stale
        with HttpGetter(
            user_agent=config.user_agent,
            connect_timeout=config.connect_timeout,
            stall_timeout=config.timeout,
        ) as getter:
            done = Downloader(
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
            ).download(job, target, until, on_progress)
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
