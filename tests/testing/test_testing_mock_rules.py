"""Rules of an in-process mock: their responses and conditions, by the switchboard and by methods.

Also features of other contracts: nested values, authentication, encoded values, WS-Addressing.
"""

from __future__ import annotations

import base64
import gc
import importlib
import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from decimal import Decimal
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from lxml import etree
from werkzeug.test import Client, TestResponse

from soapclient import testing
from soapclient.errors import ContractError
from soapclient.serving.faults import CloseConnection
from soapclient.testing import Rule
from soapclient.testing.mocks.server import mock_service
from soapclient.testing.mocks.service import MockService
from tests.support.packages import generated

WSDLS = Path(__file__).parents[1]
SOURCES = {
    "ruled_weather": WSDLS / "connection/weather.wsdl",
    "ruled_sums": WSDLS / "connection/sums.wsdl",
    "ruled_warehouse": WSDLS / "console/wsdls/warehouse.wsdl",
}
SOAP = "http://schemas.xmlsoap.org/soap/envelope/"
WEATHER = "/WeatherService/Weather11"
BERLIN = "<GetWeather xmlns='urn:example:weather'><city>Berlin</city></GetWeather>"
OBSERVED = "<Observed xmlns='urn:example:weather'><degrees>12.50</degrees></Observed>"
MOVE = (
    "<m:Move xmlns:m='http://warehouse.example.net/wms'><move><from>A01/1</from><to>B02/2</to>"
    "<amount>3</amount></move><urgent>true</urgent></m:Move>"
)


@pytest.fixture(scope="module", autouse=True)
def packages() -> Iterator[None]:
    with ExitStack() as stack:
        for name, wsdl in SOURCES.items():
            stack.enter_context(generated(name, wsdl))
        yield


@pytest.fixture
def weather() -> MockService:
    return mock_service("ruled_weather", switchboard=True)


def post(service: MockService, path: str, body: str, header: str = "") -> TestResponse:
    envelope = (
        f"<s:Envelope xmlns:s='{SOAP}'><s:Header>{header}</s:Header><s:Body>{body}</s:Body></s:Envelope>"
    )
    return Client(service.wsgi).post(path, data=envelope.encode(), content_type="text/xml")


def reason_of(response: TestResponse) -> str:
    return etree.fromstring(response.data).findtext(".//faultstring") or ""


# ---- by the switchboard


@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    ("rule", "status"),
    [
        ({"kind": "unavailable"}, 503),
        ({"kind": "fault", "reason": "no more"}, 500),
        ({"kind": "slow", "seconds": 0}, 200),
        ({"kind": "drift", "drift": "value"}, 200),
        ({"kind": "reset"}, None),
        ({"kind": "hang", "seconds": 0}, None),
    ],
)
def test_each_kind_of_rule_can_be_created_over_http(
    weather: MockService, rule: dict[str, object], status: int | None
) -> None:
    client = Client(weather.wsgi)
    usual = post(weather, WEATHER, BERLIN).data
    made = client.post("/-/rules", json={"operation": "GetWeather", "times": 2, **rule})
    assert made.status_code == 201
    (shown,) = client.get("/-/rules").get_json()
    assert (shown["operation"], shown["kind"]) == ("GetWeather", rule["kind"])
    assert (shown["times"], shown["used"]) == (2, 0)
    if status is None:
        with pytest.raises(CloseConnection):  # the server turns it into a connection reset
            post(weather, WEATHER, BERLIN)
    else:
        response = post(weather, WEATHER, BERLIN)
        assert response.status_code == status
        assert (response.data == usual) == (rule["kind"] == "slow")
        assert ("no more" in response.text) == (rule["kind"] == "fault")
        assert ("unheardOf" in response.text) == (rule["kind"] == "drift")
    assert client.get("/-/rules").get_json()[0]["used"] == 1


@pytest.mark.parametrize("kind", ["slow", "drift"])
def test_one_way_operation_stays_without_a_response(weather: MockService, kind: str) -> None:
    Client(weather.wsgi).post("/-/rules", json={"operation": "Observe", "kind": kind})
    response = post(weather, WEATHER, OBSERVED)
    assert (response.status_code, response.data) == (202, b"")


# ---- by methods


@pytest.mark.parametrize(
    "say",
    [lambda rule: rule.reply(degrees=1), lambda rule: rule.fault("no", "unknown")],
    ids=["reply", "fault"],
)
def test_rule_for_any_operation_has_no_types(
    weather: MockService, say: Callable[[Rule[Any, Any]], object]
) -> None:
    with pytest.raises(TypeError, match="needs an operation"):
        say(weather.add(None, {}))


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"degrees": "warm", "sky": "clear"}, "warm"),  # the encoder cannot write it
        ({"degrees": Decimal(1), "sky": "pink"}, "clear"),  # the schema does not allow it
    ],
)
def test_response_that_violates_the_contract_is_refused(
    weather: MockService, fields: dict[str, object], said: str
) -> None:
    kind = importlib.import_module("ruled_weather.types").GetWeatherResponse
    with pytest.raises(ContractError, match=said) as caught:
        weather.add(weather.operation("GetWeather"), {}).reply(kind(**fields))
    assert caught.value.operation == "GetWeather"


@pytest.mark.parametrize(
    ("wanted", "fits"),
    [
        ({"move": {"from": "A01/1"}}, True),
        ({"move": {"from_": "A01/1", "amount": "3"}}, True),
        ({"move": {"from": "A01/2"}}, False),
        ({"move": {"from": "A01/1"}, "urgent": "false"}, False),
        ({"move": {"note": None}}, True),
        ({"move": {"amount": lambda amount: amount > 2}}, True),
        ({"move": {"amount": 3.0}}, True),  # as in a file
        ({"move": {"amount": 3.5}}, False),
        ({"move": ["A01/1"]}, False),
    ],
)
def test_rule_matches_fields_of_the_request(wanted: dict[str, object], fits: bool) -> None:
    service = mock_service("ruled_warehouse")
    service.add(service.operation("Move"), wanted).unavailable()
    assert post(service, "/Warehouse/Stock", MOVE).status_code == (503 if fits else 200)


@pytest.mark.parametrize(("degrees", "fits"), [(12.5, True), (12.25, False)])
def test_float_in_a_rule_file_becomes_the_written_amount(
    weather: MockService, degrees: float, fits: bool
) -> None:
    weather.add(weather.operation("Observe"), {"degrees": degrees}).unavailable()
    assert post(weather, WEATHER, OBSERVED).status_code == (503 if fits else 202)


# ---- features of other contracts


def test_signature_does_not_affect_the_response() -> None:
    service = mock_service("zxws.publisher")
    (path,) = service.ports
    space = service.operation("GetProfile").request_tag.partition("}")[0].removeprefix("{")

    def ask(operation: str, fields: str, nonce: str) -> TestResponse:
        signed = (
            f"<connectId>ABC</connectId><timestamp>2026-11-01T12:00:00</timestamp><nonce>{nonce}</nonce>"
            "<signature>c2lnbmF0dXJl</signature>"
        )
        return post(
            service, path, f"<{operation}Request xmlns='{space}'>{fields}{signed}</{operation}Request>"
        )

    first, second, other = (
        ask("GetSale", f"<saleId>{sale}</saleId>", nonce)
        for sale, nonce in (("1", "n" * 20), ("1", "m" * 20), ("2", "n" * 20))
    )
    assert first.status_code == 200, first.text
    assert first.data == second.data
    assert first.data != other.data
    requests = [repr(call.request) for call in service.calls()]
    assert requests[0] == requests[1]
    assert "n" * 20 not in requests[0]


@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    ("body", "status", "said"),
    [
        ("<r:List xmlns:r='urn:example:rpc'><prefix>a</prefix></r:List>", 200, ""),
        ("<r:Add xmlns:r='urn:example:rpc'><a>1</a><b>2</b></r:Add>", 200, ""),
        ("<r:Add xmlns:r='urn:example:rpc'><a>one</a><b>2</b></r:Add>", 500, "one"),
        ("<r:List xmlns:r='urn:example:rpc'><suffix>a</suffix></r:List>", 500, "suffix"),
        ("<r:List xmlns:r='urn:example:rpc'/>", 200, ""),
    ],
)
def test_rpc_literal_and_encoded_are_mocked(body: str, status: int, said: str) -> None:
    service = mock_service("ruled_sums")
    response = post(service, "/SumsService/SumsPort", body)
    assert (response.status_code, said in reason_of(response)) == (status, True), response.text
    style = f"{{{SOAP}}}encodingStyle"
    inner = etree.fromstring(response.data).find(f"{{{SOAP}}}Body/*")
    assert inner is not None
    expected = "http://schemas.xmlsoap.org/soap/encoding/" if "List" in body and status == 200 else None
    assert inner.get(style) == expected


def test_response_has_the_id_of_its_request(weather: MockService) -> None:
    space = "http://www.w3.org/2005/08/addressing"
    header = f"<a:MessageID xmlns:a='{space}'>urn:uuid:1</a:MessageID>"
    related = f"{{{SOAP}}}Header/{{{space}}}RelatesTo"
    assert etree.fromstring(post(weather, WEATHER, BERLIN, header).data).findtext(related) == "urn:uuid:1"
    assert etree.fromstring(post(weather, WEATHER, BERLIN).data).find(related) is None


def test_an_envelope_without_a_body_is_a_fault(weather: MockService) -> None:
    response = Client(weather.wsgi).post(
        WEATHER, data=f"<s:Envelope xmlns:s='{SOAP}'/>".encode(), content_type="text/xml"
    )
    assert (response.status_code, reason_of(response)) == (500, "the envelope has no Body")
    (call,) = weather.calls()
    assert (call.operation, call.fault) == ("", "Client")


def test_package_may_be_given_in_each_form() -> None:
    module = importlib.import_module("ruled_weather")
    types = importlib.import_module("ruled_weather.types")
    forms: list[ModuleType | type | str] = [
        "ruled_weather",
        module,
        module.RuledWeatherService,
        types.GetWeatherResponse,
    ]
    assert {mock_service(each).package.name for each in forms} == {"ruled_weather"}


def test_package_without_soap_is_refused() -> None:
    with pytest.raises(ValueError, match="has no SOAP port, so it cannot be mocked"):
        mock_service("zxws.advertiser")


def test_testing_module_exports_only_its_public_names() -> None:
    for name in testing.__all__:
        assert getattr(testing, name).__name__.rpartition(".")[2] == name
    with pytest.raises(AttributeError, match=r"'soapclient\.testing' has no attribute 'stub'"):
        testing.stub  # noqa: B018


# ---- hostile clients: each request gets a fault, and the log contains no secrets


ENVELOPE = (
    '<e:Envelope xmlns:e="http://schemas.xmlsoap.org/soap/envelope/" xmlns="urn:example:weather">'
    "<e:Header>%s</e:Header><e:Body>%s</e:Body></e:Envelope>"
)
SECRET = "hunter2-canary-8c1f"


@pytest.fixture
def client(weather: MockService) -> Client:
    return Client(weather.wsgi)


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
    response = client.post(WEATHER, data=body, content_type=kind)
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
        response = client.post(WEATHER, data=body.encode(), content_type="multipart/related; boundary=0")
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
def test_invalid_rule_is_refused(client: Client, weather: MockService, rule: str) -> None:
    response = client.post("/-/rules", data=rule.encode(), content_type="application/json")
    assert response.status_code == 400
    assert response.text.startswith('{"error": "')
    assert weather.rules() == []


@pytest.mark.exhaustive
def test_number_of_rules_is_bounded(client: Client, weather: MockService) -> None:
    for _ in range(1000):
        response = client.post("/-/rules", json={"kind": "fault", "reason": "a\0b\x1b" * 1000})
        assert response.status_code == 201
    assert client.post("/-/rules", json={"kind": "reset"}).status_code == 409
    assert client.post(WEATHER, data=ENVELOPE % ("", BERLIN), content_type="text/xml").status_code == 500
    assert "the mock failed" not in weather.calls()[0].reason


def test_size_of_the_log_is_bounded(
    client: Client, weather: MockService, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("soapclient.testing.mocks.service._MAX_LOGGED_BYTES", 1_000_000)
    large = (ENVELOPE % ("", f"<GetWeather><city>{'x' * 90_000}</city></GetWeather>")).encode()
    for _ in range(13):
        client.post(WEATHER, data=large, content_type="text/xml")
    assert sum(call.size for call in weather.calls()) <= 1_000_000
    assert len(weather.calls()) == 11


@pytest.mark.parametrize(
    ("head", "body"),
    [
        (f"<w:Sec xmlns:w='urn:w'><w:Password>{SECRET}</w:Password></w:Sec>", BERLIN),
        (f"<Session><token>{SECRET}</token></Session>", BERLIN),
        (f"<x><y Password='{SECRET}'/></x>", BERLIN),
        ("", f"<GetWeather><secretKey><![CDATA[{SECRET}>]]></secretKey></GetWeather>"),
        ("", f"<GetWeather><password>{SECRET}"),  # truncated
    ],
)  # fmt: skip
def test_log_contains_no_secret(client: Client, weather: MockService, head: str, body: str) -> None:
    credentials = {"Authorization": f"Basic {SECRET}", "Cookie": f"session={SECRET}"}
    said = client.post(WEATHER, data=ENVELOPE % (head, body), content_type="text/xml", headers=credentials)
    calls = client.get("/-/calls").text
    assert SECRET not in calls
    assert SECRET not in said.text
    (call,) = json.loads(calls)
    assert "<e:Envelope" in call["request"]
    assert SECRET in weather.calls()[0].received  # the data that a test in the same process inspects


def test_log_of_multipart_requests_contains_no_secret(client: Client) -> None:
    envelope = (ENVELOPE % (f"<x><password>{SECRET}</password></x>", BERLIN)).encode()
    coded = base64.encodebytes(envelope)
    body, kind = related(("root", envelope), ("other", b"x"))
    client.post(WEATHER, data=body, content_type=kind)
    hidden = (
        b"--b\r\nContent-Type: text/xml\r\nContent-Transfer-Encoding: base64\r\n\r\n" + coded + b"\r\n--b--"
    )
    client.post(WEATHER, data=hidden, content_type=kind)
    calls = client.get("/-/calls").text
    assert SECRET not in calls
    assert coded.decode()[:40] not in calls
    assert [call["operation"] for call in json.loads(calls)] == ["GetWeather"] * 2
