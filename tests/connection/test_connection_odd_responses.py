"""Malformed responses: each is a typed error, or a finding if it can be decoded."""

from __future__ import annotations

import pickle
from types import ModuleType
from typing import Any

import pytest

from soapclient import Settings
from soapclient.errors import (
    AmbiguousOutcome,
    AuthenticationError,
    ResponseError,
    ServiceFault,
    SoapClientError,
    UnexpectedResponse,
)

SPACE = "urn:example:weather"
SOAP = "http://schemas.xmlsoap.org/soap/envelope/"
XML = "text/xml; charset=utf-8"
SAFE = Settings(safe={"GetWeather"}, attempts=1)
WHOLE = f'<GetWeatherResponse xmlns="{SPACE}"><degrees>1</degrees><sky>clear</sky></GetWeatherResponse>'


def envelope(body: str, head: str = "") -> str:
    header = f"<s:Header>{head}</s:Header>" if head else ""
    return f'<s:Envelope xmlns:s="{SOAP}">{header}<s:Body>{body}</s:Body></s:Envelope>'


@pytest.fixture
def service(weather: ModuleType, recorder: Any, open_service: Any) -> Any:
    return open_service(weather.WeatherService, recorder.url, settings=SAFE)


BOMB = '<!DOCTYPE a [<!ENTITY b "bbbb">]>'


@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    ("body", "status", "kind", "error", "said"),
    [
        ("<html><p>Welcome</p></html>", 200, "text/html", UnexpectedResponse, "not SOAP.*Welcome"),
        ("<html><p>Welcome</p></html>", 200, XML, ResponseError, "Envelope"),
        (envelope(WHOLE)[:-30], 200, XML, ResponseError, "well-formed"),
        ("", 200, XML, UnexpectedResponse, "empty"),
        (BOMB + envelope(WHOLE), 200, XML, ResponseError, "DOCTYPE"),
        (envelope(""), 200, XML, ResponseError, "GetWeatherResponse"),
        (f'<s:Envelope xmlns:s="{SOAP}"/>', 200, XML, ResponseError, "Body"),
        (envelope("<Other/>"), 200, XML, ResponseError, "GetWeatherResponse"),
        (
            envelope(WHOLE.replace("<degrees>1</degrees>", "")),
            200,
            XML,
            ResponseError,
            "GetWeatherResponse/degrees",
        ),
        (envelope(WHOLE.replace(">1<", ">one<")), 200, XML, ResponseError, "GetWeatherResponse/degrees"),
        (envelope(WHOLE), 500, XML, UnexpectedResponse, "not a fault"),
        ("<h1>busy</h1>", 503, "text/html", UnexpectedResponse, "503"),
        ("no", 401, "text/plain", AuthenticationError, "401"),
    ],
)
def test_undecodable_response_is_an_error(
    service: Any, recorder: Any, body: str, status: int, kind: str, error: type[SoapClientError], said: str
) -> None:
    recorder.answers(body, status, kind)
    with pytest.raises(error, match=f"(?s){said}") as caught:
        service.get_weather(city="Berlin")
    again = pickle.loads(pickle.dumps(caught.value))
    assert (type(again), str(again)) == (type(caught.value), str(caught.value))
    assert len(recorder.sent) == 1


def test_further_children_of_the_body_are_counted(
    weather: ModuleType, recorder: Any, open_service: Any
) -> None:
    connection = open_service(weather.WeatherService, recorder.url)
    recorder.answers(envelope(f'{WHOLE}<more xmlns="urn:m"/>'), 200, XML)
    assert connection.get_weather(city="Berlin").sky == "clear"
    assert [(each.kind, each.path) for _, each in connection.drift.counts()] == [("element", "more")]


@pytest.mark.parametrize("status", [200, 500])
def test_fault_is_raised_with_any_status(service: Any, recorder: Any, status: int) -> None:
    fault = "<s:Fault><faultcode>s:Server</faultcode><faultstring>down</faultstring></s:Fault>"
    recorder.answers(envelope(fault), status, XML)
    with pytest.raises(ServiceFault, match="fault Server: down") as caught:
        service.get_weather(city="Berlin")
    assert caught.value.code == 500
    assert caught.value.detail is None


def test_undeclared_detail_is_available_as_text(service: Any, recorder: Any) -> None:
    fault = """<s:Fault><faultcode>s:Client.Bad</faultcode><faultstring>x</faultstring>
        <detail><odd><signature>aaaabbbbccccdddd1234</signature><why>night</why></odd></detail></s:Fault>"""
    recorder.answers(envelope(fault), 500, XML)
    with pytest.raises(ServiceFault) as caught:
        service.get_weather(city="Berlin")
    assert caught.value.detail is None
    assert caught.value.fault_code == "Client.Bad"
    assert "<why>night</why>" in (caught.value.detail_text or "")
    assert "aaaabbbb" not in (caught.value.detail_text or "")


def test_undecodable_declared_detail_is_still_a_fault(service: Any, recorder: Any) -> None:
    detail = f'<detail><w:CityUnknown xmlns:w="{SPACE}"/></detail>'
    fault = f"<s:Fault><faultcode>s:Client</faultcode><faultstring>x</faultstring>{detail}</s:Fault>"
    recorder.answers(envelope(fault), 500, XML)
    with pytest.raises(ServiceFault) as caught:
        service.get_weather(city="Berlin")
    assert caught.value.detail is None
    assert any("CityUnknown/city" in note for note in caught.value.__notes__)


def test_ws_security_fault_is_an_authentication_error(service: Any, recorder: Any) -> None:
    fault = "<s:Fault><faultcode>wsse:FailedAuthentication</faultcode><faultstring>x</faultstring></s:Fault>"
    recorder.answers(envelope(fault), 500, XML)
    with pytest.raises(AuthenticationError):
        service.get_weather(city="Berlin")


def test_unknown_content_is_counted_and_reported(
    weather: ModuleType, recorder: Any, open_service: Any
) -> None:
    heard: list[tuple[str, str, str]] = []
    connection = open_service(
        weather.WeatherService,
        recorder.url,
        on_finding=lambda operation, finding, times: heard.append((operation, finding.kind, finding.path)),
    )
    more = WHOLE.replace("clear", "purple").replace("</Get", "<wind/></Get")
    recorder.answers(envelope(more, '<u:Other xmlns:u="urn:u"/>'), 200, XML)
    assert connection.get_weather(city="Berlin").sky == "purple"
    assert sorted(heard) == [
        ("GetWeather", "element", "GetWeatherResponse/wind"),
        ("GetWeather", "value", "GetWeatherResponse/sky"),
    ]
    assert {finding.path for _, finding in connection.drift.counts()} == {path for _, _, path in heard}


def test_responses_are_validated_if_enabled(weather: ModuleType, recorder: Any, open_service: Any) -> None:
    strict = Settings(validate="all", safe={"GetWeather"})
    service = open_service(weather.WeatherService, recorder.url, settings=strict)
    recorder.answers(envelope(WHOLE.replace("clear", "purple")), 200, XML)
    with pytest.raises(ResponseError, match="purple"):
        service.get_weather(city="Berlin")
    recorder.answers(envelope(WHOLE), 200, XML)
    assert service.get_weather(city="Berlin").sky == "clear"


@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    ("body", "status", "kind", "error"),
    [
        ("", 200, XML, None),
        ("", 204, XML, None),
        ("<html/>", 202, "text/html", None),
        (envelope(""), 200, XML, None),
        ("<html>log in</html>", 200, "text/html", AmbiguousOutcome),
        ("", 500, XML, AmbiguousOutcome),
        ("", 404, XML, AmbiguousOutcome),
        ("", 302, XML, AmbiguousOutcome),
        (
            envelope("<s:Fault><faultcode>s:Client</faultcode><faultstring>x</faultstring></s:Fault>"),
            500,
            XML,
            AmbiguousOutcome,
        ),
    ],
)
def test_one_way_operation_accepts_empty_responses(
    service: Any, recorder: Any, body: str, status: int, kind: str, error: type[Exception] | None
) -> None:
    from decimal import Decimal

    recorder.answers(body, status, kind)
    if error is None:
        service.observe(degrees=Decimal(1))
    else:
        with pytest.raises(error):
            service.observe(degrees=Decimal(1))


@pytest.mark.parametrize(
    ("faultcode", "in_doubt"),
    [("s:Server", True), ("s:Server.Busy", True), ("s:Client", True), ("s:MustUnderstand", False)],
)
def test_fault_after_possible_processing_makes_a_write_ambiguous(
    service: Any, recorder: Any, faultcode: str, in_doubt: bool
) -> None:
    """A gateway can send any fault without a declared detail."""
    fault = f"<s:Fault><faultcode>{faultcode}</faultcode><faultstring>it broke</faultstring></s:Fault>"
    recorder.answers(envelope(fault), 500, XML)
    with pytest.raises(AmbiguousOutcome if in_doubt else ServiceFault, match="it broke") as caught:
        service.ping()
    assert len(recorder.sent) == 1
    assert isinstance(caught.value.__cause__ if in_doubt else caught.value, ServiceFault)


BUSY = "<s:Fault><faultcode>s:Server</faultcode><faultstring>busy</faultstring></s:Fault>"


@pytest.mark.sampled(4)
@pytest.mark.parametrize(("status", "sent"), [(500, 1), (501, 1), (502, 4), (503, 4), (504, 4), (200, 1)])
def test_fault_is_retried_depending_on_its_status(
    weather: ModuleType, recorder: Any, open_service: Any, status: int, sent: int
) -> None:
    """A fault is retried like a proxy page with the same status.

    500 is not retried, because every fault may have it.
    """
    settings = Settings(safe={"GetWeather"})
    service = open_service(weather.WeatherService, recorder.url, settings=settings)
    for _ in range(settings.attempts):
        recorder.answers(envelope(BUSY), status, XML)
    with pytest.raises(ServiceFault, match="busy") as caught:
        service.get_weather(city="Berlin")
    assert (len(recorder.sent), caught.value.status) == (sent, status)
    assert pickle.loads(pickle.dumps(caught.value)).status == status


def test_fault_of_a_write_is_not_retried_with_any_status(service: Any, recorder: Any) -> None:
    recorder.answers(envelope(BUSY), 503, XML)
    with pytest.raises(AmbiguousOutcome, match="busy"):
        service.ping()
    recorder.answers(envelope(BUSY), 502, XML)
    with pytest.raises(AmbiguousOutcome, match="busy"):
        service.ping()
    assert len(recorder.sent) == 2
