"""Wildcards (compared with libxml2), members of unions, and inherited fields."""

from __future__ import annotations

import pytest
from lxml import etree

from soapclient.runtime.fields import Types, Wild, members
from tests.runtime.rows import XSI, types_of

XSD = "http://www.w3.org/2001/XMLSchema"
SPACES = ("", "urn:own", "urn:a", "urn:b")


@pytest.mark.parametrize("target", ["urn:own", ""])
@pytest.mark.parametrize(
    "namespaces",
    [
        *("##any", " ##any ", "##other", "##other ", "##local", "##targetNamespace", "urn:a"),
        *("urn:b ##local", "##targetNamespace\n urn:a"),
    ],
)
def test_wildcard_accepts_the_elements_libxml2_accepts(namespaces: str, target: str) -> None:
    given = f' targetNamespace="{target}"' if target else ""
    # Libxml2 does not collapse white space here, contrary to the standard.
    written = " ".join(namespaces.split())
    schema = etree.XMLSchema(
        etree.fromstring(
            f'<x:schema xmlns:x="{XSD}"{given}><x:element name="u"><x:complexType><x:sequence>'
            f'<x:any namespace="{written}" processContents="skip" minOccurs="0"/></x:sequence>'
            f'<x:anyAttribute namespace="{written}" processContents="skip"/></x:complexType></x:element>'
            "</x:schema>"
        )
    )
    wild = Wild(namespaces, target)
    for space in SPACES:
        name = f"{{{space}}}v" if space else "v"
        root = etree.Element(f"{{{target}}}u" if target else "u")
        etree.SubElement(root, name)
        assert wild.takes(name) is schema.validate(root), name
        root = etree.Element(root.tag, {name: ""})
        assert wild.takes_attribute(name) is schema.validate(root), name
    assert not wild.takes(etree.Comment("c").tag)
    assert not wild.takes_attribute(f"{{{XSI}}}nil")


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("int", ["int"]),
        ("int|string", ["int", "string"]),
        ("[int]|(a|[(b|c)])|d", ["[int]", "(a|[(b|c)])", "d"]),
    ],
)
def test_union_members_may_be_lists_and_unions(text: str, found: list[str]) -> None:
    assert list(members(text)) == found


def shop_of(**rows: object) -> Types:
    wildcards = [{"namespaces": "urn:a"}, {"namespaces": "urn:b"}]
    return types_of(rows, namespace="urn:own", namespaces={"p": "urn:other"}, wildcards=wildcards)


def test_fields_are_named_like_their_elements_and_attributes() -> None:
    fields = [
        {"python": "a", "xml": "v"},
        {"python": "b", "xml": "p:v"},
        {"python": "c", "xml": ":v"},
        {"python": "d", "xml": "p:v", "kind": "attribute"},
        {"python": "e", "xml": "v", "kind": "attribute"},
        {"python": "f", "xml": "p:v", "item": "p:i", "elsewhere": ["@p:w", "p:w"]},
        {"python": "g", "xml": "p:G", "kind": "group", "type": "T"},
    ]
    found = shop_of(T={"xml": "T", "fields": fields}).fields("T")
    assert [(one.name, one.tag, one.shown) for one in found] == [
        ("v", "{urn:own}v", "v"),
        ("v", "{urn:other}v", "v"),
        ("v", "v", "v"),
        ("v", "{urn:other}v", "@v"),
        ("v", "v", "@v"),
        ("v", "{urn:other}v", "v"),
        ("p:G", "", "p:G"),
    ]
    assert (found[5].item, found[0].item) == ("{urn:other}i", "")
    assert found[5].elsewhere == (("attribute", "{urn:other}w"), ("element", "{urn:other}w"))
    assert [one.holds for one in found] == [""] * 6 + ["T"]


@pytest.mark.parametrize(
    ("occurs", "least", "repeats"),
    [("1", True, False), ("?", False, False), ("*", False, True), ("+", True, True)],
)
def test_occurrence_bounds_of_a_field(occurs: str, least: bool, repeats: bool) -> None:
    (field,) = shop_of(T={"xml": "T", "fields": [{"python": "a", "xml": "v", "occurs": occurs}]}).fields("T")
    assert (field.least, field.repeats) == (least, repeats)


@pytest.mark.parametrize(
    ("row", "given"),
    [
        ({"kind": "element", "xml": "v", "default": "1", "fixed": "2"}, "1"),
        ({"kind": "attribute", "xml": "v", "fixed": "2"}, "2"),
        ({"kind": "text", "default": "1"}, "1"),
        ({"kind": "element", "xml": "v", "type": "any", "fixed": "2", "default": "1"}, "2"),
        ({"kind": "element", "xml": "v", "type": "any", "default": "1"}, None),
        ({"kind": "content", "type": "any", "fixed": "2"}, None),
        ({"kind": "element", "xml": "v"}, None),
    ],
)
def test_default_text_of_a_field(row: dict[str, str], given: str | None) -> None:
    (field,) = shop_of(T={"xml": "T", "fields": [{"python": "a", **row}]}).fields("T")
    assert field.default_text == given
    assert (field.leaf is None) == (row.get("type") == "any")


def test_extension_starts_with_base_fields_and_restriction_has_only_its_own() -> None:
    attributes = {"python": "more", "kind": "any_attributes", "wildcards": [0]}
    base = {"xml": "B", "fields": [{"python": "a", "xml": "a", "arms": [["c", 1]]}, attributes]}
    own = [{"python": "b", "xml": "b", "arms": [["c", 2]]}]
    types = shop_of(
        B=base,
        E={"xml": "E", "base": "B", "derivation": "extension", "fields": own, "wider": [1]},
        R={"xml": "R", "base": "B", "derivation": "restriction", "fields": own},
        D={"xml": "D", "base": "E", "derivation": "extension"},
    )
    assert [(one.python, one.arms) for one in types.fields("E")] == [
        # The base type's choice differs from the derived type's choice with the same number.
        ("a", (("^c", 1),)),
        ("more", ()),
        ("b", (("c", 2),)),
    ]
    assert [one.python for one in types.fields("R")] == ["b"]
    assert [one.arms for one in types.fields("D")] == [(("^^c", 1),), (), (("^c", 2),)]
    wilds = types.fields("E")[1].wilds
    taken = [any(wild.takes_attribute(f"{{{space}}}v") for wild in wilds) for space in SPACES]
    assert taken == [False, False, True, True]
    assert len(types.fields("B")[1].wilds) == 1
    assert [wild.takes_attribute("{urn:a}v") for wild in types.fields("B")[1].wilds] == [True]
    assert types.standing_for("B") == ["B", "E", "D", "R"]
    assert types.standing_for("E") == ["E", "D"]
    assert types.standing_for("R") == ["R"]
    assert [types.is_open(name) for name in "BERD"] == [False] * 4


@pytest.mark.parametrize(("row", "found"), [({"open": True}, True), ({"abstract": True}, True), ({}, False)])
def test_fields_that_accept_another_xsi_type(row: dict[str, bool], found: bool) -> None:
    assert shop_of(T={"xml": "T", **row}).is_open("T") is found


@pytest.mark.parametrize("place", ["Left", "Right", "Below", ""])
def test_binary_value_is_found_at_any_place_of_a_message(place: str) -> None:
    def row(name: str, *held: str) -> dict[str, object]:
        types = {"value": "base64_binary" if name == place else "int", **{each: each for each in held}}
        fields = [{"python": each, "xml": each, "type": kind} for each, kind in types.items()]
        return {"xml": name, "fields": fields}

    # The message contains itself. `Apart` has a binary value, but does not belong to the message.
    rows = {name: row(name) for name in ("Right", "Below")}
    rows |= {"Message": row("Message", "Left", "Right", "Message"), "Left": row("Left", "Below")}
    rows["Apart"] = {"xml": "Apart", "fields": [{"python": "v", "xml": "v", "type": "base64_binary"}]}
    assert shop_of(**rows).can_hold_binary("Message") is bool(place)
