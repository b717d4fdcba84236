"""A small campaign of wrong clocks finds nothing, and reports planted errors."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest

from soapclient.calling.clock_skew import ClockSkew
from soapclient.tracking.publisher import Publisher
from soapclient.tracking.sandbox import SAMPLE_SECRET_KEY
from tests.campaigns import clock
from tests.campaigns.test_campaigns import Crossed, with_service
from zxws.publisher.types import AdspaceItem, CreateAdspaceResponse

pytestmark = pytest.mark.exhaustive


def test_clock_campaign_finds_nothing() -> None:
    report = clock.run(1, count=100)
    assert report.findings == [], str(report)
    figures = report.figures
    assert figures["rounds"] == 1
    assert figures["calls"] >= 100
    assert figures["corrected"] > 10
    assert figures["wrong_keys"] > 5
    assert 3 <= figures["most_requests"] <= 9


def never(*_: object) -> None:
    """Explain no rejection by a wrong clock."""


def always(
    self: ClockSkew, used: timedelta, date: str | None, before: datetime, after: datetime
) -> timedelta | None:
    """Explain every rejection by a wrong clock."""
    return timedelta(0)


def forgets(self: ClockSkew, offset: timedelta) -> None:
    """Do not remember the offset."""


@pytest.mark.night
@pytest.mark.parametrize(
    ("name", "planted", "finds"),
    [
        ("correction", never, {"wrong key"}),
        ("correction", always, {"loop", "flap"}),
        ("proved", forgets, {"flap"}),
    ],
)
def test_client_with_wrong_clock_handling_is_found(
    monkeypatch: pytest.MonkeyPatch, name: str, planted: object, finds: set[str]
) -> None:
    monkeypatch.setattr(ClockSkew, name, planted)
    monkeypatch.setattr("soapclient.calling.loop._CORRECTIONS", 4 if planted is always else 2)
    report = clock.run(1, count=80, ways=("SOAP", "JSON"))
    assert finds <= report.kinds, str(report)


class Dull(Publisher):
    """Reports writes as done without making them."""

    def create_adspace(self, *, adspace_item: AdspaceItem) -> CreateAdspaceResponse:
        return CreateAdspaceResponse(adspace_item=adspace_item)


@pytest.mark.night
def test_lost_write_is_found() -> None:
    assert clock.run(1, count=80, ways=("SOAP",), opened=with_service(Dull)).kinds == {"lost"}


@pytest.mark.night
def test_response_of_another_call_is_found() -> None:
    report = clock.run(1, count=80, ways=("SOAP",), opened=with_service(Crossed))
    assert "wrong value" in report.kinds, str(report)


@pytest.mark.night
def test_unreported_wrong_key_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.campaigns.clock._WRONG_KEY", SAMPLE_SECRET_KEY)
    assert clock.run(1, count=80, ways=("SOAP",)).kinds == {"not told"}
