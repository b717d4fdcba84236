"""Inspecting and changing a running sandbox: log, rules, clock, and reset."""

from __future__ import annotations

import threading
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Literal

import pytest
import requests
import zeep.exceptions
from lxml import etree

from soapclient.serving.drift import DriftKind, drift
from soapclient.tracking.sandbox import SAMPLE_CONNECT_ID, rules
from soapclient.tracking.sandbox.rules import Exchange, Rule
from tests.stage import NOW, Stage

SPACE = "http://api.zanox.com/namespace/2011-03-01/"
NO_SALES = (
    f'<GetSalesResponse xmlns="{SPACE}"><page>0</page><items>0</items><total>7</total></GetSalesResponse>'
)
JSON = "/json/2011-03-01"
URI = "/reports/sales/date/2026-11-01"


def test_the_log_has_every_request_with_its_reason_and_no_signature(ruled: Stage) -> None:
    ruled.caller.call("GetBalances")
    ruled.sandbox.switches.forget()  # drop the requests for the contract
    ruled.caller.call("GetBalances")
    ruled.caller.refusal("GetBalance", currency="EUR", signature="x" * 28)
    ruled.caller.ask("GET", JSON, f"{URI}?dateType=trackingDate")
    requests.get(f"{ruled.url}/nothing", timeout=10)
    soap, refused, rest, nothing = ruled.sandbox.switches.calls()
    assert soap.number < refused.number < rest.number < nothing.number
    assert (soap.protocol, soap.service, soap.operation) == ("soap", "publisher", "GetBalances")
    assert (soap.connect_id, soap.status, soap.code) == (SAMPLE_CONNECT_ID, 200, None)
    assert (refused.operation, refused.status, refused.code) == ("", 500, 403)
    assert "is not right" in refused.reason
    assert refused.signed[0].startswith("publisherservicegetbalance")
    assert refused.milliseconds is not None
    assert (rest.protocol, rest.operation, rest.path) == ("rest", "GetSales", f"/json/2011-03-01{URI}")
    assert (nothing.path, nothing.operation, nothing.status) == ("/nothing", "", 404)
    asked = etree.fromstring(rest.request)
    assert asked.tag == f"{{{SPACE}}}GetSalesRequest"
    assert [etree.QName(child).localname for child in asked] == ["date", "dateType"]
    assert etree.fromstring(soap.request).tag == f"{{{SPACE}}}GetBalancesRequest"
    assert len(etree.fromstring(soap.request)) == 0
    assert ruled.sandbox.switches.calls("GetSales") == [rest]


@pytest.mark.parametrize("form", ["soap", "xml", "json"])
def test_scripted_response_has_the_format_of_its_protocol(ruled: Stage, form: str) -> None:
    rule = ruled.sandbox.switches.add(Rule("GetSales", "response", times=1), xml=NO_SALES)
    totals = []
    for _ in range(2):
        if form == "soap":
            totals.append(ruled.caller.call("GetSales", date=NOW, dateType="trackingDate").number("total"))
            continue
        response = ruled.caller.ask("GET", f"/{form}/2011-03-01", f"{URI}?dateType=trackingDate")
        if form == "xml":
            totals.append(int(response.xml().findtext(f"{{{SPACE}}}total") or ""))
        else:
            totals.append(int(response.json()["total"]))
    assert totals[0] == 7
    assert totals[1] != 7
    assert rule.used == 1
    assert [one.rule for one in ruled.sandbox.switches.calls()] == [rule.number, None]


def test_log_has_rest_only_fields(ruled: Stage) -> None:
    ruled.caller.ask("GET", JSON, "/products?q=shoe&ean=4006381333931")
    (one,) = ruled.sandbox.switches.calls("SearchProducts")
    asked = [(etree.QName(child).localname, child.text) for child in etree.fromstring(one.request)]
    assert ("ean", "4006381333931") in asked
    assert ("query", "shoe") in asked


def test_bounded_rules_have_priority_then_the_latest(ruled: Stage) -> None:
    for code, times in ((201, None), (202, None), (203, 1), (204, 2)):
        ruled.sandbox.switches.add(Rule("GetBalances", "fault", code=code, reason="so", times=times))
    ruled.sandbox.switches.add(Rule(None, "fault", code=205, times=1))
    codes = [ruled.caller.refusal("GetBalances")[0] for _ in range(6)]
    assert codes == [203, 204, 204, 205, 202, 202]
    assert [one.code for one in ruled.sandbox.switches.calls("GetBalances")] == codes


@pytest.mark.parametrize(("code", "status"), [(404, 404), (230, 400), (777, 500), (429, 429)])
def test_a_fault_has_any_code(ruled: Stage, code: int, status: int) -> None:
    ruled.sandbox.switches.add(Rule("GetBalances", "fault", code=code, reason="because <it> is"))
    assert ruled.caller.refusal("GetBalances") == (code, "because <it> is")
    found = ruled.caller.ask("GET", JSON, "/payments/balances").error()
    assert found == (status, str(code), "because <it> is")


def test_unavailable_rule_sends_an_http_error(ruled: Stage) -> None:
    ruled.sandbox.switches.add(Rule(None, "unavailable", retry_after=3))
    response = ruled.caller.ask("GET", JSON, "/payments/balances")
    assert (response.status, response.headers["Retry-After"]) == (503, "3")


@pytest.mark.parametrize("processed", [False, True])
def test_a_connection_is_reset_before_or_after_the_request_is_processed(
    ruled: Stage, processed: bool
) -> None:
    ruled.sandbox.switches.add(Rule("CreateReportJob", "reset", processed=processed, times=1))
    with pytest.raises(requests.ConnectionError):
        ruled.caller.order()
    assert len(ruled.sandbox.jobs.of(SAMPLE_CONNECT_ID)) == processed
    (lost,) = ruled.sandbox.switches.calls("CreateReportJob")
    assert lost.status is None
    assert ruled.caller.order()


def test_connection_hangs_until_reset(ruled: Stage) -> None:
    ruled.sandbox.switches.add(Rule("GetBalances", "hang", seconds=600))
    ends: list[BaseException] = []

    def ask() -> None:
        try:
            ruled.caller.call("GetBalances")
        except requests.ConnectionError as error:
            ends.append(error)

    asking = threading.Thread(target=ask)
    asking.start()
    while not ruled.sandbox.switches.calls("GetBalances"):
        asking.join(0.01)
    assert asking.is_alive()
    ruled.sandbox.switches.forget()
    asking.join(30)
    assert len(ends) == 1


def test_sandbox_clock_can_be_moved(ruled: Stage) -> None:
    job = ruled.caller.order()
    assert ruled.caller.call("GetJob", jobId=job).text("status") == "created"
    ruled.sandbox.advance(10)
    assert ruled.sandbox.now() == ruled.clock.now() + timedelta(seconds=10)
    assert ruled.caller.call("GetJob", jobId=job).text("status") == "done"


def test_reset_restores_the_initial_state(ruled: Stage) -> None:
    balances = ruled.caller.call("GetBalances").value
    ruled.caller.order()
    ruled.sandbox.switches.add(Rule(None, "fault"))
    ruled.sandbox.advance(3600)
    ruled.sandbox.reset()
    assert (ruled.sandbox.switches.calls(), ruled.sandbox.switches.rules()) == ([], [])
    assert ruled.sandbox.jobs.of(SAMPLE_CONNECT_ID) == []
    assert ruled.sandbox.now() == ruled.clock.now()
    assert str(ruled.caller.call("GetBalances").value) == str(balances)


def test_invalid_rule_is_refused(ruled: Stage) -> None:
    add = ruled.sandbox.switches.add
    broken = f'<GetSalesResponse xmlns="{SPACE}"><total>x</total></GetSalesResponse>'
    with pytest.raises(ValueError, match="times must be 1 or more, got 0"):
        Rule("GetSales", "fault", times=0)
    with pytest.raises(ValueError, match=r"GetSales: the response breaks the contract: .*total"):
        add(Rule("GetSales", "response"), xml=broken)
    with pytest.raises(ValueError, match=r"GetSale: the response must be .*GetSaleResponse, got"):
        add(Rule("GetSale", "response"), xml=NO_SALES)
    with pytest.raises(ValueError, match="Name the operation"):
        add(Rule(None, "response"), xml=NO_SALES)
    assert ruled.sandbox.switches.rules() == []


def _body(exchange: Exchange) -> etree._Element:
    """Return the message of a response."""
    return next(iter(etree.fromstring(exchange.response.encode()).iterfind("{*}Body/*")))


@pytest.mark.parametrize("drift", ["element", "value", "missing"])
def test_drift_rule_sends_a_response_that_violates_the_schema(
    ruled: Stage, drift: Literal["element", "value", "missing"]
) -> None:
    schema = ruled.sandbox.contracts["publisher"].errors
    ruled.sandbox.switches.add(Rule("GetSales", "drift", drift=drift, times=1))
    asked = {"date": NOW, "dateType": "trackingDate"}
    with suppress(zeep.exceptions.Error):  # zeep may refuse the changed response
        ruled.caller.call("GetSales", **asked)
    ruled.caller.call("GetSales", **asked)
    odd, usual = ruled.sandbox.switches.calls("GetSales")
    assert schema(_body(usual)) == []
    assert schema(_body(odd))
    before = [node.tag for node in _body(usual).iter()]
    after = [node.tag for node in _body(odd).iter()]
    assert len(after) - len(before) == {"element": 1, "value": 0, "missing": -1}[drift]


def test_slow_response_still_arrives(ruled: Stage) -> None:
    ruled.sandbox.switches.add(Rule("GetBalances", "slow", seconds=0.2))
    ruled.caller.call("GetBalances")
    (one,) = ruled.sandbox.switches.calls("GetBalances")
    assert one.status == 200


# ---- the switches over HTTP, if enabled, offer everything the Python methods do


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
    balances = {"operation": "GetBalances"}
    fault = posted(ruled, "rules", {**balances, "kind": "fault", "code": 404, "times": 1}, status=201)
    posted(ruled, "rules", {**balances, "kind": "response", "xml": NO_BALANCES}, status=201)
    assert ruled.caller.refusal("GetBalances") == (404, "scripted")
    assert ruled.caller.call("GetBalances").number("total") == 0
    calls = asked(ruled, "calls?operation=GetBalances")
    assert [one["protocol"] for one in calls] == ["soap", "soap"]
    assert [(one["status"], one["code"]) for one in calls] == [(500, 404), (200, None)]
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
    later = ruled.clock.now() + timedelta(seconds=90)
    assert posted(ruled, "clock", {"advance": 90}) == {"now": later.isoformat()}
    posted(ruled, "rules", {"operation": None, "kind": "reset"}, status=201)
    assert posted(ruled, "reset", {}) == {"now": ruled.clock.now().isoformat()}
    assert (asked(ruled, "calls"), asked(ruled, "rules")) == ([], [])


RULE = {"operation": "GetSales", "kind": "fault"}


@pytest.mark.sampled(6)
@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"operation": "GetSails"}, "there is no operation 'GetSails'; the operations are CreateAdspace, "),
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
    headers = {"Content-Type": "application/json"}
    response = requests.post(f"{ruled.url}/-/clock", data=body, headers=headers, timeout=10)
    assert (response.status_code, list(response.json())) == (400, ["error"])
    assert requests.get(f"{ruled.url}/-/clock", timeout=10).json() == {"now": ruled.clock.now().isoformat()}


def test_rules_are_bounded(ruled: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rules, "MAX_RULES", 2)
    for _ in range(2):
        posted(ruled, "rules", RULE, status=201)
    assert "at most 2 rules are allowed" in str(posted(ruled, "rules", RULE, status=400)["error"])


def test_other_sites_cannot_use_the_switches(ruled: Stage) -> None:
    for kind in ("text/plain", "application/x-www-form-urlencoded", ""):
        headers = {"Content-Type": kind}
        response = requests.post(f"{ruled.url}/-/reset", data=b"{}", headers=headers, timeout=10)
        assert response.status_code == 415


def test_switches_are_off_by_default(shared_stage: Stage) -> None:
    assert requests.get(f"{shared_stage.url}/-/calls", timeout=10).status_code == 404


# ---- drift: lxml rejects the changed response; if a drift does not apply, nothing changes


SCHEMA = etree.XMLSchema(
    etree.fromstring(
        '<x:schema xmlns:x="http://www.w3.org/2001/XMLSchema"><x:element name="r"><x:complexType><x:sequence>'
        '<x:element name="may" type="x:string" minOccurs="0"/>'
        '<x:element name="group" minOccurs="0"><x:complexType><x:sequence>'
        '<x:element name="must" type="x:int"/></x:sequence></x:complexType></x:element>'
        '<x:element name="colour" minOccurs="0"><x:simpleType><x:restriction base="x:string">'
        '<x:enumeration value="red"/></x:restriction></x:simpleType></x:element>'
        "</x:sequence></x:complexType></x:element></x:schema>"
    )
)


def errors(element: etree._Element) -> list[str]:
    copy = etree.fromstring(etree.tostring(element))
    SCHEMA.validate(copy)
    return [error.message for error in SCHEMA.error_log]


@pytest.mark.parametrize(
    ("kind", "before", "after"),
    [
        ("element", "<r/>", "<r><unheardOf>from a switch</unheardOf></r>"),
        (
            "value",
            "<r><may>x</may><group><must>1</must></group><colour>red</colour></r>",
            "<r><may>x</may><group><must>1</must></group><colour>unheardOf</colour></r>",
        ),
        ("value", "<r><may>x</may><group><must>1</must></group></r>", None),
        (
            "missing",
            "<r><may>x</may><group><must>1</must></group><colour>red</colour></r>",
            "<r><may>x</may><group/><colour>red</colour></r>",
        ),
        ("missing", "<r><may>x</may><colour>red</colour></r>", None),
        ("missing", "<r/>", None),
    ],
)
def test_only_the_first_place_is_changed(kind: DriftKind, before: str, after: str | None) -> None:
    element = etree.fromstring(before)
    assert errors(element) == []
    drift(kind, element, errors)
    assert etree.tostring(element).decode() == (after or before)
    assert bool(errors(element)) is (after is not None)
