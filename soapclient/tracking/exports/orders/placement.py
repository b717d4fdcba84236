"""Order, and never twice: durable intent, order, durable handle; after a crash, find the job first."""

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
"""How far a job's date may lie from the `Date` of the service's answers."""
SETTLE: Final = 60.0
"""Seconds after an unanswered order in which its job may still turn up; the time of one call by default."""
LOOKING: Final = 300.0
"""Seconds in which jobs that may be an order's are waited for and looked at where no deadline is given."""

Replaced = Callable[[OrderRecord], bool]
"""Tells of a request's job, or of its open intent, whether it is to be ordered anew in place of it."""

Look = Callable[[ReportJobs, Path, ListedJob, Mapping[str, Mapping[str, JobId]], Deadline], Evidence]
"""See `evidence_of`."""

_MOST_LOOKED: Final = (
    100  # files of one order; what they tell is noted, so that the next order looks at others
)
_PAUSES: Final = (0.5, 15.0)  # seconds between two looks at jobs that are not done, at first and at most
_DATE_IS_EXACT_TO: Final = 2.0  # seconds: the service gives whole ones, and the way here takes some


@dataclass(eq=False, kw_only=True)
class Placement:
    """One order through a ledger: placed, unless the request has a job, or an earlier order's is found.

    The service's clock is used if its last response had a `Date`. Without one, or with a wrong one, the local
    clock is, which is at most the validity of a signature off. `seen` has, by the local monotonic time, since
    when pending orders have been waited for: one wait is for all that were there when it began. The ledger
    keeps it, too, for the next process. `look` decides by their files which of several jobs is an order's.
    """

    jobs: ReportJobs
    ledger: Ledger
    tolerance: dt.timedelta
    settle: float
    until: Deadline | None = None
    seen: dict[tuple[str, str, dt.datetime], float] = field(default_factory=dict)
    look: Look = evidence_of
    _looking: Deadline | None = field(default=None, init=False)  # counted from the first look on
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
        """See `Orders.order_once`; `place` sends the order.

        A job that is `replaced` is as good as none; of an open intent that is, no job is adopted. `expired`
        is a job that is the request's as well, whether the ledger knows it or not. Raises DeadlineExceeded
        where an earlier order cannot be settled by `until`.
        """
        if self.until is not None:
            self.ledger = self.ledger.within(self.until)
        ledger = self.ledger
        if (handle := _standing(ledger.find(request), replaced)) is not None:
            ledger.sync()  # whoever wrote it may have been killed before it was on the disk
            return handle
        while True:
            with ledger.lock():
                tidy_up(ledger.folder)
                known = ledger.find(request)  # another process may have ordered while we waited
                if (handle := _standing(known, replaced)) is not None:
                    ledger.sync()
                    return handle
                if known is not None and known.pending:
                    if expired is not None and not known.was(expired):
                        known = known.formerly(expired)
                        ledger.save(known)  # before the search, which is not to find it
                    entry = self._abandoned(known) if replaced(known) else self._settled(known, reorder)
                    if entry is not None:
                        if entry.handle is not None:
                            return entry.handle
                        entry = entry.sent_again(*self._moment())
                else:
                    entry = self._intent(request, None if known is None else known.forgotten())
                    if expired is not None and not entry.was(expired):
                        entry = entry.formerly(expired)
                if entry is not None:
                    ledger.save(entry)
                    return self._placed(entry, known, place)
            self._look()  # without the lock: files may be large, and others have orders to place

    def _placed(
        self, entry: OrderRecord, before: OrderRecord | None, place: Callable[[], ExportHandle]
    ) -> ExportHandle:
        try:
            handle = place()
        except Exception as error:
            if not surely_refused(error):
                error.add_note(
                    f"the order stays pending ({entry.key}): order the same again, and its job is looked for "
                    "first"
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
            error.add_note(f"job {handle.job_id} was ordered; ordering the same again will find it")
            raise
        assert ordered.handle is not None
        return ordered.handle

    def _intent(self, request: Mapping[str, JobId], before: OrderRecord | None) -> OrderRecord:
        moment, error = self._moment()
        if before is not None:  # what an older version wrote keeps its address, and so its name
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

    def _moment(self) -> tuple[dt.datetime, float]:
        """Return the time by the service's clock, and by how many seconds it may be wrong."""
        jobs, validity = self.jobs, dt.timedelta(minutes=self.jobs.config.signature_validity_minutes)
        if jobs.time() is None:
            next(iter(jobs.list_items()), None)  # a harmless question, for the Date of its response
        theirs, ours = jobs.time(), jobs.clock.now() + jobs.offset()
        # It took our signature just now, so our time cannot be further off: a Date that is was wrong. Another
        # one may be wrong, too, by as much as lies between them: a cache's, or that of another machine.
        if theirs is not None and (apart := abs(theirs - ours)) <= validity:
            return theirs, max(_DATE_IS_EXACT_TO, apart.total_seconds())
        return ours, validity.total_seconds()

    def _settled(self, entry: OrderRecord, reorder: bool) -> OrderRecord | None:
        """Return the entry with the job it adopted, durably; or as it is to be ordered again.

        None where files have to be looked at first, see `_look`. Raises AmbiguousOrder where they do not
        tell either, DeadlineExceeded where there is no time to find out.
        """
        entry = self._without_others(self._with_wait(entry))
        fit, might, search = self._found(entry)
        jobs = (*fit, *might)
        if not jobs:
            return entry
        if len(jobs) == 1 and fit and not search.rivals_for(fit[0]):
            # As it stood when the job was seen: another ledger's intent may have become its owner since.
            return self._adopted(entry, fit[0])
        if reorder:
            return entry.giving_up(tuple(job.id for job in jobs))
        own = search.own(jobs)
        if len(own) == 1:
            return self._adopted(entry, own[0])
        if not own and self._wants(entry, search, jobs):
            return None
        lost = [job for job in fit if search.evidence(job).state == "no file"]
        if len(lost) == len(jobs):
            if self._waited(entry):  # its own may still turn up
                return self._settled(entry, reorder)
            # Whoever it was ordered by, there will never be a file of it: none is taken away from anybody.
            return self._adopted(entry, min(lost, key=lambda job: (str(job.created), str(job.id))))
        raise AmbiguousOrder(
            self.jobs.job_tables.job.order,
            entry.key,
            tuple(job.id for job in jobs),
            self._reason(fit, might, search, own),
            entry.title,
            {job_id: found.describe(entry.key) for job_id, found in self._evidence.items()},
        )

    def _look(self) -> None:
        """Look at the files that `_settled` wants to know of."""
        assert self._looking is not None
        if all(self._evidence.get(str(job.id), NO_EVIDENCE).state == "waiting" for job, _ in self._wanted):
            first, most = _PAUSES
            self._pause = min(max(2 * self._pause, first), most)
            self.jobs.clock.sleep(self._looking.within(self._pause))
        for job, requests in self._wanted:
            self._evidence[str(job.id)] = self.look(
                self.jobs, self.ledger.folder, job, requests, self._looking
            )

    def _wants(self, entry: OrderRecord, search: Search, jobs: Iterable[ListedJob]) -> bool:
        """Note which files are to be looked at; tell whether there are any."""
        unseen = search.unseen(jobs)
        left = _MOST_LOOKED - len(self._evidence)
        fresh = [job for job in unseen if str(job.id) not in self._evidence][: max(left, 0)]
        wanted = fresh + [job for job in unseen if str(job.id) in self._evidence]
        if self._looking is None:
            self._looking = Deadline(self.jobs.clock, LOOKING) if self.until is None else self.until
        if wanted and self._looking.expired:
            if self.until is None or self._evidence:
                return False  # a longer deadline may be of no use: what was tried tells more
            raise DeadlineExceeded(
                None, f"finding the job of the earlier order ({entry.title})", self.until.seconds
            )
        self._wanted = [
            (job, {each.key: each.request for each in (entry, *search.rivals_for(job))}) for job in wanted
        ]
        return bool(wanted)

    def _without_others(self, entry: OrderRecord) -> OrderRecord:
        """The entry without the jobs whose files show that they are another's, durably.

        Those with which it shares the candidates are spared to look at the same files again.
        """
        disproved = [
            (job_id, key)
            for job_id, found in self._evidence.items()
            for key, fits in found.fits.items()
            if fits is False
        ]
        if not disproved:
            return entry
        for each in (entry, *(other for other in self.ledger.pending() if other.key != entry.key)):
            others = tuple(
                job_id for job_id, key in disproved if key == each.key and not each.excludes(job_id)
            )
            if others:
                self.ledger.save(each.without(others))
                entry = each.without(others) if each is entry else entry
        return entry

    def _reason(
        self, fit: list[ListedJob], might: list[ListedJob], search: Search, own: list[ListedJob]
    ) -> str:
        """Why nobody can tell."""
        jobs, entry = (*fit, *might), search.entry
        if own:
            return f"{len(own)} jobs fit it, by their files too"
        rivals = [(job, rival) for job in jobs for rival in search.entitled(job)]
        if rivals:
            ready = [rival for job, rival in rivals if search.goes_first(rival, job)]
            rival = ready[0] if ready else rivals[0][1]
            many = len(jobs) > 1
            some = f"of {len(jobs)} jobs that fit it" if many else "a job fits it"
            if all(search.evidence(job).fits.get(entry.key) is True for job in jobs):
                some += f", by {'their files' if many else 'its file'} too,"
            first = " (order that again first)" if ready else ""
            return (
                f"{some} {'one' if many else 'that'} may be that of request {rival.key} ({rival.title}) as "
                f"well, whose order got no response either{first}"
            )
        if might:
            return "there are jobs that might be it, but whose type, date or order is in doubt"
        return f"{len(fit)} jobs fit it"

    def _abandoned(self, entry: OrderRecord) -> OrderRecord:
        """Return the entry to be ordered anew whatever job it has; those that might be are nobody's then."""
        jobs = self._listed()
        try:
            fit, might = self._search(entry).candidates(jobs)
        except LedgerError as error:  # a file of another request, which this one does not need
            log.warning("%s Which jobs request %s (%s) gives up is not noted.", error, entry.key, entry.title)
            return entry
        return entry.giving_up(tuple(job.id for job in (*fit, *might)))

    def _listed(self) -> list[ListedJob]:
        names = self.jobs.job_tables.job
        listed = (ListedJob.of(item, names) for item in self.jobs.list_items())
        return [job for job in listed if job is not None]

    def _found(self, entry: OrderRecord) -> tuple[list[ListedJob], list[ListedJob], Search]:
        """List the jobs, and again as long as the job may still turn up; at least twice to find none.

        Pages can shift while they are read, so that one look may miss a job. The wait is all by monotonic
        time: dates may jump, and cut it short.
        """
        looks = 0
        while True:
            jobs = self._listed()
            search = self._search(entry)  # after the list: whose a job is was written down before it was made
            fit, might = search.candidates(jobs)
            looks += 1
            if fit or might or (not self._waited(entry) and looks > 1):
                return fit, might, search

    def _waited(self, entry: OrderRecord) -> bool:
        """Wait as long as the entry's job may still turn up; tell whether there was anything to wait for.

        Raises DeadlineExceeded at once if that takes too long: a later run has less to wait.
        """
        left = self.settle - (self.jobs.clock.monotonic() - self._begun(entry))
        if left <= 0:
            return False
        if self.until is not None and left > self.until.remaining():
            raise DeadlineExceeded(
                None,
                f"waiting for the job of an earlier order ({entry.title}) to appear, which takes "
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

    def _begun(self, entry: OrderRecord) -> float:
        """Return since when processes have waited for the entry's job: its order was sent before."""
        return self.seen[str(self.ledger.folder), entry.key, entry.tried_at]

    def _with_wait(self, entry: OrderRecord) -> OrderRecord:
        """Begin the wait for the jobs of all pending orders, durably; return the entry with its beginning.

        The next process goes on with the wait: each could otherwise have less time than it takes.
        """
        now, folder, boot = self.jobs.clock.monotonic(), str(self.ledger.folder), boot_id()
        for pending in (*self.ledger.pending(), entry):
            began = pending.waiting_since(boot)
            if began is not None and began > now:  # not of this clock
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
        moment, error = self._moment()
        return Search(
            entry=entry,
            now=moment + dt.timedelta(seconds=error),
            tolerance=self.tolerance,
            taken=frozenset(claimed((*entries, *elsewhere))),
            doubtful=frozenset(str(job_id) for other in others for job_id in other.abandoned),
            rivals=tuple(other for other in others if other.pending),
            settle=self.settle,
            seen=self._evidence,
        )

    def _adopted(self, entry: OrderRecord, job: ListedJob) -> OrderRecord:
        handle = ExportHandle(self.ledger.service, job.id, entry.report_type, entry.request, job.created)
        adopted = entry.ordered(handle, adopted=True)
        self.ledger.save(adopted)
        log.warning(
            "job %s was found and adopted for request %s: its rows will have to show that it is its own",
            job.id,
            entry.key,
        )
        return adopted


def _standing(known: OrderRecord | None, replaced: Replaced) -> ExportHandle | None:
    """The job of a request with which ordering has nothing to do."""
    if known is None or known.handle is None or replaced(known):
        return None
    return known.handle
