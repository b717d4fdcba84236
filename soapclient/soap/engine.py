"""The engine that makes the calls of generated services over SOAP."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final, Self, Unpack, cast

from lxml import etree

from soapclient._support.forks import Lock
from soapclient._support.speedups import in_use
from soapclient.auth.placement import is_repeated
from soapclient.auth.signing import soap_uri
from soapclient.calling.engine import Engine, EngineArguments, SettingsT_co, caller_named
from soapclient.calling.loop import CallOptions
from soapclient.contract import package_documents
from soapclient.contract.validation import Checks
from soapclient.runtime import AnyOperation, Package
from soapclient.runtime.operations import (
    ItemStream,
    ItemT,
    ListOperation,
    Operation,
    RequestT,
    ResponseT,
    SoapHeader,
)
from soapclient.runtime.schema import PortRow
from soapclient.soap.late_httpx import httpx_imported_late
from soapclient.soap.operations import Operations, TypedOperation
from soapclient.soap.zeep_options import ZeepOptions
from soapclient.transport import http

if TYPE_CHECKING:
    import requests

    from soapclient.auth.plugin import SigningPlugin
    from soapclient.calling.events import OnHeaders
    from soapclient.soap.client import SoapClient
    from soapclient.soap.zeep_service import PlainService

log = logging.getLogger(__name__)
# The first call imports zeep, in one thread only, because other threads must not see partly loaded modules.
_loading: Final = Lock()


class SoapEngine(Engine[SettingsT_co]):
    """Calls the operations of one port of a package with a `SoapClient`. Thread-safe."""

    NAME = "SOAP"
    _client: SoapClient | None = None

    def __init__(
        self,
        package: Package,
        port: PortRow,
        address: str,
        settings: SettingsT_co,
        session: requests.Session,
        options: ZeepOptions | None = None,
        *,
        on_headers: OnHeaders | None = None,
        **given: Unpack[EngineArguments],
    ) -> None:
        super().__init__(package, port, address, settings, session, **given)
        self.port = port
        in_use()  # reports an invalid SOAPCLIENT_SPEEDUPS before the first call
        self._repeated = is_repeated(
            settings.signature_placement, package.settings, package.operations.values()
        )
        self._options = (options or ZeepOptions()).for_port(package, port, address, settings, session)
        self._on_headers = on_headers
        self._warned = False
        self._lock = Lock()

    @property
    def client(self) -> SoapClient:
        """The `SoapClient`. Created when first needed, because it imports zeep."""
        if self._client is None:
            if self._origin is not None:
                self._client = self._origin.client.view(self.loop)
            else:
                with _loading:
                    self._client = self._client or self._create_client()
        return self._client

    @property
    def zeep(self) -> PlainService:
        """zeep's own service for the port of this engine. Its calls return zeep's objects."""
        client = self.client
        from soapclient.soap.zeep_service import PlainService

        return PlainService(
            client, f"the {self.package.settings.name} contract", self._wsdl, self.port.binding
        )

    def view(self, options: CallOptions) -> Self:
        """Return a view whose calls have other options. The view has its own client."""
        view = super().view(options)
        view._client = None
        return view

    def call(
        self,
        operation: Operation[RequestT, ResponseT],
        request: RequestT,
        headers: Sequence[SoapHeader] = (),
        /,
    ) -> ResponseT:
        """Call an operation. Raises the errors of `soapclient.errors`."""
        call = self.client.service[operation.name]
        response: ResponseT = call(request, _soapheaders=headers)
        return response

    @contextmanager
    def stream(
        self,
        operation: ListOperation[RequestT, ResponseT, ItemT],
        request: RequestT,
        headers: Sequence[SoapHeader] = (),
        /,
    ) -> Iterator[ItemStream[ResponseT, ItemT]]:
        """Call a list operation and return its items as they arrive (context manager).

        The context manager returns an iterator over the items, which are not kept in memory. The deadline
        applies until the first item, and then to each wait for more data. Errors are retried only before the
        first item. With `validate="all"`, the complete response is read before the first item.
        """
        with self.client.streamed(operation.name, request, headers) as items:
            yield cast("ItemStream[ResponseT, ItemT]", items)  # the reader of the operation reads it

    def facts(self) -> list[tuple[str, object]]:
        """Return pairs of a name and a value that describe the engine. Notebooks show them for a service."""
        return [("port", self.port.name), *super().facts()]

    # ---- the implementation of the engine for SOAP

    def _missing(self, operation: AnyOperation) -> frozenset[str] | None:
        return operation.rest_only if operation.soap else None

    def _account(self, headers: Sequence[SoapHeader]) -> list[object]:
        options = self._options
        return [
            *super()._account(headers),
            list(map(caller_named, options.security)),
            sorted((getattr(options.settings, "extra_http_headers", None) or {}).items()),
            list(map(_header_text, self.loop.options.soapheaders)),
        ]

    def _secrets(self) -> set[str]:
        secrets = super()._secrets()
        for security in self._options.security:
            secrets |= {str(getattr(security, "password", None) or ""), *getattr(security, "secrets", ())}
        return secrets

    def _wsdl(self) -> bytes:
        return package_documents.wsdl(self.package)

    def _create_client(self) -> SoapClient:
        with httpx_imported_late():
            from soapclient.soap.calls import Rules
            from soapclient.soap.client import SoapClient
            from soapclient.soap.mtom import mtom_of

        rules = Rules(
            validate=self.settings.validate,
            new_reader=self.new_reader,
            check_request=self._check_request,
            check_response=self._check_response,
            stream_above=self.settings.stream_above,
            on_headers=self._on_headers,
            mtom=mtom_of(self.port, self.settings.mtom, self.settings.mtom_above),
            unsecured=self._options.unsecured,
        )
        return SoapClient(
            Operations(self.package.operations_of(self.port.port_type), self._typed),
            self.port.soap,
            self.address,
            rules,
            self.loop,
            session=self.session,
            options=self._options,
            signing=self._signing(),
        )

    def _signing(self) -> SigningPlugin | None:
        settings = self.package.settings
        if self.signer is None or settings.signing is None:
            return None
        from soapclient.auth.plugin import SigningPlugin

        path = http.path_of(self.address)
        return SigningPlugin(
            self.signer,
            {
                name: operation.at(self.port)
                for name, operation in self.package.operations_of(self.port.port_type).items()
            },
            repeated=self._repeated,
            uri=soap_uri(path, settings.version, lowercase=self.settings.lowercase_path),
        )

    def _typed(self, operation: AnyOperation) -> TypedOperation:
        return TypedOperation(
            operation.at(self.port),
            self.port.soap,
            safe=operation.safe or operation.name in self.settings.safe,
            zone=self.settings.report_tzinfo() if operation.midnights is not None else None,
            fault_shape=self.package.settings.fault,
        )

    def _check_request(self, whole: etree._Element, operation: TypedOperation) -> None:
        """Validate the elements in the header and the body of the envelope `whole`.

        Raises ContractError if an element is invalid.
        """
        if (checks := self._checks(operation)) is not None:
            messages = [node for part in whole for node in part.iterchildren("*")]
            checks.check_request(messages, operation.name, rpc=operation.style == "rpc")

    def _check_response(self, nodes: Sequence[etree._Element], operation: TypedOperation) -> None:
        if (checks := self._checks(operation)) is not None:
            checks.check_response(nodes, operation.name, rpc=operation.style == "rpc")

    def _checks(self, operation: TypedOperation) -> Checks | None:
        """Return the object that validates an operation's messages; None for messages in SOAP encoding.

        Encoded messages differ from their schema (SOAP 1.1, section 5.1). If the schemas do not compile,
        messages are checked only in part or not at all. A warning about this is logged once.
        """
        if operation.encoded:
            return None
        checks = package_documents.checks(self.package)
        if self._warned:
            return checks
        with self._lock:
            first, self._warned = not self._warned, True
        if first and checks.trouble:
            # This is not drift: it is a limit of this client and is not caused by a response.
            log.warning("%s: %s", self.package.settings.name, checks.trouble)
        return checks


def _header_text(header: object) -> str:
    """Return a SOAP header as text, so that it can be compared with other headers.

    The header is an lxml element, a typed value, or a dict of these. Calls with different headers may belong
    to different accounts.
    """
    if isinstance(header, etree._Element):
        return etree.tostring(header, encoding="unicode")
    if isinstance(header, Mapping):
        return str(sorted((name, _header_text(value)) for name, value in header.items()))
    from soapclient.tables.texts import json_text

    return json_text(header)
