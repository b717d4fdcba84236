"""The examples on the pages are valid against the schema, and equal to the messages that the client sends."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from lxml import etree

from bindgen import settings
from bindgen.docs import sources
from bindgen.docs.examples import OperationExamples
from bindgen.model import Contract, Operation
from soapclient import Client
from soapclient.errors import SoapClientError
from tests.conftest import RestClient
from tests.docs.conftest import PageOf
from tests.support.schemas import compiled_schema
from tests.support.wire import Recorder

ROOT = Path(__file__).parents[2]
DOCUMENTS = {
    "publisher": ROOT / "wsdl/publisher/2011-03-01/publisher.wsdl",
    "data": ROOT / "wsdl/data/2011-05-01/data.wsdl",
}
ENVELOPE = "{http://schemas.xmlsoap.org/soap/envelope/}"
PLACEHOLDERS = {
    "connectId": "CONNECT-ID",
    "timestamp": "TIMESTAMP",
    "nonce": "NONCE",
    "signature": "SIGNATURE",
}


@pytest.fixture(scope="module")
def models() -> dict[str, tuple[Contract, OperationExamples]]:
    known = settings.read(ROOT / "wsdl")
    found = {}
    for name in known.contracts:
        contract, bound = sources.of_settings(name, known)
        found[name] = (contract, OperationExamples(contract, bound))
    return found


def operations(models: dict[str, tuple[Contract, OperationExamples]]) -> Iterator[tuple[str, Operation]]:
    for name, (contract, _) in models.items():
        for operation in contract.operations:
            yield name, operation


def _names(path: Path) -> list[str]:
    port = etree.parse(path).getroot().iterfind(".//{*}portType/{*}operation")
    return [each.get("name", "") for each in port]


def _body(text: str) -> etree._Element:
    root = etree.fromstring(text)
    assert root.tag == f"{ENVELOPE}Envelope"
    (body,) = root
    assert body.tag == f"{ENVELOPE}Body"
    (message,) = body
    return message


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", DOCUMENTS)
def test_envelopes_are_valid_and_complete(page: PageOf, name: str) -> None:
    schema = compiled_schema(etree.parse(DOCUMENTS[name]))
    for operation in _names(DOCUMENTS[name]):
        request, response = map(_body, page(name).blocks(f"op.{operation}", "XML example")[-2:])
        assert etree.QName(request).localname == f"{operation}Request"
        assert etree.QName(response).localname == f"{operation}Response"
        for message in (request, response):
            alone = etree.fromstring(etree.tostring(message))
            assert schema.validate(alone), (operation, schema.error_log)
        signed = {etree.QName(node).localname: node.text for node in request}
        for element, placeholder in PLACEHOLDERS.items():
            assert signed.get(element, placeholder) == placeholder
        assert "connectId" in signed


def test_no_example_is_marked_as_invalid(reference: Path) -> None:
    for path in reference.glob("*.html"):
        assert "The schema does not take" not in path.read_text(encoding="utf-8")


class Sent(Exception):
    pass


@contextmanager
def _shared(client: Client) -> Iterator[Client]:
    yield client


def _run(program: str, client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run a program of a page with this client instead of one that it would open."""
    monkeypatch.setattr("soapclient.tracking.client.Client", lambda: _shared(client))
    try:
        exec(compile(program, "example", "exec"), {})
    except SoapClientError as error:
        raise Sent from error  # the recorder does not return a valid response


@pytest.mark.exhaustive
def test_example_calls_send_the_documented_envelopes(
    page: PageOf, recorder: Recorder, rest_client: RestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = rest_client(protocol="soap")
    for name, path in DOCUMENTS.items():
        for operation in _names(path):
            (program,) = page(name).blocks(f"op.{operation}", "Python example")
            with pytest.raises(Sent):
                _run(program, client, monkeypatch)
            shown = _body(page(name).blocks(f"op.{operation}", "XML example")[-2])
            sent = etree.fromstring(recorder.last.body).find(f"{ENVELOPE}Body")
            assert sent is not None
            assert _canonical(sent[0]) == _canonical(shown), operation
    assert len(recorder.sent) == 53


def _canonical(node: etree._Element) -> str:
    """Return a message without layout, and without parts that differ with each signature."""
    copy = etree.fromstring(etree.tostring(node), etree.XMLParser(remove_blank_text=True))
    for child in copy:
        if etree.QName(child).localname in PLACEHOLDERS:
            child.text = "…"
    etree.cleanup_namespaces(copy)
    for each in copy.iter():
        text = (each.text or "").strip()
        each.text = re.sub(r"^(\d{4}-.*)\+00:00$", r"\1Z", text) or None  # two spellings of the same time
    return etree.tostring(_plain(copy), method="c14n2").decode()


def _plain(node: etree._Element) -> etree._Element:
    """Return the same message with only a default namespace."""
    space = etree.QName(node).namespace
    root = etree.Element(node.tag, node.attrib, nsmap={None: space})  # type: ignore[arg-type] # the stubs are too strict
    root.text = node.text
    root.extend(_plain(child) for child in node)
    return root


@pytest.mark.exhaustive
def test_documented_rest_requests_equal_those_of_the_client(
    recorder: Recorder,
    rest_client: RestClient,
    monkeypatch: pytest.MonkeyPatch,
    models: dict[str, tuple[Contract, OperationExamples]],
) -> None:
    client = rest_client(protocol="rest", rest_format="xml")
    count = 0
    for name, operation in operations(models):
        made = models[name][1].resource(operation)
        if made is None:
            continue
        program = models[name][1].call(operation, "rest")
        before = len(recorder.sent)
        with pytest.raises(Sent):
            _run(program, client, monkeypatch)
        assert len(recorder.sent) == before + 1, operation.name
        # The client's base address ends with a version or a format, which the table does not have.
        assert recorder.last.method == made.method
        assert recorder.last.target.endswith(made.target), operation.name
        assert "?" in made.target or "?" not in recorder.last.target
        if made.body is not None:
            assert _canonical(etree.fromstring(recorder.last.body)) == _canonical(made.body)
        count += 1
    assert count == 31 + 3 + 3  # rows of contracts.toml


def test_rest_only_responses_are_read_without_findings(
    page: PageOf, recorder: Recorder, rest_client: RestClient
) -> None:
    found: list[object] = []
    client = rest_client(on_finding=lambda *args: found.append(args))
    for operation, call in (
        ("GetPartnerships", lambda: client.advertiser.partnerships(["A1"])),
        ("GetPublicPartnerships", lambda: client.advertiser.public_partnerships(["A1"])),
    ):
        (shown,) = page("advertiser").blocks(f"op.{operation}", "JSON example")
        recorder.answers(shown)
        response = call()
        assert len(response.found) == 1
        assert len(response.errors) == 1
    assert json.loads(shown)
    assert found == []


def test_a_basket_over_rest_is_valid_by_its_schema(page: PageOf) -> None:
    (shown,) = page("publisher").blocks("op.GetSaleBasket", "XML example")
    wsdl = DOCUMENTS["publisher"].read_text()
    beside = (ROOT / "wsdl/publisher/2011-03-01/rest.xsd").read_text()
    inner = beside[beside.index(">", beside.index("<xs:schema")) + 1 : beside.index("</xs:schema>")]
    inner = re.sub(r'type="(\w+)"', r'type="tns:\1"', inner)  # as in the WSDL's namespace
    inner = re.sub(r"<(/?)xs:", r"<\1xsd:", inner).replace('"xs:', '"xsd:')
    whole = wsdl.replace("</xsd:schema>", f"{inner}</xsd:schema>")
    schema = compiled_schema(etree.fromstring(whole.encode()))
    root = etree.fromstring(shown)
    assert schema.validate(root), schema.error_log
    assert etree.QName(root).localname == "GetSaleBasketResponse"


def test_examples_request_the_first_page_with_the_default_size(page: PageOf) -> None:
    (program,) = page("publisher").blocks("op.GetSales", "Python example")
    # docs/explanation/service.md#paging: pages are counted from 0, 10 items by default
    assert "page=0," in program
    assert "items=10," in program
