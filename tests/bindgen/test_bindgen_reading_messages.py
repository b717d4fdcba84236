"""Ports, operations, messages, headers and faults of any WSDL, with expectations written by hand."""

# ruff: noqa: E501 - contracts, one message per line

from __future__ import annotations

from typing import Any

import pytest
from lxml import etree

from bindgen.model import ANYTHING, Port
from tests.bindgen.conftest import read_any, struct_of

_HTTP = 'transport="http://schemas.xmlsoap.org/soap/http"'
_XSD = "http://www.w3.org/2001/XMLSchema"
_SCHEMA = """<x:element name="Ask"><x:complexType><x:sequence><x:element name="q" type="x:string"/></x:sequence></x:complexType></x:element>
<x:element name="Answer" type="x:int"/><x:element name="Open"/><x:element name="Other" type="t:T" nillable="true"/>
<x:complexType name="T"><x:sequence><x:element name="n" type="x:int"/></x:sequence></x:complexType>
<x:element name="Head" type="t:T" abstract="true"/><x:element name="Body" substitutionGroup="t:Head"/>"""
_MESSAGES = """<message name="AskIn"><part name="p" element="t:Ask"/></message>
<message name="AskOut"><part name="p" element="t:Answer"/></message>"""
_ASK = '<operation name="Ask"><input message="t:AskIn"/><output message="t:AskOut"/></operation>'
_BOUND = '<operation name="Ask"><s:operation soapAction="urn:ask"/><input><s:body use="literal"/></input><output><s:body use="literal"/></output></operation>'
_SERVICE = '<service name="S"><port name="P" binding="t:B"><s:address location="https://shop.invalid/soap"/></port></service>'


def _wsdl(
    messages: str = _MESSAGES,
    operations: str = _ASK,
    bound: str = _BOUND,
    *,
    style: str = "document",
    rest: str = _SERVICE,
    schema: str = _SCHEMA,
) -> str:
    return f"""<definitions targetNamespace="urn:shop" xmlns:t="urn:shop" xmlns="http://schemas.xmlsoap.org/wsdl/"
    xmlns:s="http://schemas.xmlsoap.org/wsdl/soap/" xmlns:s12="http://schemas.xmlsoap.org/wsdl/soap12/" xmlns:x="{_XSD}"
    xmlns:e="http://schemas.xmlsoap.org/soap/encoding/" xmlns:w="http://schemas.xmlsoap.org/wsdl/">
    <types><x:schema targetNamespace="urn:shop" elementFormDefault="qualified">{schema}</x:schema></types>
    {messages}<portType name="PT">{operations}</portType>
    <binding name="B" type="t:PT"><s:binding style="{style}" {_HTTP}/>{bound}</binding>{rest}</definitions>"""


def _bound(inside: str, output: str = "", name: str = "Ask") -> str:
    out = f"<output>{output}</output>" if output else ""
    return f'<operation name="{name}"><s:operation soapAction=""/><input>{inside}</input>{out}</operation>'


def test_operation_and_port_are_read() -> None:
    contract = read_any(_wsdl())
    (operation,) = contract.operations
    assert (operation.name, operation.soap_action, operation.port_type) == ("Ask", "urn:ask", "{urn:shop}PT")
    assert (operation.request_tag, operation.response_tag) == ("{urn:shop}Ask", "{urn:shop}Answer")
    assert (operation.style, operation.encoded, operation.one_way) == ("document", False, False)
    (value,) = operation.response.fields
    assert (value.wire, value.kind) == ("value", "text")
    port = Port("P", "S", "{urn:shop}B", "{urn:shop}PT", "https://shop.invalid/soap", "1.1")
    assert contract.ports == [port]
    assert (contract.problems, contract.notes, contract.messages) == ([], [], b"")
    assert contract.compiles


def test_ports_of_both_soap_versions_are_read_and_others_skipped() -> None:
    rest = f"""<binding name="B12" type="t:PT"><s12:binding {_HTTP}/>{_BOUND.replace("s:", "s12:")}</binding>
    <binding name="Get" type="t:PT"><h:binding verb="GET" xmlns:h="http://schemas.xmlsoap.org/wsdl/http/"/></binding>
    <binding name="Queue" type="t:PT"><s:binding transport="urn:queues"/>{_BOUND}</binding>
    <service name="S"><port name="Web" binding="t:Get"/><port name="Gone" binding="t:Gone"><s:address location="x"/></port>
    <port name="New" binding="t:B12"><s12:address location="https://shop.invalid/12"/></port>
    <port name="Q" binding="t:Queue"><s:address location="q"/></port></service>
    <service name="S2"><port name="Old" binding="t:B"><s:address location="https://shop.invalid/11"/></port></service>"""
    contract = read_any(_wsdl(rest=rest))
    ports = [(port.service, port.name, port.soap) for port in contract.ports]
    assert ports == [("S", "New", "1.2"), ("S2", "Old", "1.1")]
    assert len(contract.operations) == 1
    assert contract.problems == []
    assert sorted(note.message.split()[0] for note in contract.notes) == ["no", "transport"]


def test_binding_without_a_port_is_accepted() -> None:
    contract = read_any(_wsdl(rest=""))
    assert [(port.name, port.service, port.address) for port in contract.ports] == [("B", "", "")]
    assert len(contract.operations) == 1


def test_missing_soap_binding_is_a_problem() -> None:
    contract = read_any(_wsdl(rest="").replace("s:binding", "x:binding"))
    assert contract.operations == []
    said = [problem.message for problem in contract.problems]
    assert said == ["no binding over SOAP 1.1 or 1.2, so there is nothing to call"]


def test_messages_may_have_one_several_or_no_parts() -> None:
    messages = f"""{_MESSAGES}<message name="Two"><part name="a" element="t:Ask"/><part name="b" element="t:Other"/></message>
    <message name="Typed"><part name="only" type="t:T"/></message><message name="None"/><message name="Wild"><part name="p" element="t:Open"/></message>
    <message name="Any"><part name="p" element="t:Head"/></message>"""
    names = ("Two", "Typed", "None", "Wild", "Any")
    asked = '<operation name="{0}"><input message="t:{0}"/></operation>'
    operations = "".join(map(asked.format, names))
    bound = "".join(_bound('<s:body use="literal"/>', name=name) for name in names)
    contract = read_any(_wsdl(messages, operations, bound))
    two, typed, none, wild, head = contract.operations
    assert contract.problems == []
    assert two.request_tag == ""
    parts = [(field.tag, field.nillable) for field in two.request.fields]
    assert parts == [("{urn:shop}Ask", False), ("{urn:shop}Other", True)]
    assert (typed.request_tag, typed.request.qname) == ("only", "{urn:shop}T")
    assert (none.request_tag, none.request.fields) == ("", [])
    (anything,) = wild.request.fields
    assert wild.request_tag == "{urn:shop}Open"
    assert (anything.kind, anything.wire, anything.most) == ("content", "value", 1)
    assert anything.type is ANYTHING
    (group,) = head.request.fields
    assert (head.request_tag, group.kind) == ("", "group")
    assert [field.tag for field in struct_of(group).fields] == ["{urn:shop}Body"]
    assert all(operation.one_way and operation.response_tag == "" for operation in contract.operations)
    # A part with a type is an element that is not declared in any schema.
    assert b'name="only"' in contract.messages


def test_header_parts_are_not_in_the_body() -> None:
    messages = """<message name="AskIn"><part name="p" element="t:Ask"/><part name="h" element="t:Other"/></message>
    <message name="AskOut"><part name="p" element="t:Answer"/></message><message name="Heads"><part name="one" element="t:Answer"/><part name="two" type="t:T"/></message>"""
    heads = """<s:header message="t:AskIn" part="h" use="literal" w:required="true"/><s:header message="t:Heads" part="one" use="literal"/>
    <s:header message="t:Heads" part="two" use="literal" namespace="urn:heads"/><s:header message="t:Heads" part="none" use="literal"/>
    <s:header message="t:Gone" part="one" use="literal"/>"""
    head = '<s:header message="t:Heads" part="one" use="literal"/>'
    bound = _bound(f'{heads}<s:body use="literal"/>', f'<s:body use="literal"/>{head}')
    contract = read_any(_wsdl(messages, _ASK, bound))
    (operation,) = contract.operations
    assert operation.request_tag == "{urn:shop}Ask"
    assert [(one.name, one.tag, one.required) for one in operation.request_headers] == [
        ("h", "{urn:shop}Other", True),
        ("one", "{urn:shop}Answer", False),
        ("two", "{urn:heads}two", False),
    ]
    assert [one.name for one in operation.response_headers] == ["one"]
    assert contract.problems == []
    assert len([note for note in contract.notes if "the header is omitted" in note.message]) == 2


def test_body_parts_attribute_selects_parts() -> None:
    messages = _MESSAGES.replace('element="t:Ask"/>', 'element="t:Ask"/><part name="q" element="t:Other"/>')
    contract = read_any(_wsdl(messages, _ASK, _bound('<s:body use="literal" parts=" q "/>', "<s:body/>")))
    assert contract.operations[0].request_tag == "{urn:shop}Other"
    contract = read_any(_wsdl(messages, _ASK, _bound('<s:body use="literal" parts=""/>', "<s:body/>")))
    assert (contract.operations[0].request_tag, contract.operations[0].request.fields) == ("", [])


def test_faults_are_read() -> None:
    messages = f'{_MESSAGES}<message name="F"><part name="f" element="t:Other"/></message><message name="G"><part name="g" element="t:Answer"/></message>'
    faults = '<fault name="one" message="t:F"/><fault name="two" message="t:G"/><fault name="again" message="t:F"/><fault name="gone" message="t:Gone"/>'
    contract = read_any(_wsdl(messages, _ASK.replace("</operation>", f"{faults}</operation>")))
    (operation,) = contract.operations
    tags = [(fault.name, fault.tag) for fault in operation.faults]
    assert tags == [("one", "{urn:shop}Other"), ("two", "{urn:shop}Answer")]
    assert operation.faults[0].type.qname == "{urn:shop}T"
    assert list(contract.faults) == ["Other", "Answer"]
    assert contract.problems == []


_PARTS = """<message name="AskIn"><part name="a" type="x:int"/><part name="b" type="t:T"/></message>
<message name="AskOut"><part name="return" type="x:string"/></message>"""


def test_rpc_style_is_read() -> None:
    body = '<s:body use="literal" namespace="urn:calls"/>'
    contract = read_any(_wsdl(_PARTS, _ASK, _bound(body, body), style="rpc"))
    (operation,) = contract.operations
    assert (operation.style, operation.encoded) == ("rpc", False)
    assert (operation.request_tag, operation.response_tag) == ("{urn:calls}Ask", "{urn:calls}AskResponse")
    fields = [(field.tag, field.least, field.most) for field in operation.request.fields]
    assert fields == [("a", 1, 1), ("b", 1, 1)]
    # Independent of the model: the generated schema compiles together with the contract's, and rejects
    # invalid messages.
    message = etree.fromstring('<c:Ask xmlns:c="urn:calls"><a>1</a><b><n xmlns="urn:shop">2</n></b></c:Ask>')
    schema = _joined(contract.one_file, contract.messages)
    assert schema.validate(message)
    message[0].text = "x"
    assert not schema.validate(message)


def _joined(one_file: bytes, messages: bytes) -> etree.XMLSchema:
    """Compile the two schemas together."""

    class Memory(etree.Resolver):
        # The stubs do not declare types for these arguments.
        def resolve(self, system_url: Any, public_id: Any, context: Any) -> Any:
            return self.resolve_string(types, context)

    node = etree.fromstring(one_file).find(f".//{{{_XSD}}}schema")
    assert node is not None
    types = etree.tostring(etree.fromstring(etree.tostring(node)))
    parser = etree.XMLParser()
    parser.resolvers.add(Memory())
    root = etree.fromstring(messages, parser)
    for link in root.iter(f"{{{_XSD}}}import"):
        link.set("schemaLocation", "memory:types")
    return etree.XMLSchema(etree.fromstring(etree.tostring(root), parser))


def test_encoded_messages_are_read_as_literal_ones() -> None:
    body = '<s:body use="encoded" namespace="urn:calls" encodingStyle="http://schemas.xmlsoap.org/soap/encoding/"/>'
    array = """<x:complexType name="Ts"><x:complexContent><x:restriction base="e:Array">
    <x:attribute ref="e:arrayType" w:arrayType="t:T[]"/></x:restriction></x:complexContent></x:complexType>
    <x:complexType name="Grid"><x:complexContent><x:restriction base="e:Array"><x:sequence/>
    <x:attribute ref="e:arrayType" w:arrayType="x:int[][]"/></x:restriction></x:complexContent></x:complexType>"""
    parts = """<message name="AskIn"><part name="a" type="e:int"/><part name="b" type="t:Ts"/><part name="c" type="t:Grid"/></message>
    <message name="AskOut"><part name="return" type="x:string"/></message>"""
    contract = read_any(_wsdl(parts, _ASK, _bound(body, body), style="rpc", schema=_SCHEMA + array))
    (operation,) = contract.operations
    assert operation.encoded
    assert (contract.problems, contract.notes) == ([], [])
    assert contract.compiles  # with the schema of the SOAP encoding
    a, b, c = operation.request.fields
    assert (a.type_name, a.nillable) == ("{http://schemas.xmlsoap.org/soap/encoding/}int", True)
    (item,) = struct_of(b).fields
    assert (item.wire, item.tag, item.most) == ("item", "item", None)
    assert struct_of(item).qname == "{urn:shop}T"
    row = struct_of(struct_of(c).fields[0])
    assert row.fields[0].type_name == f"{{{_XSD}}}int"
    assert operation.response.fields[0].least == 0


def test_wrappers_of_several_namespaces_are_several_schemas() -> None:
    one, two = (f'<s:body use="literal" namespace="urn:{name}"/>' for name in ("one", "two"))
    contract = read_any(_wsdl(_PARTS, _ASK, _bound(one, two), style="rpc"))
    schemas = list(etree.fromstring(contract.messages).iter(f"{{{_XSD}}}schema"))
    assert [schema.get("targetNamespace") for schema in schemas] == ["urn:one", "urn:two"]


def test_overloaded_operations_get_unique_names() -> None:
    messages = _MESSAGES + '<message name="AskLong"><part name="p" element="t:Other"/></message>'
    operations = f'{_ASK}<operation name="Ask"><input name="AskAtLength" message="t:AskLong"/><output message="t:AskOut"/></operation>'
    bound = """<operation name="Ask"><s:operation soapAction="long"/><input name="AskAtLength"><s:body use="literal"/></input></operation>
    <operation name="Ask"><s:operation soapAction="short"/><input><s:body use="literal"/></input></operation>"""
    contract = read_any(_wsdl(messages, operations, bound))
    first, second = contract.operations
    assert (first.name, first.request_tag) == ("Ask", "{urn:shop}Ask")
    assert (second.name, second.request_tag, second.soap_action) == ("AskAtLength", "{urn:shop}Other", "long")
    assert contract.problems == []


def test_server_initiated_operations_are_skipped() -> None:
    operations = f'{_ASK}<operation name="Tell"><output message="t:AskOut"/></operation><operation name="Want"><output message="t:AskOut"/><input message="t:AskIn"/></operation>'
    contract = read_any(_wsdl(operations=operations))
    assert [operation.name for operation in contract.operations] == ["Ask"]
    said = [(problem.message.split("(")[1][:7], problem.place is not None) for problem in contract.problems]
    assert said == [("notific", True), ("solicit", True)]


def test_only_selected_operations_are_read() -> None:
    operations = _ASK + '<operation name="Bad"><input message="t:Gone"/></operation>'
    bound = _BOUND + _bound("<s:body/>", name="Bad")
    contract = read_any(_wsdl(operations=operations, bound=bound), only=["Ask"])
    assert [operation.name for operation in contract.operations] == ["Ask"]
    assert contract.problems == []
    contract = read_any(_wsdl(operations=operations, bound=bound), only={"Ask", "Asks"})
    said = [problem.message for problem in contract.problems]
    assert said == ["no operation 'Asks' in the contract; it has: Ask, Bad"]


@pytest.mark.parametrize(
    ("usual", "instead", "said"),
    [
        ('<input message="t:AskIn"/>', '<input message="t:Gone"/>', "no message 't:Gone'"),
        ('element="t:Ask"', 'element="t:Asking"', "no element 't:Asking'"),
    ],
)
def test_operation_without_its_message_is_skipped(usual: str, instead: str, said: str) -> None:
    other = '<operation name="Rest"><input message="t:AskOut"/></operation>'
    text = _wsdl(operations=_ASK + other, bound=_BOUND + _bound("<s:body/>", name="Rest"))
    contract = read_any(text.replace(usual, instead))
    assert [operation.name for operation in contract.operations] == ["Rest"]
    (problem,) = contract.problems
    assert problem.message.startswith(said)
    assert problem.place is not None
    assert instead in "\n".join(problem.place.lines)


@pytest.mark.parametrize(
    ("usual", "instead", "tag", "notes"),
    [
        ('message="t:AskIn"', 'message="AskIn"', "{urn:shop}Ask", 0),
        ('message="t:AskIn"', 'message="q:AskIn"', "{urn:shop}Ask", 1),
        ('element="t:Ask"', 'element="Ask"', "{urn:shop}Ask", 1),
        ('element="t:Ask"', 'element="q:Ask"', "{urn:shop}Ask", 1),
        ('element="t:Ask"', 'element="t:T"', "{urn:shop}T", 1),
        ('element="t:Ask"', 'type="t:Ask"', "p", 1),
        ('element="t:Ask"', 'element="o:Gone" xmlns:o="urn:gone"', "{urn:gone}Gone", 1),
        ('binding="t:B"', 'binding="B"', "{urn:shop}Ask", 0),
        ('type="t:PT"', 'type="o:PT" xmlns:o="urn:o"', "{urn:shop}Ask", 1),
        ('<s:body use="literal"/></input>', "</input>", "{urn:shop}Ask", 0),
        ('<input><s:body use="literal"/></input>', '<input><m:multipartRelated xmlns:m="urn:m"><m:part><s:body/></m:part></m:multipartRelated></input>', "{urn:shop}Ask", 0),
        ("<s:binding ", '<u:UsingAddressing w:required="true" xmlns:u="http://www.w3.org/2006/05/addressing/wsdl"/><s:binding ', "{urn:shop}Ask", 0),
        (f" {_HTTP}", "", "{urn:shop}Ask", 0),
    ],
)  # fmt: skip
def test_small_mistakes_are_tolerated_and_noted(usual: str, instead: str, tag: str, notes: int) -> None:
    assert usual in _wsdl()
    contract = read_any(_wsdl().replace(usual, instead))
    assert contract.problems == []
    assert [operation.request_tag for operation in contract.operations] == [tag]
    assert len(contract.notes) == notes, contract.notes
    assert all(note.place is not None for note in contract.notes)


_MIME = 'xmlns:m="http://schemas.xmlsoap.org/wsdl/mime/"'
_DIME = 'xmlns:d="http://schemas.xmlsoap.org/ws/2002/04/dime/wsdl/"'
_ATTACHED = f"""<m:multipartRelated {_MIME}><m:part><s:body parts="p" use="literal"/></m:part>
    <m:part><m:content part="scan" type="image/png"/></m:part></m:multipartRelated>"""
_LITERAL = '<s:body use="literal"/>'
_SEND = '<operation name="Send"><input message="t:SendIn"/><output message="t:SendIn"/></operation>'


@pytest.mark.parametrize(
    ("ends", "said"),
    [
        ((f"<m:multipartRelated {_MIME}><m:part><m:content part='scan' type='image/png'/></m:part></m:multipartRelated>", _LITERAL), "'Send' is omitted: no mime:part has the soap:body"),
        ((_LITERAL, f'<m:content {_MIME} part="p" type="text/xml"/>'), "'Send' is omitted: its output is sent as MIME content (mime:content)"),
        ((f'<d:message {_DIME} w:required="true"/>{_LITERAL}', _LITERAL), "'Send' is omitted: its input is sent with attachments (dime:message)"),
    ],
)  # fmt: skip
def test_mime_operation_without_an_envelope_is_skipped(ends: tuple[str, str], said: str) -> None:
    messages = f'{_MESSAGES}<message name="SendIn"><part name="p" element="t:Ask"/><part name="scan" type="x:base64Binary"/></message>'
    contract = read_any(_wsdl(messages, _ASK + _SEND, _BOUND + _bound(*ends, name="Send")))
    assert [operation.name for operation in contract.operations] == ["Ask"]
    (problem,) = contract.problems
    assert said in problem.message
    assert problem.place is not None
    assert problem.place.file == "contract.wsdl"
    assert any(word in problem.place.lines[0] for word in ("multipartRelated", "m:content", "d:message"))


_SEND_MESSAGES = f"""{_MESSAGES}<message name="SendIn"><part name="p" element="t:Ask"/><part name="scan" type="x:base64Binary"/>
    <part name="list" type="x:string"/></message>"""
_TWO = f"""<m:multipartRelated {_MIME}>
    <m:part><m:content part="scan" type="image/png"/><m:content part="scan" type="image/jpeg"/></m:part>
    <m:part><s:body use="literal"/></m:part><m:part><m:content part="list"/></m:part></m:multipartRelated>"""


@pytest.mark.parametrize(
    ("attached", "expected"),
    [
        (_ATTACHED, [("scan", ("image/png",))]),
        (_TWO, [("scan", ("image/png", "image/jpeg")), ("list", ("*/*",))]),
        (_TWO.replace('content part="list"', 'mimeXml part="list"'), [("scan", ("image/png", "image/jpeg")), ("list", ("text/xml",))]),
        (_TWO.replace("<m:content part=\"list\"/>", "<m:content part=\"gone\"/>"), [("scan", ("image/png", "image/jpeg"))]),
    ],
)  # fmt: skip
@pytest.mark.parametrize("end", ["request", "response", "both"])
def test_mime_parts_are_attachments_and_not_in_the_body(
    attached: str, expected: list[tuple[str, tuple[str, ...]]], end: str
) -> None:
    plain = '<s:body use="literal" parts="p"/>'
    ends = (plain if end == "response" else attached, plain if end == "request" else attached)
    contract = read_any(_wsdl(_SEND_MESSAGES, _ASK + _SEND, _BOUND + _bound(*ends, name="Send")))
    ask, send = contract.operations
    assert contract.problems == []
    assert (ask.request_attachments, ask.response_attachments) == ((), ())
    found = {
        "request": [(one.name, one.media_types) for one in send.request_attachments],
        "response": [(one.name, one.media_types) for one in send.response_attachments],
    }
    assert found == {name: expected if end in (name, "both") else [] for name in found}
    # If only "list" is lost, it stays in the body: it is not declared as an attachment.
    whole = "gone" not in attached
    assert (send.request_tag, send.response_tag) == (
        "{urn:shop}Ask" if whole or end == "response" else "",
        "{urn:shop}Ask" if whole or end == "request" else "",
    )
    assert not any("attachments" in note.message for note in contract.notes)


@pytest.mark.parametrize("soap", ["1.1", "1.2"])
def test_header_in_a_mime_part_is_read(soap: str) -> None:
    """RPC style, and a header in the first part. Only the attachment is not in the body."""
    header = '<s:header message="t:AskIn" part="p" use="literal"/>'
    body = '<s:body use="literal" namespace="urn:calls"/>'
    bound = _bound(_TWO.replace(_LITERAL, f"{header}{body}"), body, name="Send")
    text = _wsdl(_SEND_MESSAGES, _SEND, bound, style="rpc")
    contract = read_any(text if soap == "1.1" else text.replace("<s:", "<s12:"))
    (send,) = contract.operations
    assert [port.soap for port in contract.ports] == [soap]
    assert send.request_tag == "{urn:calls}Send"
    assert [field.wire for field in send.request.fields] == ["Ask"]
    assert [field.wire for field in send.response.fields] == ["Ask", "scan", "list"]
    assert [header.tag for header in send.request_headers] == ["{urn:shop}Ask"]
    assert [one.name for one in send.request_attachments] == ["scan", "list"]


_WSAW = "http://www.w3.org/2006/05/addressing/wsdl"
_WSAM = "http://www.w3.org/2007/05/addressing/metadata"
_POLICY = 'xmlns:p="http://www.w3.org/ns/ws-policy"'
_IDENTIFIED = 'xmlns:u="http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-utility-1.0.xsd"'


@pytest.mark.parametrize("space", [_WSAW, _WSAM])
def test_declared_addressing_action_is_used(space: str) -> None:
    """It is read whether or not WS-Addressing is required, and takes precedence over SOAPAction."""
    named = f'<input message="t:AskIn" a:Action=" urn:shop:ask " xmlns:a="{space}"/>'
    contract = read_any(_wsdl(operations=_ASK.replace('<input message="t:AskIn"/>', named)))
    assert [operation.action for operation in contract.operations] == ["urn:shop:ask"]
    assert contract.notes == []


_REQUIRING = [  # in the binding, in the definitions
    (f'<a:UsingAddressing xmlns:a="{_WSAW}" w:required="true"/>', ""),
    (f'<p:Policy {_POLICY}><a:Addressing xmlns:a="{_WSAM}"/></p:Policy>', ""),
    (f'<p:Policy {_POLICY}><p:ExactlyOne><p:All><a:Addressing xmlns:a="{_WSAM}"><p:Policy><a:AnonymousResponses/></p:Policy></a:Addressing></p:All></p:ExactlyOne></p:Policy>', ""),
    (f'<p:PolicyReference {_POLICY} URI="#one"/>', f'<p:Policy {_POLICY} {_IDENTIFIED} u:Id="one"><a:UsingAddressing xmlns:a="{_WSAW}"/></p:Policy>'),
    (f'<p:PolicyReference {_POLICY} URI="#two"/>', f'<p:Policy {_POLICY} {_IDENTIFIED} u:Id="one"><a:Addressing xmlns:a="{_WSAM}"/></p:Policy><p:Policy {_POLICY} {_IDENTIFIED} u:Id="two"><p:PolicyReference URI="#one"/></p:Policy>'),
]  # fmt: skip
_OFFERING = [
    (f'<a:UsingAddressing xmlns:a="{_WSAW}"/>', ""),
    (f'<a:UsingAddressing xmlns:a="{_WSAW}" w:required="false"/>', ""),
    (f'<p:Policy {_POLICY}><a:Addressing xmlns:a="{_WSAM}" p:Optional="true"/></p:Policy>', ""),
    ("", f'<p:Policy {_POLICY} {_IDENTIFIED} u:Id="one"><a:Addressing xmlns:a="{_WSAM}"/></p:Policy>'),
    (f'<documentation><p:Policy {_POLICY}><a:Addressing xmlns:a="{_WSAM}"/></p:Policy></documentation>', ""),
]


# Default action patterns of Web Services Addressing 1.0, Metadata, 4.4.4, with the example names from there.
@pytest.mark.parametrize(
    ("namespace", "operation", "expected"),
    [
        ("urn:shop", _ASK, "urn:shop:PT:AskRequest"),
        ("http://example.com/stockquote", _ASK, "http://example.com/stockquote/PT/AskRequest"),
        ("http://example.com/stockquote/", _ASK, "http://example.com/stockquote/PT/AskRequest"),
        ("urn:shop", _ASK.replace("<input ", '<input name="Wanted" '), "urn:shop:PT:Wanted"),
        ("urn:shop", '<operation name="Ask"><input message="t:AskIn"/></operation>', "urn:shop:PT:Ask"),
    ],
)
@pytest.mark.parametrize(("binding", "top"), _REQUIRING)
def test_default_action_is_used_if_addressing_is_required(
    namespace: str, operation: str, expected: str, binding: str, top: str
) -> None:
    text = _wsdl(operations=operation, bound=_BOUND.replace('soapAction="urn:ask"', ""))
    text = text.replace("urn:shop", namespace)
    text = text.replace("<types>", f"{top}<types>").replace("<s:binding ", f"{binding}<s:binding ")
    contract = read_any(text)
    assert [one.action for one in contract.operations] == [expected]
    assert contract.notes == []  # it is applied, so there is no note


@pytest.mark.parametrize(
    ("binding", "top", "action"),
    [*((*each, "urn:ask") for each in _REQUIRING), ("", "", ""), *((*each, "") for each in _OFFERING)],
)
def test_soap_action_is_the_action_if_addressing_is_required(binding: str, top: str, action: str) -> None:
    text = _wsdl().replace("<types>", f"{top}<types>").replace("<s:binding ", f"{binding}<s:binding ")
    contract = read_any(text)
    assert ([one.action for one in contract.operations], contract.notes) == ([action], [])
