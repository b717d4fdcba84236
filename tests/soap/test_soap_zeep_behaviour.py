"""The zeep behaviour that the SOAP protocol relies on. These tests fail if a new zeep version changes it."""

from __future__ import annotations

from typing import Any

import pytest
import requests
import zeep
import zeep.exceptions
import zeep.loader
import zeep.transports
from lxml import etree

from soapclient.soap.zeep_service import document
from zxws.publisher.service import PACKAGE

BINDING = "{http://api.zanox.com/namespace/2011-03-01/}PublisherSoapBinding"
AUTHENTICATION = dict.fromkeys(("connectId", "timestamp", "nonce", "signature"), "")
FAULT = (
    b'<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body><s:Fault>'
    b"<faultcode>s:Server</faultcode><faultstring>no</faultstring></s:Fault></s:Body></s:Envelope>"
)
Zeep: Any = zeep.Client  # it has no types


class Transport(zeep.transports.Transport):
    """Records the posted messages and returns one response."""

    def __init__(self, answer: object) -> None:
        super().__init__()  # type: ignore[no-untyped-call] # zeep has no types
        self.answer = answer
        self.posted: list[Any] = []
        self.loaded: list[str] = []

    def load(self, url: str) -> bytes:
        self.loaded.append(url)
        return PACKAGE.document("contract.wsdl")

    def post_xml(self, address: str, envelope: etree._Element, headers: dict[str, str]) -> object:
        self.posted.append(envelope)
        return self.answer


class Plugin(zeep.Plugin):
    """Records its calls and changes the envelope."""

    def __init__(self) -> None:
        self.calls: list[str] = []

    def egress(self, envelope: Any, http_headers: Any, operation: Any, binding_options: Any) -> Any:
        self.calls.append("egress")
        envelope.set("touched", operation.name)
        http_headers["X-Touched"] = "yes"
        return envelope, http_headers

    def ingress(self, envelope: Any, http_headers: Any, operation: Any) -> Any:
        self.calls.append("ingress")
        return envelope, http_headers


def response(status: int, content: bytes) -> requests.Response:
    made = requests.Response()
    made.status_code = status
    made._content = content
    made.headers["Content-Type"] = "text/xml"
    return made


def opened(answer: object = None, *, raw: bool = True) -> tuple[Any, Any, Transport, Plugin]:
    """Open a client on the shared document: client, service, transport, plugin."""
    transport, plugin = Transport(answer), Plugin()
    made: Any = zeep.Settings
    client = Zeep(
        document(PACKAGE.document("contract.wsdl")),
        transport=transport,
        plugins=[plugin],
        settings=made(strict=True, raw_response=raw),
    )
    service = client.create_service(BINDING, "https://service.example.org/soap/2011-03-01")
    return client, service, transport, plugin


def test_zeep_checks_required_fields_before_plugins() -> None:
    _, service, transport, plugin = opened()
    with pytest.raises(zeep.exceptions.ValidationError, match="connectId"):
        service.GetProfile()
    assert plugin.calls == []
    assert transport.posted == []


def test_raw_response_is_returned_before_ingress_and_checks() -> None:
    refused = response(500, FAULT)
    _, service, transport, plugin = opened(refused)
    assert service.GetProfile(**AUTHENTICATION) is refused
    assert plugin.calls == ["egress"]
    (posted,) = transport.posted
    assert posted.get("touched") == "GetProfile"  # the plugin gets the envelope that is posted
    assert transport.loaded == []  # zeep accepts a parsed document
    _, service, _, plugin = opened(refused, raw=False)
    with pytest.raises(zeep.exceptions.Fault):
        service.GetProfile(**AUTHENTICATION)
    assert plugin.calls == ["egress", "ingress"]


def test_the_plugin_runs_once_for_each_message_that_is_created() -> None:
    client, service, transport, plugin = opened()
    client.create_message(service, "GetProfile", **AUTHENTICATION)
    assert (plugin.calls, transport.posted) == (["egress"], [])
    service.GetProfile(**AUTHENTICATION)
    service.GetProfile(**AUTHENTICATION)
    assert plugin.calls == ["egress"] * 3


def test_zeep_does_not_validate_values() -> None:
    _, service, transport, _ = opened()
    service.GetSales(date="yesterday", dateType="no such type", items="hello", **AUTHENTICATION)
    message = transport.posted[0][0][0]
    texts = [child.text for child in message][:3]
    assert texts == ["yesterday", "no such type", "hello"]


def test_zeep_sends_texts_unchanged_for_any_type() -> None:
    _, service, transport, _ = opened()
    item = {
        "name": " two  blanks ", "url": "u", "description": "", "adspaceType": "website", "visitors": "007",
        "impressions": "1", "language": "de", "checkNumber": "1", "id": "5",
        "categories": {"category": [{"_value_1": "Travel", "id": "13"}]}, "regions": {"region": []},
    }  # fmt: skip
    service.UpdateAdspace(adspaceItem=item, **AUTHENTICATION)
    service.SearchPrograms(hasProducts="false", startDate="2026-11-01T00:00:00+01:00", connectId="x")
    space = {"t": "http://api.zanox.com/namespace/2011-03-01/"}
    sent = transport.posted[0].find(".//t:adspaceItem", space)
    assert sent.get("id") == "5"
    assert sent.find("t:name", space).text == " two  blanks "
    assert sent.find("t:visitors", space).text == "007"
    category = sent.find("t:categories/t:category", space)
    assert (category.text, category.get("id")) == ("Travel", "13")
    searched = transport.posted[1]
    assert searched.find(".//t:hasProducts", space).text == "false"
    assert searched.find(".//t:startDate", space).text == "2026-11-01T00:00:00+01:00"


def test_strict_parsing_refuses_truncated_xml_and_lax_parsing_does_not() -> None:
    parse: Any = zeep.loader.parse_xml
    made: Any = zeep.Settings
    with pytest.raises(zeep.exceptions.XMLSyntaxError):
        parse(FAULT[:-40], None, settings=made(strict=True))
    assert parse(FAULT[:-40], None, settings=made(strict=False)) is not None


def test_zeep_fetches_any_location_of_a_contract() -> None:
    names_another = b'<wsdl:import namespace="urn:x" location="https://elsewhere.example.org/x.wsdl"/>'
    imported = PACKAGE.document("contract.wsdl").replace(b"<wsdl:types>", names_another + b"<wsdl:types>", 1)

    class Curious(Transport):
        def load(self, url: str) -> bytes:
            self.loaded.append(url)
            if len(self.loaded) > 1:
                raise LookupError(url)
            return imported

    transport = Curious(None)
    document: Any = zeep.wsdl.Document
    with pytest.raises(LookupError):
        document("https://contract.invalid/contract.wsdl", transport, settings=zeep.Settings())
    assert transport.loaded[-1] == "https://elsewhere.example.org/x.wsdl"
