"""A refusal by the service is the same exception over every protocol.

The codes are in docs/explanation/service.md#fault-codes.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest

from soapclient import Client
from soapclient.clock import ManualClock
from soapclient.errors import AuthenticationError, ServiceFault
from soapclient.tracking.sandbox import SAMPLE_SECRET_KEY
from tests.stage import NOW

if TYPE_CHECKING:
    from tests.protocols.conftest import OpenWay, Ways

DAY = dt.date(2026, 11, 1)
ALL = ("soap", "rest-xml-headers", "rest-xml-query", "rest-json-headers", "rest-json-query")
WRONG = "not the key of this account"


@dataclass(frozen=True)
class Refused:
    """A call that the service refuses: the codes of REST and SOAP, and words of the reason."""

    operation: str
    call: Callable[[Client], object]
    rest: int
    soap: int
    reason: str


REFUSED = [
    # docs/explanation/service.md#fault-codes: 230 is a bad parameter; the single codes below 200 are the
    # sandbox's
    Refused("SearchPrograms", lambda c: c.publisher.search_programs(items=51), 230, 105, "50"),
    Refused("GetAdspaces", lambda c: c.publisher.get_adspaces(page=-1), 230, 105, "page"),
    Refused(
        "GetReportBasic",
        lambda c: c.publisher.get_report_basic(from_date=DAY, to_date=dt.date(2026, 10, 1)),
        230, 105, "after",
    ),
    Refused(
        "CreateProgramApplication",
        lambda c: c.publisher.create_program_application(program_id=1, adspace_id=25978510),
        108, 108, "no program 1",
    ),
    Refused(
        "CreateReportJob",
        lambda c: c.data.create_report_job(report_type="sale", from_date=DAY, to_date=DAY, columns="x"),
        107, 107, "columns",
    ),
]  # fmt: skip


def fault_of(call: Callable[[Client], object], client: Client) -> ServiceFault:
    with pytest.raises(ServiceFault) as caught:
        call(client)
    return caught.value


def profile(client: Client) -> object:
    return client.publisher.get_profile()


def denied(call: Callable[[Client], object], client: Client) -> AuthenticationError:
    """Return the error of a call whose authentication is refused. Checks its code."""
    error = fault_of(call, client)
    assert type(error) is AuthenticationError
    assert error.code == 403
    return error


@pytest.mark.sampled(2)
@pytest.mark.parametrize("case", REFUSED, ids=lambda case: case.operation)
def test_refused_request_is_the_same_error_over_all_protocols(ways: Ways, case: Refused) -> None:
    reasons = set()
    for name in ALL:
        error = fault_of(case.call, ways[name].client)
        assert type(error) is ServiceFault, name
        assert error.code == (case.soap if name == "soap" else case.rest), name
        assert case.reason in error.reason
        assert error.operation == case.operation
        assert error.error_id
        assert error.error_id in str(error)
        assert error.attempts == 1
        if name != "soap":
            assert error.message == "invalid request"
        reasons.add(error.reason)
    assert len(reasons) == 1  # the same text over every protocol


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", ALL)
def test_wrong_key_is_refused_for_signed_operations(open_way: OpenWay, name: str) -> None:
    client = open_way(name, secret_key=WRONG).client
    for call in (
        profile,
        lambda c: c.data.get_jobs(),
        lambda c: c.publisher.delete_adspace(adspace_id=25978510),
        lambda c: c.advertiser.get_partnerships(partner_code=["1C1"]),
    ):
        error = denied(call, client)
        assert error.attempts == 1
        assert "signature" in error.reason
        assert WRONG not in str(error)
    assert client.publisher.search_programs(items=1).total == 300  # a public operation needs no signature
    assert client.advertiser.get_public_partnerships(partner_code=["1C1"]).error_list


@pytest.mark.sampled(4)
@pytest.mark.parametrize("name", ALL)
def test_unknown_connect_id_is_refused_by_public_operations_too(open_way: OpenWay, name: str) -> None:
    client = open_way(name, connect_id="AAAABBBBCCCCDDDDEEEE").client
    for call in (
        profile,
        lambda c: c.publisher.search_programs(),
        lambda c: c.advertiser.get_public_partnerships(partner_code=["1C1"]),
    ):
        assert "not known" in denied(call, client).reason


@pytest.mark.sampled(4)
@pytest.mark.parametrize("name", ALL)
def test_used_nonce_is_refused(open_way: OpenWay, name: str) -> None:
    client = open_way(name, nonce_source=lambda: "NONCE-THE-SAME-EVER-AND-EVER").client
    assert client.publisher.get_profile().profile_item
    error = denied(profile, client)
    assert error.attempts == 1
    assert "nonce was used before" in error.reason


@pytest.mark.sampled(4)
@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize(("minutes", "accepted"), [(29, True), (31, False), (-31, False)])
def test_expired_signature_is_refused(open_way: OpenWay, name: str, minutes: int, accepted: bool) -> None:
    """Each request arrives `minutes` after it was signed.

    It is signed again, but only a limited number of times.
    """
    way = open_way(name, deadline=10_800)
    way.sandbox.interfere = lambda _: way.clock.advance(60 * minutes)
    if accepted:
        assert way.client.publisher.get_profile().profile_item
        return
    assert denied(profile, way.client).attempts == 1
    assert len(way.sandbox.switches.calls()) == 3


@pytest.mark.sampled(4)
@pytest.mark.parametrize("name", ALL)
def test_clock_change_during_a_request_is_handled(open_way: OpenWay, name: str) -> None:
    clock = ManualClock(NOW - dt.timedelta(hours=1))
    way = open_way(name, clock=clock, deadline=7200)
    hour = [3600.0]
    way.sandbox.interfere = lambda _: clock.advance(hour.pop()) if hour else None
    assert way.client.publisher.get_profile().profile_item
    assert len(way.sandbox.switches.calls()) == 2
    assert way.client.publisher.engine.offset == dt.timedelta(0)


@pytest.mark.sampled(4)
@pytest.mark.parametrize("name", ALL)
def test_wrong_key_is_reported_despite_a_wrong_clock(open_way: OpenWay, name: str) -> None:
    ahead = ManualClock(NOW + dt.timedelta(hours=3))
    way = open_way(name, clock=ahead, secret_key=WRONG)
    for requests in (2, 4):  # corrected in vain each time, so the correction is not kept
        assert denied(profile, way.client).attempts == 1
        assert len(way.sandbox.switches.calls()) == requests
        assert way.client.publisher.engine.offset == dt.timedelta(0)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", ALL)
def test_wrong_clock_is_detected_and_corrected(open_way: OpenWay, name: str) -> None:
    ahead = dt.datetime(2026, 11, 20, 15, 0, 0, tzinfo=dt.UTC)
    way = open_way(name, clock=ManualClock(ahead))
    spaces = way.client.publisher.get_adspaces().total
    assert way.client.publisher.delete_adspace(adspace_id=25978510).count == 1  # writes survive it as well
    assert way.client.publisher.get_adspaces().total == spaces - 1
    assert way.client.publisher.engine.offset == -dt.timedelta(hours=3)


@pytest.mark.parametrize("name", [one for one in ALL if one != "soap"])
def test_program_of_another_advertiser_is_refused(ways: Ways, name: str) -> None:
    days: dict[str, Any] = {"from_date": DAY, "to_date": dt.date(2026, 11, 3)}
    error = denied(lambda c: c.advertiser.get_program_report(program_id=1801, **days), ways[name].client)
    assert error.message == "access denied"
    assert SAMPLE_SECRET_KEY not in str(error)
