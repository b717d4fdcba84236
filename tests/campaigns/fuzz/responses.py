"""Responses of the three services in all forms: SOAP, REST XML, REST JSON, faults and errors.

`decode` reads the bare responses. `calls` reads them with a complete client, including HTTP headers.
"""

# ruff: noqa: E501 - values, many per line

from __future__ import annotations

import gzip
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from io import BytesIO
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Final

from lxml import etree

from soapclient import Client, Settings
from soapclient.cli.contracts import SERVICES, package_named
from soapclient.cli.decoding import UnreadableDocument, decode
from soapclient.cli.failures import Failure
from soapclient.clock import ManualClock
from soapclient.contract import package_documents
from soapclient.drift import Drift
from soapclient.errors import AmbiguousOutcome, SoapClientError
from soapclient.rest.json_tree import BrokenJson
from soapclient.testing.examples import Examples
from soapclient.tracking.sandbox import SAMPLE_CONNECT_ID, SAMPLE_SECRET_KEY, Sandbox, serve
from soapclient.transport.connections import TimedAdapter
from tests.stage import NOW

from . import json_mutation, xml_mutation
from .differential import Second
from .mutation import one_of
from .target import Seed, Target, Wrong, words_of

if TYPE_CHECKING:
    from requests import PreparedRequest, Response

_SOAP: Final = "http://schemas.xmlsoap.org/soap/envelope/"
_TYPED: Final = (SoapClientError, UnreadableDocument, BrokenJson, Failure)
_FAULT: Final = (
    f'<s:Envelope xmlns:s="{_SOAP}"><s:Body><s:Fault><faultcode>s:Server</faultcode><faultstring>no</faultstring>'
    "<faultactor>urn:a</faultactor><detail><zanoxFault xmlns={space}><code>230</code><message>bad</message>"
    "<reason>why</reason><errorId>1-2</errorId></zanoxFault></detail></s:Fault></s:Body></s:Envelope>"
)
_ERRORS: Final = (
    b'{"code":230,"message":"bad parameter","reason":"recorded","errorId":"1-2"}',
    b"<error><code>230</code><message>bad</message><reason>why</reason></error>",
    b'{"error":{"code":"403","message":"no"}}',
)
_GENTLE: Final = 0.45  # share of XML inputs in which only texts change


def in_envelope(node: etree._Element, space: str = _SOAP) -> bytes:
    """Wrap an element in the body of an envelope with an empty header."""
    top = etree.Element(f"{{{space}}}Envelope", nsmap={"soap": space})
    etree.SubElement(top, f"{{{space}}}Header")
    etree.SubElement(top, f"{{{space}}}Body").append(node)
    return etree.tostring(top)


def config(url: str = "http://127.0.0.1:9", /, **settings: object) -> Settings:
    """Build a configuration of the sample account that ignores the environment."""
    load: Callable[..., Settings] = Settings.load
    urls = {f"{service}_url": url for service in SERVICES}
    given = {"connect_id": SAMPLE_CONNECT_ID, "secret_key": SAMPLE_SECRET_KEY, "attempts": 1, **urls}
    return load(environ={}, **(given | settings))


@contextmanager
def standing_in(answer: Callable[[PreparedRequest, Callable[[], Response]], Response]) -> Iterator[None]:
    """Answer all requests of this process with one response."""
    TimedAdapter.stand_in = answer
    try:
        yield
    finally:
        TimedAdapter.stand_in = None


@contextmanager
def answering(status: int, headers: Mapping[str, str], body: bytes) -> Iterator[None]:
    """Answer all requests of this process with this response."""
    from requests.adapters import HTTPAdapter
    from urllib3 import HTTPResponse

    def answer(request: PreparedRequest, send: Callable[[], Response]) -> Response:
        raw = HTTPResponse(BytesIO(body), headers, status, preload_content=False)
        return HTTPAdapter().build_response(request, raw)

    with standing_in(answer):
        yield


def changed(content: bytes, random: Random, *, gentle: float) -> bytes:
    """Return a changed response. `gentle` is the share of XML in which only texts change."""
    if content[:1] in b"{[":
        return json_mutation.mutated(json_mutation.parsed(content), random)
    return xml_mutation.mutated(xml_mutation.parsed(content), random, gentle=gentle)


Call = Callable[[Client], object]
_DAY: Final = NOW.date()
# Reads whose responses differ most from each other.
READS: Final[Mapping[str, tuple[str, Call]]] = {
    "GetSales": (
        "publisher",
        lambda one: one.publisher.get_sales(date=_DAY, date_type="trackingDate", items=2),
    ),
    "GetLeads": (
        "publisher",
        lambda one: one.publisher.get_leads(date=_DAY, date_type="trackingDate", items=2),
    ),
    "GetProfile": ("publisher", lambda one: one.publisher.get_profile()),
    "GetBalances": ("publisher", lambda one: one.publisher.get_balances()),
    "GetAdspaces": ("publisher", lambda one: one.publisher.get_adspaces(items=2)),
    "GetProgram": ("publisher", lambda one: one.publisher.get_program(program_id=1801)),
    "SearchPrograms": ("publisher", lambda one: one.publisher.search_programs(items=2)),
    "SearchProducts": ("publisher", lambda one: one.publisher.search_products(query="a", items=2)),
    "GetJobs": ("data", lambda one: one.data.get_jobs()),
    "GetPartnerships": ("advertiser", lambda one: one.advertiser.get_partnerships(partner_code=["A1B2C3"])),
}
WAYS: Final[Mapping[str, Mapping[str, str | int]]] = {
    "soap": {"publisher_protocol": "soap", "data_protocol": "soap"},
    "streamed": {"publisher_protocol": "soap", "data_protocol": "soap", "stream_above": 0},
    "checked": {"publisher_protocol": "soap", "data_protocol": "soap", "validate": "all"},
    "xml": {"publisher_protocol": "rest", "data_protocol": "rest", "rest_format": "xml"},
    "json": {"publisher_protocol": "rest", "data_protocol": "rest", "rest_format": "json"},
}


@cache
def recorded() -> Mapping[str, tuple[int, str, bytes]]:
    """Record the responses of a sandbox: `WAY OPERATION` → status, content type, body."""
    found: dict[str, tuple[int, str, bytes]] = {}
    name = ""

    def keep(request: PreparedRequest, send: Callable[[], Response]) -> Response:
        response = send()
        found[name] = response.status_code, response.headers.get("Content-Type", ""), response.content
        return response

    with (
        Sandbox(seed=1, clicks_per_day=20, clock=lambda: NOW) as sandbox,
        serve(sandbox, timeout=30) as server,
        standing_in(keep),
    ):
        for way, settings in WAYS.items():
            with Client(config(server.url, **settings), clock=ManualClock(NOW)) as client:
                for operation, (_, call) in READS.items():
                    name = f"{way} {operation}"
                    try:
                        call(client)
                    except SoapClientError:  # its fault is a response, too
                        continue
    return found


class Decoding:
    """`soapclient decode` of all operations. Valid responses are compared with lxml and zeep."""

    def __init__(self, folder: Path) -> None:
        self._config = config()
        self._packages = {service: package_named(service) for service in SERVICES}
        self._second = {
            name: Second(each) for name, each in self._packages.items() if package_documents.wsdl(each)
        }
        self.seeds = tuple(self._made())

    def _made(self) -> Iterator[Seed]:
        for service, package in self._packages.items():
            examples: dict[str, Examples] = {}
            for operation in package.operations.values():
                examples[package.name] = known = examples.get(package.name) or Examples(package.codec)
                for complete in (True, False):
                    node = known.element(operation.row.response, operation.response_tag, complete=complete)
                    yield Seed(f"{service} {operation.name} xml", etree.tostring(node))
                    if operation.soap:
                        yield Seed(f"{service} {operation.name} soap", in_envelope(node))
            some = next(iter(package.operations.values()))
            space = f'"{some.response_tag[1:].partition("}")[0]}"'
            yield Seed(f"{service} {some.name} fault", _FAULT.replace("{space}", space).encode())
            for content in _ERRORS:
                yield Seed(f"{service} {some.name} error", content)
        for name, (_, _, content) in recorded().items():
            way, operation_name = name.split()
            if way in ("soap", "xml", "json"):
                # JSON as often as all other forms together
                yield from [Seed(f"{READS[operation_name][0]} {operation_name} {way}", content)] * (
                    16 if way == "json" else 1
                )

    def mutated(self, seed: Seed, random: Random) -> bytes:
        return changed(seed.content, random, gentle=_GENTLE)

    def run(self, seed: Seed, content: bytes) -> bool:
        service, name, _ = seed.name.split()
        package = self._packages[service]
        operation = package.operations[name]
        drift = Drift()
        try:
            value = decode(operation, content, package=package, config=self._config, drift=drift)
        except _TYPED as error:
            words_of(error)
            if service in self._second:
                self._second[service].refused(operation, content, error)
            return False
        if service in self._second:
            self._second[service].read(operation, content, value, drift)
        return True


class Calls:
    """A client whose requests are all answered with the input, with matching or other headers."""

    def __init__(self, folder: Path) -> None:
        self.seeds = tuple(
            Seed(name, b"%d %s\n%s" % (status, kind.encode(), content))
            for name, (status, kind, content) in recorded().items()
        )
        self._clients = {
            way: Client(config(**settings), clock=ManualClock(NOW)) for way, settings in WAYS.items()
        }

    def mutated(self, seed: Seed, random: Random) -> bytes:
        head, _, content = seed.content.partition(b"\n")
        status, _, kind = head.decode().partition(" ")
        body = changed(content, random, gentle=0.2)
        if random.random() < 0.15:
            status = one_of(_STATUSES, random)
        if random.random() < 0.15:
            kind = random.choice(_KINDS)
        further = ""
        if random.random() < 0.2:
            further = random.choice(_HEADERS)
            if further == "Content-Encoding: gzip":
                body = gzip.compress(body, mtime=0)[
                    : None if random.random() < 0.6 else random.randrange(len(body) + 1)
                ]
            elif further == "Content-Encoding: deflate" and random.random() < 0.6:
                body = zlib.compress(body)
        return f"{status} {kind}\t{further}\n".encode() + body

    def run(self, seed: Seed, content: bytes) -> bool:
        way, operation = seed.name.split()
        head, _, body = content.partition(b"\n")
        status, _, rest = head.decode("latin-1").partition(" ")
        kind, _, further = rest.partition("\t")
        headers = {"Content-Type": kind} if kind else {}
        if further:
            name, _, said = further.partition(": ")
            headers[name] = said
        code = int(status) if status.isdigit() and len(status) < 4 else 200
        with answering(code, headers, body):
            try:
                READS[operation][1](self._clients[way])
            except SoapClientError as error:
                words_of(error)
                if isinstance(error, AmbiguousOutcome):
                    raise Wrong("a read is never in doubt") from None
                return False
        return True


_STATUSES: Final = (
    "500", "200", "400", "403", "404", "503", "302", "204", "201", "429", "401", "100", "999", "304",
)  # fmt: skip
_KINDS: Final = (
    "", "text/xml", "application/xml", "application/json", "text/html", "application/soap+xml; charset=utf-8",
    "text/xml; charset=utf-16", "text/xml; charset=nope", "application/json; charset=latin-1", "x", ";;;",
    "text/", 'multipart/related; boundary="b"; type="text/xml"', "multipart/related", "application/x+json",
    "application/x+xml",
)  # fmt: skip
_HEADERS: Final = (
    "Content-Encoding: gzip", "Content-Encoding: deflate", "Content-Encoding: br", "Content-Encoding: x",
    "Content-Encoding: gzip, gzip", "Date: Mon, 01 Jan 0001 00:00:00 GMT", "Date: x", "Retry-After: -1",
    "Date: Fri, 31 Dec 9999 23:59:59 GMT", "Retry-After: 99999999999999999999999", "Retry-After: 1e400",
    "Retry-After: Fri, 31 Dec 9999 23:59:59 +1400", "Content-Length: -1", "Content-Length: 9",
    "Location: //[", "Retry-After: NaN", "Transfer-Encoding: chunked", "Content-Type: \xff",
    "Date: Thu, 99 Foo 2026 99:99:99 GMT",
)  # fmt: skip


TARGETS: Final[Sequence[Target]] = (
    Target("decode", 260_000, Decoding),
    Target("calls", 40_000, Calls),
)
