"""Operations as zeep's bindings use them, and as responses are read: the one place that knows how generated
code describes an operation."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Literal

from lxml import etree

from soapclient.calling.reader import SoapWriter, refuse_gaps
from soapclient.calling.wire import as_element, refused, wire_of
from soapclient.runtime import (
    AnyOperation,
    EncodeError,
    FaultShape,
    ListOperation,
    Node,
    Operation,
    Reader,
    Tables,
    Writer,
)
from soapclient.runtime.errors import local_name
from soapclient.runtime.soap_operation import AnyPart, AnySoapOperation, SoapOperation
from soapclient.soap import arrays, encoded, headers
from soapclient.soap.requests import Version, envelope, http_headers

if TYPE_CHECKING:
    from zeep.wsdl.messages.base import SerializedMessage

    from soapclient.config import Config

Read = Callable[[Node, Reader], object]


class TypedOperation(ABC):
    """An operation of a port. zeep looks at `name`, `style`, `abstract` (which has it apply WS-Addressing),
    and calls `create`; `operation` is what generated code has."""

    input: None = None
    output: None = None
    style: Literal["document", "rpc"] = "document"
    one_way = False
    encoded = False
    soap = True
    authentication: tuple[str, ...] = ()
    request_headers: Mapping[str, AnyPart] = {}
    response_headers: Mapping[str, AnyPart] = {}
    response_members: Mapping[str, Read] = {}
    faults: Mapping[str, AnyPart] = {}
    fault_shape: FaultShape | None = None
    # Any: of whatever types its messages are, they are handed through here.
    listed: ListOperation[Any, Any, Any] | None = None

    def __init__(
        self,
        operation: AnyOperation | AnySoapOperation,
        version: Version,
        *,
        safe: bool,
        action: str | None = None,
    ) -> None:
        """`action` is what WS-Addressing says, where the contract asks for it."""
        self.operation = operation
        self.name = operation.name
        self.soapaction = operation.soap_action
        self.request_tag = operation.request_tag
        self.response_tag = operation.reply_tag
        self.version: Version = version
        self.safe = safe
        self.abstract = SimpleNamespace(name=operation.name, wsa_action=action)
        self.http_headers = http_headers(version, operation.soap_action)

    def __str__(self) -> str:
        """What zeep shows as the documentation of its proxy."""
        return f"{self.name}({local_name(self.request_tag)})"

    def create(self, request: object, *, _soapheaders: object = None) -> SerializedMessage:
        """The message of an attempt, by zeep's binding; `request` may be an envelope that was written
        before."""
        from zeep.wsdl.messages.base import SerializedMessage

        written = request if isinstance(request, etree._Element) else self.envelope(request, _soapheaders)
        message: SerializedMessage = SerializedMessage(path=None, headers={}, content=written)
        return message

    def envelope(self, request: object, given: object = None) -> etree._Element:
        """The envelope of a request, with the headers that are `given`. Raises ContractError."""
        return envelope(self, request, headers.of_request(self.name, self.request_headers, given))

    @property
    def item_tags(self) -> arrays.ItemTags:
        """What the items of encoded arrays are called."""
        return arrays.ItemTags()

    @abstractmethod
    def write(self, request: object, body: etree._Element) -> etree._Element:
        """Append a request to the body; give the element that holds its fields. Raises EncodeError."""

    @abstractmethod
    def read(self, node: Node, reader: Reader) -> object:
        """Read a response from its element. Raises DecodeError."""


class PackageOperation(TypedOperation):
    """Of a package that `bindgen init` wrote."""

    # Any: as above.
    def __init__(
        self,
        operation: SoapOperation[Any, Any],
        version: Version,
        *,
        safe: bool,
        encoding: Callable[[], tuple[encoded.PartTypes, arrays.ItemTags]],
        action: str | None = None,
    ) -> None:
        """`encoding` gives what encoded messages need to know of the schemas."""
        super().__init__(operation, version, safe=safe, action=action)
        self.style = operation.style
        self.one_way = operation.one_way
        self.encoded = operation.encoded
        self.request_headers = operation.request_headers
        self.response_headers = operation.reply_headers
        self.response_members = operation.reply_members
        self.faults = operation.faults
        self._typed = operation
        self._encoding = encoding

    @property
    def item_tags(self) -> arrays.ItemTags:
        return self._encoding()[1] if self.encoded else arrays.ItemTags()

    def write(self, request: object, body: etree._Element) -> etree._Element:
        node = etree.SubElement(body, self.request_tag) if self.request_tag else body
        self._typed.write_request(request, node, local_name(self.request_tag) or self.name)
        if self.encoded:
            encoded.say_types(node, self._encoding()[0].get(self.request_tag, {}))
        return node

    def read(self, node: Node, reader: Reader) -> object:
        read: Read = self.response_members.get(str(node.tag), self._typed.read_reply)
        return read(node, reader)


class ContractOperation(TypedOperation):
    """Of a built-in contract."""

    # Any: as above.
    def __init__(
        self,
        operation: AnyOperation,
        config: Config | None,
        shape: FaultShape | None,
        version: Version = "1.1",
    ) -> None:
        """`config` gives the zones of days; without one there are no requests."""
        assert isinstance(operation, Operation)  # all of them are, with their types
        super().__init__(operation, version, safe=operation.safe)
        self.soap = operation.soap
        self.authentication = operation.authentication
        self.fault_shape = shape
        self.listed = operation if isinstance(operation, ListOperation) else None
        self._typed: Operation[Any, Any] = operation
        self._writer = None if config is None else SoapWriter(config)

    def write(self, request: object, body: etree._Element) -> etree._Element:
        assert self._writer is not None
        node = request_element(self._typed, request, self._writer)
        body.append(node)
        # Empty, and in their places: whoever signs the envelope fills them in.
        space = self.request_tag.rpartition("}")[0]
        for name in self.authentication:
            etree.SubElement(node, f"{space}}}{name}" if space else name)
        return node

    def read(self, node: Node, reader: Reader) -> object:
        return self._typed.read_reply(node, reader)


# Any: as above.
def request_element(operation: Operation[Any, Any], request: object, writer: Writer) -> etree._Element:
    """A request of a built-in contract as its element, without authentication. Raises ContractError."""
    missing = operation.rest_only if operation.soap else None
    wire = wire_of(operation, request, writer, missing, "SOAP")
    refuse_gaps(operation, wire)
    try:
        return as_element(wire, operation.request_tag)
    except EncodeError as error:
        raise refused(error, operation.name) from None


def of_contract(
    tables: Tables, operations: Mapping[str, AnyOperation], config: Config
) -> dict[str, TypedOperation]:
    """The operations of a built-in contract, by name."""
    return {name: ContractOperation(each, config, tables.fault) for name, each in operations.items()}
