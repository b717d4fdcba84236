"""pytest fixtures for the sandbox. The sandbox is imported only if a test uses them."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from soapclient.tracking.async_client import AsyncClient
    from soapclient.tracking.client import Client
    from soapclient.tracking.testing import ServedSandbox

_PASSED = pytest.StashKey[bool]()


def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> None:
    """Record the outcome of a test, for the fixture `zxws_sandbox`.

    The fixture reports missing requests only after a passed test. A failed test has an error that says more.
    """
    if call.when == "call":
        item.stash[_PASSED] = call.excinfo is None


@pytest.fixture(scope="session")
def _zxws_served() -> Iterator[ServedSandbox]:
    from soapclient.tracking.testing import ServedSandbox  # lazy, because it loads the sandbox

    with ServedSandbox() as served:
        yield served


@pytest.fixture
def zxws_sandbox(_zxws_served: ServedSandbox, request: pytest.FixtureRequest) -> Iterator[ServedSandbox]:
    """A sandbox that a thread serves on a local port. Each test starts with the same data.

    `expect(…)` scripts the next responses, `calls(…)` returns the requests so far. A test fails if expected
    requests are missing.
    """
    _zxws_served.reset()
    request.node.stash[_PASSED] = False
    yield _zxws_served
    try:
        if request.node.stash[_PASSED]:
            _zxws_served.verify()
    finally:
        _zxws_served.reset()  # also ends hanging connections


@pytest.fixture
def zxws_settings() -> Mapping[str, object]:
    """Settings of `zxws_client`, as arguments of `Settings.load`. Override this fixture to change them."""
    return {}


@pytest.fixture
def zxws_client(zxws_sandbox: ServedSandbox, zxws_settings: Mapping[str, object]) -> Iterator[Client]:
    """A client of the sandbox. `client.settings` is its configuration.

    It uses the sandbox's clock: instead of waiting, it moves the clock.
    """
    with zxws_sandbox.client(**zxws_settings) as client:
        yield client


@pytest.fixture
def zxws_async_client(
    zxws_sandbox: ServedSandbox, zxws_settings: Mapping[str, object]
) -> Iterator[AsyncClient]:
    """An asyncio client of the sandbox, like `zxws_client`. It works with any plugin for asyncio tests."""
    client = zxws_sandbox.async_client(**zxws_settings)
    yield client
    asyncio.run(client.aclose())
