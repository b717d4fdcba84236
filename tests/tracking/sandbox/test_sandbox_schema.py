"""The schema as tables: the fields of a type, and the constructs for which a contract is refused."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, date, datetime

import pytest
from lxml import etree

from soapclient.tracking.sandbox.codec import decode, encode
from soapclient.tracking.sandbox.contracts import Contract
from soapclient.tracking.sandbox.payload import Fields, Payload, Value
from soapclient.tracking.sandbox.schema import SchemaTypes

SCHEMA = (
    '<x:schema xmlns:x="http://www.w3.org/2001/XMLSchema" xmlns:t="urn:t" targetNamespace="urn:t" '
    'elementFormDefault="qualified">{}</x:schema>'
)
ROOT = '<x:element name="Root"><x:complexType>{}</x:complexType></x:element>'


def types_of(content: str) -> SchemaTypes:
    node = etree.fromstring(SCHEMA.format(content))
    etree.XMLSchema(node)  # only schemas that lxml accepts are valid cases
    return SchemaTypes(node)


@pytest.mark.parametrize(
    ("content", "fields"),
    [
        ('<x:sequence><x:element name="a" type="x:int"/></x:sequence>', [("a", "int", False)]),
        (
            '<x:sequence><x:element name="a" type="x:int" maxOccurs="2"/>'
            '<x:any namespace="##other" minOccurs="0"/></x:sequence>',
            [("a", "int", True)],
        ),
        (
            '<x:sequence><x:annotation/><x:choice maxOccurs="unbounded"><x:element name="a" type="x:int"/>'
            '<x:element name="b" type="x:date"/></x:choice>'
            '<x:element name="c" type="x:string"/></x:sequence>',
            [("a", "int", True), ("b", "date", True), ("c", "string", False)],
        ),
        (  # a list and a union are plain text
            '<x:sequence><x:element name="a"><x:simpleType><x:list itemType="x:int"/></x:simpleType>'
            "</x:element>"
            '<x:element name="b"><x:simpleType><x:union memberTypes="x:int x:date"/></x:simpleType>'
            "</x:element></x:sequence>",
            [("a", "string", False), ("b", "string", False)],
        ),
        (  # a restriction of a restriction has the base of the first one
            '<x:sequence><x:element name="a"><x:annotation/><x:simpleType><x:restriction base="t:Small"/>'
            "</x:simpleType></x:element></x:sequence>",
            [("a", "int", False)],
        ),
        (
            '<x:sequence><x:element name="a"><x:annotation/></x:element></x:sequence>',
            [("a", "anyType", False)],
        ),
    ],
)
def test_elements_of_a_type_are_listed(content: str, fields: list[tuple[str, str, bool]]) -> None:
    small = '<x:simpleType name="Small"><x:restriction base="x:int"/></x:simpleType>'
    types = types_of(small + ROOT.format(content))
    found = types.of_element("{urn:t}Root").fields
    assert [(one.name, types[one.type].scalar, one.many) for one in found] == fields
    assert [one.tag for one in found] == [f"{{urn:t}}{name}" for name, _, _ in fields]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ('<x:sequence><x:element ref="t:Other"/></x:sequence>', "an element reference"),
        ('<x:sequence><x:group ref="t:Group"/></x:sequence>', "group"),
        ('<x:group ref="t:Group"/>', "group"),
        ('<x:attributeGroup ref="t:Attributes"/>', "attributeGroup"),
    ],
)
def test_unsupported_construct_is_an_error_with_its_location(content: str, said: str) -> None:
    others = (
        '<x:element name="Other" type="x:int"/><x:attributeGroup name="Attributes"/>'
        '<x:group name="Group"><x:sequence><x:element name="a" type="x:int"/></x:sequence></x:group>'
    )
    with pytest.raises(ValueError, match=rf"^\{{urn:t\}}Root: {said} is not supported by the sandbox$"):
        types_of(others + ROOT.format(content))


def test_an_unknown_element_or_type_is_a_key_error() -> None:
    types = types_of(ROOT.format(""))
    for unknown in ("{urn:t}Nothing", "{urn:other}Root"):
        with pytest.raises(KeyError, match=r"Nothing|other"):
            types.of_element(unknown)
        with pytest.raises(KeyError, match=r"Nothing|other"):
            types[unknown]


def _contract(content: str) -> Contract:
    wsdl = (
        '<w:definitions xmlns:w="http://schemas.xmlsoap.org/wsdl/" targetNamespace="urn:t"><w:types>'
        f"{SCHEMA.format(ROOT.format(content))}</w:types></w:definitions>"
    )
    return Contract("t", "1", wsdl.encode())


TYPED = """<x:sequence><x:element name="day" type="x:date" minOccurs="0"/><x:element name="big" minOccurs="0">
    <x:simpleType><x:restriction base="x:unsignedLong"/></x:simpleType></x:element>
    <x:element name="at" type="x:time" minOccurs="0"/></x:sequence>"""


def test_texts_become_values_and_comments_are_skipped() -> None:
    content = "<!-- c --><day>2026-11-01</day><big> 7 </big><at>12:00:00</at>"
    root = etree.fromstring(f'<Root xmlns="urn:t">{content}</Root>')
    assert decode(_contract(TYPED), root) == {"day": date(2026, 11, 1), "big": 7, "at": "12:00:00"}


@pytest.mark.parametrize(
    ("tree", "error", "said"),
    [
        ({"day": date(2026, 11, 1), "unheardOf": 1}, KeyError, "Root has unheardOf, not declared"),
        ({"big": object()}, TypeError, "must have a single value, got object"),
    ],
)
def test_payload_that_the_contract_does_not_have_is_refused(
    tree: Payload, error: type[Exception], said: str
) -> None:
    with pytest.raises(error, match=said):
        encode(_contract(TYPED), "{urn:t}Root", tree)


def test_element_without_a_value_is_empty() -> None:
    root = encode(_contract(TYPED), "{urn:t}Root", {"big": [None, 7]})
    assert [(etree.QName(child).localname, child.text) for child in root] == [("big", None), ("big", "7")]


# ---- fields of a decoded request: each reader accepts only its own type, so that no error is hidden


MOMENT = datetime(2026, 11, 1, 12, tzinfo=UTC)
VALUES: dict[str, Value] = {
    "text": "abc",
    "number": 3,
    "flag": True,
    "instant": MOMENT,
    "day": date(2026, 11, 1),
    "structure": {"name": "x"},
}
READERS: dict[str, Callable[[Fields, str], object]] = {
    "text": Fields.text,
    "number": Fields.number,
    "flag": Fields.flag,
    "instant": Fields.instant,
    "day": Fields.day,
}


@pytest.mark.sampled(6)
@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("name", VALUES)
def test_reader_accepts_only_its_own_type(reader: str, name: str) -> None:
    """Even if Python's types overlap: a boolean is an int, a datetime is a date."""
    if reader == name:
        assert READERS[reader](Fields(VALUES), name) == VALUES[name]
    else:
        with pytest.raises(TypeError, match=f"^{name} is "):
            READERS[reader](Fields(VALUES), name)
    assert READERS[reader](Fields(VALUES), "absent") is None


@pytest.mark.parametrize(
    ("value", "texts", "numbers", "names"),
    [
        (None, [], [], []),
        ("ab", ["ab"], None, None),
        (["ab", "c"], ["ab", "c"], None, None),
        (7, None, [7], None),
        ([7, 8], None, [7, 8], None),
        ([7, True], None, None, None),
        (["ab", 7], None, None, None),
        ({"name": "x"}, None, None, ["x"]),
        ([{"name": "x"}, {"name": "y"}], None, None, ["x", "y"]),
        ([{"name": "x"}, "y"], None, None, None),
    ],
)
def test_single_value_is_a_list_of_one_and_lists_have_one_type(
    value: Value, texts: list[str] | None, numbers: list[int] | None, names: list[str] | None
) -> None:
    fields = Fields({"list": value})
    for read, expected in (
        (fields.texts, texts),
        (fields.numbers, numbers),
        (lambda name: [one.text("name") for one in fields.branches(name)], names),
    ):
        if expected is None:
            with pytest.raises(TypeError, match="list is "):
                read("list")
        else:
            assert read("list") == expected


def test_structure_is_read_as_an_object() -> None:
    assert Fields(VALUES).branch("structure").text("name") == "x"
    for other in ("text", "absent"):
        with pytest.raises(TypeError, match="not a structure"):
            Fields(VALUES).branch(other)
