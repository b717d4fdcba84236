"""The output of generated encoders as XML and JSON: valid by two validators, decoded to the same value."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Callable, Iterator
from importlib import import_module
from typing import TYPE_CHECKING

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree

from soapclient.rest.json_tree import parse
from soapclient.rest.requests import json_body, xml_body
from soapclient.runtime import CountingReader, Node, Reader, Wire
from soapclient.runtime.request_values import Bare
from tests.rings import examples
from zxws.publisher import types

if TYPE_CHECKING:
    from tests.rest.conftest import Contract

Contracts = Callable[[str], "Contract"]
TAG = "{urn:x}thing"


@pytest.mark.sampled(3)
@given(seed=st.integers(0, 2**32))
@settings(max_examples=examples(20), deadline=None)
def test_every_message_survives_xml_and_json(
    contracts: Contracts, contract_name: str, operation_name: str, seed: int
) -> None:
    contract = contracts(contract_name)
    operation = contract.operation(operation_name)
    ends: list[tuple[str, Callable[[Node, Reader], msgspec.Struct]]] = [
        (operation.request_tag, operation.read_request),
        (operation.response_tag, operation.read_response),
    ]
    for tag, read in ends:
        value = read(contract.message(tag, seed), CountingReader())
        wire = contract.wire(value)
        body = xml_body(contract.written(value), tag)
        document = etree.fromstring(body)
        contract.lxml.assertValid(document)
        contract.xmlschema.validate(body.decode().partition("?>")[2])
        strict = CountingReader()
        assert repr(read(document, strict)) == repr(value)
        assert repr(read(parse(json_body(wire), tag), strict)) == repr(value)
        assert not strict.findings


@pytest.mark.sampled(2)
@pytest.mark.parametrize("contract_name", ["publisher", "data", "advertiser"])
def test_every_generated_type_is_covered(contracts: Contracts, contract_name: str) -> None:
    contract = contracts(contract_name)
    generated = import_module(f"zxws.{contract_name}.types")
    missing = {
        value.__name__
        for value in vars(generated).values()
        if isinstance(value, type) and issubclass(value, msgspec.Struct)
    } - {"Record", "Struct"}
    assert missing
    for operation in contract.operations():
        for seed in range(12):
            request = operation.read_request(contract.message(operation.request_tag, seed), CountingReader())
            response = operation.read_response(
                contract.message(operation.response_tag, seed), CountingReader()
            )
            missing -= {*met(request), *met(response)}
    assert not missing


def met(value: object) -> Iterator[str]:
    """Return the names of the types in a value."""
    if isinstance(value, list):
        for each in value:
            yield from met(each)
    elif isinstance(value, msgspec.Struct):
        yield type(value).__name__
        for name in value.__struct_fields__:
            yield from met(getattr(value, name))


@pytest.mark.parametrize(
    "request_",
    [
        types.SearchProductsRequest(
            query="q", ean="400638", partnership=types.ProductPartnership.ALL, merchant_category=["a", "b"]
        ),
        types.SearchProgramsRequest(industry=5, is_exclusive=True),
        types.GetReportBasicRequest(
            from_date=dt.date(2026, 11, 1), to_date=dt.date(2026, 11, 2), date_type=types.DateType.CLICK_DATE
        ),
    ],
)
def test_rest_only_fields_roundtrip(contracts: Contracts, request_: msgspec.Struct) -> None:
    operation = contracts("publisher").operation(type(request_).__name__.removesuffix("Request"))
    wire = contracts("publisher").wire(request_)
    assert set(wire) >= operation.rest_only
    written = contracts("publisher").written(request_)
    document = etree.fromstring(xml_body(written, operation.request_tag))
    assert repr(operation.read_request(document, CountingReader())) == repr(request_)
    assert not contracts("publisher").lxml.validate(document)
    for child in list(document):
        if etree.QName(child).localname in operation.rest_only:
            document.remove(child)
    contracts("publisher").lxml.assertValid(document)


def test_wire_values_have_the_documented_forms() -> None:
    inner: list[Wire] = [{"d": "1"}, {}]
    wire: Wire = {"@id": "1", "b": ["x", ""], "a": {"@k": "v", "$": "t"}, "c": inner, "e": []}
    assert json_body(wire) == (b'{"@id":"1","b":["x",""],"a":{"@k":"v","$":"t"},"c":[{"d":"1"},{}],"e":[]}')
    texts: list[str] = [*map(Bare, ["10", "-1.50", "1E5", "true", "05", "+1", "INF", ".5", "1.", ""])]
    assert json_body({"n": texts}) == (b'{"n":[10,-1.50,1E5,true,"05","+1","INF",".5","1.",""]}')
    assert json.loads(json_body({"a": "\x1b"})) == {"a": "\x1b"}
    assert json_body({"a": "𝄞\n\0"}) == '{"a":"𝄞\\n\\u0000"}'.encode()


def test_content_is_read_under_another_root() -> None:
    written = etree.fromstring(
        '<p:m xmlns:p="urn:x" id="1" k="2"><p:b>x</p:b><p:b></p:b><p:a k="v">t</p:a><p:gone/></p:m>'
    )
    assert xml_body(written, TAG, {"gone", "@k"}) == (
        b"<?xml version='1.0' encoding='UTF-8'?>\n"
        b'<thing xmlns="urn:x" id="1"><b>x</b><b/><a k="v">t</a></thing>'
    )
    assert len(written) == 4
    assert xml_body(None, "thing").endswith(b"\n<thing/>")


def test_white_space_survives_xml() -> None:
    text = " \t\r\n x \r"
    written = etree.Element(TAG, k=text)
    etree.SubElement(written, "a").text = text
    document = etree.fromstring(xml_body(written, TAG))
    assert document.get("k") == text
    assert document[0].text == text
