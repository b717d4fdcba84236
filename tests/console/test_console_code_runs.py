"""The code texts of a request run as copied: Python, the command, curl and XML, signed and unsigned."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
import requests
from lxml import etree

from soapclient.cli.consoles import in_words
from soapclient.console.forms import Forms
from soapclient.console.presentation import texts
from soapclient.console.targets import Target
from soapclient.testing.examples import Examples
from soapclient.tracking.sandbox import SAMPLE_SECRET_KEY
from tests.console.vendors import Called, SandboxConsole, sandbox_console

CITY = "$(touch x) `id`\\<&"  # at most 20 characters: shells and XML must not change it
needs_curl = pytest.mark.skipif(not shutil.which("curl"), reason="curl is not installed")


@pytest.fixture(scope="module")
def sandbox() -> Iterator[SandboxConsole]:
    with sandbox_console() as shown:
        yield shown


@pytest.fixture
def publisher(sandbox: SandboxConsole) -> Target:
    return sandbox.target("publisher")


def code_of(target: Target, name: str, values: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return the code texts of a request by their titles. Default: the request with example values."""
    forms = Forms(Examples(target.package.codec), target.checks())
    operation = target.operations[name]
    form = forms.form(operation, values or forms.example(operation, complete=False), check=True)
    assert form.is_valid
    return {text.title: text.text for text in texts(target, operation, form, in_words)}


def run(command: str, folder: Path, **variables: str) -> str:
    """Run a text in a shell, and return its output. Errors of the shell are errors of the test."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {"PATH": path, "HOME": str(folder), "NO_PROXY": "*", **variables}
    result = subprocess.run(
        ["/bin/sh", "-euc", command],
        cwd=folder,
        env=environment,
        check=False,  # the assertion shows its errors
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert result.returncode == 0, result.stderr
    return result.stdout


def cities(mocked_weather: Called) -> list[str]:
    """Return the cities in the requests that reached the mock."""
    return [getattr(call.request, "city", "") for call in mocked_weather.mocked.calls("GetWeather")]


def test_python_and_xml_send_the_request(mocked_weather: Called) -> None:
    mocked_weather.mocked.reset()
    code = code_of(mocked_weather.target, "GetWeather", {"v:city": CITY})
    assert set(code) == {"Python", "a command", "XML", "curl"}
    exec(code["Python"], {})
    url, body = mocked_weather.target.endpoint, code["XML"].encode()
    headers = {"Content-Type": "text/xml; charset=utf-8", "SOAPAction": '""'}
    response = requests.post(url, body, headers=headers, timeout=30)
    assert response.status_code == 200, response.text
    assert cities(mocked_weather) == [CITY, CITY]


@pytest.mark.exhaustive
@needs_curl
def test_command_and_curl_send_the_request(mocked_weather: Called, tmp_path: Path) -> None:
    mocked_weather.mocked.reset()
    code = code_of(mocked_weather.target, "GetWeather", {"v:city": CITY})
    assert "degrees" in run(code["a command"], tmp_path, SOAPCLIENT_ALLOW_HTTP="true")
    assert "degrees" in run(code["curl"], tmp_path)
    assert cities(mocked_weather) == [CITY, CITY]
    assert not (tmp_path / "x").exists()


@pytest.mark.exhaustive
@needs_curl
@pytest.mark.parametrize("operation", ["GetProfile", "GetSales", "SearchPrograms"])  # the last one is public
def test_curl_sends_and_signs_each_request(
    publisher: Target, sandbox: SandboxConsole, operation: str, tmp_path: Path
) -> None:
    curl = code_of(publisher, operation)["curl"]
    assert SAMPLE_SECRET_KEY not in curl
    for _ in range(2):  # a signature is valid once, so the command makes a new one
        assert f"{operation}Response" in run(curl, tmp_path, SOAPCLIENT_SECRET_KEY=SAMPLE_SECRET_KEY)
    calls = sandbox.calls()
    assert [call["status"] for call in calls if call["operation"] == operation][:2] == [200, 200]


def test_curl_asks_for_the_secret_key_and_hides_it(publisher: Target) -> None:
    curl = code_of(publisher, "GetSales")["curl"]
    assert curl.startswith("# Needs soapclient, and the secret key of this account in SOAPCLIENT_SECRET_KEY.")
    assert "soapclient sign soap publisher GetSales" in curl
    assert curl.count("$(of ") == 3
    assert SAMPLE_SECRET_KEY not in curl


@pytest.mark.exhaustive
@needs_curl
def test_curl_of_a_signed_request_expands_only_the_signature(publisher: Target, tmp_path: Path) -> None:
    forms = Forms(Examples(publisher.package.codec), publisher.checks())
    values = forms.example(publisher.operations["CreateAdspace"], complete=False)
    (key,) = (key for key in values if key.endswith(".name"))
    curl = code_of(publisher, "CreateAdspace", {**values, key: CITY})["curl"]
    shown = run(curl, tmp_path, SOAPCLIENT_SECRET_KEY=SAMPLE_SECRET_KEY)
    root = etree.fromstring(shown.encode())
    assert CITY in [node.text for node in root.iter("{*}name")]
    assert not (tmp_path / "x").exists()
