"""The reference contains everything that the contracts declare. The declarations are read with lxml alone."""

from __future__ import annotations

import hashlib
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
from lxml import etree, html

from tests.docs.conftest import Page, PageOf

ROOT = Path(__file__).parents[2]
XSD = "{http://www.w3.org/2001/XMLSchema}"
WSDL = "{http://schemas.xmlsoap.org/wsdl/}"
DOCUMENTS = {
    "publisher": ["wsdl/publisher/2011-03-01/publisher.wsdl", "wsdl/publisher/2011-03-01/rest.xsd"],
    "data": ["wsdl/data/2011-05-01/data.wsdl"],
    "advertiser": ["wsdl/advertiser/2015-03-01/advertiser.xsd"],
}
AUTHENTICATION = {"connectId", "timestamp", "nonce", "signature"}


def roots(name: str) -> list[etree._Element]:
    return [etree.parse(ROOT / path).getroot() for path in DOCUMENTS[name]]


def declared(name: str, what: str) -> Iterator[etree._Element]:
    for root in roots(name):
        yield from root.iter(f"{XSD}{what}")


def settings(name: str) -> dict[str, dict[str, object]]:
    tables = tomllib.loads((ROOT / "wsdl/contracts.toml").read_text())["contracts"][name]
    assert isinstance(tables, dict)
    return tables


def entries(page: Page, kind: str) -> dict[str, html.HtmlElement]:
    """Return the search entries of a kind, by id."""
    found = page.root.xpath("//*[@data-k=$kind]", kind=kind)
    assert isinstance(found, list)
    elements = [each for each in found if isinstance(each, html.HtmlElement)]
    return {each.get("id", ""): each for each in elements}


def name_of(element: html.HtmlElement) -> str:
    return str(element.xpath("string(.//*[@class='n'])"))


@pytest.mark.sampled(1)
@pytest.mark.parametrize("name", DOCUMENTS)
def test_every_operation_has_a_section(page: PageOf, name: str) -> None:
    wanted = {
        node.get("name") for root in roots(name) for node in root.iterfind(f"{WSDL}portType/{WSDL}operation")
    }
    wanted |= set(settings(name).get("rest", {}))
    assert {name_of(each) for each in entries(page(name), "operation").values()} == wanted
    assert {f"op.{each}" for each in wanted} == set(entries(page(name), "operation"))


def _fields(node: etree._Element) -> Iterator[tuple[str, etree._Element]]:
    for each in node.iter(f"{XSD}element", f"{XSD}attribute"):
        yield ("@" if each.tag == f"{XSD}attribute" else "") + each.get("name", ""), each


@pytest.mark.parametrize("name", DOCUMENTS)
def test_every_field_is_documented_with_its_occurrence(page: PageOf, name: str) -> None:
    shown = page(name)
    wrappers = {
        node.get("name", "")
        for node in declared(name, "complexType")
        if [each.get("maxOccurs") for _, each in _fields(node)] == ["unbounded"]
    }
    counted = 0
    for node in declared(name, "complexType"):
        parent = node.getparent()
        owner = node.get("name", "" if parent is None else parent.get("name", ""))
        base = owner.removesuffix("Request").removesuffix("Response")
        end = "request" if owner.endswith("Request") else "response"
        whole = f"op.{base}.{end}" if owner.endswith(("Request", "Response")) else f"type.{owner}"
        if owner in wrappers:
            continue
        for wire, each in _fields(node):
            if wire in AUTHENTICATION and owner.endswith("Request"):
                assert wire in shown.text(f"op.{base}")
                continue
            anchor = f"{whole}.{'_' if wire[0] == '@' else ''}{wire.removeprefix('@')}"
            text = shown.text(anchor)
            counted += 1
            assert text.startswith(f"{wire} "), anchor
            optional = each.get("minOccurs") == "0" or (wire[0] == "@" and each.get("use") != "required")
            listed = each.get("maxOccurs", "1") != "1"
            wrapped = each.get("type", "").removeprefix("tns:") in wrappers
            head = " ".join(str(shown.at(anchor).xpath("string(dt)")).split())
            if listed:
                assert f"list, {each.get('minOccurs', '1')} {_most(each)}" in head, anchor
            elif wrapped:
                assert f"{'optional' if optional else 'required'} list" in head, anchor
            else:
                assert ("optional" if optional else "required") in head, anchor
            kind = each.get("type", "").removeprefix("tns:").replace("xs:", "xsd:")
            if not wrapped:
                assert kind in head, anchor
            doc = each.findtext(f"{XSD}annotation/{XSD}documentation")
            assert " ".join((doc or "").split()) in text
    assert counted > 10


def _most(node: etree._Element) -> str:
    most = node.get("maxOccurs", "1")
    return "or more" if most == "unbounded" else f"to {most}"


@pytest.mark.parametrize("name", DOCUMENTS)
def test_every_enumeration_is_documented_with_its_values(page: PageOf, name: str) -> None:
    shown = page(name)
    types = {node.get("type", "").partition(":")[2] for node in declared(name, "element")} | {
        node.get("type", "").partition(":")[2] for node in declared(name, "attribute")
    }
    seen = 0
    for node in declared(name, "simpleType"):
        values = [each.get("value", "") for each in node.iter(f"{XSD}enumeration")]
        if not values or node.get("name") not in types:
            continue
        section = shown.at(f"enum.{node.get('name')}")
        found = section.xpath(".//li[@data-k='value']")
        assert isinstance(found, list)
        assert [name_of(each) for each in found if isinstance(each, html.HtmlElement)] == values
        seen += 1
    assert seen > 0


def test_settings_of_contracts_toml_are_documented(page: PageOf) -> None:
    for name in DOCUMENTS:
        shown, tables = page(name), settings(name)
        for operation, row in tables.get("rest", {}).items():
            assert isinstance(row, dict)
            text = shown.text(f"op.{operation}")
            assert f"{row['method']} {row['path']}" in text
            for parameter in row.get("query", {}):
                assert f"?{parameter}" in text
        safe = tables["operations"]["safe"]
        assert isinstance(safe, list)
        for anchor, section in entries(shown, "operation").items():
            badges = str(section.xpath("string(p[@class='badges'])"))
            assert ("safe to retry" in badges) == (anchor.removeprefix("op.") in safe)
            assert ("never retried" in badges) != ("safe to retry" in badges)
        missing = tables["types"].get("may_be_missing", [])
        assert isinstance(missing, list)
        for path in missing:
            owner, _, field = path.partition("/")
            place = f"type.{owner}.{field}"
            if owner.endswith("Response"):
                place = f"op.{owner.removesuffix('Response')}.response.{field}"
            assert "may be missing" in shown.text(place)


def test_jobs_of_the_data_contract_are_documented(page: PageOf) -> None:
    shown = page("data")
    waiter = settings("data")["waiter"]
    for state in ("waiting", "done", "failed", "expired"):
        values = waiter[state]
        assert isinstance(values, list)
        for value in values:
            assert value in shown.text("table.waiter")
    links = shown.at("table.job").xpath(".//a/@href")
    assert isinstance(links, list)
    assert {"#op.CreateReportJob", "#op.GetJob", "#op.GetJob.request.jobId", "#type.jobItem.status"} <= set(
        links
    )
    columns = settings("data")["columns"]["click"]
    assert isinstance(columns, dict)
    for column, kind in columns.items():
        assert shown.text(f"columns.click.{column}") == f"{column} {kind}"
    assert shown.text("sums.sale.amount") == "amount xsd:decimal"
    assert shown.text("groups.linkformat") == "linkformat xsd:int"
    assert "click, clickin, lead, sale" in shown.text("table.chosen")


def test_refused_values_are_documented_with_the_reason(page: PageOf) -> None:
    shown = page("data")
    text = shown.text("op.CreateReportJob.request.notifyUrl")
    assert "refused" in text
    assert "the service does not report the end of a job" in text
    assert (
        "Refused: postview, removed in 2011-05-01; use click (ppc), clickin (lpt), lead or sale."
        in shown.text("op.CreateReportJob.request.reportType")
    )


def test_operations_have_badges_for_public_signed_and_single_protocol(page: PageOf) -> None:
    def badges(name: str, operation: str) -> list[str]:
        found = page(name).at(f"op.{operation}").xpath("p[@class='badges']/span/text()")
        assert isinstance(found, list)
        return [str(each) for each in found]

    assert badges("publisher", "GetSales") == ["signed", "safe to retry", "paged", "streamable"]
    assert badges("publisher", "SearchProducts")[0] == "public"
    assert "REST only" in badges("publisher", "GetSaleBasket")
    assert badges("advertiser", "GetPublicPartnerships")[0] == "public"


def test_sources_are_named_with_their_hashes(page: PageOf) -> None:
    for name, source in (("data", 0), ("publisher", 1)):
        raw = (ROOT / DOCUMENTS[name][source]).read_bytes()
        assert hashlib.sha256(raw).hexdigest() in page(name).root.text_content()
