"""Operations as values, and what generated services call through.

An operation knows its package and its name; all else is read from the package's rows when it is first asked.
"""

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

from soapclient.runtime.errors import REQUIRED, EncodeError
from soapclient.runtime.filled import Places, facts
from soapclient.runtime.frames import Tabular
from soapclient.runtime.nil import is_empty_nil
from soapclient.runtime.once import once
from soapclient.runtime.protocols import Node, Reader, Wire
from soapclient.runtime.schema import OperationRow, PagesRow, PartRow, PortRow, RestRow

if TYPE_CHECKING:
    from soapclient.runtime.codec import Codec
    from soapclient.runtime.elements import Element
    from soapclient.runtime.fields import Field, Read, Write
    from soapclient.runtime.package import Package
    from soapclient.runtime.request_values import Midnights

# What an operation has as its row has it.
_SAME = (
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
    """A header of an operation, or the detail of a fault. `tag` is in Clark notation."""

    def __init__(self, package: Package, row: PartRow) -> None:
        self.name = row.name
        self.tag = package.schema.tag(row.xml)
        self.required = row.required
        self._package = package
        self._row = row

    @property
    def kind(self) -> type[object]:
        """The class of its value."""
        return self._package.codec.kind(self._row.type)

    def read(self, node: Node, reader: Reader) -> object:
        """The value of its element. Raises DecodeError."""
        return _read_message(self._package.codec, self._row.type, self._row.nil)(node, reader)

    def write(self, value: object, element: Element, path: str) -> None:
        """Fill its element with a value. Raises EncodeError."""
        self._package.codec.writer(self._row.type)(value, element, path)


class SoapHeader:
    """A header to be sent with a call: which one it is, and its value, None where one is lacking."""

    def __init__(self, part: Part, value: object) -> None:
        self.part = part
        self.value = value

    def write(self, parent: Element) -> None:
        """Append the header's element. Raises EncodeError, also for a value that is lacking."""
        from lxml import etree

        if self.value is None:
            raise EncodeError(self.part.name, None, "a value", REQUIRED)
        self.part.write(self.value, etree.SubElement(parent, self.part.tag), self.part.name)


class Operation(Generic[RequestT, ResponseT]):
    """One operation of a generated package, with the types of its request and its response.

    Tags are in Clark notation (`{namespace}name`); with an empty `request_tag` or `response_tag` the fields
    are the body's own children. `signed`: a signature is required; else the connect ID alone will do. `safe`:
    may be repeated without harm. `one_way`: no response comes. `action` is what the WSDL says for
    WS-Addressing. `authentication` and `authentication_headers` are what the client fills in to sign a
    request, in the message and in SOAP headers, `filled_names` the names of those with a value. `soap` and
    `rest` say which protocols have the operation, `soap_only` and `rest_only` which elements (and
    `@attributes`) of its request one lacks, `rest_optional` which ones SOAP alone requires. Headers and
    faults are listed by the tag of their element, `response_members` are the readers of elements that may
    stand for the response's, by tag. SOAPAction, action and headers are those of the first port that has the
    operation; `at(port)` has those of another port. `sent_headers` are the request headers of all ports, by
    the names of their parts, required if all ports require them; `required_headers` are those that some port
    requires.
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
    authentication: Places
    authentication_headers: Places
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
        """`key` is the operation's name in the description of the package, `port` a `Service/Port`."""
        self.package = package
        self.key = key
        self.port = port

    if not TYPE_CHECKING:  # type checkers know the attributes above

        def __getattr__(self, name: str) -> object:
            if name.startswith("_") or name in ("package", "key", "port"):
                raise AttributeError(name)
            facts = self._facts()  # whole before others see it
            self.__dict__.update(facts)
            try:
                return facts[name]
            except KeyError:
                raise AttributeError(name) from None

    @once
    def name(self) -> str:
        """The operation's name in the WSDL."""
        return self.row.name

    @once
    def row(self) -> OperationRow:
        """What the description says."""
        return self.package.operation_row(self.key, self.port)

    def at(self, port: PortRow) -> Self:
        """The operation as a port has it: with its SOAPAction and its headers."""
        return type(self)(self.package, self.key, port.full_name) if self.row.ports else self

    @once
    def codec(self) -> Codec:
        """What reads and writes the package's types."""
        return self.package.codec

    @once
    def request_type(self) -> type[RequestT]:
        """The class of requests."""
        return cast("type[RequestT]", self.codec.kind(self.row.request))

    @once
    def response_type(self) -> type[ResponseT]:
        """The class of responses."""
        return cast("type[ResponseT]", self.codec.kind(self.row.response))

    @once
    def request_writer(self) -> Write:
        """Writer for the request's type; days are bare."""
        return self.codec.writer(self.row.request)

    @once
    def response_reader(self) -> Read:
        """Reader for the response's element."""
        return _read_message(self.codec, self.row.response, self.row.response_nil)

    @once
    def midnights(self) -> Midnights | None:
        """Writer for the days of the request over SOAP. None if it has none."""
        from soapclient.runtime.request_values import Midnights, has_days

        return Midnights(self.codec, self.row.request) if has_days(self.codec, self.row.request) else None

    @once
    def partial_fields(self) -> tuple[Field, ...]:
        """The fields of the request that may hold changes alone."""
        return tuple(field for field in self.codec.fields(self.row.request) if field.row.partial)

    # ---- messages

    def write_request(
        self, value: RequestT, element: Element, path: str, *, zone: dt.tzinfo | None = None
    ) -> None:
        """Fill the request's element (or the body, without a tag). Raises EncodeError.

        `zone` is the report zone over SOAP, where a day is its midnight there; without one, as over REST,
        days are bare dates.
        """
        self.request_writer(value, element, path)
        if zone is not None and self.midnights is not None:
            self.midnights.put(element, zone)

    def wire_of(self, element: Element) -> Wire:
        """What paths, queries and bodies over REST are made of: a request's element, as it was written."""
        from soapclient.runtime.request_values import wire_of

        return wire_of(element, self.codec, self.row.request)

    def changes_in(self, request: RequestT) -> str:
        """The element of a request for which changes alone are given; "" where there is none."""
        values = ((field.name, getattr(request, field.python)) for field in self.partial_fields)
        return next((name for name, value in values if isinstance(value, Mapping)), "")

    def read_request(self, node: Node, reader: Reader) -> RequestT:
        """The request of an element. Raises DecodeError."""
        read = _read_message(self.codec, self.row.request, self.row.request_nil)
        return cast("RequestT", read(node, reader))

    def write_response(self, value: ResponseT, element: Element, path: str) -> None:
        """Fill the response's element (or the body). Raises EncodeError."""
        self.codec.writer(self.row.response)(value, element, path)

    def read_response(self, node: Node, reader: Reader) -> ResponseT:
        """The response of an element, or of the body. Raises DecodeError."""
        return cast("ResponseT", self.response_reader(node, reader))

    def headers(self, values: Mapping[str, object]) -> tuple[SoapHeader, ...]:
        """The headers to send, by the names of their parts. None is left out, unless some port requires it:
        then the envelope of that port cannot be written."""
        headers = [SoapHeader(self.sent_headers[name], value) for name, value in values.items()]
        return tuple(
            header
            for header in headers
            if header.value is not None or header.part.name in self.required_headers
        )

    # ---- what it is

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
            **{name: getattr(row, name) for name in _SAME},
            "contract": schema.name,
            "request_tag": schema.tag(row.request_xml) if row.request_xml else "",
            "response_tag": schema.tag(row.response_xml) if row.response_xml else "",
            "rest": None if row.rest is None else _resolved(row.rest, schema.tag),
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


AnyOperation = Operation[Any, Any]  # one whose types nobody knows: found by its name


class ListOperation(Operation[RequestT, ResponseT], Generic[RequestT, ResponseT, ItemT]):
    """An operation whose response is in the main one list, so that it can be read as a stream.

    `list_field` is the attribute of the response that holds the list, `wrapped` whether an element around it
    holds the items, `list_tag` that element (else as `item_tag`), `item_tag` that of each item; `pages` is
    there where the list comes in pages.
    """

    list_field: str
    list_tag: str
    item_tag: str
    wrapped: bool
    pages: PagesRow | None

    def read_item(self, node: Node, reader: Reader) -> ItemT:
        """Return an item of the list. Raises DecodeError, or Skipped for an item that is left out."""
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


def _resolved(row: RestRow, tag: Callable[[str], str]) -> RestRow:
    """A row whose elements are in Clark notation."""
    wrapped, loose = row.wrapped, row.loose
    return msgspec.structs.replace(
        row,
        root=tag(row.root) if row.root else "",
        roots=tuple(map(tag, row.roots)),
        wrapped=wrapped and msgspec.structs.replace(wrapped, root=tag(wrapped.root), list=tag(wrapped.list)),
        loose=loose
        and msgspec.structs.replace(
            loose,
            list=tag(loose.list),
            item=tag(loose.item),
            errors=tag(loose.errors) if loose.errors else "",
            error=tag(loose.error) if loose.error else "",
        ),
    )


def _is_required(defaults: Mapping[str, object], python: str) -> bool:
    return defaults.get(python, msgspec.NODEFAULT) is msgspec.NODEFAULT


def _read_message(codec: Codec, name: str, nillable: bool) -> Read:
    """Return the reader for an element of a message, which may be nil.

    A type with a name has no field that says so. A nil element is then read as a value without content, whose
    required fields are None, and is reported.
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


# ---- what services call through


class ItemStream(Tabular, Protocol[ResponseT_co, ItemT_co]):
    """The items of a list response, one after the other, in constant memory; or what is left of them as a
    table."""

    @property
    def head(self) -> ResponseT_co:
        """The response without its items: what stood before the list, and at the end what followed it."""
        ...

    @property
    def given(self) -> int:
        """How many items were handed out so far."""
        ...

    def __iter__(self) -> Iterator[ItemT_co]: ...
    def __next__(self) -> ItemT_co: ...


class ItemPages(Tabular, Protocol[ItemT_co]):
    """The items of a list over all its pages, in order; each page is asked for when it is needed. Or what is
    left of them as a table."""

    @property
    def page(self) -> int:
        """The page that the next item is on, to go on from another time with `page=`."""
        ...

    @property
    def day(self) -> dt.date | None:
        """The day that the next item is of, where a range of days is asked for (`days`)."""
        ...

    @property
    def given(self) -> int:
        """How many items were handed out so far."""
        ...

    @property
    def total(self) -> int | None:
        """How many items the service says there are, once a page was read."""
        ...

    def on_page(self, heard: OnPage, /) -> Self:
        """Call `heard(page, items read so far, total)` with each page once it was read; return these pages.

        `iterate.get_sales(date=…, date_type=…).on_page(heard)`: the arguments of the call stay checked.
        """
        ...

    def __iter__(self) -> Iterator[ItemT_co]: ...
    def __next__(self) -> ItemT_co: ...


# Called with each page once it was read: its number, how many items were read so far, and of how many.
OnPage = Callable[[int, int, int | None], None]


class Caller(Protocol):
    """What a service class calls through: a protocol, or a stand-in of a test."""

    def call(self, operation: Operation[RequestT, ResponseT], request: RequestT, /) -> ResponseT: ...


class HeaderCaller(Protocol):
    """The same for a service whose operations have headers."""

    def call(
        self,
        operation: Operation[RequestT, ResponseT],
        request: RequestT,
        headers: Sequence[SoapHeader] = (),
        /,
    ) -> ResponseT: ...


class StreamCaller(Protocol):
    """What a class of streams calls through."""

    def stream(
        self, operation: ListOperation[RequestT, ResponseT, ItemT], request: RequestT, /
    ) -> AbstractContextManager[ItemStream[ResponseT, ItemT]]: ...


class PageCaller(Protocol):
    """What a class of pages calls through."""

    def pages(
        self,
        operation: ListOperation[RequestT, ResponseT, ItemT],
        request: RequestT,
        on_page: OnPage | None,
        /,
    ) -> ItemPages[ItemT]: ...


# ---- methods of a service, as streams and as pages


class _Streams(Protocol):
    @property
    def _caller(self) -> StreamCaller: ...


class _Pages(Protocol):
    @property
    def _caller(self) -> PageCaller: ...


class _Derived(Generic[P, ResponseT, ItemT]):
    """A method of a service as one whose calls go another way: the same parameters, written once."""

    def __init__(
        self,
        method: Callable[Concatenate[ServiceT, P], ResponseT],
        operation: ListOperation[RequestT, ResponseT, ItemT],
    ) -> None:
        self.method = cast("Callable[..., object]", method)
        self._operation = operation
        self.__doc__ = method.__doc__

    def _through(self, call: Callable[..., object], *args: object, **kwargs: object) -> object:
        # Methods of services know `_caller` alone.
        return self.method(SimpleNamespace(_caller=SimpleNamespace(call=call)), *args, **kwargs)


class streamed(_Derived[P, ResponseT, ItemT]):
    """A method of a service as one that gives a stream of the items.

    `get_sales = streamed(Service.get_sales, GET_SALES)` in a class that has a `StreamCaller` as `_caller`.
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
            return self._through(caller.stream, *args, **kwargs)

        return named(method, self.method)


class paged(_Derived[P, ResponseT, ItemT]):
    """A method of a service as one that gives the items of all pages: as `streamed`, with `on_page`."""

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

            return self._through(call, *args, **kwargs)

        return named(method, self.method)


class PageMethod(Protocol[P, ItemT_co]):
    """A method that gives pages. `on_page` is called with each page once it was read.

    Python's types cannot add a keyword to the parameters of another method: with `on_page=`, a type checker
    does not look at the others. It does with `ItemPages.on_page`, chained after the call.
    """

    @overload
    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> ItemPages[ItemT_co]: ...
    @overload
    def __call__(self, *args: object, on_page: OnPage | None, **kwargs: object) -> ItemPages[ItemT_co]: ...


def named(method: Callable[..., object], like: Callable[..., object]) -> Callable[..., object]:
    """`method` with the name and the documentation of another."""
    method.__name__ = like.__name__
    method.__doc__ = like.__doc__
    return method
