"""Served sandboxes, and independent clients for them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest
import requests

from soapclient.tracking.sandbox import JobSteps
from tests.stage import Stage, StageClock
from tests.tracking.sandbox.caller import SERVICES, Caller


@pytest.fixture
def staged() -> Iterator[Callable[..., Stage]]:
    """Opens sandboxes with their own settings."""
    with ExitStack() as stack:
        yield lambda **settings: stack.enter_context(Stage(**settings))


@pytest.fixture
def calling() -> Iterator[Callable[[str], Caller]]:
    """Opens callers for servers started elsewhere, each with its own clock."""
    with ExitStack() as stack:
        yield lambda url: Caller(url, StageClock(), session=stack.enter_context(requests.Session()))


@pytest.fixture(scope="session")
def shared_stage() -> Iterator[Stage]:
    """One sandbox for tests that hardly change its settings or its time."""
    with Stage(clicks_per_day=500, job_steps=JobSteps(expired=timedelta(days=3650))) as stage:
        yield stage


@pytest.fixture(scope="session")
def caller(shared_stage: Stage) -> Caller:
    return shared_stage.caller


@pytest.fixture
def versions() -> dict[str, str]:
    """The versions that callers use, by service. Tests can change them."""
    return SERVICES


@pytest.fixture
def day() -> datetime:
    """A day with transactions, in the form SOAP takes."""
    return datetime(2026, 11, 1, tzinfo=timezone(timedelta(hours=1)))


@pytest.fixture(scope="session")
def contract_path() -> Callable[[str], Path]:
    """Returns the path of a shipped contract."""
    from soapclient.tracking.sandbox.contracts import packaged

    return packaged
