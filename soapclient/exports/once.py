"""Order, and never twice: durable intent, order, durable handle; after a crash, look for the job first."""

from __future__ import annotations

import datetime as dt
import logging
import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from soapclient.clock import Clock, Deadline
from soapclient.errors import (
    DeadlineExceeded,
)
from soapclient.exports.adoption import AmbiguousOrder, Listed, Search
from soapclient.exports.entry import Entry
from soapclient.exports.entry_file import LedgerError
from soapclient.exports.handle import ExportHandle, JobId
from soapclient.exports.ledger import Ledger, claimed
from soapclient.outcome import surely_refused

log = logging.getLogger(__name__)

TOLERANCE: Final = dt.timedelta(minutes=5)
"""How far a job's date may lie from the `Date` of the service's answers."""
SETTLE: Final = 60.0
"""Seconds after an unanswered order in which its job may still turn up; the time of one call by default."""

Replaced = Callable[[Entry], bool]
"""Tells of a request's job, or of its open intent, whether it is to be ordered anew in place of it."""

_DATE_IS_EXACT_TO: Final = 2.0  # seconds: whole ones are told, and the way here takes some


@dataclass(frozen=True, slots=True, kw_only=True)
class Once:
    """Orders requests of one ledger.

    `jobs` lists all jobs of the account, over all pages; `their_time` is the service's clock by its last
    answer, None before one or when that is old; `clock` is ours and only signs, waits and stands in for
    theirs, `offset` from it and no further than `validity` off, where answers have no `Date` or a wrong one.
    `seen` remembers, by our monotonic time, since when open intents have been waited for: one wait is for all
    that were there when it began.
    """

    operation: str
    jobs: Callable[[], Iterable[object]]
    their_time: Callable[[], dt.datetime | None]
    clock: Clock
    offset: Callable[[], dt.timedelta]
    validity: dt.timedelta
    seen: dict[tuple[str, str, dt.datetime], float] = field(default_factory=dict)

    def order(
        self,
        ledger: Ledger,
        request: Mapping[str, JobId],
        place: Callable[[], ExportHandle],
        *,
        reorder: bool,
        tolerance: dt.timedelta,
        settle: float,
        replaced: Replaced = lambda _: False,
        expired: JobId | None = None,
        until: Deadline | None = None,
    ) -> ExportHandle:
        """See Exporter.order_once; `place` sends the order.

        A job that is `replaced` is as good as none; of an open intent that is, no job is adopted. `expired`
        is a job that is the request's as well, whether the ledger knows it or not. Raises DeadlineExceeded
        where an earlier order cannot be settled by `until`.
        """
        ledger = ledger if until is None else ledger.within(until)
        if (handle := _standing(ledger.find(request), replaced)) is not None:
            ledger.sync()  # whoever wrote it may have been killed before it was on the disk
            return handle
        with ledger.lock():
            known = ledger.find(request)  # another process may have ordered while we waited
            if (handle := _standing(known, replaced)) is not None:
                ledger.sync()
                return handle
            if known is not None and known.open:
                if expired is not None and not known.was(expired):
                    known = known.formerly(expired)
                    ledger.save(known)  # before the search, which is not to find it
                search = Searching(self, ledger, tolerance, settle, until)
                entry = search.given_up(known) if replaced(known) else search.settled(known, reorder=reorder)
                if entry.handle is not None:
                    return entry.handle
                entry = entry.tried_again(*self.moment())
            else:
                entry = self._intent(ledger, request, None if known is None else known.forgotten())
                if expired is not None and not entry.was(expired):
                    entry = entry.formerly(expired)
            ledger.save(entry)
            return self._placed(ledger, entry, known, place)

    def _placed(
        self, ledger: Ledger, entry: Entry, before: Entry | None, place: Callable[[], ExportHandle]
    ) -> ExportHandle:
        try:
            handle = place()
        except Exception as error:
            if not surely_refused(error):
                error.add_note(
                    f"the intent {entry.key} stays in the ledger: order the same again, "
                    "and its job is looked for first"
                )
            elif before is None:
                ledger.drop(entry)
            elif not before.open:
                ledger.save(before)
            raise
        ordered = entry.ordered(handle)
        try:
            ledger.save(ordered)
        except OSError as error:
            error.add_note(f"job {handle.job_id} was ordered; ordering the same again will find it")
            raise
        assert ordered.handle is not None
        return ordered.handle

    def _intent(self, ledger: Ledger, request: Mapping[str, JobId], before: Entry | None) -> Entry:
        moment, error = self.moment()
        entry = Entry(
            service=ledger.service,
            account=ledger.account,
            request=request,
            state="intent",
            intended_at=moment,
            tried_at=moment,
            clock_error=error,
            address=ledger.address,
        )
        if before is None:
            return entry
        kept = replace(entry, not_ours=before.not_ours, given_up=before.given_up, former=before.former)
        return replace(kept, address=before.address)  # what an older version wrote keeps its name

    def moment(self) -> tuple[dt.datetime, float]:
        """Return the time by the service's clock, and by how many seconds it may be wrong."""
        if self.their_time() is None:
            next(iter(self.jobs()), None)  # a harmless question, for the Date of its answer
        theirs, ours = self.their_time(), self.clock.now() + self.offset()
        # It took our signature just now, so our time cannot be further off: a Date that is was wrong.
        if theirs is not None and abs(theirs - ours) <= self.validity:
            return theirs, _DATE_IS_EXACT_TO
        return ours, self.validity.total_seconds()


@dataclass(frozen=True, slots=True)
class Searching:
    """Finds out what became of an intent."""

    once: Once
    ledger: Ledger
    tolerance: dt.timedelta
    settle: float
    until: Deadline | None = None

    def settled(self, entry: Entry, *, reorder: bool) -> Entry:
        """Return the entry with the job it adopted, durably; or as it is to be ordered again."""
        fit, might, search = self._found(entry)
        if not fit and not might:
            return entry
        ids = tuple(job.id for job in (*fit, *might))
        if len(ids) == 1 and fit:
            # As it stood when the job was seen: another ledger's intent may have become its owner since.
            rival = search.rival(fit[0])
            if rival is None:
                return self._adopted(entry, fit[0])
            reason = (
                f"a job fits it that may be that of request {rival.key} ({rival.title}) as well, which is "
                "open, too (order that again first, or give its intent up with abandon())"
            )
        elif might:
            reason = "there are jobs that might be it, but whose type, date or order is in doubt"
        else:
            reason = f"{len(fit)} jobs fit it"
        if reorder:
            return entry.giving_up(ids)
        raise AmbiguousOrder(self.once.operation, entry.key, ids, reason, entry.title)

    def given_up(self, entry: Entry) -> Entry:
        """Return the entry to be ordered anew whatever job it has; those that might be are nobody's then."""
        jobs = self._listed()
        try:
            fit, might = self._search(entry).candidates(jobs)
        except LedgerError as error:  # a file of another request, which this one does not need
            log.warning("%s Which jobs request %s (%s) gives up is not noted.", error, entry.key, entry.title)
            return entry
        return entry.giving_up(tuple(job.id for job in (*fit, *might)))

    def _listed(self) -> list[Listed]:
        return [job for item in self.once.jobs() if (job := Listed.of(item)) is not None]

    def _found(self, entry: Entry) -> tuple[list[Listed], list[Listed], Search]:
        """List the jobs, and again as long as the job may still turn up; at least twice to find none.

        Pages can shift while they are read, so that one look may miss a job. The wait is all by monotonic
        time: dates may jump, and cut it short.
        """
        looks, begun = 0, self._begun(entry)
        while True:
            jobs = self._listed()
            search = self._search(entry)  # after the list: whose a job is was written down before it was made
            fit, might = search.candidates(jobs)
            looks += 1
            if fit or might:
                return fit, might, search
            left = self.settle - (self.once.clock.monotonic() - begun)
            if left <= 0 and looks > 1:
                return fit, might, search
            if self.until is not None and left > self.until.remaining():
                raise DeadlineExceeded(
                    None,
                    f"waiting whether the job of an earlier order ({entry.title}) turns up, which takes "
                    f"{math.ceil(left)} seconds",
                    self.until.seconds,
                )
            if left > 0:
                log.warning(
                    "an earlier order (%s) was not answered: waiting %d seconds whether its job turns up",
                    entry.title,
                    math.ceil(left),
                )
                self.once.clock.sleep(left)

    def _begun(self, entry: Entry) -> float:
        """Since when this process has waited for the entry's job: its order was sent before."""
        now, folder = self.once.clock.monotonic(), str(self.ledger.folder)
        for each in (*self.ledger.open_intents(), entry):
            self.once.seen.setdefault((folder, each.key, each.tried_at), now)
        return self.once.seen[folder, entry.key, entry.tried_at]

    def _search(self, entry: Entry) -> Search:
        entries, elsewhere = self.ledger.entries(), self.ledger.elsewhere()
        others = (*(other for other in entries if other.key != entry.key), *elsewhere)
        moment, error = self.once.moment()
        return Search(
            entry=entry,
            now=moment + dt.timedelta(seconds=error),
            tolerance=self.tolerance,
            taken=frozenset(claimed((*entries, *elsewhere))),
            doubtful=frozenset(str(job_id) for other in others for job_id in other.given_up),
            rivals=tuple(other for other in others if other.open),
            settle=self.settle,
        )

    def _adopted(self, entry: Entry, job: Listed) -> Entry:
        handle = ExportHandle(self.ledger.service, job.id, entry.report_type, entry.request, job.created)
        adopted = entry.ordered(handle, adopted=True)
        self.ledger.save(adopted)
        log.warning(
            "job %s was found and taken for request %s: its rows will have to show that it is",
            job.id,
            entry.key,
        )
        return adopted


def _standing(known: Entry | None, replaced: Replaced) -> ExportHandle | None:
    """The job of a request with which ordering has nothing to do."""
    if known is None or known.handle is None or replaced(known):
        return None
    return known.handle
