"""Common properties of all commands: start-up time, exit codes, one-line errors."""

from __future__ import annotations

import atexit
import os
import runpy
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import NoReturn

import click
import pytest
from click.testing import CliRunner

from bindgen.cli import main as bindgen
from soapclient import __version__
from soapclient._support import speedups
from soapclient.cli import application, main
from soapclient.cli.application import COMMANDS, cli
from tests.cli.conftest import Environment, Run, RunProcess, error_of, output_of
from tests.support.programs import ran

HEAVY = ("zeep", "requests", "xmlschema", "werkzeug", "lxml", "msgspec", "rich")


def python(code: str, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return ran([sys.executable, "-c", code, *arguments], env={**os.environ, **environment})


@pytest.mark.sampled(1)
@pytest.mark.parametrize("arguments", [("--help",), ("--version",), ("call", "--help"), ("demo", "--help")])
def test_help_loads_nothing_heavy(arguments: tuple[str, ...]) -> None:
    done = python(
        "import sys; from soapclient.cli import main; code = main(); "
        f"print(code, *({set(HEAVY)} & set(sys.modules)), file=sys.stderr)",
        *arguments,
    )
    assert done.stderr.split() == ["0"]
    assert done.stdout


@pytest.mark.exhaustive
def test_sign_command_does_not_load_the_modules_of_calls() -> None:
    done = python(
        "import sys; from soapclient.cli import main; main(); "
        "print(*({'zeep', 'requests', 'werkzeug'} & set(sys.modules)), file=sys.stderr)",
        *("sign", "rest", "GET", "/profiles"),
        SOAPCLIENT_SECRET_KEY="abcd",
    )
    assert done.stderr.split() == []
    assert "signature" in done.stdout


@pytest.mark.sampled(1)
@pytest.mark.skipif(os.name != "posix", reason="a pipe of another system breaks otherwise")
@pytest.mark.parametrize(
    ("arguments", "stdout", "code"),
    [
        (("--help",), True, 0),
        (("operations",), True, 0),
        (("drift", "--help"), True, 2),
        (("drift", os.devnull, "--json"), True, 2),
        (("drift", os.devnull), False, 0),
        (("operations",), False, 0),
        (("nothing",), False, 2),
        (("sign", "rest", "GET", "/x"), False, 3),
        (("contract", "check", "publisher"), False, 3),
        (("contract", "nothing"), True, 3),
    ],
)
def test_unread_output_does_not_change_the_exit_code(
    run_process: RunProcess, broken_pipe: int, arguments: tuple[str, ...], stdout: bool, code: int
) -> None:
    """stderr, and stdout if `stdout` is set, have no reader.

    If the exit code would be a verdict, the command fails instead. Other exit codes are unchanged.
    """
    output = broken_pipe if stdout else subprocess.DEVNULL
    assert run_process(*arguments, stdout=output, stderr=broken_pipe).returncode == code


@pytest.mark.exhaustive
def test_closed_pipe_causes_no_traceback(
    run_process: RunProcess, broken_pipe: int, settings: Environment
) -> None:
    done = run_process("call", "publisher", "GetProfile", env=settings, stdout=broken_pipe)
    assert (done.returncode, done.stderr) == (0, "")


def test_unexpected_failure_is_not_a_drift_finding(run_unset: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> object:
        raise RuntimeError("unexpected")

    monkeypatch.setattr("soapclient.drift.summary.summed", fail)
    line = "soapclient: could not check: RuntimeError: unexpected\n"
    done = run_unset("drift", "drift.jsonl")
    assert (done.exit_code, done.stderr) == (2, line)
    stderr = error_of(run_unset("--debug", "drift", "drift.jsonl"), 2)
    assert stderr.startswith("Traceback (most recent call last):\n")
    assert stderr.endswith(f"\n{line}")


@pytest.mark.parametrize(
    ("raised", "arguments", "code"),
    [
        (KeyboardInterrupt(), ("call",), 130),
        (KeyboardInterrupt(), ("drift",), 130),
        (click.Abort(), ("demo",), 130),
        (SystemExit(143), ("drift",), 143),
        (SystemExit(1), ("call",), 1),
        (SystemExit(1), ("drift",), 2),
        (SystemExit(1), ("--profile", "drift", "contract"), 3),
        (click.UsageError("no such thing"), ("call",), 2),
    ],
)
def test_every_ending_has_one_exit_code(
    monkeypatch: pytest.MonkeyPatch, raised: BaseException, arguments: tuple[str, ...], code: int
) -> None:
    def end(**_: object) -> NoReturn:
        raise raised

    monkeypatch.setattr(application.cli, "main", end)
    monkeypatch.setattr(atexit, "register", lambda *_: None)  # this process continues
    monkeypatch.setattr(sys, "argv", ["soapclient", *arguments])
    assert main() == code


def test_interrupt_during_startup_is_handled(monkeypatch: pytest.MonkeyPatch) -> None:
    class Interrupted:
        @property
        def run(self) -> NoReturn:
            raise KeyboardInterrupt

    monkeypatch.setitem(sys.modules, application.__name__, Interrupted())
    assert main() == 130


def test_broken_installation_is_not_reported_as_a_missing_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, application.__name__, None)
    with pytest.raises(ModuleNotFoundError, match=application.__name__):
        main()


def test_import_in_a_worker_process_runs_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """As in multiprocessing with spawned processes, which import the main module under another name."""
    monkeypatch.setattr(application.cli, "main", lambda **_: pytest.fail("it ran"))
    file = import_module("soapclient.cli.__main__").__file__
    assert file is not None
    assert runpy.run_path(file, run_name="__mp_main__")["main"] is main


def test_help_names_every_command(run_unset: Run) -> None:
    text = run_unset("--help").stdout
    for name in COMMANDS:
        assert f"\n  {name} " in text
        assert run_unset(name, "--help").exit_code == 0


def test_version_is_printed(run_unset: Run) -> None:
    reader = "compiled" if speedups.in_use() else "pure Python"
    assert run_unset("--version").stdout == f"soapclient, version {__version__}, {reader} reader\n"


def test_version_with_an_unusable_choice_of_the_reader_is_an_error(
    run_unset: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOAPCLIENT_SPEEDUPS", "yes")
    speedups.in_use.cache_clear()
    try:
        result = run_unset("--version")
    finally:
        monkeypatch.undo()
        speedups.in_use.cache_clear()
    assert result.exit_code == 3
    assert "SOAPCLIENT_SPEEDUPS: must be one of 0, 1, auto, got 'yes'" in result.output


def test_traceback_is_printed_only_if_requested(run_unset: Run) -> None:
    short = run_unset("call", "publisher", "GetProfile")
    assert "Traceback" not in short.output
    long = run_unset("--debug", "call", "publisher", "GetProfile")
    assert long.exit_code == short.exit_code == 3
    assert long.stderr.startswith(short.stderr)
    assert "Traceback" in long.stderr
    assert "ConfigError" in long.stderr


def test_settings_are_read_from_a_file(run_unset: Run, settings: Environment, tmp_path: Path) -> None:
    file = tmp_path / "settings.toml"
    keys = {name.removeprefix("SOAPCLIENT_").lower(): value for name, value in settings.items()}
    file.write_text("".join(f'{name} = "{value}"\n' for name, value in keys.items()))
    assert output_of(run_unset("--config", str(file), "call", "publisher", "GetProfile"))
    result = run_unset("--config", str(tmp_path / "none.toml"), "call", "publisher", "GetProfile")
    assert "cannot be read" in error_of(result, 3)


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("module", "arguments", "extra"),
    [
        ("click", ("--help",), "pip install 'soapclient[cli]'"),
        ("click", ("drift", "drift.jsonl"), "pip install 'soapclient[cli]'"),
        ("click", ("contract", "check"), "pip install 'soapclient[cli]'"),
        ("werkzeug", ("demo",), "pip install 'soapclient[sandbox]'"),
        ("werkzeug", ("sandbox",), "pip install 'soapclient[sandbox]'"),
        ("bindgen", ("contract", "check", "publisher"), "needs bindgen"),
    ],
)
def test_a_missing_extra_is_named(module: str, arguments: tuple[str, ...], extra: str) -> None:
    code = f"import sys; sys.modules['{module}'] = None; from soapclient.cli import main; sys.exit(main())"
    done = python(code, *arguments)
    assert done.returncode == {"drift": 2, "contract": 3}.get(arguments[0], 1)
    assert extra in done.stderr
    assert done.stderr.count("\n") == 1
    assert done.stdout == ""


def test_characters_missing_in_the_terminal_encoding_are_replaced(run_process: RunProcess) -> None:
    done = run_process("export", "--help", env={"PYTHONIOENCODING": "latin-1"})
    assert done.returncode == 0
    assert "custom \\u2026" in done.stdout


def test_folder_that_cannot_be_created_is_one_line(run_unset: Run, tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("")
    stderr = error_of(run_unset("demo", "--rows", "1", "--keep", str(tmp_path / "taken" / "inner")), 1)
    assert stderr.startswith("soapclient: ")
    assert "taken" in stderr
    assert "Traceback" not in stderr


def test_exit_skips_the_garbage_collection() -> None:
    """A garbage collection would delay the exit code, and a kill in between would be misleading."""
    done = python(
        "import atexit, gc, sys; atexit.register(lambda: print('frozen', gc.get_freeze_count() > 1000));"
        "sys.argv = ['soapclient', '--version']; from soapclient.cli import main; sys.exit(main())"
    )
    assert (done.returncode, done.stdout.splitlines()[-1]) == (0, "frozen True")


FULL = Path("/dev/full")
needs_full = pytest.mark.skipif(not FULL.exists(), reason="a device that is full")


@pytest.mark.sampled(1)
@needs_full
@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("--help",), 1),
        (("--version",), 1),
        (("operations",), 1),
        (("config",), 1),
        (("call", "nothing"), 2),
        (("drift", "nothing", "--json"), 2),
        (("contract", "check"), 3),
    ],
)
def test_a_full_disk_is_one_line(run_process: RunProcess, arguments: tuple[str, ...], code: int) -> None:
    """The exit code is not a verdict, either."""
    with FULL.open("w") as full:
        done = run_process(*arguments, stdout=full)
    assert done.returncode == code
    if arguments[0] != "call":
        assert done.stderr.splitlines()[-1] == "soapclient: stdout: No space left on device"


@pytest.mark.exhaustive
@needs_full
def test_full_disk_for_messages_does_not_change_the_exit_code(run_process: RunProcess) -> None:
    with FULL.open("w") as full:
        done = run_process("call", "publisher", "Nothing", stderr=full)
    assert (done.returncode, done.stdout) == (4, "")


@pytest.mark.parametrize("variable", ["NO_COLOR", "TERM"])
def test_colours_can_be_disabled(unset: None, variable: str) -> None:
    shown = {"NO_COLOR": "", "TERM": "xterm"}
    coloured = CliRunner().invoke(application.cli, ["config"], color=True, env=shown)
    assert "\x1b[" in coloured.stdout
    left_out = {**shown, variable: "dumb"}
    plain = CliRunner().invoke(application.cli, ["config"], color=True, env=left_out)
    assert "\x1b" not in plain.stdout


@pytest.mark.parametrize(
    ("line", "hint"),
    [
        ("list", "did you mean soapclient operations?"),
        ("versions", "did you mean soapclient --version?"),
        ("-oclicks.csv table", "write it after the command: soapclient table -o VALUE"),
        ("init weather", "did you mean bindgen init?"),
        ("diff old.wsdl new.wsdl", "did you mean bindgen diff?"),
        ("publisher GetSale saleId=5", "write soapclient call publisher GetSale …"),
        ("weather.wsdl GetWeather", "write soapclient call weather.wsdl GetWeather"),
        ("config --profile night", "write it before the command: soapclient --profile night config"),
        ("--port 8642 sandbox", "write it after the command: soapclient sandbox --port 8642"),
        ("--json config", "write it after the command: soapclient config --json"),
        ("-v config", "did you mean --version"),
        ("call publisher GetSale --debug", "write it before the command: soapclient --debug call"),
        ("call publisher GetSale --verbose", "did you mean --trace?"),
        ("call publisher GetSale --output sale.json", "write the response to a file with > sale.json"),
        ("table publisher GetSales --start 2026-11-01", "did you mean --from?"),
        ("describe publisher.GetSales", "must be two words: publisher GetSales"),
        ("call publisher GetSale saleId:5", "write saleId=5"),
        ("call publisher/GetSale saleId=5", "must be two words: publisher GetSale"),
        ("call publisher GetSale -saleId=5", "write saleId=5"),
        ("call publisher GetSale -sale-id 5", "write sale_id=5"),
        ("call publisher GetSale -trace", "did you mean --trace?"),
        ("call publisher GetSale saleId = 5", "write saleId=5"),
        ("call publisher GetSale saleId =5", "write saleId=5"),
        ("call publisher GetSale saleId= 5", "write saleId=5"),
        ("call publisher GetSale @request.json", "write - < request.json"),
        ("config timeout=20", "write soapclient config set timeout 20"),
        ("config secret_key=abc", "write soapclient config set secret_key -"),
        ("config get timeout", "write soapclient config timeout"),
        ("config --set timeout", "write soapclient config set NAME VALUE"),
        ("completion --shell bash", "write soapclient completion bash"),
        ("set timeout 20", "did you mean soapclient config set?"),
        ("call publisher GetSale {}", "write - and pass the JSON on stdin"),
        ("help cal", "No such command 'cal'; did you mean call?"),
        ("config timeut", "'timeut' is not a setting; did you mean timeout?"),
    ],
)
def test_mistyped_command_is_answered_with_the_right_one(run_unset: Run, line: str, hint: str) -> None:
    assert hint in error_of(run_unset(*line.split()), 2)


def test_unknown_option_without_a_command_has_no_hint(run_unset: Run) -> None:
    stderr = error_of(run_unset("--frobnicate"), 2)
    assert "--frobnicate" in stderr
    assert "write it after" not in stderr


@pytest.mark.parametrize("program", [cli, bindgen])
@pytest.mark.parametrize(
    "line",
    [
        *("{}", "{} GetWeather", "call {}:bad", "call publisher {}", "call publisher GetSale {}"),
        *("call publisher GetSale a={} b {}", "describe publisher {}", "config {}", "config secret_key={}"),
        *("config proxies={}", "config --profile {}", "--port {} sandbox", "--profile= config {}", "help {}"),
        *("init {} weather", "init a b {}", "mock --prt={}"),
    ],
)
def test_no_error_shows_the_password_in_an_address(unset: None, program: click.Command, line: str) -> None:
    address = "https://ada:hidden-word@127.0.0.1:9/x.wsdl"
    result = CliRunner().invoke(program, line.format(*[address] * 2).split())
    assert result.exit_code != 0
    assert "hidden-word" not in result.output


def test_mistyped_wsdl_file_is_answered_with_a_similar_one(
    run_unset: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "weather.wsdl").touch()
    assert "did you mean weather.wsdl?" in run_unset("call", "wether.wsdl", "GetWeather").stderr
