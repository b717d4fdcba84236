"""`soapclient backfill`: what is printed, and the exit code."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner, Result

from soapclient.cli.application import cli
from soapclient.sandbox import JobScript

if TYPE_CHECKING:
    from .conftest import Backfills


def run(stage: Backfills, *options: str) -> Result:
    return CliRunner().invoke(cli, ["backfill", str(stage.folder / "plan.toml"), *options])


def test_a_backfill_is_summed_up_and_exits_with_0(stage: Backfills) -> None:
    stage.plan()
    result = run(stage)
    assert result.exit_code == 0, result.output
    assert "4 brought" in result.stdout
    assert "160 rows" in result.stdout
    assert "soapclient: 0 of 4 partitions" in result.stderr
    assert "soapclient: 4 of 4 partitions, 160 rows" in result.stderr
    again = run(stage, "--json", "--jobs", "2")
    assert json.loads(again.stdout) == {
        "partitions": 4, "skipped": 4, "done": 0, "stale": 0, "rows": 0, "size": 0, "failed": []
    }  # fmt: skip
    assert stage.jobs() == 4


def test_what_failed_is_named_and_the_exit_code_is_1(stage: Backfills) -> None:
    stage.plan()
    stage.sandbox.jobs.script(JobScript(), JobScript(fail="no disk left"))
    result = run(stage, "--jobs", "1", "--json")
    assert result.exit_code == 1
    failed = "account=main/report=click/date=2026-11-02"
    assert f"soapclient: {failed}: export job" in result.stderr
    (told,) = json.loads(result.stdout)["failed"]
    assert told["partition"] == failed
    assert "no disk left" in told["reason"]
    assert run(stage).exit_code == 0


def test_verify_orders_nothing(stage: Backfills) -> None:
    stage.plan()
    result = run(stage, "--verify")
    assert result.exit_code == 1
    assert "date=2026-11-01: missing: it is not there yet" in result.stderr
    assert stage.jobs() == 0
    assert run(stage).exit_code == 0
    assert run(stage, "--verify").exit_code == 0
    (file,) = (Path(stage.output) / "account=main/report=click/date=2026-11-03").glob("*.parquet")
    file.write_bytes(file.read_bytes()[::-1])
    result = run(stage, "--verify", "--json")
    assert result.exit_code == 1
    assert [one["kind"] for one in json.loads(result.stdout)["problems"]] == ["damaged"]
    assert run(stage, "--recheck").exit_code == 0
    assert run(stage, "--verify").exit_code == 0


def test_a_plan_that_is_none_and_credentials_that_are_not_set(
    stage: Backfills, monkeypatch: pytest.MonkeyPatch
) -> None:
    stage.plan()
    monkeypatch.delenv("SOAPCLIENT_SECRET_KEY")
    result = run(stage)
    assert result.exit_code == 1
    assert "SOAPCLIENT_SECRET_KEY is not set" in result.stderr
    (stage.folder / "plan.toml").write_text("output = 5\n")
    result = run(stage)
    assert result.exit_code == 1
    assert "plan.toml" in result.stderr
    assert result.stderr.count("\n") == 1


@pytest.mark.parametrize(
    "options",
    [
        ("--engine", "dask"),
        ("--scheduler", "tcp://127.0.0.1:1"),
        ("--verify", "--recheck"),
        ("--verify", "--reorder"),
        ("--verify", "--jobs", "2"),
        ("--jobs", "0"),
        ("--engine", "threats"),
    ],
)
def test_usage(stage: Backfills, options: tuple[str, ...]) -> None:
    stage.plan()
    result = run(stage, *options)
    assert result.exit_code == 2
    assert "Usage:" in result.stderr
    assert stage.jobs() == 0
