"""A response with one list of complex items can be read as a stream of them."""

from __future__ import annotations

from bindgen.model import Contract, Struct


def run(contract: Contract) -> None:
    """Note the list field of each such operation."""
    for operation in contract.operations:
        if operation.one_way or operation.encoded or not operation.response_tag:
            continue
        lists = [
            field for field in operation.response.all_fields() if field.item is not None or field.repeats
        ]
        if len(lists) != 1 or lists[0].kind != "element":
            continue
        item = lists[0].item or lists[0]
        if isinstance(item.type, Struct) and not item.nillable:
            operation.list_field = lists[0]
