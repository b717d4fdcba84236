"""Values of xsd:anyType with their xsi:type, in responses and requests, and the attributes of mixed types."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterator
from decimal import Decimal
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from lxml import etree

from bindgen import init
from bindgen.cli import main
from soapclient import Settings
from soapclient.errors import ContractError, ResponseError
from soapclient.runtime.any_element import AnyElement
from tests.connection.test_connection_roundtrip import EMPTY, SPACE, WSDL, XSI, canonical, echo, element, one
from tests.connection.test_connection_rpc import SPACES
from tests.support.cases import case_text
from tests.support.packages import generated
from tests.support.soap import envelope

__all__ = ["echo"]  # the fixture

XSD = "http://www.w3.org/2001/XMLSchema"
ENC = "http://schemas.xmlsoap.org/soap/encoding/"
ANY = one('type="x:anyType"')
MANY = one('type="x:anyType" minOccurs="0" maxOccurs="unbounded"')
TYPES = case_text(__file__, "any-values.xsd")
USED = '<x:element name="p" type="t:Point" minOccurs="0"/><x:element name="c" type="t:Color" minOccurs="0"/>'
BOTH = one('type="x:anyType" minOccurs="0"', more=USED)
Service = Callable[..., Any]


def types_of(shop: Any) -> Any:
    return import_module(f"{type(shop.connection).__module__.rpartition('.')[0]}.types")


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("kind", "text", "value"),
    [
        ("x:int", "5", 5),
        ("x:string", " a b ", " a b "),
        ("x:string", "", ""),
        ("x:boolean", "true", True),
        ("x:decimal", "1.50", Decimal("1.50")),
        ("x:dateTime", "2026-11-20T12:00:00", dt.datetime(2026, 11, 20, 12)),
        ("x:dateTime", "2026-11-20T12:00:00+02:00", dt.datetime.fromisoformat("2026-11-20T12:00:00+02:00")),
        ("x:date", "2026-11-20", dt.date(2026, 11, 20)),
        ("x:time", "12:00:00", dt.time(12)),
        ("x:base64Binary", "AAE=", b"\x00\x01"),
        ("x:long", "9000000000", 9_000_000_000),
        ("x:integer", "9000000000000000000000", 9_000_000_000_000_000_000_000),
        ("x:double", "INF", Decimal("Infinity")),
    ],
)
def test_a_value_of_a_built_in_type_is_read_and_sent_back(
    echo: Service, kind: str, text: str, value: object
) -> None:
    shop = echo(ANY, drift="error")
    found = shop.read(f'<v i:type="{kind}">{text}</v>').v
    assert (type(found), found) == (type(value), value)
    shop.there_and_back(f'<v i:type="{kind}">{text}</v>')


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("kind", "text", "value"),
    [
        ("x:short", "5", 5),
        ("x:long", "5", 5),
        ("x:double", "1.5", Decimal("1.5")),
        ("x:token", "a", "a"),
        ("x:duration", "P1D", "P1D"),
        ("x:hexBinary", "01", b"\x01"),
        ("t:Small", "5", 5),
        ("t:When", "2026-11-20T12:00:00", dt.datetime(2026, 11, 20, 12)),
    ],
)
def test_a_value_that_would_be_sent_with_another_type_is_a_finding(
    echo: Service, kind: str, text: str, value: object
) -> None:
    used = (f'<x:element name="{name}" type="t:{name}" minOccurs="0"/>' for name in ("Small", "When"))
    shop = echo(one('type="x:anyType"', more="".join(used)), TYPES)
    found = shop.read(f'<v i:type="{kind}">{text}</v>').v
    assert (type(found), found) == (type(value), value)
    assert shop.findings() == {("shortened", "Told/v")}


def test_soap_encoding_type_equals_the_xml_schema_type(echo: Service) -> None:
    shop = echo(ANY, drift="error")
    for kind, text, value in (("int", "5", 5), ("base64", "AA==", b"\x00")):
        assert shop.read_any(f'<v xmlns:e="{ENC}" i:type="e:{kind}">{text}</v>').v == value


def test_a_value_of_a_type_of_the_contract_is_read_and_sent_back(echo: Service) -> None:
    shop = echo(BOTH, TYPES, drift="error")
    value = shop.read('<v i:type="t:Point" k="x"><a>1</a></v>').v
    assert value == types_of(shop).Point(a=1, k="x")
    shop.there_and_back('<v i:type="t:Point" k="x"><a>1</a></v>')
    assert shop.read('<v i:type="t:Color">red</v>').v is types_of(shop).Color.RED
    shop.there_and_back('<v i:type="t:Color">red</v>')


def test_list_of_any_values_is_read_and_sent(echo: Service) -> None:
    shop = echo(MANY, drift="error")
    content = '<v i:type="x:int">1</v><v>two</v><v i:type="x:string">three</v><v><w/></v>'
    assert [type(value) for value in shop.read(content).v] == [int, AnyElement, str, AnyElement]
    shop.there_and_back(content)


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    "content",
    [
        '<v i:type="x:anyType"><w/></v>',
        '<v i:type="x:QName">t:n</v>',
        '<v i:type="t:Numbers">1 2</v>',
        "<v>5</v>",
        '<v a="1"/>',
    ],
)
def test_value_without_a_python_type_stays_an_element(echo: Service, content: str) -> None:
    used = '<x:element name="n" type="t:Numbers" minOccurs="0"/>'
    shop = echo(one('type="x:anyType"', more=used), TYPES, drift="error")
    assert isinstance(shop.read(content).v, AnyElement)
    shop.there_and_back(content)


def test_a_value_with_attributes_stays_an_element(echo: Service) -> None:
    shop = echo(ANY, drift="error")
    value = shop.read_any('<v i:type="x:int" more="1">5</v>').v
    assert (value.text, value.attributes["more"]) == ("5", "1")


@pytest.mark.parametrize("text", ["", "x", "1 2"])
def test_text_that_does_not_match_its_type_is_a_finding(echo: Service, text: str) -> None:
    shop = echo(ANY)
    value = shop.read_any(f'<v i:type="x:int">{text}</v>').v
    assert (value.text, value.attributes) == (text, {f"{{{XSI}}}type": f"{{{XSD}}}int"})
    assert shop.findings() == {("value", "Told/v")}


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("value", "kind", "text"),
    [
        (2**31, "long", "2147483648"),
        (2**63, "integer", "9223372036854775808"),
        (Decimal("NaN"), "double", "NaN"),
        (1.5, "double", "1.5"),
    ],
)
def test_a_request_takes_plain_values(echo: Service, value: object, kind: str, text: str) -> None:
    """All other types are sent in the test of values that are read."""
    sent = echo(ANY).write(v=value)
    assert canonical(sent) == canonical(element("Put", f'<v i:type="x:{kind}">{text}</v>'))


@pytest.mark.exhaustive
def test_a_request_takes_a_number_of_numpy(echo: Service) -> None:
    import numpy as np

    sent = echo(ANY).write(v=np.int64(7))
    assert canonical(sent) == canonical(element("Put", '<v i:type="x:int">7</v>'))


@pytest.mark.sampled(2)
@pytest.mark.parametrize("value", [[1], {"a": 1}, object(), 1 + 2j, "\x00"])
def test_request_refuses_values_without_a_type(echo: Service, value: object) -> None:
    shop = echo(ANY)
    with pytest.raises(ContractError, match="Put: v"):
        shop.connection.put(v=value)
    assert shop.recorder.sent == []


ROOTS = ['type="x:anyType"', 'type="x:anyType" nillable="true"', 'type="t:Loose"']
LOOSE = """<x:complexType name="Loose" mixed="true"><x:sequence><x:any minOccurs="0"/></x:sequence>
</x:complexType>"""


@pytest.mark.sampled(2)
@pytest.mark.parametrize("declared", ROOTS[:2])
@pytest.mark.parametrize(
    ("kind", "text", "value"),
    [("int", "5", 5), ("string", "", ""), ("dateTime", "2026-11-20T12:00:00", dt.datetime(2026, 11, 20, 12))],
)
def test_a_message_of_any_type_is_decoded_and_sent_back(
    echo: Service, declared: str, kind: str, text: str, value: object
) -> None:
    shop = echo(declared, drift="error")
    told = shop.read(text, attributes=f'i:type="x:{kind}"').value
    assert (type(told), told) == (type(value), value)
    shop.there_and_back(text, attributes=f'i:type="x:{kind}"')


@pytest.mark.parametrize("declared", ROOTS)
def test_a_message_of_any_content_without_a_type_stays_an_element(echo: Service, declared: str) -> None:
    shop = echo(declared, LOOSE, drift="error")
    assert isinstance(shop.read("text").value, AnyElement)
    shop.there_and_back("text")


def test_a_nil_message_has_no_value(echo: Service) -> None:
    shop = echo(ROOTS[1])
    with pytest.raises(ContractError, match="value: the element is nil"):
        shop.connection.put(value=5, nil=True)
    assert shop.recorder.sent == []


def test_a_value_of_another_package_and_an_invalid_struct_are_errors_with_their_path(echo: Service) -> None:
    shop, other = echo(BOTH, TYPES), echo(BOTH, TYPES)
    with pytest.raises(ContractError, match="Put: v"):
        shop.connection.put(v=types_of(other).Point(a=1))
    with pytest.raises(ResponseError, match="Told/v/a"):
        shop.read_any('<v i:type="t:Point"><a>x</a></v>')


@pytest.fixture(scope="module")
def encoded() -> Iterator[Any]:
    text = (Path(__file__).parent / "sums.wsdl").read_text()
    text = text.replace('name="value" type="x:int"', 'name="value" type="x:anyType"')
    text = text.replace('name="prefix" type="x:string"', 'name="prefix" type="x:anyType"')
    with generated("any_sums", text) as package:
        yield package.AnySumsService


def test_encoded_request_and_response_values_are_typed(
    encoded: Any, recorder: Any, open_service: Any
) -> None:
    body = """<r:ListResponse><pairs href="#all"/></r:ListResponse>
        <multiRef id="all" xsi:type="e:Array" e:arrayType="t:Pair[3]">
          <i><name>a</name><value xsi:type="e:int">7</value></i>
          <i><name>b</name><value href="#two"/></i>
          <i><name>c</name><value href="#pair"/></i></multiRef>
        <multiRef id="two" xsi:type="x:string">two</multiRef>
        <multiRef id="pair" xsi:type="t:Pair"><name>d</name><value xsi:type="e:boolean">1</value>
        </multiRef>"""
    service = open_service(encoded, recorder.url, settings=Settings(drift="error"))
    recorder.answers(envelope(body, spaces=SPACES), 200, "text/xml")
    pairs = service.list_(prefix=dt.date(2026, 11, 20)).pairs
    assert [pair.value for pair in pairs.item[:2]] == [7, "two"]
    assert (pairs.item[2].value.name, pairs.item[2].value.value) == ("d", True)
    (part,) = etree.fromstring(recorder.last.body)[-1][0]
    prefix, _, local = part.get(f"{{{XSI}}}type", "").partition(":")
    assert (part.nsmap[prefix], local, part.text) == (XSD, "date", "2026-11-20")


# ---- attributes of mixed types

TOPIC = """<x:complexType name="Topic" mixed="true"><x:sequence><x:any minOccurs="0" processContents="lax"/>
</x:sequence><x:attribute name="Dialect" type="x:anyURI" use="required"/><x:attribute name="n" type="x:int"/>
<x:anyAttribute namespace="##other" processContents="lax"/></x:complexType>"""
MORE = """<x:complexType name="Deep"><x:complexContent mixed="true"><x:extension base="t:Topic">
<x:attribute name="deep" type="x:boolean"/></x:extension></x:complexContent></x:complexType>"""


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    "content",
    [
        '<v Dialect="urn:d">t:a/t:b</v>',
        '<v Dialect="urn:d" n="1">one <w xmlns="urn:other" b="x:c">two</w> three</v>',
        '<v Dialect="urn:d" o:more="1" xmlns:o="urn:other"/>',
    ],
)
def test_a_mixed_type_has_its_attributes_as_fields(echo: Service, content: str) -> None:
    shop = echo(one('type="t:Topic"'), TOPIC, drift="error")
    value = shop.read(content).v
    assert (type(value).__name__, value.dialect) == ("Topic", "urn:d")
    assert isinstance(value.value, AnyElement)
    shop.there_and_back(content)


def test_a_mixed_type_is_built_from_its_fields(echo: Service) -> None:
    shop = echo(one('type="t:Topic"'), TOPIC)
    prefixed = AnyElement(text="p:a", prefixes={"p": "urn:p"})
    sent = shop.write(v=types_of(shop).Topic(dialect="urn:d", n=2, value=prefixed))
    content = '<v Dialect="urn:d" n="2" xmlns:p="urn:p">p:a</v>'
    assert canonical(sent) == canonical(element("Put", content))
    assert sent[0].nsmap["p"] == "urn:p"
    with pytest.raises(ResponseError, match="Told/v/@Dialect"):
        shop.read_any("<v>a</v>")


def test_a_mixed_type_that_extends_another_has_the_attributes_of_both(echo: Service) -> None:
    shop = echo('type="t:Deep"', TOPIC + MORE, drift="error")
    value = shop.read("text", attributes='Dialect="urn:d" deep="true"')
    assert (value.dialect, value.deep, value.value.text) == ("urn:d", True, "text")
    shop.there_and_back("text <w/>", attributes='Dialect="urn:d" deep="true"')


# ---- --all-types


def test_all_declared_types_are_generated_on_request(tmp_path: Path) -> None:
    schema = (
        f'<x:schema xmlns:x="{XSD}" xmlns:t="{SPACE}" targetNamespace="{SPACE}" '
        f'elementFormDefault="qualified">{EMPTY.format("Get")}{EMPTY.format("Done")}'
        f'<x:element name="Told" {ANY}</x:element><x:element name="Put" {ANY}</x:element>{TYPES}</x:schema>'
    )
    (tmp_path / "all.wsdl").write_text(WSDL.format(schema=schema))
    few = init.make("few", tmp_path / "all.wsdl", offline=True)
    names = {struct.name for struct in few.contract.structs}
    assert (names & {"Point"}, few.contract.enums) == (set(), [])
    by_option = init.make("every", tmp_path / "all.wsdl", offline=True, all_types=True)
    by_file = init.make("every", tmp_path / "all.wsdl", offline=True, sections={"types": {"all": True}})
    assert by_option.files == by_file.files
    command = ["init", "every", "--file", str(tmp_path / "all.wsdl"), "--out", str(tmp_path), "--offline"]
    assert CliRunner().invoke(main, [*command, "--all-types"]).exit_code == 0
    assert (tmp_path / "every/types.py").read_bytes() == by_file.files["types.py"]
    assert {struct.name for struct in by_option.contract.structs} == {*names, "Point"}
    assert [enum.python for enum in by_option.contract.enums] == ["Color"]
