"""A client of a sandbox over real HTTP whose answers somebody else wrote."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from werkzeug.wrappers import Request, Response

from soapclient import Client, Config
from soapclient.clock import ManualClock
from soapclient.drift import OnFinding
from soapclient.sandbox import SAMPLE_CONNECT_ID, SAMPLE_SECRET_KEY, Sandbox, serve

NOW = dt.datetime(2026, 11, 20, 12, 0, 0, tzinfo=dt.UTC)
ITEM = '<balanceItem id="{}"{}><open>1.10</open><confirmed>2.20</confirmed>{}</balanceItem>'


def reply(items: str, extra: str = "", page: str = "<page>0</page>") -> str:
    """The content of a GetBalancesResponse, which REST sends without an envelope."""
    return (
        '<GetBalancesResponse xmlns="http://api.zanox.com/namespace/2011-03-01/">'
        f"{page}<items>2</items><total>2</total>{extra}<balanceItems>{items}</balanceItems>"
        "</GetBalancesResponse>"
    )


def envelope(content: str) -> str:
    return (
        '<e:Envelope xmlns:e="http://schemas.xmlsoap.org/soap/envelope/"><e:Body>'
        f"{content}</e:Body></e:Envelope>"
    )


DRIFTING = reply(
    ITEM.format("EUR", ' colour="red"', "") + ITEM.format("CHF", ' colour="blue"', ""), "<mood/>"
)
PLAIN = reply(ITEM.format("EUR", "", ""))


@dataclass
class Stage:
    """`answer` is what the service says next: text, JSON where it begins so; None: the sandbox's own."""

    url: str = ""
    answer: str | None = None
    clock: ManualClock = field(default_factory=lambda: ManualClock(NOW))
    path: Path = Path()
    clients: ExitStack = field(default_factory=ExitStack)

    def client(self, *, on_finding: OnFinding | None = None, **settings: object) -> Client:
        load: Callable[..., Config] = Config.load
        config = load(
            environ={},
            connect_id=SAMPLE_CONNECT_ID,
            secret_key=SAMPLE_SECRET_KEY,
            publisher_url=self.url,
            data_url=self.url,
            **settings,
        )
        return self.clients.enter_context(Client(config, clock=self.clock, on_finding=on_finding))

    @property
    def log(self) -> Path:
        return self.path / "drift.jsonl"


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[Stage]:
    made = Stage(path=tmp_path)

    def interfere(request: Request) -> Response | None:
        if made.answer is None:
            return None
        if made.answer.startswith("{"):
            return Response(made.answer, content_type="application/json")
        soap = request.path.startswith("/soap")
        return Response(envelope(made.answer) if soap else made.answer, content_type="text/xml")

    sandbox = Sandbox(interfere=interfere, clock=made.clock.now, clicks_per_day=5)
    with sandbox, serve(sandbox) as server, made.clients:
        made.url = server.url
        yield made
