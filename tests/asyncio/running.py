"""Run tests that are coroutine functions, and open asynchronous clients of a stage."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine
from functools import wraps
from typing import Any, ParamSpec

from werkzeug.wrappers import Request, Response

from soapclient import AsyncClient, Settings
from tests.stage import Stage

P = ParamSpec("P")


def looped(test: Callable[P, Coroutine[Any, Any, None]]) -> Callable[P, None]:
    """Make a test of a coroutine function. A test that hangs fails."""

    async def bounded(*arguments: P.args, **named: P.kwargs) -> None:
        async with asyncio.timeout(120):
            await test(*arguments, **named)

    @wraps(test)
    def run(*arguments: P.args, **named: P.kwargs) -> None:
        asyncio.run(bounded(*arguments, **named))

    return run


def client_of(stage: Stage, **settings: object) -> AsyncClient:
    config: Settings = getattr(stage, "client")(**settings).settings  # noqa: B009 - settings of any name
    return AsyncClient(config, clock=stage.clock)


class Counting:
    """Records the requested pages. The first requests wait until the test releases them."""

    def __init__(self, held: int = 0, status: int = 0) -> None:
        self.pages: list[int] = []
        self.arrived = threading.Semaphore(0)
        self.go_on = threading.Event()
        self._held = held
        self._status = status
        self._lock = threading.Lock()

    def __call__(self, request: Request) -> Response | None:
        page = request.get_data(as_text=True).partition("page>")[2].partition("<")[0]
        with self._lock:
            self.pages.append(int(page or -1))
            held = len(self.pages) <= self._held
        self.arrived.release()
        if held:
            self.go_on.wait(60)
        return Response("no", status=self._status) if self._status else None
