"""Common features of commands: unused variables, a request on stdin, "nothing found"."""

from __future__ import annotations

import csv
import json
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import COMMAND, Environment, Run, error_of, output_of
from tests.support.programs import ran

DAY = ("date=2026-11-01", "dateType=trackingDate")


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    "arguments", [("call", "publisher", "GetProfile", "-"), ("decode", "publisher", "GetProfile", "-")]
)
def test_closed_stdin_is_reported(clean_environment: Environment, arguments: tuple[str, ...]) -> None:
    closing = "import os, sys; os.close(0); os.execv(sys.argv[1], sys.argv[1:])"
    done = ran([sys.executable, "-c", closing, *COMMAND, *arguments], env=clean_environment)
    assert done.returncode == 2
    assert "stdin is closed" in done.stderr


@pytest.mark.parametrize("name", ["@xsi:type", "@xsi:nil"])
def test_empty_type_and_nil_attributes_are_ignored(run: Run, name: str) -> None:
    bare, none = (
        run("call", "publisher", "CreateAdspace", "-", stdin=json.dumps({"adspaceItem": fields}))
        for fields in [dict[str, object](), {name: []}]
    )
    assert (none.exit_code, none.stderr) == (bare.exit_code, bare.stderr) != (0, "")


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("contract", "check", "--json", "--format", "markdown"), 3),
        (("drift", "log", "--json", "--markdown"), 2),
    ],
)
def test_json_and_another_format_are_refused_together(
    run_unset: Run, arguments: tuple[str, ...], code: int
) -> None:
    assert "not both" in error_of(run_unset(*arguments), code)


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("SOAPCLIENT_CONECT_ID", "; did you mean SOAPCLIENT_CONNECT_ID?"),
        ("SOAPCLIENT_PROFLIE", "; did you mean SOAPCLIENT_PROFILE?"),
        ("SOAPCLIENT_XYZZY_QUUX", ""),
    ],
)
def test_unknown_environment_variable_is_reported_once(run_unset: Run, name: str, hint: str) -> None:
    result = run_unset("config", env={name: "secret-value", "SOAPCLIENT_TIMEOUT": "5", "PATH": "/"})
    assert result.exit_code == 0
    assert result.stderr == f"soapclient: the environment variable {name} is not a setting{hint}\n"
    assert "secret-value" not in result.output


def test_unknown_variable_is_reported_before_missing_settings(run_unset: Run) -> None:
    env = {"SOAPCLIENT_PUBLISHER_ULR": "https://x.example"}
    first, second = error_of(run_unset("call", "publisher", "GetProfile", env=env), 3).splitlines()
    assert "did you mean SOAPCLIENT_PUBLISHER_URL?" in first
    assert "the address of the publisher service is not set" in second


def test_variables_named_by_a_plan_or_setting_are_not_unknown(run_unset: Run, tmp_path: Path) -> None:
    """A plan names variables of its accounts. The setting certificate names the variable of a password."""
    plan = tmp_path / "plan.toml"
    plan.write_text(
        f'output = "{tmp_path}/data"\nwork = "{tmp_path}/work"\n'
        'reports = [{ type = "click" }]\nfrom = 2026-11-01\nto = 2026-11-01\n'
        '[[accounts]]\nname = "a"\nconnect_id_env = "SOAPCLIENT_A_ID"\nsecret_key_env = "SOAPCLIENT_A_KEY"\n'
    )
    env = {"SOAPCLIENT_A_ID": "a", "SOAPCLIENT_A_KEY": "b", "SOAPCLIENT_STATE_DIR": str(tmp_path)}
    result = run_unset("backfill", str(plan), env=env)
    assert "is not a setting" not in result.stderr
    assert "SOAPCLIENT_B_KEY" in run_unset("backfill", str(plan), env={**env, "SOAPCLIENT_B_KEY": "b"}).stderr
    for name in ("cert.pem", "key.pem"):
        (tmp_path / name).touch()
    certificate = f"{tmp_path}/cert.pem,{tmp_path}/key.pem,env:SOAPCLIENT_KEY_WORD"
    result = run_unset("config", env={"SOAPCLIENT_CERTIFICATE": certificate, "SOAPCLIENT_KEY_WORD": "x"})
    assert (result.exit_code, result.stderr) == (0, "")


@pytest.mark.exhaustive
def test_a_request_is_read_from_stdin(run: Run, tmp_path: Path) -> None:
    request = json.dumps({"date": "2026-11-01", "dateType": "trackingDate", "items": 2})
    called = output_of(run("call", "publisher", "GetSales", "-", stdin=request))
    assert run("call", "publisher", "GetSales", "-", "--json", stdin=request).stdout == called
    assert run("call", "publisher", "GetSales", *DAY, "items=2").stdout == called
    file = tmp_path / "sales.csv"
    written = run("table", "publisher", "GetSales", "-", "--json", "-o", str(file), stdin=request)
    said = json.loads(output_of(written))
    with file.open(newline="") as lines:
        rows = list(csv.DictReader(lines))
    assert set(said) == {"path", "rows", "size", "sha256"}
    assert (said["path"], said["rows"], said["size"]) == (str(file), len(rows), file.stat().st_size)


def test_empty_list_is_reported_on_stderr(run: Run, tmp_path: Path) -> None:
    asked = ("publisher", "GetSales", *DAY, "programId=999999999")
    called = run("call", *asked)
    assert called.exit_code == 0
    assert json.loads(called.stdout)["total"] == 0
    assert called.stderr == "soapclient: nothing found\n"
    recorded = tmp_path / "sales.json"
    recorded.write_text('{"page": 0, "items": 0, "total": 0, "saleItems": ""}')
    decoded = run("decode", "publisher", "GetSales", str(recorded), "--json")
    assert decoded.exit_code == 0
    assert decoded.stderr == "soapclient: nothing found\n"
    table = run("table", *asked, "-o", str(tmp_path / "sales.csv"))
    assert table.exit_code == 0
    assert table.stderr == "soapclient: nothing found\n"
    assert run("call", "publisher", "GetSales", *DAY).stderr == ""
    nowhere = run("call", "publisher", "GetSale", "saleId=nowhere")
    assert (nowhere.exit_code, nowhere.stdout, nowhere.stderr) == (0, "{}\n", "soapclient: nothing found\n")
