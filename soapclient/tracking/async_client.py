"""The client of the tracking service for asyncio: the typed API of `Client` with `await` and `async for`.

Each call runs in a thread of a bounded pool, and uses the engine of the underlying `Client`.
"""

from __future__ import annotations

import asyncio
import copy
from collections.abc import Callable, Coroutine
from types import TracebackType
from typing import Any, Concatenate, Generic, ParamSpec, Protocol, Self, Unpack, overload

from soapclient._support.forks import lazy
from soapclient.calling.threads import (
    AsyncEngine,
    Caller,
    InterruptibleClock,
    ThreadPool,
    ThreadPools,
    arguments_of,
    require_asyncio,
)
from soapclient.runtime.asynchronous import AsyncCaller, awaited
from soapclient.runtime.service import DriftCounts, OptionArguments
from soapclient.tracking.advertiser import Advertiser
from soapclient.tracking.client import Client, services_of
from soapclient.tracking.data import Data
from soapclient.tracking.exports.export import Export, Orders
from soapclient.tracking.exports.handle import ExportHandle, JobId
from soapclient.tracking.publisher import Publisher
from soapclient.tracking.registration import SERVICE
from soapclient.tracking.settings import Settings
from zxws.advertiser.service import AdvertiserServiceAsync
from zxws.data.service import DataServiceAsync
from zxws.publisher.service import PublisherServiceAsync

__all__ = ["AsyncAdvertiser", "AsyncClient", "AsyncData", "AsyncExport", "AsyncPublisher"]

P = ParamSpec("P")


# ---- exports


class _ordered(Generic[P]):
    """Descriptor that wraps a method whose result is an `Export`.

    The wrapper is a coroutine method. Its result is an `AsyncExport`.
    """

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
    def _threads(self) -> ThreadPool: ...
    @property
    def _exporting(self) -> AsyncCaller: ...


class AsyncExport:
    """An export that was ordered. Has the methods of `Export`, as coroutines.

    Callbacks are called in a thread.
    """

    def __init__(self, threads: ThreadPool, export: Export) -> None:
        self._threads = threads
        self._export = export
        self._caller = self._exporting = Caller(threads, lambda: export)

    @property
    def handle(self) -> ExportHandle:
        """The handle with which another process can resume the export."""
        return self._export.handle

    @property
    def reordered(self) -> ExportHandle | None:
        """The handle of the old, expired job, if the export was ordered again, else None."""
        return self._export.reordered

    @property
    def id(self) -> JobId:
        """The id of the job."""
        return self._export.id

    status = awaited(Export.status)
    wait = _ordered(Export.wait)
    download = awaited(Export.download)
    delivered = awaited(Export.delivered)
    acknowledge = awaited(Export.acknowledge)

    def __repr__(self) -> str:
        return repr(self._export)


class AsyncOrders:
    """Orders exports, and resumes earlier exports. Has the methods of `Orders`, as coroutines."""

    def __init__(self, threads: ThreadPool, exporter: Callable[[], Orders]) -> None:
        self._threads = threads
        self._caller = self._exporting = Caller(threads, exporter)

    order = _ordered(Orders.order)
    begin = _ordered(Orders.begin)
    order_once = awaited(Orders.order_once)
    resume = _ordered(Orders.resume)
    resume_job = _ordered(Orders.resume_job)


# ---- the services


class AsyncPublisher(PublisherServiceAsync):
    """The Publisher service for asyncio. Has the methods of `Publisher`, as coroutines."""

    report = awaited(Publisher.report)


class AsyncData(DataServiceAsync):
    """The Data export service for asyncio. Has the methods of `Data`, as coroutines."""

    def __init__(self, engine: AsyncEngine[Data]) -> None:
        super().__init__(engine)
        self._threads = engine.rooms.exports
        self._exporting = Caller(self._threads, lambda: engine.sync)
        self.exports = AsyncOrders(self._threads, lambda: engine.sync.exports)

    export = _ordered(Data.export)


class AsyncAdvertiser(AdvertiserServiceAsync):
    """The Advertiser service for asyncio. Has the methods of `Advertiser`, as coroutines."""

    partnerships = awaited(Advertiser.partnerships)
    public_partnerships = awaited(Advertiser.public_partnerships)
    program_report = awaited(Advertiser.program_report)


class AsyncClient:
    """The services of one account, for asyncio: `async with AsyncClient() as client: …`.

    The arguments are the same as for `Client`. Hooks (`on_finding`, `on_attempt`) are called in threads.

    At most `pool_size` calls run at the same time. Further calls wait in order. A call's deadline starts when
    the call starts, so use `asyncio.timeout` to limit the wait and the call together. Open streams and
    exports use separate pools of the same size.

    A call that is cancelled before it starts is never sent. If it is cancelled later, its response is lost,
    and it is not retried. For a write, the CancelledError has a note and a warning is logged, because the
    write may have been processed. `sync` is the underlying `Client`, for methods without an asyncio version.
    """

    @arguments_of(Client)
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self.sync = Client(*args, **{**kwargs, "clock": InterruptibleClock(kwargs.get("clock"))})
        self._rooms = ThreadPools.of(self.sync.settings.pool_size)
        self._is_view = False

    def with_options(self, **options: Unpack[OptionArguments]) -> AsyncClient:
        """Return a view of this client with other call options; see `Client.with_options`."""
        view = copy.copy(self)
        for name in SERVICE.packages:
            view.__dict__.pop(name, None)
        view.sync = self.sync.with_options(**options)
        view._is_view = True
        return view

    def _repr_html_(self) -> str:
        """Return HTML for notebooks: the services, their protocols and addresses."""
        from soapclient.runtime.html import facts_html

        return facts_html(type(self).__name__, services_of(self.settings))

    @property
    def settings(self) -> Settings:
        """The settings of the client."""
        return self.sync.settings

    @property
    def drift(self) -> DriftCounts:
        """The counter of contract drift findings."""
        return self.sync.drift

    @lazy
    def publisher(self) -> AsyncPublisher:
        """The Publisher service (2011-03-01)."""
        return AsyncPublisher(AsyncEngine(self._rooms, lambda: self.sync.publisher))

    @lazy
    def data(self) -> AsyncData:
        """The Data export service (2011-05-01)."""
        return AsyncData(AsyncEngine(self._rooms, lambda: self.sync.data))

    @lazy
    def advertiser(self) -> AsyncAdvertiser:
        """The Advertiser service (2015-03-01)."""
        return AsyncAdvertiser(AsyncEngine(self._rooms, lambda: self.sync.advertiser))

    async def aclose(self) -> None:
        """Cancel waiting calls, let running attempts finish without retrying, and close all connections.

        Does nothing on a client that `with_options` returned.
        """
        if self._is_view:
            return
        require_asyncio()
        try:
            await self._rooms.close()
        finally:  # also if cancelled
            await asyncio.get_running_loop().run_in_executor(None, self.sync.close)

    async def __aenter__(self) -> Self:
        require_asyncio()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()
