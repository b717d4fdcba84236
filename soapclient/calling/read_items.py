"""The items of a reply that was read whole, as a stream gives them."""

from __future__ import annotations

from collections.abc import Iterator

from soapclient.runtime import ItemStream
from soapclient.runtime.operations import ItemT, ReplyT


class ReadItems(ItemStream[ReplyT, ItemT]):
    """The items of a reply that was read whole."""

    def __init__(self, reply: ReplyT, list_field: str) -> None:
        items: list[ItemT] | None = getattr(reply, list_field)
        self._items = iter(items or ())
        setattr(reply, list_field, None if items is None else [])
        self._head = reply
        self._given = 0

    @property
    def head(self) -> ReplyT:
        return self._head

    @property
    def given(self) -> int:
        return self._given

    def __iter__(self) -> Iterator[ItemT]:
        return self

    def __next__(self) -> ItemT:
        item = next(self._items)
        self._given += 1
        return item
