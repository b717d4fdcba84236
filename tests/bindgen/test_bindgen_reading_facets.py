"""Facets that do not apply to their type are noted, and ignored by all later steps."""

# ruff: noqa: E501 - schemas are easier to read unbroken

from __future__ import annotations

import itertools
from importlib import import_module, invalidate_caches
from pathlib import Path

import pytest
from lxml import etree

from bindgen import init
from soapclient.connection import connect
from soapclient.errors import ContractError
from soapclient.runtime.package import package
from soapclient.testing import mock
from tests.connection.test_connection_roundtrip import EMPTY, SPACE, WSDL

XSD = "http://www.w3.org/2001/XMLSchema"
FACETS = {
    "length": "2",
    "minLength": "2",
    "maxLength": "2",
    "minInclusive": "{0}",
    "maxInclusive": "{0}",
    "minExclusive": "{0}",
    "maxExclusive": "{0}",
    "totalDigits": "9",
    "fractionDigits": "0",
    "enumeration": "{0}",
    "pattern": ".*",
    "whiteSpace": "collapse",
}
VALUES = {
    "string": "ab",
    "anyURI": "ab",
    "hexBinary": "0102",
    "NMTOKENS": "ab cd",
    "QName": "ab",
    "boolean": "true",
    "decimal": "5",
    "long": "5",
    "float": "5",
    "duration": "P5D",
    "dateTime": "2026-11-20T12:00:00Z",
    "date": "2026-11-20",
    "gYear": "2026",
}
_numbers = itertools.count()


def schema_of(types: str, told: str) -> str:
    messages = "".join(
        f'<x:element name="{name}"><x:complexType><x:sequence>{told}</x:sequence></x:complexType></x:element>'
        for name in ("Told", "Put")
    )
    return (
        f'<x:schema xmlns:x="{XSD}" xmlns:t="{SPACE}" targetNamespace="{SPACE}" '
        f'elementFormDefault="qualified">{EMPTY.format("Get")}{EMPTY.format("Done")}{messages}{types}</x:schema>'
    )


def made(folder: Path, types: str, told: str = '<x:element name="v" type="t:T"/>') -> init.GeneratedPackage:
    file = folder / "facets.wsdl"
    file.write_text(WSDL.format(schema=schema_of(types, told)))
    return init.make(f"facets{next(_numbers)}", file, offline=True)


def restriction(base: str, facets: str) -> str:
    return f'<x:simpleType name="T"><x:restriction base="x:{base}">{facets}</x:restriction></x:simpleType>'


def notes_about(result: init.GeneratedPackage) -> list[str]:
    return [note.rpartition(": ")[2] for note in result.notes if "does not apply" in note]


@pytest.mark.parametrize("base", VALUES)
def test_facet_is_ignored_if_libxml2_does_not_apply_it_to_the_type(base: str, tmp_path: Path) -> None:
    types, ignored = "", set()
    for facet, value in FACETS.items():
        declared = restriction(base, f'<x:{facet} value="{value.format(VALUES[base])}"/>')
        try:
            etree.XMLSchema(etree.fromstring(schema_of(declared, "")))
        except etree.XMLSchemaParseError:
            ignored.add(facet)
        types += declared.replace('name="T"', f'name="T-{facet}"')
    told = "".join(f'<x:element name="{facet}" type="t:T-{facet}"/>' for facet in FACETS)
    result = made(tmp_path, types, told)
    expected = [f"{facet} does not apply to xsd:{base}; it is ignored" for facet in ignored]
    assert sorted(notes_about(result)) == sorted(expected)
    document = result.files["contract.wsdl"].decode()
    assert {facet for facet in FACETS if f":{facet} value=" not in document} == ignored
    assert result.contract.compiles


@pytest.mark.parametrize(
    ("types", "note"),
    [
        ('<x:simpleType name="B"><x:restriction base="x:int"/></x:simpleType><x:simpleType name="T"><x:restriction base="t:B"><x:maxLength value="3"/></x:restriction></x:simpleType>', "maxLength does not apply to xsd:int"),
        ('<x:simpleType name="T"><x:restriction><x:simpleType><x:list itemType="x:int"/></x:simpleType><x:maxInclusive value="3"/></x:restriction></x:simpleType>', "maxInclusive does not apply to a list"),
        ('<x:simpleType name="B"><x:union memberTypes="x:int x:string"/></x:simpleType><x:simpleType name="T"><x:restriction base="t:B"><x:length value="3"/></x:restriction></x:simpleType>', "length does not apply to a union"),
        ('<x:complexType name="B"><x:simpleContent><x:extension base="x:long"/></x:simpleContent></x:complexType><x:complexType name="T"><x:simpleContent><x:restriction base="t:B"><x:minLength value="3"/></x:restriction></x:simpleContent></x:complexType>', "minLength does not apply to xsd:long"),
    ],
)  # fmt: skip
def test_primitive_base_type_decides_about_facets(types: str, note: str, tmp_path: Path) -> None:
    assert notes_about(made(tmp_path, types)) == [f"{note}; it is ignored"]


@pytest.mark.parametrize(
    ("base", "facet", "value"),
    [
        ("int", "maxInclusive", "abc"),
        ("int", "minExclusive", ""),
        ("int", "maxInclusive", "2147483648"),
        ("date", "minInclusive", "2020"),
        ("string", "maxLength", "-1"),
        ("string", "length", "two"),
        ("decimal", "fractionDigits", "-2"),
        ("decimal", "totalDigits", "0"),
        ("decimal", "totalDigits", " 1 "),
        ("long", "maxExclusive", " 5 "),
        ("string", "maxLength", "99999999999999999999"),
    ],
)
def test_a_facet_whose_value_libxml2_refuses_is_ignored(
    base: str, facet: str, value: str, tmp_path: Path
) -> None:
    types = restriction(base, f'<x:{facet} value="{value}"/>')
    try:
        etree.XMLSchema(etree.fromstring(schema_of(types, "")))
        expected = []
    except etree.XMLSchemaParseError:
        expected = [f"{facet} must not be {value!r} for xsd:{base}; it is ignored"]
    result = made(tmp_path, types)
    assert [note.rpartition(": ")[2] for note in result.notes if "it is ignored" in note] == expected
    assert result.contract.compiles


def test_circular_and_unknown_types_are_reported_elsewhere(tmp_path: Path) -> None:
    types = (
        '<x:simpleType name="A"><x:restriction base="t:B"><x:length value="1"/></x:restriction></x:simpleType>'
        '<x:simpleType name="B"><x:restriction base="t:A"><x:length value="1"/></x:restriction></x:simpleType>'
        '<x:simpleType name="T"><x:restriction base="t:None"><x:length value="1"/></x:restriction></x:simpleType>'
    )
    assert notes_about(made(tmp_path, types)) == []


@pytest.mark.exhaustive
def test_calls_and_examples_ignore_inapplicable_facets(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    facets = '<x:maxLength value="3"/><x:minInclusive value="none"/><x:maxInclusive value="99999"/>'
    types = restriction("long", facets)
    result = made(tmp_path, types, '<x:element name="v" type="t:T"/><x:element name="w" type="t:T"/>')
    name = result.contract.name
    init.write(tmp_path / name, result.files)
    monkeypatch.syspath_prepend(str(tmp_path))
    invalidate_caches()
    request.addfinalizer(package.cache_clear)
    module = import_module(f"{name}.service")
    service = next(value for value in vars(module).values() if hasattr(value, "PORT_TYPE"))
    with mock(module.PACKAGE.name) as mocked, connect(service, address=mocked.address()) as opened:
        value = opened.get()
        assert isinstance(value.v, int)
        opened.put(v=12345, w=7)
        with pytest.raises(ContractError, match="99999"):
            opened.put(v=100_000, w=7)
