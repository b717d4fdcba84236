"""Calls with `soapclient.security`: typed calls over loopback, and plain zeep."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any

import pytest
import requests
from lxml import etree

from soapclient import Client, Settings, connect_async
from soapclient.errors import AmbiguousOutcome, ConfigError, ResponseError, SecurityError, ServiceFault
from soapclient.runtime.service import Attachment
from soapclient.security import Encryption, KeyPair, Security, Signature, Timestamp, UsernameToken, Verify
from soapclient.soap.multipart import packed
from soapclient.testing import mock
from tests.conftest import CONNECT_ID, SECRET_KEY
from tests.security.conftest import NOW, pairs
from tests.soap.conftest import ROME, SOAP_11, WEATHER, WSSE, Open, envelope, responses, send
from tests.soap.conftest import WEATHER_SPACE as SPACE
from tests.support.wire import Exchange, Wire

__all__ = ["pairs"]  # the fixture

FAULT = "<s:Fault><faultcode>s:Client</faultcode><faultstring>no</faultstring></s:Fault>"
PARTS = ("Body", "Timestamp", "UsernameToken")
Pairs = Mapping[str, KeyPair]


def tree(content: str = ROME) -> etree._Element:
    return etree.fromstring(envelope(content))


@pytest.fixture
def client(pairs: Pairs) -> Security:
    return Security(
        [
            Timestamp(),
            UsernameToken("me", "my-password", digest=True),
            Signature(pairs["client"], parts=PARTS),
            Encryption(pairs["server"].certificate),
        ],
        verify=Verify(trust=pairs["server"].certificate, decrypt=pairs["client"], encrypted=True),
        now=lambda: NOW,
    )


@pytest.fixture
def server(pairs: Pairs) -> Security:
    return Security(
        [Timestamp(), Signature(pairs["server"]), Encryption(pairs["client"].certificate)],
        verify=Verify(
            trust=pairs["client"].certificate, signed=PARTS, decrypt=pairs["server"], encrypted=True
        ),
        now=lambda: NOW,
    )


def _respond(
    exchange: Exchange,
    server: Security,
    content: str = ROME,
    change: Callable[[etree._Element], object] = lambda _: None,
) -> None:
    """Verify the request, and send a secured response, after changing it."""
    request = server.verify(etree.fromstring(exchange.sent.body))
    assert request.find(f"{{{SOAP_11}}}Body/{{{SPACE}}}GetWeather/{{{SPACE}}}city") is not None
    root = server.apply(tree(content), {})[0]
    change(root)
    send(exchange, etree.tostring(root))


def _change_certificate_time(root: etree._Element) -> None:
    for node in root.iter("{*}Expires"):
        node.text = "2030-01-01T00:00:00Z"


def test_call_is_secured_in_both_directions(
    opened: Open, wire: Wire, client: Security, server: Security
) -> None:
    for _ in range(2):
        wire.does(lambda exchange: _respond(exchange, server))
    service = opened(wsse=client)
    for _ in range(2):
        assert service.get_weather(city="Rome").station == ["Rome"]
    first, second = (sent.body for sent in wire.sent)
    assert b"Rome" not in first
    assert b"my-password" not in first
    assert first != second


def test_asynchronous_call_is_secured(weather: Any, wire: Wire, client: Security, server: Security) -> None:
    async def call() -> list[str]:
        for _ in range(2):
            wire.does(lambda exchange: _respond(exchange, server))
        async with connect_async(
            weather.WeatherOfFeaturesServiceAsync, address=wire.url, wsse=client
        ) as service:
            calls = [service.get_weather(city=city) for city in ("Rome", "Oslo")]
            return [response.station[0] for response in await asyncio.gather(*calls)]

    assert asyncio.run(call()) == ["Rome", "Rome"]


def test_unsecured_response_is_refused(opened: Open, wire: Wire, client: Security) -> None:
    wire.answers(envelope())
    with pytest.raises(SecurityError, match="no Security header") as caught:
        opened(wsse=client).get_weather(city="Rome")
    assert caught.value.code == "missing"


def test_unverified_fault_is_raised_with_a_note_and_proves_no_refusal(
    opened: Open, wire: Wire, client: Security
) -> None:
    wire.answers(envelope(FAULT), 500)
    with pytest.raises(ServiceFault) as caught:
        opened(wsse=client).get_weather(city="Rome")
    assert any("not verified: the message has no Security header" in note for note in caught.value.__notes__)
    wire.answers(envelope(FAULT), 500)
    with pytest.raises(AmbiguousOutcome):
        opened(wsse=client, settings=Settings(safe=set())).get_weather(city="Rome")


def test_missing_part_is_reported_before_sending(opened: Open, wire: Wire, pairs: Pairs) -> None:
    service = opened(wsse=Security([Signature(pairs["client"], parts=["Timestamp"])]))
    with pytest.raises(ConfigError, match="none of the parts to sign"):
        service.get_weather(city="Rome")
    assert wire.sent == []


def test_password_is_not_shown_in_errors(opened: Open, wire: Wire) -> None:
    wire.answers(b"<html>my-password</html>", 500, Content_Type="text/html")
    service = opened(wsse=Security([UsernameToken("me", "my-password")]))
    with pytest.raises(Exception) as caught:  # noqa: PT011 - any error; its text matters
        service.get_weather(city="Rome")
    assert "my-password" not in str(caught.value)
    assert b"my-password" in wire.sent[0].body


def test_security_without_rules_reads_responses_as_they_are(opened: Open, wire: Wire) -> None:
    wire.answers(envelope())
    assert opened(wsse=Security([Timestamp()])).get_weather(city="Rome").station == ["Rome"]
    header = etree.fromstring(wire.sent[0].body).find(f"{{{SOAP_11}}}Header")
    assert header is not None
    assert header[0].get(f"{{{SOAP_11}}}mustUnderstand") == "1"


def test_two_security_objects_are_applied_in_order(opened: Open, wire: Wire, pairs: Pairs) -> None:
    wire.answers(envelope())
    both = [Security([block], now=lambda: NOW) for block in (Timestamp(), Signature(pairs["client"]))]
    opened(wsse=both).get_weather(city="Rome")
    rules = Verify(trust=pairs["client"].certificate)
    assert len(rules.check(etree.fromstring(wire.sent[0].body), NOW)) == 2


def test_plain_zeep_client_is_secured(wire: Wire, client: Security, server: Security) -> None:
    import zeep

    make: Any = zeep.Client  # zeep has no types
    zeep_client = make(str(WEATHER), wsse=client)
    service = zeep_client.create_service(next(iter(zeep_client.wsdl.bindings)), wire.url)
    wire.does(lambda exchange: _respond(exchange, server))
    response = service.GetWeather(city="Rome")  # zeep returns headers and body
    assert response.body.station == ["Rome"]
    wire.does(lambda exchange: _respond(exchange, server, change=_change_certificate_time))
    with pytest.raises(SecurityError):
        service.GetWeather(city="Rome")


# ---- other ways to call


def test_attachments_are_stored_after_the_envelope_is_verified(
    opened: Open, wire: Wire, client: Security, server: Security
) -> None:
    def respond(exchange: Exchange, change: Callable[[etree._Element], object]) -> None:
        root = server.apply(tree(), {})[0]
        change(root)
        kind = {"Content-Type": "text/xml"}
        body, headers = packed(etree.tostring(root), kind, [Attachment(b"bytes")])
        send(exchange, body, Content_Type=headers["Content-Type"])

    service = opened(wsse=client)
    wire.does(lambda exchange: respond(exchange, lambda _: None))
    with service.soap.attachments() as attachments:
        assert service.get_weather(city="Rome").station == ["Rome"]
    assert [part.content for part in attachments.received] == [b"bytes"]
    wire.does(lambda exchange: respond(exchange, _change_certificate_time))
    with service.soap.attachments() as attachments, pytest.raises(SecurityError):
        service.get_weather(city="Rome")
    assert attachments.received == ()


def test_fault_of_a_one_way_operation_is_verified(opened: Open, wire: Wire, client: Security) -> None:
    refused = f'<s:Fault><faultcode xmlns:w="{WSSE}">w:FailedCheck</faultcode></s:Fault>'
    for content in (refused, ""):
        wire.answers(envelope(content), 500 if content else 200)
        with pytest.raises(AmbiguousOutcome):  # an attacker can send both
            opened(wsse=client).observe(degrees=Decimal(1))
    wire.answers(b"", 202)
    assert opened(wsse=client).observe(degrees=Decimal(1)) is None


def _calling(service: Any, way: str) -> Callable[..., Any]:
    call: Callable[..., Any] = service.zeep.GetWeather if way == "zeep" else service.get_weather
    return call


@pytest.mark.parametrize("validate", ["requests", "all", "off"])
@pytest.mark.parametrize("way", ["zeep", "typed"])
def test_encrypted_response_is_validated_after_its_verification(
    opened: Open, wire: Wire, client: Security, server: Security, validate: Any, way: str
) -> None:
    service = opened(wsse=client, settings=Settings(safe={"GetWeather"}, validate=validate))
    wire.does(lambda exchange: _respond(exchange, server))
    response = _calling(service, way)(city="Rome")
    assert (response.body if way == "zeep" else response).station == ["Rome"]
    if validate == "all":
        invalid = ROME.replace("clear", "purple")
        wire.does(lambda exchange: _respond(exchange, server, invalid))
        with pytest.raises(ResponseError, match="purple"):
            _calling(service, way)(city="Rome")


@pytest.mark.parametrize("way", ["zeep", "typed"])
@pytest.mark.parametrize(
    ("safe", "kind"), [({"GetWeather"}, SecurityError), (set[str](), AmbiguousOutcome)], ids=["read", "write"]
)
def test_both_ways_to_call_raise_the_same_errors(
    opened: Open, wire: Wire, client: Security, server: Security, way: str, safe: Any, kind: Any
) -> None:
    wire.does(lambda exchange: _respond(exchange, server, change=_change_certificate_time))
    service = opened(wsse=client, settings=Settings(safe=safe))
    with pytest.raises(kind, match="Timestamp was changed after it was signed") as caught:
        _calling(service, way)(city="Rome")
    assert caught.value.operation == "GetWeather"
    assert caught.value.request_id
    assert len(wire.sent) == 1  # not retried
    refused = caught.value.__cause__ if kind is AmbiguousOutcome else caught.value
    assert isinstance(refused, SecurityError)
    assert isinstance(refused, ResponseError)
    assert (refused.code, refused.part) == ("digest", "Timestamp")


def test_unverified_fault_is_a_note_for_zeep(opened: Open, wire: Wire, client: Security) -> None:
    wire.answers(envelope(FAULT), 500)
    with pytest.raises(SecurityError, match="no Security header") as caught:
        opened(wsse=client).zeep.GetWeather(city="Rome")
    assert caught.value.__notes__ == ["the response is a fault, which is not verified: no"]


@pytest.mark.parametrize("soap_role", ["actor", "role"])
def test_security_header_for_another_actor_is_not_used(
    opened: Open, wire: Wire, client: Security, server: Security, soap_role: str
) -> None:
    def for_another(root: etree._Element) -> None:
        root[0][0].set(f"{{{SOAP_11}}}{soap_role}", "urn:example:other")

    wire.does(lambda exchange: _respond(exchange, server, change=for_another))
    with pytest.raises(SecurityError, match="no Security header"):
        opened(wsse=client).get_weather(city="Rome")


@pytest.mark.parametrize("way", ["call", "stream", "iterate", "stream_above"])
def test_lists_of_the_tracking_service_are_verified(
    wire: Wire, client: Security, server: Security, way: str
) -> None:
    def respond(changed: bool) -> Callable[[Exchange], None]:
        def action(exchange: Exchange) -> None:
            server.verify(etree.fromstring(exchange.sent.body))
            root = server.apply(etree.fromstring(responses.sales(responses.sale(1), total=1)), {})[0]
            if changed:
                _change_certificate_time(root)
            send(exchange, etree.tostring(root))

        return action

    settings = Settings.load(
        environ={}, connect_id=CONNECT_ID, secret_key=SECRET_KEY, publisher_url=wire.url, stream_above=1
    )
    arguments: dict[str, Any] = {"date": NOW.date(), "date_type": "trackingDate"}
    with Client(settings, wsse=client) as tracking:
        publisher = tracking.publisher

        def ids() -> list[str | None]:
            if way == "stream":
                with publisher.stream.get_sales(**arguments) as items:
                    return [item.id for item in items]
            if way == "iterate":
                return [item.id for item in publisher.iterate.get_sales(**arguments)]
            return [item.id for item in publisher.get_sales(**arguments).sale_items or []]

        wire.does(respond(changed=False))
        assert ids() == ["sale-1"]
        wire.does(respond(changed=True))
        with pytest.raises(SecurityError):
            ids()
    assert SECRET_KEY.encode() not in wire.sent[0].body


def test_block_without_security_says_what_to_pass(opened: Open) -> None:
    with pytest.raises(ConfigError, match=r"Timestamp must have .*Security\(\[…\]\)"):
        opened(wsse=Timestamp())


# ---- the mock


class _Refusing:
    """A security object with its own error, as those of zeep have."""

    def apply(self, envelope: Any, headers: Any, /) -> Any:
        return envelope, headers

    def verify(self, envelope: Any, /) -> None:
        raise LookupError("wrong key")


def test_mock_refuses_requests_that_any_security_object_refuses(weather: Any) -> None:
    with mock(weather.WeatherOfFeaturesService, wsse=_Refusing()) as served:
        body = envelope(f'<GetWeather xmlns="{SPACE}"/>')
        response = requests.post(
            served.address(), data=body, headers={"Content-Type": "text/xml"}, timeout=10
        )
        call = served.calls()[0]
    assert response.status_code == 500
    assert "not secured as required: LookupError: wrong key" in response.text
    assert "Client" in response.text
    assert "not secured" in str(call.reason)
