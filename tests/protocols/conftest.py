"""The same account over every protocol and form.

Each has its own sandbox of one seed, one clock and one client.
"""

from __future__ import annotations

import dataclasses
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from itertools import count
from typing import Any

import pytest
from werkzeug.wrappers import Request, Response

from soapclient import Client, Settings
from soapclient.clock import ManualClock, NonceSource
from soapclient.drift import OnFinding
from soapclient.tracking.sandbox import SAMPLE_CONNECT_ID, SAMPLE_SECRET_KEY, Sandbox, serve
from tests.stage import NOW

_serial = count(1)


def _nonce() -> str:
    return f"NONCE-{next(_serial):020d}"


@dataclass(frozen=True)
class Way:
    """A client and the sandbox it calls.

    `form` and `signature` apply to REST. `by_soap` calls the same sandbox over SOAP, to check what it has
    stored.
    """

    name: str
    protocol: str
    form: str
    signature: str
    url: str
    client: Client
    by_soap: Client
    sandbox: Sandbox
    clock: ManualClock


Ways = dict[str, Way]
OpenWay = Callable[..., Way]
_PARTS = {
    "soap": ("soap", "xml", "headers"),
    "rest-xml-headers": ("rest", "xml", "headers"),
    "rest-xml-query": ("rest", "xml", "query"),
    "rest-json-headers": ("rest", "json", "headers"),
    "rest-json-query": ("rest", "json", "query"),
}


@dataclass(frozen=True)
class Stand:
    """A served sandbox and its clock."""

    sandbox: Sandbox
    url: str
    clock: ManualClock


def _serve(stack: ExitStack, served: Mapping[str, object] | None = None) -> Stand:
    clock = ManualClock(NOW)
    make: Callable[..., Sandbox] = Sandbox
    sandbox = stack.enter_context(make(clicks_per_day=40, clock=clock.now, **(served or {})))
    return Stand(sandbox, stack.enter_context(serve(sandbox, timeout=20)).url, clock)


def _open(
    stack: ExitStack,
    name: str,
    stand: Stand,
    *,
    nonce_source: NonceSource = _nonce,
    on_finding: OnFinding | None = None,
    clock: ManualClock | None = None,
    **settings: object,
) -> Way:
    """Open a client. `clock` is the client's, by default the sandbox's."""
    protocol, form, signature = _PARTS[name]
    clock = stand.clock if clock is None else clock
    given: dict[str, object] = {"connect_id": SAMPLE_CONNECT_ID, "secret_key": SAMPLE_SECRET_KEY}
    given |= {"rest_format": form, "rest_signature": signature}
    given |= dict.fromkeys(("publisher_url", "data_url", "advertiser_url"), stand.url)
    given |= dict.fromkeys(("publisher_protocol", "data_protocol"), protocol)
    load: Callable[..., Settings] = Settings.load
    config = load(environ={}, **(given | settings))
    by_soap = dataclasses.replace(config, publisher_protocol="soap", data_protocol="soap")
    client = Client(config, clock=clock, nonce_source=nonce_source, on_finding=on_finding, random=lambda: 1.0)
    other = Client(by_soap, clock=stand.clock, nonce_source=_nonce)
    for each in (client, other):
        stack.enter_context(each)
    return Way(name, protocol, form, signature, stand.url, client, other, stand.sandbox, clock)


@pytest.fixture(scope="session")
def ways() -> Iterator[Ways]:
    """All ways, for calls that change nothing."""
    with ExitStack() as stack:
        yield {name: _open(stack, name, _serve(stack)) for name in _PARTS}


@pytest.fixture(scope="session")
def written_ways() -> Iterator[Ways]:
    """All ways, for writes whose tests check only their own changes."""
    with ExitStack() as stack:
        yield {name: _open(stack, name, _serve(stack)) for name in _PARTS}


@pytest.fixture
def fresh_ways() -> Iterator[Ways]:
    """All ways, each with its own sandbox that has not been written to."""
    with ExitStack() as stack:
        yield {name: _open(stack, name, _serve(stack)) for name in _PARTS}


@pytest.fixture
def open_way() -> Iterator[OpenWay]:
    """Open one way by its name, with further client settings. `served` are the settings of its sandbox."""
    with ExitStack() as stack:

        def opened(
            name: str,
            served: Mapping[str, object] | None = None,
            **settings: Any,  # named by the tests
        ) -> Way:
            return _open(stack, name, _serve(stack, served), **settings)

        yield opened


@dataclass
class Scripted:
    """A way whose server sends scripted responses and records the requests.

    `heard` is called with each request before it is answered, and may set the response.
    """

    way: Way
    sent: list[Request] = field(default_factory=list)
    heard: Callable[[Request], None] = lambda request: None
    _answers: deque[Response] = field(default_factory=deque)

    def answers(
        self,
        body: bytes | str = b"",
        status: int = 200,
        media: str | None = None,
        *,
        times: int = 1,
        **headers: str,
    ) -> None:
        """Answer the next requests with this, by default in the way's own form. `_` becomes `-`."""
        own = {"xml": "application/xml; charset=utf-8", "json": "application/json"}[self.way.form]
        sent = {name.replace("_", "-"): text for name, text in headers.items()}
        for _ in range(times):
            response = Response(body, status, sent)
            del response.headers["Content-Type"]
            if media != "":
                response.headers["Content-Type"] = media or own
            self._answers.append(response)

    def interfere(self, request: Request) -> Response:
        request.get_data()
        self.sent.append(request)
        self.heard(request)
        return self._answers.popleft() if self._answers else Response(b"no more", 410)


@pytest.fixture(scope="session")
def stand() -> Iterator[Stand]:
    """A server that has no default response."""
    with ExitStack() as stack:
        yield _serve(stack)


@pytest.fixture
def scripted(stand: Stand) -> Iterator[Callable[..., Scripted]]:
    """Open a way to a scripted server, by its name and further client settings.

    The latest one is answered.
    """
    with ExitStack() as stack:

        def opened(name: str, **settings: Any) -> Scripted:  # settings named by the tests
            made = Scripted(_open(stack, name, stand, clock=ManualClock(NOW), **settings))
            stand.sandbox.interfere = made.interfere
            return made

        yield opened
