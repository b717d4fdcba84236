"""Texts longer than libxml2's limit of ten million bytes, such as base64 files. Other limits still apply."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import requests_mock

from soapclient import Settings
from tests.connection.conftest import WHOLE
from tests.support.soap import envelope

ADDRESS = "https://weather.example/soap"
SAFE = Settings(safe={"GetWeather"}, attempts=1)
HERE = Path(__file__).parent


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("before", "encoding"),
    [
        ('<?xml version="1.0"?>\n<!-- made by hand -->' + " " * 3000, "utf-8"),
        ('<?xml version="1.0" encoding="UTF-16"?>', "utf-16"),
    ],
)
def test_long_text_is_read(
    weather: ModuleType, open_service: Any, requests_mock: requests_mock.Mocker, before: str, encoding: str
) -> None:
    text = "x" * 10_100_000
    station = f"<station>{text}</station></GetWeatherResponse>"
    body = before + envelope(WHOLE.replace("</GetWeatherResponse>", station))
    content_type = {"Content-Type": "text/xml"}
    requests_mock.post(ADDRESS, content=body.encode(encoding), headers=content_type)
    service = open_service(weather.WeatherService, ADDRESS, settings=SAFE)
    assert service.get_weather(city="Berlin").station == [text]


def test_a_hundred_levels_are_read(
    make_package: Any, open_service: Any, requests_mock: requests_mock.Mocker
) -> None:
    module = make_package("deep", HERE.parent / "corpus" / "contracts" / "recursions.wsdl")
    connection = open_service(module.DeepService, ADDRESS, settings=Settings(safe={"Walk"}, attempts=1))
    inner = '<entry><folder name="x">' * 100 + "</folder></entry>" * 100
    body = f'<WalkResponse xmlns="urn:example:recursions"><folder name="top">{inner}</folder></WalkResponse>'
    requests_mock.post(ADDRESS, text=envelope(body), headers={"Content-Type": "text/xml"})
    folder, found = connection.walk(root=import_module("deep.types").Node(label="a")).folder, 0
    while folder.entry:
        folder, found = folder.entry[0].folder, found + 1
    assert found == 100
