"""Datasets on file systems of fsspec, as readers see them."""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator
from pathlib import Path
from unittest.mock import Mock

import fsspec
import pyarrow.parquet as pq
import pytest

from soapclient.errors import ConfigError
from soapclient.tracking.backfill import dataset_files, verify
from soapclient.tracking.backfill.store import Store, open_store
from soapclient.tracking.exports import backfill

from .conftest import Backfills

URL = "memory://backfill/tests"


@pytest.fixture
def memory() -> Iterator[fsspec.AbstractFileSystem]:
    fs = fsspec.filesystem("memory")
    yield fs
    fs.rm("/backfill", recursive=True)


@pytest.mark.exhaustive
def test_dataset_can_be_in_an_object_store(stage: Backfills, memory: fsspec.AbstractFileSystem) -> None:
    plan = stage.plan(output=URL)
    assert backfill(plan).rows == 160
    files = dataset_files(URL)
    assert len(files) == 4
    assert all(file.startswith("memory://") for file in files)
    fees = sum(
        value.as_py()
        for file in files
        for value in pq.read_table(io.BytesIO(memory.cat_file(file)))["commission"]
        if value.as_py() is not None
    )
    assert fees == stage.click_fees(4)
    assert (backfill(plan).skipped, stage.jobs()) == (4, 4)
    assert not Path(stage.output).exists()
    memory.rm_file(files[0])
    assert [one.kind for one in verify(plan).problems] == ["damaged"]
    assert backfill(plan).done == 1
    assert verify(plan).problems == ()
    assert backfill(stage.plan(output=URL, days=2)).failed == ()
    assert len(memory.find("/backfill")) == 4


@pytest.mark.exhaustive
def test_an_object_without_manifest_is_not_part_of_the_dataset(
    stage: Backfills, memory: fsspec.AbstractFileSystem
) -> None:
    backfill(stage.plan(output=URL))
    folder = "/backfill/tests/account=main/report=click/date=2026-11-01"
    memory.pipe_file(f"{folder}/part-left-behind.parquet", b"half")
    before = dataset_files(URL)
    assert len(before) == 4
    memory.rm_file(f"{folder}/_manifest.json")
    assert dataset_files(URL) == before[1:]
    backfill(stage.plan(output=URL))
    assert dataset_files(URL) == before
    assert not memory.exists(f"{folder}/part-left-behind.parquet")


@pytest.mark.parametrize("kind", ["folder", "memory"])
def test_stores_read_write_and_remove_files(
    tmp_path: Path, memory: fsspec.AbstractFileSystem, kind: str
) -> None:
    memory.pipe_file("/backfill/other/x", b"")  # so that there is something to remove at the end
    store: Store = open_store(str(tmp_path / "root") if kind == "folder" else URL)
    assert store.files() == {}
    assert store.in_folder("a") == []
    assert store.read(["a/none"]) == {}
    for content in (b"one", b"other"):
        (tmp_path / "new").write_bytes(content)
        store.put(tmp_path / "new", "a/b/data")
        assert not (tmp_path / "new").exists()
    store.write(b"{}", "a/b/small")
    store.write(b"[]", "a/b/small")
    assert store.files() == {"a/b/data": 5, "a/b/small": 2}
    assert store.in_folder("a/b") == ["a/b/data", "a/b/small"]
    assert store.read(["a/b/small", "a/none"]) == {"a/b/small": b"[]"}
    with store.open("a/b/data") as file:
        assert file.read() == b"other"
    with pytest.raises(FileNotFoundError):
        store.open("a/none")
    with fsspec.open(store.address("a/b/data")) as file:
        assert file.read() == b"other"
    store.remove("a/b/data")
    store.remove("a/b/data")
    assert list(store.files()) == ["a/b/small"]


def test_unsupported_url_is_refused() -> None:
    with pytest.raises(ConfigError, match="cannot be opened"):
        open_store("nosuch://bucket/x")
    assert dataset_files("file:///nowhere/at/all") == []


def test_object_stores_need_fsspec_and_folders_do_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "fsspec", None)
    with pytest.raises(ConfigError, match=r"memory:// needs fsspec.*soapclient\[stores\]"):
        open_store(URL)
    assert open_store(str(tmp_path)).files() == {}


def test_a_file_system_may_refuse_to_list_a_folder_that_is_not_there(
    memory: fsspec.AbstractFileSystem, monkeypatch: pytest.MonkeyPatch
) -> None:
    """fsspec does not specify this. Most file systems return an empty list."""
    find = type(memory).find

    def strict(fs: fsspec.AbstractFileSystem, path: str, **options: object) -> object:
        if not fs.exists(path):
            raise FileNotFoundError(path)
        return find(fs, path, **options)

    monkeypatch.setattr(type(memory), "find", strict)
    store = open_store(URL)
    assert store.files() == {}
    assert store.in_folder("a") == []
    store.write(b"{}", "a/small")
    assert store.files() == {"a/small": 2}
    assert store.in_folder("a") == ["a/small"]


def test_unreadable_manifest_is_not_treated_as_missing(
    memory: fsspec.AbstractFileSystem, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = open_store(URL)
    store.write(b"{}", "a/_manifest.json")
    monkeypatch.setattr(type(memory), "cat_file", Mock(side_effect=PermissionError))
    with pytest.raises(PermissionError):
        store.read(["a/_manifest.json"])
    assert store.read([]) == {}


class Killed(BaseException):
    """Simulates the death of the process."""


@pytest.mark.parametrize("kind", ["folder", "objects"])
def test_leftover_of_a_killed_check_is_removed(
    memory: fsspec.AbstractFileSystem, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    url = str(tmp_path) if kind == "folder" else URL
    memory.makedirs("/backfill", exist_ok=True)
    with monkeypatch.context() as patch:
        patch.setattr(Path, "unlink", Mock(side_effect=Killed))
        patch.setattr(type(memory), "rm_file", Mock(side_effect=Killed))
        with pytest.raises(Killed):
            open_store(url, "a1").check_writable()
    assert len(open_store(url).files()) == 1
    open_store(url, "b2").check_writable()
    assert open_store(url).files() == {}
