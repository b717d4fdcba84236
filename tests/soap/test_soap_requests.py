"""Requests that violate the contract are rejected by field name before anything is sent."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest
from lxml import etree

from soapclient import Client
from soapclient.contract import package_documents
from soapclient.contract.validation import Schema
from soapclient.errors import ConfigError, ContractError, ResponseError
from soapclient.soap.zeep_service import PackagedTransport
from tests.soap.conftest import PUBLISHER as SPACE
from tests.soap.conftest import responses
from tests.support.sales import DAY
from zxws.publisher.service import PACKAGE

if TYPE_CHECKING:
    from tests.soap.conftest import OpenClient
    from tests.support.wire import Wire

Call = Callable[[Any], object]  # untyped, because the type checker would reject these mistakes


@pytest.mark.parametrize(
    ("call", "path", "value", "allowed"),
    [
        (lambda api: api.get_sales(date=DAY, date_type="lost"), "dateType", "'lost'", "'trackingDate'"),
        (lambda api: api.get_sales(date=DAY, date_type=None), "dateType", None, "one of clickDate"),
        (
            lambda api: api.get_sales(date=DAY, date_type="clickDate", page=True),
            "page", "True", "whole number",
        ),
    ],
)  # fmt: skip
def test_invalid_value_is_named_and_nothing_is_sent(
    client: Client, wire: Wire, call: Call, path: str, value: str | None, allowed: str
) -> None:
    """Which values are invalid: tests/zxws/test_zxws_encode.py."""
    with pytest.raises(ContractError) as caught:
        call(client.publisher)
    error = caught.value
    assert error.path == f"GetSalesRequest/{path}"
    assert (error.value is None) if value is None else (value in str(error.value))
    assert allowed in error.allowed
    assert "Nothing was sent" in str(error)
    assert wire.sent == []


# Violations that Python's types cannot detect: the contract is narrower than the generated code.
NARROW = (
    (
        b'<xsd:element name="query" type="xsd:string" minOccurs="0"/>',
        b'<xsd:element name="query" minOccurs="0"><xsd:simpleType><xsd:restriction base="xsd:string">'
        b'<xsd:maxLength value="5"/><xsd:enumeration value="red"/><xsd:enumeration value="green"/>'
        b"</xsd:restriction></xsd:simpleType></xsd:element>",
    ),
    (
        b'<xsd:element name="startDate" type="xsd:dateTime" minOccurs="0"/>',
        b'<xsd:element name="startDate" type="xsd:dateTime"/>',
    ),
)


@pytest.fixture
def narrow(open_client: OpenClient) -> Callable[..., Client]:
    """A client whose schema is narrower than its generated types. Only validation detects violations."""
    from soapclient.runtime import Package
    from soapclient.tracking.client import open_engine
    from soapclient.tracking.publisher import Publisher

    document = PACKAGE.document("contract.wsdl")
    at = document.index(b'<xsd:complexType name="SearchProgramsRequest">')
    end = document.index(b"</xsd:complexType>", at)
    part = document[at:end]
    for old, new in NARROW:
        assert old in part
        part = part.replace(old, new)
    package = Package(PACKAGE.name, {"contract.wsdl": document[:at] + part + document[end:]})

    def opened(validate: str = "requests") -> Client:
        client = open_client(validate=validate)
        engine = open_engine(package, "soap", client.settings, clock=client._clock)
        client._engines.append(engine)
        client.publisher = Publisher(engine)
        return client

    return opened


@pytest.mark.sampled(1)
@pytest.mark.parametrize("validate", ["requests", "all"])
def test_schema_refuses_what_types_cannot_check(
    narrow: Callable[..., Client], wire: Wire, validate: str
) -> None:
    client = narrow(validate=validate)
    with pytest.raises(ContractError) as caught:
        client.publisher.search_programs(query="blue", start_date=DAY)
    error = caught.value
    assert (error.path, error.value) == ("SearchProgramsRequest/query", "'blue'")
    assert error.allowed == "one of 'red', 'green'"
    assert error.operation == "SearchPrograms"
    assert wire.sent == []


def test_request_is_sent_unchecked_without_validation(narrow: Callable[..., Client], wire: Wire) -> None:
    wire.answers(responses.of("SearchPrograms", "<page>0</page><items>0</items><total>0</total>"))
    narrow(validate="off").publisher.search_programs(query="blue", start_date=DAY)
    assert wire.sent[0].fields["query"] == "blue"


@pytest.mark.exhaustive
def test_plain_zeep_service_is_validated(client: Client, wire: Wire) -> None:
    with pytest.raises(ContractError) as caught:
        client.publisher.zeep.GetSales(date="yesterday", dateType="nonsense")
    assert caught.value.path == "GetSalesRequest/date"
    assert caught.value.value == "'yesterday'"
    assert "xsd:dateTime" in caught.value.allowed
    assert wire.sent == []


def test_first_of_two_errors_is_described(narrow: Callable[..., Client], wire: Wire) -> None:
    with pytest.raises(ContractError) as caught:
        narrow().publisher.zeep.SearchPrograms(query="blue", startDate="yesterday")
    assert caught.value.path == "SearchProgramsRequest/query"
    assert "yesterday" not in str(caught.value)


@pytest.mark.parametrize(
    ("content", "path", "value", "allowed"),
    [
        ("<startDate>2026-11-01T00:00:00</startDate>", "SearchProgramsRequest/connectId", None, "connectId"),
        ("<connectId>x</connectId>", "SearchProgramsRequest/connectId", "'x'", "startDate"),
        ("<colour>red</colour>", "SearchProgramsRequest/colour", "'red'", "startDate"),
        ('<query lang="en">red</query>', "SearchProgramsRequest/query/@lang", "'en'", ""),
        ("<query>blue</query>", "SearchProgramsRequest/query", "'blue'", "one of 'red', 'green'"),
    ],
)
def test_invalid_message_is_described(
    narrow: Callable[..., Client], content: str, path: str, value: str | None, allowed: str
) -> None:
    schema = package_documents.checks(narrow().publisher.engine.package)
    message = etree.fromstring(f'<SearchProgramsRequest xmlns="{SPACE}">{content}</SearchProgramsRequest>')
    with pytest.raises(ContractError) as refused:
        schema.check_request([message], "SearchPrograms")
    with pytest.raises(ResponseError) as unread:
        schema.check_response([message], "SearchPrograms")
    assert refused.value.path == unread.value.path == path
    for error in (refused.value, unread.value):
        assert error.value is None if value is None else value in str(error.value)
    assert allowed in refused.value.allowed
    assert allowed in unread.value.expected


def test_contract_of_several_schemas_is_compiled_as_one() -> None:
    schemas = [
        f'<x:schema xmlns:x="http://www.w3.org/2001/XMLSchema" xmlns:b="urn:b" targetNamespace="urn:{name}" '
        f'elementFormDefault="qualified">{content}</x:schema>'
        for name, content in (
            ("a", '<x:import namespace="urn:b"/><x:element name="ask" type="b:number"/>'),
            ("b", '<x:simpleType name="number"><x:restriction base="x:int"/></x:simpleType>'),
            ("b", '<x:element name="say" type="b:number"/>'),
        )
    ]
    schema = Schema([etree.fromstring(text) for text in schemas])
    schema.check_request(etree.fromstring('<ask xmlns="urn:a">5</ask>'), "Ask")
    schema.check_request(etree.fromstring('<say xmlns="urn:b">5</say>'), "Say")
    for name, space in (("ask", "urn:a"), ("say", "urn:b")):
        with pytest.raises(ContractError, match="five"):
            schema.check_request(etree.fromstring(f'<{name} xmlns="{space}">five</{name}>'), "Ask")


def test_failing_and_successful_threads_share_one_schema(narrow: Callable[..., Client]) -> None:
    schema = package_documents.checks(narrow().publisher.engine.package)
    good, bad = (
        etree.fromstring(
            f'<SearchProgramsRequest xmlns="{SPACE}"><query>{query}</query>'
            "<startDate>2026-11-01T00:00:00</startDate><connectId>x</connectId></SearchProgramsRequest>"
        )
        for query in ("red", "blue")
    )
    wrong: list[object] = []

    def check_good() -> None:
        for _ in range(200):
            schema.check_request([good], "SearchPrograms")

    def check_bad() -> None:
        for _ in range(10):
            with pytest.raises(ContractError) as caught:
                schema.check_request([bad], "SearchPrograms")
            if (caught.value.path, caught.value.value) != ("SearchProgramsRequest/query", "'blue'"):
                wrong.append(str(caught.value))
            if caught.value.allowed != "one of 'red', 'green'":
                wrong.append(caught.value.allowed)

    threads = [threading.Thread(target=target) for target in (check_good, check_bad) * 3]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_packaged_contract_fetches_nothing() -> None:
    transport = PackagedTransport(b"<definitions/>")
    for address in ("file:///etc/hostname", "https://elsewhere.example.org/types.xsd"):
        with pytest.raises(ConfigError, match="one file"):
            transport.load(address)
