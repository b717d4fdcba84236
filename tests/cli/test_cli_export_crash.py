"""`soapclient export`, killed at every event and started again: one job, one complete file, no leftovers."""

from __future__ import annotations

import os
import re
import signal
import sys
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from soapclient import Settings
from soapclient.tracking.client import Client
from soapclient.tracking.sandbox import SAMPLE_CONNECT_ID, Serving
from tests.cli.conftest import Environment, Run, rows_of, serving_at_once
from tests.support.programs import ran

DRIVER = Path(__file__).with_name("export_driver.py")
DAYS = ("--from", "2026-11-01", "--to", "2026-11-01")
ROWS = 20
serving = serving_at_once(clicks_per_day=ROWS)

pytestmark = [pytest.mark.skipif(sys.platform == "win32", reason="needs SIGKILL"), pytest.mark.exhaustive]


@pytest.fixture
def killed(settings: Environment, tmp_path: Path) -> Callable[[int], tuple[int, str]]:
    """Run the command in a process that is killed at an event. Return its exit code and stderr."""

    def run(left: int) -> tuple[int, str]:
        words = ("export", "click", *DAYS, "-o", str(tmp_path / "x"))
        done = ran([sys.executable, str(DRIVER), str(left), *words], env={**os.environ, **settings})
        return done.returncode, done.stderr

    return run


def is_whole(target: Path) -> bool:
    return len({row["clickId"] for row in rows_of(target)}) == ROWS


# Events: creating the ledger's folder (2), intent: file, name, folder (3 x 2), the order (2), handle (3 x 2),
# the bytes of the part file, which arrive in one piece (2), file (2), mark as complete: file, name (2 x 2),
# name, folder (2 x 2), noting the download in the ledger (3 x 2), and after printing, removing the mark (2).
ORDER_AFTER = 9
EVENTS = 36
NAMED_AFTER = 25
NOTED_AFTER = 31
# Before each event, and right after the order and the last one: after one event is before the next.
POINTS = sorted({*range(0, EVENTS, 2), ORDER_AFTER, EVENTS - 1})


def test_kill_points_are_where_documented(killed: Callable[[int], tuple[int, str]]) -> None:
    code, said = killed(-1)
    assert code == 0, said
    (order,) = re.findall(r"the order is after (\d+)", said)
    (events,) = re.findall(r"events (\d+)", said)
    assert (int(order), int(events)) == (ORDER_AFTER, EVENTS)


@pytest.mark.sampled(0, 8)
@pytest.mark.parametrize("left", POINTS)
def test_repeated_command_after_a_kill_orders_nothing_twice(
    killed: Callable[[int], tuple[int, str]],
    run: Run,
    serving: Serving,
    settings: Environment,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    left: int,
) -> None:
    monkeypatch.setattr("soapclient.tracking.exports.export.SETTLE", 0.0)
    code, said = killed(left)
    assert code == -signal.SIGKILL, said
    jobs = len(serving.sandbox.jobs.of(SAMPLE_CONNECT_ID))
    assert jobs == (left >= ORDER_AFTER)
    target = tmp_path / "x"
    if target.exists():  # the file has its final name only when complete
        assert is_whole(target)
    with Client(Settings.load(environ=settings)) as client:
        ledger = client.data.exports.state()
        assert ledger is not None
        noted = any(entry.state == "done" for entry in ledger.entries())
    assert (target.exists(), noted) == (left >= NAMED_AFTER, left >= NOTED_AFTER)
    whole = target.read_bytes() if target.exists() else None
    told = left >= EVENTS - 1
    # Let the job expire: if the file were fetched again, it would be ordered again.
    if whole is not None and not told:
        serving.sandbox.jobs.steps = replace(serving.sandbox.jobs.steps, expired=timedelta(0))
    again = run("export", "click", *DAYS, "-o", str(target))
    assert again.exit_code == 0, again.output
    assert ("was downloaded on 20" in again.stderr) == (whole is not None and not told)
    # If the first process had acknowledged the complete file, the second run was the next export.
    assert len(serving.sandbox.jobs.of(SAMPLE_CONNECT_ID)) == 1 + told
    assert is_whole(target)
    assert list(tmp_path.iterdir()) == [target]
    (entry,) = ledger.entries()
    assert entry.state == "done"
