"""Headers of responses: mandatory headers that are not understood, and declared headers next to a fault."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import pytest
from zeep.wsse.username import UsernameToken

from soapclient import Settings
from soapclient.errors import AmbiguousOutcome, AuthenticationError, ResponseError, ServiceFault
from tests.connection.conftest import HERE, SPACE, WHOLE
from tests.support.packages import generated
from tests.support.soap import SOAP_11, SOAP_12, envelope, fault

SECURITY = "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-secext-1.0.xsd"
SAFE = Settings(safe={"GetWeather"})
MUST = 's:mustUnderstand="1"'


def answers(recorder: Any, head: str, body: str = WHOLE, *, status: int = 200, soap: str = SOAP_11) -> None:
    kind = "text/xml" if soap == SOAP_11 else "application/soap+xml"
    recorder.answers(envelope(body, head, soap, f'xmlns:w="{SECURITY}"'), status, kind)


def unknown(attributes: str) -> str:
    return f'<u:New xmlns:u="urn:u" {attributes}/>'


def security(attributes: str = MUST) -> str:
    return f'<w:Security xmlns:w="{SECURITY}" {attributes}/>'


def test_write_with_an_unknown_mandatory_header_is_ambiguous(recorder: Any, open_weather: Any) -> None:
    service = open_weather()
    answers(recorder, unknown(MUST))
    with pytest.raises(AmbiguousOutcome, match="Header/New") as caught:
        service.get_weather(city="Berlin")
    assert isinstance(caught.value.__cause__, ResponseError)
    answers(recorder, unknown(MUST), "")
    with pytest.raises(AmbiguousOutcome, match="Header/New"):  # one-way
        service.observe(degrees=1)
    assert len(recorder.sent) == 2


@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    ("soap", "attributes", "ours"),
    [
        (SOAP_11, 's:mustUnderstand="0"', False),
        (SOAP_11, "", False),
        (SOAP_11, f'{MUST} s:actor="urn:someone"', False),
        (SOAP_11, f'{MUST} s:actor=""', True),
        (SOAP_11, f'{MUST} s:actor="http://schemas.xmlsoap.org/soap/actor/next"', True),
        (SOAP_11, 's:mustUnderstand="true"', True),
        (SOAP_12, 's:mustUnderstand="true"', True),
        (SOAP_12, f'{MUST} s:role="{SOAP_12}/role/next"', True),
        (SOAP_12, f'{MUST} s:role="{SOAP_12}/role/ultimateReceiver"', True),
        (SOAP_12, f'{MUST} s:role="{SOAP_12}/role/none"', False),
        (SOAP_12, f'{MUST} s:role="urn:someone"', False),
    ],
)
def test_only_headers_for_this_client_have_to_be_understood(
    recorder: Any, open_weather: Any, soap: str, attributes: str, ours: bool
) -> None:
    port = "Weather11" if soap == SOAP_11 else "Weather12"
    service = open_weather(settings=SAFE, port=port)
    answers(recorder, unknown(attributes), soap=soap)
    if ours:
        with pytest.raises(ResponseError, match="Header/New"):
            service.get_weather(city="Berlin")
    else:
        assert service.get_weather(city="Berlin").degrees == 1
    assert len(recorder.sent) == 1  # a retry would get the same response


def test_understood_headers_are_not_findings(recorder: Any, open_weather: Any) -> None:
    wsse = UsernameToken("me", "secret")  # type: ignore[no-untyped-call] # zeep has no types
    connection = open_weather(wsse=wsse, settings=SAFE)
    answers(recorder, security() + f'<q:Quota xmlns:q="{SPACE}" {MUST}><q:left>7</q:left></q:Quota>')
    assert connection.get_weather(city="Berlin").degrees == 1
    assert connection.drift.counts() == {}


def test_a_security_header_is_not_understood_without_ws_security(recorder: Any, open_weather: Any) -> None:
    connection = open_weather(settings=SAFE)
    answers(recorder, security())
    with pytest.raises(ResponseError, match="Header/Security"):
        connection.get_weather(city="Berlin")
    answers(recorder, security(""))
    assert connection.get_weather(city="Berlin").degrees == 1
    assert connection.drift.counts() == {}


# ---- faults


@pytest.mark.parametrize(
    ("code", "before"), [("w:FailedAuthentication", True), ("s:Client.Authentication", False)]
)
def test_refused_credentials_are_an_authentication_error(
    recorder: Any, open_weather: Any, code: str, before: bool
) -> None:
    """A fault of WS-Security precedes the processing, even of a write."""
    service = open_weather(settings=Settings() if before else SAFE)
    answers(recorder, "", fault(code, "it broke"), status=500)
    with pytest.raises(AuthenticationError, match="it broke") as caught:
        service.get_weather(city="Berlin")
    assert (caught.value.not_processed, len(recorder.sent)) == (before, 1)


@pytest.fixture(scope="module")
def sessions() -> Iterator[ModuleType]:
    """The weather service, which may refuse sessions with a header fault."""
    text = (HERE / "weather.wsdl").read_text(encoding="utf-8")
    header = '<s:header message="t:SessionIn" part="session" use="literal"'
    refused = (
        '<x:element name="Refused"><x:complexType><x:sequence><x:element name="until" type="x:dateTime"/>'
    )
    for old, new in (
        (f"{header}/>", f'{header}><s:headerfault message="t:Refused" part="r" use="literal"/></s:header>'),
        ("<portType", '<message name="Refused"><part name="r" element="t:Refused"/></message><portType'),
        (
            '<x:element name="First"',
            f'{refused}</x:sequence></x:complexType></x:element><x:element name="First"',
        ),
    ):
        assert old in text
        text = text.replace(old, new, 1)
    with generated("sessions", text) as package:
        yield package


def test_a_header_fault_is_typed(sessions: ModuleType, recorder: Any, open_service: Any) -> None:
    service = open_service(sessions.SessionsService, recorder.url, settings=SAFE)
    refused = f'<n:Refused xmlns:n="{SPACE}" {MUST}><n:until>2026-11-20T12:00:00Z</n:until></n:Refused>'
    quota = f'<n:Quota xmlns:n="{SPACE}"><n:left>7</n:left></n:Quota>'
    answers(recorder, refused + quota, fault("s:Client", "it broke"), status=500)
    with pytest.raises(ServiceFault) as caught:
        service.get_weather(city="Berlin")
    headers = caught.value.headers
    assert sorted(headers) == ["quota", "r"]
    assert headers["r"].until.isoformat() == "2026-11-20T12:00:00+00:00"  # type: ignore[attr-defined] # generated
    assert headers["quota"].left == 7  # type: ignore[attr-defined] # generated
    assert pickle.loads(pickle.dumps(caught.value)).headers == headers


def test_a_header_fault_that_cannot_be_read_hides_no_fault(
    sessions: ModuleType, recorder: Any, open_service: Any
) -> None:
    service = open_service(sessions.SessionsService, recorder.url, settings=SAFE)
    refused = f'<n:Refused xmlns:n="{SPACE}"><n:until>soon</n:until></n:Refused>'
    answers(recorder, refused, fault("s:Client", "it broke"), status=500)
    with pytest.raises(ServiceFault, match="it broke") as caught:
        service.get_weather(city="Berlin")
    assert caught.value.headers == {}
