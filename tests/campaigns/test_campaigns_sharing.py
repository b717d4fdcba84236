"""A small campaign over processes finds nothing, and reports planted errors."""

from __future__ import annotations

import os

import pytest

from tests.campaigns import sharing

pytestmark = [
    pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork"),
    pytest.mark.exhaustive,
]
SMALL = ("forks midway", "preload")  # the full-size campaign runs the other ways, too


def test_processes_campaign_finds_nothing() -> None:
    report = sharing.run(5, count=80, ways=SMALL)
    assert report.findings == [], str(report)
    figures = report.figures
    assert figures["calls"] == figures["right"] == 80
    assert figures["nonces"] == figures["requests"] > 80
    assert figures["processes"] > 8
    assert figures["connections"] >= figures["processes"]


@pytest.mark.night
@pytest.mark.parametrize(("plant", "kind"), [("sockets", "shared connection"), ("nonces", "nonce twice")])
def test_a_planted_bug_is_found(plant: str, kind: str) -> None:
    report = sharing.run(2, count=24, ways=("preload",), plant=plant, deadline=3.0)
    assert kind in report.kinds
    assert report.exit_code == 1
