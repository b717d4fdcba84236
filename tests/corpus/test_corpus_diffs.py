"""Every available contract, compared with itself: `bindgen diff` reports no change."""

from __future__ import annotations

from pathlib import Path

import pytest

from bindgen.diff import sources
from bindgen.diff.check import check
from bindgen.diff.findings import Report
from tests.corpus.conftest import contracts

pytestmark = pytest.mark.sampled(4)

REPOSITORY = Path(__file__).parents[2]
WSDLS = [*contracts(), *sorted((REPOSITORY / "wsdl").rglob("*.wsdl"))]


@pytest.mark.parametrize("path", WSDLS, ids=[path.relative_to(REPOSITORY).as_posix() for path in WSDLS])
def test_contract_compared_with_itself_is_unchanged(path: Path) -> None:
    place = sources.Place(REPOSITORY / "wsdl", REPOSITORY, include_root=REPOSITORY)
    report = check(
        lambda: sources.find(str(path), place), lambda: sources.find(str(path), place), shown=("old", "new")
    )
    assert report == Report(report.name, report.old, report.new)
    assert report.verdict == "same"
