"""Every implemented operation through plain zeep, and the consistency of its state."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone
from decimal import Decimal

import pytest

from tests.stage import Stage
from tests.tracking.sandbox.caller import Caller, SoapResponse

ADSPACE = {
    "name": "Füchse & more",
    "url": "https://new.example.org/",
    "description": "a <new> one",
    "adspaceType": "website",
    "visitors": 10,
    "impressions": 20,
    "regions": {"region": ["DE", "AT"]},
    "categories": {"category": [{"_value_1": "Travel", "id": 13}]},
    "language": "de",
    "checkNumber": 4711,
}


def cents(value: object) -> int:
    """Convert a float of zeep, which has two digits on the wire."""
    return int(Decimal(repr(value)).quantize(Decimal("0.01")) * 100)


@pytest.mark.exhaustive
def test_program_is_listed_and_found_by_id(caller: Caller) -> None:
    programs = caller.pages("SearchPrograms")
    ids = [one.number("id") for one in programs]
    assert len(set(ids)) == len(ids) >= 200
    one = caller.call("GetProgram", programId=ids[7])
    assert one.text("name") == programs[7].text("name")
    assert one.at("vertical._value_1")
    assert one.at("commission.salePercentMax") is not None
    assert caller.call("GetProgram", programId=1).value is None


def test_pages_have_ten_items_from_the_first_on_and_end_with_an_empty_one(caller: Caller) -> None:
    response = caller.call("SearchPrograms")
    assert (response.number("page"), response.number("items")) == (0, 10)
    assert len(response.entries()) == 10
    beyond = caller.call("SearchPrograms", page=1000, items=50)
    assert (beyond.number("items"), beyond.number("total")) == (0, response.number("total"))
    assert beyond.entries() == []
    assert caller.call("SearchPrograms", items=50).number("items") == 50
    assert "50" in caller.refusal("SearchPrograms", items=51)[1]


@pytest.mark.sampled(1)
@pytest.mark.parametrize("operation", ["GetSales", "GetLeads"])
def test_traffic_of_a_day_is_on_that_day(caller: Caller, day: datetime, operation: str) -> None:
    for date_type in ("trackingDate", "clickDate", "modifiedDate"):
        found = caller.pages(operation, date=day, dateType=date_type)
        assert len(found) > 50, "paging must matter"
        for one in found:
            when = one.at(date_type)
            assert when.utcoffset() == timedelta(hours=1)
            assert day <= when < day + timedelta(days=1)
        assert len({one.text("id") for one in found}) == len(found)
    for one in found:
        clicked, tracked, modified = (one.at(name) for name in ("clickDate", "trackingDate", "modifiedDate"))
        assert clicked <= tracked <= modified


def test_naive_date_time_means_the_berlin_day(caller: Caller) -> None:
    summer = datetime.fromisoformat("2026-07-01T00:00:00+02:00")
    same = datetime.fromisoformat("2026-06-30T22:00:00+00:00")
    before = datetime.fromisoformat("2026-06-30T21:59:59+00:00")
    ids = [
        [one.text("id") for one in caller.call("GetSales", date=when, dateType="trackingDate").entries()]
        for when in (summer, same, before)
    ]
    assert ids[0] == ids[1] != ids[2]


def test_any_date_is_accepted_and_impossible_ones_refused(caller: Caller) -> None:
    for year in (1997, 2013, 2099):
        when = datetime.fromisoformat(f"{year}-05-05T00:00:00+02:00")
        assert caller.call("GetSales", date=when, dateType="trackingDate").number("total") > 50
    for text in ("1900-01-01T00:00:00+01:00", "9999-12-31T00:00:00+01:00"):
        caller.refusal("GetSales", date=datetime.fromisoformat(text), dateType="clickDate")


LISTED = ("GetSales", "GetLeads")


@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    ("listing", "single", "field", "unknown"),
    [
        ("GetSales", "GetSale", "saleId", ["nonsense", ""]),
        ("GetLeads", "GetLead", "leadId", ["nonsense", ""]),
        ("GetAdspaces", "GetAdspace", "adspaceId", [1]),
        ("GetBalances", "GetBalance", "currency", ["nothing"]),
        ("GetPayments", "GetPayment", "paymentId", ["nothing"]),
        ("GetBankAccounts", "GetBankAccount", "bankAccountId", ["nothing"]),
    ],
)
def test_item_of_a_list_is_found_by_its_id(
    caller: Caller, day: datetime, listing: str, single: str, field: str, unknown: list[object]
) -> None:
    found = caller.pages(listing, **({"date": day, "dateType": "trackingDate"} if listing in LISTED else {}))
    ids = [one.at("id") for one in found]
    assert len(set(ids)) == len(ids) > 10, "paging must matter"
    for one in (found[0], found[7]):
        assert caller.call(single, **{field: one.at("id")}).value == one.value
    if listing in LISTED:
        first = str(ids[0])
        unknown = [*unknown, first[:-1] + ("0" if first[-1] != "0" else "1")]
    for each in unknown:
        assert caller.call(single, **{field: each}).value is None


def test_sale_and_lead_are_different_items(caller: Caller, day: datetime) -> None:
    sales = caller.call("GetSales", date=day, dateType="trackingDate").entries()
    assert caller.call("GetLead", leadId=sales[0].text("id")).value is None
    assert "zpar0" in [one.at("gpps.gpp.0.id") for one in sales]


def test_private_data_belongs_to_its_account(two: list[Caller], day: datetime) -> None:
    first, second = two
    assert first.call("GetProfile").number("id") != second.call("GetProfile").number("id")
    sale = first.call("GetSales", date=day, dateType="trackingDate").text("saleItems.saleItem.0.id")
    assert second.call("GetSale", saleId=sale).value is None
    adspace = first.call("GetAdspaces").number("adspaceItems.adspaceItem.0.id")
    assert str(adspace) in second.refusal("UpdateAdspace", adspaceItem={**ADSPACE, "id": adspace})[1]
    assert second.call("DeleteAdspace", adspaceId=adspace).value == 0
    assert first.call("DeleteAdspace", adspaceId=adspace).value == 1
    job = first.order()
    assert second.call("GetJob", jobId=job).value is None
    assert second.call("GetJobs").number("total") == 0
    assert second.download(job).status_code == 404


def test_adspaces_are_created_updated_and_deleted(fresh: Caller) -> None:
    before = {one.number("id") for one in fresh.pages("GetAdspaces")}
    assert len(before) > 10, "paging must matter"
    made = fresh.call("CreateAdspace", adspaceItem=ADSPACE)
    number = made.number("id")
    assert number not in before
    assert made.text("name") == "Füchse & more"
    assert made.at("regions.region") == ["DE", "AT"]
    assert made.number("categories.category.0.id") == 13
    stored = {one.number("id"): one for one in fresh.pages("GetAdspaces")}
    assert set(stored) == before | {number}
    assert stored[number].value == made.value
    second = fresh.call("CreateAdspace", adspaceItem={**ADSPACE, "id": number})
    assert second.number("id") != number

    other = {**ADSPACE, "id": number, "name": "Other", "regions": None}
    changed = fresh.call("UpdateAdspace", adspaceItem=other)
    assert changed.text("name") == "Other"
    stored = {one.number("id"): one for one in fresh.pages("GetAdspaces")}
    assert stored[number].text("name") == "Other"
    assert stored[number].at("regions") is None
    for item in ({**ADSPACE, "id": 1}, ADSPACE):
        assert fresh.refusal("UpdateAdspace", adspaceItem=item)[0] == 108

    assert fresh.call("DeleteAdspace", adspaceId=number).value == 1
    assert fresh.call("DeleteAdspace", adspaceId=number).value == 0
    left = {one.number("id") for one in fresh.pages("GetAdspaces")}
    assert left == before | {second.number("id")}


# ---- the report against the transactions it sums up


def traffic(caller: Caller, days: list[datetime], **filters: object) -> list[tuple[str, SoapResponse]]:
    found: list[tuple[str, SoapResponse]] = []
    for day in days:
        for kind in ("lead", "sale"):
            asked = {"date": day, "dateType": "trackingDate", **filters}
            found += [(kind, one) for one in caller.pages(f"Get{kind.title()}s", **asked)]
    return found


# For a group of items 0, for a group of days the length of its dates.
GROUPS = {"program": 0, "admedium": 0, "adspace": 0, "trackingCategory": 0, "day": 10, "month": 7, "year": 4}


@pytest.mark.sampled(1)
@pytest.mark.parametrize("group", [None, *GROUPS])
def test_report_equals_the_sum_of_leads_and_sales(caller: Caller, group: str | None) -> None:
    days = [datetime.fromisoformat(f"2026-{text}T00:00:00+01:00") for text in ("10-31", "11-01")]
    groups = [] if group is None else [group]
    length = GROUPS.get(group or "")

    def of_transaction(one: SoapResponse) -> object:
        return one.at(f"{group}.id") if length == 0 else str(one.at("trackingDate"))[: length or 0]

    def of_row(row: SoapResponse) -> object:
        return row.at(f"{group}.id") if length == 0 else row.at(group) if group else ""

    rows = caller.call("GetReportBasic", fromDate=days[0], toDate=days[1], groupBy=groups)
    expected: dict[tuple[object, ...], Counter[str]] = {}
    for kind, one in traffic(caller, days):
        head = (one.text("currency"), of_transaction(one))
        for state in ("total", one.text("reviewState")):
            sums = expected.setdefault((*head, state), Counter())
            sums["count"] += 1
            sums[f"{kind}Count"] += 1
            sums[f"{kind}Commission"] += cents(one.at("commission"))
            if kind == "sale":
                sums["saleAmount"] += cents(one.at("amount"))
    found: dict[tuple[object, ...], Counter[str]] = {}
    for row in rows.entries():
        for state in ("total", "open", "approved", "confirmed", "rejected"):
            key = (row.text("currency"), of_row(row), state)
            sums = Counter({name: row.number(f"{state}.{name}") for name in ("leadCount", "saleCount")})
            sums["count"] = sums.total()
            for name in ("leadCommission", "saleCommission", "saleAmount"):
                sums[name] = cents(row.at(f"{state}.{name}"))
            if sums["count"]:
                assert key not in found, "a group has one row"
                found[key] = sums
    assert len(expected) > 5
    assert {key: +sums for key, sums in found.items()} == {key: +sums for key, sums in expected.items()}


@pytest.mark.exhaustive
def test_other_groups_split_the_sums_completely(caller: Caller, day: datetime) -> None:
    def total(groups: list[str]) -> tuple[int, Counter[str]]:
        response = caller.call("GetReportBasic", fromDate=day - timedelta(days=7), toDate=day, groupBy=groups)
        sums: Counter[str] = Counter()
        rows = response.entries()
        for row in rows:
            for name in ("clickCount", "viewCount", "leadCount", "saleCount"):
                sums[name] += row.number(f"total.{name}")
        return len(rows), sums

    few, plain = total([])
    for group in ("linkFormat", "reviewState", "dayOfWeek", "currency"):
        count, sums = total([group])
        assert sums == plain
        assert (count > few) is (group != "currency")


@pytest.mark.sampled(1)
@pytest.mark.parametrize("operation", LISTED)
@pytest.mark.parametrize("date_type", ["trackingDate", "clickDate", "modifiedDate", "reviewStateChangedDate"])
def test_no_transaction_is_in_the_future(fresh: Caller, operation: str, date_type: str) -> None:
    now, today = fresh.clock.now(), datetime(2026, 11, 20, tzinfo=timezone(timedelta(hours=1)))
    found = 0
    for back in range(3):
        asked = {"date": today - timedelta(days=back), "dateType": date_type}
        for one in fresh.pages(operation, **asked):
            found += 1
            moments = [one.at(name) for name in ("clickDate", "trackingDate", "modifiedDate")]
            assert all(isinstance(moment, datetime) and moment <= now for moment in moments)
            assert moments == sorted(moments)
            if moments[1] == moments[2]:
                assert one.text("reviewState") == "open"
    assert found > 50


@pytest.mark.sampled(1)
@pytest.mark.parametrize("operation", LISTED)
def test_transaction_changes_with_the_clock(fresh: Caller, operation: str) -> None:
    """A transaction starts as open and as tracked. After its review nothing changes any more."""
    asked = {"date": datetime(2026, 11, 19, tzinfo=timezone(timedelta(hours=1))), "dateType": "trackingDate"}

    def states() -> dict[str, tuple[str, object]]:
        listed = fresh.pages(operation, **asked)
        single = operation.removesuffix("s")
        field = f"{operation[3:-1].lower()}Id"
        one = listed[len(listed) // 2]
        assert fresh.call(single, **{field: one.text("id")}).value == one.value
        return {each.text("id"): (each.text("reviewState"), each.at("modifiedDate")) for each in listed}

    first = states()
    fresh.clock.advance(5 * 86_400)
    second = states()
    fresh.clock.advance(10 * 86_400)
    third = states()
    fresh.clock.advance(400 * 86_400)
    assert first.keys() == second.keys() == third.keys()
    assert states() == third
    opened = [sum(state == "open" for state, _ in each.values()) for each in (first, second, third)]
    assert opened[0] > opened[1] > opened[2] > 0
    assert {state for state, _ in third.values()} == {"open", "approved", "confirmed", "rejected"}
    for number, (_, modified) in third.items():
        assert str(first[number][1]) <= str(second[number][1]) <= str(modified)


def test_report_and_export_of_today_equal_the_lists(staged: Callable[..., Stage]) -> None:
    caller = staged(clicks_per_day=0).caller
    today = datetime(2026, 11, 20, tzinfo=timezone(timedelta(hours=1)))
    asked = {"date": today, "dateType": "trackingDate"}
    sales = caller.pages("GetSales", **asked)
    rows = caller.call("GetReportBasic", fromDate=today, toDate=today).entries()
    assert sum(row.number("total.saleCount") for row in rows) == len(sales) > 10
    states = [one.text("reviewState") for one in sales]
    assert sum(row.number("open.saleCount") for row in rows) == states.count("open")
    header, *cells = caller.export(reportType="sale", fromDate=today.date(), toDate=today.date())
    assert [row[header.index("reviewState")] for row in cells] == states
    assert [row[header.index("saleId")] for row in cells] == [one.text("id") for one in sales]


@pytest.mark.exhaustive
def test_future_day_is_shown_as_it_will_be(fresh: Caller) -> None:
    asked = {"date": datetime(2027, 3, 1, tzinfo=timezone(timedelta(hours=1))), "dateType": "trackingDate"}
    before = fresh.pages("GetSales", **asked)
    assert len(before) > 50
    assert all(str(one.at("modifiedDate")) < "2027-03-02" for one in before)
    fresh.clock.set(datetime(2027, 3, 1, 22, 59, 59, tzinfo=UTC))  # the last second of its day
    after = fresh.pages("GetSales", **asked)
    assert [one.value for one in after] == [one.value for one in before]


@pytest.mark.parametrize("group", ["application", "mediaSlot"])
def test_untracked_groups_are_refused(caller: Caller, day: datetime, group: str) -> None:
    assert caller.refused("GetReportBasic", 107, group, fromDate=day, toDate=day, groupBy=["day", group])
    days = "fromdate=2026-11-01&todate=2026-11-01"
    response = caller.ask("GET", "/json/2011-03-01", f"/reports/basic?{days}&groupby=day,{group}")
    assert response.refused(400, 230, group)


def test_state_filter_of_the_report_equals_that_of_the_lists(caller: Caller, day: datetime) -> None:
    rows = caller.call("GetReportBasic", fromDate=day, toDate=day, reviewState="rejected").entries()
    found = traffic(caller, [day], reviewState="rejected")
    assert found
    assert sum(row.number("total.saleCount") + row.number("total.leadCount") for row in rows) == len(found)
    assert all(one.text("reviewState") == "rejected" for _, one in found)


def test_impossible_report_ranges_are_refused(caller: Caller, day: datetime) -> None:
    for first, last in ((day, day - timedelta(days=1)), (day, day + timedelta(days=366))):
        caller.refusal("GetReportBasic", fromDate=first, toDate=last)
    caller.call("GetReportBasic", fromDate=day, toDate=day)
