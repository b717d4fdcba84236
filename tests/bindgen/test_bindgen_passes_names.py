"""Fields named like identifiers that generated code uses."""

# ruff: noqa: E501 - schemas are easier to read unbroken

from __future__ import annotations

from typing import TYPE_CHECKING

from bindgen.emit.module import FROM_RUNTIME

if TYPE_CHECKING:
    from tests.bindgen.conftest import Make

_RESPONSE = '<x:element name="AskResponse"><x:complexType><x:sequence/></x:complexType></x:element>'
# All features of a reader: nil, defaults, wrapped lists, wildcards, groups, and elements in order.
_EVERYTHING = """<x:element name="zNil" type="x:int" nillable="true" minOccurs="0"/><x:element name="zGiven" type="x:int" default="5" minOccurs="0"/>
<x:element name="zWrap"><x:complexType><x:sequence><x:element name="i" type="x:int" nillable="true" minOccurs="0" maxOccurs="unbounded"/></x:sequence></x:complexType></x:element>
<x:element name="zAny" type="x:anyType" minOccurs="0"/><x:choice minOccurs="0" maxOccurs="unbounded"><x:element name="zA" type="x:int"/><x:element name="zB" type="x:int"/></x:choice>
<x:element name="zNil" type="x:int" nillable="true" minOccurs="0"/><x:any namespace="##other" processContents="lax" minOccurs="0" maxOccurs="unbounded"/>"""


def test_run_time_names_do_not_break_fields(make: Make) -> None:
    names = sorted(
        {*(name for name in FROM_RUNTIME if name.islower()), "node", "reader", "child", "tag", "at"}
    )
    assert "copied" in names
    fields = "".join(f'<x:element name="{name}" type="x:string" minOccurs="0"/>' for name in names)
    attributes = "".join(f'<x:attribute name="{name}" type="x:string"/>' for name in ("attribute", "raw"))
    made = make(
        f'<x:element name="AskRequest"><x:complexType><x:sequence>{fields}{_EVERYTHING}</x:sequence>{attributes}</x:complexType></x:element>{_RESPONSE}'
    )
    inner = "".join(f"<{name}>text</{name}>" for name in names)
    further = '<zNil i:nil="true"/><zGiven/><zWrap><i>1</i><i i:nil="true"/></zWrap><zAny>x</zAny><zA>1</zA><zB>2</zB><zNil>3</zNil><o xmlns="urn:o"/>'
    value = made.parse(inner + further, attributes='attribute="a" raw="b"')
    assert [getattr(value, name) for name in value.__struct_fields__].count("text") == len(names)
    assert (value.attribute, value.raw, value.z_nil_2, value.z_given) == ("a", "b", 3, 5)
    made.there_and_back(value)


def test_field_named_like_a_builtin_gets_an_underscore(make: Make) -> None:
    names = ("list", "str", "int", "bool", "float", "bytes", "dict", "copied", "self", "dt")
    fields = "".join(f'<x:element name="{name}" type="x:int" maxOccurs="2"/>' for name in names)
    made = make(
        f'<x:element name="AskRequest"><x:complexType><x:sequence>{fields}</x:sequence></x:complexType></x:element>{_RESPONSE}'
    )
    value = made.types.AskRequest(**{f"{name}_": [1] for name in names})
    sent = made.there_and_back(value)
    assert [str(child.tag).rpartition("}")[2] for child in sent] == list(names)
