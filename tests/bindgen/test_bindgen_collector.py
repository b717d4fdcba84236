"""The garbage collector is disabled while a package is generated, and restored afterwards."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from pathlib import Path

import pytest

from bindgen import emit, init
from bindgen.fetching.errors import FetchError
from bindgen.model import Contract

_CONTRACT = Path(__file__).parents[1] / "corpus/contracts/alls.wsdl"


@pytest.fixture(autouse=True)
def as_it_was() -> Iterator[None]:
    was = gc.isenabled()
    yield
    (gc.enable if was else gc.disable)()


@pytest.mark.parametrize("on", [True, False])
def test_garbage_collector_state_is_restored(on: bool) -> None:
    (gc.enable if on else gc.disable)()
    init.make("made", _CONTRACT, offline=True)
    assert gc.isenabled() == on


def test_garbage_collector_stays_on_if_the_contract_cannot_be_loaded(tmp_path: Path) -> None:
    gc.enable()
    with pytest.raises(FetchError):
        init.make("made", tmp_path / "none.wsdl", offline=True)
    assert gc.isenabled()


def test_garbage_collector_is_off_during_generation(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[bool] = []
    package = emit.package

    def watched(contract: Contract) -> dict[str, bytes]:
        seen.append(gc.isenabled())
        return package(contract)

    gc.enable()
    monkeypatch.setattr(emit, "package", watched)
    init.make("made", _CONTRACT, offline=True)
    assert seen == [False]
