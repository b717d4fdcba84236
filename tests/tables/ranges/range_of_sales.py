"""The range of days that the tests request, and a hook that makes days fail."""

from __future__ import annotations

import datetime as dt
import threading
from typing import Any, Protocol
from zoneinfo import ZoneInfo

from lxml import etree
from werkzeug.wrappers import Request, Response

from soapclient import Client, days
from soapclient.runtime import ItemPages
from zxws.publisher.types import SaleItem

FIRST, LAST = dt.date(2026, 6, 29), dt.date(2026, 7, 2)
Ids = dict[dt.date, list[str | None]]  # of the sales of each day
DAYS = [dt.date(2026, 6, 29), dt.date(2026, 6, 30), dt.date(2026, 7, 1), dt.date(2026, 7, 2)]
BERLIN = ZoneInfo("Europe/Berlin")


class Waits(Protocol):
    def wait(self) -> object: ...


class Gate:
    """A hook of the sandbox that records the days requested over SOAP and breaks some of them."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.open()

    def open(self) -> None:
        self.asked: list[dt.date] = []
        self.broken: set[dt.date] = set()
        self.meeting: Waits | None = None

    def __call__(self, request: Request) -> Response | None:
        if not request.path.startswith("/soap") or b"GetSalesRequest" not in request.get_data():
            return None
        text = etree.fromstring(request.get_data()).findtext(".//{*}date") or ""
        day = dt.datetime.fromisoformat(text).astimezone(BERLIN).date()
        with self._lock:
            self.asked.append(day)
        if self.meeting is not None:
            self.meeting.wait()
        return Response("broken", 404, content_type="text/plain") if day in self.broken else None


def flat(expected: Ids) -> list[str | None]:
    return [each for ids in expected.values() for each in ids]


def sales(client: Client, workers: int = 1, **more: Any) -> ItemPages[SaleItem]:
    asked = {"date": days(FIRST, LAST, workers=workers), "date_type": "trackingDate", **more}
    return client.publisher.iterate.get_sales(**asked)
