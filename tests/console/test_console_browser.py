"""The console in a real browser that can reach only this machine: forms that change in place, errors, calls,
a refused signature, faults; wide and on a phone, light and dark, by keyboard.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING

import pytest

from soapclient.console.application import Console
from soapclient.serving.server import Server
from tests.console.looking import Seen, quiet
from tests.console.vendors import sandbox_console

pytestmark = pytest.mark.exhaustive

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIEnvironment
    from selenium.webdriver import Chrome


class Held:
    """A console that delays its responses to posted forms while it is `held`."""

    def __init__(self, console: Console) -> None:
        self.max_body = console.max_body
        self._console = console
        self.asked = Event()
        self._go = Event()
        self._go.set()

    @contextmanager
    def held(self) -> Iterator[None]:
        self.asked.clear()
        self._go.clear()
        try:
            yield
        finally:
            self._go.set()

    def wsgi(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        if environ["REQUEST_METHOD"] == "POST":
            self.asked.set()
            assert self._go.wait(30)
        return self._console.wsgi(environ, start_response)


class Holding(Seen):
    """The console as a user sees it, with control over its responses."""

    def __init__(self, chrome: Chrome, url: str, artefacts: Path, server: Held) -> None:
        super().__init__(chrome, url, artefacts)
        self.server = server


@pytest.fixture
def seen(chrome: Chrome, artefacts: Path) -> Iterator[Holding]:
    """A sandbox, its console, and a user. Fails after errors of the browser or requests to other hosts."""
    with quiet(chrome), sandbox_console() as shown:
        held = Held(shown.console)
        with Server(held) as server:
            chrome.get(f"{server.url}/?token={shown.console.token}")
            yield Holding(chrome, server.url, artefacts, held)
            chrome.get("about:blank")


def test_explore_fill_send_and_replay(seen: Seen) -> None:
    seen.look("services")
    seen.type("/")  # focus the search by keyboard
    seen.type("getsales")
    assert "GetSales" in seen.find("#operations li:not([hidden])").text
    seen.click("nav a[href='/explore/publisher']")
    seen.click("a[href='/try/publisher/GetSales']")
    seen.click("button[value=send].primary")
    assert "2 values are not valid" in seen.text
    assert "such as 2026-11-01" in seen.find('[id="hint-date"]').text
    seen.look("errors")
    seen.click("button[value=example]")
    seen.write("v:date", "2026-11-01")
    seen.click("button[value=check]")
    assert "The request is valid." in seen.text
    seen.click("button[value=send].primary")
    assert "200 OK" in seen.text
    assert "GetSalesResponse" in seen.text
    seen.look("call")
    seen.click("button[value=send].primary")
    assert seen.chrome.current_url.endswith("/history/2")
    seen.go("/history")
    seen.look("history")


def test_list_items_can_be_added_to_a_form(seen: Seen) -> None:
    seen.go("/try/publisher/CreateAdspace")
    seen.write("v:adspace_item.name", "Blog")
    button = seen.find("button[value^='add ']")
    path = str(button.get_attribute("value")).partition(" ")[2]
    seen.click(f"button[value='add {path}']")
    assert seen.find(f"[name^='v:{path}.0']") is not None
    assert seen.find(f"[name='n:{path}']").get_attribute("value") == "1"
    assert seen.find("[name='v:adspace_item.name']").get_attribute("value") == "Blog"
    assert seen.chrome.current_url.endswith("/try/publisher/CreateAdspace")
    seen.look("form")


def test_input_during_a_form_change_is_kept(seen: Holding) -> None:
    from selenium.webdriver import Keys

    seen.go("/try/publisher/CreateAdspace")
    seen.write("v:adspace_item.name", "Bl")
    button = seen.find("button[value^='add ']")
    path = str(button.get_attribute("value")).partition(" ")[2]
    with seen.server.held():
        seen.click(f"button[value='add {path}']", wait=False)
        assert seen.server.asked.wait(30)
        seen.click(f"button[value='add {path}']", wait=False)
        seen.choose("v:adspace_item.adspace_type", "website", wait=False)
        name = seen.find("[name='v:adspace_item.name']")
        name.send_keys("og")
        name.send_keys(Keys.ARROW_LEFT)
    seen.settle()
    assert seen.find(f"[name='n:{path}']").get_attribute("value") == "2"
    assert seen.value("v:adspace_item.name") == "Blog"
    assert seen.value("v:adspace_item.adspace_type") == "website"
    seen.type("!")  # the cursor is still at its place
    assert seen.value("v:adspace_item.name") == "Blo!g"


def test_second_click_sends_nothing_and_a_jump_keeps_what_was_typed(seen: Holding) -> None:
    seen.go("/saved")
    seen.type("?")  # there is no help here, and no error
    assert not seen.find("#keys").is_displayed()
    seen.go("/try/publisher/CreateAdspace")
    seen.write("v:adspace_item.name", "Blog")
    seen.asked("document.querySelector('.skip').click()")
    seen.settle()
    assert seen.chrome.current_url.endswith("#operation")
    assert seen.value("v:adspace_item.name") == "Blog"
    seen.go("/try/publisher/GetProfile")
    with seen.server.held():
        for _ in range(2):
            seen.click("button[value=send].primary", wait=False)
        assert seen.server.asked.wait(30)
    seen.settle()
    assert seen.chrome.current_url.endswith("/history/1")
    assert seen.asked("return document.querySelectorAll('.log tbody tr').length") == 1


def test_export_is_ordered_in_the_form_and_downloaded(seen: Seen) -> None:
    seen.go("/jobs")
    assert "There are no jobs." in seen.text
    seen.click("main a[href='/try/data/CreateReportJob']")
    seen.write("v:report_type", "click")
    seen.write("v:from_date", "2026-11-01")
    seen.write("v:to_date", "2026-11-01")
    seen.click("button[value=send].primary")
    assert "200 OK" in seen.text, seen.text
    seen.go("/jobs")
    seen.find("main table button")  # the page shows by itself when the job is done
    seen.look("jobs")
    asked = """
        const done = arguments[arguments.length - 1], form = document.querySelector("main table form");
        fetch(form.action, { method: "POST", body: new URLSearchParams(new FormData(form)) })
          .then((response) => response.blob())
          .then((blob) => new Response(blob.stream().pipeThrough(new DecompressionStream("gzip"))).text())
          .then((text) => done(text), (error) => done(String(error)));
    """
    rows = list(csv.reader(io.StringIO(seen.chrome.execute_async_script(asked))))
    assert len(rows) == 1 + 1000  # the clicks of a day


def test_damaged_response_is_shown_unchanged(seen: Seen) -> None:
    seen.go("/watch")
    seen.choose("kind", "drift element")
    seen.click("form .primary")
    assert "drift for any operation, used 0 of 1 times" in seen.text
    watching = seen.chrome.current_window_handle
    seen.chrome.switch_to.new_window("tab")
    seen.go("/try/publisher/GetProfile")
    seen.click("button[value=send].primary")
    assert "unheardOf" in seen.text
    seen.chrome.close()
    seen.chrome.switch_to.window(watching)
    assert "GetProfile (soap)" in seen.said("[data-watch] tbody")  # updated by itself
    assert "drift for any operation, used 1 of 1 times" in seen.said("[data-watch]")
    seen.look("watch")
