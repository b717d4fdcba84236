"""Limits in time and size for one exchange."""

from __future__ import annotations

from typing import Final

import msgspec
from msgspec.structs import replace

from soapclient.clock import Deadline

_MIN_TIMEOUT: Final = 0.001  # seconds; a timeout of 0 would make a socket non-blocking
_ATTEMPT_SHARE: Final = 2 / 3  # share of the remaining time, for every attempt except the last


class Limits(msgspec.Struct, frozen=True, kw_only=True):
    """Limits in time and size for one exchange. All times are in seconds.

    - `operation`: the name of the operation in error messages.
    - `deadline`: the end of the complete call. `timeout`: the maximum duration of one attempt.
    - `connect_timeout`: the maximum time to open a connection.
    - `stall`: the maximum time without receiving data; None means that only the deadline applies.
    - `most`, `nodes`, `ratio`: the limits for the body, see `body_limits.BodyLimits`.
    - `parts`: the maximum number of parts in a multipart body.
    - `idle`: a pooled connection that has been idle for longer is not used; 0 means that a new connection is
      opened.
    - `reused`: on a pooled connection, the maximum wait for the head of the response.
    - `request`: a number that is equal for requests that differ only in their signature; None for writes. A
      response on a pooled connection is refused if it is identical to the response to a different request.
    - `by_body`: True to compare only the bodies of such responses, not their status and headers.
    - `once`: True if the request must not be sent twice, not even to answer a challenge.
    """

    operation: str
    deadline: Deadline
    connect_timeout: float
    stall: float | None = None
    most: int | None = None
    nodes: int | None = None
    ratio: int | None = None
    parts: int | None = None
    idle: float | None = None
    reused: float | None = None
    timeout: float | None = None
    request: int | None = None
    by_body: bool = False
    once: bool = False

    def of_attempt(self, number: int, attempts: int, *, safe: bool) -> Limits:
        """Return the limits for attempt `number` (from 1) of `attempts`.

        An attempt, with the complete body of the response, takes at most `timeout`, and ends at the deadline.
        If `timeout` is None, the last attempt ends at the deadline. Each earlier attempt ends before the
        deadline, so that time remains for another attempt.

        A pooled connection may be dead without the client noticing, so that no response arrives. Therefore:

        - On a pooled connection, an attempt waits for the head of the response only for a part of the
          remaining time: this time divided by the number of attempts left.
        - A retry always opens a new connection.
        - A write (not `safe`) always opens a new connection, because it is not retried. Also, on a pooled
          connection, a late duplicate of an earlier response could be taken for the response to the write.
        """
        remaining, timeout = self.deadline.remaining(), self.timeout
        limits = self if timeout is None else replace(self, deadline=self.deadline.sooner(timeout))
        if not safe:
            return replace(limits, idle=0.0, once=True)
        idle, attempts_left = 0.0 if number > 1 else self.idle, attempts - number + 1
        if attempts_left <= 1:
            return replace(limits, idle=idle)
        if timeout is None:
            limits = replace(limits, deadline=limits.deadline.sooner(remaining * _ATTEMPT_SHARE))
        return replace(limits, idle=idle, reused=remaining / attempts_left)

    @property
    def seconds(self) -> float:
        """The limit in seconds to show in a timeout error.

        This is `stall` if `stall` is shorter than the time until the deadline. Otherwise, it is the total
        time of the deadline.
        """
        stalled = self.stall is not None and self.stall < self.deadline.remaining()
        return self.stall if stalled and self.stall is not None else self.deadline.seconds

    def wait(self, deadline: Deadline) -> float:
        """Return the timeout in seconds for the next socket operation.

        This is the time that is left until `deadline`, but at most `stall`.
        """
        longest = deadline.remaining() if self.stall is None else deadline.within(self.stall)
        return max(longest, _MIN_TIMEOUT)

    @property
    def timeouts(self) -> tuple[float, float]:
        """The argument `timeout` for the library requests: (seconds for connecting, seconds for reading)."""
        wait = self.wait(self.deadline)
        return min(max(self.connect_timeout, _MIN_TIMEOUT), wait), wait
