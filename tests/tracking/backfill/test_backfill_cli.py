"""`soapclient backfill`: output and exit codes."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pytest
from rich.console import Console
from rich.progress import Progress

from soapclient.tracking.commands import backfill as backfill_command
from soapclient.tracking.sandbox import JobScript

from .conftest import Backfills


@pytest.mark.exhaustive
def test_successful_backfill_prints_a_summary_and_exits_with_0(stage: Backfills) -> None:
    stage.plan()
    result = stage.run()
    assert result.exit_code == 0, result.output
    assert "4 downloaded" in result.stdout
    assert "160 rows" in result.stdout
    assert "soapclient: 0 of 4 partitions" in result.stderr
    assert "soapclient: 4 of 4 partitions, 160 rows" in result.stderr
    again = stage.run("--json", "--jobs", "2")
    assert json.loads(again.stdout) == {
        "partitions": 4, "skipped": 4, "done": 0, "stale": 0, "rows": 0, "size": 0, "failed": []
    }  # fmt: skip
    assert stage.jobs() == 4


@pytest.mark.exhaustive
def test_failed_partitions_are_named_with_exit_code_1(stage: Backfills) -> None:
    stage.plan()
    stage.sandbox.jobs.script(JobScript(), JobScript(fail="no disk left"))
    result = stage.run("--jobs", "1", "--json")
    assert result.exit_code == 1
    failed = "account=main/report=click/date=2026-11-02"
    assert f"soapclient: {failed}: export job" in result.stderr
    (told,) = json.loads(result.stdout)["failed"]
    assert told["partition"] == failed
    assert "no disk left" in told["reason"]
    assert stage.run().exit_code == 0


@pytest.mark.exhaustive
def test_verify_orders_nothing(stage: Backfills) -> None:
    stage.plan()
    result = stage.run("--verify")
    assert result.exit_code == 1
    assert "date=2026-11-01: missing: it does not exist yet" in result.stderr
    assert stage.jobs() == 0
    assert stage.run().exit_code == 0
    assert stage.run("--verify").exit_code == 0
    (file,) = (Path(stage.output) / "account=main/report=click/date=2026-11-03").glob("*.parquet")
    file.write_bytes(file.read_bytes()[::-1])
    result = stage.run("--verify", "--json")
    assert result.exit_code == 1
    assert [one["kind"] for one in json.loads(result.stdout)["problems"]] == ["damaged"]
    assert stage.run("--recheck").exit_code == 0
    assert stage.run("--verify").exit_code == 0


def test_invalid_plan_and_missing_credentials_are_errors(
    stage: Backfills, monkeypatch: pytest.MonkeyPatch
) -> None:
    stage.plan()
    monkeypatch.delenv("SOAPCLIENT_SECRET_KEY")
    result = stage.run()
    assert result.exit_code == 3
    assert "SOAPCLIENT_SECRET_KEY is not set" in result.stderr
    (stage.folder / "plan.toml").write_text("output = 5\n")
    result = stage.run()
    assert result.exit_code == 3
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
def test_usage_errors_have_exit_code_2(stage: Backfills, options: tuple[str, ...]) -> None:
    stage.plan()
    result = stage.run(*options)
    assert result.exit_code == 2
    assert "Usage:" in result.stderr
    assert stage.jobs() == 0


@pytest.mark.exhaustive
def test_progress_prints_a_line_per_tenth(stage: Backfills) -> None:
    stage.plan(to="2026-11-20")
    result = stage.run("--jobs", "1")
    lines = [line for line in result.stderr.splitlines() if " partitions" in line]
    assert [line.split()[1] for line in lines] == [str(number) for number in range(0, 21, 2)]
    assert lines[-1] == "soapclient: 20 of 20 partitions, 800 rows"


@pytest.mark.exhaustive
def test_progress_is_a_bar_on_a_terminal(stage: Backfills, monkeypatch: pytest.MonkeyPatch) -> None:
    bars = Progress(console=Console(file=io.StringIO(), force_terminal=True))
    counted: list[bool] = []

    def terminal(*, counted_too: list[bool] = counted, **options: bool) -> Progress:
        counted_too.append(options["counted"])
        return bars

    monkeypatch.setattr(backfill_command, "terminal_bars", terminal)
    stage.sandbox.jobs.script(JobScript(), JobScript(fail="no disk left"))
    stage.plan()
    result = stage.run("--jobs", "1")
    assert "partitions," not in result.stderr
    (bar,) = bars.tasks
    assert (counted, bar.total, bar.completed) == ([True], 4, 4)
    assert bar.description == "120 rows, 1 failed"


def test_missing_dask_is_reported_before_any_order(stage: Backfills, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "soapclient.tracking.backfill.dask_engine", raising=False)
    monkeypatch.setitem(sys.modules, "distributed", None)
    stage.plan()
    result = stage.run("--engine", "dask", "--scheduler", "tcp://127.0.0.1:1")
    assert result.exit_code == 1
    assert result.stderr == (
        "soapclient: --engine dask needs the package distributed: pip install 'soapclient[dask]'\n"
    )
    assert stage.jobs() == 0
