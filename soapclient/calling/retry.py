"""Retry calls if that is safe: backoff with jitter, one deadline, a shared quota.

`call_with_retries` calls a function once for each attempt, so each attempt has a new time and a new nonce. A
nonce is valid once (docs/explanation/service.md#signing). Therefore lower layers must not repeat a request.
"""

from __future__ import annotations

import math
import random as system_random
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeVar

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

if TYPE_CHECKING:
    import tenacity

T = TypeVar("T")
IsTransient = Callable[[BaseException], bool]

_TRANSIENT: Final = frozenset({408, 425, 429, 499})  # timeout, too early, too many requests, client closed
_PERMANENT: Final = frozenset({501, 505})  # not implemented, HTTP version not supported
_MOST_DOUBLINGS: Final = 60  # this limit prevents an overflow of floats; `max_delay` is reached long before


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """Number of attempts, and the waits between them in seconds.

    The n-th wait is `base_delay * 2**(n-1)`, but at most `max_delay`. With `jitter`, it is a random time
    between 0 and that value.
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
                f"attempts must be 1 or more, and delays 0 or more, got {self}",
                "Correct the policy",
            )

    def delay(self, failures: int, random: Callable[[], float]) -> float:
        """Return the seconds to wait after the number of failed attempts in `failures`.

        `random` returns a number from 0 to 1.
        """
        longest = min(self.max_delay, self.base_delay * 2.0 ** min(failures - 1, _MOST_DOUBLINGS))
        return longest * random() if self.jitter else longest


class RetryQuota:
    """A token bucket shared by all calls to a service. It limits retries while many calls fail. Thread-safe.

    Each retry takes tokens. A successful call returns the tokens of its last retry, or one token if it was
    not retried. The numbers of tokens are the same as in botocore's standard mode.
    """

    def __init__(self, capacity: int = 500, *, retry_cost: int = 5, timeout_cost: int = 10) -> None:
        self._capacity = capacity
        self._tokens = capacity
        self._retry_cost = retry_cost
        self._timeout_cost = timeout_cost
        self._lock = Lock()
        renewed_in_children(self)

    def renew(self) -> None:
        """Refill the bucket in a forked child, so that failures of the parent do not count."""
        self._tokens = self._capacity

    @property
    def tokens(self) -> int:
        with self._lock:
            return self._tokens

    def take(self, error: BaseException) -> int | None:
        """Take tokens for a retry after `error`. Return the number of tokens, or None if too few are left."""
        cost = self._timeout_cost if isinstance(error, Timeout) else self._retry_cost
        with self._lock:
            if cost > self._tokens:
                return None
            self._tokens -= cost
            return cost

    def give_back(self, tokens: int) -> None:
        """Return tokens to the bucket, up to its capacity."""
        if self._tokens >= self._capacity:  # the common case, which needs no lock
            return
        with self._lock:
            self._tokens = min(self._capacity, self._tokens + tokens)


def transient_status(status: int) -> bool:
    """Return True if a retry after this HTTP status may succeed: 408, 425, 429, 499, and most 5xx."""
    return status in _TRANSIENT or (500 <= status < 600 and status not in _PERMANENT)


def transient_errors(fault_codes: frozenset[int] = frozenset()) -> IsTransient:
    """Return a function that takes an error, and returns True if the error is transient.

    Transient means that a retry may succeed. A fault of the service is transient if its code is in
    `fault_codes`, or if its HTTP status is transient (see `transient_status`) and not 500.
    """

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
                # Status 500 is ignored, because the code of the fault is more specific.
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
    """Call `function(number)` until it succeeds, and return its result. `number` is 1 for the first attempt.

    - Only `safe` operations are retried, and only after transient errors.
    - Before each wait, `on_retry(error, seconds)` is called. A wait takes at least the error's `retry_after`
      seconds. If the wait would exceed the deadline, the error is raised at once.
    - If all attempts fail, the last error is raised. Its `attempts` is the number of attempts. The error has
      a note if there were several attempts, or if a limit (deadline, quota) prevented a retry.
    - If the deadline has already passed, Timeout is raised without an attempt.
    """
    deadline.check(operation, request_sent=False)
    quota, tokens = quota or RetryQuota(), 1
    try:
        result = function(1)  # hot path: most calls end here
    except SoapClientError as first:
        passing = is_transient or transient_errors()
        run = _RetryState(deadline, policy or RetryPolicy(), quota, random, on_retry)
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


class _RetryState:
    """Retries one call whose first attempt failed, and stores the state between its retries."""

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
        self.taken = 1  # number of tokens that a success returns to the bucket
        self._error: BaseException | None = None

    def further(
        self, function: Callable[[int], T], first: SoapClientError, clock: Clock, passing: IsTransient
    ) -> T:
        """Retry `function` after its first attempt, which raised the error `first`. Return the result.

        `passing(error)` returns True if an error is transient (`is_transient` of `call_with_retries`).
        """
        import tenacity  # imported late: it imports asyncio, and most processes never retry

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
        return max(self._policy.delay(self.attempts, self._random), _requested_wait(_error_of(state)))

    def pause(self, clock: Clock, seconds: float) -> None:
        if self._on_retry is not None and isinstance(self._error, SoapClientError):
            self._on_retry(self._error, seconds)
        clock.sleep(seconds)
        if self._deadline.expired and self._error is not None:  # sleep can take longer than requested
            self.gave_up = self._deadline_message()
            raise self._error

    def stop(self, state: tenacity.RetryCallState) -> bool:
        # Tokens are taken last, only if the call is retried. tenacity has already called `wait`.
        self._error = _error_of(state)
        if self.attempts >= self._policy.attempts:
            self.gave_up = "the maximum number of attempts is reached"
        elif state.upcoming_sleep >= self._deadline.remaining():
            self.gave_up = self._deadline_message()
        elif (taken := self._quota.take(self._error)) is None:
            self.gave_up = "the retry quota is used up, because too many calls are failing"
        else:
            self.taken = taken
        return bool(self.gave_up)

    def _deadline_message(self) -> str:
        return f"the deadline of {self._deadline.seconds:g} seconds leaves no time for another attempt"


def _error_of(state: tenacity.RetryCallState) -> BaseException:
    assert state.outcome is not None  # tenacity calls this after an attempt
    error = state.outcome.exception()
    assert error is not None  # the attempt failed
    return error


def _requested_wait(error: BaseException) -> float:
    seconds = getattr(error, "retry_after", None)
    if isinstance(seconds, bool) or not isinstance(seconds, int | float) or math.isnan(seconds):
        return 0.0
    return max(0.0, float(seconds))
