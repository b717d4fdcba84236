"""The console over HTTP, used like a client that knows only its address. It calls a mock."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import requests

from soapclient.cli.consoles import in_words
from soapclient.console.application import Console
from soapclient.serving.server import Server
from soapclient.testing import Mock
from tests.console.browser import Browser
from tests.console.vendors import Called


@pytest.fixture
def console(mocked_weather: Called) -> Console:
    def explored(place: str) -> dict[str, bytes]:
        return {"": f"<a href='/try/{place}/Ping'>Ping</a>".encode()}

    return Console([mocked_weather.target], {"weather": explored}, in_words)


@pytest.fixture
def browser(console: Console) -> Iterator[Browser]:
    with Server(console) as server:
        yield Browser(server.url, console.token)


def test_service_is_explored_filled_in_and_called(browser: Browser, mocked: Mock) -> None:
    mocked.on("GetWeather", city="Berlin").reply(degrees="21.5", sky="clear")
    links = [a.get("href") for a in browser.page.iter("a")]
    assert "/try/weather/GetWeather" in links
    assert "/explore/weather" in links
    browser.get("/explore/weather")
    assert browser.page.find(".//a").get("href") == "/try/weather/Ping"
    browser.get("/try/weather/GetWeather")
    browser.press("send", **{"v:city": "Berlin", "v:days": "2"})
    assert browser.response.url.endswith("/history/1")
    assert "200 OK" in browser.text
    assert "21.5" in browser.text
    assert "clear" in browser.text
    (call,) = mocked.calls("GetWeather")
    request: Any = call.request
    assert (request.city, request.days) == ("Berlin", 2)


def test_error_is_shown_at_its_field_and_nothing_is_sent(browser: Browser, mocked: Mock) -> None:
    browser.get("/try/weather/GetWeather")
    browser.press("send", **{"v:city": "x" * 21, "v:days": "soon"})
    assert "whole number" in browser.errors["error-days"]
    (days,) = [each for each in browser.page.iter("input") if each.get("name") == "v:days"]
    assert (days.get("value"), days.get("aria-invalid")) == ("soon", "true")
    assert "error-days" in days.get("aria-describedby").split()
    browser.press("send", **{"v:days": ""})  # required only by the schema
    assert "20" in browser.errors["error-city"]
    browser.press("send", **{"v:city": ""})
    assert browser.errors["error-city"] == "this is required"
    assert mocked.calls() == []


def test_an_example_is_filled_in_and_can_be_sent(browser: Browser, mocked: Mock) -> None:
    for operation in ("GetWeather", "Observe", "Swap", "Ping"):
        browser.get(f"/try/weather/{operation}")
        browser.press("example")
        assert mocked.calls(operation) == []
        browser.press("send")
        assert "/history/" in browser.response.url, browser.text
        assert len(mocked.calls(operation)) == 1


def test_form_includes_headers(browser: Browser, mocked: Mock) -> None:
    browser.get("/try/weather/GetWeather")
    values = {"v:city": "Berlin", "on:header-session": "1"}
    browser.press("shape", **values)
    browser.press("send", **values)
    assert browser.errors["error-header-session.token"] == "this is required"
    browser.press("send", **values, **{"v:header-session.token": "abc"})
    assert "/history/" in browser.response.url
    (call,) = mocked.calls("GetWeather")
    (node,) = call.headers
    assert (str(node.tag), node[0].text) == ("{urn:example:weather}Session", "abc")


def test_faults_are_shown(browser: Browser, mocked: Mock) -> None:
    mocked.on("GetWeather").fault("there is no such city", "unknown", city="Atlantis", code="Client")
    browser.get("/try/weather/GetWeather")
    browser.press("send", **{"v:city": "Atlantis"})
    assert "ServiceFault" in browser.text
    assert "there is no such city" in browser.text
    assert "CityUnknown" in browser.text  # unchanged from the response


def test_history_entry_can_be_replayed_and_changed(browser: Browser, mocked: Mock) -> None:
    browser.get("/try/weather/GetWeather")
    browser.press("send", **{"v:city": "Berlin"})
    browser.press("send")
    assert browser.response.url.endswith("/history/2")
    assert len(mocked.calls("GetWeather")) == 2
    browser.get("/history")
    table = browser.page.get_element_by_id("history").find(".//table")
    assert [a.get("href") for a in table.iter("a")] == ["/history/2", "/history/1"]
    browser.get("/try/weather/GetWeather?again=1")
    assert browser.value("v:city") == "Berlin"


# ---- access


def _status(console: Console, path: str = "/", method: str = "GET", **headers: str) -> int:
    with Server(console) as server:
        port = server.url.rpartition(":")[2]
        given = {name: text.replace("PORT", port) for name, text in headers.items()}
        return requests.request(
            method, server.url + path, headers=given, allow_redirects=False, timeout=30
        ).status_code


def test_without_the_token_nothing_is_shown(console: Console) -> None:
    cookie = f"soapclient-console-PORT={console.token}"
    assert _status(console) == 403
    assert _status(console, "/?token=wrong") == 403
    assert _status(console, Cookie="soapclient-console-PORT=wrong") == 403
    assert _status(console, Cookie=cookie) == 200
    assert _status(console, f"/?token={console.token}") == 303
    assert _status(console, "/nothing", Cookie=cookie) == 404
    assert _status(console, "/try/weather/Nothing", Cookie=cookie) == 404
    assert _status(console, "/history/9", Cookie=cookie) == 404
    assert _status(console, method="DELETE", Cookie=cookie) == 405


def test_consoles_on_one_machine_do_not_log_each_other_out(console: Console) -> None:
    other = Console([], {}, in_words)
    with Server(console) as server, Server(other) as another, requests.Session() as session:
        for url, token in ((server.url, console.token), (another.url, other.token)):
            assert session.get(f"{url}/?token={token}", timeout=30).status_code == 200
        for url in (server.url, another.url):
            assert session.get(f"{url}/", timeout=30).status_code == 200


def test_other_sites_and_other_names_are_refused(console: Console, mocked: Mock) -> None:
    cookie = f"soapclient-console-PORT={console.token}"
    send = "/try/weather/Ping"
    assert _status(console, Cookie=cookie, Host="rebound.example") == 421
    for origin in ("https://evil.example", "null", "http://127.0.0.1:1"):
        assert _status(console, send, "POST", Cookie=cookie, Origin=origin) == 403
    assert mocked.calls() == []


def test_cookie_is_same_site_and_pages_load_nothing(console: Console) -> None:
    with Server(console) as server:
        response = requests.get(f"{server.url}/?token={console.token}", allow_redirects=False, timeout=30)
        kept = response.headers["Set-Cookie"]
        assert "HttpOnly" in kept
        assert "SameSite=Strict" in kept
        page = Browser(server.url, console.token)
        policy = page.response.headers["Content-Security-Policy"]
    assert policy.startswith("default-src 'none'")
    assert "unsafe" not in policy
    assert page.response.headers["Cache-Control"] == "no-store"
    assert page.response.headers["X-Frame-Options"] == "DENY"
    loaded = page.page.iter("script", "img", "link", "iframe")
    links = [each.get("src") or each.get("href") for each in loaded]
    assert sorted(filter(None, links)) == ["/console.css", "/console.js", "/icon.svg"]
