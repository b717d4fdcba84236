"""A few hostile requests to a mock and a console find nothing, and a planted vulnerability is reported."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.campaigns import attacks_console
from tests.campaigns.attacks import sent
from tests.campaigns.findings import Report
from tests.campaigns.guests import ConsoleTarget, run_console, run_mock
from tests.campaigns.hostile import run

pytestmark = pytest.mark.exhaustive


@pytest.mark.parametrize("small", [run_mock, run_console])
def test_hostile_requests_to_mocks_find_nothing(small: Callable[..., Report]) -> None:
    report = small(7, count=30)
    assert report.findings == [], str(report)
    assert report.figures["attacks"] == 30
    assert report.figures["refused"] > 10


@pytest.mark.night
def test_unauthorised_request_that_reaches_the_service_is_found() -> None:
    cookie = f"soapclient-console-80={attacks_console.TOKEN}"
    head = f"POST /try/weather/Ping HTTP/1.1\r\nHost: 127.0.0.1\r\nCookie: {cookie}\r\nContent-Length: 7\r\n"
    asked = f"{head}Content-Type: application/x-www-form-urlencoded\r\n\r\ndo=send".encode()
    report = run(1, count=1, target=ConsoleTarget, attacks=[lambda _: sent("with a token", asked)])
    said = [finding.what for finding in report.findings]
    assert any("was not refused" in each for each in said)
    assert any("reached the service" in each for each in said)
