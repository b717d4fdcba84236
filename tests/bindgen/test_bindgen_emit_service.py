"""Calls with all forms of messages: headers, faults, one-way, several parts, RPC, several port types."""

# ruff: noqa: E501 - WSDLs are easier to read unbroken

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any, cast

import pytest
from lxml import etree

from soapclient.runtime import CountingReader, EncodeError, Package
from soapclient.runtime.operations import Part, SoapHeader
from soapclient.runtime.schema import PartRow
from tests.bindgen.conftest import SPACE, Made, Make
from tests.support.cases import case_text

_WHOLE = case_text(__file__, "service.wsdl")
_SCHEMA = """<x:element name="AskRequest" type="x:string"/><x:element name="AskResponse" type="x:int"/>
<x:element name="Auth"><x:complexType><x:sequence><x:element name="key" type="x:string"/></x:sequence></x:complexType></x:element>
<x:element name="Trace" type="x:string"/><x:element name="Tell"><x:complexType><x:sequence><x:element name="list" type="x:string" maxOccurs="unbounded"/></x:sequence></x:complexType></x:element>
<x:element name="Broken"><x:complexType><x:sequence><x:element name="why" type="x:string"/></x:sequence></x:complexType></x:element>
<x:complexType name="Things"><x:sequence><x:element name="thing" type="x:string" maxOccurs="unbounded"/></x:sequence></x:complexType>
"""


@dataclass
class _Caller:
    """Records calls. Returns the configured response."""

    answer: str = ""
    calls: list[tuple[Any, etree._Element, list[etree._Element]]] = field(default_factory=list)

    def call(self, operation: Any, request: Any, headers: Sequence[Any] = (), /) -> Any:
        node = etree.Element(operation.request_tag or "Body")
        operation.write_request(request, node, operation.name)
        above = etree.Element("Header")
        for header in headers:
            header.write(above)
        self.calls.append((operation, node, list(above)))
        if not self.answer:
            return None
        return operation.read_response(etree.fromstring(self.answer), CountingReader())


@pytest.fixture
def made(make: Make) -> Made:
    return make(_SCHEMA, _WHOLE)


def test_headers_faults_and_docstrings_are_generated(made: Made) -> None:
    caller = _Caller(f'<AskResponse xmlns="{SPACE}"> 7 </AskResponse>')
    service = made.service.ShopService(caller)
    answer = service.ask(value="what", auth_header=made.types.Auth(key="k"))
    assert answer.value == 7
    ((operation, node, headers),) = caller.calls
    assert (node.tag, node.text) == (f"{{{SPACE}}}AskRequest", "what")
    assert [(each.tag, each[0].text) for each in headers] == [(f"{{{SPACE}}}Auth", "k")]
    assert set(operation.faults) == {f"{{{SPACE}}}Broken"}
    detail = etree.fromstring(f'<Broken xmlns="{SPACE}"><why>so</why></Broken>')
    assert operation.faults[detail.tag].read(detail, CountingReader()).why == "so"
    assert set(operation.response_headers) == {f"{{{SPACE}}}Trace"}
    assert set(operation.request_headers) == {f"{{{SPACE}}}Auth", f"{{{SPACE}}}Trace"}


def test_one_way_operation_returns_none(made: Made) -> None:
    caller = _Caller()
    assert made.service.ShopService(caller).tell(list_=["a", "b"]) is None
    ((operation, node, _),) = caller.calls
    assert operation.one_way
    assert [child.text for child in node] == ["a", "b"]


def test_rpc_parts_are_in_a_wrapper(made: Made) -> None:
    assert made.contract.service_classes == {
        f"{{{SPACE}}}ShopPort": "ShopService",
        f"{{{SPACE}}}Adder": "AdderService",
    }
    caller = _Caller('<r:AddResponse xmlns:r="urn:rpc"><sum>5</sum></r:AddResponse>')
    service = made.service.AdderService(caller)
    answer = service.add(a=1, list_=["x", "y"])
    assert answer.sum == 5
    ((operation, node, _),) = caller.calls
    assert operation.style == "rpc"
    assert [thing.text for thing in node[1]] == ["x", "y"]
    assert node.tag == "{urn:rpc}Add"
    assert [child.tag for child in node] == ["a", "list"]


def test_the_tables_list_all_ports(made: Made) -> None:
    tables = made.service.PACKAGE.settings
    assert [(port.name, port.soap, port.address) for port in tables.ports] == [
        ("One", "1.1", "https://shop.invalid/one"),
        ("Two", "1.2", "https://shop.invalid/two"),
        ("Three", "1.1", "https://shop.invalid/three"),
    ]
    assert tables.ports[2].port_type == made.service.AdderService.PORT_TYPE
    assert tables.messages == ("messages.xsd" in made.files)
    assert list(made.service.PACKAGE.operations) == ["Ask", "Tell", "Add"]


def test_required_header_is_a_required_argument() -> None:
    package = SimpleNamespace(schema=SimpleNamespace(tag=lambda name: name))
    part = Part(cast(Package, package), PartRow(name="auth", xml="a", type="Auth", required=True))
    with pytest.raises(EncodeError):
        SoapHeader(part, None).write(etree.Element("Header"))


def test_omitted_headers_are_not_sent(made: Made) -> None:
    assert made.operation.headers({"auth": None, "trace": None}) == ()
    [sent] = made.operation.headers({"auth": made.types.Auth(key="k"), "trace": None})
    assert sent.part.name == "auth"
