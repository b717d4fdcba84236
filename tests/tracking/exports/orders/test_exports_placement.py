"""Orders are placed once despite lost responses, wrong clocks, refusals and expired jobs."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from io import BytesIO
from pathlib import Path
from unittest.mock import Mock

import pytest
from werkzeug.wrappers import Request, Response

from soapclient.errors import (
    AmbiguousOutcome,
    ConfigError,
    ContractError,
    DeadlineExceeded,
    JobExpired,
    ServiceFault,
)
from soapclient.tracking.exports.handle import ExportHandle
from soapclient.tracking.exports.orders import placement
from soapclient.tracking.sandbox import SAMPLE_CONNECT_ID, SAMPLE_SECRET_KEY
from tests.tracking.exports.conftest import is_order
from tests.tracking.exports.lossy import BERLIN, FIRST, OTHER_ID, SECOND, THEIRS, Lossy, lossy_stage, refused

pytestmark = pytest.mark.sampled(6)

__all__ = ["lossy_stage"]  # the fixture `stage`


def test_repeated_order_returns_the_same_handle_without_requests(stage: Lossy) -> None:
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


def test_folder_contains_no_secret(stage: Lossy) -> None:
    stage.order()
    stage.lose(day=SECOND, processed=True)
    for path in stage.folder.rglob("*"):
        assert SAMPLE_CONNECT_ID.lower() not in str(path).lower()
        if path.is_file():
            text = path.read_text().lower()
            assert SAMPLE_CONNECT_ID.lower() not in text
            assert SAMPLE_SECRET_KEY.lower() not in text


@pytest.mark.parametrize("protocol", ["rest", "soap"])
def test_job_with_a_lost_response_is_adopted(stage: Lossy, tmp_path: Path, protocol: str) -> None:
    with stage.lost(processed=True):
        stage.order(stage.exporter(protocol=protocol))
    (made,) = stage.ids()
    exporter = stage.exporter(protocol=protocol)
    handle = stage.order(exporter)
    assert handle.job_id == made
    assert stage.ids() == [made]
    entry = stage.ledger(exporter).find(handle.request)
    assert entry is not None
    assert entry.adopted
    assert handle.ordered_at == THEIRS
    file = exporter.resume(handle).download(tmp_path / "x.csv.gz")
    assert stage.ledger(exporter).verify(handle, file, BERLIN) is True


def test_unprocessed_order_is_sent_once_more(stage: Lossy) -> None:
    stage.lose(processed=False)
    assert stage.ids() == []
    begun = stage.clock.monotonic()
    handle = stage.order()
    assert stage.ids() == [handle.job_id]
    assert 60 <= stage.clock.monotonic() - begun <= 63  # until the job cannot appear any more
    (entry,) = stage.ledger().entries()
    assert (entry.attempts, entry.adopted, entry.intended_at) == (2, False, THEIRS)


def test_late_job_is_waited_for(stage: Lossy) -> None:
    stage.lose(processed=False)

    def late(_: Request) -> None:
        if stage.clock.now() > THEIRS + timedelta(seconds=30) and not stage.ids():
            stage.sandbox.interfere = None
            stage.by_hand()

    stage.sandbox.interfere = late
    handle = stage.order()
    assert stage.ids() == [handle.job_id]


@pytest.mark.sampled(2, 8)
@pytest.mark.parametrize("first", [-3, -0.4, -0.25, 0, 0.25, 0.4, 3])
@pytest.mark.parametrize("second", [-3, 0.4])
@pytest.mark.parametrize("fate", ["lost", "never came"])
def test_wrong_clocks_cause_no_duplicate_order(stage: Lossy, first: float, second: float, fate: str) -> None:
    """A clock that is off by less than the validity of a signature gets no error, but is not trusted."""
    stage.order(day=SECOND)  # an earlier job
    stage.clock.advance(900)
    stage.lose(stage.exporter(timedelta(hours=first)), processed=fate == "lost")
    stage.clock.advance(100)
    handle = stage.order(stage.exporter(timedelta(hours=second)))
    assert len(stage.ids()) == 2
    assert stage.ids()[1] == handle.job_id


def test_date_of_a_gateway_response_is_not_used(stage: Lossy) -> None:
    exporter = stage.exporter()
    stage.order(exporter, SECOND)
    stage.clock.advance(10)
    service = stage.sandbox._clock
    stage.sandbox._clock = lambda: THEIRS + timedelta(hours=5)
    with stage.lost(processed=False):
        stage.order(exporter)
    stage.sandbox._clock = service
    assert exporter.jobs.time() == THEIRS + timedelta(seconds=10)
    (entry,) = stage.ledger().pending()
    assert entry.intended_at == THEIRS + timedelta(seconds=10)


def test_export_of_a_ledger_is_not_ordered_again_without_the_ledger(stage: Lossy, tmp_path: Path) -> None:
    handle = stage.expired()
    for known in (handle, stage.order(), ExportHandle.from_json(handle.to_json())):
        exporter = stage.exporter()
        with pytest.raises(JobExpired) as caught:
            exporter.resume(known).download(tmp_path / "x.csv.gz")
        assert any("reorder_once" in note for note in caught.value.__notes__)
        with pytest.raises(ConfigError, match="recorded in a state directory"):
            exporter.reorder(known)
    assert stage.ids() == [handle.job_id]


def test_reorder_with_a_ledger_orders_once_despite_a_kill(stage: Lossy, tmp_path: Path) -> None:
    handle = stage.expired()
    for attempt in range(3):
        exporter = stage.exporter()
        export = exporter.resume(handle, stage.ledger(exporter))
        with pytest.raises(KeyboardInterrupt):
            export.download(tmp_path / "x.csv.gz", on_reorder=Mock(side_effect=KeyboardInterrupt))
        assert len(stage.ids()) == 2, attempt
        assert export.handle.job_id == stage.ids()[1]
        assert export.reordered == handle
    assert stage.order().job_id == stage.ids()[1]
    (entry,) = stage.ledger().entries()
    assert (entry.former, entry.adopted) == ((handle.job_id,), False)
    assert exporter.resume(handle, stage.ledger(exporter)).download(tmp_path / "x.csv.gz").row_count
    assert len(stage.ids()) == 2


def test_lost_response_of_the_second_order_is_searched(stage: Lossy) -> None:
    handle = stage.expired()
    exporter = stage.exporter()
    with stage.lost(processed=True):
        exporter.reorder_once(stage.ledger(exporter), handle)
    again = exporter.reorder_once(stage.ledger(exporter), handle)
    assert stage.ids() == [handle.job_id, again.job_id]


def test_refused_second_order_keeps_the_first(stage: Lossy) -> None:
    handle = stage.expired()
    (before,) = stage.ledger().entries()
    exporter = stage.exporter()
    stage.sandbox.interfere = refused
    with pytest.raises(ServiceFault, match="busy"):
        exporter.reorder_once(stage.ledger(exporter), handle)
    assert stage.ledger().entries() == (before,)


def test_ledger_without_the_request_is_refused(stage: Lossy, tmp_path: Path) -> None:
    handle = stage.expired()
    exporter = stage.exporter()
    with pytest.raises(ConfigError, match="does not have the request"):
        exporter.reorder_once(exporter.ledger(tmp_path / "elsewhere"), handle)
    assert stage.ids() == [handle.job_id]


# ---- log messages during the wait


def logged(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [one.getMessage() for one in caplog.records if one.name == placement.__name__]


def test_adopted_job_is_logged_with_its_request(stage: Lossy, caplog: pytest.LogCaptureFixture) -> None:
    stage.lose(processed=True)
    handle = stage.order()
    key = stage.ledger().key(handle.request)
    assert logged(caplog) == [
        f"job {handle.job_id} was found and adopted for request {key}; its rows are checked after "
        "the download"
    ]
    stage.order()
    assert len(logged(caplog)) == 1


def test_wait_is_logged_with_duration_and_reason(stage: Lossy, caplog: pytest.LogCaptureFixture) -> None:
    stage.lose(processed=False)
    exporter = stage.exporter()
    waiting = (
        "an earlier order (click 2026-11-01 to 2026-11-01) got no response: waiting 60 seconds for its job"
    )
    begun = stage.clock.monotonic()
    with pytest.raises(DeadlineExceeded) as caught:
        stage.begin(exporter, within=10)
    assert str(caught.value) == (
        "the export: the deadline of 10 seconds passed while waiting for the job of an earlier order (click "
        "2026-11-01 to 2026-11-01) to appear, which may take 60 seconds. Allow a longer deadline."
    )
    assert (caught.value.job_id, caught.value.seconds, logged(caplog)) == (None, 10, [])
    assert stage.clock.monotonic() == begun
    handle = stage.begin(exporter, within=60).handle
    assert 60 <= stage.clock.monotonic() - begun <= 61
    assert logged(caplog) == [f"{waiting} to appear"]
    assert stage.ids() == [handle.job_id]


# ---- refused orders leave no intent


STATUSES = (200, 204, 301, 302, 303, 400, 401, 403, 404, 408, 409, 410, 425, 429, 499, *range(500, 508), 599)


@pytest.mark.sampled(2, 12)
@pytest.mark.parametrize("protocol", ["rest", "soap"])
@pytest.mark.parametrize("status", STATUSES)
def test_order_with_a_gateway_response_is_found_again(stage: Lossy, status: int, protocol: str) -> None:
    def forwarded(request: Request) -> Response | None:
        if not is_order(request):
            return None
        stage.sandbox.interfere = None
        stage.sandbox.answer(Request({**request.environ, "wsgi.input": BytesIO(request.get_data())}))
        return Response("" if status == 204 else "upstream connect error", status=status)

    stage.sandbox.interfere = forwarded
    with pytest.raises(AmbiguousOutcome):
        stage.order(stage.exporter(protocol=protocol))
    (made,) = stage.ids()
    assert len(stage.ledger().pending()) == 1
    assert stage.order(stage.exporter(protocol=protocol)).job_id == made
    assert stage.ids() == [made]


def test_order_with_two_content_lengths_is_ambiguous_and_its_job_is_found(stage: Lossy) -> None:
    """Requests raises a ValueError for it, as for a request that cannot be sent."""

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


def test_refused_order_leaves_no_entry(stage: Lossy) -> None:
    exporter = stage.exporter()
    ledger = stage.ledger(exporter)
    for kind, day, refusal in (
        ("view", FIRST, ContractError),
        ("click", SECOND, ContractError),
        ("nonsense", FIRST, ServiceFault),
    ):
        with pytest.raises(refusal):
            exporter.order_once(ledger, report_type=kind, from_date=day, to_date=FIRST)
    stage.sandbox.interfere = refused
    with pytest.raises(ServiceFault, match="busy"):
        stage.order(exporter)
    assert ledger.entries() == ()
    assert stage.ids() == []


def test_refusal_of_the_second_attempt_does_not_settle_the_first(stage: Lossy) -> None:
    stage.lose(processed=False)
    stage.sandbox.interfere = refused
    with pytest.raises(ServiceFault, match="busy"):
        stage.order()
    (entry,) = stage.ledger().pending()
    assert (entry.intended_at, entry.attempts) == (THEIRS, 2)


def test_unreachable_service_leaves_no_intent(stage: Lossy, tmp_path: Path) -> None:
    stage.sandbox.interfere = lambda request: Response(status=502)
    exporter = stage.exporter()
    with pytest.raises(Exception, match="502"):
        stage.order(exporter)
    assert stage.ledger().entries() == ()


def test_another_accounts_ledger_is_refused(stage: Lossy) -> None:
    other = stage.ledger(stage.exporter(account=OTHER_ID))
    with pytest.raises(ConfigError, match="belongs to another account"):
        stage.begin(ledger=other)
    assert stage.requests == []


def test_handle_that_cannot_be_stored_is_found_again(stage: Lossy, monkeypatch: pytest.MonkeyPatch) -> None:
    ledger = stage.ledger()
    save: Callable[..., None] = ledger.save

    def full(entry: object) -> None:
        if getattr(entry, "handle", None) is not None:
            raise OSError(28, "No space left on device")
        save(entry)

    monkeypatch.setattr(ledger, "save", full)
    with pytest.raises(OSError, match="No space") as caught:
        stage.begin(ledger=ledger)
    (made,) = stage.ids()
    assert any(made in note for note in caught.value.__notes__)
    assert stage.order().job_id == made
    assert stage.ids() == [made]
