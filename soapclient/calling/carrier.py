"""What calls have in common, whichever carrier takes them: retries, one deadline, skew, findings."""

from __future__ import annotations

import random as system_random
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from datetime import datetime, timedelta, tzinfo
from typing import ClassVar, TypeVar

from soapclient.auth.signing import Signer
from soapclient.calling import outcome
from soapclient.calling.pages import Pages
from soapclient.calling.reader import ReplyReader, request_element
from soapclient.calling.retry import RetryPolicy, RetryQuota, call_with_retries, transient_errors
from soapclient.calling.skew import Skew
from soapclient.clock import Clock, Deadline, NonceSource, SystemClock, fresh_nonce
from soapclient.config import Config
from soapclient.contract import Contract
from soapclient.drift import Drift
from soapclient.drift.lines import ContractName
from soapclient.errors import (
    AuthenticationError,
    ContractError,
    UnsupportedByCarrier,
)
from soapclient.runtime import (
    AnyOperation,
    EncodeError,
    ItemPages,
    ItemStream,
    ListOperation,
    OnPage,
    Operation,
    Wire,
)
from soapclient.runtime.operations import ItemT, ReplyT, RequestT
from soapclient.transport import http

T = TypeVar("T")


class Carrier(ABC):
    """Calls the operations of one contract at one address. Threads may share it.

    Everything that is time or chance is injected: `clock`, `nonce_source`, `random` (0 to 1, for back-off).
    """

    NAME: ClassVar[str]  # as errors call it

    def __init__(
        self,
        contract: Contract,
        config: Config,
        *,
        clock: Clock | None = None,
        nonce_source: NonceSource = fresh_nonce,
        random: Callable[[], float] = system_random.random,
        drift: Drift | None = None,
        quota: RetryQuota | None = None,
    ) -> None:
        """Raises ConfigError where the connect ID is missing; nothing is sent."""
        tables = contract.tables
        self.contract = contract
        self.config = config
        self.clock = SystemClock() if clock is None else clock
        counting = Drift.configured(config, self.clock) if drift is None else drift
        self.drift = counting.of(ContractName.of(tables))
        service_name = tables.signing.service_name if tables.signing is not None else None
        self.signer = Signer(
            config.credentials(),
            service_name=config.signing_name(tables.name, service_name) if service_name else None,
            clock=self.clock,
            nonce_source=nonce_source,
        )
        self.session = http.open_session(config.user_agent)
        self._skew = Skew(timedelta(minutes=config.signature_validity_minutes))
        self.random = random
        self.policy = RetryPolicy(attempts=config.attempts)
        self.quota = RetryQuota() if quota is None else quota

    def close(self) -> None:
        """Close the connections."""
        self.session.close()
        self.drift.flush()

    def deadline(self) -> Deadline:
        """A deadline for one call, from now."""
        return Deadline(self.clock, self.config.timeout)

    def limits(self, operation: AnyOperation, deadline: Deadline) -> http.Limits:
        """What one exchange may take."""
        return http.Limits(
            operation=operation.name,
            deadline=deadline,
            connect_timeout=self.config.connect_timeout,
            most=self.config.max_reply_bytes,
        )

    @property
    def offset(self) -> timedelta:
        """What is added to our time before it is signed."""
        return self._skew.offset

    @property
    def their_time(self) -> datetime | None:
        """The service's time by its last answer; None before the first."""
        return self._skew.their_time(self.clock.monotonic())

    def within(self, deadline: Deadline) -> Within:
        """This carrier with one deadline for all its calls."""
        return Within(self, deadline)

    # ---- what generated services call

    def call(
        self, operation: Operation[RequestT, ReplyT], request: RequestT, /, deadline: Deadline | None = None
    ) -> ReplyT:
        """Call an operation, by default inside the configured timeout.

        Raises the errors of `soapclient.errors`.
        """

        def read(reply: http.Reply) -> ReplyT:
            with reply:
                return self._answer(operation, reply)

        wire = self._wire(operation, request)
        return self._retried(operation, wire, read, deadline or self.deadline())

    @abstractmethod
    def stream(
        self, operation: ListOperation[RequestT, ReplyT, ItemT], request: RequestT, /
    ) -> AbstractContextManager[ItemStream[ReplyT, ItemT]]:
        """Call a list operation and give its items one by one."""

    def pages(
        self, operation: ListOperation[RequestT, ReplyT, ItemT], request: RequestT, on_page: OnPage | None, /
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
                    raise UnsupportedByCarrier(f"{operation.name}: the element {element}", self.NAME)
        pages: Pages[RequestT, ReplyT, ItemT]
        pages = Pages(self, operation, request, paging, on_page, at_once=at_once)
        return pages

    # ---- what a carrier does its own way

    @abstractmethod
    def _zone(self) -> tzinfo | None:
        """The zone whose midnights are this carrier's days, None for bare days."""

    @abstractmethod
    def _missing(self, operation: AnyOperation) -> frozenset[str] | None:
        """The elements of a request that this carrier does not have; None if not even the operation."""

    @abstractmethod
    def _post(
        self, operation: AnyOperation, wire: Wire, limits: http.Limits, offset: timedelta
    ) -> http.Reply:
        """Sign a request, send it once, and give the answer, unread."""

    @abstractmethod
    def _answer(self, operation: Operation[RequestT, ReplyT], reply: http.Reply) -> ReplyT:
        """Read an answer whole."""

    # ---- inside

    @contextmanager
    def _reading(self, operation: AnyOperation) -> Iterator[ReplyReader]:
        """A reader for one reply, whose findings are counted at its end."""
        reader = ReplyReader(self.config)
        with self.drift.reading(operation.name, reader, safe=operation.safe):
            yield reader

    def _wire(self, operation: Operation[RequestT, ReplyT], request: RequestT) -> Wire:
        """The request as wire values, its Python types checked."""
        missing = self._missing(operation)
        if missing is None:
            raise UnsupportedByCarrier(operation.name, self.NAME)
        try:
            wire = operation.wire_of(request_element(operation, request, self._zone()))
        except EncodeError as error:
            raise ContractError(
                error.path, error.value, error.allowed, error.reason, operation=operation.name
            ) from None
        for element in wire:
            if element in missing:
                raise UnsupportedByCarrier(f"{operation.name}: the element {element}", self.NAME)
        return wire

    def _retried(
        self, operation: AnyOperation, wire: Wire, read: Callable[[http.Reply], T], deadline: Deadline
    ) -> T:
        fault = self.contract.tables.fault
        limits, most = self.limits(operation, deadline), self.policy.attempts
        return call_with_retries(
            lambda attempt: self._attempt(
                operation, wire, read, limits.of_attempt(attempt, most, safe=operation.safe)
            ),
            safe=operation.safe,
            deadline=deadline,
            clock=self.clock,
            policy=self.policy,
            quota=self.quota,
            is_transient=transient_errors(fault.transient if fault is not None else frozenset()),
            random=self.random,
            operation=operation.name,
        )

    def _attempt(
        self, operation: AnyOperation, wire: Wire, read: Callable[[http.Reply], T], limits: http.Limits
    ) -> T:
        with outcome.told(operation.name, safe=operation.safe):
            return self._in_time(operation, wire, read, limits)

    def _in_time(
        self, operation: AnyOperation, wire: Wire, read: Callable[[http.Reply], T], limits: http.Limits
    ) -> T:
        """One attempt; and one more where a wrong clock explains the refusal, which also writes survive."""
        offset = self._skew.offset
        reply = self._post(operation, wire, limits, offset)
        try:
            return self._dated(reply, read)
        except AuthenticationError:
            if not self._skew.explains(offset, reply.headers.get("Date"), self.clock.now()):
                raise
        return self._dated(self._post(operation, wire, limits, self._skew.offset), read)

    def _dated(self, reply: http.Reply, read: Callable[[http.Reply], T]) -> T:
        """Read an answer, and note its Date once it is known to be the service's and no gateway's."""
        came = self.clock.monotonic()
        answer = read(reply)
        self._skew.saw(reply.headers.get("Date"), came)
        return answer


class Within:
    """A carrier whose calls share a deadline: a caller for a generated service."""

    def __init__(self, carrier: Carrier, deadline: Deadline) -> None:
        self._carrier = carrier
        self._deadline = deadline

    def call(self, operation: Operation[RequestT, ReplyT], request: RequestT, /) -> ReplyT:
        """As `Carrier.call`."""
        return self._carrier.call(operation, request, self._deadline)
