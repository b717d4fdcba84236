"""The data of the sandbox is valid, plausible, reproducible and exact."""

from __future__ import annotations

import re
import tracemalloc
from collections import Counter
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from zoneinfo import ZoneInfo

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from lxml import etree

from soapclient.tracking.sandbox import berlin, codec, contracts
from soapclient.tracking.sandbox.data.account import Account
from soapclient.tracking.sandbox.data.catalogue import share
from soapclient.tracking.sandbox.data.store import Store
from soapclient.tracking.sandbox.exports.jobs import Jobs, JobSteps
from soapclient.tracking.sandbox.exports.reports import CLICK, Order
from soapclient.tracking.sandbox.exports.rows import blocks
from soapclient.tracking.sandbox.faults import InvalidValue
from soapclient.tracking.sandbox.operations import Call, handler_of, items
from soapclient.tracking.sandbox.payload import Fields, Payload, Value

ZONE = ZoneInfo("Europe/Berlin")
PUBLISHER = contracts.load()["publisher"]


@pytest.fixture(scope="module")
def store() -> Store:
    return Store(1, 1000)


@example(datetime(2026, 3, 29, 0, 59, 59))
@example(datetime(2026, 3, 29, 1))
@example(datetime(2000, 10, 29, 0))
@example(datetime(2026, 10, 25, 1))
@given(st.datetimes(datetime(1997, 1, 1), datetime(2037, 12, 31)))
def test_berlin_time_follows_the_zone_database(moment: datetime) -> None:
    aware = moment.replace(tzinfo=UTC, microsecond=0)
    # As text: in the repeated hour, Python never treats times of different zone objects as equal.
    assert berlin.in_berlin(aware).isoformat() == aware.astimezone(ZONE).isoformat()


@given(st.dates(date(1997, 1, 1), date(2037, 12, 31)))
def test_berlin_days_follow_the_zone_database(day: date) -> None:
    theirs = datetime(day.year, day.month, day.day, tzinfo=ZONE)
    assert berlin.midnight(day).isoformat() == theirs.isoformat()
    after = day + timedelta(days=1)
    end = datetime(after.year, after.month, after.day, tzinfo=ZONE)
    assert berlin.day_length(day) == (end.timestamp() - theirs.timestamp())


def sales_request(**fields: str) -> etree._Element:
    request = etree.Element(f"{{{PUBLISHER.namespace}}}GetSalesRequest")
    for name, value in fields.items():
        etree.SubElement(request, f"{{{PUBLISHER.namespace}}}{name}").text = value
    return request


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2026-11-01T00:00:00+01:00", "2026-11-01T00:00:00+01:00"),
        ("2026-11-01T00:00:00.5Z", "2026-11-01T00:00:00.500000+00:00"),
        ("2026-10-31T24:00:00-03:30", "2026-11-01T00:00:00-03:30"),
        ("2026-11-01T00:00:00", "2026-11-01T00:00:00"),
    ],
)
def test_date_times_are_read_in_every_form_the_schema_allows(text: str, expected: str) -> None:
    request = sales_request(date=text, dateType="trackingDate", **dict.fromkeys(contracts.AUTH_FIELDS, "x"))
    assert PUBLISHER.errors(request) == []
    moment = Fields(codec.decode(PUBLISHER, request)).instant("date")
    assert moment is not None
    assert moment.isoformat() == expected


def test_date_outside_the_data_is_refused() -> None:
    with pytest.raises(InvalidValue, match="12026"):
        codec.decode(PUBLISHER, sales_request(date="12026-11-01T00:00:00Z"))


@pytest.mark.exhaustive
def test_all_data_satisfies_the_contract(store: Store) -> None:
    """Including data that no operation serves yet."""
    account = store.of("A" * 20).account
    spaces = tuple(adspace.id for adspace in account.initial[:2])

    def check(operation: str, tree: Payload) -> None:
        element = codec.encode(PUBLISHER, f"{{{PUBLISHER.namespace}}}{operation}Response", tree)
        assert PUBLISHER.errors(element) == []

    counts: Counter[str] = Counter()
    for program in store.catalogue.programs:
        check("GetProgram", {"programItem": items.program_item(program)})
        for admedium in program.admedia:
            check("GetAdmedium", {"admediumItem": items.admedium_item(admedium, spaces)})
            counts["admedia"] += 1
        for product in store.catalogue.products(program.id)[:3]:
            check("GetProduct", {"productItem": items.product_item(product, spaces)})
            counts["products"] += 1
        for incentive in store.catalogue.incentives(program.id):
            check("GetIncentive", {"incentiveItem": items.incentive_item(incentive, spaces)})
            counts["incentives"] += 1
    applied = account.program_applications.all()
    applications: list[Payload] = [items.program_application_item(one) for one in applied]
    page: Payload = {"page": 0, "items": len(applications), "total": len(applications)}
    listed: Payload = {"programApplicationItem": applications}
    check("GetProgramApplications", {**page, "programApplicationItems": listed})
    assert all(counts[kind] > 100 for kind in ("admedia", "products", "incentives"))
    assert len({one.status for one in applied}) > 3


def test_amounts_are_decimals_of_two_digits_and_commissions_follow_the_program(store: Store) -> None:
    sales = store.of("A" * 20).sales.tracked_on(date(2026, 11, 1))
    for sale in sales:
        assert isinstance(sale.amount, Decimal)
        for amount in (sale.amount, sale.commission):
            assert amount.as_tuple().exponent == -2
        exact = sale.amount * sale.program.sale_percent / 100
        assert abs(sale.commission - exact) <= Decimal("0.005")
    assert share(Decimal("0.50"), Decimal("1")) == Decimal("0.01")


@pytest.mark.exhaustive
def test_transaction_is_found_by_its_id_and_listed_on_its_days(store: Store) -> None:
    for source in (store.of("A" * 20).sales, store.of("A" * 20).leads):
        for one in source.tracked_on(date(2026, 10, 25)):
            assert source.by_id(one.id) == one
            for date_type in ("clickDate", "modifiedDate", "reviewStateChangedDate"):
                day = one.day_by(date_type)
                if day is not None:
                    assert one in list(source.on(day, date_type))


@pytest.mark.parametrize("per_day", [0, 1, 210, 211, 212, 1000])
def test_computed_click_count_equals_the_rows(per_day: int) -> None:
    store = Store(1, per_day)
    clicks = store.of("A" * 20).clicks
    for day in (date(2026, 11, 1), date(2026, 11, 2)):
        dealt = Counter((clicks.start(day) + row) % len(clicks.slots) for row in range(per_day))
        counts = {slot.index: clicks.count(day, slot) for slot in clicks.slots}
        assert {index: count for index, count in counts.items() if count} == dealt


@pytest.mark.exhaustive
def test_rows_are_not_kept_in_memory(store: Store) -> None:
    """The text of these rows alone is over ten megabytes."""
    big = Store(1, 50_000)
    holdings = big.of("A" * 20)
    day = date(2026, 11, 1)
    order = Order("click", CLICK, (), day, day, "trackingDate", None, None, None, None, None)
    tracemalloc.start()
    try:
        made = sum(rows for rows, _ in blocks(order, holdings))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert made == 50_000
    assert peak < 5_000_000


def test_clicks_are_limited() -> None:
    with pytest.raises(ValueError, match="clicks_per_day"):
        Store(1, -1).of("A" * 20)


# ---- the data depends only on the seed and the account, and concurrent changes are not lost


NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
DAY = datetime(2026, 11, 1, 12, tzinfo=UTC)
FIRST, SECOND = "A" * 20, "B" * 20
READS = (
    "GetProfile", "GetAdspaces", "GetBalances", "GetPayments", "GetBankAccounts", "GetApplications",
    "GetMediaSlots", "GetSettings", "GetProgramApplications", "GetAdmedia", "SearchIncentives",
    "SearchExclusiveIncentives", "SearchProducts", "SearchPrograms", "GetProductCategories",
)  # fmt: skip
# Texts that a JSON reader which guesses types would read as another number.
DECEIVING = re.compile(r"[+-]?(0\d+|\d+\.\d*|\.\d+|\d+(\.\d*)?[eE][+-]?\d+)")


def run(store: Store, account: str, operation: str, /, **fields: Value) -> Payload:
    handler = handler_of("publisher", operation)
    assert handler is not None
    jobs = Jobs(1, lambda: NOW, JobSteps())
    return handler(Call(Fields(fields), account, store, jobs, "https://sandbox.invalid", now=NOW))


def look(store: Store, account: str) -> list[Payload]:
    sale = store.of(account).sales.tracked_on(date(2026, 11, 1))[0]
    return [
        *(run(store, account, name, items=50) for name in READS),
        run(store, account, "GetSales", date=DAY, items=50),
        run(store, account, "GetLeads", date=DAY, items=50),
        run(store, account, "GetSaleBasket", saleId=sale.id),
    ]


def change(store: Store, account: str) -> list[Payload]:
    space = store.of(account).account.initial[0].id
    slot: Payload = {"name": "n", "adspace": {"@id": space, "$": ""}, "applications": {}}
    return [
        run(store, account, "CreateAdspace", adspaceItem={"name": "n", "url": "u"}),
        run(store, account, "CreateApplication", applicationItem={"name": "n"}),
        run(store, account, "CreateMediaSlot", mediaSlotItem=slot),
        run(store, account, "CreateProgramApplication", programId=free(store, account), adspaceId=space),
    ]


def free(store: Store, account: str) -> int:
    known = {one.program.id for one in store.of(account).account.program_applications.all()}
    return next(one.id for one in store.catalogue.programs if one.id not in known)


@pytest.mark.exhaustive
def test_data_does_not_depend_on_the_order_of_requests() -> None:
    one, other = Store(1, 100), Store(1, 100)
    seen = [look(one, FIRST), look(one, SECOND), change(one, FIRST), change(one, SECOND)]
    again = [change(other, SECOND), look(other, FIRST), change(other, FIRST)]
    assert seen[3] == again[0]
    assert seen[0] == again[1]
    assert seen[2] == again[2]
    assert seen[0] != seen[1]
    assert all(mine != theirs for mine, theirs in zip(seen[2], seen[3], strict=True)), "ids are nobody else's"
    assert look(Store(2, 100), FIRST) != seen[0]


def leaves(value: Value) -> list[object]:
    if isinstance(value, Mapping):
        return [leaf for one in value.values() for leaf in leaves(one)]
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [leaf for one in value for leaf in leaves(one)]
    return [value]


def test_amounts_are_not_floats_and_texts_are_unambiguous() -> None:
    assert DECEIVING.fullmatch("00000")
    assert DECEIVING.fullmatch("12.50")
    assert DECEIVING.fullmatch("1e5")
    found = [leaf for tree in look(Store(1, 100), FIRST) for leaf in leaves(tree)]
    assert not [leaf for leaf in found if isinstance(leaf, float)]
    texts = [leaf for leaf in found if isinstance(leaf, str)]
    assert not [text for text in texts if DECEIVING.fullmatch(text)]
    assert sum(text.isdigit() for text in texts) > 20, "the JSON form's numbers must matter"


def account(store: Store) -> Account:
    return store.of(FIRST).account


def test_concurrent_changes_are_all_kept() -> None:
    store = Store(1, 100)
    space, program = account(store).initial[0].id, store.catalogue.by_id[free(store, FIRST)]
    before = len(account(store).adspaces.all()), len(account(store).applications.all())

    def work(_: int) -> bool:
        run(store, FIRST, "CreateAdspace", adspaceItem={"name": "n"})
        run(store, FIRST, "CreateApplication", applicationItem={"name": "n"})
        first = replace(account(store).initial[0])
        return account(store).program_applications.apply(program, first, NOW, None) is not None

    with ThreadPoolExecutor(8) as pool:
        done = list(pool.map(work, range(200)))
    assert done.count(True) == 1
    after = len(account(store).adspaces.all()), len(account(store).applications.all())
    assert after == (before[0] + 200, before[1] + 200)
    ended = run(store, FIRST, "DeleteProgramApplication", programId=program.id, adspaceId=space)
    assert ended == {"count": 1}
