"""Responses made from the schemas: compare the decoders with plain zeep by field, for every operation."""

from __future__ import annotations

import datetime as dt
import math
from decimal import Decimal
from enum import StrEnum
from functools import lru_cache
from typing import TYPE_CHECKING

import msgspec
import pytest
import requests
import zeep
from lxml import etree

from soapclient.runtime import CountingReader

pytestmark = pytest.mark.sampled(8)

if TYPE_CHECKING:
    from tests.support.schemas import Fill
    from tests.zxws.conftest import Contract

_SOAP = "http://schemas.xmlsoap.org/soap/envelope/"
_NAIVE_ZONE = dt.timezone(dt.timedelta(hours=5, minutes=45))
_DRAWS: tuple[tuple[int, Fill], ...] = (
    (0, "bare"),
    (1, "full"),
    *((seed, "random") for seed in range(2, 9)),
    (9, "full"),
)


@lru_cache
def _client(path: str) -> zeep.Client:
    return zeep.Client(path)  # type: ignore[no-untyped-call]  # zeep has no types


def _through_zeep(contract: Contract, operation: str, response: etree._Element) -> object:
    """Return the result of a plain zeep client with default strictness for a response."""
    envelope = etree.Element(f"{{{_SOAP}}}Envelope")
    etree.SubElement(envelope, f"{{{_SOAP}}}Body").append(etree.fromstring(etree.tostring(response)))
    answer = requests.Response()
    answer.status_code = 200
    answer.headers["Content-Type"] = "text/xml; charset=utf-8"
    answer._content = etree.tostring(envelope)
    client = _client(str(contract.path))
    return client.service._binding.process_reply(client, client.service._binding.get(operation), answer)


def _through_ours(
    contract: Contract, operation: str, response: etree._Element
) -> tuple[msgspec.Struct, CountingReader]:
    reader = CountingReader(naive_zone=_NAIVE_ZONE)
    return contract.operation(operation).read_response(response, reader), reader


class _Comparison:
    """Walks the decoded value, zeep's value and the document together. `compared` counts the leaves."""

    def __init__(self) -> None:
        self.compared = 0
        self.naive = 0

    def response(self, ours: msgspec.Struct, theirs: object, node: etree._Element) -> None:
        fields = msgspec.structs.fields(ours)
        if len(fields) == 1:  # zeep unwraps single children, down to the second level
            value = getattr(ours, fields[0].name)
            if isinstance(value, list) and isinstance(theirs, list):
                self._items(value, theirs, list(node[0]))
            else:
                self._field(value, theirs, node, fields[0].encode_name)
        else:
            self._struct(ours, theirs, node)

    def _struct(self, ours: msgspec.Struct, theirs: object, node: etree._Element) -> None:
        if theirs is None:  # zeep's value for an empty element
            assert not len(node)
            assert not node.attrib
            assert all(getattr(ours, field.name) in (None, []) for field in msgspec.structs.fields(ours))
            return
        assert isinstance(theirs, zeep.xsd.CompoundValue)
        values = dict(theirs.__values__)
        for field in msgspec.structs.fields(ours):
            mine = getattr(ours, field.name)
            if field.encode_name == "value" and "_value_1" in values:
                self._leaf(mine, values.pop("_value_1"), node.text or "")
            else:
                self._field(mine, values.pop(field.encode_name), node, field.encode_name)
        assert values == {}

    def _field(self, ours: object, theirs: object, node: etree._Element, name: str) -> None:
        nodes = [child for child in node if etree.QName(child).localname == name]
        attribute = node.get(name)
        if isinstance(ours, list):
            if nodes and not isinstance(theirs, list):  # a wrapper: the decoded value is the list itself
                assert len(nodes) == 1
                nodes = list(nodes[0])
                if theirs is not None:
                    assert isinstance(theirs, zeep.xsd.CompoundValue)
                    (theirs,) = theirs.__values__.values()
            self._items(ours, theirs or [], nodes)
        elif attribute is not None:
            self._leaf(ours, theirs, attribute)
        elif not nodes:
            assert ours is None
            assert theirs is None
        else:
            (one,) = nodes
            self._value(ours, theirs, one)

    def _items(self, ours: list[object], theirs: object, nodes: list[etree._Element]) -> None:
        assert isinstance(theirs, list)
        assert len(ours) == len(theirs) == len(nodes)
        for mine, other, one in zip(ours, theirs, nodes, strict=True):
            self._value(mine, other, one)

    def _value(self, ours: object, theirs: object, node: etree._Element) -> None:
        if isinstance(ours, msgspec.Struct):
            self._struct(ours, theirs, node)
        else:
            self._leaf(ours, theirs, node.text or "")

    def _leaf(self, ours: object, theirs: object, text: str) -> None:
        self.compared += 1
        if isinstance(ours, Decimal):
            exact = Decimal(text.strip())
            assert (ours.is_nan() and exact.is_nan()) or ours.compare_total(exact) == 0
            ours = float(ours)
        if isinstance(ours, float):
            assert isinstance(theirs, float)
            assert (math.isnan(ours) and math.isnan(theirs)) or ours == theirs
        elif isinstance(ours, dt.datetime):
            assert isinstance(theirs, dt.datetime)
            if theirs.tzinfo is None:
                self.naive += 1
                theirs = theirs.replace(tzinfo=_NAIVE_ZONE)
            assert ours == theirs
            assert ours.utcoffset() == theirs.utcoffset()
        elif ours == "":
            assert theirs in (None, "")  # zeep reads an empty element as None
        else:
            assert ours == theirs
            assert type(ours) is type(theirs) or isinstance(ours, StrEnum)


@pytest.mark.sampled(4)
def test_responses_decode_to_the_values_of_zeep(
    the_contract: Contract, contract_name: str, operation_name: str
) -> None:
    _, response_element = the_contract.messages[operation_name]
    for seed, fill in _DRAWS:
        response = the_contract.instances(f"{operation_name} {seed}", fill).message(response_element)
        the_contract.validator.assertValid(response)
        ours, reader = _through_ours(the_contract, operation_name, response)
        comparison = _Comparison()
        comparison.response(ours, _through_zeep(the_contract, operation_name, response), response)
        assert fill != "full" or comparison.compared or not len(response)
        kinds = {finding.kind for finding in reader.findings}
        assert kinds <= {"naive-time"}
        assert reader.findings.total() == comparison.naive


def test_comparison_covers_every_leaf(publisher: Contract) -> None:
    response = publisher.instances("leaves", "full").message("GetSalesResponse")
    ours, _ = _through_ours(publisher, "GetSales", response)
    comparison = _Comparison()
    comparison.response(ours, _through_zeep(publisher, "GetSales", response), response)
    texts = sum(not len(node) and node.tag != f"{{{publisher.namespace}}}gpps" for node in response.iter())
    attributes = sum(len(node.attrib) for node in response.iter())
    assert comparison.compared == texts + attributes


def test_empty_wrapper_is_an_empty_list_and_missing_wrapper_is_none(publisher: Contract) -> None:
    response = publisher.instances("wrapper", "bare").message("GetSalesResponse")
    operation = publisher.operation("GetSales")
    assert operation.read_response(response, CountingReader()).sale_items is None
    etree.SubElement(response, f"{{{publisher.namespace}}}saleItems")
    assert operation.read_response(response, CountingReader()).sale_items == []


def test_recursive_type_is_read_to_any_depth(publisher: Contract) -> None:
    space = publisher.namespace
    depth = 240  # lxml refuses a document with more than 256 levels
    opened = "<category><id>1</id><name>n</name><count>2</count>" * depth
    categories = f"<categories>{opened}{'</category>' * depth}</categories>"
    xml = f'<GetProductCategoriesResponse xmlns="{space}">{categories}</GetProductCategoriesResponse>'
    response = etree.fromstring(xml)
    found = publisher.operation("GetProductCategories").read_response(response, CountingReader())
    level, nested = found.categories, 0
    while level:
        nested += 1
        level = level[0].category
    assert nested == depth
