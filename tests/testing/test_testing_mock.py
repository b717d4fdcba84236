"""A mock of a small service, called by independent clients: requests and lxml, plain zeep, suds."""

from __future__ import annotations

import base64
import importlib
import re
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from pathlib import Path
from types import ModuleType
from typing import Any, Literal

import pytest
import requests
import suds.client
import zeep
from lxml import etree
from zeep.exceptions import Fault

from soapclient import connect
from soapclient.cli.packages import importable
from soapclient.errors import AmbiguousOutcome, ContractError, ServiceFault
from soapclient.runtime import EncodeError
from soapclient.testing import Mock, MockCall, RulesError, builders, mock, record
from soapclient.testing.mocks.server import mock_service
from tests.support.packages import generated
from tests.support.schemas import compiled_schema

WSDL = Path(__file__).parents[1] / "connection" / "weather.wsdl"
SPACE = "urn:example:weather"
SOAP_11 = "http://schemas.xmlsoap.org/soap/envelope/"
SOAP_12 = "http://www.w3.org/2003/05/soap-envelope"
BERLIN = "<GetWeather xmlns='urn:example:weather'><city>Berlin</city></GetWeather>"
OBSERVED = "<Observed xmlns='urn:example:weather'><degrees>3</degrees></Observed>"


@pytest.fixture(scope="module")
def weather() -> Iterator[ModuleType]:
    """The package, as Any because mypy cannot see its classes."""
    with generated("mocked_weather", WSDL) as package:
        yield package


@pytest.fixture(scope="module")
def served(weather: ModuleType) -> Iterator[Mock]:
    with mock(weather) as made:
        yield made


@pytest.fixture
def mocked(served: Mock) -> Mock:
    served.reset()
    return served


@pytest.fixture(scope="module")
def schema() -> etree.XMLSchema:
    return compiled_schema(etree.parse(WSDL))


def post(
    mocked: Mock, body: str, *, port: str = "Weather11", action: str = "", header: str = ""
) -> requests.Response:
    """Send an envelope with this body."""
    space, kind = (SOAP_11, "text/xml") if port == "Weather11" else (SOAP_12, "application/soap+xml")
    headers = {"Content-Type": f"{kind}; charset=utf-8", "SOAPAction": f'"{action}"'}
    content = envelope(body, space, header).encode()
    return requests.post(mocked.address(port), content, headers=headers, timeout=30)


def envelope(body: str, space: str = SOAP_11, header: str = "") -> str:
    return f"<s:Envelope xmlns:s='{space}'>{header}<s:Body>{body}</s:Body></s:Envelope>"


def fault_of(response: requests.Response) -> tuple[str, str]:
    """Return code and text of a SOAP 1.1 fault."""
    root = etree.fromstring(response.content)
    return root.findtext(".//faultcode") or "", root.findtext(".//faultstring") or ""


# ---- examples


@pytest.mark.parametrize("port", ["Weather11", "Weather12"])
def test_example_is_valid_and_in_the_requested_soap_version(
    mocked: Mock, schema: etree.XMLSchema, port: str
) -> None:
    response = post(mocked, BERLIN, port=port, action="urn:example:weather#GetWeather")
    assert response.status_code == 200
    space = SOAP_11 if port == "Weather11" else SOAP_12
    root = etree.fromstring(response.content)
    assert root.tag == f"{{{space}}}Envelope"
    (header,) = root.iterfind(f"{{{space}}}Header/*")
    assert schema.validate(header), schema.error_log
    assert header.tag == f"{{{SPACE}}}Quota"
    (message,) = root.iterfind(f"{{{space}}}Body/*")
    assert schema.validate(message), schema.error_log
    assert response.headers["Content-Type"].startswith(
        "text/xml" if port == "Weather11" else "application/soap+xml"
    )


@pytest.mark.exhaustive
def test_other_seed_gives_other_examples(mocked: Mock, weather: ModuleType) -> None:
    bodies = [BERLIN.replace("Berlin", f"City {number}") for number in range(20)]
    with mock(weather, seed=2) as other, mock("mocked_weather") as same:
        here, there, again = ([post(each, body).content for body in bodies] for each in (mocked, other, same))
    assert here != there
    assert here == again
    assert len(set(here)) > 1


def test_one_way_operation_has_no_response(mocked: Mock) -> None:
    response = post(mocked, OBSERVED)
    assert (response.status_code, response.content) == (202, b"")


def test_multi_part_and_empty_bodies_get_responses(mocked: Mock, schema: etree.XMLSchema) -> None:
    pair = post(
        mocked, f"<First xmlns='{SPACE}'>a</First><Second xmlns='{SPACE}'>2</Second>", action="urn:swap"
    )
    first, second = etree.fromstring(pair.content).iterfind(f"{{{SOAP_11}}}Body/*")
    assert (first.tag, second.tag) == (f"{{{SPACE}}}First", f"{{{SPACE}}}Second")
    assert schema.validate(first)
    assert schema.validate(second)
    nothing = post(mocked, "", action="urn:ping")
    assert nothing.status_code == 200
    assert etree.fromstring(nothing.content).find(f"{{{SOAP_11}}}Body/*") is None


# ---- invalid requests


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (f"<GetWeather xmlns='{SPACE}'/>", "city"),
        (f"<GetWeather xmlns='{SPACE}'><city>{'x' * 21}</city></GetWeather>", "at most 20"),
        (f"<GetWeather xmlns='{SPACE}'><city>x</city><days>soon</days></GetWeather>", "days"),
        (f"<GetWeather xmlns='{SPACE}'><town>x</town></GetWeather>", "town"),
        ("<GetWeather xmlns='urn:other'><city>x</city></GetWeather>", "urn:other"),
        (BERLIN + BERLIN, "children"),
        ("<a>", "not well-formed"),
    ],
)
def test_invalid_request_gets_a_fault_with_the_reason(mocked: Mock, body: str, said: str) -> None:
    response = post(mocked, body)
    assert response.status_code == 500
    code, text = fault_of(response)
    assert code == "soap:Client"
    assert said in text
    assert "Nothing was sent" not in text
    (call,) = mocked.calls()
    assert (call.status, call.fault, call.reason) == (500, "Client", text)


def test_soap_12_sender_fault_has_status_400(mocked: Mock) -> None:
    response = post(mocked, f"<GetWeather xmlns='{SPACE}'/>", port="Weather12")
    assert response.status_code == 400
    root = etree.fromstring(response.content)
    assert root.findtext(f".//{{{SOAP_12}}}Value") == "soap:Sender"
    assert "city" in (root.findtext(f".//{{{SOAP_12}}}Text") or "")


@pytest.mark.parametrize(
    ("kind", "code", "said"),
    [("text/xml", "soap:VersionMismatch", "SOAP 1.2"), ("text/plain", "soap:Client", "content type")],
)
def test_envelopes_are_read_in_the_soap_version_of_the_port(
    mocked: Mock, kind: str, code: str, said: str
) -> None:
    headers = {"Content-Type": kind}
    response = requests.post(mocked.address(), envelope(BERLIN, SOAP_12), headers=headers, timeout=30)
    assert fault_of(response)[0] == code
    assert said in fault_of(response)[1]


def test_unknown_mandatory_header_is_refused(mocked: Mock) -> None:
    for tag, code in (("<x:Odd xmlns:x='urn:odd' s:mustUnderstand='1'/>", "soap:MustUnderstand"), ("", "")):
        assert fault_of(post(mocked, BERLIN, header=f"<s:Header>{tag}</s:Header>"))[0] == code


def test_an_action_of_another_operation_is_refused(mocked: Mock) -> None:
    code, text = fault_of(post(mocked, BERLIN, action="urn:swap"))
    assert code == "soap:Client"
    assert "urn:example:weather#GetWeather" in text


def test_other_http_requests_get_an_http_error(mocked: Mock) -> None:
    assert requests.get(mocked.address(), timeout=30).status_code == 405
    nothing = requests.get(f"{mocked.url}/elsewhere", timeout=30)
    assert nothing.status_code == 404
    assert "/WeatherService/Weather11" in nothing.text
    assert mocked.wsdl in requests.get(mocked.url, timeout=30).text
    assert mocked.calls() == []


# ---- rules


def test_rule_returns_its_response(mocked: Mock, weather: ModuleType) -> None:
    mocked.on("GetWeather").reply(degrees="7.5", sky="clear", station=[])
    mocked.on("GetWeather", city="Berlin").reply(degrees=21)
    with connect(weather.MockedWeatherService, address=mocked.address()) as connection:
        berlin = connection.get_weather(city="Berlin")
        paris = connection.get_weather(city="Paris")
    assert berlin.degrees == 21
    assert (paris.degrees, paris.sky, paris.station) == (Decimal("7.5"), "clear", [])


def test_rules_with_times_have_priority_and_are_used_up(mocked: Mock) -> None:
    mocked.on("get_weather").reply(degrees=1)
    mocked.on("get_weather").reply(degrees=2).times(1)
    rule = mocked.on("get_weather").reply(degrees=3).times(1)
    client = zeep.Client(mocked.wsdl)  # type: ignore[no-untyped-call]  # zeep has no types
    assert [client.service.GetWeather("x").body.degrees for _ in range(4)] == [2, 3, 1, 1]
    assert rule.used == 1


def test_function_builds_the_response_from_the_request(mocked: Mock, weather: ModuleType) -> None:
    service = importlib.import_module("mocked_weather.service")
    types = importlib.import_module("mocked_weather.types")

    def length(request: Any) -> object:
        return types.GetWeatherResponse(degrees=Decimal(len(request.city)), sky="cloudy")

    mocked.on(service.GET_WEATHER, days=lambda days: days is not None and days > 1).reply(length)
    client = zeep.Client(mocked.wsdl)  # type: ignore[no-untyped-call]  # zeep has no types
    assert client.service.GetWeather("Berlin", days=3).body.degrees == 6
    assert client.service.GetWeather("Berlin", days=1).body.degrees == Decimal("12.50")


def test_failing_function_is_a_fault_and_logged(mocked: Mock, caplog: pytest.LogCaptureFixture) -> None:
    def fail(request: object) -> object:
        raise LookupError("no such thing")

    mocked.on("GetWeather").reply(fail)
    code, text = fault_of(post(mocked, BERLIN))
    assert code == "soap:Server"
    assert "LookupError: no such thing" in text
    assert "no such thing" in caplog.text


def test_declared_fault_is_typed_in_the_client(mocked: Mock, weather: ModuleType) -> None:
    mocked.on("GetWeather", city="Atlantis").fault("sunk", "CityUnknown", city="Atlantis", code="Client")
    with (
        connect(weather.MockedWeatherService, address=mocked.address()) as connection,
        pytest.raises(ServiceFault, match="sunk") as caught,
    ):
        connection.get_weather(city="Atlantis")
    detail: Any = caught.value.detail
    assert detail.city == "Atlantis"
    client = zeep.Client(mocked.wsdl)  # type: ignore[no-untyped-call]  # zeep has no types
    with pytest.raises(Fault) as seen:
        client.service.GetWeather("Atlantis")
    assert seen.value.detail.findtext(f".//{{{SPACE}}}city") == "Atlantis"


def test_unavailable_service_is_simulated(mocked: Mock, weather: ModuleType) -> None:
    mocked.on("GetWeather").unavailable(retry_after=7).times(1)
    mocked.on("GetWeather").resets()
    response = post(mocked, BERLIN)
    assert (response.status_code, response.headers["Retry-After"]) == (503, "7")
    with pytest.raises(requests.ConnectionError):
        post(mocked, BERLIN)
    mocked.on("Ping").hangs(0)
    with pytest.raises(requests.ConnectionError):
        post(mocked, "", action="urn:ping")
    assert [call.status for call in mocked.calls()] == [503, None, None]


def test_reset_releases_hanging_requests(mocked: Mock) -> None:
    mocked.on("GetWeather").hangs(600)
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(post, mocked, BERLIN)
        while not any(call.rule for call in mocked.calls("GetWeather")):
            continue
        mocked.reset()
        with pytest.raises(requests.ConnectionError):
            waiting.result()


@pytest.mark.parametrize(
    ("say", "kind", "said"),
    [
        (lambda m: m.on("GetWhether"), ValueError, "GetWeather"),
        (lambda m: m.on("GetWeather", town="x"), TypeError, "town"),
        (lambda m: m.on("GetWeather", days="soon"), EncodeError, "soon"),
        (lambda m: m.on("GetWeather").reply(degree=1), TypeError, "degrees"),
        (lambda m: m.on("GetWeather").reply(degrees="warm"), EncodeError, "warm"),
        (lambda m: m.on("GetWeather").reply(sky="pink"), (ContractError, EncodeError), "pink"),
        (lambda m: m.on("GetWeather").reply("warm"), TypeError, "GetWeatherResponse"),
        (lambda m: m.on("GetWeather").reply("warm", degrees=1), TypeError, "Pass either"),
        (lambda m: m.on("GetWeather").fault("no", city="x"), TypeError, "got fields without the name"),
        (lambda m: m.on("GetWeather").drifts("colour"), ValueError, r"value, missing \(got 'colour'\)"),
        (lambda m: m.on("GetWeather").fault("no", "Nothing"), TypeError, "unknown"),
        (lambda m: m.on("GetWeather").fault("no", 3), TypeError, "int"),
        (lambda m: m.on("GetWeather").reply().times(0), ValueError, "1 or more"),
        (lambda m: m.on("GetWeather").reply().resets(), ValueError, "one outcome"),
        (lambda m: m.address("Weather13"), ValueError, "WeatherService/Weather11"),
    ],
)
def test_invalid_expectation_is_an_error_at_once(
    mocked: Mock, say: Callable[[Mock], object], kind: type[Exception], said: str
) -> None:
    with pytest.raises(kind, match=said):
        say(mocked)


@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    ("name", "operation", "fields", "said"),
    [
        ("warehouse", "Count", {"total": "many"}, "whole number"),
        ("warehouse", "Count", {"result": None}, "required"),
        ("warehouse", "Count", {"result": [{"bin": ["nowhere"]}]}, "[A-Z][0-9]{2}/[0-9]{1,3}"),
        ("parts", "Swap", {"second": "many"}, "whole number"),
        ("parts", "Swap", {"first": "x" * 6}, "at most 5"),
    ],
)
def test_response_parts_are_validated_like_documents(
    tmp_path: Path, name: str, operation: str, fields: dict[str, Any], said: str
) -> None:
    file = WSDL.parents[1] / "console/wsdls/warehouse.wsdl"
    if name == "parts":
        short = "<x:restriction base='x:string'><x:maxLength value='5'/></x:restriction>"
        file, text = tmp_path / "parts.wsdl", WSDL.read_text()
        named = '<x:element name="First" type="x:string"/>'
        assert named in text
        file.write_text(
            text.replace(named, f"<x:element name='First'><x:simpleType>{short}</x:simpleType></x:element>")
        )
    with importable(file, None) as package, mock(package) as made:
        if fields.get("result"):
            kind = importlib.import_module(f"{package}.types").Stock
            fields = {"result": [builders.complete(kind, **each) for each in fields["result"]]}
        with pytest.raises((ContractError, EncodeError), match=re.escape(said)):
            made.on(operation).reply(**fields)


def test_calls_have_the_typed_request(mocked: Mock, weather: ModuleType) -> None:
    with connect(weather.MockedWeatherService, address=mocked.address()) as connection:
        connection.get_weather(city="Berlin", days=2)
        connection.ping()
    assert [call.operation for call in mocked.calls()] == ["GetWeather", "Ping"]
    (call,) = mocked.calls("GetWeather")
    assert isinstance(call, MockCall)
    request: Any = call.request
    assert (request.city, request.days) == ("Berlin", 2)
    assert (call.status, call.path) == (200, "/WeatherService/Weather11")


@pytest.mark.parametrize("kind", ["element", "value", "missing"])
def test_drift_rule_sends_a_response_that_violates_the_schema(
    mocked: Mock, schema: etree.XMLSchema, kind: Literal["element", "value", "missing"]
) -> None:
    mocked.on("GetWeather").drifts(kind).times(1)
    messages = []
    for _ in range(2):
        (body,) = etree.fromstring(post(mocked, BERLIN).content).iterfind(f"{{{SOAP_11}}}Body")
        messages.append(etree.fromstring(etree.tostring(body[0])))
    odd, usual = messages
    assert schema.validate(usual)
    assert not schema.validate(odd)
    assert len(odd) - len(usual) == {"element": 1, "value": 0, "missing": -1}[kind]


def test_slow_response_is_the_same_response(mocked: Mock) -> None:
    usual = post(mocked, BERLIN).content
    mocked.on("GetWeather").slow(0.1)
    assert post(mocked, BERLIN).content == usual


# ---- over HTTP, for the console


@pytest.fixture
def board(weather: ModuleType) -> Iterator[Mock]:
    with Mock(mock_service(weather, switchboard=True)) as made:
        yield made


def test_log_and_rules_are_available_over_http(board: Mock) -> None:
    assert post(board, BERLIN).status_code == 200
    (call,) = requests.get(f"{board.url}/-/calls", timeout=30).json()
    assert (call["operation"], call["status"], call["reason"]) == ("GetWeather", 200, "")
    assert "Berlin" in call["request"]
    assert "GetWeatherResponse" in call["response"]

    def rule(**fields: object) -> requests.Response:
        return requests.post(f"{board.url}/-/rules", json=fields, timeout=30)

    assert rule(operation=None, kind="unavailable", times=1).status_code == 201
    assert rule(operation="GetWeather", kind="fault", times=1).status_code == 201
    assert [post(board, BERLIN).status_code for _ in range(3)] == [503, 500, 200]
    assert [one["used"] for one in requests.get(f"{board.url}/-/rules", timeout=30).json()] == [1, 1]
    assert "there is no operation" in rule(operation="Nothing", kind="reset").json()["error"]
    assert requests.post(f"{board.url}/-/rules", "kind=reset", timeout=30).status_code == 415
    assert requests.get(f"{board.url}/-/reset", timeout=30).status_code == 405
    assert requests.get(f"{board.url}/-/clock", timeout=30).status_code == 404
    assert requests.post(f"{board.url}/-/reset", json={}, timeout=30).status_code == 200
    assert requests.get(f"{board.url}/-/calls", timeout=30).json() == []


def test_disabled_switches_return_404(mocked: Mock) -> None:
    assert requests.get(f"{mocked.url}/-/calls", timeout=30).status_code == 404


# ---- rules in files


def test_rules_are_read_from_a_toml_file(weather: ModuleType) -> None:
    with mock(weather, rules=Path(__file__).parent / "cases/rules.toml") as mocked:
        client = zeep.Client(mocked.wsdl)  # type: ignore[no-untyped-call]  # zeep has no types
        assert client.service.GetWeather("Berlin").body.degrees == 21
        with pytest.raises(Fault, match="sunk"):
            client.service.GetWeather("Atlantis")
        assert post(mocked, "", action="urn:ping").headers["Retry-After"] == "30"
        for body, action in (("", "urn:ping"), (OBSERVED, "")):
            with pytest.raises(requests.ConnectionError):
                post(mocked, body, action=action)


def test_rules_are_read_from_a_python_file(weather: ModuleType, tmp_path: Path) -> None:
    file = tmp_path / "rules.py"
    file.write_text(
        "def rules(mock):\n"
        "    mock.on('GetWeather', city='Berlin').reply(degrees=21)\n"
        "    mock.on('GetWeather', city=lambda city: city.startswith('X')).reply(degrees=1)\n"
    )
    with mock(weather, rules=file) as mocked:
        client = zeep.Client(mocked.wsdl)  # type: ignore[no-untyped-call]  # zeep has no types
        assert [client.service.GetWeather(city).body.degrees for city in ("Berlin", "Xanten")] == [21, 1]


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("a.toml", "on = 3", "on"),
        ("a.toml", "[[on]\n", "line"),
        ("a.toml", "[[on]]\noperation = 'Nothing'\nreset = true", "rule 1, Nothing: there is no operation"),
        ("a.toml", "[[on]]\noperation = 'Ping'", "exactly one of"),
        (
            "a.toml",
            "[[on]]\noperation = 'Ping'\nhang = 0.5\nreset = true",
            "rule 1, Ping: a rule must have exactly one of: reply, fault, unavailable, reset, hang",
        ),
        ("a.toml", "[[on]]\noperation = 'Ping'\nreplys = 3", "replys"),
        ("a.toml", "[[on]]\noperation = 'GetWeather'\nreply = { degrees = 'warm' }", "warm"),
        ("a.py", "def rule(mock): ...", "rules"),
        ("a.py", "def rules(mock): mock.nothing()", "nothing"),
        ("a.py", "def rules(mock) ...", "SyntaxError"),
        ("b.toml", None, "cannot be read"),
    ],
)
def test_invalid_rule_file_error_has_the_location(
    weather: ModuleType, tmp_path: Path, name: str, text: str | None, said: str
) -> None:
    file = tmp_path / name
    if text is not None:
        file.write_text(text)
    with pytest.raises(RulesError, match=said) as caught:
        mock(weather, rules=file)
    assert str(file) in str(caught.value)


# ---- third-party clients, recordings, load


def test_plain_zeep_and_suds_read_the_wsdl_and_call(mocked: Mock) -> None:
    mocked.on("GetWeather", city="Berlin").reply(degrees=21, sky="clear")
    client = zeep.Client(mocked.wsdl)  # type: ignore[no-untyped-call]  # zeep has no types
    for port in ("Weather11", "Weather12"):
        service = client.bind("WeatherService", port)
        assert service.GetWeather("Berlin").body.sky == "clear"
        with pytest.raises(Fault, match="at most 20"):
            service.GetWeather("x" * 21)
    other = suds.client.Client(mocked.wsdl, cache=None)
    other.set_options(port="Weather11")
    assert other.service.GetWeather("Berlin").degrees == 21
    assert other.service.GetWeather("Paris").sky in {"clear", "cloudy"}
    with pytest.raises(suds.WebFault, match="at most 20"):
        other.service.GetWeather("x" * 21)


def test_a_recording_is_served(mocked: Mock, weather: ModuleType, tmp_path: Path) -> None:
    mocked.on("GetWeather", city="Berlin").reply(degrees=21)
    with (
        connect(weather.MockedWeatherService, address=mocked.address()) as connection,
        record(tmp_path / "kept"),
    ):
        connection.get_weather(city="Berlin")
    with (
        mock(weather, recording=tmp_path / "kept") as recorded,
        connect(weather.MockedWeatherService, address=recorded.address()) as connection,
    ):
        assert connection.get_weather(city="Berlin").degrees == 21
        with pytest.raises(AmbiguousOutcome, match="GetWeather"):  # the contract declares no such fault
            connection.get_weather(city="Paris")
    with pytest.raises(FileNotFoundError, match="not a recording"):
        mock(weather, recording=tmp_path)


@pytest.mark.exhaustive
def test_thousand_requests_of_sixteen_threads_get_responses(mocked: Mock) -> None:
    mocked.on("GetWeather", city="City 7").reply(degrees=7)

    def ask(number: int) -> tuple[int, bytes]:
        return number % 10, post(mocked, BERLIN.replace("Berlin", f"City {number % 10}")).content

    with ThreadPoolExecutor(16) as pool:
        found = set(pool.map(ask, range(1000)))
    assert sorted(number for number, _ in found) == list(range(10))  # equal requests, equal responses
    assert etree.fromstring(dict(found)[7]).findtext(f".//{{{SPACE}}}degrees") == "7"
    assert len(mocked.calls()) == 1000


def test_requests_with_attachments_are_read(mocked: Mock) -> None:
    scan = b"\r\n\x00scan\r\n"
    body = (
        f"--b\r\nContent-Type: text/xml; charset=utf-8\r\nContent-ID: <root>\r\n\r\n{envelope(BERLIN)}\r\n"
        "--b\r\nContent-Type: application/octet-stream\r\nContent-Transfer-Encoding: base64\r\n"
        f"Content-ID: <scan>\r\n\r\n{base64.b64encode(scan).decode()}\r\n--b--\r\n"
    )
    headers = {"Content-Type": 'multipart/related; boundary=b; type="text/xml"; start="<root>"'}
    response = requests.post(mocked.address(), body.encode(), headers=headers, timeout=30)
    assert response.status_code == 200
    (call,) = mocked.calls("GetWeather")
    (attachment,) = call.attachments
    assert (attachment.content_id, attachment.content) == ("scan", scan)
