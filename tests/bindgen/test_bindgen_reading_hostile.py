"""Contracts that try to hang bindgen, exhaust memory or overflow the stack.

The cause is reported with its place, and the rest is read.
"""

# ruff: noqa: E501 - schemas, one type per line

from __future__ import annotations

from typing import Any

import pytest

from bindgen.model import Contract, Struct
from bindgen.problems import ContractRefused
from bindgen.reading.particles import Particles
from tests.bindgen.conftest import asks, read_schema, struct_of


def _refused(contract: Contract, said: str) -> None:
    """Check that the only operation is refused, and that the reason has a place."""
    assert contract.operations == []
    assert any(said in problem.message for problem in contract.problems)
    assert all(problem.place is not None and problem.place.lines for problem in contract.problems)


@pytest.mark.exhaustive
def test_thousands_of_derived_types_are_read() -> None:
    types = '<x:complexType name="T0"/>' + "".join(
        f'<x:complexType name="T{at}"><x:complexContent><x:extension base="t:T{at - 1}"><x:attribute name="a{at}"/></x:extension></x:complexContent></x:complexType>'
        for at in range(1, 5000)
    )
    field = '<x:sequence><x:element name="f" type="t:T{}"/></x:sequence>'
    _refused(read_schema(asks(field.format(4999), types)), "types extend or restrict one another")
    # The first types are kept, without the types that are derived too deeply.
    kept = read_schema(asks(field.format(0), types))
    assert len(kept.operations) == 1
    top = struct_of(kept.operations[0].request.fields[0])
    assert 50 < len(top.self_and_derived()) < 200


@pytest.mark.exhaustive
def test_thousands_of_nested_types_are_read() -> None:
    types = "".join(
        f'<x:complexType name="T{at}"><x:sequence><x:element name="n" type="t:T{at + 1}" minOccurs="0"/></x:sequence></x:complexType>'
        for at in range(5000)
    )
    field = '<x:sequence><x:element name="f" type="t:T0"/></x:sequence>'
    contract = read_schema(asks(field, types + '<x:complexType name="T5000"/>'))
    assert len(contract.operations) == 1


def test_deeply_nested_anonymous_types_are_read() -> None:
    def nested(deep: int) -> str:
        start, end = (
            '<x:complexType><x:sequence><x:element name="inner">',
            "</x:element></x:sequence></x:complexType>",
        )
        return f'<x:element name="AskRequest">{start * deep}<x:complexType/>{end * deep}</x:element>'

    deep = 80
    contract = read_schema(nested(deep))
    struct = contract.operations[0].request
    for _ in range(deep):
        struct = struct_of(struct.fields[0])
    assert len(struct.qname) < 300
    with pytest.raises(ContractRefused, match="depth"):
        read_schema(nested(200))


def test_doubling_groups_are_bounded() -> None:
    def groups(last: str, steps: int) -> str:
        return f'<x:group name="G0"><x:sequence>{last}</x:sequence></x:group>' + "".join(
            f'<x:group name="G{at}"><x:sequence><x:group ref="t:G{at - 1}"/><x:group ref="t:G{at - 1}"/></x:sequence></x:group>'
            for at in range(1, steps + 1)
        )

    ask = '<x:sequence><x:group ref="t:G40"/></x:sequence>'
    _refused(read_schema(asks(ask, groups('<x:element name="a" type="x:int"/><x:any/>', 40))), "more than")
    # Also if the groups are empty.
    _refused(read_schema(asks(ask, groups("", 40))), "more than")
    nothing = read_schema(asks(ask.replace("40", "12"), groups("", 12)))
    assert nothing.operations[0].request.fields == []
    many = read_schema(
        asks(ask.replace("<x:sequence>", '<x:sequence maxOccurs="unbounded">'), groups("", 40))
    )
    assert many.operations[0].request.fields == []


@pytest.mark.exhaustive
def test_thousands_of_chained_groups_are_read() -> None:
    groups = '<x:group name="G0"><x:sequence/></x:group>' + "".join(
        f'<x:group name="G{at}"><x:sequence><x:group ref="t:G{at - 1}"/></x:sequence></x:group>'
        for at in range(1, 3000)
    )
    _refused(read_schema(asks('<x:group ref="t:G2999"/>', groups)), "groups nested more than")
    assert read_schema(asks('<x:group ref="t:G2999" maxOccurs="unbounded"/>', groups)).operations == []


@pytest.mark.parametrize(
    ("types", "said"),
    [
        ('<x:group name="G"><x:sequence><x:element name="a" type="x:int"/><x:group ref="t:H"/></x:sequence></x:group><x:group name="H"><x:sequence><x:group ref="t:G"/></x:sequence></x:group><x:complexType name="T"><x:group ref="t:G"/></x:complexType>', "contains itself"),
        ('<x:complexType name="T"><x:complexContent><x:extension base="t:U"/></x:complexContent></x:complexType><x:complexType name="U"><x:complexContent><x:extension base="t:T"/></x:complexContent></x:complexType>', "extends itself"),
        ('<x:complexType name="T"><x:complexContent><x:restriction base="t:T"/></x:complexContent></x:complexType>', "extends itself"),
        ('<x:attributeGroup name="A"><x:attributeGroup ref="t:A"/><x:attribute name="a"/></x:attributeGroup><x:complexType name="T"><x:attributeGroup ref="t:A"/></x:complexType>', "ircular"),
    ],
    ids=["groups", "extensions", "restriction", "attribute groups"],
)  # fmt: skip
def test_circular_definitions_terminate(types: str, said: str) -> None:
    contract = read_schema(asks('<x:sequence><x:element name="f" type="t:T"/></x:sequence>', types))
    assert len(contract.operations) == 1
    assert any(said in note.message and note.place is not None for note in contract.notes)


@pytest.mark.exhaustive
def test_type_with_too_many_fields_is_refused() -> None:
    elements = "".join(f'<x:element name="a{at}" type="x:int" minOccurs="0"/>' for at in range(5001))
    _refused(read_schema(asks(f"<x:sequence>{elements}</x:sequence>")), "more than 5000 elements")
    attributes = "".join(f'<x:attribute name="a{at}"/>' for at in range(5001))
    _refused(read_schema(asks(attributes)), "more than 5000 attributes")


def test_multiplying_groups_are_counted_before_expansion(monkeypatch: pytest.MonkeyPatch) -> None:
    """A thousand million elements in sixty lines. Each occurrence of a group is a separate value."""
    groups = '<x:group name="G0"><x:sequence><x:element name="a" type="x:int"/><x:element name="b" type="x:int"/></x:sequence></x:group>'
    for at in range(1, 7):
        turns = f'<x:group ref="t:G{at - 1}" maxOccurs="3"/>' * 10
        groups += f'<x:group name="G{at}"><x:sequence>{turns}</x:sequence></x:group>'
    written_out = 0
    own = Particles._particle

    def counted(self: Particles, *arguments: Any) -> None:
        nonlocal written_out
        written_out += 1
        own(self, *arguments)

    monkeypatch.setattr(Particles, "_particle", counted)
    contract = read_schema(asks('<x:sequence><x:group ref="t:G6"/></x:sequence>', groups))
    _refused(contract, "more than 300000 particles in one contract, counting a named group at each reference")
    assert written_out < 10
    small = read_schema(asks('<x:sequence><x:group ref="t:G1"/></x:sequence>', groups))
    assert len(small.operations) == 1


def test_schemas_too_costly_for_libxml2_are_not_compiled() -> None:
    elements = "".join(f'<x:element name="a{at}" type="x:int" minOccurs="0"/>' for at in range(3000))
    contract = read_schema(asks(f"<x:sequence>{elements}</x:sequence>"))
    assert len(contract.operations[0].request.fields) == 3000
    assert not contract.compiles
    assert any("too large to check messages with libxml2" in note.message for note in contract.notes)


def _is_compiled(contract: Contract) -> bool:
    """Return True if libxml2 compiled the schema, with or without success."""
    return not any("too large to check messages with libxml2" in note.message for note in contract.notes)


def _nested(levels: int, times: int, model: str, occurs: str) -> str:
    """Return nested groups. Each contains the previous one `times` times."""
    head = f'<x:group name="G0"><x:{model}><x:element name="a" type="x:int" {occurs}/></x:{model}></x:group>'
    return head + "".join(
        f'<x:group name="G{at}"><x:{model}>'
        + f'<x:group ref="t:G{at - 1}" {occurs}/>' * times
        + f"</x:{model}></x:group>"
        for at in range(1, levels + 1)
    )


@pytest.mark.parametrize(
    ("levels", "times", "model", "most", "compiles"),
    [
        (6, 2, "choice", "unbounded", False),  # these take libxml2 seconds to forever
        (6, 2, "sequence", "2", False),
        (3, 4, "sequence", "50", False),
        (60, 1, "sequence", "50", False),
        (6, 2, "sequence", "1", True),
        (2, 4, "choice", "unbounded", True),
        (1, 9, "sequence", "2", True),
    ],
)
def test_nested_repeating_groups_too_costly_to_compile_are_not_compiled(
    levels: int, times: int, model: str, most: str, compiles: bool
) -> None:
    groups = _nested(levels, times, model, f'minOccurs="0" maxOccurs="{most}"')
    used = f'<x:complexType name="Used"><x:group ref="t:G{levels}"/></x:complexType>'
    contract = read_schema(asks('<x:sequence><x:element name="a" type="x:int"/></x:sequence>', groups + used))
    assert _is_compiled(contract) is compiles


def test_chained_optional_repeating_groups_too_costly_to_compile_are_skipped() -> None:
    elements = '<x:element name="a" type="x:int" minOccurs="0"/>' * 12
    few = f'<x:sequence minOccurs="0" maxOccurs="2">{elements}</x:sequence>'
    assert _is_compiled(read_schema(asks(f"<x:sequence>{few * 3}</x:sequence>")))
    assert not _is_compiled(read_schema(asks(f"<x:sequence>{few * 12}</x:sequence>")))


@pytest.mark.exhaustive
def test_thousands_of_derived_simple_types_are_read() -> None:
    types = '<x:simpleType name="T0"><x:restriction base="x:int"/></x:simpleType>' + "".join(
        f'<x:simpleType name="T{at}"><x:restriction base="t:T{at - 1}"/></x:simpleType>'
        for at in range(1, 8000)
    )
    contract = read_schema(asks('<x:attribute name="a" type="t:T7999"/>', types))
    assert contract.operations[0].request.fields[0].type_name == "{urn:example:shop}T7999"
    unions = '<x:simpleType name="T0"><x:restriction base="x:int"/></x:simpleType>' + "".join(
        f'<x:simpleType name="T{at}"><x:union memberTypes="t:T{at - 1} x:date"/></x:simpleType>'
        for at in range(1, 3000)
    )
    contract = read_schema(asks('<x:attribute name="a" type="t:T2999"/>', unions))
    assert any("deep" in note.message for note in contract.notes)


@pytest.mark.parametrize(
    "types",
    [
        '<x:simpleType name="U0"><x:restriction base="x:int"/></x:simpleType>' + "".join(f'<x:simpleType name="U{at}"><x:union memberTypes="t:U{at - 1} t:U{at - 1}"/></x:simpleType>' for at in range(1, 45)),
        f'<x:simpleType name="P"><x:restriction base="x:string"><x:pattern value="{"(a*)*" * 2000}"/></x:restriction></x:simpleType>',
        '<x:attributeGroup name="A0"><x:attribute name="a"/></x:attributeGroup>' + "".join(f'<x:attributeGroup name="A{at}"><x:attributeGroup ref="t:A{at - 1}"/><x:attributeGroup ref="t:A{at - 1}"/></x:attributeGroup>' for at in range(1, 45)) + '<x:complexType name="AT"><x:attributeGroup ref="t:A44"/></x:complexType>',
        '<x:element name="h" type="x:int"/>' + "".join(f'<x:element name="m{at}" type="x:int" substitutionGroup="t:h"/>' for at in range(2000)) + "".join(f'<x:complexType name="C{at}"><x:sequence><x:element ref="t:h" maxOccurs="unbounded"/></x:sequence></x:complexType>' for at in range(200)),
    ],
    ids=["unions", "pattern", "attribute groups", "substitutions"],
)  # fmt: skip
def test_schemas_that_libxml2_would_expand_are_not_given_to_it(types: str) -> None:
    contract = read_schema(asks('<x:attribute name="a" type="x:int"/>', types))
    assert len(contract.operations) == 1
    assert not contract.compiles


_EXTENDS = '<x:complexContent><x:extension base="t:{}"/></x:complexContent>'


@pytest.mark.parametrize(
    ("head", "member", "lower", "compiles"),
    [
        ('type="t:Shape"', 'type="t:Round"', 'type="t:Round"', False),
        ('type="t:Shape" abstract="true"', 'type="t:Round"', "", False),
        ('type="x:string"', 'type="t:Round"', "", False),
        ('type="x:anySimpleType"', 'type="t:Round"', 'type="t:Round"', False),
        ('type="t:Shape"', 'type="t:Oval"', 'type="t:Oval"', True),
        ('type="t:Shape"', "", 'type="t:Oval"', True),
        ("", 'type="t:Round"', 'type="t:Round"', True),
        ('type="x:anyType"', 'type="t:Round"', "", True),
        ('type="x:string"', 'type="t:Words"', "", True),
        ('type="x:string"', 'type="x:token"', 'type="x:token"', True),
    ],
)
def test_substitution_group_of_unrelated_types_is_located(
    head: str, member: str, lower: str, compiles: bool
) -> None:
    """libxml2 hangs if an element can substitute such an element."""
    types = (
        '<x:complexType name="Shape"/><x:complexType name="Round"/>'
        f'<x:complexType name="Oval">{_EXTENDS.format("Shape")}</x:complexType>'
        '<x:complexType name="Words"><x:simpleContent><x:extension base="x:token"/></x:simpleContent></x:complexType>'
        f'<x:element name="shape" {head}/><x:element name="circle" {member} substitutionGroup="t:shape"/>'
        f'<x:element name="disc" {lower} substitutionGroup="t:circle"/>'
    )
    contract = read_schema(asks('<x:attribute name="a" type="x:int"/>', types))
    assert len(contract.operations) == 1
    assert contract.compiles is compiles
    said = [note.message for note in contract.notes]
    wrong = "not a valid schema: element: its type is not derived from the type of shape, the head of its substitution group"
    assert said == ([] if compiles else [wrong])
    assert all(note.place is not None and note.place.lines for note in contract.notes)


def test_occurrence_bounds_may_have_any_size() -> None:
    inside = '<x:element name="a" type="x:int" minOccurs="0" maxOccurs="1000000"/><x:element name="b" type="x:int" minOccurs="0"/>'
    for _ in range(6):
        inside = (
            f'<x:sequence minOccurs="1000000" maxOccurs="1000000">{inside}</x:sequence><x:any minOccurs="0"/>'
        )
    contract = read_schema(asks(f'<x:sequence maxOccurs="unbounded">{inside}</x:sequence>'))
    assert len(contract.operations) == 1


def test_entities_are_refused() -> None:
    bomb = '<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]>'
    schema = '<x:schema xmlns:x="http://www.w3.org/2001/XMLSchema" targetNamespace="urn:example:shop"><x:annotation/></x:schema>'
    asked = f'<x:include schemaLocation="bomb.xsd"/>{asks("<x:sequence/>")}'
    contract = read_schema(asked, bomb_xsd=bomb + schema)
    assert len(contract.operations) == 1
    assert any("DOCTYPE" in note.message for note in contract.notes)


@pytest.mark.exhaustive
def test_includes_may_have_any_depth() -> None:
    def schema(at: int) -> str:
        link = f'<x:include schemaLocation="s{at + 1}.xsd"/>' if at < 1500 else '<x:complexType name="Last"/>'
        return f'<x:schema xmlns:x="http://www.w3.org/2001/XMLSchema" targetNamespace="urn:example:shop">{link}</x:schema>'

    others = {f"s{at}_xsd": schema(at) for at in range(1501)}
    asked = asks('<x:sequence><x:element name="f" type="t:Last"/></x:sequence>')
    contract = read_schema(f'<x:include schemaLocation="s0.xsd"/>{asked}', **others)
    assert isinstance(contract.operations[0].request.fields[0].type, Struct)
