"""A sandbox in which the sales of chosen days fail."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from soapclient import Client
from tests.stage import Stage
from tests.tables.ranges.range_of_sales import DAYS, Gate, Ids

if TYPE_CHECKING:
    from tests.tables.conftest import Read


@pytest.fixture(scope="module")
def gate() -> Gate:
    return Gate()


@pytest.fixture(scope="module")
def stage(gate: Gate) -> Iterator[Stage]:
    with Stage(interfere=gate) as made:
        yield made


@pytest.fixture
def client(stage: Stage, gate: Gate) -> Client:
    gate.open()
    return stage.client(attempts=1)


@pytest.fixture(scope="module")
def expected(read_sales: Read) -> Ids:
    """The ids of each day's sales, from the independent reader."""
    found = {day: [sale["id"] for sale in read_sales(day)] for day in DAYS}
    assert all(len(ids) > 50 for ids in found.values())  # each day has at least two pages
    return found
