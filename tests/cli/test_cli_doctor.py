"""`soapclient doctor` against a sandbox, with typical problems."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from click.testing import Result

from soapclient._support import speedups
from soapclient.console.targets import Exchange
from soapclient.tracking.commands import doctor
from soapclient.tracking.sandbox import SAMPLE_CONNECT_ID, SAMPLE_SECRET_KEY, Sandbox, Serving, serve
from tests.certificates import needs_openssl, signed_by_a_private_authority
from tests.cli.conftest import Environment, Run


@pytest.fixture(scope="module")
def ahead() -> Iterator[str]:
    """A service whose clock is two hours ahead."""
    with Sandbox(clock=lambda: datetime.now(UTC) + timedelta(hours=2)) as sandbox, serve(sandbox) as serving:
        yield serving.url


def checked(result: Result) -> dict[tuple[str, str], tuple[str, str]]:
    """Return service and check → verdict and text, from the JSON output."""
    found = [json.loads(line) for line in result.stdout.splitlines() if line.startswith("{")]
    return {(each["service"], each["what"]): (each["verdict"], each["text"]) for each in found}


def problem(result: Result, what: str) -> str:
    """Return the text of a check of the publisher service that must have failed."""
    verdict, text = checked(result)["publisher", what]
    assert (verdict, result.exit_code) == ("wrong", 1)
    return text


def test_usable_service_passes_all_checks(run: Run, settings: Environment) -> None:
    result = run("doctor", "publisher", "data", "--json")
    found = checked(result)
    assert result.exit_code == 0, result.output
    assert {key: verdict for key, (verdict, _) in found.items() if verdict != "ok"} == {
        ("data", "public call"): "skipped"
    }
    assert found["soapclient", "reader"] == ("ok", speedups.reader_name())
    assert found["publisher", "address"][1] == settings["SOAPCLIENT_PUBLISHER_URL"]
    plain = run("doctor", "publisher").output.splitlines()
    checks = ("address", "connection", "clock", "public", "signed")
    assert [line.split()[:2] for line in plain] == [
        ["soapclient", "reader"],
        *(["publisher", check] for check in checks),
    ]


def test_a_wrong_key_is_named_and_not_shown(run_unset: Run, settings: Environment) -> None:
    wrong = {**settings, "SOAPCLIENT_SECRET_KEY": "a-wrong-key-of-somebody"}
    result = run_unset("doctor", "publisher", "--json", env=wrong)
    assert "The secret key belongs to another account" in problem(result, "signed call")
    assert "a-wrong-key-of-somebody" not in result.output


def test_missing_key_and_address_are_reported(run_unset: Run, settings: Environment) -> None:
    lacking = {key: text for key, text in settings.items() if "SECRET" not in key and "DATA_URL" not in key}
    result = run_unset("doctor", "publisher", "data", "--json", env=lacking)
    found = checked(result)
    assert found["publisher", "signed call"][0] == "skipped"
    assert "SOAPCLIENT_SECRET_KEY" in found["publisher", "signed call"][1]
    assert found["data", "address"][0] == "wrong"
    assert "SOAPCLIENT_DATA_URL" in found["data", "address"][1]
    assert result.exit_code == 1


def test_unreachable_service_is_reported(run_unset: Run, settings: Environment) -> None:
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    away = {"SOAPCLIENT_PUBLISHER_URL": f"http://127.0.0.1:{port}", "SOAPCLIENT_MAX_ATTEMPTS": "1"}
    result = run_unset("doctor", "publisher", "--json", env={**settings, **away})
    assert "refused" in problem(result, "public call")
    assert ("publisher", "signed call") not in checked(result)


def test_wrong_clock_is_reported_although_calls_succeed(
    run_unset: Run, settings: Environment, ahead: str
) -> None:
    result = run_unset("doctor", "publisher", "--json", env={**settings, "SOAPCLIENT_PUBLISHER_URL": ahead})
    assert "behind the service's" in problem(result, "clock")
    assert checked(result)["publisher", "signed call"][0] == "ok"  # the client corrects its clock


@pytest.mark.exhaustive
@needs_openssl
def test_untrusted_certificate_is_reported(run_unset: Run, settings: Environment, tmp_path: Path) -> None:
    folder = signed_by_a_private_authority(tmp_path)
    both, ca = folder / "both.pem", folder / "ca.pem"
    with Sandbox() as sandbox, serve(sandbox, certificate=both) as serving:
        there = {**settings, "SOAPCLIENT_PUBLISHER_URL": serving.url, "SOAPCLIENT_MAX_ATTEMPTS": "1"}
        refused = run_unset("doctor", "publisher", "--json", env=there)
        trusted = run_unset("doctor", "publisher", "--json", env={**there, "SOAPCLIENT_VERIFY": str(ca)})
    assert "certificate" in problem(refused, "public call")
    assert checked(trusted)["publisher", "connection"][1] == "reached; the certificate is trusted"
    assert trusted.exit_code == 0


def test_advertiser_service_needs_a_partner_code(run_unset: Run, serving: Serving) -> None:
    known = {
        "SOAPCLIENT_CONNECT_ID": SAMPLE_CONNECT_ID,
        "SOAPCLIENT_SECRET_KEY": SAMPLE_SECRET_KEY,
        "SOAPCLIENT_ADVERTISER_URL": serving.url,
    }
    without = checked(run_unset("doctor", "advertiser", "--json", env=known))
    assert without["advertiser", "signed call"] == (
        "skipped",
        "a partner code is required: set SOAPCLIENT_ADVERTISER_PARTNER_CODES",
    )
    code = serving.sandbox.partner_codes(SAMPLE_CONNECT_ID)[0]
    known["SOAPCLIENT_ADVERTISER_PARTNER_CODES"] = code
    found = checked(run_unset("doctor", "advertiser", "--json", env=known))
    assert {verdict for verdict, _ in found.values()} == {"ok"}


def test_service_without_a_date_header_is_a_warning() -> None:
    exchange = Exchange(1, datetime.now(UTC), "publisher", "GetCategories", {})
    check = doctor._clock("publisher", exchange)
    assert (check.what, check.verdict) == ("clock", "warning")
    assert check.text == "the response has no valid Date header"
