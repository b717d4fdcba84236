"""Inspecting and changing a running sandbox: log, rules, clock, and reset."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import suppress
from datetime import timedelta
from typing import TYPE_CHECKING, Literal

import pytest
import requests
import zeep.exceptions
from lxml import etree

from soapclient.tracking.sandbox import SAMPLE_CONNECT_ID
from soapclient.tracking.sandbox.rules import Exchange, Rule
from tests.stage import NOW, Stage

if TYPE_CHECKING:
    from tests.tracking.sandbox.caller import Caller

SPACE = "http://api.zanox.com/namespace/2011-03-01/"
NO_SALES = (
    f'<GetSalesResponse xmlns="{SPACE}"><page>0</page><items>0</items><total>7</total></GetSalesResponse>'
)
JSON = "/json/2011-03-01"
URI = "/reports/sales/date/2026-11-01"


@pytest.fixture(scope="module")
def stage() -> Iterator[Stage]:
    with Stage(clicks_per_day=5) as made:
        yield made


@pytest.fixture(autouse=True)
def _as_at_the_start(stage: Stage) -> None:
    stage.sandbox.reset()


@pytest.fixture
def caller(stage: Stage) -> Caller:
    return stage.caller


def test_the_log_has_every_request_and_no_signature(stage: Stage, caller: Caller) -> None:
    caller.call("GetBalances")
    stage.sandbox.switches.forget()  # drop the requests for the contract
    caller.call("GetBalances")
    caller.refusal("GetBalance", currency="EUR", signature="x" * 28)
    caller.ask("GET", JSON, f"{URI}?dateType=trackingDate")
    requests.get(f"{stage.url}/nothing", timeout=10)
    soap, refused, rest, nothing = stage.sandbox.switches.calls()
    assert soap.number < refused.number < rest.number < nothing.number
    assert (soap.protocol, soap.service, soap.operation) == ("soap", "publisher", "GetBalances")
    assert (soap.connect_id, soap.status, soap.code) == (SAMPLE_CONNECT_ID, 200, None)
    assert (refused.operation, refused.status, refused.code) == ("", 500, 403)
    assert (rest.protocol, rest.operation, rest.path) == ("rest", "GetSales", f"/json/2011-03-01{URI}")
    assert (nothing.path, nothing.operation, nothing.status) == ("/nothing", "", 404)
    asked = etree.fromstring(rest.request)
    assert asked.tag == f"{{{SPACE}}}GetSalesRequest"
    assert [etree.QName(child).localname for child in asked] == ["date", "dateType"]
    assert etree.fromstring(soap.request).tag == f"{{{SPACE}}}GetBalancesRequest"
    assert len(etree.fromstring(soap.request)) == 0
    assert stage.sandbox.switches.calls("GetSales") == [rest]


@pytest.mark.parametrize("form", ["soap", "xml", "json"])
def test_scripted_response_has_the_format_of_its_protocol(stage: Stage, caller: Caller, form: str) -> None:
    rule = stage.sandbox.switches.add(Rule("GetSales", "response", times=1), xml=NO_SALES)
    totals = []
    for _ in range(2):
        if form == "soap":
            totals.append(caller.call("GetSales", date=NOW, dateType="trackingDate").number("total"))
            continue
        response = caller.ask("GET", f"/{form}/2011-03-01", f"{URI}?dateType=trackingDate")
        if form == "xml":
            totals.append(int(response.xml().findtext(f"{{{SPACE}}}total") or ""))
        else:
            found = response.json()
            assert isinstance(found, dict)
            totals.append(int(found["total"]))
    assert totals[0] == 7
    assert totals[1] != 7
    assert rule.used == 1
    assert [one.rule for one in stage.sandbox.switches.calls()] == [rule.number, None]


def test_log_has_rest_only_fields(stage: Stage, caller: Caller) -> None:
    caller.ask("GET", JSON, "/products?q=shoe&ean=4006381333931")
    (one,) = stage.sandbox.switches.calls("SearchProducts")
    asked = [(etree.QName(child).localname, child.text) for child in etree.fromstring(one.request)]
    assert ("ean", "4006381333931") in asked
    assert ("query", "shoe") in asked


def test_bounded_rules_have_priority_then_the_latest(stage: Stage, caller: Caller) -> None:
    for code, times in ((201, None), (202, None), (203, 1), (204, 2)):
        stage.sandbox.switches.add(Rule("GetBalances", "fault", code=code, reason="so", times=times))
    stage.sandbox.switches.add(Rule(None, "fault", code=205, times=1))
    codes = [caller.refusal("GetBalances")[0] for _ in range(6)]
    assert codes == [203, 204, 204, 205, 202, 202]
    assert [one.code for one in stage.sandbox.switches.calls("GetBalances")] == codes


@pytest.mark.parametrize(("code", "status"), [(404, 404), (230, 400), (777, 500), (429, 429)])
def test_a_fault_has_any_code(stage: Stage, caller: Caller, code: int, status: int) -> None:
    stage.sandbox.switches.add(Rule("GetBalances", "fault", code=code, reason="because <it> is"))
    assert caller.refusal("GetBalances") == (code, "because <it> is")
    found = caller.ask("GET", JSON, "/payments/balances").error()
    assert found == (status, str(code), "because <it> is")


def test_unavailable_rule_sends_an_http_error(stage: Stage, caller: Caller) -> None:
    stage.sandbox.switches.add(Rule(None, "unavailable", retry_after=3))
    response = caller.ask("GET", JSON, "/payments/balances")
    assert (response.status, response.headers["Retry-After"]) == (503, "3")


@pytest.mark.parametrize("processed", [False, True])
def test_a_connection_is_reset_before_or_after_the_request_is_processed(
    stage: Stage, caller: Caller, processed: bool
) -> None:
    stage.sandbox.switches.add(Rule("CreateReportJob", "reset", processed=processed, times=1))
    with pytest.raises(requests.ConnectionError):
        caller.order()
    assert len(stage.sandbox.jobs.of(SAMPLE_CONNECT_ID)) == processed
    (lost,) = stage.sandbox.switches.calls("CreateReportJob")
    assert lost.status is None
    assert caller.order()


def test_connection_hangs_until_reset(stage: Stage, caller: Caller) -> None:
    stage.sandbox.switches.add(Rule("GetBalances", "hang", seconds=600))
    ends: list[BaseException] = []

    def ask() -> None:
        try:
            caller.call("GetBalances")
        except requests.ConnectionError as error:
            ends.append(error)

    asking = threading.Thread(target=ask)
    asking.start()
    while not stage.sandbox.switches.calls("GetBalances"):
        asking.join(0.01)
    assert asking.is_alive()
    stage.sandbox.switches.forget()
    asking.join(30)
    assert len(ends) == 1


def test_sandbox_clock_can_be_moved(stage: Stage, caller: Caller) -> None:
    job = caller.order()
    assert caller.call("GetJob", jobId=job).text("status") == "created"
    stage.sandbox.advance(10)
    assert stage.sandbox.now() == stage.clock.now() + timedelta(seconds=10)
    assert caller.call("GetJob", jobId=job).text("status") == "done"


def test_reset_restores_the_initial_state(stage: Stage, caller: Caller) -> None:
    balances = caller.call("GetBalances").value
    caller.order()
    stage.sandbox.switches.add(Rule(None, "fault"))
    stage.sandbox.advance(3600)
    stage.sandbox.reset()
    assert (stage.sandbox.switches.calls(), stage.sandbox.switches.rules()) == ([], [])
    assert stage.sandbox.jobs.of(SAMPLE_CONNECT_ID) == []
    assert stage.sandbox.now() == stage.clock.now()
    assert str(caller.call("GetBalances").value) == str(balances)


def test_invalid_rule_is_refused(stage: Stage) -> None:
    add = stage.sandbox.switches.add
    with pytest.raises(
        ValueError, match="there is no operation 'GetSails'; the operations are CreateAdspace, "
    ):
        add(Rule("GetSails", "fault"))
    with pytest.raises(ValueError, match=r"kind must be one of: response, fault, .*got 'flood'"):
        Rule("GetSales", "flood")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="times must be 1 or more, got 0"):
        Rule("GetSales", "fault", times=0)
    with pytest.raises(ValueError, match=r"GetSales: the response breaks the contract: .*total"):
        add(
            Rule("GetSales", "response"),
            xml=f'<GetSalesResponse xmlns="{SPACE}"><total>x</total></GetSalesResponse>',
        )
    with pytest.raises(ValueError, match=r"GetSale: the response must be .*GetSaleResponse, got"):
        add(Rule("GetSale", "response"), xml=NO_SALES)
    with pytest.raises(ValueError, match="Name the operation"):
        add(Rule(None, "response"), xml=NO_SALES)
    assert stage.sandbox.switches.rules() == []


def _body(exchange: Exchange) -> etree._Element:
    """Return the message of a response."""
    return next(iter(etree.fromstring(exchange.response.encode()).iterfind("{*}Body/*")))


@pytest.mark.parametrize("drift", ["element", "value", "missing"])
def test_drift_rule_sends_a_response_that_violates_the_schema(
    stage: Stage, caller: Caller, drift: Literal["element", "value", "missing"]
) -> None:
    schema = stage.sandbox.contracts["publisher"].errors
    stage.sandbox.switches.add(Rule("GetSales", "drift", drift=drift, times=1))
    asked = {"date": NOW, "dateType": "trackingDate"}
    with suppress(zeep.exceptions.Error):  # zeep may refuse the changed response
        caller.call("GetSales", **asked)
    caller.call("GetSales", **asked)
    odd, usual = stage.sandbox.switches.calls("GetSales")
    assert schema(_body(usual)) == []
    assert schema(_body(odd))
    before = [node.tag for node in _body(usual).iter()]
    after = [node.tag for node in _body(odd).iter()]
    assert len(after) - len(before) == {"element": 1, "value": 0, "missing": -1}[drift]


def test_slow_response_still_arrives(stage: Stage, caller: Caller) -> None:
    stage.sandbox.switches.add(Rule("GetBalances", "slow", seconds=0.2))
    caller.call("GetBalances")
    (one,) = stage.sandbox.switches.calls("GetBalances")
    assert one.status == 200


def test_log_shows_the_reason_and_the_signed_string(stage: Stage, caller: Caller) -> None:
    caller.refusal("GetBalance", currency="EUR", signature="x" * 28)
    one = stage.sandbox.switches.calls()[-1]
    assert "is not right" in one.reason
    assert one.signed[0].startswith("publisherservicegetbalance")
    assert one.milliseconds is not None
