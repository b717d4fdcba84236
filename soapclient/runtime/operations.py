"""The operations of generated packages, and interfaces of the engines that carry out calls."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from types import SimpleNamespace
from typing import (
    TYPE_CHECKING,
    Any,
    Concatenate,
    Generic,
    Literal,
    ParamSpec,
    Protocol,
    Self,
    TypeVar,
    cast,
    overload,
)

import msgspec

from soapclient.runtime.authentication import AuthenticationElements, facts
from soapclient.runtime.cached_attribute import cached_attribute
from soapclient.runtime.errors import REQUIRED, EncodeError
from soapclient.runtime.frames import Tabular
from soapclient.runtime.nil import is_empty_nil
from soapclient.runtime.protocols import Node, Reader, Wire
from soapclient.runtime.schema import OperationRow, PagesRow, PartRow, PortRow, RestRow

if TYPE_CHECKING:
    from soapclient.runtime.codec import Codec
    from soapclient.runtime.elements import Element
    from soapclient.runtime.fields import Field, Read, Write
    from soapclient.runtime.package import Package
    from soapclient.runtime.request_values import Midnights

# Attributes that an operation copies from its row unchanged.
_COPIED = (
    *("method", "port_type", "signed", "safe", "soap_action", "style", "encoded", "one_way", "action"),
    *("soap", "request_attachments", "response_attachments"),
)

P = ParamSpec("P")
ServiceT = TypeVar("ServiceT")
RequestT = TypeVar("RequestT")
ResponseT = TypeVar("ResponseT")
ItemT = TypeVar("ItemT")
ResponseT_co = TypeVar("ResponseT_co", covariant=True)
ItemT_co = TypeVar("ItemT_co", covariant=True)


class Part:
    """A SOAP header of an operation, or the detail of a fault. `tag` is in Clark notation."""

    def __init__(self, package: Package, row: PartRow) -> None:
        self.name = row.name
        self.tag = package.schema.tag(row.xml)
        self.required = row.required
        self._package = package
        self._row = row

    @property
    def kind(self) -> type[object]:
        """The class of the header's or the detail's value."""
        return self._package.codec.kind(self._row.type)

    def read(self, node: Node, reader: Reader) -> object:
        """Read the value from the element `node`. Raises DecodeError if the element is invalid."""
        return _read_message(self._package.codec, self._row.type, self._row.nil)(node, reader)

    def write(self, value: object, element: Element, path: str) -> None:
        """Write a value into `element`. Raises EncodeError if the value is invalid."""
        self._package.codec.writer(self._row.type)(value, element, path)


class SoapHeader:
    """A SOAP header to send with a call. Its `value` is None if the caller did not pass one."""

    def __init__(self, part: Part, value: object) -> None:
        self.part = part
        self.value = value

    def write(self, parent: Element) -> None:
        """Append the header's element to `parent`. Raises EncodeError if the value is invalid or missing."""
        from lxml import etree

        if self.value is None:
            raise EncodeError(self.part.name, None, "a value", REQUIRED)
        self.part.write(self.value, etree.SubElement(parent, self.part.tag), self.part.name)


class Operation(Generic[RequestT, ResponseT]):
    """One operation of a generated package, with the types of its request and its response.

    Tags are in Clark notation (`{namespace}name`). If `request_tag` or `response_tag` is empty, the fields
    are direct children of the body.

    - `signed`: True if requests must be signed; otherwise the caller's id (connect ID) is enough.
    - `safe`: the operation can be repeated without harm. `one_way`: it has no response.
    - `authentication`, `authentication_headers`: the elements that the client adds to sign a request, in the
      message and in SOAP headers. `filled_names`: the names of the elements that it fills with text.
    - `soap`: True if it can be called over SOAP. `rest`: how it is called over REST; None if it cannot be.
    - `soap_only`, `rest_only`: elements (and `@attributes`) of the request that only one protocol has.
      `rest_optional`: elements that are required in SOAP but optional in REST.
    - `request_headers`, `response_headers`, `header_faults`: SOAP headers of requests, responses and faults
      at this port, by tag. `faults`: the details of faults, by tag.
    - `response_members`: readers for the elements that can replace the response's element because they are in
      its substitution group, by tag.
    - `sent_headers`: the request headers of all ports together, by part name. The attribute `required` of a
      header is True if all ports require it.
    - `required_headers`: the part names of the request headers that are required by at least one port.

    `soap_action`, `action` (WS-Addressing) and headers are taken from the first port with the operation. Use
    `at(port)` for another port. `Package` has an example.
    """

    contract: str
    method: str
    port_type: str
    signed: bool
    safe: bool
    soap_action: str
    request_tag: str
    response_tag: str
    style: Literal["document", "rpc"]
    encoded: bool
    one_way: bool
    action: str
    authentication: AuthenticationElements
    authentication_headers: AuthenticationElements
    filled_names: frozenset[str]
    soap: bool
    rest: RestRow | None
    soap_only: frozenset[str]
    rest_only: frozenset[str]
    rest_optional: frozenset[str]
    request_headers: Mapping[str, Part]
    response_headers: Mapping[str, Part]
    sent_headers: Mapping[str, Part]
    required_headers: frozenset[str]
    faults: Mapping[str, Part]
    header_faults: Mapping[str, Part]
    response_members: Mapping[str, Callable[[Node, Reader], ResponseT]]
    request_attachments: tuple[str, ...]
    response_attachments: tuple[str, ...]

    def __init__(self, package: Package, key: str, port: str = "") -> None:
        """Describe an operation of a package. Its entry in `schema.json` is decoded on first use.

        `key` is the operation's name in `schema.json`. `port` has the form `Service/Port`; "" is the first
        port with the operation.
        """
        self.package = package
        self.key = key
        self.port = port

    if not TYPE_CHECKING:  # type checkers know the attributes above

        def __getattr__(self, name: str) -> object:
            if name.startswith("_") or name in ("package", "key", "port"):
                raise AttributeError(name)
            facts = self._facts()  # complete before other threads see it
            self.__dict__.update(facts)
            try:
                return facts[name]
            except KeyError:
                raise AttributeError(name) from None

    @cached_attribute
    def name(self) -> str:
        """The operation's name in the WSDL."""
        return self.row.name

    @cached_attribute
    def row(self) -> OperationRow:
        """The entry of the operation in `schema.json`."""
        return self.package.operation_row(self.key, self.port)

    def at(self, port: PortRow) -> Self:
        """Return a copy of the operation with the SOAPAction and the headers of a port."""
        return type(self)(self.package, self.key, port.full_name) if self.row.ports else self

    @cached_attribute
    def codec(self) -> Codec:
        """The codec of the package's types."""
        return self.package.codec

    @cached_attribute
    def request_type(self) -> type[RequestT]:
        """The class of requests."""
        return cast("type[RequestT]", self.codec.kind(self.row.request))

    @cached_attribute
    def response_type(self) -> type[ResponseT]:
        """The class of responses."""
        return cast("type[ResponseT]", self.codec.kind(self.row.response))

    @cached_attribute
    def request_writer(self) -> Write:
        """The function that encodes a request into its element.

        A day is written as a date, even if the contract declares it as a date-time. Over SOAP, `midnights`
        then converts the date to a date-time.
        """
        return self.codec.writer(self.row.request)

    @cached_attribute
    def response_reader(self) -> Read:
        """The function that decodes the element of a response."""
        return _read_message(self.codec, self.row.response, self.row.response_nil)

    @cached_attribute
    def midnights(self) -> Midnights | None:
        """Converter of days in a request to date-times, for SOAP. None if the request has no such days."""
        from soapclient.runtime.request_values import Midnights, has_days

        return Midnights(self.codec, self.row.request) if has_days(self.codec, self.row.request) else None

    @cached_attribute
    def partial_fields(self) -> tuple[Field, ...]:
        """The request's fields that accept a dict of changes instead of a complete value."""
        return tuple(field for field in self.codec.fields(self.row.request) if field.row.partial)

    # ---- messages

    def write_request(
        self, value: RequestT, element: Element, path: str, *, zone: dt.tzinfo | None = None
    ) -> None:
        """Write a request into its element, or into the body if the request has no tag.

        `path` is the path of the request, for errors. `zone` is the report zone: SOAP sends a day as its
        midnight in that zone. If `zone` is None, as over REST, days are sent as dates. Raises EncodeError if
        a value is invalid.
        """
        self.request_writer(value, element, path)
        if zone is not None and self.midnights is not None:
            self.midnights.put(element, zone)

    def wire_of(self, element: Element) -> Wire:
        """Convert an encoded request element to nested dicts, for the path, query and body of REST."""
        from soapclient.runtime.request_values import wire_of

        return wire_of(element, self.codec, self.row.request)

    def changes_in(self, request: RequestT) -> str:
        """Return the name of the request's element whose value is a dict of changed fields.

        Returns "" if there is none.
        """
        values = ((field.name, getattr(request, field.python)) for field in self.partial_fields)
        return next((name for name, value in values if isinstance(value, Mapping)), "")

    def read_request(self, node: Node, reader: Reader) -> RequestT:
        """Read a request from its element. Raises DecodeError if the element is invalid."""
        read = _read_message(self.codec, self.row.request, self.row.request_nil)
        return cast("RequestT", read(node, reader))

    def write_response(self, value: ResponseT, element: Element, path: str) -> None:
        """Write a response into its element, or into the body if the response has no tag.

        `path` is the path of the response, for errors. Raises EncodeError if a value is invalid.
        """
        self.codec.writer(self.row.response)(value, element, path)

    def read_response(self, node: Node, reader: Reader) -> ResponseT:
        """Read a response from its element, or from the body if the response has no tag.

        Raises DecodeError if the response is invalid.
        """
        return cast("ResponseT", self.response_reader(node, reader))

    def headers(self, values: Mapping[str, object]) -> tuple[SoapHeader, ...]:
        """Return the headers to send. `values` maps part names to values; None omits an optional header."""
        headers = (SoapHeader(self.sent_headers[name], value) for name, value in values.items())
        required = self.required_headers
        return tuple(item for item in headers if item.value is not None or item.part.name in required)

    # ---- identity and attributes

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.package, self.key, self.port)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Operation):
            return NotImplemented
        return (self.package.name, self.key) == (other.package.name, other.key)

    def __hash__(self) -> int:
        return hash((self.package.name, self.key))

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.key} of {self.package.name}>"

    def _facts(self) -> dict[str, object]:
        row, schema = self.row, self.package.schema
        fields = self.codec.fields(row.request)
        return {
            **facts(row, schema),
            **{name: getattr(row, name) for name in _COPIED},
            "contract": schema.name,
            "request_tag": schema.tag(row.request_xml) if row.request_xml else "",
            "response_tag": schema.tag(row.response_xml) if row.response_xml else "",
            "rest": None if row.rest is None else row.rest.with_tags(schema.tag),
            "soap_only": frozenset(field.shown for field in fields if field.row.protocol == "soap"),
            "rest_only": frozenset(field.name for field in fields if field.row.protocol == "rest"),
            "rest_optional": frozenset(field.name for field in fields if field.row.rest_optional),
            "request_headers": self._parts(row.request_headers),
            **self._headers_of_all_ports(row),
            "response_headers": self._parts(row.response_headers),
            "faults": self._parts(row.faults),
            "header_faults": self._parts(row.header_faults),
            "response_members": {schema.tag(tag): self._member(name) for tag, name in row.members.items()},
        }

    def _headers_of_all_ports(self, row: OperationRow) -> dict[str, object]:
        ports = [self.package.operation_row(self.key, port).request_headers for port in ("", *row.ports)]
        required = [{part.name for part in parts if part.required} for parts in ports]
        rows = {part.name: part for parts in reversed(ports) for part in parts}
        names = dict.fromkeys(part.name for parts in ports for part in parts)
        everywhere = frozenset.intersection(*map(frozenset, required))
        return {
            "sent_headers": {
                name: Part(self.package, msgspec.structs.replace(rows[name], required=name in everywhere))
                for name in names
            },
            "required_headers": frozenset().union(*required),
        }

    def _parts(self, rows: Sequence[PartRow]) -> dict[str, Part]:
        parts = (Part(self.package, row) for row in rows)
        return {part.tag: part for part in parts}

    def _member(self, name: str) -> Callable[[Node, Reader], ResponseT]:
        return lambda node, reader: cast("ResponseT", self.codec.reader(name)(node, reader))


AnyOperation = Operation[Any, Any]  # looked up by name: its types are unknown to type checkers


class ListOperation(Operation[RequestT, ResponseT], Generic[RequestT, ResponseT, ItemT]):
    """An operation whose response is mainly one list, so that it can be read as a stream.

    `list_field` is the attribute of the response that holds the list. `item_tag` is the tag of each item. If
    `wrapped`, the items are in a common element with the tag `list_tag`; otherwise `list_tag` equals
    `item_tag`. `pages` describes the pages of the list; None if it has no pages. `PagesRow` has an example.
    """

    list_field: str
    list_tag: str
    item_tag: str
    wrapped: bool
    pages: PagesRow | None

    def read_item(self, node: Node, reader: Reader) -> ItemT:
        """Read an item of the list. Raises DecodeError, or Skipped if an invalid item is skipped."""
        listed = self._list
        skippable = bool(listed.item) or listed.may_be_none
        return cast("ItemT", self.codec.decoder.item_reader(listed, skippable=skippable)(node, reader))

    @property
    def _list(self) -> Field:
        fields = self.codec.fields(self.row.response)
        return next(field for field in fields if field.python == self.row.list)

    def _facts(self) -> dict[str, object]:
        row, field = self.row, self._list
        return {
            **super()._facts(),
            "list_field": row.list,
            "list_tag": field.tag,
            "wrapped": bool(field.item),
            "item_tag": field.item or field.tag,
            "pages": row.pages,
        }


AnyListOperation = ListOperation[Any, Any, Any]


def _is_required(defaults: Mapping[str, object], python: str) -> bool:
    return defaults.get(python, msgspec.NODEFAULT) is msgspec.NODEFAULT


def _read_message(codec: Codec, name: str, nillable: bool) -> Read:
    """Return the reader for an element of a message, which may be nil.

    The class of a named type cannot represent nil. If an element of such a type is nil, the reader reports
    this and returns a struct whose required fields are None.
    """
    read = codec.reader(name)
    if not nillable or any(field.kind == "nil" or field.row.nil for field in codec.fields(name)):
        return read

    def read_unless_nil(node: Node, reader: Reader) -> object:
        if not is_empty_nil(node):
            return read(node, reader)
        defaults = codec.decoder.types.defaults(name)
        kind: Any = codec.kind(name)
        required = [python for python in kind.__struct_fields__ if _is_required(defaults, python)]
        reader.shortened(node, "xsi:nil")
        return kind(**dict.fromkeys(required))

    return read_unless_nil


# ---- interfaces that services call


class ItemStream(Tabular, Protocol[ResponseT_co, ItemT_co]):
    """Iterator over the items of a list response, in constant memory. `AsyncItemStream` has an example.

    The methods of `Tabular` convert the remaining items to a table.
    """

    @property
    def head(self) -> ResponseT_co:
        """The response without its items. Fields that follow the list are set when all items are read."""

    @property
    def given(self) -> int:
        """Number of items returned so far."""

    def __iter__(self) -> Iterator[ItemT_co]: ...
    def __next__(self) -> ItemT_co: ...


class ItemPages(Tabular, Protocol[ItemT_co]):
    """Iterator over the items of all pages of a list, in order. The function `days` has an example.

    Each page is requested when needed. The methods of `Tabular` convert the remaining items to a table.
    """

    @property
    def page(self) -> int:
        """The number of the next item's page. Pass it as `page=` to continue later."""

    @property
    def day(self) -> dt.date | None:
        """The day of the next item. None unless the request has a range of days (`soapclient.days`)."""

    @property
    def given(self) -> int:
        """Number of items returned so far."""

    @property
    def total(self) -> int | None:
        """Total number of items as reported by the service. None until a page has been read."""

    def on_page(self, heard: OnPage, /) -> Self:
        """Call the callback `heard(page, items read so far, total)` after each page. Return this object.

        Type checkers check the arguments of `get_sales(…).on_page(heard)`, not of `get_sales(…, on_page=…)`.
        """

    def __iter__(self) -> Iterator[ItemT_co]: ...
    def __next__(self) -> ItemT_co: ...


# Called after each page has been read: the page number, the number of items read so far, and the total.
OnPage = Callable[[int, int, int | None], None]


class Caller(Protocol):
    """Interface of the engine or test double that makes the calls of a service. `Service` has an example."""

    def call(self, operation: Operation[RequestT, ResponseT], request: RequestT, /) -> ResponseT:
        """Call an operation. Return its response."""


class HeaderCaller(Protocol):
    """Like `Caller`, for a service whose operations have SOAP headers. `Service` has an example."""

    def call(
        self,
        operation: Operation[RequestT, ResponseT],
        request: RequestT,
        headers: Sequence[SoapHeader] = (),
        /,
    ) -> ResponseT:
        """Call an operation with SOAP headers. Return its response."""


class StreamCaller(Protocol):
    """Interface of the object that makes the calls of `service.stream`. `AsyncItemStream` has an example."""

    def stream(
        self, operation: ListOperation[RequestT, ResponseT, ItemT], request: RequestT, /
    ) -> AbstractContextManager[ItemStream[ResponseT, ItemT]]:
        """Return a context manager that calls an operation and returns an iterator over its items."""


class PageCaller(Protocol):
    """Interface of the object that makes the calls of `service.iterate`. `days` has an example."""

    def pages(
        self,
        operation: ListOperation[RequestT, ResponseT, ItemT],
        request: RequestT,
        on_page: OnPage | None,
        /,
    ) -> ItemPages[ItemT]:
        """Return an iterator over the items of all pages. `on_page` is called after each page."""


# ---- methods of a service, as streams and as pages


class _Streams(Protocol):
    @property
    def _caller(self) -> StreamCaller: ...


class _Pages(Protocol):
    @property
    def _caller(self) -> PageCaller: ...


class _Derived(Generic[P, ResponseT, ItemT]):
    """Base class of descriptors that convert a service method to a method with another return type."""

    def __init__(
        self,
        method: Callable[Concatenate[ServiceT, P], ResponseT],
        operation: ListOperation[RequestT, ResponseT, ItemT],
    ) -> None:
        self.method = cast("Callable[..., object]", method)
        self._operation = operation
        self.__doc__ = method.__doc__

    def _call_through(self, call: Callable[..., object], *args: object, **kwargs: object) -> object:
        # the methods of services use only the attribute `_caller`
        return self.method(SimpleNamespace(_caller=SimpleNamespace(call=call)), *args, **kwargs)


class streamed(_Derived[P, ResponseT, ItemT]):
    """Descriptor that converts a service method to a method that returns a stream of the items.

    The class must have a `StreamCaller` as `_caller`: `get_sales = streamed(Service.get_sales, GET_SALES)`.
    """

    @overload
    def __get__(self, instance: None, owner: type) -> streamed[P, ResponseT, ItemT]: ...
    @overload
    def __get__(
        self, instance: _Streams, owner: type
    ) -> Callable[P, AbstractContextManager[ItemStream[ResponseT, ItemT]]]: ...
    def __get__(self, instance: _Streams | None, owner: type) -> object:
        if instance is None:
            return self
        caller = instance._caller

        def method(*args: P.args, **kwargs: P.kwargs) -> object:
            return self._call_through(caller.stream, *args, **kwargs)

        return named(method, self.method)


class paged(_Derived[P, ResponseT, ItemT]):
    """Descriptor like `streamed`, for a method that returns the items of all pages and accepts `on_page`."""

    @overload
    def __get__(self, instance: None, owner: type) -> paged[P, ResponseT, ItemT]: ...
    @overload
    def __get__(self, instance: _Pages, owner: type) -> PageMethod[P, ItemT]: ...
    def __get__(self, instance: _Pages | None, owner: type) -> object:
        if instance is None:
            return self
        caller = instance._caller

        def method(*args: object, on_page: OnPage | None = None, **kwargs: object) -> object:
            def call(operation: Any, request: object, *headers: object) -> object:
                pages: Callable[..., object] = caller.pages
                return pages(operation, request, on_page, *headers)

            return self._call_through(call, *args, **kwargs)

        return named(method, self.method)


class PageMethod(Protocol[P, ItemT_co]):
    """A method that returns pages. `on_page` is a callback, called after each page has been read.

    Type checkers do not check the other arguments of `method(…, on_page=callback)`, because Python's types
    cannot add a keyword to a `ParamSpec`. They do check the arguments of `method(…).on_page(callback)`.
    """

    @overload
    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> ItemPages[ItemT_co]: ...
    @overload
    def __call__(self, *args: object, on_page: OnPage | None, **kwargs: object) -> ItemPages[ItemT_co]: ...


def named(method: Callable[..., object], like: Callable[..., object]) -> Callable[..., object]:
    """Return `method` with the name and the docstring of `like`."""
    method.__name__ = like.__name__
    method.__doc__ = like.__doc__
    return method
