"""Clients that never sleep, and hand-written SOAP responses."""

from __future__ import annotations

import email
import email.policy
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from email.message import MIMEPart
from functools import partial
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from soapclient import Client, Settings
from soapclient.clock import ManualClock
from soapclient.connection import connect
from soapclient.contract import package_documents
from soapclient.soap.zeep_service import document
from soapclient.tracking.sandbox import Sandbox
from tests.conftest import SECRET_KEY, RestClient
from tests.support import soap
from tests.support.packages import generated
from tests.support.soap import SOAP_11, SOAP_12
from tests.support.wire import Action, Exchange, Sent, Wire
from zxws.data import service as data
from zxws.publisher import service as publisher

__all__ = ["SOAP_11", "SOAP_12"]

PUBLISHER = "http://api.zanox.com/namespace/2011-03-01/"
WSSE = "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-secext-1.0.xsd"
WEATHER = Path(__file__).parents[1] / "connection/weather.wsdl"
WEATHER_SPACE = "urn:example:weather"
ROME = (
    f'<GetWeatherResponse xmlns="{WEATHER_SPACE}"><degrees>-3.50</degrees><sky>clear</sky>'
    "<station>Rome</station></GetWeatherResponse>"
)
OpenClient = Callable[..., Client]
Open = Callable[..., Any]


def envelope(body: str = ROME, head: str = "", space: str = SOAP_11) -> bytes:
    return soap.envelope(body, head, space).encode()


class Responses:
    """Hand-written SOAP responses, as bytes."""

    def of(self, operation: str, content: str = "", *, space: str = PUBLISHER) -> bytes:
        """Return the response of an operation."""
        return envelope(f'<{operation}Response xmlns="{space}">{content}</{operation}Response>')

    def profile(self, more: str = "", **changed: str | None) -> bytes:
        """Return a GetProfile response. `changed` replaces the text of a child; None omits the child."""
        texts: dict[str, str | None] = {
            "adrank": "1.5", "firstName": "Erika", "lastName": "Example", "email": "erika@example.org",
            "country": "DE", "street1": "Example Street 1", "city": "Berlin", "zipcode": "10115",
            "currency": "EUR", "title": "Dr.", "loginName": "example", "userName": "example",
            "isAdvertiser": "false", "isSublogin": "false",
        }  # fmt: skip
        texts |= changed
        fields = "".join(f"<{name}>{text}</{name}>" for name, text in texts.items() if text is not None)
        return self.of("GetProfile", f'<profileItem id="4711">{fields}{more}</profileItem>')

    @staticmethod
    def sale(number: int, more: str = "", **changed: str | None) -> str:
        """Return a GetSales item. `changed` replaces the text of a child; None omits the child."""
        texts: dict[str, str | None] = {
            "reviewState": "confirmed", "trackingDate": "2026-11-01T10:00:00+01:00",
            "adspace": "Example Space", "admedium": "Banner", "program": "Example Shop",
            "clickId": f"{number}", "clickInId": "0", "amount": "12.30", "commission": "0.10",
            "currency": "EUR",
        }  # fmt: skip
        texts |= changed
        ids = dict.fromkeys(("adspace", "admedium", "program"), ' id="7"')
        fields = "".join(
            f"<{name}{ids.get(name, '')}>{text}</{name}>" for name, text in texts.items() if text is not None
        )
        return f'<saleItem id="sale-{number}">{fields}{more}</saleItem>'

    def sales(self, *items: str, more: str = "", total: int | None = None, page: int = 0) -> bytes:
        """Return a GetSales response with a list, which may be empty."""
        of = len(items) if total is None else total
        head = f"<page>{page}</page><items>{len(items)}</items><total>{of}</total>"
        return self.of("GetSales", f"{head}<saleItems>{''.join(items)}</saleItems>{more}")

    def fault(
        self,
        code: int | str | None = None,
        reason: str = "because",
        error_id: str | None = "e-1",
        *,
        faultcode: str = "s:Server",
    ) -> bytes:
        """Return a SOAP 1.1 fault. Has the contract's detail if a code is given."""
        detail = ""
        if code is not None:
            cited = "" if error_id is None else f"<errorId>{error_id}</errorId>"
            inner = f"<code>{code}</code><reason>{reason}</reason>{cited}"
            detail = f'<SOAPException xmlns="{PUBLISHER}">{inner}</SOAPException>'
        return envelope(soap.fault(faultcode, reason, detail))

    def fault_12(self, code: int | None = None, reason: str = "because", value: str = "s:Receiver") -> bytes:
        """Return a SOAP 1.2 fault."""
        inner = f"<code>{code}</code><reason>{reason}</reason><errorId>e-2</errorId>"
        detail = f'<SOAPException xmlns="{PUBLISHER}">{inner}</SOAPException>'
        return envelope(
            f"<s:Fault><s:Code><s:Value>{value}</s:Value></s:Code>"
            f'<s:Reason><s:Text xml:lang="en">{reason}</s:Text></s:Reason>'
            f"{'' if code is None else f'<s:Detail>{detail}</s:Detail>'}</s:Fault>",
            space=SOAP_12,
        )


responses = Responses()


class Pieces:
    """The stream's view of a response."""

    status = 200
    content_type = "text/xml"
    headers: dict[str, str] = {}  # noqa: RUF012 - never written

    def release(self) -> None:
        """Release the returned items."""

    def renew_now(self) -> None:
        """Do nothing: there is no deadline."""


def send(exchange: Exchange, body: bytes, status: int = 200, **headers: str) -> None:
    """Send a complete response."""
    exchange.head(status, **{"Content_Length": str(len(body))} | headers)
    exchange.write(body)


def cut(body: bytes, end: int, status: int = 200, **headers: str) -> Action:
    """Return an action that sends a response up to an index, and closes the connection."""

    def act(exchange: Exchange) -> None:
        exchange.head(status, **{"Content_Length": str(len(body))} | headers)
        exchange.write(body[:end])
        exchange.drop()

    return act


def stall(exchange: Exchange) -> None:
    """Send no response, but keep the connection open until the test ends."""
    exchange.drop()
    exchange.ended.wait(10)


@pytest.fixture(scope="session", autouse=True)
def _warm() -> None:
    """Load everything that the first call would load, so that it does not use up a test's deadline."""
    from soapclient.soap import client

    assert client
    for package in (publisher.PACKAGE, data.PACKAGE):
        assert document(package.document("contract.wsdl")) is not None
        assert package_documents.checks(package) is not None


@pytest.fixture
def clock(rest_clock: ManualClock) -> ManualClock:
    return rest_clock


@pytest.fixture
def open_client(request: pytest.FixtureRequest, rest_client: RestClient) -> OpenClient:
    """Open clients of the scripted server (or of `url`), as `rest_client` does."""

    def opened(url: str | None = None, **given: Any) -> Client:
        return rest_client(url or request.getfixturevalue("wire").url, protocol="soap", **given)

    return opened


@pytest.fixture
def client(open_client: OpenClient) -> Client:
    """A client of the scripted server with default settings."""
    return open_client()


@pytest.fixture
def once(open_client: OpenClient) -> Client:
    """A client without retries."""
    return open_client(attempts=1)


@pytest.fixture(scope="session")
def sandbox(rest_sandbox: tuple[Sandbox, str]) -> str:
    """The address of a served sandbox whose clock is stopped."""
    return rest_sandbox[1]


@pytest.fixture
def hmac_of(signature_of: Callable[..., str]) -> Callable[..., str]:
    """Compute a signature independently of the package."""
    return partial(signature_of, SECRET_KEY)


@pytest.fixture
def connected(wire: Wire, clock: ManualClock) -> Iterator[Open]:
    """Connect a generated service to the scripted server (or to `address`), with a stopped clock."""
    with ExitStack() as stack:

        def make(service: Any, settings: Settings, *, address: str = "", **options: Any) -> Any:
            options |= {"clock": clock, "random": lambda: 1.0}
            connection = connect(service, address=address or wire.url, settings=settings, **options)
            return stack.enter_context(connection)

        yield make


# ---- a service of any WSDL, for features of zeep


def mime(sent: Sent) -> tuple[MIMEPart, list[MIMEPart]]:
    """Return a multipart message and its parts, as Python's own parser reads them."""
    head = f"Content-Type: {sent.headers['content-type']}\r\n\r\n".encode()
    message = email.message_from_bytes(head + sent.body, policy=email.policy.HTTP)
    return message, list(message.iter_parts())


@pytest.fixture(scope="session")
def weather() -> Iterator[ModuleType]:
    with generated("weather_of_features", WEATHER) as package:
        yield package


@pytest.fixture
def types(weather: ModuleType) -> Any:
    return import_module("weather_of_features.types")


@pytest.fixture
def opened(weather: ModuleType, connected: Open) -> Open:
    def make(**given: Any) -> Any:
        given = {"settings": Settings(safe={"GetWeather"}, attempts=2)} | given
        return connected(weather.WeatherOfFeaturesService, **given)

    return make
