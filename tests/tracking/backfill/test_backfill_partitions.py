"""For any plan, each day is in exactly one partition of each account and report."""

from __future__ import annotations

import datetime as dt
import pickle
from collections import Counter
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from soapclient.tracking.backfill import BackfillAccount, BackfillReport, Plan
from soapclient.tracking.backfill.dataset import partitions
from soapclient.tracking.exports.handle import ExportHandle

labels = st.lists(
    st.from_regex(r"[a-z][a-z0-9._-]{0,8}", fullmatch=True), min_size=1, max_size=3, unique=True
)


@st.composite
def plans(draw: st.DrawFn) -> Plan:
    first = draw(st.dates(dt.date(2010, 1, 1), dt.date(2030, 12, 31)))
    return Plan(
        accounts=tuple(BackfillAccount(name=name) for name in draw(labels)),
        reports=tuple(BackfillReport(type="click", name=name) for name in draw(labels)),
        first=first,
        last=first + dt.timedelta(days=draw(st.integers(0, 400))),
        days=draw(st.integers(1, 366)),
        output="out",
        work=Path("work"),
    )


@given(plans())
def test_days_are_covered_once(plan: Plan) -> None:
    found = list(partitions(plan))
    length = (plan.last - plan.first).days + 1
    days = Counter(
        (one.account.name, one.report, one.first + dt.timedelta(days=shift))
        for one in found
        for shift in range((one.last - one.first).days + 1)
    )
    assert set(days.values()) == {1}
    assert len(days) == len(plan.accounts) * len(plan.reports) * length
    assert {day for _, _, day in days} == {plan.first + dt.timedelta(days=shift) for shift in range(length)}
    for one in found:
        assert (one.last - one.first).days + 1 == plan.days or one.last == plan.last
        assert dict(one.request) == {
            "report_type": "click", "from_date": str(one.first), "to_date": str(one.last)
        }  # fmt: skip
    assert len({one.folder for one in found}) == len(found)


@given(plans())
def test_partitions_are_compared_by_value(plan: Plan) -> None:
    one = next(partitions(plan))
    again = pickle.loads(pickle.dumps(one))
    assert again == one
    assert hash(again) == hash(one)
    assert again.folder == f"account={plan.accounts[0].name}/report={plan.reports[0].name}/date={plan.first}"


def test_equivalent_options_give_equal_requests() -> None:
    def hash_of(**options: str | int | list[str]) -> str:
        plan = Plan(
            accounts=(BackfillAccount(name="a"),),
            reports=(BackfillReport(type="click", options=options),),
            first=dt.date(2026, 11, 1),
            last=dt.date(2026, 11, 1),
            output="out",
            work=Path("work"),
        )
        return next(partitions(plan)).request_sha256

    listed = hash_of(group_by=["day", "country"], currency="EUR")
    assert listed == hash_of(currency="EUR", group_by="day, country")
    assert listed != hash_of(currency="EUR", group_by="country,day")
    request: dict[str, str | int] = {
        "from_date": "2026-11-01", "to_date": "2026-11-01", "report_type": "click", "currency": "EUR",
        "group_by": "day,country",
    }  # fmt: skip
    assert listed == ExportHandle("data", "5", "click", request, None).request_sha256
