"""`connect` for asyncio, with `await` and `async for`.

Underneath, each call runs in a thread of a bounded pool, on the same engine as without asyncio.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any, Concatenate, Final, ParamSpec, Protocol, TypeVar

from soapclient.calling.threads import AsyncEngine, InterruptibleClock, Rooms, require_asyncio, shown_with
from soapclient.connection import connect
from soapclient.errors import ConfigError
from soapclient.runtime import service as runtime
from soapclient.runtime.service import Service
from soapclient.settings import CommonSettings
from soapclient.settings.arguments import CommonArguments, with_options
from soapclient.soap.packages import package_of

__all__ = ["connect_async"]

P = ParamSpec("P")
ServiceT = TypeVar("ServiceT")

_OPTIONS: Final = CommonArguments.__annotations__


class _Connecting(AsyncEngine[Service]):
    """What a service calls through that is connected in a thread, when it is entered."""

    def __init__(self, service: Callable[[Any], object], *args: Any, **kwargs: Any) -> None:
        settings = kwargs.pop("settings", None)
        size = 1  # `connect` refuses other settings
        if settings is None or isinstance(settings, CommonSettings):
            given: Any = {name: kwargs.pop(name) for name in list(kwargs) if name in _OPTIONS}
            settings = with_options(CommonSettings, settings, given, connect)
            package = package_of(_without_asyncio(service))
            size = settings.for_service(package.settings.name).pool_size
        kwargs |= {"settings": settings, "clock": InterruptibleClock(kwargs.get("clock"))}
        super().__init__(Rooms.of(size), self._opened)
        self._connect = functools.partial(connect, _without_asyncio(service), *args, **kwargs)
        self._connected: Service | None = None

    def _opened(self) -> Service:
        if self._connected is None:
            raise RuntimeError("the service is not open: use it with `async with`")
        return self._connected

    async def open(self) -> None:
        """Connect. Raises ConfigError."""
        if self._connected is None:
            self._connected = await self.rooms.calls.run("connect", self._connect)

    async def close(self) -> None:
        """Call off the calls that wait, end those that run, none with another attempt, and close all
        connections."""
        require_asyncio()
        try:
            await self.rooms.close()
        finally:  # cancelled, too
            if self._connected is not None:
                await super().close()


def _without_asyncio(service: Callable[[runtime.AsyncEngine], object]) -> Callable[[Any], Any]:
    """The class that a generated one for asyncio stands for."""
    found: Callable[[Any], Any] | None = getattr(service, "SERVICE", None)
    if found is None:
        name = getattr(service, "__name__", type(service).__name__)
        raise ConfigError(
            "service", f"{name} is no class for asyncio", "Pass the one whose name has Async in it"
        )
    return found


class _Connects(Protocol[P]):
    def __call__(
        self, service: Callable[[runtime.AsyncEngine], ServiceT], /, *args: P.args, **kwargs: P.kwargs
    ) -> ServiceT: ...


def _connecting(
    like: Callable[Concatenate[Any, P], object],
) -> Callable[[Callable[..., Any]], _Connects[P]]:
    """Gives a function the parameters of `like` behind the first, to `help` as well."""

    def connecting(function: Callable[..., Any]) -> _Connects[P]:
        first, *_ = inspect.signature(function).parameters.values()
        _, *others = inspect.signature(like).parameters.values()
        return shown_with(function, first, *others)

    return connecting


@_connecting(connect)
def connect_async(service: Callable[[runtime.AsyncEngine], ServiceT], *args: Any, **kwargs: Any) -> ServiceT:
    """As `connect`, for asyncio: `async with connect_async(WeatherServiceAsync) as weather: …`.

    What this returns is the service; it is connected when it is entered. Takes what `connect` takes, and the
    class for asyncio. Threads and deadlines are as of `AsyncClient`. Raises ConfigError, some where it is
    entered.
    """
    return service(_Connecting(service, *args, **kwargs))
