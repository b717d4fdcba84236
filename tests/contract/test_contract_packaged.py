"""The packaged contracts: their documents, and which schema is for which message."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest
from lxml import etree

from soapclient.contract import Contract
from soapclient.errors import ContractError
from soapclient.runtime import Settings
from soapclient.tracking import advertiser, data, publisher

ROOT = Path(__file__).parents[2]
SPACE = "http://api.zanox.com/namespace/2011-03-01/"
GET_SALES = publisher.CONTRACT.operations["GetSales"]
DAY = "<date>2026-11-01T00:00:00</date>"
WHOLE = f"{DAY}<dateType>clickDate</dateType>"
SIGNED = "<connectId>a</connectId><timestamp>2026-11-01T00:00:00</timestamp><nonce>b</nonce>"
SIGNATURE = f"{SIGNED}<signature>c</signature>"


def sales(inside: str) -> etree._Element:
    return etree.fromstring(f'<GetSalesRequest xmlns="{SPACE}">{inside}</GetSalesRequest>')


def test_a_request_over_rest_needs_no_authentication_elements() -> None:
    contract = publisher.CONTRACT
    complete, bare, partial = (
        contract.schema_of(GET_SALES),
        contract.schema_without(GET_SALES, partial=False),
        contract.schema_without(GET_SALES, partial=True),
    )
    complete.check_request(sales(WHOLE + SIGNATURE), "GetSales")
    bare.check_request(sales(WHOLE), "GetSales")
    bare.check_request(sales(DAY), "GetSales")  # over REST the type of a date has a default
    partial.check_request(sales(""), "GetSales")
    for schema, inside in ((complete, WHOLE), (complete, WHOLE + SIGNED), (bare, "")):
        with pytest.raises(ContractError):
            schema.check_request(sales(inside), "GetSales")
    with pytest.raises(ContractError, match="tomorrow"):
        partial.check_request(sales("<date>tomorrow</date>"), "GetSales")


def test_schemas_are_compiled_once() -> None:
    contract = publisher.CONTRACT
    assert contract.schema is contract.schema_of(GET_SALES)
    again = Contract(contract.tables, contract.operations)
    assert again.schema is contract.schema
    assert contract.schema_without(GET_SALES, partial=True) is again.schema_without(GET_SALES, partial=True)


def test_documents_are_those_of_the_package_or_ones_own() -> None:
    contract = publisher.CONTRACT
    packaged = (ROOT / "generated/zxws/publisher/contract.wsdl").read_bytes()
    rest = (ROOT / "generated/zxws/publisher/rest.xsd").read_bytes()
    assert contract.documents == (packaged, rest)
    assert (contract.name, contract.key) == ("publisher", hashlib.sha256(packaged).hexdigest())
    own = Contract(contract.tables, contract.operations, b"<own/>")
    assert own.documents == (b"<own/>", rest)
    assert own.key == hashlib.sha256(b"<own/>").hexdigest()
    assert advertiser.CONTRACT.wsdl == b""
    assert len(advertiser.CONTRACT.documents) == 1
    assert data.CONTRACT.documents[0].startswith(b"<")
    assert Contract(Settings(name="data"), {}, b"").wsdl == b""
