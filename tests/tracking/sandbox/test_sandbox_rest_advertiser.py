"""The Advertiser interface: partner codes and the program report."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest

from soapclient.tracking.sandbox import SAMPLE_CONNECT_ID, SAMPLE_SECRET_KEY, Sandbox
from tests.stage import Stage
from tests.tracking.sandbox.caller import Caller

LIST, PUBLIC = "/member/partnership", "/member/partnership/public"
ALWAYS = ["partnerCode", "userId", "adspaceId"]
# docs/explanation/service.md#rest-forms
STATES = {
    "partnerCodeStatus": {
        "ACTIVE", "INACTIVE", "PROGRAM_DEACTIVATED_BY_USER", "PROGRAM_PENDING",
        "PROGRAM_DEACTIVATED_BY_ADMIN", "DELETED",
    },
    "userStatus": {"ACTIVE", "LOCKED", "PREDELETED", "DELETED"},
    "adspaceStatus": {"ACTIVE", "INACTIVE", "DELETED"},
    "admediaStatus": {"ACTIVE", "DEACTIVATED", "TESTING", "DELETED"},
}  # fmt: skip
NAMES = [
    *ALWAYS, "partnerCodeStatus", "userName", "userStatus", "adspaceName", "adspaceUrl", "adspaceStatus",
    "admediaId", "admediaName", "admediaStatus",
]  # fmt: skip


@pytest.fixture
def stage(staged: Callable[..., Stage]) -> Stage:
    return staged(clicks_per_day=10)


def codes_of(stage: Stage) -> list[str]:
    return stage.sandbox.partner_codes(SAMPLE_CONNECT_ID)


def ask(caller: Caller, query: str, uri: str = LIST) -> Any:
    response = caller.rest("GET", uri, query)
    assert response.status_code == 200, response.text
    return response.json()


def test_own_codes_show_everything_and_foreign_codes_only_ids(stage: Stage) -> None:
    codes, program = codes_of(stage), stage.sandbox.program_of(SAMPLE_CONNECT_ID)
    assert all(re.fullmatch(r"\d+C\d+T?", code) for code in codes)
    assert len(set(codes)) == len(codes)
    assert 0 < sum(code.endswith("T") for code in codes) < len(codes)
    own = foreign = 0
    for start in range(0, len(codes), 25):
        asked = codes[start : start + 25][::-1]
        response = ask(stage.caller, f"PARTNERCODE={','.join(asked)}")
        assert list(response) == ["partnerCodeList"]
        assert [one["partnerCode"] for one in response["partnerCodeList"]] == asked
        for one in response["partnerCodeList"]:
            if list(one) == ALWAYS:
                foreign += 1
                continue
            own += 1
            assert list(one) == NAMES
            assert all(one[name] in allowed for name, allowed in STATES.items())
            medium = stage.caller.call("GetAdmedium", admediumId=one["admediaId"])
            assert medium.number("program.id") == program
            assert medium.text("name") == one["admediaName"]
    assert own > 5
    assert foreign > 1


@pytest.mark.sampled(2)
@pytest.mark.parametrize("seed", [1, 2, 5])
def test_every_ad_medium_state_occurs(staged: Callable[..., Stage], seed: int) -> None:
    stage = staged(seed=seed)
    found: dict[int, set[str]] = {}
    for code in codes_of(stage):
        (one,) = ask(stage.caller, f"partnerCode={code}")["partnerCodeList"]
        if list(one) != ALWAYS:
            found.setdefault(one["admediaId"], set()).add(one["admediaStatus"])
    assert all(len(states) == 1 for states in found.values())
    assert set().union(*found.values()) == STATES["admediaStatus"]


def test_every_other_state_occurs_among_a_few_programs(staged: Callable[..., Stage]) -> None:
    found = dict[str, set[str]]()
    for seed in range(1, 4):
        stage = staged(seed=seed)
        for one in ask(stage.caller, f"partnerCode={','.join(codes_of(stage)[:25])}")["partnerCodeList"]:
            for name in ("partnerCodeStatus", "userStatus", "adspaceStatus"):
                found.setdefault(name, set()).update({one[name]} if name in one else ())
    assert found | {"admediaStatus": STATES["admediaStatus"]} == STATES


def test_unknown_codes_are_listed_separately(stage: Stage) -> None:
    code = codes_of(stage)[0]
    response = ask(stage.caller, f"partnerCode=nobody,{code},{code}X,00000000C00000000")
    assert [one["partnerCode"] for one in response["partnerCodeList"]] == [code]
    unknown = ["nobody", f"{code}X", "00000000C00000000"]
    assert [one["partnerCode"] for one in response["errorList"]] == unknown
    for error in response["errorList"]:
        assert list(error) == ["partnerCode", "code", "message", "reason"]
        assert error["code"] == 108
    assert ask(stage.caller, "partnerCode=nobody")["partnerCodeList"] == []


@pytest.mark.sampled(3)
@pytest.mark.parametrize("uri", [LIST, PUBLIC])
@pytest.mark.parametrize("count", [0, 1, 25, 26])
def test_one_to_twenty_five_codes_are_accepted(stage: Stage, uri: str, count: int) -> None:
    code = codes_of(stage)[0]
    response = stage.caller.rest("GET", uri, f"partnerCode={','.join([code] * count)}")
    if 1 <= count <= 25:
        assert len(response.json()["partnerCodeList"]) == count
        return
    assert (response.status_code, response.json()["code"]) == (400, 230)
    assert "partnerCode" in response.json()["reason"]
    assert stage.caller.rest("GET", uri).status_code == 400


def test_public_operation_needs_only_the_connect_id_and_shows_ids(stage: Stage) -> None:
    caller, codes = stage.caller, codes_of(stage)
    query = f"partnerCode={codes[0]},{codes[-1]},x&connectid={SAMPLE_CONNECT_ID}"
    response = caller.rest("GET", PUBLIC, query, headers={})
    assert response.status_code == 200
    full = ask(caller, f"partnerCode={codes[0]},{codes[-1]}")["partnerCodeList"]
    assert response.json()["partnerCodeList"] == [{name: one[name] for name in ALWAYS} for one in full]
    assert response.json()["errorList"][0]["partnerCode"] == "x"
    assert caller.rest("GET", LIST, query, headers={}).status_code == 401
    assert caller.rest("GET", PUBLIC, "partnerCode=x", headers={}).status_code == 401


def test_ownership_depends_on_the_caller(staged: Callable[..., Stage]) -> None:
    other = "B" * 20
    stage = staged(clicks_per_day=10, accounts={SAMPLE_CONNECT_ID: SAMPLE_SECRET_KEY, other: "secret"})
    code = codes_of(stage)[0]
    assert stage.sandbox.program_of(other) != stage.sandbox.program_of(SAMPLE_CONNECT_ID)
    stage.caller.connect_id, stage.caller.secret = other, "secret"
    (shown,) = ask(stage.caller, f"partnerCode={code}")["partnerCodeList"]
    assert list(shown) == ALWAYS
    with Sandbox(seed=1) as again, Sandbox(seed=2) as different:
        assert again.partner_codes(SAMPLE_CONNECT_ID) == codes_of(stage)
        assert different.partner_codes(SAMPLE_CONNECT_ID) != codes_of(stage)


def test_nonce_is_optional_only_in_the_advertiser_interface(stage: Stage) -> None:
    """It is optional (docs/explanation/service.md#rest-forms); then each signature is valid only once."""
    caller, code = stage.caller, codes_of(stage)[0]

    def unnonced(uri: str) -> dict[str, str]:
        date = caller.headers("GET", uri)["Date"]
        signature = caller.sign("GET", uri, date)
        return {"Authorization": f"ZXWS {caller.connect_id}:{signature}", "Date": date}

    headers = unnonced(LIST)
    codes = [caller.rest("GET", LIST, f"partnerCode={code}", headers=headers).status_code for _ in range(2)]
    assert codes == [200, 403]
    assert caller.rest("GET", "/profiles", headers=unnonced("/profiles")).status_code == 403


@pytest.mark.sampled(2)
@pytest.mark.parametrize("nesting", ["array", "nested", "single"])
def test_other_nestings_have_the_same_content(staged: Callable[..., Stage], nesting: str) -> None:
    plain, other = staged(clicks_per_day=10), staged(clicks_per_day=10, partner_list=nesting)
    codes = codes_of(plain)

    def both(query: str) -> tuple[Any, Any]:
        first = ask(plain.caller, query)
        return ask(other.caller, query), first["partnerCodeList"]

    shown, expected = both(f"partnerCode={codes[0]},{codes[1]}")
    names = {"array": expected, "nested": {"partnerCodeList": {"partnerCode": expected}}}
    assert shown == names.get(nesting, {"partnerCodeList": expected})
    shown, expected = both(f"partnerCode={codes[0]}")
    assert shown == {**names, "array": expected, "single": expected[0],
                     "nested": {"partnerCodeList": {"partnerCode": expected}}}[nesting]  # fmt: skip
    shown, expected = both(f"partnerCode={codes[0]},x")
    assert shown["errorList"][0]["partnerCode"] == "x"
    inside = {"nested": {"partnerCode": expected}, "single": expected[0]}.get(nesting, expected)
    assert shown["partnerCodeList"] == inside


def test_an_unknown_nesting_is_refused_at_once() -> None:
    with pytest.raises(ValueError, match="nested, single"):
        Sandbox(partner_list="flat")  # type: ignore[arg-type]  # must be refused


COUNTS = ("viewCount", "tpvCount", "clickCount", "leadCount", "saleCount")
AMOUNTS = ("clickCommission", "leadCommission", "saleCommission", "saleAmount")


def report(stage: Stage, groups: str, first: str = "2026-09-20", end: str = "2026-11-05") -> list[Any]:
    program = stage.sandbox.program_of(SAMPLE_CONNECT_ID)
    query = f"fromdate={first}&todate={end}" + (groups and f"&groupby={groups}")
    response = stage.caller.rest("GET", f"/report/program/{program}", query)
    assert response.status_code == 200, response.text
    rows: list[Any] = json.loads(response.text, parse_float=Decimal)["aggregatedReportList"]
    return rows


def totals(rows: list[Any]) -> Counter[str]:
    sums: Counter[str] = Counter()
    for row in rows:
        for name in (*COUNTS, *AMOUNTS):
            sums[name] += row[name]
    return sums


GROUPS = {
    "": ["day"],
    "DAY": ["day"],
    "month": ["month"],
    "adspace": ["adspaceId", "adspaceName", "userId", "userName"],
    "admedium": ["admediaId", "admediaName"],
    "adspace,admedium": ["adspaceId", "adspaceName", "userId", "userName", "admediaId", "admediaName"],
    "admedium,month": ["month", "admediaId", "admediaName"],
}


@pytest.mark.sampled(1)
@pytest.mark.parametrize("groups", GROUPS)
def test_totals_are_equal_for_any_grouping(stage: Stage, groups: str) -> None:
    finest, rows = report(stage, "day,adspace,admedium"), report(stage, groups)
    assert totals(rows) == totals(finest)
    assert all(amount > 0 for amount in totals(rows).values() if amount)
    assert totals(rows)["saleCount"] > 100
    assert {tuple(row) for row in rows} == {(*GROUPS[groups], "currency", *(
        "viewCount", "tpvCount", "clickCount", "clickCommission", "leadCount", "leadCommission",
        "saleCount", "saleCommission", "saleAmount",
    ))}  # fmt: skip
    keys = [tuple(row[name] for name in GROUPS[groups]) for row in rows]
    assert len(set(keys)) == len(keys)
    # Every row is the sum of the finest rows with the same key. Decimals keep their number of digits.
    finest_months = [{**row, "month": row["day"][:7]} for row in finest]
    for key, row in zip(keys, rows, strict=True):
        same = [one for one in finest_months if tuple(one[name] for name in GROUPS[groups]) == key]
        assert totals(same) == totals([row])
        # finite
        assert all(-Decimal(row[name]).as_tuple().exponent == 2 for name in AMOUNTS)  # type: ignore[operator]


def test_end_day_is_exclusive(stage: Stage) -> None:
    days = [row["day"] for row in report(stage, "day", "2026-10-30", "2026-11-02")]
    assert days == ["2026-10-30", "2026-10-31", "2026-11-01"]
    first = totals(report(stage, "day", "2026-10-30", "2026-10-31"))
    second = totals(report(stage, "day", "2026-10-31", "2026-11-02"))
    assert first + second == totals(report(stage, "day", "2026-10-30", "2026-11-02"))
    # The clock shows 2026-11-20: nothing is tracked later, and 90 days earlier is 2026-08-22.
    assert report(stage, "day", "2026-11-19", "9999-12-31")[-1]["day"] == "2026-11-20"
    assert report(stage, "day", "2026-08-22", "2026-08-23")


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("query", "named"),
    [
        ("fromdate=2026-11-02&todate=2026-11-02", "todate"),
        ("fromdate=2026-08-21&todate=2026-11-02", "fromdate"),
        ("fromdate=2026-11-01&todate=2026-11-02&groupby=day,month", "groupby"),
        ("fromdate=2026-11-01&todate=2026-11-02&groupby=adspace,adspace", "groupby: 'adspace' occurs"),
        ("fromdate=2026-11-01&todate=2026-11-02&format=xml", "format"),
    ],
)
def test_invalid_report_parameters_are_refused(stage: Stage, query: str, named: str) -> None:
    program = stage.sandbox.program_of(SAMPLE_CONNECT_ID)
    response = stage.caller.rest("GET", f"/report/program/{program}", query)
    assert (response.status_code, response.json()["code"]) == (400, 230)
    assert named in response.json()["reason"]


def test_only_the_own_program_has_a_report(stage: Stage) -> None:
    program = stage.sandbox.program_of(SAMPLE_CONNECT_ID)
    days = "fromdate=2026-11-01&todate=2026-11-02"
    for other in (program + 1, 1, 0):
        response = stage.caller.rest("GET", f"/report/program/{other}", days)
        assert (response.status_code, response.json()["code"]) == (403, 403)
    assert stage.caller.rest("GET", "/report/program/", days).status_code == 404
    assert stage.caller.rest("GET", "/report/program/x", days).status_code == 400
    assert stage.caller.rest("GET", f"/report/program/{program}", days, headers={}).status_code == 401
