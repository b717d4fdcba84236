"""The switches over HTTP, if enabled, offer everything the Python methods do."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING

import pytest
import requests

from soapclient.tracking.sandbox import rules
from tests.stage import Stage

if TYPE_CHECKING:
    pass

SPACE = "http://api.zanox.com/namespace/2011-03-01/"
NO_BALANCES = f"""<GetBalancesResponse xmlns="{SPACE}">
    <page>0</page><items>0</items><total>0</total></GetBalancesResponse>"""


def posted(ruled: Stage, what: str, body: object, status: int = 200) -> dict[str, object]:
    response = requests.post(f"{ruled.url}/-/{what}", json=body, timeout=10)
    assert response.status_code == status, response.text
    found: dict[str, object] = response.json()
    return found


def asked(ruled: Stage, what: str) -> list[dict[str, object]]:
    response = requests.get(f"{ruled.url}/-/{what}", timeout=10)
    assert (response.status_code, response.headers["Content-Type"]) == (200, "application/json")
    found: list[dict[str, object]] = response.json()
    return found


def test_rules_are_added_and_the_log_is_read(ruled: Stage) -> None:
    fault = posted(
        ruled, "rules", {"operation": "GetBalances", "kind": "fault", "code": 404, "times": 1}, status=201
    )
    posted(ruled, "rules", {"operation": "GetBalances", "kind": "response", "xml": NO_BALANCES}, status=201)
    assert ruled.caller.refusal("GetBalances") == (404, "scripted")
    assert ruled.caller.call("GetBalances").number("total") == 0
    calls = asked(ruled, "calls?operation=GetBalances")
    assert [(one["protocol"], one["status"], one["code"]) for one in calls] == [
        ("soap", 500, 404),
        ("soap", 200, None),
    ]
    assert datetime.fromisoformat(str(calls[0]["moment"])) == ruled.clock.now()
    rules = asked(ruled, "rules")
    assert [(rule["kind"], rule["used"]) for rule in rules] == [("fault", 1), ("response", 1)]
    assert rules[0]["number"] == fault["number"] == calls[0]["rule"]
    assert all("/-/" not in str(one["path"]) for one in asked(ruled, "calls"))


def test_rest_only_response_is_json(ruled: Stage) -> None:
    content = {"aggregatedReportList": [{"clickCount": 7}]}
    posted(ruled, "rules", {"operation": "GetProgramReport", "kind": "response", "json": content}, status=201)
    path = "/report/program/1801?fromDate=2026-11-01&toDate=2026-11-02"
    assert ruled.caller.ask("GET", "/2015-03-01", path).body == b'{"aggregatedReportList":[{"clickCount":7}]}'


def test_clock_can_be_moved_and_everything_reset(ruled: Stage) -> None:
    ruled.caller.order()
    assert posted(ruled, "clock", {"advance": 90}) == {
        "now": (ruled.clock.now() + timedelta(seconds=90)).isoformat()
    }
    posted(ruled, "rules", {"operation": None, "kind": "reset"}, status=201)
    assert posted(ruled, "reset", {}) == {"now": ruled.clock.now().isoformat()}
    assert (asked(ruled, "calls"), asked(ruled, "rules")) == ([], [])


RULE = {"operation": "GetSales", "kind": "fault"}


@pytest.mark.sampled(6)
@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"operation": "GetSails"}, "there is no operation 'GetSails'"),
        ({"kind": "flood"}, "kind must be one of: response, fault"),
        ({"cod": 1}, "unknown rule fields: cod; "),
        ({"code": "1"}, 'the rule field code must be an integer, got "1"'),
        ({"times": True}, "the rule field times must be an integer or null, got true"),
        ({"kind": "response", "xml": "<a/>"}, "response must be {"),
        ({"kind": "response", "xml": "<a"}, "not well-formed"),
        ({"operation": "GetProgramReport", "kind": "response"}, "must be a JSON object"),
        ({"kind": "hang", "seconds": -1}, "seconds must be from 0 to 86400"),
        ({"kind": "unavailable", "retry_after": -1}, "retry_after must"),
        ({"code": 2**31}, "a number that fits in 32 bits"),
        ({"reason": "\ud800"}, "surrogates"),
    ],
)
def test_invalid_rule_is_refused_with_the_reason(ruled: Stage, change: dict[str, object], said: str) -> None:
    assert said in str(posted(ruled, "rules", RULE | change, 400)["error"])
    assert ruled.sandbox.switches.rules() == []


@pytest.mark.parametrize(
    ("what", "body", "status", "said"),
    [
        ("rules", {"operation": "GetSales"}, 400, "a rule needs kind"),
        ("rules", [], 400, "must be a JSON object"),
        ("clock", {"advance": "1"}, 400, "advance must be a number of seconds, got '1'"),
        *(
            ("clock", {"advance": seconds}, 400, "to a time from 1970 to 9000")
            for seconds in (1e300, 10**14, 250_000_000_000, -(10**10))
        ),
        ("calls", {}, 405, "POST is not allowed for /-/calls"),
        ("sales", {}, 404, "there is no /-/sales; the resources are calls, rules, clock and reset"),
    ],
)
def test_invalid_request_is_refused_with_the_reason(
    ruled: Stage, what: str, body: object, status: int, said: str
) -> None:
    assert said in str(posted(ruled, what, body, status)["error"])


@pytest.mark.parametrize(
    "body", [b"[" * 100_000, b'{"advance": NaN}', b'{"advance": 1e999}', b'{"advance": ' + b"9" * 5000 + b"}"]
)
def test_unusable_json_values_are_refused(ruled: Stage, body: bytes) -> None:
    response = requests.post(
        f"{ruled.url}/-/clock", data=body, headers={"Content-Type": "application/json"}, timeout=10
    )
    assert (response.status_code, list(response.json())) == (400, ["error"])
    assert requests.get(f"{ruled.url}/-/clock", timeout=10).json() == {"now": ruled.clock.now().isoformat()}


def test_rules_are_bounded(ruled: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rules, "MAX_RULES", 2)
    for _ in range(2):
        posted(ruled, "rules", RULE, status=201)
    assert "at most 2 rules are allowed" in str(posted(ruled, "rules", RULE, status=400)["error"])


def test_other_sites_cannot_use_the_switches(ruled: Stage) -> None:
    for kind in ("text/plain", "application/x-www-form-urlencoded", ""):
        response = requests.post(
            f"{ruled.url}/-/reset", data=b"{}", headers={"Content-Type": kind}, timeout=10
        )
        assert response.status_code == 415


def test_switches_are_off_by_default(shared_stage: Stage) -> None:
    assert requests.get(f"{shared_stage.url}/-/calls", timeout=10).status_code == 404
