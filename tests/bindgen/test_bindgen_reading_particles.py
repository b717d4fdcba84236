"""Content models become fields: repeated, optional and merged ones, with expectations written by hand."""

# ruff: noqa: E501 - a table of schemas, one per line

from __future__ import annotations

import pytest

from bindgen.model import ANY_ELEMENT, ANYTHING, Field, Struct, Wildcard
from tests.bindgen.conftest import asks, read_schema, struct_of


def _element(name: str, more: str = "") -> str:
    return f'<x:element name="{name}" type="x:int" {more}/>'


A, B, C, D = (_element(name) for name in "abcd")
OPTIONAL_B = _element("b", 'minOccurs="0"')


def _request(content: str, rest: str = "") -> Struct:
    contract = read_schema(asks(content, rest))
    assert not contract.problems
    return contract.operations[0].request


def _shape(fields: list[Field]) -> list[tuple[object, ...]]:
    """Return name, minimum and maximum of each field, and the content of groups."""
    found: list[tuple[object, ...]] = []
    for field in fields:
        inside: list[object] = []
        if isinstance(field.type, Struct) and field.type.holder:
            inside = [field.type.holder, _shape(field.type.fields)]
        found.append((field.wire, field.least, field.most, *inside))
    return found


@pytest.mark.parametrize(
    ("content", "fields"),
    [
        (f"<x:sequence>{A}{B}</x:sequence>", [("a", 1, 1), ("b", 1, 1)]),
        (f'<x:sequence minOccurs="0">{A}{B}</x:sequence>', [("a", 0, 1), ("b", 0, 1)]),
        (f"<x:sequence>{A}<x:sequence>{B}{C}</x:sequence></x:sequence>", [("a", 1, 1), ("b", 1, 1), ("c", 1, 1)]),
        (f"<x:choice>{A}{B}</x:choice>", [("a", 0, 1), ("b", 0, 1)]),
        (f"<x:choice>{A}</x:choice>", [("a", 1, 1)]),
        (f"<x:all>{A}{OPTIONAL_B}</x:all>", [("a", 1, 1), ("b", 0, 1)]),
        ('<x:sequence><x:element name="a" type="x:int" minOccurs="2" maxOccurs="5"/></x:sequence>', [("a", 2, 5)]),
        ('<x:sequence><x:element name="a" type="x:int" maxOccurs="unbounded"/></x:sequence>', [("a", 1, None)]),
        # Occurrence counts that are invalid or too large.
        ('<x:sequence><x:element name="a" type="x:int" maxOccurs="9999999999999"/></x:sequence>', [("a", 1, None)]),
        (f'<x:sequence><x:element name="a" type="x:int" maxOccurs="{"9" * 5000}"/></x:sequence>', [("a", 1, None)]),
        ('<x:sequence><x:element name="a" type="x:int" minOccurs="3"/></x:sequence>', [("a", 3, 3)]),
        ('<x:sequence><x:element name="a" type="x:int" minOccurs=" 0 " maxOccurs="x"/></x:sequence>', [("a", 0, 1)]),
        # An element with maxOccurs="0" does not become a field.
        (f'<x:sequence>{A}<x:element name="b" type="x:int" minOccurs="0" maxOccurs="0"/></x:sequence>', [("a", 1, 1)]),
        (f'<x:sequence>{A}<x:sequence minOccurs="0" maxOccurs="0">{B}</x:sequence></x:sequence>', [("a", 1, 1)]),
        # If a repeated group has one element, the element repeats.
        (f'<x:sequence maxOccurs="unbounded">{A}</x:sequence>', [("a", 1, None)]),
        (f'<x:sequence minOccurs="0" maxOccurs="3">{A}</x:sequence>', [("a", 0, 3)]),
        (f'<x:choice maxOccurs="4"><x:sequence maxOccurs="2">{A}</x:sequence></x:choice>', [("a", 1, 8)]),
        ('<x:sequence minOccurs="2" maxOccurs="3"><x:element name="a" type="x:int" minOccurs="5" maxOccurs="7"/></x:sequence>', [("a", 10, 21)]),
        (f'<x:choice minOccurs="0" maxOccurs="unbounded">{A}<x:sequence/></x:choice>', [("a", 0, None)]),
        ('<x:sequence maxOccurs="unbounded"/>', []),
        # If it has several elements, there is a struct per occurrence.
        (f'<x:sequence maxOccurs="unbounded">{A}{B}</x:sequence>', [("sequence", 1, None, "sequence", [("a", 1, 1), ("b", 1, 1)])]),
        (f'<x:choice minOccurs="0" maxOccurs="9">{A}{B}</x:choice>', [("choice", 0, 9, "choice", [("a", 0, 1), ("b", 0, 1)])]),
        (f'<x:sequence>{A}<x:choice maxOccurs="unbounded">{B}{C}</x:choice>{D}</x:sequence>', [("a", 1, 1), ("choice", 1, None, "choice", [("b", 0, 1), ("c", 0, 1)]), ("d", 1, 1)]),
        (f'<x:sequence maxOccurs="2"><x:choice maxOccurs="3">{A}{B}</x:choice></x:sequence>', [("choice", 1, 6, "choice", [("a", 0, 1), ("b", 0, 1)])]),
        (f'<x:choice maxOccurs="2">{A}<x:sequence maxOccurs="3">{B}{C}</x:sequence></x:choice>', [("choice", 1, 2, "choice", [("a", 0, 1), ("sequence", 0, 3, "sequence", [("b", 1, 1), ("c", 1, 1)])])]),
        (f'<x:choice>{A}<x:choice minOccurs="0" maxOccurs="unbounded">{B}{C}</x:choice></x:choice>', [("a", 0, 1), ("choice", 0, None, "choice", [("b", 0, 1), ("c", 0, 1)])]),
        # The same element again: adjacent ones repeat, others are another field.
        # In another branch it is the same field.
        (f"<x:sequence>{A}{A}{B}</x:sequence>", [("a", 2, 2), ("b", 1, 1)]),
        (f'<x:sequence>{A}<x:element name="a" type="x:int" minOccurs="0" maxOccurs="unbounded"/></x:sequence>', [("a", 1, None)]),
        (f"<x:sequence>{A}{B}{A}</x:sequence>", [("a", 1, 1), ("b", 1, 1), ("a", 1, 1)]),
        (f"<x:choice><x:sequence>{A}{B}</x:sequence><x:sequence>{A}{C}</x:sequence></x:choice>", [("a", 0, 1), ("b", 0, 1), ("c", 0, 1)]),
        (f'<x:choice>{A}<x:sequence maxOccurs="unbounded">{A}</x:sequence></x:choice>', [("a", 0, None)]),
        (f'<x:sequence>{A}<x:element name="a" type="x:string"/></x:sequence>', [("a", 1, 1), ("a", 1, 1)]),
        ("<x:sequence><x:any/><x:any minOccurs='0'/></x:sequence>", [("any", 1, 2)]),
        (f"<x:sequence><x:any/>{A}<x:any minOccurs='0'/></x:sequence>", [("any", 1, 1), ("a", 1, 1), ("any", 0, 1)]),
    ],
)  # fmt: skip
def test_content_model_becomes_fields(content: str, fields: list[tuple[object, ...]]) -> None:
    assert _shape(_request(content).fields) == fields


def test_fields_record_their_choice_and_branch() -> None:
    content = f"<x:sequence><x:choice>{A}<x:sequence>{B}<x:choice>{C}{D}</x:choice></x:sequence></x:choice></x:sequence>"
    a, b, c, d = _request(content).fields
    ((outer, first),) = a.choices
    assert (first, b.choices) == (0, ((outer, 1),))
    assert c.choices[0] == d.choices[0] == (outer, 1)
    (_, (inner, third)), (_, (same, fourth)) = c.choices, d.choices
    assert (third, fourth) == (0, 1)
    assert inner == same != outer


def test_element_of_two_branches_belongs_to_their_common_choice() -> None:
    content = f"<x:choice>{D}<x:choice><x:sequence>{A}{B}</x:sequence><x:sequence>{A}{C}</x:sequence></x:choice></x:choice>"
    d, a, b, _ = _request(content).fields
    assert [field.wire for field in (d, a, b)] == ["d", "a", "b"]
    assert a.choices == b.choices[:1]
    assert len(b.choices) == 2


def test_all_groups_are_marked_also_in_a_named_group() -> None:
    assert _request(f"<x:all>{A}{B}</x:all>").all_group
    group = f'<x:group name="G"><x:all>{A}{B}</x:all></x:group>'
    assert _request('<x:group ref="t:G"/>', group).all_group
    assert not _request(f"<x:sequence>{A}{B}</x:sequence>").all_group


_GROUP = f'<x:group name="Pair"><x:sequence>{A}{B}</x:sequence></x:group>'


def test_groups_are_flattened_and_named_if_they_repeat() -> None:
    once = _request(f'<x:sequence><x:group ref="t:Pair" minOccurs="0"/>{C}</x:sequence>', _GROUP)
    assert _shape(once.fields) == [("a", 0, 1), ("b", 0, 1), ("c", 1, 1)]
    many = _request('<x:group ref="t:Pair" maxOccurs="unbounded"/>', _GROUP)
    assert _shape(many.fields) == [("Pair", 1, None, "sequence", [("a", 1, 1), ("b", 1, 1)])]
    (field,) = many.fields
    assert struct_of(field).qname == "{urn:example:shop}AskRequest_Pair"
    assert (field.kind, field.tag) == ("group", "")


def test_a_type_without_a_name_in_a_group_is_one_type_named_after_the_group() -> None:
    group = """<x:group name="G"><x:sequence><x:element name="part"><x:complexType><x:sequence>
    <x:element name="n" type="x:int"/></x:sequence></x:complexType></x:element></x:sequence></x:group>
    <x:complexType name="T"><x:group ref="t:G"/></x:complexType>"""
    content = '<x:sequence><x:group ref="t:G"/><x:element name="t" type="t:T"/></x:sequence>'
    part, t = _request(content, group).fields
    assert part.type is struct_of(t).fields[0].type
    assert struct_of(part).qname == "{urn:example:shop}G_part"


def test_field_describes_its_element() -> None:
    content = """<x:sequence>
    <x:element name="plain" type="x:int" default="7"/>
    <x:element name="bare" type="x:string" form="unqualified" nillable="1" fixed="x"/>
    <x:element ref="t:other"/><x:element name="none"/><x:element name="any" type="x:anyType"/>
    <x:any namespace="##other urn:a" processContents="lax" minOccurs="0" maxOccurs="unbounded"/>
    </x:sequence>"""
    other = '<x:element name="other" type="x:int" nillable="true" default="3"><x:annotation><x:documentation> One\n two </x:documentation></x:annotation></x:element>'
    plain, bare, reference, none, anything, wild = _request(content, other).fields
    assert (plain.tag, plain.default, plain.nillable) == ("{urn:example:shop}plain", "7", False)
    assert plain.type_name == "{http://www.w3.org/2001/XMLSchema}int"
    assert (bare.tag, bare.fixed, bare.nillable) == ("bare", "x", True)
    assert (reference.tag, reference.default, reference.nillable) == ("{urn:example:shop}other", "3", True)
    assert reference.doc == "One two"
    assert none.type is anything.type is ANYTHING
    assert wild.type is ANY_ELEMENT
    assert (none.kind, wild.kind, wild.tag) == ("element", "any", "")
    assert wild.wildcard == Wildcard("##other urn:a", "lax")


def test_mixed_content_becomes_any_content() -> None:
    schema = f"""<x:element name="AskRequest"><x:complexType><x:sequence>
    <x:element name="text" type="t:Text"/><x:element name="more" type="t:More"/></x:sequence></x:complexType></x:element>
    <x:complexType name="Text" mixed="true"><x:sequence>{A}</x:sequence></x:complexType>
    <x:complexType name="More"><x:complexContent><x:extension base="t:Text"/></x:complexContent></x:complexType>"""
    contract = read_schema(schema)
    text, more = contract.operations[0].request.fields
    assert text.type is more.type is ANYTHING
    assert contract.notes == []


def test_mixed_message_is_one_content_field() -> None:
    inline = '<x:element name="AskRequest"><x:complexType mixed="true"/></x:element>'
    named = '<x:element name="AskRequest" type="t:Text"/><x:complexType name="Text" mixed="true"/>'
    for schema in (inline, named):
        contract = read_schema(schema)
        (content,) = contract.operations[0].request.fields
        field = (content.kind, content.wire, content.type, content.least)
        assert field == ("content", "value", ANY_ELEMENT, 1)
        assert contract.notes == []


def test_recursive_types_and_several_namespaces_are_read() -> None:
    schema = """<x:element name="AskRequest" type="t:Node"/><x:element name="Node" type="x:int"/>
    <x:attribute name="Node" type="x:string"/><x:group name="Node"><x:sequence><x:element ref="t:Node"/></x:sequence></x:group>
    <x:attributeGroup name="Node"><x:attribute ref="t:Node"/></x:attributeGroup>
    <x:complexType name="Node"><x:sequence><x:element name="next" type="t:Node" minOccurs="0"/>
    <x:group ref="t:Node"/></x:sequence><x:attributeGroup ref="t:Node"/></x:complexType>"""
    node = read_schema(schema).operations[0].request
    key, following, number = node.fields
    assert following.type is node
    assert (key.kind, key.tag) == ("attribute", "{urn:example:shop}Node")
    assert (number.kind, number.tag) == ("element", "{urn:example:shop}Node")
