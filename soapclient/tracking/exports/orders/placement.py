"""Place an order at most once.

The order is stored as pending, then sent, then stored with its handle (which has the id of its job). If the
process crashes in between, the next process searches for the job instead of ordering again.
"""

from __future__ import annotations

import datetime as dt
import logging
import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from soapclient.calling.outcome import surely_refused
from soapclient.clock import Deadline, boot_id
from soapclient.errors import AmbiguousOrder, DeadlineExceeded, LedgerError
from soapclient.tracking.exports.handle import ExportHandle, JobId
from soapclient.tracking.exports.jobs.job import ReportJobs
from soapclient.tracking.exports.orders.adoption import (
    NO_EVIDENCE,
    Evidence,
    ListedJob,
    Search,
    evidence_of,
    tidy_up,
)
from soapclient.tracking.exports.orders.ledger import Ledger, claimed
from soapclient.tracking.exports.orders.record import OrderRecord

log = logging.getLogger(__name__)

TOLERANCE: Final = dt.timedelta(minutes=5)
"""Maximum difference between a job's date and the `Date` of the service's responses."""
SETTLE: Final = 60.0
"""Default time in seconds for which the job of an order without a response may still appear.

This is also the default deadline of a call."""
LOOKING: Final = 300.0
"""Default deadline in seconds for waiting for candidate jobs and comparing their files."""

Replaced = Callable[[OrderRecord], bool]
"""Called with the record of a request. Returns True if the request must be ordered again, although the record
has a job or a pending order."""

Look = Callable[[ReportJobs, Path, ListedJob, Mapping[str, Mapping[str, JobId]], Deadline], Evidence]
"""A function that compares a job's file with requests: see `evidence_of`."""

# Files per order. The results are stored, so the next order compares other files.
_MOST_LOOKED: Final = 100
_PAUSES: Final = (0.5, 15.0)  # first and maximum pause between polls of jobs that are not done, in seconds
_DATE_IS_EXACT_TO: Final = 2.0  # seconds: `Date` has whole seconds, and the response takes some time


@dataclass(eq=False, kw_only=True)
class Placement:
    """Places an order, and records it in a ledger: the folder that stores the orders of one account.

    The order is not sent if the request already has a job, or if the job of an earlier order is found.

    The times in the ledger come from the service's clock if its last response had a valid `Date`, otherwise
    from the local clock. The local clock is wrong by at most the time for which a signature is valid:
    otherwise, the service would reject the signatures. `tolerance` is how far the date of a job may differ
    from the service's clock.

    If an order got no response, `Placement` waits up to `settle` seconds for its job to appear in the job
    list. Meanwhile, it also waits for the jobs of all other pending orders. The start of the wait is stored
    for each pending order: in `seen` (as local monotonic time), and in the ledger for the next process.

    `until` is the deadline; None means no deadline. `look` is the function that downloads the file of a job
    and compares it with requests.
    """

    jobs: ReportJobs
    ledger: Ledger
    tolerance: dt.timedelta
    settle: float
    until: Deadline | None = None
    seen: dict[tuple[str, str, dt.datetime], float] = field(default_factory=dict)
    look: Look = evidence_of
    _looking_deadline: Deadline | None = field(default=None, init=False)  # starts with the first comparison
    _pause: float = field(default=0.0, init=False)
    _evidence: dict[str, Evidence] = field(default_factory=dict, init=False)
    _wanted: list[tuple[ListedJob, dict[str, Mapping[str, JobId]]]] = field(default_factory=list, init=False)

    def order(
        self,
        request: Mapping[str, JobId],
        place: Callable[[], ExportHandle],
        *,
        reorder: bool,
        replaced: Replaced = lambda _: False,
        expired: JobId | None = None,
    ) -> ExportHandle:
        """Return the handle of the request's job: an existing job, or a new one. See `Orders.order_once`.

        - `place`: sends the order, and returns the handle of the new job.
        - `reorder`: if it is unclear which job belongs to an earlier order, order again instead of comparing
          files.
        - `replaced`: called with the record of the request. If it returns True, a job in the record is
          ignored, the job of a pending order is not searched for, and the request is ordered again.
        - `expired`: id of an expired job of the request. It is recorded, so that no order gets this job.

        Raises DeadlineExceeded if the job of an earlier order is still unknown at the deadline `until`.
        """
        if self.until is not None:
            self.ledger = self.ledger.within(self.until)
        ledger = self.ledger
        if (handle := _current_handle(ledger.find(request), replaced)) is not None:
            ledger.sync()  # the process that wrote it may have ended before flushing it to disk
            return handle
        while True:
            with ledger.lock():
                tidy_up(ledger.folder)
                record = ledger.find(request)  # another process may have ordered while we waited
                if (handle := _current_handle(record, replaced)) is not None:
                    ledger.sync()
                    return handle
                if record is not None and record.pending:
                    if expired is not None and not record.was(expired):
                        record = record.formerly(expired)
                        ledger.save(record)  # before the search, which must not adopt this job
                    entry = self._abandon(record) if replaced(record) else self._resolve(record, reorder)
                    if entry is not None:
                        if entry.handle is not None:
                            return entry.handle
                        entry = entry.sent_again(*self._service_time())
                else:
                    entry = self._pending_record(request, None if record is None else record.forgotten())
                    if expired is not None and not entry.was(expired):
                        entry = entry.formerly(expired)
                if entry is not None:
                    ledger.save(entry)
                    return self._place(entry, record, place)
            self._compare_files()  # without the lock: downloads take long, and other processes may order

    def _place(
        self, entry: OrderRecord, before: OrderRecord | None, place: Callable[[], ExportHandle]
    ) -> ExportHandle:
        try:
            handle = place()
        except Exception as error:
            if not surely_refused(error):
                error.add_note(
                    f"The order stays pending ({entry.key}). If you order the same request again, its job is "
                    "searched for first."
                )
            elif before is None:
                self.ledger.drop(entry)
            elif not before.pending:
                self.ledger.save(before)
            raise
        ordered = entry.ordered(handle)
        try:
            self.ledger.save(ordered)
        except OSError as error:
            error.add_note(
                f"Job {handle.job_id} was ordered. If you order the same request again, the job is found."
            )
            raise
        assert ordered.handle is not None
        return ordered.handle

    def _pending_record(self, request: Mapping[str, JobId], before: OrderRecord | None) -> OrderRecord:
        moment, error = self._service_time()
        if before is not None:  # keep the address, and so the file name, of records from older versions
            again = replace(before, state="intent", attempts=1, clock_error=error, waiting=None)
            return replace(again, intended_at=moment, tried_at=moment)
        return OrderRecord(
            service=self.ledger.service,
            account=self.ledger.account,
            request=request,
            state="intent",
            intended_at=moment,
            tried_at=moment,
            clock_error=error,
            address=self.ledger.address,
        )

    def _service_time(self) -> tuple[dt.datetime, float]:
        """Return the time by the service's clock, and its uncertainty in seconds."""
        jobs, validity = self.jobs, dt.timedelta(minutes=self.jobs.config.signature_validity_minutes)
        if jobs.time() is None:
            next(iter(jobs.list_items()), None)  # a call without side effects, for the `Date` of its response
        service_time, local_time = jobs.time(), jobs.clock.now() + jobs.offset()
        # The service has just accepted our signature, so the local time is wrong by `validity` at most. A
        # `Date` further away must be wrong. A closer one may be wrong by the difference, too: it may come
        # from a cache or another machine.
        if service_time is not None and (difference := abs(service_time - local_time)) <= validity:
            return service_time, max(_DATE_IS_EXACT_TO, difference.total_seconds())
        return local_time, validity.total_seconds()

    def _resolve(self, entry: OrderRecord, reorder: bool) -> OrderRecord | None:
        """Find the job of a pending order, whose record is `entry`. `reorder` is as in `order`.

        Returns one of these:

        - the record with the job that was adopted; this record is already stored.
        - the record without a job, if the request must be ordered again.
        - None, if files must be compared first (see `_compare_files`).

        Raises AmbiguousOrder if the files do not show which job belongs to the order, and DeadlineExceeded if
        the time is too short.
        """
        entry = self._exclude_others(self._start_wait(entry))
        fit, might, search = self._search_jobs(entry)
        jobs = (*fit, *might)
        if not jobs:
            return entry
        if len(jobs) == 1 and fit and not search.rivals_for(fit[0]):
            # The rivals are those at the time of the job list. By now, an order in another ledger may have
            # adopted the job, and would no longer count as pending.
            return self._adopt(entry, fit[0])
        if reorder:
            return entry.giving_up(tuple(job.id for job in jobs))
        own = search.own(jobs)
        if len(own) == 1:
            return self._adopt(entry, own[0])
        if not own and self._select_files(entry, search, jobs):
            return None
        lost = [job for job in fit if search.evidence(job).state == "no file"]
        if len(lost) == len(jobs):
            if self._wait(entry):  # the order's own job may still appear
                return self._resolve(entry, reorder)
            # None of these jobs will ever have a file. So adopting one takes no file from another order.
            return self._adopt(entry, min(lost, key=lambda job: (str(job.created), str(job.id))))
        raise AmbiguousOrder(
            self.jobs.job_tables.job.order,
            entry.key,
            tuple(job.id for job in jobs),
            self._reason(fit, might, search, own),
            entry.title,
            {job_id: evidence.describe(entry.key) for job_id, evidence in self._evidence.items()},
        )

    def _compare_files(self) -> None:
        """Download the files that `_select_files` chose, compare them with requests, and keep the results."""
        assert self._looking_deadline is not None
        if all(self._evidence.get(str(job.id), NO_EVIDENCE).state == "waiting" for job, _ in self._wanted):
            first, most = _PAUSES
            self._pause = min(max(2 * self._pause, first), most)
            self.jobs.clock.sleep(self._looking_deadline.within(self._pause))
        for job, requests in self._wanted:
            self._evidence[str(job.id)] = self.look(
                self.jobs, self.ledger.folder, job, requests, self._looking_deadline
            )

    def _select_files(self, entry: OrderRecord, search: Search, jobs: Iterable[ListedJob]) -> bool:
        """Select the files that `_compare_files` compares next. Return True if there are any.

        Sets `_wanted` to the jobs of these files, each with the requests with which its file is compared.
        """
        unseen = search.unseen(jobs)
        left = _MOST_LOOKED - len(self._evidence)
        fresh = [job for job in unseen if str(job.id) not in self._evidence][: max(left, 0)]
        jobs_to_compare = fresh + [job for job in unseen if str(job.id) in self._evidence]
        if self._looking_deadline is None:
            self._looking_deadline = Deadline(self.jobs.clock, LOOKING) if self.until is None else self.until
        if jobs_to_compare and self._looking_deadline.expired:
            if self.until is None or self._evidence:
                return False  # a longer deadline may not help, and AmbiguousOrder lists the results
            raise DeadlineExceeded(
                None, f"finding the job of the earlier order ({entry.title})", self.until.seconds
            )
        self._wanted = [
            (job, {record.key: record.request for record in (entry, *search.rivals_for(job))})
            for job in jobs_to_compare
        ]
        return bool(jobs_to_compare)

    def _exclude_others(self, entry: OrderRecord) -> OrderRecord:
        """Record on disk which jobs belong to other orders, according to their files.

        `entry` is the record of this order. Returns its updated copy. The records of other pending orders
        are updated, too, so that the same files are not compared again for them.
        """
        disproved = [
            (job_id, key)
            for job_id, evidence in self._evidence.items()
            for key, fits in evidence.fits.items()
            if fits is False
        ]
        if not disproved:
            return entry
        for record in (entry, *(other for other in self.ledger.pending() if other.key != entry.key)):
            others = tuple(
                job_id for job_id, key in disproved if key == record.key and not record.excludes(job_id)
            )
            if others:
                self.ledger.save(record.without(others))
                entry = record.without(others) if record is entry else entry
        return entry

    def _reason(
        self, fit: list[ListedJob], might: list[ListedJob], search: Search, own: list[ListedJob]
    ) -> str:
        """Return the reason for AmbiguousOrder: why it is unknown which job belongs to the order.

        - `fit`: the jobs that match the order by type and date. `might`: the jobs that may match.
        - `search`: the search that found `fit` and `might`.
        - `own`: the jobs whose files match the order, too.
        """
        jobs, entry = (*fit, *might), search.entry
        if own:
            return f"{len(own)} jobs match it, also by their files"
        rivals = [(job, rival) for job in jobs for rival in search.entitled(job)]
        if rivals:
            ready = [rival for job, rival in rivals if rival.pending and search.goes_first(rival, job)]
            rival = ready[0] if ready else rivals[0][1]
            many = len(jobs) > 1
            some = f"{len(jobs)} jobs match it" if many else "a job matches it"
            if all(search.evidence(job).fits.get(entry.key) is True for job in jobs):
                some += f", also by {'their files' if many else 'its file'}"
            first = " (order that request again first)" if ready else ""
            return (
                f"{some}, but {'one of them' if many else 'it'} may belong to request {rival.key} "
                f"({rival.title}), whose order got no response either{first}"
            )
        if might:
            return "some jobs may match it, but their type, date or order is uncertain"
        return f"{len(fit)} jobs match it"

    def _abandon(self, entry: OrderRecord) -> OrderRecord:
        """Return a copy of a pending order's record, so that the request can be ordered again.

        The `abandoned` jobs of the copy include all jobs that this order may have created at the service.
        Later orders of the request do not use these jobs.
        """
        jobs = self._list_jobs()
        try:
            fit, might = self._search(entry).candidates(jobs)
        except LedgerError as error:  # an invalid file of another request must not stop this one
            log.warning(
                "%s Jobs that an earlier order of request %s (%s) may have created are not excluded.",
                error,
                entry.key,
                entry.title,
            )
            return entry
        return entry.giving_up(tuple(job.id for job in (*fit, *might)))

    def _list_jobs(self) -> list[ListedJob]:
        names = self.jobs.job_tables.job
        listed = (ListedJob.of(item, names) for item in self.jobs.list_items())
        return [job for job in listed if job is not None]

    def _search_jobs(self, entry: OrderRecord) -> tuple[list[ListedJob], list[ListedJob], Search]:
        """List the account's jobs until one of them may belong to the order of `entry`, or the wait is over.

        If no job may belong to the order, waits for a job to appear (see `_wait`), and lists the jobs again.

        Return (jobs that match, jobs that may match, search), see `Search.candidates`. If no job matches, the
        jobs are listed at least twice, because a job may be missed if the pages change while they are read.
        The wait uses monotonic time, because a change of the wall clock could shorten it.
        """
        looks = 0
        while True:
            jobs = self._list_jobs()
            search = self._search(entry)  # after listing: orders are recorded before their jobs exist
            fit, might = search.candidates(jobs)
            looks += 1
            if fit or might or (not self._wait(entry) and looks > 1):
                return fit, might, search

    def _wait(self, entry: OrderRecord) -> bool:
        """Wait as long as the order's job may still appear. Return False if that time is already over.

        Returns True after a wait. Raises DeadlineExceeded at once if the wait would exceed the deadline. A
        later run waits less, because the start of the wait is stored.
        """
        left = self.settle - (self.jobs.clock.monotonic() - self._wait_start(entry))
        if left <= 0:
            return False
        if self.until is not None and left > self.until.remaining():
            raise DeadlineExceeded(
                None,
                f"waiting for the job of an earlier order ({entry.title}) to appear, which may take "
                f"{math.ceil(left)} seconds",
                self.until.seconds,
            )
        log.warning(
            "an earlier order (%s) got no response: waiting %d seconds for its job to appear",
            entry.title,
            math.ceil(left),
        )
        self.jobs.clock.sleep(left)
        return True

    def _wait_start(self, entry: OrderRecord) -> float:
        """Return the monotonic time at which the wait for the entry's job began, after its order was sent."""
        return self.seen[str(self.ledger.folder), entry.key, entry.tried_at]

    def _start_wait(self, entry: OrderRecord) -> OrderRecord:
        """Store for each pending order that the wait for its job begins now, unless it has begun before.

        Return `entry` with the start of its wait. The start is stored on disk, so that the next process can
        continue the wait. Otherwise, processes with short deadlines would never finish it.
        """
        now, folder, boot = self.jobs.clock.monotonic(), str(self.ledger.folder), boot_id()
        for pending in (*self.ledger.pending(), entry):
            began = pending.waiting_since(boot)
            if began is not None and began > now:  # from another clock
                began = None
            place = (folder, pending.key, pending.tried_at)
            start = self.seen.setdefault(place, now if began is None else began)
            waited_for = pending if began is not None or not boot else pending.waited_for(boot, start)
            if waited_for is not pending:
                self.ledger.save(waited_for)
            if pending.key == entry.key:
                entry = waited_for
        return entry

    def _search(self, entry: OrderRecord) -> Search:
        entries, elsewhere = self.ledger.entries(), self.ledger.elsewhere()
        others = (*(other for other in entries if other.key != entry.key), *elsewhere)
        moment, error = self._service_time()
        return Search(
            entry=entry,
            now=moment + dt.timedelta(seconds=error),
            tolerance=self.tolerance,
            taken=frozenset(claimed((*entries, *elsewhere))),
            doubtful=frozenset(str(job_id) for other in others for job_id in other.abandoned),
            rivals=tuple(other for other in others if _may_have_unknown_job(other)),
            settle=self.settle,
            seen=self._evidence,
        )

    def _adopt(self, entry: OrderRecord, job: ListedJob) -> OrderRecord:
        handle = ExportHandle(self.ledger.service, job.id, entry.report_type, entry.request, job.created)
        adopted = entry.ordered(handle, adopted=True)
        self.ledger.save(adopted)
        log.warning(
            "job %s was found and adopted for request %s; its rows are checked after the download",
            job.id,
            entry.key,
        )
        return adopted


def _may_have_unknown_job(record: OrderRecord) -> bool:
    """Return True if an order of the request may have created a job that its record does not contain.

    This is so for a pending order. It is also so for a request that was sent again and has a job: the job of
    an earlier attempt may appear in the job list later.
    """
    return record.pending or (record.handle is not None and record.attempts > 1)


def _current_handle(record: OrderRecord | None, replaced: Replaced) -> ExportHandle | None:
    """Return the handle in the record of a request. Return None if the request must be ordered.

    The request must be ordered if the record is None or has no job, or if `replaced(record)` returns True.
    """
    if record is None or record.handle is None or replaced(record):
        return None
    return record.handle
