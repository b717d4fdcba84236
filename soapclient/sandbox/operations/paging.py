"""Pages (`record.md 4`): the first is 0, ten entries if nothing is said, fifty at most."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from ..faults import Code, Refusal
from ..trees import Fields, Value

DEFAULT_ITEMS = 10
MAX_ITEMS = 50

T = TypeVar("T")


def page_of(
    fields: Fields, entries: Sequence[T], wrapper: str, item: str, render: Callable[[T], Value]
) -> dict[str, Value]:
    """The asked page of `entries`: page, items (really on it), total, and the wrapped list.

    Raises a 1xx `Refusal` for more than fifty, since a silent cap hides entries from who asked for more.
    """
    page = fields.number("page")
    size = fields.number("items")
    page = 0 if page is None else page
    size = DEFAULT_ITEMS if size is None else size
    if page < 0:
        raise Refusal(Code.OUT_OF_RANGE, f"page: {page} is not allowed, the first page is 0")
    if not 1 <= size <= MAX_ITEMS:
        raise Refusal(Code.OUT_OF_RANGE, f"items: {size} is not allowed, a page has 1 to {MAX_ITEMS}")
    shown: list[Value] = [render(entry) for entry in entries[page * size : (page + 1) * size]]
    return {"page": page, "items": len(shown), "total": len(entries), wrapper: {item: shown}}


def page_or_all(
    fields: Fields, entries: Sequence[T], wrapper: str, item: str, render: Callable[[T], Value]
) -> dict[str, Value]:
    """As `page_of`, but everything at once, however much, if neither page nor items is sent."""
    if "page" in fields or "items" in fields:
        return page_of(fields, entries, wrapper, item, render)
    shown: list[Value] = [render(entry) for entry in entries]
    return {"page": 0, "items": len(shown), "total": len(shown), wrapper: {item: shown}}
