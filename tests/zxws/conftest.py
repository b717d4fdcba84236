"""The contracts read as documents, without bindgen, and random messages made from their schemas."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from importlib import import_module
from pathlib import Path
from typing import Any, cast

import pytest
from lxml import etree

from soapclient.runtime import AnyOperation, Operation
from tests.support.schemas import XSD, Fill, Instances, SchemaDocument, Texts

WSDL = "{http://schemas.xmlsoap.org/wsdl/}"

_ROOT = Path(__file__).parents[2]
_FILES = {
    "publisher": _ROOT / "wsdl/publisher/2011-03-01/publisher.wsdl",
    "data": _ROOT / "wsdl/data/2011-05-01/data.wsdl",
}

# Texts of every built-in type in the contracts: common ones, and unusual ones that XSD allows.
TEXTS: Texts = {
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


class Contract(SchemaDocument):
    """A contract as its document defines it. `messages`: operation → local names of request and response."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.path = _FILES[name]
        self.root = etree.parse(self.path).getroot()
        schema = self.root.find(f"{WSDL}types/{XSD}schema")
        assert schema is not None
        super().__init__(schema)
        # Serialize and parse it again to include the prefixes declared above the schema.
        self.validator = etree.XMLSchema(etree.fromstring(etree.tostring(schema)))
        self.messages = {
            operation.get("name", ""): (self._message(operation, "input"), self._message(operation, "output"))
            for operation in self.root.iterfind(f"{WSDL}portType/{WSDL}operation")
        }

    def _message(self, operation: etree._Element, end: str) -> str:
        (message,) = operation.iterfind(f"{WSDL}{end}")
        name = message.get("message", "").removeprefix("tns:")
        part = self.root.find(f"{WSDL}message[@name='{name}']/{WSDL}part")
        assert part is not None
        return part.get("element", "").removeprefix("tns:")

    def type_of(self, element: str) -> etree._Element:
        """Return the complex type of a message element."""
        kind = self.definition(self.declaration(element))
        assert not isinstance(kind, str)
        return kind

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

    def operation(self, name: str) -> Operation[Any, Any]:
        operation = self.operations()[name]
        assert isinstance(operation, Operation)
        return operation

    def instances(self, seed: object, fill: Fill, texts: Texts = TEXTS) -> Instances:
        return super().instances(seed, fill, texts)


contract = lru_cache(Contract)


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
def finite_texts() -> Texts:
    """Return `TEXTS` without values that a request never has."""
    endless = {"INF", "-INF", "NaN"}
    return {kind: tuple(text for text in texts if text not in endless) for kind, texts in TEXTS.items()}
