"""Every operation of both contracts, with every field of its request, compared on the wire."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from lxml import etree

from soapclient import Client
from soapclient.errors import AmbiguousOutcome, UnexpectedResponse
from soapclient.runtime import CountingReader, Package
from tests.support.schemas import AUTHENTICATION, REFUSED, XSD, SchemaDocument
from zxws.data import service as data
from zxws.publisher import service as publisher

pytestmark = pytest.mark.sampled(6)

if TYPE_CHECKING:
    from tests.support.wire import Wire

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


def full_message(package: Package, tag: str) -> etree._Element:
    """Return a message with every element that the schema allows, except authentication."""
    schema = next(etree.fromstring(package.document("contract.wsdl")).iter(f"{XSD}schema"))
    texts = {kind: (text,) for kind, text in TEXTS.items()}
    made = SchemaDocument(schema).instances(tag, "full", texts)
    node = made.message(etree.QName(tag).localname, without=(*AUTHENTICATION, REFUSED))
    for child in node.iterfind("{*}reportType"):
        child.text = "click"  # contracts.toml: others are no longer accepted
    return node


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
    given = full_message(package, operation.request_tag)
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
    expected = [*AUTHENTICATION] if operation.signed else ["connectId"]
    assert declared[-len(expected) :] == expected
    for child in list(message)[-len(expected) :]:
        assert child.text, "no authentication element is left empty"
        message.remove(child)
    assert shape(message) == shape(given)
    assert reader.findings == {}
