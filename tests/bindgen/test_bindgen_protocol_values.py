"""Contracts with two protocols: values are sent by zeep and as REST bodies.

They are valid against the schema. Our readers read them back equal, and zeep reads the same data.
"""

# ruff: noqa: E501 - a table of schemas, one per line

from __future__ import annotations

import datetime as dt
import itertools
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest
from lxml import etree

from soapclient.rest.json_tree import parse
from soapclient.rest.requests import json_body, xml_body
from soapclient.runtime import CountingReader, DecodeError, EncodeError, Wire
from soapclient.runtime.nil import NIL
from tests.bindgen.conftest import ON_REST, RESPONSE, SPACE, Made, Make, Workshop, asks, document


def _sent(made: Made, value: object) -> list[etree._Element]:
    """Return the SOAP message and the REST body as the receiver parses them; both are read back equal."""
    message = made.there_and_back(value)
    body = etree.fromstring(xml_body(message, made.operation.request_tag))
    made.schema.assertValid(body)
    assert made.read(body) == value
    return [message, body]


def _wire(made: Made, value: object) -> Wire:
    wire: Wire = made.operation.wire_of(made.write(value, valid=False))
    return wire


def _assert_sent(made: Made, value: object, wire: Wire) -> None:
    """Check the wire form of a value, and that SOAP, REST as XML and REST as JSON read back equal."""
    _sent(made, value)
    assert _wire(made, value) == wire
    reader = CountingReader()
    assert made.operation.read_request(parse(json_body(wire), made.operation.request_tag), reader) == value
    assert not reader.findings


def _there(value: object) -> object:
    if isinstance(value, dict):
        return {key: _there(each) for key, each in value.items() if each is not None and each != []}
    return [_there(each) for each in value] if isinstance(value, list) else value


def _fields(content: str, rest: str = "") -> str:
    return asks(f"<x:sequence>{content}</x:sequence>", rest)


_A, _B = '<x:element name="a" type="x:int"/>', '<x:element name="b" type="x:string" minOccurs="0"/>'
_Z = '<x:element name="z" type="x:int"/>'
_GROUP = f'<x:group name="G"><x:sequence>{_A}{_B}</x:sequence></x:group>'
_BASE = '<x:complexType name="Base"><x:sequence><x:element name="z" type="x:string"/><x:element name="y" type="x:string" minOccurs="0"/></x:sequence><x:attribute name="k" type="x:int"/><x:attribute name="l" type="x:int"/></x:complexType>'
_EXTENDED = f'<x:complexType name="Odd"><x:complexContent><x:extension base="t:Base"><x:sequence><x:element name="b" type="x:int"/></x:sequence><x:attribute name="m" type="x:int"/></x:extension></x:complexContent></x:complexType>{_BASE}'
_RESTRICTED = f'<x:complexType name="Odd"><x:complexContent><x:restriction base="t:Base"><x:sequence><x:element name="z" type="x:string"/></x:sequence><x:attribute name="k" use="prohibited"/></x:restriction></x:complexContent></x:complexType>{_BASE}'
_PRICE = '<x:complexType name="Price"><x:simpleContent><x:extension base="x:decimal"><x:attribute name="unit" type="x:string"/></x:extension></x:simpleContent></x:complexType>'
_SIMPLE = """<x:simpleType name="Union"><x:union memberTypes="x:int x:string"/></x:simpleType>
<x:simpleType name="Truth"><x:union memberTypes="x:boolean x:decimal"/></x:simpleType>
<x:simpleType name="Mixed"><x:union memberTypes="t:Colour x:int"/></x:simpleType>
<x:simpleType name="Colour"><x:restriction base="x:string"><x:enumeration value="red"/></x:restriction></x:simpleType>
<x:simpleType name="Short"><x:restriction base="x:string"><x:pattern value="[a-z]+"/><x:maxLength value="3"/></x:restriction></x:simpleType>
<x:simpleType name="Small"><x:restriction base="x:int"><x:enumeration value="1"/><x:enumeration value="2"/></x:restriction></x:simpleType>
<x:simpleType name="Bounded"><x:restriction base="x:decimal"><x:minInclusive value="0"/><x:fractionDigits value="2"/></x:restriction></x:simpleType>"""
_RECURSIVE = '<x:complexType name="N"><x:choice><x:element name="n" type="t:N"/><x:element name="v" type="x:int"/></x:choice></x:complexType>'

_TREE = '<x:complexType name="N"><x:sequence><x:element name="n" type="t:N" minOccurs="0" maxOccurs="unbounded"/></x:sequence><x:attribute name="k" type="x:int"/></x:complexType>'
_Value = Callable[[Any], object]
# A schema, a value of its types, and the data that zeep reads from the message.
_CASES: dict[str, tuple[str, _Value, object]] = {
    "choice, first arm": (asks(f"<x:choice>{_A}{_Z}</x:choice>"), lambda t: t.AskRequest(a=1), {"a": 1}),
    "choice, second arm": (asks(f"<x:choice>{_A}{_Z}</x:choice>"), lambda t: t.AskRequest(z=3), {"z": 3}),
    "optional choice, no arm": (_fields(f'{_Z}<x:choice minOccurs="0">{_A}<x:sequence>{_B}</x:sequence></x:choice>'), lambda t: t.AskRequest(z=1), {"z": 1}),
    "choice of lists": (asks('<x:choice><x:element name="a" type="x:int" maxOccurs="9"/><x:element name="b" type="x:string" maxOccurs="9"/></x:choice>'), lambda t: t.AskRequest(b=["", "q"]), {"b": [None, "q"]}),
    "choice within a choice": (_fields('<x:element name="n" type="t:N"/>', _RECURSIVE), lambda t: t.AskRequest(n=t.N(n=t.N(v=7))), {"n": {"n": {"v": 7}}}),
    "sequence in a choice": (_fields(f'<x:choice>{_A}<x:sequence><x:element name="s" type="x:string"/><x:element name="u" type="x:string"/></x:sequence></x:choice>{_Z}'), lambda t: t.AskRequest(s="q", u="r", z=1), {"s": "q", "u": "r", "z": 1}),
    "type within itself": (_fields('<x:element name="n" type="t:N"/>', _TREE), lambda t: t.AskRequest(n=t.N(k=1, n=[t.N(k=2, n=[t.N()]), t.N()])), {"n": {"k": 1, "n": [{"k": 2, "n": [None]}, None]}}),
    "list in an element of its own": (_fields('<x:element name="ps"><x:complexType><x:sequence><x:element name="p" type="t:Price" minOccurs="0" maxOccurs="unbounded"/></x:sequence></x:complexType></x:element>', _PRICE), lambda t: t.AskRequest(ps=[t.Price(value=Decimal("1.50"), unit="kg"), t.Price(value=Decimal(2))]), {"ps": {"p": [{"_value_1": Decimal("1.50"), "unit": "kg"}, {"_value_1": Decimal(2)}]}}),
    "enumeration and a moment": (asks('<x:sequence><x:element name="a" type="t:Colour"/><x:element name="b" type="x:dateTime"/></x:sequence><x:attribute name="k" type="t:Colour"/>', _SIMPLE), lambda t: t.AskRequest(a=t.Colour.RED, b=dt.datetime(2026, 2, 3, 4, 5, 6, tzinfo=dt.UTC), k=t.Colour.RED), {"a": "red", "b": dt.datetime(2026, 2, 3, 4, 5, 6, tzinfo=dt.UTC), "k": "red"}),
    "all": (asks(f"<x:all>{_A}{_B}</x:all>"), lambda t: t.AskRequest(a=1, b="q"), {"a": 1, "b": "q"}),
    "all, the least": (asks(f"<x:all>{_A}{_B}</x:all>"), lambda t: t.AskRequest(a=1), {"a": 1}),
    "sequence in a sequence": (_fields(f"<x:sequence>{_A}{_B}</x:sequence>{_Z}"), lambda t: t.AskRequest(a=1, z=2), {"a": 1, "z": 2}),
    "optional sequence of optional": (_fields(f'<x:sequence minOccurs="0">{_B}</x:sequence>{_Z}'), lambda t: t.AskRequest(z=2), {"z": 2}),
    "group": (_fields(f'<x:group ref="t:G"/>{_Z}', _GROUP), lambda t: t.AskRequest(a=1, b="q", z=3), {"a": 1, "b": "q", "z": 3}),
    "group in a choice": (_fields(f'<x:choice><x:group ref="t:G"/>{_Z}</x:choice>', _GROUP), lambda t: t.AskRequest(a=1, b="q"), {"a": 1, "b": "q"}),
    "attribute group": (asks('<x:attributeGroup ref="t:G"/>', '<x:attributeGroup name="G"><x:attribute name="k" type="x:int" use="required"/><x:attribute name="l" type="x:string"/></x:attributeGroup>'), lambda t: t.AskRequest(k=1, l="q"), {"k": 1, "l": "q"}),
    "reference to an element": (_fields('<x:element ref="t:other" maxOccurs="2"/>', '<x:element name="other" type="x:int"/>'), lambda t: t.AskRequest(other=[1, 2]), {"other": [1, 2]}),
    "prohibited attribute, forbidden element": (asks('<x:sequence><x:element name="a" type="x:int" minOccurs="0" maxOccurs="0"/><x:element name="z" type="x:int"/></x:sequence><x:attribute name="k" use="prohibited"/>'), lambda t: t.AskRequest(z=1), {"z": 1}),
    "extension": (_fields('<x:element name="a" type="t:Odd"/>', _EXTENDED), lambda t: t.AskRequest(a=t.Odd(z="q", y="", b=1, k=3, m=4)), {"a": {"z": "q", "b": 1, "k": 3, "m": 4}}),
    "extension beside its base": (_fields('<x:element name="a" type="t:Odd"/><x:element name="c" type="t:Base"/>', _EXTENDED), lambda t: t.AskRequest(a=t.Odd(z="q", b=1), c=t.Base(z="r", l=2)), {"a": {"z": "q", "b": 1}, "c": {"z": "r", "l": 2}}),
    "restriction": (_fields('<x:element name="a" type="t:Odd"/>', _RESTRICTED), lambda t: t.AskRequest(a=t.Odd(z="q", l=2)), {"a": {"z": "q", "l": 2}}),
    "base of a restriction": (_fields('<x:element name="a" type="t:Base"/>', _RESTRICTED), lambda t: t.AskRequest(a=t.Base(z="q", y="r", k=2)), {"a": {"z": "q", "y": "r", "k": 2}}),
    "extension of simple content": (_fields('<x:element name="a" type="t:Odd"/>', f'{_PRICE}<x:complexType name="Odd"><x:simpleContent><x:extension base="t:Price"><x:attribute name="k" type="x:int"/></x:extension></x:simpleContent></x:complexType>'), lambda t: t.AskRequest(a=t.Odd(value=Decimal("1.50"), unit="kg", k=1)), {"a": {"_value_1": Decimal("1.50"), "unit": "kg", "k": 1}}),
    "restriction of simple content": (_fields('<x:element name="a" type="t:Odd"/>', f'{_PRICE}<x:complexType name="Odd"><x:simpleContent><x:restriction base="t:Price"><x:maxInclusive value="9"/></x:restriction></x:simpleContent></x:complexType>'), lambda t: t.AskRequest(a=t.Odd(value=Decimal("1.50"), unit="kg")), {"a": {"_value_1": Decimal("1.50"), "unit": "kg"}}),
    "message of simple content": (asks('<x:simpleContent><x:extension base="x:string"><x:attribute name="k" type="x:int"/></x:extension></x:simpleContent>'), lambda t: t.AskRequest(value="q", k=1), {"_value_1": "q", "k": 1}),
    "unions": (asks('<x:sequence><x:element name="a" type="t:Union"/><x:element name="b" type="t:Truth"/><x:element name="c" type="t:Mixed"/></x:sequence><x:attribute name="k" type="t:Union"/>', _SIMPLE), lambda t: t.AskRequest(a=10, b=False, c=t.Colour.RED, k="q"), {"a": "10", "b": "false", "c": "red", "k": "q"}),
    "facets": (_fields('<x:element name="a" type="t:Short"/><x:element name="b" type="t:Small"/><x:element name="c" type="t:Bounded"/>', _SIMPLE), lambda t: t.AskRequest(a="abc", b=2, c=Decimal("0.25")), {"a": "abc", "b": 2, "c": Decimal("0.25")}),
    "lists of built-in type": (asks('<x:sequence><x:element name="a" type="x:NMTOKENS"/></x:sequence><x:attribute name="k" type="x:NMTOKENS"/>'), lambda t: t.AskRequest(a=["ab", "c"], k=["d"]), {"a": "ab c", "k": "d"}),
    "defaults of elements": (_fields('<x:element name="a" type="x:int" minOccurs="0" default="7"/><x:element name="b" type="x:string" default="q"/>'), lambda t: t.AskRequest(a=1, b="x"), {"a": 1, "b": "x"}),
    "optional and nillable": (_fields(f'<x:element name="a" type="x:int" minOccurs="0" nillable="true"/><x:element name="p" type="t:Price" minOccurs="0" nillable="true"/>{_Z}', _PRICE), lambda t: t.AskRequest(p=t.Price(value=Decimal(2)), z=1), {"p": {"_value_1": Decimal(2)}, "z": 1}),
    "binary": (_fields('<x:element name="a" type="x:base64Binary"/><x:element name="b" type="x:hexBinary"/>'), lambda t: t.AskRequest(a=b"\0\xff", b=b"\0\xff"), {"a": b"\0\xff", "b": "00FF"}),
    "times": (_fields('<x:element name="a" type="x:time"/><x:element name="b" type="x:date"/>'), lambda t: t.AskRequest(a=dt.time(1, 2, 3), b=dt.date(2026, 2, 3)), {"a": dt.time(1, 2, 3), "b": dt.date(2026, 2, 3)}),
    "texts": (_fields('<x:element name="a" type="x:token"/><x:element name="b" type="x:language"/><x:element name="c" type="x:Name"/><x:element name="d" type="x:anySimpleType"/>'), lambda t: t.AskRequest(a="a b", b="en-GB", c="n:m", d="any"), {"a": "a b", "b": "en-GB", "c": "n:m", "d": "any"}),
    "attribute and element of one name": (asks('<x:sequence><x:element name="a" type="x:int" minOccurs="0"/></x:sequence><x:attribute name="a" type="x:int"/>'), lambda t: t.AskRequest(a=1, a_2=2), {"attr__a": 1, "a": 2}),
}  # fmt: skip


@pytest.mark.sampled(4)
@pytest.mark.parametrize(("schema", "value", "seen"), _CASES.values(), ids=_CASES)
def test_value_is_sent_by_both_protocols(make: Make, schema: str, value: _Value, seen: object) -> None:
    made = make(schema + RESPONSE)
    for node in _sent(made, value(made.types)):
        assert _there(made.zeep(node)) == seen


# ---- several namespaces, several documents

_KINDS = """<x:schema xmlns:x="http://www.w3.org/2001/XMLSchema" xmlns:t="{0}" targetNamespace="{0}" elementFormDefault="{1}">
<x:complexType name="Odd"><x:sequence><x:element name="b" type="t:Kind"/></x:sequence></x:complexType>
<x:simpleType name="Kind"><x:restriction base="x:string"><x:enumeration value="red"/></x:restriction></x:simpleType>
<x:element name="el" type="x:int"/><x:attribute name="at" type="x:int"/></x:schema>"""
_QUALIFIED = {"kinds.xsd": _KINDS.format("urn:kinds", "qualified")}
_IMPORTING = '<x:import namespace="urn:kinds" schemaLocation="kinds.xsd"/>' + asks(
    '<x:sequence><x:element name="a" type="k:Odd"/><x:element ref="k:el"/><x:element name="u" type="x:int" form="unqualified"/></x:sequence><x:attribute ref="k:at"/>'
).replace("<x:element ", '<x:element xmlns:k="urn:kinds" ', 1)


@pytest.mark.parametrize(("form", "inner"), [("qualified", "{urn:kinds}b"), ("unqualified", "b")])
def test_soap_uses_names_of_several_namespaces(workshop: Workshop, form: str, inner: str) -> None:
    kinds = _KINDS.format("urn:kinds", form)
    workshop.generated(document(_IMPORTING + RESPONSE), others={"kinds.xsd": kinds})
    types, operation = workshop.module("shop.types"), workshop.module("shop.service").ASK
    given = types.AskRequest(a=types.Odd(b="red"), el=5, u=6, at=7)
    node = etree.Element(operation.request_tag)
    operation.write_request(given, node, "AskRequest")
    assert [(each.tag, each.text) for each in node.iter()] == [
        (f"{{{SPACE}}}AskRequest", None),
        (f"{{{SPACE}}}a", None),
        (inner, "red"),
        ("{urn:kinds}el", "5"),
        ("u", "6"),
    ]
    assert dict(node.attrib) == {"{urn:kinds}at": "7"}
    assert operation.read_request(node, CountingReader()) == given


def test_rest_refuses_an_attribute_with_a_namespace(workshop: Workshop) -> None:
    """Elements may be in any namespace, but JSON cannot represent a qualified attribute."""
    lines = _IMPORTING.replace("<x:", "\n<x:").replace("</x:", "\n</x:")
    text = document(lines + RESPONSE)
    refused = workshop.refused(text, tables=ON_REST, others=_QUALIFIED)
    (number,) = [at for at, line in enumerate(text.split("\n"), 1) if 'ref="k:at"' in line]
    assert f"shop/1/contract.wsdl:{number}: the attribute 'at' is in a namespace" in refused
    assert refused.count("shop/1/contract.wsdl:") == 1


@pytest.mark.parametrize(
    ("there", "instead", "said"),
    [
        ('<output message="t:AskOut"/>', "", "rest.Ask: Ask is one-way, which is not possible over REST. Remove the row"),
        ('<input><s:body use="literal"/>', '<input><s:header message="t:AskIn" part="p" use="literal"/><s:body use="literal"/>', "rest.Ask: Ask has SOAP headers, which is not possible over REST"),
        ('style="document"', 'style="rpc"', "rest.Ask: Ask has RPC style, which is not possible over REST"),
    ],
)  # fmt: skip
def test_rest_refuses_constructs_without_a_form(
    workshop: Workshop, there: str, instead: str, said: str
) -> None:
    text = document(_fields('<x:element name="el" type="x:int"/>') + RESPONSE)
    assert there in text
    text = text.replace(there, instead, 1)
    if "one-way" in said:
        text = text.replace('<output><s:body use="literal"/></output>', "", 1)
    if "RPC" in said:
        for name in ("AskRequest", "AskResponse"):
            text = text.replace(f'element="t:{name}"', 'type="x:int"')
    assert said in workshop.refused(text, tables=ON_REST)


def test_parts_outside_rest_bodies_may_have_any_namespace(workshop: Workshop) -> None:
    tables = '[.rest.Ask]\nmethod = "GET"\npath = "/ask/{el}"\nin_path = ["el"]\n'
    fields = _fields('<x:element xmlns:k="urn:kinds" ref="k:el"/>')
    schema = f'<x:import namespace="urn:kinds" schemaLocation="kinds.xsd"/>{fields}'
    workshop.generated(document(schema + RESPONSE), tables=tables, others=_QUALIFIED)


# ---- choices

_NESTED = """<x:sequence><x:choice minOccurs="0"><x:element name="a" type="x:int"/>
<x:sequence><x:element name="b" type="x:int"/><x:element name="c" type="x:int" minOccurs="0"/>
<x:choice><x:element name="d" type="x:int"/><x:element name="e" type="x:int"/></x:choice></x:sequence>
</x:choice><x:choice><x:element name="f" type="x:int"/><x:element name="g" type="x:int" minOccurs="0"/></x:choice></x:sequence>"""


def test_branch_that_the_schema_allows_is_sent(make: Make) -> None:
    made = make(asks(_NESTED) + RESPONSE)
    allowed = 0
    for given in itertools.product((False, True), repeat=7):
        names = [name for name, there in zip("abcdefg", given, strict=True) if there]
        inner = "".join(f"<{name}>{at}</{name}>" for at, name in enumerate(names))
        wanted = etree.fromstring(f'<AskRequest xmlns="{SPACE}">{inner}</AskRequest>')
        value = made.types.AskRequest(**{name: at for at, name in enumerate(names)})
        try:
            sent = made.write(value, valid=False)
        except EncodeError:
            assert not made.schema.validate(wanted), names
            continue
        # The engine validates requests before sending, so that an invalid one is not sent.
        assert made.schema.validate(sent) is made.schema.validate(wanted), names
        if made.schema.validate(sent):
            allowed += 1
            assert made.read(sent) == value
    assert allowed == 6 * 3  # none, a, or b with or without c and d or e; then f, g or neither


def _refuses_both(made: Made, one: str, other: str, **given: int) -> None:
    """Check that two alternatives of a choice are refused, with both names."""
    said = rf"AskRequest/{other}: only one alternative of a choice.*no value if {one} is set"
    with pytest.raises(EncodeError, match=said):
        _wire(made, made.types.AskRequest(**given))


def test_two_branches_of_a_choice_are_refused_with_their_names(make: Make) -> None:
    made = make(asks(_NESTED) + RESPONSE)
    _refuses_both(made, "a", "d", a=1, d=2)
    _refuses_both(made, "d", "e", b=1, d=2, e=3)
    assert _wire(made, made.types.AskRequest(b=1, c=2, e=3, f=4)) == {"b": "1", "c": "2", "e": "3", "f": "4"}


def test_choices_of_a_type_and_of_its_base_are_separate(make: Make) -> None:
    base = '<x:complexType name="B"><x:choice><x:element name="y" type="x:int"/><x:element name="z" type="x:int"/></x:choice></x:complexType>'
    more = '<x:sequence><x:choice><x:element name="a" type="x:int"/><x:element name="b" type="x:int"/></x:choice><x:element name="c" type="x:int" minOccurs="0"/></x:sequence>'
    content = f'<x:complexContent><x:extension base="t:B">{more}</x:extension></x:complexContent>'
    made = make(asks(content, base) + RESPONSE)
    for first, second in itertools.product("yz", "ab"):
        given = made.types.AskRequest(**{first: 1, second: 2})
        _sent(made, given)
    _refuses_both(made, "y", "z", y=1, z=2, a=3)


def test_empty_text_in_a_choice_is_sent_by_both_protocols(make: Make) -> None:
    made = make(asks(f"<x:choice>{_A}{_B}</x:choice>") + RESPONSE)
    _assert_sent(made, made.types.AskRequest(b=""), {"b": ""})


# ---- values that are read but cannot be written


def test_a_value_of_a_derived_type_is_sent_over_soap_and_refused_over_rest(make: Make) -> None:
    fields = '<x:element name="a" type="t:Odd"/><x:element name="c" type="t:Base" maxOccurs="2"/>'
    types = (made := make(_fields(fields, _EXTENDED) + RESPONSE)).types
    odd = types.Odd(z="q", b=1)
    given = types.AskRequest(a=odd, c=[types.Base(z="r"), odd])
    sent = made.there_and_back(given)
    typed = [child.get("{http://www.w3.org/2001/XMLSchema-instance}type") is not None for child in sent]
    assert typed == [False, False, True]
    with pytest.raises(EncodeError, match=r"^AskRequest/c\[2\]: a value of a derived type can be sent"):
        _wire(made, given)


def test_an_optional_nil_is_read_and_sent_as_nil_and_refused_over_rest(make: Make) -> None:
    fields = '<x:element name="a" type="x:int" minOccurs="0" nillable="true"/><x:element name="p" type="t:Price" minOccurs="0" nillable="true"/>'
    made = make(_fields(fields, _PRICE) + RESPONSE)
    both = made.types.AskRequest(a=NIL, p=NIL)
    nils = '<a i:nil="true"/><p i:nil="1" unit="kg"/>'
    assert made.parse(nils, findings=1) == both  # the unit of a nil price
    made.there_and_back(both)
    for given, name in ((both, "a"), (made.types.AskRequest(p=NIL), "p")):
        with pytest.raises(EncodeError, match=f"^AskRequest/{name}: nil can be sent over SOAP only"):
            _wire(made, given)
    with pytest.raises(DecodeError, match="the element is nil"):
        made.parse('<a i:nil="true">1</a>', valid=False)


def test_attribute_and_element_with_one_name_are_distinguished(make: Make) -> None:
    schema, value, _ = _CASES["attribute and element of one name"]
    made = make(schema + RESPONSE)
    _assert_sent(made, value(made.types), {"@a": "1", "a": "2"})
    _assert_sent(made, made.types.AskRequest(a=1), {"@a": "1"})
    _assert_sent(made, made.types.AskRequest(a_2=2), {"a": "2"})


_QUERY = '[.rest.Ask]\nmethod = "GET"\npath = "/ask"\nquery = { a = "a" }\n'


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ('<x:sequence/><x:attribute name="a" type="x:int" use="required"/>', "the attribute 'a' can be sent over"),
        ('<x:simpleContent><x:extension base="x:string"/></x:simpleContent>', "the request's text can be sent over REST only if the body is the complete request"),
    ],
)  # fmt: skip
def test_rest_request_without_a_body_refuses_attributes_and_text(
    workshop: Workshop, content: str, said: str
) -> None:
    assert said in workshop.refused(document(asks(content) + RESPONSE), tables=_QUERY)


def test_optional_attribute_without_a_rest_body_is_sent_over_soap_only(workshop: Workshop) -> None:
    schema, _, _ = _CASES["attribute and element of one name"]
    assert "a is sent over SOAP only" in workshop.generated(document(schema + RESPONSE), tables=_QUERY)
    # The engine looks this up in the wire form.
    assert workshop.module("shop.service").ASK.soap_only == {"@a"}
    given = workshop.module("shop.types").AskRequest(a=1, a_2=2)
    assert workshop.wire(given, "AskRequest") == {"@a": "1", "a": "2"}
