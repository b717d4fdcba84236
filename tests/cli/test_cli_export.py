"""`soapclient export` against the sandbox."""

from __future__ import annotations

import errno
import hashlib
import json
import os
import re
import signal
from pathlib import Path

import pytest

from soapclient._support import part_file
from soapclient.tracking.sandbox import JobScript
from tests.cli.conftest import DAYS, Desk, Environment, Run, StartProcess, error_of, output_of, rows_of

LONG = "x" * 253  # valid as a file name, but too long with a suffix


def test_export_is_ordered_downloaded_and_reported(desk: Desk) -> None:
    result = desk.order()
    printed = dict(line.split(maxsplit=1) for line in output_of(result).splitlines())
    assert printed == {
        "path": str(desk.target),
        "rows": "500",
        "size": str(desk.target.stat().st_size),
        "sha256": hashlib.sha256(desk.target.read_bytes()).hexdigest(),
    }
    assert len(rows_of(desk.target)) == 500
    assert "the job is done" in result.stderr
    assert list(desk.folder.iterdir()) == [desk.target]


@pytest.mark.exhaustive
def test_filters_and_groups_reach_the_service(desk: Desk) -> None:
    def rows(*options: str) -> list[dict[str, str]]:
        result = desk.run("export", *options, *DAYS, "--json", "-o", str(desk.target))
        found = rows_of(desk.target)
        assert json.loads(result.stdout)["rows"] == len(found) > 0
        return found

    assert {row["reviewState"] for row in rows("sale", "--review-state", "open")} == {"open"}
    grouped = rows("click", "--group-by", "day,currency", "--currency", "EUR")
    assert {"day", "currency"} <= grouped[0].keys()
    assert {row["currency"] for row in grouped} == {"EUR"}
    wanted = rows("click")[0]["programId"]
    chosen = rows("custom", "--columns", "programId,clickId", "--program-id", wanted)
    assert list(chosen[0]) == ["programId", "clickId"]
    assert {row["programId"] for row in chosen} == {wanted}


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
    stderr = error_of(run_unset("export", *arguments, *DAYS, "-o", str(tmp_path / "x")), 4)
    assert said in stderr
    assert "Nothing was sent" in stderr
    assert "allowed" not in stderr


@pytest.mark.parametrize("rest", [(), (*DAYS, "-o", "x.gz")])
def test_misspelt_type_is_one_line(run_unset: Run, rest: tuple[str, ...]) -> None:
    (line,) = error_of(run_unset("export", "clik", *rest), 4).splitlines()
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
    assert "Usage:" in error_of(run_unset("export", "click", *arguments), 2)


def test_period_that_ends_before_its_start_is_refused(run: Run, tmp_path: Path) -> None:
    days = ("--from", "2026-11-02", "--to", "2026-11-01")
    stderr = error_of(run("export", "click", *days, "-o", str(tmp_path / "x")), 4)
    assert "from_date must be to_date (2026-11-01) or earlier, got '2026-11-02'" in stderr


def test_unwritable_target_is_reported_before_the_order(desk: Desk) -> None:
    for target in (desk.folder, desk.folder / "no such folder" / "x"):
        stderr = error_of(desk.order(output=target), 1)
        assert "is a folder" in stderr or "is not a folder" in stderr
    assert desk.jobs == []


@pytest.mark.parametrize("what", ["-o", "--handle"])
@pytest.mark.parametrize("name", [LONG, "linked", "piped"])
def test_special_files_in_the_way_are_reported_before_the_order(desk: Desk, what: str, name: str) -> None:
    """The command tries to write, because permissions alone do not show every problem."""
    (desk.folder / "linked.part").symlink_to(desk.folder / "precious")
    os.mkfifo(desk.folder / "piped.part")
    file = desk.folder / name
    stderr = error_of(desk.order(output=file) if what == "-o" else desk.order(what, file), 1)
    assert stderr.startswith("soapclient: ")
    advice = "choose another folder" if name == LONG else "remove it, or choose another name"
    assert stderr.splitlines()[-1].endswith(f": {advice}")
    assert len(re.findall(" (name a|choose another)", stderr)) == 1  # one suggestion is enough
    assert "Traceback" not in stderr
    assert desk.jobs == []
    assert {path.name for path in desk.folder.iterdir()} == {"linked.part", "piped.part"}


def test_unwritable_folder_is_one_line(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """The error is simulated, because root may write anywhere."""

    def refuse(path: Path) -> None:
        raise PermissionError(errno.EACCES, "Permission denied", str(path))

    monkeypatch.setattr(part_file, "check_target", refuse)
    result = desk.order()
    said = f"soapclient: {desk.folder} is not writable: choose another folder\n"
    assert (result.exit_code, result.stderr, desk.jobs) == (1, said, [])


def test_resume_reports_an_unwritable_target_before_any_request(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    assert desk.order("--handle", desk.handle).exit_code == 0
    monkeypatch.setattr(desk.sandbox, "interfere", lambda request: asked.append(request.path))
    refused = desk.resume(output=desk.folder / LONG)
    assert "choose another folder" in error_of(refused, 1)
    assert asked == []


@pytest.mark.exhaustive
def test_failed_job_and_damaged_file_are_errors(desk: Desk) -> None:
    """The second run orders again, because the first job failed."""
    desk.sandbox.jobs.script(JobScript(fail="out of paper"))
    stderr = error_of(desk.order(), 10)
    assert "out of paper" in stderr
    assert "--job" not in stderr
    desk.sandbox.jobs.script(JobScript(damage="corrupt"))
    assert "damaged" in error_of(desk.order(), 10)
    assert list(desk.folder.iterdir()) == []


def test_unknown_states_are_reported(desk: Desk) -> None:
    desk.sandbox.jobs.script(JobScript(states=("created", "pondering")))
    result = desk.order()
    assert result.exit_code == 0
    assert "'pondering': unknown value, once" in result.stderr


def test_deadline_message_shows_a_working_resume_command(desk: Desk) -> None:
    # The job is running at the order and at both checks of a deadline of zero seconds.
    desk.sandbox.jobs.script(JobScript(states=("created", "running", "running")))
    stderr = error_of(desk.order("--deadline", "0"), 10)
    assert "deadline" in stderr
    hint = next(line for line in stderr.splitlines() if "to continue" in line)
    again = hint.partition("soapclient export ")[2].split()
    stdout = output_of(desk.run("export", *again, "--json"))
    assert json.loads(stdout)["rows"] == len(rows_of(desk.target)) == 500


def test_interrupt_prints_no_traceback(
    desk: Desk, start_process: StartProcess, settings: Environment
) -> None:
    desk.sandbox.jobs.script(JobScript(stuck="running"))
    with start_process("export", "click", *DAYS, "-o", str(desk.target), env=settings) as started:
        while "is running" not in started.stderr.readline():
            assert started.process.poll() is None
        out, err = started.end(signal.SIGINT)
    assert (started.process.returncode, out) == (130, "")
    assert "Traceback" not in err
    assert "to continue with this job: soapclient export click --from 2026-11-01 --to 2026-11-02 -o" in err
    assert list(desk.folder.iterdir()) == []
