"""A wrong local clock is corrected once from the service's clock, and the offset is remembered."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

from soapclient import Client
from soapclient.clock import ManualClock
from soapclient.errors import AmbiguousOutcome, AuthenticationError, UnexpectedResponse
from soapclient.tracking.sandbox import Sandbox, serve

if TYPE_CHECKING:
    from tests.soap.conftest import OpenClient, Responses
    from tests.support.wire import Wire

# The tests' clock is stopped at 2026-11-20 12:00:00 GMT.
AHEAD = "Fri, 20 Nov 2026 14:00:00 GMT"
NEAR = "Fri, 20 Nov 2026 12:10:00 GMT"


def refuse(wire: Wire, responses: Responses, date: str | None, code: int = 403) -> None:
    headers = {} if date is None else {"Date": date}
    wire.answers(responses.fault(code, "the signature is too old"), 500, **headers)


def times(wire: Wire) -> list[str]:
    return [sent.fields["timestamp"][11:] for sent in wire.sent]


def test_a_wrong_clock_costs_one_attempt_and_is_remembered(
    client: Client, clock: ManualClock, wire: Wire, responses: Responses, hmac_of: Callable[..., str]
) -> None:
    refuse(wire, responses, AHEAD)
    wire.answers(responses.profile())
    client.publisher.get_profile()
    assert times(wire) == ["12:00:00", "14:00:00"]
    second = wire.sent[1]
    assert second.headers["date"] == AHEAD
    signed = (second.fields["timestamp"], second.fields["nonce"])
    assert second.fields["signature"] == hmac_of("publisherservice", "getprofile", *signed)
    assert second.fields["nonce"] != wire.sent[0].fields["nonce"]
    assert clock.sleeps == []

    clock.advance(60)
    wire.answers(responses.profile())
    client.publisher.get_profile()
    wire.answers(responses.profile())
    client.publisher.zeep.GetProfile()
    assert times(wire)[2:] == ["14:01:00", "14:01:00"]


def test_fast_clock_is_corrected(client: Client, wire: Wire, responses: Responses) -> None:
    refuse(wire, responses, "Fri, 20 Nov 2026 09:30:00 GMT")
    wire.answers(responses.profile())
    client.publisher.get_profile()
    assert times(wire) == ["12:00:00", "09:30:00"]


@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    "date", [NEAR, None, "today", "", "Fri, 20 Nov 2026 14:00:00", "Fri, 20 Nov 99999999999999 14:00:00 GMT"]
)
def test_refusal_without_clock_skew_is_raised_at_once(
    client: Client, wire: Wire, responses: Responses, date: str | None
) -> None:
    refuse(wire, responses, date)
    with pytest.raises(AuthenticationError):
        client.publisher.get_profile()
    assert len(wire.sent) == 1
    wire.answers(responses.profile())
    client.publisher.get_profile()
    assert times(wire) == ["12:00:00", "12:00:00"]


def test_implausible_date_is_ignored(client: Client, wire: Wire, responses: Responses) -> None:
    refuse(wire, responses, "Fri, 31 Dec 9999 23:59:59 GMT")
    with pytest.raises(AuthenticationError):
        client.publisher.get_profile()
    wire.answers(responses.profile())
    client.publisher.get_profile()
    assert times(wire) == ["12:00:00", "12:00:00"]


def test_clock_correction_adds_exactly_one_attempt(client: Client, wire: Wire, responses: Responses) -> None:
    for _ in range(4):
        refuse(wire, responses, AHEAD)
    with pytest.raises(AuthenticationError):
        client.publisher.get_profile()
    assert times(wire) == ["12:00:00", "14:00:00"]
    # An offset with which no request succeeded is not kept: the next call measures it again.
    with pytest.raises(AuthenticationError):
        client.publisher.get_profile()
    assert times(wire)[2:] == ["12:00:00", "14:00:00"]


def test_later_clock_change_is_detected(
    client: Client, clock: ManualClock, wire: Wire, responses: Responses
) -> None:
    refuse(wire, responses, AHEAD)
    wire.answers(responses.profile())
    client.publisher.get_profile()
    clock.advance(7200)  # the machine's clock is set
    refuse(wire, responses, AHEAD)
    wire.answers(responses.profile())
    client.publisher.get_profile()
    assert times(wire) == ["12:00:00", "14:00:00", "16:00:00", "14:00:00"]


def test_skew_threshold_is_half_of_the_validity(
    open_client: OpenClient, wire: Wire, responses: Responses
) -> None:
    refuse(wire, responses, NEAR)
    wire.answers(responses.profile())
    open_client(signature_validity_minutes=15).publisher.get_profile()
    assert times(wire) == ["12:00:00", "12:10:00"]


def test_write_succeeds_despite_a_wrong_clock(client: Client, wire: Wire, responses: Responses) -> None:
    refuse(wire, responses, AHEAD)
    wire.answers(responses.of("DeleteAdspace", "<count>1</count>"))
    assert client.publisher.delete_adspace(adspace_id=1).count == 1
    assert times(wire) == ["12:00:00", "14:00:00"]


def test_write_whose_second_response_is_lost_is_ambiguous(
    client: Client, wire: Wire, responses: Responses
) -> None:
    refuse(wire, responses, AHEAD)
    wire.does(lambda exchange: exchange.drop())
    with pytest.raises(AmbiguousOutcome):
        client.publisher.delete_adspace(adspace_id=1)
    assert len(wire.sent) == 2


def test_a_refusal_without_soap_corrects_the_clock_as_well(
    client: Client, wire: Wire, responses: Responses
) -> None:
    wire.answers(b"denied", 403, Content_Type="text/plain", Date=AHEAD)
    wire.answers(responses.profile())
    client.publisher.get_profile()
    assert times(wire) == ["12:00:00", "14:00:00"]


def test_other_failures_do_not_change_the_clock_offset(
    client: Client, wire: Wire, responses: Responses
) -> None:
    wire.answers(b"lost", 404, Content_Type="text/plain", Date=AHEAD)
    with pytest.raises(UnexpectedResponse):
        client.publisher.get_profile()
    wire.answers(responses.profile(), Date=AHEAD)
    client.publisher.get_profile()
    assert times(wire) == ["12:00:00", "12:00:00"]


def test_stream_succeeds_despite_a_wrong_clock(client: Client, wire: Wire, responses: Responses) -> None:
    refuse(wire, responses, AHEAD)
    wire.answers(responses.sales(responses.sale(1)))
    day = dt.date(2026, 11, 1)
    with client.publisher.stream.get_sales(date=day, date_type="trackingDate") as sales:
        assert len(list(sales)) == 1
    assert times(wire) == ["12:00:00", "14:00:00"]


def test_each_endpoint_has_its_own_clock_offset(client: Client, wire: Wire, responses: Responses) -> None:
    refuse(wire, responses, AHEAD)
    wire.answers(responses.profile())
    client.publisher.get_profile()
    wire.answers(responses.of("GetJob", space="http://data.zanox.com/namespace/2011-05-01/"))
    client.data.get_job(job_id="job-1")
    assert times(wire)[-1] == "12:00:00"


def test_real_verifier_accepts_the_correction(open_client: OpenClient) -> None:
    late = dt.datetime(2026, 11, 20, 15, 0, 0, tzinfo=dt.UTC)  # three hours after the client's clock
    with Sandbox(clock=lambda: late) as service, serve(service, timeout=5) as server:
        client = open_client(server.url)
        assert client.publisher.get_profile().profile_item is not None
        assert client.publisher.get_balances().total >= 0
