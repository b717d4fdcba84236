"""Orders whose responses get lost, from clients with wrong clocks."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Literal
from zoneinfo import ZoneInfo

import pytest
from werkzeug.wrappers import Request, Response

from soapclient.clock import ManualClock
from soapclient.errors import (
    AmbiguousOrder,
    AmbiguousOutcome,
)
from soapclient.tracking.exports.export import Orders
from soapclient.tracking.exports.handle import ExportHandle
from soapclient.tracking.exports.orders.ledger import Ledger
from soapclient.tracking.sandbox import SAMPLE_CONNECT_ID, SAMPLE_SECRET_KEY
from tests.tracking.exports.stage import Stage

FIRST, SECOND, OCTOBER = date(2026, 11, 1), date(2026, 11, 2), date(2026, 10, 1)
THEIRS = datetime(2026, 11, 20, 12, tzinfo=UTC)
OTHER_ID, OTHER_KEY = "0123456789ABCDEF0123", "another+sample/key0123456789abcdefghij"
BERLIN = ZoneInfo("Europe/Berlin")
Fate = Literal["lost", "never came"]


def is_order(request: Request) -> bool:
    """Return True for an order over REST or SOAP."""
    return "/jobs/reports/type/" in request.path or b"CreateReportJobRequest" in request.get_data()


def refused(request: Request) -> Response | None:
    """Refuse an order like the REST service: with an error body of the service."""
    said = "<response><code>503</code><message>busy</message><reason>later</reason></response>"
    return Response(said, status=503, content_type="application/xml") if is_order(request) else None


class Lossy(Stage):
    """A stage that loses responses, with clients whose clocks are off by `wrong`. Records all `requests`."""

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
        self, exporter: Orders | None = None, day: date = FIRST, kind: str = "click", **options: bool
    ) -> ExportHandle:
        exporter = self.exporter() if exporter is None else exporter
        ledger = exporter.ledger(self.folder)
        reorder = options.get("reorder", False)
        return exporter.order_once(ledger, report_type=kind, from_date=day, to_date=day, reorder=reorder)

    def ledger(self) -> Ledger:
        return self.exporter().ledger(self.folder)

    @contextmanager
    def answers(self, fate: Fate) -> Iterator[None]:
        """Carry out orders or not, and answer with the error of a gateway."""

        def interfere(request: Request) -> Response | None:
            if not is_order(request):
                return None
            if fate == "lost":
                self.sandbox.interfere = None
                self.sandbox.answer(request)
                self.sandbox.interfere = interfere
            return Response("<html>gateway", status=502)

        before, self.sandbox.interfere = self.sandbox.interfere, interfere
        yield
        self.sandbox.interfere = before

    def lose(
        self, fate: Fate = "lost", day: date = FIRST, kind: str = "click", wrong: timedelta = timedelta()
    ) -> None:
        with self.answers(fate), pytest.raises(AmbiguousOutcome) as caught:
            self.order(self.exporter(wrong), day, kind)
        assert not isinstance(caught.value, AmbiguousOrder)
        assert any("stays pending" in note for note in caught.value.__notes__)


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
        yield Lossy(tmp_path / "ledger", stack)
