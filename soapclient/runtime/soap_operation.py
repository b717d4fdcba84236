"""An operation of any WSDL as a value: its messages are written to XML and read from it by generated code.

`operation` is the form of contracts that have two carriers and one wire value for both.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Generic, Literal, Protocol, TypeVar

from soapclient.runtime.elements import Element, child
from soapclient.runtime.protocols import Node, Reader
from soapclient.runtime.writing import required

PartT = TypeVar("PartT")
RequestT = TypeVar("RequestT")
ReplyT = TypeVar("ReplyT")


@dataclass(frozen=True, slots=True, kw_only=True)
class Part(Generic[PartT]):
    """A header of an operation, or the detail of a fault. `tag` is in Clark notation.

    `write(value, element, path)` fills the part's element; `read(node, reader)` gives its value.
    """

    name: str
    tag: str
    kind: type[PartT]
    write: Callable[[PartT, Element, str], None]
    read: Callable[[Node, Reader], PartT]
    required: bool = False


class AnyPart(Protocol):
    """A `Part`, whatever its type."""

    @property
    def name(self) -> str: ...
    @property
    def tag(self) -> str: ...
    @property
    def required(self) -> bool: ...
    def read(self, node: Node, reader: Reader, /) -> object: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class AnySoapOperation:
    """One operation, whatever its types. Tags are in Clark notation.

    With an empty `request_tag` or `reply_tag` the fields are the body's own children. `one_way`: no answer
    comes. `style` "rpc" and `encoded` say how the WSDL describes the messages. Headers are listed by the tag
    of their element; `faults` are the details it may answer with, by the tag of the detail's element.
    """

    contract: str
    name: str
    method: str
    port_type: str
    soap_action: str
    request_tag: str
    reply_tag: str
    style: Literal["document", "rpc"] = "document"
    encoded: bool = False
    one_way: bool = False
    request_headers: Mapping[str, AnyPart] = field(default_factory=dict)
    reply_headers: Mapping[str, AnyPart] = field(default_factory=dict)
    faults: Mapping[str, AnyPart] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class SoapOperation(AnySoapOperation, Generic[RequestT, ReplyT]):
    """An operation with its types.

    `write_request(value, element, path)` fills the request's element (or the body, without a tag);
    `read_reply(node, reader)` reads the reply's element (or the body), `reply_members` those that may stand
    for it, by their tags.
    """

    write_request: Callable[[RequestT, Element, str], None]
    read_request: Callable[[Node, Reader], RequestT]
    read_reply: Callable[[Node, Reader], ReplyT]
    write_reply: Callable[[ReplyT, Element, str], None]
    reply_members: Mapping[str, Callable[[Node, Reader], ReplyT]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class SoapHeader(Generic[PartT]):
    """A header to be sent with a call: what it is, and its value, None where one is lacking."""

    part: Part[PartT]
    value: PartT | None

    def write(self, parent: Element) -> None:
        """Append the header's element. Raises EncodeError, also for a value that is lacking."""
        if self.value is None:
            raise required(self.part.name)
        self.part.write(self.value, child(parent, self.part.tag), self.part.name)


def header(part: Part[PartT], value: PartT | None) -> tuple[SoapHeader[PartT], ...]:
    """The header to be sent for a value; none for None, unless it is required: then writing it fails, so
    that whoever is called through says so in their own words."""
    return (SoapHeader(part=part, value=value),) if value is not None or part.required else ()


class AnySoapHeader(Protocol):
    """A `SoapHeader`, whatever its type."""

    def write(self, parent: Element, /) -> None: ...


class SoapCaller(Protocol):
    """What a generated service class of such a contract calls through."""

    def call(
        self,
        operation: SoapOperation[RequestT, ReplyT],
        request: RequestT,
        headers: Sequence[AnySoapHeader] = (),
        /,
    ) -> ReplyT: ...
