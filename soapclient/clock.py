"""Clocks, nonces and deadlines. They are passed as arguments, so that tests need not wait or use patches."""

from __future__ import annotations

import math
import secrets
import time
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Protocol

from soapclient.errors import ConfigError, Timeout

__all__ = ["Clock", "Deadline", "ManualClock", "NonceSource", "SystemClock"]

NonceSource = Callable[[], str]
"""Returns a new nonce for each call: 20 or more visible ASCII characters, never the same twice
(docs/explanation/service.md#signing)."""


class Clock(Protocol):
    """The time functions that this package uses.

    >>> from datetime import datetime
    >>> from soapclient import Client
    >>> from soapclient.clock import SystemClock
    >>> class ImpatientClock(SystemClock):
    ...     def sleep(self, seconds: float) -> None:
    ...         super().sleep(seconds / 10)  # between attempts
    >>> Client(clock=ImpatientClock()).close()
    """

    def now(self) -> datetime:
        """Return the wall-clock time, aware, in UTC."""

    def monotonic(self) -> float:
        """Return seconds since a fixed moment. Never decreases."""

    def sleep(self, seconds: float) -> None:
        """Wait for `seconds` seconds."""


class SystemClock:
    """The clock of this machine.

    >>> from soapclient.clock import SystemClock
    >>> SystemClock().now().tzname()
    'UTC'
    """

    monotonic = staticmethod(time.monotonic)  # hot path: no extra function call

    def now(self) -> datetime:
        """Return the time of the system clock, aware, in UTC."""
        return datetime.now(UTC)

    def sleep(self, seconds: float) -> None:
        """Wait for `seconds` seconds."""
        time.sleep(max(0.0, seconds))


class ManualClock:
    """A clock for tests. Its time changes only if `sleep` or `advance` is called.

    >>> from datetime import datetime, UTC
    >>> from soapclient.clock import ManualClock
    >>> clock = ManualClock(datetime(2026, 11, 1, tzinfo=UTC))
    >>> clock.sleep(90)  # returns at once
    >>> clock.now().isoformat(), clock.sleeps
    ('2026-11-01T00:01:30+00:00', [90])
    """

    def __init__(self, start: datetime) -> None:
        self._now = start.astimezone(UTC)
        self._monotonic = 0.0
        self.sleeps: list[float] = []

    def now(self) -> datetime:
        """Return the time that was set, aware, in UTC."""
        return self._now

    def monotonic(self) -> float:
        """Return the number of seconds by which the clock was advanced."""
        return self._monotonic

    def sleep(self, seconds: float) -> None:
        """Advance the clock without waiting. Add the seconds to `sleeps`."""
        self.sleeps.append(seconds)
        self.advance(seconds)

    def advance(self, seconds: float) -> None:
        """Advance the clock by `seconds` seconds."""
        self._now += timedelta(seconds=seconds)
        self._monotonic += seconds


@cache
def boot_id() -> str:
    """Return an identifier of the current boot of this machine.

    Processes with the same identifier can compare monotonic times. Returns "" if the system has no such
    identifier. Only Linux has one.
    """
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    except (OSError, ValueError):
        return ""
    with suppress(OSError):  # an older kernel
        boot += f"-{Path('/proc/self/ns/time').readlink()}"  # each namespace has its own clock
    return boot


def fresh_nonce() -> str:
    """Return a new nonce: 32 random upper-case hex digits."""
    return secrets.token_hex(16).upper()


def in_seconds(duration: float | timedelta) -> float:
    """Convert a number of seconds or a timedelta to seconds."""
    return duration.total_seconds() if isinstance(duration, timedelta) else duration


class Deadline:
    """A point in time by which a call, with all its attempts, has to be complete.

    >>> from datetime import datetime, UTC
    >>> from soapclient.clock import Deadline, ManualClock
    >>> clock = ManualClock(datetime(2026, 11, 1, tzinfo=UTC))
    >>> deadline = Deadline(clock, 60)
    >>> clock.advance(45)
    >>> deadline.remaining(), deadline.within(20), deadline.expired
    (15.0, 15.0, False)
    """

    __slots__ = ("_clock", "_ends", "seconds")

    def __init__(self, clock: Clock, seconds: float) -> None:
        """Set the deadline to `seconds` from now.

        Raises ConfigError if `seconds` is negative or not finite.
        """
        if not 0 <= seconds < math.inf:
            raise ConfigError(
                "deadline",
                f"must be a finite number of seconds of 0 or more, got {seconds}",
                "Correct the argument",
            )
        self._clock = clock
        self._ends = clock.monotonic() + seconds
        self.seconds = seconds

    def remaining(self) -> float:
        """Return the remaining seconds; 0 if the deadline has passed."""
        return max(0.0, self._ends - self._clock.monotonic())

    @property
    def expired(self) -> bool:
        """True if the deadline has passed."""
        return self._ends <= self._clock.monotonic()

    def sooner(self, seconds: float) -> Deadline:
        """Return the earlier of two deadlines: this deadline, or a new one `seconds` from now."""
        return self if self._ends - self._clock.monotonic() <= seconds else Deadline(self._clock, seconds)

    def within(self, seconds: float) -> float:
        """Return the timeout of one attempt: `seconds`, or the remaining time if that is less."""
        return min(seconds, self.remaining())

    def check(self, operation: str, *, request_sent: bool = True) -> None:
        """Raise Timeout if the deadline has passed.

        `operation` and `request_sent` (True if a request was sent before) are used in the error.
        """
        if self._ends <= self._clock.monotonic():
            raise Timeout(operation, self.seconds, request_sent=request_sent)

    def __repr__(self) -> str:
        return f"Deadline({self.seconds:g} s, {self.remaining():g} s left)"
