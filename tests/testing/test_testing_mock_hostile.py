"""A mock and hostile clients: each request gets a fault, and the log contains no secrets."""

from __future__ import annotations

import base64
import gc
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from werkzeug.test import Client

from soapclient.testing.mocks.server import mock_service
from soapclient.testing.mocks.service import MockService
from tests.support.packages import generated

WSDL = Path(__file__).parents[1] / "connection" / "weather.wsdl"
PORT = "/WeatherService/Weather11"
SPACE = "urn:example:weather"
ENVELOPE = (
    '<e:Envelope xmlns:e="http://schemas.xmlsoap.org/soap/envelope/" xmlns="urn:example:weather">'
    "<e:Header>%s</e:Header><e:Body>%s</e:Body></e:Envelope>"
)
RIGHT = "<GetWeather><city>Berlin</city></GetWeather>"
SECRET = "hunter2-canary-8c1f"


@pytest.fixture(scope="module")
def package() -> Iterator[str]:
    with generated("ill_mocked", WSDL):
        yield "ill_mocked"


@pytest.fixture
def service(package: str) -> MockService:
    return mock_service(package, switchboard=True)


@pytest.fixture
def client(service: MockService) -> Client:
    return Client(service.wsgi)


def related(*parts: tuple[str, bytes]) -> tuple[bytes, str]:
    """Return a multipart body, each part with its id, and its content type."""
    pieces = [
        b"--b\r\nContent-Type: text/xml\r\nContent-ID: <%s>\r\n\r\n%s\r\n" % (name.encode(), content)
        for name, content in parts
    ]
    return b"".join(pieces) + b"--b--\r\n", 'multipart/related; boundary="b"; type="text/xml"'


def test_repeatedly_included_part_is_refused(client: Client) -> None:
    include = '<x:Include xmlns:x="http://www.w3.org/2004/08/xop/include" href="cid:big"/>'
    envelope = ENVELOPE % ("", f"<GetWeather>{f'<city>{include}</city>' * 12}</GetWeather>")
    body, kind = related(("root", envelope.encode()), ("big", b"x" * 1_000_000))
    response = client.post(PORT, data=body, content_type=kind)
    assert response.status_code == 500
    assert "the included parts have more bytes in total than `max_body` of the mock allows" in response.text


@pytest.mark.exhaustive
def test_nested_includes_are_refused(client: Client) -> None:
    body = "".join(
        f"--{at}\r\nContent-Type: multipart/mixed; boundary={at + 1}\r\n\r\n" for at in range(3000)
    )
    gc.collect()
    gc.disable()  # finalizers of other tests' objects would fail at the recursion limit
    try:
        response = client.post(PORT, data=body.encode(), content_type="multipart/related; boundary=0")
    finally:
        gc.enable()
    assert response.status_code == 500
    assert "the mock failed" not in response.text


@pytest.mark.parametrize(
    "rule",
    [
        "[" * 200_000,
        '{"kind":"slow","seconds":1e400}',
        '{"kind":"slow","seconds":NaN}',
        '{"kind":"hang","seconds":-1}',
        '{"kind":"hang","seconds":true}',
        '{"kind":"reset","times":0}',
        '{"kind":"reset","times":true}',
        '{"kind":"reset","operation":{}}',
        '{"kind":["reset"]}',
        '{"kind":"fault","operation":"\\u0000"}',
        '{"times":' + "9" * 5000 + "}",
        '{"kind":"nothing"}',
        '{"kind":"drift","drift":"x"}',
        '{"kind":"slow","seconds":"1"}',
    ],
    ids=range(14),
)
def test_invalid_rule_is_refused(client: Client, service: MockService, rule: str) -> None:
    response = client.post("/-/rules", data=rule.encode(), content_type="application/json")
    assert response.status_code == 400
    assert response.text.startswith('{"error": "')
    assert service.rules() == []


@pytest.mark.exhaustive
def test_number_of_rules_is_bounded(client: Client, service: MockService) -> None:
    for _ in range(1000):
        response = client.post("/-/rules", json={"kind": "fault", "reason": "a\0b\x1b" * 1000})
        assert response.status_code == 201
    assert client.post("/-/rules", json={"kind": "reset"}).status_code == 409
    assert client.post(PORT, data=ENVELOPE % ("", RIGHT), content_type="text/xml").status_code == 500
    assert "the mock failed" not in service.calls()[0].reason


def test_size_of_the_log_is_bounded(
    client: Client, service: MockService, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("soapclient.testing.mocks.service._MAX_LOGGED_BYTES", 1_000_000)
    large = (ENVELOPE % ("", f"<GetWeather><city>{'x' * 90_000}</city></GetWeather>")).encode()
    for _ in range(13):
        client.post(PORT, data=large, content_type="text/xml")
    assert sum(call.size for call in service.calls()) <= 1_000_000
    assert len(service.calls()) == 11


@pytest.mark.parametrize(
    ("head", "body"),
    [
        (f"<w:Sec xmlns:w='urn:w'><w:Password>{SECRET}</w:Password></w:Sec>", RIGHT),
        (f"<Session><token>{SECRET}</token></Session>", RIGHT),
        (f"<x><y Password='{SECRET}'/></x>", RIGHT),
        ("", f"<GetWeather><secretKey><![CDATA[{SECRET}>]]></secretKey></GetWeather>"),
        ("", f"<GetWeather><password>{SECRET}"),  # truncated
    ],
)  # fmt: skip
def test_log_contains_no_secret(client: Client, service: MockService, head: str, body: str) -> None:
    credentials = {"Authorization": f"Basic {SECRET}", "Cookie": f"session={SECRET}"}
    said = client.post(PORT, data=ENVELOPE % (head, body), content_type="text/xml", headers=credentials)
    calls = client.get("/-/calls").text
    assert SECRET not in calls
    assert SECRET not in said.text
    (call,) = json.loads(calls)
    assert "<e:Envelope" in call["request"]
    assert SECRET in service.calls()[0].received  # the data that a test in the same process inspects


def test_log_of_multipart_requests_contains_no_secret(client: Client) -> None:
    envelope = (ENVELOPE % (f"<x><password>{SECRET}</password></x>", RIGHT)).encode()
    coded = base64.encodebytes(envelope)
    body, kind = related(("root", envelope), ("other", b"x"))
    client.post(PORT, data=body, content_type=kind)
    hidden = (
        b"--b\r\nContent-Type: text/xml\r\nContent-Transfer-Encoding: base64\r\n\r\n" + coded + b"\r\n--b--"
    )
    client.post(PORT, data=hidden, content_type=kind)
    calls = client.get("/-/calls").text
    assert SECRET not in calls
    assert coded.decode()[:40] not in calls
    assert [call["operation"] for call in json.loads(calls)] == ["GetWeather"] * 2
