"""The ledger as a folder: its files, their validation, and locks."""

from __future__ import annotations

import json
import os
import stat
import sys
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from unittest.mock import Mock

import pytest
from hypothesis import given
from hypothesis import strategies as st

from soapclient._support import durable
from soapclient.clock import ManualClock
from soapclient.errors import ConfigError, LedgerBusy, LedgerError
from soapclient.tracking.exports.orders.ledger import Ledger
from soapclient.tracking.exports.orders.record import OrderRecord
from tests.tracking.exports.records import CLICKS, NOW, handle, intent, save

# an order that was sent twice, with jobs that are not or may not be its own
INTENT = intent(
    tried_at=NOW + timedelta(seconds=90), attempts=2, not_ours=("other", 7), abandoned=("perhaps",)
)


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    return Ledger(tmp_path / "a" / "b", account="shop-1")


@pytest.fixture
def kept(ledger: Ledger) -> Ledger:
    """A ledger with one ordered request."""
    save(ledger, INTENT.ordered(handle("job-1")))
    return ledger


def file_of(ledger: Ledger) -> Path:
    (path,) = ledger.folder.glob("*.json")
    return path


@pytest.mark.parametrize(
    "change",
    [
        lambda entry: entry,
        lambda entry: entry.ordered(handle("job-1")),
        lambda entry: entry.ordered(handle(12), adopted=True).downloaded("ab" * 32),
        lambda entry: entry.ordered(handle("job-1")).forgotten(),
    ],
)
def test_entries_roundtrip(ledger: Ledger, change: Callable[[OrderRecord], OrderRecord]) -> None:
    entry = change(INTENT)
    save(ledger, entry)
    assert ledger.entries() == (entry,)
    assert ledger.find(CLICKS) == entry


def test_handles_and_open_intents_are_listed(kept: Ledger) -> None:
    second = replace(INTENT, request=CLICKS | {"report_type": "clickin"})
    save(kept, second)
    assert kept.handles() == (handle("job-1"),)
    assert kept.pending() == (second,)


def test_accounts_and_services_do_not_see_each_other(kept: Ledger, tmp_path: Path) -> None:
    folder = tmp_path / "a" / "b"
    assert Ledger(folder, account="shop-1").entries() != ()
    assert Ledger(folder, account="shop-2").entries() == ()
    assert Ledger(folder, account="shop-1", service="other").entries() == ()


def test_a_claim_settles_an_intent(ledger: Ledger) -> None:
    other = replace(INTENT, request=CLICKS | {"program_id": 1})
    save(ledger, INTENT, other.ordered(handle("job-1", other.request)))
    key = ledger.key(CLICKS)
    with pytest.raises(ConfigError, match="belongs to another request"):
        ledger.claim(key, "job-1")
    claimed = ledger.claim(key, "job-2")
    assert claimed == handle("job-2")
    # so that its download checks whether the rows belong to another order
    assert (claimed.in_ledger, claimed.adopted, claimed.vouched) == (True, True, True)
    found = ledger.find(CLICKS)
    assert found is not None
    assert (found.state, found.adopted) == ("ordered", True)


def test_forgotten_entry_keeps_its_job_claimed(kept: Ledger) -> None:
    kept.done(kept.key(CLICKS), "ab" * 32)
    done = kept.find(CLICKS)
    assert done is not None
    assert (done.state, done.file_sha256) == ("done", "ab" * 32)
    kept.forget(kept.key(CLICKS))
    found = kept.find(CLICKS)
    assert found is not None
    assert (found.state, found.handle, found.former) == ("forgotten", None, ("job-1",))
    assert kept.handles() == ()


def test_job_is_disowned_only_while_it_belongs_to_the_request(kept: Ledger) -> None:
    key = kept.key(CLICKS)
    assert kept.disown(key, "job-2") is False
    assert kept.handles() == (handle("job-1"),)
    assert kept.disown(key, "job-1") is True
    (entry,) = kept.pending()
    assert entry.not_ours == ("other", 7, "job-1")
    assert kept.disown(key, "job-1") is False


# ---- files that are invalid; the module test_exports_ledger_entries has more, with the exact messages

MIN, MAX = "0001-01-01T00:00:00", "9999-12-31T23:59:59"


def changed(**values: object) -> Callable[[bytes], bytes]:
    return lambda text: json.dumps(json.loads(text) | values).encode()


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (lambda text: b"\xff" + text, "is incomplete"),
        (lambda text: b"[" * 100_000, "is incomplete"),
        (changed(state="dreaming"), "dreaming"),
        (changed(handle={"format": 1}), "damaged"),
        (changed(tried_at="yesterday"), "damaged"),
        *(
            (changed(waiting=text), "the field waiting must be a time in seconds and a boot id")
            for text in ("", "soon", "12.345", "12.5 boot", "nan boot", "-1.000 boot", "1.000 ")
        ),
        *((changed(tried_at=f"{text}+00:00"), "tried_at is in the year") for text in (MIN, MAX)),
        (changed(intended_at="0001-01-01T00:00:00+14:00"), "intended_at is in the year"),
        (changed(adopted="no"), "adopted"),
        (changed(not_ours=[[]]), "not_ours"),
        (changed(request={"report_type": "click", "from_date": True}), "request"),
    ],
)
def test_implausible_file_stops_everything(kept: Ledger, spoil: Callable[[bytes], bytes], said: str) -> None:
    path = file_of(kept)
    path.write_bytes(spoil(path.read_bytes()))
    for ask in (kept.entries, kept.handles, kept.pending, lambda: kept.find(CLICKS)):
        with pytest.raises(LedgerError, match=said) as caught:
            ask()
        assert caught.value.path == str(path)
        assert str(path) in str(caught.value)


@pytest.mark.parametrize("code", [0xD800, 0xDCFF])
def test_lone_surrogate_is_refused(kept: Ledger, code: int) -> None:
    """A lone surrogate can be escaped or encoded in JSON. No request, file name or terminal accepts it."""
    path, half = file_of(kept), chr(code)
    good = json.loads(path.read_text())
    for bad in (good | {"former": [half]}, good | {f"former{half}": []}, good | {"handle": {"job_id": half}}):
        for text in (json.dumps(bad), json.dumps(bad, ensure_ascii=False)):
            path.write_bytes(text.encode("utf-8", "surrogatepass"))
            for ask in (kept.entries, lambda: kept.find(CLICKS)):
                with pytest.raises(LedgerError, match="is incomplete, or not JSON") as caught:
                    ask()
                str(caught.value).encode()


@pytest.mark.skipif(sys.platform == "win32", reason="links and pipes")
@pytest.mark.parametrize("kind", ["link", "pipe", "folder"])
def test_special_file_as_entry_or_lock_is_refused(kept: Ledger, tmp_path: Path, kind: str) -> None:
    path, elsewhere = file_of(kept), tmp_path / "elsewhere"
    elsewhere.write_bytes(path.read_bytes())

    def put(place: Path) -> None:
        place.unlink(missing_ok=True)
        if kind == "link":
            place.symlink_to(elsewhere)
        elif kind == "pipe":
            os.mkfifo(place)
        else:
            place.mkdir()

    put(path.with_name(path.name + ".part"))
    refused = "symbolic link|regular file|Is a directory|No such device"
    with pytest.raises(OSError, match=refused):
        kept.done(kept.key(CLICKS), "ab" * 32)
    assert elsewhere.read_bytes() == path.read_bytes()
    put(path)
    with pytest.raises(LedgerError, match="regular file"):
        kept.entries()
    put(kept.folder / "lock")
    with pytest.raises(OSError, match=refused), kept.lock():
        pass


def test_copy_under_another_name_is_not_an_entry(kept: Ledger) -> None:
    path = file_of(kept)
    (path.parent / f"copy of {path.name}").write_bytes(path.read_bytes())
    with pytest.raises(LedgerError, match="renamed"):
        kept.entries()


def test_folder_is_listed_again_only_after_a_change_by_another_process(
    kept: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    days = [CLICKS | {"to_date": f"2026-11-{day:02}"} for day in range(3, 8)]
    listed: list[Path] = []
    scan = os.scandir

    def scandir(folder: Path) -> object:
        listed.append(folder)
        return scan(folder)

    monkeypatch.setattr(os, "scandir", scandir)
    for request in days[:3]:
        assert kept.find(request) is None
        entry = replace(INTENT, request=request)
        save(kept, entry, entry.ordered(handle("job-1", request)))
        assert kept.find(request) is not None
    assert len(listed) == 1
    other = Ledger(kept.folder.parent, account="shop-1")
    save(other, replace(INTENT, request=days[3]))
    _older(kept.folder)
    assert kept.find(days[3]) == replace(INTENT, request=days[3])
    assert kept.find(days[4]) is None
    assert len(listed) == 2


@given(data=st.data())
def test_changes_by_other_processes_are_seen(
    data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("ledger")
    many, other = Ledger(folder, account="a"), Ledger(folder, account="a")
    for _ in range(data.draw(st.integers(1, 8))):
        writer = data.draw(st.sampled_from([many, other]))
        day = data.draw(st.sampled_from(["2026-10-01", "2026-10-02", "2026-10-03"]))
        entry = intent(CLICKS | {"from_date": day}, account="a")
        with writer.lock():
            match data.draw(st.sampled_from(["intend", "order", "drop"])):
                case "intend":
                    writer.save(entry)
                case "order":
                    job = data.draw(st.sampled_from(["job-1", "job-2"]))
                    writer.save(entry.ordered(handle(job, entry.request)))
                case _:
                    writer.drop(entry)
        assert many.entries() == other.entries()
        assert many.find(entry.request) == other.find(entry.request)


def test_renamed_file_is_an_error_after_earlier_orders(kept: Ledger) -> None:
    assert kept.find(CLICKS | {"program_id": 1}) is None
    save(kept, replace(INTENT, request=CLICKS | {"program_id": 2}))
    path = next(path for path in kept.folder.glob("*.json") if kept.key(CLICKS) in path.name)
    path.rename(path.with_name(f"copy of {path.name}"))
    _older(kept.folder)
    with pytest.raises(LedgerError, match="renamed"):
        kept.find(CLICKS)


def _older(folder: Path) -> None:
    """Change the time of a folder, as if its last change was not within the resolution of its time."""
    os.utime(folder, ns=(0, folder.stat().st_mtime_ns - 10**9))


def test_leftovers_of_a_killed_process_are_ignored(kept: Ledger) -> None:
    path = file_of(kept)
    part = path.with_name(path.name + ".part")
    part.write_bytes(b'{"form' * 1000)
    assert kept.handles() == (handle("job-1"),)
    kept.done(kept.key(CLICKS), "ab" * 32)
    assert not part.exists()
    assert kept.handles() == (handle("job-1"),)


# ---- locks and owners


def test_lock_is_waited_for_until_its_timeout(kept: Ledger, tmp_path: Path) -> None:
    clock = ManualClock(NOW)
    second = Ledger(tmp_path / "a" / "b", account="shop-1", patience=timedelta(seconds=3), clock=clock)
    with kept.lock(), pytest.raises(LedgerBusy, match="Nothing was sent"):
        second.forget(kept.key(CLICKS))
    assert sum(clock.sleeps) == pytest.approx(3)
    assert second.handles() == (handle("job-1"),)  # reading needs no lock
    second.forget(kept.key(CLICKS))
    assert second.handles() == ()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_forked_child_neither_keeps_nor_releases_the_lock(ledger: Ledger) -> None:
    held = ledger.lock()
    with held:
        read, write = os.pipe()
        child = os.fork()
        if child == 0:
            held.__exit__(None, None, None)
            os.write(write, b"left")
            os._exit(0)
        assert os.read(read, 4) == b"left"
        os.waitpid(child, 0)
        with pytest.raises(LedgerBusy), ledger.lock():
            pass
        child = os.fork()
        if child == 0:
            os.close(write)
            os.read(read, 1)  # until the parent writes
            os._exit(0)
    try:
        with ledger.lock():
            pass
    finally:
        os.close(write)
        os.waitpid(child, 0)
        os.close(read)


def test_removed_lock_file_is_not_locked(kept: Ledger) -> None:
    """A process waits for the lock file of the holder. The file is removed, and a new file takes its name."""
    path = kept.folder / "lock"
    first, third = kept.lock(), kept.lock()

    class Removing(ManualClock):
        def sleep(self, seconds: float) -> None:
            super().sleep(seconds)
            if len(self.sleeps) == 1:
                path.unlink()
                third.__enter__()
                first.__exit__(None, None, None)

    first.__enter__()
    second = Ledger(kept.folder.parent, account="shop-1", patience=3, clock=Removing(NOW))
    with pytest.raises(LedgerBusy), second.lock():
        pass
    third.__exit__(None, None, None)
    with second.lock():
        assert path.exists()


# ---- syncing to disk


def test_file_is_synced_before_its_rename_and_the_folder_after(
    ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[str] = []
    fsync, replace = os.fsync, os.replace

    def synced(fd: int) -> None:
        seen.append("sync " + ("folder" if stat.S_ISDIR(os.fstat(fd).st_mode) else "file"))
        fsync(fd)

    def replaced(source: Path, target: Path) -> None:
        assert len(source.read_bytes()) > 100  # all of it, and not still in a buffer
        seen.append("replace")
        replace(source, target)

    durable.make_folder(ledger.folder)
    monkeypatch.setattr(os, "fsync", synced)
    monkeypatch.setattr(os, "replace", replaced)
    ledger.save(INTENT)
    assert seen == ["sync file", "replace", "sync folder"]


def test_failed_write_keeps_the_older_file(kept: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(os, "write", Mock(side_effect=OSError(28, "No space left on device")))
        with pytest.raises(OSError, match="No space"):
            kept.forget(kept.key(CLICKS))
    assert kept.handles() == (handle("job-1"),)
