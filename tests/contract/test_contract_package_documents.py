"""The packaged contracts: their documents, and the schema for each message."""

from __future__ import annotations

from pathlib import Path

import pytest
from lxml import etree
from msgspec import structs

from soapclient.contract import package_documents
from soapclient.errors import ConfigError, ContractError
from soapclient.runtime import Package
from zxws.advertiser.service import PACKAGE as ADVERTISER
from zxws.data.service import PACKAGE as DATA
from zxws.publisher.service import PACKAGE as PUBLISHER

ROOT = Path(__file__).parents[2]
SPACE = "http://api.zanox.com/namespace/2011-03-01/"
GET_SALES = PUBLISHER.operations["GetSales"]
DAY = "<date>2026-11-01T00:00:00</date>"
WHOLE = f"{DAY}<dateType>clickDate</dateType>"
SIGNED = "<connectId>a</connectId><timestamp>2026-11-01T00:00:00</timestamp><nonce>b</nonce>"
SIGNATURE = f"{SIGNED}<signature>c</signature>"


def sales(inside: str) -> etree._Element:
    return etree.fromstring(f'<GetSalesRequest xmlns="{SPACE}">{inside}</GetSalesRequest>')


@pytest.mark.exhaustive
def test_a_request_over_rest_needs_no_authentication_elements() -> None:
    complete, bare, partial = (
        package_documents.checks(PUBLISHER),
        package_documents.checks_without(PUBLISHER, GET_SALES, partial=False),
        package_documents.checks_without(PUBLISHER, GET_SALES, partial=True),
    )
    complete.check_request([sales(WHOLE + SIGNATURE)], "GetSales")
    bare.check_request([sales(WHOLE)], "GetSales")
    bare.check_request([sales(DAY)], "GetSales")  # over REST the type of a date has a default
    partial.check_request([sales("")], "GetSales")
    for schema, inside in ((complete, WHOLE), (complete, WHOLE + SIGNED), (bare, "")):
        with pytest.raises(ContractError):
            schema.check_request([sales(inside)], "GetSales")
    with pytest.raises(ContractError, match="tomorrow"):
        partial.check_request([sales("<date>tomorrow</date>")], "GetSales")


@pytest.mark.exhaustive
def test_schemas_that_do_not_compile_leave_requests_over_rest_unchecked() -> None:
    package = Package(PUBLISHER.name)
    package.__dict__["settings"] = structs.replace(package.settings, compiles=False)
    checks = package_documents.checks_without(package, GET_SALES, partial=False)
    assert "libxml2 cannot compile the schemas" in checks.trouble
    checks.check_request([sales(WHOLE)], "GetSales")


def test_schemas_are_compiled_once_per_document() -> None:
    again = Package(PUBLISHER.name)
    assert again is not PUBLISHER
    assert package_documents.checks(again) is package_documents.checks(PUBLISHER)
    first, second = (
        package_documents.checks_without(each, GET_SALES, partial=True) for each in (PUBLISHER, again)
    )
    assert first is second


def test_documents_come_from_the_folder_or_an_argument() -> None:
    wsdl = (ROOT / "generated/zxws/publisher/contract.wsdl").read_bytes()
    rest = (ROOT / "generated/zxws/publisher/rest.xsd").read_bytes()
    assert PUBLISHER.document("contract.wsdl") == wsdl
    assert package_documents.documents(PUBLISHER) == [wsdl, rest]
    own = Package(PUBLISHER.name, {"contract.wsdl": b"<own/>"})
    assert package_documents.documents(own) == [b"<own/>", rest]
    assert package_documents.wsdl(ADVERTISER) == b""
    assert len(package_documents.documents(ADVERTISER)) == 1
    assert package_documents.documents(DATA) == [package_documents.wsdl(DATA)]


def test_missing_document_is_an_error() -> None:
    with pytest.raises(OSError, match=r"messages\.xsd"):
        PUBLISHER.document("messages.xsd")
    with pytest.raises(ConfigError, match=r"^service: messages\.xsd of the package zxws\.publisher cannot"):
        package_documents.document(PUBLISHER, "messages.xsd")
