"""Pages do not show secrets that were entered or received, but these secrets can be sent again."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from bindgen import init
from soapclient import connect
from soapclient.cli.consoles import in_words
from soapclient.console.application import Console
from soapclient.console.redaction import body_without_secrets, query_without_secrets
from soapclient.console.targets import of_service
from soapclient.serving.server import Server
from soapclient.testing import Mock, mock
from tests.console.browser import Browser
from tests.support.cases import case_text

WSDL = case_text(__file__, "door.wsdl")
TYPED = {
    "v:user": "somebody",
    "v:password": "open-sesame",
    "v:pin": "471147",
    "v:credentials.code": "a-code-7",
}
SECRETS = ("open-sesame", "471147", "a-code-7", "given-out")


@pytest.fixture(scope="module")
def mocked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Mock]:
    folder = tmp_path_factory.mktemp("hiding")
    (folder / "door.wsdl").write_text(WSDL)
    init.write(folder / "hidden_door", init.make("hidden_door", folder / "door.wsdl", offline=True).files)
    sys.path.insert(0, str(folder))
    with mock("hidden_door") as made:
        yield made
    sys.path.remove(str(folder))


@pytest.fixture
def browser(mocked: Mock) -> Iterator[Browser]:
    mocked.reset()
    service = importlib.import_module("hidden_door").HiddenDoorService
    package = importlib.import_module("hidden_door.service").PACKAGE
    connection = connect(service, address=mocked.address())
    with connection:
        port = package.settings.ports[0]
        target = of_service("door", package, port, mocked.address(), connection, service.__name__)
        with Server(console := Console([target], {}, in_words)) as server:
            yield Browser(server.url, console.token)


def test_the_page_of_a_call_shows_no_secret(browser: Browser, mocked: Mock) -> None:
    mocked.on("Login").reply(session_token="given-out", greeting="hello somebody, open-sesame is right")
    browser.get("/try/door/Login")
    assert {str(field.get("name")) for field in browser.page.iter("input")} >= set(TYPED)
    browser.press("send", **TYPED)
    assert browser.response.url.endswith("/history/1")
    page = browser.response.text
    assert "somebody" in page
    assert "hello" in page
    for secret in SECRETS:
        assert secret not in page
    for title in ("As Python", "As XML", "As curl"):
        assert title in page


@pytest.mark.exhaustive
def test_a_call_with_a_secret_can_be_sent_again(browser: Browser, mocked: Mock) -> None:
    browser.get("/try/door/Login")
    browser.press("send", **TYPED)
    browser.press("send")
    assert browser.response.url.endswith("/history/2")
    first, second = (call.request for call in mocked.calls("Login"))
    request: Any = second
    assert first == second
    assert (request.password, request.pin, request.credentials.code) == ("open-sesame", 471147, "a-code-7")


def test_a_fault_that_repeats_a_secret_is_shown_without_it(browser: Browser, mocked: Mock) -> None:
    mocked.on("Login").fault("open-sesame is wrong for somebody")
    browser.get("/try/door/Login")
    browser.press("send", **TYPED)
    page = browser.response.text
    assert "is wrong for somebody" in page
    assert "open-sesame" not in page


def test_bodies_and_request_lines_are_shown_without_secrets() -> None:
    assert body_without_secrets('{"a": 1, "token": "x"}') == '{"a": 1, "token": "(not shown)"}'
    assert body_without_secrets("<a><token>x</token></a>") == "<a><token>(not shown)</token></a>"
    assert body_without_secrets("<a><token>cut") == "<a><token>(not shown)"
    line = "GET /a?user=me&apikey=x&page=2"
    assert query_without_secrets(line) == "GET /a?user=me&apikey=[hidden]&page=2"
