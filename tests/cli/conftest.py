"""A sandbox over real HTTP, and the command line, run in this process or as a new process."""

from __future__ import annotations

import csv
import gzip
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import IO, Any, NamedTuple

import pytest
from click.testing import CliRunner, Result

from soapclient.cli.application import cli
from soapclient.tracking.exports.handle import ExportHandle
from soapclient.tracking.sandbox import (
    SAMPLE_CONNECT_ID,
    SAMPLE_SECRET_KEY,
    JobSteps,
    Sandbox,
    Serving,
    serve,
)

Run = Callable[..., Result]
RunProcess = Callable[..., subprocess.CompletedProcess[str]]
COMMAND = (sys.executable, "-m", "soapclient.cli")
Environment = Mapping[str, str]


def output_of(result: Result) -> str:
    """Return stdout of a command that must have succeeded."""
    assert result.exit_code == 0, result.output
    return result.stdout


def error_of(result: Result, code: int) -> str:
    """Return stderr of a command that must have failed with this exit code and an empty stdout."""
    assert (result.exit_code, result.stdout) == (code, ""), result.output
    return result.stderr


def rows_of(path: Path) -> list[dict[str, str]]:
    """Return the rows of a downloaded file, read with the standard library only."""
    with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


class Started(NamedTuple):
    """A process, and its output."""

    process: subprocess.Popen[str]
    stdout: IO[str]
    stderr: IO[str]

    def end(self, number: signal.Signals | None = None) -> tuple[str, str]:
        """Send a signal, if any, and return the rest of the output when the process has ended."""
        if number is not None:
            self.process.send_signal(number)
        return self.process.communicate(timeout=60)


StartProcess = Callable[..., AbstractContextManager[Started]]


@pytest.fixture(scope="session")
def clean_environment() -> Environment:
    """The environment of this process without settings of soapclient."""
    return {key: value for key, value in os.environ.items() if not key.startswith("SOAPCLIENT_")}


def serving_at_once(*, clicks_per_day: int) -> Callable[..., Iterator[Serving]]:
    """Return a fixture that serves a sandbox to each test, whose export jobs are done at once."""
    steps = JobSteps(running=timedelta(0), done=timedelta(0))

    @pytest.fixture
    def serving() -> Iterator[Serving]:
        with Sandbox(clicks_per_day=clicks_per_day, job_steps=steps) as sandbox, serve(sandbox) as server:
            yield server

    return serving


@pytest.fixture(scope="module")
def serving() -> Iterator[Serving]:
    quick = JobSteps(running=timedelta(0), done=timedelta(seconds=0.3))
    with Sandbox(seed=3, clicks_per_day=250, job_steps=quick) as sandbox, serve(sandbox) as server:
        yield server


@pytest.fixture
def settings(serving: Serving, tmp_path_factory: pytest.TempPathFactory) -> Environment:
    """Settings with the sandbox's address and an empty state directory."""
    return {
        "SOAPCLIENT_STATE_DIR": str(tmp_path_factory.mktemp("state")),
        "SOAPCLIENT_CONNECT_ID": SAMPLE_CONNECT_ID,
        "SOAPCLIENT_SECRET_KEY": SAMPLE_SECRET_KEY,
        "SOAPCLIENT_PUBLISHER_URL": serving.url,
        "SOAPCLIENT_DATA_URL": serving.url,
    }


@pytest.fixture
def unset(monkeypatch: pytest.MonkeyPatch) -> None:
    """Remove all settings."""
    for name in [name for name in os.environ if name.startswith("SOAPCLIENT_")]:
        monkeypatch.delenv(name)


@pytest.fixture
def run_unset(unset: None) -> Run:
    """Run a command without settings."""

    def run(*arguments: str, stdin: str | None = None, env: Environment | None = None) -> Result:
        return CliRunner().invoke(cli, arguments, input=stdin, env=dict(env or {}))

    return run


@pytest.fixture
def run(run_unset: Run, settings: Environment) -> Run:
    """Run a command against the sandbox, in this process."""

    def run_here(*arguments: str, stdin: str | None = None) -> Result:
        return run_unset(*arguments, stdin=stdin, env=settings)

    return run_here


DAYS = ("--from", "2026-11-01", "--to", "2026-11-02")


@dataclass
class Desk:
    """Orders exports of two days against the sandbox, with files in an empty folder."""

    run: Run
    sandbox: Sandbox
    folder: Path
    earlier_jobs: int = 0

    @property
    def target(self) -> Path:
        return self.folder / "clicks.csv.gz"

    @property
    def handle(self) -> Path:
        return self.folder / "order.json"

    @property
    def held(self) -> ExportHandle:
        """The handle in the file of --handle."""
        return ExportHandle.from_json(self.handle.read_text())

    @property
    def jobs(self) -> list[str]:
        """The jobs ordered since the start of the test."""
        return [job.id for job in self.sandbox.jobs.of(SAMPLE_CONNECT_ID)][self.earlier_jobs :]

    def order(self, *options: str | Path, output: Path | None = None) -> Result:
        return self.run("export", "click", *DAYS, *map(str, options), "-o", str(output or self.target))

    def resume(self, *options: str | Path, output: Path | None = None) -> Result:
        words = ("resume", str(self.handle), *map(str, options))
        return self.run("export", *words, "-o", str(output or self.target))


@pytest.fixture
def desk(run: Run, serving: Serving, tmp_path: Path) -> Desk:
    made = Desk(run, serving.sandbox, tmp_path)
    made.earlier_jobs = len(made.jobs)
    return made


@pytest.fixture(scope="session")
def run_process(clean_environment: Environment) -> RunProcess:
    """Run a command as a new process. `env` has its settings, `options` are those of `subprocess.run`."""

    def run_there(
        *arguments: str, env: Environment | None = None, **options: Any
    ) -> subprocess.CompletedProcess[str]:
        environment = {**clean_environment, **(env or {})}
        given = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, "timeout": 120} | options
        return subprocess.run((*COMMAND, *arguments), env=environment, check=False, **given)

    return run_there


@pytest.fixture(scope="session")
def start_process(clean_environment: Environment) -> StartProcess:
    """Start a command as a new process, which is killed at the end of the block."""

    @contextmanager
    def start(*arguments: str, env: Environment | None = None, cwd: Path | None = None) -> Iterator[Started]:
        with subprocess.Popen(
            (*COMMAND, *arguments),
            cwd=cwd,
            env={**clean_environment, **(env or {})},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        ) as process:
            assert process.stdout is not None
            assert process.stderr is not None
            try:
                yield Started(process, process.stdout, process.stderr)
            finally:
                process.kill()

    return start


@pytest.fixture
def broken_pipe() -> Iterator[int]:
    """A descriptor of a pipe without a reader."""
    reading, writing = os.pipe()
    os.close(reading)
    yield writing
    os.close(writing)
