"""Calls over SOAP: a typed request to a typed reply, with retries, one deadline, a clock put right."""

from __future__ import annotations

import random as system_random
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from datetime import timedelta
from typing import TypeVar

from soapclient import http
from soapclient.clock import Clock, Deadline, NonceSource, SystemClock, fresh_nonce
from soapclient.config import Config
from soapclient.drift import Drift
from soapclient.errors import (
    AmbiguousOutcome,
    AuthenticationError,
    ConfigError,
    ContractError,
    ReplyError,
    TransportError,
    UnexpectedReply,
)
from soapclient.reader import ReplyReader, SoapWriter
from soapclient.retry import RetryPolicy, RetryQuota, call_with_retries, transient_errors
from soapclient.signing import Signer
from soapclient.skew import Skew
from soapclient.soap import placement
from soapclient.soap.contract import Contract
from soapclient.soap.errors import BrokenReply
from zxws._runtime import AnyOperation, EncodeError, ItemStream, ListOperation, Operation, Wire
from zxws._runtime.errors import local_name
from zxws._runtime.operation import ItemT, ReplyT, RequestT

T = TypeVar("T")
# What breaks on the way, or behind it, says nothing of whether the service did what it was asked. A 503 or
# 429 does: it was turned away.
_SAYS_NOTHING = {500, 502, 504}


class Engine:
    """Calls the operations of one contract at one endpoint. Threads may share it.

    Everything that is time or chance is injected: `clock`, `nonce_source`, `random` (0 to 1, for back-off).
    """

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
        """Raises ConfigError where address, connect ID or placement do not do; nothing is sent."""
        tables = contract.tables
        if tables.signing is None:
            raise ConfigError("signing", f"the {tables.name} contract has no such table", "contracts.toml")
        self.contract = contract
        self.config = config
        self.clock = SystemClock() if clock is None else clock
        self.drift = Drift() if drift is None else drift
        self.address = config.soap_endpoint(tables.name, tables.version)
        self.placement = placement.check(
            config.signature_placement, tables, list(contract.operations.values())
        )
        self.signer = Signer(
            config.credentials(),
            service_name=config.signing_name(tables.name, tables.signing.service_name),
            clock=self.clock,
            nonce_source=nonce_source,
        )
        self.session = http.open_session(config.user_agent)
        self._skew = Skew(timedelta(minutes=config.signature_validity_minutes))
        self.random = random
        self.quota = RetryQuota() if quota is None else quota

    def close(self) -> None:
        """Close the connections."""
        self.session.close()

    def deadline(self) -> Deadline:
        """A deadline for one call, from now."""
        return Deadline(self.clock, self.config.timeout)

    @property
    def offset(self) -> timedelta:
        """What is added to our time before it is signed."""
        return self._skew.offset

    # ---- what generated services call

    def call(
        self, operation: Operation[RequestT, ReplyT], request: RequestT, /, deadline: Deadline | None = None
    ) -> ReplyT:
        """Call an operation, by default inside the configured timeout.

        Raises the errors of `soapclient.errors`.
        """
        from soapclient.soap import answers

        def read(reply: http.Reply) -> ReplyT:
            with reply, self._reading(operation) as reader:
                return answers.read(operation, reply, reader, self.contract, self.config)

        wire = self._wire(operation, request)
        return self._retried(operation, wire, read, deadline or self.deadline())

    def within(self, deadline: Deadline) -> Within:
        """This engine with one deadline for all its calls."""
        return Within(self, deadline)

    @contextmanager
    def stream(
        self, operation: ListOperation[RequestT, ReplyT, ItemT], request: RequestT, /
    ) -> Iterator[ItemStream[ReplyT, ItemT]]:
        """Call a list operation and read its items as they arrive, in constant memory.

        The timeout bounds the way to the first item, and then each wait for more. A failure is tried again
        only before the first item. With validate="all" the whole reply is read before the first item.
        """
        from soapclient.soap import answers

        with ExitStack() as opened:

            def read(reply: http.Reply) -> ItemStream[ReplyT, ItemT]:
                with ExitStack() as opening:
                    opening.callback(reply.close)
                    reader = opening.enter_context(self._reading(operation))
                    stream = answers.open_stream(
                        operation, reply, reader, self.contract, self.config, renewed=self.deadline
                    )
                    opened.push(opening.pop_all())
                    return stream

            wire = self._wire(operation, request)
            yield self._retried(operation, wire, read, self.deadline())

    # ---- inside

    @contextmanager
    def _reading(self, operation: AnyOperation) -> Iterator[ReplyReader]:
        """A reader for one reply, whose findings are counted at its end."""
        reader = ReplyReader(self.config)
        try:
            yield reader
        except TransportError:
            raise  # not counted: what broke off may be read again, and would count twice
        except BaseException:
            self.drift.add(operation.name, reader)
            raise
        self.drift.add(operation.name, reader)

    def _wire(self, operation: Operation[RequestT, ReplyT], request: RequestT) -> Wire:
        """The request as wire values, its Python types checked."""
        name = local_name(operation.request_tag)
        try:
            return operation.write_request(request, SoapWriter(self.config), name)
        except EncodeError as error:
            raise ContractError(
                error.path, error.value, error.allowed, error.reason, operation=operation.name
            ) from None

    def _retried(
        self, operation: AnyOperation, wire: Wire, read: Callable[[http.Reply], T], deadline: Deadline
    ) -> T:
        fault = self.contract.tables.fault
        return call_with_retries(
            lambda attempt: self._attempt(operation, wire, read, deadline),
            safe=operation.safe,
            deadline=deadline,
            clock=self.clock,
            policy=RetryPolicy(attempts=self.config.attempts),
            quota=self.quota,
            is_transient=transient_errors(fault.transient if fault is not None else frozenset()),
            random=self.random,
            operation=operation.name,
        )

    def _attempt(
        self, operation: AnyOperation, wire: Wire, read: Callable[[http.Reply], T], deadline: Deadline
    ) -> T:
        try:
            return self._in_time(operation, wire, read, deadline)
        except (TransportError, BrokenReply) as error:
            if operation.safe or not _may_have_happened(error):
                raise
            raise AmbiguousOutcome(operation.name, str(error)) from error
        except ReplyError as error:
            if not operation.safe:
                error.add_note(
                    f"{operation.name} was carried out: it was answered, only not as the contract says"
                )
            raise

    def _in_time(
        self, operation: AnyOperation, wire: Wire, read: Callable[[http.Reply], T], deadline: Deadline
    ) -> T:
        """One attempt; and one more where a wrong clock explains the refusal, which also writes survive."""
        from soapclient.soap import attempt

        offset = self._skew.offset
        reply = attempt.post(self, operation, wire, deadline, offset)
        try:
            return read(reply)
        except AuthenticationError:
            if not self._skew.explains(offset, reply.headers.get("Date"), self.clock.now()):
                raise
        return read(attempt.post(self, operation, wire, deadline, self._skew.offset))


class Within:
    """An engine whose calls share a deadline: a caller for a generated service."""

    def __init__(self, engine: Engine, deadline: Deadline) -> None:
        self._engine = engine
        self._deadline = deadline

    def call(self, operation: Operation[RequestT, ReplyT], request: RequestT, /) -> ReplyT:
        """As `Engine.call`."""
        return self._engine.call(operation, request, self._deadline)


def _may_have_happened(error: TransportError | BrokenReply) -> bool:
    """Whether the service may have done what it was asked, though no answer says so."""
    if isinstance(error, UnexpectedReply):
        return error.status in _SAYS_NOTHING or 200 <= error.status < 300
    return not isinstance(error, TransportError) or error.request_sent
