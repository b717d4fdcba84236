"""`soapclient export --handle FILE` and `soapclient export resume FILE` against the sandbox."""

from __future__ import annotations

import json
import signal
import threading
from pathlib import Path

import pytest
from werkzeug.wrappers import Request, Response

from soapclient.tracking.sandbox import JobScript
from tests.cli.conftest import DAYS, Desk, Environment, Run, StartProcess, error_of, output_of


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def test_handle_is_written_and_resumed(desk: Desk) -> None:
    first = json.loads(output_of(desk.order("--handle", desk.handle, "--json")))
    held = desk.held
    assert [held.job_id] == desk.jobs
    assert held.request == {"report_type": "click", "from_date": "2026-11-01", "to_date": "2026-11-02"}
    output = desk.folder / "again.csv.gz"
    again = json.loads(output_of(desk.resume("--json", output=output)))
    assert [held.job_id] == desk.jobs
    assert first["sha256"] == again["sha256"]
    assert again["path"] == str(output)
    assert desk.held == held
    assert names(desk.folder) == {"clicks.csv.gz", "order.json", "again.csv.gz"}


@pytest.mark.exhaustive
def test_handle_exists_while_the_job_runs(
    desk: Desk, start_process: StartProcess, settings: Environment
) -> None:
    """The process is killed while it waits. The handle is then the only file, and it is sufficient."""
    killed = threading.Event()
    # The job is not done before the process is killed, however late that is.
    states = ("created", "running", "running", "running")
    desk.sandbox.jobs.script(JobScript(states=states, pace=lambda: killed.wait(60)))
    files = ("--handle", str(desk.handle), "-o", str(desk.target))
    with start_process("export", "click", *DAYS, *files, env=settings) as started:
        while "is running" not in started.stderr.readline():
            assert started.process.poll() is None
        started.end(signal.SIGKILL)
        killed.set()
    assert len(desk.jobs) == 1
    assert not desk.target.exists()
    assert output_of(desk.resume())
    assert len(desk.jobs) == 1
    assert desk.target.exists()


def test_expired_job_is_ordered_again_and_the_handle_file_updated(desk: Desk) -> None:
    desk.sandbox.jobs.script(JobScript(expire=True))
    assert "has expired" in error_of(desk.order("--handle", desk.handle, "--no-reorder"), 10)
    old = desk.held
    assert desk.resume("--no-reorder").exit_code == 10
    assert desk.jobs == [old.job_id]
    assert names(desk.folder) == {"order.json"}
    result = desk.resume()
    assert result.exit_code == 0, result.output
    assert desk.jobs == [old.job_id, desk.held.job_id]
    assert desk.held.request == old.request
    said = f"export job {old.job_id} had expired: ordered again as job {desk.held.job_id}"
    assert said in result.stderr


def test_deadline_message_shows_the_resume_command(desk: Desk) -> None:
    desk.sandbox.jobs.script(JobScript(states=("created", "running", "running", "running", "running")))
    command = f"soapclient export resume {desk.handle} -o {desk.target}"
    for late in (desk.order("--handle", desk.handle, "--deadline", "0"), desk.resume("--deadline", "0")):
        stderr = error_of(late, 10)
        assert "deadline" in stderr
        assert f"to continue with this job: {command}" in stderr
    assert desk.resume().exit_code == 0


def test_existing_handle_is_not_overwritten(desk: Desk) -> None:
    desk.handle.write_text("precious")
    for file in (desk.handle, desk.folder, desk.folder / "nowhere" / "x"):
        assert desk.order("--handle", file).exit_code == 1
    assert desk.handle.read_text() == "precious"
    assert desk.jobs == []


@pytest.mark.parametrize(
    ("content", "said", "code"),
    [(None, "No such file", 1), (b"", "not JSON", 3), (b"{}", "format", 3), (b"\xff", "not JSON", 3)],
)
def test_invalid_handle_is_refused(desk: Desk, content: bytes | None, said: str, code: int) -> None:
    if content is not None:
        desk.handle.write_bytes(content)
    assert said in error_of(desk.resume(), code)


@pytest.mark.parametrize("arguments", [(), ("x",), ("-o", "x"), ("x", "y", "-o", "z"), ("x", "--from", "y")])
def test_usage_errors_have_exit_code_2(run_unset: Run, arguments: tuple[str, ...]) -> None:
    assert "Usage: cli export resume" in error_of(run_unset("export", "resume", *arguments), 2)


def test_deadline_includes_the_order(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """The order times out by the deadline, not after the minute that a call may take."""
    monkeypatch.setattr("soapclient.tracking.commands.export_run._MIN_TIME", 0.5)
    gone = threading.Event()

    def hang(request: Request) -> Response | None:
        gone.wait(120)
        return None

    monkeypatch.setattr(desk.sandbox, "interfere", hang)
    try:
        result = desk.order("--deadline", "1s")
    finally:
        gone.set()
    assert result.exit_code != 0
    assert "1 seconds" in result.stderr  # not the 60 of a call
