"""Contracts with two protocols: values are sent by zeep and as REST bodies.

They are valid against the schema. Our readers read them back equal, and zeep reads the same data.
"""

# ruff: noqa: E501 - a table of schemas, one per line

from __future__ import annotations

import datetime as dt
import itertools
from collections.abc import Callable, Mapping
from decimal import Decimal
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, Protocol

import pytest
import zeep
import zeep.helpers
from lxml import etree

from soapclient.rest.json_tree import parse
from soapclient.rest.requests import json_body, xml_body
from soapclient.runtime import CountingReader, Node, Wire
from soapclient.runtime.nil import NIL

if TYPE_CHECKING:
    from tests.bindgen.conftest import Workshop

_XSI = "http://www.w3.org/2001/XMLSchema-instance"
_SPACE = "urn:example:shop"
_TAG = f"{{{_SPACE}}}AskRequest"
_RESPONSE = '<x:element name="AskResponse"><x:complexType><x:sequence><x:element name="answer" type="x:string"/></x:sequence></x:complexType></x:element>'


class _Carried:
    """A generated contract, with a zeep client and a compiled schema to compare with."""

    def __init__(self, workshop: Workshop) -> None:
        self.types: ModuleType = workshop.module("shop.types")
        errors = import_module("soapclient.runtime.errors")
        self.encode_error: type[Exception] = errors.EncodeError
        self.decode_error: type[Exception] = errors.DecodeError
        self.operation = workshop.module("shop.service").ASK
        self.sources: Path = workshop.wsdl.parent / "sources/shop"
        make: Callable[..., Any] = zeep.Client  # zeep has no types
        self.plain = make(str(self.sources / "contract.wsdl"), settings=zeep.Settings(strict=False))
        # The original schema, next to the files that it names.
        document = etree.parse(str(self.sources / "contract.wsdl"))
        (schema, *_) = document.getroot().iter("{http://www.w3.org/2001/XMLSchema}schema")
        (self.sources / "inline.xsd").write_bytes(etree.tostring(schema))
        self.schema = etree.XMLSchema(etree.parse(str(self.sources / "inline.xsd")))

    def wire(self, value: object) -> Wire:
        wire: Wire = self.operation.wire_of(self.written(value))
        return wire

    def written(self, value: object) -> etree._Element:
        node = etree.Element(self.operation.request_tag)
        self.operation.write_request(value, node, "AskRequest")
        return node

    def sent(self, value: object) -> etree._Element:
        """Return the SOAP message as the receiver parses it."""
        return _parsed(self.written(value))

    def body(self, value: object) -> etree._Element:
        """Return the REST body as the receiver parses it."""
        return etree.fromstring(xml_body(self.written(value), self.operation.request_tag))

    def assert_sent(self, given: object, wire: Wire) -> None:
        """Check the wire form of a value, and that SOAP, REST as XML and REST as JSON read back equal."""
        assert self.wire(given) == wire
        for node in (self.sent(given), self.body(given)):
            self.schema.assertValid(node)
            assert self.read(node) == given
        assert self.read(parse(json_body(wire), self.operation.request_tag)) == given

    def read(self, node: Node, *, findings: int = 0) -> Any:
        reader = CountingReader()
        value = self.operation.read_request(node, reader)
        assert sum(reader.findings.values()) == findings, reader.findings
        return value

    def seen(self, node: etree._Element) -> object:
        """Return the data that zeep reads, without missing values."""
        parsed = self.plain.get_element(_TAG).parse(node, self.plain.wsdl.types)
        serialize: Callable[..., object] = zeep.helpers.serialize_object
        return _there(serialize(parsed, dict))

    def given(self, inner: str) -> etree._Element:
        """Return a request with the given XML content."""
        return etree.fromstring(
            f'<AskRequest xmlns="{_SPACE}" xmlns:t="{_SPACE}" xmlns:i="{_XSI}">{inner}</AskRequest>'
        )


def _parsed(node: etree._Element) -> etree._Element:
    return etree.fromstring(etree.tostring(node))


def _there(value: object) -> object:
    if isinstance(value, dict):
        return {key: _there(each) for key, each in value.items() if each is not None and each != []}
    return [_there(each) for each in value] if isinstance(value, list) else value


class _Carry(Protocol):
    def __call__(self, schema: str, /, **others: str) -> _Carried: ...


@pytest.fixture
def carry(workshop: Workshop, document: Callable[[str], str]) -> _Carry:
    """Generate a contract with this schema. Keywords are other documents: `a_xsd` is the file a.xsd."""

    def carried(schema: str, /, **others: str) -> _Carried:
        files = {name.replace("_", "."): text for name, text in others.items()}
        assert workshop.add("shop", document(schema + _RESPONSE), others=files).exit_code == 0
        done = workshop.run("generate")
        assert done.exit_code == 0, done.output
        return _Carried(workshop)

    return carried


def _request(content: str, rest: str = "") -> str:
    return f'<x:element name="AskRequest"><x:complexType>{content}</x:complexType></x:element>{rest}'


def _fields(content: str, rest: str = "") -> str:
    return _request(f"<x:sequence>{content}</x:sequence>", rest)


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

_Value = Callable[[Any], object]
# A schema, a value of its types, and the data that zeep reads from the message.
_CASES: dict[str, tuple[str, _Value, object]] = {
    "choice, first arm": (_request(f"<x:choice>{_A}{_Z}</x:choice>"), lambda t: t.AskRequest(a=1), {"a": 1}),
    "choice, second arm": (_request(f"<x:choice>{_A}{_Z}</x:choice>"), lambda t: t.AskRequest(z=3), {"z": 3}),
    "optional choice, no arm": (_fields(f'{_Z}<x:choice minOccurs="0">{_A}<x:sequence>{_B}</x:sequence></x:choice>'), lambda t: t.AskRequest(z=1), {"z": 1}),
    "choice of lists": (_request('<x:choice><x:element name="a" type="x:int" maxOccurs="9"/><x:element name="b" type="x:string" maxOccurs="9"/></x:choice>'), lambda t: t.AskRequest(b=["", "q"]), {"b": [None, "q"]}),
    "choice within a choice": (_fields('<x:element name="n" type="t:N"/>', _RECURSIVE), lambda t: t.AskRequest(n=t.N(n=t.N(v=7))), {"n": {"n": {"v": 7}}}),
    "all": (_request(f"<x:all>{_A}{_B}</x:all>"), lambda t: t.AskRequest(a=1, b="q"), {"a": 1, "b": "q"}),
    "all, the least": (_request(f"<x:all>{_A}{_B}</x:all>"), lambda t: t.AskRequest(a=1), {"a": 1}),
    "sequence in a sequence": (_fields(f"<x:sequence>{_A}{_B}</x:sequence>{_Z}"), lambda t: t.AskRequest(a=1, z=2), {"a": 1, "z": 2}),
    "optional sequence of optional": (_fields(f'<x:sequence minOccurs="0">{_B}</x:sequence>{_Z}'), lambda t: t.AskRequest(z=2), {"z": 2}),
    "group": (_fields(f'<x:group ref="t:G"/>{_Z}', _GROUP), lambda t: t.AskRequest(a=1, b="q", z=3), {"a": 1, "b": "q", "z": 3}),
    "group in a choice": (_fields(f'<x:choice><x:group ref="t:G"/>{_Z}</x:choice>', _GROUP), lambda t: t.AskRequest(a=1, b="q"), {"a": 1, "b": "q"}),
    "attribute group": (_request('<x:attributeGroup ref="t:G"/>', '<x:attributeGroup name="G"><x:attribute name="k" type="x:int" use="required"/><x:attribute name="l" type="x:string"/></x:attributeGroup>'), lambda t: t.AskRequest(k=1, l="q"), {"k": 1, "l": "q"}),
    "reference to an element": (_fields('<x:element ref="t:other" maxOccurs="2"/>', '<x:element name="other" type="x:int"/>'), lambda t: t.AskRequest(other=[1, 2]), {"other": [1, 2]}),
    "prohibited attribute, forbidden element": (_request('<x:sequence><x:element name="a" type="x:int" minOccurs="0" maxOccurs="0"/><x:element name="z" type="x:int"/></x:sequence><x:attribute name="k" use="prohibited"/>'), lambda t: t.AskRequest(z=1), {"z": 1}),
    "extension": (_fields('<x:element name="a" type="t:Odd"/>', _EXTENDED), lambda t: t.AskRequest(a=t.Odd(z="q", y="", b=1, k=3, m=4)), {"a": {"z": "q", "b": 1, "k": 3, "m": 4}}),
    "extension beside its base": (_fields('<x:element name="a" type="t:Odd"/><x:element name="c" type="t:Base"/>', _EXTENDED), lambda t: t.AskRequest(a=t.Odd(z="q", b=1), c=t.Base(z="r", l=2)), {"a": {"z": "q", "b": 1}, "c": {"z": "r", "l": 2}}),
    "restriction": (_fields('<x:element name="a" type="t:Odd"/>', _RESTRICTED), lambda t: t.AskRequest(a=t.Odd(z="q", l=2)), {"a": {"z": "q", "l": 2}}),
    "base of a restriction": (_fields('<x:element name="a" type="t:Base"/>', _RESTRICTED), lambda t: t.AskRequest(a=t.Base(z="q", y="r", k=2)), {"a": {"z": "q", "y": "r", "k": 2}}),
    "extension of simple content": (_fields('<x:element name="a" type="t:Odd"/>', f'{_PRICE}<x:complexType name="Odd"><x:simpleContent><x:extension base="t:Price"><x:attribute name="k" type="x:int"/></x:extension></x:simpleContent></x:complexType>'), lambda t: t.AskRequest(a=t.Odd(value=Decimal("1.50"), unit="kg", k=1)), {"a": {"_value_1": Decimal("1.50"), "unit": "kg", "k": 1}}),
    "restriction of simple content": (_fields('<x:element name="a" type="t:Odd"/>', f'{_PRICE}<x:complexType name="Odd"><x:simpleContent><x:restriction base="t:Price"><x:maxInclusive value="9"/></x:restriction></x:simpleContent></x:complexType>'), lambda t: t.AskRequest(a=t.Odd(value=Decimal("1.50"), unit="kg")), {"a": {"_value_1": Decimal("1.50"), "unit": "kg"}}),
    "message of simple content": (_request('<x:simpleContent><x:extension base="x:string"><x:attribute name="k" type="x:int"/></x:extension></x:simpleContent>'), lambda t: t.AskRequest(value="q", k=1), {"_value_1": "q", "k": 1}),
    "unions": (_request('<x:sequence><x:element name="a" type="t:Union"/><x:element name="b" type="t:Truth"/><x:element name="c" type="t:Mixed"/></x:sequence><x:attribute name="k" type="t:Union"/>', _SIMPLE), lambda t: t.AskRequest(a=10, b=False, c=t.Colour.RED, k="q"), {"a": "10", "b": "false", "c": "red", "k": "q"}),
    "facets": (_fields('<x:element name="a" type="t:Short"/><x:element name="b" type="t:Small"/><x:element name="c" type="t:Bounded"/>', _SIMPLE), lambda t: t.AskRequest(a="abc", b=2, c=Decimal("0.25")), {"a": "abc", "b": 2, "c": Decimal("0.25")}),
    "lists of built-in type": (_request('<x:sequence><x:element name="a" type="x:NMTOKENS"/></x:sequence><x:attribute name="k" type="x:NMTOKENS"/>'), lambda t: t.AskRequest(a=["ab", "c"], k=["d"]), {"a": "ab c", "k": "d"}),
    "defaults of elements": (_fields('<x:element name="a" type="x:int" minOccurs="0" default="7"/><x:element name="b" type="x:string" default="q"/>'), lambda t: t.AskRequest(a=1, b="x"), {"a": 1, "b": "x"}),
    "optional and nillable": (_fields(f'<x:element name="a" type="x:int" minOccurs="0" nillable="true"/><x:element name="p" type="t:Price" minOccurs="0" nillable="true"/>{_Z}', _PRICE), lambda t: t.AskRequest(p=t.Price(value=Decimal(2)), z=1), {"p": {"_value_1": Decimal(2)}, "z": 1}),
    "binary": (_fields('<x:element name="a" type="x:base64Binary"/><x:element name="b" type="x:hexBinary"/>'), lambda t: t.AskRequest(a=b"\0\xff", b=b"\0\xff"), {"a": b"\0\xff", "b": "00FF"}),
    "times": (_fields('<x:element name="a" type="x:time"/><x:element name="b" type="x:date"/>'), lambda t: t.AskRequest(a=dt.time(1, 2, 3), b=dt.date(2026, 2, 3)), {"a": dt.time(1, 2, 3), "b": dt.date(2026, 2, 3)}),
    "texts": (_fields('<x:element name="a" type="x:token"/><x:element name="b" type="x:language"/><x:element name="c" type="x:Name"/><x:element name="d" type="x:anySimpleType"/>'), lambda t: t.AskRequest(a="a b", b="en-GB", c="n:m", d="any"), {"a": "a b", "b": "en-GB", "c": "n:m", "d": "any"}),
    "attribute and element of one name": (_request('<x:sequence><x:element name="a" type="x:int" minOccurs="0"/></x:sequence><x:attribute name="a" type="x:int"/>'), lambda t: t.AskRequest(a=1, a_2=2), {"attr__a": 1, "a": 2}),
}  # fmt: skip


@pytest.mark.sampled(4)
@pytest.mark.parametrize(("schema", "value", "seen"), _CASES.values(), ids=_CASES)
def test_value_is_sent_by_both_protocols(carry: _Carry, schema: str, value: _Value, seen: object) -> None:
    carried = carry(schema)
    given = value(carried.types)
    for node in (carried.sent(given), carried.body(given)):
        carried.schema.assertValid(node)
        assert carried.read(node) == given
        assert carried.seen(node) == seen


# ---- several namespaces, several documents

_KINDS = """<x:schema xmlns:x="http://www.w3.org/2001/XMLSchema" xmlns:t="{0}" targetNamespace="{0}" elementFormDefault="{1}">
<x:complexType name="Odd"><x:sequence><x:element name="b" type="t:Kind"/></x:sequence></x:complexType>
<x:simpleType name="Kind"><x:restriction base="x:string"><x:enumeration value="red"/></x:restriction></x:simpleType>
<x:element name="el" type="x:int"/><x:attribute name="at" type="x:int"/></x:schema>"""
_IMPORTING = '<x:import namespace="urn:kinds" schemaLocation="kinds.xsd"/>' + _request(
    '<x:sequence><x:element name="a" type="k:Odd"/><x:element ref="k:el"/><x:element name="u" type="x:int" form="unqualified"/></x:sequence><x:attribute ref="k:at"/>'
).replace("<x:element ", '<x:element xmlns:k="urn:kinds" ', 1)


def test_included_schema_is_sent_by_both_protocols(carry: _Carry) -> None:
    include = '<x:include schemaLocation="kinds.xsd"/>'
    carried = carry(
        include + _fields('<x:element name="a" type="t:Odd"/>'), kinds_xsd=_KINDS.format(_SPACE, "qualified")
    )
    given = carried.types.AskRequest(a=carried.types.Odd(b="red"))
    for node in (carried.sent(given), carried.body(given)):
        carried.schema.assertValid(node)
        assert carried.read(node) == given
        assert carried.seen(node) == {"a": {"b": "red"}}


@pytest.mark.parametrize("form", ["qualified", "unqualified"])
def test_soap_uses_names_of_several_namespaces(carry: _Carry, form: str) -> None:
    carried = carry(_IMPORTING, kinds_xsd=_KINDS.format("urn:kinds", form))
    given = carried.types.AskRequest(a=carried.types.Odd(b="red"), el=5, u=6, at=7)
    sent = carried.sent(given)
    carried.schema.assertValid(sent)
    assert carried.read(sent) == given
    assert carried.seen(sent) == {"a": {"b": "red"}, "el": 5, "u": 6, "at": 7}


_REST = '[.rest.Ask]\nmethod = "POST"\npath = "/ask"\nbody = "*"\n'


def test_rest_refuses_an_attribute_with_a_namespace(
    workshop: Workshop, document: Callable[[str], str]
) -> None:
    """Elements may be in any namespace, but JSON cannot represent a qualified attribute."""
    others = {"kinds.xsd": _KINDS.format("urn:kinds", "qualified")}
    lines = _IMPORTING.replace("<x:", "\n<x:").replace("</x:", "\n</x:")
    text = document(lines + _RESPONSE)
    assert workshop.add("shop", text, tables=_REST, others=others).exit_code == 0
    refused = workshop.run("generate")
    assert refused.exit_code == 2
    (number,) = [at for at, line in enumerate(text.split("\n"), 1) if 'ref="k:at"' in line]
    assert f"shop/1/contract.wsdl:{number}: the attribute 'at' is in a namespace" in refused.output
    assert refused.output.count("shop/1/contract.wsdl:") == 1


@pytest.mark.parametrize(
    ("there", "instead", "said"),
    [
        (
            '<output message="t:AskOut"/>',
            "",
            "rest.Ask: Ask is one-way, which is not possible over REST. Remove the row",
        ),
        (
            '<input><s:body use="literal"/>',
            '<input><s:header message="t:AskIn" part="p" use="literal"/><s:body use="literal"/>',
            "rest.Ask: Ask has SOAP headers, which is not possible over REST",
        ),
        ('style="document"', 'style="rpc"', "rest.Ask: Ask has RPC style, which is not possible over REST"),
    ],
)
def test_rest_refuses_constructs_without_a_form(
    workshop: Workshop, document: Callable[[str], str], there: str, instead: str, said: str
) -> None:
    text = document(_fields('<x:element name="el" type="x:int"/>') + _RESPONSE)
    assert there in text
    text = text.replace(there, instead, 1)
    if "one-way" in said:
        text = text.replace('<output><s:body use="literal"/></output>', "", 1)
    if "RPC" in said:
        text = text.replace('element="t:AskRequest"', 'type="x:int"').replace(
            'element="t:AskResponse"', 'type="x:int"'
        )
    assert workshop.add("shop", text, tables=_REST).exit_code == 0
    refused = workshop.run("generate")
    assert refused.exit_code == 2
    assert said in refused.output


def test_parts_outside_rest_bodies_may_have_any_namespace(
    workshop: Workshop, document: Callable[[str], str]
) -> None:
    tables = '[.rest.Ask]\nmethod = "GET"\npath = "/ask/{el}"\nin_path = ["el"]\n'
    schema = '<x:import namespace="urn:kinds" schemaLocation="kinds.xsd"/>' + _fields(
        '<x:element xmlns:k="urn:kinds" ref="k:el"/>'
    )
    others = {"kinds.xsd": _KINDS.format("urn:kinds", "qualified")}
    workshop.add("shop", document(schema + _RESPONSE), tables=tables, others=others)
    done = workshop.run("generate")
    assert done.exit_code == 0, done.output


# ---- choices

_NESTED = """<x:sequence><x:choice minOccurs="0"><x:element name="a" type="x:int"/>
<x:sequence><x:element name="b" type="x:int"/><x:element name="c" type="x:int" minOccurs="0"/>
<x:choice><x:element name="d" type="x:int"/><x:element name="e" type="x:int"/></x:choice></x:sequence>
</x:choice><x:choice><x:element name="f" type="x:int"/><x:element name="g" type="x:int" minOccurs="0"/></x:choice></x:sequence>"""


def test_branch_that_the_schema_allows_is_sent(carry: _Carry) -> None:
    carried = carry(_request(_NESTED))
    allowed = 0
    for given in itertools.product((False, True), repeat=7):
        names = [name for name, there in zip("abcdefg", given, strict=True) if there]
        wanted = carried.given("".join(f"<{name}>{at}</{name}>" for at, name in enumerate(names)))
        value = carried.types.AskRequest(**{name: at for at, name in enumerate(names)})
        try:
            sent = carried.sent(value)
        except carried.encode_error:
            assert not carried.schema.validate(wanted), names
            continue
        # The engine validates requests before sending, so that an invalid one is not sent.
        assert carried.schema.validate(sent) is carried.schema.validate(wanted), names
        if carried.schema.validate(sent):
            allowed += 1
            assert carried.read(sent) == value
    assert allowed == 6 * 3  # none, a, or b with or without c and d or e; then f, g or neither


def test_two_branches_of_a_choice_are_refused_with_their_names(carry: _Carry) -> None:
    carried = carry(_request(_NESTED))
    with pytest.raises(
        carried.encode_error, match=r"AskRequest/d: only one alternative of a choice.*no value if a is set"
    ):
        carried.wire(carried.types.AskRequest(a=1, d=2))
    with pytest.raises(
        carried.encode_error, match=r"AskRequest/e: only one alternative of a choice.*no value if d is set"
    ):
        carried.wire(carried.types.AskRequest(b=1, d=2, e=3))
    assert carried.wire(carried.types.AskRequest(b=1, c=2, e=3, f=4)) == {
        "b": "1",
        "c": "2",
        "e": "3",
        "f": "4",
    }


def test_choices_of_a_type_and_of_its_base_are_separate(carry: _Carry) -> None:
    base = '<x:complexType name="B"><x:choice><x:element name="y" type="x:int"/><x:element name="z" type="x:int"/></x:choice></x:complexType>'
    more = '<x:sequence><x:choice><x:element name="a" type="x:int"/><x:element name="b" type="x:int"/></x:choice><x:element name="c" type="x:int" minOccurs="0"/></x:sequence>'
    content = f'<x:complexContent><x:extension base="t:B">{more}</x:extension></x:complexContent>'
    carried = carry(_request(content, base))
    for first, second in itertools.product("yz", "ab"):
        given = carried.types.AskRequest(**{first: 1, second: 2})
        for node in (carried.sent(given), carried.body(given)):
            carried.schema.assertValid(node)
            assert carried.read(node) == given
    with pytest.raises(
        carried.encode_error, match=r"AskRequest/z: only one alternative of a choice.*no value if y is set"
    ):
        carried.wire(carried.types.AskRequest(y=1, z=2, a=3))


def test_empty_text_in_a_choice_is_sent_by_both_protocols(carry: _Carry) -> None:
    carried = carry(_request(f"<x:choice>{_A}{_B}</x:choice>"))
    carried.assert_sent(carried.types.AskRequest(b=""), {"b": ""})


# ---- values that are read but cannot be written


def test_a_value_of_a_derived_type_is_sent_over_soap_and_refused_over_rest(carry: _Carry) -> None:
    fields = '<x:element name="a" type="t:Odd"/><x:element name="c" type="t:Base" maxOccurs="2"/>'
    types = (carried := carry(_fields(fields, _EXTENDED))).types
    odd = types.Odd(z="q", b=1)
    given = types.AskRequest(a=odd, c=[types.Base(z="r"), odd])
    sent = carried.sent(given)
    carried.schema.assertValid(sent)
    assert carried.read(sent) == given
    assert [child.get(f"{{{_XSI}}}type") is not None for child in sent] == [False, False, True]
    with pytest.raises(
        carried.encode_error, match=r"^AskRequest/c\[2\]: a value of a derived type can be sent"
    ):
        carried.wire(given)


def test_derived_value_is_decoded_to_its_own_type(carry: _Carry) -> None:
    fields = '<x:element name="a" type="t:Odd" minOccurs="0"/><x:element name="c" type="t:Base"/>'
    carried = carry(_fields(fields, _EXTENDED))
    node = carried.given('<c i:type="t:Odd" m="1"><z>q</z><b>1</b></c>')
    carried.schema.assertValid(node)
    assert carried.read(node) == carried.types.AskRequest(c=carried.types.Odd(z="q", b=1, m=1))


def test_an_optional_nil_is_read_and_sent_as_nil_and_refused_over_rest(carry: _Carry) -> None:
    fields = '<x:element name="a" type="x:int" minOccurs="0" nillable="true"/><x:element name="p" type="t:Price" minOccurs="0" nillable="true"/>'
    carried = carry(_fields(fields, _PRICE))
    node = carried.given('<a i:nil="true"/><p i:nil="1" unit="kg"/>')
    carried.schema.assertValid(node)
    both = carried.types.AskRequest(a=NIL, p=NIL)
    assert carried.read(node, findings=1) == both  # the unit of a nil price
    sent = carried.sent(both)
    carried.schema.assertValid(sent)
    assert carried.read(sent) == both
    for given, name in ((both, "a"), (carried.types.AskRequest(p=NIL), "p")):
        with pytest.raises(carried.encode_error, match=f"^AskRequest/{name}: nil can be sent over SOAP only"):
            carried.wire(given)
    with pytest.raises(carried.decode_error, match="the element is nil"):
        carried.read(carried.given('<a i:nil="true">1</a>'))


def test_nil_of_a_non_nillable_element_is_an_error(carry: _Carry) -> None:
    carried = carry(_fields(_A))
    with pytest.raises(carried.decode_error, match="nil is not allowed"):
        carried.read(carried.given('<a i:nil="true"/>'))


def test_empty_element_decodes_to_its_default(carry: _Carry) -> None:
    carried = carry(_fields('<x:element name="a" type="x:int" minOccurs="0" default="7"/>'))
    node = carried.given("<a/>")
    carried.schema.assertValid(node)
    assert carried.read(node) == carried.types.AskRequest(a=7)


def test_attribute_and_element_with_one_name_are_distinguished(carry: _Carry) -> None:
    schema, value, _ = _CASES["attribute and element of one name"]
    carried = carry(schema)
    carried.assert_sent(value(carried.types), {"@a": "1", "a": "2"})
    carried.assert_sent(carried.types.AskRequest(a=1), {"@a": "1"})
    carried.assert_sent(carried.types.AskRequest(a_2=2), {"a": "2"})


_QUERY = '[.rest.Ask]\nmethod = "GET"\npath = "/ask"\nquery = { a = "a" }\n'


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (
            '<x:sequence/><x:attribute name="a" type="x:int" use="required"/>',
            "the attribute 'a' can be sent over",
        ),
        (
            '<x:simpleContent><x:extension base="x:string"/></x:simpleContent>',
            "the request's text can be sent over REST only if the body is the complete request",
        ),
    ],
)
def test_rest_request_without_a_body_refuses_attributes_and_text(
    workshop: Workshop, document: Callable[[str], str], content: str, said: str
) -> None:
    assert workshop.add("shop", document(_request(content) + _RESPONSE), tables=_QUERY).exit_code == 0
    refused = workshop.run("generate")
    assert refused.exit_code == 2
    assert said in refused.output


def test_optional_attribute_without_a_rest_body_is_sent_over_soap_only(
    workshop: Workshop, document: Callable[[str], str]
) -> None:
    schema, _, _ = _CASES["attribute and element of one name"]
    assert workshop.add("shop", document(schema + _RESPONSE), tables=_QUERY).exit_code == 0
    done = workshop.run("generate")
    assert done.exit_code == 0, done.output
    assert "a is sent over SOAP only" in done.output
    carried = _Carried(workshop)
    assert carried.operation.soap_only == {"@a"}  # the engine looks this up in the wire form
    assert carried.wire(carried.types.AskRequest(a=1, a_2=2)) == {"@a": "1", "a": "2"}


_RESPONSES: Mapping[str, tuple[str, str, object]] = {
    "a list": ('<x:element name="a" type="t:L"/>', "<a> 10  20 </a>", {"a": [10, 20]}),
    "a list that is restricted": ('<x:element name="a" type="t:L2"/>', "<a>10 20</a>", {"a": [10, 20]}),
    "a union with a list": ('<x:element name="a" type="t:U"/>', "<a>10 20</a>", {"a": [10, 20]}),
    "a union with a list, of text": ('<x:element name="a" type="t:U"/>', "<a>ten</a>", {"a": "ten"}),
    "a year": ('<x:element name="a" type="x:gYear"/>', "<a>2026Z</a>", {"a": "2026Z"}),
    "a duration": ('<x:element name="a" type="x:duration"/>', "<a>PT36H</a>", {"a": "PT36H"}),
    "an optional group": (f'<x:sequence minOccurs="0">{_A}{_B}</x:sequence>{_Z}', "<z>1</z>", {"z": 1}),
    "a group that is there": (
        f'<x:sequence minOccurs="0">{_A}{_B}</x:sequence>{_Z}',
        "<a>2</a><z>1</z>",
        {"a": 2, "z": 1},
    ),
}
_LISTS = """<x:simpleType name="L"><x:list itemType="x:int"/></x:simpleType>
<x:simpleType name="L2"><x:restriction base="t:L"><x:maxLength value="2"/></x:restriction></x:simpleType>
<x:simpleType name="U"><x:union memberTypes="t:L x:string"/></x:simpleType>"""


@pytest.mark.sampled(4)
@pytest.mark.parametrize(("fields", "inner", "expected"), _RESPONSES.values(), ids=_RESPONSES)
def test_responses_may_have_constructs_that_requests_may_not(
    workshop: Workshop,
    document: Callable[[str], str],
    fields: str,
    inner: str,
    expected: dict[str, object],
) -> None:
    response = f'<x:element name="AskResponse"><x:complexType><x:sequence>{fields}</x:sequence></x:complexType></x:element>'
    workshop.add("shop", document(_fields(_Z) + response + _LISTS))
    done = workshop.run("generate")
    assert done.exit_code == 0, done.output
    carried = _Carried(workshop)
    node = etree.fromstring(f'<AskResponse xmlns="{_SPACE}">{inner}</AskResponse>')
    carried.schema.assertValid(node)
    reader = CountingReader()
    assert carried.operation.read_response(node, reader) == carried.types.AskResponse(**expected)
    assert not reader.findings
