"""`soapclient export` against the sandbox."""

from __future__ import annotations

import csv
import errno
import gzip
import hashlib
import json
import os
import re
import signal
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest
from werkzeug.wrappers import Request

from soapclient._support import part_file
from soapclient.tracking.sandbox import JobScript, Serving
from tests.cli.conftest import Run

DAYS = ("--from", "2026-11-01", "--to", "2026-11-02")


def rows_of(path: Path) -> list[dict[str, str]]:
    with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_export_is_ordered_downloaded_and_reported(run: Run, tmp_path: Path) -> None:
    target = tmp_path / "clicks.csv.gz"
    result = run("export", "click", *DAYS, "-o", str(target))
    assert result.exit_code == 0, result.output
    printed = dict(line.split(maxsplit=1) for line in result.stdout.splitlines())
    assert printed == {
        "path": str(target),
        "rows": "500",
        "size": str(target.stat().st_size),
        "sha256": hashlib.sha256(target.read_bytes()).hexdigest(),
    }
    assert len(rows_of(target)) == 500
    assert "the job is done" in result.stderr
    assert list(tmp_path.iterdir()) == [target]


@pytest.mark.exhaustive
def test_filters_and_groups_reach_the_service(run: Run, tmp_path: Path) -> None:
    target = tmp_path / "sales.csv.gz"
    result = run("export", "sale", *DAYS, "--review-state", "open", "--json", "-o", str(target))
    rows = rows_of(target)
    assert json.loads(result.stdout)["rows"] == len(rows) > 0
    assert {row["reviewState"] for row in rows} == {"open"}
    run("export", "click", *DAYS, "--group-by", "day,currency", "--currency", "EUR", "-o", str(target))
    grouped = rows_of(target)
    assert {"day", "currency"} <= grouped[0].keys()
    assert {row["currency"] for row in grouped} == {"EUR"}
    run("export", "click", *DAYS, "-o", str(target))
    wanted = rows_of(target)[0]["programId"]
    run(
        "export", "custom", "--columns", "programId,clickId", *DAYS, "--program-id", wanted, "-o", str(target)
    )
    rows = rows_of(target)
    assert list(rows[0]) == ["programId", "clickId"]
    assert {row["programId"] for row in rows} == {wanted}


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("view",), "removed in 2011-05-01; use click (ppc), clickin (lpt)"),
        (("Click In",), "use clickin (got 'Click In'). Nothing was sent"),
        (("sale", "--notify-url", "https://me.example.org/"), "removed in 2011-05-01"),
        (("sale", "--review-state", "approvd"), "'approved'"),
        (("sale", "--date-type", "x"), "'trackingDate'"),
        (("sale", "--program-id", "99999999999"), "2147483647"),
    ],
)
def test_invalid_orders_are_refused_before_any_request(
    run_unset: Run, tmp_path: Path, arguments: tuple[str, ...], said: str
) -> None:
    result = run_unset("export", *arguments, *DAYS, "-o", str(tmp_path / "x"))
    assert (result.exit_code, result.stdout) == (4, "")
    assert said in result.stderr
    assert "Nothing was sent" in result.stderr
    assert "allowed" not in result.stderr


@pytest.mark.parametrize("rest", [(), (*DAYS, "-o", "x.gz")])
def test_misspelt_type_is_one_line(run_unset: Run, rest: tuple[str, ...]) -> None:
    result = run_unset("export", "clik", *rest)
    assert (result.exit_code, result.stdout) == (4, "")
    (line,) = result.stderr.splitlines()
    assert line.startswith("soapclient: CreateReportJob: reportType must be one of 'click', 'clickin', ")
    assert line.endswith("got 'clik'. Nothing was sent. Did you mean click?")
    _, advice = run_unset("export", "visits", *rest).stderr.splitlines()
    assert advice.startswith("soapclient: to order a new type of the service, use ")


@pytest.mark.parametrize(
    "arguments",
    [
        ("--from", "2026-11-01", "-o", "x"),
        ("--from", "2026-11-31", "--to", "2026-12-01", "-o", "x"),
        ("--from", "1.11.2026", "--to", "2026-12-01", "-o", "x"),
        (*DAYS,),
        (*DAYS, "-o", "x", "--deadline", "soon"),
        (*DAYS, "-o", "x", "--deadline", "1d"),
        (*DAYS, "-o", "x", "--job", "5"),
        ("--job", "5", "--currency", "EUR", "-o", "x"),
    ],
)
def test_usage_errors_have_exit_code_2(run_unset: Run, arguments: tuple[str, ...]) -> None:
    result = run_unset("export", "click", *arguments)
    assert result.exit_code == 2
    assert "Usage:" in result.stderr


def test_period_that_ends_before_its_start_is_refused(run: Run, tmp_path: Path) -> None:
    days = ("--from", "2026-11-02", "--to", "2026-11-01")
    result = run("export", "click", *days, "-o", str(tmp_path / "x"))
    assert result.exit_code == 4
    assert "from_date must be to_date (2026-11-01) or earlier, got '2026-11-02'" in result.stderr


def test_unwritable_target_is_reported_before_the_order(run: Run, serving: Serving, tmp_path: Path) -> None:
    before = len(serving.sandbox.jobs.of("802B8BF4AE99EBE00F41"))
    for target in (tmp_path, tmp_path / "no such folder" / "x"):
        result = run("export", "click", *DAYS, "-o", str(target))
        assert result.exit_code == 1
        assert "is a folder" in result.stderr or "is not a folder" in result.stderr
    assert len(serving.sandbox.jobs.of("802B8BF4AE99EBE00F41")) == before


LONG = "x" * 253  # valid as a file name, but too long with a suffix


@pytest.mark.parametrize("what", ["-o", "--handle"])
@pytest.mark.parametrize("name", [LONG, "linked", "piped"])
def test_special_files_in_the_way_are_reported_before_the_order(
    run: Run, serving: Serving, tmp_path: Path, what: str, name: str
) -> None:
    """The command tries to write, because permissions alone do not show every problem."""
    before = len(serving.sandbox.jobs.of("802B8BF4AE99EBE00F41"))
    (tmp_path / "linked.part").symlink_to(tmp_path / "precious")
    os.mkfifo(tmp_path / "piped.part")
    given = {"-o": str(tmp_path / "fine"), what: str(tmp_path / name)}
    result = run("export", "click", *DAYS, *(word for pair in given.items() for word in pair))
    assert result.exit_code == 1
    assert result.stderr.startswith("soapclient: ")
    advice = "choose another folder" if name == LONG else "remove it, or choose another name"
    assert result.stderr.splitlines()[-1].endswith(f": {advice}")
    assert len(re.findall(" (name a|choose another)", result.stderr)) == 1  # one suggestion is enough
    assert "Traceback" not in result.stderr
    assert len(serving.sandbox.jobs.of("802B8BF4AE99EBE00F41")) == before
    assert {path.name for path in tmp_path.iterdir()} == {"linked.part", "piped.part"}


def test_unwritable_folder_is_one_line(
    run: Run, serving: Serving, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The error is simulated, because root may write anywhere."""
    before = len(serving.sandbox.jobs.of("802B8BF4AE99EBE00F41"))

    def refuse(path: Path) -> None:
        raise PermissionError(errno.EACCES, "Permission denied", str(path))

    monkeypatch.setattr(part_file, "check_target", refuse)
    result = run("export", "click", *DAYS, "-o", str(tmp_path / "clicks.csv.gz"))
    assert (result.exit_code, result.stderr) == (
        1,
        f"soapclient: {tmp_path} is not writable: choose another folder\n",
    )
    assert len(serving.sandbox.jobs.of("802B8BF4AE99EBE00F41")) == before


def test_resume_reports_an_unwritable_target_before_any_request(
    run: Run, serving: Serving, tmp_path: Path
) -> None:
    asked: list[str] = []
    handle = tmp_path / "handle.json"
    result = run("export", "click", *DAYS, "-o", str(tmp_path / "x"), "--handle", str(handle))
    assert result.exit_code == 0, result.stderr

    def see(request: Request) -> None:
        asked.append(request.path)

    serving.sandbox.interfere = see
    refused = run("export", "resume", str(handle), "-o", str(tmp_path / LONG))
    serving.sandbox.interfere = None
    assert (refused.exit_code, asked) == (1, [])
    assert "choose another folder" in refused.stderr


@pytest.mark.exhaustive
def test_failed_job_and_damaged_file_are_errors(run: Run, serving: Serving, tmp_path: Path) -> None:
    target = tmp_path / "x.csv.gz"
    serving.sandbox.jobs.script(JobScript(fail="out of paper"))
    failed = run("export", "click", *DAYS, "-o", str(target))
    assert failed.exit_code == 10
    assert "out of paper" in failed.stderr
    assert "--job" not in failed.stderr
    serving.sandbox.jobs.script(JobScript(damage="corrupt"))
    damaged = run("export", "click", *DAYS, "-o", str(target))
    assert damaged.exit_code == 10
    assert "damaged" in damaged.stderr
    assert list(tmp_path.iterdir()) == []


def test_unknown_states_are_reported(run: Run, serving: Serving, tmp_path: Path) -> None:
    serving.sandbox.jobs.script(JobScript(states=("created", "pondering")))
    result = run("export", "click", *DAYS, "-o", str(tmp_path / "x"))
    assert result.exit_code == 0
    assert "'pondering': unknown value, once" in result.stderr


def test_deadline_message_shows_a_working_resume_command(run: Run, serving: Serving, tmp_path: Path) -> None:
    target = tmp_path / "x.csv.gz"
    # The job is running at the order and at both checks of a deadline of zero seconds.
    serving.sandbox.jobs.script(JobScript(states=("created", "running", "running")))
    late = run("export", "click", *DAYS, "-o", str(target), "--deadline", "0")
    assert late.exit_code == 10
    assert "deadline" in late.stderr
    hint = next(line for line in late.stderr.splitlines() if "to continue" in line)
    again = hint.partition("soapclient export ")[2].split()
    result = run("export", *again, "--json")
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)["rows"] == len(rows_of(target)) == 500


def test_interrupt_prints_no_traceback(
    serving: Serving,
    command: tuple[str, ...],
    settings: Mapping[str, str],
    clean_environment: Mapping[str, str],
    tmp_path: Path,
) -> None:
    serving.sandbox.jobs.script(JobScript(stuck="running"))
    with subprocess.Popen(
        (*command, "export", "click", *DAYS, "-o", str(tmp_path / "x")),
        env={**clean_environment, **settings},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stderr is not None
        while "is running" not in process.stderr.readline():
            assert process.poll() is None
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert out == ""
    assert "Traceback" not in err
    assert "to continue with this job: soapclient export click --from 2026-11-01 --to 2026-11-02 -o" in err
    assert list(tmp_path.iterdir()) == []
