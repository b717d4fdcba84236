"""Calls to one port of a package that `bindgen init` wrote: what its service classes call through."""

from __future__ import annotations

import logging
import random as system_random
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, cast

from lxml import etree

from soapclient.calling.loop import Loop, OnAttempt
from soapclient.calling.pages import Pages
from soapclient.clock import Clock
from soapclient.config.service import ServiceSettings
from soapclient.contract.validation import Checks
from soapclient.drift import Drift
from soapclient.errors import ConfigError
from soapclient.forks import Lock
from soapclient.runtime import CountingReader, Finding
from soapclient.runtime.operations import (
    AnyOperation,
    ItemPages,
    ItemStream,
    ItemT,
    ListOperation,
    OnPage,
    Operation,
    RequestT,
    ResponseT,
    SoapHeader,
)
from soapclient.runtime.schema import PortRow
from soapclient.soap import arrays, encoded
from soapclient.soap.importing import zeep_loaded
from soapclient.soap.operations import Operations, TypedOperation
from soapclient.soap.packages import Package
from soapclient.soap.zeep_options import ZeepOptions

if TYPE_CHECKING:
    import requests

    from soapclient.soap.client import OnHeaders, SoapClient
    from soapclient.soap.plain import PlainService

log = logging.getLogger(__name__)


class PortEngine:
    """Calls the operations of one port. Threads may share it."""

    def __init__(
        self,
        package: Package,
        port: PortRow,
        address: str,
        settings: ServiceSettings,
        *,
        session: requests.Session,
        clock: Clock,
        drift: Drift,
        options: ZeepOptions,
        on_headers: OnHeaders | None = None,
        on_attempt: OnAttempt | None = None,
        random: Callable[[], float] = system_random.random,
    ) -> None:
        self.package = package
        self.port = port
        self.address = address
        self.settings = settings
        self.session = session
        self.drift = drift
        self.loop = Loop(settings, address, clock=clock, drift=drift, random=random, on_attempt=on_attempt)
        self._options = options
        self._on_headers = on_headers
        self._client: SoapClient | None = None
        self._warned = False
        self._lock = Lock()

    @property
    def client(self) -> SoapClient:
        """zeep's face of it. Made when it is first needed, for then zeep is loaded."""
        if self._client is None:
            with zeep_loaded():
                from soapclient.soap.client import Rules, SoapClient

                rules = Rules(
                    validate=self.settings.validate,
                    new_reader=lambda: CountingReader(self.settings.naive_zone),
                    check_request=self._check_request,
                    check_response=self._check_response,
                    long_texts=True,
                    on_headers=self._on_headers,
                )
                self._client = self._client or SoapClient(
                    Operations(self.package.operations, self._typed),
                    self.port.soap,
                    self.address,
                    rules,
                    self.loop,
                    session=self.session,
                    options=self._options,
                )
        return self._client

    @property
    def zeep(self) -> PlainService:
        """zeep's own service of the same port."""
        client = self.client
        from soapclient.soap.plain import PlainService

        return PlainService(client, "the service", lambda: self.package.wsdl, self.port.binding)

    def call(
        self,
        operation: Operation[RequestT, ResponseT],
        request: RequestT,
        headers: Sequence[SoapHeader] = (),
        /,
    ) -> ResponseT:
        """Call an operation inside the timeout. Raises the errors of `soapclient.errors`."""
        response: ResponseT = self.client.service[operation.name](request, _soapheaders=headers)
        return response

    @contextmanager
    def stream(
        self,
        operation: ListOperation[RequestT, ResponseT, ItemT],
        request: RequestT,
        headers: Sequence[SoapHeader] = (),
        /,
    ) -> Iterator[ItemStream[ResponseT, ItemT]]:
        """Call a list operation and read its items as they arrive, in constant memory.

        The timeout bounds the way to the first item, and then each wait for more. A failure is tried again
        only before the first item.
        """
        self._refuse_another_port(operation)
        with self.client.streamed(operation.name, request, headers) as items:
            yield cast("ItemStream[ResponseT, ItemT]", items)  # by the operation's own reader

    def pages(
        self,
        operation: ListOperation[RequestT, ResponseT, ItemT],
        request: RequestT,
        on_page: OnPage | None,
        headers: Sequence[SoapHeader] = (),
        /,
    ) -> ItemPages[ItemT]:
        """The items of a list over all its pages, each asked for when it is needed."""
        self._refuse_another_port(operation)
        paging = self.package.tables.paging
        assert paging is not None  # bindgen knows pages by that table alone
        pages: Pages[RequestT, ResponseT, ItemT]
        pages = Pages(lambda each, page: self.call(each, page, headers), operation, request, paging, on_page)
        return pages

    def close(self) -> None:
        """Close the connections, and write what is not yet in the drift log."""
        self.session.close()
        self.drift.flush()

    def _refuse_another_port(self, operation: AnyOperation) -> None:
        """Raise ConfigError for an operation of another package or port type: names may be the same."""
        if self.package.operations.get(operation.name) != operation:
            said = (
                f"{operation.name} of {operation.package.name} is no operation of the port {self.port.name}"
            )
            raise ConfigError("service", said, "Pass a class of this package, and of this port type")

    def _typed(self, operation: AnyOperation) -> TypedOperation:
        safe = operation.safe or operation.name in self.settings.safe
        return TypedOperation(
            operation,
            self.port.soap,
            safe=safe,
            encoding=self._encoding,
            fault_shape=self.package.tables.fault,
        )

    def _encoding(self) -> tuple[encoded.PartTypes, arrays.ItemTags]:
        return self.package.part_types, self.package.item_tags

    def _check_request(self, whole: etree._Element, operation: TypedOperation) -> None:
        """Check the messages in an envelope, its headers too. Raises ContractError."""
        if (checks := self._checks(operation)) is not None:
            checks.check_request([node for part in whole for node in part.iterchildren("*")], operation.name)

    def _check_response(self, nodes: Sequence[etree._Element], operation: TypedOperation) -> None:
        if (checks := self._checks(operation)) is not None:
            checks.check_response(nodes, operation.name)

    def _checks(self, operation: TypedOperation) -> Checks | None:
        """What checks an operation's messages. Encoded ones are not as their schema says (SOAP 1.1 5.1)."""
        if operation.encoded:
            return None
        checks = self.package.checks
        if self._warned:
            return checks
        with self._lock:
            first, self._warned = not self._warned, True
        if first and checks.trouble:
            log.warning("%s: %s", self.package.tables.name, checks.trouble)
            reader = CountingReader()
            reader.findings[Finding("schema", self.package.tables.name, checks.trouble)] += 1
            self.drift.add(operation.name, reader, raising=False)  # it is no response's doing
        return checks
