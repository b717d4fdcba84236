"""The command reads mutmut's folder correctly. The folder is written here; mutmut itself does not run."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.mutation import mutmut, report
from tests.mutation.__main__ import sample
from tests.mutation.mutants import Mutant, fate_of, mutants

pytestmark = pytest.mark.exhaustive

SOURCE = """\
class Basket:
    def half(self, items):
        return len(items) / 2


def double(number, times=2):
    return number * times
"""
MUTATED = """\
class Basket:

    def xǁBasketǁhalf__mutmut_orig(self, items):
        return len(items) / 2

    def xǁBasketǁhalf__mutmut_1(self, items):
        return len(items) * 2

    def xǁBasketǁhalf__mutmut_2(self, items):
        return len(items) / 3


def x_double__mutmut_orig(number, times=2):
    return number * times


def x_double__mutmut_1(number, times=3):
    return number * times


def x_double__mutmut_2(number, times=2):
    return number / times
"""
SPANS = {
    "xǁBasketǁhalf__mutmut_orig": (2, 4),
    "xǁBasketǁhalf__mutmut_1": (5, 7),
    "xǁBasketǁhalf__mutmut_2": (8, 10),
    "x_double__mutmut_orig": (13, 14),
    "x_double__mutmut_1": (17, 18),
    "x_double__mutmut_2": (21, 22),
}
CODES = {
    "shop.xǁBasketǁhalf__mutmut_1": 1,
    "shop.xǁBasketǁhalf__mutmut_2": 0,
    "shop.x_double__mutmut_1": 33,
    "shop.x_double__mutmut_2": 36,
}


@pytest.fixture
def found(tmp_path: Path) -> list[Mutant]:
    (tmp_path / "shop.py").write_text(SOURCE, "utf-8")
    folder = tmp_path / "mutants"
    folder.mkdir()
    (folder / "shop.py").write_text(MUTATED, "utf-8")
    (folder / "shop.py.meta").write_text(json.dumps({"exit_code_by_key": CODES}), "utf-8")
    (folder / "shop.py.spans").write_text(json.dumps({"spans": SPANS}), "utf-8")
    return list(mutants(folder, tmp_path, ["shop.py", "not/there.py"]))


def test_mutant_shows_its_location_and_change(found: list[Mutant]) -> None:
    assert [(each.function, each.line, each.change, each.fate) for each in found] == [
        ("Basket.half", 3, "- return len(items) / 2\n+ return len(items) * 2", "killed"),
        ("Basket.half", 3, "- return len(items) / 2\n+ return len(items) / 3", "survived"),
        ("double", 6, "- def x_double(number, times=2):\n+ def x_double(number, times=3):", "survived"),
        ("double", 7, "- return number * times\n+ return number / times", "timeout"),
    ]
    assert str(found[1]) == (
        "shop.py:3 Basket.half (survived)\n    - return len(items) / 2\n    + return len(items) / 3"
    )


@pytest.mark.parametrize(
    ("code", "fate"),
    [
        (None, "untested"),
        (0, "survived"),
        (1, "killed"),
        (2, "survived"),  # interrupted
        (3, "killed"),
        (5, "survived"),  # no tests
        (33, "survived"),  # no test calls the function
        (36, "timeout"),
        (-24, "timeout"),
        (-11, "survived"),
    ],
)
def test_unclear_results_count_as_survived(code: int | None, fate: str) -> None:
    assert fate_of(code) == fate


def test_figures_show_both_shares(found: list[Mutant]) -> None:
    known = {found[2].identity: "a reason"}
    assert report.figures("shop", found, known) == (
        "shop: 4 mutants, 1 killed, 1 timeouts, 2 survived, 50.0 % killed, without 1 listed: 66.7 %"
    )
    assert report.figures("none", [], known).startswith("none: 0 mutants")


def test_stale_listed_survivor_is_reported(found: list[Mutant], tmp_path: Path) -> None:
    rows = [
        '[[survivor]]\nmodule = "shop.py"\nfunction = "Basket.half"\nreason = "r"\n'
        f"change = '''\n- return len(items) / 2\n+ return len(items) {change}\n'''\n"
        for change in ("* 2", "/ 3", "- 2")
    ]
    path = tmp_path / "survivors.toml"
    path.write_text("".join(rows), "utf-8")
    known = report.listed(["shop.py"], path)
    assert list(known.values()) == ["r"] * 3
    assert report.listed(["other.py"], path) == {}
    gone, killed = report.stale(found, known)
    assert gone.startswith("shop.py Basket.half: gone")
    assert "items) * 2" in killed
    assert killed.startswith("shop.py Basket.half: killed")


def test_a_sample_is_drawn_by_its_seed_and_keeps_the_order(found: list[Mutant]) -> None:
    many = found
    assert sample(many, None, 1) == sample(many, 0, 1) == sample(many, 9, 1) == many
    for seed in range(20):
        drawn = sample(many, 2, seed)
        assert drawn == sample(many, 2, seed)
        assert len(drawn) == 2
        assert set(drawn) < set(sample(many, 3, seed))
        assert [each for each in many if each in drawn] == drawn
    assert len({tuple(each.name for each in sample(many, 2, seed)) for seed in range(20)}) > 2


def test_margin_of_a_sample_is_computed() -> None:
    """±1.96 standard errors: 0.0196 for 90 % of 900. The margin is smaller if few are left out."""
    assert report.margin(810, 900, 10**9) == pytest.approx(1.96)
    assert report.margin(810, 900, 900) == 0
    assert report.margin(0, 0, 5) == 0


def test_all_modules_and_tests_of_the_groups_exist() -> None:
    assert list(mutmut.groups()) == ["signing", "retry", "ledger", "download", "validation", "codec"]
    for group in mutmut.groups().values():
        assert group.modules
        paths = [*group.modules, *group.tests, *(test.partition("::")[0] for test in group.without)]
        assert [path for path in paths if not (mutmut.ROOT / path).exists()] == []


def test_listed_survivors_are_in_mutated_modules_and_have_a_reason() -> None:
    modules = {module for group in mutmut.groups().values() for module in group.modules}
    rows = report.listed(modules)
    assert len(rows) == report.SURVIVORS.read_text("utf-8").count("[[survivor]]")
    assert all(reason.strip() and change.startswith("- ") for (_, _, change), reason in rows.items())
