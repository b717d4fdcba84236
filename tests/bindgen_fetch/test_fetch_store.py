"""A fetch that fails at any step of writing leaves files and lock unchanged."""

from __future__ import annotations

import dataclasses
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from requests_mock import Mocker

from bindgen import atomic
from bindgen.fetching import lock
from bindgen.fetching.errors import FetchError
from tests.bindgen_fetch.conftest import MARKED, URL, Fetch, wsdl

State = dict[str, bytes | None]


def _state(folder: Path) -> State:
    return {
        each.relative_to(folder).as_posix(): each.read_bytes() if each.is_file() else None
        for each in sorted(folder.rglob("*"))
    }


def _publish(requests_mock: Mocker, **schemas: str) -> None:
    requests_mock.get(URL, text=wsdl(*(f"{name}.xsd" for name in schemas)))
    for name, mark in schemas.items():
        requests_mock.get(f"https://api.example.org/{name}.xsd", text=MARKED.format(mark))


class Failing:
    """Counts every step that accesses the disk. Step number `at` fails."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, error: BaseException) -> None:
        self.at = -1
        self.steps = 0
        self.error = error
        steps = ((atomic, "stage"), (shutil, "copy2"), (Path, "replace"), (Path, "mkdir"), (lock, "write"))
        for owner, name in steps:
            monkeypatch.setattr(owner, name, self.counted(getattr(owner, name)))

    def counted(self, function: Callable[..., object]) -> Callable[..., object]:
        def step(*arguments: object, **named: object) -> object:
            self.steps += 1
            if self.steps - 1 == self.at:
                raise self.error
            return function(*arguments, **named)

        return step


@pytest.fixture
def steps(fetch_shop: Fetch, requests_mock: Mocker, tmp_path: Path) -> Iterator[Callable[[], None]]:
    """Restore the state before the documents change: two are edited, one is new, one is removed."""
    _publish(requests_mock, a="old", b="old", gone="old")
    fetch_shop()
    before = tmp_path.parent / f"{tmp_path.name}-before"
    shutil.copytree(tmp_path, before)
    _publish(requests_mock, a="new", b="new", c="new")

    def again() -> None:
        shutil.rmtree(tmp_path)
        shutil.copytree(before, tmp_path)

    yield again
    shutil.rmtree(before)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("error", [OSError(28, "No space left on device", "x"), KeyboardInterrupt()])
@pytest.mark.parametrize("first", [False, True])
def test_failure_of_any_step_keeps_the_old_state(
    fetch_shop: Fetch, steps: Callable[[], None], tmp_path: Path, error: BaseException, first: bool
) -> None:
    if first:  # the first fetch: the earlier state is an empty folder
        for each in list(tmp_path.iterdir()):
            shutil.rmtree(each) if each.is_dir() else each.unlink()
    before = _state(tmp_path)
    failed = 0
    for at in range(1000):
        with pytest.MonkeyPatch.context() as patching:
            failing = Failing(patching, error)
            failing.at = at
            try:
                report = fetch_shop()
            except FetchError as refused:
                assert "No space left on device" in refused.problem  # noqa: PT017 - others must not be caught
                assert "files and lock are unchanged" in refused.problem  # noqa: PT017 - likewise
            except KeyboardInterrupt:
                pass
            else:
                break
        failed += 1
        assert _state(tmp_path) == before, f"step {at}"
    # Three files staged, check of the folder, copies of the old files, renames, and the lock.
    assert failed >= 10
    assert report.changed
    after = _state(tmp_path)
    assert not [name for name in after if name.endswith((".part", ".old"))]
    assert "shop/v1/gone.xsd" not in after
    assert after["shop/v1/c.xsd"] == MARKED.format("new").encode()
    assert not fetch_shop().changed


def test_leftover_that_cannot_be_removed_is_a_note(
    fetch_shop: Fetch, steps: Callable[[], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    unlink = Path.unlink

    def sticky(path: Path, missing_ok: bool = False) -> None:
        if path.name == "gone.xsd":
            raise OSError(13, "Permission denied", str(path))
        unlink(path, missing_ok)

    monkeypatch.setattr(Path, "unlink", sticky)
    report = fetch_shop()
    assert report.changed
    assert any("gone.xsd: no longer needed" in note for note in report.notes)
    assert not fetch_shop().changed


def test_failed_rollback_is_reported(
    fetch_shop: Fetch, steps: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    replace = Path.replace

    def sticky(path: Path, target: Path) -> Path:
        if path.name.endswith(".old") or target.name == "b.xsd":
            raise OSError(5, "Input/output error", str(target))
        return replace(path, target)

    monkeypatch.setattr(Path, "replace", sticky)
    with pytest.raises(FetchError, match="not all files could be restored") as refused:
        fetch_shop()
    assert "are unchanged" not in str(refused.value)


def test_contract_locked_by_another_process_is_kept(
    fetch_shop: Fetch, steps: Callable[[], None], requests_mock: Mocker, tmp_path: Path
) -> None:
    path = tmp_path / "contracts.lock"

    def meanwhile(*_: object) -> bytes:
        ours = lock.read(path).contract("shop")
        theirs = dataclasses.replace(ours, name="another")
        lock.write(path, lock.Lock((ours, theirs)))
        return MARKED.format("new").encode()

    requests_mock.get("https://api.example.org/c.xsd", content=meanwhile)
    assert fetch_shop().changed
    assert [each.name for each in lock.read(path).contracts] == ["another", "shop"]
