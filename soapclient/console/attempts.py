"""The attempts of a call: when each was sent and received, and why it was retried."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

__all__ = ["AttemptTimer", "AttemptTimes"]


@dataclass(frozen=True)
class AttemptTimes:
    """One attempt of a call. All times are in milliseconds; moments count from the start of the call.

    - `sent`: when the request was handed to the connection. Before the first attempt, the request is built,
      validated and signed.
    - `received`: when the head of the response arrived; None without a response.
    - `finished`: when the body was read, or when the attempt failed.
    - `status`: the HTTP status; None without a response.
    - `reason`: why the attempt was retried, such as "HTTP status 503"; "" if it was the last one.
    - `wait`: the planned pause before the next attempt.
    """

    number: int
    sent: float
    received: float | None
    finished: float
    status: int | None
    reason: str = ""
    wait: float = 0.0

    @property
    def duration(self) -> float:
        """Milliseconds from sending to the end of the attempt."""
        return self.finished - self.sent


class AttemptTimer:
    """Measures the attempts of one call, which starts when the timer is created.

    `monotonic` is a function that returns the current time in seconds, such as `time.monotonic`.
    """

    def __init__(self, monotonic: Callable[[], float]) -> None:
        self._monotonic = monotonic
        self._started = monotonic()
        self._attempts: list[AttemptTimes] = []
        self._is_open = False

    @property
    def attempts(self) -> tuple[AttemptTimes, ...]:
        """The attempts so far, in order."""
        return tuple(self._attempts)

    def elapsed(self) -> float:
        """Return the milliseconds since the start of the call."""
        return (self._monotonic() - self._started) * 1000

    def sent(self) -> None:
        """Record that an attempt begins.

        If it is a retry, and no reason was recorded for the retry, the reason is the HTTP status of the
        previous attempt, or "no response".
        """
        moment = self.elapsed()
        if self._attempts and not (last := self._attempts[-1]).reason:
            status = "no response" if last.status is None else f"HTTP status {last.status}"
            self._attempts[-1] = replace(last, reason=status)
        self._attempts.append(AttemptTimes(len(self._attempts) + 1, moment, None, moment, None))
        self._is_open = True

    def received(self, status: int) -> None:
        """Record that the head of a response arrived, with its HTTP status."""
        moment = self.elapsed()
        self._change(received=moment, finished=moment, status=status)

    def progressed(self) -> None:
        """Record that a part of the body arrived, or that the attempt failed."""
        if self._is_open:
            self._change(finished=self.elapsed())

    def retried(self, reason: str, seconds: float) -> None:
        """Record that the last attempt failed because of `reason`, and is retried after `seconds`.

        If the call failed before it sent a request, there is no attempt, and nothing is recorded.
        """
        if self._attempts:
            self.progressed()
            self._is_open = False
            self._change(reason=reason, wait=seconds * 1000)

    def _change(self, **values: object) -> None:
        changed: AttemptTimes = replace(self._attempts[-1], **values)  # type: ignore[arg-type] # by name
        self._attempts[-1] = changed
