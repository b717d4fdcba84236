from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from bindgen.fetching import lock
from bindgen.fetching.errors import FetchError
from bindgen.fetching.fetch import FetchReport, FetchRequest, fetch
from soapclient.clock import ManualClock

URL = "https://api.example.org/v1?wsdl"
HEAD = '<definitions xmlns="http://schemas.xmlsoap.org/wsdl/" xmlns:x="http://www.w3.org/2001/XMLSchema">'
SCHEMA = '<schema xmlns="http://www.w3.org/2001/XMLSchema"/>'
MARKED = SCHEMA.replace("/>", ' id="{}"/>')

Fetch = Callable[..., FetchReport]
Refused = Callable[..., FetchError]
Snapshot = Callable[[], dict[str, tuple[bytes, int]]]


def including(*locations: str) -> str:
    return "".join(f'\n<x:include schemaLocation="{location}"/>' for location in locations)


def wsdl(*locations: str) -> str:
    """Return a WSDL that includes these documents, on lines of their own."""
    return f"{HEAD}<types><x:schema>{including(*locations)}</x:schema></types></definitions>"


def schema(*locations: str) -> str:
    return f'<x:schema xmlns:x="http://www.w3.org/2001/XMLSchema">{including(*locations)}</x:schema>'


@dataclass
class Page:
    content: bytes
    media_type: str = "text/xml"
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)


@dataclass
class Site:
    """A real HTTP server on loopback: pages by path with query, and the requests it received."""

    address: str
    pages: dict[str, Page] = field(default_factory=dict)
    asked: list[tuple[str, dict[str, str]]] = field(default_factory=list)

    def put(self, path: str, content: bytes, **headers: str) -> None:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        self.pages[path] = Page(content, headers=named)

    @property
    def paths(self) -> list[str]:
        return [path for path, _ in self.asked]


def _handler(site: Site) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            site.asked.append((self.path, dict(self.headers)))
            page = site.pages.get(self.path, Page(b"no such page", "text/plain", 404))
            etag = page.headers.get("ETag")
            unmodified = etag is not None and etag == self.headers.get("If-None-Match")
            self.send_response(304 if unmodified else page.status)
            for name, value in page.headers.items():
                self.send_header(name, value)
            if not unmodified:
                self.send_header("Content-Type", page.media_type)
                if not {"Content-Length", "Transfer-Encoding"} & page.headers.keys():
                    self.send_header("Content-Length", str(len(page.content)))
            self.end_headers()
            if not unmodified:
                self.wfile.write(page.content)

        def log_message(self, format: str, *args: object) -> None:
            pass

    return Handler


@pytest.fixture
def site(monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    served = Site("")
    server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(served))
    served.address = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield served
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(datetime(2026, 11, 21, 10, 0, 0, tzinfo=UTC))


@pytest.fixture
def snapshot(tmp_path: Path) -> Snapshot:
    """Return bytes and modification times of all files below the folder `wsdl`, by relative name."""

    def take() -> dict[str, tuple[bytes, int]]:
        folder = tmp_path / "wsdl"
        return {
            file.relative_to(folder).as_posix(): (file.read_bytes(), file.stat().st_mtime_ns)
            for file in sorted(folder.rglob("*"))
            if file.is_file()
        }

    return take


@pytest.fixture
def fetch_shop(tmp_path: Path, clock: ManualClock) -> Fetch:
    """Fetch the contract `shop` from `URL`, by default. Positional arguments are allowed hosts."""
    request: Callable[..., FetchRequest] = FetchRequest

    def run(*allow: str, origin: lock.Origin = "fetched", **given: object) -> FetchReport:
        usual = {"name": "shop", "folder": tmp_path, "version": "v1", "url": URL, "clock": clock}
        return fetch(request(**(usual | {"allow_hosts": allow} | given)), origin=origin)

    return run


@pytest.fixture
def refused(fetch_shop: Fetch, tmp_path: Path) -> Refused:
    """Fetch the contract `shop`, which must fail with this message and write no file. Returns the error."""

    def run(said: str, *allow: str, **given: object) -> FetchError:
        with pytest.raises(FetchError, match=said) as caught:
            fetch_shop(*allow, **given)
        assert list(tmp_path.iterdir()) == []
        return caught.value

    return run
