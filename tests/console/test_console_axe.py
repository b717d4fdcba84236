"""Accessibility of the console by axe-core: no violation of WCAG 2.0 to 2.2 A and AA, or best practice.

axe-core is not part of the repository: `npm install --no-package-lock --prefix tests/console` installs it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest

from soapclient.console.control_client import ControlClient
from soapclient.serving.server import Server
from tests.console.browser import Browser
from tests.console.looking import Look, Seen, set_look
from tests.console.vendors import sandbox_console

if TYPE_CHECKING:
    from selenium.webdriver import Chrome

pytestmark = pytest.mark.exhaustive

AXE: Final = Path(__file__).parent / "node_modules" / "axe-core" / "axe.min.js"
_RUN: Final = """
const done = arguments[arguments.length - 1];
const tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
axe.run(document, { runOnly: tags }).then(
  (result) => done([result.passes.length, result.violations.map((rule) =>
    `${rule.id}: ${rule.nodes.slice(0, 3).map((node) => node.target.join(" ")).join("; ")}`)]),
  (error) => done([0, [String(error)]]));
"""


LOOKS: Final = {
    "light": Look(1440, 900, "light"),
    "dark": Look(1440, 900, "dark"),
    "narrow": Look(1000, 800, "light"),
    "phone": Look(390, 844, "light"),
    "phone-dark": Look(390, 844, "dark"),
}
# Addresses of pages. The exchanges were sent before: 1 succeeded, 2 was refused by the service.
PAGES: Final = (
    "/", "/try/publisher/GetSales", "/try/publisher/CreateAdspace", "/try/publisher/GetProfile", "/history",
    "/history/1", "/history/2", "/jobs", "/saved", "/raw/publisher/GetSales", "/watch", "/no/such/page",
)  # fmt: skip


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """A console of a sandbox with a history of two calls. Returns its address with the token."""
    with sandbox_console() as shown, Server(shown.console) as server:
        browser = Browser(server.url, shown.console.token)
        browser.post("/try/publisher/SearchPrograms", **{"v:items": "3", "do": "send"})
        ControlClient(shown.url).add("GetProfile", "fault", "", times=1)
        browser.post("/try/publisher/GetProfile", do="send")
        browser.get("/history/2")
        assert browser.response.status_code == 200
        yield f"{server.url}/?token={shown.console.token}"


@pytest.fixture
def seen(chrome: Chrome, address: str, artefacts: Path) -> Iterator[Seen]:
    if not AXE.is_file():
        pytest.skip("axe-core is not installed: npm install --no-package-lock --prefix tests/console")
    chrome.get(address)
    yield Seen(chrome, address.partition("/?")[0], artefacts)
    chrome.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    chrome.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})
    chrome.get("about:blank")


def _violations(seen: Seen, name: str) -> list[str]:
    """Return the violations on the present page."""
    seen.chrome.execute_script(AXE.read_text(encoding="utf-8"))
    passes, violations = seen.chrome.execute_async_script(_RUN)
    assert passes > 10 or violations, name  # it has looked at the page
    return [f"{name}: {violation}" for violation in violations]


@pytest.mark.parametrize("look", ["dark", "phone"])
def test_reference_has_no_violation(seen: Seen, look: str) -> None:
    set_look(seen.chrome, LOOKS[look])
    seen.go("/explore/data")
    assert not (violations := _violations(seen, look)), "\n".join(violations)


@pytest.mark.parametrize("look", LOOKS)
def test_pages_have_no_violation(seen: Seen, look: str) -> None:
    set_look(seen.chrome, LOOKS[look])
    violations = []
    for path in PAGES:
        seen.go(path)
        violations += _violations(seen, f"{look} {path}")
    assert not violations, "\n".join(violations)


def _press(seen: Seen, selector: str) -> None:
    """Press a button. Its form changes in place, so the caller waits for the change."""
    seen.chrome.execute_script("arguments[0].click()", seen.find(selector))


def _invalid(seen: Seen) -> None:
    seen.go("/try/publisher/GetSales")
    _press(seen, "button[value=send].primary")
    seen.find("[aria-invalid=true]")


def _filled_in(seen: Seen) -> None:
    seen.go("/try/publisher/CreateAdspace")
    _press(seen, "button[value=example]")
    seen.find('[name="v:adspace_item.name"][value]:not([value=""])')


def _panel(number: int) -> Callable[[Seen], None]:
    def opened(seen: Seen) -> None:
        from selenium.webdriver import ActionChains, Keys

        seen.go("/history/1")
        ActionChains(seen.chrome).key_down(Keys.ALT).send_keys(f"{number}").key_up(Keys.ALT).perform()

    return opened


STATES: Final[dict[str, Callable[[Seen], None]]] = {
    "invalid": _invalid,
    "filled in": _filled_in,
    **{f"panel {number}": _panel(number) for number in range(1, 6)},
}


@pytest.mark.parametrize("look", LOOKS)
def test_states_of_the_screen_have_no_violation(seen: Seen, look: str) -> None:
    set_look(seen.chrome, LOOKS[look])
    violations = []
    for name, reach in STATES.items():
        reach(seen)
        violations += _violations(seen, f"{look} {name}")
    assert not violations, "\n".join(violations)
