"""The tests that SECURITY.md and the threat model mention exist, and every promise has one."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGES = ("SECURITY.md", "docs/explanation/threat-model.md")
_NAMED = re.compile(r"`(tests/[\w/]+\.py)::(\w+)`")


@cache
def functions_of(path: Path) -> frozenset[str]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return frozenset(
        node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    )


@pytest.mark.sampled(1)
@pytest.mark.parametrize("page", PAGES)
def test_every_named_test_exists(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    named = _NAMED.findall(text)
    assert len(named) == text.count("::")  # every reference has the expected form
    assert [each for each in named if each[1] not in functions_of(ROOT / each[0])] == []


def test_every_promise_has_tests() -> None:
    promised = (ROOT / PAGES[0]).read_text(encoding="utf-8").partition("## What is promised")[2]
    promises = promised.partition("\n## ")[0].split("\n### ")[1:]
    assert len(promises) >= 8
    assert [each.partition("\n")[0] for each in promises if len(_NAMED.findall(each)) < 3] == []


def test_threat_model_rows_have_tests_and_actors_have_residual_risks() -> None:
    text = (ROOT / PAGES[1]).read_text(encoding="utf-8")
    actors = text.split("\n## ")[1:]
    assert len(actors) == 6
    for actor in actors:
        rows = [line for line in actor.splitlines() if line.startswith("| ")][1:]
        assert len(rows) >= 5, actor
        assert [row for row in rows if not _NAMED.search(row)] == []
        assert "**What is left.**" in actor


def test_named_modules_exist() -> None:
    text = "".join((ROOT / page).read_text(encoding="utf-8") for page in PAGES)
    named = re.findall(r"`((?:soapclient|tools)/[\w/]*(?:\.py)?)`", text)
    assert len(named) > 5
    assert [each for each in named if not (ROOT / each).exists()] == []
