"""Try a whole call again where that is safe: backoff with jitter, one deadline, a shared quota.

The function is called anew for every attempt, so every attempt draws its own time and nonce: a nonce is
valid once (docs/explanation/service.md#signing), which is why nothing below this may repeat a request on its
own.
"""

from __future__ import annotations

import math
import random as system_random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, TypeVar

import tenacity

from soapclient._support.forks import Lock, renewed_in_children
from soapclient.clock import Clock, Deadline
from soapclient.errors import (
    AuthenticationError,
    ConfigError,
    ConnectionFailed,
    ResponseError,
    ServiceFault,
    SoapClientError,
    Timeout,
    UnexpectedResponse,
)

T = TypeVar("T")
IsTransient = Callable[[BaseException], bool]

_TRANSIENT: Final = frozenset({408, 425, 429, 499})  # too slow, too early, too many, gone in the meantime
_PERMANENT: Final = frozenset({501, 505})  # not implemented, no such version of HTTP
_MOST_DOUBLINGS: Final = 60  # beyond, a float overflows; any cap is reached long before


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """How often and how patiently: the n-th wait is base_delay * 2**(n-1) seconds, at most max_delay.

    With `jitter` it is drawn evenly between 0 and that.
    """

    attempts: int = 4
    base_delay: float = 0.5
    max_delay: float = 20.0
    jitter: bool = True

    def __post_init__(self) -> None:
        delays = (self.base_delay, self.max_delay)
        if self.attempts < 1 or not all(math.isfinite(delay) and delay >= 0 for delay in delays):
            raise ConfigError(
                "retry policy",
                f"{self} has no attempt or an impossible delay",
                "Give attempts from 1 and delays from 0 on",
            )

    def delay(self, failures: int, random: Callable[[], float]) -> float:
        """Return the wait in seconds after so many failures; `random` gives a number from 0 to 1."""
        longest = min(self.max_delay, self.base_delay * 2.0 ** min(failures - 1, _MOST_DOUBLINGS))
        return longest * random() if self.jitter else longest


class RetryQuota:
    """A bucket of tokens shared by all calls to a service: while many calls fail, few are repeated.

    A retry takes tokens, a success gives back what its retry took, or one. The sizes are those of botocore's
    standard mode. Threads may share it.
    """

    def __init__(self, capacity: int = 500, *, retry_cost: int = 5, timeout_cost: int = 10) -> None:
        self._capacity = capacity
        self._tokens = capacity
        self._retry_cost = retry_cost
        self._timeout_cost = timeout_cost
        self._lock = Lock()
        renewed_in_children(self)

    def renew(self) -> None:
        """In a forked child: what fails in its parent is no reason to give up here."""
        self._tokens = self._capacity

    @property
    def tokens(self) -> int:
        with self._lock:
            return self._tokens

    def take(self, error: BaseException) -> int | None:
        """Return the tokens taken for a retry after `error`, or None if there are too few."""
        cost = self._timeout_cost if isinstance(error, Timeout) else self._retry_cost
        with self._lock:
            if cost > self._tokens:
                return None
            self._tokens -= cost
            return cost

    def give_back(self, tokens: int) -> None:
        """Put tokens back, up to the capacity."""
        if self._tokens >= self._capacity:  # as of most calls: no lock is needed
            return
        with self._lock:
            self._tokens = min(self._capacity, self._tokens + tokens)


def transient_status(status: int) -> bool:
    """Whether another attempt may fare better: most of 5xx, and what asks for one (RFC 9110, RFC 8470)."""
    return status in _TRANSIENT or (500 <= status < 600 and status not in _PERMANENT)


def transient_errors(fault_codes: frozenset[int] = frozenset()) -> IsTransient:
    """Return the test for errors that may be gone at the next attempt; `fault_codes` are the service's."""

    def is_transient(error: BaseException) -> bool:
        match error:
            case Timeout() | ConnectionFailed():
                return True
            case UnexpectedResponse():
                return error.damaged or transient_status(error.status)
            case ResponseError():
                return error.damaged
            case AuthenticationError():
                return False
            case ServiceFault():
                # Beside a code of the service's own a mere 500 says nothing.
                passing = error.status not in (None, 500) and transient_status(error.status)
                return error.code in fault_codes or passing
        return False

    return is_transient


def call_with_retries(
    function: Callable[[int], T],
    *,
    safe: bool,
    deadline: Deadline,
    clock: Clock,
    policy: RetryPolicy | None = None,
    quota: RetryQuota | None = None,
    is_transient: IsTransient | None = None,
    random: Callable[[], float] = system_random.random,
    operation: str = "the call",
    on_retry: Callable[[SoapClientError, float], None] | None = None,
) -> T:
    """Call `function(attempt)`, attempts counted from 1, until it succeeds; return its result.

    Only a `safe` operation is tried again, and only after a transient error; it waits at least the error's
    `retry_after` (seconds). Where the wait would reach the deadline, the error is raised at once instead.
    The error handed out has the number of attempts as `attempts` and, after more than one, as a note with
    the reason for giving up. `on_retry(error, seconds)` hears of each wait. Raises Timeout, with nothing
    sent, if the deadline is over before the first attempt.
    """
    deadline.check(operation, request_sent=False)
    quota, tokens = quota or RetryQuota(), 1
    try:
        result = function(1)  # most calls end here, and need nothing of what follows
    except SoapClientError as first:
        passing = is_transient or transient_errors()
        run = _Run(deadline, policy or RetryPolicy(), quota, random, on_retry)
        try:
            if not (safe and passing(first)):
                raise
            result = run.further(function, first, clock, passing)
        except SoapClientError as error:
            error.attempts = run.attempts
            if run.attempts > 1 or run.gave_up:
                times = f"{run.attempts} attempt{'s' if run.attempts > 1 else ''}"
                error.add_note(f"gave up after {times}{f': {run.gave_up}' if run.gave_up else ''}")
            raise
        tokens = run.taken
    quota.give_back(tokens)
    return result


class _Run:
    """The attempts of one call after the first."""

    def __init__(
        self,
        deadline: Deadline,
        policy: RetryPolicy,
        quota: RetryQuota,
        random: Callable[[], float],
        on_retry: Callable[[SoapClientError, float], None] | None,
    ) -> None:
        self.attempts = 1
        self.gave_up = ""
        self._deadline = deadline
        self._policy = policy
        self._quota = quota
        self._random = random
        self._on_retry = on_retry
        self.taken = 1  # tokens that a success gives back
        self._error: BaseException | None = None

    def further(
        self, function: Callable[[int], T], first: SoapClientError, clock: Clock, passing: IsTransient
    ) -> T:
        """The attempts after the first one, which failed with `first`."""
        failed = [first]

        def attempt() -> T:
            if failed:
                raise failed.pop()
            self.attempts += 1
            return function(self.attempts)

        retrying = tenacity.Retrying(
            sleep=lambda seconds: self.pause(clock, seconds),
            wait=self.wait,
            stop=self.stop,
            retry=tenacity.retry_if_exception(passing),
            reraise=True,
        )
        result: T = retrying(attempt)
        return result

    def wait(self, state: tenacity.RetryCallState) -> float:
        return max(self._policy.delay(self.attempts, self._random), _asked_for(_error_of(state)))

    def pause(self, clock: Clock, seconds: float) -> None:
        if self._on_retry is not None and isinstance(self._error, SoapClientError):
            self._on_retry(self._error, seconds)
        clock.sleep(seconds)
        if self._deadline.expired and self._error is not None:  # machines oversleep
            self.gave_up = self._late()
            raise self._error

    def stop(self, state: tenacity.RetryCallState) -> bool:
        # tenacity has asked `wait` before. Tokens are taken last, when nothing else stands against it.
        self._error = _error_of(state)
        if self.attempts >= self._policy.attempts:
            self.gave_up = "all attempts are used up"
        elif state.upcoming_sleep >= self._deadline.remaining():
            self.gave_up = self._late()
        elif (taken := self._quota.take(self._error)) is None:
            self.gave_up = "too many calls are failing, the shared quota of retries is used up"
        else:
            self.taken = taken
        return bool(self.gave_up)

    def _late(self) -> str:
        return f"the deadline of {self._deadline.seconds:g} seconds leaves no time for another"


def _error_of(state: tenacity.RetryCallState) -> BaseException:
    assert state.outcome is not None  # tenacity asks after an attempt
    error = state.outcome.exception()
    assert error is not None  # that failed
    return error


def _asked_for(error: BaseException) -> float:
    seconds = getattr(error, "retry_after", None)
    if isinstance(seconds, bool) or not isinstance(seconds, int | float) or math.isnan(seconds):
        return 0.0
    return max(0.0, float(seconds))
