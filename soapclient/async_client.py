"""Clients for asyncio: the typed surface of `Client` and `connect`, with `await` and `async for`.

Underneath, each call runs in a thread of a bounded pool, on the same engine as without asyncio.
"""

from __future__ import annotations

import asyncio
import copy
import functools
import inspect
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import ContextVar, copy_context
from datetime import datetime
from types import TracebackType
from typing import (
    Any,
    Concatenate,
    Final,
    Generic,
    NamedTuple,
    ParamSpec,
    Protocol,
    Self,
    TypeVar,
    Unpack,
    overload,
)

from soapclient._support.clock import Clock, SystemClock
from soapclient._support.forks import lazy, renewed_in_children
from soapclient.calling.loop import InFlight, OptionArguments
from soapclient.connection import Connection, ServiceSettings, check_face, connect
from soapclient.drift import Drift
from soapclient.errors import ClientClosed, ConfigError
from soapclient.runtime.asynchronous import AsyncCaller, HasAsyncPages, HasAsyncStreams, awaited
from soapclient.settings import Config
from soapclient.settings.calls import TransportArguments, with_transport
from soapclient.tracking.advertiser import Advertiser
from soapclient.tracking.client import Client, services_of
from soapclient.tracking.data import Data
from soapclient.tracking.exports.export import Export, Exporter
from soapclient.tracking.exports.handle import ExportHandle, JobId
from soapclient.tracking.publisher import Publisher
from zxws.advertiser.service import AdvertiserServiceAsync, AdvertiserServiceAsyncStreams
from zxws.data.service import DataServiceAsync, DataServiceAsyncPages, DataServiceAsyncStreams
from zxws.publisher.service import (
    PublisherServiceAsync,
    PublisherServiceAsyncPages,
    PublisherServiceAsyncStreams,
)

__all__ = ["AsyncClient", "AsyncConnection", "AsyncExport", "connect_async"]

P = ParamSpec("P")
T = TypeVar("T")
F = TypeVar("F", bound=Callable[..., object])
ServiceT = TypeVar("ServiceT")
ServiceT_co = TypeVar("ServiceT_co", covariant=True)
FaceT = TypeVar("FaceT")

_TRANSPORT: Final = TransportArguments.__annotations__

# Set once nobody waits any more for the call that runs in this context.
_abandoned: ContextVar[threading.Event | None] = ContextVar("soapclient_abandoned", default=None)


class _Abandoned(BaseException):
    """Nobody waits any more for the call: it ends where it would have waited itself."""


class _Clock:
    """A clock whose waiting ends with whoever waits for the call: between attempts, and between polls."""

    def __init__(self, clock: Clock | None) -> None:
        self._clock = SystemClock() if clock is None else clock

    def now(self) -> datetime:
        return self._clock.now()

    def monotonic(self) -> float:
        return self._clock.monotonic()

    def sleep(self, seconds: float) -> None:
        abandoned = _abandoned.get()
        if abandoned is None or not isinstance(self._clock, SystemClock):
            self._clock.sleep(seconds)
        elif seconds > 0:
            abandoned.wait(seconds)
        if abandoned is not None and abandoned.is_set():
            raise _Abandoned


def _require_asyncio() -> None:
    """Raise ConfigError if no event loop of asyncio is running, as under trio."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        problem = "AsyncClient and connect_async need a running event loop of asyncio"
        advice = "Run the coroutine with asyncio.run; with another library, call Client in its threads"
        raise ConfigError("asyncio", problem, advice) from None


class _Threads:
    """Threads for calls, `most` at a time; the others wait in the order in which they came."""

    def __init__(self, most: int, name: str) -> None:
        self._most, self._name = most, name
        self._closed = False
        self.renew()
        renewed_in_children(self)

    def renew(self) -> None:
        """Start without threads. A forked child has none of its parent's."""
        self._pool = ThreadPoolExecutor(self._most, thread_name_prefix=f"soapclient-async-{self._name}")
        self._stops: set[Callable[[], object]] = set()

    async def run(self, name: str, call: Callable[[], T], stop: Callable[[], object] | None = None) -> T:
        """Return the result of a call in a thread.

        If it is cancelled before it begins, it does not begin. If it is cancelled later, its result is lost.
        The CancelledError of a write has a note then, because the write may have been processed.
        """
        abandoned, in_flight = threading.Event(), InFlight()

        def stop_all() -> None:
            abandoned.set()
            if stop is not None:
                stop()

        future = self.submit(name, call, stop_all, abandoned, in_flight)
        try:
            return await self.wait(name, future)
        except asyncio.CancelledError as error:
            stop_all()
            in_flight.interrupted(error, result_lost=future.done() and not future.cancelled())
            raise

    def submit(
        self,
        name: str,
        call: Callable[[], T],
        stop: Callable[[], object],
        abandoned: threading.Event,
        in_flight: InFlight,
    ) -> Future[T]:
        """Call it in a thread. `stop` is called if these threads are closed before it ends.

        Raises ClientClosed, and ConfigError without a running event loop of asyncio.
        """
        _require_asyncio()
        if self._closed:
            raise ClientClosed(name)
        context = copy_context()
        context.run(_abandoned.set, abandoned)
        context.run(in_flight.watch)
        self._stops.add(stop)
        future = self._pool.submit(context.run, call)
        future.add_done_callback(lambda _: self._stops.discard(stop))
        return future

    async def wait(self, name: str, future: Future[T]) -> T:
        """The result of a future that a thread gives it. Raises ClientClosed where none will."""
        try:
            return await asyncio.wrap_future(future)
        except _Abandoned:
            raise ClientClosed(name, waiting=True) from None
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if task is not None and not task.cancelling():
                raise ClientClosed(name) from None
            raise

    async def close(self) -> None:
        """Call off what has not begun, and wait for what has: it does not begin another attempt."""
        self._closed = True
        for stop in list(self._stops):
            stop()
        shutdown = functools.partial(self._pool.shutdown, wait=True, cancel_futures=True)
        await asyncio.get_running_loop().run_in_executor(None, shutdown)


class _Caller(Generic[ServiceT]):
    """What asynchronous classes call through: `service` gives the one without asyncio, in a thread too, for
    its first use may load zeep."""

    def __init__(self, threads: _Threads, service: Callable[[], ServiceT]) -> None:
        self._threads = threads
        self._service = service
        self.wait = threads.wait

    async def run(
        self, name: str, call: Callable[[Any], T], stop: Callable[[], object] | None = None, /
    ) -> T:
        """As `AsyncCaller.run`."""
        return await self._threads.run(name, lambda: call(self._service()), stop)

    def hold(self, name: str, call: Callable[[Any], object], stop: Callable[[], object], /) -> Future[object]:
        """As `AsyncCaller.hold`."""
        abandoned = threading.Event()

        def stop_all() -> None:
            abandoned.set()
            stop()

        return self._threads.submit(name, lambda: call(self._service()), stop_all, abandoned, InFlight())


class _Rooms(NamedTuple):
    """Threads by what they are for: calls wait for none that are kept for long, by streams and by exports."""

    calls: _Threads
    streams: _Threads
    exports: _Threads

    @classmethod
    def of(cls, most: int) -> _Rooms:
        """So many of each."""
        return cls(_Threads(most, "call"), _Threads(most, "stream"), _Threads(most, "export"))

    async def close(self) -> None:
        """Close them all."""
        await asyncio.gather(*(threads.close() for threads in self))


def _arguments_of(
    like: Callable[P, object],
) -> Callable[[Callable[..., None]], Callable[Concatenate[Any, P], None]]:
    """Gives a constructor the parameters of `like`, to `help` as well."""

    def of(method: Callable[..., None]) -> Callable[Concatenate[Any, P], None]:
        itself = inspect.Parameter("self", inspect.Parameter.POSITIONAL_ONLY)
        return _shown(method, itself, *inspect.signature(like).parameters.values())

    return of


def _shown(method: F, *parameters: inspect.Parameter) -> F:
    """Has `help`, notebooks and the reference show a function with other parameters than it declares."""
    signature = inspect.signature(method).replace(parameters=parameters)
    method.__signature__ = signature  # type: ignore[attr-defined] # where `inspect` looks first
    return method


# ---- exports


class _ordered(Generic[P]):
    """A method that gives an `Export`, as a coroutine function that gives an `AsyncExport`."""

    def __init__(self, method: Callable[Concatenate[Any, P], Export]) -> None:
        self._method: Callable[..., Export] = method
        self.__doc__ = method.__doc__

    @overload
    def __get__(self, instance: None, owner: type) -> _ordered[P]: ...
    @overload
    def __get__(self, instance: _Exporting, owner: type) -> Callable[P, Coroutine[Any, Any, AsyncExport]]: ...
    def __get__(self, instance: _Exporting | None, owner: type) -> object:
        if instance is None:
            return self
        threads, caller = instance._threads, instance._exporting

        async def method(*args: P.args, **kwargs: P.kwargs) -> AsyncExport:
            export = await caller.run(self._method.__name__, lambda it: self._method(it, *args, **kwargs))
            return AsyncExport(threads, export)

        method.__doc__ = self.__doc__
        return method


class _Exporting(Protocol):
    @property
    def _threads(self) -> _Threads: ...
    @property
    def _exporting(self) -> AsyncCaller: ...


class AsyncExport:
    """An export that was ordered: `Export` with `await`. Callbacks are called in a thread."""

    def __init__(self, threads: _Threads, export: Export) -> None:
        self._threads = threads
        self._export = export
        self._caller = self._exporting = _Caller(threads, lambda: export)

    @property
    def handle(self) -> ExportHandle:
        """What another process needs to resume it."""
        return self._export.handle

    @property
    def reordered(self) -> ExportHandle | None:
        """The handle before, if its job expired and was ordered again."""
        return self._export.reordered

    @property
    def id(self) -> JobId:
        """The id of its job."""
        return self._export.id

    status = awaited(Export.status)
    wait = _ordered(Export.wait)
    download = awaited(Export.download)
    delivered = awaited(Export.delivered)
    acknowledge = awaited(Export.acknowledge)

    def __repr__(self) -> str:
        return repr(self._export)


class AsyncExporter:
    """Orders exports, and goes on with those that were ordered before: `Exporter` with `await`."""

    def __init__(self, threads: _Threads, exporter: Callable[[], Exporter]) -> None:
        self._threads = threads
        self._caller = self._exporting = _Caller(threads, exporter)

    order = _ordered(Exporter.order)
    begin = _ordered(Exporter.begin)
    order_once = awaited(Exporter.order_once)
    resume = _ordered(Exporter.resume)
    resume_job = _ordered(Exporter.resume_job)


# ---- our three services


class AsyncPublisher(PublisherServiceAsync):
    """The Publisher service: `Publisher` with `await`."""

    def __init__(self, client: Client, rooms: _Rooms) -> None:
        super().__init__(_Caller(rooms.calls, lambda: client.publisher))
        # The list operations again, each an asynchronous context manager; and each giving all pages.
        self.stream = PublisherServiceAsyncStreams(_Caller(rooms.streams, lambda: client.publisher.stream))
        self.iterate = PublisherServiceAsyncPages(_Caller(rooms.calls, lambda: client.publisher.iterate))

    report = awaited(Publisher.report)


class AsyncData(DataServiceAsync):
    """The Data export service: `Data` with `await`."""

    def __init__(self, client: Client, rooms: _Rooms) -> None:
        super().__init__(_Caller(rooms.calls, lambda: client.data))
        self._threads = rooms.exports
        self._exporting = _Caller(rooms.exports, lambda: client.data)
        self.stream = DataServiceAsyncStreams(_Caller(rooms.streams, lambda: client.data.stream))
        self.iterate = DataServiceAsyncPages(_Caller(rooms.calls, lambda: client.data.iterate))
        self.exports = AsyncExporter(rooms.exports, lambda: client.data.exports)

    export = _ordered(Data.export)


class AsyncAdvertiser(AdvertiserServiceAsync):
    """The Advertiser service: `Advertiser` with `await`."""

    def __init__(self, client: Client, rooms: _Rooms) -> None:
        super().__init__(_Caller(rooms.calls, lambda: client.advertiser))
        self.stream = AdvertiserServiceAsyncStreams(_Caller(rooms.streams, lambda: client.advertiser.stream))

    partnerships = awaited(Advertiser.partnerships)
    public_partnerships = awaited(Advertiser.public_partnerships)
    program_report = awaited(Advertiser.program_report)


class AsyncClient:
    """The services of one account, for asyncio: `async with AsyncClient() as client: …`.

    Takes what `Client` takes; hooks among it (`on_finding`, `on_attempt`) are called in threads. As many
    calls run at a time as the setting `pool_size` says, the others wait in the order in which they came: a
    call's deadline counts from when it begins (`asyncio.timeout` bounds both). Open streams and exports have
    as many threads of their own. A call that is cancelled before it begins is never sent; later its
    response is lost, and there is no other attempt. If it was a write, the CancelledError has a note and a
    warning is logged: the write may have been processed. `sync` is the client underneath,
    for what has no form for asyncio.
    """

    @_arguments_of(Client)
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self.sync = Client(*args, **{**kwargs, "clock": _Clock(kwargs.get("clock"))})
        self._rooms = _Rooms.of(self.sync.config.pool_size)
        self._is_view = False

    def with_options(self, **given: Unpack[OptionArguments]) -> AsyncClient:
        """A view of this client whose calls have other options: as `Client.with_options`."""
        view = copy.copy(self)
        for name in ("publisher", "data", "advertiser"):
            view.__dict__.pop(name, None)
        view.sync = self.sync.with_options(**given)
        view._is_view = True
        return view

    def _repr_html_(self) -> str:
        """As notebooks show it: which services it calls, and how."""
        from soapclient.runtime.html import facts_html

        return facts_html(type(self).__name__, services_of(self.config))

    @property
    def config(self) -> Config:
        """The configuration."""
        return self.sync.config

    @property
    def drift(self) -> Drift:
        """Counts what responses hold beyond the contracts."""
        return self.sync.drift

    @lazy
    def publisher(self) -> AsyncPublisher:
        """The Publisher service (2011-03-01)."""
        return AsyncPublisher(self.sync, self._rooms)

    @lazy
    def data(self) -> AsyncData:
        """The Data export service (2011-05-01)."""
        return AsyncData(self.sync, self._rooms)

    @lazy
    def advertiser(self) -> AsyncAdvertiser:
        """The Advertiser service (2015-03-01)."""
        return AsyncAdvertiser(self.sync, self._rooms)

    async def aclose(self) -> None:
        """Call off the calls that wait, end those that run, none with another attempt, and close all
        connections. Of a view: nothing."""
        if self._is_view:
            return
        _require_asyncio()
        try:
            await self._rooms.close()
        finally:  # cancelled, too
            await asyncio.get_running_loop().run_in_executor(None, self.sync.close)

    async def __aenter__(self) -> Self:
        _require_asyncio()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()


# ---- any service


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
            self._rooms = _Rooms.of(settings.pool_size)
        else:
            self._rooms = _Rooms.of(1)  # `connect` refuses it
        kwargs |= {"settings": settings, "clock": _Clock(kwargs.get("clock"))}
        self._connect = functools.partial(connect, _without_asyncio(service), *args, **kwargs)
        self._is_view = False

    @property
    def service(self) -> ServiceT_co:
        """The service, once this is open."""
        return self._service(_Caller(self._rooms.calls, lambda: self.sync.service))

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
        return self.service._streams(_Caller(self._rooms.streams, lambda: self.sync.stream))

    @property
    def iterate(self: AsyncConnection[HasAsyncPages[FaceT]]) -> FaceT:
        """The list operations that come in pages again, each giving the items of all pages, one by one.

        Raises ConfigError for a service that has none.
        """
        check_face(self._service, "iterate", "_pages")
        return self.service._pages(_Caller(self._rooms.calls, lambda: self.sync.iterate))

    def through(self, service: Callable[[AsyncCaller], FaceT]) -> FaceT:
        """Another generated class of the same port, over this connection."""
        other = _without_asyncio(service)
        return service(_Caller(self._rooms.streams, lambda: self.sync.through(other)))

    async def aclose(self) -> None:
        """Call off the calls that wait, end those that run, none with another attempt, and close all
        connections. Of a view: nothing."""
        if self._is_view:
            return
        _require_asyncio()
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
        return _shown(function, first, *others)

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
