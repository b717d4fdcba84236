"""Policies and WS-Addressing in a WSDL: requirements beyond the messages are noted."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.bindgen.conftest import read_any
from tests.bindgen.shop import run
from tests.support.cases import case_text

_POLICY_SPACES = (
    'xmlns:p="http://schemas.xmlsoap.org/ws/2004/09/policy" xmlns:w="http://schemas.xmlsoap.org/wsdl/" '
    'xmlns:wsam="http://www.w3.org/2007/05/addressing/metadata" '
    'xmlns:wsaw="http://www.w3.org/2006/05/addressing/wsdl" '
    'xmlns:sp="urn:example:assertions" '
    'xmlns:u="http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-utility-1.0.xsd"'
)


_NEEDLESS = [  # in the binding, in the definitions, expected note
    ("<wsaw:UsingAddressing/>", "", "WS-Addressing"),  # wsdl:required is false by default
    ('<p:Policy><wsam:Addressing p:Optional="true"/></p:Policy>', "", "(optional)"),
    ('<p:Policy><a:Log xmlns:a="urn:a" p:Ignorable="true"/></p:Policy>', "", "Log (optional)"),
    ("<p:Policy><p:ExactlyOne><p:All/><p:All><sp:Wss11/></p:All></p:ExactlyOne></p:Policy>", "", "Wss11"),
    ("", '<p:Policy u:Id="mine"><sp:Wss11/></p:Policy>', "Wss11"),
    ('<p:PolicyReference URI="#other"/>', '<p:Policy u:Id="mine"><sp:Wss11/></p:Policy>', "Wss11"),
    (
        "",
        '<p:Policy u:Id="mine"><sp:Wss11/></p:Policy>'
        '<p:Policy u:Id="its"><p:PolicyReference URI="#mine"/></p:Policy>',
        "Wss11",
    ),
]
_UNNOTED = [
    '<wsaw:UsingAddressing w:required="false"/>',
    '<wsaw:UsingAddressing w:required="true"/>',  # applied: the operations have actions
    "<p:Policy><wsam:Addressing/></p:Policy>",
    "<p:Policy/>",
    '<p:PolicyReference URI="#there"/>',
    "<w:documentation><p:Policy><sp:Wss11/></p:Policy></w:documentation>",
]
_NOTED = [  # in the binding, expected note
    (
        '<old:UsingAddressing xmlns:old="http://schemas.xmlsoap.org/ws/2004/08/addressing/policy" '
        'w:required="true"/>',
        "WS-Addressing of the version http://schemas.xmlsoap.org/ws/2004/08/addressing/policy",
    ),
    (
        "<p:Policy><wsam:Addressing><p:Policy><wsam:NonAnonymousResponses/></p:Policy></wsam:Addressing>"
        "</p:Policy>",
        "requires WS-Addressing (Addressing)",
    ),
    (
        "<p:Policy><p:ExactlyOne><p:All><sp:TransportBinding><p:Policy><sp:Layout/></p:Policy>"
        '</sp:TransportBinding><wsam:Addressing p:Optional="true"/></p:All></p:ExactlyOne></p:Policy>',
        "requires TransportBinding, WS-Addressing (Addressing) (optional)",
    ),
    ("<p:Policy><sp:Wss11/></p:Policy>" * 3, "requires Wss11 (and 2 more like it)"),
    (
        '<p:PolicyReference URI="https://policies.example/one"/>',
        "'https://policies.example/one' is not in the WSDL",
    ),
]
_NEEDED = [
    ('<p:PolicyReference URI="#mine"/>', '<p:Policy u:Id="mine"><sp:Wss11/></p:Policy>', "Wss11"),
    ('<p:PolicyReference URI=" #mine "/>', '<p:Policy xml:id="mine"><sp:Wss11/></p:Policy>', "Wss11"),
    ('<p:PolicyReference URI="urn:m"/>', '<p:Policy Name="urn:m"><sp:Wss11/></p:Policy>', "Wss11"),
    (
        '<p:PolicyReference URI="#its"/>',
        '<p:Policy u:Id="mine"><sp:Wss11/></p:Policy>'
        '<p:Policy u:Id="its"><p:PolicyReference URI="#mine"/></p:Policy>',
        "Wss11",
    ),
    (
        "<p:Policy><p:ExactlyOne><p:All><sp:A/></p:All><p:All><sp:B/></p:All></p:ExactlyOne></p:Policy>",
        "",
        "A, B",
    ),
]


@pytest.mark.sampled(8)
@pytest.mark.parametrize(
    ("binding", "top", "said", "code"),
    [
        *((*one, 0) for one in _NEEDLESS),
        *((put, "", "", 0) for put in _UNNOTED),
        *((*one, 1) for one in _NEEDED),
        *((put, "", said, 1) for put, said in _NOTED),
    ],
)
def test_strict_refuses_required_policies_and_notes_the_others(
    wsdl: Path, out: Path, binding: str, top: str, said: str, code: int
) -> None:
    text = wsdl.read_text().replace("<definitions ", f"<definitions {_POLICY_SPACES} ")
    text = text.replace("<types>", f"{top}<types>", 1).replace("<s:binding ", f"{binding}<s:binding ", 1)
    wsdl.write_text(text)
    strict = run("shop", "--file", wsdl, "--out", out, "--strict")
    assert (strict.exit_code, said in strict.output) == (code, True), strict.output
    assert (out / "shop").exists() == (code == 0)
    done = run("lenient", "--file", wsdl, "--out", out, code=0)
    notes = [line for line in done.stdout.splitlines() if line.startswith("note: ")]
    assert len(notes) == bool(said), notes
    assert all(note.startswith("note: shop.wsdl:") and said in note for note in notes)


def test_policy_named_by_an_attribute_is_required(wsdl: Path, out: Path) -> None:
    text = wsdl.read_text().replace("<definitions ", f"<definitions {_POLICY_SPACES} ")
    text = text.replace("<types>", '<p:Policy u:Id="mine"><sp:Wss11/></p:Policy><types>', 1)
    wsdl.write_text(text.replace("<binding ", '<binding p:PolicyURIs="#none #mine" ', 1))
    done = run("shop", "--file", wsdl, "--out", out, "--strict")
    assert (done.exit_code, "Wss11" in done.output) == (1, True), done.output


# ---- MTOM: WS-MTOMPolicy, and the media types of binary content

_SPACES = (
    'xmlns:p="http://www.w3.org/ns/ws-policy" '
    'xmlns:o="http://schemas.xmlsoap.org/ws/2004/09/policy/optimizedmimeserialization" '
    'xmlns:n="http://www.w3.org/2007/08/soap12-mtom-policy" xmlns:a="urn:example:others" '
    'xmlns:u="http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-utility-1.0.xsd"'
)
_WSDL = case_text(__file__, "mtom.wsdl")
_REQUIRED = "<p:Policy><o:OptimizedMimeSerialization/></p:Policy>"
_OPTIONAL = '<p:Policy><o:OptimizedMimeSerialization p:Optional="true"/></p:Policy>'
_NAMED = '<p:Policy u:Id="m"><p:ExactlyOne><p:All><n:MTOM/></p:All></p:ExactlyOne></p:Policy>'
_REFERENCE = '<p:PolicyReference URI="#m"/>'
_CHOICE = "<p:Policy><p:ExactlyOne><p:All>{}</p:All><p:All><n:MTOM/></p:All></p:ExactlyOne></p:Policy>"


@pytest.mark.parametrize(
    ("put", "ports", "notes"),
    [
        ({"binding": _REQUIRED}, ["required", "required"], 0),
        ({"port": _REQUIRED}, ["required", ""], 0),
        ({"service": _OPTIONAL}, ["optional", "optional"], 0),
        ({"port": _REQUIRED, "binding": _OPTIONAL}, ["required", "optional"], 0),
        ({"definitions": _NAMED, "binding": _REFERENCE}, ["required", "required"], 0),
        ({"definitions": _NAMED, "port": f"<p:Policy>{_REFERENCE}</p:Policy>"}, ["required", ""], 0),
        ({"definitions": _NAMED}, ["", ""], 0),  # nothing refers to it
        ({"port_type": _REQUIRED}, ["", ""], 0),
        ({"binding": _CHOICE.format("")}, ["optional", "optional"], 0),
        ({"binding": _CHOICE.format("<n:MTOM/>")}, ["required", "required"], 0),
        ({"binding": _REQUIRED.replace("</p", "<a:Other/></p")}, ["required", "required"], 1),
    ],
)
def test_policy_is_read_for_each_port(put: dict[str, str], ports: list[str], notes: int) -> None:
    places = dict.fromkeys(("definitions", "port_type", "binding", "service", "port"), "")
    contract = read_any(_WSDL.format(spaces=_SPACES, **(places | put)))
    assert [port.mtom for port in contract.ports] == ports
    assert len([note for note in contract.notes if "policy" in note.message]) == notes
