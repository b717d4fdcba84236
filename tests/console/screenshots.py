"""Write the pictures of the console in docs/how-to: `python -m tests.console.screenshots`.

They show the sandbox's own data at a fixed time, so that they change only with the console. Needs Chromium
and its driver.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Final, NamedTuple
from unittest.mock import patch

from soapclient import Settings
from soapclient.cli.consoles import configured, in_words
from soapclient.console import application
from soapclient.console.application import Console
from soapclient.console.control_client import ControlClient
from soapclient.serving.server import Server
from soapclient.tracking.sandbox import SAMPLE_CONNECT_ID, SAMPLE_SECRET_KEY, Sandbox, serve
from tests.console.browser import Browser
from tests.console.looking import Look, set_look
from tests.console.pictures import with_few_colours
from tests.support.chrome import started

if TYPE_CHECKING:
    from selenium.webdriver import Chrome

FOLDER: Final = Path(__file__).parents[2] / "docs" / "how-to"
MAX_BYTES: Final = 150_000  # of one picture
_MOMENT: Final = datetime(2026, 11, 2, 9, 30, tzinfo=UTC)
_PORT: Final = 8642  # of the sandbox, whose address the pages show
_STEP: Final = 0.004  # seconds between two looks at the clock
_PAINTED: Final = (
    "const done = arguments[0]; requestAnimationFrame(() => requestAnimationFrame(() => done()));"
)
# Operations with the values of their forms.
_CALLS: Final[tuple[tuple[str, dict[str, str]], ...]] = (
    ("SearchPrograms", {"v:items": "5"}),
    ("GetProfile", {}),
    ("GetSales", {"v:date": "2026-11-01", "v:date_type": "trackingDate", "v:items": "25"}),
)


class Picture(NamedTuple):
    """The address of the page, and its look."""

    path: str
    look: Look


PICTURES: Final = {
    "console-start": Picture("/", Look(1280, 800, "light")),
    "console-light": Picture("/history/3", Look(1440, 900, "light")),
    "console-dark": Picture("/history/3", Look(1440, 900, "dark")),
    "console-phone": Picture("/history/3", Look(390, 844, "light")),
}


@contextmanager
def _console() -> Iterator[tuple[str, str]]:
    """Serve a console with three calls in its history, and yield its address and its token."""
    moments = (_MOMENT.replace(second=second) for second in count(12, 7))
    ticks = count()
    with ExitStack() as ends:
        # Requests are signed with the present time, so signatures must be valid for long.
        fixed = Sandbox(clock=lambda: _MOMENT, validity=timedelta(days=36_500), switchboard=True)
        sandbox = ends.enter_context(fixed)
        url = ends.enter_context(serve(sandbox, port=_PORT)).url
        urls = {f"{name}_url": url for name in ("publisher", "data", "advertiser")}
        config = Settings.load(
            environ={}, connect_id=SAMPLE_CONNECT_ID, secret_key=SAMPLE_SECRET_KEY, attempts=1, **urls
        )
        ends.enter_context(patch.object(application, "now", lambda: next(moments)))
        shown = ends.enter_context(configured(config))
        for target in shown.targets:
            target._monotonic = lambda: next(ticks) * _STEP
        console = Console(shown.targets, shown.explored, in_words, ControlClient(url), shown.jobs)
        server = ends.enter_context(Server(console))
        browser = Browser(server.url, console.token)
        for operation, values in _CALLS:
            browser.post(f"/try/publisher/{operation}", do="send", **values)
            browser.response.raise_for_status()
        yield server.url, console.token


def write(chrome: Chrome, folder: Path) -> list[Path]:
    """Write all pictures to a folder, and return their paths. Raises ValueError if one is too large."""
    files = []
    with _console() as (url, token):
        chrome.get(f"{url}/?token={token}")
        for name, picture in PICTURES.items():
            set_look(chrome, picture.look)
            chrome.execute_cdp_cmd("Emulation.setScrollbarsHidden", {"hidden": True})  # they fade out
            chrome.get(url + picture.path)
            chrome.find_element("css selector", "#keys:not([hidden])")  # the script has run
            chrome.execute_async_script(_PAINTED)
            file = folder / f"{name}.png"
            file.write_bytes(with_few_colours(chrome.get_screenshot_as_png()))
            if file.stat().st_size > MAX_BYTES:
                raise ValueError(f"{file.name} must have at most {MAX_BYTES:,} bytes")
            files.append(file)
    return files


def main() -> int:
    """Write the pictures to docs/how-to, or to the folder in the first argument."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER
    with TemporaryDirectory(prefix="soapclient-pictures-") as profile, started(Path(profile)) as chrome:
        for file in write(chrome, folder):
            print(f"{file.name} {file.stat().st_size:,} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
