"""One deadline for the complete call, and retries only for operations declared safe."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import pytest
import requests
import requests_mock

from soapclient import Settings
from soapclient.clock import ManualClock
from soapclient.errors import AmbiguousOutcome, ConnectionFailed, Timeout

ADDRESS = "https://weather.example/soap"
SPACE = "urn:example:weather"
WHOLE = f"""<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body>
    <GetWeatherResponse xmlns="{SPACE}"><degrees>1</degrees><sky>clear</sky></GetWeatherResponse>
    </s:Body></s:Envelope>"""
XML = {"Content-Type": "text/xml"}
SAFE = frozenset({"GetWeather"})


def test_safe_call_is_retried(
    weather: ModuleType, open_service: Any, clock: ManualClock, requests_mock: requests_mock.Mocker
) -> None:
    answers: list[dict[str, Any]] = [
        {"status_code": 503},
        {"exc": requests.ConnectionError("gone")},
        {"text": WHOLE, "headers": XML},
    ]
    posted = requests_mock.post(ADDRESS, answers)
    settings = Settings(safe=SAFE)
    service = open_service(weather.WeatherService, ADDRESS, settings=settings)
    assert service.get_weather(city="Berlin").sky == "clear"
    assert posted.call_count == 3
    assert clock.sleeps == [0.5, 1.0]


def test_unsafe_call_is_not_retried(
    weather: ModuleType, open_service: Any, requests_mock: requests_mock.Mocker
) -> None:
    service = open_service(weather.WeatherService, ADDRESS)
    posted = requests_mock.post(ADDRESS, [{"status_code": 503}, {"exc": requests.ConnectionError("gone")}])
    with pytest.raises(AmbiguousOutcome, match="503"):
        service.get_weather(city="Berlin")
    with pytest.raises(AmbiguousOutcome) as caught:
        service.get_weather(city="Berlin")
    assert isinstance(caught.value.__cause__, ConnectionFailed)
    assert posted.call_count == 2


def test_deadline_includes_all_attempts(
    weather: ModuleType, open_service: Any, clock: ManualClock, requests_mock: requests_mock.Mocker
) -> None:
    def slow(request: object, context: Any) -> str:
        clock.advance(16)
        context.status_code = 503
        return "busy"

    posted = requests_mock.post(ADDRESS, text=slow)
    settings = Settings(safe=SAFE, deadline=50, attempts=20)
    service = open_service(weather.WeatherService, ADDRESS, settings=settings)
    with pytest.raises(Timeout, match="11 seconds") as caught:
        service.get_weather(city="Berlin")
    # After 16.5 and 33.5 seconds. The third gets two thirds of the rest, which leaves no time for another
    # attempt.
    assert posted.call_count == 3
    assert any("50 seconds" in note for note in caught.value.__notes__)


def test_response_after_the_deadline_is_a_timeout(
    weather: ModuleType, open_service: Any, clock: ManualClock, requests_mock: requests_mock.Mocker
) -> None:
    def late(request: object, context: Any) -> str:
        clock.advance(61)
        context.headers.update(XML)
        return WHOLE

    requests_mock.post(ADDRESS, text=late)
    settings = Settings(safe=SAFE, deadline=60)
    service = open_service(weather.WeatherService, ADDRESS, settings=settings)
    with pytest.raises(Timeout, match="60 seconds"):
        service.get_weather(city="Berlin")
