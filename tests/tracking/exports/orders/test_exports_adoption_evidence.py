"""The evidence that a job's file gives, the errors about it, and when the inspection stops."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator

import pytest
from werkzeug.wrappers import Request, Response

from soapclient.errors import AmbiguousOrder, AuthenticationError, DeadlineExceeded
from soapclient.tracking.exports.download.download import Download
from soapclient.tracking.exports.formats.export_file import ExportFile
from soapclient.tracking.sandbox import JobScript
from soapclient.tracking.sandbox.operations import jobs
from tests.tracking.exports.lossy import Lossy, lossy_stage

__all__ = ["lossy_stage"]  # the fixture `stage`

DAMAGED = JobScript(damage="corrupt")


def two_jobs(stage: Lossy, second: JobScript) -> tuple[str, str]:
    """Make two jobs for the same day: one of a lost order with a damaged file, and one ordered by hand."""
    stage.sandbox.jobs.script(DAMAGED, second)
    stage.lose()
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
