"""`connect` for asyncio, with `await` and `async for`.

Underneath, each call runs in a thread of a bounded pool, on the same engine as without asyncio.
"""

from __future__ import annotations

import asyncio
import copy
import functools
import inspect
from collections.abc import Callable
from types import TracebackType
from typing import Any, Concatenate, Final, Generic, ParamSpec, Protocol, TypeVar, Unpack

from soapclient.calling.loop import OptionArguments
from soapclient.calling.threads import Caller, InterruptibleClock, Rooms, require_asyncio, shown_with
from soapclient.connection import Connection, ServiceSettings, check_face, connect
from soapclient.errors import ConfigError
from soapclient.runtime.asynchronous import AsyncCaller, HasAsyncPages, HasAsyncStreams
from soapclient.settings.calls import TransportArguments, with_transport

__all__ = ["AsyncConnection", "connect_async"]

P = ParamSpec("P")
ServiceT = TypeVar("ServiceT")
ServiceT_co = TypeVar("ServiceT_co", covariant=True)
FaceT = TypeVar("FaceT")

_TRANSPORT: Final = TransportArguments.__annotations__


class AsyncConnection(Generic[ServiceT_co]):
    """An open way to a service, for asyncio: `async with connect_async(…) as service`.

    `sync` is the connection underneath, once this is open.
    """

    sync: Connection[Any]

    def __init__(self, service: Callable[[AsyncCaller], ServiceT_co], *args: Any, **kwargs: Any) -> None:
        self._service = service
        settings = kwargs.pop("settings", None)
        if settings is None or isinstance(settings, ServiceSettings):
            given: Any = {name: kwargs.pop(name) for name in list(kwargs) if name in _TRANSPORT}
            settings = with_transport(ServiceSettings, settings, given, connect)
            self._rooms = Rooms.of(settings.pool_size)
        else:
            self._rooms = Rooms.of(1)  # `connect` refuses it
        kwargs |= {"settings": settings, "clock": InterruptibleClock(kwargs.get("clock"))}
        self._connect = functools.partial(connect, _without_asyncio(service), *args, **kwargs)
        self._is_view = False

    @property
    def service(self) -> ServiceT_co:
        """The service, once this is open."""
        return self._service(Caller(self._rooms.calls, lambda: self.sync.service))

    def with_options(self, **given: Unpack[OptionArguments]) -> AsyncConnection[ServiceT_co]:
        """A view of this connection, once it is open, whose calls have other options: as
        `Connection.with_options`."""
        if not hasattr(self, "sync"):
            raise RuntimeError("the connection is not open: use it with `async with`")
        view = copy.copy(self)
        view.sync = self.sync.with_options(**given)
        view._is_view = True
        return view

    @property
    def stream(self: AsyncConnection[HasAsyncStreams[FaceT]]) -> FaceT:
        """The list operations again, each an asynchronous context manager that gives items as they arrive:

        connection = connect_async(WeatherServiceAsync)
        async with connection, connection.stream.get_stations() as stations:
            async for station in stations: ...

        Raises ConfigError for a service that has none.
        """
        check_face(self._service, "stream", "_streams")
        return self.service._streams(Caller(self._rooms.streams, lambda: self.sync.stream))

    @property
    def iterate(self: AsyncConnection[HasAsyncPages[FaceT]]) -> FaceT:
        """The list operations that come in pages again, each giving the items of all pages, one by one.

        Raises ConfigError for a service that has none.
        """
        check_face(self._service, "iterate", "_pages")
        return self.service._pages(Caller(self._rooms.calls, lambda: self.sync.iterate))

    def through(self, service: Callable[[AsyncCaller], FaceT]) -> FaceT:
        """Another generated class of the same port, over this connection."""
        other = _without_asyncio(service)
        return service(Caller(self._rooms.streams, lambda: self.sync.through(other)))

    async def aclose(self) -> None:
        """Call off the calls that wait, end those that run, none with another attempt, and close all
        connections. Of a view: nothing."""
        if self._is_view:
            return
        require_asyncio()
        try:
            await self._rooms.close()
        finally:  # cancelled, too
            if hasattr(self, "sync"):
                await asyncio.get_running_loop().run_in_executor(None, self.sync.close)

    async def __aenter__(self) -> ServiceT_co:
        if not hasattr(self, "sync"):  # as a view has it
            self.sync = await self._rooms.calls.run("connect", self._connect)
        return self.service

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()


def _without_asyncio(service: Callable[[AsyncCaller], object]) -> Callable[[Any], Any]:
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
        self, service: Callable[[AsyncCaller], ServiceT], /, *args: P.args, **kwargs: P.kwargs
    ) -> AsyncConnection[ServiceT]: ...


def _connecting(
    like: Callable[Concatenate[Any, P], object],
) -> Callable[[Callable[..., AsyncConnection[Any]]], _Connects[P]]:
    """Gives a function the parameters of `like` behind the first, to `help` as well."""

    def connecting(function: Callable[..., AsyncConnection[Any]]) -> _Connects[P]:
        first, *_ = inspect.signature(function).parameters.values()
        _, *others = inspect.signature(like).parameters.values()
        return shown_with(function, first, *others)

    return connecting


@_connecting(connect)
def connect_async(
    service: Callable[[AsyncCaller], ServiceT], *args: Any, **kwargs: Any
) -> AsyncConnection[ServiceT]:
    """As `connect`, for asyncio: `async with connect_async(WeatherServiceAsync) as weather: …`.

    Takes what `connect` takes, and the class for asyncio. Threads and deadlines are as of `AsyncClient`.
    Raises ConfigError, some where it is entered.
    """
    return AsyncConnection(service, *args, **kwargs)
