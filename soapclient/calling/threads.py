"""Run the calls of asyncio clients in the threads of a bounded pool."""

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

# Set if the call in this context was cancelled.
_abandoned: ContextVar[threading.Event | None] = ContextVar("soapclient_abandoned", default=None)


class _CallCancelled(BaseException):
    """Raised in the thread of a cancelled call when the call tries to sleep."""


class InterruptibleClock:
    """A clock whose `sleep` ends early when the call in the current context is cancelled."""

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
            raise _CallCancelled


def require_asyncio() -> None:
    """Raise ConfigError if no event loop of asyncio is running, for example because the program uses trio."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        problem = "AsyncClient and connect_async need a running event loop of asyncio"
        advice = "Run the coroutine with asyncio.run; with another async library, call Client in a thread"
        raise ConfigError("asyncio", problem, advice) from None


class ThreadPool:
    """A pool of `most` threads for calls. If all are busy, calls wait in order."""

    def __init__(self, most: int, name: str) -> None:
        self._most, self._name = most, name
        self._closed = False
        self.renew()
        renewed_in_children(self)

    def renew(self) -> None:
        """Create a new pool. Also called in forked children, which have no threads of the parent."""
        self._pool = ThreadPoolExecutor(self._most, thread_name_prefix=f"soapclient-async-{self._name}")
        self._stops: set[Callable[[], object]] = set()

    async def run(self, name: str, call: Callable[[], T], stop: Callable[[], object] | None = None) -> T:
        """Run `call()` in a thread and return its result. `name` is the operation, for errors.

        If the task is cancelled before the call begins, the call never begins. If the task is cancelled
        later, `stop()` is called and the result is lost. If the call is a write, the CancelledError then has
        a note that the write may have been processed.
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
        """Start `call()` in a thread, and return a future. `name` is the operation, for errors.

        - `stop()` is called if the pool is closed before the call ends.
        - `abandoned` is an event that the caller of `submit` sets to cancel only this call: its current or
          next sleep then raises an exception.
        - `in_flight` records the call's writes.

        Raises ClientClosed if the pool is closed, and ConfigError if no asyncio event loop is running.
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
        """Return the result of a future that is completed by a thread.

        Raises ClientClosed if the pool is closed meanwhile.
        """
        try:
            return await asyncio.wrap_future(future)
        except _CallCancelled:
            raise ClientClosed(name, waiting=True) from None
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if task is not None and not task.cancelling():
                raise ClientClosed(name) from None
            raise

    async def close(self) -> None:
        """Cancel waiting calls, and wait until running calls end. They do not begin another attempt."""
        self._closed = True
        for stop in list(self._stops):
            stop()
        shutdown = functools.partial(self._pool.shutdown, wait=True, cancel_futures=True)
        await asyncio.get_running_loop().run_in_executor(None, shutdown)


class Caller(Generic[HeldT_co]):
    """Implements `AsyncCaller`, which runs synchronous calls for the asyncio classes of a service.

    `service()` returns the synchronous service, or its attribute `stream` or `iterate`. It is called in the
    thread of the call, because the first call may import zeep, which takes time.
    """

    def __init__(self, threads: ThreadPool, service: Callable[[], HeldT_co]) -> None:
        self._threads = threads
        self._service = service
        self.wait = threads.wait

    async def run(
        self, name: str, call: Callable[[Any], T], stop: Callable[[], object] | None = None, /
    ) -> T:
        """Run `call(service)` in a thread and return its result. See `AsyncCaller.run`."""
        return await self._threads.run(name, lambda: call(self._service()), stop)

    def hold(self, name: str, call: Callable[[Any], object], stop: Callable[[], object], /) -> Future[object]:
        """Start `call(service)` in a thread, and return a future. Used for streams, which keep their thread.

        Unlike `run`, this method does not wait for the result. See `AsyncCaller.hold`.
        """
        abandoned = threading.Event()

        def stop_all() -> None:
            abandoned.set()
            stop()

        return self._threads.submit(name, lambda: call(self._service()), stop_all, abandoned, InFlight())


class ThreadPools(NamedTuple):
    """The thread pools of a client.

    They are separate, so that calls need not wait for streams and exports.
    """

    calls: ThreadPool
    streams: ThreadPool
    exports: ThreadPool

    @classmethod
    def of(cls, most: int) -> ThreadPools:
        """Create pools with at most `most` threads each."""
        return cls(ThreadPool(most, "call"), ThreadPool(most, "stream"), ThreadPool(most, "export"))

    async def close(self) -> None:
        """Close all pools."""
        await asyncio.gather(*(threads.close() for threads in self))


class AsyncEngine(Caller[ServiceT_co]):
    """The engine of an asyncio service.

    It calls the methods of the synchronous service, which `service()` returns, in threads.
    """

    def __init__(self, rooms: ThreadPools, service: Callable[[], ServiceT_co]) -> None:
        super().__init__(rooms.calls, service)
        self.rooms = rooms
        # Any: for type checkers, only services with lists have these attributes.
        self.streams = Caller[Any](rooms.streams, lambda: getattr(service(), "stream"))  # noqa: B009
        self.pages = Caller[Any](rooms.calls, lambda: getattr(service(), "iterate"))  # noqa: B009

    @property
    def sync(self) -> ServiceT_co:
        """The synchronous service."""
        return self._service()

    def with_options(self, **options: Unpack[OptionArguments]) -> AsyncEngine[ServiceT_co]:
        """Return a view whose calls have other options."""
        view = self._service().with_options(**options)
        return AsyncEngine(self.rooms, lambda: view)

    def refuse(self, name: str, service: str) -> NoReturn:
        """Raise ConfigError, because the service has no list operations and so no attribute `name`.

        `name` is "stream" or "iterate", `service` is the name of the service.
        """
        refuse_lists(name, service)

    async def open(self) -> None:
        """Raise ConfigError if no asyncio event loop is running. Called at the start of `async with`."""
        require_asyncio()

    async def close(self) -> None:
        """Close the connections of the service. Does nothing on a view."""
        require_asyncio()
        await asyncio.get_running_loop().run_in_executor(None, self._service().close)


def arguments_of(
    like: Callable[P, object],
) -> Callable[[Callable[..., None]], Callable[Concatenate[Any, P], None]]:
    """Decorate a constructor (`__init__`) to show the parameters of `like` instead of its own parameters.

    `help` and type checkers use them.
    """

    def of(method: Callable[..., None]) -> Callable[Concatenate[Any, P], None]:
        itself = inspect.Parameter("self", inspect.Parameter.POSITIONAL_ONLY)
        return shown_with(method, itself, *inspect.signature(like).parameters.values())

    return of


def shown_with(method: F, *parameters: inspect.Parameter) -> F:
    """Make `help`, notebooks and the documentation show `parameters` as the parameters of `method`.

    Return `method`, whose behavior does not change.
    """
    signature = inspect.signature(method).replace(parameters=parameters)
    method.__signature__ = signature  # type: ignore[attr-defined] # `inspect` reads it first
    return method
