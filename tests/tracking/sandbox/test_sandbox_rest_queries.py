"""Queries and paths over REST use REST's spelling and give the same results as SOAP."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import datetime
from typing import Any
from urllib.parse import quote

import pytest
from lxml import etree

from soapclient.tracking.sandbox import rules
from tests.stage import Stage
from tests.tracking.sandbox.caller import Caller

DAY = "2026-11-01"
SALES = f"/reports/sales/date/{DAY}"
BASIC = "/reports/basic"
DAYS = f"fromdate={DAY}&todate={DAY}"


# The operation of a resource over SOAP, and the name of its items.
RESOURCES = {
    SALES: ("GetSales", "sale"),
    f"/reports/leads/date/{DAY}": ("GetLeads", "lead"),
    "/programs": ("SearchPrograms", "program"),
    "/products": ("SearchProducts", "product"),
}


def found(caller: Caller, uri: str, query: str) -> list[str]:
    """Return the total of a page, followed by its ids."""
    response = caller.rest("GET", uri, query)
    assert response.status_code == 200, response.text
    page: Any = json.loads(response.text, parse_int=str)
    kind = RESOURCES[uri][1]
    entries = page[f"{kind}Items"]
    entries = entries[f"{kind}Item"] if isinstance(entries, dict) else []
    entries = entries if isinstance(entries, list) else [entries]
    return [page["total"], *(one["@id"] for one in entries)]


def soap(caller: Caller, uri: str, **fields: object) -> list[str]:
    """Return the same over SOAP."""
    response = caller.call(RESOURCES[uri][0], **fields)
    return [str(response.number("total")), *(str(one.at("id")) for one in response.entries())]


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("spelling", "date_type"),
    [
        ("tracking_date", "trackingDate"),
        ("TRACKINGDATE", "trackingDate"),
        ("modified_date", "modifiedDate"),
        ("Review_State_Changed_Date", "reviewStateChangedDate"),
        ("reviewstatechangeddate", "reviewStateChangedDate"),
        ("clickDate", "clickDate"),
    ],
)
def test_enumerations_ignore_case_and_underscores(
    caller: Caller, day: datetime, spelling: str, date_type: str
) -> None:
    rest = found(caller, SALES, f"DateType={spelling}&State=APPROVED&ITEMS=50")
    assert rest == soap(caller, SALES, date=day, dateType=date_type, reviewState="approved", items=50)
    assert len(rest) > 1


def test_tracking_date_is_the_default_date_type(caller: Caller, day: datetime) -> None:
    uri = f"/reports/leads/date/{DAY}"
    assert found(caller, uri, "page=1") == soap(caller, uri, date=day, dateType="trackingDate", page=1)


@pytest.mark.sampled(8)
@pytest.mark.parametrize(
    ("uri", "query", "fields"),
    [
        ("/programs", "q=alpenglow+finance", {"query": "alpenglow finance"}),
        ("/programs", "q=L%C3%B6wenzahn&partnership=DIRECT", {"query": "löwenzahn", "partnerShip": "direct"}),
        ("/programs", "partnership=in_direct&region=de", {"partnerShip": "indirect", "region": "DE"}),
        ("/programs", "hasproducts=TRUE&items=7", {"hasProducts": True, "items": 7}),
        ("/programs", "hasproducts=0", {"hasProducts": False}),
        ("/programs", "startdate=2015-06-01&page=2", {"startDate": datetime(2015, 6, 1), "page": 2}),
        ("/products", "q=kettle", {"query": "kettle"}),
        ("/products", "q=no+1&searchtype=PHRASE", {"query": "no 1", "searchType": "phrase"}),
        ("/products", "programs=1801,1803,%201805", {"query": "", "programId": [1801, 1803, 1805]}),
        ("/products", "minprice=100&maxprice=120", {"query": "", "minPrice": 100, "maxPrice": 120}),
        ("/products", "hasimages=false", {"query": "", "hasImages": False}),
    ],
)
def test_list_is_filtered_by_query(caller: Caller, uri: str, query: str, fields: dict[str, object]) -> None:
    rest = found(caller, uri, query)
    assert rest == soap(caller, uri, **fields)
    assert (len(rest) > 1) == ("PHRASE" not in query)  # no name has this phrase


def test_merchant_categories_may_repeat_and_contain_commas_and_signs(caller: Caller) -> None:
    response = caller.call("SearchProducts", query="", items=50)
    kinds = sorted({one.text("merchantCategory") for one in response.entries()})[:2]
    assert len(kinds) == 2
    queries = [f"MerchantCategory={quote(kind)}" for kind in kinds]
    single = [int(found(caller, "/products", query)[0]) for query in queries]
    assert int(found(caller, "/products", "&".join(queries))[0]) == sum(single) > 0


@pytest.mark.exhaustive
def test_report_is_grouped_by_query(caller: Caller, day: datetime) -> None:
    response = caller.rest("GET", BASIC, f"{DAYS}&groupby=PROGRAM,Tracking_Category&state=confirmed")
    rows = response.json()["reportItems"]["reportItem"]
    same = {"fromDate": day, "toDate": day, "reviewState": "confirmed"}
    groups = ["program", "trackingCategory"]
    expected = caller.call("GetReportBasic", groupBy=groups, **same).entries()
    assert [int(row["program"]["@id"]) for row in rows] == [one.number("program.id") for one in expected]
    assert [row["total"]["saleCount"] for row in rows] == [one.number("total.saleCount") for one in expected]
    assert any("trackingCategory" in row for row in rows)


@pytest.mark.sampled(6)
@pytest.mark.parametrize(
    ("uri", "query", "named"),
    [
        ("/programs", "colour=red", "colour hasproducts page"),
        ("/profiles", "items=1", "items"),
        ("/programs", "items=ten", "items ten"),
        ("/programs", "items=51", "items"),
        ("/programs", "items=0", "items"),
        ("/programs", "page=-1", "page"),
        ("/programs", "page=4294967296", "page"),
        ("/programs", "page=1&Page=2", "page"),
        ("/programs", "items=", "items"),
        ("/programs", "partnership=friends", "partnership friends direct indirect"),
        ("/programs", "hasproducts=yes", "hasproducts"),
        ("/programs", "startdate=2015-6-1", "startdate"),
        ("/programs", "startdate=2015-02-30", "startdate"),
        ("/programs", "startdate=0001-01-01", "startdate"),
        ("/programs", "q=%01", "q"),
        ("/products", "programs=1,,2", "programs"),
        (SALES, "datetype=some_date", "datetype"),
        (BASIC, f"todate={DAY}", "fromdate"),
        (BASIC, f"fromdate={DAY}", "todate"),
        (BASIC, f"{DAYS}&groupby=day,week", "groupby"),
        (BASIC, f"fromdate={DAY}&todate=2026-10-01", "fromDate"),
        ("/reports/sales/date/yesterday", "", "date yesterday"),
        ("/reports/sales/date/1900-01-01", "", "date"),
        ("/programs/program/abc", "", "id"),
        ("/programs/program/99999999999", "", "id"),
        ("/programapplications/program/1/adspace/x/trackingcategories", "", "ad space"),
    ],
)
@pytest.mark.parametrize("form", ["xml", "json"])
def test_invalid_parameter_is_refused_by_name(
    caller: Caller, uri: str, query: str, named: str, form: str
) -> None:
    response = caller.ask("GET", f"/{form}/2011-03-01", f"{uri}?{query}")
    assert response.refused(400, 230, *named.split())


# ---- refusals in the format of the address: docs/explanation/service.md#fault-codes


FORMS = ["xml", "json"]
PUBLISHER, DATA, ADVERTISER = "/{}/2011-03-01", "/{}/2011-05-01", "/2015-03-01"


@pytest.mark.sampled(6)
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    ("verb", "base", "target", "status", "code"),
    [
        ("GET", PUBLISHER, "", 404, 404),
        ("GET", PUBLISHER, "/", 404, 404),
        ("GET", PUBLISHER, "/nothing", 404, 404),
        ("GET", PUBLISHER, "/Programs", 404, 404),
        ("GET", PUBLISHER, "/adspaces/adspace/1/2", 404, 404),
        ("GET", PUBLISHER, "/products/product/", 404, 404),
        ("GET", PUBLISHER, "/jobs", 404, 404),
        ("GET", DATA, "/programs", 404, 404),
        ("GET", "/{}/2009-07-01", "/programs", 404, 404),
        ("GET", "/{}/2015-03-01", "/member/partnership", 404, 404),
        ("GET", "/{}", "/programs", 404, 404),
        ("GET", PUBLISHER, "/../2011-05-01/jobs", 404, 404),
        ("POST", PUBLISHER, "/programs", 405, 405),
        ("PATCH", PUBLISHER, "/profiles", 405, 405),
        ("DELETE", PUBLISHER, "/adspaces/adspace", 405, 405),
        ("DELETE", DATA, "/jobs", 405, 405),
        ("POST", DATA, "/jobs/job/id/1/download", 405, 405),
        ("GET", PUBLISHER, "/reports/sales/date/20261101", 400, 230),
        ("POST", PUBLISHER, "/programapplications/program/1/adspace/1", 400, 108),
    ],
)
def test_refusal_names_the_problem_and_the_place(
    caller: Caller, form: str, verb: str, base: str, target: str, status: int, code: int
) -> None:
    response = caller.ask(verb, base.format(form), target)
    assert ("application/json" in response.headers["Content-Type"]) == (form == "json")
    *found, reason = response.error()
    assert found == [status, str(code)]
    assert reason


def test_xml_error_is_in_the_namespace_of_its_contract(caller: Caller) -> None:
    for base, namespace in (
        (PUBLISHER, "http://api.zanox.com/namespace/2011-03-01/"),
        (DATA, "http://data.zanox.com/namespace/2011-05-01/"),
    ):
        root = caller.ask("GET", base.format("xml"), "/nothing").xml()
        assert [root.tag, root[0].tag] == [f"{{{namespace}}}response", f"{{{namespace}}}code"]


def test_advertiser_interface_supports_only_json(caller: Caller) -> None:
    assert caller.ask("GET", ADVERTISER, "/nothing").error()[:2] == (404, "404")
    assert caller.ask("POST", ADVERTISER, "/member/partnership").error()[:2] == (405, "405")
    assert caller.ask("GET", ADVERTISER, "/member/partnership").error()[:2] == (400, "230")
    for base in ("/2014-03-01", "/2011-03-01"):
        response = caller.ask("GET", base, "/profiles")
        assert response.error()[:2] == (404, "404")
        assert isinstance(response.json(), dict)


@pytest.mark.parametrize("form", FORMS)
def test_reason_is_escaped_in_its_document(caller: Caller, form: str) -> None:
    odd = '/%3Cb%3E%26%22%5C%00%1b%E2%80%A8"'
    assert caller.ask("GET", PUBLISHER.format(form), odd).refused(404, 404, '<b>&"\\')


@pytest.mark.parametrize("form", FORMS)
def test_resource_without_a_body_refuses_one(caller: Caller, form: str) -> None:
    for verb, target in (("GET", "/profiles"), ("POST", "/programapplications/program/1801/adspace/1")):
        response = caller.ask(verb, PUBLISHER.format(form), target, "{}", f"application/{form}")
        assert response.error()[:2] == (400, "103")


@pytest.mark.parametrize("form", FORMS)
def test_a_body_that_is_too_large_is_refused(staged: Callable[..., Stage], form: str) -> None:
    caller = staged(max_body=1000).caller
    response = caller.ask("PUT", PUBLISHER.format(form), "/profiles", b" " * 1001, f"application/{form}")
    assert response.error()[:2] == (413, "110")


@pytest.mark.parametrize("form", FORMS)
def test_internal_failure_has_the_requested_format(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, form: str
) -> None:

    def broken(_: str) -> None:
        raise ZeroDivisionError("a secret of the inside")

    monkeypatch.setattr(stage.sandbox._store, "of", broken)
    response = stage.caller.ask("GET", PUBLISHER.format(form), "/profiles")
    assert response.error()[:2] == (500, "500")
    assert b"inside" not in response.body


def test_a_response_that_breaks_the_contract_is_not_sent(
    fresh: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rules, "handler_of", lambda *_: lambda _: {"profileItem": {"@id": "no number"}})
    assert fresh.ask("GET", PUBLISHER.format("json"), "/profiles").refused(500, 502, "GetProfile")


def test_head_is_allowed_only_for_downloads(caller: Caller) -> None:
    response = caller.ask("HEAD", "/json/2011-03-01", "/profiles")
    assert (response.status, response.body) == (405, b"")


def test_an_unknown_format_is_refused_in_xml(caller: Caller) -> None:
    assert caller.ask("GET", "/yaml/2011-03-01", "/profiles").xml()[0].text == "404"


def test_soap_and_wsdl_paths_are_unchanged(caller: Caller) -> None:
    root = etree.fromstring(caller.post("<no envelope/>").content)
    assert etree.QName(root).localname == "Envelope"
    assert caller.session.get(f"{caller.url}/wsdl/2011-03-01", timeout=5).status_code == 200
