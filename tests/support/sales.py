"""The sales of one day, read with a call or as a stream, and a valid sale in JSON and XML."""

from __future__ import annotations

import datetime as dt
from typing import Any

from soapclient import Client
from zxws.publisher.types import SaleItem

DAY = dt.date(2026, 11, 1)
SALE: dict[str, Any] = {
    "@id": "s1",
    "reviewState": "open",
    "adspace": {"@id": "1", "$": "a"},
    "admedium": {"@id": "2", "$": "b"},
    "program": {"@id": "3", "$": "c"},
    "clickId": 4,
    "clickInId": 5,
    "amount": "6.10",
    "commission": 7,
    "currency": "EUR",
}


def xml_of(name: str, content: object) -> str:
    """Return an element from its form in JSON: attributes begin with `@`, and `$` is the text."""
    fields = content if isinstance(content, dict) else {"$": content}
    attributes = "".join(f' {key[1:]}="{value}"' for key, value in fields.items() if key[0] == "@")
    inside = "".join(
        str(value) if key == "$" else xml_of(key, value) for key, value in fields.items() if key[0] != "@"
    )
    return f"<{name}{attributes}>{inside}</{name}>"


def sales(client: Client) -> list[SaleItem]:
    return list(client.publisher.get_sales(date=DAY, date_type="trackingDate").sale_items or ())


def stream_of_sales(client: Client, seen: list[SaleItem] | None = None) -> list[SaleItem]:
    """Return the items of a stream. `seen` has those before an error."""
    seen = [] if seen is None else seen
    with client.publisher.stream.get_sales(date=DAY, date_type="trackingDate") as items:
        seen.extend(items)
    return seen
