"""`soapclient mock` as a process: its output, calls by other clients, its end, and errors at start-up."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import requests
import zeep

from soapclient.cli.consoles import ConsoleMiddleware
from tests.cli.conftest import Run

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIEnvironment

WSDL = Path(__file__).parents[1] / "connection" / "weather.wsdl"


@pytest.mark.sampled(1)
@pytest.mark.parametrize("given", ["--file", "--package", ""])
def test_mock_serves_the_printed_addresses_and_exits_cleanly(
    command: tuple[str, ...], clean_environment: Mapping[str, str], tmp_path: Path, given: str
) -> None:
    rules = tmp_path / "rules.toml"
    rules.write_text('[[on]]\noperation = "GetWeather"\nreply = { degrees = 21 }\n')
    what = str(WSDL)
    if given == "--package":
        what = "clouds"
        bindgen = [sys.executable, "-m", "bindgen", "init", what, "--file", str(WSDL), "--out", str(tmp_path)]
        subprocess.run([*bindgen, "--offline"], check=True, capture_output=True, timeout=120)
    with subprocess.Popen(
        [*command, "mock", *filter(None, [given]), what, "--rules", str(rules)],
        cwd=tmp_path,
        env={**clean_environment, "TMPDIR": str(tmp_path)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            assert process.stdout is not None
            lines = [process.stdout.readline() for _ in range(4)]
            port, second, console, wsdl = (line.removesuffix("\n").partition(": ") for line in lines)
            assert console[0] == "# console"
            page = requests.get(console[2], timeout=30)
            assert "GetWeather" in page.text
            assert (port[0], second[0]) == ("# WeatherService/Weather11", "# WeatherService/Weather12")
            assert wsdl[0] == "# wsdl"
            assert wsdl[2] == f"{port[2]}?wsdl"
            client = zeep.Client(wsdl[2])  # type: ignore[no-untyped-call]  # zeep has no types
            assert client.service.GetWeather("Berlin").body.degrees == 21
            process.send_signal(signal.SIGINT)
            out, err = process.communicate(timeout=30)
        finally:
            process.kill()
    assert (process.returncode, out) == (0, "")
    assert "the mock has stopped" in err
    assert list(tmp_path.glob("soapclient-package-*")) == []


@pytest.mark.exhaustive
@pytest.mark.parametrize("command_name", ["mock", "try"])
def test_ctrl_c_interrupts_the_generation(
    command: tuple[str, ...], clean_environment: Mapping[str, str], tmp_path: Path, command_name: str
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(60)
        with subprocess.Popen(
            [*command, command_name, f"http://127.0.0.1:{server.getsockname()[1]}/slow.wsdl"],
            env={**clean_environment, "TMPDIR": str(tmp_path)},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        ) as process:
            try:
                connection, _ = server.accept()
                with connection:
                    assert connection.recv(4)  # the request for the WSDL, which gets no response
                    process.send_signal(signal.SIGINT)
                    out, err = process.communicate(timeout=60)
            finally:
                process.kill()
    assert (process.returncode, out) == (130, ""), err
    assert list(tmp_path.glob("soapclient-package-*")) == []


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        ([], 2, "exactly one of: a WSDL, --file, --package"),
        (["--file", str(WSDL), "--package", "weather"], 2, "exactly one of: a WSDL, --file, --package"),
        (["--file", "no.wsdl"], 2, "no.wsdl"),
        (["--package", "no_such_package"], 1, "bindgen init no_such_package"),
        (["--package", "json"], 1, "json"),
        (["--file", "RULES"], 1, "rules.toml"),
        (["--file", str(WSDL), "--rules", "RULES"], 1, "rule 1, Nothing: there is no operation"),
        (["--file", str(WSDL), "--recording", "EMPTY"], 1, "not a recording"),
        (["--file", str(WSDL), "--host", "192.0.2.1"], 1, "cannot listen at 192.0.2.1"),
    ],
)
def test_unusable_wsdl_is_one_line(
    run_unset: Run, tmp_path: Path, arguments: list[str], code: int, said: str
) -> None:
    rules, empty = tmp_path / "rules.toml", tmp_path / "empty"
    rules.write_text("[[on]]\noperation = 'Nothing'\nreset = true\n")
    empty.mkdir()
    places = {"RULES": str(rules), "EMPTY": str(empty)}
    result = run_unset("mock", *(places.get(each, each) for each in arguments))
    assert result.exit_code == code, result.output
    assert said in result.output.splitlines()[-1]


def test_paths_are_unreserved_without_the_console_extra(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Own:
        max_body = 5

        def wsgi(self, environ: WSGIEnvironment, _: StartResponse) -> list[bytes]:
            return [b"own ", str(environ["PATH_INFO"]).encode()]

    monkeypatch.setitem(sys.modules, "soapclient.console.application", None)
    both = ConsoleMiddleware(Own())
    with ExitStack() as ends:
        assert both.add(ends, "http://127.0.0.1:1", lambda: pytest.fail("there is none to show")) == []
    for path in ("/", "/history", "/try/x"):
        said = both.wsgi({"PATH_INFO": path}, lambda *_: pytest.fail("the application begins it"))
        assert b"".join(said) == f"own {path}".encode()
