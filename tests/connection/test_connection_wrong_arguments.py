"""Arguments of the wrong type: a typed error names the argument and the expected value, without secrets."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Iterator
from importlib import invalidate_caches
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from bindgen import init
from soapclient import AsyncClient, Client, Settings, connect, connect_async
from soapclient.errors import ConfigError
from soapclient.settings import CommonSettings
from soapclient.testing import builders, mock

WSDL = Path(__file__).parent / "weather.wsdl"
ADDRESS = "https://weather.example/soap"
# Any: arguments that a type checker rejects.
Make = Callable[..., Any]
WRONG: list[Any] = ["https://x", Path("/x"), {"a": 1}, 5, object(), ModuleType("other"), Settings]
ARGUMENTS = ["port", "plugins", "zeep_settings", "transport", "auth", "wsse", "on_finding"]


def kind_of(value: object) -> str:
    return type(value).__name__


@pytest.fixture(scope="module")
def weather(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ModuleType]:
    folder = tmp_path_factory.mktemp("wrong")
    init.write(folder / "wrong_weather", init.make("wrong_weather", WSDL, offline=True).files)
    sys.path.insert(0, str(folder))
    invalidate_caches()
    yield importlib.import_module("wrong_weather")
    sys.path.remove(str(folder))


def message(make: Make, *args: object, **arguments: object) -> str:
    with pytest.raises(ConfigError) as caught:
        make(*args, **arguments)
    return str(caught.value)


@pytest.mark.parametrize("make", [Client, AsyncClient])
@pytest.mark.parametrize("value", [*WRONG, CommonSettings()], ids=kind_of)
def test_client_refuses_other_arguments_than_settings(make: Make, value: object) -> None:
    said = message(make, value)
    assert said.startswith("settings: must be a Settings, got ")
    assert "Pass Settings.load(…)" in said


@pytest.mark.parametrize("value", WRONG, ids=kind_of)
def test_connect_refuses_other_arguments_than_settings(weather: ModuleType, value: object) -> None:
    said = message(connect, weather.WrongWeatherService, address=ADDRESS, settings=value)
    assert said.startswith("settings: must be a Settings, got ")
    assert "Pass Settings.load(…)" in said


@pytest.mark.parametrize("make", [connect, connect_async])
@pytest.mark.parametrize("value", [*WRONG, None, Settings(headers={"X-Key": "s3cret"})], ids=kind_of)
def test_connect_refuses_other_arguments_than_a_service_class(make: Make, value: object) -> None:
    said = message(make, value)
    assert said.startswith("service: ")
    assert "Pass " in said
    assert "s3cret" not in said


def test_connect_says_which_class_is_meant(weather: ModuleType) -> None:
    asynchronous = importlib.import_module("wrong_weather.service").WrongWeatherServiceAsync
    said = message(connect, asynchronous)
    assert "Pass it to connect_async(), or WrongWeatherService to connect()" in said
    assert "Async" in message(connect_async, weather.WrongWeatherService)
    with connect(weather.WrongWeatherService, address=ADDRESS) as service:
        assert "service class" in message(connect, service)
    assert "the module wrong_weather is not a service class" in message(connect, weather)


@pytest.mark.parametrize("value", [5, Path("/x"), object(), ["a"]], ids=kind_of)
@pytest.mark.parametrize(
    "argument", ["port", "plugins", "zeep_settings", "transport", "auth", "wsse", "on_finding"]
)
def test_other_arguments_of_connect_are_checked(weather: ModuleType, argument: str, value: object) -> None:
    said = message(connect, weather.WrongWeatherService, address=ADDRESS, **{argument: value})
    assert said.startswith(f"{argument}: ")


@pytest.mark.parametrize(
    "value", [*WRONG, None, "no_such_package", "json", "a b", "", ".", "soapclient"], ids=kind_of
)
def test_mock_refuses_other_arguments_than_a_package(value: object) -> None:
    assert "is not a generated package. Pass a package that `bindgen init` wrote" in message(mock, value)


@pytest.mark.parametrize("name", ["service", "types"])
def test_a_mock_of_a_module_of_a_package_names_the_package(weather: ModuleType, name: str) -> None:
    module = importlib.import_module(f"wrong_weather.{name}")
    for value in (module, module.__name__):
        assert "Pass wrong_weather, its name, or a service class of it" in message(mock, value)


def test_mock_accepts_a_package_in_three_forms(weather: ModuleType) -> None:
    for value in (weather, "wrong_weather", weather.WrongWeatherService):
        with mock(value) as served:
            assert served.address().startswith("http://127.0.0.1:")


@pytest.mark.parametrize("make", [builders.build, builders.complete])
@pytest.mark.parametrize("value", [*WRONG, None, "SaleItem"], ids=kind_of)
def test_builders_refuse_other_arguments_than_a_generated_type(make: Make, value: object) -> None:
    with pytest.raises(TypeError, match=r"is not a type of a generated package\. Pass a class of its"):
        make(value)


def test_builders_refuse_an_instance(weather: ModuleType) -> None:
    types = importlib.import_module("wrong_weather.types")
    with pytest.raises(TypeError, match="GetWeather is not a type of a generated package"):
        builders.build(builders.build(types.GetWeather))
