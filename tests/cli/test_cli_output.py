"""`soapclient call --query` and `-o`, and colors. The expected texts are written by hand."""

from __future__ import annotations

import csv
import io
import json
import os
import pty
import re
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner

from bindgen import init
from soapclient.cli.application import cli
from soapclient.cli.rows import Rows, fitted
from soapclient.testing import mock
from tests.cli.conftest import COMMAND, Environment, Run, error_of, output_of

SALES = ("call", "publisher", "GetSales", "date=2026-11-01", "dateType=trackingDate", "items=3")
WSDL = Path(__file__).parents[1] / "connection/weather.wsdl"
ANSI = re.compile(r"\x1b\[[0-9;]*m")
BOLD = "\x1b[1m"


# ---- rows


@pytest.mark.parametrize(
    ("items", "expected"),
    [
        ([{"id": 1, "a": {"x": True, "y": None}}, {"id": 2}], "id,a.x,a.y\r\n1,true,\r\n2,,\r\n"),
        # a column that occurs late is next to its neighbor; the parent of other columns has no column
        ([{"a": None, "z": 1}, {"a": {"b": "x"}, "n": 5, "z": 2}], "a.b,n,z\r\n,,1\r\nx,5,2\r\n"),
        # a value and an object in one place, and a name with a dot, which stay apart
        ([{"a": 1}, {"a": {"b": 2}}, {"a.b": 3}], "a.b,a.b,a\r\n,,1\r\n,2,\r\n3,,\r\n"),
        ([["x", 1.5], ["y"]], "1,2\r\nx,1.5\r\ny,\r\n"),
        (["=1,5", 'say "hi"', "two\nlines", " "], 'value\r\n"=1,5"\r\n"say ""hi"""\r\n"two\nlines"\r\n \r\n'),
        (
            [{"tags": ["a", {"b": 1}], "none": [], "sub": {}}],
            'tags,none,sub\r\n"[""a"",{""b"":1}]",[],{}\r\n',
        ),
        (
            [{"big": 123456789012345678901234567890, "amount": "1.10"}],
            "big,amount\r\n" + "1234567890" * 3 + ",1.10\r\n",
        ),
    ],
)
def test_csv_has_a_row_per_item_and_a_column_per_field(items: list[object], expected: str) -> None:
    assert Rows.of(items).csv() == expected
    assert "\r" not in "".join(Rows.of(items).lines())


def test_tables_are_aligned_and_show_no_control_characters() -> None:
    items = [
        {"city": "Köln", "amount": "9.50", "note": "a\x1b[31m\nb\u202e"},
        {"city": "東京", "amount": "-10", "note": None},
        {"city": "A\u0301rhus", "amount": None, "note": "x"},
    ]
    assert Rows.of(items).lines() == [
        "city   amount  note",
        "Köln     9.50  a\\x1b[31m\\nb\\u202e",
        "東京      -10",
        "A\u0301rhus          x",
    ]
    cut = {8: "東京 123", 7: "東京 1…", 4: "東…", 3: "東…", 2: "…"}
    assert {width: fitted("東京 123", width) for width in cut} == cut


# ---- --query and -o


def test_json_is_the_default_and_a_query_of_everything_prints_the_same(run: Run) -> None:
    plain = output_of(run(*SALES))
    assert plain.startswith('{\n  "page": 0,\n  "items": 3,\n')
    for options in (("-o", "json"), ("--json",), ("--query", "@"), ("--json", "--output-format", "json")):
        assert output_of(run(*SALES, *options)) == plain


def test_rows_are_those_of_the_selected_list(run: Run) -> None:
    sales = json.loads(output_of(run(*SALES)))["saleItems"]
    query = "saleItems[].{id: id, program: program.value, note: reviewNote}"
    assert json.loads(output_of(run(*SALES, "--query", "saleItems[].id"))) == [sale["id"] for sale in sales]
    expected = [[sale["id"], sale["program"]["value"], sale.get("reviewNote", "")] for sale in sales]
    written = run(*SALES, "--query", query, "-o", "csv")
    assert list(csv.reader(io.StringIO(output_of(written)))) == [["id", "program", "note"], *expected]
    header, *lines = output_of(run(*SALES, "--query", query, "-o", "table")).splitlines()
    assert re.split(" {2,}", header) == ["id", "program", "note"]
    assert [re.split(" {2,}", line) for line in lines] == [row[: 2 + bool(row[2])] for row in expected]


def test_rows_without_a_query_are_the_list_of_the_response_or_the_response(run: Run) -> None:
    sales = json.loads(output_of(run(*SALES)))["saleItems"]
    rows = list(csv.DictReader(io.StringIO(output_of(run(*SALES, "-o", "csv")))))
    assert [row["adspace.id"] for row in rows] == [str(sale["adspace"]["id"]) for sale in sales]
    assert {"page", "total"}.isdisjoint(rows[0])
    profile = json.loads(output_of(run("call", "publisher", "GetProfile")))["profileItem"]
    (row,) = csv.DictReader(io.StringIO(output_of(run("call", "publisher", "GetProfile", "-o", "csv"))))
    assert row["profileItem.email"] == profile["email"]


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (("--query", "saleItems[?id=='none']"), "[]\n"),
        (("--query", "nothing"), "null\n"),
        (("--query", "nothing", "-o", "csv"), ""),
        (("--query", "saleItems[?id=='none']", "-o", "table"), ""),
    ],
)
def test_an_empty_result_is_reported(run: Run, options: tuple[str, ...], expected: str) -> None:
    result = run(*SALES, *options)
    assert (output_of(result), result.stderr) == (expected, "soapclient: nothing found\n")


@pytest.mark.parametrize(
    ("expression", "problem", "index"),
    [
        ("saleItems[", "the expression is incomplete", 10),
        ("saleItems[?id=='a'", "the expression is incomplete", 18),
        ("saleItems]", "unexpected ']'", 9),
        ("a.b c", "unexpected 'c'", 4),
        ("a | #", "unknown token #", 4),
        ("'a", "unclosed ' delimiter", 0),
        ("a[?leng(x)]", "unknown function leng(); did you mean length?", 3),
        ("a[?length(x) > `1`].sum(a, b)", "sum() takes 1 argument, got 2", 20),
        ("a[1:2].join(not_null())", "join() takes 2 arguments, got 1", 7),
        ("not_null(a) || not_null()", "not_null() takes at least 1 argument, got 0", 15),
    ],
)
def test_an_invalid_expression_is_a_usage_error_with_its_position(
    run_unset: Run, expression: str, problem: str, index: int
) -> None:
    result = run_unset(*SALES, "--query", expression)  # with a valid one, the missing settings are the error
    message = f"Error: Invalid value for '--query': {problem}"
    assert (result.exit_code, result.stdout) == (2, "")
    first, shown, pointer = result.stderr.splitlines()[-3:]
    assert first == f"{message} at character {index + 1}:"
    assert (shown, pointer) == (f"  {expression}", f"  {' ' * index}^")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--query", ""), "the expression is empty: write one such as items[].id"),
        (("--query", "(" * 5000), "the expression is nested too deeply"),
        (("-o", "sales.csv"), "'table', 'csv'. Write the response to a file with > FILE."),
        (("-o", "yaml"), "'yaml' is not one of 'json', 'table', 'csv'."),
        (("--json", "-o", "table"), "give --json or -o table, not both"),
    ],
)
def test_invalid_options_are_usage_errors(run_unset: Run, options: tuple[str, ...], message: str) -> None:
    assert error_of(run_unset(*SALES, *options), 2).endswith(f"{message}\n")


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        ("length(page)", "length() needs string or array or object, got number"),
        ("saleItems[::0]", "slice step cannot be zero"),
        ("&page", "Encoding objects of type _Expression is unsupported"),
    ],
)
def test_a_query_that_fails_loses_no_response(run: Run, expression: str, message: str) -> None:
    result = run(*SALES, "--query", expression, "-o", "csv")
    assert (result.exit_code, result.stdout) == (1, output_of(run(*SALES)))
    ending = "The complete response was printed instead."
    assert result.stderr == f"soapclient: --query: {message}. {ending}\n"


# ---- colors


@pytest.mark.parametrize(
    ("words", "colored"),
    [
        (SALES, '\x1b[34m\x1b[1m"page"\x1b[0m: \x1b[36m0\x1b[0m,'),
        ((*SALES, "-o", "table", "--query", "saleItems[].{id: id}"), f"{BOLD}id\x1b[0m\n"),
        ((*SALES, "-o", "csv"), ""),
        (("operations", "data"), f"{BOLD}SERVICE "),
        (("describe", "data", "GetJob"), f"{BOLD}data GetJob\x1b[0m: "),
        (("config", "timeout"), f"{BOLD}timeout = "),
    ],
)
def test_colors_change_nothing_else_and_appear_only_if_wanted(
    unset: None, settings: Environment, words: tuple[str, ...], colored: str
) -> None:
    def output(**environment: str) -> str:
        return output_of(CliRunner().invoke(cli, words, env={**settings, "TERM": "xterm", **environment}))

    plain = output(NO_COLOR="")
    forced = output(FORCE_COLOR="1", NO_COLOR="", TERM="dumb")
    assert "\x1b" not in plain
    assert colored in forced
    assert ANSI.sub("", forced) == plain
    assert output(FORCE_COLOR="1", NO_COLOR="1") == plain


@pytest.mark.exhaustive
@pytest.mark.parametrize("color", [True, False])
def test_a_terminal_shows_colors_cut_tables_and_no_control_characters(
    clean_environment: Environment, color: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    init.write(tmp_path / "colored_weather", init.make("colored_weather", WSDL, offline=True).files)
    monkeypatch.syspath_prepend(tmp_path)

    def shown(*options: str) -> tuple[str, bytes]:
        ours, theirs = pty.openpty()
        environment = {**clean_environment, "TERM": "xterm", "COLUMNS": "20", "NO_COLOR": "1" * (not color)}
        done = subprocess.run(
            (*COMMAND, "call", *at, "GetWeather", "city=Rome", *options),
            cwd=tmp_path,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=theirs,
            stderr=subprocess.PIPE,
            timeout=120,
            check=True,
        )
        os.close(theirs)
        text = os.read(ours, 65536).decode().replace("\r\n", "\n")
        os.close(ours)
        return text, done.stderr

    with mock("colored_weather") as service:
        at = ("--package", "colored_weather", "--address", service.address())
        stations = ["a\x9b31mb", "s" * 30]
        service.on("GetWeather", city="Rome").reply(degrees="21.50", sky="clear", station=stations)
        text, _ = shown()
        assert ('"a\\u009b31mb"' in text, "\x9b" in text, "\x1b[34m" in text) == (True, False, color)
        assert json.loads(ANSI.sub("", text))["station"] == stations
        assert "\\x9b31m" in shown("-o", "csv")[0]
        text, messages = shown("-o", "table", "--query", "{sky: sky, stations: join('', station)}")
        assert ANSI.sub("", text).splitlines() == ["sky    stations", "clear  a\\x9b31mbsss…"]
        assert (BOLD in text) is color
        assert b"wider than the terminal" in messages
