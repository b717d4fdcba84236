"""Opening a connection: addresses, ports, credentials, headers, and the errors raised before a call."""

from __future__ import annotations

import base64
import logging
from collections.abc import Callable, Iterator
from datetime import UTC, timedelta, timezone, tzinfo
from pathlib import Path
from types import ModuleType
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from lxml import etree
from msgspec import structs
from zeep.wsse.username import UsernameToken

from soapclient import Settings
from soapclient.connection import Attachment, connect
from soapclient.errors import ClientClosed, ConfigError
from soapclient.runtime.package import package
from soapclient.soap.envelope import http_headers
from tests.connection.conftest import WHOLE as WEATHER_NOW
from tests.support.packages import generated
from tests.support.soap import SOAP_11, envelope

WHOLE = envelope(WEATHER_NOW)
NAIVE = WHOLE.replace("</GetWeatherResponse>", "<seen>2026-11-20T12:00:00</seen></GetWeatherResponse>")
SECRET = "s3cr3t-of-tests"
WEATHER = Path(__file__).with_name("weather.wsdl")


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("http://weather.example/soap", "other machines on the network can read"),
        ("https://weather.invalid/soap", "placeholder"),
        ("https://user:hidden-word@weather.example/", "user name or password"),
        ("https://weather.example/#part", "fragment"),
        ("ftp://weather.example/", "must be an http or https address"),
        ("https:///soap", "must be an http or https address"),
        ("https://weather.example:port/", "well-formed"),
        ("", "is missing"),
        ("https://weather.example/a b", "must be an http or https address"),
    ],
)
def test_unsafe_addresses_are_refused(weather: ModuleType, address: str, said: str) -> None:
    with pytest.raises(ConfigError, match=said) as caught:
        connect(weather.WeatherService, address=address)
    assert "hidden-word" not in str(caught.value)
    assert caught.value.setting == "address"
    if address.startswith("http:"):
        connect(weather.WeatherService, address=f"{address}?x=1", allow_http=True).close()


@pytest.mark.parametrize("zone", [None, UTC, timezone(timedelta(hours=2))])
def test_naive_date_time_stays_naive_if_the_settings_say_so(
    recorder: Any, open_weather: Any, zone: tzinfo | None
) -> None:
    connection = open_weather(settings=Settings(naive_zone=zone, drift="error"))
    recorder.answers(NAIVE, 200, "text/xml")
    found = connection.get_weather(city="Berlin").seen
    assert (found.tzinfo, found.replace(tzinfo=None).isoformat()) == (zone, "2026-11-20T12:00:00")
    kinds = [finding.kind for _, finding in connection.drift.counts()]
    assert kinds == ([] if zone is None else ["naive-time"])


@pytest.fixture(scope="module")
def zoned() -> Iterator[ModuleType]:
    with generated("zoned", WEATHER, 'format = 2\n[types]\nnaive_zone = "Europe/Rome"\n') as package:
        yield package


@pytest.mark.parametrize(
    ("setting", "zone"), [(None, ZoneInfo("Europe/Rome")), (UTC, UTC), (timezone(timedelta(hours=2)), None)]
)
def test_settings_file_of_a_package_sets_the_zone_of_naive_date_times(
    zoned: ModuleType, recorder: Any, open_service: Any, setting: tzinfo | None, zone: tzinfo | None
) -> None:
    connection = open_service(zoned.ZonedService, recorder.url, settings=Settings(naive_zone=setting))
    recorder.answers(NAIVE, 200, "text/xml")
    assert connection.get_weather(city="Berlin").seen.tzinfo == (zone or setting)
    assert [finding.kind for _, finding in connection.drift.counts()] == ["naive-time"]


def test_unknown_zone_is_an_error(weather: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    tables = weather.PACKAGE.settings
    monkeypatch.setattr(weather.PACKAGE, "settings", structs.replace(tables, naive_zone="Europe/Nowhere"))
    said = r"naive_zone: must be a time zone that .* knows, got Europe/Nowhere.*The package's settings"
    with pytest.raises(ConfigError, match=said):
        connect(weather.WeatherService, address="https://weather.example/")


def test_built_in_contracts_have_the_default_zone_of_the_client() -> None:
    for name in ("publisher", "data", "advertiser"):
        assert ZoneInfo(package(f"zxws.{name}").settings.naive_zone) == Settings().naive_tzinfo()


@pytest.mark.parametrize(
    ("given", "setting"),
    [
        ({"timeout": 0}, "timeout"),
        ({"attempts": 0}, "attempts"),
        ({"validate": "some"}, "validate"),
        ({"max_response_bytes": 1.5}, "max_response_bytes"),
        ({"safe": "GetWeather"}, "safe"),
        ({"allow_http": "yes"}, "allow_http"),
        ({"safe": 5}, "safe"),
        ({"safe": [5]}, "safe"),
        ({"verify": None}, "verify"),
        ({"verify": ("a", "b")}, "verify"),
        ({"certificate": ("a", "b", "c")}, "certificate"),
        ({"certificate": True}, "certificate"),
        ({"naive_zone": 5}, "naive_zone"),
        ({"report_zone": "Europe Berlin"}, "report_zone"),
        ({"report_zone": timezone(timedelta(seconds=30))}, "report_zone"),
        ({"deadline": timedelta(0)}, "deadline"),
        ({"services": {"weather": 5}}, "services"),
        ({"services": {"weather": {"attempts": 0}}}, "attempts"),
        ({"services": {"publisher": {"url": "https://a.example"}}}, "services.publisher.url"),
        ({"drift": "ignore"}, "drift"),
        ({"drift_log": ""}, "drift_log"),
        ({"drift_log": 5}, "drift_log"),
    ],
)
def test_invalid_settings_are_refused(given: dict[str, Any], setting: str) -> None:
    with pytest.raises(ConfigError, match=setting) as caught:
        Settings(**given)
    assert caught.value.setting == setting


def test_unknown_names_are_refused(weather: ModuleType) -> None:
    with pytest.raises(ConfigError, match="did you mean GetWeather"):
        connect(weather.WeatherService, settings=Settings(safe={"GetWether"}))
    opened: Any = connect
    with pytest.raises(ConfigError, match=r"'adress' is not an argument; did you mean address\?"):
        opened(weather.WeatherService, adress="http://127.0.0.1:1")
    with pytest.raises(ConfigError, match="Weather11, Weather12"):
        connect(weather.WeatherService, port="Weather13")
    anything: Any = 5
    with pytest.raises(ConfigError, match="must be a string"):
        connect(weather.WeatherService, address=anything)


@pytest.mark.parametrize(
    "auth", [("me",), ("me", 5), ("me", f"{SECRET}\n"), ("a:b", SECRET), f"me:{SECRET}", ("\ud800", SECRET)]
)
def test_invalid_credentials_are_refused(weather: ModuleType, auth: Any) -> None:
    with pytest.raises(ConfigError) as caught:
        connect(weather.WeatherService, auth=auth)
    assert caught.value.setting == "auth"
    assert SECRET not in str(caught.value)


@pytest.mark.parametrize(
    "headers",
    [{"X-Key": f"{SECRET}\r\nX: y"}, {"Bad Name": "x"}, {"SOAPAction": "x"}, {"X-Key": f"{SECRET}\u20ac"}],
)
def test_unsendable_headers_are_refused(weather: ModuleType, headers: dict[str, str]) -> None:
    with pytest.raises(ConfigError) as caught:
        connect(weather.WeatherService, headers=headers)
    assert caught.value.setting == "headers"
    assert SECRET not in str(caught.value)


def test_credentials_and_headers_are_sent_with_each_request_and_not_logged(
    recorder: Any, open_weather: Any, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    service = open_weather(
        auth=("jürgen", SECRET), headers={"X-Api-Key": SECRET}, settings=Settings(user_agent="tests/1")
    )
    recorder.answers(WHOLE, 200, "text/xml")
    service.get_weather(city="Berlin")
    sent = recorder.last.headers
    basic = base64.b64encode(f"jürgen:{SECRET}".encode()).decode()
    assert sent["authorization"] == f"Basic {basic}"
    assert sent["x-api-key"] == SECRET
    assert sent["user-agent"].endswith("tests/1")
    assert sent["content-type"] == "text/xml; charset=utf-8"
    assert SECRET not in caplog.text
    assert basic not in caplog.text
    assert "POST" in caplog.text


def test_soap_action_cannot_inject_headers() -> None:
    evil = 'urn:a"\r\nX-Evil: 1\\ é'
    assert http_headers("1.1", evil)["SOAPAction"] == '"urn:a%22%0D%0AX-Evil: 1%5C %C3%A9"'
    assert http_headers("1.1", "")["SOAPAction"] == '""'
    assert http_headers("1.2", "")["Content-Type"] == "application/soap+xml; charset=utf-8"


def test_ws_security_is_applied_to_each_attempt(recorder: Any, open_weather: Any) -> None:
    make: Callable[..., Any] = UsernameToken  # zeep has no types
    token = make("me", SECRET, use_digest=True)
    safe = Settings(safe={"GetWeather"}, attempts=2)
    connection = open_weather(wsse=token, settings=safe)
    for _ in range(2):
        recorder.answers("busy", 503, "text/plain")
        recorder.answers(WHOLE, 200, "text/xml")
        connection.get_weather(city="Berlin")
    nonces = {
        node.text
        for sent in recorder.sent
        for node in etree.fromstring(sent.body).iterfind(f"{{{SOAP_11}}}Header//{{*}}Nonce")
    }
    assert len(recorder.sent) == len(nonces) == 4
    recorder.answers(WHOLE, 200, "text/xml")
    connection.zeep.GetWeather(city="Berlin")
    assert b"UsernameToken" in recorder.last.body


# ---- views


def test_view_of_a_connection_has_its_own_options(recorder: Any, open_weather: Any) -> None:
    connection = open_weather()
    view = connection.with_options(headers={"X-Team": "a"}, request_id="job-7", attempts=1)
    for _ in range(2):
        recorder.answers(WHOLE, 200, "text/xml")
    with view as service:
        service.get_weather(city="Rome")
    connection.get_weather(city="Rome")  # closing a view closes nothing
    assert [each.headers.get("x-team") for each in recorder.sent] == ["a", None]
    first, second = (each.headers["x-request-id"] for each in recorder.sent)
    assert first == "job-7" != second
    with view.soap.attachments(Attachment(b"notes")):  # applies to views and to their parents
        recorder.answers(WHOLE, 200, "text/xml")
        connection.get_weather(city="Rome")
    assert recorder.last.headers["content-type"].startswith("multipart/related")
    connection.close()
    for closed in (connection, view, connection.with_options(attempts=2)):
        with pytest.raises(ClientClosed, match="GetWeather: the client was closed"):
            closed.get_weather(city="Rome")
    assert len(recorder.sent) == 3


def test_connect_returns_the_service(weather: ModuleType) -> None:
    service = connect(weather.WeatherService, address="http://127.0.0.1:1")
    assert type(service) is type(service.with_options(attempts=1)) is weather.WeatherService
    with service as same:
        assert same is service
