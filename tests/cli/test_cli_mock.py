"""`soapclient mock` as a process: its output, calls by other clients, its end, and errors at start-up."""

from __future__ import annotations

import signal
import socket
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import requests
import zeep

from bindgen import init
from soapclient.cli.consoles import ConsoleMiddleware
from tests.cli.conftest import Run, StartProcess

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIEnvironment

WSDL = Path(__file__).parents[1] / "connection" / "weather.wsdl"


@pytest.mark.sampled(1)
@pytest.mark.parametrize("given", ["--file", "--package", ""])
def test_mock_serves_the_printed_addresses_and_exits_cleanly(
    start_process: StartProcess, tmp_path: Path, given: str
) -> None:
    rules = tmp_path / "rules.toml"
    rules.write_text('[[on]]\noperation = "GetWeather"\nreply = { degrees = 21 }\n')
    what = str(WSDL)
    if given == "--package":
        what = "clouds"
        init.write(tmp_path / what, init.make(what, WSDL, offline=True).files)
    words = [*filter(None, [given]), what, "--rules", str(rules)]
    with start_process("mock", *words, env={"TMPDIR": str(tmp_path)}, cwd=tmp_path) as started:
        lines = [started.stdout.readline() for _ in range(4)]
        port, second, console, wsdl = (line.removesuffix("\n").partition(": ") for line in lines)
        assert console[0] == "# console"
        assert "GetWeather" in requests.get(console[2], timeout=30).text
        assert (port[0], second[0]) == ("# WeatherService/Weather11", "# WeatherService/Weather12")
        assert (wsdl[0], wsdl[2]) == ("# wsdl", f"{port[2]}?wsdl")
        client = zeep.Client(wsdl[2])  # type: ignore[no-untyped-call]  # zeep has no types
        assert client.service.GetWeather("Berlin").body.degrees == 21
        out, err = started.end(signal.SIGINT)
    assert (started.process.returncode, out) == (0, "")
    assert "the mock has stopped" in err
    assert list(tmp_path.glob("soapclient-package-*")) == []


@pytest.mark.exhaustive
@pytest.mark.parametrize("command_name", ["mock", "try"])
def test_ctrl_c_interrupts_the_generation(
    start_process: StartProcess, tmp_path: Path, command_name: str
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(60)
        url = f"http://127.0.0.1:{server.getsockname()[1]}/slow.wsdl"
        with start_process(command_name, url, env={"TMPDIR": str(tmp_path)}) as started:
            connection, _ = server.accept()
            with connection:
                assert connection.recv(4)  # the request for the WSDL, which gets no response
                out, err = started.end(signal.SIGINT)
    assert (started.process.returncode, out) == (130, ""), err
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


def test_paths_are_unreserved_without_the_console_extra(monkeypatch: pytest.MonkeyPatch) -> None:
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
