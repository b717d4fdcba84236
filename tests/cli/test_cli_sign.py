"""`soapclient sign`: the known answers of docs/explanation/service.md#signing."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
from pathlib import Path

import pytest

from tests.cli.conftest import Run, RunProcess, error_of

SECRET = "fa4c0c2020Aa4c+ab9Ea0ec8d39E06/df2c5aa44"
ACCOUNT = {"SOAPCLIENT_CONNECT_ID": "802B8BF4AE99EBE00F41", "SOAPCLIENT_SECRET_KEY": SECRET}
REST = ("--timestamp", "Thu, 15 Aug 2013 15:56:07 GMT", "--nonce", "17811FEFBA7448CE848327F835729AA2")
NONCE = "b382e074-2fc4-41c9-8d5c-f679805f609c"
SOAP = ("--timestamp", "2013-08-20T14:44:21", "--nonce", NONCE)
SALES = "/reports/sales/date/2013-07-20"


@pytest.mark.parametrize(
    ("arguments", "text", "signature"),
    [
        (
            ("rest", "GET", SALES, *REST),
            f"GET{SALES}Thu, 15 Aug 2013 15:56:07 GMT17811FEFBA7448CE848327F835729AA2",
            "N4RPYDY1aUjciVm32pCJ82FVvuk=",
        ),
        (
            ("rest", "GET", "/report/program/1803", *REST),
            "GET/report/program/1803Thu, 15 Aug 2013 15:56:07 GMT17811FEFBA7448CE848327F835729AA2",
            "SwtIU7Ubwq5zvO/MjDLlDjtynhw=",
        ),
        (
            ("soap", "publisher", "GetSales", *SOAP),
            f"publisherservicegetsales2013-08-20T14:44:21{NONCE}",
            "aK6w2dT5X1y9E51FTv0rIU7INZc=",
        ),
        (
            ("soap", "publisher", "GetSales", "--timestamp", "2013-08-20t14:44:21", "--nonce", NONCE),
            f"publisherservicegetsales2013-08-20t14:44:21{NONCE}",
            "3lIiQyUowr8Dlu1Xu+3vuianSzM=",
        ),
        (
            ("soap", "data", "CreateReportJob", *SOAP),
            f"dataservicecreatereportjob2013-08-20T14:44:21{NONCE}",
            "o47MRROYTiIHGVWZaaLJLfXQee4=",
        ),
    ],
)
def test_known_signatures_are_printed(
    run_unset: Run, arguments: tuple[str, ...], text: str, signature: str
) -> None:
    result = run_unset("sign", *arguments, "--json", env=ACCOUNT)
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout) == {"string_to_sign": text, "signature": signature}
    # The row with the lower-case t is an example that verifiers refuse.
    assert result.stderr.count("timestamp") == text.count("20t14")
    readable = run_unset("sign", *arguments, env=ACCOUNT).stdout.splitlines()
    assert readable == [f"string to sign  {text}", f"signature       {signature}"]


@pytest.mark.parametrize(
    ("uri", "signed"),
    [
        (f"/xml/2011-03-01{SALES}", SALES),
        (f"/json/2011-05-01{SALES}", SALES),
        (f"/2011-03-01{SALES}", SALES),
        (f"{SALES}?items=5&page=0", SALES),
        (f"/xml/2011-03-01{SALES}?connectid=x", SALES),
        *[(f"/reports/sales/date/{day}",) * 2 for day in ("2011-03-01", "2011-05-01")],  # no versions
    ],
)
def test_signed_part_of_a_full_path_is_used(run_unset: Run, uri: str, signed: str) -> None:
    result = run_unset("sign", "rest", "get", uri, *REST, "--json", env=ACCOUNT)
    assert json.loads(result.stdout)["string_to_sign"].startswith(f"GET{signed}Thu, ")


@pytest.mark.parametrize("arguments", [("rest", "GET", "/profiles"), ("soap", "data", "GetJobs")])
def test_fresh_timestamp_and_nonce_are_printed(run_unset: Run, arguments: tuple[str, ...]) -> None:
    results = [run_unset("sign", *arguments, "--json", env=ACCOUNT) for _ in range(2)]
    first, second = (json.loads(result.stdout) for result in results)
    assert set(first) == {"string_to_sign", "signature", "timestamp", "nonce"}
    assert first["nonce"] != second["nonce"]
    assert len(first["nonce"]) >= 20
    assert first["string_to_sign"].endswith(first["timestamp"] + first["nonce"])
    digest = hmac.new(SECRET.encode(), first["string_to_sign"].encode(), hashlib.sha1).digest()
    assert first["signature"] == base64.b64encode(digest).decode()


def test_the_secret_is_never_printed(run_unset: Run) -> None:
    for arguments in (
        ("sign", "rest", "GET", SALES),
        ("sign", "soap", "data", "GetJobs", "--json"),
        ("config",),
        ("--debug", "sign", "soap", "data", "GetJobz"),
    ):
        assert SECRET not in run_unset(*arguments, env=ACCOUNT).output


def test_configured_service_name_is_used(run_unset: Run, tmp_path: Path) -> None:
    file = tmp_path / "settings.toml"
    file.write_text(f'secret_key = "{SECRET}"\n[signing_names]\ndata = "DataFeed"\n')
    result = run_unset("--config", str(file), "sign", "soap", "data", "GetJob", *SOAP, "--json")
    assert json.loads(result.stdout)["string_to_sign"] == f"datafeedgetjob2013-08-20T14:44:21{NONCE}"


def test_unsignable_input_is_refused(run_unset: Run) -> None:
    assert "SOAPCLIENT_SECRET_KEY" in error_of(run_unset("sign", "rest", "GET", SALES), 3)
    assert run_unset("sign", "rest", "GET", "profiles", env=ACCOUNT).exit_code == 4
    assert run_unset("sign", "rest", "PATCH", SALES, env=ACCOUNT).exit_code == 2
    stderr = error_of(run_unset("sign", "soap", "publisher", "getprofle", env=ACCOUNT), 4)
    assert "did you mean GetProfile?" in stderr


def test_short_nonce_is_signed_with_a_warning(run_unset: Run) -> None:
    result = run_unset("sign", "rest", "GET", SALES, "--nonce", "abc", "--json", env=ACCOUNT)
    assert json.loads(result.stdout)["string_to_sign"].endswith("GMTabc")
    assert "20 or more characters" in result.stderr


SOAP_CALL, REST_CALL = ("soap", "data", "GetJobs"), ("rest", "GET", SALES)


@pytest.mark.parametrize(
    ("arguments", "timestamp", "wanted"),
    [
        (SOAP_CALL, "foo", "2013-08-20T14:44:21"),
        (SOAP_CALL, "Thu, 15 Aug 2013 15:56:07 GMT", "2013-08-20T14:44:21"),
        (SOAP_CALL, "2013-08-20 14:44:21", "2013-08-20T14:44:21"),
        (SOAP_CALL, "2013-08-20T14:44:21+02:00", "2013-08-20T14:44:21"),
        (SOAP_CALL, "2013-02-30T14:44:21", "2013-08-20T14:44:21"),
        (REST_CALL, "foo", "Thu, 15 Aug 2013 15:56:07 GMT"),
        (REST_CALL, "2013-08-20T14:44:21", "Thu, 15 Aug 2013 15:56:07 GMT"),
        (REST_CALL, "Fri, 15 Aug 2013 15:56:07 GMT", "Thu, 15 Aug 2013 15:56:07 GMT"),
        (REST_CALL, "Thu, 15 Aug 2013 15:56:07 +0000", "Thu, 15 Aug 2013 15:56:07 GMT"),
        (REST_CALL, "Thu, 15 Aug 2013 25:56:07 GMT", "Thu, 15 Aug 2013 15:56:07 GMT"),
        (REST_CALL, "", "Thu, 15 Aug 2013 15:56:07 GMT"),
    ],
)
def test_unusual_timestamp_is_signed_with_a_warning(
    run_unset: Run, arguments: tuple[str, ...], timestamp: str, wanted: str
) -> None:
    options = ("--timestamp", timestamp, "--nonce", NONCE, "--json")
    result = run_unset("sign", *arguments, *options, env=ACCOUNT)
    assert json.loads(result.stdout)["string_to_sign"].endswith(timestamp + NONCE)
    assert result.stderr == f"soapclient: the service requires a timestamp such as {wanted}, in GMT\n"


@pytest.mark.parametrize("end", ["", "Z", ".123", ".123Z"])
def test_allowed_timestamp_suffix_causes_no_warning(run_unset: Run, end: str) -> None:
    options = ("--timestamp", f"2013-08-20T14:44:21{end}", "--nonce", NONCE)
    assert run_unset("sign", *SOAP_CALL, *options, env=ACCOUNT).stderr == ""


@pytest.mark.exhaustive
def test_sign_works_as_a_process(run_process: RunProcess) -> None:
    done = run_process("sign", "rest", "GET", SALES, *REST, "--json", env=ACCOUNT)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["signature"] == "N4RPYDY1aUjciVm32pCJ82FVvuk="
