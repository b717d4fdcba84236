"""Nil elements with attributes, optional elements without a value, and overloaded operations."""

# ruff: noqa: E501 - WSDLs are easier to read unbroken

from __future__ import annotations

import pytest
from lxml import etree

from soapclient.runtime import CountingReader, EncodeError
from tests.bindgen.conftest import RESPONSE, Make, ReadAny

_SCHEMA = (
    """<x:element name="AskRequest"><x:complexType><x:sequence>
<x:element name="price" nillable="true"><x:complexType><x:simpleContent><x:extension base="x:decimal">
<x:attribute name="currency" use="required"/></x:extension></x:simpleContent></x:complexType></x:element>
<x:element name="note" type="t:Note" nillable="true" minOccurs="0" maxOccurs="unbounded"/>
<x:element name="free" nillable="true" minOccurs="0"><x:complexType><x:anyAttribute processContents="lax"/></x:complexType></x:element>
<x:element name="notes" minOccurs="0"><x:complexType><x:sequence><x:element name="note" type="t:Note" nillable="true" minOccurs="0" maxOccurs="unbounded"/></x:sequence></x:complexType></x:element>
<x:element name="day" type="x:date" minOccurs="0"/><x:element name="text" type="x:string" minOccurs="0"/>
</x:sequence></x:complexType></x:element>
<x:complexType name="Note"><x:sequence><x:element name="a" type="x:string"/></x:sequence><x:attribute name="lang"/></x:complexType>"""
    + RESPONSE
)


_SPACES = 'xmlns="urn:example:shop" xmlns:i="http://www.w3.org/2001/XMLSchema-instance"'


def test_attributes_of_a_nil_element_are_findings(make: Make) -> None:
    made = make(_SCHEMA)
    inner = (
        '<price currency="EUR" i:nil="true"/><note lang="de" i:nil="1"/><free any="x" i:nil="true"/>'
        '<notes><note lang="en" i:nil="true"/></notes>'
    )
    value = made.parse(inner, findings=4)
    assert (value.price, value.note, value.notes) == (None, [None], [None])
    reader = CountingReader()
    made.operation.read_request(etree.fromstring(f"<AskRequest {_SPACES}>{inner}</AskRequest>"), reader)
    assert {(finding.kind, finding.path) for finding in reader.findings} == {
        ("shortened", f"AskRequest/{name}") for name in ("price", "note", "free", "notes/note")
    }


def test_undeclared_attributes_of_a_nil_element_are_findings(make: Make) -> None:
    inner = '<price currency="EUR" odd="1" i:nil="true"/><notes><note odd="1" i:nil="true"/></notes>'
    # The findings: the currency and two odd attributes.
    assert make(_SCHEMA).parse(inner, valid=False, findings=3).price is None


def test_nil_without_a_required_attribute_is_not_written(make: Make) -> None:
    made = make(_SCHEMA)
    with pytest.raises(
        EncodeError, match=r"AskRequest/price: it cannot be nil, because its attribute currency"
    ):
        made.write(made.types.AskRequest(price=None))
    price = made.types.AskRequestPrice(value=1, currency="EUR")
    sent = made.write(made.types.AskRequest(price=price, note=[None]))
    assert sent[1].get("{http://www.w3.org/2001/XMLSchema-instance}nil") == "true"


def test_optional_elements_without_a_value_are_read_and_written(make: Make) -> None:
    made = make(_SCHEMA)
    price = '<price currency="EUR">1</price>'
    value = made.parse(price + "<day/><text/>", valid=False, findings=1)
    assert (value.day, value.text) == (None, "")
    value = made.parse(price + '<day> </day><text i:nil="true"/>', valid=False, findings=2)
    assert (value.day, value.text) == (None, None)


_OVERLOADED = """<definitions targetNamespace="urn:example:shop" xmlns:t="urn:example:shop" xmlns="http://schemas.xmlsoap.org/wsdl/" xmlns:s="http://schemas.xmlsoap.org/wsdl/soap/" xmlns:x="http://www.w3.org/2001/XMLSchema">
<message name="One"><part name="a" type="x:string"/></message><message name="Two"><part name="a" type="x:int"/></message><message name="Out"/>
<portType name="P"><operation name="get"><input name="one" message="t:One"/><output message="t:Out"/></operation><operation name="{second}"><input name="two" message="t:Two"/><output message="t:Out"/></operation></portType>
<binding name="B" type="t:P"><s:binding style="rpc" transport="http://schemas.xmlsoap.org/soap/http"/>
<operation name="get"><s:operation/><input name="one"><s:body use="literal" namespace="urn:r"/></input><output><s:body use="literal" namespace="urn:r"/></output></operation>
<operation name="{second}"><s:operation/><input name="two"><s:body use="literal" namespace="urn:r"/></input><output><s:body use="literal" namespace="urn:r"/></output></operation></binding>
<service name="S"><port name="P" binding="t:B"><s:address location="https://shop.invalid/"/></port></service></definitions>"""


@pytest.mark.parametrize(("second", "noted"), [("get", 1), ("put", 0)])
def test_an_overloaded_operation_is_noted_as_not_checked(read_any: ReadAny, second: str, noted: int) -> None:
    contract = read_any(_OVERLOADED.format(second=second))
    assert len(contract.operations) == 2
    assert sum("is not checked for either" in note.message for note in contract.notes) == noted
