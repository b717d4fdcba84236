"""The loop of a call, for both protocols: attempts inside one deadline, a wrong clock put right, failures of
writes that may have been processed, findings, and events for whoever listens."""

from __future__ import annotations

import logging
import random as system_random
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import timedelta
from typing import Protocol, TypeVar

from soapclient.calling import outcome
from soapclient.calling.retry import (
    IsTransient,
    RetryPolicy,
    RetryQuota,
    call_with_retries,
    transient_errors,
)
from soapclient.calling.skew import Skew
from soapclient.clock import Clock, Deadline
from soapclient.drift import Drift
from soapclient.errors import AuthenticationError, ClientClosed
from soapclient.runtime import CountingReader
from soapclient.transport import http

T = TypeVar("T")
log = logging.getLogger(__name__)


class LoopSettings(Protocol):
    """What the loop needs of the settings; times are in seconds."""

    @property
    def deadline(self) -> float: ...
    @property
    def timeout(self) -> float | None: ...
    @property
    def connect_timeout(self) -> float: ...
    @property
    def attempts(self) -> int: ...
    @property
    def max_response_bytes(self) -> int: ...


@dataclass(slots=True)
class Attempt:
    """One attempt of a call, as `on_attempt` gets it: once when it begins, and once when it has ended.

    `seconds` is None until it has ended; `status` is the HTTP status of the response, None where none came;
    `sent` is the length of the request's body in bytes; `error` is what the attempt raised.
    """

    operation: str
    number: int
    address: str
    status: int | None = None
    seconds: float | None = None
    sent: int | None = None
    error: BaseException | None = None


OnAttempt = Callable[[Attempt], None]


class Dated(Protocol):
    """A response, as far as the loop looks at it."""

    @property
    def status(self) -> int: ...
    @property
    def headers(self) -> Mapping[str, str]: ...


class Call:
    """One call on its way: what its attempts share, and what the present one has come to."""

    __slots__ = ("_clock", "arrived_at", "date", "deadline", "event", "limits", "name", "responded", "safe")

    def __init__(
        self, name: str, deadline: Deadline, limits: http.Limits, clock: Clock, *, safe: bool
    ) -> None:
        self.name = name
        self.deadline = deadline
        self.limits = limits
        self.safe = safe
        self.event: Attempt | None = None
        self._clock = clock
        self.begin()

    def begin(self) -> None:
        """Forget the response of an earlier attempt."""
        self.responded = False
        self.date: str | None = None
        self.arrived_at = 0.0

    def arrived(self, response: Dated) -> None:
        """Note the head of a response: its status, its Date, and when it came."""
        self.responded = True
        self.date = response.headers.get("Date")
        self.arrived_at = self._clock.monotonic()
        if self.event is not None:
            self.event.status = response.status


class Loop:
    """What the calls of one engine share. Threads may share it.

    `is_transient` tells which errors may be gone at the next attempt, `skew` is there where requests carry a
    time. `random` gives 0 to 1, for back-off.
    """

    def __init__(
        self,
        settings: LoopSettings,
        address: str,
        *,
        clock: Clock,
        drift: Drift,
        random: Callable[[], float] = system_random.random,
        quota: RetryQuota | None = None,
        is_transient: IsTransient | None = None,
        skew: Skew | None = None,
        on_attempt: OnAttempt | None = None,
    ) -> None:
        self.clock = clock
        self.drift = drift
        self.random = random
        self.quota = RetryQuota() if quota is None else quota
        self.skew = skew
        self._settings = settings
        self._address = address
        self._policy = RetryPolicy(attempts=settings.attempts)
        self._is_transient = is_transient or transient_errors()
        self._on_attempt = on_attempt
        self._closed = False

    def close(self) -> None:
        """Refuse all further attempts. Those on their way come to their end."""
        self._closed = True

    def deadline(self, seconds: float | None = None) -> Deadline:
        """A deadline for one call, from now; by default after the configured deadline."""
        return Deadline(self.clock, self._settings.deadline if seconds is None else seconds)

    def limits(self, operation: str, deadline: Deadline) -> http.Limits:
        """What one exchange may take. Raises ClientClosed after `close`."""
        self._check_open(operation)
        return http.Limits(
            operation=operation,
            deadline=deadline,
            connect_timeout=self._settings.connect_timeout,
            most=self._settings.max_response_bytes,
            timeout=self._settings.timeout,
        )

    def call(self, name: str, *, safe: bool, deadline: Deadline | None = None) -> Call:
        """A call that begins now."""
        deadline = deadline or self.deadline()
        return Call(name, deadline, self.limits(name, deadline), self.clock, safe=safe)

    def reading(self, call: Call, reader: CountingReader) -> AbstractContextManager[CountingReader]:
        """Around the reading of a response: what its reader finds is counted at the end."""
        return self.drift.reading(call.name, reader, safe=call.safe)

    def run(self, call: Call, attempt: Callable[[timedelta], T]) -> T:
        """Call `attempt(offset)` until it succeeds; `offset` is to be added to the time that is signed.

        An attempt reads `call.limits`, and calls `call.arrived` with the head of its response. Raises what
        the last attempt raised, or AmbiguousOutcome for a write that may have been processed.
        """
        limits, most = call.limits, self._policy.attempts

        def numbered(number: int) -> T:
            self._check_open(call.name)
            call.limits = limits.of_attempt(number, most, safe=call.safe)
            with outcome.classified(call.name, safe=call.safe):
                return self._in_time(call, attempt, number)

        return call_with_retries(
            numbered,
            safe=call.safe,
            deadline=call.deadline,
            clock=self.clock,
            policy=self._policy,
            quota=self.quota,
            is_transient=self._is_transient,
            random=self.random,
            operation=call.name,
        )

    def _check_open(self, operation: str) -> None:
        if self._closed:
            raise ClientClosed(operation)

    def _in_time(self, call: Call, attempt: Callable[[timedelta], T], number: int) -> T:
        """One attempt; and one more where a wrong clock explains the refusal, which also writes survive."""
        if self.skew is None:
            return self._once(call, attempt, timedelta(0), number)
        offset = self.skew.offset
        try:
            value = self._once(call, attempt, offset, number)
        except AuthenticationError:
            if not call.responded or not self.skew.explains(offset, call.date, self.clock.now()):
                raise
            value = self._once(call, attempt, self.skew.offset, number)
        # Only now is it known to be the service's Date, and no gateway's.
        self.skew.saw(call.date, call.arrived_at)
        return value

    def _once(self, call: Call, attempt: Callable[[timedelta], T], offset: timedelta, number: int) -> T:
        call.begin()
        if self._on_attempt is None:
            return attempt(offset)
        event = call.event = Attempt(call.name, number, self._address)
        self._tell(event)
        begun = self.clock.monotonic()
        try:
            return attempt(offset)
        except BaseException as error:
            event.error = error
            raise
        finally:
            event.seconds = self.clock.monotonic() - begun
            self._tell(event)

    def _tell(self, event: Attempt) -> None:
        assert self._on_attempt is not None
        try:
            self._on_attempt(event)
        except Exception:  # a call must not fail, least of all a write, because a listener does
            log.exception("on_attempt failed for %s", event.operation)
