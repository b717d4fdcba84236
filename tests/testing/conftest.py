"""A scenario for each protocol: a call, a list, and an export with its file."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from pathlib import Path

import pytest
from werkzeug.wrappers import Request, Response

from soapclient import Client
from tests.stage import Stage

DAY = dt.date(2026, 11, 1)


class Counted(Stage):
    """A stage that counts its requests."""

    def __init__(self) -> None:
        self.asked = 0
        super().__init__(interfere=self._count)

    def _count(self, request: Request) -> Response | None:
        self.asked += 1
        return None

    def of(self, protocol: str) -> Client:
        """Return a client that uses one protocol for all services that support it."""
        return self.client(publisher_protocol=protocol, data_protocol=protocol)


@pytest.fixture
def counted() -> Iterator[Counted]:
    with Counted() as made:
        yield made


def way(client: Client, folder: Path) -> tuple[object, ...]:
    """Run the scenario and return its results. The file is saved in the folder."""
    folder.mkdir(exist_ok=True)
    balances = client.publisher.get_balances()
    sales = client.publisher.get_sales(date=DAY, date_type="trackingDate")
    export = client.data.export(report_type="click", from_date=DAY, to_date=DAY)
    export.wait(deadline=600)
    file = export.download(folder / "clicks.csv.gz")
    return balances, sales, file.row_count, file.path.read_bytes()
