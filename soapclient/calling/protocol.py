"""What calls of a built-in contract have in common, whichever protocol takes them: credentials, pages, a
loop."""

from __future__ import annotations

import random as system_random
from abc import ABC, abstractmethod
from collections.abc import Callable
from contextlib import AbstractContextManager
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, ClassVar, TypedDict

from soapclient._support.redaction import safe_url
from soapclient.auth.provider import Lease
from soapclient.auth.signing import Signer
from soapclient.calling.events import Events, OnAttempt
from soapclient.calling.loop import Loop
from soapclient.calling.pages import pages_of, scope_of
from soapclient.calling.retry import RetryQuota, transient_errors
from soapclient.calling.skew import Skew
from soapclient.calling.views import Viewed
from soapclient.clock import Clock, Deadline, NonceSource, SystemClock, fresh_nonce
from soapclient.contract import Contract
from soapclient.drift import Drift
from soapclient.drift.log import ContractName
from soapclient.errors import UnsupportedByProtocol
from soapclient.runtime import AnyOperation, ItemPages, ItemStream, ListOperation, OnPage, Operation
from soapclient.runtime.operations import ItemT, RequestT, ResponseT
from soapclient.settings import Config
from soapclient.transport.session import open_session, secrets_of

if TYPE_CHECKING:
    import requests


class Injected(TypedDict, total=False):
    """What an engine is given in place of the usual, as `ProtocolEngine` has it."""

    clock: Clock | None
    nonce_source: NonceSource
    random: Callable[[], float]
    drift: Drift | None
    quota: RetryQuota | None
    on_attempt: OnAttempt | None
    on_response: OnAttempt | None
    session: requests.Session | None
    lease: Lease | None


class ProtocolEngine(Viewed, ABC):
    """Calls the operations of one contract at one address. Threads may share it.

    Everything that is time or chance is injected: `clock`, `nonce_source`, `random` (0 to 1, for back-off).
    """

    NAME: ClassVar[str]  # as errors call it

    def __init__(
        self,
        contract: Contract,
        config: Config,
        address: str,
        *,
        clock: Clock | None = None,
        nonce_source: NonceSource = fresh_nonce,
        random: Callable[[], float] = system_random.random,
        drift: Drift | None = None,
        quota: RetryQuota | None = None,
        on_attempt: OnAttempt | None = None,
        on_response: OnAttempt | None = None,
        session: requests.Session | None = None,
        lease: Lease | None = None,
    ) -> None:
        """`session` is by default one of our own, `lease` the credentials of the configuration. Raises
        ConfigError where the connect ID is missing; nothing is sent."""
        tables = contract.tables
        self.address = address
        self.contract = contract
        self.config = config
        self.clock = SystemClock() if clock is None else clock
        counting = Drift.configured(config, self.clock) if drift is None else drift
        self.drift = counting.of(ContractName.of(tables))
        service_name = tables.signing.service_name if tables.signing is not None else None
        lease = Lease(config.credentials()) if lease is None else lease
        self.signer = Signer(
            lease,
            service_name=config.signing_name(tables.name, service_name) if service_name else None,
            clock=self.clock,
            nonce_source=nonce_source,
        )
        self.session = open_session(config) if session is None else session
        self._skew = Skew(timedelta(minutes=config.signature_validity_minutes))
        fault = tables.fault
        self.loop = Loop(
            config,
            address,
            clock=self.clock,
            drift=self.drift,
            random=random,
            quota=quota,
            is_transient=transient_errors(fault.transient if fault is not None else frozenset()),
            skew=self._skew,
            lease=lease,
            names=(tables.name, self.NAME.lower()),
            events=Events(on_attempt, on_response),
            secrets=lambda: secrets_of(self.session),
        )
        self.random = random
        self.quota = self.loop.quota

    def facts(self) -> list[tuple[str, object]]:
        """What notebooks show of it."""
        return [("protocol", self.NAME), ("address", safe_url(self.address))]

    def deadline(self) -> Deadline:
        """A deadline for one call, from now."""
        return self.loop.deadline()

    @property
    def offset(self) -> timedelta:
        """What is added to our time before it is signed."""
        return self._skew.offset

    @property
    def their_time(self) -> datetime | None:
        """The service's time by its last answer; None before the first."""
        return self._skew.their_time(self.clock.monotonic())

    def within(self, deadline: Deadline) -> Within:
        """This protocol with one deadline for all its calls."""
        return Within(self, deadline)

    # ---- what generated services call

    @abstractmethod
    def stream(
        self, operation: ListOperation[RequestT, ResponseT, ItemT], request: RequestT, /
    ) -> AbstractContextManager[ItemStream[ResponseT, ItemT]]:
        """Call a list operation and give its items one by one."""

    def pages(
        self,
        operation: ListOperation[RequestT, ResponseT, ItemT],
        request: RequestT,
        on_page: OnPage | None,
        /,
    ) -> ItemPages[ItemT]:
        """The items of a list over all its pages, each asked for when it is needed."""
        paging = self.contract.tables.paging
        assert paging is not None  # bindgen knows pages by that table alone
        lacking = self._missing(operation) or frozenset()
        at_once = {paging.page, paging.items} <= lacking
        if at_once and operation.pages is not None:
            for element, field in (
                (paging.page, operation.pages.page),
                (paging.items, operation.pages.items),
            ):
                if getattr(request, field) is not None:
                    raise UnsupportedByProtocol(f"{operation.name}: the element {element}", self.NAME)
        return pages_of(self.call, operation, request, paging, on_page, scope=self._scope, at_once=at_once)

    def _scope(self) -> str:
        """Whose lists these are."""
        config = self.config
        return scope_of(self.address, self.signer.connect_id, config.naive_tzinfo(), config.report_tzinfo())

    # ---- what a protocol does its own way

    @abstractmethod
    def call(
        self,
        operation: Operation[RequestT, ResponseT],
        request: RequestT,
        /,
        *,
        deadline: Deadline | None = None,
    ) -> ResponseT:
        """Call an operation, by default inside the configured deadline.

        Raises the errors of `soapclient.errors`.
        """

    @abstractmethod
    def _missing(self, operation: AnyOperation) -> frozenset[str] | None:
        """The elements of a request that this protocol does not have; None if not even the operation."""


class Within:
    """A protocol whose calls share a deadline: a caller for a generated service."""

    def __init__(self, protocol: ProtocolEngine, deadline: Deadline) -> None:
        self._protocol = protocol
        self._deadline = deadline

    def call(self, operation: Operation[RequestT, ResponseT], request: RequestT, /) -> ResponseT:
        """As `ProtocolEngine.call`."""
        return self._protocol.call(operation, request, deadline=self._deadline)
