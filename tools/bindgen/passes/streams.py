"""A reply with one wrapped list of complex items can be read as a stream of them."""

from __future__ import annotations

from bindgen.model import Contract, Struct


def run(contract: Contract) -> None:
    """Note the list field of each such operation."""
    for operation in contract.operations:
        lists = [field for field in operation.reply.all_fields() if field.item is not None]
        if len(lists) == 1 and lists[0].item is not None and isinstance(lists[0].item.type, Struct):
            operation.list_field = lists[0]
