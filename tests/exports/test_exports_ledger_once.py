"""Ordering once over HTTP, with answers that get lost, clocks that are wrong and other people's jobs."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from io import BytesIO
from pathlib import Path
from typing import Literal
from zoneinfo import ZoneInfo

import pytest
from werkzeug.wrappers import Request, Response

from soapclient.client import Client
from soapclient.clock import ManualClock
from soapclient.config import Config
from soapclient.errors import (
    AmbiguousOutcome,
    ConfigError,
    ContractError,
    JobExpired,
    JobFailed,
    ServiceFault,
    SoapClientError,
)
from soapclient.exports.exporter import Exporter
from soapclient.exports.formats.request_match import NotThisExport
from soapclient.exports.handle import ExportHandle
from soapclient.exports.orders.adoption import AmbiguousOrder
from soapclient.exports.orders.ledger import Ledger
from soapclient.sandbox import SAMPLE_CONNECT_ID, SAMPLE_SECRET_KEY, JobScript, Sandbox, serve

FIRST, SECOND, OCTOBER = date(2026, 11, 1), date(2026, 11, 2), date(2026, 10, 1)
THEIRS = datetime(2026, 11, 20, 12, tzinfo=UTC)
OTHER_ID, OTHER_KEY = "0123456789ABCDEF0123", "another+sample/key0123456789abcdefghij"
BERLIN = ZoneInfo("Europe/Berlin")
Fate = Literal["lost", "never came"]


def is_order(request: Request) -> bool:
    """By REST or SOAP."""
    return "/jobs/reports/type/" in request.path or b"CreateReportJobRequest" in request.get_data()


@dataclass
class Stage:
    """A sandbox with a clock of its own; clients whose clocks are off by `wrong`."""

    sandbox: Sandbox
    url: str
    clock: ManualClock
    folder: Path
    stack: ExitStack
    requests: list[str]

    def exporter(
        self, wrong: timedelta = timedelta(), *, account: str = SAMPLE_CONNECT_ID, carrier: str = "rest"
    ) -> Exporter:
        """That of a client just started."""
        key = SAMPLE_SECRET_KEY if account == SAMPLE_CONNECT_ID else OTHER_KEY
        config = Config.load(
            environ={}, connect_id=account, secret_key=key, data_url=self.url, data_carrier=carrier
        )
        client = self.stack.enter_context(Client(config, clock=Wrong(self.clock, wrong), random=lambda: 0.0))
        return client.data.exports

    def order(
        self, exporter: Exporter | None = None, day: date = FIRST, kind: str = "click", **options: bool
    ) -> ExportHandle:
        exporter = self.exporter() if exporter is None else exporter
        ledger = exporter.ledger(self.folder)
        reorder = options.get("reorder", False)
        return exporter.order_once(ledger, report_type=kind, from_date=day, to_date=day, reorder=reorder)

    def ledger(self) -> Ledger:
        return self.exporter().ledger(self.folder)

    def ids(self, account: str = SAMPLE_CONNECT_ID) -> list[str]:
        """What was really ordered."""
        return [job.id for job in self.sandbox.jobs.of(account)]

    @contextmanager
    def answers(self, fate: Fate) -> Iterator[None]:
        """Orders are carried out or not, and the answer is a gateway's."""

        def interfere(request: Request) -> Response | None:
            if not is_order(request):
                return None
            if fate == "lost":
                self.sandbox.interfere = None
                self.sandbox.answer(request)
                self.sandbox.interfere = interfere
            return Response("<html>gateway", status=502)

        before, self.sandbox.interfere = self.sandbox.interfere, interfere
        yield
        self.sandbox.interfere = before

    def lose(
        self, fate: Fate = "lost", day: date = FIRST, kind: str = "click", wrong: timedelta = timedelta()
    ) -> None:
        with self.answers(fate), pytest.raises(AmbiguousOutcome) as caught:
            self.order(self.exporter(wrong), day, kind)
        assert not isinstance(caught.value, AmbiguousOrder)
        assert any("stays pending" in note for note in caught.value.__notes__)


class Wrong:
    """A clock whose date is wrong, which runs like another."""

    def __init__(self, clock: ManualClock, wrong: timedelta) -> None:
        self._clock = clock
        self._wrong = wrong

    def now(self) -> datetime:
        return self._clock.now() + self._wrong

    def monotonic(self) -> float:
        return self._clock.monotonic()

    def sleep(self, seconds: float) -> None:
        self._clock.sleep(seconds)


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[Stage]:
    clock, requests = ManualClock(THEIRS), list[str]()
    accounts = {SAMPLE_CONNECT_ID: SAMPLE_SECRET_KEY, OTHER_ID: OTHER_KEY}

    def noted(request: Request) -> Response | None:
        requests.append(f"{request.method} {request.path}")
        return None

    with ExitStack() as stack:
        sandbox = stack.enter_context(
            Sandbox(clock=clock.now, clicks_per_day=20, accounts=accounts, interfere=noted)
        )
        server = stack.enter_context(serve(sandbox, timeout=5))
        yield Stage(sandbox, server.url, clock, tmp_path / "ledger", stack, requests)


def test_the_same_again_gives_the_same_and_sends_nothing(stage: Stage) -> None:
    first = stage.order()
    assert stage.ids() == [first.job_id]
    sent = len(stage.requests)
    assert stage.order() == first
    assert len(stage.requests) == sent
    second = stage.order(day=SECOND)
    assert stage.ids() == [first.job_id, second.job_id]
    assert set(stage.ledger().handles()) == {first, second}
    assert stage.ledger().pending() == ()
    assert first.request == {"report_type": "click", "from_date": "2026-11-01", "to_date": "2026-11-01"}


def test_nothing_in_the_folder_is_secret(stage: Stage) -> None:
    stage.order()
    stage.lose(day=SECOND)
    for path in stage.folder.rglob("*"):
        assert SAMPLE_CONNECT_ID.lower() not in str(path).lower()
        if path.is_file():
            text = path.read_text().lower()
            assert SAMPLE_CONNECT_ID.lower() not in text
            assert SAMPLE_SECRET_KEY.lower() not in text


@pytest.mark.parametrize("carrier", ["rest", "soap"])
def test_a_job_whose_answer_was_lost_is_adopted(stage: Stage, tmp_path: Path, carrier: str) -> None:
    with stage.answers("lost"), pytest.raises(AmbiguousOutcome):
        stage.order(stage.exporter(carrier=carrier))
    (made,) = stage.ids()
    exporter = stage.exporter(carrier=carrier)
    handle = stage.order(exporter)
    assert handle.job_id == made
    assert stage.ids() == [made]
    entry = exporter.ledger(stage.folder).find(handle.request)
    assert entry is not None
    assert entry.adopted
    assert handle.ordered_at == THEIRS
    file = exporter.resume(handle).download(tmp_path / "x.csv.gz")
    assert exporter.ledger(stage.folder).verify(handle, file, BERLIN) is True


def test_an_order_that_never_came_is_ordered_once_more(stage: Stage) -> None:
    stage.lose("never came")
    assert stage.ids() == []
    begun = stage.clock.monotonic()
    handle = stage.order()
    assert stage.ids() == [handle.job_id]
    assert 60 <= stage.clock.monotonic() - begun <= 63  # until it could not turn up any more
    (entry,) = stage.ledger().entries()
    assert (entry.attempts, entry.adopted, entry.intended_at) == (2, False, THEIRS)


def test_a_job_that_turns_up_late_is_waited_for(stage: Stage) -> None:
    stage.lose("never came")

    def late(request: Request) -> Response | None:
        if stage.clock.now() > THEIRS + timedelta(seconds=30) and not stage.ids():
            stage.sandbox.interfere = None
            other = stage.exporter()
            other.order(report_type="click", from_date=FIRST, to_date=FIRST)
        return None

    stage.sandbox.interfere = late
    handle = stage.order()
    assert stage.ids() == [handle.job_id]


@pytest.mark.parametrize("first", [-3, -0.4, -0.25, 0, 0.25, 0.4, 3])
@pytest.mark.parametrize("second", [-3, 0.4])
@pytest.mark.parametrize("fate", ["lost", "never came"])
def test_wrong_clocks_order_nothing_twice(stage: Stage, first: float, second: float, fate: Fate) -> None:
    """A clock that is off by less than signatures are valid is never told so, and not to be believed."""
    stage.order(day=SECOND)  # a job from before
    stage.clock.advance(900)
    stage.lose(fate, wrong=timedelta(hours=first))
    stage.clock.advance(100)
    handle = stage.order(stage.exporter(timedelta(hours=second)))
    assert len(stage.ids()) == 2
    assert stage.ids()[1] == handle.job_id


def test_the_date_of_a_gateways_answer_is_not_the_services(stage: Stage) -> None:
    exporter = stage.exporter()
    stage.order(exporter, SECOND)
    stage.clock.advance(10)
    service = stage.sandbox._clock
    stage.sandbox._clock = lambda: THEIRS + timedelta(hours=5)
    with stage.answers("never came"), pytest.raises(AmbiguousOutcome):
        stage.order(exporter)
    stage.sandbox._clock = service
    assert exporter.downloads.jobs.service.time() == THEIRS + timedelta(seconds=10)
    (entry,) = stage.ledger().pending()
    assert entry.intended_at == THEIRS + timedelta(seconds=10)


def test_several_candidates_are_told_apart_by_their_files(stage: Stage, tmp_path: Path) -> None:
    stage.lose()
    for _ in range(2):
        stage.exporter().order(report_type="click", from_date=SECOND, to_date=SECOND)
    made = stage.ids()
    exporter = stage.exporter()
    handle = stage.order(exporter)
    assert handle.job_id == made[0]
    assert stage.ids() == made
    (entry,) = stage.ledger().entries()
    assert (entry.adopted, set(entry.not_ours)) == (True, set(made[1:]))
    assert not any(path.is_dir() for path in stage.ledger().folder.iterdir())  # what was looked at is gone
    assert exporter.resume(handle).download(tmp_path / "x.csv.gz").row_count == 20


def test_what_a_file_told_is_remembered(stage: Stage) -> None:
    """Each file is looked at once, whoever dies in between."""
    stage.lose()
    by_hand = stage.exporter()
    for day in (SECOND, FIRST):
        by_hand.order(report_type="click", from_date=day, to_date=day)
    for looked in (3, 2):  # one is another's for good
        stage.requests.clear()
        with pytest.raises(AmbiguousOrder):
            stage.order()
        assert sum(request.endswith("/download") for request in stage.requests) == looked


def test_several_candidates_of_the_same_content_are_named_and_not_chosen_from(stage: Stage) -> None:
    stage.lose()
    stage.exporter().order(report_type="click", from_date=FIRST, to_date=FIRST)
    stage.exporter().order(report_type="click", from_date=SECOND, to_date=SECOND)
    *made, other = stage.ids()
    for _ in range(2):
        with pytest.raises(AmbiguousOrder, match="2 jobs fit it, by their files too") as caught:
            stage.order()
        assert set(caught.value.job_ids) == set(made)
        assert all(f"{job_id} (its file fits)" in str(caught.value) for job_id in made)
        assert stage.ids() == [*made, other]
    key = caught.value.key
    handle = stage.ledger().claim(key, made[0])
    assert stage.order() == handle


def test_it_says_what_was_tried(stage: Stage) -> None:
    stage.lose()
    by_hand = stage.exporter()
    for script in (JobScript(damage="corrupt"), JobScript(fail="no disk left")):
        stage.sandbox.jobs.script(script)
        by_hand.order(report_type="click", from_date=FIRST, to_date=FIRST)
    by_hand.order(report_type="click", from_date=FIRST, to_date=FIRST)
    by_hand.order(report_type="click", from_date=SECOND, to_date=SECOND)
    own, damaged, failed, same, other = stage.ids()
    with pytest.raises(AmbiguousOrder) as caught:
        stage.order()
    assert set(caught.value.job_ids) == {own, damaged, failed, same}
    tried = caught.value.tried
    assert (tried[own], tried[other]) == ("its file fits", "its file is another order's")
    assert "damaged" in tried[damaged]
    assert "no file" in tried[failed]
    assert all(tried[str(job_id)] in str(caught.value) for job_id in caught.value.job_ids)
    assert "files of 1 more" in str(caught.value)
    again = pickle.loads(pickle.dumps(caught.value))
    assert (str(again), again.tried) == (str(caught.value), tried)


def test_a_job_that_is_not_done_is_waited_for_and_then_looked_at(stage: Stage) -> None:
    slow = JobScript(states=("created", *["running"] * 5))
    stage.sandbox.jobs.script(slow, slow)
    stage.lose()
    stage.exporter().order(report_type="click", from_date=SECOND, to_date=SECOND)
    assert stage.order().job_id == stage.ids()[0]
    assert len(stage.ids()) == 2


def test_one_that_hangs_is_not_waited_for_where_another_ones_file_tells(stage: Stage) -> None:
    stage.lose()
    stage.sandbox.jobs.script(JobScript(stuck="running"))
    stage.exporter().order(report_type="click", from_date=FIRST, to_date=FIRST)
    begun = stage.clock.monotonic()
    stage.clock.advance(3)
    assert stage.order().job_id == stage.ids()[0]
    assert stage.clock.monotonic() - begun <= 3 + 3


def test_jobs_that_hang_are_waited_for_in_vain_to_the_deadline(stage: Stage) -> None:
    stage.sandbox.jobs.script(*[JobScript(stuck="running")] * 2)
    stage.lose()
    stage.exporter().order(report_type="click", from_date=FIRST, to_date=FIRST)
    exporter = stage.exporter()
    ledger, begun = exporter.ledger(stage.folder), stage.clock.monotonic()
    with pytest.raises(AmbiguousOrder, match="it is not done yet"):
        stage.order(exporter)
    assert 300 <= stage.clock.monotonic() - begun <= 303
    with pytest.raises(AmbiguousOrder, match="it is not done yet"):
        exporter.begin(ledger, report_type="click", from_date=FIRST, to_date=FIRST, until=exporter.until(20))
    assert stage.clock.monotonic() - begun <= 323
    assert len(stage.ids()) == 2


def test_of_jobs_without_a_file_none_is_worth_a_quarrel(stage: Stage) -> None:
    """Two orders, both failed at the service: each takes one, hears of it, and is ordered anew."""
    stage.sandbox.jobs.script(*[JobScript(fail="no disk left")] * 2)
    for day in (FIRST, SECOND):
        stage.lose(day=day)
    stage.clock.advance(10)
    failed, exporter = stage.ids(), stage.exporter()
    taken = [stage.order(exporter, day) for day in (FIRST, SECOND)]
    assert sorted(str(handle.job_id) for handle in taken) == sorted(failed)
    for handle in taken:
        with pytest.raises(JobFailed):
            exporter.resume(handle, stage.ledger()).wait()
    again = [stage.order(exporter, day).job_id for day in (FIRST, SECOND)]
    assert stage.ids() == [*failed, *again]


def test_an_order_of_more_days_does_not_take_the_job_of_one_of_them(stage: Stage) -> None:
    """Its rows lie within the days of both; that of all days can be that of the greater order alone."""
    week = {"report_type": "click", "from_date": FIRST, "to_date": SECOND}
    exporter = stage.exporter()
    ledger = exporter.ledger(stage.folder)
    with stage.answers("never came"), pytest.raises(AmbiguousOutcome):
        exporter.order_once(ledger, report_type="click", from_date=FIRST, to_date=SECOND)
    stage.lose()
    (small,) = stage.ids()
    with pytest.raises(AmbiguousOrder, match="as well"):
        exporter.order_once(ledger, report_type="click", from_date=FIRST, to_date=SECOND)
    key = ledger.key({name: str(value) for name, value in week.items()})
    ledger.abandon(key)
    assert stage.order(exporter).job_id == small
    assert stage.ids() == [small]


def test_of_several_jobs_one_of_fewer_days_is_not_taken_for_all_of_them(stage: Stage) -> None:
    """Its rows lie within the days that were ordered, and half of the rows are not in it."""
    exporter = stage.exporter()
    ledger = exporter.ledger(stage.folder)
    with stage.answers("never came"), pytest.raises(AmbiguousOutcome):
        exporter.order_once(ledger, report_type="click", from_date=FIRST, to_date=SECOND)
    for day in (FIRST, OCTOBER):  # somebody by hand
        exporter.order(report_type="click", from_date=day, to_date=day)
        exporter.order(report_type="click", from_date=day, to_date=day)
    with pytest.raises(AmbiguousOrder) as caught:
        exporter.order_once(ledger, report_type="click", from_date=FIRST, to_date=SECOND)
    assert set(caught.value.job_ids) == set(stage.ids()[:2])
    both = exporter.order(report_type="click", from_date=FIRST, to_date=SECOND).id
    handle = exporter.order_once(ledger, report_type="click", from_date=FIRST, to_date=SECOND)
    assert handle.job_id == both


@pytest.mark.parametrize("small_first", [True, False])
def test_each_takes_its_own_where_the_days_of_one_are_among_the_others(
    stage: Stage, small_first: bool
) -> None:
    exporter = stage.exporter()
    ledger = exporter.ledger(stage.folder)

    def order(last: date) -> ExportHandle:
        return exporter.order_once(ledger, report_type="click", from_date=FIRST, to_date=last)

    for last in (SECOND, FIRST):
        with stage.answers("lost"), pytest.raises(AmbiguousOutcome):
            order(last)
    own = dict(zip((SECOND, FIRST), stage.ids(), strict=True))
    for last in sorted(own, reverse=not small_first):
        assert order(last).job_id == own[last]
    assert stage.ids() == list(own.values())


def test_reorder_orders_anew_and_once(stage: Stage) -> None:
    stage.lose()
    stage.exporter().order(report_type="click", from_date=SECOND, to_date=SECOND)
    made = stage.ids()
    handle = stage.order(reorder=True)
    assert [*made, handle.job_id] == stage.ids()
    assert stage.order(reorder=True) == handle
    stage.lose(day=SECOND)  # what was given up may be somebody's: nobody takes it without being told
    with pytest.raises(AmbiguousOrder) as caught:
        stage.order(day=SECOND)
    assert set(caught.value.job_ids) == {made[1], stage.ids()[-1]}  # the first one's file is the first day's


def test_a_crash_while_reordering_does_not_bring_the_old_ones_back(stage: Stage) -> None:
    stage.lose()
    stage.exporter().order(report_type="click", from_date=SECOND, to_date=SECOND)
    with stage.answers("lost"), pytest.raises(AmbiguousOutcome):
        stage.order(reorder=True)
    assert len(stage.ids()) == 3
    assert stage.order().job_id == stage.ids()[2]
    assert len(stage.ids()) == 3


def test_of_two_intents_that_a_job_fits_its_file_tells_whose_it_is(stage: Stage) -> None:
    stage.lose("never came")
    stage.lose("lost", SECOND)
    (made,) = stage.ids()
    first = stage.order(day=FIRST)
    assert not first.adopted
    assert stage.order(day=SECOND).job_id == made
    assert stage.ids() == [made, first.job_id]


def test_a_job_that_two_intents_fit_by_its_file_too_is_given_to_neither(stage: Stage) -> None:
    exporter = stage.exporter()
    ledger = exporter.ledger(stage.folder)

    def order(day: date) -> ExportHandle:
        # A currency that nobody has: the file has no rows, and tells nothing.
        return exporter.order_once(ledger, report_type="click", from_date=day, to_date=day, currency="XXX")

    with stage.answers("never came"), pytest.raises(AmbiguousOutcome):
        order(FIRST)
    with stage.answers("lost"), pytest.raises(AmbiguousOutcome):
        order(SECOND)
    (made,) = stage.ids()
    for day in (FIRST, SECOND):
        with pytest.raises(AmbiguousOrder, match=r"as well.*its file does not show it") as caught:
            order(day)
        assert caught.value.job_ids == (made,)
    stage.ledger().claim(stage.ledger().key(_request(SECOND) | {"currency": "XXX"}), made)
    assert order(SECOND).job_id == made
    assert order(FIRST).job_id == stage.ids()[1]
    assert len(stage.ids()) == 2


def _request(day: date) -> dict[str, str | int]:
    return {"report_type": "click", "from_date": day.isoformat(), "to_date": day.isoformat()}


def test_what_cannot_be_the_job_is_no_candidate(stage: Stage) -> None:
    stage.exporter().order(report_type="click", from_date=FIRST, to_date=FIRST)  # older than the tolerance
    stage.clock.advance(303)
    stage.order(day=SECOND)  # claimed
    stage.lose()
    stage.exporter().order(report_type="clickin", from_date=FIRST, to_date=FIRST)
    stage.exporter(account=OTHER_ID).order(report_type="click", from_date=FIRST, to_date=FIRST)
    assert len(stage.ids()) == 4
    assert stage.order().job_id == stage.ids()[2]
    assert len(stage.ids()) == 4
    assert len(stage.ids(OTHER_ID)) == 1


def test_the_tolerance_is_what_was_given(stage: Stage) -> None:
    exporter = stage.exporter()
    exporter.order(report_type="click", from_date=FIRST, to_date=FIRST)
    stage.clock.advance(60)
    stage.lose("never came")
    ledger = exporter.ledger(stage.folder)
    handle = exporter.order_once(
        ledger, report_type="click", from_date=FIRST, to_date=FIRST, tolerance=timedelta(seconds=50)
    )
    assert handle.job_id == stage.ids()[1]
    stage.clock.advance(600)
    exporter.order(report_type="click", from_date=SECOND, to_date=SECOND)
    stage.clock.advance(60)
    stage.lose("never came", SECOND)
    assert stage.order(day=SECOND).job_id == stage.ids()[2]  # five minutes take it in
    assert len(stage.ids()) == 3


def test_the_service_may_call_a_type_by_another_name(stage: Stage) -> None:
    stage.lose(kind="sales")
    assert stage.sandbox.jobs.of(SAMPLE_CONNECT_ID)[0].order.report_type == "sale"
    assert stage.order(kind="sales").job_id == stage.ids()[0]
    assert len(stage.ids()) == 1


def test_a_job_is_found_on_any_page(stage: Stage) -> None:
    somebody = stage.exporter()
    for _ in range(120):
        somebody.order(report_type="clickin", from_date=FIRST, to_date=FIRST)
    stage.lose()
    assert stage.order().job_id == stage.ids()[120]


@pytest.mark.parametrize("script", [JobScript(fail="no disk left"), JobScript(expire=True)])
def test_a_failed_or_expired_job_is_adopted_too(stage: Stage, script: JobScript) -> None:
    stage.sandbox.jobs.script(script)
    stage.lose()
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


def test_a_forgotten_job_is_not_adopted_again(stage: Stage) -> None:
    handle = stage.order()
    stage.ledger().forget(stage.ledger().key(handle.request))
    stage.lose("never came")
    again = stage.order()
    assert stage.ids() == [handle.job_id, again.job_id]


def test_an_adopted_job_of_other_days_is_given_back(stage: Stage, tmp_path: Path) -> None:
    stage.lose("never came")
    stage.exporter().order(report_type="click", from_date=SECOND, to_date=SECOND)  # somebody by hand
    exporter = stage.exporter()
    wrong = stage.order(exporter)
    assert [wrong.job_id] == stage.ids()
    assert wrong.adopted
    elsewhere = ExportHandle.from_json(wrong.to_json())  # as a worker gets it
    for keeper in (None, exporter.ledger(stage.folder)):
        with pytest.raises(NotThisExport, match="row 1 has clickDate"):
            exporter.resume(elsewhere, keeper).download(tmp_path / "x.csv.gz")
        assert not list(tmp_path.glob("x.csv*"))
        pending = exporter.ledger(stage.folder).pending()
        assert len(pending) == (keeper is not None)
    right = stage.order(exporter)
    assert not right.adopted
    assert stage.ids() == [wrong.job_id, right.job_id]


@pytest.mark.parametrize("field", ["create_date", "report_type", "future"])
def test_of_jobs_that_do_not_say_enough_the_file_has_to_tell(stage: Stage, field: str) -> None:
    """A job of no rows, and one of the days that were ordered: the first may be anybody's."""
    exporter = stage.exporter()
    service = exporter.downloads.jobs.service
    listed = service.list_jobs
    assert listed is not None

    def jobs() -> Iterator[object]:
        for item in listed():
            if field == "future":
                item.create_date += timedelta(hours=2)  # type: ignore[attr-defined] # generated items have it
            else:
                setattr(item, field, None)
            yield item

    service.list_jobs = jobs
    stage.lose("never came")
    stage.exporter().order(report_type="click", from_date=FIRST, to_date=FIRST, currency="XXX")
    (foreign,) = stage.ids()
    with pytest.raises(AmbiguousOrder, match=r"in doubt: .*its file does not show it") as caught:
        stage.order(exporter)
    assert caught.value.job_ids == (foreign,)
    assert stage.ids() == [foreign]
    stage.exporter().order(report_type="click", from_date=FIRST, to_date=FIRST)
    assert stage.order(exporter).job_id == stage.ids()[1]
    assert len(stage.ids()) == 2


def told(stage: Stage, off: timedelta, wrong: timedelta = timedelta()) -> Exporter:
    """A client that hears a Date which is off; what the service itself does goes by the right time."""
    exporter = stage.exporter(wrong)
    right = exporter.downloads.jobs.service.time
    exporter.downloads.jobs.service.time = lambda: None if (theirs := right()) is None else theirs + off
    return exporter


@pytest.mark.parametrize("ours", [timedelta(minutes=-20), timedelta(), timedelta(minutes=20)])
@pytest.mark.parametrize("hours", [-1, 1, 1_000])
def test_a_wrong_date_at_the_order_hides_no_job(stage: Stage, hours: int, ours: timedelta) -> None:
    with stage.answers("lost"), pytest.raises(AmbiguousOutcome):
        stage.order(told(stage, timedelta(hours=hours), ours))
    (made,) = stage.ids()
    assert stage.order(stage.exporter()).job_id == made
    assert stage.ids() == [made]


@pytest.mark.parametrize("minutes", [-60, -20, 20, 60])
def test_a_wrong_date_at_the_search_shortens_no_wait(stage: Stage, minutes: int) -> None:
    stage.lose("never came")
    begun = stage.clock.monotonic()

    def late(request: Request) -> Response | None:
        if stage.clock.monotonic() > begun + 50 and not stage.ids():
            stage.sandbox.interfere = None
            stage.exporter().order(report_type="click", from_date=FIRST, to_date=FIRST)
        return None

    stage.sandbox.interfere = late
    # By a Date that may be right, it is from the future: its file tells.
    assert [stage.order(told(stage, timedelta(minutes=minutes))).job_id] == stage.ids()


def test_services_that_tell_no_date_are_known_by_our_clock_and_not_well(stage: Stage) -> None:
    """Only within what signatures allow: there the job of 25 minutes' difference is still found."""

    def undated(exporter: Exporter) -> Exporter:
        exporter.downloads.jobs.service.time = lambda: None
        return exporter

    with stage.answers("lost"), pytest.raises(AmbiguousOutcome):
        stage.order(undated(stage.exporter(timedelta(minutes=25))))
    begun = stage.clock.monotonic()
    handle = stage.order(undated(stage.exporter(timedelta(minutes=-25))))
    assert stage.ids() == [handle.job_id]
    with stage.answers("never came"), pytest.raises(AmbiguousOutcome):
        stage.order(undated(stage.exporter()), SECOND)
    stage.order(undated(stage.exporter()), SECOND)
    assert stage.clock.monotonic() - begun < 130  # it waits no longer for being unsure
    assert len(stage.ids()) == 2


# ---- what has expired is ordered again through its ledger


def expired(stage: Stage) -> ExportHandle:
    stage.sandbox.jobs.script(JobScript(expire=True))
    handle = stage.order()
    stage.clock.advance(3600)
    return handle


def test_a_ledgers_export_is_not_ordered_again_without_it(stage: Stage, tmp_path: Path) -> None:
    handle = expired(stage)
    for known in (handle, stage.order(), ExportHandle.from_json(handle.to_json())):
        exporter = stage.exporter()
        with pytest.raises(JobExpired) as caught:
            exporter.resume(known).download(tmp_path / "x.csv.gz")
        assert any("reorder_once" in note for note in caught.value.__notes__)
        with pytest.raises(ConfigError, match="kept in a state directory"):
            exporter.reorder(known)
    assert stage.ids() == [handle.job_id]


def test_with_it_whoever_dies_on_the_way_orders_once(stage: Stage, tmp_path: Path) -> None:
    handle = expired(stage)

    def dies(new: ExportHandle) -> None:
        raise KeyboardInterrupt

    for attempt in range(3):
        exporter = stage.exporter()
        export = exporter.resume(handle, exporter.ledger(stage.folder))
        with pytest.raises(KeyboardInterrupt):
            export.download(tmp_path / "x.csv.gz", on_reorder=dies)
        assert len(stage.ids()) == 2, attempt
        assert export.handle.job_id == stage.ids()[1]
        assert export.reordered == handle
    assert stage.order().job_id == stage.ids()[1]
    (entry,) = stage.ledger().entries()
    assert (entry.former, entry.adopted) == ((handle.job_id,), False)
    assert exporter.resume(handle, exporter.ledger(stage.folder)).download(tmp_path / "x.csv.gz").row_count
    assert len(stage.ids()) == 2


def test_a_lost_answer_to_the_second_order_is_looked_for(stage: Stage) -> None:
    handle = expired(stage)
    exporter = stage.exporter()
    with stage.answers("lost"), pytest.raises(AmbiguousOutcome):
        exporter.reorder_once(exporter.ledger(stage.folder), handle)
    again = exporter.reorder_once(exporter.ledger(stage.folder), handle)
    assert stage.ids() == [handle.job_id, again.job_id]


def test_a_refused_second_order_leaves_what_was(stage: Stage) -> None:
    handle = expired(stage)
    (before,) = stage.ledger().entries()
    exporter = stage.exporter()
    stage.sandbox.interfere = lambda request: Response(status=503) if is_order(request) else None
    with pytest.raises(Exception, match="503"):
        exporter.reorder_once(exporter.ledger(stage.folder), handle)
    assert stage.ledger().entries() == (before,)


def test_a_ledger_that_does_not_know_the_request_is_refused(stage: Stage, tmp_path: Path) -> None:
    handle = expired(stage)
    exporter = stage.exporter()
    with pytest.raises(ConfigError, match="does not know the request"):
        exporter.reorder_once(exporter.ledger(tmp_path / "elsewhere"), handle)
    assert stage.ids() == [handle.job_id]


# ---- refusals leave no intent


IN_DOUBT = (303, 408, 425, 499, 500, 502, 504, 507, 520, 522, 524, 598, 599)


@pytest.mark.parametrize("status", [*IN_DOUBT, 400, 429, 501, 503, 505])
def test_which_refusals_say_that_no_job_was_made(stage: Stage, status: int) -> None:
    stage.sandbox.interfere = lambda request: Response(status=status) if is_order(request) else None
    with pytest.raises(SoapClientError):
        stage.order()
    assert len(stage.ledger().pending()) == (status in IN_DOUBT)


def test_an_order_whose_response_has_two_lengths_is_in_doubt_and_its_job_is_found(stage: Stage) -> None:
    """What requests raises for it is a ValueError, as for a request that cannot be sent."""

    def garble(request: Request) -> Response | None:
        if not is_order(request):
            return None
        stage.sandbox.interfere = None
        body = request.get_data()
        answered = stage.sandbox.answer(Request({**request.environ, "wsgi.input": BytesIO(body)}))
        answered.headers.add("Content-Length", "7")
        return answered

    stage.sandbox.interfere = garble
    with pytest.raises(AmbiguousOutcome, match="Length"):
        stage.order()
    (made,) = stage.ids()
    assert stage.order().job_id == made
    assert stage.ids() == [made]


def test_an_order_that_was_refused_leaves_nothing(stage: Stage) -> None:
    exporter = stage.exporter()
    ledger = exporter.ledger(stage.folder)
    for kind, day, refusal in (
        ("view", FIRST, ContractError),
        ("click", SECOND, ContractError),
        ("nonsense", FIRST, ServiceFault),
    ):
        with pytest.raises(refusal):
            exporter.order_once(ledger, report_type=kind, from_date=day, to_date=FIRST)
    stage.sandbox.interfere = lambda request: Response(status=503) if is_order(request) else None
    with pytest.raises(Exception, match="503"):
        stage.order(exporter)
    assert ledger.entries() == ()
    assert stage.ids() == []


def test_a_refusal_of_the_second_try_does_not_settle_the_first(stage: Stage) -> None:
    stage.lose("never came")
    stage.sandbox.interfere = lambda request: Response(status=503) if is_order(request) else None
    with pytest.raises(Exception, match="503"):
        stage.order()
    (entry,) = stage.ledger().pending()
    assert (entry.intended_at, entry.attempts) == (THEIRS, 2)


def test_an_unreachable_service_is_no_intent(stage: Stage, tmp_path: Path) -> None:
    stage.sandbox.interfere = lambda request: Response(status=502)
    exporter = stage.exporter()
    with pytest.raises(Exception, match="502"):
        stage.order(exporter)
    assert stage.ledger().entries() == ()


def test_another_accounts_ledger_is_refused(stage: Stage) -> None:
    other = stage.exporter(account=OTHER_ID).ledger(stage.folder)
    with pytest.raises(ConfigError, match="not that of the client's account"):
        stage.exporter().order_once(other, report_type="click", from_date=FIRST, to_date=FIRST)
    assert stage.requests == []


def test_a_handle_that_cannot_be_kept_is_found_again(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    ledger = (exporter := stage.exporter()).ledger(stage.folder)
    save: Callable[..., None] = ledger.save

    def full(entry: object) -> None:
        if getattr(entry, "handle", None) is not None:
            raise OSError(28, "No space left on device")
        save(entry)

    monkeypatch.setattr(ledger, "save", full)
    with pytest.raises(OSError, match="No space") as caught:
        exporter.order_once(ledger, report_type="click", from_date=FIRST, to_date=FIRST)
    (made,) = stage.ids()
    assert any(made in note for note in caught.value.__notes__)
    assert stage.order().job_id == made
    assert stage.ids() == [made]
