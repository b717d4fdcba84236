"""A sandbox over real HTTP, and the command line, run in this process or as a new process."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from datetime import timedelta

import pytest
from click.testing import CliRunner, Result

from soapclient.cli.application import cli
from soapclient.tracking.sandbox import (
    SAMPLE_CONNECT_ID,
    SAMPLE_SECRET_KEY,
    JobSteps,
    Sandbox,
    Serving,
    serve,
)

Run = Callable[..., Result]
Command = tuple[str, ...]


@pytest.fixture(scope="session")
def clean_environment() -> Mapping[str, str]:
    """The environment of this process without settings of soapclient."""
    return {key: value for key, value in os.environ.items() if not key.startswith("SOAPCLIENT_")}


@pytest.fixture(scope="module")
def serving() -> Iterator[Serving]:
    quick = JobSteps(running=timedelta(0), done=timedelta(seconds=0.3))
    with Sandbox(seed=3, clicks_per_day=250, job_steps=quick) as sandbox, serve(sandbox) as server:
        yield server


@pytest.fixture
def settings(serving: Serving, tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, str]:
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

    def run(*arguments: str, stdin: str | None = None, env: Mapping[str, str] | None = None) -> Result:
        return CliRunner().invoke(cli, arguments, input=stdin, env=dict(env or {}))

    return run


@pytest.fixture
def run(run_unset: Run, settings: Mapping[str, str]) -> Run:
    """Run a command against the sandbox, in this process."""

    def run_here(*arguments: str, stdin: str | None = None) -> Result:
        return run_unset(*arguments, stdin=stdin, env=settings)

    return run_here


@pytest.fixture(scope="session")
def command() -> Command:
    return (sys.executable, "-m", "soapclient.cli")


@pytest.fixture
def run_process(
    command: Command, settings: Mapping[str, str], clean_environment: Mapping[str, str]
) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Run a command against the sandbox, as a new process."""

    def run_there(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            (*command, *arguments),
            env={**clean_environment, **settings},
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )

    return run_there
