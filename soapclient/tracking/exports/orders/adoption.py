"""Which of an account's jobs belongs to a pending order. A job does not say what was ordered.

Type and date narrow it down; where that is not enough, files are downloaded, compared with the requests they
may belong to, and thrown away.
"""

from __future__ import annotations

import contextlib
import datetime as dt
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from secrets import token_hex
from typing import Final, Literal

from soapclient._support.durable import make_folder
from soapclient._support.part_file import PartFile, sweep
from soapclient._support.redaction import clean
from soapclient.clock import Deadline
from soapclient.errors import (
    AmbiguousOrder,
    AuthenticationError,
    DeadlineExceeded,
    ExportError,
    JobExpired,
    JobFailed,
    JobUnknown,
    NotThisExport,
    ResponseError,
    ServiceFault,
    TransportError,
    UnverifiedExport,
)
from soapclient.runtime.settings import Job
from soapclient.tracking.exports.download.download import Download
from soapclient.tracking.exports.formats.export_file import ExportFile
from soapclient.tracking.exports.handle import ExportHandle, JobId
from soapclient.tracking.exports.jobs.job import ReportJobs
from soapclient.tracking.exports.orders.record import OrderRecord

_SAID: Final = {
    True: "its file fits",
    False: "its file is another order's",
    None: "its file does not show it",
}
_SHOWN: Final = 20  # ids in a message; the attribute has them all


def ambiguous_job(entry: OrderRecord, job_id: JobId) -> AmbiguousOrder:
    """Return the error for the only possible job of a pending order, whose file does not show it either."""
    return AmbiguousOrder(
        "export",
        entry.key,
        (job_id,),
        "it is not known whether the only job that fits belongs to it",
        entry.title,
        {str(job_id): _SAID[None]},
    )


@dataclass(frozen=True, slots=True)
class Evidence:
    """What was found when somebody looked at a job's file, to be compared with requests.

    `fits` says by the key of a request whether the file can belong to it: None where it does not show that.
    `state` is why there was no file to look at: it is not there yet, never will be, or cannot be read.
    """

    fits: Mapping[str, bool | None] = field(default_factory=dict)
    state: Literal["waiting", "no file", "unreadable"] | None = None
    said: str = ""

    def covers(self, keys: Iterable[str]) -> bool:
        """Whether nothing more is to be learned about these requests now."""
        return self.state in ("no file", "unreadable") or (
            self.state is None and self.fits.keys() >= set(keys)
        )

    def describe(self, key: str) -> str:
        """What it says of one request, for people."""
        return _SAID[self.fits.get(key)] if self.state is None else self.said


NO_EVIDENCE: Final = Evidence()


@dataclass(frozen=True, slots=True)
class ListedJob:
    """What a listed job says that distinguishes it from others; None is what it does not say."""

    id: JobId
    report_type: str | None
    created: dt.datetime | None

    @classmethod
    def of(cls, item: object, names: Job) -> ListedJob | None:
        """Read a job item; None if it has no id, and so is nobody's to take up."""
        job_id, report_type = (
            None if name is None else getattr(item, name, None)
            for name in (names.listed_id or names.id, names.type)
        )
        if isinstance(job_id, bool) or not isinstance(job_id, str | int) or job_id == "":
            return None
        # Assumed, like the type: docs/explanation/service.md#export-jobs
        created = None if names.created is None else getattr(item, names.created, None)
        zoned = isinstance(created, dt.datetime) and created.utcoffset() is not None
        typed = isinstance(report_type, str) and report_type
        return cls(job_id, report_type if typed else None, created if zoned else None)


@dataclass(frozen=True, slots=True)
class Search:
    """What to look for: the job of `entry`; by the service's clock it is `now` at the latest.

    `tolerance` is how far dates of the service may be apart, `taken` are ids that belong to other requests,
    `doubtful` ids that another request gave up without knowing whether they were its own, `rivals` the other
    open intents, none of whose jobs can have been made later than `settle` seconds after the last try.
    `seen` is what was found in the files of jobs, by id. Nothing here compares this machine's clock with a
    job's date.
    """

    entry: OrderRecord
    now: dt.datetime
    tolerance: dt.timedelta
    taken: frozenset[str]
    doubtful: frozenset[str] = frozenset()
    rivals: tuple[OrderRecord, ...] = ()
    settle: float = 0.0
    seen: Mapping[str, Evidence] = field(default_factory=dict)

    def candidates(self, jobs: Iterable[ListedJob]) -> tuple[list[ListedJob], list[ListedJob]]:
        """Return (jobs that fit, jobs that might); what else there is was surely not made by the order.

        A job in any state fits, a failed one too: it was ordered once, and whether to order again is for
        whoever asked. One without type or date, or with a date to come, only might.
        """
        fit: list[ListedJob] = []
        might: list[ListedJob] = []
        earliest, latest = self._earliest(self.entry), self.now + self._margin(self.entry)
        for job in {str(job.id): job for job in jobs}.values():  # pages may overlap while jobs are added
            if str(job.id) in self.taken or not _may_be_of(self.entry, job):
                continue
            if job.created is not None and job.created < earliest:
                continue
            known = job.report_type is not None and str(job.id) not in self.doubtful
            sure = known and job.created is not None and job.created <= latest
            (fit if sure else might).append(job)
        return fit, might

    def rivals_for(self, job: ListedJob) -> tuple[OrderRecord, ...]:
        """Return the other open intents that the job may belong to as well."""
        late = dt.timedelta(seconds=self.settle)
        return tuple(
            other
            for other in self.rivals
            if _may_be_of(other, job)
            and (
                job.created is None
                or self._earliest(other) <= job.created <= other.tried_at + self._margin(other) + late
            )
        )

    def entitled(self, job: ListedJob) -> tuple[OrderRecord, ...]:
        """Return those of them that the job's file, if it was looked at, leaves in question.

        A file that fits the request is not withheld for an order of the same for more days, of whose ends it
        has not both: if it was made by that one, this one's would have the same rows.
        """
        fits = self.evidence(job).fits
        fits_own = fits.get(self.entry.key) is True
        return tuple(
            rival
            for rival in self.rivals_for(job)
            if fits.get(rival.key) is not False
            and not (fits_own and rival.key in fits and fits[rival.key] is None and self.entry.within(rival))
        )

    def goes_first(self, rival: OrderRecord, job: ListedJob) -> bool:
        """Whether the job's file is withheld for a rival that can take it as it is."""
        fits = self.evidence(job).fits
        undecided = self.entry.key in fits and fits[self.entry.key] is None
        return undecided and fits.get(rival.key) is True and rival.within(self.entry)

    def unseen(self, jobs: Iterable[ListedJob]) -> list[ListedJob]:
        """Return the jobs whose files have not been compared with all requests that they may belong to."""
        return [
            job
            for job in jobs
            if not self.evidence(job).covers((self.entry.key, *(each.key for each in self.rivals_for(job))))
        ]

    def own(self, jobs: Iterable[ListedJob]) -> list[ListedJob]:
        """Return the jobs whose files fit the request, and that of no other open intent.

        A job is never taken from an intent that may be entitled to it: an order for a week takes the file of
        one of its days for its own as long as only the week's rows are looked at.
        """
        return [
            job
            for job in jobs
            if self.evidence(job).fits.get(self.entry.key) is True and not self.entitled(job)
        ]

    def evidence(self, job: ListedJob) -> Evidence:
        """Return what was found in a job's file; nothing if nobody has looked."""
        return self.seen.get(str(job.id), NO_EVIDENCE)

    def _earliest(self, entry: OrderRecord) -> dt.datetime:
        return entry.intended_at - self._margin(entry)

    def _margin(self, entry: OrderRecord) -> dt.timedelta:
        return self.tolerance + dt.timedelta(seconds=entry.clock_error)


def _may_be_of(entry: OrderRecord, job: ListedJob) -> bool:
    # What was ordered as "leads" may be called a "lead" (docs/explanation/service.md#export-jobs).
    alike = job.report_type is None or _kind(job.report_type) == _kind(entry.report_type)
    return alike and not entry.excludes(job.id)


def _kind(report_type: str) -> str:
    return report_type.strip().casefold().removesuffix("s")


FOLDER: Final = "looked-at"
"""The folder, within that of a ledger, of files that are looked at. What killed processes left is removed."""


def evidence_of(
    jobs: ReportJobs,
    folder: Path,
    job: ListedJob,
    requests: Mapping[str, Mapping[str, JobId]],
    until: Deadline,
) -> Evidence:
    """Look at the file of a job, in the ledger's `folder`; compare it with `requests` by key.

    A job that is not done is not waited for. Raises DeadlineExceeded at `until`, AuthenticationError where
    the service refuses to tell how the job stands, ConfigError, and OSError where the folder cannot be
    written.
    """
    service = jobs.job_tables.service
    downloads = {}
    for key, request in requests.items():
        handle = ExportHandle(service, job.id, str(request.get("report_type")), request, job.created)
        downloads[key] = Download(jobs, handle, until)
    first = next(iter(downloads.values()))
    fits: dict[str, bool | None] = {}
    seen = ExportError("the file was looked at, and is not to be kept")

    def compare(file: ExportFile) -> None:
        for key, download in downloads.items():
            try:
                download.compare(file)
                fits[key] = True
            except UnverifiedExport:
                fits[key] = None
            except NotThisExport:
                fits[key] = False
            except DeadlineExceeded:
                raise
            except (ExportError, ResponseError):  # cells that cannot be read tell nothing either way
                fits[key] = None
        raise seen

    answered = False  # by the same credentials: whoever refuses them for the file alone means the file
    try:
        snapshot = jobs.look(first.handle, until)
        answered = True
        if snapshot.phase in ("failed", "expired"):
            return Evidence(state="no file", said=f"it has {snapshot.phase}, and so has no file")
        ready = snapshot.phase == "done" or (snapshot.status is None and first.is_there(snapshot))
        if not ready:
            return Evidence(state="waiting", said="it is not done yet")
        with _part(folder) as part:
            first.into(part, compare)
    except JobUnknown:
        return Evidence(state="unreadable", said="the service does not know it")
    except (JobExpired, JobFailed):
        return Evidence(state="no file", said="it has no file any more")
    except (ExportError, ResponseError, TransportError, ServiceFault, AuthenticationError) as error:
        if isinstance(error, DeadlineExceeded) or (isinstance(error, AuthenticationError) and not answered):
            raise
        if error is not seen:
            return Evidence(state="unreadable", said=f"its file cannot be read: {clean(str(error), 300)}")
    return Evidence(fits)


@contextmanager
def _part(folder: Path) -> Iterator[PartFile]:
    """A file that never gets its name: there may be another process that looks at the same job's."""
    try:
        with _opened(folder / FOLDER) as part:
            try:
                yield part
            finally:
                part.restart()  # nobody goes on with it: the name is drawn
    finally:
        tidy_up(folder)


def _opened(place: Path) -> PartFile:
    while True:
        make_folder(place, private=True)
        # Another process has removed the folder, or tidies up and had the file before it was locked.
        with contextlib.suppress(FileNotFoundError, ExportError):
            return PartFile(place / f"{token_hex(8)}.csv.gz")


def tidy_up(folder: Path) -> None:
    """Remove what processes that were killed left in a ledger's `folder` while they looked at downloads."""
    place = folder / FOLDER
    sweep(place)
    with contextlib.suppress(OSError):  # there is none, or others are looking
        place.rmdir()
