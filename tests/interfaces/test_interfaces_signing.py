"""Each attempt is signed anew, and a wrong local clock is corrected once from the service's clock."""

from __future__ import annotations

import pytest

from soapclient.errors import AmbiguousOutcome, AuthenticationError, UnexpectedResponse
from tests.interfaces.conftest import Case, signature_of

pytestmark = pytest.mark.sampled(2, 4)
AHEAD = "Fri, 20 Nov 2026 14:00:00 GMT"  # the tests' clock is stopped at 12:00:00
NEAR = "Fri, 20 Nov 2026 12:10:00 GMT"
DATES = (NEAR, None, "", "Fri, 20 Nov 2026 14:00:00", "Fri, 31 Dec 9999 23:59:59 GMT")


def test_each_attempt_has_a_new_time_nonce_and_signature(case: Case) -> None:
    case.answers(b"busy", 503, "text/plain", Retry_After="7")
    case.drops()
    case.answers(case.profile())
    assert case.open().read() == "Berlin"
    assert case.times() == ["12:00:00", "12:00:07", "12:00:08"]
    nonces = set()
    for sent in case.wire.sent:
        places = case.signatures(sent)
        for time, nonce, signature, parts in places:
            assert signature == signature_of(*parts, time, nonce)
        (nonce,) = {nonce for _, nonce, *_ in places}
        assert len(nonce) >= 20
        nonces.add(nonce)
    assert len(nonces) == 3


def test_wrong_clock_costs_one_request_and_is_remembered(case: Case) -> None:
    calls = case.open()
    case.refuses(403, Date=AHEAD)
    case.answers(case.profile())
    assert calls.read() == "Berlin"
    case.clock.advance(60)
    case.answers(case.profile())
    calls.read()
    assert case.times() == ["12:00:00", "14:00:00", "14:01:00"]
    assert case.clock.sleeps == []
    time, nonce, signature, parts = case.signatures(case.wire.sent[1])[-1]
    assert signature == signature_of(*parts, time, nonce)
    assert nonce != case.signatures(case.wire.sent[0])[-1][1]


def test_refusal_without_a_body_of_the_service_corrects_the_clock_of_a_read(case: Case) -> None:
    case.answers(b"denied", 403, "text/plain", Date=AHEAD)
    case.answers(case.profile())
    assert case.open().read() == "Berlin"
    assert case.times() == ["12:00:00", "14:00:00"]


def test_refusal_without_clock_skew_is_raised_at_once(case: Case) -> None:
    calls = case.open()
    for date in DATES:
        case.refuses(403, "too old", **({} if date is None else {"Date": date}))
        with pytest.raises(AuthenticationError, match="too old") as caught:
            calls.read()
        assert caught.value.attempts == 1
    case.answers(case.profile())
    calls.read()
    assert case.times() == ["12:00:00"] * 6


def test_correction_adds_exactly_one_request_and_is_not_kept_without_success(case: Case) -> None:
    calls = case.open()
    for _ in range(4):
        case.refuses(403, Date=AHEAD)
    for _ in range(2):
        with pytest.raises(AuthenticationError):
            calls.read()
    assert case.times() == ["12:00:00", "14:00:00"] * 2


def test_later_change_of_the_local_clock_is_corrected(case: Case) -> None:
    calls = case.open()
    case.refuses(403, Date=AHEAD)
    case.answers(case.profile())
    calls.read()
    case.clock.advance(7200)
    case.refuses(403, Date=AHEAD)
    case.answers(case.profile())
    calls.read()
    assert case.times() == ["12:00:00", "14:00:00", "16:00:00", "14:00:00"]


def test_skew_threshold_is_half_of_the_validity(case: Case) -> None:
    case.refuses(403, Date=NEAR)
    case.answers(case.profile())
    assert case.open(signature_validity_minutes=15).read() == "Berlin"
    assert case.times() == ["12:00:00", "12:10:00"]


def test_write_refused_for_its_time_is_sent_again(case: Case) -> None:
    case.refuses(403, Date=AHEAD)
    case.answers(case.deleted())
    assert case.open().write() == 1
    assert case.times() == ["12:00:00", "14:00:00"]


def test_write_whose_second_response_is_lost_is_ambiguous(case: Case) -> None:
    case.refuses(403, Date=AHEAD)
    case.drops()
    with pytest.raises(AmbiguousOutcome):
        case.open().write()
    assert len(case.wire.sent) == 2


def test_write_refused_without_a_body_of_the_service_is_not_sent_again(case: Case) -> None:
    """A gateway may have forwarded it, so the status alone does not prove that it was not processed."""
    case.answers(b"denied", 403, "text/plain", Date=AHEAD)
    with pytest.raises(AmbiguousOutcome) as caught:
        case.open().write()
    assert isinstance(caught.value.__cause__, AuthenticationError)
    assert len(case.wire.sent) == 1


def test_other_errors_do_not_change_the_clock_offset(case: Case) -> None:
    calls = case.open()
    case.answers(b"lost", 404, "text/plain", Date=AHEAD)
    with pytest.raises(UnexpectedResponse):
        calls.read()
    case.answers(case.profile(), Date=AHEAD)
    calls.read()
    assert case.times() == ["12:00:00", "12:00:00"]


def test_stream_is_sent_again_with_a_corrected_clock(case: Case) -> None:
    case.refuses(403, Date=AHEAD)
    case.answers(case.balances("EUR"))
    assert list(case.open().stream()) == ["EUR"]
    assert case.times() == ["12:00:00", "14:00:00"]
