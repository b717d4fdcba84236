"""`soapclient contract check`: against the sandbox, and against a service that publishes another contract."""

from __future__ import annotations

import errno
import json
import logging
import os
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from importlib import resources
from pathlib import Path

import pytest
from click.testing import Result

from tests.cli.conftest import Environment, Run, RunProcess, error_of, output_of
from tests.contracts_matrix.loopback import serving
from tests.support.programs import ran

A_BREAK = ('name="total" type="xsd:long"', 'name="total" type="xsd:string"')
A_MOVE = ("https://publisher.invalid/soap", "https://moved.invalid/soap")


@dataclass
class Publishing:
    """Serves a WSDL at every address, by default the packaged one, and records the requests."""

    wsdl: bytes
    asked: list[tuple[str, Mapping[str, str]]] = field(default_factory=list)
    url: str = ""

    def respond(
        self, verb: str, path: str, headers: Mapping[str, str], body: bytes
    ) -> tuple[int, str, bytes]:
        self.asked.append((path, headers))
        return 200 if self.wsdl else 404, "text/xml", self.wsdl

    def change(self, old: str, new: str) -> None:
        assert old.encode() in self.wsdl
        self.wsdl = self.wsdl.replace(old.encode(), new.encode())


@pytest.fixture
def publishing() -> Iterator[Publishing]:
    published = Publishing(resources.files("zxws.publisher").joinpath("contract.wsdl").read_bytes())
    with serving(published.respond, []) as published.url:
        yield published


@pytest.fixture
def check(run_unset: Run, publishing: Publishing) -> Run:
    """Compare the publisher contract with the published one."""
    settings = {
        "SOAPCLIENT_CONNECT_ID": "802B8BF4AE99EBE00F41",
        "SOAPCLIENT_SECRET_KEY": "fa4c0c2020Aa4c+ab9Ea0ec8d39E06/df2c5aa44",
        "SOAPCLIENT_PUBLISHER_URL": publishing.url,
    }

    def run(*arguments: str) -> Result:
        return run_unset("contract", "check", *arguments, env=settings)

    return run


def test_sandbox_matches_both_contracts(run: Run) -> None:
    done = run("contract", "check")
    assert done.exit_code == 0, done.output
    assert done.output.count("no change") == 2
    assert run("contract", "check", "data").exit_code == 0


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("old", "new", "code", "rule"),
    [
        ("</wsdl:definitions>", "<!-- later --></wsdl:definitions>", 0, ""),
        (*A_BREAK, 2, "response-type-changed"),
        (*A_MOVE, 1, "address-changed"),
        ('<xsd:complexType name="saleItem">', "<<", 3, ""),
    ],
)
def test_published_contract_is_compared(
    old: str, new: str, code: int, rule: str, check: Run, publishing: Publishing
) -> None:
    publishing.change(old, new)
    done = check("publisher", "--format", "json")
    assert done.exit_code == code, done.output
    assert rule in done.output
    assert check("publisher", "--format", "html").exit_code == code


@pytest.mark.exhaustive
def test_authentication_changes_need_no_change_of_callers(check: Run, publishing: Publishing) -> None:
    signature = '<xsd:element name="signature" type="xsd:string"/>'
    removed = publishing.wsdl.count(signature.encode())
    publishing.change(signature, "")
    (report,) = json.loads(check("publisher", "--json").output)["reports"]
    (cause,) = report["causes"]
    assert cause["count"] == len(report["findings"]) == removed
    assert cause["remedy"].startswith(
        "Regenerate; code does not need to change, because the client fills in authentication. "
        "`bindgen generate` stops if"
    )


@pytest.mark.exhaustive
def test_nothing_is_signed_and_no_credentials_are_sent(check: Run, publishing: Publishing) -> None:
    assert check("publisher").exit_code == 0
    ((path, headers),) = publishing.asked
    assert path == "/wsdl/2011-03-01"
    told = f"{path} {headers}"
    assert "802B8BF4" not in told
    assert not {"authorization", "date", "nonce", "cookie"} & set(headers)


@pytest.mark.exhaustive
def test_a_service_that_publishes_nothing_is_unchecked(check: Run, publishing: Publishing) -> None:
    publishing.wsdl = b""
    done = check("publisher", "--format", "json")
    assert done.exit_code == 3
    assert "404" in done.output


@pytest.mark.exhaustive
@pytest.mark.parametrize("form", ["text", "json", "markdown", "html"])
def test_service_without_an_address_is_unchecked(form: str, check: Run, publishing: Publishing) -> None:
    done = check("--format", form)
    assert done.exit_code == 3
    assert "SOAPCLIENT_DATA_URL" in done.stdout.replace("\\", "")  # the report itself contains this
    assert "to check only publisher, name it" in (done.stdout if form == "text" else done.stderr)
    assert check("publisher", "--format", form).exit_code == 0


@pytest.mark.exhaustive
def test_unchecked_service_does_not_suppress_other_reports(check: Run, publishing: Publishing) -> None:
    publishing.change(*A_BREAK)
    found = json.loads(check("--json").stdout)
    assert found["verdict"] == "unchecked"
    publisher, data = found["reports"]
    assert (publisher["contract"], publisher["verdict"]) == ("publisher", "breaking")
    assert (data["contract"], data["verdict"], data["new"]) == ("data", "unchecked", "(no address)")


@pytest.mark.exhaustive
def test_hosts_can_be_allowed(check: Run, publishing: Publishing) -> None:
    """The option that the error about another host recommends exists."""
    other = publishing.url.replace("127.0.0.1", "localhost") + "/types.xsd"
    schema = f'<xsd:schema><xsd:import namespace="urn:t" schemaLocation="{other}"/></xsd:schema>'
    publishing.change("</wsdl:types>", f"{schema}</wsdl:types>")
    refused = check("publisher")
    assert refused.exit_code == 3
    assert "allow it with --allow-host localhost" in refused.output
    assert not [path for path, _ in publishing.asked if path == "/types.xsd"]
    check("publisher", "--allow-host", "localhost")
    assert [path for path, _ in publishing.asked if path == "/types.xsd"] == ["/types.xsd"]
    assert check("publisher", "--allow-host", "http://x").exit_code == 3


@pytest.mark.parametrize("how", [(), ("--format", "json"), ("--output", "report")])
def test_reason_of_an_unchecked_service_is_printed_once(
    run_unset: Run, how: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """stdout and stderr may share a terminal. If the report is for a machine or in a file, see stderr."""
    monkeypatch.chdir(tmp_path)
    done = run_unset("contract", "check", "publisher", *how)
    assert done.exit_code == 3
    shown = done.stderr if how else done.output
    assert shown.count("the address of the publisher service is not set") == 1


@pytest.mark.parametrize(
    "before",
    [
        ("--nosuch", "contract", "check"),
        ("--config", "FOLDER", "contract", "check"),
        ("--config", "config", "contract", "check"),
        ("contract", "--nosuch", "check"),
        ("contract", "chek"),
        ("--nosuch=operations", "contract", "check"),
        ("contract", "check"),
        ("contract", "check", "publisher"),
        ("contract", "check", "advertiser"),
        ("contract", "check", "--nothing"),
        ("contract", "check", "publisher", "--ignore", "nowhere"),
    ],
)
def test_any_failure_is_exit_3(
    run_unset: Run, before: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    done = run_unset(*(str(tmp_path) if word == "FOLDER" else word for word in before))
    assert done.exit_code == 3, done.output
    assert "Traceback" not in done.output


@pytest.mark.parametrize(
    "arguments", [("--nosuch", "operations", "contract"), ("--config", "contract", "no")]
)
def test_other_commands_keep_their_exit_code(run_unset: Run, arguments: tuple[str, ...]) -> None:
    assert run_unset(*arguments).exit_code == 2


@pytest.mark.exhaustive
def test_urllib3_does_not_log_tickets_in_addresses(
    check: Run, publishing: Publishing, caplog: pytest.LogCaptureFixture
) -> None:
    """An imported document may have a secret in the query of its address."""
    caplog.set_level(logging.DEBUG)
    types = "<wsdl:types>"
    include = f'{types}<xsd:schema><xsd:include schemaLocation="{publishing.url}/x.xsd?ticket=hunter2"/>'
    publishing.change(types, f"{include}</xsd:schema>")
    check("publisher")
    assert any(path.endswith("?ticket=hunter2") for path, _ in publishing.asked)
    logged = [record.getMessage() for record in caplog.records if record.name.startswith("urllib3.")]
    assert any("/x.xsd?ticket=[hidden]" in line for line in logged)
    assert "hunter2" not in "".join(logged)


def test_a_broken_installation_is_exit_3(run_unset: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "soapclient.cli.commands.contract", None)
    assert "could not check: ModuleNotFoundError" in error_of(run_unset("contract", "check", "publisher"), 3)


@pytest.mark.exhaustive
@pytest.mark.skipif(os.name != "posix", reason="a shell closes the output")
@pytest.mark.parametrize("closed", [">&-", "2>&-", ">&- 2>&-"])
def test_exit_code_is_the_verdict_without_an_output(
    closed: str, publishing: Publishing, clean_environment: Environment
) -> None:
    publishing.change(*A_BREAK)
    check = f"exec {sys.executable} -m soapclient.cli contract check publisher {closed}"
    env = {**clean_environment, "SOAPCLIENT_PUBLISHER_URL": publishing.url}
    done = ran(["sh", "-c", check], env=env)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr


@pytest.mark.exhaustive
@pytest.mark.skipif(os.name != "posix", reason="a pipe of another system breaks otherwise")
@pytest.mark.parametrize("stderr", [False, True])
def test_closed_pipe_is_not_a_verdict(
    stderr: bool, publishing: Publishing, run_process: RunProcess, broken_pipe: int
) -> None:
    done = run_process(
        *("contract", "check", "publisher"),
        env={"SOAPCLIENT_PUBLISHER_URL": publishing.url},
        stdout=broken_pipe,
        stderr=broken_pipe if stderr else subprocess.PIPE,
    )
    assert (done.returncode, done.stderr or "") == (3, "")


@pytest.mark.exhaustive
def test_report_file_is_replaced_atomically(
    check: Run, publishing: Publishing, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    report = tmp_path / "report.json"
    report.write_text("the one before", encoding="utf-8")

    def full(descriptor: int) -> None:
        assert report.read_text(encoding="utf-8") == "the one before"
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", full)
        done = check("publisher", "--format", "json", "--output", str(report))
    assert done.exit_code == 3
    assert f"{report}: the report cannot be written (No space left on device)" in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["report.json"]
    assert report.read_text(encoding="utf-8") == "the one before"
    wanted = tmp_path / "no" / "such" / "report.html"
    stderr = error_of(check("publisher", "--format", "html", "--output", str(wanted)), 3)
    assert f"{wanted}: the report cannot be written (No such file or directory)" in stderr
    assert check("publisher", "--format", "json", "--output", str(report)).exit_code == 0
    assert json.loads(report.read_text(encoding="utf-8"))["verdict"] == "same"


@pytest.mark.exhaustive
def test_ignore_file_applies_to_both_contracts(check: Run, publishing: Publishing, tmp_path: Path) -> None:
    publishing.change(*A_MOVE)
    (tmp_path / "accepted").write_text("address-changed * # they moved\noperation-added * # none\n")
    done = check("publisher", "--ignore", str(tmp_path / "accepted"))
    assert done.exit_code == 0
    assert "accepted:2: no change matches" in done.output
    assert check("publisher", "--ignore", str(tmp_path / "accepted"), "--strict-ignore").exit_code == 3


@pytest.mark.exhaustive
def test_service_without_tls_is_requested_if_its_host_is_allowed(
    run_unset: Run, publishing: Publishing, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the name of another machine, as in a container network."""
    found = socket.getaddrinfo
    names = {"sandbox": "127.0.0.1"}

    def by_name(host: str, *more: int, **named: int) -> object:
        return found(names.get(host, host), *more, **named)

    monkeypatch.setattr(socket, "getaddrinfo", by_name)
    settings = {"SOAPCLIENT_PUBLISHER_URL": publishing.url.replace("127.0.0.1", "sandbox")}
    refused = run_unset("contract", "check", "publisher", env=settings)
    assert (refused.exit_code, "allow_http" in refused.stderr) == (3, True)
    assert publishing.asked == []
    settings["SOAPCLIENT_ALLOW_HTTP"] = "sandbox"
    assert output_of(run_unset("contract", "check", "publisher", env=settings))
    assert len(publishing.asked) == 1
