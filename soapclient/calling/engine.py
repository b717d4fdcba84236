"""Base class of the SOAP and the REST engine: signing, pages, options, and the call loop."""

from __future__ import annotations

import copy
import random as system_random
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from datetime import datetime, timedelta, tzinfo
from typing import TYPE_CHECKING, ClassVar, Generic, NoReturn, Protocol, Self, TypedDict, TypeVar, Unpack

from soapclient._support.redaction import Hidden, safe_url, secrets_in
from soapclient.auth.issued import issued
from soapclient.auth.provider import CredentialsCache
from soapclient.auth.signing import Signer
from soapclient.calling.clock_skew import ClockSkew
from soapclient.calling.events import Events
from soapclient.calling.loop import CallOptions, Loop
from soapclient.calling.reader import ResponseReader
from soapclient.calling.retry import RetryQuota, transient_errors
from soapclient.clock import Clock, NonceSource, SystemClock, fresh_nonce
from soapclient.drift import Drift
from soapclient.drift.log import ContractName
from soapclient.errors import UnsupportedByProtocol
from soapclient.runtime import AnyOperation, ItemPages, ItemStream, ListOperation, OnPage, Operation, Package
from soapclient.runtime.operations import ItemT, RequestT, ResponseT, SoapHeader
from soapclient.runtime.schema import PortRow
from soapclient.runtime.service import OptionArguments
from soapclient.settings import CommonSettings
from soapclient.signing import scheme_for
from soapclient.transport.session import secrets_of

if TYPE_CHECKING:
    import requests


SettingsT_co = TypeVar("SettingsT_co", bound=CommonSettings, covariant=True)


class _Closable(Protocol):
    """Interface of connections that an engine closes."""

    def close(self) -> None: ...


ClosableT = TypeVar("ClosableT", bound=_Closable)


class EngineArguments(TypedDict, total=False):
    """The optional keyword arguments of `Engine` and their types. The class `Engine` describes them."""

    clock: Clock | None
    nonce_source: NonceSource
    random: Callable[[], float]
    drift: Drift | None
    quota: RetryQuota | None
    events: Events | None
    lease: CredentialsCache | None
    service_name: str | None


class Engine(ABC, Generic[SettingsT_co]):
    """Calls the operations of one package at one address. Thread-safe.

    An engine can have views (see `view`): copies that use the same connections, but have their own options.

    - `session` sends the requests. `lease` provides the credentials; if it is None, requests are not signed.
    - `drift`, `quota` and `events`: the drift findings, the retry limit and the hooks; default: new ones.
    - `service_name`: the name of the service in SOAP signatures; default: the name in the package's settings.
    - `clock`, `nonce_source` and `random` (0 to 1, for backoff) can be replaced in tests.
    """

    NAME: ClassVar[str]  # the name of the protocol in errors

    def __init__(
        self,
        package: Package,
        port: PortRow | None,
        address: str,
        settings: SettingsT_co,
        session: requests.Session,
        *,
        clock: Clock | None = None,
        nonce_source: NonceSource = fresh_nonce,
        random: Callable[[], float] = system_random.random,
        drift: Drift | None = None,
        quota: RetryQuota | None = None,
        events: Events | None = None,
        lease: CredentialsCache | None = None,
        service_name: str | None = None,
    ) -> None:
        """Create an engine. `port` is the WSDL port that is called; None for REST.

        The class docstring describes the other arguments.
        """
        package_settings = package.settings
        self.package = package
        self.address: str = Hidden(address) if secrets_in(address) else address
        self.settings = settings
        self.session = session
        self.clock = SystemClock() if clock is None else clock
        counting = Drift.configured(settings, self.clock) if drift is None else drift
        self.drift = counting.of(ContractName.of(package_settings, port))
        self.signer: Signer | None = None
        if lease is not None:
            scheme, signing = scheme_for(package_settings), package_settings.signing
            self.signer = Signer(
                lease,
                service_name=service_name or (None if signing is None else signing.service_name),
                scheme=scheme,
                clock=self.clock,
                nonce_source=nonce_source,
            )
        self.loop = Loop(
            settings,
            address,
            clock=self.clock,
            drift=self.drift,
            random=random,
            quota=quota,
            is_transient=transient_errors(
                frozenset() if package_settings.fault is None else package_settings.fault.transient
            ),
            skew=None if lease is None else ClockSkew(timedelta(minutes=settings.signature_validity_minutes)),
            lease=lease,
            names=(package_settings.name, self.NAME.lower()),
            events=events,
            secrets=self._secrets,
        )
        self._owned: dict[type, _Closable] = {}  # other connections that `close` closes; shared by all views
        self._origin: Self | None = None  # the engine from which this view was made

    def new_reader(self) -> ResponseReader:
        """Return a new reader for one response. It counts the differences between response and contract."""
        return ResponseReader(self.settings, self.package.settings.naive_zone)

    # ---- properties that services show

    def facts(self) -> list[tuple[str, object]]:
        """Return the names and values that notebooks show for a service."""
        return [("protocol", self.NAME), ("address", safe_url(self.address))]

    @property
    def offset(self) -> timedelta:
        """The offset that is added to the local time to get the timestamp of a signature."""
        return timedelta(0) if self.loop.skew is None else self.loop.skew.offset

    @property
    def their_time(self) -> datetime | None:
        """The service's current time, estimated from the last response.

        None if no response arrived in the last minute.
        """
        skew = self.loop.skew
        return None if skew is None else skew.their_time(self.clock.monotonic())

    # ---- views

    def with_options(self, **options: Unpack[OptionArguments]) -> Self:
        """Return a view that has this engine's options and, in addition, the given `options`.

        The options replace the current ones, except `headers` and `soapheaders`, which are added to them (see
        `CallOptions.changed`). In contrast, `view` replaces all current options. Raises ConfigError if an
        option is invalid.
        """
        return self.view(self.loop.options.changed(**options))

    def view(self, options: CallOptions) -> Self:
        """Return a view whose calls have only `options`. It has the same connections and drift findings."""
        view = copy.copy(self)
        view.loop = self.loop.with_options(options)
        view._origin = self._origin or self
        return view

    def close(self) -> None:
        """Close the connections and write the drift log. Later calls raise ClientClosed.

        Does nothing on a view.
        """
        if self._origin is None:
            self.loop.close()
            self.session.close()
            for connections in tuple(self._owned.values()):
                connections.close()
            self.drift.flush()

    def own(self, connections: ClosableT) -> ClosableT:
        """Return the engine's connections of this class. All views share them, and `close` closes them.

        The first call stores `connections`. Further calls return the same object.
        """
        owned = self._owned.setdefault(type(connections), connections)
        assert isinstance(owned, type(connections))
        if self.loop.is_closed:  # perhaps `close` has not seen it
            owned.close()
        return owned

    def refuse(self, name: str, service: str) -> NoReturn:
        """Raise ConfigError, because the service has no list operations and so no attribute `name`.

        `name` is "stream" or "iterate". `service` is the name of the service's class, for the error.
        """
        from soapclient.calling.pages import refuse_lists

        refuse_lists(name, service)

    # ---- methods that generated services call

    def pages(
        self,
        operation: ListOperation[RequestT, ResponseT, ItemT],
        request: RequestT,
        on_page: OnPage | None,
        headers: Sequence[SoapHeader] = (),
        /,
    ) -> ItemPages[ItemT]:
        """Return an iterator over the items of all pages of a list. It requests each page when needed."""
        # Imported late, here and below: pages import the modules of tables, which single calls do not need.
        from soapclient.calling.pages import pages_of

        paging = self.package.settings.paging
        assert paging is not None  # bindgen generates methods with pages only if this table exists
        lacking = self._missing(operation) or frozenset()
        at_once = {paging.page, paging.items} <= lacking
        if at_once and operation.pages is not None:
            for element, field in (
                (paging.page, operation.pages.page),
                (paging.items, operation.pages.items),
            ):
                if getattr(request, field) is not None:
                    raise UnsupportedByProtocol(f"{operation.name}: the element {element}", self.NAME)

        def call(operation: ListOperation[RequestT, ResponseT, ItemT], page: RequestT) -> ResponseT:
            return self.call(operation, page, headers)

        return pages_of(
            call, operation, request, paging, on_page, scope=lambda: self._scope(headers), at_once=at_once
        )

    def _scope(self, headers: Sequence[SoapHeader]) -> str:
        """Return a text that identifies the address, the account and the time zones.

        The items of a list depend on these, as well as on the request.
        """
        from soapclient.calling.pages import scope_of

        naive: tzinfo | None = self.settings.naive_tzinfo(self.package.settings.naive_zone)
        return scope_of(self.address, self._account(headers), naive, self.settings.report_tzinfo())

    def _account(self, headers: Sequence[SoapHeader]) -> list[object]:
        """Return the values that may identify the account: connect ID, user name, headers, certificate."""
        from soapclient.tables.texts import json_text

        session = self.session
        return [
            "" if self.signer is None else self.signer.connect_id,
            caller_named(session.auth),
            sorted((name, str(text)) for name, text in session.headers.items() if name != "User-Agent"),
            session.cert,
            str(session.params),
            [(header.part.tag, json_text(header.value)) for header in headers],
        ]

    def _secrets(self) -> set[str]:
        """Return the strings that must not appear in errors."""
        return secrets_of(self.session) | issued.proofs()

    # ---- implemented by each protocol

    @abstractmethod
    def call(
        self,
        operation: Operation[RequestT, ResponseT],
        request: RequestT,
        headers: Sequence[SoapHeader] = (),
        /,
    ) -> ResponseT:
        """Call an operation. Raises the errors of `soapclient.errors`."""

    @abstractmethod
    def stream(
        self,
        operation: ListOperation[RequestT, ResponseT, ItemT],
        request: RequestT,
        headers: Sequence[SoapHeader] = (),
        /,
    ) -> AbstractContextManager[ItemStream[ResponseT, ItemT]]:
        """Call a list operation and return a stream of its items."""

    @property
    @abstractmethod
    def client(self) -> object:
        """zeep's client. Raises UnsupportedByProtocol over REST."""

    @property
    @abstractmethod
    def zeep(self) -> object:
        """zeep's service proxy for the port of this engine. Raises UnsupportedByProtocol over REST."""

    @abstractmethod
    def _missing(self, operation: AnyOperation) -> frozenset[str] | None:
        """Return the names of the request elements that this protocol (SOAP or REST) cannot send.

        Returns None if the operation cannot be called over this protocol.
        """


def caller_named(auth: object) -> str:
    """Return a text that identifies the user of `auth`, an auth object for the library `requests`.

    The text can contain secrets.
    """
    name = auth[0] if isinstance(auth, tuple) else getattr(auth, "username", None)
    attributes = getattr(auth, "__dict__", {}) if name is None else {}
    plain = sorted((key, value) for key, value in attributes.items() if isinstance(value, str | bytes | int))
    return f"{type(auth).__qualname__} {name} {plain}"
