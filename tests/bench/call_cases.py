"""The case of a call over loopback. The server is another process, so that only the client is measured."""

from __future__ import annotations

import contextlib
import http.client
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, Final

from lxml import etree

from tests.bench import ours, peers
from tests.bench.cases import OURS, Case, Opened, Prepared, Way
from tests.bench.equality import Get, plain
from tests.bench.server import PROGRAMS, PROGRAMS_RESPONSE, PROGRAMS_VALUES, served
from tests.bench.shapes import SALES_SPACE, envelope

if TYPE_CHECKING:
    from soapclient.tracking.publisher import Publisher

CLIENT, SESSION, POST, ZEEP = "http.client", "requests.Session.post", "requests.post", "zeep"
_HEADERS: Final = {"Content-Type": "text/xml; charset=utf-8", "SOAPAction": '""'}
_REQUEST: Final = envelope(
    "<connectId>x</connectId><timestamp>2026-11-20T12:00:00.000Z</timestamp>"
    "<nonce>0123456789ABCDEF0123456789ABCDEF</nonce><signature>c2lnbmF0dXJl</signature><items>1</items>",
    SALES_SPACE,
    "SearchProgramsRequest",
)


def publisher(url: str) -> Publisher:
    """Return the client of the tracking service for an address, with credentials for signatures."""
    from soapclient import Client, Settings

    settings = Settings.load(
        environ={}, connect_id="802B8BF4AE99EBE00F41", secret_key="no secret", publisher_url=url
    )
    return Client(settings).publisher


def soap_call(url: str) -> Callable[[], object]:
    """Return a typed call, signed and validated."""
    service = publisher(url)
    return lambda: service.search_programs(items=1)


def zeep_service(url: str) -> Any:  # zeep has no types
    """Return the service proxy of a plain zeep client."""
    client = peers.zeep_client(ours.CONTRACT)
    (binding,) = client.wsdl.bindings
    return client.create_service(binding, url)


def _exchange(post: Callable[[], bytes]) -> Callable[[], object]:
    return lambda: peers.body_of(etree.fromstring(post()))


def _with_client(url: str) -> Callable[[], object]:
    connection = http.client.HTTPConnection(url.removeprefix("http://"))

    def post() -> bytes:
        connection.request("POST", "/", _REQUEST, _HEADERS)
        return connection.getresponse().read()

    return _exchange(post)


def _with_requests(url: str, *, kept: bool) -> Callable[[], object]:
    import requests

    send = requests.Session().post if kept else requests.post
    return _exchange(lambda: send(url, data=_REQUEST, headers=_HEADERS, timeout=60).content)


def _with_zeep(url: str) -> Callable[[], object]:
    service = zeep_service(url)
    return lambda: service.SearchPrograms(connectId="x", items=1)


@contextlib.contextmanager
def _open(size: int) -> Iterator[Opened]:
    with served(PROGRAMS_RESPONSE) as url:

        def way(make: Callable[[str], Callable[[], object]], get: Get) -> Callable[[], Prepared]:
            return lambda: Prepared(make(url), lambda result: plain(PROGRAMS, result, get))

        yield Opened(
            PROGRAMS_VALUES,
            {
                CLIENT: way(_with_client, peers.get_element),
                SESSION: way(lambda url: _with_requests(url, kept=True), peers.get_element),
                POST: way(lambda url: _with_requests(url, kept=False), peers.get_element),
                OURS: way(soap_call, ours.get),
                ZEEP: way(_with_zeep, peers.get_zeep),
            },
        )


CASES: Final = (
    Case(
        name="call", title="One call over loopback, warm",
        base_is="floor", unit="call", size=1, few=1, reads=True, repeat=200,
        ways=(Way(CLIENT), Way(OURS), Way(SESSION), Way(POST), Way(ZEEP)), open=_open,
    ),
)  # fmt: skip
