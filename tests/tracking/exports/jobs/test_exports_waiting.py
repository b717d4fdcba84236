from __future__ import annotations

import logging
import pickle
from datetime import timedelta
from itertools import repeat
from pathlib import Path
from types import SimpleNamespace

import pytest
import requests
import requests_mock
from msgspec.structs import replace

from soapclient.auth.signing import Signer
from soapclient.clock import ManualClock
from soapclient.errors import (
    AuthenticationError,
    ConfigError,
    ConnectionFailed,
    DeadlineExceeded,
    JobExpired,
    JobFailed,
    JobUnknown,
    ResponseError,
    ServiceFault,
    SoapClientError,
    UnexpectedResponse,
)
from soapclient.runtime import Finding
from soapclient.tracking.exports.export import Orders
from soapclient.tracking.exports.handle import JobId
from soapclient.tracking.exports.jobs.connections import FileConnections
from soapclient.tracking.exports.jobs.job import (
    JobSnapshot,
    JobTables,
    ReportJobs,
    operation_of,
    order_of,
    ordered_id,
    read_job,
)
from tests.tracking.exports.conftest import PACKED, Scripted, Stub, build_stage
from zxws.data.service import PACKAGE


def states(stage: Scripted, *names: str) -> None:
    stage.jobs.answers.extend({"status": name} for name in names)


def test_first_poll_is_immediate_and_a_finished_job_needs_no_wait(offline: Scripted) -> None:
    export = offline.done()
    assert export.wait() is export
    assert offline.clock.sleeps == []
    assert offline.jobs.calls == [("GetJob", {"jobId": "job-1"})]


def test_pauses_follow_the_table_up_to_the_cap(offline: Scripted) -> None:
    export = offline.order()
    states(offline, *["running"] * 12, "done")
    export.wait()
    # 0.5 s, growing by 1.6, at most 30 s; the random jitter is zero here
    grown = [min(0.5 * 1.6**n, 30) for n in range(12)]
    assert offline.clock.sleeps == pytest.approx(grown)
    assert grown[-1] == 30


def test_jitter_shortens_a_pause_by_at_most_a_quarter(offline: Scripted) -> None:
    export = offline.order()
    offline.exporter.jobs.random = lambda: 1.0
    states(offline, "running", "running", "done")
    export.wait()
    assert offline.clock.sleeps == pytest.approx([0.375, 0.6])


def test_stuck_job_stops_at_the_deadline_with_its_last_state_and_a_hint(offline: Scripted) -> None:
    export = offline.order()
    states(offline, "created", "running")
    with pytest.raises(DeadlineExceeded) as caught:
        export.wait(deadline=10)
    assert sum(offline.clock.sleeps) == pytest.approx(10)
    assert caught.value.job_id == "job-1"
    assert caught.value.seconds == 10
    assert "last state 'running'" in str(caught.value)
    assert "Resume it by its id" in str(caught.value)
    assert offline.jobs.polls() == len(offline.clock.sleeps) + 1


def test_second_wait_continues_with_the_same_handle(offline: Scripted) -> None:
    export = offline.order()
    states(offline, "running", "done")
    with pytest.raises(DeadlineExceeded):
        export.wait(deadline=timedelta(0))
    offline.exporter.resume(pickle.loads(pickle.dumps(export.handle))).wait(deadline=timedelta(seconds=1))
    offline.exporter.resume_job("job-1", report_type="click").wait(deadline=0)


@pytest.mark.parametrize("deadline", [-1, float("inf"), float("nan"), None, "90", True, [1]])
def test_deadline_that_is_not_a_finite_number_is_refused(
    offline: Scripted, tmp_path: Path, deadline: object
) -> None:
    export = offline.done()
    said = "must be" if type(deadline) in (int, float) else "must be a number of seconds or a timedelta"
    for begin in (
        lambda: export.wait(deadline=deadline),  # type: ignore[arg-type]  # wrong types are the point
        lambda: export.download(tmp_path / "x", deadline=deadline),  # type: ignore[arg-type]  # wrong types are the point
    ):
        with pytest.raises(ConfigError, match=f"deadline.*{said}"):
            begin()
    assert offline.jobs.calls == []
    assert list(tmp_path.iterdir()) == []


def test_the_default_deadline_is_half_an_hour(offline: Scripted) -> None:
    export = offline.order()
    states(offline, "running")
    with pytest.raises(DeadlineExceeded):
        export.wait()
    assert sum(offline.clock.sleeps) == pytest.approx(1800)


def test_failed_job_error_has_the_message_of_the_service(offline: Scripted) -> None:
    export = offline.order()
    offline.jobs.answers.append({"status": "failed", "message": "disk full"})
    with pytest.raises(JobFailed, match="disk full") as caught:
        export.wait()
    error = caught.value
    assert (error.job_id, error.status, error.message) == ("job-1", "failed", "disk full")


RUNNING = {"status": "running"}


@pytest.mark.parametrize(
    ("answers", "kind", "said"),
    [
        ([RUNNING, {"status": "canceled"}], JobFailed, "canceled"),
        ([RUNNING, {"status": "expired"}], JobExpired, "job-1"),
        ([RUNNING, None], JobUnknown, "does not know export job job-1"),
        ([{"@id": "job-2", "status": "done"}], ResponseError, "'job-2', expected job-1"),
        ([RUNNING, ServiceFault(120, "no such thing")], ServiceFault, "no such thing"),
        ([ConnectionFailed("https://data.example.org", "refused")], ConnectionFailed, "refused"),  # at once
    ],
)
def test_other_answers_end_the_wait_with_an_error(
    offline: Scripted, answers: list[dict[str, str] | Exception | None], kind: type[Exception], said: str
) -> None:
    export = offline.order()
    offline.jobs.answers.extend(answers)
    with pytest.raises(kind, match=said) as caught:
        export.wait(reorder_expired=False)
    assert type(caught.value) is kind
    assert offline.jobs.polls() == len(answers)
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)
    assert issubclass(JobUnknown, JobExpired)


def test_unknown_state_is_waited_through_logged_once_and_counted(
    offline: Scripted, caplog: pytest.LogCaptureFixture
) -> None:
    export = offline.order()
    states(offline, "crunching", "crunching", "polishing", "done")
    with caplog.at_level(logging.WARNING, "soapclient.tracking.exports"):
        export.wait()
    assert [message for message in caplog.messages if "unknown state" in message] == [
        "export job job-1: unknown state 'crunching', treated as waiting",
        "export job job-1: unknown state 'polishing', treated as waiting",
    ]
    assert offline.drift.counts() == {
        ("get_job", Finding("value", "job_item/status", "crunching")): 2,
        ("get_job", Finding("value", "job_item/status", "polishing")): 1,
    }


def test_progress_is_reported_after_every_poll(offline: Scripted) -> None:
    export = offline.order()
    offline.jobs.answers.extend([{"status": "queued"}, {"status": "done", "rows": "7", "size": "90"}])
    seen: list[JobSnapshot] = []
    export.wait(on_progress=seen.append)
    assert [(job.status, job.phase, job.rows, job.size) for job in seen] == [
        ("queued", "waiting", None, None),
        ("done", "done", 7, 90),
    ]


def test_status_polls_once_and_raises_nothing(offline: Scripted) -> None:
    export = offline.order()
    states(offline, "failed")
    assert export.status().phase == "failed"
    assert offline.jobs.polls() == 1


def test_transient_failure_between_polls_is_tolerated(offline: Scripted) -> None:
    export = offline.order()
    busy = UnexpectedResponse(503, "text/html", b"", retry_after=45.0)
    lost = ConnectionFailed("https://data.example.org", "reset")
    offline.jobs.answers.extend([{"status": "running"}, lost, busy, {"status": "done"}])
    export.wait()
    assert offline.clock.sleeps == pytest.approx([0.5, 0.8, 45.0])


def test_unavailable_service_stops_the_wait_at_the_deadline(offline: Scripted) -> None:
    export = offline.order()
    lost = ConnectionFailed("https://data.example.org", "reset")
    offline.jobs.answers.extend([{"status": "running"}, lost])
    with pytest.raises(DeadlineExceeded, match="last state 'running'") as caught:
        export.wait(deadline=60)
    assert caught.value.__cause__ is lost


def test_each_poll_is_limited_by_the_deadline(offline: Scripted) -> None:
    service, limits = offline.exporter.jobs, list[float]()

    def within(seconds: float) -> object:
        limits.append(seconds)
        return service.methods

    service.within = within
    export = offline.order()
    states(offline, "running")
    with pytest.raises(DeadlineExceeded):
        export.wait(deadline=8)
    assert limits[0] == 8
    assert limits[-1] == 5  # the last poll, at the deadline, gets a minimum timeout


def test_table_without_pauses_does_not_loop_tightly(offline: Scripted) -> None:
    assert PACKAGE.settings.waiter is not None
    tables = replace(PACKAGE.settings, waiter=replace(PACKAGE.settings.waiter, delay=0.0, factor=0.0))
    offline.exporter.jobs.tables = tables
    export = offline.order()
    states(offline, "running", "running", "done")
    export.wait()
    assert offline.clock.sleeps == [0.05, 0.05]


ITEM = dict.fromkeys(("rows", "size", "download_url", "message")) | {"id": "job-1", "status": "done"}


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("id", ""), ("id", None), ("id", True), ("status", 3), ("rows", "7"), ("rows", True), ("size", -1),
        ("download_url", 5), ("message", b"x"),
    ],
)  # fmt: skip
def test_fields_of_a_wrong_type_are_response_errors(field: str, value: object) -> None:
    item = SimpleNamespace(**(ITEM | {field: value}))
    with pytest.raises(ResponseError) as caught:
        read_job(SimpleNamespace(job_item=item), JobTables.of(PACKAGE.settings), "get_job")
    assert caught.value.path == f"job_item/{field}"


def test_a_job_that_is_the_response_has_no_item_in_the_path_of_an_error() -> None:
    names = PACKAGE.settings.job
    assert names is not None
    tables = JobTables.of(replace(PACKAGE.settings, job=replace(names, item="")))
    with pytest.raises(ResponseError) as caught:
        read_job(SimpleNamespace(**(ITEM | {"status": 3})), tables, "get_job")
    assert caught.value.path == "status"


def test_response_without_the_field_of_a_job_is_an_error() -> None:
    with pytest.raises(ResponseError, match="a response with a job"):
        read_job(SimpleNamespace(other=None), JobTables.of(PACKAGE.settings), "get_job")


@pytest.mark.parametrize(
    ("order", "expected"),
    [({"number": "job-7"}, "job-7"), ({"number": 7}, 7), ({"number": None}, None), (None, None)],
)
def test_id_of_an_order_may_be_outside_of_a_job(
    order: dict[str, object] | None, expected: JobId | None
) -> None:
    names = PACKAGE.settings.job
    assert names is not None
    tables = JobTables.of(replace(PACKAGE.settings, job=replace(names, ordered_id="order.number")))
    response = SimpleNamespace(order=None if order is None else SimpleNamespace(**order))
    assert ordered_id(response, tables) == expected


def test_contract_without_orders_or_without_an_operation_is_refused() -> None:
    with pytest.raises(ConfigError, match="no table `order`"):
        order_of(replace(PACKAGE.settings, order=None))
    with pytest.raises(ConfigError, match="does not have the operation list_jobs"):
        operation_of(SimpleNamespace(list_jobs=None), "list_jobs")


class RenamedService:
    """The data service of a contract with other names for everything."""

    def __init__(self) -> None:
        self.asked: list[object] = []

    def order_export(self, *, report_type: str, from_date: object, to_date: object) -> object:
        return SimpleNamespace(task=SimpleNamespace(number=17, state="fresh", place=""))

    def look_up(self, *, number: int) -> object:
        self.asked.append(number)
        place = "https://data.example.org/files/17"
        return SimpleNamespace(task=SimpleNamespace(number=17, state="ready", place=place))


def test_contract_with_other_names_needs_only_other_tables(offline: Scripted) -> None:
    assert PACKAGE.settings.job is not None
    assert PACKAGE.settings.waiter is not None
    job = replace(
        PACKAGE.settings.job, order="order_export", poll="look_up", poll_id="number", item="task",
        id="number", status="state", rows=None, size=None, url="place", message=None,
    )  # fmt: skip
    tables = replace(
        PACKAGE.settings, job=job, waiter=replace(PACKAGE.settings.waiter, done=frozenset({"ready"}))
    )
    service = RenamedService()
    signer = Signer(offline.config.credentials())
    exporter = Orders(
        ReportJobs(
            methods=service,
            tables=tables,
            config=offline.config,
            signer=signer,
            files=FileConnections(offline.config, tables),
            clock=ManualClock(offline.clock.now()),
        )
    )
    day = offline.clock.now().date()
    export = exporter.order(report_type="click", from_date=day, to_date=day)
    assert export.id == 17
    assert export.status() == JobSnapshot(17, "ready", "done", url="https://data.example.org/files/17")
    assert service.asked == [17]


def test_a_contract_without_job_tables_is_a_config_error(offline: Scripted) -> None:
    with pytest.raises(ConfigError, match="does not have all the tables `job`, `waiter` and `download`"):
        JobTables.of(replace(PACKAGE.settings, waiter=None))


def test_a_download_address_is_not_shown(offline: Scripted) -> None:
    export = offline.done(downloadUrl="https://files.example.org/x?ticket=abc")
    assert "ticket" not in repr(export.status())


# ---- a job without a state: docs/explanation/service.md#export-jobs promises an id and the compression


def test_job_without_a_state_is_done_if_its_file_is_available(
    stage: Scripted, stub: Stub, tmp_path: Path
) -> None:
    export = stage.order()
    stage.jobs.answers.extend([{"compression": "gzip-csv"}, {"status": ""}, {}])
    seen: list[JobSnapshot] = []
    for status in (409, 404, 429, 503):
        stub.answer(status, b"not now")
    stub.answer(body=PACKED)
    assert export.wait(on_progress=seen.append) is export
    assert [(job.status, job.phase) for job in seen] == [(None, "waiting")] * 5
    assert stage.clock.sleeps == pytest.approx([0.5, 0.8, 1.28, 2.048])
    stub.answer(body=PACKED)  # a check that the file exists, then the download
    stub.answer(body=PACKED)
    assert export.download(tmp_path / "clicks.csv.gz").row_count == 3
    assert {path for path, _ in stub.requests} == {"/xml/2011-05-01/jobs/job/id/job-1/download"}
    assert len({headers["nonce"] for _, headers in stub.requests}) == len(stub.requests) == 7


def test_job_without_a_state_is_checked_at_its_address(stage: Scripted, stub: Stub) -> None:
    """The file is not read."""
    export = stage.order()
    stage.jobs.answers.append({"downloadUrl": f"{stub.url}/files/7"})
    stub.answer(body=repeat(bytes(65536)))
    export.wait()
    assert [path for path, _ in stub.requests] == ["/files/7"]


def test_job_without_a_state_is_checked_again_after_a_transport_error() -> None:
    stage = build_stage("https://data.example.org")
    export = stage.order()
    stage.jobs.answers.append({})
    failures = [{"exc": error} for error in (requests.ReadTimeout, requests.ConnectionError)]
    with requests_mock.Mocker() as web:
        web.get(requests_mock.ANY, [*failures, {"content": b"the file"}])
        export.wait()
        assert web.call_count == stage.jobs.polls() == 3


@pytest.mark.parametrize(
    ("status", "kind", "said"),
    [
        (403, AuthenticationError, "refused the credentials"),
        (410, UnexpectedResponse, "has expired"),
        (400, UnexpectedResponse, "HTTP status 400"),
        (501, UnexpectedResponse, "HTTP status 501"),
    ],
)
def test_permanently_refused_file_is_not_waited_for(
    stage: Scripted, stub: Stub, status: int, kind: type[SoapClientError], said: str
) -> None:
    export = stage.order()
    stage.jobs.answers.append({})
    stub.answer(status, b"no")
    with pytest.raises(kind, match=said):
        export.wait()
    assert len(stub.requests) == 1


def test_job_without_a_state_and_file_stops_at_the_deadline(stage: Scripted, stub: Stub) -> None:
    export = stage.order()
    stage.jobs.answers.append({})
    stub.answer(409, b"not yet", times=20)
    with pytest.raises(DeadlineExceeded, match="no state"):
        export.wait(deadline=10)


def test_reported_state_of_a_job_is_trusted(stage: Scripted, stub: Stub) -> None:
    export = stage.order()
    states(stage, "created", "mulling", "done")
    export.wait()
    assert stub.requests == []
