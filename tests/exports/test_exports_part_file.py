from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest

from soapclient.errors import ExportError
from soapclient.exports.part_file import PartFile
from soapclient.exports.part_mark import PartMark


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def test_the_name_comes_with_the_end(tmp_path: Path) -> None:
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


def test_an_error_leaves_nothing_and_an_older_file_alone(tmp_path: Path) -> None:
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


def test_what_a_killed_process_left_is_written_over(tmp_path: Path) -> None:
    target = tmp_path / "clicks.csv.gz"
    (tmp_path / "clicks.csv.gz.part").write_bytes(b"a long left-over")
    with PartFile(target) as part:
        part.write(b"new")
        part.finish()
    assert target.read_bytes() == b"new"


def test_two_downloads_do_not_write_into_one_file(tmp_path: Path) -> None:
    target = tmp_path / "clicks.csv.gz"
    with PartFile(target) as part:
        part.write(b"mine")
        with pytest.raises(ExportError, match="another download"):
            PartFile(target)
        part.finish()
    assert target.read_bytes() == b"mine"


def test_of_many_at_once_each_either_writes_a_whole_file_or_says_no(tmp_path: Path) -> None:
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


def test_a_folder_and_a_missing_folder_are_said_at_once(tmp_path: Path) -> None:
    with pytest.raises(IsADirectoryError, match="is a folder"):
        PartFile(tmp_path)
    with pytest.raises(FileNotFoundError):
        PartFile(tmp_path / "nowhere" / "x.gz")


def test_no_descriptor_stays_open(tmp_path: Path) -> None:
    before = len(os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else 0
    for _ in range(5):
        with PartFile(tmp_path / "x.gz") as part:
            part.finish()
        with PartFile(tmp_path / "y.gz"):
            pass
    after = len(os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else 0
    assert after == before


MARK = PartMark("job-1", '"v1"', "https://data.example.org", "a1b2c3")


def begun(target: Path, content: bytes) -> None:
    """A download that began and did not end."""
    with PartFile(target) as part:
        part.restart(MARK)
        part.write(content)


def test_what_is_marked_stays_and_is_found_again(tmp_path: Path) -> None:
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


def test_a_look_harms_nothing(tmp_path: Path) -> None:
    target = tmp_path / "x.gz"
    begun(target, b"half")
    with PartFile(target):
        pass
    assert (tmp_path / "x.gz.part").read_bytes() == b"half"


def test_a_new_start_drops_the_old_bytes_and_their_mark(tmp_path: Path) -> None:
    target = tmp_path / "x.gz"
    begun(target, b"half")
    with PartFile(target) as part:
        next(part.blocks())
        part.restart()
        assert names(tmp_path) == {"x.gz.part"}
        part.write(b"new")
        assert (tmp_path / "x.gz.part").read_bytes() == b"new"
    assert names(tmp_path) == set()


def test_a_mark_without_bytes_does_not_stay(tmp_path: Path) -> None:
    begun(tmp_path / "x.gz", b"")
    assert names(tmp_path) == set()
    MARK.write(tmp_path / "x.gz.part.json")  # the bytes got their name, then the process was killed
    with PartFile(tmp_path / "x.gz") as part:
        assert part.size == 0
    assert names(tmp_path) == set()


def test_the_mark_is_there_before_the_bytes_and_gone_before_others(tmp_path: Path) -> None:
    """Whenever the process is killed, a mark never stands beside the bytes of another file."""
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
    assert seen == [(None, b"old"), (None, b""), (other, b""), (other, b"new")]
