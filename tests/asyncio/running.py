"""Run coroutines to completion, and open asynchronous clients of a stage."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

from soapclient import AsyncClient, Settings
from tests.stage import Stage

T = TypeVar("T")


def run(main: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine to completion. A test that hangs fails."""

    async def bounded() -> T:
        async with asyncio.timeout(120):
            return await main

    return asyncio.run(bounded())


def client_of(stage: Stage, **settings: object) -> AsyncClient:
    config: Settings = getattr(stage, "client")(**settings).settings  # noqa: B009 - settings of any name
    return AsyncClient(config, clock=stage.clock)
