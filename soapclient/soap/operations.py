"""Operations as zeep's bindings use them: requests are written as envelopes, responses are read."""

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
from soapclient.runtime.errors import local_name
from soapclient.runtime.filled import fill
from soapclient.soap import encoded
from soapclient.soap.envelope import SOAP_11, SOAP_12, Version, headers_of, http_headers, write_head

if TYPE_CHECKING:
    from zeep.wsdl.messages.base import SerializedMessage

_ENCODINGS: Final[dict[Version, str]] = {
    "1.1": "http://schemas.xmlsoap.org/soap/encoding/",
    "1.2": "http://www.w3.org/2003/05/soap-encoding",
}
_STEPS: Final = 5
_DEPTH: Final = "a value that does not hold itself: look for one that is put into itself, or nest less"


class TypedOperation:
    """An operation of a port. zeep looks at `name`, `style`, `abstract` (which has it apply WS-Addressing),
    and calls `create`; `operation` is what generated code has."""

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
        """`zone` is the report zone, whose midnights are the days of requests; `fault_shape` describes the
        contract's faults."""
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
        # Any: of whatever types its messages are, they are handed through here.
        self.listed: ListOperation[Any, Any, Any] | None = None
        # Elsewhere the element that holds the list may have another name.
        if isinstance(operation, ListOperation) and self.style == "document" and not self.encoded:
            self.listed = operation if self.response_tag and not self.response_members else None

    def __str__(self) -> str:
        """What zeep shows as the documentation of its proxy."""
        return f"{self.name}({self._path})"

    def create(self, request: object, *, _soapheaders: object = None) -> SerializedMessage:
        """The message of an attempt, for zeep's binding; `request` may be an envelope written before."""
        from zeep.wsdl.messages.base import SerializedMessage

        written = request if isinstance(request, etree._Element) else self.envelope(request, _soapheaders)
        return SerializedMessage(path=None, headers={}, content=written)

    def request_of(self, given: Sequence[object], fields: Mapping[str, object]) -> object:
        """The request of fields by their names, those of the WSDL or those in Python.

        Raises ContractError for an unknown name, for one that is required and not there, and where anything
        but names is given.
        """
        known = self.operation.codec.fields(self.operation.row.request)
        names = ", ".join(field.python for field in known if field.python) or "none"
        if given:
            reason = "its fields go by name, or all in one request"
            allowed = f"one {self.operation.request_type.__name__}, or by name any of: {names}"
            raise ContractError(self._path, len(given), allowed, reason, operation=self.name)
        by_name = {field.name: field.python for field in known} | {
            field.python: field.python for field in known
        }
        for name in fields:
            if name not in by_name:
                reason = "there is no such field"
                raise ContractError(
                    f"{self._path}/{name}", name, f"any of: {names}", reason, operation=self.name
                )
        values = {by_name[name]: value for name, value in fields.items()}
        has_default = self.operation.codec.defaults(self.operation.row.request)
        for field in known:
            if field.python not in values and field.python not in has_default:
                path = f"{self._path}/{field.shown}"
                raise ContractError(path, None, "a value", "the contract requires it", operation=self.name)
        return self.operation.request_type(**values)

    def envelope(self, request: object, given: object = None) -> etree._Element:
        """The envelope of a request, with the SOAP headers that are `given`.

        Raises ContractError where a value does not fit its field, or a required header is None.
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
            reason = "values stand too deep in each other"
            raise ContractError(_deepest(top), None, _DEPTH, reason, operation=self.name) from None
        if self.encoded:  # it holds for all inside; SOAP 1.2 (part 1, 5.1.1) has it on no envelope
            styled = node if self.version == "1.2" else top
            styled.set(f"{{{space}}}encodingStyle", _ENCODINGS[self.version])
        return top

    def write(self, request: object, body: etree._Element) -> etree._Element:
        """Append a request to the body; give the element that holds its fields.

        Raises EncodeError, and UnsupportedByProtocol for what REST alone has.
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
            encoded.say_types(node, encoded.part_types(operation.package).get(self.request_tag, {}))
        if operation.authentication:  # empty, and in their places: who signs the envelope fills them in
            fill(node, operation.authentication, {})
        return node

    def message(self, body: etree._Element, reader: CountingReader) -> etree._Element:
        """The element that a response is read from: the body itself where its children are the message's
        parts. Raises BrokenResponse for the response of another operation."""
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
        if self.style == "rpc":  # SOAP 1.1 7.1: the name of this element means nothing
            reader.unknown_element(node)
            return node
        expected = f"the element {self.response_tag}"
        error = BrokenResponse("Envelope/Body", str(node.tag), expected, operation=self.name)
        # The response to this operation in another namespace: the next response will have it, too.
        error.damaged = local_name(node.tag) != local_name(self.response_tag)
        raise error

    def read(self, node: Node, reader: Reader) -> object:
        """Read a response from its element. Raises DecodeError."""
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


def _deepest(top: etree._Element) -> str:
    """The path to what was written last, of which the beginning says enough."""
    steps: list[str] = []
    node = top
    while len(node) and len(steps) < _STEPS + 2:
        node = node[-1]
        steps.append(local_name(node.tag))
    return "/".join(steps[1 : _STEPS + 1]) + "/…"


class Operations(Mapping[str, TypedOperation]):
    """The operations of a port by their WSDL names, each made when it is first called."""

    def __init__(
        self, operations: Mapping[str, AnyOperation], make: Callable[[AnyOperation], TypedOperation]
    ) -> None:
        self._operations = operations
        self._make = make
        self._made: dict[str, TypedOperation] = {}

    def __getitem__(self, name: str) -> TypedOperation:
        found = self._made.get(name)
        if found is None:
            found = self._made.setdefault(name, self._make(self._operations[name]))
        return found

    def __iter__(self) -> Iterator[str]:
        return iter(self._operations)

    def __len__(self) -> int:
        return len(self._operations)
