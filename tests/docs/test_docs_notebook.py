"""The notebook, run cell by cell: sums are compared with another reader's, the picture with README.md's."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Mapping
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
import requests
from lxml import etree

from tests.stage import Stage
from tests.test_supply import script
from tests.tracking.sandbox.caller import Caller

pytestmark = pytest.mark.exhaustive

ROOT = Path(__file__).parents[2]
NOTEBOOK = ROOT / "docs/notebooks/last-quarter.ipynb"
PICTURE = NOTEBOOK.with_name("last-quarter.svg")
SVG = "{http://www.w3.org/2000/svg}"
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")


class Ran:
    """The notebook after a run: output of its cells, final variables, and its folder."""

    def __init__(self, folder: Path) -> None:
        notebook = script("notebook")
        read: dict[str, Any] = json.loads(NOTEBOOK.read_text(encoding="utf-8"))
        self.kept = notebook.printed(read)
        self.names: dict[str, Any] = notebook.run(read, folder)
        self.printed = notebook.printed(read)
        self.folder = folder


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Ran:
    return Ran(tmp_path_factory.mktemp("notebook"))


def test_the_cells_print_what_the_notebook_shows(ran: Ran) -> None:
    assert ran.printed == ran.kept
    assert sum(map(bool, ran.printed)) == 3
    assert (ran.names["first"], ran.names["last"]) == (date(2026, 7, 1), date(2026, 9, 30))


def curves(svg: bytes) -> Mapping[str, list[float]]:
    """Return the points of each currency's curve, by its id."""
    root = etree.fromstring(svg)
    found = {}
    for group in root.iter(f"{SVG}g"):
        if re.fullmatch("[A-Z]{3}", group.get("id", "")):
            path = group.find(f"{SVG}path")
            assert path is not None
            found[group.get("id", "")] = [float(each) for each in _NUMBER.findall(path.get("d", ""))]
    return found


def test_chart_equals_the_stored_picture_and_shows_the_sums(ran: Ran) -> None:
    made = curves((ran.folder / "last-quarter.svg").read_bytes())
    kept = curves(PICTURE.read_bytes())
    daily: dict[str, list[Decimal]] = defaultdict(list)
    for currency, _, commission in ran.names["daily"]:
        daily[currency].append(commission)
    assert made.keys() == kept.keys() == daily.keys() == {"CHF", "EUR", "GBP", "PLN", "SEK", "USD"}
    for currency, points in made.items():
        assert points == pytest.approx(kept[currency], abs=0.01), "run .ci/notebook.py"
        heights = points[1::2]  # y grows downwards
        assert len(heights) == len(daily[currency])
        order = sorted(range(len(heights)), key=lambda at: daily[currency][at])
        assert [heights[at] for at in order] == sorted(heights, reverse=True)
    assert PICTURE.stat().st_size < 100_000


def test_sums_equal_those_of_the_sales_over_rest(ran: Ran) -> None:
    """An independent client reads the sales of some days, and adds them up without a table."""
    with Stage() as stage:
        caller = Caller(stage.url, stage.clock, session=requests.Session())
        for day in (date(2026, 7, 1), date(2026, 8, 15), date(2026, 9, 30)):
            sums: dict[str, Decimal] = defaultdict(Decimal)
            for page in range(10):
                target = f"/reports/sales/date/{day}?datetype=tracking_date&page={page}&items=50"
                got = caller.ask("GET", "/json/2011-03-01", target).json()
                assert isinstance(got, dict)
                items = (got.get("saleItems") or {}).get("saleItem", [])
                for sale in items:
                    if sale["reviewState"] != "rejected":
                        sums[sale["currency"]] += Decimal(sale["commission"])
            assert sums
            assert {c: total for c, when, total in ran.names["daily"] if when == day} == sums
        caller.session.close()
    assert stage.clock.now() == datetime(2026, 11, 20, 12, tzinfo=UTC)  # as in the notebook


def test_notebook_has_a_valid_format(ran: Ran) -> None:
    """Required keys of the schema of nbformat 4.5."""
    notebook = json.loads(NOTEBOOK.read_text(encoding="utf-8"))
    assert (notebook["nbformat"], notebook["nbformat_minor"]) == (4, 5)
    assert notebook["metadata"]["kernelspec"]["name"] == "python3"
    ids = [cell["id"] for cell in notebook["cells"]]
    assert len(set(ids)) == len(ids)
    for cell in notebook["cells"]:
        extra = {"execution_count", "outputs"} if cell["cell_type"] == "code" else set()
        assert cell.keys() == {"cell_type", "id", "metadata", "source"} | extra
    text = NOTEBOOK.read_text(encoding="utf-8")
    assert not re.search(r"/tmp|/home|127\.0\.0\.1", text)
