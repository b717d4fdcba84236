"""Find the job of a pending order in an account's job list. A job does not show the request that created it.

An order is pending if its response was lost. Type and date narrow the search. If that is not enough, files
are downloaded, compared with the requests that they may belong to, and discarded.
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
from soapclient.tracking.exports.jobs.job import ReportJobs, value_at
from soapclient.tracking.exports.orders.record import OrderRecord

_RESULTS: Final = {
    True: "its file matches",
    False: "its file belongs to another order",
    None: "its file does not show which order it belongs to",
}


def ambiguous_job(entry: OrderRecord, job_id: JobId) -> AmbiguousOrder:
    """Return the error for the pending order `entry`: its only matching job may belong to another order."""
    return AmbiguousOrder(
        "export",
        entry.key,
        (job_id,),
        "the only matching job may belong to another order",
        entry.title,
        {str(job_id): _RESULTS[None]},
    )


@dataclass(frozen=True, slots=True)
class Evidence:
    """The result of comparing a job's file with requests.

    - `fits`: the result for each request, by the request's key. True: the file matches the request. False: it
      does not match. None: this is unclear.
    - `state`: why there is no file to compare: the job is not done yet ("waiting"), there is "no file", or
      the file is "unreadable". None if there is a file.
    - `said`: the text of `state` for messages.
    """

    fits: Mapping[str, bool | None] = field(default_factory=dict)
    state: Literal["waiting", "no file", "unreadable"] | None = None
    said: str = ""

    def covers(self, keys: Iterable[str]) -> bool:
        """Return True if the file need not be compared with the requests that have these keys.

        This is the case if the file was already compared with all these requests, or if the file does not
        exist or cannot be read.
        """
        return self.state in ("no file", "unreadable") or (
            self.state is None and self.fits.keys() >= set(keys)
        )

    def describe(self, key: str) -> str:
        """Return a text that says if the file matches the request with this key, for messages.

        If there is no file to compare, the text says why.
        """
        return _RESULTS[self.fits.get(key)] if self.state is None else self.said


NO_EVIDENCE: Final = Evidence()


@dataclass(frozen=True, slots=True)
class ListedJob:
    """A job in the account's job list. Its type or its date is None if the list does not contain it."""

    id: JobId
    report_type: str | None
    created: dt.datetime | None

    @classmethod
    def of(cls, item: object, names: Job) -> ListedJob | None:
        """Read `item`, an item of the job list. `names` has the contract's names for the fields of an item.

        Return None if the item has no id, because a job without an id cannot be adopted.
        """
        job_id, report_type = (
            None if name is None else value_at(item, name)
            for name in (names.listed_id or names.id, names.type)
        )
        if isinstance(job_id, bool) or not isinstance(job_id, str | int) or job_id == "":
            return None
        # Assumed, like the type: docs/explanation/service.md#export-jobs
        created = None if names.created is None else value_at(item, names.created)
        zoned = created if isinstance(created, dt.datetime) and created.utcoffset() is not None else None
        typed = report_type if isinstance(report_type, str) and report_type else None
        return cls(job_id, typed, zoned)


@dataclass(frozen=True, slots=True)
class Search:
    """The search for the job of a pending order, `entry`, among listed jobs.

    - `now`: the latest possible time by the service's clock.
    - `tolerance`: how far the date of a job may differ from the service's clock.
    - `taken`: ids of jobs that belong to other requests.
    - `doubtful`: ids of jobs that may belong to another request. It was unclear if an earlier order of that
      request created them, so that request was ordered again.
    - `rivals`: the other orders without a response: the pending orders, and orders of requests that were then
      sent again. A job that matches this order may have been created by a rival.
    - `settle`: a rival's job may still be created this many seconds after the rival was last sent.
    - `seen`: the results of comparing files, by the id of the job.
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
        """Return (jobs that match, jobs that may match). A job in neither list cannot come from the order.

        The second list has the jobs without a type or date, the jobs with a date in the future, and the jobs
        in `doubtful`. The state of a job does not matter. A failed job matches, too, because the caller
        decides if the request is ordered again.
        """
        fit: list[ListedJob] = []
        might: list[ListedJob] = []
        earliest, latest = self._earliest(self.entry), self.now + self._margin(self.entry)
        for job in {str(job.id): job for job in jobs}.values():  # pages may overlap while jobs are added
            if str(job.id) in self.taken or not _may_be_of(self.entry, job):
                continue
            if job.created is not None and job.created < earliest:
                continue
            certain = job.report_type is not None and str(job.id) not in self.doubtful
            sure = certain and job.created is not None and job.created <= latest
            (fit if sure else might).append(job)
        return fit, might

    def rivals_for(self, job: ListedJob) -> tuple[OrderRecord, ...]:
        """Return the rivals that may have created the job, by its date and type."""
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
        """Return the rivals that may have created the job, by its date, type and file.

        These are the orders that `rivals_for` returns, except for two kinds of orders:

        - Orders that the job's file does not match.
        - Some longer orders: orders of the same report for more days, which include all days of this request.
          They are left out if the file matches this request, and may match the longer order. The file then
          has the rows of this request, even if the longer order created it.
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
        """Return True if `rival`, another order, takes precedence over this request for the job.

        This is the case if the job's file matches the rival, if it is unclear whether the file matches this
        request, and if all of the rival's days are days of this request.
        """
        fits = self.evidence(job).fits
        undecided = self.entry.key in fits and fits[self.entry.key] is None
        return undecided and fits.get(rival.key) is True and rival.within(self.entry)

    def unseen(self, jobs: Iterable[ListedJob]) -> list[ListedJob]:
        """Return the jobs whose files must still be compared with requests.

        Each file must be compared with this request and with the requests of all orders in
        `rivals_for(job)`.
        """
        return [
            job
            for job in jobs
            if not self.evidence(job).covers((self.entry.key, *(rival.key for rival in self.rivals_for(job))))
        ]

    def own(self, jobs: Iterable[ListedJob]) -> list[ListedJob]:
        """Return the jobs whose file matches this request and that cannot belong to a rival.

        A file can match two requests. For example, a file that is filtered by program also matches the same
        request without this filter. In this case, its job may belong to either order.
        """
        return [
            job
            for job in jobs
            if self.evidence(job).fits.get(self.entry.key) is True and not self.entitled(job)
        ]

    def evidence(self, job: ListedJob) -> Evidence:
        """Return the result of comparing a job's file with requests.

        Returns a result without any request (`NO_EVIDENCE`) if the file has not been compared yet.
        """
        return self.seen.get(str(job.id), NO_EVIDENCE)

    def _earliest(self, entry: OrderRecord) -> dt.datetime:
        return entry.intended_at - self._margin(entry)

    def _margin(self, entry: OrderRecord) -> dt.timedelta:
        return self.tolerance + dt.timedelta(seconds=entry.clock_error)


def _may_be_of(entry: OrderRecord, job: ListedJob) -> bool:
    # A report ordered as "leads" may be listed as "lead" (docs/explanation/service.md#export-jobs).
    alike = job.report_type is None or _kind(job.report_type) == _kind(entry.report_type)
    return alike and not entry.excludes(job.id)


def _kind(report_type: str) -> str:
    return report_type.strip().casefold().removesuffix("s")


FOLDER: Final = "looked-at"
"""Subfolder of a ledger's folder for files that are being compared. Leftover files are removed."""


def evidence_of(
    jobs: ReportJobs,
    folder: Path,
    job: ListedJob,
    requests: Mapping[str, Mapping[str, JobId]],
    until: Deadline,
) -> Evidence:
    """Return the result of comparing a job's file with requests, without waiting for a job that is not done.

    The file is downloaded to the ledger's `folder` and then deleted. `requests` maps keys to requests. Raises
    DeadlineExceeded at `until`, AuthenticationError if the service refuses the request for the job's state,
    ConfigError, and OSError if the folder cannot be written.
    """
    service = jobs.job_tables.service
    downloads = {}
    for key, request in requests.items():
        handle = ExportHandle(service, job.id, str(request.get("report_type")), request, job.created)
        downloads[key] = Download(jobs, handle, until)
    first = next(iter(downloads.values()))
    fits: dict[str, bool | None] = {}
    seen = ExportError(
        "the file is not kept, because it was downloaded only to compare it with the order. "
        "To keep the file, call download() on the export."
    )

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
            except (ExportError, ResponseError):  # unreadable cells neither prove nor exclude a match
                fits[key] = None
        raise seen

    # If the job's state can be read with these credentials, a later refusal is about the file only.
    answered = False
    try:
        snapshot = jobs.look(first.handle, until)
        answered = True
        if snapshot.phase in ("failed", "expired"):
            return Evidence(state="no file", said=f"it has {snapshot.phase}, so it does not have a file")
        ready = snapshot.phase == "done" or (snapshot.status is None and first.is_there(snapshot))
        if not ready:
            return Evidence(state="waiting", said="it is not done yet")
        with _part(folder) as part:
            first.into(part, compare)
    except JobUnknown:
        return Evidence(state="unreadable", said="the service does not know it")
    except (JobExpired, JobFailed):
        return Evidence(state="no file", said="its file no longer exists")
    except (ExportError, ResponseError, TransportError, ServiceFault, AuthenticationError) as error:
        if isinstance(error, DeadlineExceeded) or (isinstance(error, AuthenticationError) and not answered):
            raise
        if error is not seen:
            return Evidence(state="unreadable", said=f"its file cannot be read: {clean(str(error), 300)}")
    return Evidence(fits)


@contextmanager
def _part(folder: Path) -> Iterator[PartFile]:
    """Yield a new part file (temporary file) in a subfolder of `folder`. Remove it after the `with` block.

    Its name is random, because another process may compare the same job's file.
    """
    try:
        with _opened(folder / FOLDER) as part:
            try:
                yield part
            finally:
                part.restart()  # no other download resumes it, because its name is random
    finally:
        tidy_up(folder)


def _opened(place: Path) -> PartFile:
    while True:
        make_folder(place, private=True)
        # Retry if another process removed the folder, or removed the file before it was locked.
        with contextlib.suppress(FileNotFoundError, ExportError):
            return PartFile(place / f"{token_hex(8)}.csv.gz")


def tidy_up(folder: Path) -> None:
    """Remove files that killed processes have left in `folder`, the folder of a ledger (stored orders).

    The processes downloaded these files to compare them with requests.
    """
    place = folder / FOLDER
    sweep(place)
    with contextlib.suppress(OSError):  # the folder does not exist, or another process uses it
        place.rmdir()
