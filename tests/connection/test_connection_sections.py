"""One settings class for every service: one type per setting, sections for services, and arguments."""

from __future__ import annotations

import inspect
import pickle
import pydoc
from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from pathlib import Path
from types import ModuleType
from typing import Any, get_type_hints
from zoneinfo import ZoneInfo

import pytest

from soapclient import AsyncClient, Client, Settings, connect, connect_async
from soapclient.connection import engine_of
from soapclient.errors import ConfigError
from soapclient.settings import CommonSettings
from soapclient.settings.arguments import CommonArguments
from soapclient.tracking.settings import SettingsArguments
from tests.support.cases import case_text

SECRET = "s3cr3t-of-tests"


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("safe", '["GetWeather"]', {"GetWeather"}),
        ("naive_zone", '"Europe/Lisbon"', "Europe/Lisbon"),
        ("report_zone", '"Europe/Lisbon"', "Europe/Lisbon"),
    ],
)
def test_connect_reads_settings_from_a_file(tmp_path: Path, name: str, text: str, value: object) -> None:
    file = tmp_path / "soapclient.toml"
    file.write_text(f"{name} = {text}\n")
    loaded: object = getattr(Settings.load(file=file, environ={}), name)
    assert (str(loaded) if isinstance(loaded, tzinfo) else loaded) == value


@pytest.mark.parametrize(
    ("zone", "name"),
    [
        ("Europe/Lisbon", "Europe/Lisbon"),
        (ZoneInfo("Europe/Lisbon"), "Europe/Lisbon"),
        (UTC, "UTC"),
        (timezone(timedelta(hours=-2, minutes=-30), "X"), "-02:30"),
        ("+05:45", "+05:45"),
    ],
)
def test_zone_is_a_name_or_a_tzinfo_and_stored_as_a_name(zone: str | tzinfo, name: str) -> None:
    settings = Settings(naive_zone=zone, report_zone=zone)
    assert (settings.naive_zone, settings.report_zone) == (name, name)
    now = datetime(2026, 11, 1)
    same = ZoneInfo(zone) if zone == "Europe/Lisbon" else zone
    wanted = timedelta(hours=5, minutes=45) if isinstance(same, str) else same.utcoffset(now)
    assert settings.report_tzinfo().utcoffset(now) == wanted
    assert settings.naive_tzinfo("Asia/Tokyo") == settings.report_tzinfo()


def test_zone_settings_default_to_the_zone_of_the_contract() -> None:
    settings = Settings()
    assert (settings.naive_tzinfo(""), settings.report_tzinfo("UTC")) == (None, UTC)
    assert settings.naive_tzinfo("Asia/Tokyo") == ZoneInfo("Asia/Tokyo")


def test_durations_are_seconds_or_timedelta(open_weather: Any) -> None:
    settings = Settings(deadline=timedelta(minutes=2), timeout=timedelta(seconds=1.5), connect_timeout=3)
    assert (settings.deadline, settings.timeout, settings.connect_timeout) == (120.0, 1.5, 3.0)
    service = open_weather(deadline=timedelta(seconds=7))
    view = service.with_options(deadline=timedelta(seconds=9), timeout=timedelta(seconds=2))
    assert engine_of(service).settings.deadline == 7.0
    assert engine_of(view).loop.options.deadline == 9.0


SECTIONS = case_text(__file__, "sections.toml")


def test_a_section_overrides_the_common_settings_for_one_service(weather: ModuleType, tmp_path: Path) -> None:
    file = tmp_path / "shared.toml"
    file.write_text(SECTIONS)
    settings = Settings.load(file=file, environ={})
    service = connect(weather.WeatherService, address="http://127.0.0.1:1", settings=settings)
    own = engine_of(service).settings
    assert (own.deadline, own.safe, own.attempts, own.drift) == (5.0, {"GetWeather"}, 3, "warn")
    assert (settings.publisher_url, settings.publisher_protocol) == ("https://publisher.example", "rest")
    assert settings.for_service("publisher").timeout == 7.0
    assert (settings.deadline, settings.timeout) == (50.0, None)
    night = Settings.load(file=file, environ={}, profile="night").for_service("weather")
    assert (night.drift, night.deadline, night.attempts) == ("error", 5.0, 2)
    common = CommonSettings.load(file=file, environ={}).for_service("weather")
    assert common.deadline == 5.0


def test_arguments_and_environment_override_sections(weather: ModuleType, tmp_path: Path) -> None:
    file = tmp_path / "shared.toml"
    file.write_text(SECTIONS)
    for settings in (
        Settings.load(file=file, environ={"SOAPCLIENT_DEADLINE": "9"}),
        Settings.load(file=file, environ={}, deadline=9),
        Settings.load(file=file, environ={}).replaced(deadline=9),
    ):
        assert settings.for_service("weather").deadline == 9.0
        assert settings.for_service("weather").safe == {"GetWeather"}
    settings = Settings.load(file=file, environ={})
    service = connect(weather.WeatherService, address="http://127.0.0.1:1", settings=settings, deadline=8)
    assert engine_of(service).settings.deadline == 8.0


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[services.weather]\ndedline = 5", r"weather.dedline: is not a setting; did you mean deadline"),
        ("[services.publisher]\nulr = 5", "did you mean url"),
        ("[services.weather]\nconnect_id = 'a'", "services.weather.connect_id: cannot be set in the section"),
        ("[services.weather]\ndeadline = 0", "key services.weather.deadline, must be a number of seconds"),
        ("services = 5", "services: .*must be a table of settings"),
        ("publisher_url = 'https://a.example'\n[services.publisher]\nurl = 'https://b.example'", "twice"),
    ],
)
def test_invalid_section_is_refused(tmp_path: Path, text: str, said: str) -> None:
    file = tmp_path / "shared.toml"
    file.write_text(text)
    with pytest.raises(ConfigError, match=said):
        Settings.load(file=file, environ={})


def test_the_headers_of_a_section_are_pickled_without_secrets() -> None:
    section = {"headers": {"X-Api-Key": SECRET, "X-Team": "a"}}
    settings = Settings(services={"weather": section})
    packed = pickle.dumps(settings)
    assert SECRET.encode() not in packed
    assert SECRET not in repr(settings)
    headers = pickle.loads(packed).for_service("weather").headers
    assert headers["X-Team"] == "a"
    assert headers["X-Api-Key"] != SECRET
    carried = pickle.loads(pickle.dumps(settings.carrying_secrets())).for_service("weather")
    assert carried.headers["X-Api-Key"] == SECRET


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"services": {"data": {"drift": "error"}}}, r"drift: has no effect in \[services.data\]"),
        ({"safe": {"GetSalez"}}, "'GetSalez' is not an operation of this service; did you mean GetSale"),
        ({"services": {"data": {"safe": ["GetSales"]}}}, "'GetSales' is not an operation of this service"),
        ({"services": {"publihser": {"timeout": 3}}}, "publihser: is not a .*; did you mean publisher"),
    ],
)
def test_settings_without_effect_on_a_client_are_errors(given: Any, said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        Client(**given)
    Client(services={"publisher": {"safe": ["CreateAdspace"]}, "weather": {"safe": ["GetWeather"]}}).close()


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"rest_format": "json"}, 'it is only for protocol="rest"'),
        ({"signature_placement": "body"}, "it is only for signatures, but weather does not sign requests"),
        ({"lowercase_path": True}, "it is only for signatures, but weather does not sign requests"),
        ({"max_download_bytes": 3}, "it is only for exports"),
    ],
)
def test_an_argument_without_effect_on_a_package_is_an_error(
    weather: ModuleType, options: dict[str, Any], reason: str
) -> None:
    (name,) = options
    said = f"^{name}: has no effect here: {reason}"
    with pytest.raises(ConfigError, match=said):
        connect(weather.WeatherService, **options)
    with pytest.raises(ConfigError, match=said):
        connect_async(weather.WeatherServiceAsync, **options)


@pytest.mark.parametrize(
    ("name", "said"), [("publisher_url", "has no effect here"), ("config", "was renamed to settings")]
)
def test_other_arguments_are_errors_of_connect(weather: ModuleType, name: str, said: str) -> None:
    options: dict[str, Any] = {name: "https://a.example"}
    with pytest.raises(ConfigError, match=f"^{name}: {said}"):
        connect(weather.WeatherService, **options)


def test_days_of_a_package_begin_in_utc_unless_a_setting_says_otherwise(weather: ModuleType) -> None:
    """`Settings` has the zone of the tracking service, which is not the zone of every package."""
    for settings, zone in ((Settings(), "UTC"), (Settings(report_zone="Asia/Tokyo"), "Asia/Tokyo")):
        with connect(weather.WeatherService, address="https://a.example", settings=settings) as service:
            assert str(service._engine.settings.report_tzinfo()) == zone


def test_services_of_a_client_share_connections_unless_they_have_a_section() -> None:
    options: Any = {"connect_id": "a", "secret_key": "b", "services": {"advertiser": {"deadline": 5}}}
    addresses: Any = {f"{name}_url": "https://a.example" for name in ("publisher", "data", "advertiser")}
    with Client(Settings(**addresses), protocol={"data": "rest"}, **options) as client:
        assert client.publisher.engine.session is client.data.engine.session
        assert client.advertiser.engine.session is not client.data.engine.session
        assert client.advertiser.engine.settings.deadline == 5.0
        assert client.data.engine.settings.deadline == 60.0


@pytest.mark.parametrize(
    ("settings", "arguments"), [(CommonSettings, CommonArguments), (Settings, SettingsArguments)]
)
def test_arguments_of_connect_are_the_settings(settings: type[CommonSettings], arguments: type) -> None:
    hints = get_type_hints(settings)
    known = get_type_hints(arguments)
    for each in settings.settings():
        hint = hints[each.name]
        settable = get_type_hints(hint.__set__)["value"] if hasattr(hint, "__set__") else hint
        assert known.pop(each.name) == settable | None, each.name
    assert known == {}


@pytest.mark.parametrize(
    ("opener", "settings"),
    [
        *((opener, CommonSettings) for opener in (connect, connect_async)),
        *((opener, Settings) for opener in (Client, AsyncClient)),
    ],
)
def test_help_shows_every_setting(opener: Callable[..., object], settings: type[CommonSettings]) -> None:
    names = {each.name for each in settings.settings()}
    assert names <= inspect.signature(opener).parameters.keys()
    assert all(f"{name}: " in pydoc.render_doc(opener) for name in names)


@pytest.mark.parametrize("name", ["Config", "ServiceSettings"])
def test_old_names_raise_an_error_with_the_new_name(name: str) -> None:
    with pytest.raises(ImportError, match=rf"soapclient\.{name} was renamed to soapclient\.Settings"):
        exec(f"from soapclient import {name}")
