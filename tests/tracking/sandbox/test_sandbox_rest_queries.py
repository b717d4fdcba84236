"""Queries and paths over REST use REST's spelling and give the same results as SOAP."""

from __future__ import annotations

import json
from datetime import datetime
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import pytest

if TYPE_CHECKING:
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
    expected = caller.call(
        "GetReportBasic",
        fromDate=day,
        toDate=day,
        groupBy=["program", "trackingCategory"],
        reviewState="confirmed",
    ).entries()
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
