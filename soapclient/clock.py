"""Time, waiting and chance as values that are passed in, so that tests neither wait nor patch."""

from __future__ import annotations

import math
import secrets
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Protocol

from soapclient.errors import ConfigError, Timeout

NonceSource = Callable[[], str]
"""Gives a new nonce at every call: 20 or more visible ASCII characters, no two the same (service.md 5.2)."""


class Clock(Protocol):
    """What this package needs of time."""

    def now(self) -> datetime:
        """Return the wall-clock time, aware, in UTC."""

    def monotonic(self) -> float:
        """Return seconds since some fixed moment; never goes back."""

    def sleep(self, seconds: float) -> None:
        """Wait."""


class SystemClock:
    """The clock of this machine."""

    def now(self) -> datetime:
        return datetime.now(UTC)

    def monotonic(self) -> float:
        return time.monotonic()

    def sleep(self, seconds: float) -> None:
        time.sleep(max(0.0, seconds))


class ManualClock:
    """A clock that stands still until somebody sleeps or advances it. For tests, yours and ours."""

    def __init__(self, start: datetime) -> None:
        self._now = start.astimezone(UTC)
        self._monotonic = 0.0
        self.sleeps: list[float] = []

    def now(self) -> datetime:
        return self._now

    def monotonic(self) -> float:
        return self._monotonic

    def sleep(self, seconds: float) -> None:
        self.sleeps.append(seconds)
        self.advance(seconds)

    def advance(self, seconds: float) -> None:
        self._now += timedelta(seconds=seconds)
        self._monotonic += seconds


def fresh_nonce() -> str:
    """Return 32 random upper-case hex digits."""
    return secrets.token_hex(16).upper()


class Deadline:
    """A point in time by which something has to be done, however many steps and attempts it takes."""

    __slots__ = ("_clock", "_ends", "seconds")

    def __init__(self, clock: Clock, seconds: float) -> None:
        """Start counting now.

        Raises ConfigError if `seconds` is negative or not finite: without an end something could hang.
        """
        if not 0 <= seconds < math.inf:
            raise ConfigError(
                "deadline",
                f"{seconds} is not a number of seconds from 0 on",
                "Give a finite number where it is passed",
            )
        self._clock = clock
        self._ends = clock.monotonic() + seconds
        self.seconds = seconds

    def remaining(self) -> float:
        """Return the seconds that are left, never below 0."""
        return max(0.0, self._ends - self._clock.monotonic())

    @property
    def expired(self) -> bool:
        return self.remaining() <= 0

    def within(self, seconds: float) -> float:
        """Return `seconds`, or what is left if that is less: for the time limit of one step."""
        return min(seconds, self.remaining())

    def check(self, operation: str, *, request_sent: bool = True) -> None:
        """Raise Timeout if the deadline has passed."""
        if self.expired:
            raise Timeout(operation, self.seconds, request_sent=request_sent)

    def __repr__(self) -> str:
        return f"Deadline({self.seconds:g} s, {self.remaining():g} s left)"
