"""Each request field of each implemented operation changes the response. No field is left out."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, datetime, timedelta, timezone

import pytest
from lxml import etree

from soapclient.tracking.sandbox.contracts import packaged
from soapclient.tracking.sandbox.operations import implemented
from tests.stage import Stage
from tests.tracking.sandbox.caller import Caller, SoapResponse

AUTH = {"connectId", "timestamp", "nonce", "signature"}
XSD = "{http://www.w3.org/2001/XMLSchema}"
CET = timezone(timedelta(hours=1))
DAY = datetime(2026, 11, 1, tzinfo=CET)
BEFORE = DAY - timedelta(days=1)

Holds = Callable[["SoapResponse", object], bool]
Filters = dict[str, tuple[object, object, Holds | None]]
TRAFFIC: Filters = {
    "programId": (None, "program.id", lambda one, value: one.at("program.id") == value),
    "adspaceId": (None, "adspace.id", lambda one, value: one.at("adspace.id") == value),
    "reviewState": (None, "reviewState", lambda one, value: one.at("reviewState") == value),
    "date": (DAY, BEFORE, lambda one, value: str(one.at("trackingDate"))[:10] == str(value)[:10]),
    "dateType": (
        "trackingDate", "modifiedDate", lambda one, value: str(one.at("modifiedDate"))[:10] == "2026-11-01",
    ),
    "page": (0, 1, None),
    "items": (10, 20, None),
}  # fmt: skip
PROGRAMS: Filters = {
    "query": (None, "LÖWENZAHN", lambda one, value: "Löwenzahn" in one.text("name")),
    "startDate": (None, datetime(2015, 1, 1, tzinfo=CET), lambda one, value: one.at("startDate") >= value),
    "partnerShip": ("direct", "indirect", None),
    "hasProducts": (True, False, lambda one, value: one.at("products") == 0),
    "region": ("DE", "AT", lambda one, value: "AT" in one.at("regions.region")),
    "categoryId": (
        None, 13, lambda one, value: 13 in [each.at("id") for each in one.each("categories.category")],
    ),
    "page": (0, 1, None),
    "items": (10, 20, None),
}  # fmt: skip
PAGED: Filters = {"page": (0, 1, None), "items": (10, 5, None)}
ADMEDIA: Filters = {
    "q": ("", "SKYSCRAPER", lambda one, value: one.text("name").startswith("Skyscraper")),
    "programId": (None, 1807, lambda one, value: one.at("program.id") == value),
    "region": ("AT", "DE", lambda one, value: value in one.at("tags.tag")),
    "format": (None, 3, lambda one, value: (one.at("width"), one.at("height")) == (120, 600)),
    "partnerShip": ("direct", "indirect", None),
    "purpose": ("startPage", "productDeeplink", lambda one, value: one.at("purpose") == value),
    "admediumType": ("text", "html", lambda one, value: one.at("admediumType") == value),
    "categoryId": (None, "category.id", lambda one, value: one.at("category.id") == value),
    **PAGED,
}
INCENTIVES: Filters = {
    "programId": (None, "program.id", lambda one, value: one.at("program.id") == value),
    "incentiveType": ("coupons", "lotteries", lambda one, value: one.at("incentiveType") == value),
    "region": ("AT", "DE", lambda one, value: value in one.at("regions.region")),
    **PAGED,
}
PRODUCTS: Filters = {
    "query": ("", "LAMP", lambda one, value: "Lamp" in one.text("name")),
    "region": ("AT", "DE", None),
    "categoryId": (None, 13, lambda one, value: str(one.at("category.id")).startswith("13")),
    "hasImages": (True, False, lambda one, value: one.at("image") is None),
    "minPrice": (None, 300, lambda one, value: one.at("price") >= value),
    "maxPrice": (None, 20, lambda one, value: one.at("price") <= value),
    **PAGED,
}
PARTNERSHIPS: Filters = {
    "adspaceId": (None, "adspace.id", lambda one, value: one.at("adspace.id") == value),
    "programId": (None, "program.id", lambda one, value: one.at("program.id") == value),
    "status": ("open", "confirmed", lambda one, value: one.at("status") == value),
    **PAGED,
}
SIZE: Filters = {
    "size": ({"width": 468}, {"width": 120, "height": 600}, lambda one, value: one.at("size.height") == 600)
}
SLOTS: Filters = {"adspaceId": PARTNERSHIPS["adspaceId"], **SIZE, **PAGED}
APPLICATIONS: Filters = {
    "name": ("", "DEAL", lambda one, value: one.text("name").startswith("Deal ticker")),
    "role": ("developer", "tester", lambda one, value: one.at("connect.role") == value),
    "applicationType": ("widget", "saas", lambda one, value: one.at("applicationType") == value),
    **SIZE,
    **PAGED,
}
REPORT: dict[str, tuple[object, object]] = {
    "currency": (None, "EUR"),
    "programId": (None, "program.id"),
    "admediumId": (None, "admedium.id"),
    "adspaceId": (None, "adspace.id"),
    "reviewState": (None, "open"),
    "groupBy": ([], ["program"]),
    "fromDate": (DAY, BEFORE),
    "toDate": (DAY, DAY + timedelta(days=1)),
}
CUSTOM, SALES = {"reportType": "custom"}, {"reportType": "sale"}
JOB: dict[str, tuple[dict[str, object], dict[str, object]]] = {
    "reportType": ({}, {"reportType": "clickin"}),
    "columns": ({**CUSTOM, "columns": "clickId,zpar0"}, {**CUSTOM, "columns": "clickId"}),
    "fromDate": ({}, {"fromDate": date(2026, 10, 31)}),
    "toDate": ({}, {"toDate": date(2026, 11, 2)}),
    "dateType": ({**SALES, "dateType": "trackingDate"}, {**SALES, "dateType": "modifiedDate"}),
    "reviewState": ({**SALES}, {**SALES, "reviewState": "open"}),
    "currency": ({}, {"currency": "EUR"}),
    "programId": ({}, {"programId": "program"}),
    "adspaceId": ({}, {"adspaceId": "adspace"}),
    "admediumFormatId": ({}, {"admediumFormatId": 2}),
    "groupBy": ({}, {"groupBy": "program,day"}),
}
REST_ALONE = {"GetSaleBasket"}  # it is in no contract: test_sandbox_rest_fields.py
# Fields of single calls, in addition to the lists above: tested below or by name in the named files.
SINGLE = {
    operation: {field}
    for field, operations in {
        "adspaceItem": ["CreateAdspace", "UpdateAdspace"],
        "adspaceId": ["GetAdspace", "DeleteAdspace"],
        "programId": ["GetProgram", "GetAdmediumCategories"],
        "saleId": ["GetSale"],
        "leadId": ["GetLead"],
        "jobId": ["GetJob"],
        # test_sandbox_profile.py, test_sandbox_operations.py
        "profileItem": ["UpdateProfile"],
        "currency": ["GetBalance"],
        "paymentId": ["GetPayment"],
        "bankAccountId": ["GetBankAccount"],
        # test_sandbox_applications.py
        "applicationItem": ["CreateApplication", "UpdateApplication"],
        "applicationId": ["GetApplication", "DeleteApplication"],
        "mediaSlotItem": ["CreateMediaSlot", "UpdateMediaSlot"],
        "mediaSlotId": ["GetMediaSlot", "DeleteMediaSlot"],
        "settingItem": ["CreateSetting", "UpdateSetting"],
    }.items()
    for operation in operations
} | {
    "GetProfile": set[str](),
    # test_sandbox_applications.py
    "GetSetting": {"applicationId", "mediaSlotId", "key"},
    "GetSettings": {"applicationId", "mediaSlotId", "page", "items"},
    "DeleteSetting": {"applicationId", "key"},
    # test_sandbox_partnerships.py
    "CreateProgramApplication": {"programId", "adspaceId", "publisherComment"},
    "DeleteProgramApplication": {"programId", "adspaceId"},
    "GetTrackingCategories": {"programId", "adspaceId", "page", "items"},
    # test_sandbox_catalogue.py
    "GetAdmedium": {"admediumId", "adspaceId", "trackingLink"},
    "GetIncentive": {"incentiveId", "adspaceId"},
    "GetExclusiveIncentive": {"incentiveId", "adspaceId"},
    "GetProgramCategories": set[str](),
    "GetProduct": {"zupId", "adspaceId"},
    "GetProductCategories": {"rootCategory", "includeChilds", "region"},
}
# Fields of the lists below that are tested by name in those files.
APART = {
    "GetAdmedia": {"adspaceId"},
    "SearchIncentives": {"adspaceId"},
    "SearchExclusiveIncentives": {"adspaceId"},
    "SearchProducts": {"adspaceId", "programId", "searchType"},
}
LISTS: dict[str, tuple[Filters, dict[str, object]]] = {
    "GetSales": (TRAFFIC, {"date": DAY, "dateType": "trackingDate"}),
    "GetLeads": (TRAFFIC, {"date": DAY, "dateType": "trackingDate"}),
    "SearchPrograms": (PROGRAMS, {}),
    "GetAdspaces": (PAGED, {}),
    "GetBalances": (PAGED, {}),
    "GetPayments": (PAGED, {}),
    "GetBankAccounts": (PAGED, {}),
    "GetAdmedia": (ADMEDIA, {}),
    "SearchIncentives": (INCENTIVES, {}),
    "SearchExclusiveIncentives": (INCENTIVES, {}),
    "SearchProducts": (PRODUCTS, {"query": ""}),
    "GetProgramApplications": (PARTNERSHIPS, {}),
    "GetMediaSlots": (SLOTS, {}),
    "GetApplications": (APPLICATIONS, {}),
}


def declared(contract: str) -> dict[str, set[str]]:
    """Return the request fields by operation, read independently from the document."""
    found = {}
    for kind in etree.fromstring(packaged(contract).read_bytes()).iter(f"{XSD}complexType"):
        name = kind.get("name", "")
        if name.endswith("Request"):
            fields = {one.get("name", "") for one in kind.iterfind(f"{XSD}sequence/{XSD}element")}
            found[name.removesuffix("Request")] = fields - AUTH
    return found


def test_no_request_field_of_an_implemented_operation_is_untested() -> None:
    tested = {
        **SINGLE,
        **{name: set(fields) | APART.get(name, set()) for name, (fields, _) in LISTS.items()},
        "GetReportBasic": set(REPORT),
        "CreateReportJob": set(JOB),
        "GetJobs": set(PAGED),
    }
    for contract in ("publisher", "data"):
        fields = declared(contract)
        for operation in implemented(contract) - REST_ALONE:
            assert tested.pop(operation) == fields[operation], operation
    assert not tested


def test_every_operation_of_the_contracts_is_implemented() -> None:
    assert implemented("data") == set(declared("data")) == {"CreateReportJob", "GetJob", "GetJobs"}
    publisher = set(declared("publisher"))
    assert len(publisher) == 50
    assert implemented("publisher") == publisher | REST_ALONE


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("operation", "field"), [(name, field) for name, (fields, _) in LISTS.items() for field in fields]
)
def test_list_filter_changes_the_list(caller: Caller, operation: str, field: str) -> None:
    fields, common = LISTS[operation]
    plain, changed, holds = fields[field]
    first = caller.call(operation, **{**common, field: plain})
    if isinstance(changed, str) and plain is None and field != "query":
        changed = first.entries()[0].at(changed)  # an existing value
    second = caller.call(operation, **{**common, field: changed})
    entries = second.entries()
    assert entries
    assert [one.at("id") for one in entries] != [one.at("id") for one in first.entries()]
    if holds is not None:
        assert all(holds(one, changed) for one in entries)
        assert not all(holds(one, changed) for one in first.entries())


@pytest.mark.sampled(2)
@pytest.mark.parametrize("field", REPORT)
def test_report_field_changes_the_report(caller: Caller, field: str) -> None:
    common = {"fromDate": DAY, "toDate": DAY}
    plain, changed = REPORT[field]
    if isinstance(changed, str) and "." in changed:
        changed = caller.call("GetSales", date=DAY, dateType="trackingDate").entries()[0].at(changed)
    first, second = (caller.call("GetReportBasic", **{**common, field: value}) for value in (plain, changed))
    assert second.entries()
    assert repr(first.value) != repr(second.value)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("field", JOB)
def test_order_field_changes_the_file(caller: Caller, field: str) -> None:
    plain, changed = JOB[field]
    first = caller.export(**plain)
    if field in ("programId", "adspaceId"):
        changed = {field: int(first[1][first[0].index(field)])}
    second = caller.export(**changed)
    assert len(second) > 1
    assert second != first
    if field in ("programId", "adspaceId", "admediumFormatId", "currency"):
        position = second[0].index(field)
        assert {row[position] for row in second[1:]} == {str(changed[field])}


@pytest.mark.exhaustive
def test_jobs_are_paged(staged: Callable[..., Stage]) -> None:
    caller = staged(clicks_per_day=10).caller
    ordered = [caller.order() for _ in range(12)]
    first, second = (caller.call("GetJobs", page=page) for page in (0, 1))
    ids = [[one.text("id") for one in response.entries()] for response in (first, second)]
    assert ids == [ordered[:10], ordered[10:]]
    assert first.number("total") == 12
    assert len(caller.call("GetJobs", items=3).entries()) == 3
