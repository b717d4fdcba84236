"""Base classes of generated services. They define the members that are not operations."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterable, Iterator, Mapping, MutableSequence, Sequence
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from types import TracebackType
from typing import TYPE_CHECKING, Any, ClassVar, Final, NoReturn, Protocol, Self, TypedDict, Unpack, cast

from soapclient.runtime.asynchronous import AsyncCaller
from soapclient.runtime.findings import Finding
from soapclient.runtime.operations import Caller, HeaderCaller, PageCaller, StreamCaller

if TYPE_CHECKING:
    from lxml import etree

# Names of members that are not operations; bindgen appends an underscore to an operation with such a name.
RESERVED: Final = frozenset(
    ("aclose", "close", "drift", "iterate", "soap", "stream", "sync", "with_options", "zeep")
)


class OptionArguments(TypedDict, total=False):
    """The arguments of `with_options`.

    >>> from soapclient import Client
    >>> with Client() as client:
    ...     patient = client.with_options(deadline=120, attempts=6)  # shares the connections
    ...     profile = patient.publisher.get_profile()
    """

    timeout: float | dt.timedelta | None
    deadline: float | dt.timedelta | None
    attempts: int | None
    headers: Mapping[str, str] | None
    request_id: str | None
    soapheaders: Sequence[object] | Mapping[str, object] | None


@dataclass(frozen=True, slots=True)
class Attachment:
    """An attachment of a SOAP message.

    The message refers to it by `content_id` (without angle brackets), as in `href="cid:…"`. `headers` are all
    headers of a received attachment.

    >>> from soapclient.connection import Attachment
    >>> scan = Attachment(b"%PDF-1.7", "application/pdf", "scan-1")
    >>> scan.content_id
    'scan-1'
    """

    content: bytes
    content_type: str = "application/octet-stream"
    content_id: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)


of_message: Final[ContextVar[tuple[Attachment, ...]]] = ContextVar("attachments_of_message", default=())
"""The attachments of the current message, so that a security object can sign or verify them."""


@contextmanager
def attached(attachments: Iterable[Attachment]) -> Iterator[None]:
    """Set the attachments of the current message for a `with` block.

    A security object that signs or verifies a message in the block also signs or verifies these
    attachments.
    """
    token = of_message.set(tuple(attachments))
    try:
        yield
    finally:
        of_message.reset(token)


class SentAttachments(Protocol):
    """The object `attachments` of a block `with service.soap.attachments(…) as attachments`.

    The arguments of `attachments(…)` are sent with each call in the block. This object gives access to the
    attachments of the last response: `received` contains all of them, and `attachments["scan"]` is the
    attachment for the message part `scan` of the WSDL. `Attachments` has an example.
    """

    @property
    def received(self) -> tuple[Attachment, ...]:
        """All attachments of the last response."""
        ...

    def __getitem__(self, name: str, /) -> Attachment: ...


class ZeepClient(Protocol):
    """The parts of zeep's Client that `service.soap` supports, with types (docs/how-to/from-zeep.md).

    >>> from soapclient import connect
    >>> from soapclient.testing import mock
    >>> from weather import WeatherService  # bindgen init weather --file weather.wsdl
    >>> with mock("weather") as server, connect(WeatherService, address=server.address()) as service:
    ...     with service.soap.settings(raw_response=True):
    ...         print(service.zeep.GetWeather(city="Rome").status_code)
    200
    """

    # Any here and below: these are objects of zeep, which has no type hints.
    @property
    def plugins(self) -> MutableSequence[Any]:
        """zeep's plugins. They are applied to each request after it is signed and before it is validated."""
        ...

    @property
    def settings(self) -> Any:
        """zeep's settings; `with service.soap.settings(raw_response=True): …` changes them for a block."""
        ...

    @property
    def service(self) -> Any:
        """The operations by their WSDL names. They accept a request as a struct, or its fields by name."""
        ...

    def set_default_soapheaders(self, headers: object) -> None:
        """Set the SOAP headers of all calls, in any form that `_soapheaders` accepts."""
        ...

    def create_message(self, service: Any, operation: str, *given: object, **fields: Any) -> etree._Element:
        """Return the envelope that a call would send, without WS-Security.

        `service` is the attribute `service` of this client, and `operation` an operation's name in the WSDL.
        The other arguments are those of the call. Raises ContractError if one of them is invalid.
        """
        ...

    def attachments(self, *sent: Attachment, **named: Attachment) -> AbstractContextManager[SentAttachments]:
        """Send attachments with each call inside the `with`, and get the attachments of the response."""
        ...


class ZeepService(Protocol):
    """zeep's own service for the port of a service. `service.zeep.GetThing(id="…")` returns zeep's result.

    >>> from soapclient import connect
    >>> from soapclient.testing import mock
    >>> from weather import WeatherService  # bindgen init weather --file weather.wsdl
    >>> with mock("weather") as server, connect(WeatherService, address=server.address()) as service:
    ...     rule = server.on("GetWeather").reply(degrees=21)
    ...     print(service.zeep.GetWeather(city="Rome").degrees)
    21
    """

    def __getitem__(self, name: str, /) -> Callable[..., object]: ...
    def __getattr__(self, name: str, /) -> Callable[..., object]: ...


class DriftCounts(Protocol):
    """The drift findings of a service.

    >>> from soapclient import connect
    >>> from soapclient.testing import mock
    >>> from weather import WeatherService  # bindgen init weather --file weather.wsdl
    >>> with mock("weather") as server, connect(WeatherService, address=server.address()) as service:
    ...     rule = server.on("GetWeather").drifts("element")
    ...     response = service.get_weather(city="Rome")
    ...     for (operation, finding), number in service.drift.counts().items():
    ...         print(operation, finding.path, number)
    GetWeather GetWeatherResponse/unheardOf 1
    """

    def counts(self) -> dict[tuple[str, Finding], int]:
        """Return a copy of the counts: (operation, finding) → number."""
        ...

    def flush(self) -> None:
        """Write new counts to the drift log, if there is a drift log."""
        ...


class Engine(Caller, StreamCaller, PageCaller, Protocol):
    """Interface of the engine of a service, which is the object that makes its calls."""

    @property
    def client(self) -> ZeepClient:
        """The zeep client of the service."""
        ...

    @property
    def zeep(self) -> ZeepService:
        """zeep's own service proxy for the port of this service."""
        ...

    @property
    def drift(self) -> DriftCounts:
        """The drift findings of the service."""
        ...

    def with_options(self, **options: Unpack[OptionArguments]) -> Engine:
        """Return an engine with other options for its calls, but the same connections."""
        ...

    def facts(self) -> Sequence[tuple[str, object]]:
        """Return facts about this engine that notebooks show, as names and values."""
        ...

    def refuse(self, name: str, service: str) -> NoReturn:
        """Raise ConfigError, because the service has no attribute `name`: it has no suitable lists.

        `name` is "stream" or "iterate". `service` is the name of the service's class.
        """
        ...

    def close(self) -> None:
        """Close the service. Does nothing on a view, which is an engine that `with_options` returned."""


class _WithoutLists:
    """Base class of services. If the contract has no lists, `stream` and `iterate` raise ConfigError."""

    if not TYPE_CHECKING:  # for type checkers, only services with lists have these attributes

        @property
        def stream(self) -> NoReturn:
            """Raises ConfigError: this service has no lists."""
            self._caller.refuse("stream", type(self).__name__)

        @property
        def iterate(self) -> NoReturn:
            """Raises ConfigError: this service has no lists with pages."""
            self._caller.refuse("iterate", type(self).__name__)


class Service(_WithoutLists):
    """A service with its operations as methods. Thread-safe. Close it, or use it as a context manager.

    If some operations return lists, the service has the attribute `stream`. Its methods are the same
    operations, but they return the items one by one, in constant memory. If some lists have pages, the
    service also has the attribute `iterate`, whose methods return the items of all pages.

    >>> from soapclient import connect
    >>> from soapclient.testing import mock
    >>> from weather import WeatherService  # bindgen init weather --file weather.wsdl
    >>> with mock("weather") as server, connect(WeatherService, address=server.address()) as service:
    ...     rule = server.on("GetWeather").reply(degrees=21)
    ...     patient = service.with_options(deadline=120)
    ...     print(patient.get_weather(city="Rome").degrees)
    21

    A test double can make the calls instead of `connect`.

    >>> class Recorder:
    ...     def call(self, operation, request):
    ...         return f"{operation.name} {request.city}"
    >>> WeatherService(Recorder()).get_weather(city="Rome")
    'GetWeather Rome'
    """

    _caller: Caller

    def __init__(self, caller: Caller) -> None:
        """Create a service. `caller` makes the calls.

        It is the engine of `connect` or of a client, or a test double.
        """
        self._caller = caller

    @property
    def soap(self) -> ZeepClient:
        """The supported parts of zeep's Client, with types.

        They are `plugins`, `settings(raw_response=True)`, `set_default_soapheaders`, `create_message`,
        `attachments`, and `service` with the operations by WSDL name. Raises UnsupportedByProtocol over REST.
        """
        return self._engine.client

    @property
    def zeep(self) -> ZeepService:
        """zeep's own service for the same port. `service.zeep.GetThing(id="…")` returns zeep's result.

        Calls of this service have the same validation, limits and security as all others. They are not
        retried, and faults are raised as exceptions of zeep. Raises UnsupportedByProtocol over REST.
        """
        return self._engine.zeep

    @property
    def drift(self) -> DriftCounts:
        """The drift findings: counts of the differences between responses and the WSDL."""
        return self._engine.drift

    def with_options(self, **options: Unpack[OptionArguments]) -> Self:
        """Return a view of this service whose calls have other options. Connections and findings are shared.

            weather.with_options(deadline=5, attempts=1).get_weather(city="Rome")
            weather.with_options(soapheaders=[tenant]).get_weather(city="Rome")

        The options are the same as in `Client.with_options`. Closing a view has no effect. Raises
        ConfigError if an option is invalid.
        """
        return type(self)(self._engine.with_options(**options))

    def close(self) -> None:
        """Close the connections. Later calls raise ClientClosed.

        Also writes the drift findings to the drift log, if the setting `drift_log` names a file. Does nothing
        on a view, which is a service that `with_options` returned.
        """
        self._engine.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _repr_html_(self) -> str:
        """Return the HTML that notebooks show: protocol and address."""
        from soapclient.runtime.html import facts_html

        return facts_html(type(self).__name__, self._engine.facts())

    @property
    def _engine(self) -> Engine:
        return cast("Engine", self._caller)  # a test double can have fewer members


class HeaderService(Service):
    """A service whose operations have SOAP headers."""

    _caller: HeaderCaller

    def __init__(self, caller: HeaderCaller) -> None:
        """Create a service. `caller` makes the calls with SOAP headers. Otherwise like `Service`."""
        super().__init__(caller)


class AsyncEngine(AsyncCaller, Protocol):
    """Interface of the engine of a service for asyncio. `AsyncCaller` has an example."""

    @property
    def sync(self) -> Service:
        """The synchronous service. Raises RuntimeError before the service is open."""
        ...

    @property
    def streams(self) -> AsyncCaller:
        """Caller that runs the calls of the synchronous `stream` in threads."""
        ...

    @property
    def pages(self) -> AsyncCaller:
        """Caller that runs the calls of the synchronous `iterate` in threads."""
        ...

    def with_options(self, **options: Unpack[OptionArguments]) -> AsyncEngine:
        """Return an engine with other options for its calls, but the same connections."""
        ...

    def refuse(self, name: str, service: str) -> NoReturn:
        """Raise ConfigError, because the service has no attribute `name`: it has no suitable lists.

        `name` is "stream" or "iterate". `service` is the name of the service's class.
        """
        ...

    async def open(self) -> None:
        """Open the synchronous service."""

    async def close(self) -> None:
        """Close the service and its threads."""


class AsyncService(_WithoutLists):
    """A service for asyncio, with its operations as coroutine functions. Use it with `async with`."""

    SERVICE: ClassVar[type[Service]]

    def __init__(self, caller: AsyncEngine) -> None:
        self._caller = caller

    @property
    def sync(self) -> Service:
        """The synchronous service, for its members `soap` and `zeep`, which have no asyncio form.

        Raises RuntimeError before this service is open.
        """
        return self._caller.sync

    @property
    def drift(self) -> DriftCounts:
        """The drift findings: counts of the differences between responses and the WSDL.

        Raises RuntimeError before this service is open.
        """
        return self._caller.sync.drift

    def with_options(self, **options: Unpack[OptionArguments]) -> Self:
        """Return a view of this service whose calls have other options. See `Service.with_options`.

        The service must be open.
        """
        return type(self)(self._caller.with_options(**options))

    async def aclose(self) -> None:
        """Close the service and all its connections. Does nothing on a view.

        Waiting calls are cancelled. Running attempts finish normally, without a retry.
        """
        await self._caller.close()

    async def __aenter__(self) -> Self:
        await self._caller.open()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()
