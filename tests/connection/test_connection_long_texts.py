"""Texts longer than libxml2's limit of ten million bytes, such as base64 files. Other limits still apply."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import requests_mock

from soapclient import Settings
from soapclient.errors import ResponseError

ADDRESS = "https://weather.example/soap"
SAFE = Settings(safe={"GetWeather"}, attempts=1)
ENVELOPE = """{}<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body>
    <GetWeatherResponse xmlns="urn:example:weather"><degrees>1</degrees><sky>clear</sky>{}
    </GetWeatherResponse></s:Body></s:Envelope>"""
HERE = Path(__file__).parent


@pytest.fixture
def answered(weather: ModuleType, open_service: Any, requests_mock: requests_mock.Mocker) -> Any:
    """The decoded response for a body."""
    service = open_service(weather.WeatherService, ADDRESS, settings=SAFE)

    def call(body: str | bytes) -> Any:
        content = body.encode() if isinstance(body, str) else body
        requests_mock.post(ADDRESS, content=content, headers={"Content-Type": "text/xml"})
        return service.get_weather(city="Berlin")

    return call


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("before", "encoding"),
    [
        ("", "utf-8"),
        ('<?xml version="1.0"?>\n<!-- made by hand -->' + " " * 3000, "utf-8"),
        ('<?xml version="1.0" encoding="UTF-16"?>', "utf-16"),
    ],
)
def test_long_text_is_read(answered: Any, before: str, encoding: str) -> None:
    text = "x" * 10_100_000
    told = answered(ENVELOPE.format(before, f"<station>{text}</station>").encode(encoding))
    assert told.station == [text]


def test_entities_are_still_refused(answered: Any) -> None:
    bombs = "".join(f'<!ENTITY e{at} "{f"&e{at - 1};" * 10}">' for at in range(1, 10))
    doctype = f'<!DOCTYPE s:Envelope [<!ENTITY e0 "0123456789">{bombs}]>'
    for inside in ('<station a="&e9;"/>', "<station>&e9;</station>", ""):
        with pytest.raises(ResponseError):
            answered(ENVELOPE.format(doctype, inside))


@pytest.mark.sampled(2)
@pytest.mark.parametrize(("depth", "read"), [(100, True), (900, False), (50_000, False)])
def test_depth_is_limited(
    make_package: Any, open_service: Any, requests_mock: requests_mock.Mocker, depth: int, read: bool
) -> None:
    module = make_package(f"deep{depth}", HERE.parent / "corpus" / "contracts" / "recursions.wsdl")
    types = import_module(f"deep{depth}.types")
    kind = getattr(module, f"Deep{depth}Service")
    connection = open_service(kind, ADDRESS, settings=Settings(safe={"Walk"}, attempts=1))
    folders = '<entry><folder name="x">' * depth + "</folder></entry>" * depth
    body = f"""<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body>
        <WalkResponse xmlns="urn:example:recursions"><folder name="top">{folders}</folder></WalkResponse>
        </s:Body></s:Envelope>"""
    requests_mock.post(ADDRESS, text=body, headers={"Content-Type": "text/xml"})
    root = types.Node(label="a")
    if not read:
        with pytest.raises(ResponseError):
            connection.walk(root=root)
        return
    folder = connection.walk(root=root).folder
    found = 0
    while folder.entry:
        folder, found = folder.entry[0].folder, found + 1
    assert found == depth
