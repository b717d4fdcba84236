"""The data of the sandbox is valid, plausible, reproducible and exact."""

from __future__ import annotations

import tracemalloc
from collections import Counter
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from zoneinfo import ZoneInfo

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from lxml import etree

from soapclient.tracking.sandbox import berlin, codec, contracts
from soapclient.tracking.sandbox.data.catalogue import share
from soapclient.tracking.sandbox.data.store import Store
from soapclient.tracking.sandbox.exports.reports import CLICK, Order
from soapclient.tracking.sandbox.exports.rows import blocks
from soapclient.tracking.sandbox.faults import InvalidValue
from soapclient.tracking.sandbox.operations import items
from soapclient.tracking.sandbox.payload import Fields, Payload

ZONE = ZoneInfo("Europe/Berlin")


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
    publisher = contracts.load()["publisher"]
    tag = f"{{{publisher.namespace}}}GetSalesRequest"
    request = etree.Element(tag)
    for name, value in (
        ("date", text),
        ("dateType", "trackingDate"),
        *((n, "x") for n in contracts.AUTH_FIELDS),
    ):
        etree.SubElement(request, f"{{{publisher.namespace}}}{name}").text = value
    assert publisher.errors(request) == []
    moment = Fields(codec.decode(publisher, request)).instant("date")
    assert moment is not None
    assert moment.isoformat() == expected


def test_date_outside_the_data_is_refused() -> None:
    publisher = contracts.load()["publisher"]
    request = etree.Element(f"{{{publisher.namespace}}}GetSalesRequest")
    etree.SubElement(request, f"{{{publisher.namespace}}}date").text = "12026-11-01T00:00:00Z"
    with pytest.raises(InvalidValue, match="12026"):
        codec.decode(publisher, request)


@pytest.mark.exhaustive
def test_all_data_satisfies_the_contract(store: Store) -> None:
    """Including data that no operation serves yet."""
    publisher = contracts.load()["publisher"]
    account = store.of("A" * 20).account
    spaces = tuple(adspace.id for adspace in account.initial[:2])

    def check(operation: str, tree: Payload) -> None:
        element = codec.encode(publisher, f"{{{publisher.namespace}}}{operation}Response", tree)
        assert publisher.errors(element) == []

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
    check(
        "GetProgramApplications",
        {
            "page": 0,
            "items": len(applications),
            "total": len(applications),
            "programApplicationItems": {"programApplicationItem": applications},
        },
    )
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
        assert {
            slot.index: clicks.count(day, slot) for slot in clicks.slots if clicks.count(day, slot)
        } == dealt


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
