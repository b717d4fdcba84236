from __future__ import annotations

import math
import re
import time
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from soapclient.clock import Clock, Deadline, ManualClock, SystemClock, fresh_nonce
from soapclient.errors import ConfigError, Timeout

START = datetime(2026, 11, 1, 12, 0, tzinfo=UTC)


def test_the_system_clock_is_aware_and_monotonic() -> None:
    clock: Clock = SystemClock()
    before = time.time()
    now = clock.now()
    assert now.utcoffset() == timedelta(0)
    assert before <= now.timestamp() <= time.time()
    assert clock.monotonic() <= clock.monotonic()


def test_system_clock_accepts_a_wait_in_the_past() -> None:
    SystemClock().sleep(-1)


def test_the_manual_clock_moves_only_when_told() -> None:
    clock = ManualClock(START.astimezone(timezone(timedelta(hours=2))))
    assert clock.now() == START
    assert clock.now().tzinfo is UTC
    clock.sleep(2.5)
    clock.advance(1)
    assert (clock.now() - START, clock.monotonic(), clock.sleeps) == (timedelta(seconds=3.5), 3.5, [2.5])


def test_default_nonces_are_32_hex_digits_and_differ() -> None:
    nonces = {fresh_nonce() for _ in range(200)}
    assert len(nonces) == 200
    assert all(re.fullmatch("[0-9A-F]{32}", nonce) for nonce in nonces)


def test_deadline_expires() -> None:
    clock = ManualClock(START)
    deadline = Deadline(clock, 10)
    assert (deadline.remaining(), deadline.expired) == (10, False)
    assert (deadline.within(3), deadline.within(30)) == (3, 10)
    deadline.check("GetSales")
    clock.advance(10)
    assert deadline.expired
    with pytest.raises(Timeout, match=r"GetSales.*10 seconds") as caught:
        deadline.check("GetSales", request_sent=False)
    assert (caught.value.seconds, caught.value.request_sent) == (10, False)
    clock.advance(10)
    assert (deadline.remaining(), deadline.within(3)) == (0, 0)


def test_setting_the_wall_clock_does_not_move_a_deadline() -> None:
    class Jumping(ManualClock):
        def now(self) -> datetime:
            return super().now() + timedelta(days=400)

    assert not Deadline(Jumping(START), 1).expired


@pytest.mark.parametrize("seconds", [-1, -0.001, math.nan, math.inf, -math.inf])
def test_infinite_deadline_is_refused(seconds: float) -> None:
    with pytest.raises(ConfigError, match="deadline"):
        Deadline(ManualClock(START), seconds)


@given(st.floats(0, 1e6), st.lists(st.floats(0, 1e5), max_size=10))
def test_remaining_time_never_grows_and_is_never_negative(seconds: float, steps: list[float]) -> None:
    clock = ManualClock(START)
    deadline = Deadline(clock, seconds)
    left = deadline.remaining()
    for step in steps:
        clock.advance(step)
        assert 0 <= deadline.remaining() <= left
        left = deadline.remaining()
        assert deadline.expired == (left == 0)
