"""View the console in a real browser and detect common faults of a page."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from selenium.webdriver import Chrome
    from selenium.webdriver.remote.webelement import WebElement

_SIZES = {"wide": (1280, 900), "phone": (390, 844)}
# Returns elements whose text has too little contrast with its background (WCAG 2.2, 1.4.3).
CONTRAST = """
const channel = (c) => { c /= 255; return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4; };
const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
const rgb = (text) => { canvas.clearRect(0, 0, 1, 1); canvas.fillStyle = text; canvas.fillRect(0, 0, 1, 1);
  return canvas.getImageData(0, 0, 1, 1).data; };
const light = (c) => 0.2126 * channel(c[0]) + 0.7152 * channel(c[1]) + 0.0722 * channel(c[2]);
const ground = (node) => { for (; node; node = node.parentElement) {
  const found = rgb(getComputedStyle(node).backgroundColor); if (found[3] === 255) return found; }
  return [255, 255, 255]; };
const weak = [];
for (const node of document.querySelectorAll("main *, header *, nav *, footer *")) {
  const own = [...node.childNodes].some((one) => one.nodeType === 3 && one.data.trim());
  if (!own || !node.checkVisibility() || node.matches(".hidden, .skip, option, title")) continue;
  const [a, b] = [light(rgb(getComputedStyle(node).color)), light(ground(node))].sort((x, y) => y - x);
  if ((a + 0.05) / (b + 0.05) < 4.5) weak.push(node.outerHTML.slice(0, 120));
}
return weak;
"""
_UNLABELLED = """
const asked = "input:not([type=hidden]), select, textarea, button";
return [...document.querySelectorAll(`:is(main, header) :is(${asked})`)]
  .filter((one) => !(one.labels?.length || one.textContent.trim() || one.getAttribute("aria-label")))
  .map((one) => one.outerHTML.slice(0, 120));
"""

# Clicks an element. Returns true if this leaves the page, which is marked then. If parts are loaded in place,
# the page is busy at once.
_CLICK = """
const one = arguments[0];
const leaves = one.matches("a[href]:not([href^='#']), form button:not([data-again]):not([type=button])");
one.click();
const isInPlace = document.body.classList.contains("busy") || !leaves;
if (!isInPlace) window.isLeft = true;
return !isInPlace;
"""

_SET = """
arguments[0].value = arguments[1];
arguments[0].dispatchEvent(new Event("input", { bubbles: true }));
"""


class Look(NamedTuple):
    """The size of the window and the colour scheme of the system."""

    width: int
    height: int
    scheme: str


def set_look(chrome: Chrome, look: Look, *, reduced_motion: bool = True) -> None:
    metrics = {"width": look.width, "height": look.height, "deviceScaleFactor": 1, "mobile": look.width < 500}
    features = [{"name": "prefers-color-scheme", "value": look.scheme}]
    if reduced_motion:
        features.append({"name": "prefers-reduced-motion", "value": "reduce"})
    chrome.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    chrome.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})


class Seen:
    """The console as a user sees it."""

    def __init__(self, chrome: Chrome, url: str, artefacts: Path) -> None:
        self.chrome = chrome
        self.url = url
        self._artefacts = artefacts

    def go(self, path: str) -> None:
        self.chrome.get(self.url + path)

    def find(self, selector: str) -> WebElement:
        return self.chrome.find_element("css selector", selector)

    def click(self, selector: str, *, wait: bool = True) -> None:
        """Click, and wait for the next page or the updated form. Without `wait` the form may change later:
        `settle` waits for it.
        """
        # By script, because the driver treats elements below a fixed bar as not clickable.
        leaves = self.chrome.execute_script(_CLICK, self.find(selector))
        if leaves:
            self._until("return !window.isLeft && document.readyState === 'complete'")
        elif wait:
            self.settle()

    def choose(self, name: str, value: str, *, wait: bool = True) -> None:
        from selenium.webdriver.support.ui import Select

        found = self.find(f'[name="{name}"]')
        if found.get_attribute("type") == "radio":
            self.chrome.execute_script("arguments[0].click()", self.find(f'[name="{name}"][value="{value}"]'))
        else:
            Select(found).select_by_value(value)
        if wait:
            self.settle()

    def settle(self) -> None:
        """Wait until no form is about to change in place."""
        self._until("return !document.querySelector('.busy')")

    def _until(self, script: str) -> None:
        from selenium.common.exceptions import JavascriptException
        from selenium.webdriver.support.ui import WebDriverWait

        # A script fails if its page is replaced meanwhile.
        waiting = WebDriverWait(self.chrome, 30, 0.02, ignored_exceptions=[JavascriptException])
        waiting.until(lambda chrome: chrome.execute_script(script))

    def type(self, keys: str) -> None:
        from selenium.webdriver import ActionChains

        ActionChains(self.chrome).send_keys(keys).perform()

    def write(self, name: str, text: str) -> None:
        found = self.find(f'[name="{name}"]')
        if found.get_attribute("type") == "date":  # keys mean what the locale of the browser says
            self.chrome.execute_script(_SET, found, text)
            return
        found.clear()
        found.send_keys(text)

    def said(self, selector: str) -> str:
        """Return the text of an element once it exists. It may be replaced meanwhile."""
        self.find(selector)
        text: str = self.asked(f"return document.querySelector({json.dumps(selector)}).innerText")
        return text

    def value(self, name: str) -> str | None:
        return self.find(f'[name="{name}"]').get_attribute("value")

    def asked(self, script: str) -> Any:
        return self.chrome.execute_script(script)

    @property
    def text(self) -> str:
        return self.find("main").text

    def look(self, name: str) -> None:
        """Check a page in both sizes, light and dark: sufficient contrast, labels, and no overflow."""
        for size, (width, height) in _SIZES.items():
            for scheme in ("light", "dark"):
                set_look(self.chrome, Look(width, height, scheme), reduced_motion=False)
                assert self.asked(CONTRAST) == [], (name, size, scheme)
                self.chrome.save_screenshot(str(self._artefacts / f"{name}-{size}-{scheme}.png"))
            assert self.asked(_UNLABELLED) == [], name
            wide = self.asked("return document.documentElement.scrollWidth - window.innerWidth")
            assert wide <= 0, (name, size)
        self.chrome.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


@contextmanager
def quiet(chrome: Chrome) -> Iterator[None]:
    """Check that the browser reports no errors in the block and sends no requests to other hosts."""
    _log(chrome, "browser")
    _log(chrome, "performance")
    yield
    chrome.get("about:blank")
    messages = [entry["message"] for entry in _log(chrome, "browser")]
    serious = [message for message in messages if "favicon" not in message]
    assert serious == [], serious
    for entry in _log(chrome, "performance"):
        said = json.loads(entry["message"])["message"]
        if said["method"] == "Network.requestWillBeSent":
            url = said["params"]["request"]["url"]
            assert url.startswith(("http://127.0.0.1:", "about:", "data:", "chrome")), url


def _log(chrome: Chrome, kind: str) -> list[dict[str, str]]:
    entries: list[dict[str, str]] = chrome.get_log(kind)  # type: ignore[no-untyped-call]  # untyped in selenium
    return entries
