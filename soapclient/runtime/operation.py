"""An operation of a contract as a value, and what a generated service needs to call it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from soapclient.runtime.protocols import Node, Reader, Wire, Writer
from soapclient.runtime.rest import RestForm

RequestT = TypeVar("RequestT")
ReplyT = TypeVar("ReplyT")
ItemT = TypeVar("ItemT")
ReplyT_co = TypeVar("ReplyT_co", covariant=True)
ItemT_co = TypeVar("ItemT_co", covariant=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class AnyOperation(ABC):
    """One operation, whatever its types. Tags are in Clark notation (`{namespace}name`).

    `signed`: a signature is required; else the connect ID alone will do. `safe`: may be repeated without
    harm. `authentication`: the authentication elements that the request declares, in order; they are not
    fields of the request's type, whoever sends the request fills them in. `soap` and `rest` say which
    carriers have the operation, `soap_only` and `rest_only` which elements of its request one of them lacks,
    `rest_optional` which ones SOAP alone requires.
    """

    contract: str
    name: str
    method: str
    signed: bool
    safe: bool
    soap_action: str
    request_tag: str
    reply_tag: str
    authentication: tuple[str, ...]
    soap: bool = True
    rest: RestForm | None = None
    soap_only: frozenset[str] = frozenset()
    rest_only: frozenset[str] = frozenset()
    rest_optional: frozenset[str] = frozenset()

    @abstractmethod
    def call_with(self, caller: Caller, request: Node, reader: Reader) -> object:
        """Call the operation with a request read from an element, for those who know it by name only."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation(AnyOperation, Generic[RequestT, ReplyT]):
    """An operation with its types, and how these are written and read."""

    write_request: Callable[[RequestT, Writer, str], Wire]
    read_request: Callable[[Node, Reader], RequestT]
    read_reply: Callable[[Node, Reader], ReplyT]

    def call_with(self, caller: Caller, request: Node, reader: Reader) -> ReplyT:
        return caller.call(self, self.read_request(request, reader))


@dataclass(frozen=True, slots=True, kw_only=True)
class PageFields:
    """The attributes that page a list: of its request the page and the number of items, of its response the
    page it is, how many items are on it, and the number of all ("" for one that it lacks)."""

    page: str
    items: str
    reply_page: str = ""
    reply_items: str = ""
    reply_total: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ListOperation(Operation[RequestT, ReplyT], Generic[RequestT, ReplyT, ItemT]):
    """An operation whose reply is in the main one wrapped list, so that it can be read as a stream.

    `list_field` is the attribute of the reply that holds the list; `pages` is there where it comes in pages.
    """

    list_field: str
    list_tag: str
    item_tag: str
    read_item: Callable[[Node, Reader], ItemT]
    pages: PageFields | None = None


class ItemStream(Protocol[ReplyT_co, ItemT_co]):
    """The items of a list reply, one after the other, in constant memory."""

    @property
    def head(self) -> ReplyT_co:
        """The reply without its items: what stood before the list, and at the end what followed it."""
        ...

    @property
    def given(self) -> int:
        """How many items were handed out so far."""
        ...

    def __iter__(self) -> Iterator[ItemT_co]: ...
    def __next__(self) -> ItemT_co: ...


class Caller(Protocol):
    """What a service class calls through: a carrier, or a stand-in of a test."""

    def call(self, operation: Operation[RequestT, ReplyT], request: RequestT, /) -> ReplyT: ...


class StreamCaller(Protocol):
    """What a streaming service class calls through."""

    def stream(
        self, operation: ListOperation[RequestT, ReplyT, ItemT], request: RequestT, /
    ) -> AbstractContextManager[ItemStream[ReplyT, ItemT]]: ...


class ItemPages(Protocol[ItemT_co]):
    """The items of a list over all its pages, in order; each page is asked for when it is needed."""

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


# Called with each page once it was read: its number, how many items were read so far, and of how many.
OnPage = Callable[[int, int, int | None], None]


class PageCaller(Protocol):
    """What a paging service class calls through."""

    def pages(
        self, operation: ListOperation[RequestT, ReplyT, ItemT], request: RequestT, on_page: OnPage | None, /
    ) -> ItemPages[ItemT]: ...
