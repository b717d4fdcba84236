"""Workers get the selected reader, and the counts of callgrind are read in the order of the marks."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.bench import measuring
from tests.bench.cases import ROOT, Case, Way, all_cases
from tests.bench.measuring import THIS, Tree
from tests.bench.results import COMPILED, PURE
from tests.bench.worker import Job

pytestmark = pytest.mark.exhaustive


def install_compiled_reader(monkeypatch: pytest.MonkeyPatch, *, installed: bool) -> None:
    """Pretend that the compiled reader is installed, or not."""
    monkeypatch.setattr(measuring, "find_spec", lambda name: object() if installed else None)


def test_both_readers_are_selected_if_the_compiled_one_is_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SOAPCLIENT_SPEEDUPS", raising=False)
    install_compiled_reader(monkeypatch, installed=True)
    assert measuring.readers() == [PURE, COMPILED]
    assert THIS.environment(PURE)["SOAPCLIENT_SPEEDUPS"] == "0"
    assert THIS.environment(COMPILED)["SOAPCLIENT_SPEEDUPS"] == "1"
    install_compiled_reader(monkeypatch, installed=False)
    assert measuring.readers() == [PURE]
    assert "SOAPCLIENT_SPEEDUPS" not in THIS.environment(PURE)


def test_code_of_another_checkout_is_imported_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(ROOT), str(ROOT / "tools"), "further"]))
    path = Tree(Path("there"), (Path("there"), Path("there/generated"))).environment(PURE)["PYTHONPATH"]
    assert path.split(os.pathsep) == ["there", str(Path("there/generated")), "further"]
    assert THIS.environment(PURE)["PYTHONHASHSEED"] == "0"


def test_counts_are_the_difference_between_more_and_fewer_rounds(tmp_path: Path) -> None:
    # Per way: everything before, then 1 and 5 rounds of 100, or 1 and 2 of 7000, and 30 that never change.
    totals = [999, 130, 530, 12345, 7030, 14030]
    for at, total in enumerate(totals, 1):
        (tmp_path / f"counts.{at}").write_text(f"version: 1\nsummary: {total}\ntotals: {total}\n")
    (tmp_path / "counts.10").write_text("totals: 5\n")  # after 6, not after 1
    sections = measuring._sections(tmp_path)
    assert measuring._between({"quick": (1, 5), "heavy": (1, 2)}, sections) == {"quick": 100, "heavy": 7000}
    assert list(sections) == [5]


def test_commands_run_once_before_they_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    # The first run in a fresh checkout also compiles the modules.
    ran: list[str] = []

    def output(command: Sequence[str], *_: object) -> str:
        ran.append(command[0])
        return ""

    monkeypatch.setattr(measuring, "_output", output)
    monkeypatch.setattr(measuring, "_total", lambda dump: 5)
    job = Job("import", 1, ["bare Python", "soapclient"])
    assert measuring.instructions([job], PURE) == {"import": {"bare Python": 5.0, "soapclient": 5.0}}
    assert ran == [sys.executable, "valgrind"] * 2


def test_missing_library_is_named_and_its_way_left_out() -> None:
    ways = (Way("here", ("json",)), Way("absent", ("no_such_module",)), Way("other"))
    case = Case("test", "A test", "floor", "thing", 1, 1, ways, all_cases()["json"].open)
    assert [way.missing for way in ways] == [None, "no_such_module", None]
    assert [way.name for way in case.selected()] == ["here", "other"]
    assert [way.name for way in case.selected(["absent"])] == ["here"]


def test_each_case_compares_soapclient_with_its_base() -> None:
    for case in all_cases().values():
        names = [way.name for way in case.ways]
        assert "soapclient" in names
        assert not case.idle or case.idle in names
        assert case.few <= case.size
