"""The client of the tracking service for asyncio: the API of `Client` with `await` and `async for`.

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

    >>> import asyncio
    >>> import datetime as dt
    >>> from soapclient import AsyncClient
    >>> async def main() -> None:
    ...     async with AsyncClient() as client:
    ...         day = dt.date(2026, 11, 1)
    ...         export = await client.data.export(
    ...             report_type="sale", from_date=day, to_date=day, reorder=True
    ...         )
    ...         await export.wait(deadline=600)
    ...         file = await export.download("sales-async.csv.gz")
    ...         print(file.row_count > 0)
    >>> asyncio.run(main())
    True
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
        """The handle of the old, expired job if the export was ordered again, otherwise None."""
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
    """The Publisher service for asyncio. Has the methods of `Publisher`, as coroutines.

    >>> import asyncio
    >>> import datetime as dt
    >>> from soapclient import AsyncClient
    >>> async def main() -> None:
    ...     async with AsyncClient() as client:
    ...         day = dt.date(2026, 11, 1)
    ...         page = await client.publisher.get_sales(date=day, date_type="trackingDate", items=2)
    ...         print(len(page.sale_items))
    >>> asyncio.run(main())
    2
    """

    report = awaited(Publisher.report)


class AsyncData(DataServiceAsync):
    """The Data export service for asyncio. Has the methods of `Data`, as coroutines.

    >>> import asyncio
    >>> import datetime as dt
    >>> from soapclient import AsyncClient
    >>> async def main() -> None:
    ...     async with AsyncClient() as client:
    ...         day = dt.date(2026, 11, 1)
    ...         export = await client.data.export(
    ...             report_type="sale", from_date=day, to_date=day, reorder=True
    ...         )
    ...         print((await export.status()).phase)
    >>> asyncio.run(main())
    done
    """

    def __init__(self, engine: AsyncEngine[Data]) -> None:
        super().__init__(engine)
        self._threads = engine.rooms.exports
        self._exporting = Caller(self._threads, lambda: engine.sync)
        self.exports = AsyncOrders(self._threads, lambda: engine.sync.exports)

    export = _ordered(Data.export)


class AsyncAdvertiser(AdvertiserServiceAsync):
    """The Advertiser service for asyncio. Has the methods of `Advertiser`, as coroutines.

    >>> import asyncio
    >>> from soapclient import AsyncClient
    >>> async def main() -> None:
    ...     async with AsyncClient() as client:
    ...         partners = await client.advertiser.partnerships(["18260023C21826000"])
    ...         print(len(partners))
    >>> asyncio.run(main())
    1
    """

    partnerships = awaited(Advertiser.partnerships)
    public_partnerships = awaited(Advertiser.public_partnerships)
    program_report = awaited(Advertiser.program_report)


class AsyncClient:
    """The services of one account, for asyncio: `async with AsyncClient() as client: …`.

    The arguments are the same as for `Client`. The callbacks are called in threads and cannot be coroutine
    functions.

    At most `pool_size` calls run at the same time. Further calls wait in order. A call's deadline starts when
    the call starts, so use `asyncio.timeout` to limit the wait and the call together. Open streams and
    exports use separate pools of the same size.

    A call that is cancelled before it starts is never sent. If it is cancelled later, its response is lost,
    and it is not retried. For a write, the CancelledError has a note and a warning is logged, because the
    write may have been processed. `sync` is the underlying `Client`, for methods without an asyncio version.

    **Parameters:**

    * **settings** - *(optional)* The settings. By default they are loaded from the environment and from the
      file named by SOAPCLIENT_CONFIG.
    * **protocol** - *(optional)* `"soap"` or `"rest"` for the Publisher and the Data service, or a dict that
      maps the name of a service to its protocol. Defaults to the settings, whose default is SOAP. The
      Advertiser service supports only REST.
    * **credentials** - *(optional)* Credentials, or a provider of credentials (docs/how-to/credentials.md),
      which is called for the first time when the client is created. Defaults to the settings `connect_id` and
      `secret_key`.
    * **plugins** - *(optional)* A list of zeep plugins. SOAP only.
    * **wsse** - *(optional)* WS-Security, such as `soapclient.security.Security`, or a list of several. SOAP
      only.
    * **zeep_settings** - *(optional)* A `zeep.Settings`. Only `extra_http_headers` and `raw_response` have an
      effect. Raises ConfigError if any other setting is changed. SOAP only.
    * **transport** - *(optional)* A `zeep.Transport`, whose requests session is used, for SOAP and REST.
    * **on_finding** - *(optional)* Called as `on_finding(operation, finding, times)` if a response differs
      from the contract. `times` is how often this difference occurs in the response. `client.drift` counts
      all differences.
    * **on_attempt** - *(optional)* Called as `on_attempt(attempt)` when an attempt starts and when it ends.
    * **on_response** - *(optional)* Called as `on_response(attempt)` when the response of an attempt has
      been read. Exceptions in these callbacks are logged (docs/how-to/logging.md).
    * **clock** - *(optional)* The clock to use instead of the system clock, for tests.
    * **nonce_source** - *(optional)* A function that returns the nonce of a signature, for tests.
    * **random** - *(optional)* A function that returns random numbers from 0 to 1 for backoff, for tests.
    * **options** - *(optional)* Any setting by its name. Overrides `settings`. Meanings, units and defaults:
      docs/reference/settings.md. Account: `connect_id`, `secret_key`, `keyring`. Seconds: `deadline` (of a
      call), `timeout` (of an attempt), `connect_timeout`. Retries: `attempts`, `safe`. Time zones:
      `naive_zone`, `report_zone`. HTTP: `verify`, `certificate`, `proxies`, `proxy_credentials`, `headers`,
      `user_agent`, `pool_size`, `allow_http`, `allow_private`, `request_id_header`. Limits:
      `max_response_bytes`, `max_response_nodes`, `max_response_parts`, `max_compression_ratio`,
      `max_download_bytes`, `stream_above` (bytes). Responses: `validate`, `on_invalid_value`, `drift`,
      `drift_log`. Signature: `signature_placement`, `rest_signature`, `lowercase_path`,
      `signature_validity_minutes`. WS-Security: `security`. MTOM: `mtom`, `mtom_above` (bytes). REST:
      `rest_format`. Single services: `services`. Addresses:
      `publisher_url`, `data_url`, `advertiser_url`, and in parts `publisher_base_url`, `publisher_wsdl_url`,
      `publisher_soap_url`, `data_base_url`, `data_wsdl_url`, `data_soap_url`, `advertiser_base_url`. The
      tracking service: `publisher_protocol`, `data_protocol`, `advertiser_partner_codes`, `signing_names`,
      `state_dir`, `on_column_drift`.

    >>> import asyncio
    >>> import datetime as dt
    >>> from soapclient import AsyncClient
    >>> async def count() -> int:
    ...     async with AsyncClient() as client:
    ...         day = dt.date(2026, 11, 1)
    ...         page = await client.publisher.get_sales(date=day, date_type="trackingDate", items=2)
    ...         return len(page.sale_items)
    >>> asyncio.run(count())
    2
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
        """The Publisher service, version 2011-03-01."""
        return AsyncPublisher(AsyncEngine(self._rooms, lambda: self.sync.publisher))

    @lazy
    def data(self) -> AsyncData:
        """The Data export service, version 2011-05-01."""
        return AsyncData(AsyncEngine(self._rooms, lambda: self.sync.data))

    @lazy
    def advertiser(self) -> AsyncAdvertiser:
        """The Advertiser service, version 2015-03-01."""
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
