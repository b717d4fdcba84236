"""A client of a sandbox over real HTTP, with responses defined by the test."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.stage import Stage

ITEM = '<balanceItem id="{}"{}><open>1.10</open><confirmed>2.20</confirmed>{}</balanceItem>'


def response(items: str, extra: str = "", page: str = "<page>0</page>") -> str:
    """Return the content of a GetBalancesResponse, which REST sends without an envelope."""
    return (
        '<GetBalancesResponse xmlns="http://api.zanox.com/namespace/2011-03-01/">'
        f"{page}<items>2</items><total>2</total>{extra}<balanceItems>{items}</balanceItems>"
        "</GetBalancesResponse>"
    )


DRIFTING = response(
    ITEM.format("EUR", ' colour="red"', "") + ITEM.format("CHF", ' colour="blue"', ""), "<mood/>"
)
PLAIN = response(ITEM.format("EUR", "", ""))


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """The path of the drift log."""
    return tmp_path / "drift.jsonl"


@pytest.fixture
def stage() -> Iterator[Stage]:
    with Stage(clicks_per_day=5) as made:
        yield made
