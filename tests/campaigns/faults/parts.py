"""Wrong responses to range requests. Requests without a range get the normal response."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from .kinds import Fault

if TYPE_CHECKING:
    from ..proxy import Exchange

_PARTIAL: Final = 206


def _whole(exchange: Exchange) -> None:
    exchange.head = exchange.head.with_field("Range", None)
    exchange.give(exchange.passed_on())


def _other_bytes(exchange: Exchange) -> None:
    """Send the correct Content-Range with bytes from another position."""
    answer = exchange.passed_on()
    if answer.status == _PARTIAL and len(answer.body) > 1:
        place = exchange.random.randrange(1, len(answer.body))
        answer = answer.with_body(answer.body[place:] + answer.body[:place])
    exchange.give(answer)


def _other_etag(exchange: Exchange) -> None:
    answer = exchange.passed_on()
    exchange.give(answer.with_field("ETag", '"another"') if answer.head.get("etag") else answer)


def _other_range(exchange: Exchange) -> None:
    answer = exchange.passed_on()
    if answer.status == _PARTIAL:
        answer = answer.with_field("Content-Range", f"bytes 0-{len(answer.body) - 1}/{len(answer.body)}")
    exchange.give(answer)


PARTS = (
    Fault("the whole for a part", _whole),
    Fault("a part of other bytes", _other_bytes),
    Fault("a part of another range", _other_range),
    Fault("another ETag", _other_etag),
)
