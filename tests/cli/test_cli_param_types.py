from __future__ import annotations

import datetime as dt

import click
import pytest

from soapclient.cli.param_types import day, duration


def test_days_are_parsed() -> None:
    assert day("2024-02-29") == dt.date(2024, 2, 29)


@pytest.mark.parametrize(
    "text", ["", "2026-02-29", "20261101", "2026-W44-7", "2026-11-1", "٢٠٢٦-11-01", "today"]
)
def test_invalid_days_are_refused(text: str) -> None:
    with pytest.raises(click.BadParameter):
        day(text)


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("0", 0),
        ("90", 90),
        ("2.5", 2.5),
        ("90s", 90),
        ("0.1s", 0.1),
        ("1m2.25s", 62.25),
        ("30m", 1800),
        ("2h", 7200),
        ("1h30m5s", 5405),
    ],
)
def test_durations_are_parsed(text: str, seconds: float) -> None:
    assert duration(text) == seconds


@pytest.mark.parametrize(
    "text", ["", "-1", "1d", "m", "30 m", "5m1h", "1.5m", "1.s", ".5s", "1e3", "nan", "inf", "1_000"]
)
def test_invalid_durations_are_refused(text: str) -> None:
    with pytest.raises(click.BadParameter):
        duration(text)
