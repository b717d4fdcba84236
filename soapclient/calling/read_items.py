"""Iterator over the items of a complete response."""

from __future__ import annotations

from collections.abc import Iterator

from soapclient.runtime import ItemStream
from soapclient.runtime.operations import AnyListOperation, ItemT, ResponseT
from soapclient.tables.source import Source
from soapclient.tables.tabular import TableMethods, source_of


class ReadItems(TableMethods, ItemStream[ResponseT, ItemT]):
    """Iterator over the items of a response that was read completely."""

    def __init__(self, response: ResponseT, operation: AnyListOperation) -> None:
        list_field = operation.list_field
        self._operation = operation
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

    def _source(self) -> Source:
        return source_of(self._operation, lambda: self)
