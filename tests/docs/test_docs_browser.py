"""The reference in a real browser, from file:// without a network: search, links, phone, dark, keyboard."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING

import pytest

from tests.console.looking import CONTRAST
from tests.support.chrome import chrome as chrome
from tests.test_supply import script

pytestmark = pytest.mark.exhaustive

if TYPE_CHECKING:
    from selenium.webdriver import Chrome
    from selenium.webdriver.remote.webelement import WebElement

website = script("website")
_WIDE = (1280, 900)
_PHONE = (390, 844)


@pytest.fixture(scope="module")
def browser(chrome: Chrome) -> Iterator[Chrome]:
    chrome.implicitly_wait(0)
    yield chrome
    chrome.implicitly_wait(10)
    chrome.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    chrome.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})
    chrome.get("about:blank")


Open = Callable[..., None]


@pytest.fixture
def opened(browser: Chrome, reference: Path) -> Iterator[Open]:
    """Open a page. At the end, the browser must not have logged errors or sent requests."""
    _log(browser, "browser")
    _log(browser, "performance")

    def opened(
        target: str, size: tuple[int, int] = _WIDE, *, dark: bool = False, script: bool = True
    ) -> None:
        width, height = size
        metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600}
        browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
        features = [
            {"name": "prefers-color-scheme", "value": "dark" if dark else "light"},
            {"name": "prefers-reduced-motion", "value": "reduce"},
        ]
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
        browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": not script})
        browser.get("about:blank")  # otherwise an address that differs only in the hash would not load a page
        file, mark, anchor = target.partition("#")
        browser.get(f"{(reference / file).as_uri()}{mark}{anchor}")

    yield opened
    browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})
    assert _log(browser, "browser") == []
    for entry in _log(browser, "performance"):
        said = json.loads(entry["message"])["message"]
        if said["method"] == "Network.requestWillBeSent":
            # The browser's own new tab may still be loading.
            assert said["params"]["request"]["url"].startswith(("file:", "about:", "data:", "chrome"))


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build a site with both kinds of pages."""
    source, out = tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("site")
    (source / "docs").mkdir()
    (source / "docs/README.md").write_text("# Index\n\n```{toctree}\nledger\n```\n")
    (source / "docs/ledger.md").write_text("# The ledger\n\nIt remembers an okapi.\n\n```\nprint(1)\n```\n")
    assert website.sphinx(source, out) == []
    return out


def _log(browser: Chrome, kind: str) -> list[dict[str, str]]:
    """Return the log entries of a kind since the last call."""
    entries: list[dict[str, str]] = browser.get_log(kind)  # type: ignore[no-untyped-call] # selenium has no types here
    return entries


def _wait(browser: Chrome, condition: Callable[[Chrome], object]) -> None:
    from selenium.webdriver.support.wait import WebDriverWait

    WebDriverWait(browser, 10, poll_frequency=0.02).until(condition)


def _find(browser: Chrome, css: str) -> WebElement:
    return browser.find_element("css selector", css)


def _found(browser: Chrome) -> list[str]:
    return [each.text for each in browser.find_elements("css selector", "#found a")]


def _hash(browser: Chrome) -> str:
    return str(browser.execute_script("return location.hash"))


def _overflow(browser: Chrome) -> int:
    said = browser.execute_script("return document.documentElement.scrollWidth - innerWidth")
    assert isinstance(said, int)
    return said


def test_the_site_is_searched_from_its_files(browser: Chrome, opened: Open, site: Path) -> None:
    opened(str(site / "docs/README.html"))
    _find(browser, "input[name=q]").send_keys("okapi\n")
    _wait(browser, lambda each: each.find_elements("css selector", "#search-results li a"))
    _find(browser, "#search-results li a").click()
    _wait(browser, lambda each: "ledger" in each.title)
    assert _overflow(browser) <= 0


@pytest.fixture
def served(site: Path) -> Iterator[str]:
    """Serve the site over HTTP. Yields the address."""
    handler = partial(_QuietHandler, directory=str(site))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


class _QuietHandler(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        pass


def test_search_results_of_a_served_site_have_excerpts(browser: Chrome, served: str) -> None:
    browser.get(f"{served}/search.html?q=okapi")
    _wait(browser, lambda each: each.find_elements("css selector", "#search-results li p.context"))
    assert "okapi" in _find(browser, "#search-results li p.context").text
    browser.get("about:blank")
    _log(browser, "browser")
    _log(browser, "performance")


def test_code_blocks_have_copy_buttons(browser: Chrome, opened: Open, site: Path) -> None:
    opened(str(site / "docs/ledger.html"))
    blocks = browser.find_elements("css selector", "div.highlight pre")
    _wait(browser, lambda each: len(each.find_elements("css selector", "button.copybtn")) == len(blocks))
    assert blocks


def test_search_leads_to_an_operation_and_from_there_to_a_type(browser: Chrome, opened: Open) -> None:
    opened("index.html")
    browser.find_element("link text", "publisher").click()
    _wait(browser, lambda each: "publisher" in each.title)
    _find(browser, "#find").send_keys("getsales")
    _wait(browser, _found)
    assert _found(browser)[0].startswith("GetSales")
    assert _find(browser, "#hits").text == "1 found"
    browser.find_elements("css selector", "#found a")[0].click()
    assert _hash(browser) == "#op.GetSales"
    assert not _find(browser, "#found").is_displayed()
    top = browser.execute_script("return document.getElementById('op.GetSales').getBoundingClientRect().top")
    assert isinstance(top, int | float)
    assert 0 <= top < 200
    _find(browser, "#op\\.GetSales a[href='#type.saleItem']").click()
    assert _hash(browser) == "#type.saleItem"
    assert _find(browser, "#type\\.saleItem h3").is_displayed()
    browser.back()
    assert _hash(browser) == "#op.GetSales"


@pytest.mark.parametrize(
    ("wanted", "first", "where"),
    [
        ("saleItem", "saleItem", "type"),
        ("review_state", "reviewState", "field in GetLeads request"),
        ("productDeeplink", "productDeeplink", "value in admediaPurposeEnum"),
        ("GETSALE", "GetSale", "operation"),
        ("@id", "@id", "field in"),
    ],
)
def test_search_finds_types_fields_and_values(
    browser: Chrome, opened: Open, wanted: str, first: str, where: str
) -> None:
    opened("publisher.html")
    _find(browser, "#find").send_keys(wanted)
    _wait(browser, _found)
    name, _, kind = _found(browser)[0].replace("\n", " ").partition(" ")
    assert name == first
    assert kind.startswith(where)


def test_search_reports_no_match_and_limits_results(browser: Chrome, opened: Open) -> None:
    opened("publisher.html")
    box = _find(browser, "#find")
    box.send_keys("zzzzz")
    assert _find(browser, "#hits").text == "Nothing found"
    box.clear()
    box.send_keys("i")
    assert len(_found(browser)) == 60
    assert "the first 60 are shown" in _find(browser, "#hits").text


def test_keyboard_suffices(browser: Chrome, opened: Open) -> None:
    from selenium.webdriver.common.keys import Keys

    opened("data.html")

    def active() -> WebElement:
        return browser.switch_to.active_element

    active().send_keys(Keys.TAB)
    assert active().text == "To the content"
    outline = active().value_of_css_property("outline-style")
    assert outline == "solid"
    active().send_keys("/")
    assert active().get_attribute("id") == "find"
    active().send_keys("jobid")
    active().send_keys(Keys.ARROW_DOWN)
    assert active().get_attribute("href").endswith("#op.GetJob.request.jobId")  # type: ignore[union-attr] # a link
    active().send_keys(Keys.ARROW_UP)
    assert active().get_attribute("id") == "find"
    active().send_keys(Keys.ENTER)
    assert _hash(browser) == "#op.GetJob.request.jobId"
    _wait(browser, lambda _: active().text == "jobId")  # the focus continues from there
    active().send_keys("/")
    active().send_keys("x", Keys.ESCAPE)
    assert active().get_attribute("value") == ""
    assert not _find(browser, "#found").is_displayed()


@pytest.mark.parametrize("name", ["publisher", "data", "advertiser", "index"])
def test_phone_needs_no_horizontal_scrolling(browser: Chrome, opened: Open, name: str) -> None:
    opened(f"{name}.html", _PHONE)
    browser.execute_script("for (const one of document.querySelectorAll('details')) one.open = true")
    assert _overflow(browser) <= 0
    wide = browser.execute_script(
        """return [...document.querySelectorAll('main *')].filter((one) => !one.closest('pre')
        && one.getBoundingClientRect().right > innerWidth + 0.5).map((one) => one.outerHTML.slice(0, 99))"""
    )
    assert wide == []


def test_code_blocks_scroll_separately(browser: Chrome, opened: Open) -> None:
    opened("publisher.html#op.GetSales", _PHONE)
    wide = browser.execute_script(
        "return [...document.querySelectorAll('pre')].some((one) => one.scrollWidth > one.clientWidth)"
    )
    assert wide is True
    assert _overflow(browser) <= 0


@pytest.mark.parametrize("dark", [False, True])
def test_text_has_sufficient_contrast(browser: Chrome, opened: Open, dark: bool) -> None:
    opened("data.html#op.CreateReportJob", dark=dark)
    browser.execute_script("for (const one of document.querySelectorAll('details')) one.open = true")
    _find(browser, "#find").send_keys("job")
    _wait(browser, _found)
    assert len(browser.find_elements("css selector", "main *, header *, nav *, footer *")) > 100
    assert browser.execute_script(CONTRAST) == []
    paper = _find(browser, "body").value_of_css_property("background-color")
    brightness = sum(map(int, re.findall(r"\d+", paper)[:3])) / 3
    assert (brightness < 60) == dark


def test_light_and_dark_theme_can_be_chosen_and_persist(browser: Chrome, opened: Open) -> None:
    opened("data.html")
    assert _find(browser, "#theme").text == "Dark"
    before = _find(browser, "body").value_of_css_property("background-color")
    _find(browser, "#theme").click()
    assert _find(browser, "#theme").text == "Light"
    assert _find(browser, "body").value_of_css_property("background-color") != before
    opened("data.html")
    assert _find(browser, "#theme").text == "Light"
    _find(browser, "#theme").click()
    opened("data.html")
    assert _find(browser, "body").value_of_css_property("background-color") == before


def test_page_works_without_scripts(browser: Chrome, opened: Open) -> None:
    opened("data.html#op.GetJob", script=False)
    assert _find(browser, "#op\\.GetJob h3").is_displayed()
    assert not _find(browser, "#find").is_displayed()
    assert not _find(browser, "#theme").is_displayed()
    _find(browser, "#op\\.GetJob summary").click()
    assert "Envelope" in _find(browser, "#op\\.GetJob details pre").text


def test_print_view_has_no_sidebar_and_all_examples(browser: Chrome, opened: Open) -> None:
    opened("data.html")
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    browser.execute_script("dispatchEvent(new Event('beforeprint'))")
    assert not _find(browser, "header").is_displayed()
    assert not _find(browser, "nav").is_displayed()
    assert all(each.is_displayed() for each in browser.find_elements("css selector", "main pre"))
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})


def test_tampered_page_runs_and_loads_nothing(browser: Chrome, reference: Path, tmp_path: Path) -> None:
    """Whatever is inserted into the page, the policy in its head blocks it."""
    text = (reference / "data.html").read_text(encoding="utf-8")
    slipped = "<script>window.harmed = 1</script><img src='https://evil.invalid/x.png'>"
    slipped += "<p onclick='window.harmed = 1' id='bait' style='color: red'>bait</p>"
    (tmp_path / "data.html").write_text(re.sub("<h1>", f"{slipped}<h1>", text, count=1), encoding="utf-8")
    browser.get((tmp_path / "data.html").as_uri())
    _find(browser, "#bait").click()
    assert browser.execute_script("return window.harmed") is None
    refused = [entry["message"] for entry in _log(browser, "browser")]
    assert any("evil.invalid" in each and "Content Security Policy" in each for each in refused)
    assert _find(browser, "#bait").value_of_css_property("color") != "rgba(255, 0, 0, 1)"


def test_a_large_contract_is_searched_and_read_page_by_page(
    browser: Chrome, opened: Open, split_reference: Path
) -> None:
    opened(str(split_reference / "publisher.html"))
    _find(browser, "#find").send_keys("review_state")
    _wait(browser, _found)
    assert _found(browser)[0].replace("\n", " ").startswith("reviewState field in GetLeads request")
    browser.find_elements("css selector", "#found a")[0].click()
    _wait(browser, lambda each: each.title.startswith("GetLeads"))
    assert _hash(browser) == "#op.GetLeads.request.reviewState"
    assert _find(browser, "#op\\.GetLeads\\.request\\.reviewState").is_displayed()
    _find(browser, "a[href$='type.leaditem.html#type.leadItem']").click()
    _wait(browser, lambda each: each.title.startswith("leadItem"))
    assert _overflow(browser) <= 0
    _find(browser, "#find").send_keys("getsale")
    browser.find_element("link text", "Search the whole contract").click()
    _wait(browser, lambda each: each.title.startswith("publisher"))
    _wait(browser, _found)
    assert _found(browser)[0].startswith("GetSale")


def _is_titled(title: str, browser: Chrome) -> bool:
    return browser.title.startswith(title)


def test_links_of_the_single_page_layout_are_redirected(
    browser: Chrome, opened: Open, split_reference: Path
) -> None:
    for anchor in ("op.GetSales", "op.GetSales.request.date", "type.saleItem._id", "types", "beyond"):
        opened(str(split_reference / f"publisher.html#{anchor}"))
        page = {"op": "GetSales", "type": "saleItem"}.get(anchor.partition(".")[0], "publisher")
        _wait(browser, partial(_is_titled, page))
        assert browser.execute_script("return document.getElementById(location.hash.slice(1)) !== null"), (
            anchor
        )
