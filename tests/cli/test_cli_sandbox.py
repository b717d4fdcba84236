"""`soapclient sandbox` as a process: its output, its responses, and its end."""

from __future__ import annotations

import base64
import hmac
import os
import shlex
import signal
import socket
import ssl
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path
from uuid import uuid4

import pytest
import requests
from lxml import etree

from soapclient import Client
from soapclient.tracking.sandbox import SAMPLE_CONNECT_ID, SAMPLE_SECRET_KEY
from tests.certificates import needs_openssl, signed_by_a_private_authority
from tests.cli.conftest import Run, RunProcess, Started, StartProcess, error_of
from tests.support.programs import ran

pytestmark = pytest.mark.exhaustive


WEATHER = Path(__file__).parents[1] / "connection/weather.wsdl"
StartSandbox = Callable[..., AbstractContextManager[tuple[Started, list[str]]]]


@pytest.fixture
def started(start_process: StartProcess) -> StartSandbox:
    """Start a sandbox. The block gets the process, and the lines that it printed until it was ready."""

    @contextmanager
    def start(*arguments: str, **environ: str) -> Iterator[tuple[Started, list[str]]]:
        with start_process("sandbox", "--port", "0", *arguments, env=environ) as process:
            # printed after all of stdout
            assert "serving a reconstructed contract" in process.stderr.readline()
            yield process, os.read(process.stdout.fileno(), 1 << 16).decode().splitlines()

    return start


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_sandbox_serves_the_printed_addresses_and_exits_cleanly(
    started: StartSandbox, run_process: RunProcess, number: signal.Signals, tmp_path: Path
) -> None:
    with started("--seed", "5", TMPDIR=str(tmp_path)) as (process, lines):
        shell = ran(["sh", "-c", "\n".join(lines) + "\nenv"], env={"PATH": "/bin:/usr/bin"})
        assert shell.returncode == 0, shell.stderr
        variables = dict(line.split("=", 1) for line in shell.stdout.splitlines())
        told = {name: value for name, value in variables.items() if name.startswith("SOAPCLIENT_")}
        urls = {f"SOAPCLIENT_{service}_URL" for service in ("PUBLISHER", "DATA", "ADVERTISER")}
        account = {"SOAPCLIENT_CONNECT_ID", "SOAPCLIENT_SECRET_KEY", "SOAPCLIENT_ADVERTISER_PARTNER_CODES"}
        assert set(told) == urls | account
        assert [line.split(":")[0] for line in lines[5:7]] == ["# publisher", "# data"]
        for line, version in zip(lines[5:7], ("2011-03-01", "2011-05-01"), strict=True):
            address = line.split()[-1]
            with urllib.request.urlopen(address, timeout=30) as response:
                assert f"/soap/{version}".encode() in etree.tostring(etree.fromstring(response.read()))
        done = run_process("call", "publisher", "GetProfile", env=told)
        assert done.returncode == 0, done.stderr
        assert process.end(number) == ("", "soapclient: the sandbox has stopped\n")
        assert process.process.returncode == 0
    assert [path.name for path in tmp_path.rglob("*")] == []


def test_printed_settings_suffice_for_advertiser_and_profile_calls(
    started: StartSandbox, unset: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    with started("--seed", "4") as (_, lines):
        for line in lines:
            if line.startswith("export "):
                (word,) = shlex.split(line.removeprefix("export "))
                name, _, value = word.partition("=")
                monkeypatch.setenv(name, value)
        told = dict(line.removeprefix("# ").split(": ") for line in lines if line.startswith("# "))
        codes = os.environ["SOAPCLIENT_ADVERTISER_PARTNER_CODES"].split(",")
        with Client(protocol="rest") as client:
            found = client.advertiser.partnerships()
            assert [one.partner_code for one in found] == codes
            assert 0 < sum(one.user_name is not None for one in found) < len(codes) <= 25
            assert found.errors == []
            assert len(client.advertiser.public_partnerships()) == len(codes)
            today = datetime.now(UTC).date()
            report = client.advertiser.program_report(
                int(told["advertiser program"]), from_date=today - timedelta(days=30), to_date=today
            )
            assert len(report) > 10
            profile = int(told["publisher profile"])
            changed = client.publisher.update_profile(profile_item={"id": profile, "city": "Berlin"})
            assert changed.profile_item is not None
            assert changed.profile_item.city == "Berlin"


@pytest.mark.parametrize("arguments", [(), ("--old-roots",)])
def test_older_root_elements_are_an_option(started: StartSandbox, arguments: tuple[str, ...]) -> None:
    with started(*arguments) as (_, lines):
        url = lines[2].partition("=")[2]
        uri, nonce = "/payments/balances", uuid4().hex
        when = format_datetime(datetime.now(UTC), usegmt=True)
        mac = hmac.new(SAMPLE_SECRET_KEY.encode(), f"GET{uri}{when}{nonce}".encode(), "sha1")
        signature = base64.b64encode(mac.digest()).decode()
        headers = {"Authorization": f"ZXWS {SAMPLE_CONNECT_ID}:{signature}", "Date": when, "nonce": nonce}
        request = urllib.request.Request(f"{url}/xml/2011-03-01{uri}", headers=headers)
        with urllib.request.urlopen(request, timeout=30) as response:
            root = etree.fromstring(response.read())
    assert etree.QName(root).localname == ("response" if arguments else "GetBalancesResponse")


def test_server_on_all_interfaces_is_reachable_on_loopback(started: StartSandbox) -> None:
    with started("--host", "0.0.0.0") as (_, lines):
        assert "export SOAPCLIENT_DATA_URL=http://127.0.0.1:" in lines[3]
        with urllib.request.urlopen(lines[5].split()[-1], timeout=30) as response:
            assert response.status == 200


def test_allowed_host_name_requires_a_token_for_the_switches(started: StartSandbox) -> None:
    with started("--allow-host", "sandbox") as (process, lines):
        token = process.stderr.readline().split("Authorization: Bearer ")[1].rstrip("'\n")
        (page,) = [line.split()[-1] for line in lines if line.startswith("# console: ")]
        url = page.partition("/?")[0]

        def status(path: str, **headers: str) -> int:
            return requests.get(url + path, headers=headers, timeout=30).status_code

        wsdl = lines[5].split()[-1].removeprefix(url)
        assert status(wsdl, Host="sandbox:8642") == 200
        assert status(wsdl, Host="evil.example") == 421
        assert status("/-/calls", Host="sandbox:8642") == status("/-/calls") == 401
        assert status("/-/calls", Authorization=f"Bearer {token}") == 200
        with requests.Session() as session:
            session.get(page, timeout=30)
            assert "cannot be read" not in session.get(f"{url}/watch", timeout=30).text


@pytest.mark.parametrize("command", [("sandbox",), ("mock", "--package", "zxws.publisher")])
def test_only_hosts_can_be_allowed(run_unset: Run, command: tuple[str, ...]) -> None:
    stderr = error_of(run_unset(*command, "--port", "0", "--allow-host", "http://sandbox"), 1)
    assert "'http://sandbox' is not a host" in stderr


@pytest.mark.parametrize("command", [("sandbox",), ("console", str(WEATHER))])
def test_port_in_use_is_reported(run_unset: Run, command: tuple[str, ...]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        result = run_unset(*command, "--port", port)
    assert f"soapclient: cannot listen at 127.0.0.1 port {port}: " in error_of(result, 1)


@pytest.mark.parametrize("host", ["203.0.113.1", "a" * 70])
def test_foreign_host_is_refused(run_unset: Run, host: str) -> None:
    stderr = error_of(run_unset("sandbox", "--host", host, "--port", "0"), 1)
    assert stderr.startswith("soapclient: cannot listen at ")


@pytest.mark.parametrize("host", ["", " ", "\udcff\udcfe", "a b"])
@pytest.mark.parametrize("command", [("sandbox",), ("mock", "--package", "zxws.publisher")])
def test_invalid_host_does_not_mean_all_interfaces(
    run_unset: Run, host: str, command: tuple[str, ...]
) -> None:
    assert "is not a host" in error_of(run_unset(*command, "--host", host, "--port", "0"), 2)


@pytest.mark.parametrize("option", ["--timeout=nan", "--port=65536", "--clicks-per-day=-1"])
def test_invalid_numbers_are_refused(run_unset: Run, option: str) -> None:
    assert run_unset("sandbox", option).exit_code == 2


@needs_openssl
def test_sandbox_serves_tls_and_trusts_a_tls_terminator(
    started: StartSandbox, run_process: RunProcess, tmp_path: Path
) -> None:
    folder = signed_by_a_private_authority(tmp_path)
    trusted = str(folder / "ca.pem")
    with started("--certificate", str(folder / "both.pem"), "--trust-forwarded") as (_, lines):
        assert "export SOAPCLIENT_DATA_URL=https://127.0.0.1:" in lines[3]
        asked = urllib.request.Request(lines[5].split()[-1], headers={"X-Forwarded-Host": "api.example.org"})
        context = ssl.create_default_context(cafile=trusted)
        with urllib.request.urlopen(asked, timeout=30, context=context) as response:
            assert b'location="https://api.example.org/soap/2011-03-01"' in response.read()
        told = dict(line.removeprefix("export ").split("=", 1) for line in lines if "export " in line)
        for verify, code in ((trusted, 0), ("system", 7)):
            env = {**told, "SOAPCLIENT_VERIFY": verify, "SOAPCLIENT_ATTEMPTS": "1"}
            called = run_process("call", "publisher", "GetProfile", env=env)
            assert called.returncode == code, called.stderr
        trusting = {**told, "SOAPCLIENT_VERIFY": trusted}
        checked = run_process("contract", "check", "publisher", "--fail-on", "warning", env=trusting)
        assert checked.returncode in (0, 1), checked.stderr


def test_unusable_certificate_is_reported(run_unset: Run, tmp_path: Path) -> None:
    stderr = error_of(run_unset("sandbox", "--key", str(tmp_path / "none.pem")), 2)
    assert "--key requires --certificate" in stderr
    stderr = error_of(run_unset("sandbox", "--certificate", str(tmp_path / "none.pem")), 1)
    assert stderr.startswith(f"soapclient: {tmp_path / 'none.pem'} cannot be used: No such file")
