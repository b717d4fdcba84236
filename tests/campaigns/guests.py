"""The console and the mock as targets of hostile requests, each in a separate process."""

from __future__ import annotations

import importlib
import sys
import threading
from collections.abc import Iterable
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path
from typing import TYPE_CHECKING, Final
from urllib.parse import urlencode

from . import attacks_console, attacks_mock, hostile
from .attacks_console import FORM, TOKEN
from .attacks_mock import ENVELOPE, PORT, RIGHT
from .targets import MOST_CONNECTIONS, TIMEOUT, OwnProcess, until_the_end

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIEnvironment

    from soapclient.testing.mocks.service import MockService

_SETTLED: Final = 2000  # number of attacks after which logs and histories are full
_WSDL: Final = Path(__file__).parents[1] / "connection" / "weather.wsdl"
_PACKAGE: Final = "attacked_weather"
_REACHED: Final = "/reached"


class MockTarget(OwnProcess):
    """A mock of a weather service with its switchboard. The same request always gets the same response."""

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


class ConsoleTarget(OwnProcess):
    """A console of a mocked weather service. Requests without the token must not reach the service."""

    def __init__(self, seed: int) -> None:
        super().__init__(_serve_console)

    def _asked(self, number: int) -> str:
        cookie = f"soapclient-console-{self.ports['plain']}={TOKEN}"
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
        _, reached = self._sent("GET", _REACHED, port="behind")
        return "" if reached == "0" else f"{reached} requests reached the service that nobody may send"


def _package(folder: str) -> None:
    from bindgen import init

    init.write(Path(folder) / _PACKAGE, init.make(_PACKAGE, _WSDL, offline=True).files)
    sys.path.insert(0, folder)


def _serve_mock(folder: str, line: Connection) -> None:
    from soapclient.serving.server import Server
    from soapclient.testing.mocks.server import mock_service

    _package(folder)
    service = mock_service(_PACKAGE, switchboard=True)
    with Server(service, timeout=TIMEOUT, max_connections=MOST_CONNECTIONS) as server:
        until_the_end(line, {"plain": server.url})


class _Counting:
    """A mock that reports at `/reached` how many forbidden requests it has received."""

    def __init__(self, service: MockService) -> None:
        self._service = service
        self.max_body = service.max_body
        self._reached = 0
        self._lock = threading.Lock()

    def wsgi(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
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
    from soapclient.console.control_client import ControlClient
    from soapclient.console.targets import of_service
    from soapclient.serving.server import Server
    from soapclient.testing.mocks.server import mock_service

    _package(folder)
    service = mock_service(_PACKAGE)
    package = importlib.import_module(f"{_PACKAGE}.service").PACKAGE
    facade = importlib.import_module(_PACKAGE).AttackedWeatherService
    with Server(_Counting(service)) as behind:
        address = behind.url + PORT.decode()
        connection = connect(facade, address=address)
        port = package.settings.ports[0]
        target = of_service("weather", package, port, address, connection, facade.__name__)
        console = Console([target], {}, in_words, ControlClient("http://127.0.0.1:9"))
        console.token = TOKEN
        with Server(console, timeout=TIMEOUT, max_connections=MOST_CONNECTIONS) as server:
            until_the_end(line, {"plain": server.url, "behind": behind.url})
        connection.close()


run_mock: Final = partial(
    hostile.run, target=MockTarget, attacks=attacks_mock.ATTACKS, name="hostile mock", settled=_SETTLED
)
run_console: Final = partial(
    run_mock, target=ConsoleTarget, attacks=attacks_console.ATTACKS, name="hostile console"
)
