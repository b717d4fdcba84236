"""The registry of handlers for operations, the argument of a handler (`Call`), and paging.

The first page is 0 (`docs/explanation/service.md#paging`). A page has ten entries by default, and at most
fifty.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import TypeVar

from ..data.store import AccountData, Store
from ..exports.jobs import Jobs
from ..faults import Code, InvalidValue
from ..payload import Fields, Payload, Value


@dataclass(frozen=True)
class Call:
    """One verified request, independent of the protocol: the argument of a handler.

    `rest_url` is the base address of REST paths. `now` is the sandbox's time (aware), which is the date of
    all changes that the request makes.
    """

    fields: Fields
    connect_id: str
    store: Store
    jobs: Jobs
    rest_url: str
    now: datetime

    @cached_property
    def holdings(self) -> AccountData:
        """The caller's account, with its leads and sales as they are at `now`."""
        return self.store.of(self.connect_id).at(self.now)


Handler = Callable[[Call], Payload]
_HANDLERS: dict[tuple[str, str], Handler] = {}


def handles(contract: str, operation: str) -> Callable[[Handler], Handler]:
    """Return a decorator that registers a function as the handler of an operation.

    The decorator raises ValueError if the operation already has a handler.
    """

    def register(handler: Handler) -> Handler:
        if (contract, operation) in _HANDLERS:
            raise ValueError(f"{contract} {operation} already has a handler")
        _HANDLERS[contract, operation] = handler
        return handler

    return register


def handler_of(contract: str, operation: str) -> Handler | None:
    """Return the handler of an operation, or None if it is not implemented."""
    return _HANDLERS.get((contract, operation))


def implemented(contract: str) -> frozenset[str]:
    """Return the names of all operations of a contract that have a handler.

    Includes operations that exist over REST only, such as GetSaleBasket.
    """
    return frozenset(operation for name, operation in _HANDLERS if name == contract)


DEFAULT_ITEMS = 10
MAX_ITEMS = 50

T = TypeVar("T")


def page_of(
    fields: Fields, entries: Sequence[T], wrapper: str, item: str, render: Callable[[T], Value]
) -> dict[str, Value]:
    """Return the requested page of `entries`, as a dict with the content of a response.

    The dict has `page`, `items` (the number of entries on the page) and `total` (the number of all entries).
    The page itself is in an element with the name `wrapper`. It has an element with the name `item` for each
    entry. `render` returns the content of this element.

    Raises `InvalidValue` 105 for an invalid page, or for more than fifty items: a silent limit would hide
    entries from the caller.
    """
    page = fields.number("page")
    size = fields.number("items")
    page = 0 if page is None else page
    size = DEFAULT_ITEMS if size is None else size
    if page < 0:
        raise InvalidValue(Code.OUT_OF_RANGE, f"page must be 0 (the first page) or more, got {page}")
    if not 1 <= size <= MAX_ITEMS:
        raise InvalidValue(Code.OUT_OF_RANGE, f"items must be from 1 to {MAX_ITEMS}, got {size}")
    shown: list[Value] = [render(entry) for entry in entries[page * size : (page + 1) * size]]
    return {"page": page, "items": len(shown), "total": len(entries), wrapper: {item: shown}}


def page_or_all(
    fields: Fields, entries: Sequence[T], wrapper: str, item: str, render: Callable[[T], Value]
) -> dict[str, Value]:
    """Return the requested page like `page_of`, or all entries if the request has neither page nor items."""
    if "page" in fields or "items" in fields:
        return page_of(fields, entries, wrapper, item, render)
    shown: list[Value] = [render(entry) for entry in entries]
    return {"page": 0, "items": len(shown), "total": len(shown), wrapper: {item: shown}}
