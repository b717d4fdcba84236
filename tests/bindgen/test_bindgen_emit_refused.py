"""Values that XML cannot represent are refused by field name before sending. Similar valid values are sent."""

# ruff: noqa: E501 - schemas are easier to read unbroken

from __future__ import annotations

import datetime as dt
import zoneinfo
from types import new_class
from typing import Any

import pytest
from lxml import etree

from soapclient.runtime import DecodeError, EncodeError
from soapclient.runtime.any_element import AnyElement
from tests.bindgen.conftest import Made, Make

_SCHEMA = """<x:element name="AskRequest"><x:complexType><x:sequence>
<x:element name="at" type="x:time" minOccurs="0"/><x:element name="held" type="t:Held" minOccurs="0"/>
<x:element name="data" type="x:base64Binary" minOccurs="0"/><x:element name="hex" type="x:hexBinary" minOccurs="0"/>
<x:any namespace="##other" processContents="lax" minOccurs="0"/>
</x:sequence><x:attribute name="form" type="x:string" use="required" fixed="f"/>
<x:anyAttribute namespace="##other" processContents="lax"/></x:complexType></x:element>
<x:complexType name="Held"><x:simpleContent><x:extension base="x:int">
<x:attribute name="k" type="x:string"/></x:extension></x:simpleContent></x:complexType>
<x:element name="AskResponse"><x:complexType><x:sequence/></x:complexType></x:element>"""


@pytest.fixture
def made(make: Make) -> Made:
    return make(_SCHEMA)


def _any(**given: Any) -> AnyElement:
    return AnyElement(**{"name": "{urn:o}a", **given})


# Field, invalid value, part of the message.
_REFUSED = {
    "a time of a region": ("at", dt.time(12, tzinfo=zoneinfo.ZoneInfo("Europe/Berlin")), "the UTC offset of the time zone depends on the date"),
    "a time of odd seconds": ("at", dt.time(12, tzinfo=dt.timezone(dt.timedelta(seconds=90))), "the UTC offset must be a whole number of minutes"),
    "no time": ("at", "12:00:00", "AskRequest/at"),
    "no bytes": ("data", "AAAA", "AskRequest/data"),
    "no bytes for hex": ("hex", "00", "AskRequest/hex"),
    "no element": ("any", "<a/>", "AskRequest"),
    "a control sign in an attribute": ("any", _any(attributes={"k": "\0"}), "valid XML names, and texts of characters that XML allows"),
    "a name with a blank": ("any", _any(attributes={"k k": "1"}), "valid XML names, and texts of characters that XML allows"),
    "no text": ("any", _any(text=7), "valid XML names, and texts of characters that XML allows"),
    "a tail with a control sign": ("any", _any(children=[_any(tail="\0")]), "in `tail`, only characters that XML allows"),
    "what is no element within one": ("any", _any(children=["a"]), "an AnyElement such as AnyElement"),
    "attributes that are none": ("any_attributes", ["k"], "a dict of strings"),
    "an attribute without a name": ("any_attributes", {"": "1"}, "valid XML names, and texts of characters that XML allows"),
    "an attribute with a control sign": ("any_attributes", {"{urn:o}k": "\0"}, "valid XML names, and texts of characters that XML allows"),
}  # fmt: skip


@pytest.mark.sampled(4)
@pytest.mark.parametrize("case", _REFUSED)
def test_values_without_an_xml_form_are_refused(made: Made, case: str) -> None:
    field, value, said = _REFUSED[case]
    with pytest.raises(EncodeError) as caught:
        made.write(made.types.AskRequest(**{field: value}))
    assert said in str(caught.value)


def test_derived_value_is_refused_if_its_extra_fields_would_be_lost(made: Made) -> None:
    derived = new_class("Derived", (made.types.AskRequest,))
    with pytest.raises(EncodeError, match="an instance of a subclass cannot be sent"):
        made.write(derived())


def test_text_of_an_element_with_attributes_is_required(made: Made) -> None:
    with pytest.raises(EncodeError, match="AskRequest/held"):
        made.write(made.types.AskRequest(held=made.types.Held(value=None, k="1")))


def test_required_attribute_with_a_fixed_value_may_be_omitted(made: Made) -> None:
    sent = made.write(made.types.AskRequest())
    assert dict(sent.attrib) == {"form": "f"}


def test_xml_attribute_has_the_xml_prefix(made: Made) -> None:
    value = made.types.AskRequest(any=_any(attributes={"{http://www.w3.org/2001/XMLSchema-instance}type": "{http://www.w3.org/XML/1998/namespace}lang"}))  # fmt: skip
    (inner,) = made.write(value, valid=False)
    assert inner.get("{http://www.w3.org/2001/XMLSchema-instance}type") == "xml:lang"


@pytest.mark.parametrize(
    ("inner", "text", "tails"),
    [
        ("<o:a>1<!-- a -->2<o:b/>3<!-- b -->4</o:a>", "12", ["34"]),
        ("<o:a><!-- a -->1<o:b/><o:c/>2<?p i?>3</o:a>", "1", ["", "23"]),
    ],
)
def test_comments_do_not_split_text(made: Made, inner: str, text: str, tails: list[str]) -> None:
    value = made.parse(inner.replace("<o:a", '<o:a xmlns:o="urn:o"', 1), attributes='form="f"')
    assert (value.any.text, [child.tail for child in value.any.children]) == (text, tails)


@pytest.mark.parametrize("text", ["12", "24:00:01", "12:00:00+15:00", "noon"])
def test_invalid_time_is_a_decode_error(made: Made, text: str) -> None:
    node = etree.fromstring(f'<AskRequest xmlns="urn:example:shop" form="f"><at>{text}</at></AskRequest>')
    assert not made.schema.validate(node)
    with pytest.raises(DecodeError, match="AskRequest/at"):
        made.parse(f"<at>{text}</at>", attributes='form="f"', valid=False)


@pytest.mark.parametrize(
    ("field", "good", "value", "bad"),
    [
        ("data", " AA= = ", b"\0", "A"),
        ("data", "AAEC", b"\0\1\2", "AA=A"),
        ("hex", " 0aFF ", b"\x0a\xff", "0"),
    ],
)
def test_binary_values_roundtrip(made: Made, field: str, good: str, value: bytes, bad: str) -> None:
    request = made.parse(f"<{field}>{good}</{field}>", attributes='form="f"')
    assert getattr(request, field) == value
    with pytest.raises(DecodeError, match=f"AskRequest/{field}"):
        made.parse(f"<{field}>{bad}</{field}>", attributes='form="f"', valid=False)
