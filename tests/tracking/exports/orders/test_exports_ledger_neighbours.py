"""Several ledgers of one account on one machine, and one ledger for several addresses of the service."""

from __future__ import annotations

import json
import os
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from datetime import date, timedelta
from pathlib import Path

import pytest

from soapclient.errors import AmbiguousOrder, AmbiguousOutcome, ConfigError, LedgerError
from soapclient.tracking.exports.orders.ledger import REGISTER, Ledger, registered_ledgers
from tests.tracking.exports.conftest import Desk
from tests.tracking.exports.records import intent

DAY, NEXT = date(2026, 11, 1), date(2026, 11, 2)


def beside(desk: Desk, *folders: Path) -> Ledger:
    """Return the ledger of a backfill with other ledgers as its neighbours."""
    account = desk.ledger().account
    return Ledger(desk.folder / "work" / "ledger", account=account, neighbours=folders)


@pytest.mark.parametrize("program", [1802, None])
def test_jobs_of_the_state_folder_are_not_adopted_by_another_ledger(desk: Desk, program: int | None) -> None:
    exports = desk.exports()
    own = desk.begin(exports, program_id=program)
    work = beside(desk, desk.folder / "ledger")
    desk.lose(exports, ledger=work, processed=False)
    second = desk.begin(exports, ledger=work)
    assert not second.handle.adopted
    assert desk.ids() == [own.id, second.id]


@pytest.mark.exhaustive
def test_jobs_of_another_ledger_are_not_adopted_by_the_state_folder(desk: Desk) -> None:
    exports, work = desk.exports(), beside(desk, desk.folder / "ledger")
    taken = desk.begin(exports, ledger=work)
    third = Ledger(desk.folder / "third", account=work.account, neighbours=[desk.folder / "ledger"])
    for ledger in (desk.ledger(), third):  # a neighbour of `work`, and another ledger with the same neighbour
        desk.lose(exports, NEXT, ledger=ledger, processed=False)
        assert desk.begin(exports, NEXT, ledger=ledger).id not in (taken.id, *desk.ids()[:-1])
    assert len(desk.ids()) == 3
    assert {entry.handle for entry in third.elsewhere()} > {taken.handle}


@pytest.mark.exhaustive
def test_open_intent_of_another_ledger_is_a_rival(desk: Desk) -> None:
    """Both ordered the same, but only one job exists. Its file matches both orders, so neither gets it."""
    exports, work = desk.exports(), beside(desk, desk.folder / "ledger")
    desk.lose(exports, ledger=work, processed=True)
    desk.lose(exports, processed=False)
    for ledger in (work, desk.ledger()):
        with pytest.raises(AmbiguousOrder, match=r"also by its file, but it may belong to request .*"):
            desk.begin(exports, ledger=ledger)
    assert len(desk.ids()) == 1
    key = work.key({"report_type": "click", "from_date": "2026-11-01", "to_date": "2026-11-01"})
    work.claim(key, desk.ids()[0])
    other = desk.ledger().pending()[0]
    with pytest.raises(ConfigError, match="belongs to another request"):
        desk.ledger().claim(other.key, desk.ids()[0])
    assert desk.begin(exports).id == desk.ids()[1]


def test_open_intent_of_other_days_in_another_ledger_keeps_its_job(desk: Desk) -> None:
    exports, work = desk.exports(), beside(desk, desk.folder / "ledger")
    desk.lose(exports, ledger=work, processed=True)
    desk.lose(exports, NEXT, processed=False)
    own = desk.begin(exports, NEXT)
    assert not own.handle.adopted
    theirs = desk.begin(exports, ledger=work)
    assert theirs.handle.adopted
    assert desk.ids() == [theirs.id, own.id]


def test_rival_that_gets_its_job_meanwhile_keeps_it(desk: Desk) -> None:
    """The list of jobs is read while the other response is in flight. The later state counts."""
    exports, work = desk.exports(), beside(desk, desk.folder / "ledger")
    desk.lose(exports, processed=False)
    desk.lose(exports, ledger=work, processed=True)
    (intent,) = work.pending()
    own = desk.ledger(exports)
    real = type(own).elsewhere

    class Racing(Ledger):
        def elsewhere(self) -> tuple[object, ...]:  # type: ignore[override] # the earlier state
            seen = real(self)
            if work.pending():
                work.claim(intent.key, desk.ids()[0])
            return seen

    racing = Racing(desk.folder / "ledger", account=own.account, address=own.address)
    export = desk.begin(exports, ledger=racing)
    assert [handle.job_id for handle in work.handles()] == desk.ids()[:1]
    assert [handle.job_id for handle in own.handles()] == [export.id] == desk.ids()[1:]


def test_ledgers_record_their_neighbours(tmp_path: Path) -> None:
    state, first, second = (tmp_path / name for name in ("state", "one", "two"))
    for folder in (first, second):
        for _ in range(2):
            with Ledger(folder, account="a", neighbours=[state, folder]).lock():
                pass
    assert set(registered_ledgers(state, ())) == {first, second}
    assert set(registered_ledgers(first, [state])) == {state, second}
    assert registered_ledgers(first, ()) == ()
    notes = list((state / REGISTER).glob("*.json"))
    assert len(notes) == 2


@pytest.mark.exhaustive
def test_neighbours_can_be_recorded_concurrently(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Locks are created before they are acquired, so two processes can write the same note."""
    for number in range(15):
        state, beside = tmp_path / f"state{number}", tmp_path / f"beside{number}"
        begin = threading.Barrier(5, timeout=30)

        def locks(state: Path = state, beside: Path = beside, begin: threading.Barrier = begin) -> None:
            begin.wait()
            Ledger(beside, account="a", neighbours=[state]).lock()

        with ThreadPoolExecutor(4) as pool:
            others = [pool.submit(locks) for _ in range(4)]
            begin.wait()
            while not all(other.done() for other in others):
                assert registered_ledgers(state, ()) in ((), (beside,))
            for other in others:
                other.result()
        assert registered_ledgers(state, ()) == (beside,)
        assert {path.suffix for path in (state / REGISTER).iterdir()} == {"", ".json"}  # the lock, the note
    assert not caplog.text


@pytest.mark.skipif(sys.platform != "linux", reason="names of any bytes")
def test_folder_with_a_non_text_name_is_recorded(tmp_path: Path) -> None:
    folder = Path(os.fsdecode(os.fsencode(tmp_path) + b"/\xff"))
    with Ledger(folder, account="a", neighbours=[tmp_path]).lock():
        pass
    assert registered_ledgers(tmp_path, ()) == (folder,)


def test_order_refused_meanwhile_is_not_a_rival(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Reading takes no lock, so a listed entry may be gone."""
    record = intent(account="a")
    own, other = (Ledger(tmp_path, account="a") for _ in range(2))
    with other.lock():
        listed = own._names

        def names() -> list[str]:
            other.save(record)
            found = listed()
            other.drop(record)
            return found

        monkeypatch.setattr(own, "_names", names)
        assert own.find(record.request) is None


# ---- addresses


def test_equal_job_ids_of_two_services_are_different_jobs(desk: Desk, tmp_path: Path) -> None:
    """Account, folder, request and even job ids are equal, but two services mean two orders."""
    exports = desk.exports()
    here = desk.begin(exports)
    with ExitStack() as stack:
        there = type(desk)(tmp_path, stack)
        elsewhere = there.exports()
        second = there.begin(elsewhere)
        assert second.id in there.ids()
        assert second.download(tmp_path / "x.csv.gz").row_count == 20
        assert [entry.handle for entry in there.ledger(elsewhere).entries()] == [second.handle]
        there.lose(elsewhere, NEXT, processed=True)
        assert there.begin(elsewhere, NEXT).handle.adopted
        with pytest.raises(ConfigError, match="belongs to the service at"):
            there.begin(elsewhere, ledger=desk.ledger(exports))
    assert [entry.handle for entry in desk.ledger(exports).entries()] == [here.handle]
    assert desk.begin(exports).handle == here.handle
    assert len(desk.ids()) == 1


@pytest.mark.exhaustive
def test_entries_of_an_older_version_are_resumed(desk: Desk) -> None:
    exports = desk.exports()
    ledger = desk.ledger(exports)
    old = Ledger(desk.folder / "ledger", account=ledger.account)
    first = desk.begin(exports, ledger=old)
    desk.lose(exports, NEXT, ledger=old, processed=True)
    for path in old.folder.glob("*.json"):
        assert not {"address", "vouched"} & json.loads(path.read_text()).keys()
    assert desk.begin(exports).handle == first.handle
    assert desk.begin(exports, NEXT).handle.adopted
    assert desk.begin(exports, reorder=True).id == desk.ids()[2]
    assert len(list(old.folder.glob("*.json"))) == 2
    desk.clock.advance(timedelta(hours=1).total_seconds())
    desk.lose(exports, date(2026, 11, 3), processed=False)
    assert not desk.begin(exports, date(2026, 11, 3)).handle.adopted  # the other jobs are claimed
    (new,) = (entry for entry in ledger.entries() if entry.address)
    assert new.address is not None
    assert desk.url in new.address


def test_broken_file_of_another_address_is_ignored(desk: Desk) -> None:
    exports = desk.exports()
    desk.begin(exports)
    ledger = desk.ledger(exports)
    (path,) = ledger.folder.glob("*.json")
    other = Ledger(desk.folder / "ledger", account=ledger.account, address="http://127.0.0.1:1/")
    path.write_text("{")
    assert other.entries() == ()
    with pytest.raises(LedgerError):
        ledger.entries()


def test_unlistable_folder_is_not_considered_empty(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """If it counted as empty, its requests would be ordered twice."""
    exports = desk.exports()
    handle = desk.begin(exports).handle
    ledger = desk.ledger(exports)
    real = os.scandir

    def refuse(path: Path) -> object:
        if Path(path) == ledger.folder:
            raise PermissionError(13, "Permission denied", str(path))
        return real(path)

    monkeypatch.setattr(os, "scandir", refuse)
    assert desk.begin(exports).handle == handle  # its name is known
    for look in (ledger.entries, ledger.pending, lambda: desk.begin(exports, NEXT)):
        with pytest.raises(PermissionError):
            look()
    assert desk.ids() == [handle.job_id]
    assert not issubclass(PermissionError, AmbiguousOutcome)
