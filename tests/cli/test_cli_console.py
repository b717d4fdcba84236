"""`soapclient console`: its pages, the access token, and errors at start-up."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import click
import pytest
import requests
from click.testing import CliRunner

from soapclient.cli.application import cli
from soapclient.cli.commands import console
from tests.cli.conftest import Environment, Run, error_of

WSDL = Path(__file__).parents[1] / "connection" / "weather.wsdl"


@pytest.fixture
def seen(monkeypatch: pytest.MonkeyPatch) -> list[requests.Response]:
    """The responses while the command runs: for the printed address, and for it without the token."""
    printed: list[str] = []
    pages: list[requests.Response] = []
    echo = click.echo

    def noted(text: str, err: bool = False) -> None:
        printed.append(text)
        echo(text, err=err)

    class Stopped:
        def wait(self) -> None:
            (address,) = [line for line in printed if line.startswith("http://")]
            pages.append(requests.get(address, timeout=60))
            pages.append(requests.get(address.partition("?")[0], timeout=60))

    @contextmanager
    def until_a_signal() -> Iterator[Stopped]:
        yield Stopped()

    monkeypatch.setattr(click, "echo", noted)
    monkeypatch.setattr(console, "until_a_signal", until_a_signal)
    return pages


@pytest.mark.parametrize("option", [["--file"], []])
def test_console_of_a_wsdl_needs_the_token(seen: list[requests.Response], option: list[str]) -> None:
    done = CliRunner().invoke(cli, ["console", *option, str(WSDL)])
    assert done.exit_code == 0, done.stderr
    assert "can be used on this machine only; Ctrl-C ends it" in done.stderr
    page, without = seen
    assert "GetWeather" in page.text
    assert without.status_code == 403
    assert "GetWeather" not in without.text
    address = urlsplit(done.stdout.strip())
    assert address.hostname == "127.0.0.1"
    with pytest.raises(requests.ConnectionError):  # the server has ended
        requests.get(done.stdout.strip(), timeout=60)


def test_the_configured_services_are_shown(seen: list[requests.Response], settings: Environment) -> None:
    done = CliRunner().invoke(cli, ["console"], env=dict(settings))
    assert done.exit_code == 0, done.stderr
    assert "GetSales" in seen[0].text or "publisher" in seen[0].text
    assert settings["SOAPCLIENT_SECRET_KEY"] not in seen[0].text + done.output


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["--file", str(WSDL), "--package", "weather"], 2, "give --file or --package, not both"),
        (["--address", "http://127.0.0.1:1/"], 2, "--address can be used only with a WSDL"),
        (["--security", str(WSDL)], 2, "--security can be used only with a WSDL"),
        (["--file", "no.wsdl"], 2, "no.wsdl"),
        (["--package", "no_such_package"], 1, "no_such_package"),
    ],
)
def test_unusable_service_is_refused_with_the_reason(
    run_unset: Run, arguments: list[str], code: int, said: str
) -> None:
    stderr = error_of(run_unset("console", *arguments), code)
    assert said in stderr
    assert "Traceback" not in stderr
