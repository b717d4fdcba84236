"""`soapclient contract check`: against the sandbox, and against a service that publishes another contract."""

from __future__ import annotations

import errno
import json
import logging
import os
import re
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib import resources
from pathlib import Path

import pytest
from click.testing import Result

Run = Callable[..., Result]
A_BREAK = ('name="total" type="xsd:long"', 'name="total" type="xsd:string"')


class Publishing:
    """Serves a WSDL at every address and records the requests."""

    def __init__(self) -> None:
        self.wsdl = b""
        self.asked: list[tuple[str, Mapping[str, str]]] = []
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                headers = {name.lower(): value for name, value in self.headers.items()}
                outer.asked.append((self.path, headers))
                self.send_response(200 if outer.wsdl else 404)
                self.send_header("Content-Type", "text/xml")
                self.send_header("Content-Length", str(len(outer.wsdl)))
                self.end_headers()
                self.wfile.write(outer.wsdl)

            def log_message(self, format: str, *args: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02})
        self._thread.start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


@pytest.fixture
def publishing() -> Iterator[Publishing]:
    server = Publishing()
    yield server
    server.close()


@pytest.fixture
def packaged() -> str:
    return resources.files("zxws.publisher").joinpath("contract.wsdl").read_text(encoding="utf-8")


@pytest.fixture
def check(run_unset: Run, publishing: Publishing) -> Callable[..., Result]:
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
        ('name="total" type="xsd:long"', 'name="total" type="xsd:string"', 2, "response-type-changed"),
        ("https://publisher.invalid/soap", "https://moved.invalid/soap", 1, "address-changed"),
        ('<xsd:complexType name="saleItem">', "<<", 3, ""),
    ],
)
def test_published_contract_is_compared(
    old: str,
    new: str,
    code: int,
    rule: str,
    check: Callable[..., Result],
    publishing: Publishing,
    packaged: str,
) -> None:
    assert old in packaged
    publishing.wsdl = packaged.replace(old, new).encode()
    done = check("publisher", "--format", "json")
    assert done.exit_code == code, done.output
    assert rule in done.output
    assert check("publisher", "--format", "html").exit_code == code


@pytest.mark.exhaustive
def test_authentication_changes_need_no_change_of_callers(
    check: Callable[..., Result], publishing: Publishing, packaged: str
) -> None:
    signature = re.compile(r'<xsd:element name="signature" type="xsd:string"/>')
    publishing.wsdl, removed = signature.subn("", packaged)[0].encode(), len(signature.findall(packaged))
    (report,) = json.loads(check("publisher", "--json").output)["reports"]
    (cause,) = report["causes"]
    assert cause["count"] == len(report["findings"]) == removed
    assert cause["remedy"].startswith(
        "Regenerate; code does not need to change, because the client fills in authentication. "
        "`bindgen generate` stops if"
    )


@pytest.mark.exhaustive
def test_nothing_is_signed_and_no_credentials_are_sent(
    check: Callable[..., Result], publishing: Publishing, packaged: str
) -> None:
    publishing.wsdl = packaged.encode()
    assert check("publisher").exit_code == 0
    ((path, headers),) = publishing.asked
    assert path == "/wsdl/2011-03-01"
    told = f"{path} {headers}"
    assert "802B8BF4" not in told
    assert not {"authorization", "date", "nonce", "cookie"} & set(headers)


@pytest.mark.exhaustive
def test_a_service_that_publishes_nothing_is_unchecked(check: Callable[..., Result]) -> None:
    done = check("publisher", "--format", "json")
    assert done.exit_code == 3
    assert "404" in done.output


@pytest.mark.exhaustive
@pytest.mark.parametrize("form", ["text", "json", "markdown", "html"])
def test_service_without_an_address_is_unchecked(
    form: str, check: Callable[..., Result], publishing: Publishing, packaged: str
) -> None:
    publishing.wsdl = packaged.encode()
    done = check("--format", form)
    assert done.exit_code == 3
    assert "SOAPCLIENT_DATA_URL" in done.stdout.replace("\\", "")  # the report itself contains this
    assert "to check only publisher, name it" in (done.stdout if form == "text" else done.stderr)
    assert check("publisher", "--format", form).exit_code == 0


@pytest.mark.exhaustive
def test_unchecked_service_does_not_suppress_other_reports(
    check: Callable[..., Result], publishing: Publishing, packaged: str
) -> None:
    publishing.wsdl = packaged.replace(
        'name="total" type="xsd:long"', 'name="total" type="xsd:string"'
    ).encode()
    found = json.loads(check("--json").stdout)
    assert found["verdict"] == "unchecked"
    publisher, data = found["reports"]
    assert (publisher["contract"], publisher["verdict"]) == ("publisher", "breaking")
    assert (data["contract"], data["verdict"], data["new"]) == ("data", "unchecked", "(no address)")


@pytest.mark.exhaustive
def test_hosts_can_be_allowed(check: Callable[..., Result], publishing: Publishing, packaged: str) -> None:
    """The option that the error about another host recommends exists."""
    other = publishing.url.replace("127.0.0.1", "localhost") + "/types.xsd"
    schema = f'<xsd:schema><xsd:import namespace="urn:t" schemaLocation="{other}"/></xsd:schema>'
    publishing.wsdl = packaged.replace("</wsdl:types>", f"{schema}</wsdl:types>").encode()
    refused = check("publisher")
    assert refused.exit_code == 3
    assert "allow it with --allow-host localhost" in refused.output
    assert not [path for path, _ in publishing.asked if path == "/types.xsd"]
    check("publisher", "--allow-host", "localhost")
    assert [path for path, _ in publishing.asked if path == "/types.xsd"] == ["/types.xsd"]
    assert check("publisher", "--allow-host", "http://x").exit_code == 3


@pytest.mark.parametrize(
    "arguments", [(), ("publisher",), ("advertiser",), ("--nothing",), ("publisher", "--ignore", "nowhere")]
)
def test_unchecked_service_is_exit_3(run_unset: Run, arguments: tuple[str, ...]) -> None:
    done = run_unset("contract", "check", *arguments)
    assert done.exit_code == 3, done.output
    assert "Traceback" not in done.output


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
    ],
)
def test_any_earlier_failure_is_exit_3(
    run_unset: Run, before: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    done = run_unset(*(str(tmp_path) if word == "FOLDER" else word for word in before))
    assert done.exit_code == 3, done.output
    assert "Traceback" not in done.output


@pytest.mark.exhaustive
def test_urllib3_does_not_log_tickets_in_addresses(
    check: Callable[..., Result], publishing: Publishing, packaged: str, caplog: pytest.LogCaptureFixture
) -> None:
    """An imported document may have a secret in the query of its address."""
    caplog.set_level(logging.DEBUG)
    types = "<wsdl:types>"
    include = f'{types}<xsd:schema><xsd:include schemaLocation="{publishing.url}/x.xsd?ticket=hunter2"/>'
    assert types in packaged
    publishing.wsdl = packaged.replace(types, f"{include}</xsd:schema>").encode()
    check("publisher")
    assert any(path.endswith("?ticket=hunter2") for path, _ in publishing.asked)
    logged = [record.getMessage() for record in caplog.records if record.name.startswith("urllib3.")]
    assert any("/x.xsd?ticket=[hidden]" in line for line in logged)
    assert "hunter2" not in "".join(logged)


@pytest.mark.parametrize(
    "arguments", [("--nosuch", "operations", "contract"), ("--config", "contract", "no")]
)
def test_other_commands_keep_their_exit_code(run_unset: Run, arguments: tuple[str, ...]) -> None:
    assert run_unset(*arguments).exit_code == 2


def test_a_broken_installation_is_exit_3(run_unset: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "soapclient.cli.commands.contract", None)
    done = run_unset("contract", "check", "publisher")
    assert done.exit_code == 3
    assert "could not check: ModuleNotFoundError" in done.stderr


@pytest.mark.exhaustive
@pytest.mark.skipif(os.name != "posix", reason="a shell closes the output")
@pytest.mark.parametrize(("closed", "code"), [(">&-", 2), ("2>&-", 2), (">&- 2>&-", 2)])
def test_exit_code_is_the_verdict_without_an_output(
    closed: str, code: int, publishing: Publishing, packaged: str, clean_environment: Mapping[str, str]
) -> None:
    publishing.wsdl = packaged.replace(
        'name="total" type="xsd:long"', 'name="total" type="xsd:string"'
    ).encode()
    done = subprocess.run(
        ["sh", "-c", f"exec {sys.executable} -m soapclient.cli contract check publisher {closed}"],
        env={**clean_environment, "SOAPCLIENT_PUBLISHER_URL": publishing.url},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == code
    assert "Traceback" not in done.stderr


@pytest.mark.exhaustive
@pytest.mark.skipif(os.name != "posix", reason="a pipe of another system breaks otherwise")
@pytest.mark.parametrize("stderr", [False, True])
def test_closed_pipe_is_not_a_verdict(
    stderr: bool, publishing: Publishing, packaged: str, clean_environment: Mapping[str, str]
) -> None:
    publishing.wsdl = packaged.encode()
    reading, writing = os.pipe()
    os.close(reading)
    try:
        done = subprocess.run(
            [sys.executable, "-m", "soapclient.cli", "contract", "check", "publisher"],
            env={**clean_environment, "SOAPCLIENT_PUBLISHER_URL": publishing.url},
            stdout=writing,
            stderr=writing if stderr else subprocess.PIPE,
            text=True,
            timeout=60,
            check=False,
        )
    finally:
        os.close(writing)
    assert done.returncode == 3
    assert not done.stderr


@pytest.mark.exhaustive
def test_report_file_is_replaced_atomically(
    check: Callable[..., Result],
    publishing: Publishing,
    packaged: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    publishing.wsdl = packaged.encode()
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
    assert check("publisher", "--format", "json", "--output", str(report)).exit_code == 0
    assert json.loads(report.read_text(encoding="utf-8"))["verdict"] == "same"


@pytest.mark.exhaustive
def test_unwritable_output_is_one_line(
    check: Callable[..., Result], publishing: Publishing, packaged: str, tmp_path: Path
) -> None:
    publishing.wsdl = packaged.encode()
    wanted = tmp_path / "no" / "such" / "report.html"
    done = check("publisher", "--format", "html", "--output", str(wanted))
    assert done.exit_code == 3
    assert f"{wanted}: the report cannot be written (No such file or directory)" in done.stderr
    assert "Error" not in done.stderr.replace("[Errno", "")


@pytest.mark.exhaustive
def test_ignore_file_applies_to_both_contracts(
    check: Callable[..., Result], publishing: Publishing, packaged: str, tmp_path: Path
) -> None:
    publishing.wsdl = packaged.replace(
        "https://publisher.invalid/soap", "https://moved.invalid/soap"
    ).encode()
    (tmp_path / "accepted").write_text("address-changed * # they moved\noperation-added * # none\n")
    done = check("publisher", "--ignore", str(tmp_path / "accepted"))
    assert done.exit_code == 0
    assert "accepted:2: no change matches" in done.output
    assert check("publisher", "--ignore", str(tmp_path / "accepted"), "--strict-ignore").exit_code == 3


def test_missing_bindgen_is_named() -> None:
    code = """
import sys
sys.modules["bindgen"] = None
sys.argv = ["soapclient", "contract", "check", "publisher"]
from soapclient.cli import main
sys.exit(main())
"""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 3
    assert "needs bindgen" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(("arguments", "code"), [(["contract", "check"], 3), (["operations"], 1)])
def test_missing_click_is_not_a_verdict(arguments: list[str], code: int) -> None:
    program = """
import sys
sys.modules["click"] = None
from soapclient.cli import main
sys.exit(main())
"""
    done = subprocess.run(
        [sys.executable, "-c", program, *arguments], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == code
    assert "needs click" in done.stderr


@pytest.mark.exhaustive
def test_service_without_tls_is_requested_if_its_host_is_allowed(
    run_unset: Run, publishing: Publishing, packaged: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the name of another machine, as in a container network."""
    found = socket.getaddrinfo
    names = {"sandbox": "127.0.0.1"}

    def by_name(host: str, *more: int, **named: int) -> object:
        return found(names.get(host, host), *more, **named)

    monkeypatch.setattr(socket, "getaddrinfo", by_name)
    publishing.wsdl = packaged.encode()
    settings = {"SOAPCLIENT_PUBLISHER_URL": publishing.url.replace("127.0.0.1", "sandbox")}
    refused = run_unset("contract", "check", "publisher", env=settings)
    assert (refused.exit_code, "allow_http" in refused.stderr) == (3, True)
    assert publishing.asked == []
    settings["SOAPCLIENT_ALLOW_HTTP"] = "sandbox"
    checked = run_unset("contract", "check", "publisher", env=settings)
    assert checked.exit_code == 0, checked.output
    assert len(publishing.asked) == 1
