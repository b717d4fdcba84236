"""Base classes of generated services: what a service has next to its operations."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Mapping, MutableSequence, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from types import TracebackType
from typing import TYPE_CHECKING, Any, ClassVar, Final, NoReturn, Protocol, Self, TypedDict, Unpack, cast

from soapclient.runtime.asynchronous import AsyncCaller
from soapclient.runtime.findings import Finding
from soapclient.runtime.html import facts_html
from soapclient.runtime.operations import Caller, HeaderCaller, PageCaller, StreamCaller

if TYPE_CHECKING:
    from lxml import etree

# Names of a service that are not operations; bindgen appends an underscore to an operation of such a name.
RESERVED: Final = frozenset(
    ("aclose", "close", "drift", "iterate", "soap", "stream", "sync", "with_options", "zeep")
)


class OptionArguments(TypedDict, total=False):
    """The arguments of `with_options`."""

    timeout: float | dt.timedelta | None
    deadline: float | dt.timedelta | None
    attempts: int | None
    headers: Mapping[str, str] | None
    request_id: str | None
    soapheaders: Sequence[object] | Mapping[str, object] | None


@dataclass(frozen=True, slots=True)
class Attachment:
    """What goes beside an envelope. A message refers to it by `content_id` (without angle brackets), as in
    `href="cid:…"`; `headers` are all headers that it came with."""

    content: bytes
    content_type: str = "application/octet-stream"
    content_id: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)


class SentAttachments(Protocol):
    """What is sent with each call inside a `with`, and what the last response came with: all of it in
    `received`, by the names of the WSDL in `attachments["scan"]`."""

    @property
    def received(self) -> tuple[Attachment, ...]: ...
    def __getitem__(self, name: str, /) -> Attachment: ...


class ZeepClient(Protocol):
    """The parts of zeep's Client that a service has, with types (docs/how-to/from-zeep.md)."""

    # Any, here and below: objects of zeep, which has no types.
    @property
    def plugins(self) -> MutableSequence[Any]:
        """zeep's plugins. They see each request after it is signed and before it is validated."""
        ...

    @property
    def settings(self) -> Any:
        """zeep's settings; `with service.soap.settings(raw_response=True): …` changes them for a block."""
        ...

    @property
    def service(self) -> Any:
        """The operations by their WSDL names, with the struct of a request or with its fields by name."""
        ...

    def set_default_soapheaders(self, headers: object) -> None:
        """Set the headers of all calls, in any form that `_soapheaders` takes."""
        ...

    def create_message(self, service: Any, operation: str, *given: object, **fields: Any) -> etree._Element:
        """Return the envelope of a call, without WS-Security. Nothing is sent. Raises ContractError."""
        ...

    def attachments(self, *sent: Attachment, **named: Attachment) -> AbstractContextManager[SentAttachments]:
        """Send attachments with each call inside the `with`, and receive the attachments of its response."""
        ...


class ZeepService(Protocol):
    """The same port by zeep itself: `service.zeep.GetThing(id="…")` returns what zeep returns."""

    def __getitem__(self, name: str, /) -> Callable[..., object]: ...
    def __getattr__(self, name: str, /) -> Callable[..., object]: ...


class DriftCounts(Protocol):
    """The drift findings of a service."""

    def counts(self) -> dict[tuple[str, Finding], int]:
        """Return a copy of the counts: (operation, finding) → number."""
        ...

    def flush(self) -> None:
        """Write the counts that are not yet in the drift log, if there is one."""
        ...


class Engine(Caller, StreamCaller, PageCaller, Protocol):
    """What an open service calls through."""

    @property
    def client(self) -> ZeepClient: ...
    @property
    def zeep(self) -> ZeepService: ...
    @property
    def drift(self) -> DriftCounts: ...
    def with_options(self, **options: Unpack[OptionArguments]) -> Engine:
        """Return a view whose calls have other options."""
        ...

    def facts(self) -> Sequence[tuple[str, object]]:
        """Return what notebooks show of it."""
        ...

    def refuse(self, name: str, service: str) -> NoReturn:
        """Raise ConfigError: the service has no operations for `stream` or `iterate`."""
        ...

    def close(self) -> None: ...


class _WithoutLists:
    """The names for lists of a service that has none."""

    if not TYPE_CHECKING:  # type checkers know the classes that have them

        @property
        def stream(self) -> NoReturn:
            """Nothing: this service has no lists. Raises ConfigError."""
            self._caller.refuse("stream", type(self).__name__)

        @property
        def iterate(self) -> NoReturn:
            """Nothing: this service has no lists in pages. Raises ConfigError."""
            self._caller.refuse("iterate", type(self).__name__)


class Service(_WithoutLists):
    """A service: its operations as methods. Threads may share it; close it, or use it with `with`.

    The class of a WSDL with lists has `stream`, its list operations item by item in constant memory, and the
    class of a WSDL with pages `iterate`, all items of all pages.
    """

    _caller: Caller

    def __init__(self, caller: Caller) -> None:
        """`caller` makes the calls: the engine of `connect` or of a client, or a stand-in in a test."""
        self._caller = caller

    @property
    def soap(self) -> ZeepClient:
        """What stands where zeep has its Client, with types: `plugins`, `settings(raw_response=True)`,
        `set_default_soapheaders`, `create_message`, `attachments`, and `service` by WSDL names. Raises
        UnsupportedByProtocol over REST."""
        return self._engine.client

    @property
    def zeep(self) -> ZeepService:
        """The same port by zeep itself: `service.zeep.GetThing(id="…")` gives what zeep gives.

        Checked, bounded and secured like any call; nothing is tried again, and faults are zeep's. Raises
        UnsupportedByProtocol over REST.
        """
        return self._engine.zeep

    @property
    def drift(self) -> DriftCounts:
        """Counts what responses hold beyond the WSDL."""
        return self._engine.drift

    def with_options(self, **options: Unpack[OptionArguments]) -> Self:
        """A view of this service whose calls have other options; it shares connections and findings.

        weather.with_options(deadline=5, attempts=1).get_weather(city="Rome")
        weather.with_options(soapheaders=[tenant]).get_weather(city="Rome")

        The options are those of `Client.with_options`. Closing a view closes nothing. Raises ConfigError.
        """
        return type(self)(self._engine.with_options(**options))

    def close(self) -> None:
        """Close the connections, write what is not yet in the drift log; later calls raise ClientClosed. Of a
        view: nothing."""
        self._engine.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _repr_html_(self) -> str:
        """As notebooks show it: what it calls, and where."""
        return facts_html(type(self).__name__, self._engine.facts())

    @property
    def _engine(self) -> Engine:
        return cast("Engine", self._caller)  # a stand-in of a test has no more than it needs


class HeaderService(Service):
    """A service whose operations have SOAP headers."""

    _caller: HeaderCaller

    def __init__(self, caller: HeaderCaller) -> None:
        """As `Service`."""
        super().__init__(caller)


class AsyncEngine(AsyncCaller, Protocol):
    """What a service for asyncio calls through."""

    @property
    def sync(self) -> Service:
        """The service underneath. Raises RuntimeError before it is open."""
        ...

    @property
    def streams(self) -> AsyncCaller: ...
    @property
    def pages(self) -> AsyncCaller: ...
    def with_options(self, **options: Unpack[OptionArguments]) -> AsyncEngine: ...
    def refuse(self, name: str, service: str) -> NoReturn: ...
    async def open(self) -> None: ...
    async def close(self) -> None: ...


class AsyncService(_WithoutLists):
    """A service for asyncio: its operations as coroutine functions. Use it with `async with`."""

    SERVICE: ClassVar[type[Service]]

    def __init__(self, caller: AsyncEngine) -> None:
        self._caller = caller

    @property
    def sync(self) -> Service:
        """The service underneath, once this is open, for what has no form for asyncio: `soap` and `zeep`."""
        return self._caller.sync

    @property
    def drift(self) -> DriftCounts:
        """Counts what responses hold beyond the WSDL, once this is open."""
        return self._caller.sync.drift

    def with_options(self, **options: Unpack[OptionArguments]) -> Self:
        """A view of this service, once it is open, whose calls have other options: as
        `Service.with_options`."""
        return type(self)(self._caller.with_options(**options))

    async def aclose(self) -> None:
        """Call off the calls that wait, end those that run, none with another attempt, and close all
        connections. Of a view: nothing."""
        await self._caller.close()

    async def __aenter__(self) -> Self:
        await self._caller.open()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()
