"""Wait for a report job: poll fast at first, then slower, with jitter, never beyond the deadline."""

from __future__ import annotations

import datetime as dt
import logging
from collections.abc import Callable
from typing import Final

from soapclient.calling.retry import IsTransient, transient_errors
from soapclient.clock import Clock, Deadline
from soapclient.errors import (
    ConfigError,
    DeadlineExceeded,
    JobExpired,
    JobFailed,
    ResponseError,
    SoapClientError,
)
from soapclient.exports.handle import ExportHandle, JobId
from soapclient.exports.jobs.job import (
    DriftFindings,
    JobService,
    JobSnapshot,
    JobUnknown,
    operation_of,
    read_job,
)
from soapclient.redaction import shown
from soapclient.runtime.settings import Waiter

_LEAST_POLL: Final = 5.0  # seconds that a poll is given even at the deadline, or it could not succeed
_JITTER: Final = 0.25  # the share of a pause that chance may take away
_LEAST_PAUSE: Final = 0.05  # whatever the table says: never a tight loop

log = logging.getLogger(__name__)


class ReportJobs:
    """The report jobs of a service: asked for once, or waited for. Threads may share it.

    `random` gives a number from 0 to 1; `drift` counts states that no table knows.
    """

    def __init__(
        self, service: JobService, *, clock: Clock, random: Callable[[], float], drift: DriftFindings
    ) -> None:
        self.service = service
        self.clock = clock
        self.random = random
        self.drift = drift

    def until(self, deadline: float | dt.timedelta) -> Deadline:
        """Start counting. Raises ConfigError for what is neither a number nor a timedelta."""
        return Deadline(self.clock, seconds_of(deadline))

    def look(self, handle: ExportHandle, until: Deadline | None = None) -> JobSnapshot:
        """Ask once how a job stands; see Export.status."""
        service = self.service
        tables = service.job_tables
        names = tables.job
        poll = operation_of(service.methods if until is None else self._within(until), names.poll)
        job = read_job(poll(**{names.poll_id: handle.job_id}), tables, names.poll)
        if job is None:
            raise JobUnknown(handle.job_id)
        if job.id != handle.job_id:
            raise ResponseError(f"{names.item}/{names.id}", job.id, str(handle.job_id), operation=names.poll)
        if job.phase == "unknown":
            self.drift.unknown_state(job)
        return job

    def wait(
        self,
        handle: ExportHandle,
        until: Deadline,
        is_there: Callable[[JobSnapshot], bool],
        on_progress: Callable[[JobSnapshot], None] | None = None,
    ) -> JobSnapshot:
        """Wait for a job; `is_there` asks for the file of one without a state. See `wait_until_done`."""
        fault = self.service.tables.fault
        return wait_until_done(
            lambda deadline: self.look(handle, deadline),
            handle.job_id,
            self.service.job_tables.waiter,
            deadline=until,
            clock=self.clock,
            random=self.random,
            is_transient=transient_errors(frozenset() if fault is None else fault.transient),
            is_there=is_there,
            on_progress=on_progress,
        )

    def _within(self, deadline: Deadline) -> object:
        if self.service.within is None:
            return self.service.methods
        return self.service.within(Deadline(self.clock, max(deadline.remaining(), _LEAST_POLL)))


def seconds_of(deadline: float | dt.timedelta) -> float:
    """Return a deadline in seconds. Raises ConfigError for what is neither a number nor a timedelta."""
    if isinstance(deadline, dt.timedelta):
        return deadline.total_seconds()
    if isinstance(deadline, bool) or not isinstance(deadline, int | float):
        raise ConfigError(
            "deadline",
            f"must be a number of seconds or a timedelta, got {shown(deadline)}",
            "Correct it, or leave it out for 30 minutes",
        )
    return deadline


def wait_until_done(
    poll: Callable[[Deadline], JobSnapshot],
    job_id: JobId,
    waiter: Waiter,
    *,
    deadline: Deadline,
    clock: Clock,
    random: Callable[[], float],
    is_transient: IsTransient,
    is_there: Callable[[JobSnapshot], bool] = lambda _: False,
    on_progress: Callable[[JobSnapshot], None] | None = None,
) -> JobSnapshot:
    """Poll at once and again until the job is done; return it.

    An unknown state counts as waiting; a job without a state is done when `is_there` says that its file is.
    A transient error ends the wait only if the first poll fails; later ones are polled through. Raises
    JobFailed, JobExpired, and at the deadline, after a last poll, DeadlineExceeded.
    """
    pause = waiter.delay
    said = ""
    while True:
        asked_for = 0.0
        try:
            job = poll(deadline)
        except SoapClientError as error:
            if deadline.expired:
                raise _too_late(job_id, said or "polling it", deadline) from error
            if not said or not is_transient(error):
                raise
            log.warning("export job %s: no response, polling again later: %s", job_id, error)
            asked_for = float(getattr(error, "retry_after", None) or 0.0)
        else:
            if on_progress is not None:
                on_progress(job)
            if _finished(job) or (job.status is None and is_there(job)):
                return job
            state = "no state given" if job.status is None else f"last state {job.status!r}"
            said = f"waiting for it ({state})"
        left = deadline.remaining()
        if left <= 0:
            raise _too_late(job_id, said, deadline)
        drawn = pause * (1 - _JITTER * random())
        clock.sleep(min(max(drawn, asked_for, _LEAST_PAUSE), left))
        pause = min(pause * waiter.factor, waiter.most)


def _finished(job: JobSnapshot) -> bool:
    if job.phase == "failed":
        raise JobFailed(str(job.id), job.status or "", job.message)
    if job.phase == "expired":
        raise JobExpired(str(job.id))
    return job.phase == "done"


def _too_late(job_id: JobId, doing: str, deadline: Deadline) -> DeadlineExceeded:
    return DeadlineExceeded(str(job_id), doing, deadline.seconds)
