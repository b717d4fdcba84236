"""The sandbox that the asynchronous clients call."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.stage import Stage


@pytest.fixture
def stage() -> Iterator[Stage]:
    with Stage() as stage:
        yield stage
