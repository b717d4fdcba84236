"""The ways to call: a client per protocol and form, an asyncio client, and a package used with `connect`.

They all behave like a `Client`, so that the pieces of work can treat them alike.
"""

from __future__ import annotations

import asyncio
import atexit
import importlib
import inspect
import shutil
import sys
import tempfile
import threading
import tomllib
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import AbstractAsyncContextManager, ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any, Final, Literal, Protocol, cast
from zoneinfo import ZoneInfo

from bindgen import init
from soapclient import AsyncClient, Client, Settings
from soapclient.clock import Clock, NonceSource
from soapclient.connection import Credentials, connect
from soapclient.runtime.service import RESERVED
from soapclient.tracking.sandbox import SAMPLE_CONNECT_ID, SAMPLE_SECRET_KEY
from zxws.publisher.types import AdspaceItem

from .plan import request_id

_WSDL: Final = Path(__file__).parents[2] / "wsdl"
_PACKAGE: Final = "campaign_shop"
_SECTIONS: Final = ("signing", "fault", "paging", "types")
OpenClient = Callable[[Settings, NonceSource, Clock | None], Client]


@dataclass(frozen=True)
class Way:
    """One way to call: the kind of client, its settings, and the services it offers."""

    by: Literal["client", "asyncio", "package"] = "client"
    settings: Mapping[str, str | int] = field(default_factory=dict)

    @property
    def services(self) -> frozenset[str]:
        """The services that this way offers."""
        return frozenset({"publisher"} if self.by == "package" else {"publisher", "data", "advertiser"})


_SOAP: Final = {"publisher_protocol": "soap", "data_protocol": "soap"}
_XML: Final = {"publisher_protocol": "rest", "data_protocol": "rest", "rest_format": "xml"}
_JSON: Final = {**_XML, "rest_format": "json", "rest_signature": "query"}
_CHECKED: Final = {"validate": "all", "drift": "error"}
WAYS: Final[Mapping[str, Way]] = {
    "SOAP": Way(settings=_SOAP),
    "XML": Way(settings=_XML),
    "JSON": Way(settings=_JSON),
    "SOAPstreamed": Way(settings={**_SOAP, "stream_above": 0}),
    # Validate every message against the schema.
    "SOAPchecked": Way(settings={**_SOAP, **_CHECKED}),
    "XMLchecked": Way(settings={**_XML, **_CHECKED}),
    "SOAPasync": Way("asyncio", _SOAP),
    "JSONasync": Way("asyncio", _JSON),
    "package": Way("package"),
}


class Face(Protocol):
    """An open way to call. Thread-safe."""

    def asked(self, tag: str, *, named: bool) -> Client:
        """Return a client for a call. If `named`, the call's requests use its tag as their request id."""

    def adspace(self, name: str, number: int | None = None, visitors: int = 1) -> AdspaceItem:
        """Build an ad space to send."""


@dataclass(frozen=True)
class Target:
    """The service to call: its address, the timeout of a call in seconds, the clock and the key."""

    url: str
    timeout: float
    clock: Clock | None = None
    secret_key: str = SAMPLE_SECRET_KEY


def config_for(target: Target, way: str) -> Settings:
    """Build the configuration for calls with one of the ways."""
    load: Callable[..., Settings] = Settings.load
    return load(
        environ={},
        connect_id=SAMPLE_CONNECT_ID,
        secret_key=target.secret_key,
        **{f"{service}_url": target.url for service in ("publisher", "data", "advertiser")},
        deadline=target.timeout,
        connect_timeout=target.timeout / 2,
        **WAYS[way].settings,
    )


def open_client(config: Settings, nonces: NonceSource, clock: Clock | None = None) -> Client:
    """Open a client without backoff delays: the campaigns test calls, not the time between attempts."""
    return Client(config, nonce_source=nonces, clock=clock, random=lambda: 0.0)


def open_face(
    stack: ExitStack, target: Target, way: str, nonces: NonceSource, opened: OpenClient = open_client
) -> Face:
    """Open one of the ways to call until the stack ends. `opened` opens ordinary clients."""
    by, config = WAYS[way].by, config_for(target, way)
    if by == "client":
        return _Plain(stack.enter_context(opened(config, nonces, target.clock)))
    if by == "asyncio":
        return stack.enter_context(_awaited(config, nonces, target.clock))
    return _Package(stack, target)


# ---- ordinary clients


class _Plain:
    def __init__(self, client: Client) -> None:
        self._client = client

    def asked(self, tag: str, *, named: bool) -> Client:
        return self._client.with_options(request_id=request_id(tag)) if named else self._client

    def adspace(self, name: str, number: int | None = None, visitors: int = 1) -> AdspaceItem:
        return adspace(AdspaceItem, name, number, visitors)


def adspace(kind: type[AdspaceItem], name: str, number: int | None, visitors: int) -> AdspaceItem:
    """Build an ad space with the types of a package."""
    return kind(
        id=number,
        name=name,
        url="https://campaign.example.org/?a=1&b=2",
        description="Über <campaigns> & more",
        adspace_type="website",
        visitors=visitors,
        impressions=10,
        scope="private",
        regions=["DE", "AT"],
        language="de",
        check_number=1234,
    )


# ---- asyncio


@contextmanager
def _awaited(config: Settings, nonces: NonceSource, clock: Clock | None) -> Iterator[Face]:
    """Open an asyncio client. Its loop runs in a separate thread and serves many threads at a time."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, name="campaign-loop", daemon=True)
    thread.start()
    client = AsyncClient(config, nonce_source=nonces, random=lambda: 0.0, clock=clock)
    try:
        yield _Awaited(loop, client)
    finally:
        asyncio.run_coroutine_threadsafe(client.aclose(), loop).result()
        asyncio.run_coroutine_threadsafe(loop.shutdown_default_executor(), loop).result()
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


class _Awaited(_Plain):
    def __init__(self, loop: asyncio.AbstractEventLoop, client: AsyncClient) -> None:
        super().__init__(client.sync)
        self._loop = loop
        self._asynchronous = client

    def asked(self, tag: str, *, named: bool) -> Client:
        client = self._asynchronous
        view = client.with_options(request_id=request_id(tag)) if named else client
        return cast("Client", _Blocking(self._loop, view))  # its methods block until done


@dataclass
class _Blocking:
    """Wraps an asyncio object as a blocking one: every awaitable is awaited in the loop."""

    _loop: asyncio.AbstractEventLoop
    _target: object

    def __getattr__(self, name: str) -> Any:  # the target's attribute
        found = getattr(self._target, name)
        if not callable(found):
            return _Blocking(self._loop, found)
        return lambda *args, **kwargs: self._waited(found(*args, **kwargs))

    def _waited(self, value: Any) -> Any:
        if inspect.iscoroutine(value):
            return asyncio.run_coroutine_threadsafe(value, self._loop).result()
        if isinstance(value, AbstractAsyncContextManager):
            return self._entered(value)
        return self._each(aiter(value))

    def _each(self, items: AsyncIterator[object]) -> Iterator[object]:
        async def following() -> tuple[object, ...]:
            async for item in items:
                return (item,)
            return ()

        while found := self._waited(following()):
            yield found[0]

    @contextmanager
    def _entered(self, manager: AbstractAsyncContextManager[Any]) -> Iterator[Iterator[object]]:
        async def enter() -> AsyncIterator[object]:
            return aiter(await manager.__aenter__())

        async def leave(error: BaseException | None) -> None:
            await manager.__aexit__(None if error is None else type(error), error, None)

        items = self._waited(enter())
        try:
            yield self._each(items)
        except BaseException as error:
            self._waited(leave(error))
            raise
        self._waited(leave(None))


# ---- a generated package


class _Package:
    """The Publisher service with `connect`, using types generated from its WSDL."""

    def __init__(self, stack: ExitStack, target: Target) -> None:
        service, self._types = _generated()
        settings = Settings(
            report_zone=ZoneInfo("Europe/Berlin"),
            deadline=target.timeout,
            connect_timeout=target.timeout / 2,
            safe=[name for name in _said()["operations"]["safe"] if name in service.PACKAGE.operations],
        )
        connection: Any = connect(
            service,
            address=f"{target.url}/soap/2011-03-01",
            settings=settings,
            credentials=Credentials(SAMPLE_CONNECT_ID, target.secret_key),
            clock=target.clock,
            random=lambda: 0.0,
        )
        self._connection = stack.enter_context(connection)

    def asked(self, tag: str, *, named: bool) -> Client:
        # Always with a request id, because a connection draws its nonces itself.
        view = self._connection.with_options(request_id=request_id(tag))
        publisher = SimpleNamespace()
        publisher.stream, publisher.iterate = view.stream, view.iterate
        for name in dir(view):
            if not (name.startswith("_") or name in RESERVED):
                setattr(publisher, name, getattr(view, name))
        return cast("Client", SimpleNamespace(publisher=publisher))  # its methods have the same names

    def adspace(self, name: str, number: int | None = None, visitors: int = 1) -> AdspaceItem:
        return adspace(self._types.AdspaceItem, name, number, visitors)


def _said() -> dict[str, Any]:
    """Return the entry of the Publisher contract in `contracts.toml`."""
    said: dict[str, Any] = tomllib.loads((_WSDL / "contracts.toml").read_text(encoding="utf-8"))["contracts"]
    publisher: dict[str, Any] = said["publisher"]
    return publisher


@cache
def _generated() -> tuple[type[Any], ModuleType]:
    """Return service and types of a package that `bindgen init` generates, once per process."""
    sections = {name: rows for name, rows in _said().items() if name in _SECTIONS}
    sections["signing"] = {name: text for name, text in sections["signing"].items() if name != "public"}
    made = init.make(_PACKAGE, _WSDL / "publisher/2011-03-01/publisher.wsdl", offline=True, sections=sections)
    if made.problems:
        raise RuntimeError(f"the package lacks something: {made.problems[0]}")
    folder = Path(tempfile.mkdtemp(prefix="soapclient-campaign-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)  # needed until the process ends
    init.write(folder / _PACKAGE, made.files)
    sys.path.insert(0, str(folder))
    importlib.invalidate_caches()
    service = importlib.import_module(f"{_PACKAGE}.service")
    types = importlib.import_module(f"{_PACKAGE}.types")
    sys.path.remove(str(folder))
    return service.CampaignShopService, types
