"""Requests: what is written is valid by the schema, complete, and reads back as it was."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from typing import TYPE_CHECKING

from lxml import etree
from zxws.publisher.codec import write_get_sales_request

from soapclient.runtime import CountingReader, Operation
from soapclient.runtime.protocols import Wire, WireValue
from zxws.data.service import GET_JOBS
from zxws.data.types import GetJobsRequest
from zxws.publisher.types import GetSalesRequest

if TYPE_CHECKING:
    from tests.zxws.conftest import Contract, Fill

_AUTHENTICATION = ("connectId", "timestamp", "nonce", "signature")
_FILLS: tuple[Fill, ...] = ("bare", "full", "random", "random", "random")


class _Writer:
    """Days as midnight in a zone, the way of SOAP."""

    def __init__(self, zone: dt.tzinfo) -> None:
        self._zone = zone

    def day(self, value: dt.date) -> str:
        return dt.datetime.combine(value, dt.time(), self._zone).isoformat()

    def changes(self, path: str) -> None:
        raise AssertionError(path)


def _fill(node: etree._Element, value: WireValue, space: str) -> None:
    """The whole meaning of a wire value: "@name" an attribute, "$" the text, a list a repeated element."""
    if isinstance(value, str):
        node.text = value
        return
    assert isinstance(value, dict)
    for key, part in value.items():
        if key == "$" or key.startswith("@"):
            assert isinstance(part, str)
            if key == "$":
                node.text = part
            else:
                node.set(key[1:], part)
            continue
        for one in part if isinstance(part, list) else [part]:
            _fill(etree.SubElement(node, f"{space}{key}"), one, space)


def _element(contract: Contract, name: str, wire: Wire) -> etree._Element:
    """The message that a wire value gives, with the authentication elements the contract asks for."""
    space = f"{{{contract.namespace}}}"
    node = etree.Element(f"{space}{name}")
    _fill(node, {**wire, **{each: "x" for each in contract.children(name) if each in _AUTHENTICATION}}, space)
    return node


def test_requests_written_are_valid_and_read_back(
    the_contract: Contract,
    contract_name: str,
    operation_name: str,
    finite_texts: Mapping[str, tuple[str, ...]],
) -> None:
    request_element, _ = the_contract.messages[operation_name]
    zone = dt.timezone(dt.timedelta(hours=1))
    reader = CountingReader(report_zone=zone)
    operation = the_contract.operations()[operation_name]
    assert isinstance(operation, Operation)
    for seed, fill in enumerate(_FILLS):
        instances = the_contract.instances(f"{operation_name} {seed}", fill, finite_texts)
        drawn = instances.message(request_element, without=_AUTHENTICATION)
        request = operation.read_request(drawn, reader)
        wire = operation.write_request(request, _Writer(zone), request_element)
        written = _element(the_contract, request_element, wire)
        the_contract.validator.assertValid(written)
        for name in _AUTHENTICATION:
            for node in written.findall(f"{{{the_contract.namespace}}}{name}"):
                written.remove(node)
        assert operation.read_request(written, reader) == request
        # Nothing was lost or added on the way: the same elements and attributes, in the same order.
        assert _names(written) == _names(drawn)
    assert {finding.kind for finding in reader.findings} <= {"naive-time", "shortened"}


def _names(node: etree._Element) -> list[tuple[str, list[str]]]:
    return [(etree.QName(each).localname, sorted(map(str, each.attrib))) for each in node.iter()]


def test_the_authentication_elements_are_those_of_the_contract_and_no_fields(
    the_contract: Contract,
    contract_name: str,
    operation_name: str,
    finite_texts: Mapping[str, tuple[str, ...]],
) -> None:
    request_element, _ = the_contract.messages[operation_name]
    declared = [name for name in the_contract.children(request_element) if name in _AUTHENTICATION]
    operation = the_contract.operations()[operation_name]
    assert list(operation.authentication) == declared
    assert operation.signed == ("signature" in declared)
    assert isinstance(operation, Operation)
    drawn = the_contract.instances(operation_name, "full", finite_texts).message(request_element)
    reader = CountingReader()
    wire = operation.write_request(operation.read_request(drawn, reader), _Writer(dt.UTC), request_element)
    assert not set(_AUTHENTICATION) & set(wire)
    unknown = [finding.path for finding in reader.findings if finding.kind == "element"]
    assert unknown == [f"{request_element}/{name}" for name in declared]


def test_days_take_the_form_that_the_carrier_gives_them() -> None:
    class Bare:
        def day(self, value: dt.date) -> str:
            return value.isoformat()

        def changes(self, path: str) -> None:
            raise AssertionError(path)

    request = GetSalesRequest(date=dt.date(2026, 11, 1), date_type="trackingDate")
    wires = [write_get_sales_request(request, writer, "") for writer in (_Writer(dt.UTC), Bare())]
    assert [wire["date"] for wire in wires] == ["2026-11-01T00:00:00+00:00", "2026-11-01"]


def test_no_child_of_a_message_is_written_that_was_not_given() -> None:
    assert GET_JOBS.write_request(GetJobsRequest(), _Writer(dt.UTC), "") == {}
    assert GET_JOBS.write_request(GetJobsRequest(page=0, items=50), _Writer(dt.UTC), "") == {
        "page": "0",
        "items": "50",
    }
