"""No content of a response is lost silently: it is sent again with the value, or it is a finding."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

from soapclient.console import field_hints
from soapclient.testing import builders
from tests.connection.test_connection_roundtrip import echo, one, pattern
from tests.support.cases import case_text

__all__ = ["echo"]  # the fixture

Service = Callable[..., Any]
TYPES = case_text(__file__, "lossless.xsd")


# ---- xsi:type


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("declared", "xsi_type"),
    [
        ("x:int", "x:int"),
        ("x:base64Binary", "x:base64Binary"),
        ("t:Small", "t:Small"),
        ("t:Either", "t:Either"),
        ("t:List", "t:List"),
        ("t:Color", "t:Color"),
    ],
)
def test_declared_type_is_not_a_finding(echo: Service, declared: str, xsi_type: str) -> None:
    text = {"t:Color": "red", "x:base64Binary": "AA=="}.get(declared, "5")
    shop = echo(one(f'type="{declared}"'), TYPES, drift="error")
    shop.read(f'<v i:type="{xsi_type}">{text}</v>')


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("declared", "xsi_type"),
    [
        ('type="x:int"', "x:short"),
        ('type="x:int" maxOccurs="3"', "x:short"),
        ('type="x:int" default="3"', "x:short"),
        ('type="x:int" nillable="true"', "x:short"),
        ('type="x:decimal"', "x:int"),
        ('type="x:string"', "x:token"),
        ('type="x:anySimpleType"', "x:int"),
        ('type="x:int"', "t:Small"),
        ('type="t:Either"', "x:int"),
        ('type="t:Either"', "x:string"),
        ('type="t:List"', "t:Short"),
    ],
)
def test_another_type_of_a_simple_value_is_a_finding(echo: Service, declared: str, xsi_type: str) -> None:
    shop = echo(one(declared), TYPES)
    shop.read(f'<v i:type="{xsi_type}">5</v>')
    assert shop.findings() == {("value", "Told/v")}


def test_another_type_of_a_message_of_simple_type_is_a_finding(echo: Service) -> None:
    shop = echo('type="x:int"', drift="error")
    assert shop.read("5", attributes='i:type="x:int"').value == 5
    shop = echo('type="x:int"')
    assert shop.read("5", attributes='i:type="x:short"').value == 5
    assert shop.findings() == {("value", "Told")}


# ---- next to xsi:nil


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("declared", "attributes", "finding"),
    [
        ('type="x:int" nillable="true"', 'i:type="x:int"', None),
        ('type="x:int" nillable="true"', 'i:type="x:short"', "value"),
        ('type="x:int" nillable="true" maxOccurs="2"', 'i:type="x:short"', "value"),
        ('type="x:anyType" nillable="true"', 'i:type="x:short"', "value"),
        ('type="x:anyType" nillable="true"', 'k="1"', "shortened"),
        ('type="t:Base" nillable="true"', 'i:type="t:Base"', None),
        ('type="t:Base" nillable="true"', 'i:type="t:More"', "value"),
        ('type="t:Base" nillable="true" minOccurs="0"', 'i:type="t:More"', "value"),
        ('type="t:Base" nillable="true"', 'k="1"', "shortened"),
        ('type="t:Base" nillable="true" maxOccurs="2"', 'k="1"', "shortened"),
        ('type="t:Noted" nillable="true"', 'note="why"', "shortened"),
    ],
)
def test_attributes_of_a_nil_are_a_finding(
    echo: Service, declared: str, attributes: str, finding: str | None
) -> None:
    shop = echo(one(declared), TYPES)
    shop.read(f'<v {attributes} i:nil="true"/>')
    assert shop.findings() == ({(finding, "Told/v")} if finding else set())


# ---- lexical forms that a pattern requires


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("base", "value", "texts"),
    [
        ("boolean", "true|0", ["true", "0"]),
        ("boolean", "[01]", ["1", "0"]),
        ("boolean", "1|false", ["1", "false"]),
        ("boolean", "1", ["1"]),
        ("float", r"[+\-]\d\.\d", ["+1.5", "-1.5"]),
        ("float", r"-?\d{3}\.\d", ["001.5", "-001.5", "123.0"]),
        ("float", r"-?\.\d{2}", [".50", "-.25"]),
        ("float", r"\d+\.", ["1.", "100."]),
        ("float", r"-?\d\.\d+E-?\d", ["1.5E2", "-1.25E-3", "1.50E0"]),
        ("double", r"\d\.\d+e\d", ["1.5e2"]),
        ("double", r"\d+E-?\d", ["15E1", "1E0", "25E-2"]),
        ("double", r"\d\.\dE\d|INF|NaN", ["INF"]),
        ("decimal", r"\d{3}\.\d", ["001.5"]),
        ("int", r"[+]\d", ["+1"]),
        ("int", "[0-9]{4}", ["0042"]),
        ("integer", r"\d{10}", ["0012345678"]),
        ("time", r".*\.\d{2}Z", ["12:00:00.50Z"]),
        ("dateTime", ".*Z", ["2026-11-20T12:00:00Z"]),
        ("dateTime", r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}", ["2026-11-20T12:00:00.000"]),
        ("dateTime", r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z", ["2026-11-20T12:00:00.500Z"]),
    ],
)
def test_lexical_form_fixed_by_a_pattern_is_kept(
    echo: Service, base: str, value: str, texts: list[str]
) -> None:
    attribute = f'<x:attribute name="k">{pattern(base, value)}</x:attribute>'
    element, by_attribute = (
        echo(one(pattern(base, value)), drift="error"),
        echo(f"><x:complexType>{attribute}</x:complexType>", drift="error"),
    )
    for text in texts:
        element.there_and_back(f"<v>{text}</v>")
        by_attribute.there_and_back("", attributes=f'k="{text}"')


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("base", "value", "text"),
    [
        ("boolean", "[01]", "1 0"),
        ("float", r"\d\.\dE\d", "1.5E2 2.5E0"),
        ("int", r"\d{3}", "001 002"),
        ("dateTime", ".*Z", "2026-11-20T12:00:00Z"),
    ],
)
def test_lexical_form_fixed_by_a_pattern_is_kept_in_lists(
    echo: Service, base: str, value: str, text: str
) -> None:
    inline = f"<x:simpleType><x:list>{pattern(base, value)}</x:list></x:simpleType>"
    item = pattern(base, value).replace("<x:simpleType>", '<x:simpleType name="Item">')
    named = item + '<x:simpleType name="Items"><x:list itemType="t:Item"/></x:simpleType>'
    echo(one(inline), drift="error").there_and_back(f"<v>{text}</v>")
    echo(one('type="t:Items"'), named, drift="error").there_and_back(f"<v>{text}</v>")


@pytest.mark.parametrize(
    ("base", "value"),
    [("dateTime", ".*Z"), ("double", r"\d\.\dE\d"), ("boolean", "[01]"), ("time", r".*\.\d{3}Z")],
)
def test_builders_and_console_forms_support_a_fixed_lexical_form(
    echo: Service, base: str, value: str
) -> None:
    shop = echo(one(pattern(base, value)))
    service = type(shop.connection)
    types = service.PACKAGE.codec.decoder.types
    (field,) = types.fields(service.PACKAGE.operations["Get"].row.response)
    assert (":" in field.row.type, field_hints.values_of(field)) == (True, ())
    told = builders.build(service.PACKAGE.codec.kind("Told"))
    assert re.fullmatch(value, shop.write(v=told.v)[0].text or "")


def test_a_union_of_lists_is_read_by_its_items_and_sent_back(echo: Service) -> None:
    lists = (
        '<x:simpleType name="Colors"><x:list itemType="t:Color"/></x:simpleType>'
        '<x:simpleType name="Numbers"><x:list itemType="x:positiveInteger"/></x:simpleType>'
        '<x:simpleType name="Union"><x:union memberTypes="t:Colors t:Numbers"/></x:simpleType>'
    )
    shop = echo(one('type="t:Union"'), TYPES + lists, drift="error")
    assert shop.read("<v>12345 7</v>").v == [12345, 7]
    shop.there_and_back("<v>12345 7</v>")
    assert shop.read("<v>red red</v>").v == ["red", "red"]
    shop.there_and_back("<v>red red</v>")


# ---- elements of wildcards with the name of a declared element

ANY = '<x:any namespace="##any" processContents="skip" {}/>'
LOCAL = '<x:element name="{}" type="x:string" form="unqualified" {}/>'


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("content", "names"),
    [
        (ANY.format("") + LOCAL.format("v", ""), "vv"),
        (LOCAL.format("v", "") + ANY.format(""), "vv"),
        (LOCAL.format("v", "") + ANY.format("") + LOCAL.format("w", ""), "vww"),
        (LOCAL.format("v", "") + ANY.format("") + LOCAL.format("v", ""), "vvv"),
        (LOCAL.format("v", "") + ANY.format("") + ANY.format("") + LOCAL.format("w", ""), "vwvw"),
        (ANY.format("") + LOCAL.format("v", 'maxOccurs="unbounded"'), "vvv"),
    ],
)
def test_elements_of_wildcards_and_declared_ones_keep_their_order(
    echo: Service, content: str, names: str
) -> None:
    shop = echo(f"><x:complexType><x:sequence>{content}</x:sequence></x:complexType>", drift="error")
    shop.there_and_back("".join(f'<{name} xmlns="">{at}</{name}>' for at, name in enumerate(names)))
