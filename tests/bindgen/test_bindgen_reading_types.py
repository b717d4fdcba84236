"""Attributes, extension, restriction, derivation and substitution groups."""

# ruff: noqa: E501 - schemas, one type per line

from __future__ import annotations

from bindgen.model import Contract, Facets, Field, Struct
from bindgen.simple_types import SIMPLE, XSD
from tests.bindgen.conftest import read_schema, struct_of

_T = "{urn:example:shop}"


def _element(name: str, type_: str = "x:int", more: str = "") -> str:
    return f'<x:element name="{name}" type="{type_}" {more}/>'


def _extension(name: str, base: str, content: str, what: str = "extension", more: str = "") -> str:
    return f"""<x:complexType name="{name}" {more}><x:complexContent><x:{what} base="{base}">{content}
    </x:{what}></x:complexContent></x:complexType>"""


def _read(fields: str, types: str) -> Contract:
    contract = read_schema(
        f'<x:element name="AskRequest"><x:complexType><x:sequence>{fields}</x:sequence></x:complexType></x:element>{types}'
    )
    assert not contract.problems
    return contract


def _struct(contract: Contract, at: int = 0) -> Struct:
    return struct_of(contract.operations[0].request.fields[at])


def _shown(fields: list[Field]) -> list[tuple[str, str, int]]:
    return [(field.kind, field.tag, field.least) for field in fields]


def test_all_kinds_of_attributes_are_read() -> None:
    types = """<x:complexType name="T">
    <x:attribute name="plain" type="x:int" use="required"/><x:attribute name="q" type="x:int" form="qualified" default="7"/>
    <x:attribute name="none" fixed="f"/><x:attribute ref="t:shared"/><x:attribute ref="xml:lang"/><x:attribute ref="xml:space" default="preserve"/>
    <x:attributeGroup ref="t:G"/><x:attribute name="never" use="prohibited"/><x:anyAttribute namespace="##other" processContents="lax"/>
    </x:complexType>
    <x:attribute name="shared" type="x:date" default="2026-01-01"/>
    <x:attributeGroup name="G"><x:attribute name="one"/><x:attributeGroup ref="t:H"/></x:attributeGroup>
    <x:attributeGroup name="H"><x:attribute name="two"/><x:attribute name="plain" type="x:string"/><x:attributeGroup ref="t:G"/></x:attributeGroup>"""
    contract = _read(_element("f", "t:T"), types)
    fields = _struct(contract).fields
    assert _shown(fields) == [
        ("attribute", "plain", 1),
        ("attribute", f"{_T}q", 0),
        ("attribute", "none", 0),
        ("attribute", f"{_T}shared", 0),
        ("attribute", "{http://www.w3.org/XML/1998/namespace}lang", 0),
        ("attribute", "{http://www.w3.org/XML/1998/namespace}space", 0),
        ("any_attributes", "", 0),
        ("attribute", "one", 0),
        ("attribute", "two", 0),
    ]
    assert [field.default for field in fields[1:6]] == ["7", None, "2026-01-01", None, "preserve"]
    assert fields[2].fixed == "f"
    assert fields[4].type is SIMPLE[f"{{{XSD}}}language"]
    assert fields[6].wildcard is not None
    assert fields[6].wildcard.namespaces == "##other"


def test_undeclared_attribute_is_a_string() -> None:
    types = '<x:complexType name="T"><x:attribute ref="o:else" use="required" xmlns:o="urn:other"/></x:complexType>'
    contract = _read(_element("f", "t:T"), types)
    (field,) = _struct(contract).fields
    assert (field.tag, field.least, field.type) == ("{urn:other}else", 1, SIMPLE[f"{{{XSD}}}string"])
    assert any("attribute 'o:else'" in note.message for note in contract.notes)


def test_extensions_and_restrictions_are_derived() -> None:
    types = (
        f'<x:complexType name="Base" abstract="true"><x:sequence>{_element("a")}</x:sequence><x:attribute name="k" use="required"/><x:attribute name="gone"/></x:complexType>'
        + _extension("More", "t:Base", f'<x:sequence>{_element("b")}</x:sequence><x:attribute name="m"/>')
        + _extension("Most", "t:More", f"<x:sequence>{_element('c')}</x:sequence>")
        + _extension("Less", "t:Base", f'<x:sequence>{_element("a", "x:short")}</x:sequence><x:attribute name="gone" use="prohibited"/>', "restriction")
        + _extension("Aside", "t:Elsewhere", "")
        + '<x:complexType name="Elsewhere"/>'
    )  # fmt: skip
    contract = _read(_element("f", "t:Base"), types)
    base = _struct(contract)
    more, less = base.derived
    (most,) = more.derived
    assert [one.name for one in (base, more, less, most)] == ["Base", "More", "Less", "Most"]
    assert (base.abstract, more.abstract) == (True, False)
    assert (more.base, more.restricts, most.base) == (base, None, more)
    assert (less.base, less.restricts) == (None, base)
    assert _shown(most.all_fields()) == [
        ("attribute", "k", 1),
        ("attribute", "gone", 0),
        ("element", f"{_T}a", 1),
        ("attribute", "m", 0),
        ("element", f"{_T}b", 1),
        ("element", f"{_T}c", 1),
    ]
    assert _shown(less.all_fields()) == [("attribute", "k", 1), ("element", f"{_T}a", 1)]
    assert less.fields[1].type is SIMPLE[f"{{{XSD}}}short"]


def test_unused_base_type_does_not_pull_in_derived_types() -> None:
    types = (
        f'<x:complexType name="Root"><x:sequence>{_element("a")}</x:sequence></x:complexType>'
        + _extension("Here", "t:Root", "")
        + _extension("There", "t:Root", "")
    )
    here = _struct(_read(_element("f", "t:Here"), types))
    assert here.base is not None
    assert here.base.derived == []


def test_simple_content_becomes_a_value_field() -> None:
    types = """<x:complexType name="Base"><x:simpleContent><x:extension base="t:Code"><x:attribute name="k"/></x:extension></x:simpleContent></x:complexType>
    <x:simpleType name="Code"><x:restriction base="x:string"><x:maxLength value="9"/></x:restriction></x:simpleType>
    <x:complexType name="More"><x:simpleContent><x:extension base="t:Base"><x:attribute name="m"/></x:extension></x:simpleContent></x:complexType>
    <x:complexType name="Less"><x:simpleContent><x:restriction base="t:Base"><x:maxLength value="3"/><x:attribute name="k" use="required"/></x:restriction></x:simpleContent></x:complexType>"""
    base = _struct(_read(_element("f", "t:Base"), types))
    more, less = base.derived
    assert _shown(more.all_fields()) == [("attribute", "k", 0), ("text", "", 1), ("attribute", "m", 0)]
    assert _shown(less.all_fields()) == [("attribute", "k", 1), ("text", "", 1)]
    assert base.fields[1].facets == Facets(max_length="9")
    assert base.fields[1].type_name == f"{_T}Code"
    assert less.fields[1].facets == Facets(max_length="3")


def test_unknown_base_type_becomes_any_type() -> None:
    types = _extension("T", "o:Gone", f"<x:sequence>{_element('a')}</x:sequence>", more='xmlns:o="urn:other"')
    contract = _read(_element("f", "t:T"), types)
    assert [field.kind for field in _struct(contract).fields] == ["any_attributes", "any", "element"]
    assert any("'o:Gone' is not declared" in note.message for note in contract.notes)


def test_restriction_of_any_type_is_a_struct() -> None:
    types = _extension("T", "x:anyType", f"<x:sequence>{_element('a')}</x:sequence>", "restriction")
    struct = _struct(_read(_element("f", "t:T"), types))
    assert (_shown(struct.fields), struct.restricts) == ([("element", f"{_T}a", 1)], None)


_SHAPES = (
    '<x:element name="shape" type="t:Shape" abstract="true"/><x:complexType name="Shape"/>'
    + _element("round", "t:Shape", 'substitutionGroup="t:shape" abstract="true"')
    + '<x:element name="circle" substitutionGroup="t:round"/>'
    + _element("box", "t:Shape", 'substitutionGroup="t:shape" nillable="true"')
    + _element("disc", "t:Shape", 'substitutionGroup="t:circle"')
)


def test_substitution_group_becomes_one_field() -> None:
    fields = '<x:element ref="t:shape"/><x:element ref="t:box"/><x:element ref="t:shape" minOccurs="0" maxOccurs="unbounded"/>'
    contract = _read(fields, _SHAPES)
    first, box, many = contract.operations[0].request.fields
    assert (first.wire, first.kind, first.tag, first.least, first.most) == ("shape", "group", "", 1, 1)
    assert (many.least, many.most) == (0, None)
    assert first.type is many.type
    shape = struct_of(first)
    assert (shape.holder, shape.qname) == ("substitution", f"{_T}shape")
    assert _shown(shape.fields) == [("element", f"{_T}{name}", 0) for name in ("circle", "box", "disc")]
    assert [field.nillable for field in shape.fields] == [False, True, False]
    # An element without a type has the type of its group's head (XSD 1.0 part 1, 3.3.2).
    assert len({field.type for field in shape.fields}) == 1
    assert (box.kind, box.tag) == ("element", f"{_T}box")


def test_abstract_element_without_substitutes_is_any_element() -> None:
    contract = _read('<x:element ref="t:lonely" maxOccurs="2"/>', _element("lonely", more='abstract="true"'))
    (field,) = contract.operations[0].request.fields
    assert (field.kind, field.most) == ("any", 2)
    assert any("is abstract" in note.message for note in contract.notes)


def test_circular_substitution_group_terminates() -> None:
    one = _element("a", "x:int", 'substitutionGroup="t:b"')
    types = one + _element("b", "x:int", 'substitutionGroup="t:a"')
    (field,) = _read('<x:element ref="t:a"/>', types).operations[0].request.fields
    assert _shown(struct_of(field).fields) == [("element", f"{_T}a", 0), ("element", f"{_T}b", 0)]
