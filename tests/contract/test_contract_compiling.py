"""Schemas prepared for libxml2: the changes to them, and which messages are valid afterwards, by libxml2."""

from __future__ import annotations

import pytest
from lxml import etree

from soapclient.contract import compiling
from soapclient.contract.compiling import ALL, compile_schemas, self_contained, with_optional
from soapclient.contract.validation import Schema
from soapclient.errors import ContractError

XSD = "http://www.w3.org/2001/XMLSchema"


def schema(inside: str, space: str = "", more: str = "") -> bytes:
    target = f' targetNamespace="{space}" xmlns="{space}" elementFormDefault="qualified"' if space else ""
    return f'<x:schema xmlns:x="{XSD}"{target}{more}>{inside}</x:schema>'.encode()


def sequence(inside: str) -> str:
    return f'<x:element name="m"><x:complexType><x:sequence>{inside}</x:sequence></x:complexType></x:element>'


def takes(source: bytes, *texts: str) -> list[bool]:
    found = etree.XMLSchema(etree.fromstring(source))
    return [found.validate(etree.fromstring(text)) for text in texts]


# ---- optional elements and attributes

TWO = schema(
    '<x:element name="m"><x:complexType><x:sequence>'
    '<x:element name="a" type="x:int"/><x:element name="b" type="x:int" minOccurs="2" maxOccurs="3"/>'
    '</x:sequence><x:attribute name="c" use="required"/><x:attribute name="d" use="required"/>'
    '<x:attribute name="e" use="prohibited"/></x:complexType></x:element>'
)
FULL = '<m c="" d=""><a>1</a><b>1</b><b>2</b></m>'


def test_elements_and_attributes_may_be_named_as_not_required() -> None:
    texts = (FULL, '<m c="" d=""><b>1</b><b>1</b></m>', '<m d=""><a>1</a><b>1</b><b>2</b></m>', "<m/>")
    assert takes(TWO, *texts) == [True, False, False, False]
    assert takes(with_optional(TWO, {"a"}), *texts) == [True, True, False, False]
    assert takes(with_optional(TWO, {"c"}), *texts) == [True, False, True, False]
    assert takes(with_optional(TWO, {"a", "b", "c", "d"}), *texts) == [True] * 4
    assert takes(with_optional(TWO, {ALL}), *texts) == [True] * 4
    assert takes(with_optional(TWO, {"m", "x"}), *texts) == [True, False, False, False]


def test_declaration_without_a_name_is_not_made_optional() -> None:
    nameless = schema(sequence('<x:element type="x:int"/>') + '<x:attribute use="required"/>')
    before, after = (etree.canonicalize(each.decode()) for each in (nameless, with_optional(nameless, {"a"})))
    assert after == before


def test_optional_elements_must_still_be_valid() -> None:
    assert takes(with_optional(TWO, {ALL}), "<m><a>x</a></m>", "<m><z/></m>", '<m e=""/>') == [False] * 3


# ---- external references


def attributes(inside: str, spaces: tuple[str, ...] = ()) -> list[dict[str, str]]:
    root = etree.fromstring(self_contained(schema(inside, "urn:own"), spaces))
    return [dict(child.attrib) for child in root]


def test_schema_without_changes_is_kept() -> None:
    for inside in (
        "",
        sequence('<x:any processContents="lax" maxOccurs="10000"/>'),
        '<x:import namespace="urn:a"/>',
    ):
        source = schema(inside, "urn:own") + b"\n<!-- to the byte -->"
        assert self_contained(source) is source
        assert self_contained(source, ["urn:own"]) is source


def test_components_without_a_namespace_are_imported_once() -> None:
    assert attributes("", ("",)) == attributes("<x:import/>", ("",)) == [{}]


def test_schema_locations_are_removed_and_namespaces_kept() -> None:
    inside = (
        '<x:import namespace="urn:a" schemaLocation="http://a.example/a.xsd"/><x:import schemaLocation="b"/>'
    )
    assert attributes(inside) == [{"namespace": "urn:a"}, {}]
    assert attributes('<x:include schemaLocation="c.xsd"/><x:redefine schemaLocation="d.xsd"/>') == []
    kept = '<x:redefine schemaLocation="d.xsd"><x:simpleType name="t"/></x:redefine>'
    assert attributes(kept) == [{"schemaLocation": "d.xsd"}]


def test_available_namespaces_are_imported_once() -> None:
    spaces = ("urn:own", "urn:a", "", "urn:b", "urn:b")
    imports = attributes('<x:import namespace="urn:a"/>', spaces)
    assert imports == [{"namespace": "urn:b"}, {}, {"namespace": "urn:a"}]


@pytest.mark.parametrize(
    ("written", "least", "most"),
    [
        ('minOccurs="10000" maxOccurs="10000"', "10000", "10000"),
        ('minOccurs="10001" maxOccurs="10001"', "10000", "unbounded"),
        ('minOccurs=" 20000 " maxOccurs=" 20000 "', "10000", "unbounded"),
        # Numbers with ten digits are replaced by unbounded.
        ('minOccurs="0" maxOccurs="0000010000"', "0", "unbounded"),
        ('minOccurs="1" maxOccurs="unbounded"', "1", "unbounded"),
        ('minOccurs="-20000" maxOccurs="٢٠٠٠٠"', "-20000", "٢٠٠٠٠"),  # not digits in XML Schema
    ],
)
def test_occurrence_bounds_beyond_ten_thousand_are_accepted(written: str, least: str, most: str) -> None:
    root = etree.fromstring(self_contained(schema(sequence(f'<x:element name="a" {written}/>'))))
    (found,) = (node for node in root.iter(f"{{{XSD}}}element") if node.get("name") == "a")
    assert (found.get("minOccurs"), found.get("maxOccurs")) == (least, most)


@pytest.mark.parametrize("kind", ["any", "anyAttribute"])
@pytest.mark.parametrize(
    ("written", "found"),
    [
        ("", "lax"),
        ('processContents=" strict "', "lax"),
        ('processContents="lax"', "lax"),
        ('processContents="skip"', "skip"),
    ],
)
def test_wildcards_accept_undeclared_elements(kind: str, written: str, found: str) -> None:
    root = etree.fromstring(self_contained(schema(sequence(f"<x:{kind} {written}/>"))))
    (node,) = root.iter(f"{{{XSD}}}{kind}")
    assert node.get("processContents") == found


# ---- several schemas as one


def test_schemas_of_several_namespaces_and_parts_are_combined() -> None:
    own = schema('<x:element name="a" type="x:int"/>', "urn:own")
    more = schema('<x:element name="b" type="x:int"/>', "urn:own")
    bare = schema('<x:element name="c" type="x:int"/>')
    inner = sequence('<x:element ref="o:a"/><x:element ref="o:b"/><x:element ref="c"/>')
    user = schema(inner.replace(' name="m"', ' name="n"'), "urn:user", ' xmlns:o="urn:own"')
    user = user.replace(b' xmlns="urn:user"', b"")
    found = compile_schemas([own, more, bare, user], ["urn:own", "urn:own", "", "urn:user"])
    good = '<n xmlns="urn:user"><a xmlns="urn:own">1</a><b xmlns="urn:own">2</b><c xmlns="">3</c></n>'
    assert found.validate(etree.fromstring(good))
    assert not found.validate(etree.fromstring(good.replace(">3<", ">x<")))
    for text in ('<a xmlns="urn:own">1</a>', '<b xmlns="urn:own">1</b>', "<c>1</c>"):
        assert found.validate(etree.fromstring(text))
        assert not found.validate(etree.fromstring(text.replace("1", "x")))


def test_xml_namespace_attributes_are_known() -> None:
    inside = (
        '<x:import namespace="http://www.w3.org/XML/1998/namespace"/><x:element name="m"><x:complexType>'
        '<x:attribute ref="xml:lang" use="required"/><x:attribute ref="xml:space"/>'
        "</x:complexType></x:element>"
    )
    found = compile_schemas([schema(inside, "urn:own")], ["urn:own"])
    for attributes, valid in (
        ('xml:lang="de"', True),
        ('xml:lang=""', True),
        ('xml:lang="de" xml:space="preserve"', True),
        ("", False),
        ('xml:lang="de" xml:space="other"', False),
        ('xml:lang="not a language"', False),
    ):
        assert found.validate(etree.fromstring(f'<m xmlns="urn:own" {attributes}/>')) is valid


def test_single_schema_is_compiled_unchanged(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiling, "_Inline", None)  # only used for several schemas
    found = compile_schemas([schema('<x:element name="a" type="x:int"/>')], [""])
    assert [found.validate(etree.fromstring(text)) for text in ("<a>1</a>", "<a>x</a>")] == [True, False]


# ---- names beyond ASCII


def test_names_beyond_ascii_survive_each_change_and_a_check() -> None:
    """Serialised schemas must not contain element names with character references."""
    noted = '<x:annotation><x:appinfo><größe länge="1"/></x:appinfo></x:annotation>'
    wide = '<x:sequence maxOccurs="99999999999"><x:element name="straße" type="x:int"/></x:sequence>'
    source = schema(f'{noted}<x:element name="m"><x:complexType>{wide}</x:complexType></x:element>')
    texts = "<m><straße>1</straße></m>", "<m><straße>x</straße></m>", "<m/>"
    assert takes(self_contained(source), *texts) == [True, False, False]
    assert takes(with_optional(self_contained(source), {"straße"}), *texts) == [True, False, True]
    check = Schema([etree.fromstring(source)])
    check.check_request(etree.fromstring(texts[0]), "Ask")
    with pytest.raises(ContractError, match="straße"):
        check.check_request(etree.fromstring(texts[1]), "Ask")
