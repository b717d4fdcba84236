"""Simple types: built-in types, enumerations, lists, unions and facets, and their base types."""

# ruff: noqa: E501 - schemas, one type per line

from __future__ import annotations

import pytest

from bindgen.model import Enum, Facets, Field, ListOf, Simple, UnionOf
from bindgen.simple_types import SIMPLE, XSD
from tests.bindgen.conftest import read_schema


def _field(types: str, name: str = "t:T") -> Field:
    """Return the field for an element of the type."""
    schema = f"""<x:element name="AskRequest"><x:complexType><x:sequence>
    <x:element name="f" type="{name}"/></x:sequence></x:complexType></x:element>{types}"""
    contract = read_schema(schema)
    assert not contract.problems
    return contract.operations[0].request.fields[0]


def _restricted(base: str, *facets: str, name: str = "T") -> str:
    inside = "".join(
        f'<x:{what} value="{value}"/>' for what, _, value in (facet.partition("=") for facet in facets)
    )
    return f'<x:simpleType name="{name}"><x:restriction base="{base}">{inside}</x:restriction></x:simpleType>'


def _built_in(name: str) -> Simple:
    return SIMPLE[f"{{{XSD}}}{name}"]


@pytest.mark.parametrize("name", sorted(SIMPLE))
def test_built_in_types_are_kept(name: str) -> None:
    local = name.rpartition("}")[2]
    field = _field("", f"x:{local}")
    assert (field.type, field.facets, field.type_name) == (SIMPLE[name], None, name)


def test_all_simple_types_of_the_specification_are_built_in() -> None:
    # XSD 1.0 part 2, section 3: nineteen primitive types and twenty-five derived types.
    primitive = "string boolean decimal float double duration dateTime time date gYearMonth gYear gMonthDay gDay gMonth hexBinary base64Binary anyURI QName NOTATION"
    derived = "normalizedString token language NMTOKEN NMTOKENS Name NCName ID IDREF IDREFS ENTITY ENTITIES integer nonPositiveInteger negativeInteger long int short byte nonNegativeInteger unsignedLong unsignedInt unsignedShort unsignedByte positiveInteger"
    assert {f"{{{XSD}}}{name}" for name in f"{primitive} {derived}".split()} <= set(SIMPLE)


def test_string_enumeration_becomes_an_enum() -> None:
    field = _field(_restricted("x:token", "enumeration= a  b ", "enumeration=c", "enumeration=c"))
    assert isinstance(field.type, Enum)
    assert field.type.qname == field.type_name == "{urn:example:shop}T"
    assert field.type.values == ["a b", "c"]


def test_white_space_of_a_string_is_kept() -> None:
    field = _field(_restricted("x:string", "enumeration= a  b "))
    assert isinstance(field.type, Enum)
    assert field.type.values == [" a  b "]


@pytest.mark.parametrize("base", ["int", "decimal", "date", "QName", "hexBinary"])
def test_other_enumerations_become_their_base_type_with_a_facet(base: str) -> None:
    field = _field(_restricted(f"x:{base}", "enumeration=1", "enumeration=2"))
    assert field.type is _built_in(base)
    assert field.facets == Facets(enumeration=("1", "2"))


def test_innermost_facet_counts_and_patterns_accumulate() -> None:
    types = (
        _restricted("t:Middle", "maxLength=5", "pattern=x.*")
        + _restricted("t:Low", "maxLength=7", "minLength=2", "pattern=a", "pattern=b|c", name="Middle")
        + _restricted("x:string", "maxLength=9", "whiteSpace=collapse", "unheardOf=1", name="Low")
    )
    field = _field(types)
    assert field.type is _built_in("string")
    lengths = Facets(max_length="5", min_length="2", white_space="collapse", patterns=("a|b|c", "x.*"))
    assert field.facets == lengths


def test_numbers_have_their_facets() -> None:
    facets = ("minInclusive=-1", "maxExclusive= 7 ", "totalDigits=3", "fractionDigits=1")
    field = _field(_restricted("x:decimal", *facets))
    kept = Facets(min_inclusive="-1", max_exclusive="7", total_digits="3", fraction_digits="1")
    assert field.facets == kept


def test_restricted_enumeration_is_read() -> None:
    low = _restricted("x:string", "enumeration=a", "enumeration=b", name="Low")
    field = _field(_restricted("t:Low", "enumeration=b") + low)
    assert isinstance(field.type, Enum)
    assert (field.type.qname, field.type.values) == ("{urn:example:shop}T", ["b"])
    field = _field(_restricted("t:Low", "maxLength=3") + low)
    assert isinstance(field.type, Enum)
    assert (field.type.qname, field.type.values) == ("{urn:example:shop}Low", ["a", "b"])
    assert field.facets == Facets(enumeration=("a", "b"), max_length="3")
    assert field.type_name == "{urn:example:shop}T"


def test_list_types_are_read() -> None:
    ints = '<x:simpleType name="L"><x:list itemType="x:int"/></x:simpleType>'
    field = _field(ints + _restricted("t:L", "maxLength=3"))
    assert isinstance(field.type, ListOf)
    assert (field.type.qname, field.type.item) == ("{urn:example:shop}L", _built_in("int"))
    assert field.facets == Facets(max_length="3")
    inline = f'<x:simpleType name="T"><x:list>{_restricted("x:string", "enumeration=a").replace(" name=" + chr(34) + "T" + chr(34), "")}</x:list></x:simpleType>'
    field = _field(inline)
    assert isinstance(field.type, ListOf)
    assert isinstance(field.type.item, Enum)
    assert field.type.item.qname == "{urn:example:shop}T_item"


def test_nested_unions_are_flattened() -> None:
    types = """<x:simpleType name="T"><x:union memberTypes="t:Inner x:int x:date">
    <x:simpleType><x:list itemType="x:int"/></x:simpleType></x:union></x:simpleType>
    <x:simpleType name="Inner"><x:union memberTypes="x:date x:boolean"/></x:simpleType>"""
    field = _field(types)
    assert isinstance(field.type, UnionOf)
    date, boolean, number, several = field.type.members
    assert (date, boolean, number) == tuple(map(_built_in, ("date", "boolean", "int")))
    assert isinstance(several, ListOf)
    assert several.qname == "{urn:example:shop}T_member"


def test_list_of_a_union_is_read() -> None:
    types = """<x:simpleType name="T"><x:list itemType="t:U"/></x:simpleType>
    <x:simpleType name="U"><x:union memberTypes="x:int x:string"/></x:simpleType>"""
    field = _field(types)
    assert isinstance(field.type, ListOf)
    assert isinstance(field.type.item, UnionOf)


def test_a_type_without_a_name_is_named_by_its_path() -> None:
    schema = """<x:element name="AskRequest"><x:complexType><x:sequence><x:element name="part"><x:complexType>
    <x:attribute name="kind"><x:simpleType><x:restriction><x:simpleType><x:restriction base="x:string">
    <x:enumeration value="a"/></x:restriction></x:simpleType></x:restriction></x:simpleType></x:attribute>
    </x:complexType></x:element></x:sequence></x:complexType></x:element>"""
    part = read_schema(schema).operations[0].request.fields[0].type
    assert not isinstance(part, Simple | Enum | ListOf | UnionOf)
    kind = part.fields[0]  # type: ignore[union-attr]  # the assertion above excludes other types
    assert isinstance(kind.type, Enum)
    assert (kind.type.qname, kind.type_name) == ("{urn:example:shop}AskRequest_part_kind", "")


def test_soap_encoding_types_map_to_xml_schema_types() -> None:
    spaces = 'xmlns:e="http://schemas.xmlsoap.org/soap/encoding/"'
    schema = f"""<x:element name="AskRequest"><x:complexType><x:sequence>
    <x:element name="a" type="e:string" {spaces}/><x:element name="b" type="e:base64" {spaces}/>
    </x:sequence></x:complexType></x:element>"""
    a, b = read_schema(schema).operations[0].request.fields
    assert (a.type, b.type) == (_built_in("string"), _built_in("base64Binary"))


@pytest.mark.parametrize(
    ("types", "said"),
    [
        (_restricted("t:B") + _restricted("t:T", name="B"), "circular"),
        ('<x:simpleType name="T"/>', "an empty simple type"),
        (_restricted("t:Nowhere"), "is not declared"),
        (_restricted("t:C") + '<x:complexType name="C"/>', "is not a simple type"),
        ('<x:simpleType name="T"><x:list itemType="t:L"/></x:simpleType><x:simpleType name="L"><x:list itemType="x:int"/></x:simpleType>', "list of lists"),
    ],
)  # fmt: skip
def test_invalid_simple_types_become_strings_with_a_note(types: str, said: str) -> None:
    schema = f'<x:element name="AskRequest"><x:complexType><x:attribute name="a" type="t:T"/></x:complexType></x:element>{types}'
    contract = read_schema(schema)
    assert not contract.problems
    (field,) = contract.operations[0].request.fields
    kind = field.type.item if isinstance(field.type, ListOf) else field.type
    assert kind is _built_in("string")
    assert any(said in note.message and note.place is not None for note in contract.notes)


def test_circular_unions_terminate() -> None:
    types = """<x:simpleType name="T"><x:union memberTypes="t:U x:int"/></x:simpleType>
    <x:simpleType name="U"><x:union memberTypes="t:T x:date"/></x:simpleType>"""
    field = _field(types)
    assert isinstance(field.type, UnionOf)
    assert {_built_in("int"), _built_in("date")} <= set(field.type.members)
