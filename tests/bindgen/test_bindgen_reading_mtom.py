"""MTOM as a fact of a contract: WS-MTOMPolicy, and the media types of binary content."""

from __future__ import annotations

import pytest

from tests.bindgen.conftest import ReadAny

_SPACES = (
    'xmlns:p="http://www.w3.org/ns/ws-policy" '
    'xmlns:o="http://schemas.xmlsoap.org/ws/2004/09/policy/optimizedmimeserialization" '
    'xmlns:n="http://www.w3.org/2007/08/soap12-mtom-policy" xmlns:a="urn:example:others" '
    'xmlns:u="http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-utility-1.0.xsd"'
)
_WSDL = """<w:definitions targetNamespace="urn:u" xmlns:t="urn:u" xmlns:w="http://schemas.xmlsoap.org/wsdl/"
    xmlns:s="http://schemas.xmlsoap.org/wsdl/soap/" xmlns:x="http://www.w3.org/2001/XMLSchema" {spaces}>
  {definitions}
  <w:types><x:schema targetNamespace="urn:u"><x:element name="In" type="x:base64Binary"/></x:schema></w:types>
  <w:message name="In"><w:part name="b" element="t:In"/></w:message>
  <w:portType name="T">{port_type}<w:operation name="Do"><w:input message="t:In"/></w:operation></w:portType>
  <w:binding name="B" type="t:T">{binding}<s:binding transport="http://schemas.xmlsoap.org/soap/http"/>
    <w:operation name="Do"><s:operation soapAction=""/>
      <w:input><s:body use="literal"/></w:input></w:operation></w:binding>
  <w:service name="S">{service}<w:port name="P" binding="t:B">{port}<s:address location="https://a.invalid/"/>
    </w:port><w:port name="Q" binding="t:B"><s:address location="https://a.invalid/q"/></w:port></w:service>
</w:definitions>"""
_REQUIRED = "<p:Policy><o:OptimizedMimeSerialization/></p:Policy>"
_OPTIONAL = '<p:Policy><o:OptimizedMimeSerialization p:Optional="true"/></p:Policy>'
_NAMED = '<p:Policy u:Id="m"><p:ExactlyOne><p:All><n:MTOM/></p:All></p:ExactlyOne></p:Policy>'
_REFERENCE = '<p:PolicyReference URI="#m"/>'
_CHOICE = "<p:Policy><p:ExactlyOne><p:All>{}</p:All><p:All><n:MTOM/></p:All></p:ExactlyOne></p:Policy>"


@pytest.mark.parametrize(
    ("put", "ports", "notes"),
    [
        ({"binding": _REQUIRED}, ["required", "required"], 0),
        ({"port": _REQUIRED}, ["required", ""], 0),
        ({"service": _OPTIONAL}, ["optional", "optional"], 0),
        ({"port": _REQUIRED, "binding": _OPTIONAL}, ["required", "optional"], 0),
        ({"definitions": _NAMED, "binding": _REFERENCE}, ["required", "required"], 0),
        ({"definitions": _NAMED, "port": f"<p:Policy>{_REFERENCE}</p:Policy>"}, ["required", ""], 0),
        ({"definitions": _NAMED}, ["", ""], 0),  # nothing refers to it
        ({"port_type": _REQUIRED}, ["", ""], 0),
        ({"binding": _CHOICE.format("")}, ["optional", "optional"], 0),
        ({"binding": _CHOICE.format("<n:MTOM/>")}, ["required", "required"], 0),
        ({"binding": _REQUIRED.replace("</p", "<a:Other/></p")}, ["required", "required"], 1),
    ],
)
def test_policy_is_read_for_each_port(
    read_any: ReadAny, put: dict[str, str], ports: list[str], notes: int
) -> None:
    places = dict.fromkeys(("definitions", "port_type", "binding", "service", "port"), "")
    contract = read_any(_WSDL.format(spaces=_SPACES, **(places | put)))
    assert [port.mtom for port in contract.ports] == ports
    assert len([note for note in contract.notes if "policy" in note.message]) == notes
