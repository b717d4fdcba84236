"""Contracts of five invented vendors are explored, filled in and called in a browser.

Plain zeep and suds call the mock of each, and lxml validates the responses with the WSDL's own schemas.
"""

from __future__ import annotations

import datetime as dt
import shlex
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import requests
import suds
import suds.client
import zeep
from click.testing import CliRunner
from lxml import etree
from zeep.exceptions import Fault
from zeep.plugins import HistoryPlugin

from soapclient._support.secret_names import NOT_SHOWN
from soapclient.cli.application import cli
from soapclient.cli.packages import importable
from soapclient.console.response_tree import tree
from soapclient.runtime.any_element import AnyElement
from tests.console.looking import Seen, quiet
from tests.console.vendors import Vendor, served
from zxws.publisher.service import PACKAGE

pytestmark = pytest.mark.sampled(4)

if TYPE_CHECKING:
    from selenium.webdriver import Chrome

FOLDER = Path(__file__).parent / "wsdls"
CORPUS = Path(__file__).parents[1] / "corpus/contracts"
XSD = "{http://www.w3.org/2001/XMLSchema}"
ENVELOPES = ("http://schemas.xmlsoap.org/soap/envelope/", "http://www.w3.org/2003/05/soap-envelope")
# Document/literal with tables, RPC, groups and choices that repeat, SOAP headers, SOAP 1.2.
OF_THE_CORPUS = {
    "sap": ["BapiGetList"],
    "rpc": ["add", "reset"],
    "choices-of-sequences-repeated": ["Import"],
    "headers": ["Ask"],
    "soap12": ["Ping"],
}
OPERATIONS = {
    "archive": ["Store", "Fetch", "Tree", "Compact"],
    "booking": ["Book", "Cancel"],
    "orders": ["SubmitOrder", "FindOrders"],
    "policies": ["quote", "findPolicies"],
    "warehouse": ["Count", "Move", "Ping", "Beep"],
}


@pytest.fixture(scope="module")
def vendors() -> Iterator[Callable[[str], Vendor]]:
    made: dict[str, Vendor] = {}
    with ExitStack() as ends:

        def vendor(name: str) -> Vendor:
            if name not in made:
                made[name] = served(FOLDER / f"{name}.wsdl", OPERATIONS[name], ends)
            return made[name]

        yield vendor


@pytest.fixture(params=OPERATIONS)
def vendor(request: pytest.FixtureRequest, vendors: Callable[[str], Vendor]) -> Vendor:
    return vendors(request.param)


def _schema(file: Path) -> etree.XMLSchema:
    """Return the schemas of a WSDL as one schema of lxml, with a document for each namespace."""
    schemas = etree.parse(file).iter(f"{XSD}schema")
    found = {str(node.get("targetNamespace")): etree.tostring(node) for node in schemas}

    class Here(etree.Resolver):
        def resolve(self, url: str | None, _: object, context: Any) -> Any:
            return self.resolve_string(found[(url or "").removeprefix("here:")], context)

    root = etree.Element(f"{XSD}schema")
    for space in found:
        etree.SubElement(root, f"{XSD}import", namespace=space, schemaLocation=f"here:{space}")
    parser = etree.XMLParser()
    parser.resolvers.add(Here())
    located = {}
    for space, text in found.items():
        node = etree.fromstring(text)
        for each in node.iter(f"{XSD}import"):
            each.set("schemaLocation", f"here:{each.get('namespace')}")
        located[space] = etree.tostring(node)
    found.update(located)
    return etree.XMLSchema(etree.fromstring(etree.tostring(root), parser))


# ---- without a browser


@pytest.mark.exhaustive
def test_examples_are_valid_and_sent_and_their_python_and_command_run(vendor: Vendor) -> None:
    browser = vendor.open()
    links = sorted({str(a.get("href")) for a in browser.page.iter("a") if "/try/" in str(a.get("href"))})
    assert {link.rpartition("/")[2].partition("%")[0] for link in links} >= set(vendor.operations)
    for link in links:
        browser.get(link)
        browser.press("example")
        browser.press("check")
        assert "The request is valid." in browser.text, browser.text
        texts = browser.texts
        browser.press("send")
        status = browser.page.find_class("pill")[0].text_content()
        assert status in ("200 OK", "202 ACCEPTED"), browser.text
        sent = _received(vendor)
        texts = {title: text.replace(NOT_SHOWN, "value") for title, text in texts.items()}
        exec(texts["Python"], {})
        _curl(texts["curl"])
        done = CliRunner().invoke(cli, shlex.split(texts["Command"])[1:])
        assert done.exit_code == 0, done.output
        assert _received(vendor) == sent


def _received(vendor: Vendor) -> list[str]:
    """Return the content of Header and Body of the last request, with normalized prefixes and white space."""
    parser = etree.XMLParser(remove_blank_text=True)
    envelope = etree.fromstring(vendor.mocked.calls()[-1].received.encode(), parser)
    return [etree.canonicalize(node, rewrite_prefixes=True) for node in _answer(envelope)]


def test_local_time_is_sent_as_typed(vendors: Callable[[str], Vendor]) -> None:
    vendor = vendors("policies")
    browser = vendor.open("/try/policies/findPolicies")
    values = {"arm:choice1": "2", "v:changed_from": "2026-11-01T09:30:00"}
    browser.press("shape", **values)
    browser.press("check", **values)
    assert "dt.datetime(2026, 11, 1, 9, 30)," in browser.texts["Python"]
    browser.press("send", **values)
    envelope = etree.fromstring(vendor.mocked.calls()[-1].received.encode())
    assert [node.text for node in envelope.iter("{*}changedFrom")] == ["2026-11-01T09:30:00"]


def test_radio_buttons_without_a_choice_are_marked(vendors: Callable[[str], Vendor]) -> None:
    browser = vendors("warehouse").open("/try/warehouse/Move")
    browser.press("send", **{"v:move.from_": "A01/1", "v:move.to": "B02/22", "v:move.amount": "3"})
    assert browser.errors == {"error-urgent": "this is required"}
    group = "//*[@role='radiogroup'][@aria-invalid='true'][contains(@aria-describedby, 'error-urgent')]"
    assert len(browser.page.xpath(group)) == 1


def test_group_in_a_choice_is_shown_after_its_selection(vendors: Callable[[str], Vendor]) -> None:
    browser = vendors("policies").open("/try/policies/findPolicies")

    def names() -> set[str]:
        return {str(each.get("name")) for each in browser.page.iter("input")}

    assert "v:by_holder.family_name" not in names()
    browser.press("shape", **{"arm:choice1": "1"})
    assert "v:by_holder.family_name" in names()
    (box,) = (each for each in browser.page.iter("input") if each.get("name") == "on:by_holder")
    del box.attrib["checked"]
    browser.press("shape")
    assert "v:by_holder.family_name" not in names()
    browser.press("shape", **{"on:by_holder": "1"})
    browser.press("send", **{"v:by_holder.family_name": "F"})
    assert "200 OK" in browser.text


STAY_ERRORS = {
    "room": ("room", "[A-Z]+[0-9]*"),
    "nights": ("99", "28"),
    "extras": ("dog cat", "breakfast"),
    "guest.0.loyalty.number": ("12", "8"),
}


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("operation", "wrong"),
    [
        ("booking/Book", STAY_ERRORS),
        ("warehouse/Move", {"move.from_": ("Z9", "[A-Z][0-9]{2}/[0-9]{1,3}")}),
        ("warehouse/Move", {"move.from_": ("", "required"), "move.amount": ("", "required")}),
        ("archive/Store", {"document.content": ("not base64!", "base64")}),
    ],
)
def test_all_invalid_values_are_reported_together(
    operation: str, wrong: dict[str, tuple[str, str]], vendors: Callable[[str], Vendor]
) -> None:
    """With each value and the message at its input."""
    vendor = vendors(operation.partition("/")[0])
    before = len(vendor.mocked.calls())
    browser = vendor.open(f"/try/{operation}")
    browser.press("example")
    if operation == "booking/Book":
        browser.press("shape", **{"on:guest.0.loyalty": "1"})
    browser.press("send", **{f"v:{path}": value for path, (value, _) in wrong.items()})
    assert browser.errors.keys() == {f"error-{path}" for path in wrong}
    for path, (value, message) in wrong.items():
        assert message in browser.errors[f"error-{path}"]
        assert browser.value(f"v:{path}") == value
    said = "One value is" if len(wrong) == 1 else f"{len(wrong)} values are"
    assert f"{said} not valid. Nothing was sent." in browser.text
    assert len(vendor.mocked.calls()) == before


@pytest.mark.parametrize(
    ("name", "operation", "said"),
    [
        ("policies", "findPolicies", "changedFrom xsd:dateTime"),
        ("policies", "quote", "holder party"),
        ("warehouse-ScannerPortService", "Beep", "station xsd:unsignedShort"),
        ("booking", "Book", "expected xsd:time or ArrivalWord"),
        ("booking", "Book", "floors list separated by spaces, each xsd:short"),
        ("orders", "FindOrders", "class OrderPriority"),
        ("archive", "Store", "document Document"),
    ],
)
def test_types_have_their_schema_names(
    name: str, operation: str, said: str, vendors: Callable[[str], Vendor]
) -> None:
    browser = vendors(name.partition("-")[0]).open(f"/try/{name}/{operation}")
    browser.press("shape", **{"arm:choice1": "2"})
    assert said in browser.text


def _curl(command: str) -> None:
    """Check that the mock accepts what the curl command sends."""
    first, _, rest = command.partition("\n")
    words = shlex.split(first.replace("<<'EOF'", ""))
    headers = dict(words[at + 1].split(": ", 1) for at, word in enumerate(words) if word == "-H")
    body = rest.rpartition("EOF\n")[0].encode()
    response = requests.post(words[-1], body, headers=headers, timeout=30)
    assert response.status_code in (200, 202), response.text


def _answer(envelope: Any) -> list[etree._Element]:
    """Return the children of the Header and the Body of an envelope."""
    (space,) = (each for each in ENVELOPES if each == etree.QName(envelope).namespace)
    parts = (envelope.find(f"{{{space}}}{name}") for name in ("Header", "Body"))
    return [child for part in parts if part is not None for child in part]


def _zeep(vendor: Vendor) -> tuple[Any, HistoryPlugin]:
    history = HistoryPlugin(maxlen=20)  # type: ignore[no-untyped-call]  # zeep has no types
    client = zeep.Client(vendor.mocked.wsdl, plugins=[history])  # type: ignore[no-untyped-call]  # zeep has no types
    return client, history


DAY = dt.date(2026, 11, 1)
ADDRESS = {"Name": "N", "Street": ["A", "B"], "PostCode": "1", "City": "C"}
ORDER = {
    "OrderId": "01234567-89ab-cdef-0123-456789abcdef",
    "CustomerNumber": 7,
    "OrderedAt": dt.datetime(2026, 11, 1, 9, 30),
    "RequestedDelivery": zeep.xsd.Nil,
    "Priority": "High & urgent",
    "BillTo": ADDRESS,
    "Lines": {"OrderLine": [{"Sku": "s", "Quantity": 1, "UnitPrice": Decimal("1.5"), "position": 1}]},
    "Discount": Decimal("2.5"),
}
CALLER = {"CallerHeader": {"UserName": "u", "Ticket": "t"}}
ORDERS_OF_NOW = {"from": DAY, "class": "Now", "_soapheaders": CALLER}
PERSON = {"email": "a@b.example", "givenName": "G", "familyName": "F", "birthDate": dt.date(1990, 1, 2)}
COVER = {"limit": Decimal("100.00"), "deductible": Decimal("1.00"), "kind": "fire"}
DOCUMENT = {"title": "T", "mediaType": "text/plain", "content": b"abc"}
STAY = {"version": "2.1", "room": "AB1", "arrive": DAY, "nights": 2}
GUEST = {"name": "G", "adult": True, "loyalty": {"number": "12345678"}}
PRICE = {"_value_1": Decimal("10.5"), "taxIncluded": True}
Asked = tuple[str, str, dict[str, object]]
ZEEP: dict[str, list[Asked]] = {
    "orders": [
        (port, name, {**values, "_soapheaders": CALLER})
        for port in ("OrderServiceSoap", "OrderServiceSoap12")
        for name, values in (
            ("SubmitOrder", {"order": ORDER, "dryRun": True}),
            ("FindOrders", {"from": DAY, "class": "Low"}),
        )
    ],
    "policies": [
        ("PolicyPort", "quote", {"holder": PERSON, "term": {"start": DAY}, "cover": [COVER]}),
        ("PolicyPort", "findPolicies", {"byHolder": {"familyName": "F"}}),
        ("PolicyPort", "findPolicies", {"changedFrom": dt.datetime(2026, 11, 1)}),
    ],
    "warehouse": [
        ("Stock", "Count", {"article": "a", "unit": "box", "since": DAY}),
        ("Stock", "Move", {"move": {"from": "A01/1", "to": "B02/22", "amount": 3}, "urgent": False}),
        ("Stock", "Ping", {}),
        ("Scanner", "Ping", {}),
        ("Scanner", "Beep", {"station": 3, "times": 2}),
    ],
    "booking": [
        ("Booking", "Book", {**STAY, "guest": [GUEST], "maxPrice": PRICE, "floors": [1, 2], "attempt": 1}),
        ("Booking", "Cancel", {"_value_1": "AB1", "booking": "BK000001"}),
    ],
    "archive": [
        ("Repository", "Store", {"document": DOCUMENT, "_soapheaders": {"session": "s"}}),
        ("Repository", "Fetch", {"id": 1000}),
        ("Repository", "Tree", {}),
        ("Maintenance", "Compact", {}),
    ],
}


@pytest.mark.parametrize("name", ZEEP)
def test_plain_zeep_gets_valid_responses_of_every_operation(
    name: str, vendors: Callable[[str], Vendor]
) -> None:
    client, history = _zeep(vendors(name))
    schema = _schema(FOLDER / f"{name}.wsdl")
    (service,) = client.wsdl.services
    if name == "policies":
        person = client.get_type("{urn:example:insurance:model:v3}person")
    for port, operation, values in ZEEP[name]:
        proxy = client.bind(service, port)
        given = {**values, "holder": person(**PERSON)} if "holder" in values else values
        proxy[operation](**given)
        if operation == "Beep":
            continue  # one-way: HTTP 202
        received = history.last_received
        assert received is not None
        answered = _answer(received["envelope"])
        if name == "warehouse":  # RPC: no schema declares the element, but its parts have types
            (wrapper,) = answered
            assert etree.QName(wrapper).localname == f"{operation}Response"
            continue
        assert answered
        for node in answered:
            schema.assertValid(etree.fromstring(etree.tostring(node)))
    assert {operation for _, operation, _ in ZEEP[name]} == set(OPERATIONS[name])


def _suds(vendor: Vendor, port: str) -> Any:
    client = suds.client.Client(vendor.mocked.wsdl, cache=None)
    client.set_options(port=port)
    return client


def _answered(client: Any, name: str) -> None:
    schema = _schema(FOLDER / f"{name}.wsdl")
    answered = _answer(etree.fromstring(client.last_received().str().encode()))
    assert answered
    for node in answered:
        schema.assertValid(etree.fromstring(etree.tostring(node)))


def test_suds_gets_valid_responses_of_document_services(vendors: Callable[[str], Vendor]) -> None:
    orders = _suds(vendors("orders"), "OrderServiceSoap")
    caller = orders.factory.create("CallerHeader")
    caller.UserName, caller.Ticket = "u", "t"
    orders.set_options(soapheaders=caller)
    orders.service.FindOrders(**{"from": DAY, "class": "Low"})
    _answered(orders, "orders")
    policies = _suds(vendors("policies"), "PolicyPort")
    policies.service.findPolicies(number="ABC-1234567")
    _answered(policies, "policies")
    booking = _suds(vendors("booking"), "Booking")
    price = booking.factory.create("Price")
    price.value, price._taxIncluded, price._currency = "1.5", "true", "CHF"
    booking.service.Book(**STAY, guest=[{"name": "G"}], maxPrice=price)
    _answered(booking, "booking")
    archive = _suds(vendors("archive"), "Maintenance")
    archive.service.Compact()
    _answered(archive, "archive")


def test_suds_calls_rpc_operations(vendors: Callable[[str], Vendor]) -> None:
    client = _suds(vendors("warehouse"), "Stock")
    found = client.service.Count("a", "box", DAY)
    assert found.total
    assert found.result.stock[0].unit in ("piece", "box", "pallet")


@pytest.mark.parametrize(("name", "port"), [("archive", "Repository"), ("warehouse", "Scanner")])
def test_suds_does_not_support_soap_1_2_ports(name: str, port: str, vendors: Callable[[str], Vendor]) -> None:
    client = _suds(vendors(name), port)
    with pytest.raises(suds.WebFault, match=r"1\.2"):
        client.service[port][{"archive": "Tree", "warehouse": "Ping"}[name]]()


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("name", "port", "operation", "values", "said"),
    [
        ("policies", "PolicyPort", "findPolicies", {"number": "abc"}, "[A-Z]{3}"),
        ("warehouse", "Stock", "Count", {"article": "a", "unit": "ton", "since": DAY}, "pallet"),
        ("archive", "Repository", "Fetch", {"id": 7}, "1000"),
        ("booking", "Booking", "Cancel", {"_value_1": "A", "booking": "B"}, "3"),
        ("orders", "OrderServiceSoap12", "FindOrders", ORDERS_OF_NOW, "High & urgent"),
    ],
)
def test_invalid_request_gets_a_fault_with_the_reason(
    name: str, port: str, operation: str, values: dict[str, Any], said: str, vendors: Callable[[str], Vendor]
) -> None:
    client, _ = _zeep(vendors(name))
    (service,) = client.wsdl.services
    with pytest.raises(Fault) as caught:
        client.bind(service, port)[operation](**values)
    assert said in str(caught.value.message)
    assert str(caught.value.code).rpartition(":")[2] in ("Client", "Sender")


def test_package_of_a_file_is_named_like_it_and_shadows_no_module(tmp_path: Path) -> None:
    names = {"Old-archive.v2": "old_archive_v2", "json": "service_json", "2009": "service_2009"}
    for stem, name in names.items():
        file = tmp_path / f"{stem}.wsdl"
        file.write_bytes((FOLDER / "archive.wsdl").read_bytes())
        with importable(file, None) as package:
            assert package == name


def test_xml_and_bytes_of_a_response_are_readable() -> None:
    word = AnyElement(name="{urn:x}word", text="w", tail="!")
    prose = AnyElement(name="prose", text="a ", children=[word])
    shown = '<prose>a <ns0:word xmlns:ns0="urn:x">w</ns0:word>!</prose>'
    assert tree(PACKAGE.codec, prose, "prose").value == shown
    assert tree(PACKAGE.codec, AnyElement(text="plain"), "prose").value == "plain"
    assert tree(PACKAGE.codec, b"\x00\x01\x02", "content").value == "3 bytes, in base64: AAEC"


# ---- in a browser


@contextmanager
def _opened(chrome: Chrome, artefacts: Path, vendor: Vendor) -> Iterator[Seen]:
    vendor.mocked.reset()
    with quiet(chrome):
        chrome.get(vendor.opened)
        yield Seen(chrome, vendor.url, artefacts)


@pytest.fixture
def seen(chrome: Chrome, artefacts: Path, vendor: Vendor) -> Iterator[Seen]:
    with _opened(chrome, artefacts, vendor) as opened:
        yield opened


def _only(name: str) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("vendor", [name], indirect=True)


def _sent(seen: Seen, status: str = "200 OK") -> str:
    seen.click("button[value=send].primary")
    assert status in seen.text, seen.text
    return seen.text


_DESCRIBED = "return arguments[0].closest('[aria-invalid=true]')?.getAttribute('aria-describedby')"


def _error(seen: Seen, path: str) -> str:
    """Return the message at an invalid field. The field must be marked and described for screen readers."""
    field = seen.find(f'[name="v:{path}"]')
    # Radio buttons are described by their group.
    described: str | None = seen.chrome.execute_script(_DESCRIBED, field)
    assert described is not None, seen.text
    assert f"error-{path}" in described.split()
    return seen.find(f'[id="error-{path}"]').text


@pytest.fixture(params=OF_THE_CORPUS)
def seen_contract(
    chrome: Chrome, artefacts: Path, request: pytest.FixtureRequest
) -> Iterator[tuple[Seen, Vendor]]:
    with ExitStack() as ends:
        vendor = served(CORPUS / f"{request.param}.wsdl", OF_THE_CORPUS[request.param], ends)
        yield ends.enter_context(_opened(chrome, artefacts, vendor)), vendor


def _send_examples(seen: Seen, vendor: Vendor, shown: str, *, look_at_forms: bool) -> None:
    """Fill in, check and send the example of each operation."""
    links = [str(a.get_attribute("href")) for a in seen.chrome.find_elements("css selector", "#operations a")]
    tried = [link.removeprefix(seen.url) for link in links if "/try/" in link]
    assert {link.rpartition("/")[2].partition("%")[0] for link in tried} >= set(vendor.operations)
    for link in tried:
        seen.go(link)
        seen.click("button[value=example]")
        seen.click("button[value=check]")
        assert "The request is valid." in seen.text, seen.text
        if look_at_forms:
            seen.look(f"{shown}-form")
        text = _sent(seen, "202 ACCEPTED" if "Beep" in link else "200 OK")
        assert ("one-way" if "Beep" in link else "Response") in text
    seen.look(f"{shown}-call")


@pytest.mark.exhaustive
def test_every_example_is_filled_in_checked_and_sent(seen: Seen, vendor: Vendor) -> None:
    seen.look(f"wsdl-{vendor.operations[0]}-services")
    _send_examples(seen, vendor, f"wsdl-{vendor.operations[0]}", look_at_forms=False)


@pytest.mark.exhaustive
def test_examples_of_the_corpus_are_sent(seen_contract: tuple[Seen, Vendor]) -> None:
    seen, vendor = seen_contract
    _send_examples(seen, vendor, f"corpus-{vendor.operations[0]}", look_at_forms=True)


@_only("orders")
@pytest.mark.exhaustive
def test_nested_order_form_is_filled_in(seen: Seen, vendor: Vendor) -> None:
    seen.go("/try/orders/SubmitOrder")
    seen.click("button[value=example]")
    seen.write("v:order.customer_number", "many")
    seen.click("button[value=send].primary")
    assert "whole number" in _error(seen, "order.customer_number")
    seen.look("wsdl-order-error")
    seen.write("v:order.customer_number", "7")
    for at, sku in enumerate(("S-1", "S-2")):
        seen.click("button[value='add order.lines']")
        seen.find(f"[name='v:order.lines.{at}.sku']")
        for name, text in {"position": "2", "sku": sku, "quantity": "3", "unit_price": "1.25"}.items():
            seen.write(f"v:order.lines.{at}.{name}", text)
    seen.click("[name='nil:order.discount']")
    assert not seen.find("[name='on:order.ship_to']").is_selected()
    _sent(seen)
    (call,) = vendor.mocked.calls("SubmitOrder")[-1:]
    request: Any = call.request
    assert request.order.ship_to is None
    assert [line.sku for line in request.order.lines][1:] == ["S-2"]
    body = etree.fromstring(call.received.encode())
    (discount,) = body.iter("{*}Discount")
    assert discount.get("{http://www.w3.org/2001/XMLSchema-instance}nil") == "true"
    assert not [*body.iter("{*}ShipTo")]
    assert [node.text for node in body.iter("{*}UserName")]


@_only("policies")
@pytest.mark.exhaustive
def test_derived_type_and_choice_branch_can_be_selected(seen: Seen, vendor: Vendor) -> None:
    seen.go("/try/policies/quote")
    seen.click("button[value=example]")
    seen.choose("type:holder", "Company")
    seen.write("v:holder.legal_name", "Widgets & Sons")
    seen.click("[name='arm:holder^choice1'][value='1']")
    seen.find("[name='v:holder.phone']")
    seen.write("v:cover.0.limit", "1.234")
    seen.write("v:holder.phone", "0123")
    seen.click("button[value=send].primary")
    assert "2" in _error(seen, "cover.0.limit")
    seen.write("v:cover.0.limit", "1.23")
    _sent(seen)
    (holder,) = etree.fromstring(vendor.mocked.calls("quote")[-1].received.encode()).iter("{*}holder")
    kind = str(holder.get("{http://www.w3.org/2001/XMLSchema-instance}type"))
    assert kind.rpartition(":")[2] == "company"
    assert [etree.QName(node).localname for node in holder] == ["partyId", "phone", "legalName"]
    seen.go("/try/policies/findPolicies")
    seen.click("[name='arm:choice1'][value='2']")
    seen.write("v:changed_from", "2026-11-01T00:00:00Z")
    _sent(seen)


@_only("archive")
@pytest.mark.exhaustive
def test_document_with_any_content_is_stored(seen: Seen, vendor: Vendor) -> None:
    seen.go("/try/archive/Store")
    seen.click("button[value=example]")
    seen.write("v:document.content", "not base64!")
    seen.click("button[value=send].primary")
    assert "base64" in _error(seen, "document.content")
    seen.write("v:document.content", "AAEC")
    seen.click("button[value='add document.property']")
    seen.write("v:document.property.0.name", "author")
    seen.click("[name='nil:document.property.0.value']")
    seen.click("button[value='add any']")
    seen.write("v:any.0", '<note xmlns="urn:example:other">n</note>')
    _sent(seen)
    received = etree.fromstring(vendor.mocked.calls("Store")[-1].received.encode())
    assert [node.text for node in received.iter("{urn:example:other}note")] == ["n"]
