"""All pages of a list, one after the other, as one row of items."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Generic, NoReturn, Self, cast

import msgspec

from soapclient._support.redaction import safe_url
from soapclient.calling.events import refuse_coroutines
from soapclient.calling.ranges import DayPages, range_in
from soapclient.errors import ConfigError, ContractError, ResponseError
from soapclient.runtime import ItemPages, ListOperation, OnPage, Paging
from soapclient.runtime.asynchronous import check_wanted
from soapclient.runtime.errors import local_name
from soapclient.runtime.foreign import plain_value
from soapclient.runtime.operations import ItemT, RequestT, ResponseT
from soapclient.tables.source import Source
from soapclient.tables.tabular import TableMethods, source_of

if TYPE_CHECKING:
    import datetime as dt


class Pages(TableMethods, Generic[RequestT, ResponseT, ItemT]):
    """Iterates over the items of all pages. The request's own page is where it begins, its own number of
    items the size of a page; by default the first page and the most that the service gives.

    An empty page is the end, whatever the response's total says (it may be set while a list is empty:
    docs/explanation/service.md#paging); so is one with fewer items than were asked for, once the total
    agrees. Raises ContractError for a page size that the service does not give, ResponseError where it gives
    another page than was asked for, or the same again: else a loop might never end.
    """

    def __init__(
        self,
        call: Callable[[ListOperation[RequestT, ResponseT, ItemT], RequestT], ResponseT],
        operation: ListOperation[RequestT, ResponseT, ItemT],
        request: RequestT,
        paging: Paging,
        on_page: OnPage | None = None,
        *,
        at_once: bool = False,
    ) -> None:
        """`call` asks for one page. `at_once`: the protocol has no pages for this list: it gives it whole."""
        fields = operation.pages
        assert fields is not None  # only such operations have a method that pages
        self._fields = fields
        self._call = call
        self._operation = operation
        refuse_coroutines(on_page=on_page)
        self._on_page = on_page
        self._paging = paging
        page, size = (plain_value(getattr(request, field)) for field in (fields.page, fields.items))
        self._next: int = paging.first if page is None else cast("int", page)
        self._size: int = paging.most if size is None else cast("int", size)
        self._refuse_improper()  # of what is no number
        self._begun = self._next
        self._longest = 0
        self._request = request
        self._at_once = at_once
        self._items: list[ItemT] = []
        self._at = 0
        self._ended = False
        self._read = 0
        self.given = 0
        self.total: int | None = None

    @property
    def page(self) -> int:
        """The page that the next item is on, to go on from another time."""
        return self._next - 1 if self._at < len(self._items) else self._next

    @property
    def day(self) -> dt.date | None:
        """None: it is one list."""
        return None

    def _source(self) -> Source:
        return source_of(self._operation, lambda: self, lambda: self.total)

    def on_page(self, heard: OnPage, /) -> Self:
        """As `ItemPages.on_page`."""
        refuse_coroutines(on_page=heard)
        self._on_page = heard
        return self

    def __iter__(self) -> Iterator[ItemT]:
        return self

    def __next__(self) -> ItemT:
        while self._at == len(self._items):
            if self._ended:
                raise StopIteration
            self._read_page()  # what it raises leaves all as it was: another next() asks again
        item = self._items[self._at]
        self._at += 1
        self.given += 1
        return item

    def _read_page(self) -> None:
        fields, page = self._fields, self._next
        asked = {} if self._at_once else {fields.page: page, fields.items: self._size}
        check_wanted()
        response = self._call(self._operation, _changed(self._request, asked))
        items: list[ItemT] = getattr(response, self._operation.list_field) or []
        total: int | None = getattr(response, fields.response_total) if fields.response_total else None
        self._check(response, items)
        # The pages before the first one asked for held no more than the longest that came: a service may
        # give fewer items than asked for, and what is guessed too low costs one request, too high items.
        self._longest = max(self._longest, len(items))
        seen = (self._begun - self._paging.first) * self._longest + self._read + len(items)
        short = len(items) < self._size and (total is None or seen >= total)
        self._ended = not items or short or self._at_once
        self._items, self._at, self._next = items, 0, page + 1
        self._read += len(items)
        self.total = total
        if items and self._on_page is not None:
            self._on_page(page, self._read, total)

    def _check(self, response: ResponseT, items: list[ItemT]) -> None:
        fields, name = self._fields, local_name(self._operation.response_tag)
        claimed = getattr(response, fields.response_page) if fields.response_page else None
        if items and claimed is not None and claimed != self._next and not self._at_once:
            raise ResponseError(
                f"{name}/{fields.response_page}",
                str(claimed),
                f"page {self._next}, which was asked for",
                operation=self._operation.name,
            )
        if items and items == self._items:
            listed = local_name(self._operation.list_tag)
            raise ResponseError(
                f"{name}/{listed}",
                f"the items of page {self._next - 1} again",
                f"the items of page {self._next}",
                operation=self._operation.name,
            )

    def _refuse_improper(self) -> None:
        paging, name = self._paging, local_name(self._operation.request_tag)
        for field, value, least, most in (
            (paging.page, self._next, paging.first, None),
            (paging.items, self._size, 1, paging.most),
        ):
            whole = isinstance(value, int) and not isinstance(value, bool)
            if not whole or value < least or (most is not None and value > most):
                allowed = f"a whole number from {least}" + (f" to {most}" if most is not None else "")
                raise ContractError(
                    f"{name}/{field}", value, allowed, "there is no such page", operation=self._operation.name
                )


def pages_of(
    call: Callable[[ListOperation[RequestT, ResponseT, ItemT], RequestT], ResponseT],
    operation: ListOperation[RequestT, ResponseT, ItemT],
    request: RequestT,
    paging: Paging,
    on_page: OnPage | None = None,
    *,
    scope: Callable[[], str],
    at_once: bool = False,
) -> ItemPages[ItemT]:
    """The items of a list over all its pages, and where a range of days is asked for, over all days.

    `scope` says whose list it is: two of one scope, and of one request, are the same.
    """
    fields = operation.pages
    assert fields is not None  # only such operations have a method that pages

    def opened(each: RequestT) -> Pages[RequestT, ResponseT, ItemT]:
        return Pages(call, operation, each, paging, at_once=at_once)

    field = range_in(operation, request, fields.page)
    if field is None:
        pages = opened(request)
        return pages if on_page is None else pages.on_page(on_page)
    return DayPages(operation, request, field, opened, on_page, scope)


def scope_of(address: str, account: object, naive_zone: dt.tzinfo | None, report_zone: dt.tzinfo) -> str:
    """Whose lists a service at an address gives, in which zones; nothing in it is secret.

    `account` is what the service may tell callers apart by.
    """
    whose = hashlib.sha256(f"table/{address}/{account}".encode()).hexdigest()[:16]
    return f"{safe_url(address)} {whose} {naive_zone} {report_zone}"


def _changed(request: RequestT, values: dict[str, int]) -> RequestT:
    """A copy of a request with other values."""
    assert isinstance(request, msgspec.Struct)  # as all generated requests are
    changed = msgspec.structs.replace(request, **values)
    assert isinstance(changed, type(request))
    return changed


def refuse_lists(name: str, service: str) -> NoReturn:
    """Raise ConfigError: a service has no operations for `stream` or `iterate`."""
    advice = "Call its methods. If it has lists, generate the package anew: `bindgen init`"
    raise ConfigError(name, f"{service} has no such operations", advice)
