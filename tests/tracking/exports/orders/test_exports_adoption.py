"""Which jobs may belong to a pending order, by type, date and account."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

import pytest
from werkzeug.wrappers import Request

from soapclient.errors import AmbiguousOrder, ConfigError, JobFailed
from soapclient.tracking.exports.export import Orders
from soapclient.tracking.exports.orders.adoption import ListedJob, Search
from soapclient.tracking.sandbox import SAMPLE_CONNECT_ID, JobScript
from tests.tracking.exports.lossy import FIRST, OTHER_ID, SECOND, THEIRS, Lossy, lossy_stage
from tests.tracking.exports.records import intent

__all__ = ["lossy_stage"]  # the fixture `stage`


@pytest.mark.exhaustive
def test_impossible_jobs_are_not_candidates(stage: Lossy) -> None:
    stage.by_hand()  # older than the tolerance
    stage.clock.advance(303)
    stage.order(day=SECOND)  # claimed by the ledger
    stage.lose(processed=True)
    stage.by_hand(kind="clickin")
    stage.exporter(account=OTHER_ID).order(report_type="click", from_date=FIRST, to_date=FIRST)
    assert len(stage.ids()) == 4
    assert stage.order().job_id == stage.ids()[2]
    assert len(stage.ids()) == 4
    assert len(stage.ids(OTHER_ID)) == 1


def test_given_tolerance_is_used(stage: Lossy) -> None:
    exporter = stage.exporter()
    stage.by_hand()
    stage.clock.advance(60)
    stage.lose(processed=False)
    ledger = stage.ledger(exporter)
    handle = exporter.order_once(
        ledger, report_type="click", from_date=FIRST, to_date=FIRST, tolerance=timedelta(seconds=50)
    )
    assert handle.job_id == stage.ids()[1]
    stage.clock.advance(600)
    stage.by_hand(SECOND)
    stage.clock.advance(60)
    stage.lose(day=SECOND, processed=False)
    assert stage.order(day=SECOND).job_id == stage.ids()[2]  # it is within the tolerance of five minutes
    assert len(stage.ids()) == 3


def test_service_may_use_another_name_for_a_type(stage: Lossy) -> None:
    stage.lose(kind="sales", processed=True)
    assert stage.sandbox.jobs.of(SAMPLE_CONNECT_ID)[0].order.report_type == "sale"
    assert stage.order(kind="sales").job_id == stage.ids()[0]
    assert len(stage.ids()) == 1


@pytest.mark.exhaustive
def test_a_job_is_found_on_any_page(stage: Lossy) -> None:
    for _ in range(120):
        stage.by_hand(kind="clickin")
    stage.lose(processed=True)
    assert stage.order().job_id == stage.ids()[120]


@pytest.mark.parametrize("script", [JobScript(fail="no disk left"), JobScript(expire=True)])
def test_failed_or_expired_job_is_adopted(stage: Lossy, script: JobScript) -> None:
    stage.sandbox.jobs.script(script)
    stage.lose(processed=True)
    stage.clock.advance(10)
    exporter = stage.exporter()
    handle = stage.order(exporter)
    assert stage.ids() == [handle.job_id]
    if script.fail:
        with pytest.raises(JobFailed):
            exporter.resume(handle).wait()
    stage.ledger().forget(stage.ledger().key(handle.request))
    again = stage.order()
    assert stage.ids() == [handle.job_id, again.job_id]


def test_a_forgotten_job_is_not_adopted_again(stage: Lossy) -> None:
    handle = stage.order()
    stage.ledger().forget(stage.ledger().key(handle.request))
    stage.lose(processed=False)
    again = stage.order()
    assert stage.ids() == [handle.job_id, again.job_id]


@pytest.mark.sampled(1)
@pytest.mark.parametrize("field", ["create_date", "report_type", "future"])
def test_jobs_with_too_few_details_are_checked_by_their_file(stage: Lossy, field: str) -> None:
    """One job has no rows, the other the ordered days. The first can belong to any order."""
    exporter = stage.exporter()
    service = exporter.jobs
    listed = service.list_jobs
    assert listed is not None

    def jobs() -> Iterator[object]:
        for item in listed():
            if field == "future":
                item.create_date += timedelta(hours=2)  # type: ignore[attr-defined] # a generated attribute
            else:
                setattr(item, field, None)
            yield item

    service.list_jobs = jobs
    stage.lose(processed=False)
    stage.by_hand(currency="XXX")
    (foreign,) = stage.ids()
    said = r"is uncertain: .*its file does not show which order it belongs to"
    with pytest.raises(AmbiguousOrder, match=said) as caught:
        stage.order(exporter)
    assert caught.value.job_ids == (foreign,)
    assert stage.ids() == [foreign]
    stage.by_hand()
    assert stage.order(exporter).job_id == stage.ids()[1]
    assert len(stage.ids()) == 2


def told(stage: Lossy, off: timedelta, wrong: timedelta = timedelta()) -> Orders:
    """Return the exporter of a client that receives a wrong Date. The service uses the correct time."""
    exporter = stage.exporter(wrong)
    right = exporter.jobs.time
    exporter.jobs.time = lambda: None if (theirs := right()) is None else theirs + off
    return exporter


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("minutes", "ours"),
    [
        *((minutes, 0) for minutes in (-29, -20, -6, 6, 20, 29)),  # within the validity of a signature
        *((minutes, ours) for minutes in (-60, 60, 60_000) for ours in (-20, 0, 20)),
        *((6, ours) for ours in (-20, -3, 20)),
        (20, -20),
        (-20, 20),
    ],
)
@pytest.mark.parametrize("at_once", [False, True])  # or the order for another day comes first
def test_wrong_date_at_the_order_does_not_hide_a_job(
    stage: Lossy, minutes: int, ours: int, at_once: bool
) -> None:
    exporter = told(stage, timedelta(minutes=minutes), timedelta(minutes=ours))
    if not at_once:
        stage.order(exporter, SECOND)
    with stage.lost(processed=True):
        stage.order(exporter)
    made = stage.ids()
    assert stage.order(stage.exporter()).job_id == made[-1]
    assert stage.ids() == made


@pytest.mark.sampled(2)
@pytest.mark.parametrize("minutes", [-60, -20, 20, 60])
def test_wrong_date_at_the_search_does_not_shorten_the_wait(stage: Lossy, minutes: int) -> None:
    stage.lose(processed=False)
    begun = stage.clock.monotonic()

    def late(_: Request) -> None:
        if stage.clock.monotonic() > begun + 50 and not stage.ids():
            stage.sandbox.interfere = None
            stage.by_hand()

    stage.sandbox.interfere = late
    # By this Date, which may be correct, the job is from the future. Its file decides.
    assert [stage.order(told(stage, timedelta(minutes=minutes))).job_id] == stage.ids()


def test_services_without_a_date_header_are_estimated_by_the_local_clock(stage: Lossy) -> None:
    """Only within the validity of signatures: there, a job that differs by 25 minutes is still found."""

    def undated(exporter: Orders) -> Orders:
        exporter.jobs.time = lambda: None
        return exporter

    with stage.lost(processed=True):
        stage.order(undated(stage.exporter(timedelta(minutes=25))))
    begun = stage.clock.monotonic()
    handle = stage.order(undated(stage.exporter(timedelta(minutes=-25))))
    assert stage.ids() == [handle.job_id]
    with stage.lost(processed=False):
        stage.order(undated(stage.exporter()), SECOND)
    stage.order(undated(stage.exporter()), SECOND)
    assert stage.clock.monotonic() - begun < 130  # uncertainty does not prolong the wait
    assert len(stage.ids()) == 2


@pytest.mark.parametrize("clock_error", [0.0, 2.0, 600.0])
def test_a_jobs_date_may_be_off_by_the_tolerance_and_the_error_of_the_clock(clock_error: float) -> None:
    ordered = THEIRS - timedelta(hours=1)
    sale = {"report_type": "sale"}
    entry = intent(sale, intended_at=ordered, tried_at=ordered, clock_error=clock_error)
    tolerance, second = timedelta(minutes=5), timedelta(seconds=1)
    search = Search(entry, THEIRS, tolerance, frozenset())
    margin = tolerance + timedelta(seconds=clock_error)
    dates = {
        "too early": ordered - margin - second,
        "as early as can be": ordered - margin,
        "in between": ordered + second,
        "as late as can be": THEIRS + margin,
        "to come": THEIRS + margin + second,
    }
    fit, might = search.candidates([ListedJob(name, "sale", date) for name, date in dates.items()])
    assert [job.id for job in fit] == ["as early as can be", "in between", "as late as can be"]
    assert [job.id for job in might] == ["to come"]


def test_nothing_is_ordered_without_a_list_of_jobs(stage: Lossy) -> None:
    exporter = stage.exporter()
    exporter.jobs.list_jobs = None
    said = r"set list in \[job\] to the operation that lists jobs, and generate"
    with pytest.raises(ConfigError, match=said):
        stage.order(exporter)
    assert stage.ids() == []
