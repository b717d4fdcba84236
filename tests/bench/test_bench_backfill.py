"""The bench of backfills runs and prints its table. Its speed is not checked."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.exhaustive

_BENCH = Path(__file__).parent / "backfill.py"


def test_the_bench_sends_three_calls_a_partition_and_compares_them() -> None:
    done = subprocess.run(
        [sys.executable, str(_BENCH), "--partitions", "3", "--clicks", "10"],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    title, _, *lines = done.stdout.splitlines()
    # Each partition has an order, a poll and a download. A list of jobs gives the service's time.
    assert title == "3 partitions, 30 rows, 10 calls (7 POST, 3 GET)"
    costs, ratios = zip(*(map(float, line.split()[-2:]) for line in lines), strict=True)
    assert len(costs) == 3
    assert all(cost > 0 for cost in costs)
    for cost, ratio in zip(costs, ratios, strict=True):  # both are rounded for display
        assert abs(costs[0] / cost - ratio) < 0.1 * ratio
