"""Which of an account's jobs an order made whose answer was lost. A job does not say what was asked."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable
from dataclasses import dataclass

from soapclient.errors import AmbiguousOutcome
from soapclient.exports.entry import Entry
from soapclient.exports.handle import JobId
from soapclient.redaction import clean

_SHOWN = 20  # ids in a message; the attribute has them all


class AmbiguousOrder(AmbiguousOutcome):
    """Nobody can tell which job, if any, an order made whose answer was lost. Nothing was ordered.

    `job_ids` are the jobs it may be, `key` is the request's in the ledger.
    """

    def __init__(
        self, operation: str, key: str, job_ids: tuple[JobId, ...], reason: str, title: str | None = None
    ) -> None:
        super().__init__(operation, reason)
        self.key = key
        self.job_ids = job_ids
        ids = [clean(str(job_id), 100) for job_id in job_ids[:_SHOWN]]
        more = f" and {len(job_ids) - _SHOWN} more" if len(job_ids) > _SHOWN else ""
        request = key if title is None else f"{key} ({title})"
        self.args = (
            f"{operation}: an earlier order of request {request} was not answered, and {self.reason}: "
            f"{', '.join(ids)}{more}. Nothing was ordered. Give the ledger the right one with "
            f"claim({key!r}, job id), or order anew with reorder=True.",
        )


@dataclass(frozen=True, slots=True)
class Listed:
    """What a listed job says that can tell it from others; None is what it does not say."""

    id: JobId
    report_type: str | None
    created: dt.datetime | None

    @classmethod
    def of(cls, item: object) -> Listed | None:
        """Read a job item; None if it has no id, and so is nobody's to take up."""
        job_id, report_type = getattr(item, "id", None), getattr(item, "report_type", None)
        created = getattr(item, "create_date", None)  # assumed, like the type: record.md 6
        if isinstance(job_id, bool) or not isinstance(job_id, str | int) or job_id == "":
            return None
        zoned = isinstance(created, dt.datetime) and created.utcoffset() is not None
        return cls(
            job_id,
            report_type if isinstance(report_type, str) and report_type else None,
            created if zoned else None,
        )


@dataclass(frozen=True, slots=True)
class Search:
    """What to look for: the job of `entry`; by the service's clock it is `now` at the latest.

    `tolerance` is how far dates of the service may be apart, `taken` are ids that belong to other requests,
    `doubtful` ids that another request gave up without knowing whether they were its own, `rivals` the other
    open intents, none of whose jobs can have been made later than `settle` seconds after the last try.
    Nothing here compares this machine's clock with a job's date.
    """

    entry: Entry
    now: dt.datetime
    tolerance: dt.timedelta
    taken: frozenset[str]
    doubtful: frozenset[str] = frozenset()
    rivals: tuple[Entry, ...] = ()
    settle: float = 0.0

    def candidates(self, jobs: Iterable[Listed]) -> tuple[list[Listed], list[Listed]]:
        """Return (jobs that fit, jobs that might); what else there is was surely not made by the order.

        A job in any state fits, a failed one too: it was ordered once, and whether to order again is for
        whoever asked. One without type or date, or with a date to come, only might.
        """
        fit: list[Listed] = []
        might: list[Listed] = []
        for job in {str(job.id): job for job in jobs}.values():  # pages may overlap while jobs are added
            if str(job.id) in self.taken or self.entry.excludes(job.id):
                continue
            if not _may_be(job.report_type, self.entry):
                continue
            if job.created is not None and job.created < _earliest(self.entry, self.tolerance):
                continue
            sure = (
                job.report_type is not None and job.created is not None and str(job.id) not in self.doubtful
            )
            late = job.created is not None and job.created > self.now + self._margin
            (fit if sure and not late else might).append(job)
        return fit, might

    def rival(self, job: Listed) -> Entry | None:
        """Return another open intent that the job may belong to as well."""
        for other in self.rivals:
            dated = job.created is None or (
                _earliest(other, self.tolerance)
                <= job.created
                <= _latest(other, self.tolerance + dt.timedelta(seconds=self.settle))
            )
            if dated and not other.excludes(job.id) and _may_be(job.report_type, other):
                return other
        return None

    @property
    def _margin(self) -> dt.timedelta:
        return self.tolerance + dt.timedelta(seconds=self.entry.clock_error)


def _earliest(entry: Entry, tolerance: dt.timedelta) -> dt.datetime:
    return entry.intended_at - tolerance - dt.timedelta(seconds=entry.clock_error)


def _latest(entry: Entry, tolerance: dt.timedelta) -> dt.datetime:
    return entry.tried_at + tolerance + dt.timedelta(seconds=entry.clock_error)


def _may_be(report_type: str | None, entry: Entry) -> bool:
    # What was ordered as "leads" may be called a "lead" (record.md 6 leaves these types open).
    return report_type is None or _kind(report_type) == _kind(entry.report_type)


def _kind(report_type: str) -> str:
    return report_type.strip().casefold().removesuffix("s")
