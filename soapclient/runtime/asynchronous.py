"""Asyncio versions of service methods, with the same parameters. They run the synchronous methods in threads.

The generated classes for asyncio use the descriptors `awaited`, `streamed_async` and `paged_async`:
`get_sales = awaited(Service.get_sales)` is the asyncio version of `Service.get_sales`. Importing this module
does not import asyncio.
"""

from __future__ import annotations

import os
import threading
import time
from collections import deque
from collections.abc import Callable, Coroutine
from contextlib import AbstractContextManager, suppress
from contextvars import ContextVar
from queue import SimpleQueue
from types import TracebackType
from typing import (
    TYPE_CHECKING,
    Any,
    Concatenate,
    Generic,
    ParamSpec,
    Protocol,
    Self,
    TypeVar,
    cast,
    overload,
)

from soapclient.runtime.frames import AsyncTabular, Tabular
from soapclient.runtime.operations import (
    ItemPages,
    ItemStream,
    ItemT,
    OnPage,
    ResponseT,
    ServiceT,
    named,
    paged,
    streamed,
)

if TYPE_CHECKING:
    from concurrent.futures import Future

P = ParamSpec("P")
T = TypeVar("T")

_MAX_ITEMS = 256  # maximum number of items to read ahead
_MAX_READ_AHEAD = 0.02  # maximum time to read ahead, seconds


# Set if the call that reads pages in this context was cancelled.
_stopped: ContextVar[threading.Event | None] = ContextVar("soapclient_pages_stopped", default=None)


def check_wanted() -> None:
    """Raise CancelledError if the asyncio call that requests the pages was cancelled.

    Called before each page is requested. A context variable holds the state of the asyncio call.
    """
    stopped = _stopped.get()
    if stopped is not None and stopped.is_set():
        from concurrent.futures import CancelledError

        raise CancelledError


class AsyncCaller(Protocol):
    """Interface of the object that runs synchronous calls in threads for the asyncio classes of a service.

    A test double needs only the methods that the test uses.

    >>> import asyncio
    >>> from weather import WeatherServiceAsync  # bindgen init weather --file weather.wsdl
    >>> class Recorder:
    ...     async def run(self, name, call, stop=None):
    ...         return name
    >>> asyncio.run(WeatherServiceAsync(Recorder()).get_weather(city="Rome"))
    'get_weather'
    """

    async def run(
        self, name: str, call: Callable[[Any], T], stop: Callable[[], object] | None = None, /
    ) -> T:
        """Run `call(service)` in a thread and return its result.

        `service` is the synchronous service, or its attribute `stream` or `iterate`. `name` is the name of
        the method, for errors. If the task is cancelled before a thread is free, `call` is not run. If the
        task is cancelled or the client is closed before `call` returns, `stop` is called.
        """
        ...

    def hold(self, name: str, call: Callable[[Any], object], stop: Callable[[], object], /) -> Future[object]:
        """Start `call(service)` in its own thread. Return a future for its result.

        `service` is the same as for `run`. `stop` is called if the client is closed before `call` returns.
        """
        ...

    async def wait(self, name: str, future: Future[T], /) -> T:
        """Wait until a thread completes a future, and return its result.

        `name` is the name of the method, for errors.
        """
        ...


class _Asynchronous(Protocol):
    @property
    def _caller(self) -> AsyncCaller: ...


class awaited(Generic[P, T]):
    """Descriptor that turns a service method into a coroutine function.

    The class that contains the descriptor must have an attribute `_caller`, which is an `AsyncCaller`.
    """

    def __init__(self, method: Callable[Concatenate[ServiceT, P], T]) -> None:
        self._method = cast("Callable[..., T]", method)
        self.__doc__ = method.__doc__

    @overload
    def __get__(self, instance: None, owner: type) -> awaited[P, T]: ...
    @overload
    def __get__(self, instance: _Asynchronous, owner: type) -> Callable[P, Coroutine[Any, Any, T]]: ...
    def __get__(self, instance: _Asynchronous | None, owner: type) -> object:
        if instance is None:
            return self
        caller = instance._caller

        async def method(*args: P.args, **kwargs: P.kwargs) -> T:
            return await caller.run(
                self._method.__name__, lambda service: self._method(service, *args, **kwargs)
            )

        return named(method, self._method)


class streamed_async(Generic[P, ResponseT, ItemT]):
    """Descriptor for the asyncio version of a `streamed` method, which returns an `AsyncItemStream`."""

    def __init__(self, method: streamed[P, ResponseT, ItemT]) -> None:
        self._method = method
        self.__doc__ = method.__doc__

    @overload
    def __get__(self, instance: None, owner: type) -> streamed_async[P, ResponseT, ItemT]: ...
    @overload
    def __get__(
        self, instance: _Asynchronous, owner: type
    ) -> Callable[P, AsyncItemStream[ResponseT, ItemT]]: ...
    def __get__(self, instance: _Asynchronous | None, owner: type) -> object:
        if instance is None:
            return self
        caller = instance._caller

        def method(*args: P.args, **kwargs: P.kwargs) -> AsyncItemStream[ResponseT, ItemT]:
            return AsyncItemStream(
                caller,
                self._method.method.__name__,
                lambda streams: self._method.__get__(streams, type(streams))(*args, **kwargs),
            )

        return named(method, self._method.method)


class paged_async(Generic[P, ResponseT, ItemT]):
    """Descriptor for the asyncio version of a `paged` method, which returns an `AsyncItemPages`."""

    def __init__(self, method: paged[P, ResponseT, ItemT]) -> None:
        self._method = method
        self.__doc__ = method.__doc__

    @overload
    def __get__(self, instance: None, owner: type) -> paged_async[P, ResponseT, ItemT]: ...
    @overload
    def __get__(self, instance: _Asynchronous, owner: type) -> Callable[P, AsyncItemPages[ItemT]]: ...
    def __get__(self, instance: _Asynchronous | None, owner: type) -> object:
        if instance is None:
            return self
        caller = instance._caller

        def method(*args: P.args, **kwargs: P.kwargs) -> AsyncItemPages[ItemT]:
            return AsyncItemPages(
                caller,
                self._method.method.__name__,
                lambda pages: self._method.__get__(pages, type(pages))(*args, **kwargs),
            )

        return named(method, self._method.method)


class _Items(Generic[ItemT]):
    """Asynchronous iterator over items that a thread reads in batches.

    If `anext()` is cancelled while the thread reads a batch, the next `anext()` returns the items of that
    batch.
    """

    def __init__(self, caller: AsyncCaller, name: str) -> None:
        self._caller = caller
        self._name = name
        self._ready: deque[ItemT] = deque()
        self._ended = False
        self._error: Exception | None = None
        self._given = 0

    @property
    def given(self) -> int:
        """Number of items returned so far."""
        return self._given

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> ItemT:
        while not self._ready:
            error, self._error = self._error, None
            if error is not None:  # raised later, after the items that were read before the error
                raise error
            if self._ended:
                raise StopAsyncIteration
            await self._more()
        self._given += 1
        return self._ready.popleft()

    async def _more(self) -> None:
        """Read the next batch of items in a thread."""
        raise NotImplementedError


class AsyncItemStream(_Items[ItemT], Generic[ResponseT, ItemT]):
    """Asynchronous iterator over the items of a list response, in constant memory.

    async with client.publisher.stream.get_sales(date=day, date_type="trackingDate") as sales:
        async for sale in sales: ...

    >>> import asyncio
    >>> import datetime as dt
    >>> from soapclient import AsyncClient
    >>> async def main() -> None:
    ...     async with AsyncClient() as client:
    ...         day = dt.date(2026, 11, 1)
    ...         lists = client.publisher.stream
    ...         async with lists.get_sales(date=day, date_type="trackingDate", items=3) as sales:
    ...             print(len([sale async for sale in sales]))
    >>> asyncio.run(main())
    3
    """

    def __init__(
        self,
        caller: AsyncCaller,
        name: str,
        opened: Callable[[Any], AbstractContextManager[ItemStream[ResponseT, ItemT]]],
    ) -> None:
        super().__init__(caller, name)
        self._opened = opened
        self._stream: ItemStream[ResponseT, ItemT] | None = None
        self._demands: SimpleQueue[Future[None] | None] = SimpleQueue()
        self._worker: Future[object] | None = None
        self._process = 0
        self._stopped = False

    @property
    def head(self) -> ResponseT:
        """The response without its items. Fields that follow the list are set when all items are read."""
        if self._stream is None:
            raise RuntimeError("the stream is not open. Use it with `async with`.")
        return self._stream.head

    async def __aenter__(self) -> Self:
        self._process = os.getpid()
        self._worker = self._caller.hold(self._name, self._work, self._stop)
        await self._more()
        if self._error is not None:
            raise self._error
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stop()
        if kind is None and self._worker is not None and self._process == os.getpid():
            await self._caller.wait(self._name, self._worker)

    async def _more(self) -> None:
        # A forked child process does not have the thread.
        if self._worker is not None and self._process != os.getpid():
            raise RuntimeError("the stream was opened in another process. Open it in this process.")
        if self._worker is None or self._stopped or self._worker.done():
            raise RuntimeError("the stream is not open. Use it with `async with`.")
        from concurrent.futures import Future

        demand: Future[None] = Future()
        self._demands.put(demand)
        self._worker.add_done_callback(lambda _: demand.cancel())  # the worker has ended and will not reply
        try:
            await self._caller.wait(self._name, demand)
        except BaseException:
            if self._stream is None:  # not opened, so `__aexit__` will not stop the worker
                self._stop()
            elif demand.cancelled() and self._worker.done():
                raise RuntimeError("the stream was closed during the read. Open a new stream.") from None
            raise

    def _stop(self) -> None:
        self._stopped = True
        self._demands.put(None)

    def _work(self, streams: object) -> None:
        """Open the synchronous stream, read items from it on demand, and close it.

        `streams` is the attribute `stream` of the synchronous service, and `self._opened(streams)` opens the
        stream. Everything runs in one thread, because an lxml parser must be used in the thread that created
        it.
        """
        demand = self._demands.get()  # from `__aenter__`
        try:
            with self._opened(streams) as stream:
                self._stream = stream
                while demand is not None and not self._stopped:
                    _complete(demand)
                    demand = self._demands.get()
                    if demand is not None and not (self._ended or self._stopped):
                        self._read(stream)
        except Exception as error:
            if demand is None:
                raise  # failed while closing
            self._ended, self._error = True, error
            _complete(demand)

    def _read(self, stream: ItemStream[ResponseT, ItemT]) -> None:
        until = time.monotonic() + _MAX_READ_AHEAD
        while len(self._ready) < _MAX_ITEMS and time.monotonic() < until:
            try:
                self._ready.append(next(stream))
            except StopIteration:
                self._ended = True
                return


def _complete(demand: Future[None]) -> None:
    from concurrent.futures import InvalidStateError

    with suppress(InvalidStateError):  # the waiting task was cancelled
        demand.set_result(None)


class AsyncItemPages(AsyncTabular, _Items[ItemT]):
    """Asynchronous iterator over the items of all pages of a list, in order. Pages are requested when needed.

    To get all items as a table: `await client.publisher.iterate.get_sales(…).to_pandas()`.

    >>> import asyncio
    >>> import datetime as dt
    >>> from soapclient import AsyncClient
    >>> async def main() -> None:
    ...     async with AsyncClient() as client:
    ...         day = dt.date(2026, 11, 1)
    ...         sales = client.publisher.iterate.get_sales(date=day, date_type="trackingDate")
    ...         print(len([sale async for sale in sales]) > 50)  # more than one page
    >>> asyncio.run(main())
    True
    """

    def __init__(self, caller: AsyncCaller, name: str, opened: Callable[[Any], ItemPages[ItemT]]) -> None:
        super().__init__(caller, name)
        self._opened = opened
        self._lock = threading.Lock()  # one thread at a time: the thread of a cancelled call continues
        self._pages: ItemPages[ItemT] | None = None
        self._on_page: OnPage | None = None
        self._pages_read: list[tuple[int, int, int | None]] = []
        self._read_count = 0  # number of items read, including items not yet returned
        self._page = 0  # page of the items that are ready

    @property
    def page(self) -> int | None:
        """The number of the next item's page. Pass it as `page=` to continue later.

        None before the first item.
        """
        if self._pages is None:
            return None
        return self._page if self._ready else self._pages.page

    @property
    def total(self) -> int | None:
        """Total number of items as reported by the service. None until a page has been read."""
        return None if self._pages is None else self._pages.total

    def on_page(self, heard: OnPage, /) -> Self:
        """Call `heard(page, items read so far, total)` in the event loop after each page.

        Return this object.
        """
        self._on_page = heard
        return self

    async def _more(self) -> None:
        await self._caller.run(self._name, self._read)
        self._report_pages()

    def _report_pages(self) -> None:
        read, self._pages_read = self._pages_read, []
        for page in read:
            if self._on_page is not None:
                self._on_page(*page)

    async def _as_table(self, convert: Callable[[Tabular], T]) -> T:
        """Pass the iterator over all items to `convert`, in a thread, and return the resulting table.

        If the task is cancelled or the client is closed, reading stops after the current page.
        """
        from asyncio import get_running_loop

        stopped = threading.Event()
        with suppress(
            RuntimeError
        ):  # there is no event loop: the caller raises a typed error before `heard` is called
            loop = get_running_loop()
        failed: list[Exception] = []

        def tell() -> None:
            try:
                self._report_pages()
            except Exception as error:  # raised by the `on_page` callback
                failed.append(error)
                stopped.set()

        def heard() -> None:
            loop.call_soon_threadsafe(tell)

        def make(service: object) -> T:
            _stopped.set(stopped)  # only in the context of this call
            with self._lock:
                if self._pages is not None or self._ended:
                    raise RuntimeError(f"{self._name}: some items were already read. Request the list again.")
                self._ended = True
                try:
                    return convert(self._heard(service, heard))
                except BaseException:
                    self._ended = self._read_count > 0  # nothing was read: the table can be requested again
                    raise

        try:
            table = await self._caller.run(self._name, make, stopped.set)
            tell()
        except BaseException as error:
            stopped.set()
            if not failed or not isinstance(error, Exception):
                raise
        if failed:
            raise failed[0]
        return table

    def _heard(self, service: object, then: Callable[[], object] = lambda: None) -> ItemPages[ItemT]:
        def heard(page: int, read: int, total: int | None) -> None:
            self._read_count = read
            self._pages_read.append((page, read, total))
            then()

        return self._opened(service).on_page(heard)

    def _read(self, service: object) -> None:
        with self._lock:
            if self._ready or self._ended:
                return  # items that a cancelled call has read
            try:
                self._read_page(service)
            except StopIteration:
                self._ended = True
            except Exception as error:
                self._error = error

    def _read_page(self, service: object) -> None:
        if self._pages is None:
            self._pages = self._heard(service)
        pages = self._pages
        self._ready.append(next(pages))
        # After the last item of a page, `pages.page` is already the next page.
        self._page = pages.page if pages.given < self._read_count else max(0, pages.page - 1)
        while pages.given < self._read_count:  # without requesting the next page
            self._ready.append(next(pages))
