from __future__ import annotations

import os
import stat
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest

from soapclient._support import part_file
from soapclient._support.part_file import PartFile, PartMark, acknowledge, check_target, sweep
from soapclient.errors import ExportError
from tests.support.descriptors import open_files


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def completed(target: Path, content: bytes, mark: PartMark | None = None) -> None:
    with PartFile(target) as part:
        part.write(content)
        part.finish(mark)


def test_file_gets_its_name_on_completion(tmp_path: Path) -> None:
    target = tmp_path / "clicks.csv.gz"
    with PartFile(target) as part:
        part.write(b"first")
        part.restart()
        part.write(b"second")
        part.write(b", third")
        assert names(tmp_path) == {"clicks.csv.gz.part"}
        part.finish()
    assert names(tmp_path) == {"clicks.csv.gz"}
    assert target.read_bytes() == b"second, third"


@pytest.mark.skipif(os.name == "nt", reason="folders are synced on POSIX")
def test_file_and_its_mark_are_synced_once_and_marks_of_incomplete_files_are_not(
    tmp_path: Path, calls: list[str]
) -> None:
    mark = PartMark("7", '"v1"', "https://service.invalid/", "a1b2")
    with PartFile(tmp_path / "a") as part:
        part.restart(mark)
        part.write(b"first")
        assert calls == ["a.part.json.part -> a.part.json"]
        calls.clear()
        part.restart(replace(mark, job_id="8"))  # a power failure must not bring back the first mark
        assert calls == ["sync ."]
        calls.clear()
        part.write(b"second", complete=True)
        part.finish(replace(mark, job_id="8", sha256="0" * 64))
    written = ["sync a.part", "sync a.part.json.part", "a.part.json.part -> a.part.json", "a.part -> a"]
    assert calls == [*written, "sync ."]


@pytest.mark.skipif(os.name == "nt", reason="folders are synced on POSIX")
def test_temporary_file_and_its_mark_are_not_synced_and_stay_private(
    tmp_path: Path, calls: list[str]
) -> None:
    with PartFile(tmp_path / "a") as part:
        part.write(b"content")
        part.finish(PartMark("7", None, "https://service.invalid/", "a1b2", "0" * 64), temporary=True)
    assert calls == ["a.part.json.part -> a.part.json", "a.part -> a"]
    assert stat.S_IMODE((tmp_path / "a").stat().st_mode) == 0o600


def test_error_leaves_no_part_file_and_keeps_an_older_file(tmp_path: Path) -> None:
    target = tmp_path / "clicks.csv.gz"
    target.write_bytes(b"older")

    def interrupted() -> None:
        with PartFile(target) as part:
            part.write(b"new")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert names(tmp_path) == {"clicks.csv.gz"}
    assert target.read_bytes() == b"older"


def test_leftover_of_a_killed_process_is_overwritten(tmp_path: Path) -> None:
    target = tmp_path / "clicks.csv.gz"
    (tmp_path / "clicks.csv.gz.part").write_bytes(b"a long left-over")
    completed(target, b"new")
    assert target.read_bytes() == b"new"


def test_concurrent_writers_complete_a_file_or_are_refused(tmp_path: Path) -> None:
    target, outcomes, start = tmp_path / "x.gz", list[str](), threading.Barrier(8)

    def run(mark: int) -> None:
        start.wait(timeout=10)
        for _ in range(20):
            try:
                with PartFile(target) as part:
                    for _ in range(20):
                        part.write(bytes([mark]) * 100)
                    part.finish()
                outcomes.append("written")
            except ExportError:
                outcomes.append("refused")
            content = target.read_bytes() if target.exists() else b""
            if content and (len(content) != 2000 or len(set(content)) != 1):
                outcomes.append("mixed")

    threads = [threading.Thread(target=run, args=(mark,)) for mark in range(1, 9)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(outcomes) == 160
    assert set(outcomes) <= {"written", "refused"}
    assert "written" in outcomes
    assert names(tmp_path) == {"x.gz"}


def test_no_descriptor_stays_open(tmp_path: Path) -> None:
    for _ in range(5):
        with PartFile(tmp_path / "x.gz") as part:
            part.finish()
        with PartFile(tmp_path / "y.gz"):
            pass
    assert open_files(tmp_path) == []


MARK = PartMark("job-1", '"v1"', "https://data.example.org", "a1b2c3")


def begun(target: Path, content: bytes) -> None:
    """An interrupted download."""
    with PartFile(target) as part:
        part.restart(MARK)
        part.write(content)


def test_marked_part_file_is_kept_and_found(tmp_path: Path) -> None:
    target = tmp_path / "x.gz"
    begun(target, b"the first half, ")
    assert names(tmp_path) == {"x.gz.part", "x.gz.part.json"}
    with PartFile(target) as part:
        assert part.mark == MARK
        assert part.size == 16
        assert b"".join(part.blocks()) == b"the first half, "
        part.write(b"the second")
        assert part.size == 26
        part.finish()
    assert names(tmp_path) == {"x.gz"}
    assert target.read_bytes() == b"the first half, the second"


def test_restart_removes_the_old_bytes_and_their_mark(tmp_path: Path) -> None:
    target = tmp_path / "x.gz"
    begun(target, b"half")
    with PartFile(target) as part:
        next(part.blocks())
        part.restart()
        assert names(tmp_path) == {"x.gz.part"}
        part.write(b"new")
        assert (tmp_path / "x.gz.part").read_bytes() == b"new"
    assert names(tmp_path) == set()


def test_mark_without_bytes_is_removed(tmp_path: Path) -> None:
    begun(tmp_path / "x.gz", b"")
    assert names(tmp_path) == set()
    MARK.write(tmp_path / "x.gz.part.json")  # killed after the bytes were renamed
    with PartFile(tmp_path / "x.gz") as part:
        assert part.size == 0
    assert names(tmp_path) == set()


def test_mark_is_written_before_the_bytes_and_removed_before_a_restart(tmp_path: Path) -> None:
    """Whenever the process is killed, a mark never describes the bytes of another file."""
    target, seen = tmp_path / "x.gz", list[tuple[PartMark | None, bytes]]()

    def look() -> None:
        seen.append((PartMark.read(tmp_path / "x.gz.part.json"), (tmp_path / "x.gz.part").read_bytes()))

    other = PartMark("job-2", '"v2"', "", "")
    begun(target, b"old")

    class Watched(PartFile):
        def _empty(self) -> None:
            look()
            super()._empty()
            look()

    with Watched(target) as part:
        part.restart(other)
        look()
        part.write(b"new")
        look()
    assert seen == [(None, b"old"), (None, b""), (None, b""), (other, b"new")]


def test_complete_file_that_is_not_finished_is_kept_with_its_mark(tmp_path: Path) -> None:
    target = tmp_path / "x.gz"
    with PartFile(target) as part:
        part.restart(MARK)
        part.write(b"whole", complete=True)
        assert names(tmp_path) == {"x.gz.part"}
    assert names(tmp_path) == {"x.gz.part", "x.gz.part.json"}
    with PartFile(target) as part:
        assert (part.mark, part.size) == (MARK, 5)


def test_bytes_are_kept_without_a_mark_only_if_the_mark_cannot_be_written(tmp_path: Path) -> None:
    target = tmp_path / "x.gz"
    with PartFile(target) as part:
        part.restart(MARK)
        part.write(b"whole", complete=True)
        (tmp_path / "x.gz.part.json.part").mkdir()
    assert names(tmp_path) == {"x.gz.part", "x.gz.part.json.part"}
    with PartFile(target) as part:
        assert (part.mark, part.size) == (None, 0)


# ---- existing files under the names that a download uses


def in_the_way(path: Path, kind: str, elsewhere: Path) -> None:
    if kind == "a link":
        path.symlink_to(elsewhere)
    elif kind == "a link to nothing":
        path.symlink_to(elsewhere.with_name("not there"))
    elif kind == "a pipe":
        os.mkfifo(path)
    else:
        path.mkdir()


KINDS = ["a link", "a link to nothing", "a pipe", "a folder"]
POSIX = pytest.mark.skipif(sys.platform == "win32", reason="links and pipes")
REFUSED = "symbolic link|regular file|Is a directory|No such device"


@POSIX
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("attempt", [PartFile, check_target])
def test_special_file_is_not_written_to(tmp_path: Path, kind: str, attempt: Callable[[Path], object]) -> None:
    (tmp_path / "in").mkdir()
    target, elsewhere = tmp_path / "in" / "x.gz", tmp_path / "precious"
    elsewhere.write_bytes(b"precious")
    in_the_way(tmp_path / "in" / "x.gz.part", kind, elsewhere)
    with pytest.raises(OSError, match=REFUSED):
        attempt(target)
    assert elsewhere.read_bytes() == b"precious"
    assert names(tmp_path) == {"in", "precious"}
    assert names(tmp_path / "in") == {"x.gz.part"}


@POSIX
@pytest.mark.parametrize("kind", KINDS)
def test_mark_is_not_read_or_written_through_a_special_file(tmp_path: Path, kind: str) -> None:
    (tmp_path / "in").mkdir()
    target, elsewhere = tmp_path / "in" / "x.gz", tmp_path / "other.json"
    MARK.write(elsewhere)
    side = tmp_path / "in" / "x.gz.part.json"
    in_the_way(side, kind, elsewhere)
    assert PartMark.read(side) is None
    in_the_way(tmp_path / "in" / "x.gz.part.json.part", kind, elsewhere)
    before = elsewhere.read_bytes()
    with pytest.raises(OSError, match=REFUSED):
        MARK.write(side)
    with pytest.raises(OSError, match=REFUSED):
        check_target(target)
    assert elsewhere.read_bytes() == before
    assert names(tmp_path) == {"in", "other.json"}


@POSIX
def test_link_as_target_is_replaced_and_pipe_is_refused(tmp_path: Path) -> None:
    target, elsewhere = tmp_path / "x.gz", tmp_path / "precious"
    elsewhere.write_bytes(b"precious")
    target.symlink_to(elsewhere)
    completed(target, b"new")
    assert (target.is_symlink(), target.read_bytes(), elsewhere.read_bytes()) == (False, b"new", b"precious")
    os.mkfifo(tmp_path / "pipe")
    for attempt in (PartFile, check_target):
        with pytest.raises(OSError, match="not a regular file"):
            attempt(tmp_path / "pipe")


# ---- whether a file can be created


def test_check_changes_nothing(tmp_path: Path) -> None:
    target = tmp_path / "x.gz"
    check_target(target)
    assert names(tmp_path) == set()
    begun(target, b"half")
    check_target(target)
    assert (tmp_path / "x.gz.part").read_bytes() == b"half"
    assert PartMark.read(tmp_path / "x.gz.part.json") == MARK
    with PartFile(target) as part:
        part.finish(replace(MARK, sha256="ab" * 32))
    check_target(target)
    assert PartMark.read(tmp_path / "x.gz.part.json") == MARK
    assert names(tmp_path) == {"x.gz", "x.gz.part.json"}


def test_check_raises_the_error_of_a_download(tmp_path: Path) -> None:
    for attempt in (PartFile, check_target):
        with pytest.raises(IsADirectoryError, match="is a directory"):
            attempt(tmp_path)
        with pytest.raises(FileNotFoundError):
            attempt(tmp_path / "nowhere" / "x.gz")
    with pytest.raises(OSError, match="too long"):  # not with this name, but with the suffixes added to it
        check_target(tmp_path / ("x" * 250))
    assert names(tmp_path) == set()
    with PartFile(tmp_path / "x.gz"):
        for attempt in (PartFile, check_target):
            with pytest.raises(ExportError, match="another download"):
                attempt(tmp_path / "x.gz")
    assert names(tmp_path) == set()


LEFT = {  # left by a check or a download that was killed
    "before anything was written": {".part": b""},
    "before the first was removed": {".part": b"", ".part.json.part": b""},
    "between the two": {".part.json.part": b""},
    "in the middle of a mark": {".part": b"", ".part.json.part": b'{"format": 2, "job'},
}


@pytest.mark.parametrize("left", LEFT.values(), ids=LEFT)
@pytest.mark.parametrize("through", [check_target, acknowledge])
@pytest.mark.parametrize("there", [True, False])
def test_leftover_of_a_killed_download_is_removed(
    tmp_path: Path, left: dict[str, bytes], through: Callable[[Path], None], there: bool
) -> None:
    target = tmp_path / "x.gz"
    if there:
        completed(target, b"whole", replace(MARK, sha256="ab" * 32))
    before = names(tmp_path)
    for ending, content in left.items():
        target.with_name(target.name + ending).write_bytes(content)
    through(target)
    assert names(tmp_path) == (before if through is check_target else {"x.gz"} & before)


@pytest.mark.parametrize("through", [check_target, acknowledge])
def test_file_in_use_is_left_alone(tmp_path: Path, through: Callable[[Path], None]) -> None:
    target = tmp_path / "x.gz"
    with PartFile(target) as part:
        side = tmp_path / "x.gz.part.json.part"
        side.write_bytes(b"{")
        with suppress(ExportError):
            through(target)
        assert names(tmp_path) == {"x.gz.part", "x.gz.part.json.part"}
        side.unlink()
        part.write(b"whole")
        part.finish()
    assert names(tmp_path) == {"x.gz"}


@pytest.mark.parametrize("through", [check_target, acknowledge])
def test_bytes_without_a_mark_are_discarded(tmp_path: Path, through: Callable[[Path], None]) -> None:
    (tmp_path / "x.gz.part").write_bytes(b"half")
    through(tmp_path / "x.gz")
    assert names(tmp_path) == set()


def test_partial_download_survives_check_and_inspection(tmp_path: Path) -> None:
    target = tmp_path / "x.gz"
    begun(target, b"half")
    (tmp_path / "x.gz.part.json.part").write_bytes(b"{")
    check_target(target)
    assert names(tmp_path) == {"x.gz.part", "x.gz.part.json"}
    with PartFile(target) as part:
        assert (part.mark, part.size) == (MARK, 4)
    assert (tmp_path / "x.gz.part").read_bytes() == b"half"


@pytest.mark.parametrize("name", ["half\ud800.gz", "nul\0.gz"])
def test_invalid_file_name_is_refused(tmp_path: Path, name: str) -> None:
    target = tmp_path / name
    for attempt in (check_target, PartFile):
        with pytest.raises(OSError, match="not a valid file name") as caught:
            attempt(target)
        assert caught.value.filename == str(target)
    acknowledge(target)
    assert names(tmp_path) == set()


# ---- the mark of a complete file


@pytest.mark.parametrize("etag", ['"v1"', None])
def test_mark_of_a_complete_file_is_kept_until_acknowledged(tmp_path: Path, etag: str | None) -> None:
    target, side = tmp_path / "x.gz", tmp_path / "x.gz.part.json"
    completed(target, b"whole", PartMark(5, etag, "https://data.example.org", "a1b2c3", "cd" * 32))
    found = PartMark.read(side)
    assert found is not None
    assert (found.job_id, found.etag, found.sha256) == (5, etag, "cd" * 32)
    acknowledge(target)
    acknowledge(target)
    assert names(tmp_path) == {"x.gz"}


def test_complete_bytes_without_a_rename_are_resumed(tmp_path: Path) -> None:
    """The process was killed between writing the mark and the rename."""
    target = tmp_path / "x.gz"
    begun(target, b"whole")
    replace(MARK, sha256="cd" * 32).write(tmp_path / "x.gz.part.json")
    with PartFile(target) as part:
        assert (part.mark, part.size) == (MARK, 5)


def test_sweep_removes_leftovers_but_no_open_files(tmp_path: Path) -> None:
    for name in ("left", "held"):
        begun(tmp_path / name, b"half")
    for name in ("whole", "whole.partial", "marked.part.json", "marking.part.json.part"):
        (tmp_path / name).write_bytes(b"bytes")
    for name in (".part", ".part.json", ".part.json.part"):  # without a target file
        (tmp_path / name).write_bytes(b"bytes")
    with PartFile(tmp_path / "held") as held:
        side = tmp_path / "held.part.json.part"
        side.write_bytes(b"on its way")
        sweep(tmp_path)
        others = {".part", ".part.json", ".part.json.part"}
        known = {"held.part", "held.part.json", side.name, "whole", "whole.partial"}
        assert names(tmp_path) == known | others
        assert held.mark == MARK


def test_sweep_handles_a_folder_that_disappears(tmp_path: Path) -> None:
    folder, over = tmp_path / "folder", threading.Event()

    def come_and_go() -> None:
        while not over.is_set():
            folder.mkdir()
            folder.rmdir()

    other = threading.Thread(target=come_and_go)
    other.start()
    try:
        for _ in range(3000):
            sweep(folder)
    finally:
        over.set()
        other.join()


def test_file_unchanged_for_an_hour_is_a_leftover_without_locks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("hour", "less"):
        begun(tmp_path / name, b"half")
    for name, then in (("hour", 1_000_000), ("less", 1_000_001)):
        for end in (".part", ".part.json"):
            os.utime(tmp_path / f"{name}{end}", (then, then))
    monkeypatch.setattr(part_file, "_LOCKING", False)
    monkeypatch.setattr("soapclient._support.part_file.time.time", lambda: 1_003_600.0)
    sweep(tmp_path)
    assert names(tmp_path) == {"less.part", "less.part.json"}


@pytest.mark.skipif(os.name == "nt", reason="Windows does not rename open files")
def test_file_is_still_open_while_it_gets_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its lock tells other processes that it is not a leftover."""
    rename, found = os.replace, []

    def replaced(old: Path, new: Path) -> None:
        found.append((Path(new).name, open_files(tmp_path)))
        rename(old, new)

    monkeypatch.setattr(os, "replace", replaced)
    completed(tmp_path / "file", b"x")
    assert found == [("file", ["file.part"])]
    assert open_files(tmp_path) == []
