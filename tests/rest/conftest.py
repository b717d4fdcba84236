"""The contracts' schemas read as documents, and messages drawn by walking them: nothing generated helps."""

from __future__ import annotations

import datetime as dt
import random
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import cast

import msgspec
import pytest
import xmlschema
from lxml import etree

from soapclient.runtime import AnyOperation, Operation, Wire
from soapclient.runtime.package import package
from soapclient.runtime.request_values import Midnights, wire_of

XSD = "{http://www.w3.org/2001/XMLSchema}"
AUTHENTICATION = {"connectId", "timestamp", "nonce", "signature"}
REFUSED = {"notifyUrl"}  # contracts.toml: not taken any more

_WSDL = Path(__file__).parents[2] / "wsdl"
_FILES = {
    "publisher": ("publisher/2011-03-01/publisher.wsdl", "publisher/2011-03-01/rest.xsd"),
    "data": ("data/2011-05-01/data.wsdl",),
    "advertiser": ("advertiser/2015-03-01/advertiser.xsd",),
}
TEXTS: Mapping[str, tuple[str, ...]] = {
    "string": (
        "text",
        "",
        'a <b> & "c"',
        "  two  blanks ",
        "Ünïcödé — ✓ 𝄞",
        "line\nline",
        "007",
        "12.50",
        "true",
    ),
    "anyURI": ("https://example.org/a?b=c&d=e", "relative/path", ""),
    "boolean": ("true", "false", "1", "0"),
    "int": ("0", "7", "-1", "2147483647", "+5", "007"),
    "long": ("0", "2200000000", "-9223372036854775808"),
    "float": ("0", "1.10", "-2.5E3", "1e-3", ".5", "16777217"),
    "double": ("12.34", "0.1000", "-0.0", "12345678901234567890.12345678901234567890", "3."),
    "dateTime": ("2026-11-21T10:00:00Z", "2026-02-28T23:59:59.123-14:00", "2026-07-01T12:00:00"),
    "date": ("2026-11-21", "2024-02-29"),
}
WITH_EMPTY = {"string", "anyURI"}  # the types that have an empty value


class Contract:
    """One contract: all its schemas as one document, compiled twice, and what was generated from it."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.schema = _merged([_WSDL / file for file in _FILES[name]])
        self.space = f"{{{self.schema.get('targetNamespace')}}}"
        _without_authentication(self.schema)
        source = etree.tostring(self.schema)
        self.lxml = etree.XMLSchema(etree.fromstring(source))
        self.xmlschema = xmlschema.XMLSchema(source.decode())
        self._roots = {node.get("name", ""): node for node in self.schema.iterchildren(f"{XSD}element")}
        self._types = {
            node.get("name", ""): node
            for node in self.schema.iterchildren(f"{XSD}complexType", f"{XSD}simpleType")
        }

    def operation(self, name: str) -> Operation[msgspec.Struct, msgspec.Struct]:
        operation = _operations(self.name)[name]
        assert isinstance(operation, Operation)
        return operation

    def operations(self) -> list[Operation[msgspec.Struct, msgspec.Struct]]:
        return [self.operation(name) for name in _operations(self.name)]

    def written(self, value: msgspec.Struct) -> etree._Element:
        """A value of any type as an element."""
        codec, kind = package(f"zxws.{self.name}").codec, type(value).__name__
        node = etree.Element(f"{self.space}m")
        codec.writer(kind)(value, node, "m")
        Midnights(codec, kind).put(node, dt.UTC)
        return node

    def wire(self, value: msgspec.Struct) -> Wire:
        """The same as dicts and texts."""
        return wire_of(self.written(value), package(f"zxws.{self.name}").codec, type(value).__name__)

    def message(self, tag: str, seed: int) -> etree._Element:
        """A message, valid but for authentication; what is in it and how often is chance."""
        node = etree.Element(tag, nsmap={None: self.space[1:-1]})
        chance = random.Random(f"{tag} {seed}")
        self._fill(node, self.type_of(self._roots[tag.removeprefix(self.space)]), chance, chance.random(), 0)
        return node

    def type_of(self, declaration: etree._Element) -> etree._Element | str:
        """The type of an element or attribute: a definition, or the name of a built-in one."""
        inline = declaration.find(f"{XSD}complexType")
        if inline is not None:
            return inline
        prefix, _, local = declaration.get("type", "").partition(":")
        return self._types[local] if prefix == "tns" else local

    def walk(self, node: etree._Element) -> Iterator[tuple[etree._Element, etree._Element]]:
        """(element, definition of its complex type) of a message, and of all in it."""
        kind = self.type_of(self._roots[etree.QName(node).localname])
        assert isinstance(kind, etree._Element)
        yield from self._walk(node, kind)

    def _walk(
        self, node: etree._Element, kind: etree._Element
    ) -> Iterator[tuple[etree._Element, etree._Element]]:
        yield node, kind
        declared = {each.get("name"): each for each in kind.iterfind(f"{XSD}sequence/{XSD}element")}
        for child in node:
            inner = self.type_of(declared[etree.QName(child).localname])
            if isinstance(inner, etree._Element) and inner.tag == f"{XSD}complexType":
                yield from self._walk(child, inner)

    def _fill(
        self,
        node: etree._Element,
        kind: etree._Element | str,
        chance: random.Random,
        share: float,
        depth: int,
    ) -> None:
        if isinstance(kind, str) or kind.tag == f"{XSD}simpleType":
            node.text = self._text(kind, chance)
            return
        for extension in kind.iterfind(f"{XSD}simpleContent/{XSD}extension"):
            self._fill(node, self._base(extension), chance, share, depth)
        for attribute in kind.iter(f"{XSD}attribute"):
            if attribute.get("use") == "required" or chance.random() < share:
                node.set(attribute.get("name", ""), self._text(self.type_of(attribute), chance))
        for declaration in kind.iterfind(f"{XSD}sequence/{XSD}element"):
            least, most = int(declaration.get("minOccurs", "1")), declaration.get("maxOccurs", "1")
            times = max(least, int(chance.random() < share and depth < 8))
            if most != "1" and depth < 5 and times:
                times = chance.randint(times, 3)
            for _ in range(times):
                child = etree.SubElement(node, f"{self.space}{declaration.get('name')}")
                self._fill(child, self.type_of(declaration), chance, share, depth + 1)

    def _base(self, extension: etree._Element) -> etree._Element | str:
        prefix, _, local = extension.get("base", "").partition(":")
        return self._types[local] if prefix == "tns" else local

    def _text(self, kind: etree._Element | str, chance: random.Random) -> str:
        if isinstance(kind, str):
            return chance.choice(TEXTS[kind])
        return chance.choice([node.get("value", "") for node in kind.iter(f"{XSD}enumeration")])


def _merged(files: list[Path]) -> etree._Element:
    """The schemas of some documents as one, in the namespace of the first."""
    schemas = []
    for file in files:
        root = etree.parse(file).getroot()
        found = root if root.tag == f"{XSD}schema" else root.find(f".//{XSD}schema")
        assert found is not None
        # Serialised and parsed again, so that the prefixes declared above the schema come with it.
        source = etree.tostring(found).replace(b"xsd:", b"xs:").replace(b":xsd=", b":xs=")
        schemas.append(etree.fromstring(source))
    for other in schemas[1:]:
        for node in other.iter("*"):
            if ":" not in node.get("type", ":"):
                node.set("type", f"tns:{node.get('type')}")
        schemas[0].extend(list(other))
    return schemas[0]


def _without_authentication(schema: etree._Element) -> None:
    """Leave out what generated types leave out."""
    for element in list(schema.iter(f"{XSD}element")):
        parent = element.getparent()
        if element.get("name") in AUTHENTICATION | REFUSED and parent is not None and parent is not schema:
            kind = parent.getparent()
            if kind is not None and kind.get("name", "").endswith("Request"):
                parent.remove(element)


@cache
def contract(name: str) -> Contract:
    return Contract(name)


def _operations(name: str) -> Mapping[str, AnyOperation]:
    return cast("Mapping[str, AnyOperation]", import_module(f"zxws.{name}.service").PACKAGE.operations)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """A test that asks for `contract_name` and `operation_name` runs for every one there is."""
    if {"contract_name", "operation_name"} <= set(metafunc.fixturenames):
        every = [(name, operation) for name in _FILES for operation in _operations(name)]
        metafunc.parametrize(("contract_name", "operation_name"), every)


@pytest.fixture(scope="session")
def contracts() -> Callable[[str], Contract]:
    return contract
