"""The engine that makes the calls of generated services over REST.

The package describes each resource in a `RestRow`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from datetime import timedelta
from typing import TYPE_CHECKING, Final, NoReturn, Unpack, cast

from soapclient.auth.signing import Signer, Stamp
from soapclient.calling.engine import Engine, EngineArguments, SettingsT_co
from soapclient.calling.loop import Call
from soapclient.calling.read_items import ReadItems
from soapclient.calling.reader import ResponseReader, check_echo, contract_error, request_element
from soapclient.contract import package_documents
from soapclient.errors import ContractError, UnsupportedByProtocol
from soapclient.rest import requests, responses
from soapclient.rest.streams import XmlListStream, can_stream
from soapclient.runtime import (
    AnyOperation,
    EncodeError,
    ItemStream,
    ListOperation,
    Operation,
    Package,
    RestRow,
    Wire,
)
from soapclient.runtime.errors import local_name
from soapclient.runtime.operations import ItemT, RequestT, ResponseT, SoapHeader
from soapclient.settings import CommonSettings
from soapclient.transport import http

if TYPE_CHECKING:
    import requests as requests_

_MEDIA_TYPES: Final = {True: "application/json", False: "application/xml"}


def is_json(package: Package, settings: CommonSettings) -> bool:
    """Return True if the bodies of requests and responses are JSON.

    If the package has no SOAP port, bodies are always JSON. Otherwise, the setting `rest_format` decides.
    """
    return settings.rest_format == "json" or not package.settings.ports


class RestEngine(Engine[SettingsT_co]):
    """Calls the operations of one package at its REST address. Thread-safe.

    A contract without SOAP uses only JSON (docs/explanation/service.md#interfaces, the Advertiser interface).
    """

    NAME = "REST"

    def __init__(
        self,
        package: Package,
        address: str,
        settings: SettingsT_co,
        session: requests_.Session,
        **arguments: Unpack[EngineArguments],
    ) -> None:
        super().__init__(package, None, address, settings, session, **arguments)
        self.json = is_json(package, settings)

    def call(
        self,
        operation: Operation[RequestT, ResponseT],
        request: RequestT,
        headers: Sequence[SoapHeader] = (),
        /,
    ) -> ResponseT:
        """Call an operation. Raises the errors of `soapclient.errors`.

        `headers` is not used: bindgen refuses REST resources of operations with SOAP headers.
        """
        built = self._build(operation, request)
        call = self._call(operation)
        _identify(call, built)

        def attempt(offset: timedelta) -> ResponseT:
            with self._post(call, operation, built, offset) as response:
                call.arrived(response)
                reader = self.new_reader()
                reader.check_deadline = response.check_deadline
                try:
                    value = self._read(operation, response, reader)
                    check_echo(operation, request, value)
                except BaseException as error:
                    self.loop.read(call, reader, error)
                    raise
                self.loop.read(call, reader)
                return value

        return self.loop.run(call, attempt)

    @contextmanager
    def stream(
        self,
        operation: ListOperation[RequestT, ResponseT, ItemT],
        request: RequestT,
        headers: Sequence[SoapHeader] = (),
        /,
    ) -> Iterator[ItemStream[ResponseT, ItemT]]:
        """Call a list operation and return an iterator over the items of its response (context manager).

        XML is read while it arrives, JSON only when it is complete.
        """
        built = self._build(operation, request)
        call = self._call(operation)
        _identify(call, built)
        call.open_connection()
        with ExitStack() as opened:

            def attempt(offset: timedelta) -> ItemStream[ResponseT, ItemT]:
                with ExitStack() as opening:
                    response = opening.enter_context(self._post(call, operation, built, offset))
                    call.arrived(response)
                    reader = self.new_reader()
                    reader.check_deadline = response.check_deadline
                    opening.push(lambda kind, error, trace: self.loop.read(call, reader, error))
                    items = self._open(operation, request, response, reader)
                    opened.push(opening.pop_all())
                    opened.push(self.loop.naming(call))
                    return items

            yield self.loop.run(call, attempt)

    def _read(
        self, operation: Operation[RequestT, ResponseT], response: http.Response, reader: ResponseReader
    ) -> ResponseT:
        form = _form(operation)
        if isinstance(operation, ListOperation) and can_stream(operation, form, response, self.settings):
            stream = XmlListStream(operation, form, response, reader, self.package, self.settings)
            return cast("ResponseT", stream.collect())
        return responses.read(operation, form, response, reader, self.package, self.settings)

    def _open(
        self,
        operation: ListOperation[RequestT, ResponseT, ItemT],
        request: RequestT,
        response: http.Response,
        reader: ResponseReader,
    ) -> ItemStream[ResponseT, ItemT]:
        """Return an iterator over the items of a response.

        Reads at least the first item before it returns. If an error occurs before that, the call can be
        retried.
        """
        form = _form(operation)
        if not can_stream(operation, form, response, self.settings):
            value = self._read(operation, response, reader)
            check_echo(operation, request, value)
            return ReadItems(value, operation)
        stream = XmlListStream(operation, form, response, reader, self.package, self.settings)
        stream.prime()
        check_echo(operation, request, stream.known_head)
        response.renew(self.loop.deadline)
        return cast("ItemStream[ResponseT, ItemT]", stream)

    # ---- the implementation of the engine for REST

    @property
    def client(self) -> NoReturn:
        """Raise UnsupportedByProtocol, because zeep's client exists only over SOAP."""
        raise UnsupportedByProtocol("zeep's client", self.NAME)

    @property
    def zeep(self) -> NoReturn:
        """Raise UnsupportedByProtocol, because the zeep service exists only over SOAP."""
        raise UnsupportedByProtocol("the plain zeep service", self.NAME)

    def _missing(self, operation: AnyOperation) -> frozenset[str] | None:
        return None if operation.rest is None else operation.soap_only

    def _call(self, operation: AnyOperation) -> Call:
        safe = operation.safe or operation.name in self.settings.safe
        return self.loop.call(operation.name, safe=safe)

    def _build(self, operation: Operation[RequestT, ResponseT], request: RequestT) -> requests.RestRequest:
        missing = self._missing(operation)
        if missing is None:
            raise UnsupportedByProtocol(operation.name, self.NAME)
        if self.loop.options.soapheaders:
            raise UnsupportedByProtocol("with_options(soapheaders=…)", self.NAME)
        try:
            message = request_element(operation, request, None)
            wire = operation.wire_of(message)
        except EncodeError as error:
            raise contract_error(error, operation.name) from None
        for element in wire:
            if element in missing:
                raise UnsupportedByProtocol(f"{operation.name}: the element {element}", self.NAME)
        if self.settings.validate != "off":
            self._check_batch(operation, wire)
            self._check(operation, request)
        return requests.build(operation, _form(operation), message, wire, as_json=self.json)

    def _check_batch(self, operation: AnyOperation, wire: Wire) -> None:
        """Raise ContractError if a list in the request has more elements than the contract allows.

        `wire` is the encoded request: element name → text, nested element or list.
        """
        batch = self.package.settings.batch
        for name, value in wire.items():
            if batch is not None and isinstance(value, list) and len(value) > batch.most:
                raise ContractError(
                    f"{local_name(operation.request_tag)}/{name}",
                    len(value),
                    f"1 to {batch.most} elements",
                    f"a request takes at most {batch.most} (maxOccurs); {batch.instead}",
                    operation=operation.name,
                )

    def _check(self, operation: Operation[RequestT, ResponseT], request: RequestT) -> None:
        """Validate the request in its SOAP form, because the schema describes only SOAP.

        Raises ContractError if the request is invalid.
        """
        message = request_element(operation, request, self.settings.report_tzinfo())
        for child in list(message):
            if local_name(child.tag) in operation.rest_only:
                message.remove(child)
        partial = operation.rest is not None and operation.rest.partial
        checks = package_documents.checks_without(self.package, operation, partial=partial)
        checks.check_request([message], operation.name)

    def _post(
        self, call: Call, operation: AnyOperation, built: requests.RestRequest, offset: timedelta
    ) -> http.Response:
        """Sign the request `built` and send it once. Return the response before its body is read.

        `offset` is added to the local clock to get the time that is signed.
        """
        headers = {"Accept": _MEDIA_TYPES[self.json]}
        if built.content_type is not None:
            headers["Content-Type"] = built.content_type
        headers |= {**self.loop.headers(call.request_id), **self.loop.context()}
        call.sent_bytes = len(built.body or b"")
        in_query = self.settings.rest_signature == "query"
        fields = None
        if self.signer is not None:
            fields = _Authentication(self, self.signer, operation, built.method, offset)
        return http.send(
            self.session,
            built.method,
            f"{self.address}{built.target}",
            headers=headers,
            body=built.body,
            limits=call.limits,
            signed=None if in_query or fields is None else fields.headers,
            appended=fields.query if in_query and fields is not None else None,
        )


class _Authentication:
    """Creates the headers or query parameters that authenticate one attempt.

    The signature covers the URL, so the argument `sent_to` is the URL exactly as it is sent
    (docs/explanation/service.md#signing).
    """

    def __init__(
        self,
        engine: RestEngine[CommonSettings],
        signer: Signer,
        operation: AnyOperation,
        verb: str,
        offset: timedelta,
    ) -> None:
        self._engine = engine
        self._signer = signer
        self._operation = operation
        self._verb = verb
        self._offset = offset

    def headers(self, sent_to: str) -> Mapping[str, str]:
        """Return the HTTP headers that authenticate the attempt."""
        return self._signer.header_fields(self._stamp(), self._verb, self._uri(sent_to))

    def query(self, sent_to: str) -> str:
        """Return encoded query parameters that authenticate the attempt. Append them to the URL's query."""
        fields = self._signer.query_fields(self._stamp(), self._verb, self._uri(sent_to))
        return requests.encoded(list(fields.items()))

    def _stamp(self) -> Stamp | None:
        """Return a new timestamp and nonce to sign; None if the operation needs no signature."""
        return self._signer.stamp(offset=self._offset) if self._operation.signed else None

    def _uri(self, sent_to: str) -> str:
        """Return the path to sign: the part of the URL's path after the configured address.

        The path to sign begins with the version, but the address may contain a segment that looks like a
        version, too. Therefore the address is removed as a prefix.
        """
        path = http.path_of(sent_to).removeprefix(http.path_of(self._engine.address).rstrip("/"))
        return path.lower() if self._engine.settings.lowercase_path else path


def _identify(call: Call, built: requests.RestRequest) -> None:
    call.method = built.method
    if call.safe:
        call.identify(repr((built.method, built.target, built.body)).encode())


def _form(operation: AnyOperation) -> RestRow:
    assert operation.rest is not None  # `_build` refuses all other requests
    return operation.rest
