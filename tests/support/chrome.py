"""The browser of tests. It can reach only this machine."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from selenium.webdriver import Chrome

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
