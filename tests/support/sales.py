"""The sales of one day, read with a call or as a stream."""

from __future__ import annotations

import datetime as dt

from soapclient import Client
from zxws.publisher.types import SaleItem

DAY = dt.date(2026, 11, 1)


def sales(client: Client) -> list[SaleItem]:
    return list(client.publisher.get_sales(date=DAY, date_type="trackingDate").sale_items or ())


def stream_of_sales(client: Client, seen: list[SaleItem] | None = None) -> list[SaleItem]:
    """Return the items of a stream. `seen` has those before an error."""
    seen = [] if seen is None else seen
    with client.publisher.stream.get_sales(date=DAY, date_type="trackingDate") as items:
        seen.extend(items)
    return seen
