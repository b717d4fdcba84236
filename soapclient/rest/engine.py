"""Calls over REST: the table says where a request's values go, generated code reads the response."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from datetime import timedelta
from typing import Final, NoReturn, Unpack, cast

from soapclient.calling.loop import Call
from soapclient.calling.protocol import Injected, ProtocolEngine
from soapclient.calling.reader import ReadItems, ResponseReader, check_echo, contract_error, request_element
from soapclient.clock import Deadline
from soapclient.contract import Contract
from soapclient.errors import ContractError, UnsupportedByProtocol
from soapclient.rest import requests, responses
from soapclient.rest.streams import XmlListStream, can_stream
from soapclient.runtime import AnyOperation, EncodeError, ItemStream, ListOperation, Operation, RestRow, Wire
from soapclient.runtime.errors import local_name
from soapclient.runtime.operations import ItemT, RequestT, ResponseT
from soapclient.settings import Config
from soapclient.transport import http

_MEDIA_TYPES: Final = {True: "application/json", False: "application/xml"}


class RestEngine(ProtocolEngine):
    """Calls the operations of one contract below its REST address. Threads may share it.

    A contract without SOAP is JSON alone (docs/explanation/service.md#interfaces, the Advertiser interface).
    """

    NAME = "REST"

    def __init__(self, contract: Contract, config: Config, **given: Unpack[Injected]) -> None:
        """Raises ConfigError where address or connect ID do not do; nothing is sent."""
        tables = contract.tables
        self.json = config.rest_format == "json" or not tables.binding
        form = "json" if self.json else "xml"
        super().__init__(contract, config, config.rest_base(tables.name, tables.version, form), **given)

    def call(
        self,
        operation: Operation[RequestT, ResponseT],
        request: RequestT,
        /,
        deadline: Deadline | None = None,
    ) -> ResponseT:
        """Call an operation, by default inside the configured deadline.

        Raises the errors of `soapclient.errors`.
        """
        built = self._built(operation, request)
        call = self.loop.call(operation.name, safe=operation.safe, deadline=deadline)
        _identify(call, built)

        def attempt(offset: timedelta) -> ResponseT:
            with self._post(call, operation, built, offset) as response:
                call.arrived(response)
                reader = ResponseReader(self.config)
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
        self, operation: ListOperation[RequestT, ResponseT, ItemT], request: RequestT, /
    ) -> Iterator[ItemStream[ResponseT, ItemT]]:
        """Call a list operation and yield its items: of XML while it arrives, of JSON when it is complete."""
        built = self._built(operation, request)
        call = self.loop.call(operation.name, safe=operation.safe)
        _identify(call, built)
        call.open_connection()
        with ExitStack() as opened:

            def attempt(offset: timedelta) -> ItemStream[ResponseT, ItemT]:
                with ExitStack() as opening:
                    response = opening.enter_context(self._post(call, operation, built, offset))
                    call.arrived(response)
                    reader = ResponseReader(self.config)
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
        if isinstance(operation, ListOperation) and can_stream(operation, form, response, self.config):
            stream = XmlListStream(operation, form, response, reader, self.contract, self.config)
            return cast("ResponseT", stream.collect())
        return responses.read(operation, form, response, reader, self.contract, self.config)

    def _open(
        self,
        operation: ListOperation[RequestT, ResponseT, ItemT],
        request: RequestT,
        response: http.Response,
        reader: ResponseReader,
    ) -> ItemStream[ResponseT, ItemT]:
        """Return the items of a response, the first of them read if they are read while it arrives."""
        form = _form(operation)
        if not can_stream(operation, form, response, self.config):
            whole = self._read(operation, response, reader)
            check_echo(operation, request, whole)
            return ReadItems(whole, operation)
        stream = XmlListStream(operation, form, response, reader, self.contract, self.config)
        stream.prime()
        check_echo(operation, request, stream.known_head)
        response.renew(self.loop.deadline)
        return cast("ItemStream[ResponseT, ItemT]", stream)

    # ---- what REST does its own way

    @property
    def client(self) -> NoReturn:
        """Raises UnsupportedByProtocol."""
        raise UnsupportedByProtocol("zeep's client", self.NAME)

    @property
    def zeep(self) -> NoReturn:
        """Raises UnsupportedByProtocol."""
        raise UnsupportedByProtocol("the plain zeep service", self.NAME)

    def _missing(self, operation: AnyOperation) -> frozenset[str] | None:
        return None if operation.rest is None else operation.soap_only

    def _built(self, operation: Operation[RequestT, ResponseT], request: RequestT) -> requests.RestRequest:
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
        if self.config.validate != "off":
            self._check_batch(operation, wire)
            self._check(operation, request)
        return requests.build(operation, _form(operation), message, wire, as_json=self.json)

    def _check_batch(self, operation: AnyOperation, wire: Wire) -> None:
        """Refuse more in a list than a request takes, and say what takes them."""
        batch = self.contract.tables.batch
        for name, value in wire.items():
            if batch is not None and isinstance(value, list) and len(value) > batch.most:
                raise ContractError(
                    f"{local_name(operation.request_tag)}/{name}",
                    len(value),
                    f"1 to {batch.most} elements",
                    f"a request takes {batch.most} at most (maxOccurs); {batch.instead}",
                    operation=operation.name,
                )

    def _check(self, operation: Operation[RequestT, ResponseT], request: RequestT) -> None:
        """Hold the request against the schema in the forms the schema knows, which are SOAP's."""
        message = request_element(operation, request, self.config.report_tzinfo())
        for child in list(message):
            if local_name(child.tag) in operation.rest_only:
                message.remove(child)
        partial = operation.rest is not None and operation.rest.partial
        schema = self.contract.schema_without(operation, partial=partial)
        schema.check_request(message, operation.name)

    def _post(
        self, call: Call, operation: AnyOperation, built: requests.RestRequest, offset: timedelta
    ) -> http.Response:
        """Sign a request, send it once, and give the response, unread."""
        headers = {"Accept": _MEDIA_TYPES[self.json]}
        if built.content_type is not None:
            headers["Content-Type"] = built.content_type
        headers |= {**self.loop.headers(call.request_id), **self.loop.context()}
        call.sent_bytes = len(built.body or b"")
        in_query = self.config.rest_signature == "query"
        fields = _Authentication(self, operation, built.method, offset)
        return http.send(
            self.session,
            built.method,
            f"{self.address}{built.target}",
            headers=headers,
            body=built.body,
            limits=call.limits,
            signed=None if in_query else fields.headers,
            appended=fields.query if in_query else None,
        )


class _Authentication:
    """The authentication of one attempt, for the address as it is really sent
    (docs/explanation/service.md#signing)."""

    def __init__(self, engine: RestEngine, operation: AnyOperation, verb: str, offset: timedelta) -> None:
        self._engine = engine
        self._operation = operation
        self._verb = verb
        self._offset = offset

    def headers(self, sent_to: str) -> Mapping[str, str]:
        """As headers."""
        signer = self._engine.signer
        if not self._operation.signed:
            return signer.public_header_fields()
        return signer.header_fields(signer.stamp(offset=self._offset), self._verb, self._uri(sent_to))

    def query(self, sent_to: str) -> str:
        """As query parameters, after the operation's own."""
        signer = self._engine.signer
        if not self._operation.signed:
            return requests.encoded(list(signer.public_query_fields().items()))
        stamp = signer.stamp(offset=self._offset)
        fields = signer.query_fields(stamp, self._verb, self._uri(sent_to))
        return requests.encoded(list(fields.items()))

    def _uri(self, sent_to: str) -> str:
        """What follows our own address, whatever segments that has: one may look like the version."""
        path = http.path_of(sent_to).removeprefix(http.path_of(self._engine.address))
        return path.lower() if self._engine.config.lowercase_path else path


def _identify(call: Call, built: requests.RestRequest) -> None:
    call.method = built.method
    if call.safe:
        call.identify(repr((built.method, built.target, built.body)).encode())


def _form(operation: AnyOperation) -> RestRow:
    assert operation.rest is not None  # `_built` has refused the others
    return operation.rest
