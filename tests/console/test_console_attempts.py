"""The times and the outcome of each attempt of a call that the console sends."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import pairwise

import pytest

from soapclient.clock import ManualClock
from soapclient.console.attempts import AttemptTimer, AttemptTimes
from tests.console.vendors import WEATHER, Called, called


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(datetime(2026, 11, 1, tzinfo=UTC))


@pytest.fixture
def weather(clock: ManualClock) -> Iterator[Called]:
    with called(WEATHER, clock=clock, safe=["GetWeather"], attempts=3) as both:
        yield both


def test_retried_call_lists_each_attempt(weather: Called, clock: ManualClock) -> None:
    mocked = weather.mocked
    mocked.on("GetWeather").unavailable().times(1)
    mocked.on("GetWeather").resets().times(1)
    exchange = weather.send("GetWeather", {"v:city": "Berlin"})
    assert exchange.error == ""
    first, second, third = exchange.attempts
    assert [item.number for item in exchange.attempts] == [1, 2, 3]
    assert [item.status for item in exchange.attempts] == [503, None, 200]
    assert "503" in first.reason
    assert second.reason.startswith("Connection")
    assert (second.received, third.reason, third.wait) == (None, "", 0.0)
    assert [first.wait, second.wait] == pytest.approx([1000 * pause for pause in clock.sleeps])
    # Only the pauses take time on this clock.
    for earlier, later in pairwise(exchange.attempts):
        assert later.sent - earlier.finished == pytest.approx(earlier.wait)
    assert exchange.milliseconds == pytest.approx(first.wait + second.wait)


def test_the_response_of_an_earlier_attempt_is_not_shown_as_the_last(weather: Called) -> None:
    mocked = weather.mocked
    mocked.on("GetWeather").unavailable().times(1)
    mocked.on("GetWeather").resets()
    exchange = weather.send("GetWeather", {"v:city": "Berlin"})
    assert [item.status for item in exchange.attempts] == [503, None, None]
    assert exchange.error
    assert (exchange.response.line, exchange.response.body) == ("", "")


def test_times_are_measured_from_the_start_of_the_call() -> None:
    moments = iter([10.0, 10.002, 10.010, 10.015, 10.020, 10.030, 10.131, 10.141, 10.150])
    timer = AttemptTimer(lambda: next(moments))
    timer.sent()
    timer.received(503)
    timer.progressed()
    timer.progressed()
    timer.retried("HttpError: HTTP status 503", 0.1)
    timer.sent()
    timer.progressed()  # failed
    assert timer.elapsed() == pytest.approx(150)
    first, second = timer.attempts
    assert (first.sent, first.received, first.finished, first.wait) == pytest.approx((2, 10, 30, 100))
    assert first.duration == pytest.approx(28)
    assert second == AttemptTimes(2, second.sent, None, second.finished, None)
    assert (second.sent, second.finished) == pytest.approx((131, 141))


def test_a_repeat_without_a_pause_has_the_status_as_its_reason() -> None:
    timer = AttemptTimer(lambda: 0.0)
    timer.retried("not sent", 1.0)  # failed before a request was sent: there is no attempt
    timer.sent()
    timer.received(401)
    timer.sent()
    timer.sent()
    assert [item.reason for item in timer.attempts] == ["HTTP status 401", "no response", ""]
