"""Orders whose responses get lost, from clients with wrong clocks."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from werkzeug.wrappers import Request, Response

from soapclient.clock import ManualClock
from soapclient.tracking.exports.export import Orders
from soapclient.tracking.exports.handle import ExportHandle
from soapclient.tracking.sandbox import SAMPLE_CONNECT_ID, SAMPLE_SECRET_KEY
from tests.tracking.exports.conftest import Desk, is_order

FIRST, SECOND, OCTOBER = date(2026, 11, 1), date(2026, 11, 2), date(2026, 10, 1)
THEIRS = datetime(2026, 11, 20, 12, tzinfo=UTC)
OTHER_ID, OTHER_KEY = "0123456789ABCDEF0123", "another+sample/key0123456789abcdefghij"
BERLIN = ZoneInfo("Europe/Berlin")


def refused(request: Request) -> Response | None:
    """Refuse an order like the REST service: with an error body of the service."""
    said = "<response><code>503</code><message>busy</message><reason>later</reason></response>"
    return Response(said, status=503, content_type="application/xml") if is_order(request) else None


class Lossy(Desk):
    """A desk with two accounts and with clients whose clocks are off by `wrong`. Records all `requests`."""

    def __init__(self, folder: Path, stack: ExitStack) -> None:
        super().__init__(folder, stack, accounts={SAMPLE_CONNECT_ID: SAMPLE_SECRET_KEY, OTHER_ID: OTHER_KEY})
        self.requests: list[str] = []
        self.sandbox.interfere = self._note

    def _note(self, request: Request) -> None:
        self.requests.append(f"{request.method} {request.path}")

    def exporter(
        self, wrong: timedelta = timedelta(), *, account: str = SAMPLE_CONNECT_ID, protocol: str = "rest"
    ) -> Orders:
        """Return the exporter of a new client."""
        key = SAMPLE_SECRET_KEY if account == SAMPLE_CONNECT_ID else OTHER_KEY
        clock = Wrong(self.clock, wrong)
        return self.client(clock, connect_id=account, secret_key=key, data_protocol=protocol).data.exports

    def order(
        self, exporter: Orders | None = None, day: date = FIRST, kind: str = "click", *, reorder: bool = False
    ) -> ExportHandle:
        exporter = exporter or self.exporter()
        return exporter.order_once(
            self.ledger(exporter), report_type=kind, from_date=day, to_date=day, reorder=reorder
        )


class Wrong:
    """A clock with a wrong date that runs at the rate of another clock."""

    def __init__(self, clock: ManualClock, wrong: timedelta) -> None:
        self._clock = clock
        self._wrong = wrong

    def now(self) -> datetime:
        return self._clock.now() + self._wrong

    def monotonic(self) -> float:
        return self._clock.monotonic()

    def sleep(self, seconds: float) -> None:
        self._clock.sleep(seconds)


@pytest.fixture(name="stage")
def lossy_stage(tmp_path: Path) -> Iterator[Lossy]:
    with ExitStack() as stack:
        yield Lossy(tmp_path, stack)
