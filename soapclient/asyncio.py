"""`connect` for asyncio, with `await` and `async for`.

Each call runs in a thread of a bounded pool, on the same engine as without asyncio.
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
    """The engine of an asyncio service. Connects in a thread when the service is entered."""

    def __init__(self, service: Callable[[Any], object], *args: Any, **kwargs: Any) -> None:
        settings = kwargs.pop("settings", None)
        size = 1  # not used: `connect` refuses settings of another type
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
        """Close the service and all its connections.

        Waiting calls are cancelled. Running attempts finish normally, without a retry.
        """
        require_asyncio()
        try:
            await self.rooms.close()
        finally:  # also if this task is cancelled
            if self._connected is not None:
                await super().close()


def _without_asyncio(service: Callable[[runtime.AsyncEngine], object]) -> Callable[[Any], Any]:
    """Return the synchronous class of a generated asyncio class. Raises ConfigError for other classes."""
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
    """Return a decorator that gives a function the parameters of `like` after its own first parameter.

    Type checkers and `help` show these parameters.
    """

    def connecting(function: Callable[..., Any]) -> _Connects[P]:
        first, *_ = inspect.signature(function).parameters.values()
        _, *others = inspect.signature(like).parameters.values()
        return shown_with(function, first, *others)

    return connecting


@_connecting(connect)
def connect_async(service: Callable[[runtime.AsyncEngine], ServiceT], *args: Any, **kwargs: Any) -> ServiceT:
    """Return an asyncio client for a service of a package that `bindgen init` generated.

    The client has the operations of the service as coroutine methods. Use it as a context manager:

        async with connect_async(WeatherServiceAsync) as weather:
            ...

    Calls run in a pool of `pool_size` threads; further calls wait. The deadline of a call starts when the
    call gets a thread. If a call is cancelled while it waits, it is never sent. If it is cancelled later, the
    request may have been processed.

    Raises ConfigError if a setting is invalid or the class is not for asyncio. Other arguments are checked
    when the context manager is entered, which then raises ConfigError.

    **Parameters:**

    * **service** - The generated asyncio class. Its name contains `Async`.

    All other parameters are the same as for `connect`. The callbacks (`on_attempt`, …) are called in threads
    and cannot be coroutine functions.
    """
    return service(_Connecting(service, *args, **kwargs))
