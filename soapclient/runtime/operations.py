"""An operation as a value, what a generated service calls through, and its streams and pages.

A generated service has a typed method for each operation. `streamed` and `paged` make the same method of
another class, with the same signature: there it gives the items of the response's list.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from functools import update_wrapper
from typing import TYPE_CHECKING, Any, Concatenate, Generic, ParamSpec, Protocol, TypeVar, cast

import msgspec

from soapclient.runtime.errors import local_name
from soapclient.runtime.protocols import Node, Reader, Wire
from soapclient.runtime.schema import OperationRow, PagesRow, PartRow, RestRow

if TYPE_CHECKING:
    from soapclient.runtime.elements import Element
    from soapclient.runtime.package import Package

P = ParamSpec("P")
T = TypeVar("T")
RequestT = TypeVar("RequestT")
ReplyT = TypeVar("ReplyT")
ItemT = TypeVar("ItemT")
PartT = TypeVar("PartT")
ServiceT = TypeVar("ServiceT")
ReplyT_co = TypeVar("ReplyT_co", covariant=True)
ItemT_co = TypeVar("ItemT_co", covariant=True)


class Part(Generic[PartT]):
    """A header of an operation, or the detail of a fault. `tag` is in Clark notation."""

    def __init__(self, package: Package, row: PartRow) -> None:
        self.name = row.name
        self.tag = package.schema.tag(row.xml)
        self.required = row.required
        self._package = package
        self._row = row

    @property
    def kind(self) -> type[PartT]:
        """The class of its values."""
        return cast(type[PartT], self._package.codec.kind(self._row.type))

    def write(self, value: PartT, node: Element, path: str) -> None:
        """Fill the part's element. Raises EncodeError."""
        self._package.codec.writer(self._row.type)(value, node, path)

    def read(self, node: Node, reader: Reader) -> PartT:
        """The value of the part's element. Raises DecodeError."""
        return cast(PartT, _message_reader(self._package, self._row.type, nil=self._row.nil)(node, reader))


class SoapHeader(Generic[PartT]):
    """A header to be sent with a call: what it is, and its value, None where one is lacking."""

    def __init__(self, part: Part[PartT], value: PartT | None) -> None:
        self.part = part
        self.value = value

    def write(self, parent: Element) -> None:
        """Append the header's element. Raises EncodeError, also for a value that is lacking."""
        from soapclient.runtime.elements import child
        from soapclient.runtime.writing import required

        if self.value is None:
            raise required(self.part.name)
        self.part.write(self.value, child(parent, self.part.tag), self.part.name)


class AnySoapHeader(Protocol):
    """A `SoapHeader`, whatever its type."""

    def write(self, parent: Element, /) -> None: ...


class AnyOperation:
    """One operation, whatever its types. Tags are in Clark notation (`{namespace}name`).

    With an empty `request_tag` or `reply_tag` the fields are the body's own children. `signed`: a signature
    is required, else the connect ID alone will do. `safe`: may be repeated without harm. `authentication`:
    the elements that whoever sends the request fills in, in order; they are no fields of its type. `soap` and
    `rest` say which protocols have the operation, `soap_only` and `rest_only` which elements of its request
    one of them lacks, `rest_optional` which ones SOAP alone requires. Headers and the details of faults are
    listed by the tags of their elements. `action` is for WS-Addressing.
    """

    def __init__(self, package: Package, key: str, row: OperationRow) -> None:
        tag = package.schema.tag
        self.package = package
        self.key = key
        self.row = row
        self.contract = package.schema.name
        self.name = row.name
        self.method = row.method
        self.port_type = row.port_type
        self.soap_action = row.soap_action
        self.action = row.action
        self.request_tag = tag(row.request_xml) if row.request_xml else ""
        self.reply_tag = tag(row.response_xml) if row.response_xml else ""
        self.style = row.style
        self.encoded = row.encoded
        self.one_way = row.one_way
        self.soap = row.soap
        self.safe = row.safe
        self.signed = row.signed
        self.authentication = row.authentication
        self.rest = None if row.rest is None else _with_tags(row.rest, tag)
        self.request_headers = self._parts(row.request_headers)
        self.reply_headers = self._parts(row.response_headers)
        self.faults = self._parts(row.faults)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.contract}.{self.key}>"

    def __reduce__(self) -> tuple[object, ...]:
        return _operation, (self.package.name, self.key)

    def _parts(self, rows: Sequence[PartRow]) -> Mapping[str, Part[object]]:
        parts: list[Part[object]] = [Part(self.package, row) for row in rows]
        return {part.tag: part for part in parts}

    @property
    def soap_only(self) -> frozenset[str]:
        """Elements of the request that SOAP alone has, by their local names."""
        return self._fields(lambda field: field.row.protocol == "soap")

    @property
    def rest_only(self) -> frozenset[str]:
        """Those that REST alone has."""
        return self._fields(lambda field: field.row.protocol == "rest")

    @property
    def rest_optional(self) -> frozenset[str]:
        """Those that SOAP alone requires."""
        return self._fields(lambda field: field.row.rest_optional)

    def _fields(self, wanted: Callable[[Any], bool]) -> frozenset[str]:
        return frozenset(field.name for field in self.package.codec.fields(self.row.request) if wanted(field))

    def call_with(self, caller: Caller, request: Node, reader: Reader) -> object:
        """Call the operation with a request read from an element, for those who know it by name only."""
        typed: Operation[object, object] = cast("Operation[object, object]", self)
        return caller.call(typed, typed.read_request(request, reader))


class Operation(AnyOperation, Generic[RequestT, ReplyT]):
    """An operation with its types."""

    @property
    def request_type(self) -> type[RequestT]:
        """The class of its requests."""
        return cast(type[RequestT], self.package.codec.kind(self.row.request))

    @property
    def reply_type(self) -> type[ReplyT]:
        """The class of its responses."""
        return cast(type[ReplyT], self.package.codec.kind(self.row.response))

    def headers(self, values: Mapping[str, object]) -> tuple[SoapHeader[object], ...]:
        """The headers to be sent, by the names of their parts; none for None, unless it is required: then
        writing it fails, so that whoever is called through says so in their own words."""
        parts = {part.name: part for part in self.request_headers.values()}
        return tuple(
            SoapHeader(parts[name], value)
            for name, value in values.items()
            if value is not None or parts[name].required
        )

    def write_request(self, value: RequestT, node: Element, path: str) -> None:
        """Fill the request's element (the body, without a tag). Raises EncodeError."""
        self.package.codec.writer(self.row.request)(value, node, path)

    def request_element(self, value: RequestT, *, zone: dt.tzinfo | None = None) -> Element:
        """The request as an element of its own; with a `zone` its days are midnights there (SOAP), without
        one bare days (REST). Raises EncodeError."""
        from soapclient.runtime import days
        from soapclient.runtime.elements import element

        node = element(self.request_tag)
        self.write_request(value, node, local_name(self.request_tag))
        if zone is not None:
            days.put_midnights(self.package.codec, self.row.request, node, zone)
        return node

    def wire(self, request: Element) -> Wire:
        """A request's element as dicts, lists and texts."""
        from soapclient.runtime.request_values import wire_of

        return wire_of(request, self.package.codec, self.row.request)

    def changes(self, value: RequestT) -> str:
        """The element for which `value` has changes alone, "" for none."""
        for field in self.package.codec.fields(self.row.request):
            if field.row.partial and isinstance(getattr(value, field.python, None), Mapping):
                return field.name
        return ""

    def write_reply(self, value: ReplyT, node: Element, path: str) -> None:
        """Fill the response's element (the body, without a tag). Raises EncodeError."""
        self.package.codec.writer(self.row.response)(value, node, path)

    def read_request(self, node: Node, reader: Reader) -> RequestT:
        """A request. Raises DecodeError."""
        row = self.row
        return cast(RequestT, _message_reader(self.package, row.request, nil=row.request_nil)(node, reader))

    def read_reply(self, node: Node, reader: Reader) -> ReplyT:
        """A response. Raises DecodeError."""
        row = self.row
        return cast(ReplyT, _message_reader(self.package, row.response, nil=row.response_nil)(node, reader))

    @property
    def reply_members(self) -> Mapping[str, Callable[[Node, Reader], ReplyT]]:
        """What reads the elements that may stand for the response's, by their tags."""
        package = self.package
        return {
            package.schema.tag(name): cast("Callable[[Node, Reader], ReplyT]", package.codec.reader(kind))
            for name, kind in self.row.members.items()
        }


class ListOperation(Operation[RequestT, ReplyT], Generic[RequestT, ReplyT, ItemT]):
    """An operation whose response is in the main one list, so that it can be read as a stream.

    `list_field` is the attribute of the response that holds the list, `list_tag` the element that wraps it
    (that of the items where none does); `pages` is there where it comes in pages.
    """

    def __init__(self, package: Package, key: str, row: OperationRow) -> None:
        super().__init__(package, key, row)
        self.list_field = row.list
        self.pages: PagesRow | None = row.pages

    @property
    def list_tag(self) -> str:
        return cast(str, self._list.tag)

    @property
    def item_tag(self) -> str:
        return cast(str, self._list.item or self._list.tag)

    @property
    def wrapped(self) -> bool:
        """Whether an element of its own holds the items."""
        return bool(self._list.item)

    @property
    def _list(self) -> Any:
        fields = self.package.codec.fields(self.row.response)
        return next(field for field in fields if field.python == self.list_field)

    def read_item(self, node: Node, reader: Reader) -> ItemT:
        """An item. Raises DecodeError."""
        return cast(ItemT, self.package.codec.reader(self._list.holds)(node, reader))


def _with_tags(row: RestRow, tag: Callable[[str], str]) -> RestRow:
    """A resource with names in Clark notation."""
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


def _message_reader(package: Package, name: str, *, nil: bool) -> Callable[[Node, Reader], object]:
    """What reads the element of a message, be it nil where it may be: that is a value without content."""
    codec = package.codec
    read = codec.reader(name)
    fields = codec.fields(name)
    if not nil or any(field.kind == "nil" or (field.kind == "text" and field.row.nil) for field in fields):
        return read
    from soapclient.runtime.nil import nil_or_empty

    kind: Any = codec.kind(name)
    required = len(codec.defaults(name)) < len(kind.__struct_fields__)
    return nil_or_empty(read, None if codec.row(name).abstract or required else kind)


def _operation(package: str, key: str) -> AnyOperation:
    from soapclient.runtime.package import package as named

    return named(package).operations[key]


# ---- what generated classes call through


class ItemStream(Protocol[ReplyT_co, ItemT_co]):
    """The items of a list response, one after the other, in constant memory."""

    @property
    def head(self) -> ReplyT_co:
        """The response without its items: what stood before the list, and at the end what followed it."""
        ...

    @property
    def given(self) -> int:
        """How many items were handed out so far."""
        ...

    def __iter__(self) -> Iterator[ItemT_co]: ...
    def __next__(self) -> ItemT_co: ...


# Called with each page once it was read: its number, how many items were read so far, and of how many.
OnPage = Callable[[int, int, int | None], None]


class ItemPages(Protocol[ItemT_co]):
    """The items of a list over all its pages, in order; each page is asked for when it is needed.

    `on_page` is called with each page once it was read; set it before the first item is asked for.
    """

    on_page: OnPage | None

    @property
    def page(self) -> int:
        """The page that the next item is on, to go on from another time with `page=`."""
        ...

    @property
    def given(self) -> int:
        """How many items were handed out so far."""
        ...

    @property
    def total(self) -> int | None:
        """How many items the service says there are, once a page was read."""
        ...

    def __iter__(self) -> Iterator[ItemT_co]: ...
    def __next__(self) -> ItemT_co: ...


class Caller(Protocol):
    """What a service class calls through: an engine, or a stand-in of a test."""

    def call(self, operation: Operation[RequestT, ReplyT], request: RequestT, /) -> ReplyT: ...


class HeaderCaller(Protocol):
    """The same for a service with operations that have headers."""

    def call(
        self,
        operation: Operation[RequestT, ReplyT],
        request: RequestT,
        headers: Sequence[AnySoapHeader] = (),
        /,
    ) -> ReplyT: ...


class StreamCaller(Protocol):
    """What a class of streams calls through."""

    def stream(
        self, operation: ListOperation[RequestT, ReplyT, ItemT], request: RequestT, /
    ) -> AbstractContextManager[ItemStream[ReplyT, ItemT]]: ...


class PageCaller(Protocol):
    """What a class of pages calls through."""

    def pages(
        self, operation: ListOperation[RequestT, ReplyT, ItemT], request: RequestT, /
    ) -> ItemPages[ItemT]: ...


class _Noting:
    """In place of a service: the requests of its methods go nowhere but here."""

    def __init__(self) -> None:
        self._caller = self
        self.request: object = None

    def call(self, operation: object, request: object, headers: object = (), /) -> None:
        self.request = request


class _Bound(Protocol):
    """An instance of a class of streams or pages."""

    _caller: Any


class Streamed(Generic[P, ReplyT, ItemT]):
    """A method of a class of streams: the signature of the service's, and the items one by one."""

    def __init__(
        self, method: Callable[Concatenate[Any, P], ReplyT], operation: ListOperation[Any, ReplyT, ItemT]
    ) -> None:
        self._method = method
        self._operation = operation
        self.__doc__ = method.__doc__

    def __get__(
        self, instance: _Bound, owner: type | None = None
    ) -> Callable[P, AbstractContextManager[ItemStream[ReplyT, ItemT]]]:
        if instance is None:  # asked of the class, as documentation does
            return self

        def stream(*args: P.args, **kwargs: P.kwargs) -> AbstractContextManager[ItemStream[ReplyT, ItemT]]:
            caller: StreamCaller = instance._caller
            return caller.stream(self._operation, _request(self._method, *args, **kwargs))

        return _like(stream, self._method, instance)


class Paged(Generic[P, ItemT]):
    """A method of a class of pages: the signature of the service's, and the items of all pages."""

    def __init__(
        self, method: Callable[Concatenate[Any, P], object], operation: ListOperation[Any, Any, ItemT]
    ) -> None:
        self._method = method
        self._operation = operation
        self.__doc__ = method.__doc__

    def __get__(self, instance: _Bound, owner: type | None = None) -> Callable[P, ItemPages[ItemT]]:
        if instance is None:
            return self

        def pages(*args: P.args, **kwargs: P.kwargs) -> ItemPages[ItemT]:
            caller: PageCaller = instance._caller
            return caller.pages(self._operation, _request(self._method, *args, **kwargs))

        return _like(pages, self._method, instance)


def streamed(
    method: Callable[Concatenate[ServiceT, P], ReplyT], operation: ListOperation[RequestT, ReplyT, ItemT]
) -> Streamed[P, ReplyT, ItemT]:
    """A method of a service, with the same parameters, as a method of a class of streams."""
    return Streamed(method, operation)


def paged(
    method: Callable[Concatenate[ServiceT, P], ReplyT], operation: ListOperation[RequestT, ReplyT, ItemT]
) -> Paged[P, ItemT]:
    """A method of a service, with the same parameters, as a method of a class of pages."""
    return Paged(method, operation)


def _request(method: Callable[Concatenate[Any, P], object], /, *args: P.args, **kwargs: P.kwargs) -> Any:
    """The request that a method of a service sends."""
    noting = _Noting()
    method(noting, *args, **kwargs)
    return noting.request


def _like(made: Callable[P, T], method: Callable[..., object], instance: object) -> Callable[P, T]:
    """`made` with the name, the documentation and the signature of a method."""
    return update_wrapper(made, method.__get__(instance))
