"""Clients of a recorder over both protocols, and a page that it sends."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

import pytest

from soapclient import Client, Settings
from soapclient.clock import ManualClock
from tests.support.soap import envelope

if TYPE_CHECKING:
    from tests.support.wire import Recorder

SECRET = "fa4c0c2020Aa4c+ab9Ea0ec8d39E06/df2c5aa44"  # the published sample
SPACE = "http://api.zanox.com/namespace/2011-03-01/"
Open = Callable[..., Client]


@pytest.fixture(params=["soap", "rest"])
def protocol(request: pytest.FixtureRequest) -> Any:
    return request.param


@pytest.fixture
def open_caller(recorder: Recorder, rest_clock: ManualClock, protocol: Any) -> Iterator[Open]:
    """Open clients with a stopped clock."""
    addresses = {f"{name}_url": recorder.url for name in ("publisher", "data")}
    with ExitStack() as stack:

        def opened(**given: Any) -> Client:
            load: Callable[..., Settings] = Settings.load
            account = {"connect_id": "802B8BF4AE99EBE00F41", "secret_key": SECRET}
            config = load(environ={}, rest_format="json", **account, **addresses)
            client = Client(config, protocol=protocol, clock=rest_clock, random=lambda: 1.0, **given)
            return stack.enter_context(client)

        yield opened


def page(protocol: str) -> tuple[str, int, str]:
    """A page without programs."""
    if protocol == "rest":
        return '{"page": 0, "items": 0, "total": 0}', 200, "application/json"
    counts = "<page>0</page><items>0</items><total>0</total>"
    body = f'<SearchProgramsResponse xmlns="{SPACE}">{counts}</SearchProgramsResponse>'
    return envelope(body), 200, "text/xml"
