from __future__ import annotations

import itertools
import threading
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from soapclient.calling.retry import RetryPolicy, RetryQuota, call_with_retries, transient_errors
from soapclient.clock import Deadline, ManualClock
from soapclient.errors import (
    AmbiguousOutcome,
    AuthenticationError,
    BrokenResponse,
    ConfigError,
    ConnectionFailed,
    ContractError,
    ResponseError,
    ServiceFault,
    SoapClientError,
    Timeout,
    UnexpectedResponse,
)

START = datetime(2026, 11, 1, tzinfo=UTC)
PLAIN = RetryPolicy(attempts=4, base_delay=1, max_delay=3, jitter=False)


class Script:
    """A call that raises the given errors, one per attempt, then returns. Each attempt takes `seconds`."""

    def __init__(self, clock: ManualClock, *errors: BaseException, seconds: float = 0) -> None:
        self.clock = clock
        self.errors = list(errors)
        self.seconds = seconds
        self.attempts: list[int] = []

    def __call__(self, attempt: int) -> str:
        self.attempts.append(attempt)
        self.clock.advance(self.seconds)
        if self.errors:
            raise self.errors.pop(0)
        return "answer"


def busy(retry_after: float | None = None) -> UnexpectedResponse:
    return UnexpectedResponse(503, "text/html", "", retry_after=retry_after)


def run(script: Script, *, seconds: float = 100, codes: frozenset[int] = frozenset(), **given: Any) -> str:
    """Call with retries, by default with `PLAIN` and as a read. `given` are further arguments."""
    known: dict[str, Any] = {"safe": True, "policy": PLAIN, "random": lambda: 1.0} | given
    known |= {"clock": script.clock, "deadline": Deadline(script.clock, seconds)}
    return call_with_retries(script, is_transient=transient_errors(codes), **known)


@pytest.mark.parametrize(("before", "notes"), [(0, []), (1, ["gave up after 2 attempts"])])
def test_permanent_error_is_raised_at_once(before: int, notes: list[str]) -> None:
    script = Script(ManualClock(START), *[busy()] * before, ServiceFault(109, "no"))
    with pytest.raises(ServiceFault) as caught:
        run(script)
    assert (len(script.attempts), caught.value.attempts) == (before + 1, before + 1)
    assert getattr(caught.value, "__notes__", []) == notes


def test_unsafe_call_is_never_retried() -> None:
    for error in (busy(), Timeout("CreateAdspace", 1), ConnectionFailed("https://h.example", "reset")):
        script = Script(ManualClock(START), error)
        with pytest.raises(type(error)):
            run(script, safe=False)
        assert (script.attempts, script.clock.sleeps) == ([1], [])
    assert run(Script(ManualClock(START)), safe=False) == "answer"


TRANSIENT = (408, 425, 429, 499, 500, 502, 503, 504, 507, 520, 524, 598, 599)
PERMANENT = (200, 302, 400, 401, 403, 404, 501, 505, 600)


@pytest.mark.parametrize(
    ("error", "transient"),
    [
        (Timeout("GetSales", 1), True),
        (ConnectionFailed("https://h.example", "reset"), True),
        *((UnexpectedResponse(status, None, ""), True) for status in TRANSIENT),
        (UnexpectedResponse(200, None, "", damaged=True), True),
        (UnexpectedResponse(404, None, "", damaged=True), False),
        (BrokenResponse("a", None, "b"), True),
        *((UnexpectedResponse(status, None, ""), False) for status in PERMANENT),
        (ServiceFault(7, "busy"), True),
        (ServiceFault(8, "wrong"), False),
        (ServiceFault(8, "busy", status=503), True),
        (ServiceFault(8, "busy", status=429), True),
        (ServiceFault(8, "wrong", status=500), False),  # irrelevant next to a code of the service
        (ServiceFault(8, "wrong", status=404), False),
        (AuthenticationError(8, "expired", status=503), False),
        (AuthenticationError(7, "expired"), False),
        (AmbiguousOutcome("CreateAdspace", "lost"), False),
        (ContractError("a", None, "b", "c"), False),
        (ResponseError("a", None, "b"), False),
        (ValueError("a bug"), False),
        (KeyboardInterrupt(), False),
    ],
)
def test_which_errors_are_transient(error: BaseException, transient: bool) -> None:
    assert transient_errors(frozenset({7}))(error) is transient
    script = Script(ManualClock(START), error)
    if transient:
        assert run(script, codes=frozenset({7})) == "answer"
    else:
        with pytest.raises(type(error)):
            run(script, codes=frozenset({7}))
        assert script.attempts == [1]


def test_without_a_table_no_fault_is_transient() -> None:
    assert not transient_errors()(ServiceFault(500, "busy"))


def test_service_may_request_a_longer_wait() -> None:
    script = Script(ManualClock(START), busy(12.5), ServiceFault(7, "slow down", retry_after=9), busy(0.1))
    assert run(script, codes=frozenset({7})) == "answer"
    assert script.clock.sleeps == [12.5, 9, 3]
    script = Script(ManualClock(START), busy(0.25))
    assert run(script, policy=RetryPolicy(base_delay=0)) == "answer"
    assert script.clock.sleeps == [0.25]


@pytest.mark.parametrize("odd", [float("nan"), -5.0, None, True, "30"])
def test_invalid_retry_after_is_ignored(odd: Any) -> None:
    script = Script(ManualClock(START), busy(odd))
    assert run(script) == "answer"
    assert script.clock.sleeps == [1]


@pytest.mark.parametrize("wish", [10.0, 3600.0, float("inf")])
def test_wait_beyond_the_deadline_is_not_started(wish: float) -> None:
    script = Script(ManualClock(START), busy(wish))
    with pytest.raises(UnexpectedResponse) as caught:
        run(script, seconds=10)
    assert (script.attempts, script.clock.sleeps, script.clock.monotonic()) == ([1], [], 0)
    assert "deadline of 10 seconds" in caught.value.__notes__[0]


def test_time_of_attempts_counts_for_the_deadline() -> None:
    errors = [Timeout("GetSales", 4) for _ in range(4)]
    script = Script(ManualClock(START), *errors, seconds=4)
    with pytest.raises(Timeout):
        run(script, seconds=10)
    assert script.attempts == [1, 2]  # 4 + 1 + 4, and the next wait of 2 would end at 11
    assert script.clock.monotonic() == 9


def test_an_overlong_sleep_does_not_lead_to_an_attempt_after_the_deadline() -> None:
    class Sluggish(ManualClock):
        def sleep(self, seconds: float) -> None:
            super().sleep(seconds + 60)

    first = busy()
    script = Script(Sluggish(START), first)
    with pytest.raises(UnexpectedResponse) as caught:
        run(script, seconds=10)
    assert caught.value is first
    assert script.attempts == [1]
    assert "deadline" in first.__notes__[0]


def test_jitter_covers_the_full_delay() -> None:
    draws = iter([0.0, 0.5, 0.25])
    script = Script(ManualClock(START), busy(), busy(), busy())
    policy = RetryPolicy(attempts=4, base_delay=1, max_delay=3)
    assert run(script, policy=policy, random=lambda: next(draws)) == "answer"
    assert script.clock.sleeps == [0, 1, 0.75]


@given(
    st.lists(st.tuples(st.sampled_from(["timeout", "busy"]), st.floats(0, 30)), max_size=12),
    st.floats(0.1, 60),
    st.floats(0, 5),
    st.integers(1, 8),
)
def test_no_wait_ends_after_the_deadline(
    failures: list[tuple[str, float]], seconds: float, each: float, attempts: int
) -> None:
    errors = [Timeout("x", 1) if kind == "timeout" else busy(wish) for kind, wish in failures]
    clock = ManualClock(START)
    deadline = Deadline(clock, seconds)
    begun: list[float] = []

    def function(attempt: int) -> str:
        begun.append(deadline.remaining())
        clock.advance(deadline.within(each))
        if attempt <= len(errors):
            raise errors[attempt - 1]
        return "answer"

    failure: SoapClientError | None = None
    try:
        call_with_retries(
            function,
            safe=True,
            deadline=deadline,
            clock=clock,
            policy=RetryPolicy(attempts=attempts),
            random=lambda: 0.7,
        )
    except SoapClientError as error:
        failure = error
    if failure is not None:
        assert failure is errors[len(begun) - 1]
        assert failure.attempts == len(begun)
    assert all(left > 0 for left in begun)
    assert len(begun) <= min(attempts, len(errors) + 1)
    assert clock.monotonic() <= seconds + 1e-6


def test_shared_quota_stops_a_retry_storm() -> None:
    quota = RetryQuota(12, retry_cost=5, timeout_cost=10)
    clock = ManualClock(START)
    counts = []
    for _ in range(3):
        script = Script(clock, *(busy() for _ in range(9)))
        with pytest.raises(UnexpectedResponse) as caught:
            run(script, quota=quota)
        counts.append(len(script.attempts))
    assert counts == [3, 1, 1]  # two retries for ten tokens, then none
    assert caught.value.__notes__ == [
        "gave up after 1 attempt: the retry quota is used up, because too many calls are failing"
    ]


def test_success_returns_the_tokens_of_its_retry_or_one() -> None:
    quota = RetryQuota(30, retry_cost=5, timeout_cost=10)
    clock = ManualClock(START)
    run(Script(clock, busy(), Timeout("x", 1)), quota=quota)
    assert quota.tokens == 30 - 5 - 10 + 10
    run(Script(clock), quota=quota)
    assert quota.tokens == 26
    for _ in range(9):
        run(Script(clock), quota=quota)
    assert quota.tokens == 30


def test_timeout_costs_more_tokens() -> None:
    """The next attempt would occupy its connection as long."""
    quota = RetryQuota(30, retry_cost=5, timeout_cost=10)
    with pytest.raises(ServiceFault):
        run(Script(ManualClock(START), Timeout("x", 1), ServiceFault(1, "no")), quota=quota)
    assert quota.tokens == 20


def test_skipped_attempts_cost_no_tokens() -> None:
    quota = RetryQuota(30)
    for script, seconds in (
        (Script(ManualClock(START), busy(50.0)), 10.0),
        (Script(ManualClock(START), ServiceFault(1, "no")), 100.0),
    ):
        with pytest.raises(SoapClientError):
            run(script, quota=quota, seconds=seconds)
    with pytest.raises(SoapClientError):
        run(Script(ManualClock(START), busy()), quota=quota, policy=RetryPolicy(attempts=1))
    assert quota.tokens == 30


def test_threads_share_a_quota_without_losing_tokens() -> None:
    quota = RetryQuota(1000, retry_cost=1)
    taken: list[int] = []

    def take_many() -> None:
        for _ in range(400):
            if quota.take(busy()) is not None:
                taken.append(1)

    threads = [threading.Thread(target=take_many) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(taken) == 1000
    assert quota.tokens == 0


@given(st.integers(1, 10_000), st.floats(0, 1, exclude_max=True))
def test_delays_are_between_zero_and_the_cap(failures: int, draw: float) -> None:
    assert 0 <= RetryPolicy().delay(failures, lambda: draw) <= 20


def test_each_wait_is_twice_the_last_until_the_cap() -> None:
    policy = RetryPolicy(base_delay=0.5, max_delay=6, jitter=False)
    assert [policy.delay(failures, lambda: 0.0) for failures in range(1, 7)] == [0.5, 1, 2, 4, 6, 6]
    assert RetryPolicy().delay(2, lambda: 0.25) == 0.25  # of 0.5 * 2
    patient = RetryPolicy(base_delay=1, max_delay=1e300, jitter=False)
    assert patient.delay(61, lambda: 0.0) == 2.0**60
    assert patient.delay(5000, lambda: 0.0) == 2.0**60  # and does not overflow
    assert RetryPolicy(attempts=1, base_delay=0, max_delay=0).delay(1, lambda: 1.0) == 0
    assert RetryPolicy(attempts=2, base_delay=0.0, max_delay=5).delay(1, lambda: 1.0) == 0


def test_a_quota_has_the_sizes_of_botocore_s_standard_mode() -> None:
    quota = RetryQuota()
    assert quota.tokens == 500
    assert quota.take(busy()) == 5
    assert quota.take(Timeout("x", 1)) == 10
    assert quota.tokens == 485
    quota.renew()
    assert quota.tokens == 500


def test_last_tokens_can_be_used() -> None:
    quota = RetryQuota(5)
    assert quota.take(Timeout("x", 1)) is None
    assert quota.take(busy()) == 5
    assert quota.take(busy()) is None
    quota.give_back(5)
    quota.give_back(5)
    assert quota.tokens == 5


def test_unset_options_have_defaults() -> None:
    clock = ManualClock(START)
    heard: list[tuple[SoapClientError, float]] = []
    errors = [ConnectionFailed("https://h.example", "reset") for _ in range(4)]
    script = Script(clock, *errors)
    with pytest.raises(ConnectionFailed) as caught:
        call_with_retries(
            script,
            safe=True,
            deadline=Deadline(clock, 100),
            clock=clock,
            random=lambda: 1.0,
            on_retry=lambda error, seconds: heard.append((error, seconds)),
        )
    assert script.attempts == [1, 2, 3, 4]
    assert (caught.value, caught.value.attempts) == (errors[-1], 4)
    assert heard == list(zip(errors, [0.5, 1.0, 2.0], strict=False))
    assert clock.sleeps == [0.5, 1.0, 2.0]
    assert caught.value.__notes__ == ["gave up after 4 attempts: the maximum number of attempts is reached"]


def test_call_after_its_deadline_is_named() -> None:
    clock = ManualClock(START)
    over, script = Deadline(clock, 0), Script(clock)
    named: list[dict[str, Any]] = [{}, {"operation": "GetSales"}]
    for safe, name in itertools.product((True, False), named):
        with pytest.raises(Timeout) as caught:
            call_with_retries(script, safe=safe, deadline=over, clock=clock, **name)
        assert caught.value.operation == name.get("operation", "the call")
        assert not caught.value.request_sent
    assert script.attempts == []


def test_a_wait_may_end_just_before_the_deadline() -> None:
    script = Script(ManualClock(START), busy())
    assert run(script, seconds=1.001) == "answer"
    script = Script(ManualClock(START), busy())
    with pytest.raises(UnexpectedResponse) as caught:
        run(script, seconds=1)
    assert caught.value.__notes__ == [
        "gave up after 1 attempt: the deadline of 1 seconds leaves no time for another attempt"
    ]


@pytest.mark.parametrize(("attempts", "delay"), [(0, 1.0), (1, -1.0), (1, float("nan")), (1, float("inf"))])
def test_invalid_policy_is_refused(attempts: int, delay: float) -> None:
    with pytest.raises(ConfigError) as caught:
        RetryPolicy(attempts=attempts, base_delay=delay)
    assert str(caught.value) == (
        "retry policy: attempts must be 1 or more, and delays 0 or more, got RetryPolicy(attempts="
        f"{attempts}, base_delay={delay}, max_delay=20.0, jitter=True). Correct the policy"
    )
    with pytest.raises(ConfigError, match="max_delay=-1"):
        RetryPolicy(max_delay=-1)


def test_other_exceptions_are_raised_unchanged() -> None:
    with pytest.raises(ZeroDivisionError) as caught:
        run(Script(ManualClock(START), ZeroDivisionError("bug")))
    assert not hasattr(caught.value, "__notes__")
