"""The container files, tested without a container engine: their commands run, and the copied files exist."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from soapclient.tracking.sandbox import Sandbox, serve
from tests.docs.pages import ROOT, outside, run_outside

pytestmark = pytest.mark.exhaustive

DOCKERFILE = ROOT / "docs/containers/Dockerfile"
COMPOSE = ROOT / "docs/containers/compose.yaml"
PORT = "8642"


def instructions() -> list[tuple[str, str]]:
    text = re.sub(r"^#.*\n", "", DOCKERFILE.read_text(encoding="utf-8"), flags=re.MULTILINE)
    lines = re.sub(r"\\\n\s*", "", text).splitlines()
    return [(line.split(" ", 1)[0], line.split(" ", 1)[1]) for line in lines if line]


def words(name: str) -> list[str]:
    """Return the command of an instruction, as an engine starts it without a shell."""
    ((_, text),) = [each for each in instructions() if each[0] == name]
    found = json.loads(text[text.index("[") :])
    assert all(isinstance(each, str) for each in found)
    return list(found)


def compose() -> Any:  # as parsed by YAML
    return pytest.importorskip("yaml").safe_load(COMPOSE.read_text(encoding="utf-8"))


@contextmanager
def running(command: list[str], environment: dict[str, str]) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """Run a server. Yields the process and its address on this machine."""
    assert command[command.index("--port") + 1] == PORT
    with subprocess.Popen(
        [*command, "--port", "0"],  # the last option counts
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        cwd="/",
    ) as process:
        try:
            assert process.stdout is not None
            found = next(
                match[1]
                for line in process.stdout
                if (match := re.fullmatch(r"export SOAPCLIENT_DATA_URL=(\S+)\n", line))
            )
            yield process, found
        finally:
            process.kill()


def test_image_command_serves_is_healthy_and_stops(tmp_path: Path) -> None:
    environment = outside(tmp_path, {})
    service = compose()["services"]["sandbox"]
    check = words("HEALTHCHECK")

    def is_healthy(url: str) -> bool:
        here = [word.replace(f"http://127.0.0.1:{PORT}", url) for word in check]
        assert here != check
        return run_outside(here, tmp_path, {}).returncode == 0

    for options in (words("CMD"), service["command"]):
        with running([*words("ENTRYPOINT"), *options], environment) as (process, url):
            assert is_healthy(url)
            account = {"PUBLISHER_URL": url, "CONNECT_ID": "802B8BF4AE99EBE00F41"}
            account |= {"SECRET_KEY": "fa4c0c2020Aa4c+ab9Ea0ec8d39E06/df2c5aa44"}
            settings = {f"SOAPCLIENT_{name}": value for name, value in account.items()}
            called = run_outside(["soapclient", "call", "publisher", "GetProfile"], tmp_path, settings)
            assert called.returncode == 0, called.stderr
            assert json.loads(called.stdout)["profileItem"]
            process.send_signal(signal.SIGTERM)
            assert process.wait(timeout=30) == 0
            assert not is_healthy(url)


def test_files_of_the_image_exist() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    copied = [word for name, text in instructions() if name == "COPY" for word in text.split()[:-1]]
    assert all((ROOT / each).exists() for each in copied)
    hatch = project["tool"]["hatch"]
    hook = hatch["metadata"]["hooks"]["custom"]["path"]
    needed = ["pyproject.toml", "README.md", *hatch["build"]["targets"]["wheel"]["packages"]]
    assert {hook, *(Path(each).parts[0] for each in needed)} <= set(copied)
    ignored = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    assert [f"!{path}" for path in copied] == [line for line in ignored if line.startswith("!")]
    ((_, installed),) = [each for each in instructions() if each[0] == "RUN"]
    extras = re.search(r'"\.\[([\w,]+)\]"', installed)
    assert extras is not None
    assert set(extras[1].split(",")) <= set(project["project"]["optional-dependencies"])
    (base,) = [text for name, text in instructions() if name == "FROM"]
    python = re.fullmatch(r"python:(\d)\.(\d+)\.\d+-slim-\w+", base)
    least = re.fullmatch(r">=(\d)\.(\d+)", project["project"]["requires-python"])
    assert python is not None
    assert least is not None
    assert tuple(map(int, python.groups())) >= tuple(map(int, least.groups()))


def test_compose_builds_that_image_and_publishes_its_port() -> None:
    service, example = (compose()["services"][name] for name in ("sandbox", "example"))
    context = Path(os.path.normpath(COMPOSE.parent / service["build"]["context"]))
    assert context == ROOT
    assert context / service["build"]["dockerfile"] == DOCKERFILE
    assert [text for name, text in instructions() if name == "EXPOSE"] == [PORT]
    assert service["ports"] == [f"127.0.0.1:{PORT}:{PORT}"]
    assert example["build"] == service["build"]
    assert example["depends_on"] == {"sandbox": {"condition": "service_healthy"}}


# Like the DNS of a container engine: the name of the service resolves to another loopback address.
NAMED = """
import socket, sys
found = socket.getaddrinfo
names = {"sandbox": "127.0.0.2"}
socket.getaddrinfo = lambda host, *more, **named: found(names.get(host, host), *more, **named)
from soapclient.cli import main
sys.exit(main())
"""


def test_other_container_reaches_it_by_its_service_name(tmp_path: Path) -> None:
    example = compose()["services"]["example"]
    command: list[str] = example["entrypoint"] + example["command"]
    assert command[0] == "soapclient"
    options: list[str] = compose()["services"]["sandbox"]["command"]
    names = [name for option, name in pairwise(options) if option == "--allow-host"]
    with Sandbox() as sandbox, serve(sandbox, "127.0.0.2", allow_hosts=names) as server:
        port = server.url.rpartition(":")[2]
        settings = {name: value.replace(PORT, port) for name, value in example["environment"].items()}
        assert settings["SOAPCLIENT_PUBLISHER_URL"] == f"http://sandbox:{port}"

        def call(**changed: str) -> subprocess.CompletedProcess[str]:
            named = [sys.executable, "-c", NAMED, *command[1:]]
            return run_outside(named, tmp_path, settings | changed)

        called = call()
        assert called.returncode == 0, called.stderr
        assert json.loads(called.stdout)["profileItem"]
        refused = call(SOAPCLIENT_ALLOW_HTTP="other")
        assert refused.returncode == 3
        assert "allow_http" in refused.stderr
