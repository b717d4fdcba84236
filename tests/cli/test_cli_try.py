"""`soapclient try`: the printed program calls the mock, and Ctrl-C ends everything."""

from __future__ import annotations

import contextlib
import re
import signal
import socket
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import requests

from soapclient.cli.application import cli
from soapclient.cli.commands import try_
from soapclient.testing import mock
from tests.cli.conftest import Environment, Run, StartProcess
from tests.support.programs import ran

TESTS = Path(__file__).parents[1]
WEATHER = TESTS / "connection/weather.wsdl"
CORPUS = TESTS / "corpus/contracts"
ROOTS = sorted(path for path in CORPUS.rglob("*.wsdl") if path.parent in (CORPUS, CORPUS / path.stem))
Tried = Callable[..., tuple[str, str]]


class _Stopped:
    """Runs a function in place of the wait for Ctrl-C."""

    def __init__(self, run: Callable[[], None]) -> None:
        self.wait = run


@pytest.fixture
def tried(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], unset: None) -> Tried:
    """Run `soapclient try`, and its output as a program. Returns the program and its output."""
    printed: list[str] = []

    def run_program() -> None:
        program = capsys.readouterr().out
        exec(compile(program, "program", "exec"), {"__name__": "__main__"})
        printed[:] = program, capsys.readouterr().out

    monkeypatch.setattr(try_, "until_a_signal", lambda: contextlib.nullcontext(_Stopped(run_program)))

    def run(*arguments: object) -> tuple[str, str]:
        cli.main(["try", *map(str, arguments)], prog_name="soapclient", standalone_mode=False)
        program, output = printed
        return program, output

    return run


@pytest.mark.sampled(1)
@pytest.mark.parametrize("path", ROOTS, ids=lambda path: path.stem)
def test_first_call_gets_a_response_from_the_mock(path: Path, tried: Tried) -> None:
    program, printed = tried(path)
    assert "connect(" in program
    assert bool(printed.strip()) == ("response = " in program)


@pytest.mark.parametrize(
    ("wsdl", "arguments", "call"),
    [
        (WEATHER, [], 'service.get_weather(\n        city="city",\n'),
        (CORPUS / "several-services.wsdl", ["--operation", "Tell"], "service.tell("),
    ],
)
def test_first_call_is_a_reading_operation_or_the_chosen_one(
    wsdl: Path, arguments: list[str], call: str, tried: Tried
) -> None:
    assert call in tried(wsdl, *arguments)[0]


def test_kept_package_has_its_settings_file_and_is_used_again(
    tried: Tried, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "clouds.wsdl").write_bytes(WEATHER.read_bytes())
    for _ in range(2):
        program, _ = tried("clouds.wsdl", "--out", ".")
        assert "sys.path" not in program
        assert f"# package: {tmp_path / 'clouds'}\n" in program
        sys.modules.pop("clouds")
    assert {path.name for path in tmp_path.iterdir()} == {"clouds", "clouds.toml", "clouds.wsdl"}


@pytest.mark.exhaustive
def test_wsdl_can_be_an_address(tried: Tried) -> None:
    with mock("zxws.publisher") as served:
        program, printed = tried(served.wsdl)
    assert "response = service." in program
    assert "Response(" in printed


@pytest.mark.exhaustive
def test_process_serves_until_ctrl_c_and_removes_its_package(
    start_process: StartProcess, clean_environment: Environment, tmp_path: Path
) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    with start_process("try", str(WEATHER), env={"TMPDIR": str(tmp_path)}, cwd=tmp_path) as started:
        program = ""
        while not program.endswith("print(response)\n"):
            program += started.stdout.readline()
            assert started.process.poll() is None
        (console,) = re.findall(r"^# console: (\S+)$", program, re.MULTILINE)
        assert "GetWeather" in requests.get(console, timeout=30).text
        done = ran([sys.executable, "-c", program], env=clean_environment, cwd=elsewhere)
        assert (done.returncode, done.stderr) == (0, "")
        assert done.stdout.startswith("GetWeatherResponse(")
        assert list(tmp_path.glob("soapclient-package-*"))
        _, err = started.end(signal.SIGINT)
    assert started.process.returncode == 0
    assert "the mock and the console have stopped" in err
    assert list(tmp_path.glob("soapclient-package-*")) == []


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        ([], 2, "give a WSDL: a file or an address"),
        (["no.wsdl"], 2, "'no.wsdl' does not exist"),
        ([WEATHER, "--file", WEATHER], 2, "give the WSDL once"),
        ([WEATHER, "--operation", "GetWether"], 4, "did you mean GetWeather?"),
        (["SKIES", "--out", "TAKEN"], 1, "which bindgen did not write"),
        ([WEATHER, "--port", "PORT"], 1, "Address already in use"),
        (["BROKEN"], 1, "broken.wsdl"),
    ],
)
def test_error_is_a_message_and_nothing_stays(
    run_unset: Run,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    arguments: list[object],
    code: int,
    message: str,
) -> None:
    no_wait = _Stopped(lambda: pytest.fail("it serves"))
    monkeypatch.setattr(try_, "until_a_signal", lambda: contextlib.nullcontext(no_wait))
    taken, broken, skies = tmp_path / "taken", tmp_path / "broken.wsdl", tmp_path / "skies.wsdl"
    (taken / "skies").mkdir(parents=True)
    (taken / "skies/notes.txt").write_text("mine")
    skies.write_bytes(WEATHER.read_bytes())
    broken.write_text("<definitions")
    with socket.create_server(("127.0.0.1", 0)) as server:
        places = {"TAKEN": taken, "BROKEN": broken, "SKIES": skies, "PORT": server.getsockname()[1]}
        given = [str(places.get(str(argument), argument)) for argument in arguments]
        result = run_unset("try", *given, env={"TMPDIR": str(tmp_path)})
    assert result.exit_code == code, result.output
    assert message in result.output
    assert [path.name for path in (taken / "skies").iterdir()] == ["notes.txt"]


def test_nothing_is_called_if_no_example_is_valid(tried: Tried) -> None:
    program, printed = tried(TESTS / "console/wsdls/survey.wsdl", "--operation", "Impossible")
    assert "# wsdl: " in program
    assert ("connect(" in program, printed) == (False, "")
