"""One account by each interface (`Client`, `connect`, their asyncio forms) and protocol (SOAP, XML, JSON).

A test with the fixture `case` runs once for each pair of interface and protocol, against one scripted server.
"""

from __future__ import annotations

import asyncio
import base64
import hashlib
import hmac
import inspect
import json
import socket
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import ExitStack
from datetime import UTC, datetime
from typing import Any, Final, cast
from xml.sax.saxutils import escape

import pytest

from soapclient import AsyncClient, Client, Settings
from soapclient.asyncio import connect_async
from soapclient.clock import Clock, ManualClock
from soapclient.connection import connect
from soapclient.runtime import Finding
from soapclient.soap.zeep_service import document
from tests.conftest import CONNECT_ID, SECRET_KEY
from tests.support.wire import Action, Exchange, Sent, Wire
from zxws.publisher.service import PACKAGE, PublisherService, PublisherServiceAsync

NOW: Final = datetime(2026, 11, 20, 12, tzinfo=UTC)
INTERFACES: Final = ("Client", "connect", "AsyncClient", "connect_async")
PROTOCOLS: Final = ("soap", "xml", "json")
CASES: Final = [(interface, protocol) for interface in INTERFACES for protocol in PROTOCOLS]
PROFILE: Final[Mapping[str, object]] = {
    "@id": "4711",
    "adrank": 1.5,
    "firstName": "Erika",
    "lastName": "Example",
    "email": "erika@example.org",
    "country": "DE",
    "street1": "Example Street 1",
    "city": "Berlin",
    "zipcode": "10115",
    "currency": "EUR",
    "title": "Dr.",
    "loginName": "example",
    "userName": "example",
    "isAdvertiser": False,
    "isSublogin": False,
}
_SPACE: Final = "http://api.zanox.com/namespace/2011-03-01/"
_SOAP: Final = "http://schemas.xmlsoap.org/soap/envelope/"
_KINDS: Final = {"soap": "text/xml", "xml": "application/xml", "json": "application/json"}

Signature = tuple[str, str, str, tuple[str, ...]]


class Calls:
    """An open interface: `target` has the operations of the Publisher service, `counts` drift findings."""

    # the operations of four classes that have no common base
    def __init__(self, target: Any, drift: Any, runner: asyncio.Runner) -> None:
        self._target = target
        self._drift = drift
        self._runner = runner

    def read(self) -> str | None:
        """Call GetProfile. Return the city."""
        response = self._done(self._target.get_profile())
        return response.profile_item and cast("str", response.profile_item.city)

    def write(self) -> int:
        """Call DeleteAdspace. Return the number of deleted ad spaces."""
        return cast("int", self._done(self._target.delete_adspace(adspace_id=1)).count)

    def balances(self) -> list[str]:
        """Call GetBalances. Return the ids of its page."""
        return [item.id for item in self._done(self._target.get_balances()).balance_items or ()]

    def iterate(self) -> Generator[str, None, None]:
        """Iterate over the ids of all balances, two on a page."""
        items = self._target.iterate.get_balances(items=2)
        if hasattr(items, "__aiter__"):
            items = self._each(aiter(items))
        yield from (item.id for item in items)

    def stream(self) -> Generator[str, None, None]:
        """Stream the ids of one page of balances."""
        manager = self._target.stream.get_balances()
        if hasattr(manager, "__enter__"):
            with manager as items:
                yield from (item.id for item in items)
            return
        items = self._runner.run(manager.__aenter__())
        try:
            yield from (item.id for item in self._each(aiter(items)))
        except BaseException as error:
            self._runner.run(manager.__aexit__(type(error), error, None))
            raise
        self._runner.run(manager.__aexit__(None, None, None))

    def counts(self) -> dict[tuple[str, Finding], int]:
        return dict(self._drift.counts())

    def _done(self, value: Any) -> Any:  # the response, or a coroutine that returns it
        return self._runner.run(value) if inspect.iscoroutine(value) else value

    def _each(self, items: Any) -> Iterator[Any]:  # an asynchronous iterator of any items
        async def following() -> list[Any]:
            async for item in items:
                return [item]
            return []

        while next_items := self._runner.run(following()):
            yield from next_items


class Case:
    """One interface and one protocol: opens clients of the scripted server, and writes its responses."""

    def __init__(self, interface: str, protocol: str, wire: Wire, runner: asyncio.Runner) -> None:
        self.interface = interface
        self.protocol = protocol
        self.wire = wire
        self.clock = ManualClock(NOW)
        self.kind = _KINDS[protocol]
        self._runner = runner
        self._stack = ExitStack()

    def open(
        self,
        url: str | None = None,
        *,
        clock: Clock | None = None,
        on_finding: Callable[[str, Finding, int], None] | None = None,
        **settings: object,
    ) -> Calls:
        """Open a client with a stopped clock and a random function that always returns 1."""
        url = url or self.wire.url
        account: dict[str, object] = {"connect_id": CONNECT_ID, "secret_key": SECRET_KEY}
        form = self.protocol if self.protocol != "soap" else "xml"
        load: Callable[..., Settings] = Settings.load
        config = load(
            environ={},
            publisher_url=url,
            publisher_protocol="soap" if self.protocol == "soap" else "rest",
            rest_format=form,
            rest_signature="query" if self.protocol == "json" else "headers",  # both places
            **(account | settings),
        )
        injected: dict[str, Any] = {
            "clock": clock or self.clock,
            "random": lambda: 1.0,
            "on_finding": on_finding,
        }
        if self.interface == "Client":
            client = self._stack.enter_context(Client(config, **injected))
            return Calls(client.publisher, client.drift, self._runner)
        if self.interface == "AsyncClient":
            awaited = AsyncClient(config, **injected)
            self._stack.callback(lambda: self._runner.run(awaited.aclose()))
            return Calls(awaited.publisher, awaited.drift, self._runner)
        injected |= {"address": f"{url}/{self.protocol}/{PACKAGE.settings.version}", "settings": config}
        injected["protocol"] = config.publisher_protocol
        if self.interface == "connect":
            service = connect(PublisherService, **injected)
            self._stack.callback(service.close)
            return Calls(service, service.drift, self._runner)
        served = connect_async(PublisherServiceAsync, **injected)
        self._runner.run(served.__aenter__())
        self._stack.callback(lambda: self._runner.run(served.__aexit__(None, None, None)))
        return Calls(served, served.drift, self._runner)

    def close(self) -> None:
        self._stack.close()

    # ---- responses

    def message(self, root: str, content: Mapping[str, object]) -> bytes:
        """Return a document of nested mappings in the form of the protocol; `@` is before attributes."""
        if self.protocol == "json":
            return json.dumps(content).encode()
        document = _xml(root, {**content, "@xmlns": _SPACE})
        return self.envelope(document) if self.protocol == "soap" else document.encode()

    @staticmethod
    def envelope(body: str) -> bytes:
        return f'<s:Envelope xmlns:s="{_SOAP}"><s:Body>{body}</s:Body></s:Envelope>'.encode()

    def profile(self, **changed: object) -> bytes:
        """Return a GetProfile response. `changed` replaces or adds children; None omits one."""
        fields = {name: value for name, value in {**PROFILE, **changed}.items() if value is not None}
        return self.message("GetProfileResponse", {"profileItem": fields})

    def deleted(self, count: object = 1, **more: object) -> bytes:
        return self.message("DeleteAdspaceResponse", {"count": count, **more})

    def balances(self, *ids: str, page: int = 0, total: int | None = None, **more: object) -> bytes:
        """Return a page of GetBalances. `more` are further children of each item."""
        items = [{"@id": id_, "open": "1.10", "confirmed": "2.20", **more} for id_ in ids]
        head = {"page": page, "items": len(ids), "total": len(ids) if total is None else total}
        return self.message("GetBalancesResponse", head | {"balanceItems": {"balanceItem": items}})

    def refusal(self, code: int, reason: str = "because") -> bytes:
        """Return the service's own error: the contract's fault, or the documented error body of REST."""
        own = {"code": code, "reason": reason, "errorId": "e-17"}
        if self.protocol != "soap":
            return self.message("response", {**own, "message": "denied"})
        fault = "<faultcode>s:Server</faultcode><faultstring>denied</faultstring>"
        detail = _xml("SOAPException", {**own, "@xmlns": _SPACE})
        return self.envelope(f"<s:Fault>{fault}<detail>{detail}</detail></s:Fault>")

    # ---- what the server does

    def answers(self, body: bytes, status: int = 200, kind: str | None = None, **headers: str) -> None:
        """Answer the next request with this, by default as a document of the protocol."""
        self.wire.answers(body, status, **({"Content_Type": kind or self.kind} | headers))

    def refuses(self, code: int, reason: str = "because", **headers: str) -> None:
        """Answer the next request with the service's own error."""
        self.answers(self.refusal(code, reason), 500 if self.protocol == "soap" else 400, **headers)

    def answers_after(self, seconds: float, body: bytes, status: int = 200) -> None:
        """Answer the next request so many seconds later by the clock of the client."""

        def act(exchange: Exchange) -> None:
            self.clock.advance(seconds)
            exchange.head(status, Content_Type=self.kind, Content_Length=str(len(body)))
            exchange.write(body)

        self.wire.does(act)

    def drops(self, *actions: Action) -> None:
        for action in actions or (vanish,):
            self.wire.does(action)

    # ---- what the client sent

    def signatures(self, sent: Sent) -> list[Signature]:
        """Return time, nonce, signature and the signed parts before them, for each place of a signature."""
        verb = sent.method
        if self.protocol == "json":
            query = dict(sent.pairs)
            uri = sent.path.removeprefix("/json/2011-03-01")
            return [(query["date"], query["nonce"], query["signature"], (verb, uri))]
        headers = sent.headers
        scheme, _, signature = headers["authorization"].rpartition(":")
        assert scheme == f"ZXWS {CONNECT_ID}"
        uri = sent.path.removeprefix(f"/{self.protocol}/2011-03-01") or "/"
        places: list[Signature] = [(headers["date"], headers["nonce"], signature, (verb, uri))]
        if self.protocol == "soap":
            operation = sent.headers["soapaction"].strip('"').rpartition("/")[2].lower()
            parts = ("publisherservice", operation)
            fields = sent.fields
            places.append((fields["timestamp"], fields["nonce"], fields["signature"], parts))
        return places

    def times(self) -> list[str]:
        """Return the time of day in the signatures of each request. All places must have the same."""
        times = []
        for sent in self.wire.sent:
            (time,) = {place[0].removesuffix(" GMT")[-8:] for place in self.signatures(sent)}
            times.append(time)
        return times


def signature_of(*parts: str) -> str:
    """Compute a signature independently of the package."""
    mac = hmac.new(SECRET_KEY.encode(), "".join(parts).encode(), hashlib.sha1)
    return base64.b64encode(mac.digest()).decode()


def notes(error: BaseException) -> str:
    return " ".join(getattr(error, "__notes__", []))


def vanish(exchange: Exchange) -> None:
    """Read the request and close the connection without a response."""
    exchange.drop()


def break_off(exchange: Exchange) -> None:
    """Send fewer bytes than the headers announce."""
    exchange.head(Content_Length="1000")
    exchange.write(b"<a>{")
    exchange.drop()


def two_lengths(exchange: Exchange) -> None:
    """Send two different Content-Length headers. The real length is unknown."""
    exchange.head(Content_Length="5", content_length="6")
    exchange.write(b"hello!")
    exchange.drop()


def closed_port() -> str:
    """Return the address of a port on which no server listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{probe.getsockname()[1]}"


def _xml(name: str, value: object) -> str:
    if isinstance(value, list):
        return "".join(_xml(name, item) for item in value)
    if isinstance(value, Mapping):
        attributes = "".join(f' {key[1:]}="{text}"' for key, text in value.items() if key[0] == "@")
        inner = "".join(_xml(key, item) for key, item in value.items() if key[0] != "@")
        return f"<{name}{attributes}>{inner}</{name}>"
    text = str(value).lower() if isinstance(value, bool) else str(value)
    return f"<{name}>{escape(text)}</{name}>"


@pytest.fixture(scope="session")
def _runner() -> Iterator[asyncio.Runner]:
    with asyncio.Runner() as runner:
        yield runner


@pytest.fixture(scope="module")
def _served() -> Iterator[Wire]:
    assert document(PACKAGE.document("contract.wsdl"))  # loaded before the first test
    server = Wire()
    yield server
    server.close()


@pytest.fixture(params=CASES, ids="-".join)
def case(request: pytest.FixtureRequest, _served: Wire, _runner: asyncio.Runner) -> Iterator[Case]:
    _served.reset()
    interface, protocol = request.param
    opened = Case(interface, protocol, _served, _runner)
    yield opened
    opened.close()
