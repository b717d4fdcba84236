"""What generated services call through over SOAP: one engine for a built-in contract, whose calls are signed,
one for a port of a package that `bindgen init` wrote."""

from __future__ import annotations

import logging
import random as system_random
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import timedelta
from typing import TYPE_CHECKING, Final, Self, Unpack, cast

from lxml import etree

from soapclient._support.forks import Lock
from soapclient._support.redaction import Hidden, safe_url, secrets_in
from soapclient.auth import placement
from soapclient.auth.credentials import Credentials
from soapclient.auth.provider import CredentialsProvider, Lease
from soapclient.auth.signing import Signer, soap_uri
from soapclient.calling.events import Events
from soapclient.calling.loop import CallOptions, Loop
from soapclient.calling.pages import pages_of, scope_of
from soapclient.calling.protocol import Injected, ProtocolEngine
from soapclient.calling.reader import ResponseReader
from soapclient.calling.retry import transient_errors
from soapclient.calling.skew import Skew
from soapclient.calling.views import Viewed
from soapclient.clock import Clock, Deadline
from soapclient.contract import Contract
from soapclient.contract.validation import Checks
from soapclient.drift import Drift
from soapclient.errors import ConfigError
from soapclient.runtime import CountingReader
from soapclient.runtime.filled import message_of
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
from soapclient.settings import Config
from soapclient.settings.service import ServiceSettings
from soapclient.soap.operations import Operations, TypedOperation
from soapclient.soap.packages import Package
from soapclient.soap.zeep_options import ZeepOptions
from soapclient.tables.texts import json_text
from soapclient.transport import http
from soapclient.transport.session import secrets_of

if TYPE_CHECKING:
    import requests

    from soapclient.auth.plugin import ZxwsPlugin
    from soapclient.soap.calls import OnHeaders
    from soapclient.soap.client import SoapClient
    from soapclient.soap.plain import PlainService

log = logging.getLogger(__name__)
_VALIDITY: Final = timedelta(minutes=30)  # of a signature
# zeep is loaded when the first call needs it, by one thread alone: half-loaded modules are no use to another.
_loading: Final = Lock()


class SoapEngine(Viewed, ABC):
    """Calls typed operations by a `SoapClient`. Threads may share it."""

    _client: SoapClient | None = None

    @property
    def client(self) -> SoapClient:
        """zeep's face of it. Made when it is first needed, for then zeep is loaded."""
        if self._client is None:
            if self._origin is not None:
                self._client = self._origin.client.view(self.loop)
            else:
                with _loading:
                    self._client = self._client or self._made()
        return self._client

    def view(self, options: CallOptions) -> Self:
        """As of any engine. It has a client of its own."""
        view = super().view(options)
        view._client = None
        return view

    @property
    def zeep(self) -> PlainService:
        """zeep's own service of the same port."""
        client = self.client
        from soapclient.soap.plain import PlainService

        return PlainService(client, *self._document())

    def call(
        self,
        operation: Operation[RequestT, ResponseT],
        request: RequestT,
        headers: Sequence[SoapHeader] = (),
        /,
        *,
        deadline: Deadline | None = None,
    ) -> ResponseT:
        """Call an operation, by default inside the configured deadline.

        Raises the errors of `soapclient.errors`.
        """
        call = self.client.service[operation.name]
        response: ResponseT = call(request, _soapheaders=headers, _deadline=deadline)
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
        only before the first item. With validate="all" the whole response is read before the first item.
        """
        with self.client.streamed(operation.name, request, headers) as items:
            yield cast("ItemStream[ResponseT, ItemT]", items)  # by the operation's own reader

    @abstractmethod
    def _made(self) -> SoapClient:
        """The client, once zeep may be loaded."""

    @abstractmethod
    def _document(self) -> tuple[str, Callable[[], bytes], str]:
        """What errors call it, its WSDL, and in that its binding, in Clark notation."""


class Engine(SoapEngine, ProtocolEngine):
    """Calls the operations of one contract at its SOAP endpoint. Threads may share it."""

    NAME = "SOAP"

    def __init__(
        self,
        contract: Contract,
        config: Config,
        options: ZeepOptions | None = None,
        **given: Unpack[Injected],
    ) -> None:
        """Raises ConfigError where address, connect ID or placement do not do; nothing is sent."""
        tables = contract.tables
        if tables.signing is None:
            raise ConfigError("signing", f"the {tables.name} contract has no such table", "contracts.toml")
        self._options = options or ZeepOptions()
        super().__init__(contract, config, config.soap_endpoint(tables.name, tables.version), **given)
        self.placement = placement.check(
            config.signature_placement, tables, list(contract.operations.values())
        )

    def _missing(self, operation: AnyOperation) -> frozenset[str] | None:
        return operation.rest_only if operation.soap else None

    def _document(self) -> tuple[str, Callable[[], bytes], str]:
        contract = self.contract
        return f"the {contract.name} contract", lambda: contract.wsdl, contract.tables.binding

    def _made(self) -> SoapClient:
        from soapclient.auth.plugin import ZxwsPlugin
        from soapclient.soap.calls import Rules
        from soapclient.soap.client import SoapClient

        contract, config, tables = self.contract, self.config, self.contract.tables
        signing = ZxwsPlugin(
            self.signer,
            contract.operations,
            placement=self.placement,
            uri=soap_uri(http.path_of(self.address), tables.version, lowercase=config.lowercase_path),
        )
        rules = Rules(
            validate=config.validate,
            new_reader=lambda: ResponseReader(config),
            check_request=lambda whole, operation: contract.schema.check_request(
                message_of(whole, operation.operation), operation.name
            ),
            check_response=lambda nodes, operation: contract.schema.check_response(nodes[0], operation.name),
            stream_above=config.stream_above,
        )
        version = tables.ports[0].soap
        operations = Operations(
            contract.operations,
            lambda each: TypedOperation(
                each,
                version,
                safe=each.safe,
                zone=config.report_tzinfo() if each.midnights is not None else None,
                fault_shape=tables.fault,
            ),
        )
        return SoapClient(
            operations,
            version,
            self.address,
            rules,
            self.loop,
            session=self.session,
            options=self._options,
            signing=signing,
        )


def caller_named(auth: object) -> str:
    """What tells one caller from another in what goes with each request; it may be secret."""
    name = auth[0] if isinstance(auth, tuple) else getattr(auth, "username", None)
    known = getattr(auth, "__dict__", {}) if name is None else {}
    plain = sorted((key, each) for key, each in known.items() if isinstance(each, str | bytes | int))
    return f"{type(auth).__qualname__} {name} {plain}"


def _header_text(header: object) -> str:
    """A SOAP header as text: an element, a typed value, or a dict of them."""
    if isinstance(header, etree._Element):
        return etree.tostring(header, encoding="unicode")
    if isinstance(header, Mapping):
        return str(sorted((name, _header_text(value)) for name, value in header.items()))
    return json_text(header)


class PortEngine(SoapEngine):
    """Calls the operations of one port of a package. Threads may share it.

    With `credentials`, each attempt is signed as the package's settings say.
    """

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
        credentials: Credentials | CredentialsProvider | None = None,
        on_headers: OnHeaders | None = None,
        events: Events | None = None,
        random: Callable[[], float] = system_random.random,
    ) -> None:
        self.package = package
        self.port = port
        self.address = Hidden(address) if secrets_in(address) else address
        self.settings = settings
        self.session = session
        self.drift = drift
        fault, signing = package.tables.fault, package.tables.signing
        lease = None if credentials is None else Lease(credentials, clock)
        self._signer = None
        if lease is not None and signing is not None:
            self._signer = Signer(lease, service_name=signing.service_name, clock=clock)
        self.loop = Loop(
            settings,
            address,
            clock=clock,
            drift=drift,
            random=random,
            is_transient=transient_errors(fault.transient if fault is not None else frozenset()),
            skew=None if self._signer is None else Skew(_VALIDITY),
            lease=lease,
            names=(package.tables.name, "soap"),
            events=events,
            secrets=self._secrets,
        )
        self._options = options
        self._on_headers = on_headers
        self._naive_zone = settings.naive_tzinfo(package.tables.naive_zone)
        self._warned = False
        self._lock = Lock()

    def pages(
        self,
        operation: ListOperation[RequestT, ResponseT, ItemT],
        request: RequestT,
        on_page: OnPage | None,
        headers: Sequence[SoapHeader] = (),
        /,
    ) -> ItemPages[ItemT]:
        """The items of a list over all its pages, each asked for when it is needed."""
        paging = self.package.tables.paging
        assert paging is not None  # bindgen knows pages by that table alone

        def call(each: ListOperation[RequestT, ResponseT, ItemT], page: RequestT) -> ResponseT:
            return self.call(each, page, headers)

        return pages_of(call, operation, request, paging, on_page, scope=lambda: self._scope(headers))

    def _scope(self, headers: Sequence[SoapHeader]) -> str:
        """Whose lists these are: by a connect ID, a user name, a key in a header, or a certificate."""
        session, options = self.session, self._options
        account = [
            "" if self._signer is None else self._signer.connect_id,
            *map(caller_named, (session.auth, *options.security)),
            sorted((name, str(text)) for name, text in session.headers.items() if name != "User-Agent"),
            sorted((getattr(options.settings, "extra_http_headers", None) or {}).items()),
            session.cert,
            str(session.params),
            [(each.part.tag, json_text(each.value)) for each in headers],
            list(map(_header_text, self.loop.options.soapheaders)),
        ]
        return scope_of(self.address, account, self._naive_zone, self.settings.report_zone)

    def facts(self) -> list[tuple[str, object]]:
        """What notebooks show of it."""
        return [("port", self.port.name), ("address", safe_url(self.address))]

    def _secrets(self) -> set[str]:
        wsse = {str(getattr(each, "password", None) or "") for each in self._options.security}
        return secrets_of(self.session) | wsse

    def _document(self) -> tuple[str, Callable[[], bytes], str]:
        return "the service", lambda: self.package.wsdl, self.port.binding

    def _made(self) -> SoapClient:
        from soapclient.soap.calls import Rules
        from soapclient.soap.client import SoapClient

        rules = Rules(
            validate=self.settings.validate,
            new_reader=lambda: CountingReader(
                self._naive_zone,
                self.settings.report_zone,
                skips_invalid=self.settings.on_invalid_value == "skip",
            ),
            check_request=self._check_request,
            check_response=self._check_response,
            on_headers=self._on_headers,
        )
        return SoapClient(
            Operations(self.package.operations, self._typed),
            self.port.soap,
            self.address,
            rules,
            self.loop,
            session=self.session,
            options=self._options,
            signing=self._signing(),
        )

    def _signing(self) -> ZxwsPlugin | None:
        tables = self.package.tables
        if self._signer is None or tables.signing is None:
            return None
        from soapclient.auth.plugin import ZxwsPlugin

        return ZxwsPlugin(
            self._signer,
            {name: operation.at(self.port) for name, operation in self.package.operations.items()},
            placement="body",
            uri=soap_uri(http.path_of(self.address), tables.version),
        )

    def _typed(self, operation: AnyOperation) -> TypedOperation:
        package = self.package
        return TypedOperation(
            operation.at(self.port),
            self.port.soap,
            safe=operation.safe or operation.name in self.settings.safe,
            zone=self.settings.report_zone,
            part_types=lambda: package.part_types,
            fault_shape=package.tables.fault,
        )

    def _check_request(self, whole: etree._Element, operation: TypedOperation) -> None:
        """Check the messages in an envelope, its headers too. Raises ContractError."""
        if (checks := self._checks(operation)) is not None:
            messages = [node for part in whole for node in part.iterchildren("*")]
            checks.check_request(messages, operation.name, rpc=operation.style == "rpc")

    def _check_response(self, nodes: Sequence[etree._Element], operation: TypedOperation) -> None:
        if (checks := self._checks(operation)) is not None:
            checks.check_response(nodes, operation.name, rpc=operation.style == "rpc")

    def _checks(self, operation: TypedOperation) -> Checks | None:
        """Return the checks of an operation's messages. None if they are encoded: these differ from their
        schema (SOAP 1.1 5.1). Log once what cannot be checked."""
        if operation.encoded:
            return None
        checks = self.package.checks
        if self._warned:
            return checks
        with self._lock:
            first, self._warned = not self._warned, True
        if first and checks.trouble:
            # A limit of this machine, not drift: no response has caused it.
            log.warning("%s: %s", self.package.tables.name, checks.trouble)
        return checks
