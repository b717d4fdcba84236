"""The parts of the console's screen: search, places, saved requests, edited messages, files, exports."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from lxml import etree

from soapclient.cli.consoles import in_words
from soapclient.console.application import Console
from soapclient.console.places import Place, Places
from soapclient.serving.server import Server
from tests.console.browser import Browser
from tests.console.vendors import Called, served

ARCHIVE = Path(__file__).parent / "wsdls" / "archive.wsdl"
BERLIN = {"v:city": "Berlin", "v:days": "2"}


@pytest.fixture
def browser(mocked_weather: Called) -> Iterator[Browser]:
    """A console with a mock and with a production that has the same address."""
    mocked_weather.mocked.reset()
    target = mocked_weather.target
    mock = Place("mock", "mock", target.address, lambda: [target])
    real = Place("real", "production", target.address, lambda: [target])
    console = Console([target], {}, in_words, places=Places([mock, real]))
    with Server(console) as server:
        yield Browser(server.url, console.token)


def test_part_has_no_frame_and_the_search_works_without_a_script(browser: Browser) -> None:
    url = f"{browser.url}/try/weather/GetWeather"
    part = browser.session.get(url, headers={"Console-Part": "1"}, timeout=30).text
    assert "<html" not in part
    assert part.count("<section id=") == 3
    browser.get("/?find=get+weath")
    names = [link.text_content() for link in browser.page.find_class("o")]
    assert names == ["GetWeather"]


def test_write_in_production_is_confirmed_each_time(browser: Browser, mocked_weather: Called) -> None:
    browser.post("/place", place="real", back="/try/weather/Observe")
    assert browser.response.url.endswith("/try/weather/Observe")
    assert browser.page.body.get("data-place") == "production"
    browser.press("example")
    browser.press("send")
    assert "Confirm it next to Send. Nothing was sent." in browser.text
    assert mocked_weather.mocked.calls() == []
    browser.press("send", sure="1")
    assert "202 ACCEPTED" in browser.text
    browser.post("/try/weather/Observe", replay="1", do="send")
    assert "Confirm it next to Send." in browser.text
    browser.get("/try/weather/GetWeather")  # safe
    browser.press("send", **BERLIN)
    assert "200 OK" in browser.text
    assert [call.operation for call in mocked_weather.mocked.calls()] == ["Observe", "GetWeather"]


def test_form_for_another_place_is_not_sent(browser: Browser, mocked_weather: Called) -> None:
    browser.get("/try/weather/GetWeather")
    form = browser.page
    browser.post("/place", place="real")  # in another tab
    browser.page = form
    browser.press("send", **BERLIN)
    assert "The page is for mock, but real was selected in another tab." in browser.text
    assert mocked_weather.mocked.calls() == []
    browser.press("send", **BERLIN)
    assert "200 OK" in browser.text


@pytest.mark.parametrize("back", ["//evil.example/", "https://evil.example/", "/\\evil.example", ""])
def test_switch_of_places_stays_in_the_console(browser: Browser, back: str) -> None:
    url, data, headers = f"{browser.url}/place", {"place": "real", "back": back}, {"Origin": browser.url}
    response = browser.session.post(url, data, headers=headers, timeout=30, allow_redirects=False)
    assert response.headers["Location"] == "/"


def test_unknown_place_is_refused(browser: Browser) -> None:
    browser.post("/place", place="moon")
    assert (browser.response.status_code, "Use mock, real" in browser.text) == (409, True)


def test_saved_request_is_opened_stored_removed_and_read_again(browser: Browser) -> None:
    browser.get("/try/weather/GetWeather")
    browser.press("save", **BERLIN, name="two days")
    browser.get("/try/weather/GetWeather?saved=two%20days")
    assert browser.value("v:city") == "Berlin"
    file = browser.session.get(f"{browser.url}/saved/requests.json", timeout=30).content
    browser.get("/saved")
    browser.press("remove", service="weather", operation="GetWeather", name="two days")
    assert "No request is saved yet." in browser.text
    for content, text in ((b"{}", "not a valid file of saved requests"), (file, "two days")):
        browser.upload("/saved", {"file": ("a", content)}, {})
        assert text in browser.text


def test_filled_in_request_is_edited_checked_and_sent_as_xml(
    browser: Browser, mocked_weather: Called
) -> None:
    browser.post("/raw/weather/GetWeather", do="edit", **BERLIN)
    message = browser.page.get_element_by_id("message").text_content().strip()
    assert ">Berlin<" in message
    browser.post("/raw/weather/GetWeather", do="check", message=message.replace("Berlin", "B" * 21))
    line = 1 + message[: message.index("Berlin")].count("\n")
    assert f"line {line}: GetWeather/city" in browser.text
    browser.press("check", message=message)
    assert "The message is valid." in browser.text
    browser.press("send", message=message.replace("Berlin", "Paris"))
    assert "200 OK" in browser.text
    assert [getattr(call.request, "city", "") for call in mocked_weather.mocked.calls()] == ["Paris"]
    assert ">Paris<" in browser.page.get_element_by_id("message").text_content()  # to be sent again
    browser.post("/place", place="real")
    browser.post("/raw/weather/Observe", do="send", message=message)
    assert "Confirm it next to Send." in browser.text


def test_history_is_exported_with_its_place(browser: Browser) -> None:
    browser.get("/try/weather/GetWeather")
    browser.press("send", **BERLIN)
    assert "Attempt 1" in browser.text  # its time
    for path, count in (("calls.json", 1), ("calls.har", 1), ("calls.json?status=failed", 0)):
        document = browser.session.get(f"{browser.url}/history/{path}", timeout=30).json()
        calls = document.get("exchanges") or document.get("log", {}).get("entries", [])
        assert len(calls) == count
        assert all("mock" in (call.get("place"), call.get("_place")) for call in calls)


def test_file_is_the_value_of_a_base64_field() -> None:
    with ExitStack() as ends:
        vendor = served(ARCHIVE, ["Store"], ends)
        browser = vendor.open("/try/archive/Store")
        browser.press("example")
        (form,) = (form for form in browser.page.forms if form.get("class") == "request")
        assert form.get("enctype") == "multipart/form-data"
        values = {**dict(form.form_values()), "do": "send"}
        content = bytes(range(256))
        browser.upload(form.action, {"file:document.content": ("a.bin", content)}, values)
        assert "/history/" in browser.response.url
        received = etree.fromstring(vendor.mocked.calls("Store")[-1].received.encode())
        (text,) = (node.text or "" for node in received.iter("{*}content", "{*}Content"))
        assert base64.b64decode(text) == content
