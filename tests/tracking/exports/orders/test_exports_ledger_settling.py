"""Settling an unanswered order: how long it takes, the deadline, and the orders that block it."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path

import pytest
from werkzeug.wrappers import Request, Response

from soapclient.clock import Deadline
from soapclient.errors import AmbiguousOrder, DeadlineExceeded, JobExpired, JobFailed, LedgerBusy, LedgerError
from soapclient.tracking.exports.handle import ExportHandle, JobId
from soapclient.tracking.exports.jobs.job import JobSnapshot
from soapclient.tracking.exports.orders.adoption import Evidence, ListedJob, Search
from soapclient.tracking.exports.orders.arguments import OrderOptions
from soapclient.tracking.sandbox import JobScript
from tests.tracking.exports.conftest import Desk
from tests.tracking.exports.records import NOW, intent

DAY, NEXT, OCTOBER = date(2026, 11, 1), date(2026, 11, 2), date(2026, 10, 1)
DAYS = [date(2026, 11, day) for day in range(1, 7)]


# ---- intents that block an order


NO_ROWS_SENT: dict[str, JobId] = {"currency": "XXX"}
NO_ROWS: OrderOptions = {"currency": "XXX"}  # no program has this currency: the file has no rows


def test_message_names_both_requests_and_a_remedy(desk: Desk) -> None:
    desk.lose(day=OCTOBER, processed=False, **NO_ROWS)
    desk.lose(processed=True, **NO_ROWS)
    with pytest.raises(AmbiguousOrder) as caught:
        desk.begin(**NO_ROWS)
    rival, own = sorted(desk.ledger().pending(), key=lambda entry: entry.title)
    said = str(caught.value)
    assert own.key in said
    assert own.title == "click 2026-11-01 to 2026-11-01" in said
    assert (
        f"a job matches it, but it may belong to request {rival.key} (click 2026-10-01 to 2026-10-01), whose "
        "order got no response either"
    ) in said
    assert caught.value.tried == {desk.ids()[0]: "its file does not show which order it belongs to"}
    desk.ledger().abandon(rival.key)
    assert desk.begin(**NO_ROWS).handle.adopted
    again = desk.begin(day=OCTOBER, **NO_ROWS)  # as if there had been no order before
    assert desk.ids()[1:] == [again.id]
    assert not again.handle.adopted


def test_old_intent_is_not_a_rival(desk: Desk) -> None:
    """Its job would exist by then: 60 s for the order, 5 min of tolerance, 2 s of a Date."""
    desk.lose(day=OCTOBER, processed=False, **NO_ROWS)
    for seconds, day in ((350, DAY), (30, NEXT)):
        desk.clock.advance(seconds)
        desk.lose(day=day, processed=True, **NO_ROWS)
    with pytest.raises(AmbiguousOrder):
        desk.begin(**NO_ROWS)
    desk.ledger().claim(desk.ledger().key(_request(DAY) | NO_ROWS_SENT), desk.ids()[0])
    assert desk.begin(day=NEXT, **NO_ROWS).id == desk.ids()[1]


def _request(day: date) -> dict[str, JobId]:
    return {"report_type": "click", "from_date": day.isoformat(), "to_date": day.isoformat()}


# ---- ordering again


def test_reorder_adopts_nothing_and_does_not_wait(desk: Desk) -> None:
    desk.lose(processed=True)
    begun = desk.clock.monotonic()
    anew = desk.begin(reorder=True)
    assert desk.ids()[1:] == [anew.id]
    assert not anew.handle.adopted
    assert desk.clock.monotonic() == begun
    (entry,) = desk.ledger().entries()
    assert entry.abandoned == (desk.ids()[0],)


def test_reorder_works_despite_a_broken_file_of_another_request(desk: Desk) -> None:
    other = desk.begin(kind="clickin")
    assert other.handle.in_ledger
    desk.lose(processed=True)
    (path,) = desk.ledger().folder.glob("clickin_*.json")
    path.write_text("{")
    with pytest.raises(LedgerError, match="clickin"):
        desk.begin()
    assert desk.begin(reorder=True).id == desk.ids()[2]


# ---- waiting time


@pytest.mark.exhaustive
def test_one_wait_settles_all_open_intents(desk: Desk) -> None:
    for day in DAYS:
        desk.lose(day=day, processed=False)
    exports, begun = desk.exports(), desk.clock.monotonic()
    for day in DAYS:
        desk.begin(exports, day)
    assert 60 <= desk.clock.monotonic() - begun <= 63
    assert len(desk.ids()) == len(DAYS)


@pytest.mark.exhaustive
def test_later_intent_is_waited_for_separately(desk: Desk) -> None:
    exports = desk.exports()
    for _ in range(2):  # the same request, lost both times
        desk.lose(exports, processed=False)
        begun = desk.clock.monotonic()
        export = desk.begin(exports)
        assert desk.clock.monotonic() - begun >= 60
        desk.ledger().done(desk.ledger().key(export.handle.request), "ab" * 32)


@pytest.mark.parametrize(("deadline", "least"), [("300", 300), ("10", 60)])
def test_wait_is_at_least_the_maximum_time_of_a_call(desk: Desk, deadline: str, least: int) -> None:
    desk.lose(processed=False)
    begun = desk.clock.monotonic()
    desk.begin(desk.exports(deadline=deadline))
    assert least <= desk.clock.monotonic() - begun <= least + 3


# ---- deadlines


def test_ordering_again_stops_at_the_deadline(desk: Desk, tmp_path: Path) -> None:
    handle, exports = desk.expired(), desk.exports()
    ledger = desk.ledger(exports)
    with desk.lost(processed=False):
        exports.reorder_once(ledger, handle)
    begun = desk.clock.monotonic()
    with pytest.raises(DeadlineExceeded, match="earlier order"):
        desk.exports().resume(handle, ledger).download(tmp_path / "x", deadline=20)
    assert desk.clock.monotonic() - begun <= 20
    assert desk.ids() == [handle.job_id]


def test_waiting_for_another_order_stops_at_the_deadline(desk: Desk, tmp_path: Path) -> None:
    handle, exports = desk.expired(), desk.exports()
    patient = exports.ledger(desk.folder / "ledger", patience=300)
    begun = desk.clock.monotonic()
    with desk.ledger().lock(), pytest.raises(LedgerBusy):
        exports.resume(handle, patient).download(tmp_path / "x", deadline=20)
    assert desk.clock.monotonic() - begun <= 21


def test_note_of_a_complete_file_stops_waiting_for_the_lock(
    desk: Desk, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """The file is complete. Its note stops waiting for the lock, and the log explains the consequence."""
    exports = desk.exports()
    ledger = exports.ledger(desk.folder / "ledger", patience=300)
    export = desk.begin(exports, ledger=ledger)
    begun = desk.clock.monotonic()
    with desk.ledger().lock():
        assert export.download(tmp_path / "x", deadline=60).row_count == 20
    assert desk.clock.monotonic() - begun <= 61
    assert "uses this job again" in caplog.text
    assert desk.begin(exports, ledger=ledger).handle == export.handle
    assert desk.begin(exports, ledger=ledger, reorder=True).id == desk.ids()[1]


# ---- messages about expired jobs


@pytest.mark.exhaustive
def test_existing_job_is_not_reported_as_ordered_and_may_have_expired(
    desk: Desk, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    desk.sandbox.jobs.script(JobScript(expire=True), JobScript(expire=True))
    exports = desk.exports()
    plain = exports.order(report_type="click", from_date=DAY, to_date=DAY).handle
    ledger = desk.ledger(exports)
    known = desk.begin(exports, ledger=ledger)
    ledger.done(ledger.key(known.handle.request), "ab" * 32)
    desk.clock.advance(3600)
    told: list[ExportHandle] = []
    export = exports.resume(plain, ledger)
    assert export.download(tmp_path / "x", on_reorder=told.append).row_count == 20
    assert desk.ids() == [plain.job_id, known.id, export.id]
    assert [handle.job_id for handle in told] == [known.id, export.id]
    ordered = re.findall(r"export job (\S+) had expired: ordered again as job (\S+)", caplog.text)
    assert ordered == [(known.id, export.id)]
    assert f"continuing with job {known.id}" in caplog.text


def test_expired_job_is_ordered_again_only_once(desk: Desk, tmp_path: Path) -> None:
    desk.sandbox.jobs.script(*[JobScript(expire=True)] * 3)
    handle, exports = desk.begin().handle, desk.exports()
    desk.clock.advance(3600)
    with pytest.raises(JobExpired):
        exports.resume(handle, desk.ledger(exports)).download(tmp_path / "x")
    assert len(desk.ids()) == 2


# ---- overlapping requests: one includes the days of the other


@pytest.mark.sampled(1)
@pytest.mark.parametrize("day", [DAY, NEXT])
@pytest.mark.parametrize("processed", [True, False])
@pytest.mark.parametrize("great_first", [True, False])
def test_error_names_a_request_that_can_be_settled_first(
    desk: Desk, tmp_path: Path, day: date, processed: bool, great_first: bool
) -> None:
    """Two days and one of these days, both lost. The order of two days may not have been carried out."""
    desk.lose(last=NEXT, processed=processed)
    desk.lose(day=day, processed=True)
    desk.clock.advance(4000)
    *great, small = desk.ids()
    if great_first and not processed:
        with pytest.raises(AmbiguousOrder, match=f"click {day} to {day}.*order that request again first"):
            desk.begin(last=NEXT)
    elif great_first:
        assert desk.begin(last=NEXT).id == great[0]
    one = desk.begin(day=day)
    assert one.id == small
    both = desk.begin(last=NEXT)
    assert desk.ids() == ([*great, small] if processed else [small, both.id])
    assert one.download(tmp_path / "one").row_count == 20
    assert both.download(tmp_path / "both").row_count == 40


def test_late_job_of_a_request_that_was_ordered_again_may_not_be_adopted(desk: Desk) -> None:
    """The first order of one day is carried out after the second. Two days are lost, and not carried out."""
    desk.lose(processed=False)
    desk.lose(last=NEXT, processed=False)
    anew = desk.begin(reorder=True)
    late = desk.by_hand()
    with pytest.raises(AmbiguousOrder, match=f"click {DAY} to {DAY}") as caught:
        desk.begin(last=NEXT)
    assert "first" not in str(caught.value)  # the request of one day has its job
    assert desk.ids() == [anew.id, late]


def test_late_job_of_a_request_that_was_ordered_again_is_excluded_by_its_file(desk: Desk) -> None:
    for day in (DAY, NEXT):
        desk.lose(day=day, processed=False)
    anew = desk.begin(reorder=True)
    late = desk.by_hand()
    both = [anew.id, late]
    own = desk.begin(day=NEXT)
    assert desk.ids() == [*both, own.id]
    assert not own.handle.adopted


OWN: dict[str, JobId] = {"report_type": "sale", "from_date": "2026-11-02", "to_date": "2026-11-03"}


@pytest.mark.parametrize(
    ("others", "of_rival", "taken"),
    [
        ({"to_date": "2026-11-04"}, None, True),
        ({"from_date": "2026-10-30", "to_date": "2026-11-04"}, None, True),
        ({"to_date": "2026-11-04"}, True, False),  # both match
        ({"to_date": "2026-11-02"}, None, False),  # fewer days
        ({"from_date": "2026-11-03", "to_date": "2026-11-04"}, None, False),
        # Rows of a trackingDate may be a part of that day's rows, and all of the rows modified that day.
        ({"date_type": "modifiedDate"}, None, False),
        ({"date_type": "modifiedDate", "to_date": "2026-11-04"}, None, False),
        ({"program_id": 7, "to_date": "2026-11-04"}, None, False),
    ],
)
def test_file_is_withheld_only_if_another_request_could_mean_other_rows(
    others: dict[str, JobId], of_rival: bool | None, taken: bool
) -> None:
    own, rival = intent(OWN), intent(OWN | others)
    search = Search(own, NOW, timedelta(minutes=5), frozenset(), rivals=(rival,))
    job = ListedJob("1", "sale", NOW)
    seen = {"1": Evidence({own.key: True, rival.key: of_rival})}
    assert replace(search, seen=seen).own([job]) == [job][:taken]
    assert replace(search, seen={"1": Evidence({own.key: True})}).own([job]) == []  # not yet compared


@pytest.mark.exhaustive
def test_inconclusive_files_are_reported(desk: Desk) -> None:
    """Two orders without rows: neither must go first, and neither file matches by its content."""
    for day in (DAY, NEXT):
        desk.lose(day=day, processed=True, **NO_ROWS)
    desk.clock.advance(100)
    for day, other in ((DAY, NEXT), (NEXT, DAY)):
        with pytest.raises(AmbiguousOrder, match="does not show") as caught:
            desk.begin(day=day, **NO_ROWS)
        key = desk.ledger().key(_request(other) | NO_ROWS_SENT)
        rival = f"request {key} (click {other} to {other})"
        assert f"2 jobs match it, but one of them may belong to {rival}, whose" in str(caught.value)
        assert "first" not in str(caught.value)
        assert "by their files" not in str(caught.value)
        assert "--reorder" in str(caught.value)
    assert len(desk.ids()) == 2


# ---- jobs that have failed


@pytest.mark.sampled(1)
@pytest.mark.parametrize("by_hand", [True, False])
def test_failed_job_does_not_count_as_still_expected(desk: Desk, by_hand: bool) -> None:
    """The job of another order has failed, and this order is carried out half a minute late."""
    desk.sandbox.jobs.script(JobScript(fail="no disk left"))
    if by_hand:
        desk.by_hand()
    else:
        desk.lose(processed=True)
    desk.lose(day=NEXT, processed=False)
    desk.clock.advance(10)
    late = desk.clock.now() + timedelta(seconds=20)

    def turns_up(_: Request) -> None:
        if desk.clock.now() > late:
            desk.sandbox.interfere = None
            desk.by_hand(NEXT)

    desk.sandbox.interfere = turns_up
    export = desk.begin(day=NEXT)
    if by_hand:  # the only job, and no other order asks for it
        with pytest.raises(JobFailed):
            export.wait()
        (entry,) = desk.ledger().pending()
        assert entry.former == entry.not_ours == (desk.ids()[0],)
        export = desk.begin(day=NEXT)
    assert desk.ids()[1:] == [export.id]
    assert export.handle.adopted
    assert export.download(desk.folder / "x").row_count == 20


def test_failed_job_does_not_prolong_the_search(desk: Desk) -> None:
    desk.sandbox.jobs.script(JobScript(fail="no disk left"))
    desk.lose(processed=True)
    desk.clock.advance(100)
    for _ in range(2):
        export = desk.begin()
        if export.handle.adopted:
            with pytest.raises(JobFailed):
                export.wait()
    assert len(desk.ids()) == 2
    assert export.download(desk.folder / "x").row_count == 20


# ---- inspecting files


@pytest.mark.exhaustive
def test_job_without_a_state_is_checked_if_its_file_is_available(desk: Desk) -> None:
    for day in (DAY, NEXT):
        desk.lose(day=day, processed=True)
    made = desk.ids()
    desk.clock.advance(200)

    def stateless(request: Request) -> Response | None:
        if "/jobs" not in request.path or request.path.endswith("/download"):
            return None
        desk.sandbox.interfere = None
        answered = desk.sandbox.answer(request)
        desk.sandbox.interfere = stateless
        bare = re.sub(r"<(\w+:)?status>[^<]*</(\w+:)?status>", "", answered.get_data(as_text=True))
        assert "status" not in bare
        answered.set_data(bare)
        return answered

    desk.sandbox.interfere = stateless
    begun = desk.clock.monotonic()
    assert [desk.begin(day=day).id for day in (DAY, NEXT)] == made
    assert desk.clock.monotonic() - begun < 60


def test_checking_jobs_stops_at_the_deadline(desk: Desk) -> None:
    """Each request gets the rest of the deadline, not the whole timeout of a call."""
    for day in (DAY, NEXT):
        desk.lose(day=day, processed=True)
    desk.clock.advance(200)
    exports = desk.exports()
    jobs = exports.jobs
    looked, look = [], jobs.look

    def noted(handle: ExportHandle, until: Deadline | None = None) -> JobSnapshot:
        looked.append(until is None)  # None: a poll may take as long as any call
        return look(handle, until)

    jobs.look = noted  # type: ignore[method-assign]  # on this instance only
    desk.begin(exports, within=20)
    assert looked
    assert not any(looked)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("status", [401, 403])
def test_refused_file_counts_as_unreadable(desk: Desk, status: int) -> None:
    """The service has just accepted the same credentials."""
    desk.lose(processed=True)
    desk.by_hand(NEXT)
    own, other = desk.ids()
    desk.clock.advance(200)

    def refused(request: Request) -> Response | None:
        return Response(status=status) if other in request.path and "download" in request.path else None

    desk.sandbox.interfere = refused
    assert desk.begin().id == own  # its file matches


@pytest.mark.exhaustive
def test_each_file_is_checked_once_for_all_lost_orders(desk: Desk) -> None:
    for day in DAYS:
        desk.lose(day=day, processed=True)
    made, downloads = desk.ids(), list[str]()
    desk.clock.advance(100)

    def see(request: Request) -> None:
        if request.path.endswith("/download"):
            downloads.append(request.path)

    desk.sandbox.interfere = see
    assert [desk.begin(day=day).id for day in DAYS] == made
    assert len(downloads) == len(DAYS)


@pytest.mark.exhaustive
def test_endless_job_is_reported_at_the_deadline_with_the_attempts(desk: Desk) -> None:
    desk.sandbox.jobs.script(JobScript(stuck="running"))
    desk.lose(day=NEXT, processed=True)
    desk.lose(processed=False)
    desk.clock.advance(100)
    exports = desk.exports()
    begun = desk.clock.monotonic()
    with pytest.raises(AmbiguousOrder, match=r"it is not done yet.*--reorder") as caught:
        desk.begin(exports, within=120)
    assert caught.value.tried == {desk.ids()[0]: "it is not done yet"}
    assert desk.clock.monotonic() - begun <= 121
    assert len(desk.ids()) == 1
    over = exports.until(1)
    desk.clock.advance(2)  # before any file was inspected
    with pytest.raises(DeadlineExceeded, match="finding the job of the earlier order"):
        exports.begin(desk.ledger(exports), report_type="click", from_date=DAY, to_date=DAY, until=over)
