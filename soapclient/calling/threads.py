"""Calls for asyncio: each runs in a thread of a bounded pool, on the same engine as without asyncio."""

from __future__ import annotations

import asyncio
import functools
import inspect
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import ContextVar, copy_context
from datetime import datetime
from typing import Any, Concatenate, Generic, NamedTuple, NoReturn, ParamSpec, TypeVar, Unpack

from soapclient._support.forks import renewed_in_children
from soapclient.calling.loop import InFlight
from soapclient.calling.pages import refuse_lists
from soapclient.clock import Clock, SystemClock
from soapclient.errors import ClientClosed, ConfigError
from soapclient.runtime.service import OptionArguments, Service

P = ParamSpec("P")
T = TypeVar("T")
F = TypeVar("F", bound=Callable[..., object])
HeldT_co = TypeVar("HeldT_co", covariant=True)
ServiceT_co = TypeVar("ServiceT_co", bound=Service, covariant=True)

# Set once nobody waits any more for the call that runs in this context.
_abandoned: ContextVar[threading.Event | None] = ContextVar("soapclient_abandoned", default=None)


class _Abandoned(BaseException):
    """Nobody waits any more for the call: it ends where it would have waited itself."""


class InterruptibleClock:
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


def require_asyncio() -> None:
    """Raise ConfigError if no event loop of asyncio is running, as under trio."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        problem = "AsyncClient and connect_async need a running event loop of asyncio"
        advice = "Run the coroutine with asyncio.run; with another library, call Client in its threads"
        raise ConfigError("asyncio", problem, advice) from None


class Threads:
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
        require_asyncio()
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


class Caller(Generic[HeldT_co]):
    """What asynchronous classes call through: `service` gives the one without asyncio, in a thread too, for
    its first use may load zeep."""

    def __init__(self, threads: Threads, service: Callable[[], HeldT_co]) -> None:
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


class Rooms(NamedTuple):
    """Threads by what they are for: calls wait for none that are kept for long, by streams and by exports."""

    calls: Threads
    streams: Threads
    exports: Threads

    @classmethod
    def of(cls, most: int) -> Rooms:
        """So many of each."""
        return cls(Threads(most, "call"), Threads(most, "stream"), Threads(most, "export"))

    async def close(self) -> None:
        """Close them all."""
        await asyncio.gather(*(threads.close() for threads in self))


class AsyncEngine(Caller[ServiceT_co]):
    """What a service for asyncio calls through; `service` gives the one underneath."""

    def __init__(self, rooms: Rooms, service: Callable[[], ServiceT_co]) -> None:
        super().__init__(rooms.calls, service)
        self.rooms = rooms
        # Any: to type checkers the classes with lists alone have these.
        self.streams = Caller[Any](rooms.streams, lambda: getattr(service(), "stream"))  # noqa: B009
        self.pages = Caller[Any](rooms.calls, lambda: getattr(service(), "iterate"))  # noqa: B009

    @property
    def sync(self) -> ServiceT_co:
        """The service underneath."""
        return self._service()

    def with_options(self, **options: Unpack[OptionArguments]) -> AsyncEngine[ServiceT_co]:
        """A view whose calls have other options."""
        view = self._service().with_options(**options)
        return AsyncEngine(self.rooms, lambda: view)

    def refuse(self, name: str, service: str) -> NoReturn:
        """Raise ConfigError: a service has no operations for `stream` or `iterate`."""
        refuse_lists(name, service)

    async def open(self) -> None:
        """Raise ConfigError if no event loop of asyncio is running."""
        require_asyncio()

    async def close(self) -> None:
        """Close the connections of the service. Of a view: nothing."""
        require_asyncio()
        await asyncio.get_running_loop().run_in_executor(None, self._service().close)


def arguments_of(
    like: Callable[P, object],
) -> Callable[[Callable[..., None]], Callable[Concatenate[Any, P], None]]:
    """Gives a constructor the parameters of `like`, to `help` as well."""

    def of(method: Callable[..., None]) -> Callable[Concatenate[Any, P], None]:
        itself = inspect.Parameter("self", inspect.Parameter.POSITIONAL_ONLY)
        return shown_with(method, itself, *inspect.signature(like).parameters.values())

    return of


def shown_with(method: F, *parameters: inspect.Parameter) -> F:
    """Has `help`, notebooks and the reference show a function with other parameters than it declares."""
    signature = inspect.signature(method).replace(parameters=parameters)
    method.__signature__ = signature  # type: ignore[attr-defined] # where `inspect` looks first
    return method
