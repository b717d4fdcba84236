"""Calls of a built-in contract over SOAP: signed by a plugin, otherwise as those of any package."""

from __future__ import annotations

import random as system_random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, cast

from soapclient.auth import placement
from soapclient.auth.signing import soap_uri
from soapclient.calling.loop import OnAttempt
from soapclient.calling.protocol import ProtocolEngine
from soapclient.calling.reader import ResponseReader
from soapclient.calling.retry import RetryQuota
from soapclient.clock import Clock, Deadline, NonceSource, fresh_nonce
from soapclient.config import Config
from soapclient.contract import Contract
from soapclient.drift import Drift
from soapclient.errors import ConfigError, UnsupportedByProtocol
from soapclient.runtime import AnyOperation, ItemStream, ListOperation, Operation
from soapclient.runtime.operations import ItemT, RequestT, ResponseT
from soapclient.soap.importing import zeep_loaded
from soapclient.soap.operations import Operations, TypedOperation
from soapclient.soap.zeep_options import ZeepOptions
from soapclient.transport import http

if TYPE_CHECKING:
    from soapclient.soap.client import SoapClient
    from soapclient.soap.plain import PlainService


class Engine(ProtocolEngine):
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
        options: ZeepOptions | None = None,
        on_attempt: OnAttempt | None = None,
    ) -> None:
        """Raises ConfigError where address, connect ID or placement do not do; nothing is sent."""
        tables = contract.tables
        if tables.signing is None:
            raise ConfigError("signing", f"the {tables.name} contract has no such table", "contracts.toml")
        self._options = options or ZeepOptions()
        lent = self._options.transport
        super().__init__(
            contract,
            config,
            config.soap_endpoint(tables.name, tables.version),
            clock=clock,
            nonce_source=nonce_source,
            random=random,
            drift=drift,
            quota=quota,
            on_attempt=on_attempt,
            session=None if lent is None else http.lent_session(lent.session),
        )
        self.placement = placement.check(
            config.signature_placement, tables, list(contract.operations.values())
        )
        self._client: SoapClient | None = None

    @property
    def client(self) -> SoapClient:
        """zeep's face of it. Made when it is first needed, for then zeep is loaded."""
        if self._client is None:
            with zeep_loaded():
                self._client = self._client or self._made()
        return self._client

    @property
    def zeep(self) -> PlainService:
        """zeep's own service."""
        client, contract = self.client, self.contract
        from soapclient.soap.plain import PlainService

        name = f"the {contract.name} contract"
        return PlainService(client, name, lambda: contract.wsdl, contract.tables.binding)

    def call(
        self,
        operation: Operation[RequestT, ResponseT],
        request: RequestT,
        /,
        deadline: Deadline | None = None,
    ) -> ResponseT:
        """Call an operation, by default inside the configured timeout.

        Raises the errors of `soapclient.errors`.
        """
        response: ResponseT = self.client.service[operation.name](request, _deadline=deadline)
        return response

    @contextmanager
    def stream(
        self, operation: ListOperation[RequestT, ResponseT, ItemT], request: RequestT, /
    ) -> Iterator[ItemStream[ResponseT, ItemT]]:
        """Call a list operation and read its items as they arrive, in constant memory.

        The timeout bounds the way to the first item, and then each wait for more. A failure is tried again
        only before the first item. With validate="all" the whole response is read before the first item.
        """
        with self.client.streamed(operation.name, request) as items:
            yield cast("ItemStream[ResponseT, ItemT]", items)  # by the operation's own reader

    def _missing(self, operation: AnyOperation) -> frozenset[str] | None:
        return operation.rest_only if operation.soap else None

    def _made(self) -> SoapClient:
        from soapclient.auth.plugin import ZxwsPlugin, body_child
        from soapclient.soap.client import Rules, SoapClient

        contract, config, tables = self.contract, self.config, self.contract.tables
        assert tables.signing is not None  # as the constructor has made sure
        signing = ZxwsPlugin(
            self.signer,
            contract.operations,
            tables.signing,
            placement=self.placement,
            uri=soap_uri(http.path_of(self.address), tables.version, lowercase=config.lowercase_path),
        )
        rules = Rules(
            validate=config.validate,
            new_reader=lambda: ResponseReader(config),
            check_request=lambda whole, operation: contract.schema.check_request(
                body_child(whole), operation.name
            ),
            check_response=lambda nodes, operation: contract.schema.check_response(nodes[0], operation.name),
            stream_above=config.stream_above,
        )
        zone = config.report_tzinfo
        operations = Operations(
            contract.operations,
            lambda each: TypedOperation(each, safe=each.safe, zone=zone, fault_shape=tables.fault),
        )
        return SoapClient(
            operations,
            "1.1",
            self.address,
            rules,
            self.loop,
            session=self.session,
            options=self._options,
            signing=signing,
        )


def soap_engine(protocol: ProtocolEngine, what: str) -> Engine:
    """A protocol that is SOAP. Raises UnsupportedByProtocol for any other, which has no `what`."""
    if not isinstance(protocol, Engine):
        raise UnsupportedByProtocol(what, protocol.NAME)
    return protocol
