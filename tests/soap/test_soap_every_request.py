"""Every operation of both contracts, with every field of its request, compared on the wire."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from lxml import etree

from soapclient import Client
from soapclient.errors import AmbiguousOutcome, UnexpectedResponse
from soapclient.runtime import CountingReader, Package
from zxws.data import service as data
from zxws.publisher import service as publisher

pytestmark = pytest.mark.sampled(6)

if TYPE_CHECKING:
    from tests.support.wire import Wire

XSD = "{http://www.w3.org/2001/XMLSchema}"
AUTHENTICATION = ["connectId", "timestamp", "nonce", "signature"]
PACKAGES: dict[str, Package] = {"publisher": publisher.PACKAGE, "data": data.PACKAGE}
# One text of each built-in type, in the form that a client writes.
TEXTS = {
    "string": " a <b> & c\n— ✓ ",
    "anyURI": "https://example.org/a?b=c&d=e",
    "boolean": "false",
    "int": "-2147483648",
    "long": "9223372036854775807",
    "float": "1.5",
    "double": "-12.3450",
    "dateTime": "2026-07-01T00:00:00+02:00",
    "date": "2026-11-21",
}
REFUSED = {"notifyUrl"}  # contracts.toml: no longer accepted
KEPT = {"reportType": "click"}


class Full:
    """Messages with every element that a schema allows, built by walking the schema."""

    def __init__(self, package: Package) -> None:
        root = etree.fromstring(package.document("contract.wsdl"))
        schema = next(root.iter(f"{XSD}schema"))
        self._space = schema.get("targetNamespace", "")
        self._elements = {node.get("name"): node for node in schema.iterchildren(f"{XSD}element")}
        self._types = {
            node.get("name"): node for node in schema.iterchildren(f"{XSD}complexType", f"{XSD}simpleType")
        }

    def message(self, tag: str) -> etree._Element:
        node = etree.Element(tag)
        self._fill(node, self._elements[etree.QName(tag).localname].get("type", ""), 0)
        for child in list(node):
            if etree.QName(child).localname in {*AUTHENTICATION, *REFUSED}:
                node.remove(child)
        return node

    def _fill(self, node: etree._Element, kind: str, depth: int) -> None:
        declared = None if kind.startswith("xsd:") else self._types[kind.rpartition(":")[2]]
        if declared is None or declared.tag == f"{XSD}simpleType":
            node.text = KEPT.get(etree.QName(node).localname) or self._text(kind)
            return
        for extension in declared.iterfind(f"{XSD}simpleContent/{XSD}extension"):
            self._fill(node, extension.get("base", ""), depth)
            self._attributes(node, extension)
        self._attributes(node, declared)
        for element in declared.iterfind(f"{XSD}sequence/{XSD}element"):
            if depth > 6 and element.get("minOccurs") == "0":  # types can be recursive
                continue
            for _ in range(2 if element.get("maxOccurs") == "unbounded" else 1):
                child = etree.SubElement(node, f"{{{self._space}}}{element.get('name')}")
                self._fill(child, element.get("type", ""), depth + 1)

    def _attributes(self, node: etree._Element, kind: etree._Element) -> None:
        for attribute in kind.iterfind(f"{XSD}attribute"):
            node.set(attribute.get("name", ""), self._text(attribute.get("type", "")))

    def _text(self, kind: str) -> str:
        prefix, _, local = kind.rpartition(":")
        if prefix == "xsd":
            return TEXTS[local]
        values = [node.get("value", "") for node in self._types[local].iter(f"{XSD}enumeration")]
        return values[-1]


def shape(node: etree._Element) -> object:
    """Return a message without insignificant differences."""
    return node.tag, dict(node.attrib), node.text or "", [shape(child) for child in node]


@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    ("service", "name"),
    [
        (service, name)
        for service, one in PACKAGES.items()
        for name, its in one.operations.items()
        if its.soap
    ],
)
def test_full_request_is_sent_unchanged(client: Client, wire: Wire, service: str, name: str) -> None:
    package = PACKAGES[service]
    operation = package.operations[name]
    given = Full(package).message(operation.request_tag)
    engine = getattr(client, service).engine
    reader = CountingReader(engine.settings.naive_tzinfo(), engine.settings.report_tzinfo())
    # The server answers 410. The test checks only the request.
    with pytest.raises(UnexpectedResponse if operation.safe else AmbiguousOutcome):
        engine.call(operation, operation.read_request(given, reader))
    (sent,) = wire.sent
    assert sent.path == f"/soap/{package.settings.version}"
    assert sent.headers["soapaction"].strip('"') == operation.soap_action
    message = sent.message
    declared = [etree.QName(child).localname for child in message][-4:]
    expected = AUTHENTICATION if operation.signed else ["connectId"]
    assert declared[-len(expected) :] == expected
    for child in list(message)[-len(expected) :]:
        assert child.text, "no authentication element is left empty"
        message.remove(child)
    assert shape(message) == shape(given)
    assert reader.findings == {}
