"""A user's package over REST: its settings file maps operations to resources."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import zeep

from soapclient.connection import connect
from soapclient.errors import ConfigError, ContractError, ResponseError, UnsupportedByProtocol
from tests.support.cases import case_text
from tests.support.packages import generated

_WSDL = Path(__file__).with_name("weather.wsdl")
_SETTINGS = case_text(__file__, "rest.toml")
_WEATHER = (
    '<GetWeatherResponse xmlns="urn:example:weather"><degrees>-3.50</degrees><sky>clear</sky>'
    "<seen>2026-11-20T12:00:00Z</seen><station>Tegel</station></GetWeatherResponse>"
)


@pytest.fixture(scope="module")
def resting() -> Iterator[ModuleType]:
    wsdl = re.sub("<s:header [^>]*/>", "", _WSDL.read_text(encoding="utf-8"))
    with generated("resting", wsdl, _SETTINGS) as package:
        yield package


@pytest.mark.parametrize("slash", ["", "/"])
def test_call_uses_the_resource_of_its_operation(resting: ModuleType, recorder: Any, slash: str) -> None:
    recorder.answers(_WEATHER, 200, "application/xml")
    with connect(
        resting.RestingService, address=f"{recorder.url}/api{slash}", protocol="rest", auth=("ada", "key")
    ) as weather:
        found = weather.get_weather(city="Bad Homburg", days=2)
    assert (str(found.degrees), found.sky, found.station) == ("-3.50", "clear", ["Tegel"])
    (sent,) = recorder.sent
    assert (sent.method, sent.target) == ("GET", "/api/cities/Bad%20Homburg/weather?days=2")
    assert sent.headers["authorization"] == "Basic YWRhOmtleQ=="
    assert sent.headers["accept"] == "application/xml"
    assert sent.body == b""


def test_requests_are_validated_and_responses_are_read_strictly(resting: ModuleType, recorder: Any) -> None:
    recorder.answers(_WEATHER.replace("-3.50", "cold"), 200, "application/xml")
    with connect(resting.RestingService, address=recorder.url, protocol="rest") as weather:
        with pytest.raises(ContractError, match="city"):
            weather.get_weather(city="a" * 21)
        assert recorder.sent == []
        with pytest.raises(ResponseError) as caught:
            weather.get_weather(city="Berlin")
    assert caught.value.path == "GetWeatherResponse/degrees"


def test_soap_only_options_are_refused(resting: ModuleType, recorder: Any) -> None:
    with connect(resting.RestingService, address=recorder.url, protocol="rest") as weather:
        with pytest.raises(UnsupportedByProtocol, match="Ping"):
            weather.ping()
        with pytest.raises(UnsupportedByProtocol, match="zeep's client"):
            _ = weather.soap
        with pytest.raises(UnsupportedByProtocol, match="soapheaders"):
            weather.with_options(soapheaders={"session": "t"}).get_weather(city="Berlin")
    assert recorder.sent == []


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ({}, "the REST address is missing"),
        ({"address": "http://weather.test"}, "is http"),
        ({"address": "https://weather.test/api?key=1"}, "has a query"),
        ({"address": "https://weather.test", "port": "Weather11"}, "port: is for SOAP"),
        ({"address": "https://weather.test", "plugins": [zeep.Plugin()]}, "is for SOAP"),
        ({"address": "https://weather.test", "on_headers": print}, "on_headers: is for SOAP"),
        ({"protocol": "reST"}, r"must be one of: soap, rest \(got 'reST'\)"),
    ],
)
def test_arguments_without_effect_over_rest_are_errors(
    resting: ModuleType, arguments: dict[str, Any], named: str
) -> None:
    with pytest.raises(ConfigError, match=named):
        connect(resting.RestingService, **{"protocol": "rest"} | arguments)


def test_package_without_rest_resources_names_the_remedy(weather: ModuleType) -> None:
    with pytest.raises(ConfigError) as caught:
        connect(weather.WeatherService, address="https://weather.test", protocol="rest")
    assert "weather does not have REST resources" in str(caught.value)
    assert "[rest.OPERATION]" in str(caught.value)
    assert "weather.toml" in str(caught.value)
