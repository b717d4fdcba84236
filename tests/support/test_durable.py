"""The order of writes to disk, and waiting for locks: observed through patched system calls."""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from soapclient._support import durable
from soapclient._support.durable import OrdererLock
from soapclient._support.part_file import PartFile
from soapclient.clock import ManualClock
from soapclient.errors import ExportError, LedgerBusy
from tests.support.descriptors import open_files

POSIX = pytest.mark.skipif(os.name == "nt", reason="folders are synced, and locks shared, on POSIX")


@POSIX
def test_file_is_synced_before_its_rename_and_the_folder_after(tmp_path: Path, calls: list[str]) -> None:
    durable.write_text(tmp_path / "a.json", "ä")
    assert (tmp_path / "a.json").read_bytes() == "ä".encode()
    assert calls == ["sync a.json.part", "a.json.part -> a.json", "sync ."]
    calls.clear()
    (tmp_path / "b.part").write_bytes(b"whole")
    durable.finish(tmp_path / "b.part", tmp_path / "b")
    assert (tmp_path / "b").read_bytes() == b"whole"
    assert calls == ["sync b.part", "b.part -> b", "sync ."]
    calls.clear()
    durable.remove(tmp_path / "b")
    durable.remove(tmp_path / "b")
    assert calls == ["sync .", "sync ."]
    assert [path.name for path in tmp_path.iterdir()] == ["a.json"]
    calls.clear()
    durable.write_text(tmp_path / "a.json", "b", synced="file")
    assert calls == ["sync a.json.part", "a.json.part -> a.json"]
    calls.clear()
    durable.write_text(tmp_path / "a.json", "c", synced="")
    assert calls == ["a.json.part -> a.json"]
    assert (tmp_path / "a.json").read_bytes() == b"c"


@pytest.mark.parametrize(
    ("number", "raised"), [(errno.EINVAL, False), (errno.ENOTSUP, False), (errno.EIO, True)]
)
def test_file_system_without_folder_sync_is_accepted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int, raised: bool
) -> None:
    def failing(fd: int) -> None:
        raise OSError(number, "no")

    monkeypatch.setattr(os, "fsync", failing)
    if raised:
        with pytest.raises(OSError, match="no"):
            durable.sync_folder(tmp_path)
    else:
        durable.sync_folder(tmp_path)


@POSIX
def test_unreadable_folder_is_not_considered_synced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> int:
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(os, "open", refuse)
    with pytest.raises(PermissionError):
        durable.sync_folder(tmp_path)


@POSIX
def test_folders_are_private_if_requested(tmp_path: Path, calls: list[str]) -> None:
    before = os.umask(0o022)
    try:
        durable.make_folder(tmp_path / "a" / "b")
        durable.make_folder(tmp_path / "c" / "d", private=True)
    finally:
        os.umask(before)
    modes = {path.name: path.stat().st_mode & 0o777 for path in tmp_path.rglob("*")}
    assert modes == {"a": 0o755, "b": 0o755, "c": 0o700, "d": 0o700}
    assert calls == ["sync ."] * 4  # each folder's name in its parent
    durable.make_folder(tmp_path / "a" / "b")
    assert len(calls) == 4


def test_check_removes_an_empty_file_and_keeps_others(tmp_path: Path) -> None:
    path = tmp_path / "a"
    durable.check_writable(path)
    assert not path.exists()
    path.write_bytes(b"")
    durable.check_writable(path)
    assert not path.exists()
    path.write_bytes(b"x")
    durable.check_writable(path)
    assert path.read_bytes() == b"x"


@pytest.mark.parametrize("name", ["a\0b", "a\ud800"])
@pytest.mark.parametrize(
    "doing", [durable.nameable, durable.make_folder, lambda path: durable.open_regular(path, os.O_RDONLY)]
)
def test_invalid_file_names_are_refused(doing: Callable[[Path], object], name: str) -> None:
    with pytest.raises(OSError, match="not a valid file name: choose another name") as caught:
        doing(Path(name))
    assert (caught.value.errno, caught.value.filename) == (errno.EINVAL, name)


@POSIX
def test_special_file_error_says_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "nowhere")
    with pytest.raises(OSError, match="symbolic link: remove it, or choose another name") as caught:
        durable.open_regular(tmp_path / "link", os.O_RDONLY)
    assert (caught.value.errno, caught.value.filename) == (errno.ELOOP, str(tmp_path / "link"))
    os.mkfifo(tmp_path / "pipe")
    for flags in (os.O_RDONLY, os.O_WRONLY):
        with pytest.raises(OSError, match="not a regular file: remove it, or choose another name") as caught:
            durable.open_regular(tmp_path / "pipe", flags)
        assert (caught.value.errno, caught.value.filename) == (errno.EINVAL, str(tmp_path / "pipe"))


# ---- the lock of an ordering process


def lock(path: Path, patience: float = 0.0) -> tuple[OrdererLock, ManualClock]:
    clock = ManualClock(datetime(2026, 11, 20, tzinfo=UTC))
    return OrdererLock(path, patience=patience, clock=clock), clock


def test_lock_is_waited_for_until_the_timeout(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    with lock(path)[0]:
        second, clock = lock(path, patience=0.12)
        with pytest.raises(LedgerBusy) as caught, second:
            pass
        assert clock.sleeps == pytest.approx([0.05, 0.05, 0.02])
        assert (caught.value.path, caught.value.seconds) == (str(path), 0.12)
        assert str(caught.value) == (
            f"{path}: another process is ordering exports for this account (waited 0.12 seconds). Nothing "
            "was sent. Wait until it finishes, or set a longer patience."
        )
        third, clock = lock(path)
        with pytest.raises(LedgerBusy), third:
            pass
        assert clock.sleeps == []
        assert set(open_files(tmp_path)) <= {"lock"}
    assert open_files(tmp_path) == []
    again, clock = lock(path)
    with again:
        assert path.read_bytes() == b""
    with again:  # a second time by the same process
        pass
    assert open_files(tmp_path) == []


@POSIX
def test_lock_applies_to_the_current_file_of_that_name(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    first, second = lock(path)[0], lock(path)[0]
    with first:
        path.unlink()
        with second, pytest.raises(LedgerBusy), lock(path)[0]:
            pass


def leave_in_a_child(held: OrdererLock | PartFile) -> None:
    """Leave a `with` block in a forked child, as the exit of the child does."""
    child = os.fork()
    if child == 0:
        held.__exit__(None, None, None)
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0


@pytest.mark.skipif(not hasattr(os, "fork"), reason="forks")
def test_lock_is_independent_of_files_open_in_a_child(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    held = lock(path)[0]
    with held:
        leave_in_a_child(held)
        with pytest.raises(LedgerBusy), lock(path)[0]:
            pass
        read, write = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(write)
            os.read(read, 1)  # until its parent has closed the other end
            os._exit(0)
        os.close(read)
    with lock(path)[0]:
        pass
    os.close(write)
    assert os.waitpid(child, 0)[1] == 0


# ---- forks

_HOLDS = """
import os, signal, sys
from pathlib import Path
from soapclient.clock import SystemClock
from soapclient._support.durable import OrdererLock
from soapclient._support.part_file import PartFile

folder = Path(sys.argv[1])
with OrdererLock(folder / "lock", patience=0.0, clock=SystemClock()), PartFile(folder / "file") as part:
    part.write(b"half")
    if os.fork() == 0:
        print("forked", flush=True)
        sys.stdin.read()  # until the one who has started us has gone
        os._exit(0)
    signal.pause()
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="forks")
def test_child_does_not_keep_the_lock_of_its_killed_parent(tmp_path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", _HOLDS, str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as parent:
        assert parent.stdout is not None
        assert parent.stdout.readline() == b"forked\n"
        parent.kill()
        assert parent.wait(60) == -9
        with lock(tmp_path / "lock")[0], PartFile(tmp_path / "file") as part:
            assert part.size == 0  # without a mark the bytes are not resumed
        assert parent.stdin is not None
        parent.stdin.close()  # the child has been running until here


@pytest.mark.skipif(not hasattr(os, "fork"), reason="forks")
def test_child_does_not_remove_files_of_its_parent(tmp_path: Path) -> None:
    with PartFile(tmp_path / "file") as part:
        part.write(b"half")
        leave_in_a_child(part)
        assert part.path.read_bytes() == b"half"
        with pytest.raises(ExportError, match="another download"):
            PartFile(tmp_path / "file")
        part.finish()
    assert (tmp_path / "file").read_bytes() == b"half"


@pytest.mark.parametrize(
    "value",
    [
        {},
        {"text": 'ü \U0001f600 "quoted" \\ \n', "number": 1.5, "large": 1e300, "yes": True, "nothing": None},
        {"empty": {}, "list": [], "nested": {"a": [1, {"b": [[], ["c"]]}], "ü": {"d": -1}}, "tuple": (1, 2)},
        {"lone": "a\ud800", "twice": ["\udc00\ud800b"], "pair": "\ud83d\ude00", "\udfff": 1},
        {"none": [float("nan"), float("inf"), -float("inf")]},
    ],
)
def test_indented_json_is_the_text_of_the_standard_library(value: dict[str, object]) -> None:
    assert durable.indented_json(value) == json.dumps(value, indent=1) + "\n"


@POSIX
def test_created_file_can_be_read_by_its_owner_only(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        os.close(durable.open_regular(tmp_path / "file", os.O_WRONLY | os.O_CREAT))
    finally:
        os.umask(before)
    assert (tmp_path / "file").stat().st_mode & 0o777 == 0o600


@POSIX
def test_link_that_appears_after_the_check_is_not_followed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_bytes(b"x")
    (tmp_path / "link").symlink_to(tmp_path / "file")
    monkeypatch.setattr(Path, "is_symlink", lambda path: False)
    with pytest.raises(OSError, match="link") as caught:
        durable.read_regular(tmp_path / "link")
    assert caught.value.errno == errno.ELOOP


@POSIX
def test_file_that_appears_after_the_removal_is_not_overwritten(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_bytes(b"x")
    monkeypatch.setattr(Path, "unlink", lambda path: None)  # as if another process had written it again
    with pytest.raises(FileExistsError):
        durable.create_private(tmp_path / "file")


@POSIX
def test_folder_of_another_user_that_others_can_change_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    owner = tmp_path.stat().st_uid
    tmp_path.chmod(0o770)
    monkeypatch.setattr(os, "geteuid", lambda: owner + 1)
    monkeypatch.setattr(durable, "_ROOT", owner + 1)
    with pytest.raises(PermissionError, match=rf"uid {owner}\), .*: chown it, or run chmod go-w") as caught:
        durable.check_owner(tmp_path)
    assert (caught.value.errno, caught.value.filename) == (errno.EPERM, str(tmp_path))


@POSIX
def test_warning_about_an_open_folder_is_logged_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(durable, "_warned", set())
    tmp_path.chmod(0o777)
    durable.check_owner(tmp_path)
    durable.check_owner(tmp_path)
    assert caplog.text.count(f"can change {tmp_path}: chmod go-w") == 1


@POSIX
def test_default_mode_is_known_even_if_another_process_cleans_the_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    status = os.fstat

    def cleaned(fd: int) -> os.stat_result:
        for path in tmp_path.iterdir():
            path.unlink()
        return status(fd)

    monkeypatch.setattr(os, "fstat", cleaned)
    before = os.umask(0o027)
    try:
        assert durable.default_mode(tmp_path) == 0o640
    finally:
        os.umask(before)


@POSIX
def test_renewed_lock_closes_its_file_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    held = lock(tmp_path / "lock")[0]
    held.__enter__()
    assert open_files(tmp_path) == ["lock"]
    held.renew()
    assert open_files(tmp_path) == []
    closed: list[int] = []
    monkeypatch.setattr(os, "close", closed.append)
    held.renew()
    held.__exit__(None, None, None)
    monkeypatch.undo()
    assert closed == []
