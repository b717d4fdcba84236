"""The console and the mock as targets of hostile requests, each in a process of its own."""

from __future__ import annotations

import http.client
import importlib
import multiprocessing
import signal
import sys
import tempfile
import threading
from collections.abc import Callable, Iterable
from contextlib import suppress
from itertools import count as counted
from multiprocessing.connection import Connection
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Final, Self
from urllib.parse import urlencode

from . import attacks_console, attacks_mock, hostile
from .attacks_console import FORM, TOKEN
from .attacks_mock import ENVELOPE, PORT, RIGHT
from .findings import Report
from .hostile import MOST_CONNECTIONS, TIMEOUT
from .resources import few_arenas

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIEnvironment

    from soapclient.testing.mocks.service import MockService

_PATIENCE: Final = 20.0  # seconds for an honest call
_STARTING: Final = 120.0
_SETTLED: Final = 2000  # attacks after which logs and histories are full
_WSDL: Final = Path(__file__).parents[1] / "connection" / "weather.wsdl"
_PACKAGE: Final = "attacked_weather"
_REACHED: Final = "/reached"


class _InProcess:
    """What a function serves in a process of its own; it sends its ports."""

    def __init__(self, serve: Callable[[str, Connection], None]) -> None:
        self._serve = serve
        self._folder = tempfile.TemporaryDirectory()
        self._serial = counted()
        self.ports: dict[str, int] = {}
        self.process = 0

    def __enter__(self) -> Self:
        spawn = multiprocessing.get_context("spawn")
        self._line, theirs = spawn.Pipe()
        self._process = spawn.Process(target=self._serve, args=(self._folder.name, theirs), daemon=True)
        self._process.start()
        theirs.close()
        if not self._line.poll(_STARTING):
            raise RuntimeError("the server did not start")
        plain, self._other = self._line.recv()
        self.ports = {"plain": plain}
        self.process = self._process.pid or 0
        if problem := self.honest():  # which opens what stays open, too
            raise RuntimeError(problem)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._line.close()  # which it takes for the end
        self._process.join(_STARTING)
        if self._process.is_alive():
            self._process.kill()
        self._folder.cleanup()

    def alive(self) -> bool:
        """Whether the process is there."""
        return self._process.is_alive()

    def honest(self) -> str:
        """An honest call."""
        try:
            return self._asked(next(self._serial))
        except (OSError, http.client.HTTPException) as error:
            return f"{type(error).__name__}: {error}"

    def _asked(self, number: int) -> str:
        raise NotImplementedError

    def _sent(
        self, method: str, path: str, body: bytes | None = None, *, port: int = 0, **headers: str
    ) -> tuple[http.client.HTTPResponse, str]:
        connection = http.client.HTTPConnection("127.0.0.1", port or self.ports["plain"], timeout=_PATIENCE)
        try:
            named = {name.replace("_", "-"): value for name, value in headers.items()}
            connection.request(method, path, body, named)
            response = connection.getresponse()
            return response, response.read().decode()
        finally:
            connection.close()


class MockTarget(_InProcess):
    """A mock of a weather service, with its switchboard. The same request gets the same response, always."""

    def __init__(self, seed: int) -> None:
        super().__init__(_serve_mock)
        self._first = ""

    def _asked(self, number: int) -> str:
        body = ENVELOPE % (b"", RIGHT % b"Oslo")
        response, text = self._sent("POST", PORT.decode(), body, Content_Type="text/xml")
        if response.status != 200 or "GetWeatherResponse" not in text:
            return f"status {response.status}: {text[:200]!r}"
        self._first = self._first or text
        return "" if text == self._first else f"another response than before: {text[:200]!r}"


class ConsoleTarget(_InProcess):
    """A console of a mocked weather service. What comes by without the token must not reach the service."""

    def __init__(self, seed: int) -> None:
        super().__init__(_serve_console)

    def _asked(self, number: int) -> str:
        cookie = f"soapclient-console={TOKEN}"
        city = f"Honest{number}"
        body = urlencode({"do": "send", "v:city": city}).encode()
        kind = "application/x-www-form-urlencoded"
        response, text = self._sent("POST", FORM.decode(), body, Cookie=cookie, Content_Type=kind)
        place = response.getheader("Location", "")
        if response.status != 303 or not place.startswith("/history/"):
            return f"status {response.status}: {text[:200]!r}"
        response, text = self._sent("GET", place, Cookie=cookie)
        if response.status != 200 or city not in text or "200 OK" not in text:
            return f"{place}: status {response.status}, without the call of {city}"
        _, reached = self._sent("GET", _REACHED, port=self._other)
        return "" if reached == "0" else f"{reached} requests reached the service that nobody may send"


def _package(folder: str) -> None:
    from bindgen import init

    init.write(Path(folder) / _PACKAGE, init.make(_PACKAGE, _WSDL, offline=True).files)
    sys.path.insert(0, folder)


def _until_the_end(line: Connection, *ports: str) -> None:
    line.send(tuple(int(url.rpartition(":")[2]) for url in ports))
    with suppress(EOFError, OSError):
        line.recv()


def _serve_mock(folder: str, line: Connection) -> None:
    from soapclient.sandbox.server import Server
    from soapclient.testing.mocks.served import mock_service

    few_arenas()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _package(folder)
    service = mock_service(_PACKAGE, switchboard=True)
    with Server(service, timeout=TIMEOUT, max_connections=MOST_CONNECTIONS) as server:
        _until_the_end(line, server.url, server.url)


class _Counting:
    """A mock that says at `/reached` how many requests came that nobody may send."""

    def __init__(self, service: MockService) -> None:
        self._service = service
        self.max_body = service.max_body
        self._reached = 0
        self._lock = threading.Lock()

    def wsgi(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        """The WSGI entry point."""
        if environ["PATH_INFO"] == _REACHED:
            body = str(self._reached).encode()
            start_response("200 OK", [("Content-Length", str(len(body)))])
            return [body]
        if b"GetWeather" not in environ["wsgi.input"].getvalue():
            with self._lock:
                self._reached += 1
        return self._service.wsgi(environ, start_response)


def _serve_console(folder: str, line: Connection) -> None:
    from soapclient import connect
    from soapclient.cli.consoles import in_words
    from soapclient.console.application import Console
    from soapclient.console.targets import of_connection
    from soapclient.console.watch import Watch
    from soapclient.sandbox.server import Server
    from soapclient.testing.mocks.served import mock_service

    few_arenas()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _package(folder)
    service = mock_service(_PACKAGE)
    package = importlib.import_module(f"{_PACKAGE}.service").PACKAGE
    facade = importlib.import_module(_PACKAGE).AttackedWeatherService
    with Server(_Counting(service)) as behind:
        address = behind.url + PORT.decode()
        connection = connect(facade, address=address)
        port = package.settings.ports[0]
        target = of_connection("weather", package, port, address, connection, facade.__name__)
        console = Console([target], {}, in_words, Watch("http://127.0.0.1:9"))
        console.token = TOKEN
        with Server(console, timeout=TIMEOUT, max_connections=MOST_CONNECTIONS) as server:
            _until_the_end(line, server.url, behind.url)
        connection.close()


def run_mock(seed: int, *, count: int, minutes: float | None = None) -> Report:
    """Send `count` hostile requests to a mock."""
    return hostile.run(
        seed,
        count=count,
        minutes=minutes,
        target=MockTarget,
        attacks=attacks_mock.ATTACKS,
        name="hostile mock",
        settled=_SETTLED,
    )


def run_console(seed: int, *, count: int, minutes: float | None = None) -> Report:
    """Send `count` hostile requests to a console."""
    return hostile.run(
        seed,
        count=count,
        minutes=minutes,
        target=ConsoleTarget,
        attacks=attacks_console.ATTACKS,
        name="hostile console",
        settled=_SETTLED,
    )
