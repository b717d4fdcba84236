"""Iterate over the items of all pages of a list."""

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
from soapclient.runtime.numpy_values import plain_value
from soapclient.runtime.operations import ItemT, RequestT, ResponseT
from soapclient.tables.source import Source
from soapclient.tables.tabular import TableMethods, source_of

if TYPE_CHECKING:
    import datetime as dt


class Pages(TableMethods, Generic[RequestT, ResponseT, ItemT]):
    """Iterator over the items of all pages of a list.

    Starts at the request's `page` (default: the first). The request's `items` is the page size (default: the
    service's maximum). The iteration ends after one of these pages:

    - An empty page, even if the response states a total (docs/explanation/service.md#paging).
    - If responses state a total: a page with fewer items than the page size, if the items up to its end
      reach the total.
    - If responses state no total: a page with fewer items than an earlier page. The first requested page is
      the last one if it has fewer items than the page size, and also fewer than the service's default page
      size. (A service can limit its pages to fewer items than requested.)

    Raises ContractError if the page or the page size is invalid. Raises ResponseError if the service returns
    another page than requested, or the same page again, because the iteration could be endless.
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
        """Prepare the iteration. Sends nothing.

        `call(operation, request)` requests one page of the list. `paging` has the service's first page number
        and page sizes. For `on_page`, see the method of this name. `at_once` is True if the protocol returns
        the complete list in one response, without pages.
        """
        fields = operation.pages
        assert fields is not None  # only operations with pages have a page method
        self._fields = fields
        self._call = call
        self._operation = operation
        refuse_coroutines(on_page=on_page)
        self._on_page = on_page
        self._paging = paging
        page, size = (plain_value(getattr(request, field)) for field in (fields.page, fields.items))
        self._next: int = paging.first if page is None else cast("int", page)
        self._size: int = paging.most if size is None else cast("int", size)
        self._check_bounds()  # also refuses values that are not numbers
        self._first_page = self._next
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
        """The number of the page that contains the next item."""
        return self._next - 1 if self._at < len(self._items) else self._next

    @property
    def day(self) -> dt.date | None:
        """Always None, because the request has no range of days."""
        return None

    def _source(self) -> Source:
        return source_of(self._operation, lambda: self, lambda: self.total)

    def on_page(self, heard: OnPage, /) -> Self:
        """Call `heard` after each page. Returns this iterator. See `ItemPages.on_page`."""
        refuse_coroutines(on_page=heard)
        self._on_page = heard
        return self

    def __iter__(self) -> Iterator[ItemT]:
        return self

    def __next__(self) -> ItemT:
        while self._at == len(self._items):
            if self._ended:
                raise StopIteration
            self._read_page()  # on an error, the state is unchanged: another next() requests the page again
        item = self._items[self._at]
        self._at += 1
        self.given += 1
        return item

    def _read_page(self) -> None:
        fields, page = self._fields, self._next
        fields_to_set = {} if self._at_once else {fields.page: page, fields.items: self._size}
        check_wanted()
        response = self._call(self._operation, _with_values(self._request, fields_to_set))
        items: list[ItemT] = getattr(response, self._operation.list_field) or []
        total: int | None = getattr(response, fields.response_total) if fields.response_total else None
        self._check(response, items)
        # Estimate the number of items before the first requested page from the longest page received, because
        # a service can return fewer items than requested. If the estimate is too low, one more request is
        # sent; if it were too high, items would be lost.
        delivered = self._longest if self._read else min(self._size, self._paging.default)
        self._longest = max(self._longest, len(items))
        seen = (self._first_page - self._paging.first) * self._longest + self._read + len(items)
        # Without a total, a page is short if earlier pages, or pages of the default size, have more items.
        short = len(items) < delivered if total is None else len(items) < self._size and seen >= total
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
                f"the requested page {self._next}",
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

    def _check_bounds(self) -> None:
        paging, name = self._paging, local_name(self._operation.request_tag)
        for field, value, least, most in (
            (paging.page, self._next, paging.first, None),
            (paging.items, self._size, 1, paging.most),
        ):
            is_integer = isinstance(value, int) and not isinstance(value, bool)
            if not is_integer or value < least or (most is not None and value > most):
                allowed = f"a whole number from {least}" + (f" to {most}" if most is not None else "")
                raise ContractError(
                    f"{name}/{field}", value, allowed, "not a valid value", operation=self._operation.name
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
    """Return an iterator over the items of all pages of a list.

    If the request has a range of days, the iterator returns the items of all these days. `scope` returns a
    text that identifies the address, the account and the time zones: two requests with the same text and
    equal fields ask for the same list. The other arguments are described in `Pages.__init__`.
    """
    fields = operation.pages
    assert fields is not None  # only operations with pages have a page method

    def opened(request: RequestT) -> Pages[RequestT, ResponseT, ItemT]:
        return Pages(call, operation, request, paging, at_once=at_once)

    field = range_in(operation, request, fields.page)
    if field is None:
        pages = opened(request)
        return pages if on_page is None else pages.on_page(on_page)
    return DayPages(operation, request, field, opened, on_page, scope)


def scope_of(address: str, account: object, naive_zone: dt.tzinfo | None, report_zone: dt.tzinfo) -> str:
    """Return a text that identifies the address, the account and the time zones of lists.

    If any of them differs, the text differs. `account` are the values that identify the account. They may be
    secret, so the text contains only their hash. `naive_zone` is the zone for date-times without a zone.
    `report_zone` is the time zone of reports.
    """
    whose = hashlib.sha256(f"table/{address}/{account}".encode()).hexdigest()[:16]
    return f"{safe_url(address)} {whose} {naive_zone} {report_zone}"


def _with_values(request: RequestT, values: dict[str, int]) -> RequestT:
    """Return a copy of a request with new values for the fields in `values`."""
    assert isinstance(request, msgspec.Struct)  # all generated requests are structs
    changed = msgspec.structs.replace(request, **values)
    assert isinstance(changed, type(request))
    return changed


def refuse_lists(name: str, service: str) -> NoReturn:
    """Raise ConfigError, because a service has no list operations and so no attribute `name`.

    `name` is "stream" or "iterate". `service` is the name of the service's class, for the error.
    """
    advice = (
        "Call the methods of the service. If one of them returns a list, generate the package again with "
        "`bindgen init`"
    )
    raise ConfigError(name, f"{service} does not have this method", advice)
