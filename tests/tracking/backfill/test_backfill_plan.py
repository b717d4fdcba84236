"""Plans read from a file, and errors that name the key and the file."""

from __future__ import annotations

import datetime as dt
from pathlib import Path

import pytest

from soapclient.errors import ConfigError
from soapclient.tracking.backfill import BackfillAccount, BackfillReport, Plan

GOOD = {
    "output": '"out"',
    "work": '"work"',
    "from": "2026-11-01",
    "to": "2026-11-30",
    "accounts": '[{name = "main"}]',
    "reports": '[{type = "click"}]',
}


def load(folder: Path, **changed: str | None) -> Plan:
    file = folder / "plan.toml"
    lines = [f"{key} = {text}\n" for key, text in {**GOOD, **changed}.items() if text is not None]
    file.write_text("".join(lines), encoding="utf-8")
    return Plan.load(file)


def test_plan_is_read_with_defaults(tmp_path: Path) -> None:
    plan = load(tmp_path)
    assert plan == Plan(
        accounts=(BackfillAccount(name="main"),),
        reports=(BackfillReport(type="click"),),
        first=dt.date(2026, 11, 1),
        last=dt.date(2026, 11, 30),
        output=str(tmp_path / "out"),
        work=tmp_path / "work",
    )
    assert (plan.days, plan.format, plan.deadline, plan.on_drift) == (1, "parquet", 1800.0, None)
    assert plan.accounts[0].secret_key_env == "SOAPCLIENT_SECRET_KEY"
    assert plan.reports[0].name == "click"


def test_all_keys_are_read(tmp_path: Path) -> None:
    plan = load(
        tmp_path,
        **{"from": '"2026-10-01"'},
        output='"s3://bucket/exports"',
        days="7",
        format='"csv.gz"',
        deadline="90.5",
        on_drift='"error"',
        accounts='[{name = "a.b-1", connect_id_env = "A_ID", secret_key_env = "A_KEY"}]',
        reports='[{type = "sale", name = "open", options = {review_state = "open", program_id = 5}, '
        'types = {points = "xsd:decimal"}}]',
    )
    assert plan.output == "s3://bucket/exports"
    assert plan.on_drift == "error"
    assert (plan.first, plan.days, plan.format, plan.deadline) == (dt.date(2026, 10, 1), 7, "csv.gz", 90.5)
    assert plan.accounts == (BackfillAccount(name="a.b-1", connect_id_env="A_ID", secret_key_env="A_KEY"),)
    assert dict(plan.reports[0].options) == {"review_state": "open", "program_id": 5}
    assert dict(plan.reports[0].types) == {"points": "xsd:decimal"}


def sale(more: str) -> dict[str, str]:
    return {"reports": f'[{{type = "sale", {more}}}]'}


@pytest.mark.parametrize(
    ("changed", "key", "said"),
    [
        ({"output": None}, "output", "is missing"),
        ({"output": '""'}, "output", "expected: text"),
        ({"output": '"sftp://me:hush@host/x"'}, "output", "contains a password"),
        ({"work": "5"}, "work", "is 5"),
        ({"from": None}, "from", "is missing"),
        ({"from": '"1.11.2026"'}, "from", "2026-11-01"),
        ({"from": "2026-11-01T00:00:00"}, "from", "2026-11-01"),
        ({"from": "2026-12-01"}, "from", "is after the last day, 'to' (2026-11-30)"),
        ({"days": "0"}, "days", "from 1 to 366"),
        ({"days": "true"}, "days", "a whole number"),
        ({"format": '"orc"'}, "format", "parquet or csv.gz"),
        ({"on_drift": '"ignore"'}, "on_drift", "tolerate or warn or error"),
        ({"on_drift": "true"}, "on_drift", "expected: text"),
        ({"deadline": "0"}, "deadline", "greater than 0"),
        ({"deadline": "inf"}, "deadline", "finite"),
        ({"ouput": '"x"'}, "ouput", "did you mean output? Expected: "),
        ({"accounts": None}, "accounts", "[[accounts]]"),
        ({"accounts": "[]"}, "accounts", "at least one"),
        ({"accounts": "[{}]"}, "accounts[0].name", "is missing"),
        ({"accounts": '[{name = "a/b"}]'}, "accounts[0].name", "a label"),
        ({"accounts": '[{name = ".."}]'}, "accounts[0].name", "a label"),
        ({"accounts": '[{name = "a"}, {name = "A"}]'}, "accounts[1].name", "unique names"),
        ({"accounts": '[{name = "a", secret = "x"}]'}, "accounts[0].secret", "is not a key"),
        (
            {"reports": '[{type = "click"}, {type = "click"}]'},
            "reports[1].name",
            "is click, which occurs twice",
        ),
        ({"reports": '[{name = "x"}]'}, "reports[0].type", "is missing"),
        ({"reports": '[{type = "view"}]'}, "reports[0].type", "removed in 2011-05-01"),
        (
            {"reports": '[{type = "click", options = {curency = "EUR"}}]'},
            "reports[0].options.curency",
            "did you mean currency?",
        ),
        (sale('options = {review_state = "approvd"}'), "reports[0].options.review_state", "'approved'"),
        (sale('options = {program_id = "x"}'), "reports[0].options.program_id", "a whole number"),
        (sale("options = {program_id = true}"), "reports[0].options.program_id", "a whole number"),
        (sale("options = 5"), "reports[0].options", "a table"),
        (sale("types = 5"), "reports[0].types", "a table of texts"),
        (sale("types = {amount = 5}"), "reports[0].types.amount", "text"),
        (
            sale('types = {amount = "decimel"}'),
            "reports[0].types.amount",
            "is 'decimel'; expected: an XSD type, such as xsd:decimal",
        ),
    ],
)
def test_invalid_plans_are_refused(
    tmp_path: Path, changed: dict[str, str | None], key: str, said: str
) -> None:
    with pytest.raises(ConfigError) as caught:
        load(tmp_path, **changed)
    assert caught.value.setting == key
    assert said in str(caught.value)
    assert "hush" not in str(caught.value)
    assert str(tmp_path / "plan.toml") in str(caught.value)


@pytest.mark.parametrize("key", ["connect_id_env", "secret_key_env"])
@pytest.mark.parametrize("value", ['"fa4c0c2020Aa4c+ab9"', "[5, 4711]"])
def test_secret_instead_of_its_variable_is_refused_and_not_shown(
    tmp_path: Path, key: str, value: str
) -> None:
    with pytest.raises(ConfigError, match=r"environment variable|expected: text") as caught:
        load(tmp_path, accounts=f'[{{name = "a", {key} = {value}}}]')
    assert caught.value.setting == f"accounts[0].{key}"
    assert "fa4c" not in str(caught.value)
    assert "4711" not in str(caught.value)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"= 5", "is not TOML"),
        (b"a = " + b"[" * 5000, "is not TOML: nested too deeply"),
        (b"days = " + b"9" * 4301, "is not TOML: Exceeds the limit"),
        (b"\xff", "is not UTF-8"),
        (None, "cannot be read"),
    ],
)
def test_file_that_is_not_a_plan_is_refused(tmp_path: Path, content: bytes | None, said: str) -> None:
    file = tmp_path / "plan.toml"
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(ConfigError, match=said):
        Plan.load(file)


def test_plan_built_in_python_needs_an_output() -> None:
    accounts, reports = (BackfillAccount(name="main"),), (BackfillReport(type="click"),)
    day, said = dt.date(2026, 11, 1), "^output: the plan: it is empty; expected: a folder, or an fsspec URL"
    with pytest.raises(ConfigError, match=said) as caught:
        Plan(accounts=accounts, reports=reports, first=day, last=day, output="", work=Path("work"))
    assert caught.value.setting == "output"


def test_plan_needs_a_valid_path() -> None:
    with pytest.raises(ConfigError, match="is not a path"):
        Plan.load("pl\0an.toml")


@pytest.mark.parametrize(
    ("output", "work"),
    [
        ("memory://[half/an/address", "work"),  # not a URL, and so without a password
        ("~nobody-of-this-name/out", "~nobody-of-this-name/work"),  # no such home: unchanged
    ],
)
def test_unusual_valid_plans_are_accepted(tmp_path: Path, output: str, work: str) -> None:
    plan = load(tmp_path, output=f'"{output}"', work=f'"{work}"')
    assert plan.output == (output if "://" in output else str(tmp_path / output))
    assert plan.work == tmp_path / work
