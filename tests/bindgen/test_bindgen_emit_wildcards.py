"""Adjacent wildcards, wildcards next to elements, their namespaces, and the data kept for arbitrary elements."""

# ruff: noqa: E501 - schemas are easier to read unbroken

from __future__ import annotations

from typing import Any

import pytest
from lxml import etree

from soapclient.runtime import CountingReader, DecodeError, EncodeError
from soapclient.runtime.any_element import AnyElement
from tests.bindgen.conftest import EMPTY, SPACE, Made, Make, asks, name_at
from tests.support.cases import case_text

_XS = "http://www.w3.org/2001/XMLSchema"
_MAY = 'minOccurs="0"'
_OFTEN = f'{_MAY} maxOccurs="unbounded"'
_SPACES = (
    f'xmlns="{SPACE}" xmlns:o="urn:o" xmlns:xs="{_XS}" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"'
)


def _any(namespace: str, further: str = "") -> str:
    return f'<x:any namespace="{namespace}" processContents="lax" {further}/>'


def _text(name: str, further: str = "") -> str:
    return f'<x:element name="{name}" type="x:string" {further}/>'


def _tree(node: etree._Element) -> object:
    """Return the content of an element independent of its prefixes."""
    inner = tuple(_tree(child) for child in node)
    return node.tag, tuple(sorted(node.items())), (node.text or "").strip(), inner


def _again(made: Made, inner: str, *, valid: bool = True) -> Any:
    """Read a request and check that it is written back unchanged. `valid`: libxml2 must accept it."""
    node = etree.fromstring(f"<AskRequest {_SPACES}>{inner}</AskRequest>")
    if valid:
        made.schema.assertValid(node)
    value = made.read(node)
    assert _tree(made.write(value, valid=valid)) == _tree(node)
    return value


def test_two_wildcards_are_filled_by_position(make: Make) -> None:
    made = make.request(f"<x:sequence>{_any('##other')}{_text('m')}{_any('##other')}</x:sequence>")
    value = _again(made, "<o:a/><m>1</m><o:b/>")
    assert (value.any.name, value.any_2.name) == ("{urn:o}a", "{urn:o}b")


def test_two_repeating_wildcards_are_filled_by_position(make: Make) -> None:
    often = _any("##other", _OFTEN)
    made = make.request(f"<x:sequence>{often}{_text('m')}{often}</x:sequence>")
    value = _again(made, "<o:a/><o:b/><m/><o:c/><o:d/>")
    assert [len(value.any), len(value.any_2)] == [2, 2]
    assert _again(made, "<m/><o:c/>").any == []


def test_wildcards_of_base_and_extension_are_filled_by_position(make: Make) -> None:
    may = _any("##other", _MAY)
    made = make(
        f'<x:element name="AskRequest" type="t:Further"/>{EMPTY}<x:complexType name="Base"><x:sequence>{_text("a")}{may}</x:sequence></x:complexType>'
        f'<x:complexType name="Further"><x:complexContent><x:extension base="t:Base"><x:sequence>{_text("b")}{may}</x:sequence></x:extension></x:complexContent></x:complexType>'
    )
    assert _again(made, "<a/><b/><o:z/>").any is None
    assert _again(made, "<a/><o:y/><b/><o:z/>").any_2.name == "{urn:o}z"


def test_wildcard_skips_elements_it_does_not_allow(make: Make) -> None:
    made = make.request(
        f"<x:sequence>{_any('urn:o', _MAY)}{_text('m')}{_any('urn:p', _MAY)}{_text('n')}{_any('##other', _MAY)}</x:sequence>"
    )
    value = _again(made, '<m/><n/><p:a xmlns:p="urn:p"/>')
    assert (value.any, value.any_2, value.any_3.name) == (None, None, "{urn:p}a")
    value = _again(made, '<m/><p:a xmlns:p="urn:p"/><n/><o:a/>')
    assert (value.any, value.any_2.name, value.any_3.name) == (None, "{urn:p}a", "{urn:o}a")


@pytest.mark.parametrize(
    ("content", "inner", "said"),
    [
        (f"{_any('##other')}{_text('m')}{_any('##other')}", "<o:a/><m/><o:b/><o:c/>", "at most one c"),
        (f"{_text('Id')}{_any('##other', _OFTEN)}", "<Id/><Id/>", "at most one Id"),
    ],
)
def test_too_many_elements_are_an_error_if_no_wildcard_allows_them(
    make: Make, content: str, inner: str, said: str
) -> None:
    made = make.request(f"<x:sequence>{content}</x:sequence>")
    node = etree.fromstring(f"<AskRequest {_SPACES}>{inner}</AskRequest>")
    with pytest.raises(DecodeError, match=said):
        made.operation.read_request(node, CountingReader())


def test_repeated_element_belongs_to_the_wildcard(make: Make) -> None:
    # A schema as in a well-known service. libxml2 accepts it because the element is required.
    often = _any("##targetNamespace", _OFTEN)
    made = make.request(f"<x:sequence>{_text('kind')}{_text('Id')}{often}</x:sequence>")
    value = _again(made, "<kind>a</kind><Id>1</Id><Id>2</Id><Name>n</Name><kind>b</kind>")
    assert (value.kind, value.id) == ("a", "1")
    kept = [(one.name, one.text) for one in value.any]
    assert kept == [(f"{{{SPACE}}}Id", "2"), (f"{{{SPACE}}}Name", "n"), (f"{{{SPACE}}}kind", "b")]


_TWO = case_text(__file__, "two-schemas.wsdl")


def test_wildcard_uses_the_target_namespace_of_its_schema(make: Make) -> None:
    made = make(
        f"""<x:schema xmlns:x="{_XS}" targetNamespace="urn:groups"><x:group name="G"><x:sequence>
        <x:any namespace="##other" processContents="lax" minOccurs="0" maxOccurs="unbounded"/></x:sequence></x:group>
        <x:attributeGroup name="A"><x:anyAttribute namespace="##other" processContents="lax"/></x:attributeGroup></x:schema>
        <x:schema xmlns:x="{_XS}" targetNamespace="{SPACE}" elementFormDefault="qualified"><x:import namespace="urn:groups"/>
        {asks('<x:sequence><x:group ref="g:G"/></x:sequence><x:attributeGroup ref="g:A"/>', EMPTY)}</x:schema>""",
        whole=_TWO,
    )
    own, theirs = f'xmlns="{SPACE}" xmlns:t="{SPACE}"', 'xmlns:g="urn:groups"'
    # `##other` refers to urn:groups, although the type is in the shop's namespace.
    value = made.read(etree.fromstring(f'<AskRequest {own} t:w="1"><mine/></AskRequest>'))
    assert value.any_attributes == {f"{{{SPACE}}}w": "1"}
    assert [one.name for one in value.any] == [f"{{{SPACE}}}mine"]
    made.read(etree.fromstring(f'<AskRequest {own} {theirs} g:w="1"><g:mine/></AskRequest>'), findings=2)


def test_extension_allows_attributes_of_either_wildcard(make: Make) -> None:
    made = make(
        f'<x:element name="AskRequest" type="t:Further"/>{EMPTY}<x:complexType name="Base"><x:sequence/><x:anyAttribute namespace="urn:o" processContents="lax"/></x:complexType>'
        '<x:complexType name="Further"><x:complexContent><x:extension base="t:Base"><x:sequence/><x:anyAttribute namespace="##local urn:p" processContents="lax"/></x:extension></x:complexContent></x:complexType>'
    )
    spaces = f'xmlns="{SPACE}" xmlns:o="urn:o" xmlns:p="urn:p" xmlns:q="urn:q"'
    node = etree.fromstring(f'<AskRequest {spaces} o:a="1" p:b="2" c="3"/>')
    made.schema.assertValid(node)
    value = made.there_and_back(made.read(node))
    assert dict(value.items()) == {"{urn:o}a": "1", "{urn:p}b": "2", "c": "3"}
    made.read(etree.fromstring(f'<AskRequest {spaces} q:a="1"/>'), findings=1)


# ---- prefixes in arbitrary elements


def test_prefixes_in_a_wildcard_element_stay_declared(make: Make) -> None:
    made = make.request(f"<x:sequence>{_any('##other')}</x:sequence>")
    schema = '<xs:schema targetNamespace="urn:o"><xs:element name="a" type="xs:string"/><xs:element name="b" type="o:B" o:at="10:30"/></xs:schema>'
    value = made.read(etree.fromstring(f"<AskRequest {_SPACES}>{schema}</AskRequest>"))
    assert value.any.prefixes == {"xs": _XS, "o": "urn:o"}  # only prefixes that are used
    sent = made.write(value, valid=False)
    kinds = [name_at(node, node.get("type", "")) for node in sent.iter(f"{{{_XS}}}element")]
    assert kinds == [f"{{{_XS}}}string", "{urn:o}B"]
    # libxml2 compiles the sent schema once the missing type is added.
    missing = b'<xs:simpleType name="B"><xs:restriction base="xs:int"/></xs:simpleType>'
    text = etree.tostring(sent[0]).replace(b"</xs:schema>", missing + b"</xs:schema>")
    etree.XMLSchema(etree.fromstring(text))


def test_prefix_with_two_meanings_roundtrips(make: Make) -> None:
    made = make.request('<x:sequence><x:element name="v" type="x:anyType"/></x:sequence>')
    inner = 'o:one<w xmlns:o="urn:p" a="o:two"><z>o:three</z></w> o:four'
    node = etree.fromstring(f'<AskRequest {_SPACES}><v xsi:type="xs:QName">{inner}</v></AskRequest>')
    value = made.read(node)
    sent = made.write(value, valid=False)
    (v,) = sent
    (w,) = v
    assert name_at(v, v.text or "") == "{urn:o}one"
    assert name_at(w, w.get("a", "")) == "{urn:p}two"
    assert name_at(w[0], w[0].text or "") == "{urn:p}three"
    assert name_at(v, (w.tail or "").strip()) == "{urn:o}four"


def test_a_qname_in_an_element_of_any_type_is_valid_as_sent(make: Make) -> None:
    made = make.request('<x:sequence><x:element name="v" type="x:anyType" maxOccurs="2"/></x:sequence>')
    # Valid only if the prefix is declared in the written XML.
    value = _again(made, '<v xsi:type="xs:QName">o:abc</v><v/>')
    assert value.v[0].prefixes == {"o": "urn:o"}


@pytest.mark.parametrize(
    "prefixes",
    [{'a="1" x': "u"}, {"a": ""}, {"": "u"}, {"xmlns": "u"}, {"a": "\x00"}, {"a": 1}, {1: "a"}, ["a"]],
)
def test_undeclared_prefixes_are_refused(make: Make, prefixes: Any) -> None:
    made = make.request(f"<x:sequence>{_any('##other')}</x:sequence>")
    value = made.types.AskRequest(any=AnyElement(name="{urn:o}a", prefixes=prefixes))
    with pytest.raises(EncodeError) as caught:
        made.write(value)
    assert caught.value.path == "AskRequest/any"
