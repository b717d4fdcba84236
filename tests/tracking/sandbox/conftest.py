"""Served sandboxes, and independent clients for them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from datetime import datetime, timedelta, timezone

import pytest
import requests

from soapclient.tracking.sandbox import JobSteps
from tests.stage import Stage, StageClock
from tests.tracking.sandbox.caller import Caller


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


@pytest.fixture(scope="session")
def _switches() -> Iterator[Stage]:
    with Stage(clicks_per_day=5, switchboard=True) as stage:
        yield stage


@pytest.fixture
def ruled(_switches: Stage) -> Stage:
    """A sandbox with a switchboard, as at its start."""
    _switches.sandbox.reset()
    return _switches


@pytest.fixture
def stage(staged: Callable[..., Stage]) -> Stage:
    """A separate sandbox with the usual settings."""
    return staged()


@pytest.fixture
def fresh(stage: Stage) -> Caller:
    """A caller of a separate sandbox, for tests that change its data."""
    return stage.caller


@pytest.fixture
def two(staged: Callable[..., Stage]) -> list[Caller]:
    """Callers of two accounts of a separate sandbox."""
    accounts = {"A" * 20: "first key/+=", "B" * 20: "zweiter Schlüssel"}
    caller = staged(accounts=accounts).caller
    return [replace(caller, connect_id=name, secret=secret) for name, secret in accounts.items()]


@pytest.fixture
def day() -> datetime:
    """A day with transactions, in the form SOAP takes."""
    return datetime(2026, 11, 1, tzinfo=timezone(timedelta(hours=1)))
