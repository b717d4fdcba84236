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

from soapclient import Client, Settings
from soapclient.cli.consoles import in_words
from soapclient.console.forms import Forms
from soapclient.console.presentation import texts
from soapclient.console.targets import Target
from soapclient.testing.examples import Examples
from soapclient.tracking.console import targets_of
from soapclient.tracking.sandbox import SAMPLE_CONNECT_ID, SAMPLE_SECRET_KEY, Sandbox, serve
from tests.console.vendors import Called, called

WSDL = Path(__file__).parents[1] / "connection" / "weather.wsdl"
CITY = "$(touch x) `id`\\<&"  # at most 20 characters: shells and XML must not change it
needs_curl = pytest.mark.skipif(not shutil.which("curl"), reason="curl is not installed")


@pytest.fixture(scope="module")
def weather() -> Iterator[Called]:
    with called(WSDL) as both:
        yield both


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with Sandbox(switchboard=True) as sandbox, serve(sandbox) as serving:
        yield serving.url


@pytest.fixture(scope="module")
def publisher(url: str) -> Iterator[Target]:
    config = Settings.load(
        environ={}, connect_id=SAMPLE_CONNECT_ID, secret_key=SAMPLE_SECRET_KEY, publisher_url=url
    )
    with Client(config) as client:
        yield next(target for target in targets_of(client) if target.name == "publisher")


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


def cities(weather: Called) -> list[str]:
    """Return the cities in the requests that reached the mock."""
    return [getattr(call.request, "city", "") for call in weather.mocked.calls("GetWeather")]


def test_python_and_xml_send_the_request(weather: Called) -> None:
    weather.mocked.reset()
    code = code_of(weather.target, "GetWeather", {"v:city": CITY})
    assert set(code) == {"Python", "a command", "XML", "curl"}
    exec(code["Python"], {})
    headers = {"Content-Type": "text/xml; charset=utf-8", "SOAPAction": '""'}
    response = requests.post(weather.target.endpoint, code["XML"].encode(), headers=headers, timeout=30)
    assert response.status_code == 200, response.text
    assert cities(weather) == [CITY, CITY]


@pytest.mark.exhaustive
@needs_curl
def test_command_and_curl_send_the_request(weather: Called, tmp_path: Path) -> None:
    weather.mocked.reset()
    code = code_of(weather.target, "GetWeather", {"v:city": CITY})
    assert "degrees" in run(code["a command"], tmp_path, SOAPCLIENT_ALLOW_HTTP="true")
    assert "degrees" in run(code["curl"], tmp_path)
    assert cities(weather) == [CITY, CITY]
    assert not (tmp_path / "x").exists()


@pytest.mark.exhaustive
@needs_curl
@pytest.mark.parametrize("operation", ["GetProfile", "GetSales"])
def test_curl_signs_each_request_of_a_signed_operation(
    publisher: Target, url: str, operation: str, tmp_path: Path
) -> None:
    curl = code_of(publisher, operation)["curl"]
    assert SAMPLE_SECRET_KEY not in curl
    for _ in range(2):  # a signature is valid once, so the command makes a new one
        assert f"{operation}Response" in run(curl, tmp_path, SOAPCLIENT_SECRET_KEY=SAMPLE_SECRET_KEY)
    calls = requests.get(f"{url}/-/calls", timeout=30).json()
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
