"""Operations for zeep's bindings. They write requests to envelopes and decode responses with the codec."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Final

from lxml import etree

from soapclient.calling.reader import contract_error, refuse_changes, refuse_gaps
from soapclient.errors import BrokenResponse, ContractError, UnsupportedByProtocol
from soapclient.runtime import (
    AnyOperation,
    CountingReader,
    EncodeError,
    FaultShape,
    ListOperation,
    Node,
    Reader,
)
from soapclient.runtime.authentication import fill
from soapclient.runtime.cached_attribute import cached_attribute
from soapclient.runtime.compiled import ResponseReader, response_reader
from soapclient.runtime.errors import local_name
from soapclient.soap.envelope import SOAP_11, SOAP_12, Version, headers_of, http_headers, write_head

if TYPE_CHECKING:
    from zeep.wsdl.messages.base import SerializedMessage

_ENCODINGS: Final[dict[Version, str]] = {
    "1.1": "http://schemas.xmlsoap.org/soap/encoding/",
    "1.2": "http://www.w3.org/2003/05/soap-encoding",
}
_STEPS: Final = 5
_DEPTH: Final = "a value that does not contain itself and is not nested too deeply"


class TypedOperation:
    """An operation of a port, in the interface that zeep's bindings require.

    zeep reads `name`, `style` and `abstract` (for WS-Addressing), and calls `create`. `operation` is the same
    operation in the generated package.
    """

    input: None = None
    output: None = None

    def __init__(
        self,
        operation: AnyOperation,
        version: Version = "1.1",
        *,
        safe: bool = False,
        zone: dt.tzinfo | None = None,
        fault_shape: FaultShape | None = None,
    ) -> None:
        """Create the operation.

        `operation` is the operation in the generated package, and `version` the SOAP version. `safe` is True
        if the operation can be retried without harm. `zone` is the time zone of reports: a date in a
        date-time field of a request is sent as midnight in this zone. `fault_shape` describes the fault
        detail of the contract.
        """
        self.operation = operation
        self.name = operation.name
        self.soap = operation.soap
        self.soapaction = operation.soap_action
        self.style = operation.style
        self.one_way = operation.one_way
        self.encoded = operation.encoded
        self.request_tag = operation.request_tag
        self.response_tag = operation.response_tag
        self.response_members = operation.response_members
        self.response_headers = operation.response_headers
        self.faults = operation.faults
        self.fault_headers = {**operation.response_headers, **operation.header_faults}
        self.fault_shape = fault_shape
        self.version: Version = version
        self.safe = safe
        self.abstract = SimpleNamespace(name=operation.name, wsa_action=operation.action or None)
        binary = operation.response_attachments or operation.codec.can_hold_binary(operation.row.response)
        self.http_headers = http_headers(version, operation.soap_action, binary=bool(binary))
        self._path = local_name(self.request_tag) or self.name
        self._zone = zone
        self._takes_changes = operation.rest is not None and bool(operation.partial_fields)
        # Any, because the types of its messages do not matter here.
        self.listed: ListOperation[Any, Any, Any] | None = None
        # In RPC style, or with substitutes, the element that holds the list can have another name.
        if isinstance(operation, ListOperation) and self.style == "document" and not self.encoded:
            self.listed = operation if self.response_tag and not self.response_members else None

    @cached_attribute
    def compiled(self) -> ResponseReader | None:
        """The compiled reader for responses. None if all responses must be read by the Python reader."""
        return None if self.response_members else response_reader(self.operation)

    def __str__(self) -> str:
        """Return the text that zeep uses as the docstring of the operation's proxy."""
        return f"{self.name}({self._path})"

    def create(self, request: object, *, _soapheaders: object = None) -> SerializedMessage:
        """Return the serialized request. zeep's binding calls this method and sends the result.

        `request` is a request object, or a complete envelope as an lxml element.
        """
        from zeep.wsdl.messages.base import SerializedMessage

        written = request if isinstance(request, etree._Element) else self.envelope(request, _soapheaders)
        return SerializedMessage(path=None, headers={}, content=written)

    def request_of(self, given: Sequence[object], fields: Mapping[str, object]) -> object:
        """Build a request object from `fields`, a dict of values by name.

        The names can be the WSDL's or the Python names. `given` are the positional arguments of the call,
        which are not allowed here. Raises ContractError if `given` is not empty, if a name is unknown, or if
        a required field is missing.
        """
        all_fields = self.operation.codec.fields(self.operation.row.request)
        names = ", ".join(field.python for field in all_fields if field.python) or "none"
        if given:
            reason = (
                f"{len(given)} positional arguments: pass a request object, or fields as keyword arguments"
            )
            allowed = f"one {self.operation.request_type.__name__}, or the fields {names}"
            raise ContractError(self._path, len(given), allowed, reason, operation=self.name)
        by_name = {field.name: field.python for field in all_fields} | {
            field.python: field.python for field in all_fields
        }
        for name in fields:
            if name not in by_name:
                raise ContractError(f"{self._path}/{name}", name, names, "unknown field", operation=self.name)
        values = {by_name[name]: value for name, value in fields.items()}
        has_default = self.operation.codec.defaults(self.operation.row.request)
        for field in all_fields:
            if field.python not in values and field.python not in has_default:
                path = f"{self._path}/{field.shown}"
                raise ContractError(path, None, "a value", "it is required", operation=self.name)
        return self.operation.request_type(**values)

    def envelope(self, request: object, given: object = None) -> etree._Element:
        """Return the envelope of a request.

        `given` are the caller's SOAP headers (see `envelope.headers_of`).

        Raises ContractError if a value is invalid for its field, or if a required header is None.
        """
        headers = headers_of(self.name, self.operation.request_headers, given) if given else ()
        space = SOAP_12 if self.version == "1.2" else SOAP_11
        top = etree.Element(f"{{{space}}}Envelope", nsmap={"soap": space})
        try:
            if headers or self.operation.authentication_headers:
                fill(write_head(top, space, headers), self.operation.authentication_headers, {})
            node = self.write(request, etree.SubElement(top, f"{{{space}}}Body"))
        except EncodeError as error:
            raise contract_error(error, self.name) from None
        except RecursionError:
            reason = "values are nested too deeply"
            raise ContractError(_path_to_last(top), None, _DEPTH, reason, operation=self.name) from None
        if self.encoded:  # applies to all descendants; not allowed on an envelope of SOAP 1.2 (part 1, 5.1.1)
            styled = node if self.version == "1.2" else top
            styled.set(f"{{{space}}}encodingStyle", _ENCODINGS[self.version])
        return top

    def write(self, request: object, body: etree._Element) -> etree._Element:
        """Append a request to the body of an envelope. Return the element that contains its fields.

        Raises EncodeError if a value is invalid, and UnsupportedByProtocol if the request uses elements that
        only REST has.
        """
        operation = self.operation
        if not self.soap:
            raise UnsupportedByProtocol(self.name, "SOAP")
        if self._takes_changes:
            refuse_changes(operation, request)
        node = etree.SubElement(body, self.request_tag) if self.request_tag else body
        operation.request_writer(request, node, self._path)
        if (midnights := operation.midnights) is not None and self._zone is not None:
            midnights.put(node, self._zone)
        if operation.rest_only or operation.rest_optional:
            self._refuse_rest(node)
        if self.encoded:
            from soapclient.soap.encoded_types import (
                types_of,  # imported late: few services use SOAP encoding
            )

            types_of(operation.package).add(node, operation.row.request, self.version)
        if operation.authentication:  # empty elements, filled in when the envelope is signed
            fill(node, operation.authentication, {})
        return node

    def message(self, body: etree._Element, reader: CountingReader) -> etree._Element:
        """Return the element of a body that contains the response.

        Returns the body itself if the message parts are children of the body. Raises BrokenResponse if the
        response belongs to another operation.
        """
        if not self.response_tag:
            return body
        children = body.iterchildren("*")
        node = next(children, None)
        if node is None:
            path = f"Envelope/Body/{local_name(self.response_tag)}"
            raise BrokenResponse(path, None, "the response to this operation", operation=self.name)
        for further in children:
            reader.unknown_element(further)
        if node.tag == self.response_tag or node.tag in self.response_members:
            return node
        if self.style == "rpc":  # the name of this element is not significant (SOAP 1.1 7.1)
            reader.unknown_element(node)
            return node
        expected = f"the element {self.response_tag}"
        error = BrokenResponse("Envelope/Body", str(node.tag), expected, operation=self.name)
        # If only the namespace differs, a retry would get the same response.
        error.damaged = local_name(node.tag) != local_name(self.response_tag)
        raise error

    def read(self, node: Node, reader: Reader) -> object:
        """Decode the response in the element `node` and return it. Raises DecodeError if it is invalid."""
        read = self.response_members.get(str(node.tag), self.operation.response_reader)
        value: object = read(node, reader)
        return value

    def _refuse_rest(self, node: etree._Element) -> None:
        names = set()
        for child in node:
            names.add(str(child.tag).rpartition("}")[2])
        for element in sorted(names & self.operation.rest_only):
            raise UnsupportedByProtocol(f"{self.name}: the element {element}", "SOAP")
        if not names.issuperset(self.operation.rest_optional):
            refuse_gaps(self.operation, names)


def _path_to_last(top: etree._Element) -> str:
    """Return the path of the element that was written last, for an error. It has at most five names."""
    steps: list[str] = []
    node = top
    while len(node) and len(steps) < _STEPS + 2:
        node = node[-1]
        steps.append(local_name(node.tag))
    return "/".join(steps[1 : _STEPS + 1]) + "/…"


class Operations(Mapping[str, TypedOperation]):
    """The operations of a port by their WSDL names. Each operation is created when first used."""

    def __init__(
        self, operations: Mapping[str, AnyOperation], make: Callable[[AnyOperation], TypedOperation]
    ) -> None:
        self._operations = operations
        self._make = make
        self._made: dict[str, TypedOperation] = {}

    def __getitem__(self, name: str) -> TypedOperation:
        operation = self._made.get(name)
        if operation is None:
            operation = self._made.setdefault(name, self._make(self._operations[name]))
        return operation

    def __iter__(self) -> Iterator[str]:
        return iter(self._operations)

    def __len__(self) -> int:
        return len(self._operations)
