"""Callgrind counts the same instructions again, and more of them if the code does more."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.bench.cases import OURS, ROOT
from tests.bench.compare import changes, counted, tree_of
from tests.bench.measuring import THIS, can_count
from tests.bench.worker import Job

pytestmark = pytest.mark.night

_WRITE = "        node = etree.SubElement(body, self.request_tag) if self.request_tag else body\n"
_PLANTED = "        sum(range(200_000))\n"


def test_planted_growth_is_found(tmp_path: Path) -> None:
    if not can_count():
        pytest.skip("valgrind is not installed")
    ignored = shutil.ignore_patterns("__pycache__")
    for name in ("soapclient", "generated", "tools", "tests/bench"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=ignored)
    jobs = [Job("request", 5, [OURS])]
    before = counted(jobs, THIS)
    (same,) = changes(before, counted(jobs, tree_of(tmp_path)), set())
    assert abs(same.growth) < 0.02
    module = tmp_path / "soapclient/soap/operations.py"
    text = module.read_text(encoding="utf-8")
    assert text.count(_WRITE) == 1
    module.write_text(text.replace(_WRITE, _WRITE + _PLANTED), encoding="utf-8")
    (grown,) = changes(before, counted(jobs, tree_of(tmp_path)), set())
    assert grown.failed(0.05)
