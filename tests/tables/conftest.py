"""An independent reader: the sales of a day from the XML over REST, with lxml and without this client."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date

import pytest
from lxml import etree

from tests.stage import Stage

Sale = dict[str, str | None]
Read = Callable[[date], list[Sale]]
_SPACE = "{http://api.zanox.com/namespace/2011-03-01/}"


def _sale(item: etree._Element) -> Sale:
    def text(name: str) -> str | None:
        found = item.find(f"{_SPACE}{name}")
        return None if found is None else found.text or ""

    def attribute(name: str) -> str | None:
        found = item.find(f"{_SPACE}{name}")
        return None if found is None else found.get("id")

    return {
        "id": item.get("id"),
        "review_state": text("reviewState"),
        "tracking_date": text("trackingDate"),
        "program_id": attribute("program"),
        "program_value": text("program"),
        "commission": text("commission"),
        "currency": text("currency"),
        "review_note": text("reviewNote"),
        "gpps": ";".join(f"{gpp.get('id')}={gpp.text or ''}" for gpp in item.iter(f"{_SPACE}gpp")),
    }


@pytest.fixture(scope="module")
def read_sales(stage: Stage) -> Read:
    """Return the sales of a day, from all pages, each value as its text."""

    def read(day: date) -> list[Sale]:
        found: list[Sale] = []
        for page in range(100):
            target = f"/reports/sales/date/{day}?page={page}&items=50"
            response = stage.caller.ask("GET", "/xml/2011-03-01", target)
            items = list(response.xml().iter(f"{_SPACE}saleItem"))
            found += map(_sale, items)
            if len(items) < 50:
                return found
        raise AssertionError("there is no end")

    return read
