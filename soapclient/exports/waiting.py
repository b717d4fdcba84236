"""Wait for a job: poll fast at first, then slower, with jitter, never beyond the deadline."""

from __future__ import annotations

import datetime as dt
import logging
from collections.abc import Callable
from typing import Final

from soapclient.calling.retry import IsTransient
from soapclient.clock import Clock, Deadline
from soapclient.errors import ConfigError, DeadlineExceeded, JobExpired, JobFailed, SoapClientError
from soapclient.exports.handle import JobId
from soapclient.exports.job import JobSnapshot
from soapclient.redaction import shown
from soapclient.runtime.settings import Waiter

_JITTER: Final = 0.25  # the share of a pause that chance may take away
_LEAST_PAUSE: Final = 0.05  # whatever the table says: never a tight loop

log = logging.getLogger(__name__)


def seconds_of(deadline: float | dt.timedelta) -> float:
    """Return a deadline in seconds. Raises ConfigError for what is neither a number nor a timedelta."""
    if isinstance(deadline, dt.timedelta):
        return deadline.total_seconds()
    if isinstance(deadline, bool) or not isinstance(deadline, int | float):
        raise ConfigError(
            "deadline",
            f"{shown(deadline)} is neither a number of seconds nor a timedelta",
            "Give one where it is passed, or leave it out for 30 minutes",
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

    A state that no table knows is waited through; a job that tells none is done when `is_there` says that its
    file is. A transient error (see soapclient.calling.retry) ends the wait only
    if not even the first poll worked; later ones are outlasted. Raises JobFailed, JobExpired, and at the
    deadline, after a last look, DeadlineExceeded.
    """
    pause = waiter.delay
    said = ""
    while True:
        asked_for = 0.0
        try:
            job = poll(deadline)
        except SoapClientError as error:
            if deadline.expired:
                raise _too_late(job_id, said or "asking for its state", deadline) from error
            if not said or not is_transient(error):
                raise
            log.warning("export job %s: no answer, asking again later: %s", job_id, error)
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
