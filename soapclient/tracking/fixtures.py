"""Fixtures for pytest with the sandbox; they cost nothing if no test asks for them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from soapclient.tracking.client import Client
    from soapclient.tracking.testing import ServedSandbox

_PASSED = pytest.StashKey[bool]()


def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> None:
    """Remember whether a test came to its end: if not, there is a better reason than what it expected."""
    if call.when == "call":
        item.stash[_PASSED] = call.excinfo is None


@pytest.fixture(scope="session")
def _zxws_served() -> Iterator[ServedSandbox]:
    from soapclient.tracking.testing import ServedSandbox  # which loads the sandbox

    with ServedSandbox() as served:
        yield served


@pytest.fixture
def zxws_sandbox(_zxws_served: ServedSandbox, request: pytest.FixtureRequest) -> Iterator[ServedSandbox]:
    """The service on this machine, in a thread: the same data at the start of each test.

    `expect(…)` says what it does next, `calls(…)` what it was asked. What was expected and did not happen
    fails the test.
    """
    _zxws_served.reset()
    request.node.stash[_PASSED] = False
    yield _zxws_served
    try:
        if request.node.stash[_PASSED]:
            _zxws_served.verify()
    finally:
        _zxws_served.reset()  # lets go of connections that hang


@pytest.fixture
def zxws_settings() -> Mapping[str, object]:
    """Settings of `zxws_client` by their names as of `Settings.load`; define it anew to have others."""
    return {}


@pytest.fixture
def zxws_client(zxws_sandbox: ServedSandbox, zxws_settings: Mapping[str, object]) -> Iterator[Client]:
    """A client of the sandbox; `client.settings` is its configuration.

    It goes by the sandbox's clock: where it would wait, the clock moves on instead.
    """
    with zxws_sandbox.client(**zxws_settings) as client:
        yield client
