"""The stage of the tests: a sandbox served on loopback, its clients, and one clock for all."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from datetime import UTC, datetime
from functools import cached_property
from typing import TYPE_CHECKING, Self

import requests
from werkzeug.wrappers import Request, Response

from soapclient import Client, Settings
from soapclient.clock import ManualClock, NonceSource, fresh_nonce
from soapclient.drift import OnFinding
from soapclient.tracking.sandbox import SAMPLE_CONNECT_ID, SAMPLE_SECRET_KEY, Sandbox, serve

if TYPE_CHECKING:
    from tests.tracking.sandbox.caller import Caller

NOW = datetime(2026, 11, 20, 12, 0, 0, tzinfo=UTC)
Interfere = Callable[[Request], Response | None]


class StageClock(ManualClock):
    """A clock that is stopped until it is advanced or set."""

    def __init__(self) -> None:
        super().__init__(NOW)

    def set(self, moment: datetime) -> None:
        self.advance((moment - self.now()).total_seconds())


class Stage:
    """A served sandbox and its clients.

    Ends with `close()` or its `with` block. The sandbox behind the address can be replaced. `response`
    replaces the content of all later responses, as XML (over SOAP in an envelope) or JSON. `interfere` is as
    in `Sandbox`. The other settings are the settings of `Sandbox`.
    """

    def __init__(self, *, interfere: Interfere | None = None, **settings: object) -> None:
        self.clock = StageClock()
        self.response: str | None = None
        self._interfere = interfere
        self._open = ExitStack()
        self._front = self.sandbox = self._sandbox(interfere=self._before, **settings)
        self.server = self._open.enter_context(serve(self._front, timeout=5))
        self.url = self.server.url

    def _sandbox(self, **settings: object) -> Sandbox:
        # settings named by the tests
        made = Sandbox(clock=self.clock.now, **settings)  # type: ignore[arg-type]
        return self._open.enter_context(made)

    def replace(self, **settings: object) -> None:
        """Use a new sandbox with these settings at the same address from now on."""
        if self.sandbox is not self._front:
            self.sandbox.close()
        self.sandbox = self._sandbox(**settings)

    def _before(self, request: Request) -> Response | None:
        if self.response is not None:
            return _scripted(self.response, request)
        response = None if self._interfere is None else self._interfere(request)
        if response is None and self.sandbox is not self._front:
            return self.sandbox.answer(request)
        return response

    def client(
        self,
        *,
        on_finding: OnFinding | None = None,
        nonce_source: NonceSource = fresh_nonce,
        **settings: object,
    ) -> Client:
        """Return a client of the stage, by default with the published sample account."""
        given = {"connect_id": SAMPLE_CONNECT_ID, "secret_key": SAMPLE_SECRET_KEY}
        given |= {f"{name}_url": self.url for name in ("publisher", "data", "advertiser")}
        load: Callable[..., Settings] = Settings.load
        config = load(environ={}, **(given | settings))
        client = Client(config, clock=self.clock, on_finding=on_finding, nonce_source=nonce_source)
        return self._open.enter_context(client)

    @cached_property
    def caller(self) -> Caller:
        """Return a client that does not use this package."""
        from tests.tracking.sandbox.caller import (
            Caller,  # slow, because it parses the contracts with zeep
        )

        return Caller(self.url, self.clock, session=self._open.enter_context(requests.Session()))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._open.close()


def _scripted(content: str, request: Request) -> Response:
    if content.startswith("{"):
        return Response(content, content_type="application/json")
    if request.path.startswith("/soap"):
        space = "http://schemas.xmlsoap.org/soap/envelope/"
        content = f'<e:Envelope xmlns:e="{space}"><e:Body>{content}</e:Body></e:Envelope>'
    return Response(content, content_type="text/xml")
