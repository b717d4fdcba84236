"""Operations, headers, faults and ports in two states. The expected verdicts are repeated here by hand."""

from __future__ import annotations

import pytest

from bindgen.diff.rules import WHOLE
from tests.bindgen_diff.conftest import Change, found, replacing, with_operation, wsdl

FAULT = '<message name="Broken"><part name="p" element="t:{}"/></message>\n  <portType'
FAULT_ELEMENTS = '<x:element name="Broken" type="x:string"/><x:element name="Lost" type="x:string"/>'


def with_fault(text: str, element: str = "Broken", name: str = "broken") -> str:
    text = text.replace("<portType", FAULT.format(element))
    text = text.replace('"t:AskOut"/></op', f'"t:AskOut"/><fault name="{name}" message="t:Broken"/></op')
    inner = f'<fault name="{name}"><s:fault name="{name}" use="literal"/></fault>'
    return text.replace('use="literal"/></output>', f'use="literal"/></output>{inner}')


def with_header(text: str, end: str, more: str = "") -> str:
    element = '<x:element name="Token" type="x:string"/>\n    </x:schema>'
    message = '<message name="Token"><part name="p" element="t:Token"/></message>\n  <portType'
    header = f'<{end}><s:header message="t:Token" part="p" use="literal" {more}/>'
    at = text.index("<binding")
    text = text[:at] + text[at:].replace(f"<{end}>", header)
    return text.replace("    </x:schema>", element).replace("<portType", message)


USER = """<sp:SupportingTokens xmlns:sp="http://docs.oasis-open.org/ws-sx/ws-securitypolicy/200702">
  <p:Policy><sp:UsernameToken/></p:Policy></sp:SupportingTokens>"""
HASHED = USER.replace("/>", "><p:Policy><sp:HashPassword/></p:Policy></sp:UsernameToken>")
MTOM = '<m:MTOM xmlns:m="http://www.w3.org/2007/08/soap12-mtom-policy"/>'


def with_policy(assertion: str, *attributes: str) -> Change:
    """Attach an assertion to the binding. `Optional` is an attribute of it."""

    def changed(text: str) -> str:
        name, rest = assertion.split(" ", 1)
        flags = "".join(f' p:{attribute}="true" ' for attribute in attributes)
        policy = f'<p:Policy xmlns:p="http://www.w3.org/ns/ws-policy">{name}{flags} {rest}</p:Policy>'
        return text.replace("<s:binding ", policy + "<s:binding ")

    return changed


REQUIRED = 'xmlns:w="http://schemas.xmlsoap.org/wsdl/" w:required="true"'
SOAP12 = ("http://schemas.xmlsoap.org/wsdl/soap/", "http://schemas.xmlsoap.org/wsdl/soap12/")


def same(text: str) -> str:
    return text


FIELDS = '<x:sequence><x:element name="a" type="x:string"/></x:sequence>'
PART = f'<x:complexType name="Part">{FIELDS}</x:complexType>'
ROOT = '<x:complexType name="Root"/>'
EXTENDED = f"""<x:complexType name="Part"><x:complexContent><x:extension base="t:Root">{FIELDS}</x:extension>
</x:complexContent></x:complexType>"""
with_port = replacing("  </service>", '<port name="Other" binding="t:ShopBinding"/></service>')
unqualified = replacing('elementFormDefault="qualified"', "")
WHOLES: list[tuple[str, str, str, Change, Change]] = [
    ("operation-added", "info", "Tell", same, with_operation),
    ("operation-removed", "breaking", "Tell", with_operation, same),
    ("operation-style-changed", "breaking", "Ask", same, replacing('use="literal"', 'use="encoded"')),
    ("operation-direction-changed", "breaking", "Ask", same, replacing('<output message="t:AskOut"/>', "")),
    ("operation-request-changed", "breaking", "Ask", same, replacing("AskRequest", "Question")),
    ("operation-response-changed", "breaking", "Ask", same, replacing("AskResponse", "Answer")),
    ("soap-action-changed", "breaking", "Ask", same, replacing("urn:ask", "urn:other")),
    ("namespace-changed", "breaking", "urn:example:shop", same, replacing("urn:example:shop", "urn:other")),
    ("namespace-changed", "breaking", "urn:example:shop", same, unqualified),
    ("fault-added", "warning", "Ask/broken", same, with_fault),
    ("fault-removed", "warning", "Ask/broken", with_fault, same),
    ("fault-changed", "breaking", "Ask/broken", with_fault, lambda text: with_fault(text, "Lost")),
    ("fault-renamed", "info", "Ask/broken", with_fault, lambda text: with_fault(text, name="spoilt")),
    ("port-added", "info", "Other", same, with_port),
    ("port-removed", "breaking", "Other", with_port, same),
    ("service-renamed", "warning", "ShopPort", same, replacing('"ShopService"', '"Market"')),
    ("soap-version-changed", "breaking", "ShopPort", same, replacing(*SOAP12)),
    ("address-changed", "warning", "ShopPort", same, replacing("shop.invalid", "elsewhere.invalid")),
    ("security-policy-added", "breaking", "ShopPort", same, with_policy(USER)),
    ("security-policy-removed", "warning", "ShopPort", with_policy(USER), same),
    ("security-policy-changed", "breaking", "ShopPort", with_policy(USER), with_policy(HASHED)),
    ("security-policy-widened", "info", "ShopPort", with_policy(USER), with_policy(USER, "Optional")),
    ("mtom-required", "breaking", "ShopPort", same, with_policy(MTOM)),
    ("mtom-required", "breaking", "ShopPort", with_policy(MTOM, "Optional"), with_policy(MTOM)),
    ("mtom-allowed", "info", "ShopPort", same, with_policy(MTOM, "Optional")),
    ("mtom-allowed", "info", "ShopPort", with_policy(MTOM), with_policy(MTOM, "Optional")),
    ("mtom-removed", "breaking", "ShopPort", with_policy(MTOM), same),
    ("port-type-renamed", "info", "Ask", same, replacing("ShopType", "OtherType")),
    ("type-renamed", "info", "Part", same, replacing("Part", "Piece")),
    ("base-type-changed", "info", "Part", replacing(PART, PART + ROOT), replacing(PART, ROOT + EXTENDED)),
]


@pytest.mark.parametrize(
    ("rule", "level", "path", "before", "after"), WHOLES, ids=[each[0] for each in WHOLES]
)
def test_contract_level_change_is_reported(
    rule: str, level: str, path: str, before: Change, after: Change
) -> None:
    part = '<x:element name="part" type="t:Part"/>'
    text = wsdl(FAULT_ELEMENTS + PART, request=part, response=part)
    findings = found(before(text), after(text))
    assert [(each.rule, each.level, each.path) for each in findings] == [(rule, level, path)]


def test_every_contract_level_rule_has_a_case() -> None:
    assert {each[0] for each in WHOLES} | {"not-checked"} == set(WHOLE)  # not-checked: test_diff_unchecked


@pytest.mark.parametrize(
    ("rule", "level", "end", "before", "after"),
    [
        ("request-header-added-required", "breaking", "input", None, REQUIRED),
        ("request-header-added-optional", "info", "input", None, ""),
        ("request-header-removed", "breaking", "input", "", None),
        ("request-header-became-required", "breaking", "input", "", REQUIRED),
        ("request-header-became-optional", "info", "input", REQUIRED, ""),
        ("response-header-added-required", "warning", "output", None, REQUIRED),
        ("response-header-added-optional", "info", "output", None, ""),
        ("response-header-removed", "warning", "output", "", None),
        ("response-header-became-required", "info", "output", "", REQUIRED),
        ("response-header-became-optional", "breaking", "output", REQUIRED, ""),
    ],
)
def test_headers_count_as_part_of_their_message(
    rule: str, level: str, end: str, before: str | None, after: str | None
) -> None:
    text = wsdl()
    old, new = (text if more is None else with_header(text, end, more) for more in (before, after))
    findings = found(old, new)
    assert [(each.rule, each.level, each.path) for each in findings] == [(rule, level, "Ask/Token")]


def test_fault_detail_counts_as_a_response() -> None:
    detail = '<x:element name="Broken" type="t:Part"/>'
    old = with_fault(wsdl(detail + PART))
    new = with_fault(wsdl(detail + PART.replace("</x:seq", '<x:element name="b" type="x:int"/></x:seq')))
    told = [(each.rule, each.level, each.path) for each in found(old, new)]
    assert told == [("response-element-added-required", "warning", "Part/b")]


@pytest.mark.parametrize(
    "assertion", ['<o:Other xmlns:o="urn:other"/>', '<p:All><o:Other xmlns:o="urn:other"/></p:All>']
)
def test_policy_that_is_not_read_is_not_compared(assertion: str) -> None:
    more = USER.replace("</sp:SupportingTokens>", f"</sp:SupportingTokens>{assertion}")
    findings = found(with_policy(USER)(wsdl()), with_policy(more)(wsdl()))
    assert {(each.rule, each.level) for each in findings} == {("not-checked", "unchecked")}


def test_policy_of_an_operation_names_the_operation() -> None:
    text = with_operation(wsdl())
    secured = with_policy(USER)("<s:binding ").removesuffix("<s:binding ")
    bound = '<s:operation soapAction="urn:tell"/>'
    new = text.replace(bound, secured + bound)
    (finding,) = found(text, new)
    assert (finding.rule, finding.operations) == ("security-policy-added", ("Tell",))
    said = "Tell at ShopPort: a WS-SecurityPolicy was added (binding: none; supporting"
    assert finding.message.startswith(said)
    assert [each.rule for each in found(new, wsdl())] == ["operation-removed"]


def test_operation_moved_to_another_port_type_is_the_same_operation() -> None:
    text = with_operation(wsdl())
    findings = found(text, text.replace("ShopType", "OtherType"))
    assert {each.rule for each in findings} == {"port-type-renamed"}
    assert [each.path for each in findings] == ["Ask", "Tell"]


def test_soap_actions_that_follow_their_namespace_are_reported_once() -> None:
    text = wsdl().replace("urn:ask", "urn:example:shop/ask")
    findings = found(text, text.replace("urn:example:shop", "urn:example:market"))
    assert [(each.rule, each.operations) for each in findings] == [("namespace-changed", ("Ask",))]
