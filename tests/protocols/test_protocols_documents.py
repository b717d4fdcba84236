"""One response in each documented shape gives the same value and the same findings.

The shapes are in docs/explanation/service.md#rest-resources, #json and #partner-codes.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from decimal import Decimal
from typing import TYPE_CHECKING

import pytest

from soapclient.errors import ResponseError
from soapclient.runtime import Finding
from tests.support.cases import case_text
from zxws.publisher.types import BalanceItem

if TYPE_CHECKING:
    from tests.protocols.conftest import OpenWay, Scripted

Open = Callable[..., "Scripted"]
XML, JSON = "rest-xml-headers", "rest-json-headers"
NAMESPACE = 'xmlns="http://api.zanox.com/namespace/2011-03-01/"'

# ---- roots

BALANCE = '<balanceItem id="EUR"><open>10.10</open><confirmed>0.30</confirmed></balanceItem>'
BALANCE_JSON = '"balanceItem": {"@id": "EUR", "open": 10.10, "confirmed": 0.30}'


@pytest.mark.parametrize(
    ("form", "body"),
    [(XML, f"<response {NAMESPACE}>{BALANCE}</response>"), (JSON, f'{{"response": {{{BALANCE_JSON}}}}}')],
)
def test_balance_is_read_under_the_root_of_older_examples(scripted: Open, form: str, body: str) -> None:
    """Other roots: tests/rest/test_rest_shapes.py."""
    server = scripted(form)
    server.answers(body)
    item = server.way.client.publisher.get_balance(currency="EUR").balance_item
    assert item == BalanceItem(id="EUR", open=Decimal("10.10"), confirmed=Decimal("0.30"))
    assert str(item.open) == "10.10"  # never converted to a float
    assert server.way.client.drift.counts() == {}


@pytest.mark.parametrize("body", [f"[{{{BALANCE_JSON}}}]", f"[[{{{BALANCE_JSON}}}]]"])
def test_an_array_around_the_document_is_a_finding(scripted: Open, body: str) -> None:
    server = scripted(JSON)
    server.answers(body)
    item = server.way.client.publisher.get_balance(currency="EUR").balance_item
    assert item == BalanceItem(id="EUR", open=Decimal("10.10"), confirmed=Decimal("0.30"))
    finding = Finding("value", "GetBalanceResponse", "[…]")
    assert server.way.client.drift.counts() == {("GetBalance", finding): 1}


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", ["rest-xml-headers", "rest-xml-query", "rest-json-headers"])
def test_both_sandbox_roots_give_equal_values(open_way: OpenWay, name: str) -> None:
    plain, old = open_way(name), open_way(name, served={"old_roots": True})
    responses = []
    for way in (plain, old):
        publisher = way.client.publisher
        open_ones = publisher.get_program_applications(status="confirmed", items=1).program_application_items
        assert open_ones
        ids = {"program_id": open_ones[0].program.id, "adspace_id": open_ones[0].adspace.id}
        responses.append(
            (
                publisher.get_balances(items=50),
                publisher.get_balance(currency="CHF"),
                publisher.delete_program_application(**ids),
            )
        )
        assert way.client.drift.counts() == {}
    assert responses[0] == responses[1]
    balances, balance, ended = responses[0]
    assert balance.balance_item in (balances.balance_items or ())
    assert ended.count == 1


# ---- a sale in a page of sales


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", ["rest-xml-headers", "rest-xml-query", "rest-json-headers"])
def test_wrapped_and_plain_sandbox_sale_are_equal(open_way: OpenWay, name: str) -> None:
    plain, wrapping = open_way(name), open_way(name, served={"wrap_sale": True})
    listed = plain.client.publisher.get_sales(date=dt.date(2026, 11, 1), date_type="trackingDate").sale_items
    assert listed
    for sale in listed[:3]:
        wrapped = wrapping.client.publisher.get_sale(sale_id=str(sale.id))
        assert wrapped == plain.client.publisher.get_sale(sale_id=str(sale.id))
        assert wrapped.sale_item == sale
    assert wrapping.client.drift.counts() == {}


# ---- the list of partner codes, whose nesting is undocumented


@pytest.mark.parametrize("count", [1, 2])
def test_partner_codes_are_read_in_any_nesting(open_way: OpenWay, count: int) -> None:
    told = []
    for nesting in ("object", "array", "nested", "single"):
        way = open_way(JSON, served={"partner_list": nesting})
        codes = way.sandbox.partner_codes(str(way.client.settings.connect_id))[:count]
        for asked in (codes, [*codes, "1C1"]):  # the second one is answered with an error next to the list
            found = way.client.advertiser.get_partnerships(partner_code=asked)
            assert [one.partner_code for one in found.partner_code_list or []] == codes
            assert len(found.error_list or []) == len(asked) - count
            told.append((asked, found))
        assert way.client.drift.counts() == {}
    assert all(one in told[:2] for one in told)


# ---- drift

PROGRAM, PROGRAM_JSON = case_text(__file__, "program.xml"), case_text(__file__, "program.json")
ITEM = "GetProgramResponse/programItem"
FINDINGS = {
    ("GetProgram", Finding("attribute", f"{ITEM}/@score", "")): 1,
    ("GetProgram", Finding("attribute", f"{ITEM}/categories/category/@hue", "")): 1,
    ("GetProgram", Finding("element", f"{ITEM}/badge", "")): 2,
    ("GetProgram", Finding("element", f"{ITEM}/ratings", "")): 1,
    ("GetProgram", Finding("missing", f"{ITEM}/vertical", "")): 1,
    ("GetProgram", Finding("missing", f"{ITEM}/terms", "")): 1,
    ("GetProgram", Finding("missing", f"{ITEM}/termsUrl", "")): 1,
    ("GetProgram", Finding("value", f"{ITEM}/status", "dormant")): 1,
}


def test_drift_of_the_live_service_is_tolerated_and_counted_alike(scripted: Open) -> None:
    told = []
    for form, body in ((XML, PROGRAM), (JSON, PROGRAM_JSON)):
        heard: dict[tuple[str, Finding], int] = {}

        def hear(
            operation: str, finding: Finding, times: int, to: dict[tuple[str, Finding], int] = heard
        ) -> None:
            to[operation, finding] = times

        server = scripted(form, on_finding=hear)
        server.answers(body)
        told.append(server.way.client.publisher.get_program(program_id=1801).program_item)
        assert server.way.client.drift.counts() == FINDINGS
        assert heard == FINDINGS
    item = told[0]
    assert item is not None
    assert told[1] == item
    assert (item.vertical, item.terms, item.terms_url, item.status) == (None, None, None, "dormant")
    assert item.description_local == ""
    assert item.industries is not None
    assert [one.value for one in item.industries.sub] == ["Travel"]
    assert item.commission is not None
    assert str(item.commission.sale_percent_max) == "11.50"


def test_corrupting_values_are_refused_at_the_same_path_in_both_formats(scripted: Open) -> None:
    for lost_xml, lost_json, path in (
        ("<currency>EUR</currency>", '"currency": "EUR", ', "currency"),
        ("<products>3</products>", '"products": 3,', "products"),
    ):
        assert lost_xml in PROGRAM
        assert lost_json in PROGRAM_JSON
        for form, body in (
            (XML, PROGRAM.replace(lost_xml, "")),
            (JSON, PROGRAM_JSON.replace(lost_json, "")),
            (XML, PROGRAM.replace("<products>3", "<products>three")),
            (JSON, PROGRAM_JSON.replace('"products": 3', '"products": "three"')),
        ):
            server = scripted(form)
            server.answers(body)
            with pytest.raises(ResponseError) as caught:
                server.way.client.publisher.get_program(program_id=1801)
            assert caught.value.path == f"{ITEM}/{'products' if 'three' in body else path}"
