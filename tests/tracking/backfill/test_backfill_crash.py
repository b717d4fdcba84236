"""After kill -9 at any step, or Ctrl-C, the next run completes the dataset. No row and no job is doubled."""

from __future__ import annotations

import os
import runpy
import signal
import subprocess
import sys
import threading
from datetime import timedelta
from pathlib import Path
from subprocess import PIPE

import pytest
from werkzeug.wrappers import Request

from soapclient.tracking.backfill import Plan, dataset_files, verify
from soapclient.tracking.exports import backfill
from soapclient.tracking.sandbox import JobScript, JobSteps

from .conftest import Backfills

pytestmark = pytest.mark.exhaustive

DRIVER = Path(__file__).with_name("driver.py")
STEPS = list(runpy.run_path(str(DRIVER), run_name="driver")["STEPS"])


def kill_backfill(plan: Plan, step: str) -> None:
    """Start the backfill of a plan in a process that kills itself at a step."""
    command = [sys.executable, str(DRIVER), plan.place.removeprefix("the file "), step]
    killed = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert killed.returncode == -signal.SIGKILL, killed.stderr


@pytest.mark.sampled(0, 5)
@pytest.mark.parametrize("step", STEPS)
def test_backfill_killed_at_any_step_is_resumed(stage: Backfills, step: str) -> None:
    if step == "while polling":
        stage.sandbox.jobs.script(*[JobScript(states=("created", "running"))] * 2)
    plan = stage.plan()
    kill_backfill(plan, step)
    brought = dataset_files(stage.output)
    assert len(brought) <= 2
    if brought:
        stage.clicks_are_whole(len(brought))
    assert verify(plan).exit_code == 1
    summary = backfill(plan, settle=0.0)
    assert (summary.failed, summary.skipped) == ((), len(brought))
    assert dataset_files(stage.output)[: len(brought)] == brought
    assert stage.jobs() == 4
    stage.clicks_are_whole(4)
    assert verify(plan).problems == ()
    assert len(stage.names()) == 8
    assert list((plan.work / "staging").iterdir()) == []


@pytest.mark.sampled(0, 2)
@pytest.mark.parametrize("format", ["parquet", "csv.gz"])
@pytest.mark.parametrize(
    "step", ["after the download", "before the rename", "after the rename, before the manifest"]
)
def test_downloaded_file_is_not_ordered_again_if_its_job_expired(
    stage: Backfills, step: str, format: str
) -> None:
    """The complete, verified file is on this machine, so no further request is made for it."""
    plan = stage.plan(to="2026-11-02", format=format)
    kill_backfill(plan, step)
    assert stage.jobs() == 2
    stage.sandbox.jobs.steps = JobSteps(running=timedelta(0), done=timedelta(0), expired=timedelta(0))
    summary = backfill(plan, settle=0.0)
    assert (summary.failed, summary.done, stage.jobs()) == ((), 1, 2)
    assert verify(plan).problems == ()
    assert len(stage.names()) == 4
    assert list((plan.work / "staging").iterdir()) == []
    if format == "parquet":
        stage.clicks_are_whole(2)


def test_interrupt_stops_at_once_and_keeps_the_jobs(stage: Backfills) -> None:
    polled = threading.Event()

    def see(request: Request) -> None:
        if b"GetJobRequest" in request.get_data(cache=True):
            polled.set()

    stage.sandbox.interfere = see
    ended = threading.Event()
    # Whenever it is interrupted, it has no file yet.
    states = ("created", *["running"] * 3)
    stage.sandbox.jobs.script(JobScript(states=states, pace=lambda: ended.wait(60)))
    plan = stage.plan(to="2026-11-01")
    command = [sys.executable, "-m", "soapclient.cli", "backfill", plan.place.removeprefix("the file ")]
    with subprocess.Popen(command, env=dict(os.environ), stdout=PIPE, stderr=PIPE, text=True) as process:
        assert polled.wait(60)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
        ended.set()
    assert process.returncode == 130, err
    assert out == ""
    assert "Traceback" not in err
    assert dataset_files(stage.output) == []
    assert backfill(plan).exit_code == 0
    assert stage.jobs() == 1
    stage.clicks_are_whole(1)
