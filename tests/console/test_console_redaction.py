"""Pages do not show secrets that were entered or received, but these secrets can be sent again."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from soapclient.cli.consoles import in_words
from soapclient.console.application import Console
from soapclient.console.places import Place, Places
from soapclient.console.redaction import body_without_secrets, query_without_secrets, secrets_in_xml
from soapclient.console.response_tree import tree
from soapclient.runtime.any_element import AnyElement
from soapclient.serving.server import Server
from soapclient.testing import Mock
from tests.console.browser import Browser
from tests.console.conftest import SECRETS, TYPED
from tests.console.vendors import Called


@pytest.fixture
def mocked(mocked_door: Called) -> Mock:
    mocked_door.mocked.reset()
    return mocked_door.mocked


@pytest.fixture
def browser(mocked: Mock, mocked_door: Called) -> Iterator[Browser]:
    target = mocked_door.target
    places = Places([Place(name, "mock", target.address, lambda: [target]) for name in ("one", "two")])
    with Server(console := Console([target], {}, in_words, places=places)) as server:
        yield Browser(server.url, console.token)


def test_the_page_of_a_call_shows_no_secret(browser: Browser, mocked: Mock) -> None:
    mocked.on("Login").reply(session_token="given-out", greeting="hello somebody, open-sesame is right")
    browser.get("/try/door/Login")
    assert {str(field.get("name")) for field in browser.page.iter("input")} >= set(TYPED)
    browser.press("check", **TYPED)
    checked = browser.texts
    browser.press("send", **TYPED)
    assert browser.response.url.endswith("/history/1")
    for texts in (checked, browser.texts):
        for title in ("Python", "Command", "XML", "curl"):
            assert "not shown" in texts[title]
            assert "open-sesame" not in texts[title]
            assert "127.0.0.1:1/" not in texts[title]
    page = browser.response.text
    assert "somebody" in page
    assert "hello" in page
    for secret in SECRETS:
        assert secret not in page


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


def test_call_is_not_sent_again_without_its_secrets(browser: Browser, mocked: Mock) -> None:
    browser.get("/try/door/Login")
    browser.press("send", **TYPED)
    browser.post("/place", place="two")
    for path in ("/history/1", "/try/door/Login?again=1"):
        browser.get(path)
        assert browser.page.xpath("//input[@name='v:password']/@value") == [""]
        assert not browser.page.xpath("//form[@class='request']//input[@name='again']")
    for values in ({"replay": "1"}, {"replay": "77"}, {**TYPED, "again": "1"}):
        browser.post("/try/door/Login", do="send", **values)
        assert browser.response.url.endswith("/try/door/Login")
    assert "is not in the history of this operation in the selected place." in browser.text
    browser.post("/raw/door/Login", do="send", message="<a/>", again="1")
    assert "Type its secrets again." in browser.text
    assert len(mocked.calls()) == 1


def test_secrets_of_an_edited_message_are_not_shown(browser: Browser, mocked: Mock) -> None:
    mocked.on("Login").fault("open-&sesame is wrong for somebody")
    browser.get("/try/door/Login")
    browser.press("example")
    message = browser.texts["XML"].replace("(not shown)", "open-&amp;sesame")
    browser.post("/raw/door/Login", do="send", message=message)
    assert "is wrong for somebody" in browser.text
    for path in ("/history/1", "/history/calls.json", "/history/calls.har"):
        page = browser.session.get(browser.url + path, timeout=30).text
        assert "is wrong for somebody" in page
        assert "sesame" not in page


def test_values_without_an_input_are_not_exported(browser: Browser) -> None:
    for does in ("send", "save"):
        values = {**TYPED, "v:other.password": "left-over", "name": "n"}
        browser.post("/try/door/Login", do=does, **values)
    for path in ("/history/calls.json", "/saved/requests.json"):
        text = browser.session.get(browser.url + path, timeout=30).text
        assert "somebody" in text
        assert "left-over" not in text


def test_secrets_inside_any_xml_are_not_shown(mocked_door: Called) -> None:
    value = AnyElement(name="any", children=[AnyElement(name="token", text="given-out")])
    assert "<token>(not shown)</token>" in tree(mocked_door.target.package.codec, value, "any").value
    assert secrets_in_xml("<?xml version='1.0'?><a><pin>4711<b>8888</b></pin><c>9999</c>") == {"4711", "8888"}


def test_bodies_and_request_lines_are_shown_without_secrets() -> None:
    assert body_without_secrets('{"a": 1, "token": "x"}') == '{"a": 1, "token": "(not shown)"}'
    assert body_without_secrets("<a><token>x</token></a>") == "<a><token>(not shown)</token></a>"
    assert body_without_secrets("<a><token>cut") == "<a><token>(not shown)"
    line = "GET /a?user=me&apikey=x&page=2"
    assert query_without_secrets(line) == "GET /a?user=me&apikey=[hidden]&page=2"
