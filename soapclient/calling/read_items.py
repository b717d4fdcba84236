"""The items of a response that was read whole, as a stream gives them."""

from __future__ import annotations

from collections.abc import Iterator

from soapclient.runtime import ItemStream
from soapclient.runtime.operations import ItemT, ResponseT


class ReadItems(ItemStream[ResponseT, ItemT]):
    """The items of a response that was read whole."""

    def __init__(self, response: ResponseT, list_field: str) -> None:
        items: list[ItemT] | None = getattr(response, list_field)
        self._items = iter(items or ())
        setattr(response, list_field, None if items is None else [])
        self._head = response
        self._given = 0

    @property
    def head(self) -> ResponseT:
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
