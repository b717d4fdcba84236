"""`soapclient export --handle FILE` and `soapclient export resume FILE` against the sandbox."""

from __future__ import annotations

import json
import signal
import subprocess
import threading
from collections.abc import Mapping
from pathlib import Path

import pytest
from werkzeug.wrappers import Request, Response

from soapclient.tracking.exports.handle import ExportHandle
from soapclient.tracking.sandbox import SAMPLE_CONNECT_ID, JobScript, Serving
from tests.cli.conftest import Run

DAYS = ("--from", "2026-11-01", "--to", "2026-11-02")


@pytest.fixture
def target(tmp_path: Path) -> Path:
    return tmp_path / "clicks.csv.gz"


@pytest.fixture
def handle(tmp_path: Path) -> Path:
    return tmp_path / "order.json"


def ordered(serving: Serving) -> int:
    return len(serving.sandbox.jobs.of(SAMPLE_CONNECT_ID))


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def test_handle_is_written_and_resumed(
    run: Run, serving: Serving, tmp_path: Path, target: Path, handle: Path
) -> None:
    first = run("export", "click", *DAYS, "--handle", str(handle), "-o", str(target), "--json")
    assert first.exit_code == 0, first.output
    held = ExportHandle.from_json(handle.read_text())
    job = serving.sandbox.jobs.of(SAMPLE_CONNECT_ID)[-1]
    assert held.job_id == job.id
    assert held.request == {"report_type": "click", "from_date": "2026-11-01", "to_date": "2026-11-02"}
    before = ordered(serving)
    again = run("export", "resume", str(handle), "-o", str(tmp_path / "again.csv.gz"), "--json")
    assert again.exit_code == 0, again.output
    assert ordered(serving) == before
    one, two = json.loads(first.stdout), json.loads(again.stdout)
    assert one["sha256"] == two["sha256"]
    assert two["path"] == str(tmp_path / "again.csv.gz")
    assert ExportHandle.from_json(handle.read_text()) == held
    assert names(tmp_path) == {"clicks.csv.gz", "order.json", "again.csv.gz"}


@pytest.mark.exhaustive
def test_handle_exists_while_the_job_runs(
    serving: Serving,
    command: tuple[str, ...],
    settings: Mapping[str, str],
    clean_environment: Mapping[str, str],
    run: Run,
    target: Path,
    handle: Path,
) -> None:
    """The process is killed while it waits. The handle is then the only file, and it is sufficient."""
    killed = threading.Event()
    # The job is not done before the process is killed, however late that is.
    states = ("created", "running", "running", "running")
    serving.sandbox.jobs.script(JobScript(states=states, pace=lambda: killed.wait(60)))
    with subprocess.Popen(
        (*command, "export", "click", *DAYS, "--handle", str(handle), "-o", str(target)),
        env={**clean_environment, **settings},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stderr is not None
        while "is running" not in process.stderr.readline():
            assert process.poll() is None
        process.send_signal(signal.SIGKILL)
        process.wait(60)
        killed.set()
    before = ordered(serving)
    assert not target.exists()
    result = run("export", "resume", str(handle), "-o", str(target))
    assert result.exit_code == 0, result.output
    assert ordered(serving) == before
    assert target.exists()


@pytest.mark.exhaustive
def test_expired_job_is_ordered_again_and_the_handle_file_updated(
    run: Run, serving: Serving, tmp_path: Path, target: Path, handle: Path
) -> None:
    serving.sandbox.jobs.script(JobScript(expire=True))
    refused = run("export", "click", *DAYS, "--handle", str(handle), "-o", str(target), "--no-reorder")
    assert refused.exit_code == 10
    assert "has expired" in refused.stderr
    old = ExportHandle.from_json(handle.read_text())
    before = ordered(serving)
    again = run("export", "resume", str(handle), "-o", str(target), "--no-reorder")
    assert again.exit_code == 10
    assert ordered(serving) == before
    assert names(tmp_path) == {"order.json"}
    result = run("export", "resume", str(handle), "-o", str(target))
    assert result.exit_code == 0, result.output
    new = ExportHandle.from_json(handle.read_text())
    assert ordered(serving) == before + 1
    assert new.job_id == serving.sandbox.jobs.of(SAMPLE_CONNECT_ID)[-1].id
    assert new.request == old.request
    assert f"export job {old.job_id} had expired: ordered again as job {new.job_id}" in result.stderr


def test_deadline_message_shows_the_resume_command(
    run: Run, serving: Serving, target: Path, handle: Path
) -> None:
    serving.sandbox.jobs.script(JobScript(states=("created", "running", "running", "running", "running")))
    late = run("export", "click", *DAYS, "--handle", str(handle), "-o", str(target), "--deadline", "0")
    assert late.exit_code == 10
    assert f"to continue with this job: soapclient export resume {handle} -o {target}" in late.stderr
    again = run("export", "resume", str(handle), "-o", str(target), "--deadline", "0")
    assert again.exit_code == 10
    assert "deadline" in again.stderr
    assert f"soapclient export resume {handle} -o {target}" in again.stderr
    assert run("export", "resume", str(handle), "-o", str(target)).exit_code == 0


def test_existing_handle_is_not_overwritten(run: Run, serving: Serving, target: Path, handle: Path) -> None:
    handle.write_text("precious")
    before = ordered(serving)
    for file in (handle, handle.parent, handle.parent / "nowhere" / "x"):
        result = run("export", "click", *DAYS, "--handle", str(file), "-o", str(target))
        assert result.exit_code == 1
    assert handle.read_text() == "precious"
    assert ordered(serving) == before


@pytest.mark.parametrize(
    ("content", "said", "code"),
    [(None, "No such file", 1), (b"", "not JSON", 3), (b"{}", "format", 3), (b"\xff", "not JSON", 3)],
)
def test_invalid_handle_is_refused(
    run: Run, target: Path, handle: Path, content: bytes | None, said: str, code: int
) -> None:
    if content is not None:
        handle.write_bytes(content)
    result = run("export", "resume", str(handle), "-o", str(target))
    assert result.exit_code == code
    assert said in result.stderr
    assert result.stdout == ""


@pytest.mark.parametrize("arguments", [(), ("x",), ("-o", "x"), ("x", "y", "-o", "z"), ("x", "--from", "y")])
def test_usage_errors_have_exit_code_2(run_unset: Run, arguments: tuple[str, ...]) -> None:
    result = run_unset("export", "resume", *arguments)
    assert result.exit_code == 2
    assert "Usage: cli export resume" in result.stderr


def test_help_mentions_resume(run_unset: Run) -> None:
    assert "export resume FILE -o PATH" in run_unset("export", "--help").stdout
    assert "PATH.part" in run_unset("export", "resume", "--help").stdout


def test_deadline_includes_the_order(
    run: Run, serving: Serving, target: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The order times out by the deadline, not after the minute that a call may take."""
    monkeypatch.setattr("soapclient.tracking.commands.export_run._MIN_TIME", 0.5)
    gone = threading.Event()

    def hang(request: Request) -> Response | None:
        gone.wait(120)
        return None

    monkeypatch.setattr(serving.sandbox, "interfere", hang)
    try:
        result = run("export", "click", *DAYS, "-o", str(target), "--deadline", "1s")
    finally:
        gone.set()
    assert result.exit_code != 0
    assert "1 seconds" in result.stderr  # not the 60 of a call
