"""Subjects of commands: a service, a WSDL or a package, and the suggestions for other words."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from bindgen import init
from bindgen.cli import main as bindgen
from soapclient import Settings
from soapclient.cli.application import COMMANDS
from soapclient.testing import Mock, mock
from tests.cli.conftest import COMMAND, Environment, Run, error_of, output_of
from tests.support.packages import generated
from tests.support.terminals import shown_on_terminal

WSDL = Path(__file__).parents[1] / "connection" / "weather.wsdl"
OPERATIONS = ["GetWeather", "Observe", "Swap", "Ping"]


@pytest.fixture(scope="module")
def weather() -> Iterator[Mock]:
    """A service that publishes its WSDL and responds to calls."""
    with generated("subject_weather", WSDL), mock("subject_weather") as served:
        yield served


# ---- a WSDL as an argument


def test_a_call_takes_a_wsdl_file_or_its_address(run_unset: Run, weather: Mock) -> None:
    weather.on("GetWeather", city="Rome").reply(degrees=21)
    for words in ((str(WSDL), "--address", weather.address()), (weather.wsdl,)):
        assert json.loads(output_of(run_unset("call", *words, "GetWeather", "city=Rome")))["degrees"] == "21"


def test_example_for_an_address_runs(run_unset: Run, weather: Mock) -> None:
    stdout = output_of(run_unset("describe", weather.wsdl, "GetWeather"))
    assert f"soapclient call '{weather.wsdl}' GetWeather" in stdout


@pytest.mark.sampled(4)
@pytest.mark.parametrize("command", ["call", "describe"])
@pytest.mark.parametrize("form", ["file", "--file", "address", "--package"])
def test_wsdl_without_an_operation_lists_its_operations(
    run_unset: Run, weather: Mock, command: str, form: str
) -> None:
    words = {
        "file": [str(WSDL)],
        "--file": ["--file", str(WSDL)],
        "address": [weather.wsdl],
        "--package": ["--package", "subject_weather"],
    }
    stdout = output_of(run_unset(command, *words[form]))
    assert [line.split()[0] for line in stdout.splitlines()] == OPERATIONS


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("call", "no.wsdl", "Ping"), "File 'no.wsdl' does not exist"),
        (("describe", "no/where"), "File 'no/where' does not exist"),
        (("call", "ftp://x.invalid/a", "Ping"), "File 'ftp://x.invalid/a' does not exist"),
        (("call", "http://[x", "Ping"), "'http://[x' is not a valid address"),
        (("mock", "no.wsdl"), "File 'no.wsdl' does not exist"),
        (("mock", str(WSDL), "--file", str(WSDL)), "give the WSDL once"),
        (("mock", str(WSDL), "--package", "x"), "give exactly one of: a WSDL, --file, --package"),
        (("console", "no.wsdl"), "File 'no.wsdl' does not exist"),
        (("console", str(WSDL), "--file", str(WSDL)), "give the WSDL once"),
        (("console", str(WSDL), "--package", "x"), "give a WSDL or --package, not both"),
    ],
)
def test_missing_wsdl_is_reported(run_unset: Run, words: tuple[str, ...], message: str) -> None:
    assert message in error_of(run_unset(*words), 2)


@pytest.mark.parametrize("of", ["file", "address"])
@pytest.mark.parametrize("named", [True, False])
def test_bindgen_init_takes_a_wsdl(weather: Mock, tmp_path: Path, of: str, named: bool) -> None:
    wsdl = str(WSDL) if of == "file" else weather.wsdl
    done = CliRunner().invoke(bindgen, ["init", *["clouds"] * named, wsdl, "--out", str(tmp_path)])
    assert done.exit_code == 0, done.output
    (package,) = (path for path in tmp_path.iterdir() if path.is_dir())
    assert (package / "service.py").is_file()
    if named:
        assert package.name == "clouds"
    elif of == "file":
        assert package.name == "weather"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["clouds"], "give the WSDL: as an argument, with --file or with --url"),
        (["http://[x"], "'http://[x' is not a valid address"),
        (["clouds", "no.wsdl"], "File 'no.wsdl' does not exist"),
        (["clouds", str(WSDL), "--file", str(WSDL)], "give the WSDL only once"),
        (["clouds", str(WSDL), "--url", "https://x.invalid/a"], "give the WSDL only once"),
        (["clouds", "https://x.invalid/a", "--offline"], "--offline needs --file"),
    ],
)
def test_bindgen_init_names_missing_arguments(arguments: list[str], message: str) -> None:
    assert message in error_of(CliRunner().invoke(bindgen, ["init", *arguments]), 2)


# ---- suggestions


@pytest.mark.parametrize("command", ["call", "describe", "table"])
@pytest.mark.parametrize(
    ("word", "name", "service"),
    [
        ("GetSales", "GetSales", "publisher"),
        ("get_jobs", "get_jobs", "data"),
        ("getsales", "GetSales", "publisher"),
    ],
)
def test_an_operation_names_its_service(
    run_unset: Run, command: str, word: str, name: str, service: str
) -> None:
    stderr = error_of(run_unset(command, word, *["x", "-o", "y.csv"] * (command == "table")), 2)
    assert f"{name} is an operation of {service}: cli {command} {service} {name}" in stderr


def test_operations_command_suggests_commands_for_an_operation(run_unset: Run) -> None:
    stderr = error_of(run_unset("operations", "GetSales"), 2)
    (command,) = re.findall(r"GetSales is an operation of publisher: soapclient (.*)", stderr)
    assert run_unset(*command.split()).exit_code == 0


@pytest.mark.parametrize("command", ["call", "describe", "mock", "console"])
def test_a_package_as_an_argument_suggests_its_option(
    run_unset: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    init.write(tmp_path / "clouds", init.make("clouds", WSDL, offline=True).files)
    monkeypatch.chdir(tmp_path)
    stderr = error_of(run_unset(command, "clouds"), 2)
    assert stderr.rstrip().endswith("; to use the package, give --package clouds")
    assert "--package" not in run_unset("operations", "clouds").stderr  # not an option of this command


@pytest.mark.parametrize(
    "line",
    [
        *("call publishr x", "describe publishr", "operations publishr", "doctor publishr"),
        *("table publishr x -o x.csv", "decode publishr x -", "sign soap publishr x"),
        "contract check publishr",
    ],
)
def test_a_misspelt_service_is_suggested(run_unset: Run, line: str) -> None:
    stderr = error_of(run_unset(*line.split()), 3 if line.startswith("contract") else 2)
    assert re.search(r"'publishr' is not one of 'publisher', .*; did you mean publisher\?", stderr)


@pytest.mark.parametrize(
    ("words", "suggested"),
    [
        (("decode", "GetSales", "-", "-"), "decode publisher GetSales"),
        (("sign", "soap", "GetSales", "x"), "sign soap publisher GetSales"),
        (("doctor", "GetSales"), "soapclient describe publisher GetSales"),
        (("contract", "check", "GetSales"), "soapclient describe publisher GetSales"),
        (("GetSales",), "soapclient call publisher GetSales"),
    ],
)
def test_other_commands_name_the_service_of_an_operation(
    run_unset: Run, words: tuple[str, ...], suggested: str
) -> None:
    stderr = error_of(run_unset(*words), 3 if words[0] == "contract" else 2)
    assert stderr.rstrip().endswith(suggested)
    assert "GetSales is an operation of publisher: " in stderr


@pytest.mark.parametrize(
    ("options", "field"),
    [
        (("--date", "2026-11-01"), "date=2026-11-01"),
        (("--date=2026-11-01",), "date=2026-11-01"),
        (("--date-type", "trackingDate"), "date_type=trackingDate"),
        (("--program", "a b"), "'program=a b'"),
        (("--date", "--trace"), "date=VALUE"),
        (("--date",), "date=VALUE"),
    ],
)
@pytest.mark.parametrize("command", ["call", "table"])
def test_a_field_given_as_an_option_is_suggested(
    run_unset: Run, command: str, options: tuple[str, ...], field: str
) -> None:
    stderr = error_of(run_unset(command, "publisher", "GetSales", *options), 2)
    option = options[0].partition("=")[0]
    assert stderr.splitlines()[-1] == f"Error: No such option '{option}': write {field}"


def test_a_misspelt_option_is_suggested(run_unset: Run) -> None:
    stderr = error_of(run_unset("call", "publisher", "GetSales", "--adress", "https://x.invalid"), 2)
    assert "Did you mean '--address'?" in stderr
    assert "write" not in stderr


def test_a_near_value_of_an_enumeration_is_suggested(run_unset: Run) -> None:
    fields = ("date=2026-11-01", "dateType=trackDate")
    stderr = error_of(run_unset("call", "publisher", "GetSales", *fields), 4)
    assert stderr.endswith("got 'trackDate'. Nothing was sent. Did you mean trackingDate?\n")
    done = run_unset("call", "publisher", "GetSales", fields[0], "dateType=xyz")
    assert done.stderr.endswith("got 'xyz'. Nothing was sent.\n")


def test_known_export_type_still_needs_its_options(run_unset: Run) -> None:
    for words in (("click",), ("clicks", "--job", "5")):
        assert "Missing option '-o' / '--output'" in error_of(run_unset("export", *words), 2)


# ---- help, one setting, the operations of one service


@pytest.mark.parametrize("command", ["", *COMMANDS, "export resume", "contract check"])
def test_help_command_equals_the_help_option(run_unset: Run, command: str) -> None:
    stdout = output_of(run_unset("help", *command.split()))
    assert stdout == run_unset(*command.split(), "--help").stdout
    assert stdout.startswith(f"Usage: cli {command}")


@pytest.mark.parametrize("name", ["timeout", "SOAPCLIENT_TIMEOUT", "Timeout"])
def test_one_setting_is_printed(run_unset: Run, name: str) -> None:
    stdout = output_of(run_unset("config", name, env={"SOAPCLIENT_TIMEOUT": "7"}))
    assert stdout.startswith("timeout = 7.0\n    from ")
    assert stdout.count("SOAPCLIENT_TIMEOUT") == 2
    assert "user_agent" not in stdout


def test_two_settings_are_printed_as_json(run_unset: Run) -> None:
    done = run_unset("config", "user-agent", "timeout", "--json")
    assert list(json.loads(done.stdout)) == ["user_agent", "timeout"]
    assert list(json.loads(run_unset("config", "--json").stdout)) == [
        each.name for each in Settings.settings()
    ]


def test_operations_of_one_service_are_listed(run_unset: Run) -> None:
    header, *rows = run_unset("operations", "data").stdout.splitlines()
    assert header.split() == ["SERVICE", "OPERATION", "AUTH", "SOAP", "REST"]
    assert [row.split()[:2] for row in rows] == [
        ["data", each] for each in ("CreateReportJob", "GetJob", "GetJobs")
    ]
    for column in ("OPERATION", "AUTH", "SOAP", "REST"):
        at = header.index(column)
        assert all(row[at] != " " and row[at - 1] == " " for row in rows)
    listed = json.loads(run_unset("operations", "data", "--json").stdout)
    assert {each["service"] for each in listed} == {"data"}
    everything = json.loads(run_unset("operations", "--json").stdout)
    assert {each["service"] for each in everything} == {"publisher", "data", "advertiser"}


@pytest.mark.exhaustive
@pytest.mark.parametrize("width", [40, 200])
def test_operations_fit_the_terminal(clean_environment: Environment, width: int) -> None:
    environment = {key: value for key, value in clean_environment.items() if key != "COLUMNS"}
    text = shown_on_terminal([*COMMAND, "operations", "publisher"], environment, width, only_stdout=True)
    lines = re.sub(r"\x1b\[[0-9;]*m", "", text).splitlines()
    assert lines[0].startswith("SERVICE    OPERATION")
    assert len(lines) > 40
    assert max(map(len, lines)) == width if width == 40 else "…" not in text
