"""Unsupported contracts are refused: all problems at once, with quoted lines, before any file is written."""

# ruff: noqa: E501 - a table of schemas, one per line

from __future__ import annotations

import pytest

from tests.bindgen.conftest import ON_REST, REQUEST, Workshop, document

_FILE = "shop/1/contract.wsdl"


def _response(body: str, rest: str = "") -> str:
    """Return a schema whose response is a complex type with `body` as its content."""
    return f'{REQUEST}<x:element name="AskResponse"><x:complexType>\n{body}\n</x:complexType></x:element>\n{rest}'


def _field(line: str, rest: str = "") -> str:
    return _response(f"<x:sequence>\n{line}\n</x:sequence>", rest)


def _simple(inside: str) -> str:
    odd = f'<x:simpleType name="Odd">\n{inside}\n</x:simpleType>'
    return _field('<x:element name="a" type="t:Odd"/>', odd)


def _restricted(facet: str) -> str:
    return _simple(f'<x:restriction base="x:string">\n{facet}\n</x:restriction>')


_GROUP = '<x:group name="G"><x:sequence><x:element name="b" type="x:int"/></x:sequence></x:group>'
_LIST = """<x:simpleType name="L"><x:list itemType="x:int"/></x:simpleType>
<x:simpleType name="U"><x:union memberTypes="t:L x:string"/></x:simpleType>"""

# Schema, the line that must be named and quoted, part of the message.
_SCHEMAS = {
    "any": (_field('<x:any processContents="lax"/>'), "<x:any ", "a wildcard"),
    "any attribute": (_response("<x:anyAttribute/>"), "<x:anyAttribute/>", "a wildcard"),
    "nillable": (_field('<x:element name="a" type="x:int" nillable="true"/>'), 'nillable="true"', "'a' may be nil"),
    "repeated sequence": (_response('<x:sequence maxOccurs="2">\n<x:element name="a" type="x:int"/>\n</x:sequence>'), '<x:sequence maxOccurs="2">', "a sequence that repeats"),
    "abstract": (_field('<x:element name="a" type="t:Odd"/>', '<x:complexType name="Odd" abstract="true"><x:sequence/></x:complexType>'), '<x:element name="a" type="t:Odd"/>', "its type is abstract (xsi:type)"),
    "mixed": (_field('<x:element name="a" type="t:Odd"/>', '<x:complexType name="Odd" mixed="true"><x:sequence/></x:complexType>'), '<x:element name="a" type="t:Odd"/>', "'a' is of any type"),
    "substitution": (f'{REQUEST}<x:element name="AskResponse" substitutionGroup="t:Head">\n<x:complexType/></x:element>', "<x:schema ", "does not resolve to"),
    "abstract message": (f'{REQUEST}<x:element name="AskResponse" abstract="1"><x:complexType/></x:element>', '<part name="p" element="t:AskResponse"/>', "the element of a message is abstract"),
    "twice in a sequence": (_field('<x:element name="a" type="x:int"/>\n<x:element name="a" type="x:string"/>'), '<x:element name="a" type="x:string"/>', "two elements 'a' in one type"),
    "reference twice in a sequence": (_field('<x:element ref="t:g"/>\n<x:element ref="t:g" />', '<x:element name="g" type="x:int"/>'), '<x:element ref="t:g" />', "an element that occurs twice or never in one sequence"),
    "element in two arms of a choice": (_field('<x:choice><x:sequence>\n<x:element name="a" type="x:int"/>\n<x:element name="b" type="x:int"/></x:sequence><x:sequence><x:element name="c" type="x:int"/>\n<x:element name="a" type="x:int" />\n</x:sequence></x:choice>'), '<x:element name="a" type="x:int" />', "an element that occurs twice or never in one sequence"),
    "attributes of one name": (_response('<x:attribute name="g" type="x:int"/>\n<x:attribute ref="t:g"/>', '<x:attribute name="g" type="x:int"/>'), '<x:attribute ref="t:g"/>', "two attributes 'g' in one type"),
    "repeated choice": (_response('<x:choice maxOccurs="2">\n<x:element name="a" type="x:int"/>\n</x:choice>'), '<x:choice maxOccurs="2">', "a choice that repeats"),
    "repeated group": (_response('<x:sequence>\n<x:group ref="t:G" maxOccurs="2"/></x:sequence>', '<x:group name="G">\n<x:sequence><x:element name="b" type="x:int"/><x:element name="c" type="x:int"/></x:sequence></x:group>'), "<x:sequence><x:element", "'G', a repeating group"),
    "nillable in a choice": (_response('<x:choice>\n<x:element name="a" type="x:int" nillable="true"/>\n<x:element name="b" type="x:int"/></x:choice>'), 'nillable="true"', "'a' may be nil"),
    "repeating nillable": (_field('<x:element name="a" type="x:int" minOccurs="0" maxOccurs="2" nillable="true"/>'), 'nillable="true"', "'a' may be nil"),
    "substitution group": (_field('<x:element ref="t:h"/>', '<x:element name="h" type="x:int"/>\n<x:element name="i" type="x:int" substitutionGroup="t:h"/>'), '<x:element ref="t:h"/>', "'h', a repeating group or a substitution group"),
    "qualified name": (_field('<x:element name="a" type="x:QName"/>'), 'type="x:QName"', "'a' is a qualified name"),
    "restriction of simple content": (_field('<x:element name="a" type="t:Odd"/>', '<x:complexType name="Odd"><x:simpleContent>\n<x:restriction base="x:string"/>\n</x:simpleContent></x:complexType>'), '<x:restriction base="x:string"/>', "a restriction of a simple type in simple content is not supported"),
    "any type": (_field('<x:element name="a"/>'), '<x:element name="a"/>', "'a' is of any type"),
    "undeclared type": (_field('<x:element name="a" type="t:Nowhere"/>'), 'type="t:Nowhere"', "type 't:Nowhere' is not declared"),
    "declared twice": (_field('<x:element name="a" type="t:Odd"/>', '<x:complexType name="Odd"><x:sequence/></x:complexType>\n<x:complexType name="Odd"><x:attribute name="b" type="x:int"/></x:complexType>'), '<x:complexType name="Odd"><x:attribute', "declared twice"),
    "message without element": (REQUEST, '<part name="p" element="t:AskResponse"/>', "no element"),
    "no number of times": (_field('<x:element name="a" type="x:int" minOccurs="x"/>'), 'minOccurs="x"', "'x' is not valid"),
    "a negative number of times": (_field('<x:element name="a" type="x:int" maxOccurs="-1"/>'), 'maxOccurs="-1"', "'-1' is not valid"),
    "at least twice and at most once": (_field('<x:element name="a" type="x:int" minOccurs="2"/>'), 'minOccurs="2"', "must not be greater"),
    "no name": (_field('<x:element type="x:int"/>'), '<x:element type="x:int"/>', "'name' is required"),
    "default of another type": (_field('<x:element name="a" type="x:int" default="q"/>'), 'default="q"', "not a valid value"),
    "undeclared type that no operation reaches": (_field('<x:element name="a" type="x:int"/>', '<x:complexType name="Aside">\n<x:attribute name="g" type="t:Nowhere"/></x:complexType>'), 'name="g"', "does not resolve"),
    "circle of simple types": (_field('<x:element name="a" type="t:A"/>', '<x:simpleType name="A"><x:restriction base="t:B"/></x:simpleType>\n<x:simpleType name="B"><x:restriction base="t:A"/></x:simpleType>'), '<x:simpleType name="A">', "circular"),
    "circle of extensions": (_field('<x:element name="a" type="t:A"/>', '<x:complexType name="A"><x:simpleContent>\n<x:extension base="t:A"/></x:simpleContent></x:complexType>'), '<x:extension base="t:A"/>', "extends itself"),
    "import without a place": (f'<x:import namespace="urn:other"/>\n{_field(chr(60) + chr(120) + ":element name=" + chr(34) + "a" + chr(34) + " type=" + chr(34) + "o:T" + chr(34) + " xmlns:o=" + chr(34) + "urn:other" + chr(34) + "/>")}', 'type="o:T"', "is not declared"),
}  # fmt: skip
# Constructs that are read, and that both protocols can represent; test_bindgen_protocol_values sends the others.
_READ = {
    "enumeration and pattern": _restricted('<x:enumeration value="a"/>\n<x:pattern value="a"/>'),
    "keys": _field('<x:element name="a" type="x:int">\n<x:key name="k"><x:selector xpath="a"/><x:field xpath="b"/></x:key>\n</x:element>'),
    "default of simple content": _field('<x:element name="a" type="t:Odd" default="7"/>', '<x:complexType name="Odd"><x:simpleContent><x:extension base="x:int"/></x:simpleContent></x:complexType>'),
    "text that is a list": _response('<x:simpleContent>\n<x:extension base="t:L"><x:attribute name="k" type="x:int"/></x:extension>\n</x:simpleContent>', _LIST),
    "union with a list": _field('<x:element name="a" type="t:U"/>', _LIST),
    "year in a union": _field('<x:element name="a" type="t:Y"/>', '<x:simpleType name="Y"><x:union memberTypes="x:int x:gYear"/></x:simpleType>'),
    "optional sequence in a choice": _response('<x:choice><x:element name="c" type="x:int"/><x:sequence minOccurs="0">\n<x:element name="a" type="x:int"/>\n</x:sequence></x:choice>'),
    "extension by a choice": _response('<x:complexContent><x:extension base="t:B"><x:choice>\n<x:element name="a" type="x:int"/>\n<x:element name="b" type="x:int"/></x:choice></x:extension></x:complexContent>', '<x:complexType name="B"><x:sequence><x:element name="z" type="x:int"/></x:sequence></x:complexType>'),
    "optional all": _response('<x:all minOccurs="0">\n<x:element name="a" type="x:int"/>\n</x:all>'),
    "optional group": _field('<x:group ref="t:G" minOccurs="0"/>', _GROUP),
}  # fmt: skip
_GOOD = _field('<x:element name="answer" type="x:string"/>')
_MIME = """<m:multipartRelated xmlns:m="http://schemas.xmlsoap.org/wsdl/mime/"><m:part>
<s:body use="literal"/>
</m:part></m:multipartRelated>"""


def _policy(required: str) -> str:
    spaces = 'xmlns:p="http://www.w3.org/ns/ws-policy" xmlns:w="http://schemas.xmlsoap.org/wsdl/"'
    return f'<p:PolicyReference URI="#safe" w:required="{required}" {spaces}/>'


# Changes of the WSDL outside of the schema: text, replacement, named line, part of the message.
_AROUND = {
    "two services": ("</definitions>", '<service name="Second">\n<port name="P" binding="t:ShopBinding"><s:address location="https://second.invalid/"/></port></service></definitions>', "<definitions ", "found 2"),
    "no service": ('<s:address location="https://shop.invalid/soap"/>', "", "<definitions ", "found 0"),
    "notification": ('<input message="t:AskIn"/><output message="t:AskOut"/>', '<output message="t:AskOut"/>', '<operation name="Ask"><output', "is started by the server (notification)"),
    "no such binding": ('binding="t:ShopBinding"', 'binding="t:Nowhere"', 'binding="t:Nowhere"', "no binding 't:Nowhere'"),
    "no such message": ('<input message="t:AskIn"/>', '<input message="t:Nowhere"/>', 'message="t:Nowhere"', "no message 't:Nowhere'"),
    "no such port type": ('type="t:ShopPort"', 'type="t:Nowhere"', 'type="t:Nowhere"', "no portType 't:Nowhere'"),
    "transport": ("http://schemas.xmlsoap.org/soap/http", "http://schemas.xmlsoap.org/soap/smtp", "<s:binding ", "soap/smtp' is not supported"),
    "body of another part": ('<input><s:body use="literal"/></input>', '<input><s:body use="literal" parts="q"/></input>', 'parts="q"', "parts has 'q', which is not a part of the message"),
    "body that is mime content": ('<output><s:body use="literal"/></output>', '<output>\n<m:content xmlns:m="http://schemas.xmlsoap.org/wsdl/mime/" part="p" type="text/xml"/></output>', "<m:content", "sent as MIME content"),
    "required policy of the binding": ("<s:binding ", f"{_policy('true')}\n<s:binding ", "<p:PolicyReference", "must be understood"),
    "required policy of the port": ("<s:address ", f"\n{_policy('1')}\n<s:address ", "<p:PolicyReference", "must be understood"),
    "required extension of an operation": ('<s:operation soapAction="urn:ask"/>', '<s:operation soapAction="urn:ask"/>\n<e:any xmlns:e="urn:example:else" w:required="true" xmlns:w="http://schemas.xmlsoap.org/wsdl/"/>', "<e:any ", "must be understood"),
    "required extension of the whole": ("<types>", '<e:any xmlns:e="urn:example:else" w:required=" true " xmlns:w="http://schemas.xmlsoap.org/wsdl/"/>\n<types>', "<e:any ", "must be understood"),
    "required extension of the port type": ('<portType name="ShopPort">', f'<portType name="ShopPort">\n{_policy("true")}', "<p:PolicyReference", "must be understood"),
    "operation of the binding alone": ('<operation name="Ask"><input message', '<operation name="Tell"><input message', '<operation name="Ask">', "has no operation 'Ask'"),
}  # fmt: skip

# Supported constructs of any WSDL: text, replacement, expected part of the rows.
_SUPPORTED = {
    "soap 1.2 alone": ("http://schemas.xmlsoap.org/wsdl/soap/", "http://schemas.xmlsoap.org/wsdl/soap12/", '"soap":"1.2"'),
    "rpc": ('style="document"', 'style="rpc"', '"style":"rpc"'),
    "two parts": ('<part name="p" element="t:AskResponse"/>', '<part name="p" element="t:AskResponse"/><part name="q" element="t:AskResponse"/>', '"request_xml":"AskRequest"'),
    "part with a type": ('<part name="p" element="t:AskRequest"/>', '<part name="p" type="x:string"/>', '"messages":true'),
    "header": ('<output><s:body use="literal"/></output>', '<output>\n<s:header message="t:AskOut" part="p" use="literal"/><s:body use="literal"/></output>', '"response_headers":['),
    "encoded": ('<input><s:body use="literal"/></input>', '<input><s:body use="encoded"/></input>', '"encoded":true'),
    "operation in rpc style": ('<s:operation soapAction="urn:ask"/>', '<s:operation soapAction="urn:ask" style="rpc"/>', '"style":"rpc"'),
    "one-way": ('<input message="t:AskIn"/><output message="t:AskOut"/>', '<input message="t:AskIn"/>', '"one_way":true'),
    "no transport": (' transport="http://schemas.xmlsoap.org/soap/http"', "", '"soap_action":"urn:ask"'),
    "body of no part": ('<output><s:body use="literal"/></output>', '<output>\n<s:body use="literal" parts=""/></output>', '"response_xml":""'),
    "body among attachments": ('<input><s:body use="literal"/></input>', f'<input>{_MIME}</input>', '"request_xml":"AskRequest"'),
}  # fmt: skip


def _check(workshop: Workshop, text: str, offending: str, said: str, tables: str = "") -> None:
    lines = text.split("\n")
    numbers = [number for number, line in enumerate(lines, 1) if offending in line]
    refused = workshop.refused(text, tables=tables)
    located = [
        number
        for number in numbers
        if any(f"{_FILE}:{number}: " in line and said in line for line in refused.split("\n"))
    ]
    assert any(f"\n  {number:>5} | {lines[number - 1]}\n" in refused for number in located), refused
    assert workshop.run("check").exit_code == 2
    assert not workshop.output.exists()


@pytest.mark.sampled(4)
@pytest.mark.parametrize(("schema", "offending", "said"), _SCHEMAS.values(), ids=_SCHEMAS)
def test_a_construct_of_a_schema_is_refused_with_its_lines(
    workshop: Workshop, schema: str, offending: str, said: str
) -> None:
    _check(workshop, document(schema), offending, said, ON_REST)


@pytest.mark.sampled(4)
@pytest.mark.parametrize("schema", _READ.values(), ids=_READ)
def test_constructs_of_both_protocols_are_generated(workshop: Workshop, schema: str) -> None:
    workshop.generated(document(schema))
    workshop.module("shop.service")


@pytest.mark.parametrize(("usual", "instead", "offending", "said"), _AROUND.values(), ids=_AROUND)
def test_a_construct_of_a_wsdl_is_refused_with_its_lines(
    workshop: Workshop, usual: str, instead: str, offending: str, said: str
) -> None:
    text = document(_GOOD)
    assert usual in text
    _check(workshop, text.replace(usual, instead, 1), offending, said)


@pytest.mark.sampled(4)
@pytest.mark.parametrize(("usual", "instead", "row"), _SUPPORTED.values(), ids=_SUPPORTED)
def test_configured_contract_accepts_any_supported_wsdl_construct(
    workshop: Workshop, usual: str, instead: str, row: str
) -> None:
    text = document(_GOOD)
    assert usual in text
    workshop.generated(text.replace(usual, instead, 1))
    assert row in workshop.files()[f"{workshop.package}/shop/schema.json"].decode()
    assert workshop.module("shop.service").ASK.request_type


_SECOND = """<binding name="Second" type="t:ShopPort">
<b:binding xmlns:b="http://schemas.xmlsoap.org/wsdl/soap12/" transport="http://schemas.xmlsoap.org/soap/http"/>
POLICY</binding>
<service name="ShopService"><port name="Second" binding="t:Second">
<b:address xmlns:b="http://schemas.xmlsoap.org/wsdl/soap12/" location="https://shop.invalid/12"/>POLICY</port>"""


@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    ("usual", "instead"),
    [
        ("<s:binding ", f"{_policy('false')}<s:binding "),
        ("<s:binding ", '<s:binding w:required="true" xmlns:w="http://schemas.xmlsoap.org/wsdl/" '),
        ('<service name="ShopService">', _SECOND.replace("POLICY", _policy("true"))),
        ('<input><s:body use="literal"/></input>', '<input><s:body use="literal" parts=" p "/></input>'),
        ("<types>", f"<documentation>{_policy('true')}</documentation><types>"),
    ],
    ids=["not required", "known", "of another port", "the one part", "documentation"],
)
def test_optional_extension_is_accepted(workshop: Workshop, usual: str, instead: str) -> None:
    text = document(_GOOD)
    assert usual in text
    workshop.generated(text.replace(usual, instead, 1))


def test_invalid_schema_is_located_in_its_document(workshop: Workshop) -> None:
    root = document(f'<x:include schemaLocation="kinds.xsd"/>\n{_GOOD}')
    kinds = """<x:schema xmlns:x="http://www.w3.org/2001/XMLSchema"
    targetNamespace="urn:example:shop"
    elementFormDefault="qualified">
<x:simpleType name="Kind"><x:restriction
    base="x:string"/></x:simpleType>
<x:element name="aside" type="x:int"
    default="seven"/>
</x:schema>"""
    refused = workshop.refused(root, others={"kinds.xsd": kinds})
    assert refused.count("not a valid schema") == 1
    assert "kinds.xsd:6: not a valid schema" in refused
    assert '\n      6 | <x:element name="aside" type="x:int"\n' in refused


def _minified(text: str) -> str:
    return text.partition("\n")[2].replace("\n", " ")


def test_only_the_relevant_part_of_a_long_line_is_quoted(workshop: Workshop) -> None:
    odd = '<x:element name="b" type="x:int" nillable="true"/>'
    many = " ".join(f'<x:element name="a{at}" type="x:int"/>' for at in range(400))
    text = _minified(document(_field(f"{many} {odd} {many.replace(chr(34) + 'a', chr(34) + 'c')}")))
    said = workshop.refused(text, tables=ON_REST)
    message, line, *rest = said.split("\n")
    assert "contract.wsdl:1: 'b' may be nil" in message
    quoted = line.removeprefix("bindgen: ").partition(" | ")[2]
    assert odd in quoted
    assert quoted.startswith("…")
    assert quoted.endswith("…")
    assert quoted.strip("…") in text
    assert len(quoted) == 162
    assert rest[0].startswith("    # [contracts.shop.rest.Ask] # [A] proposed: 'b' may be nil")
    advice = "`bindgen generate --propose shop` writes these lines, if only one candidate is possible."
    assert rest[-2:] == [advice, ""]


def test_two_schemas_on_one_line_are_distinguished(workshop: Workshop) -> None:
    second = (
        '</x:schema><x:schema targetNamespace="urn:example:other" elementFormDefault="qualified">'
        '<x:simpleType name="Colour"><x:restriction base="x:string"><x:enumeration value="red"/>'
        "</x:restriction></x:simpleType></x:schema>"
    )
    field = '<x:element name="colour" type="o:Colour" xmlns:o="urn:example:other"/>'
    schema = f'<x:import namespace="urn:example:other"/>{_field(field)}'
    workshop.generated(_minified(document(schema).replace("</x:schema>", second)))
    assert b'RED = "red"' in workshop.files()[f"{workshop.package}/shop/types.py"]


def test_one_cause_is_reported_once(workshop: Workshop) -> None:
    """The namespace of a prefix has changed, so that every reference is wrong."""
    elements = "".join(f'<x:element name="e{at}" type="t:Kind{at}" minOccurs="0"/>\n' for at in range(300))
    output = workshop.refused(document(_field(elements)))
    assert "shop/1/contract.wsdl:12: type 't:Kind0' is not declared" in output
    assert "… 298 more of this kind, at shop/1/contract.wsdl:14, 15, 16, " in output
    assert len(output.splitlines()) < 60


def test_all_refusals_are_reported_together(workshop: Workshop) -> None:
    # Constructs that REST cannot represent, and one that is never valid.
    odd = """<x:sequence>
<x:element name="a" type="x:int" nillable="true"/>
<x:any/>
<x:element name="b" type="{}"/>
</x:sequence>
<x:anyAttribute/>"""
    workshop.add("other", document(_response(odd.format("x:anyType"))), tables=ON_REST)
    said = workshop.run("generate").output
    assert said.count("contract.wsdl:") == 4
    form = ("'a' may be nil", "'any', a wildcard", "'any_attributes', a wildcard")
    for piece in (*form, "'b' is of any type"):
        assert piece in said
    schema = _response(odd.format("t:Nowhere"), '<x:complexType name="AskRequest"/>' * 2)
    text = document(schema).replace(
        '<input><s:body use="literal"/>', '<input><s:body use="literal" parts="q"/>'
    )
    workshop.add("shop", text)
    said = workshop.run("generate", "shop").output
    for piece in ("'t:Nowhere'", "declared twice", "parts has 'q'"):
        assert piece in said
    assert "Traceback" not in said


def test_nothing_is_written_if_one_of_several_contracts_is_refused(workshop: Workshop) -> None:
    workshop.add("good", document(_GOOD))
    workshop.add("bad", document(_response("<x:anyAttribute/>")), tables=ON_REST)
    assert workshop.run("generate").exit_code == 2
    assert not workshop.output.exists()
    assert workshop.run("generate", "good").exit_code == 0


def test_multi_line_start_tag_is_quoted_from_its_first_line(workshop: Workshop) -> None:
    spread = _field('<x:element\n  name="a"\n  type="x:int"\n  nillable="true"/>')
    said = workshop.refused(document(spread), tables=ON_REST)
    lines = document(_field("HERE")).split("\n")
    number = lines.index("HERE") + 1
    where = f"{_FILE}:{number}: 'a' may be nil, but Ask is sent over REST: not supported"
    assert f"{where}\n  {number:>5} | <x:element\n" in said


def test_a_long_construct_is_quoted_in_part(workshop: Workshop) -> None:
    arms = "\n".join(f'<x:element name="a{at}" type="x:int"/>' for at in range(20))
    choice = _response(f'<x:choice maxOccurs="2">\n{arms}\n</x:choice>')
    said = workshop.refused(document(choice), tables=ON_REST)
    assert 'name="a4"' in said
    assert 'name="a6"' not in said
    assert "more" in said


def test_unreachable_constructs_are_accepted(workshop: Workshop) -> None:
    aside = '<x:complexType name="Aside"><x:choice maxOccurs="2"><x:element name="a" type="x:int"/></x:choice></x:complexType>'
    workshop.generated(document(_GOOD + aside), tables=ON_REST)
