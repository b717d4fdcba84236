"""Fields that no SOAP request has, and the basket: handlers are called as a protocol calls them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal

import pytest

from soapclient.tracking.sandbox.data.store import Store
from soapclient.tracking.sandbox.exports.jobs import Jobs, JobSteps
from soapclient.tracking.sandbox.faults import Code, InvalidValue
from soapclient.tracking.sandbox.operations import Call, handler_of
from soapclient.tracking.sandbox.payload import Fields, Payload, Value

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
CET = timezone(timedelta(hours=1))
DAY = date(2026, 11, 1)
ACCOUNT = "A" * 20

Run = Callable[..., Payload]


@pytest.fixture(scope="module")
def store() -> Store:
    return Store(1, 500)


@pytest.fixture(scope="module")
def run(store: Store) -> Iterator[Run]:
    jobs = Jobs(1, lambda: NOW, JobSteps())

    def call(operation: str, /, **fields: Value) -> Payload:
        handler = handler_of("publisher", operation)
        assert handler is not None
        return handler(Call(Fields(fields), ACCOUNT, store, jobs, "https://sandbox.invalid", now=NOW))

    yield call
    jobs.close()


def at(tree: Value, *path: str) -> Value:
    for name in path:
        assert isinstance(tree, Mapping)
        tree = tree[name]
    return tree


def entries(tree: Value, *path: str) -> list[Payload]:
    """Return the entries at a path, by default those of a list, such as `saleItems.saleItem`."""
    assert isinstance(tree, Mapping)
    name = next((name for name in tree if name.endswith("Items")), "")
    found = at(tree, *(path or (name, name.removesuffix("s"))))
    assert isinstance(found, Sequence)
    return [one for one in found if isinstance(one, Mapping)]


def pages(run: Run, operation: str, **fields: Value) -> list[Payload]:
    found: list[Payload] = []
    page = 0
    while part := entries(run(operation, page=page, items=50, **fields)):
        found += part
        page += 1
    return found


def ids(found: list[Payload]) -> list[Value]:
    return [one["@id"] for one in found]


def test_industry_is_a_main_or_sub_industry(run: Run) -> None:
    everything = pages(run, "SearchPrograms")
    found = pages(run, "SearchPrograms", industry=13)
    mains = [one for one in everything if at(one, "industries", "main", "@id") == 13]
    subs = [one for one in everything if 13 in ids(entries(one, "industries", "sub"))]
    assert mains
    assert subs
    assert set(ids(found)) == set(ids(mains)) | set(ids(subs))


def test_programs_are_exclusive_or_not(run: Run, store: Store) -> None:
    parts = [pages(run, "SearchPrograms", isExclusive=flag) for flag in (True, False)]
    assert set(ids(parts[0])) == {one.id for one in store.catalogue.programs if one.exclusive}
    assert sum(len(part) for part in parts) == len(store.catalogue.programs)
    assert all(parts)


@pytest.mark.exhaustive
def test_products_are_filtered_by_ean_merchant_category_and_partnership(run: Run, store: Store) -> None:
    products = list(store.catalogue.all_products.values())
    one = products[17]
    assert ids(pages(run, "SearchProducts", ean=one.ean)) == [one.id]
    assert run("SearchProducts", ean="1")["total"] == 0
    assert run("SearchProducts", ean="1")["query"] is None
    kinds = list(dict.fromkeys(product.merchant_category for product in products))[:2]
    for wanted in (kinds[:1], kinds, [kinds[1].upper()]):
        found = pages(run, "SearchProducts", merchantCategory=wanted)
        meant = {kind.casefold() for kind in wanted}
        expected = [each.id for each in products if each.merchant_category.casefold() in meant]
        assert ids(found) == expected
    partnerships = pages(run, "GetProgramApplications", status="confirmed")
    partners = {at(each, "program", "@id") for each in partnerships}
    confirmed = pages(run, "SearchProducts", partnership="confirmed")
    assert ids(confirmed) == [each.id for each in products if each.program_id in partners]
    assert 0 < len(confirmed) < len(products)
    assert run("SearchProducts", partnership="all")["total"] == len(products)
    with pytest.raises(InvalidValue) as refused:
        run("SearchProducts", partnership="some")
    assert refused.value.code is Code.UNKNOWN_VALUE


@pytest.mark.sampled(1)
@pytest.mark.parametrize("date_type", ["clickDate", "trackingDate", "modifiedDate", "reviewStateChangedDate"])
def test_report_uses_the_requested_date_type(run: Run, store: Store, date_type: str) -> None:
    """The expected counts are from a wider range of transactions, filtered by the date in question."""
    moment = datetime(2026, 11, 1, tzinfo=CET)
    fields: dict[str, Value] = {"fromDate": moment, "toDate": moment, "dateType": date_type}
    rows = entries(run("GetReportBasic", **fields))
    expected: Counter[str] = Counter()
    for name, source in (("lead", store.of(ACCOUNT).leads), ("sale", store.of(ACCOUNT).sales)):
        for shift in range(-20, 21):
            for one in source.tracked_on(DAY + timedelta(days=shift)):
                expected[name] += one.day_by(date_type) == DAY
    for name, count in expected.items():
        assert sum(int(str(at(row, "total", f"{name}Count"))) for row in rows) == count > 0
    assert sum(int(str(at(row, "total", "clickCount"))) for row in rows) == 500


def test_an_unknown_date_type_is_refused(run: Run) -> None:
    moment = datetime(2026, 11, 1, tzinfo=CET)
    with pytest.raises(InvalidValue, match="reviewStateChangedDate") as refused:
        run("GetReportBasic", fromDate=moment, toDate=moment, dateType="someDate")
    assert refused.value.code is Code.UNKNOWN_VALUE


def test_basket_sums_to_its_sale(run: Run, store: Store) -> None:
    sizes = set()
    for sale in store.of(ACCOUNT).sales.tracked_on(DAY):
        basket = entries(run("GetSaleBasket", saleId=sale.id))
        sizes.add(len(basket))
        for name, whole in (("amount", sale.amount), ("commission", sale.commission)):
            parts = [one[name] for one in basket]
            assert all(isinstance(part, Decimal) and part >= 0 for part in parts)
            assert sum((Decimal(str(part)) for part in parts), Decimal(0)) == whole
        names = {category.id: category.name for category in sale.program.tracking}
        for one in basket:
            assert one["productName"]
            assert one["currency"] == sale.currency
            number = at(one, "trackingCategory", "@id")
            assert isinstance(number, int)
            assert at(one, "trackingCategory", "$") == names[number]
    assert sizes == {1, 2, 3, 4}


def test_an_unknown_sale_has_no_basket(run: Run, store: Store) -> None:
    other = store.of("B" * 20).sales.tracked_on(DAY)[0].id
    lead = store.of(ACCOUNT).leads.tracked_on(DAY)[0].id
    for unknown in ("nothing", other, lead):
        assert run("GetSaleBasket", saleId=unknown) == {"basketItems": None}
