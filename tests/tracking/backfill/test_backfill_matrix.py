"""Every way the sandbox can break an export, in a backfill: a complete dataset or a named partition."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from soapclient.cli.application import cli
from soapclient.tracking.backfill import dataset_files, verify
from soapclient.tracking.sandbox import JobScript

pytestmark = pytest.mark.sampled(3)

if TYPE_CHECKING:
    from .conftest import Backfills, Leaping

FIRST, SECOND = "account=main/report=click/date=2026-11-01", "account=main/report=click/date=2026-11-02"
ALWAYS = 10**6


# A sample of the cases in the tests of single exports, which have the same downloads.
PASSING = {
    "looks refused": JobScript(busy_looks=3),
    "more resets than attempts": JobScript(breaks=6),
    "expired addresses": JobScript(stale_addresses=3),
    "no rows told": JobScript(no_rows=True),
    "a slow drip": JobScript(),
}
FATAL = {
    "a wrong checksum": (JobScript(damage="corrupt"), "the file is damaged"),
    "too many rows told": (JobScript(rows_off_by=1), "41 rows"),
    "downloads always refused": (JobScript(busy_downloads=ALWAYS), "503"),
    "always reset": (JobScript(breaks=ALWAYS, ranges=False), "connection"),
    "no address holds": (JobScript(stale_addresses=10), "has expired"),
    "failed": (JobScript(fail="no disk left"), "no disk left"),
    "stuck": (JobScript(stuck="running"), "last state 'running'"),
    "forgotten": (JobScript(forgotten=True), "does not know export job"),
    "a drip too slow": (JobScript(), "downloading its file"),
}
DRIPS = {"a slow drip": 5.0, "a drip too slow": 61.0}
"""Seconds that each piece of a file takes."""


def paced(script: JobScript, name: str, clock: Leaping) -> JobScript:
    seconds = DRIPS.get(name)
    return script if seconds is None else replace(script, pace=lambda: clock.lose(seconds))


def run(stage: Backfills, *options: str) -> tuple[int, dict[str, str]]:
    """Return the exit code of the command, and the failed partitions with their reasons."""
    command = ["backfill", str(stage.folder / "plan.toml"), "--jobs", "1", "--json", *options]
    result = CliRunner().invoke(cli, command)
    told = json.loads(result.stdout)
    return result.exit_code, {one["partition"]: one["reason"] for one in told["failed"]}


@pytest.mark.sampled(1)
@pytest.mark.parametrize("name", PASSING)
def test_transient_failures_end_in_a_complete_dataset(stage: Backfills, leaping: Leaping, name: str) -> None:
    stage.sandbox.jobs.script(paced(PASSING[name], name, leaping))
    plan = stage.plan(to="2026-11-02")
    assert run(stage) == (0, {})
    assert stage.jobs() == 2
    stage.clicks_are_whole(2)
    assert verify(plan).problems == ()


@pytest.mark.sampled(1)
@pytest.mark.parametrize("name", FATAL)
def test_permanent_failure_fails_only_its_partition(stage: Backfills, leaping: Leaping, name: str) -> None:
    script, reason = FATAL[name]
    stage.sandbox.jobs.script(paced(script, name, leaping))
    plan = stage.plan(to="2026-11-02", deadline=60)
    code, failed = run(stage)
    assert (code, list(failed)) == (1, [FIRST])
    assert reason in failed[FIRST]
    (file,) = dataset_files(stage.output)
    assert f"/{SECOND}/part-" in f"/{file}"
    ((rows, ids),) = stage.query("SELECT count(*), count(DISTINCT clickId) FROM data")
    assert rows == ids == 40
    assert [one.partition for one in verify(plan).problems] == [FIRST]
    assert len(stage.names()) == 2  # a file and its manifest; nothing of the failed one
    assert stage.jobs() == (1 if script.forgotten else 2)


@pytest.mark.exhaustive
def test_expired_job_is_ordered_again_once(stage: Backfills, leaping: Leaping) -> None:
    stage.sandbox.jobs.script(JobScript(expire=True))
    stage.plan(to="2026-11-02")
    assert run(stage) == (0, {})
    assert stage.jobs() == 3
    stage.clicks_are_whole(2)
