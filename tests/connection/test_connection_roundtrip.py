"""A response is decoded, its value is sent as a request, and lxml compares both messages.

Uses only the public API: a WSDL, `bindgen init`, `connect`, a call over HTTP.
"""

from __future__ import annotations

import datetime as dt
import itertools
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from lxml import etree

from soapclient import Settings
from soapclient.errors import ResponseError
from tests.support.soap import envelope

SPACE = "urn:example:echo"
XSI = "http://www.w3.org/2001/XMLSchema-instance"
PARTS = "".join(
    f'<message name="{name}"><part name="p" element="t:{name}"/></message>'
    for name in ("Get", "Told", "Put", "Done")
)
BOUND = "".join(
    f'<operation name="{name}"><s:operation soapAction="urn:{name}"/><input><s:body use="literal"/></input>'
    '<output><s:body use="literal"/></output></operation>'
    for name in ("Get", "Put")
)
WSDL = f"""<definitions name="Echo" targetNamespace="{SPACE}" xmlns:t="{SPACE}"
    xmlns="http://schemas.xmlsoap.org/wsdl/" xmlns:s="http://schemas.xmlsoap.org/wsdl/soap/"
    xmlns:x="http://www.w3.org/2001/XMLSchema"><types>{{schema}}</types>{PARTS}<portType name="EchoPort">
    <operation name="Get"><input message="t:Get"/><output message="t:Told"/></operation>
    <operation name="Put"><input message="t:Put"/><output message="t:Done"/></operation>
    </portType><binding name="EchoBinding" type="t:EchoPort">
    <s:binding style="document" transport="http://schemas.xmlsoap.org/soap/http"/>{BOUND}</binding>
    <service name="EchoService"><port name="EchoPort" binding="t:EchoBinding">
    <s:address location="http://127.0.0.1:1/echo"/></port></service></definitions>"""
EMPTY = '<x:element name="{}"><x:complexType/></x:element>'


@dataclass
class Echo:
    """A service with Get, whose response is `Told`, and Put, whose request is a `Put` of the same type."""

    schema: etree.XMLSchema
    connection: Any
    recorder: Any

    def read(self, content: str, *, attributes: str = "") -> Any:
        """Return the value of a valid response with that content. Prefix `t` is the contract's."""
        self.schema.assertValid(element("Told", content, attributes))
        return self.read_any(content, attributes=attributes)

    def read_any(self, content: str, *, attributes: str = "") -> Any:
        """The same for a response that may be invalid."""
        self._answers(etree.tostring(element("Told", content, attributes), encoding="unicode"))
        return self.connection.get()

    def write(self, **values: object) -> etree._Element:
        """Return the request message for these values. Checks that it is valid."""
        self._answers(f'<Done xmlns="{SPACE}"/>')
        self.connection.put(**values)
        (message,) = etree.fromstring(self.recorder.last.body)[-1]
        alone = etree.fromstring(etree.tostring(message))
        self.schema.assertValid(alone)
        return alone

    def there_and_back(self, content: str, *, attributes: str = "") -> None:
        """Decode a response, send its value, and compare the request with the response."""
        value = self.read(content, attributes=attributes)
        sent = self.write(**{name: getattr(value, name) for name in value.__struct_fields__})
        assert canonical(sent) == canonical(element("Put", content, attributes))

    def findings(self) -> set[tuple[str, str]]:
        """Return the findings in responses: kinds and paths."""
        return {(finding.kind, finding.path) for _, finding in self.connection.drift.counts()}

    def _answers(self, body: str) -> None:
        self.recorder.answers(envelope(body), 200, "text/xml")


def element(name: str, content: str, attributes: str = "") -> etree._Element:
    spaces = f'xmlns="{SPACE}" xmlns:t="{SPACE}" xmlns:i="{XSI}" xmlns:x="http://www.w3.org/2001/XMLSchema"'
    return etree.fromstring(f"<{name} {spaces} {attributes}>{content}</{name}>")


def canonical(node: etree._Element) -> str:
    """Return an element's names, attributes and texts, independent of prefixes (Canonical XML 2.0)."""
    text = etree.tostring(node, encoding="unicode", with_tail=False)
    types = [f"{{{XSI}}}type"]
    found: str = etree.canonicalize(text, rewrite_prefixes=True, qname_aware_attrs=types)
    return found


_numbers = itertools.count()


@pytest.fixture
def echo(make_package: Any, recorder: Any, open_service: Any, tmp_path: Path) -> Callable[..., Echo]:
    """Make the service whose `Told` and `Put` are declared by attributes (`type="t:M"`) or by content."""

    def made(declared: str, types: str = "", **settings: Any) -> Echo:
        messages = "".join(
            f'<x:element name="{name}" {declared}</x:element>'
            if ">" in declared
            else f'<x:element name="{name}" {declared}/>'
            for name in ("Told", "Put")
        )
        schema = (
            f'<x:schema xmlns:x="http://www.w3.org/2001/XMLSchema" xmlns:t="{SPACE}" '
            f'targetNamespace="{SPACE}" elementFormDefault="qualified">'
            f"{EMPTY.format('Get')}{EMPTY.format('Done')}{messages}{types}"
            "</x:schema>"
        )
        number = next(_numbers)
        file = tmp_path / f"echo{number}.wsdl"
        file.write_text(WSDL.format(schema=schema))
        module = make_package(f"echo{number}", file)
        connection = open_service(
            getattr(module, f"Echo{number}Service"), recorder.url, settings=Settings(**settings)
        )
        return Echo(etree.XMLSchema(etree.fromstring(schema)), connection, recorder)

    return made


def one(kind: str, *, name: str = "v", more: str = "") -> str:
    """Return a declaration with one element as content. `kind` is its attributes or its simple type."""
    inner = (
        f'<x:element name="{name}" {kind}/>'
        if kind.startswith(("type=", "nillable="))
        else (f'<x:element name="{name}">{kind}</x:element>')
    )
    return f"><x:complexType><x:sequence>{inner}{more}</x:sequence></x:complexType>"


def pattern(base: str, value: str) -> str:
    return (
        f'<x:simpleType><x:restriction base="x:{base}"><x:pattern value="{value}"/></x:restriction>'
        "</x:simpleType>"
    )


# ---- messages


def test_a_mixed_message_keeps_its_text(echo: Any) -> None:
    inner = '<x:sequence><x:element name="c" type="x:int" minOccurs="0"/></x:sequence>'
    mixed = f'><x:complexType mixed="true">{inner}</x:complexType>'
    echo(mixed).there_and_back("one <c>1</c> two")


def test_an_empty_message_of_simple_type_has_its_default(echo: Any) -> None:
    shop = echo('type="x:int" default="5"')
    assert shop.read("").value == 5
    assert shop.read("7").value == 7


@pytest.mark.parametrize("occurs", ["", 'minOccurs="0"'])
def test_nil_message_may_lack_content(echo: Any, occurs: str) -> None:
    shop = echo('nillable="true"' + one(f'type="x:int" {occurs}'))
    shop.there_and_back("<v>1</v>")
    shop.there_and_back("", attributes='i:nil="true"')
    if occurs:
        shop.there_and_back("")


def test_repeating_group_of_optional_elements_may_be_absent(echo: Any) -> None:
    inner = "".join(f'<x:element name="{name}" type="x:int" minOccurs="0"/>' for name in "cd")
    group = f'<x:sequence maxOccurs="unbounded">{inner}</x:sequence>'
    shop = echo('type="t:M"', f'<x:complexType name="M">{group}</x:complexType>')
    shop.there_and_back("<c>1</c><d>2</d><c>3</c>")
    shop.there_and_back("")


# ---- values


@pytest.mark.parametrize("text", ["2026-11-20T12:00:00", "2026-11-20T12:00:00.5"])
def test_a_date_time_without_a_zone_stays_without_one(echo: Any, text: str) -> None:
    shop = echo(one('type="x:dateTime"'), drift="error")
    assert shop.read(f"<v>{text}</v>").v == dt.datetime.fromisoformat(text)
    assert shop.write(v=dt.datetime.fromisoformat(text)).findtext("{*}v")[:19] == text[:19]
    shop.there_and_back("<v>2026-11-20T12:00:00</v>")


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("time", "12:00:00"),
        ("time", "12:00:00+02:00"),
        ("date", "2026-11-20"),
        ("gYear", "2026"),
        ("gYear", "2026Z"),
        ("gMonthDay", "--11-20"),
    ],
)
def test_parts_of_time_keep_their_zone_or_have_none(echo: Any, kind: str, text: str) -> None:
    echo(one(f'type="x:{kind}"'), drift="error").there_and_back(f"<v>{text}</v>")


@pytest.mark.parametrize("zone", [None, dt.UTC])
def test_a_request_may_carry_a_date_time_without_a_zone(echo: Any, zone: dt.tzinfo | None) -> None:
    shop = echo(one('type="x:dateTime"'), naive_zone=zone)
    sent = shop.write(v=dt.datetime(2026, 11, 20, 12))
    assert sent.findtext("{*}v") == "2026-11-20T12:00:00"


@pytest.mark.parametrize(
    ("kind", "text"), [("date", "2026-11-20+02:00"), ("dateTime", "2026-11-20T12:00:00.1234567Z")]
)
def test_shortened_value_is_a_finding(echo: Any, kind: str, text: str) -> None:
    shop = echo(one(f'type="x:{kind}"'))
    assert str(shop.read(f"<v>{text}</v>").v) != text
    assert shop.findings() == {("shortened", "Told/v")}


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("decimal", "11<a/>21"),
        ("int", "11<a/>21"),
        ("double", "11<a/>"),
        ("date", "2026-11-<a/>20"),
        ("dateTime", "2026-11-20T12:00:00Z<a/>"),
        ("boolean", "tr<a/>ue"),
    ],
)
def test_simple_value_with_a_child_element_is_an_error(echo: Any, kind: str, text: str) -> None:
    shop = echo(one(f'type="x:{kind}"'))
    with pytest.raises(ResponseError, match="Told/v"):
        shop.read_any(f"<v>{text}</v>")


# ---- lists of lists


def test_repeated_list_is_copied_and_sent_completely(echo: Any) -> None:
    types = (
        '<x:simpleType name="Colour"><x:restriction base="x:string"><x:enumeration value="red"/>'
        '<x:enumeration value="blue"/></x:restriction></x:simpleType>'
        '<x:simpleType name="Colours"><x:list itemType="t:Colour"/></x:simpleType>'
    )
    shop = echo(one('type="t:Colours" minOccurs="0" maxOccurs="unbounded"'), types)
    shop.there_and_back("<v>red blue</v><v></v><v>blue</v>")
    sent = shop.write(v=(("red", "blue"), ["red"]))
    assert [each.text for each in sent] == ["red blue", "red"]
