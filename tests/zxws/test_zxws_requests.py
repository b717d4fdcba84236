"""Requests: written messages are valid by the schema, complete, and can be read back."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING, Any

import pytest
from lxml import etree

from soapclient.runtime import CountingReader, Operation
from soapclient.runtime.errors import local_name
from soapclient.runtime.protocols import Wire
from zxws.data.service import GET_JOBS
from zxws.data.types import GetJobsRequest
from zxws.publisher.service import GET_SALES
from zxws.publisher.types import GetSalesRequest

pytestmark = pytest.mark.sampled(8)

if TYPE_CHECKING:
    from tests.support.schemas import Fill, Texts
    from tests.zxws.conftest import Contract

_AUTHENTICATION = ("connectId", "timestamp", "nonce", "signature")
_FILLS: tuple[Fill, ...] = ("bare", "full", "random", "random", "random")


def _element(
    contract: Contract, operation: Operation[Any, Any], name: str, request: object, zone: dt.tzinfo | None
) -> etree._Element:
    """Return the message of a request, with the authentication elements of the contract."""
    space = f"{{{contract.namespace}}}"
    node = etree.Element(f"{space}{name}")
    operation.write_request(request, node, name, zone=zone)
    for each in contract.children(name):
        if each in _AUTHENTICATION:
            etree.SubElement(node, f"{space}{each}").text = "x"
    return node


def test_written_requests_are_valid_and_roundtrip(
    the_contract: Contract, contract_name: str, operation_name: str, finite_texts: Texts
) -> None:
    request_element, _ = the_contract.messages[operation_name]
    zone = dt.timezone(dt.timedelta(hours=1))
    reader = CountingReader(report_zone=zone)
    operation = the_contract.operation(operation_name)
    for seed, fill in enumerate(_FILLS):
        instances = the_contract.instances(f"{operation_name} {seed}", fill, finite_texts)
        drawn = instances.message(request_element, without=_AUTHENTICATION)
        request = operation.read_request(drawn, reader)
        written = _element(the_contract, operation, request_element, request, zone)
        the_contract.validator.assertValid(written)
        for name in _AUTHENTICATION:
            for node in written.findall(f"{{{the_contract.namespace}}}{name}"):
                written.remove(node)
        assert operation.read_request(written, reader) == request
        # Nothing is lost or added: the same elements and attributes, in the same order.
        assert _names(written) == _names(drawn)
    assert {finding.kind for finding in reader.findings} <= {"naive-time", "shortened"}


def _names(node: etree._Element) -> list[tuple[str, list[str]]]:
    return [(etree.QName(each).localname, sorted(map(str, each.attrib))) for each in node.iter()]


def test_authentication_elements_follow_the_contract_and_are_not_fields(
    the_contract: Contract, contract_name: str, operation_name: str, finite_texts: Texts
) -> None:
    request_element, _ = the_contract.messages[operation_name]
    declared = [name for name in the_contract.children(request_element) if name in _AUTHENTICATION]
    operation = the_contract.operation(operation_name)
    assert [local_name(place.tag) for place in operation.authentication] == declared
    assert operation.signed == ("signature" in declared)
    drawn = the_contract.instances(operation_name, "full", finite_texts).message(request_element)
    reader = CountingReader()
    node = etree.Element(operation.request_tag)
    operation.write_request(operation.read_request(drawn, reader), node, request_element)
    assert not set(_AUTHENTICATION) & set(operation.wire_of(node))
    unknown = [finding.path for finding in reader.findings if finding.kind == "element"]
    assert unknown == [f"{request_element}/{name}" for name in declared]


def test_days_are_bare_or_midnights_in_a_zone() -> None:
    request = GetSalesRequest(date=dt.date(2026, 11, 1), date_type="trackingDate")
    zone = dt.timezone(dt.timedelta(hours=1))
    assert _wire(GET_SALES, request, zone)["date"] == "2026-11-01T00:00:00+01:00"
    assert _wire(GET_SALES, request, None)["date"] == "2026-11-01"


def test_omitted_children_are_not_written() -> None:
    assert _wire(GET_JOBS, GetJobsRequest()) == {}
    assert _wire(GET_JOBS, GetJobsRequest(page=0, items=50)) == {"page": "0", "items": "50"}


def _wire(operation: Operation[Any, Any], request: object, zone: dt.tzinfo | None = None) -> Wire:
    node = etree.Element(operation.request_tag)
    operation.write_request(request, node, "", zone=zone)
    return operation.wire_of(node)
