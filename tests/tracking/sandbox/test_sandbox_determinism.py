"""The data depends only on the seed and the account. Concurrent changes are not lost."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, date, datetime

import pytest

from soapclient.tracking.sandbox.data.account import Account
from soapclient.tracking.sandbox.data.store import Store
from soapclient.tracking.sandbox.exports.jobs import Jobs, JobSteps
from soapclient.tracking.sandbox.operations import Call, handler_of
from soapclient.tracking.sandbox.payload import Fields, Payload, Value

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
    return [
        run(store, account, "CreateAdspace", adspaceItem={"name": "n", "url": "u"}),
        run(store, account, "CreateApplication", applicationItem={"name": "n"}),
        run(
            store,
            account,
            "CreateMediaSlot",
            mediaSlotItem={"name": "n", "adspace": {"@id": space, "$": ""}, "applications": {}},
        ),
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
        applied = account(store).program_applications.apply(
            program, replace(account(store).initial[0]), NOW, None
        )
        return applied is not None

    with ThreadPoolExecutor(8) as pool:
        done = list(pool.map(work, range(200)))
    assert done.count(True) == 1
    after = len(account(store).adspaces.all()), len(account(store).applications.all())
    assert after == (before[0] + 200, before[1] + 200)
    assert run(store, FIRST, "DeleteProgramApplication", programId=program.id, adspaceId=space) == {
        "count": 1
    }
