"""The clock offset.

Which time difference explains a refusal, and how long an observed server time is valid.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from soapclient.calling.clock_skew import ClockSkew

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)
NONE = timedelta(0)
VALIDITY = timedelta(minutes=30)
DAY = 24 * 60  # minutes


def date(moment: datetime) -> str:
    return moment.strftime("%a, %d %b %Y %H:%M:%S GMT")


def minutes(number: float) -> timedelta:
    return timedelta(minutes=number)


@pytest.mark.parametrize(
    ("used", "before", "after", "offset"),
    [
        (0, 0, 0, None),  # a correct clock explains nothing
        (0, 15, 15, None),  # nor does half of the validity
        (0, 15.1, 15.1, -15.1),
        (0, -15, -15, None),
        (0, -15 - 1 / 60, -15 - 1 / 60, 15 + 1 / 60),
        (0, -120, -120, 120),
        (-120, 120, 120, None),  # already corrected
        (-120, 0, 0, 0),  # set since then
        (0, 120, 0, 0),  # set while the request was in flight
        (0, 0, 120, -120),
        (-120, 120, 0, 0),
        (0, -9_999_999, -9_999_999, 9_999_999),  # 19 years: a clock that was never set
        (0, -36_524 * DAY, -36_524 * DAY, 36_524 * DAY),
        (0, -36_525 * DAY, -36_525 * DAY, None),  # a century
    ],
)
def test_clock_skew_is_computed_from_the_signed_timestamp(
    used: float, before: float, after: float, offset: float | None
) -> None:
    """The numbers are the minutes by which the local clock is ahead of the service's."""
    found = ClockSkew(VALIDITY).correction(
        minutes(used), date(NOON), NOON + minutes(before), NOON + minutes(after)
    )
    assert found == (None if offset is None else minutes(offset))


@pytest.mark.parametrize("none", [None, "", "yesterday"])
def test_missing_date_header_gives_no_skew(none: str | None) -> None:
    skew, ours = ClockSkew(VALIDITY), NOON + minutes(120)
    assert skew.correction(NONE, none, ours, ours) is None
    skew.saw(none, 100.0)
    assert skew.their_time(100.0) is None


def test_confirmed_offset_is_used_by_other_calls() -> None:
    skew = ClockSkew(VALIDITY)
    assert skew.correction(NONE, date(NOON), NOON + minutes(60), NOON + minutes(60)) == minutes(-60)
    assert skew.offset == NONE
    skew.proved(minutes(-60))
    assert skew.offset == minutes(-60)
    skew.proved(minutes(-61))  # from another thread at the same time: not better
    assert skew.offset == minutes(-60)
    late = NOON + minutes(61)
    assert skew.correction(NONE, date(NOON), late, late) == minutes(-60)


def test_confirmed_offset_of_another_thread_is_used_if_it_applies() -> None:
    """Signed without an offset. The service's clock is an hour and ten minutes ahead, or three hours."""
    skew = ClockSkew(VALIDITY)
    skew.proved(minutes(60))
    assert skew.correction(NONE, date(NOON + minutes(70)), NOON, NOON) == minutes(60)
    assert skew.correction(NONE, date(NOON + minutes(180)), NOON, NOON) == minutes(180)
    assert skew.offset == minutes(60)
    skew.proved(minutes(75))
    assert skew.offset == minutes(60)
    skew.proved(minutes(75.1))
    assert skew.offset == minutes(75.1)


def test_server_time_is_extrapolated_for_a_minute() -> None:
    skew = ClockSkew(VALIDITY)
    assert skew.their_time(100.0) is None
    skew.saw(date(NOON), 100.0)
    assert skew.their_time(100.0) == NOON
    assert skew.their_time(130.5) == NOON + timedelta(seconds=30.5)
    assert skew.their_time(160.0) == NOON + timedelta(minutes=1)
    assert skew.their_time(160.1) is None
    skew.saw(None, 170.0)  # a response without a Date changes nothing
    assert skew.their_time(160.0) == NOON + timedelta(minutes=1)
    skew.saw(date(NOON + timedelta(hours=1)), 170.0)
    assert skew.their_time(171.0) == NOON + timedelta(hours=1, seconds=1)
