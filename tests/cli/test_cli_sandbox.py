"""`soapclient sandbox` as a process: what it prints, that it serves, how it ends."""

from __future__ import annotations

import signal
import socket
import subprocess
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

import pytest
from click.testing import Result
from lxml import etree


@contextmanager
def started(
    command: tuple[str, ...], environment: Mapping[str, str], *arguments: str
) -> Iterator[tuple[subprocess.Popen[str], list[str]]]:
    """The process, and the lines it printed when it was ready."""
    with subprocess.Popen(
        (*command, "sandbox", "--port", "0", *arguments),
        env=dict(environment),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            assert process.stdout is not None
            yield process, [process.stdout.readline().rstrip("\n") for _ in range(7)]
        finally:
            process.kill()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_it_serves_what_it_prints_and_ends_cleanly(
    command: tuple[str, ...], clean_environment: Mapping[str, str], number: signal.Signals
) -> None:
    with started(command, clean_environment, "--seed", "5") as (process, lines):
        shell = "\n".join(lines) + "\nenv"
        told = dict(
            line.split("=", 1)
            for line in subprocess.run(
                ["sh", "-c", shell],
                capture_output=True,
                text=True,
                check=True,
                timeout=30,
                env={"PATH": "/bin:/usr/bin"},
            ).stdout.splitlines()
            if line.startswith("SOAPCLIENT_")
        )
        assert set(told) == {
            "SOAPCLIENT_CONNECT_ID",
            "SOAPCLIENT_SECRET_KEY",
            "SOAPCLIENT_PUBLISHER_URL",
            "SOAPCLIENT_DATA_URL",
            "SOAPCLIENT_ADVERTISER_URL",
        }
        for line, version in zip(lines[5:], ("2011-03-01", "2011-05-01"), strict=True):
            address = line.split()[-1]
            with urllib.request.urlopen(address, timeout=30) as reply:
                assert f"/soap/{version}".encode() in etree.tostring(etree.fromstring(reply.read()))
        done = subprocess.run(
            (*command, "call", "publisher", "GetProfile"),
            env={**clean_environment, **told},
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        process.send_signal(number)
        out, err = process.communicate(timeout=30)
    assert process.returncode == 0
    assert out == ""
    assert "Traceback" not in err
    assert "reconstructed contract" in err


def test_a_server_for_everybody_is_reached_at_this_machine(
    command: tuple[str, ...], clean_environment: Mapping[str, str]
) -> None:
    with started(command, clean_environment, "--host", "0.0.0.0") as (process, lines):
        assert "export SOAPCLIENT_DATA_URL=http://127.0.0.1:" in lines[3]
        with urllib.request.urlopen(lines[5].split()[-1], timeout=30) as reply:
            assert reply.status == 200
        process.terminate()
        process.communicate(timeout=30)


def test_a_port_that_is_taken(run_unset: Callable[..., Result]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        result = run_unset("sandbox", "--port", port)
    assert result.exit_code == 1
    assert result.stderr.startswith(f"soapclient: cannot serve at 127.0.0.1 port {port}: ")
    assert result.stdout == ""


@pytest.mark.parametrize("host", ["203.0.113.1", "a" * 70])
def test_a_host_that_is_not_this_machine(run_unset: Callable[..., Result], host: str) -> None:
    result = run_unset("sandbox", "--host", host, "--port", "0")
    assert result.exit_code == 1
    assert result.stderr.startswith("soapclient: cannot serve at ")


def test_ports_there_are_not(run_unset: Callable[..., Result]) -> None:
    assert run_unset("sandbox", "--port", "65536").exit_code == 2
    assert run_unset("sandbox", "--clicks-per-day", "-1").exit_code == 2
