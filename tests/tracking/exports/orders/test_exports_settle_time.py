"""The wait for the job of an unanswered order continues from one process to the next."""

from __future__ import annotations

import json
from datetime import date, timedelta

import pytest

from soapclient.errors import DeadlineExceeded
from soapclient.tracking.exports.orders import placement
from soapclient.tracking.exports.orders.adoption import ListedJob
from soapclient.tracking.exports.orders.placement import Placement
from tests.tracking.exports.conftest import Desk

DAY = date(2026, 11, 1)


def late_run(desk: Desk) -> None:
    """Order in a new process whose deadline is shorter than the wait."""
    with pytest.raises(DeadlineExceeded, match="earlier order"):
        desk.begin(within=10)


def test_wait_continues_in_the_next_process(desk: Desk) -> None:
    desk.lose(processed=False)
    begun = desk.clock.monotonic()
    for _ in range(3):  # 60, 41 and 22 seconds are left
        late_run(desk)
        desk.clock.advance(19)
    export = desk.begin(within=10)
    assert 60 <= desk.clock.monotonic() - begun <= 63
    assert desk.ids() == [export.id]


def test_wait_for_another_attempt_starts_again(desk: Desk) -> None:
    desk.lose(processed=False)
    late_run(desk)
    desk.clock.advance(61)
    desk.lose(within=10, processed=False)
    late_run(desk)
    desk.clock.advance(59)
    (entry,) = desk.ledger().pending()
    assert entry.attempts == 2
    export = desk.begin(within=10)
    assert desk.ids() == [export.id]


@pytest.mark.parametrize("boots", [("first", "second"), ("", "")])
def test_incomparable_wait_starts_again(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, boots: tuple[str, str]
) -> None:
    """Monotonic times of another boot are useless, and some systems have no boot id."""
    desk.lose(processed=False)
    for boot in boots:
        monkeypatch.setattr(placement, "boot_id", lambda boot=boot: boot)
        late_run(desk)
        desk.clock.advance(61)
    late_run(desk) if not boots[1] else desk.begin(within=10)


def test_wait_started_in_the_future_starts_again(desk: Desk) -> None:
    desk.lose(processed=False)
    late_run(desk)
    (path,) = desk.ledger().folder.glob("*.json")
    data = json.loads(path.read_text())
    began, _, boot = data["waiting"].partition(" ")
    path.write_text(json.dumps(data | {"waiting": f"{float(began) + 1e6:.3f} {boot}"}))
    late_run(desk)
    desk.clock.advance(61)
    assert desk.begin(within=10).id in desk.ids()


def test_job_is_not_considered_missing_after_one_search(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """Pages shift while they are read: a list may lack a job, even if the wait is long over."""
    desk.lose(processed=True)
    (made,) = desk.ids()
    late_search, looks = Placement._list_jobs, list[int]()

    def shifted(self: Placement) -> list[ListedJob]:
        looks.append(1)
        return late_search(self) if len(looks) > 1 else []

    monkeypatch.setattr(Placement, "_list_jobs", shifted)
    exports = desk.exports()
    ledger = desk.ledger(exports)
    handle = exports.order_once(ledger, report_type="click", from_date=DAY, to_date=DAY, settle=timedelta(0))
    assert (handle.job_id, len(looks), desk.ids()) == (made, 2, [made])
