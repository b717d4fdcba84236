"""A change without a rule must not count as "no change", whatever the other findings."""

from __future__ import annotations

import re

import pytest

from bindgen.diff.findings import causes
from tests.bindgen_diff.conftest import Change, compare, found, replacing, wsdl

pytestmark = pytest.mark.sampled(10)

OPTIONAL = '<x:element name="more" type="x:string" minOccurs="0"/>'
LONG_NAMES = '<x:restriction base="x:string"><x:maxLength value="{}"/></x:restriction>'
UNION = f"""<x:simpleType name="U"><x:union><x:simpleType>{LONG_NAMES}</x:simpleType><x:simpleType>
<x:restriction base="x:int"/></x:simpleType></x:union></x:simpleType>"""
LIST = f'<x:simpleType name="U"><x:list><x:simpleType>{LONG_NAMES}</x:simpleType></x:list></x:simpleType>'
NAMED = f"""<x:simpleType name="U"><x:list itemType="t:Item"/></x:simpleType>
<x:simpleType name="Item">{LONG_NAMES}</x:simpleType>"""
BASED = """<x:simpleType name="U"><x:union memberTypes="t:Item x:int"/></x:simpleType>
<x:simpleType name="Item"><x:restriction base="t:Below"/></x:simpleType>""" + NAMED.partition("\n")[
    2
].replace('"Item"', '"Below"')
NUMBERS = """<x:simpleType name="U"><x:list><x:simpleType><x:restriction base="x:int">
<x:enumeration value="{}"/></x:restriction></x:simpleType></x:list></x:simpleType>"""


@pytest.mark.parametrize("kind", [UNION, LIST, NAMED, BASED, NUMBERS])
@pytest.mark.parametrize("more", ["", OPTIONAL])
def test_changes_inside_lists_and_unions_are_reported(kind: str, more: str) -> None:
    use = '<x:element name="u" type="t:U"/>'
    old, new = wsdl(kind.format(9), request=use), wsdl(kind.format(3), request=use + more)
    report = compare(old, new)
    assert report.verdict == "unchecked"
    added = {"request-element-added-optional"} if more else set()
    assert {each.rule for each in report.findings} == {"not-checked"} | added
    assert compare(old, old).verdict == "same"


def test_added_list_value_is_reported_by_its_rule_only() -> None:
    def listed(*values: str) -> str:
        inner = "".join(f'<x:enumeration value="{value}"/>' for value in values)
        return NAMED.replace('<x:maxLength value="{}"/>', inner)

    use = '<x:element name="u" type="t:U"/>'
    old, new = (wsdl(listed(*values), request=use) for values in (("a",), ("a", "b")))
    assert [each.rule for each in found(old, new)] == ["request-enum-value-added"]


FIELD = '<x:element name="z" type="x:string"/>'
UNIQUE = """<x:element name="z" type="x:string"><x:{0} name="k"><x:selector xpath="."/><x:field xpath="@a"/>
</x:{0}></x:element>"""
POLICY = '<wsp:Policy xmlns:wsp="http://www.w3.org/ns/ws-policy"><x/></wsp:Policy>'
ACTION = '<input message="t:AskIn" w:Action="urn:{}" xmlns:w="http://www.w3.org/2006/05/addressing/wsdl"/>'
INPUT = '<input message="t:AskIn"/>'
PART = '<x:complexType name="Part"{}><x:sequence/></x:complexType>'


@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    "change",
    [
        replacing(FIELD, UNIQUE.format("unique")),
        replacing(FIELD, UNIQUE.format("key")),
        replacing('<x:complexType name="Part">', '<x:complexType name="Part" block="extension">'),
        replacing('"qualified">', '"qualified" blockDefault="#all">'),
        replacing("<s:binding style", f"{POLICY}<s:binding style"),
        replacing("<types>", f"{POLICY}<types>"),
        replacing("<s:address", f"{POLICY}<s:address"),
        replacing(INPUT, ACTION.format("one")),
        replacing('<s:operation soapAction="urn:ask"/>', '<s:operation soapAction="urn:ask" more="1"/>'),
        replacing('use="literal"/></input>', 'use="literal" encodingStyle="urn:x"/></input>'),
        replacing('<x:element name="Loose" type="x:string"/>', '<x:element name="Loose" type="x:int"/>'),
        replacing('name="Loose" type="x:string"/>', 'name="Loose" type="x:string"/><x:element name="New"/>'),
    ],
)
@pytest.mark.parametrize("more", ["", OPTIONAL])
def test_unchecked_parts_are_reported(change: Change, more: str) -> None:
    anything = '<x:any processContents="strict" minOccurs="0"/>'
    loose = '<x:element name="Loose" type="x:string"/>'
    response = FIELD + '<x:element name="part" type="t:Part"/>' + anything

    def made(request: str) -> str:
        return wsdl(PART.format("") + loose, request=request, response=response)

    old, new = made(""), change(made(more))
    if "New" in new and more:
        pytest.skip("a new element that a wildcard lets in is told where nothing else is")
    report = compare(old, new)
    assert report.verdict == "unchecked", report.findings
    assert compare(new, new).verdict == "same"


def test_unreachable_types_are_ignored() -> None:
    old, new = (wsdl(PART.format(more), request=FIELD) for more in ("", ' block="#all"'))
    assert compare(old, new).verdict == "same"


def swapped(one: str, other: str) -> Change:
    return lambda text: re.sub(rf"({one})\s*({other})", r"\2\1", text, flags=re.DOTALL)


HARMLESS = [
    replacing('type="x:string"/>', 'type="x:string" minOccurs=" 1 " nillable="0"/>'),
    replacing('elementFormDefault="qualified"', 'elementFormDefault="qualified" blockDefault=""'),
    replacing('name="z"', 'form="qualified" name="z"'),
    replacing(
        FIELD, FIELD.replace("/>", "><x:annotation><x:appinfo>k</x:appinfo></x:annotation></x:element>")
    ),
    replacing('<s:operation soapAction="urn:ask"/>', '<s:operation style="document" soapAction="urn:ask"/>'),
    replacing('<s:body use="literal"/>', "<s:body/>"),
    replacing("<portType", "<documentation>Words.</documentation><portType"),
    replacing("<x:sequence/>", '<x:sequence/><x:attribute name="q" use="prohibited"/>'),
    replacing("><", "><!-- <element name='x'/> -->\n \t<"),
    lambda text: re.sub(r"(?<=[</\" ])([xst]|xmlns:[xst])(?=[:=])", r"\1y", text),  # other prefixes
    swapped("<message .*?</message>", "<message .*?</message>"),
    swapped('<x:element name="AskRequest">.*?', '<x:complexType name="Part">.*?</x:complexType>'),
]


@pytest.mark.parametrize("change", HARMLESS)
def test_equivalent_declarations_are_not_a_change(change: Change) -> None:
    old = wsdl(PART.format(""), request=FIELD + '<x:element name="part" type="t:Part"/>')
    assert change(old) != old
    report = compare(old, change(old))
    assert (report.findings, report.error) == ((), "")


PORT = """<port name="Second" binding="t:SecondBinding"><s:address location="https://shop.invalid/2"/></port>
  </service>"""


def with_second_port(text: str) -> str:
    start, end = text.index("  <binding"), text.index("  <service")
    twin = text[start:end].replace("ShopBinding", "SecondBinding").replace("urn:ask", "urn:second")
    return (text[:end] + twin + text[end:]).replace("  </service>", PORT)


def in_second(old: str, new: str) -> Change:
    def changed(text: str) -> str:
        at = text.index("SecondBinding")
        assert old in text[at:]
        return text[:at] + text[at:].replace(old, new, 1)

    return changed


OPERATION = """    <operation name="Ask">
      <s:operation soapAction="urn:second"/>
      <input><s:body use="literal"/></input><output><s:body use="literal"/></output>
    </operation>
"""


@pytest.mark.parametrize(
    ("change", "rule"),
    [
        (in_second("urn:second", "urn:other"), "soap-action-changed"),
        (in_second('use="literal"', 'use="encoded"'), "operation-style-changed"),
        (in_second('style="document"', 'style="rpc"'), "operation-style-changed"),
        (in_second(OPERATION, ""), "operation-removed"),
        (in_second('use="literal"/>', 'use="literal" parts=""/>'), "not-checked"),
        (in_second("<s:body", '<s:header message="t:AskOut" part="p" use="literal"/><s:body'), "not-checked"),
    ],
)
@pytest.mark.parametrize("more", ["", OPTIONAL])
def test_each_port_is_compared(change: Change, rule: str, more: str) -> None:
    old, new = with_second_port(wsdl()), change(with_second_port(wsdl(request=more)))
    told = [each for each in found(old, new) if each.rule != "request-element-added-optional"]
    assert [each.rule for each in told] == [rule]
    assert told[0].path.startswith("Ask/Second")
    assert told[0].operations == ("Ask",)


def test_change_at_all_ports_is_reported_once() -> None:
    old = with_second_port(wsdl())
    told = [each.rule for each in found(old, old.replace('"literal"', '"encoded"'))]
    assert told == ["operation-style-changed"]


def with_second_service(text: str) -> str:
    """Add a service whose port has the same name, but another binding."""
    start, end = text.index("  <binding"), text.index("  <service")
    binding = text[start:end].replace("ShopBinding", "OtherBinding").replace("urn:ask", "urn:other")
    service = text[end:].replace('name="ShopService"', 'name="OtherService"')
    service = service.replace("ShopBinding", "OtherBinding").replace("</definitions>", "")
    return text[:end] + binding + text[end:].replace("</definitions>", service + "</definitions>")


def test_ports_of_one_name_are_compared_by_service() -> None:
    old = with_second_service(wsdl())
    changed = found(old, old.replace("urn:other", "urn:third"))
    told = [(each.rule, each.path) for each in changed]
    assert told == [("soap-action-changed", "Ask/OtherService/ShopPort")]
    start = old.index('  <service name="OtherService">')
    end = old.index("</service>", start) + len("</service>")
    gone = found(old, old[:start] + old[end:])
    assert [(each.rule, each.path) for each in gone] == [("port-removed", "OtherService/ShopPort")]
    added = found(wsdl(), old)
    assert [(each.rule, each.path) for each in added] == [("port-added", "OtherService/ShopPort")]


def test_changes_of_one_cause_at_several_ports_are_merged() -> None:
    text = with_second_service(wsdl())
    third = text[text.index('  <service name="OtherService">') :].replace("OtherService", "ThirdService")
    old = text.replace("</definitions>", third)
    (cause,) = causes(found(old, old.replace("urn:other", "urn:third")))
    paths = [f"Ask/{service}/ShopPort" for service in ("OtherService", "ThirdService")]
    assert [each.path for each in cause.findings] == paths
    assert cause.message == "The SOAPAction changed at some ports."


def test_a_renamed_service_keeps_its_ports() -> None:
    old = with_second_service(wsdl())
    renamed = found(old, old.replace("OtherService", "NewService"))
    assert [(each.rule, each.path) for each in renamed] == [("service-renamed", "OtherService/ShopPort")]


def test_a_change_of_an_operation_of_another_port_type_is_reported_once() -> None:
    text = with_second_service(wsdl())
    start, end = text.index("  <portType"), text.index("  <binding")
    port_type = text[start:end].replace("ShopType", "OtherType")
    old = text[:end] + port_type + text[end:]
    at = old.index('name="OtherBinding"')
    old = old[:at] + old[at:].replace("t:ShopType", "t:OtherType", 1)
    changed = found(old, old.replace("urn:other", "urn:third"))
    assert [each.rule for each in changed] == ["soap-action-changed"]


def test_another_change_of_an_accepted_part_has_another_path() -> None:
    use = '<x:element name="u" type="t:U"/>'
    one, two, three = (wsdl(UNION.format(most), request=use) for most in (9, 3, 4))
    paths = [each.path for new in (two, three, two) for each in found(one, new)]
    assert len(paths) == 3
    assert paths[0] == paths[2]
    assert paths[0] != paths[1]


def test_another_change_of_an_operation_that_cannot_be_read_has_another_path() -> None:
    broken = wsdl(request=FIELD).replace('<output message="t:AskOut"', '<output message="t:Gone"')
    other = broken.replace(FIELD, FIELD.replace("string", "int"))
    paths = {each.path for new in (broken, other) for each in found(broken, new)}
    assert len({path for path in paths if path.startswith("Ask/")}) == 2
