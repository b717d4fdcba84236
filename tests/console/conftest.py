"""The browser of the console's tests, shared by all of them. It can reach only this machine."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from soapclient.clock import ManualClock
from tests.console.vendors import WEATHER, Called, called

if TYPE_CHECKING:
    from selenium.webdriver import Chrome

MOMENT = datetime(2026, 11, 1, 12, 30, tzinfo=UTC)  # by the clock of `mocked_door`
# The form of `mocked_door`, and the secrets in it and in its response.
TYPED = {
    "v:user": "somebody",
    "v:password": "open-sesame",
    "v:pin": "471147",
    "v:credentials.code": "a-code-7",
}
SECRETS = ("open-sesame", "471147", "a-code-7", "given-out")

_BROWSER = shutil.which("chromium") or shutil.which("chromium-browser")
_DRIVER = shutil.which("chromedriver")


@contextmanager
def started(profile: Path) -> Iterator[Chrome]:
    """Start the browser with an empty folder for its profile, and end it."""
    from selenium import webdriver

    options = webdriver.ChromeOptions()
    options.binary_location = str(_BROWSER)
    for argument in (
        "--headless=new",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-dev-shm-usage",
        "--disable-background-networking",
        "--no-first-run",
        "--disable-lcd-text",
        "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
        f"--user-data-dir={profile}",
    ):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(_DRIVER))
    try:
        driver.set_page_load_timeout(30)
        driver.set_script_timeout(30)
        driver.implicitly_wait(10)
        yield driver
    finally:
        driver.quit()


@pytest.fixture(scope="session")
def chrome(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Chrome]:
    if _BROWSER is None or _DRIVER is None:
        pytest.skip("no Chromium here: apt-get install chromium chromium-driver")
    pytest.importorskip("selenium.webdriver", reason="no selenium: install the extra exhaustive")
    with started(tmp_path_factory.mktemp("browser")) as driver:
        yield driver


@pytest.fixture(scope="module")
def mocked_weather() -> Iterator[Called]:
    """A mock of the weather service, and the target that calls it."""
    with called(WEATHER, safe=["GetWeather"]) as both:
        yield both


@pytest.fixture(scope="module")
def mocked_door() -> Iterator[Called]:
    """A mock of a service with secrets in its requests and responses, and the target that calls it."""
    door = Path(__file__).parent / "cases/door.wsdl"
    with called(door, clock=ManualClock(MOMENT), safe=["Login"], attempts=2) as both:
        yield both


@pytest.fixture
def artefacts(tmp_path: Path) -> Path:
    """The folder for screenshots. The environment variable SCREENSHOTS keeps them."""
    return Path(os.environ.get("SCREENSHOTS", tmp_path))
