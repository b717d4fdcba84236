"""The ledger as a folder: its files, their validation, and locks."""

from __future__ import annotations

import json
import os
import pickle
import stat
import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from soapclient._support import durable
from soapclient.clock import ManualClock
from soapclient.errors import ConfigError, LedgerBusy, LedgerError
from soapclient.tracking.exports.handle import ExportHandle, JobId
from soapclient.tracking.exports.orders.ledger import Ledger, account_of
from soapclient.tracking.exports.orders.record import OrderRecord

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
CLICKS: dict[str, JobId] = {"report_type": "click", "from_date": "2026-11-01", "to_date": "2026-11-02"}


def intent(ledger: Ledger, request: dict[str, JobId] = CLICKS) -> OrderRecord:
    return OrderRecord(
        service=ledger.service,
        account=ledger.account,
        request=request,
        state="intent",
        intended_at=NOW,
        tried_at=NOW + timedelta(seconds=90),
        clock_error=2.0,
        attempts=2,
        not_ours=("other", 7),
        abandoned=("perhaps",),
    )


def handle(job_id: JobId, request: dict[str, JobId] = CLICKS) -> ExportHandle:
    return ExportHandle("data", job_id, str(request["report_type"]), request, NOW)


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    return Ledger(tmp_path / "a" / "b", account="shop-1")


@pytest.fixture
def kept(ledger: Ledger) -> Ledger:
    """A ledger with one ordered request."""
    with ledger.lock():
        ledger.save(intent(ledger).ordered(handle("job-1")))
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
    entry = change(intent(ledger))
    with ledger.lock():
        ledger.save(entry)
    assert ledger.entries() == (entry,)
    assert ledger.find(CLICKS) == entry


def test_file_names_are_readable_and_keys_identify_requests(kept: Ledger) -> None:
    key = kept.key(CLICKS)
    assert len(key) == 16
    assert int(key, 16) >= 0
    assert file_of(kept).name == f"click_2026-11-01_2026-11-02_{key}.json"
    assert kept.key(dict(reversed(CLICKS.items()))) == key
    others = {
        kept.key(CLICKS | {"program_id": 1}),
        kept.key(CLICKS | {"program_id": "1"}),
        Ledger(kept.folder, account="shop-2").key(CLICKS),
        Ledger(kept.folder, account="shop-1", service="other").key(CLICKS),
    }
    assert len(others | {key}) == 5


def test_request_cannot_name_a_file_outside_the_folder(ledger: Ledger) -> None:
    with ledger.lock():
        ledger.save(intent(ledger, CLICKS | {"report_type": "../../../x\0y"}))
    assert file_of(ledger).name.startswith("-x-y_2026-11-01_")


def test_handles_and_open_intents_are_listed(kept: Ledger) -> None:
    second = intent(kept, CLICKS | {"report_type": "clickin"})
    with kept.lock():
        kept.save(second)
    assert kept.handles() == (handle("job-1"),)
    assert kept.pending() == (second,)


def test_accounts_and_services_do_not_see_each_other(kept: Ledger, tmp_path: Path) -> None:
    folder = tmp_path / "a" / "b"
    assert Ledger(folder, account="shop-1").entries() != ()
    assert Ledger(folder, account="shop-2").entries() == ()
    assert Ledger(folder, account="shop-1", service="other").entries() == ()


def test_a_claim_settles_an_intent(ledger: Ledger) -> None:
    with ledger.lock():
        ledger.save(intent(ledger))
        ledger.save(
            intent(ledger, CLICKS | {"program_id": 1}).ordered(handle("job-1", CLICKS | {"program_id": 1}))
        )
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
    with pytest.raises(ConfigError, match="is not a pending order"):
        ledger.claim(key, "job-3")
    with pytest.raises(ConfigError, match="does not have the request"):
        ledger.claim("0" * 16, "job-3")


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
    with pytest.raises(ConfigError, match="does not have a job"):
        kept.done(kept.key(CLICKS), "ab" * 32)


def test_an_open_intent_is_not_forgotten(ledger: Ledger) -> None:
    """Its order may have been processed. Ordering again would make a second job."""
    with ledger.lock():
        ledger.save(intent(ledger))
    with pytest.raises(ConfigError, match="may have been processed") as caught:
        ledger.forget(ledger.key(CLICKS))
    assert "claim()" in str(caught.value)
    assert ledger.pending() == (intent(ledger),)


def test_job_is_disowned_only_while_it_belongs_to_the_request(kept: Ledger) -> None:
    key = kept.key(CLICKS)
    assert kept.disown(key, "job-2") is False
    assert kept.handles() == (handle("job-1"),)
    assert kept.disown(key, "job-1") is True
    (entry,) = kept.pending()
    assert entry.not_ours == ("other", 7, "job-1")
    assert kept.disown(key, "job-1") is False


def test_handles_keep_their_ledger_flag(kept: Ledger) -> None:
    (known,) = kept.handles()
    assert not handle("job-1").in_ledger
    assert known.in_ledger
    assert pickle.loads(pickle.dumps(known)).in_ledger
    assert ExportHandle.from_json(known.to_json()).in_ledger
    assert "in_ledger" not in handle("job-1").to_json()
    with pytest.raises(ConfigError, match="in_ledger"):
        ExportHandle.from_json(json.dumps(json.loads(known.to_json()) | {"in_ledger": 1}))


# ---- files that are invalid


def changed(**values: object) -> Callable[[bytes], bytes]:
    return lambda text: json.dumps(json.loads(text) | values).encode()


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (lambda text: b"", "is incomplete"),
        (lambda text: text[: len(text) // 2], "is incomplete"),
        (lambda text: b"\xff" + text, "is incomplete"),
        (lambda text: b"[" * 100_000, "is incomplete"),
        (lambda text: b"[]", "not a file of a state directory"),
        (lambda text: b'{"name": "package"}', "not a file of a state directory"),
        (changed(format=2), "format 2, but this version reads format 1"),
        (changed(more=1), "more"),
        (changed(account="shop-2"), "belongs to"),
        (changed(state="dreaming"), "dreaming"),
        (changed(state="intent"), "handle must be set in the states ordered and done"),
        (changed(handle=None), "handle must be set in the states ordered and done"),
        (changed(handle={"format": 1}), "damaged"),
        (changed(intended_at="2026-11-20T12:00:00"), "has no time zone"),
        (changed(tried_at="yesterday"), "damaged"),
        (changed(clock_error=-1), "clock_error"),
        (changed(attempts=0), "attempts"),
        (changed(waiting="soon"), "the field waiting must be a time in seconds and a boot id"),
        (changed(waiting="12.345"), "the field waiting must be a time in seconds and a boot id"),
        (changed(adopted="no"), "adopted"),
        (changed(not_ours=[[]]), "not_ours"),
        (changed(request={"report_type": "click", "from_date": True}), "request"),
        (changed(request=CLICKS | {"program_id": 1}), "another request"),
        (changed(key="0" * 16), "do not match"),
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


Place = tuple[str | int, ...]


def places(value: object, at: Place = ()) -> Iterator[Place]:
    """Yield the path of each string in a JSON value."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for step, one in inner:
        yield from places(one, (*at, step))
    if isinstance(value, str):
        yield at


def spoilt(good: str, place: Place, half: str, *, name: bool) -> str:
    """Return the JSON with a lone surrogate in the string at a path, or in its name."""
    bad = inner = json.loads(good)
    for step in place[:-1]:
        inner = inner[step]
    if name:
        inner[str(place[-1]) + half] = inner.pop(place[-1])
    else:
        inner[place[-1]] += half
    return json.dumps(bad, ensure_ascii=False)


@pytest.mark.parametrize("code", [0xD800, 0xDCFF])
def test_lone_surrogate_is_refused(ledger: Ledger, code: int) -> None:
    """A lone surrogate can be escaped or encoded in JSON. No request, file name or terminal accepts it."""
    half = chr(code)
    made = Ledger(ledger.folder.parent, account="shop-1", address="https://data.example.org")
    entry = replace(intent(made), address=made.address).formerly("job-0").ordered(handle("job-1"))
    with made.lock():
        made.save(entry.downloaded("ab" * 32))
    (path,) = made.folder.glob("*.json")
    good = path.read_text()
    found = list(places(json.loads(good)))
    assert {("address",), ("handle", "job_id"), ("former", 0), ("request", "report_type")} <= set(found)
    for place in found:
        bad = [spoilt(good, place, half, name=False)]
        if isinstance(place[-1], str):
            bad.append(spoilt(good, place, half, name=True))
        for text in bad:
            for content in (text.encode("utf-8", "surrogatepass"), json.dumps(json.loads(text)).encode()):
                path.write_bytes(content)
                for ask in (made.entries, lambda: made.find(CLICKS)):
                    with pytest.raises(LedgerError) as caught:
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
        with kept.lock():
            kept.save(intent(kept, request))
            kept.save(intent(kept, request).ordered(handle("job-1", request)))
        assert kept.find(request) is not None
    assert len(listed) == 1
    other = Ledger(kept.folder.parent, account="shop-1")
    with other.lock():
        other.save(intent(other, days[3]))
    _older(kept.folder)
    assert kept.find(days[3]) == intent(other, days[3])
    assert kept.find(days[4]) is None
    assert len(listed) == 2


def test_renamed_file_is_an_error_after_earlier_orders(kept: Ledger) -> None:
    assert kept.find(CLICKS | {"program_id": 1}) is None
    with kept.lock():
        kept.save(intent(kept, CLICKS | {"program_id": 2}))
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


def test_the_account_is_a_hash_or_a_label_and_never_the_connect_id(tmp_path: Path) -> None:
    connect_id = "802B8BF4AE99EBE00F41"
    hashed = account_of(connect_id)
    assert hashed != account_of("802B8BF4AE99EBE00F42")
    assert connect_id not in hashed
    Ledger(tmp_path, account=hashed).check("data", connect_id)
    Ledger(tmp_path, account="mine").check("data", connect_id)
    for ledger, said in (
        (Ledger(tmp_path, account=account_of("another")), "belongs to another account"),
        (Ledger(tmp_path, account=connect_id), "has the connect ID as its name"),
        (Ledger(tmp_path, account="mine", service="other"), "service other"),
    ):
        with pytest.raises(ConfigError, match=said) as caught:
            ledger.check("data", connect_id)
        assert connect_id not in str(caught.value)


@pytest.mark.parametrize("label", ["", "..", "a/b", "a b", "x" * 65, "-x"])
def test_invalid_labels_are_refused(tmp_path: Path, label: str) -> None:
    with pytest.raises(ConfigError, match="label"):
        Ledger(tmp_path, account=label)


def test_lock_is_waited_for_until_its_timeout(kept: Ledger, tmp_path: Path) -> None:
    clock = ManualClock(NOW)
    second = Ledger(tmp_path / "a" / "b", account="shop-1", patience=timedelta(seconds=3), clock=clock)
    with kept.lock(), pytest.raises(LedgerBusy, match="Nothing was sent"):
        second.forget(kept.key(CLICKS))
    assert sum(clock.sleeps) == pytest.approx(3)
    assert second.handles() == (handle("job-1"),)  # reading needs no lock
    second.forget(kept.key(CLICKS))
    assert second.handles() == ()


@pytest.mark.exhaustive
def test_a_killed_holder_leaves_no_lock(ledger: Ledger, tmp_path: Path) -> None:
    code = textwrap.dedent("""
        import os, signal, sys
        from soapclient.tracking.exports.orders.ledger import Ledger
        Ledger(sys.argv[1], account="shop-1").lock().__enter__()
        print("held", flush=True)
        sys.stdin.read()
    """)
    with subprocess.Popen(
        [sys.executable, "-c", code, tmp_path / "a" / "b"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        with pytest.raises(LedgerBusy), ledger.lock():
            pass
        holder.kill()
        holder.wait()
    with ledger.lock():
        assert (ledger.folder / "lock").exists()


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
    ledger.save(intent(ledger))
    assert seen == ["sync file", "replace", "sync folder"]


def test_failed_write_keeps_the_older_file(kept: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(fd: int, data: bytes) -> int:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "write", full)
        with pytest.raises(OSError, match="No space"):
            kept.forget(kept.key(CLICKS))
    assert kept.handles() == (handle("job-1"),)
