"""Code that the console shows does the same as the console: the same address, and no secrets."""

from __future__ import annotations

import shlex
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from urllib.parse import urljoin, urlsplit

import pytest

from soapclient.cli.consoles import ConsoleSetup, connected, in_words
from soapclient.cli.packages import importable
from soapclient.console.application import Console
from soapclient.serving.server import Server
from soapclient.tracking.sandbox import SAMPLE_SECRET_KEY
from tests.console.browser import Browser
from tests.console.vendors import WEATHER, SandboxConsole, Vendor, sandbox_console, served
from tests.support.cases import case_text

LOGIN = case_text(__file__, "login.wsdl")
# Two ways to read one element: XSD forbids this (1.0 part 1 3.8.6), so libxml2 compiles no such schema.
AMBIGUOUS = '<x:element name="n" type="x:int" minOccurs="0"/><x:element name="n" type="x:int" minOccurs="0"/>'


@pytest.fixture
def ends() -> Iterator[ExitStack]:
    with ExitStack() as stack:
        yield stack


def _vendor(file: Path, operations: list[str], ends: ExitStack) -> tuple[Vendor, Browser]:
    vendor = served(file, operations, ends)
    return vendor, Browser(vendor.url, vendor.token)


def test_python_snippet_calls_the_mock_and_names_the_package(ends: ExitStack) -> None:
    vendor, browser = _vendor(WEATHER, ["GetWeather"], ends)
    browser.get("/try/weather/GetWeather")
    browser.press("check", **{"v:city": "Berlin"})
    code = browser.texts["Python"]
    address = vendor.mocked.address()
    assert f'address="{address}"' in "".join(code.split("\n    "))
    (comment,) = (line for line in code.splitlines() if line.startswith("#"))
    package, command = comment.removeprefix("# Generate the package with: "), shlex.split(comment)[-5:]
    assert package.startswith("bindgen init ")
    assert command == ["bindgen", "init", command[2], "--file", str(WEATHER)]
    assert f"from {command[2]}.service import" in code
    exec(code, {})
    assert [getattr(call.request, "city", "") for call in vendor.mocked.calls()] == ["Berlin"]


@pytest.mark.sampled(2)
@pytest.mark.parametrize("address", ["http://service.example/soap", "", "https://not.to.be.used.invalid/"])
def test_wsdl_is_read_without_a_callable_address(address: str, ends: ExitStack, tmp_path: Path) -> None:
    file = tmp_path / "login.wsdl"
    file.write_text(LOGIN % ("", address))
    name = ends.enter_context(importable(file, None))
    shown: ConsoleSetup = ends.enter_context(connected(name, file, lambda _: None))
    console = Console(shown.targets, shown.explored, in_words)
    server = ends.enter_context(Server(console))
    browser = Browser(server.url, console.token)
    assert "Login" in browser.text
    assert "hunter" not in browser.get("/explore/login").text_content()
    browser.get("/try/login/Login")
    values = {"v:user": "u", "v:password": "p"}
    browser.press("check", **values)
    assert "The request is valid." in browser.text
    if not address.startswith("https"):
        browser.press("send", **values, sure="1")
        assert "ConfigError" in browser.text
        assert "--address" in browser.text
        browser.press("send", sure="1")  # again, with the same message
        assert browser.text.count("--address") == 1


def test_unvalidatable_request_is_a_warning_shown_once(ends: ExitStack, tmp_path: Path) -> None:
    (tmp_path / "login.wsdl").write_text(LOGIN % (AMBIGUOUS, "https://login.invalid/"))
    _, browser = _vendor(tmp_path / "login.wsdl", ["Login"], ends)
    browser.get("/try/login/Login")
    assert browser.text.count("libxml2 cannot compile the schemas, so only values are checked") == 1
    browser.press("send", **{"v:user": "u", "v:password": "p"})
    assert "200 OK" in browser.text
    assert "Drift" not in browser.text
    browser.get("/try/login/Login")
    assert "libxml2" not in browser.text


def test_the_reference_of_a_large_service_is_read_page_by_page(
    ends: ExitStack, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bindgen.docs.split.LARGE", 0)
    _, browser = _vendor(WEATHER, ["GetWeather"], ends)
    overview = f"{browser.url}/explore/weather"
    links = [str(a.get("href")) for a in browser.get("/explore/weather").iter("a")]
    (link,) = {link for link in links if link.endswith("#op.GetWeather")}
    address = urljoin(overview, link)
    page = browser.get(urlsplit(address).path)
    assert browser.response.status_code == 200
    assert page.get_element_by_id("op.GetWeather") is not None
    links = [str(a.get("href")) for a in page.iter("a")]
    assert "/try/weather/GetWeather" in links
    assert overview in {urljoin(address, link) for link in links}
    browser.get("/explore/weather/op.nothing.html")
    assert browser.response.status_code == 404


# ---- bundled services


@pytest.fixture
def shown(protocol: str) -> Iterator[SandboxConsole]:
    with sandbox_console(publisher_protocol=protocol) as made:
        yield made


@pytest.fixture
def browser(shown: SandboxConsole) -> Iterator[Browser]:
    with Server(shown.console) as server:
        yield Browser(server.url, shown.console.token)


@pytest.mark.exhaustive
@pytest.mark.parametrize("protocol", ["soap", "rest"])
@pytest.mark.parametrize("operation", ["GetProfile", "SearchPrograms"])
def test_snippets_of_the_tracking_services_call_the_same_address(
    browser: Browser, shown: SandboxConsole, protocol: str, operation: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    browser.get(f"/try/publisher/{operation}")
    browser.press("example")
    browser.press("send")
    assert "200 OK" in browser.text
    texts = browser.texts
    assert SAMPLE_SECRET_KEY not in " ".join(texts.values())
    monkeypatch.setenv("SOAPCLIENT_SECRET_KEY", SAMPLE_SECRET_KEY)
    monkeypatch.setenv("SOAPCLIENT_PUBLISHER_URL", "http://127.0.0.1:9")
    exec(texts["Python"], {})
    command = shlex.split(texts["Command"])
    start = command.index("soapclient")
    environment = dict(each.split("=", 1) for each in command[:start])
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    call = [sys.executable, "-m", "soapclient.cli", *command[start + 1 :]]
    assert subprocess.run(call, check=False, capture_output=True, timeout=120).returncode == 0
    calls = [(call["protocol"], call["operation"], call["status"]) for call in shown.calls()]
    assert calls == [(protocol, operation, 200)] * 3
