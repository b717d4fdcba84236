"""Types for which others may stand, and where they are whole messages."""

from __future__ import annotations

from collections.abc import Iterator

from bindgen.model import Contract, Struct


def family(kind: Struct) -> bool:
    """Whether `xsi:type` may say that a value is of another type."""
    return bool(kind.derived or kind.abstract) and not kind.holder


def of_messages(contract: Contract) -> Iterator[Struct]:
    """Such types of messages, headers and details of faults."""
    for operation in contract.operations:
        headers = (*operation.request_headers, *operation.reply_headers)
        found = [operation.request, operation.reply, *(header.type for header in headers)]
        found += [fault.type for fault in operation.faults]
        yield from filter(family, found)


def declared(kind: Struct) -> str:
    """The one type that `xsi:type` may name, as a qualified name; "" where that is not known."""
    return "" if family(kind) or kind.anonymous or kind.holder else kind.qname
