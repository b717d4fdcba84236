"""Responses that differ from the contract: counted, reported to the callback, logged, or an error."""

from __future__ import annotations

import logging
import pickle

import pytest

from soapclient.errors import ContractDrift, ResponseError
from soapclient.runtime import Finding
from tests.interfaces.conftest import Case

pytestmark = pytest.mark.sampled(2, 4)
PROFILE = "GetProfileResponse/profileItem"
BADGE = ("GetProfile", Finding("element", f"{PROFILE}/badge", ""))
RANK = ("GetProfile", Finding("attribute", f"{PROFILE}/@rank", ""))
MOOD = ("GetBalances", Finding("element", "GetBalancesResponse/balanceItems/balanceItem/mood", ""))
DRIFTING = {"badge": ["gold", "silver"], "@rank": "1"}


@pytest.mark.parametrize(("policy", "level"), [("tolerate", "DEBUG"), ("warn", "WARNING")])
def test_drift_is_counted_and_reported_and_does_not_fail_the_call(
    case: Case, policy: str, level: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG, "soapclient.drift")
    heard: list[tuple[str, Finding, int]] = []
    calls = case.open(drift=policy, on_finding=lambda *finding: heard.append(finding))
    case.answers(case.profile())
    assert calls.read() == "Berlin"
    assert calls.counts() == {}
    for times in (1, 2):
        case.answers(case.profile(**DRIFTING))
        assert calls.read() == "Berlin"
        assert calls.counts() == {BADGE: 2 * times, RANK: times}
    assert sorted(heard) == sorted([(*BADGE, 2), (*RANK, 1)] * 2)
    logged = [record.levelname for record in caplog.records]
    assert logged == [level] * 2  # only the first time for each path


def test_drift_error_is_raised_after_the_response_is_read(case: Case) -> None:
    calls = case.open(drift="error")
    case.answers(case.profile(**DRIFTING))
    with pytest.raises(ContractDrift, match=f"{PROFILE}/badge") as caught:
        calls.read()
    error = pickle.loads(pickle.dumps(caught.value))
    assert set(error.findings) == {tuple(BADGE[1]), tuple(RANK[1])}
    assert (error.operation, error.processed, error.attempts) == ("GetProfile", False, 1)
    assert calls.counts() == {BADGE: 2, RANK: 1}
    case.answers(case.profile())
    assert calls.read() == "Berlin"
    assert len(case.wire.sent) == 2


def test_drift_error_of_a_write_says_that_it_was_processed(case: Case) -> None:
    case.answers(case.deleted(mood="fine"))
    with pytest.raises(ContractDrift, match="The request was processed") as caught:
        case.open(drift="error").write()
    assert caught.value.processed
    assert len(case.wire.sent) == 1


def test_drift_error_of_a_stream_is_raised_at_its_end_and_of_an_iterator_at_its_page(case: Case) -> None:
    calls, seen = case.open(drift="error"), list[str]()
    case.answers(case.balances("EUR", "CHF", mood="fine"))
    with pytest.raises(ContractDrift):
        seen.extend(calls.stream())
    assert seen == ["EUR", "CHF"]
    case.answers(case.balances("EUR", "CHF", mood="fine"))
    with pytest.raises(ContractDrift):
        next(calls.iterate())
    assert calls.counts() == {MOOD: 4}


def test_exception_of_the_caller_inside_a_stream_is_not_replaced(case: Case) -> None:
    case.answers(case.balances("EUR", "CHF", mood="fine"))
    calls = case.open(drift="error")
    items = calls.stream()
    assert [next(items), next(items)] == ["EUR", "CHF"]
    with pytest.raises(KeyError):
        items.throw(KeyError("of the caller"))
    case.close()  # with asyncio, the stream is closed in the background
    assert calls.counts() == {MOOD: 2}


def test_exception_of_the_callback_is_raised_without_a_retry(case: Case) -> None:
    def refuse(operation: str, finding: Finding, times: int) -> None:
        raise LookupError(finding.path)

    case.answers(case.profile(badge="gold"))
    with pytest.raises(LookupError, match="badge"):
        case.open(on_finding=refuse).read()
    assert len(case.wire.sent) == 1


@pytest.mark.parametrize("validate", ["requests", "all"])
def test_invalid_response_is_counted_once_without_its_value(case: Case, validate: str) -> None:
    calls = case.open(validate=validate, drift="error")
    case.answers(case.profile(adrank="s3cr3t"))
    with pytest.raises(ResponseError) as caught:
        calls.read()
    assert (caught.value.path, caught.value.operation) == (f"{PROFILE}/adrank", "GetProfile")
    assert (caught.value.attempts, len(case.wire.sent)) == (1, 1)
    [((operation, finding), times)] = calls.counts().items()
    assert (operation, finding.kind, finding.path, times) == ("GetProfile", "schema", f"{PROFILE}/adrank", 1)
    # The received value may be personal data, so only the expected value is kept.
    assert finding.detail
    assert "s3cr3t" not in finding.detail


def test_unknown_element_is_an_error_with_strict_validation(case: Case) -> None:
    calls = case.open(validate="all")
    case.answers(case.profile(badge="gold"))
    if case.protocol == "json":  # only XML has a schema
        assert calls.read() == "Berlin"
        assert calls.counts() == {BADGE: 1}
        return
    with pytest.raises(ResponseError) as caught:
        calls.read()
    assert (caught.value.path, caught.value.attempts) == (f"{PROFILE}/badge", 1)
    case.answers(case.profile())
    assert calls.read() == "Berlin"


def test_truncated_response_is_not_drift(case: Case) -> None:
    calls = case.open(drift="error", attempts=2)
    case.answers(case.profile(**DRIFTING)[:-20])
    case.answers(case.profile())
    assert calls.read() == "Berlin"
    assert calls.counts() == {}


def test_unknown_names_are_bounded(case: Case) -> None:
    calls = case.open()
    for at in range(3):
        names = {f"n{at}x{number}": "1" for number in range(60)} | {"l" * 5000: "1"}
        case.answers(case.profile(**names))
        calls.read()
    counts = calls.counts()
    assert len(counts) == 51
    assert counts["GetProfile", Finding("element", f"{PROFILE}/…", "")] == 3 * 61 - 50
    assert max(len(finding.path) for _, finding in counts) < 500
