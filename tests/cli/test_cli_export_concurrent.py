"""Parallel exports with lost responses and killed processes: each is ordered once and gets its own file."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Callable
from datetime import date, timedelta
from pathlib import Path

import pytest
from werkzeug.wrappers import Request, Response

from soapclient.tracking.sandbox import SAMPLE_CONNECT_ID, Sandbox, Serving
from tests.cli.conftest import Environment, rows_of, serving_at_once

DRIVER = Path(__file__).with_name("export_driver.py")
ROWS = 20
serving = serving_at_once(clicks_per_day=ROWS)
FIRST = date(2026, 11, 1)
ORDER = b"CreateReportJobRequest"
ALL = -1
LAST = 43  # number of events of an export without trouble until it acknowledges the file

pytestmark = [pytest.mark.skipif(sys.platform == "win32", reason="needs SIGKILL"), pytest.mark.exhaustive]


Start = Callable[..., subprocess.Popen[str]]


@pytest.fixture
def start(settings: Environment, tmp_path: Path) -> Start:
    """Start an export of one or several days in a process that is killed at an event."""

    def begun(first: date, last: date, left: int) -> subprocess.Popen[str]:
        days = ("--from", str(first), "--to", str(last))
        driver = (sys.executable, str(DRIVER), str(left))
        return subprocess.Popen(
            [*driver, "export", "click", *days, "-o", str(tmp_path / f"{first}-{last}")],
            env={**os.environ, **settings},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    return begun


def ended(process: subprocess.Popen[str]) -> tuple[int, str]:
    with process:
        _, errors = process.communicate(timeout=120)
    return process.returncode, errors


def days_in(target: Path) -> Counter[str]:
    """Return the number of rows for each day in a file."""
    return Counter(row["clickDate"][:10] for row in rows_of(target))


def lose_three(sandbox: Sandbox) -> None:
    """Lose the response of the first three orders. The second order is not processed."""
    lock, lost = threading.Lock(), [0]

    def interfere(request: Request) -> Response | None:
        if ORDER not in request.get_data(cache=True):
            return None
        with lock:
            number = lost[0]
            lost[0] += 1
        if number >= 3:
            return None
        if number != 1:
            assert sandbox._route(request).status_code == 200
        return Response("gone", status=502)

    sandbox.interfere = interfere


def test_concurrent_killed_and_lost_orders_are_ordered_once_and_downloaded(
    start: Start, serving: Serving, tmp_path: Path
) -> None:
    """Exports of days and pairs of days. Half of the processes are killed, and orders are lost.

    All jobs match by type and time: only their contents show which order they belong to.

    The commands are rerun until all files are complete. The events at which processes are killed are drawn
    from a fixed seed, but the timing depends on the other processes.
    """
    chance = random.Random(2)
    days = [FIRST + timedelta(days=number) for number in range(4)]
    wanted = [(day, day) for day in days] + [(days[0], days[1]), (days[2], days[3])]
    left, rounds = list(wanted), 0
    while left:
        rounds += 1
        assert rounds <= 8, left
        if rounds <= 2:  # no more trouble after the second round
            lose_three(serving.sandbox)
            points = [chance.choice((ALL, chance.randrange(LAST))) for _ in left]
        else:
            serving.sandbox.interfere = None
            points = [ALL] * len(left)
        processes = [start(*period, point) for period, point in zip(left, points, strict=True)]
        ends = [ended(process) for process in processes]
        assert {code for code, _ in ends} <= {0, 1, -signal.SIGKILL}
        if rounds > 2:  # the only remaining effect: some have to wait for others
            for code, errors in ends:
                assert code == 0 or "order that request again first" in errors, errors
        left = [period for period, (code, _) in zip(left, ends, strict=True) if code != 0]
    ordered = Counter((job.order.first, job.order.last) for job in serving.sandbox.jobs.of(SAMPLE_CONNECT_ID))
    assert ordered == dict.fromkeys(wanted, 1)
    for first, last in wanted:
        assert days_in(tmp_path / f"{first}-{last}") == {str(first): ROWS, str(last): ROWS}
