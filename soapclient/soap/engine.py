"""Calls over SOAP: zeep makes the envelope, generated code reads the answer."""

from __future__ import annotations

import random as system_random
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from datetime import timedelta, tzinfo

from soapclient.auth import placement
from soapclient.calling.carrier import Carrier
from soapclient.calling.reader import refuse_changes, refuse_gaps
from soapclient.calling.retry import RetryQuota
from soapclient.clock import Clock, NonceSource, fresh_nonce
from soapclient.config import Config
from soapclient.contract import Contract
from soapclient.drift import Drift
from soapclient.errors import ConfigError
from soapclient.runtime import AnyOperation, ItemStream, ListOperation, Operation, Wire
from soapclient.runtime.operations import ItemT, ReplyT, RequestT
from soapclient.transport import http


class Engine(Carrier):
    """Calls the operations of one contract at its SOAP endpoint. Threads may share it."""

    NAME = "SOAP"

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
        self.address = config.soap_endpoint(tables.name, tables.version)
        self.placement = placement.check(
            config.signature_placement, tables, list(contract.operations.values())
        )
        super().__init__(
            contract,
            config,
            clock=clock,
            nonce_source=nonce_source,
            random=random,
            drift=drift,
            quota=quota,
        )

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

    def _zone(self) -> tzinfo:
        return self.config.report_tzinfo()

    def _wire(self, operation: Operation[RequestT, ReplyT], request: RequestT) -> Wire:
        if operation.soap:
            refuse_changes(operation, request)
        wire = super()._wire(operation, request)
        refuse_gaps(operation, wire)
        return wire

    def _missing(self, operation: AnyOperation) -> frozenset[str] | None:
        return operation.rest_only if operation.soap else None

    def _post(
        self, operation: AnyOperation, wire: Wire, limits: http.Limits, offset: timedelta
    ) -> http.Reply:
        from soapclient.soap import attempt

        return attempt.post(self, operation, wire, limits, offset)

    def _answer(self, operation: Operation[RequestT, ReplyT], reply: http.Reply) -> ReplyT:
        from soapclient.soap import answers

        with self._reading(operation) as reader:
            return answers.read(operation, reply, reader, self.contract, self.config)
