"""Malformed responses: each is a typed error, or a finding if it can be decoded."""

from __future__ import annotations

import pickle
from decimal import Decimal
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
from tests.connection.conftest import SPACE, WHOLE
from tests.support.soap import envelope, fault

XML = "text/xml; charset=utf-8"
SAFE = Settings(safe={"GetWeather"}, attempts=1)


@pytest.fixture
def service(open_weather: Any) -> Any:
    return open_weather(settings=SAFE)


@pytest.mark.parametrize(
    ("body", "status", "kind", "error", "said"),
    [
        ("<html><p>Welcome</p></html>", 200, "text/html", UnexpectedResponse, "not SOAP.*Welcome"),
        (envelope(WHOLE)[:-30], 200, XML, ResponseError, "well-formed"),
        ("no", 401, "text/plain", AuthenticationError, "401"),
    ],
)
def test_undecodable_response_is_an_error_that_can_be_pickled(
    service: Any, recorder: Any, body: str, status: int, kind: str, error: type[SoapClientError], said: str
) -> None:
    recorder.answers(body, status, kind)
    with pytest.raises(error, match=f"(?s){said}") as caught:
        service.get_weather(city="Berlin")
    again = pickle.loads(pickle.dumps(caught.value))
    assert (type(again), str(again)) == (type(caught.value), str(caught.value))
    assert len(recorder.sent) == 1


def test_further_children_of_the_body_are_counted(recorder: Any, open_weather: Any) -> None:
    connection = open_weather()
    recorder.answers(envelope(f'{WHOLE}<more xmlns="urn:m"/>'), 200, XML)
    assert connection.get_weather(city="Berlin").sky == "clear"
    assert [(each.kind, each.path) for _, each in connection.drift.counts()] == [("element", "more")]


def test_undeclared_detail_is_available_as_text(service: Any, recorder: Any) -> None:
    detail = "<odd><signature>aaaabbbbccccdddd1234</signature><why>night</why></odd>"
    recorder.answers(envelope(fault("s:Client.Bad", "x", detail)), 500, XML)
    with pytest.raises(ServiceFault) as caught:
        service.get_weather(city="Berlin")
    assert caught.value.detail is None
    assert caught.value.fault_code == "Client.Bad"
    assert "<why>night</why>" in (caught.value.detail_text or "")
    assert "aaaabbbb" not in (caught.value.detail_text or "")


def test_undecodable_declared_detail_is_still_a_fault(service: Any, recorder: Any) -> None:
    detail = f'<w:CityUnknown xmlns:w="{SPACE}"/>'
    recorder.answers(envelope(fault("s:Client", "x", detail)), 500, XML)
    with pytest.raises(ServiceFault) as caught:
        service.get_weather(city="Berlin")
    assert caught.value.detail is None
    assert any("CityUnknown/city" in note for note in caught.value.__notes__)


def test_responses_are_validated_if_enabled(recorder: Any, open_weather: Any) -> None:
    strict = Settings(validate="all", safe={"GetWeather"})
    service = open_weather(settings=strict)
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
        (envelope(fault("s:Client", "x")), 500, XML, AmbiguousOutcome),
    ],
)
def test_one_way_operation_accepts_empty_responses(
    service: Any, recorder: Any, body: str, status: int, kind: str, error: type[Exception] | None
) -> None:
    recorder.answers(body, status, kind)
    if error is None:
        service.observe(degrees=Decimal(1))
    else:
        with pytest.raises(error):
            service.observe(degrees=Decimal(1))


@pytest.mark.sampled(4)
@pytest.mark.parametrize(("status", "sent"), [(500, 1), (501, 1), (502, 4), (503, 4), (504, 4), (200, 1)])
def test_fault_is_retried_depending_on_its_status(
    recorder: Any, open_weather: Any, status: int, sent: int
) -> None:
    """A fault is retried like a proxy page with the same status.

    500 is not retried, because every fault may have it.
    """
    settings = Settings(safe={"GetWeather"})
    service = open_weather(settings=settings)
    for _ in range(settings.attempts):
        recorder.answers(envelope(fault("s:Server", "busy")), status, XML)
    with pytest.raises(ServiceFault, match="busy") as caught:
        service.get_weather(city="Berlin")
    assert (len(recorder.sent), caught.value.status) == (sent, status)
    assert pickle.loads(pickle.dumps(caught.value)).status == status
