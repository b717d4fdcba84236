"""Method, path and query of every resource.

See docs/explanation/service.md#rest-resources, #export-jobs and #partner-codes.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from typing import TYPE_CHECKING
from urllib.parse import quote

import pytest

from soapclient import Client
from soapclient.errors import ContractError, ServiceFault
from zxws.publisher.service import PACKAGE

if TYPE_CHECKING:
    from soapclient.tracking.sandbox import Sandbox
    from tests.conftest import RestClient
    from tests.support.wire import Recorder

DAY = dt.date(2026, 11, 1)
Call = Callable[[Client], object]
Row = tuple[str, str, Call, str, list[tuple[str, str]]]
LeftOut = tuple[Call, str, list[tuple[str, str]], str]


def both(rest: str) -> list[tuple[str, str]]:
    """Parse `program=1 region=DE` to pairs."""
    return [(name, text) for name, _, text in (part.partition("=") for part in rest.split())]


# Row number in docs/explanation/service.md#rest-resources, method, call, path, query.
ROWS: list[Row] = [
    ("1", "GET", lambda c: c.publisher.get_profile(), "/profiles", []),
    ("3", "GET", lambda c: c.publisher.get_adspaces(page=0, items=5), "/adspaces", both("items=5 page=0")),
    ("4", "GET", lambda c: c.publisher.get_adspace(adspace_id=12), "/adspaces/adspace/12", []),
    ("7", "DELETE", lambda c: c.publisher.delete_adspace(adspace_id=12), "/adspaces/adspace/12", []),
    (
        "8", "GET",
        lambda c: c.publisher.get_admedia(
            program_id=1, region="DE", format=3, admedium_type="imageText", purpose="startPage",
            partner_ship="direct", category_id=4, adspace_id=5, items=6, page=7,
        ),
        "/admedia",
        both(
            "program=1 region=DE format=3 admediumtype=imageText purpose=startPage partnership=direct "
            "category=4 adspace=5 items=6 page=7"
        ),
    ),
    (
        "9", "GET", lambda c: c.publisher.get_admedium(admedium_id=8, adspace_id=9),
        "/admedia/admedium/8", both("adspace=9"),
    ),
    (
        "10", "GET", lambda c: c.publisher.get_admedium_categories(program_id=8),
        "/admedia/categories/program/8", [],
    ),
    (
        "11", "GET",
        lambda c: c.publisher.search_incentives(
            program_id=1, adspace_id=2, incentive_type="noShippingCosts", region="AT", items=3, page=4
        ),
        "/incentives",
        both("program=1 adspace=2 incentiveType=noShippingCosts region=AT items=3 page=4"),
    ),
    (
        "12", "GET", lambda c: c.publisher.get_incentive(incentive_id="13", adspace_id=2),
        "/incentives/incentive/13", both("adspace=2"),
    ),
    ("13", "GET", lambda c: c.publisher.search_exclusive_incentives(), "/incentives/exclusive", []),
    (
        "13", "GET",
        lambda c: c.publisher.search_exclusive_incentives(
            program_id=1, adspace_id=2, incentive_type="coupons", region="AT", items=3, page=4
        ),
        "/incentives/exclusive",
        both("program=1 adspace=2 incentiveType=coupons region=AT items=3 page=4"),
    ),
    (
        "14", "GET", lambda c: c.publisher.get_exclusive_incentive(incentive_id="13", adspace_id=2),
        "/incentives/exclusive/incentive/13", both("adspace=2"),
    ),
    (
        "15", "GET",
        lambda c: c.publisher.search_products(
            query="red & blue+shoes=50% off", search_type="phrase", region="DE", min_price=1, max_price=200,
            program_id=[1, 2, 3], has_images=True, adspace_id=4, partnership="confirmed",
            ean="0123456789012", merchant_category=["Shoes, red", "Sale / 50%"], items=5, page=6,
        ),
        "/products",
        [
            ("q", "red & blue+shoes=50% off"),
            *both("searchtype=phrase region=DE minprice=1 maxprice=200 programs=1,2,3 hasimages=true"),
            *both("adspace=4 partnership=confirmed ean=0123456789012"),
            ("merchantcategory", "Shoes, red"), ("merchantcategory", "Sale / 50%"),
            *both("items=5 page=6"),
        ],
    ),
    (
        "16", "GET", lambda c: c.publisher.get_product(zup_id="a/b c%", adspace_id=4),
        "/products/product/a%2Fb%20c%25", both("adspace=4"),
    ),
    (
        "17", "GET",
        lambda c: c.publisher.get_leads(
            date=DAY, date_type="reviewStateChangedDate", program_id=1, adspace_id=2,
            review_state="approved", items=3, page=4,
        ),
        "/reports/leads/date/2026-11-01",
        both("datetype=review_state_changed_date program=1 adspace=2 state=approved items=3 page=4"),
    ),
    ("18", "GET", lambda c: c.publisher.get_lead(lead_id="a-1"), "/reports/leads/lead/a-1", []),
    (
        "19", "GET", lambda c: c.publisher.get_sales(date=DAY, date_type="modifiedDate"),
        "/reports/sales/date/2026-11-01", both("datetype=modified_date"),
    ),
    (
        "19", "GET",
        lambda c: c.publisher.get_sales(
            date=DAY, date_type="trackingDate", program_id=1, adspace_id=2, review_state="open", page=4
        ),
        "/reports/sales/date/2026-11-01",
        both("datetype=tracking_date program=1 adspace=2 state=open page=4"),
    ),
    ("20", "GET", lambda c: c.publisher.get_sale(sale_id="a-1"), "/reports/sales/sale/a-1", []),
    ("21", "GET", lambda c: c.publisher.get_sale_basket(sale_id="a"), "/reports/sales/sale/a/basket", []),
    (
        "22", "GET",
        lambda c: c.publisher.get_report_basic(
            from_date=DAY, to_date=dt.date(2026, 11, 30), date_type="trackingDate", currency="EUR",
            program_id=1, admedium_id=2, adspace_id=3, review_state="rejected",
            group_by=["program", "linkFormat", "day"],
        ),
        "/reports/basic",
        both(
            "fromdate=2026-11-01 todate=2026-11-30 datetype=tracking_date currency=EUR program=1 admedium=2 "
            "adspace=3 state=rejected groupby=program,linkFormat,day"
        ),
    ),
    (
        "23", "GET",
        lambda c: c.publisher.search_programs(
            query="Bücher", start_date=DAY, region="CH", partner_ship="indirect", has_products=False,
            industry=7, is_exclusive=True, items=1, page=0,
        ),
        "/programs",
        both(
            "q=Bücher startdate=2026-11-01 region=CH partnership=INDIRECT hasproducts=false industry=7 "
            "isexclusive=true items=1 page=0"
        ),
    ),
    ("24", "GET", lambda c: c.publisher.get_program(program_id=1), "/programs/program/1", []),
    ("25", "GET", lambda c: c.publisher.get_program_categories(), "/programs/categories", []),
    (
        "26", "GET",
        lambda c: c.publisher.get_program_applications(
            program_id=1, adspace_id=2, status="terminated", items=3, page=4
        ),
        "/programapplications", both("program=1 adspace=2 status=terminated items=3 page=4"),
    ),
    (
        "27", "POST", lambda c: c.publisher.create_program_application(program_id=1, adspace_id=2),
        "/programapplications/program/1/adspace/2", [],
    ),
    (
        "28", "DELETE", lambda c: c.publisher.delete_program_application(program_id=1, adspace_id=2),
        "/programapplications/program/1/adspace/2", [],
    ),
    (
        "29", "GET", lambda c: c.publisher.get_tracking_categories(program_id=1, adspace_id=2),
        "/programapplications/program/1/adspace/2/trackingcategories", [],
    ),
    ("30", "GET", lambda c: c.publisher.get_balances(items=2), "/payments/balances", both("items=2")),
    ("31", "GET", lambda c: c.publisher.get_balance(currency="EUR"), "/payments/balances/balance/EUR", []),
]  # fmt: skip
DATA: list[Row] = [
    ("GetJob", "GET", lambda c: c.data.get_job(job_id="j/1"), "/jobs/job/id/j%2F1", []),
    ("GetJobs", "GET", lambda c: c.data.get_jobs(page=1, items=2), "/jobs", both("items=2 page=1")),
]
WITH_BODY = {"2", "5", "6"}  # in test_rest_request_bodies.py


def test_request_table_is_complete() -> None:
    assert {row[0] for row in ROWS} | WITH_BODY == {str(number) for number in range(1, 32)}
    assert len([one for one in PACKAGE.operations.values() if one.rest is not None]) == 31


@pytest.mark.sampled(4)
@pytest.mark.parametrize(("form", "place"), [("xml", "headers"), ("json", "headers"), ("xml", "query")])
@pytest.mark.parametrize("row", [*ROWS, *DATA], ids=lambda row: row[0])
def test_each_resource_is_requested_as_recorded(
    recorder: Recorder, rest_client: RestClient, form: str, place: str, row: Row
) -> None:
    _, method, call, path, query = row
    with pytest.raises(ServiceFault, match="recorded"):
        call(rest_client(rest_format=form, rest_signature=place))
    (sent,) = recorder.sent
    version = "2011-05-01" if row in DATA else "2011-03-01"
    assert (sent.method, sent.path) == (method, f"/{form}/{version}{path}")
    # Every character that a server could misread is escaped.
    assert sent.query.startswith("&".join(f"{name}={quote(text, safe='')}" for name, text in query))
    assert sent.pairs[: len(query)] == query
    signed = [name for name, _ in sent.pairs[len(query) :]]
    signature = ["connectid", "date", "nonce", "signature"]
    assert signed in ([[]] if place == "headers" else [signature, ["connectid"]])
    assert sent.headers["accept"] == f"application/{form}"
    assert "content-type" not in sent.headers
    assert sent.body == b""
    assert sent.headers.get("content-length", "0") == "0"


@pytest.mark.parametrize("code", ["a,b", ""])
def test_list_items_with_separators_are_refused(
    recorder: Recorder, rest_client: RestClient, code: str
) -> None:
    """The items are joined with commas, so an item with a comma would become two items."""
    client = rest_client(validate="off")
    with pytest.raises(ContractError, match="the values of this list are sent separated by") as caught:
        client.advertiser.get_partnerships(partner_code=["1C1", code])
    assert (caught.value.path, caught.value.value) == ("GetPartnershipsRequest/partnerCode", repr(code))
    assert recorder.sent == []


# The schema requires both, and SOAP sends both. Sent live requests over REST had no `q`, and the
# documented default of `datetype` is the tracking date.
LEFT_OUT: list[LeftOut] = [
    (lambda c: c.publisher.search_products(region="DE"), "/products", both("region=DE"), "query"),
    (lambda c: c.publisher.get_sales(date=DAY), "/reports/sales/date/2026-11-01", [], "dateType"),
    (lambda c: c.publisher.get_leads(date=DAY), "/reports/leads/date/2026-11-01", [], "dateType"),
    (
        lambda c: next(iter(c.publisher.iterate.get_sales(date=DAY, items=5))),
        "/reports/sales/date/2026-11-01", both("items=5 page=0"), "dateType",
    ),
]  # fmt: skip


@pytest.mark.parametrize("validate", ["requests", "off"])
@pytest.mark.parametrize("row", LEFT_OUT, ids=lambda row: row[3])
def test_fields_not_required_over_rest_may_be_omitted_there_but_not_over_soap(
    recorder: Recorder, rest_client: RestClient, row: LeftOut, validate: str
) -> None:
    call, path, query, element = row
    with pytest.raises(ServiceFault):
        call(rest_client(validate=validate))
    assert recorder.last.path == f"/xml/2011-03-01{path}"
    assert recorder.last.pairs == query
    with pytest.raises(ContractError, match="is required") as caught:
        call(rest_client(protocol="soap", validate=validate))
    assert caught.value.reason == "it is required over SOAP"
    assert caught.value.path.rpartition("/")[2] == element
    assert len(recorder.sent) == 1


@pytest.mark.exhaustive
def test_omitted_fields_have_the_default_of_the_service(
    rest_client: RestClient, rest_sandbox: tuple[Sandbox, str]
) -> None:
    client = rest_client(rest_sandbox[1])
    by_tracking = client.publisher.get_sales(date=DAY, date_type="trackingDate", items=50)
    assert client.publisher.get_sales(date=DAY, items=50) == by_tracking
    assert by_tracking.total > 0
    everything = client.publisher.search_products(items=50).total
    assert everything > client.publisher.search_products(query="chair", items=50).total
    assert everything == sum(1 for _ in rest_sandbox[0]._store.catalogue.all_products)
