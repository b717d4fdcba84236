"""Each test is in a ring, the command line selects the rings, and workers run them."""

from __future__ import annotations

import ast
from collections import Counter
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests import rings
from tests.conftest import pytest_xdist_auto_num_workers

pytestmark = pytest.mark.exhaustive
TESTS = Path(__file__).parent


def _config(markexpr: str) -> pytest.Config:
    return cast(pytest.Config, SimpleNamespace(option=SimpleNamespace(markexpr=markexpr)))


def test_files_that_the_first_ring_does_not_import_have_no_test_of_it() -> None:
    outside = [path for path in TESTS.rglob("test_*.py") if rings.is_outside(path, _config(rings.FIRST))]
    assert len(outside) > 40
    for path in outside:
        (mark,) = (
            ast.unparse(node.value)
            for node in ast.parse(path.read_text(encoding="utf-8")).body
            if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "pytestmark"
        )
        assert mark in ("pytest.mark.exhaustive", "pytest.mark.night"), path


def test_files_that_the_second_ring_does_not_import_have_no_test_of_it() -> None:
    outside = [path for path in TESTS.rglob("test_*.py") if rings.is_outside(path, _config(rings.SECOND))]
    assert len(outside) > 100
    for path in outside:
        names = {
            node.attr
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
            if isinstance(node, ast.Attribute)
        }
        in_night = rings.is_outside(path, _config(rings.FIRST))
        assert in_night or not names & {"exhaustive", "sampled"}, path


def test_runs_without_a_ring_import_all_files() -> None:
    assert not rings.is_outside(Path(__file__), _config(rings.SECOND))
    assert not any(rings.is_outside(path, _config("")) for path in TESTS.rglob("test_*.py"))


@pytest.mark.parametrize(
    ("markexpr", "marked"), [("", False), (rings.FIRST, False), (rings.SECOND, False), ("night", True)]
)
def test_properties_are_marked_only_at_night(
    request: pytest.FixtureRequest, markexpr: str, marked: bool
) -> None:
    property_test = pytest.Function.from_parent(
        request.node.parent, name="test_of_a_property", callobj=_of_a_property
    )
    rings.assign([property_test], _config(markexpr))
    assert (property_test.get_closest_marker("night") is not None) == marked


@given(st.integers())
def _of_a_property(number: int) -> None:
    """Try nothing: only its kind counts."""


class _Case:
    """A case of a parametrised test with the marker `sampled`, as `assign` uses it."""

    def __init__(self, test: str, number: int, *sampled: int) -> None:
        self.nodeid = f"{test}[{number}]"
        self.ring = "first"
        self._mark = pytest.mark.sampled(*sampled).mark

    def get_closest_marker(self, name: str) -> pytest.Mark | None:
        return self._mark if name == "sampled" else None

    def add_marker(self, name: str) -> None:
        self.ring = name


@pytest.mark.parametrize(
    ("sampled", "rings_of_nine"),
    [
        ((2, 3), {"first": 2, "exhaustive": 3, "night": 4}),
        ((4,), {"first": 4, "exhaustive": 5}),
        ((0, 1), {"exhaustive": 1, "night": 8}),
    ],
)
def test_cases_are_divided_between_the_rings(sampled: tuple[int, ...], rings_of_nine: dict[str, int]) -> None:
    cases = [_Case("test_one", number, *sampled) for number in range(9)]
    rings.assign(cast(list[pytest.Item], cases), _config(""))
    assert Counter(case.ring for case in cases) == rings_of_nine
    again = [_Case("test_one", number, *sampled) for number in reversed(range(9))]
    rings.assign(cast(list[pytest.Item], again), _config(""))
    assert {case.nodeid: case.ring for case in again} == {case.nodeid: case.ring for case in cases}


def test_hypothesis_has_no_deadline() -> None:
    assert settings.default is not None
    assert settings.default.deadline is None
    assert HealthCheck.too_slow in settings.default.suppress_health_check


@pytest.mark.parametrize(
    ("chosen", "cores", "workers"),
    [
        (["tests"], 2, 3),
        (["tests"], 1, 2),
        (["tests"], 64, 4),
        (["tests/tracking/exports"], 2, 3),
        (["tests/test_rings.py"], 2, 0),
        (["tests/test_rings.py::test_hypothesis_has_no_deadline", "tests/tracking/advertiser"], 2, 0),
        (["tests/nowhere"], 2, 0),
        ([], 2, 3),
    ],
)
def test_xdist_workers_are_started_only_for_many_files(
    pytestconfig: pytest.Config, monkeypatch: pytest.MonkeyPatch, chosen: list[str], cores: int, workers: int
) -> None:
    monkeypatch.setattr(
        pytestconfig, "args", [str(TESTS.parent / each) for each in chosen] or [str(TESTS.parent)]
    )
    monkeypatch.setattr("os.cpu_count", lambda: cores)
    assert pytest_xdist_auto_num_workers(pytestconfig) == workers
    assert ["-n", "auto"] in (pytestconfig.getini("addopts")[at : at + 2] for at in range(8))
