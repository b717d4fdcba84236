"""A clock for tests of deadlines, independent of the machine's speed."""

from __future__ import annotations

from soapclient.clock import ManualClock
from tests.stage import NOW


class Ticking(ManualClock):
    """A clock that advances `step` seconds each time it is read."""

    def __init__(self, step: float = 1.0) -> None:
        super().__init__(NOW)
        self.step = step

    def monotonic(self) -> float:
        self.advance(self.step)
        return super().monotonic()
