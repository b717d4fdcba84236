"""The contracts read as documents, without bindgen, and random messages made from their schemas."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module
from pathlib import Path
from typing import Literal, cast

import pytest
from lxml import etree

from soapclient.runtime import AnyOperation

XSD = "{http://www.w3.org/2001/XMLSchema}"
WSDL = "{http://schemas.xmlsoap.org/wsdl/}"
AUTHENTICATION = ("connectId", "timestamp", "nonce", "signature")

_ROOT = Path(__file__).parents[2]
_FILES = {
    "publisher": _ROOT / "wsdl/publisher/2011-03-01/publisher.wsdl",
    "data": _ROOT / "wsdl/data/2011-05-01/data.wsdl",
}

# Texts of every built-in type in the contracts: common ones, and unusual ones that XSD allows.
TEXTS: Mapping[str, tuple[str, ...]] = {
    "string": ("text", "a <b> & c", "  two  blanks ", "Ünïcödé — ✓ 𝄞", "line\nline", "0", "None", "]]>"),
    "anyURI": ("https://example.org/a?b=c&d=e", "relative/path", "mailto:nobody@example.org", "", "#top"),
    "boolean": ("true", "false", "1", "0"),
    "int": ("0", "7", "-1", "+5", "007", " 12 ", "2147483647", "-2147483648", "-0"),
    "long": ("0", "2200000000", "+9223372036854775807", "-9223372036854775808", "\n3\t"),
    "float": ("0", "1.10", "-2.5E3", "1e-3", ".5", "5.", "+0.1", "16777217", "INF", "-INF", "NaN"),
    "double": ("12.34", "0.1000", "-0.0", "1E300", "9007199254740993", "3.", " 7.5 ", "INF", "-INF", "NaN"),
    "dateTime": (
        "2026-11-21T10:00:00Z",
        "2026-11-21T10:00:00+01:00",
        "2026-02-28T23:59:59.123-14:00",
        "2024-02-29T00:00:00.000001+13:59",
        "2026-07-01T12:00:00",
    ),
    "date": ("2026-11-21", "2024-02-29", "2026-11-21Z", "2026-11-21+01:00"),
}

Fill = Literal["full", "bare", "random"]


@dataclass(frozen=True, eq=False)
class Contract:
    """A contract as its document defines it. `messages`: operation → local names of request and response."""

    name: str
    path: Path
    root: etree._Element
    schema: etree._Element
    namespace: str
    messages: Mapping[str, tuple[str, str]]
    types: Mapping[str, etree._Element]
    validator: etree.XMLSchema

    def type_of(self, element: str) -> etree._Element:
        """Return the complex type of a message element."""
        return self.types[self.declaration(element).get("type", "").removeprefix("tns:")]

    def declaration(self, element: str) -> etree._Element:
        found = self.schema.find(f"{XSD}element[@name='{element}']")
        assert found is not None
        return found

    def children(self, element: str) -> list[str]:
        """Return the names of a message's child elements, in order."""
        return [
            node.get("name", "") for node in self.type_of(element).iterfind(f"{XSD}sequence/{XSD}element")
        ]

    def operations(self) -> Mapping[str, AnyOperation]:
        """The operations that bindgen generated, without those for REST only, which are not in the WSDL."""
        every = cast(
            Mapping[str, AnyOperation], import_module(f"zxws.{self.name}.service").PACKAGE.operations
        )
        return {name: operation for name, operation in every.items() if operation.soap}

    def instances(self, seed: object, fill: Fill, texts: Mapping[str, tuple[str, ...]] = TEXTS) -> Instances:
        return Instances(self, random.Random(f"{self.name} {seed} {fill}"), fill, texts)


@lru_cache
def contract(name: str) -> Contract:
    root = etree.parse(_FILES[name]).getroot()
    schema = root.find(f"{WSDL}types/{XSD}schema")
    assert schema is not None
    elements = {
        node.get("name"): (part.get("element", "")).removeprefix("tns:")
        for node in root.iterfind(f"{WSDL}message")
        for part in node.iterfind(f"{WSDL}part")
    }

    def message(operation: etree._Element, end: str) -> str:
        node = operation.find(f"{WSDL}{end}")
        assert node is not None
        return elements[node.get("message", "").removeprefix("tns:")]

    return Contract(
        name,
        _FILES[name],
        root,
        schema,
        schema.get("targetNamespace", ""),
        {
            operation.get("name", ""): (message(operation, "input"), message(operation, "output"))
            for operation in root.iterfind(f"{WSDL}portType/{WSDL}operation")
        },
        {node.get("name", ""): node for node in schema.iterchildren(f"{XSD}complexType", f"{XSD}simpleType")},
        # Serialize and parse it again to include the prefixes declared above the schema.
        etree.XMLSchema(etree.fromstring(etree.tostring(schema))),
    )


class Instances:
    """Messages drawn from a schema: optional parts, occurrences and values are random."""

    def __init__(
        self, of: Contract, chance: random.Random, fill: Fill, texts: Mapping[str, tuple[str, ...]]
    ) -> None:
        self._contract = of
        self._chance = chance
        self._fill = fill
        self._texts = texts
        self._types = of.types
        # Services use any prefix, and a decoder must accept all.
        self._nsmap = {chance.choice([None, "tns", "ns2"]): of.namespace}

    def message(self, element: str, *, without: tuple[str, ...] = ()) -> etree._Element:
        """Return a message of that element, without the named children."""
        node = etree.Element(
            f"{{{self._contract.namespace}}}{element}", nsmap=cast("dict[str, str]", self._nsmap)
        )
        self._complex(node, self._contract.type_of(element), 0)
        for child in list(node):
            if etree.QName(child).localname in without:
                node.remove(child)
        return node

    def _fill_in(self, node: etree._Element, kind: str, depth: int) -> None:
        prefix, _, local = kind.partition(":")
        declared = self._types.get(local)
        if prefix == "xsd" or declared is None or declared.tag == f"{XSD}simpleType":
            node.text = self._text(kind)
        else:
            self._complex(node, declared, depth)

    def _complex(self, node: etree._Element, kind: etree._Element, depth: int) -> None:
        for attribute in kind.iterfind(f"{XSD}attribute"):
            self._attribute(node, attribute)
        for extension in kind.iterfind(f"{XSD}simpleContent/{XSD}extension"):
            self._fill_in(node, extension.get("base", ""), depth)
            for attribute in extension.iterfind(f"{XSD}attribute"):
                self._attribute(node, attribute)
        for element in kind.iterfind(f"{XSD}sequence/{XSD}element"):
            for _ in range(self._count(element, depth)):
                child = etree.SubElement(node, f"{{{self._contract.namespace}}}{element.get('name')}")
                self._fill_in(child, element.get("type", ""), depth + 1)

    def _attribute(self, node: etree._Element, attribute: etree._Element) -> None:
        if attribute.get("use") == "required" or self._wanted():
            node.set(attribute.get("name", ""), self._text(attribute.get("type", "")))

    def _text(self, kind: str) -> str:
        prefix, _, local = kind.partition(":")
        if prefix == "xsd":
            return self._chance.choice(self._texts[local])
        return self._chance.choice(
            [node.get("value", "") for node in self._types[local].iter(f"{XSD}enumeration")]
        )

    def _wanted(self) -> bool:
        return self._fill == "full" or (self._fill == "random" and self._chance.random() < 0.6)

    def _count(self, element: etree._Element, depth: int) -> int:
        least = int(element.get("minOccurs", "1"))
        if element.get("maxOccurs", "1") == "1":
            return 1 if least or (self._wanted() and depth < 9) else 0
        if depth > 4 or self._fill == "bare":  # types can be recursive
            return least
        return (
            self._chance.randint(max(1, least), 3) if self._fill == "full" else self._chance.randint(least, 3)
        )


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run a test with `contract_name` (and `operation_name`) for each contract and operation.

    A module can name fewer operations in `OPERATIONS`.
    """
    if {"contract_name", "operation_name"} <= set(metafunc.fixturenames):
        every = getattr(metafunc.module, "OPERATIONS", None)
        if every is None:
            every = [(name, operation) for name in _FILES for operation in contract(name).messages]
        metafunc.parametrize(("contract_name", "operation_name"), every)
    elif "contract_name" in metafunc.fixturenames:
        metafunc.parametrize("contract_name", list(_FILES))


@pytest.fixture
def the_contract(contract_name: str) -> Contract:
    return contract(contract_name)


@pytest.fixture
def publisher() -> Contract:
    return contract("publisher")


@pytest.fixture
def data() -> Contract:
    return contract("data")


@pytest.fixture
def finite_texts() -> Mapping[str, tuple[str, ...]]:
    """Return `TEXTS` without values that a request never has."""
    endless = {"INF", "-INF", "NaN"}
    return {kind: tuple(text for text in texts if text not in endless) for kind, texts in TEXTS.items()}
