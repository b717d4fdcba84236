"""The bench runs and prints its table. Its speed is not checked, but the number of function calls is:
it does not depend on the machine.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.exhaustive

_BENCH = Path(__file__).parent / "call.py"


def test_bench_prints_a_row_per_variant() -> None:
    done = subprocess.run(
        [sys.executable, str(_BENCH), "--calls", "5", "--rounds", "1"],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    title, head, *rows = done.stdout.splitlines()
    assert title.startswith("5 calls, ")
    assert head.split() == ["way", "ms", "x", "floor", "Python", "calls"]
    table = {row[:28].strip(): [float(cell) for cell in row[28:].split()] for row in rows}
    assert list(table) == ["session.post, parsed", "requests.post, parsed", "search_programs(items=1)"]
    assert table["session.post, parsed"][1] == 1.0
    # Measured: 749, including requests, urllib3 and zeep. For this project's see test_bench_frames.py.
    assert table["search_programs(items=1)"][2] <= 765
