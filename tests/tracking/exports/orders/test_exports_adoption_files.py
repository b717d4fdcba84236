"""Several jobs may belong to a pending order: their files decide."""

from __future__ import annotations

import json
import pickle
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from werkzeug.wrappers import Request, Response

from soapclient._support.part_file import PartFile
from soapclient.errors import AmbiguousOrder, AuthenticationError, DeadlineExceeded, JobFailed
from soapclient.tracking.exports.download.download import Download
from soapclient.tracking.exports.formats.export_file import ExportFile
from soapclient.tracking.exports.orders import adoption, placement
from soapclient.tracking.sandbox import JobScript
from soapclient.tracking.sandbox.operations import jobs
from tests.tracking.exports.lossy import FIRST, OCTOBER, SECOND, Lossy, lossy_stage

__all__ = ["lossy_stage"]  # the fixture `stage`


@pytest.mark.sampled(1)
def test_candidates_are_distinguished_by_their_files(stage: Lossy, tmp_path: Path) -> None:
    stage.lose(processed=True)
    for _ in range(2):
        stage.by_hand(SECOND)
    made = stage.ids()
    exporter = stage.exporter()
    handle = stage.order(exporter)
    assert handle.job_id == made[0]
    assert stage.ids() == made
    (entry,) = stage.ledger().entries()
    assert (entry.adopted, set(entry.not_ours)) == (True, set(made[1:]))
    assert not any(path.is_dir() for path in stage.ledger().folder.iterdir())  # inspected files are removed
    assert exporter.resume(handle).download(tmp_path / "x.csv.gz").row_count == 20


def test_leftovers_of_a_killed_check_are_removed_by_the_next_order(stage: Lossy) -> None:
    left = stage.ledger().folder / adoption.FOLDER / "left.csv.gz.part"
    left.parent.mkdir(parents=True)
    left.write_bytes(b"half")
    stage.order()
    assert not left.parent.exists()


def test_file_swept_by_another_process_gets_another_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn = iter(("swept", "free"))
    monkeypatch.setattr(adoption, "token_hex", lambda _: next(drawn))
    with PartFile(tmp_path / "swept.csv.gz"), adoption._opened(tmp_path) as part:
        assert part.target.name == "free.csv.gz"


@pytest.mark.exhaustive
def test_result_of_a_file_check_is_remembered(stage: Lossy) -> None:
    """Each file is inspected once, even if the process dies in between.

    The files of two jobs are equal: the second is requested again, on a new connection.
    """
    stage.lose(processed=True)
    for day in (SECOND, FIRST):
        stage.by_hand(day)
    for looked in (3, 2):  # one is known to belong to another order
        stage.requests.clear()
        with pytest.raises(AmbiguousOrder):
            stage.order()
        downloads = [request for request in stage.requests if request.endswith("/download")]
        assert (len(set(downloads)), len(downloads)) == (looked, looked + 1)


@pytest.mark.exhaustive
def test_candidates_with_equal_content_are_named_and_not_adopted(stage: Lossy) -> None:
    stage.lose(processed=True)
    stage.by_hand()
    stage.by_hand(SECOND)
    *made, other = stage.ids()
    for _ in range(2):
        with pytest.raises(AmbiguousOrder, match="2 jobs match it, also by their files") as caught:
            stage.order()
        assert set(caught.value.job_ids) == set(made)
        assert all(f"{job_id} (its file matches)" in str(caught.value) for job_id in made)
        assert stage.ids() == [*made, other]
    key = caught.value.key
    handle = stage.ledger().claim(key, made[0])
    assert stage.order() == handle


def test_error_lists_what_was_tried(stage: Lossy) -> None:
    stage.lose(processed=True)
    for script in (JobScript(damage="corrupt"), JobScript(fail="no disk left")):
        stage.sandbox.jobs.script(script)
        stage.by_hand()
    stage.by_hand()
    stage.by_hand(SECOND)
    own, damaged, failed, same, other = stage.ids()
    with pytest.raises(AmbiguousOrder) as caught:
        stage.order()
    assert set(caught.value.job_ids) == {own, damaged, failed, same}
    tried = caught.value.tried
    assert (tried[own], tried[other]) == ("its file matches", "its file belongs to another order")
    assert "damaged" in tried[damaged]
    assert "does not have a file" in tried[failed]
    assert all(tried[str(job_id)] in str(caught.value) for job_id in caught.value.job_ids)
    assert "files of 1 more" in str(caught.value)
    again = pickle.loads(pickle.dumps(caught.value))
    assert (str(again), again.tried) == (str(caught.value), tried)


@pytest.mark.exhaustive
def test_unfinished_candidate_is_waited_for_and_checked(stage: Lossy) -> None:
    slow = JobScript(states=("created", *["running"] * 5))
    stage.sandbox.jobs.script(slow, slow)
    stage.lose(processed=True)
    stage.by_hand(SECOND)
    assert stage.order().job_id == stage.ids()[0]
    assert len(stage.ids()) == 2


def test_hanging_candidate_is_not_waited_for_if_another_file_decides(stage: Lossy) -> None:
    stage.lose(processed=True)
    stage.sandbox.jobs.script(JobScript(stuck="running"))
    stage.by_hand()
    begun = stage.clock.monotonic()
    stage.clock.advance(3)
    assert stage.order().job_id == stage.ids()[0]
    assert stage.clock.monotonic() - begun <= 3 + 3


@pytest.mark.exhaustive
def test_hanging_candidates_are_waited_for_until_the_deadline(
    stage: Lossy, monkeypatch: pytest.MonkeyPatch
) -> None:
    pauses: list[float] = []
    sleep = stage.clock.sleep

    def slept(seconds: float) -> None:
        pauses.append(seconds)
        sleep(seconds)

    monkeypatch.setattr(stage.clock, "sleep", slept)
    stage.sandbox.jobs.script(*[JobScript(stuck="running")] * 2)
    stage.lose(processed=True)
    stage.by_hand()
    begun = stage.clock.monotonic()
    with pytest.raises(AmbiguousOrder, match="it is not done yet"):
        stage.order()
    assert 300 <= stage.clock.monotonic() - begun <= 303
    assert pauses[:8] == [0.5, 1, 2, 4, 8, 15, 15, 15]
    with pytest.raises(AmbiguousOrder, match="it is not done yet"):
        stage.begin(within=20)
    assert stage.clock.monotonic() - begun <= 323
    assert len(stage.ids()) == 2


@pytest.mark.exhaustive
def test_number_of_checked_files_is_limited(stage: Lossy, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(placement, "_MOST_LOOKED", 2)
    stage.lose(processed=True)
    for day in (FIRST, SECOND, SECOND):
        stage.by_hand(day)
    stage.requests.clear()
    with pytest.raises(AmbiguousOrder):
        stage.order()
    assert len({request for request in stage.requests if request.endswith("/download")}) == 2


@pytest.mark.exhaustive
def test_failed_candidates_without_a_file_are_adopted_without_conflict(stage: Lossy) -> None:
    """Both orders failed at the service. Each adopts one job, gets its error, and is ordered again."""
    stage.sandbox.jobs.script(*[JobScript(fail="no disk left")] * 2)
    for day in (FIRST, SECOND):
        stage.lose(day=day, processed=True)
    stage.clock.advance(10)
    failed, exporter = stage.ids(), stage.exporter()
    taken = [stage.order(exporter, day) for day in (FIRST, SECOND)]
    assert sorted(str(handle.job_id) for handle in taken) == sorted(failed)
    for handle in taken:
        with pytest.raises(JobFailed):
            exporter.resume(handle, stage.ledger()).wait()
    again = [stage.order(exporter, day).job_id for day in (FIRST, SECOND)]
    assert stage.ids() == [*failed, *again]


@pytest.mark.exhaustive
def test_candidate_with_fewer_days_is_not_adopted(stage: Lossy) -> None:
    """Its rows are within the ordered days, but half of the ordered rows are missing."""
    stage.lose(last=SECOND, processed=False)
    for day in (FIRST, OCTOBER):
        for _ in range(2):
            stage.by_hand(day)
    with pytest.raises(AmbiguousOrder) as caught:
        stage.begin(last=SECOND)
    assert set(caught.value.job_ids) == set(stage.ids()[:2])
    both = stage.exporter().order(report_type="click", from_date=FIRST, to_date=SECOND).id
    assert stage.begin(last=SECOND).id == both


@pytest.mark.exhaustive
def test_reorder_orders_again_once(stage: Lossy) -> None:
    stage.lose(processed=True)
    stage.by_hand(SECOND)
    made = stage.ids()
    handle = stage.order(reorder=True)
    assert [*made, handle.job_id] == stage.ids()
    assert stage.order(reorder=True) == handle
    stage.lose(day=SECOND, processed=True)
    # An abandoned job may belong to another order: it is adopted only on request.
    with pytest.raises(AmbiguousOrder) as caught:
        stage.order(day=SECOND)
    assert set(caught.value.job_ids) == {made[1], stage.ids()[-1]}  # the first job's file is of the first day


def test_crash_during_reorder_does_not_restore_old_jobs(stage: Lossy) -> None:
    stage.lose(processed=True)
    stage.by_hand(SECOND)
    with stage.lost(processed=True):
        stage.order(reorder=True)
    assert len(stage.ids()) == 3
    assert stage.order().job_id == stage.ids()[2]
    assert len(stage.ids()) == 3


def test_file_decides_which_of_two_intents_owns_a_job(stage: Lossy) -> None:
    stage.lose(processed=False)
    stage.lose(day=SECOND, processed=True)
    (made,) = stage.ids()
    first = stage.order(day=FIRST)
    assert not first.adopted
    assert stage.order(day=SECOND).job_id == made
    assert stage.ids() == [made, first.job_id]


# ---- the evidence that a file gives, the errors about it, and when the inspection stops


DAMAGED = JobScript(damage="corrupt")


def two_jobs(stage: Lossy, second: JobScript) -> tuple[str, str]:
    """Make two jobs for the same day: one of a lost order with a damaged file, and one ordered by hand."""
    stage.sandbox.jobs.script(DAMAGED, second)
    stage.lose(processed=True)
    stage.by_hand()
    stage.clock.advance(10)
    own, other = stage.ids()
    return own, other


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("script", "said"),
    [
        (JobScript(expire=True), "it has expired, so it does not have a file"),
        (JobScript(fail="no disk left"), "it has failed, so it does not have a file"),
        (JobScript(damage="truncated"), "its file cannot be read: "),
    ],
)
def test_error_says_why_a_file_could_not_be_checked(stage: Lossy, script: JobScript, said: str) -> None:
    own, other = two_jobs(stage, script)
    with pytest.raises(AmbiguousOrder) as caught:
        stage.order()
    assert set(caught.value.job_ids) == {own, other}
    assert caught.value.tried[other].startswith(said)
    assert len(stage.ids()) == 2


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("at", "state", "said"),
    [
        (1, None, "the service does not know it"),
        (2, "expired", "its file no longer exists"),
        (2, "failed", "its file no longer exists"),
    ],
)
def test_listed_job_may_disappear_before_it_is_checked(
    stage: Lossy, at: int, state: str | None, said: str
) -> None:
    """The first request asks for the state, the second for the address of the file."""
    own, other = two_jobs(stage, JobScript())
    asked: list[str] = []

    def interfere(request: Request) -> Response | None:
        if request.path.rpartition("/")[2] != other:
            return None
        asked.append(request.path)
        if len(asked) < at:
            return None
        answer = json.loads(answered(stage, request, interfere))
        if state is None:
            del answer["jobItem"]
        else:
            answer["jobItem"]["status"] = state
        return Response(json.dumps(answer), mimetype="application/json")

    stage.sandbox.interfere = interfere
    with pytest.raises(AmbiguousOrder) as caught:
        stage.order(stage.client(rest_format="json").data.exports)
    assert set(caught.value.job_ids) == {own, other}
    assert caught.value.tried[other] == said


def test_file_with_unreadable_dates_is_inconclusive(stage: Lossy, monkeypatch: pytest.MonkeyPatch) -> None:
    """Values of an unknown format prove neither that the job is the ordered one nor that it is not."""
    blocks: Callable[..., Iterator[tuple[int, bytes]]] = vars(jobs)["blocks"]

    def changed(*given: object) -> Iterator[tuple[int, bytes]]:
        parts = list(blocks(*given))
        text = b"".join(part for _, part in parts)
        yield sum(rows for rows, _ in parts), text.replace(b"2026-11-01T", b"1 Nov T")

    monkeypatch.setattr(jobs, "blocks", changed)
    own, other = two_jobs(stage, JobScript())
    with pytest.raises(AmbiguousOrder) as caught:
        stage.order()
    assert set(caught.value.job_ids) == {own, other}
    assert caught.value.tried[other] == "its file does not show which order it belongs to"


def answered(stage: Lossy, request: Request, interfere: Callable[[Request], Response | None]) -> bytes:
    """Return the sandbox's response to a request that `interfere` intercepts."""
    stage.sandbox.interfere = None
    response = stage.sandbox.answer(request)
    stage.sandbox.interfere = interfere
    response.direct_passthrough = False
    return response.get_data()


def test_long_comparison_stops_at_the_deadline(stage: Lossy, monkeypatch: pytest.MonkeyPatch) -> None:
    two_jobs(stage, JobScript())
    compare = Download.compare

    def slowly(self: Download, file: ExportFile) -> None:
        stage.clock.advance(60)
        compare(self, file)

    monkeypatch.setattr(Download, "compare", slowly)
    with pytest.raises(DeadlineExceeded):
        stage.begin(within=30)
    assert len(stage.ids()) == 2
    assert [entry.state for entry in stage.ledger().entries()] == ["intent"]


def test_refused_credentials_are_inconclusive(stage: Lossy) -> None:
    """The error is raised to the caller. The next order inspects the jobs again."""
    own, other = two_jobs(stage, JobScript())

    def refuse(request: Request) -> Response | None:
        of_one_job = request.path.rpartition("/")[2] in (own, other)
        return Response("who are you?", status=401) if of_one_job else None

    stage.sandbox.interfere = refuse
    with pytest.raises(AuthenticationError):
        stage.order()
    stage.sandbox.interfere = None
    assert stage.order().job_id == other
    assert stage.ids() == [own, other]
