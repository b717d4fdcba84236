"""Packages made by `bindgen init` from the WSDLs beside this file, and a server written by hand from one."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import UTC, datetime
from importlib import import_module, invalidate_caches
from pathlib import Path
from types import ModuleType
from typing import Any
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

import pytest
from lxml import etree

from bindgen import init
from soapclient.clock import ManualClock
from soapclient.connection import connect
from soapclient.runtime.package import package

HERE = Path(__file__).parent
SPACE = "urn:example:weather"
SOAP = {
    "1.1": "http://schemas.xmlsoap.org/soap/envelope/",
    "1.2": "http://www.w3.org/2003/05/soap-envelope",
}
Make = Callable[..., ModuleType]


@pytest.fixture(scope="session")
def make_package(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Make]:
    """Generates a package and gives its module `service`; packages of one session have names of their own."""
    folder = tmp_path_factory.mktemp("made")
    sys.path.insert(0, str(folder))

    def make(name: str, wsdl: Path) -> ModuleType:
        made = init.make(name, wsdl, offline=True)
        assert [str(problem) for problem in made.problems] == []
        init.write(folder / name, made.files)
        invalidate_caches()
        # Another test of this process may have had a package of the name, elsewhere.
        for other in [each for each in sys.modules if each.partition(".")[0] == name]:
            del sys.modules[other]
            package.cache_clear()
        return import_module(f"{name}.service")

    yield make
    sys.path.remove(str(folder))


@pytest.fixture(scope="session")
def weather(make_package: Make) -> ModuleType:
    return make_package("weather", HERE / "weather.wsdl")


@dataclass
class WeatherApp:
    """The weather service, written from its WSDL: responses are built and requests read with lxml alone."""

    actions: list[str] = field(default_factory=list)
    bodies: list[bytes] = field(default_factory=list)
    observed: list[str] = field(default_factory=list)

    def __call__(self, environ: dict[str, Any], start_response: Callable[..., object]) -> list[bytes]:
        content = environ["wsgi.input"].read(int(environ["CONTENT_LENGTH"]))
        self.bodies.append(content)
        kind: str = environ["CONTENT_TYPE"]
        root = etree.fromstring(content)
        version = "1.2" if root.tag == f"{{{SOAP['1.2']}}}Envelope" else "1.1"
        wanted = "application/soap+xml" if version == "1.2" else "text/xml"
        assert kind.partition(";")[0] == wanted, kind
        self.actions.append(kind.partition("action=")[2] if version == "1.2" else environ["HTTP_SOAPACTION"])
        status, response = self._answer(root, SOAP[version])
        start_response(status, [("Content-Type", f"{wanted}; charset=utf-8")])
        return [response]

    def _answer(self, root: etree._Element, soap: str) -> tuple[str, bytes]:
        body = root.find(f"{{{soap}}}Body")
        assert body is not None
        if not len(body):
            return "200 OK", _envelope(soap, "")
        if body[0].tag == f"{{{SPACE}}}Observed":
            self.observed.append(body.findtext(".//{*}degrees", ""))
            return "202 Accepted", b""
        if body[0].tag == f"{{{SPACE}}}First":
            one, two = body[0].text, body[1].text
            first = f'<First xmlns="{SPACE}">{two}</First>'
            return "200 OK", _envelope(soap, f'{first}<Second xmlns="{SPACE}">{len(one or "")}</Second>')
        city = body[0].findtext(f"{{{SPACE}}}city")
        if city == "Atlantis":
            return "500 Internal Server Error", _fault(soap, city)
        token = root.findtext(f"{{{soap}}}Header/{{{SPACE}}}Session/{{{SPACE}}}token")
        quota = (
            f'<w:Quota xmlns:w="{SPACE}" s:mustUnderstand="1"><w:left>7</w:left></w:Quota>' if token else ""
        )
        days = body[0].findtext(f"{{{SPACE}}}days", "")
        told = f"""<GetWeatherResponse xmlns="{SPACE}"><degrees>-3.50</degrees><sky>clear</sky>
            <seen>2026-11-20T12:00:00Z</seen><station>{city}</station><station>{days}</station>
            </GetWeatherResponse>"""
        return "200 OK", _envelope(soap, told, quota)


def _envelope(soap: str, body: str, head: str = "") -> bytes:
    header = f"<s:Header>{head}</s:Header>" if head else ""
    return f'<s:Envelope xmlns:s="{soap}">{header}<s:Body>{body}</s:Body></s:Envelope>'.encode()


def _fault(soap: str, city: str) -> bytes:
    known = f"<city>{city}</city><nearest>Santorini</nearest>"
    detail = f'<CityUnknown xmlns="{SPACE}">{known}</CityUnknown>'
    if soap == SOAP["1.1"]:
        said = f"<faultcode>s:Client</faultcode><faultstring>no {city}</faultstring><detail>{detail}</detail>"
    else:
        said = (
            '<s:Code><s:Value>s:Sender</s:Value><s:Subcode xmlns:m="urn:m"><s:Value>m:NoCity</s:Value>'
            f'</s:Subcode></s:Code><s:Reason><s:Text xml:lang="de">kein {city}</s:Text>'
            f'<s:Text xml:lang="en">no {city}</s:Text></s:Reason><s:Detail>{detail}</s:Detail>'
        )
    return _envelope(soap, f"<s:Fault>{said}</s:Fault>")


class _Quiet(WSGIRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def app() -> WeatherApp:
    return WeatherApp()


@pytest.fixture
def served(app: WeatherApp) -> Iterator[str]:
    """The address of the weather service."""
    server = make_server("127.0.0.1", 0, app, WSGIServer, _Quiet)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/weather"
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(datetime(2026, 11, 20, 12, 0, 0, tzinfo=UTC))


Open = Callable[..., Any]


@pytest.fixture
def open_service(clock: ManualClock) -> Iterator[Open]:
    """Opens a service class with a clock that stands still; gives the connection."""
    with ExitStack() as stack:

        def opened(service: Callable[..., Any], address: str, **given: Any) -> Any:
            connection = connect(service, address=address, clock=clock, random=lambda: 1.0, **given)
            stack.callback(connection.close)
            return connection

        yield opened
