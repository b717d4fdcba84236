"""Clients of a recorder over both protocols, and a page that it sends."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from soapclient import Client
from soapclient.clock import ManualClock
from tests.conftest import RestClient
from tests.stage import NOW
from tests.support.soap import envelope

SPACE = "http://api.zanox.com/namespace/2011-03-01/"
Open = Callable[..., Client]


@pytest.fixture(params=["soap", "rest"])
def protocol(request: pytest.FixtureRequest) -> Any:
    return request.param


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(NOW)


@pytest.fixture
def open_caller(rest_client: RestClient, protocol: Any) -> Open:
    """Open clients of the recorder as `rest_client` does."""
    return partial(rest_client, protocol=protocol, rest_format="json")


def page(protocol: str) -> tuple[str, int, str]:
    """A page without programs."""
    if protocol == "rest":
        return '{"page": 0, "items": 0, "total": 0}', 200, "application/json"
    counts = "<page>0</page><items>0</items><total>0</total>"
    body = f'<SearchProgramsResponse xmlns="{SPACE}">{counts}</SearchProgramsResponse>'
    return envelope(body), 200, "text/xml"
