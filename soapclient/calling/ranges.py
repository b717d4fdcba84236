"""Iterate over the items of several days, with a call per day, if a request accepts only one day."""

from __future__ import annotations

import datetime as dt
import hashlib
import json
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from contextvars import copy_context
from itertools import islice
from threading import Event
from typing import Any, Generic, Self, cast

import msgspec

from soapclient._support.forks import Lock
from soapclient._support.redaction import shown
from soapclient._support.secret_names import is_secret
from soapclient.calling.events import refuse_coroutines
from soapclient.errors import ConfigError, ContractError
from soapclient.runtime import ItemPages, ListOperation, OnPage
from soapclient.runtime.days import REFUSED, Days
from soapclient.runtime.numpy_values import plain_day, plain_value
from soapclient.runtime.operations import ItemT, RequestT, ResponseT
from soapclient.tables.source import Parts, Source
from soapclient.tables.tabular import TableMethods, source_of
from soapclient.tables.texts import json_text

MOST_WORKERS = 32


def days(first: dt.date | str, last: dt.date | str, *, workers: int = 1) -> dt.date:
    """Return a range of days for `iterate`, both ends included. Pass it to an operation that accepts one day:

        client.publisher.iterate.get_sales(date=days("2026-07-01", "2026-09-30"), date_type="trackingDate")

    Items are returned day by day, in order. `workers` days are requested at the same time. For type checkers,
    the result is a date, because the field of the request is a date. Only the methods of `iterate` accept a
    range; other methods raise ContractError. Raises ConfigError if an argument is invalid.

    >>> from soapclient import Client, days
    >>> with Client() as client:
    ...     week = days("2026-11-01", "2026-11-07", workers=4)
    ...     sales = list(client.publisher.iterate.get_sales(date=week, date_type="trackingDate"))
    >>> len({sale.tracking_date.date() for sale in sales})
    7
    """
    begin, end = _day("first", first), _day("last", last)
    if end < begin:
        raise ConfigError("last", f"is {end}, which is before first ({begin})", "Pass the earlier day first")
    count = plain_value(workers)
    if isinstance(count, bool) or not isinstance(count, int) or not 1 <= count <= MOST_WORKERS:
        raise ConfigError(
            "workers", f"must be from 1 to {MOST_WORKERS}, got {shown(workers)}", "Pass a number such as 4"
        )
    return cast(dt.date, Days(begin, end, count))


def _day(name: str, given: object) -> dt.date:
    value = plain_day(given)
    if isinstance(value, str):
        try:
            return dt.datetime.strptime(value, "%Y-%m-%d").date()
        except ValueError:
            pass
    if isinstance(value, dt.date) and not isinstance(value, dt.datetime):
        return value
    raise ConfigError(
        name,
        f"must be a date such as 2026-07-01, got {shown(given)}",
        "Pass a datetime.date, or a string in this form",
    )


def range_in(
    operation: ListOperation[RequestT, ResponseT, ItemT], request: RequestT, paged: str
) -> str | None:
    """Return the name of the request field that has a range of days; None if no field has one.

    Raises ContractError if there are two ranges, if the field is optional, or if the request also has a page
    number. `paged` is the name of the request field for the page number.
    """
    assert isinstance(request, msgspec.Struct)  # all generated requests are structs
    held = [name for name in request.__struct_fields__ if isinstance(getattr(request, name), Days)]
    if not held:
        return None
    if len(held) > 1:
        raise ContractError(held[1], getattr(request, held[1]), "", REFUSED, operation=operation.name)
    page = getattr(request, paged)
    (field,) = (
        candidate
        for candidate in operation.codec.fields(operation.row.request)
        if candidate.python == held[0]
    )
    if not field.least or field.arms:
        reason = "a range is not allowed for an optional date, which may be the start of an open period"
        raise ContractError(held[0], getattr(request, held[0]), "", reason, operation=operation.name)
    if page is not None:
        reason = "it cannot be combined with a range of days: all pages of each day are returned"
        raise ContractError(paged, page, "", reason, operation=operation.name)
    return held[0]


class DayPages(TableMethods, Generic[RequestT, ResponseT, ItemT]):
    """Iterator over the items of all days of a range, and of all pages of each day.

    With several workers, complete days are read in advance in threads, at most one day per worker. If reading
    a day fails, the error is raised when the items of that day are due. A later `next()` reads that day
    again.
    """

    def __init__(
        self,
        operation: ListOperation[RequestT, ResponseT, ItemT],
        request: RequestT,
        field: str,
        opened: Callable[[RequestT], ItemPages[ItemT]],
        on_page: OnPage | None = None,
        scope: Callable[[], str] = str,
    ) -> None:
        """Create the iterator. `field` is the name of the field in `request` that has the range of days.

        `opened(request)` returns an iterator over the items of one day. Its argument is the request with this
        day in `field`. `scope()` returns a text that identifies the account and the address (see `pages_of`).
        """
        span: object = getattr(request, field)
        assert isinstance(span, Days)
        refuse_coroutines(on_page=on_page)
        self._operation = operation
        self._request = request
        self._field = field
        self._open = opened
        self._on_page = on_page
        self._scope = scope
        self._span = span
        self._left = deque(span.each())
        self._current: ItemPages[ItemT] | _ReadDay[ItemT] | None = None  # pages of the first day in `_left`
        self._ahead: deque[tuple[dt.date, Future[_ReadDay[ItemT]]]] = deque()  # days read ahead
        self._stopped = Event()  # set when the days that were read in advance are no longer needed
        self._pool: ThreadPoolExecutor | None = None
        self._read = 0  # number of items of the previous days
        self._totals: list[int | None] = []
        self._lock = Lock()
        self._read_of: dict[str, int] = {}  # number of items of each day that is written to its own file
        self.given = 0

    @property
    def page(self) -> int:
        """The number of the page that contains the next item. The numbers start again with each day."""
        if isinstance(self._current, _ReadDay | None):
            paging = self._operation.package.settings.paging
            assert paging is not None  # bindgen generates methods with pages only if this table exists
            return paging.first
        return self._current.page

    @property
    def day(self) -> dt.date | None:
        """The day of the next item. None after the last item."""
        return self._left[0] if self._left else None

    @property
    def total(self) -> int | None:
        """Total number of items of all days as reported by the service.

        None until all days have been read.
        """
        if self._left or None in self._totals:
            return None
        return sum(total for total in self._totals if total is not None)

    def on_page(self, heard: OnPage, /) -> Self:
        """Set the callback for each page, and return this iterator. See `ItemPages.on_page`.

        The page numbers passed to the callback start again with each day. The number of items includes the
        previous days. If `workers` is more than 1 and the items are written to files, the callback is called
        in several threads.
        """
        refuse_coroutines(on_page=heard)
        self._on_page = heard
        return self

    def __iter__(self) -> Iterator[ItemT]:
        return self

    def __next__(self) -> ItemT:
        while self._left:
            if self._current is None:
                self._current = self._begin_day()
            for item in self._current:
                self.given += 1
                return item
            self._read += self._current.given
            self._totals.append(self._current.total)
            self._current = None
            self._left.popleft()
        raise StopIteration

    def _source(self) -> Source:
        parts = None
        if not self.given and self._current is None:
            labels = [str(day) for day in self._left]
            parts = Parts(self._field, labels, self._part, self._request_text(), self._span.workers)
        return source_of(self._operation, lambda: self, lambda: self.total, parts)

    def _part(self, label: str) -> Source:
        def heard(page: int, read: int, total: int | None) -> None:
            with self._lock:  # days are read in several threads
                self._read_of[label] = read
                everything = sum(self._read_of.values())
            if self._on_page is not None:
                self._on_page(page, everything, None)

        pages = self._pages_of_day(dt.date.fromisoformat(label)).on_page(heard)
        return source_of(self._operation, lambda: pages, lambda: pages.total)

    def _request_text(self) -> str:
        """Return a text that identifies the account, the contract, and the request without its days."""
        assert isinstance(self._request, msgspec.Struct)  # all generated requests are structs
        names = [name for name in self._request.__struct_fields__ if name != self._field]
        values = {name: _shown(name, getattr(self._request, name)) for name in names}
        contract = self._operation.package.settings.sha256
        return json.dumps([self._operation.name, contract, self._scope(), values])

    def _pages_of_day(self, day: dt.date) -> ItemPages[ItemT]:
        assert isinstance(self._request, msgspec.Struct)  # all generated requests are structs
        request = msgspec.structs.replace(self._request, **{self._field: day})
        return self._open(cast(RequestT, request))

    def _report_page(self, page: int, read: int, total: int | None) -> None:
        if self._on_page is not None:
            self._on_page(page, self._read + read, None)

    def _begin_day(self) -> ItemPages[ItemT] | _ReadDay[ItemT]:
        """Return an iterable of the items of the next day, which is the first day that is not finished."""
        if self._span.workers == 1:
            return self._pages_of_day(self._left[0]).on_page(self._report_page)
        while self._ahead and self._ahead[0][0] != self._left[0]:
            self._ahead.popleft()
        self._read_ahead(0)
        try:
            day = self._ahead[0][1].result()
        except BaseException:
            self._stop()
            raise
        self._current = day  # before the callback, which can raise
        self._ahead.popleft()
        self._read_ahead(1)
        for page in day.pages:
            self._report_page(*page)
        return day

    def _read_ahead(self, begun: int) -> None:
        """Start to read the next days in advance, one per worker.

        `begun` is 1 if the first of the remaining days has already been read and must be skipped, otherwise
        0.
        """
        started = {day for day, _ in self._ahead}
        days = [day for day in islice(self._left, begun, begun + self._span.workers) if day not in started]
        if days and self._pool is None:
            self._pool, self._stopped = ThreadPoolExecutor(self._span.workers, "soapclient-days"), Event()
        for day in days:
            assert self._pool is not None  # created above
            # In a copy of the caller's context, so that spans have the right parent.
            context = copy_context()
            read = self._pool.submit(context.run, _read_day, self._pages_of_day(day), self._stopped)
            self._ahead.append((day, read))
        if not self._ahead:
            self._stop()

    def _stop(self) -> None:
        pool, self._pool = self._pool, None
        self._stopped.set()
        self._ahead.clear()
        if pool is not None:
            pool.shutdown(wait=False, cancel_futures=True)


class _ReadDay(Generic[ItemT]):
    """The items and pages of a day that a thread has read completely."""

    def __init__(
        self, items: list[ItemT], pages: list[tuple[int, int, int | None]], total: int | None
    ) -> None:
        self._items = iter(items)
        self.given = len(items)
        self.pages = pages
        self.total = total

    def __iter__(self) -> Iterator[ItemT]:
        return self._items


def _read_day(pages: ItemPages[ItemT], stopped: Event) -> _ReadDay[ItemT]:
    read: list[tuple[int, int, int | None]] = []

    def heard(*page: Any) -> None:
        if stopped.is_set():
            raise CancelledError
        read.append(page)

    items = list(pages.on_page(heard))
    return _ReadDay(items, read, pages.total)


def _shown(name: str, value: object) -> str:
    """Return a text that identifies a request value: its JSON, or a hash if it can contain a secret."""
    value = plain_value(value)
    text = json_text(value)
    hidden = is_secret(name) or isinstance(value, msgspec.Struct | list | tuple | dict)
    return hashlib.sha256(text.encode()).hexdigest()[:16] if hidden else text
