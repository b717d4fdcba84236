"""The browser of the console's tests, shared by all of them. It can reach only this machine."""

from __future__ import annotations

import os
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from soapclient.clock import ManualClock
from soapclient.testing import Mock
from tests.console.vendors import WEATHER, Called, called
from tests.support.chrome import chrome as chrome

MOMENT = datetime(2026, 11, 1, 12, 30, tzinfo=UTC)  # by the clock of `mocked_door`
# The form of `mocked_door`, and the secrets in it and in its response.
TYPED = {
    "v:user": "somebody",
    "v:password": "open-sesame",
    "v:pin": "471147",
    "v:credentials.code": "a-code-7",
}
SECRETS = ("open-sesame", "471147", "a-code-7", "given-out")


@pytest.fixture(scope="module")
def mocked_weather() -> Iterator[Called]:
    """A mock of the weather service, and the target that calls it."""
    with called(WEATHER, safe=["GetWeather"]) as both:
        yield both


@pytest.fixture
def mocked(mocked_weather: Called) -> Mock:
    """The mock of the weather service, without the calls and responses of earlier tests."""
    mocked_weather.mocked.reset()
    return mocked_weather.mocked


@pytest.fixture(scope="module")
def mocked_door() -> Iterator[Called]:
    """A mock of a service with secrets in its requests and responses, and the target that calls it."""
    door = Path(__file__).parent / "cases/door.wsdl"
    with called(door, clock=ManualClock(MOMENT), safe=["Login"], attempts=2) as both:
        yield both


@pytest.fixture
def artefacts(tmp_path: Path) -> Path:
    """The folder for screenshots. The environment variable SCREENSHOTS keeps them."""
    return Path(os.environ.get("SCREENSHOTS", tmp_path))
