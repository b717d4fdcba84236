"""Statuses of things in between: before the service or, where that may be, after it has done its part."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from ..wire import response
from .kinds import Fault

if TYPE_CHECKING:
    from ..proxy import Exchange

# That a request was turned away before anything happened is said by these alone, until later or for good.
TURNED_AWAY: Final = (429, 503)
IN_DOUBT: Final = (408, 425, 499, 500, 502, 504, *range(506, 600))
FOR_GOOD: Final = tuple(
    status for status in range(408, 506) if status not in TURNED_AWAY and status not in IN_DOUBT
)
_PAGES: Final = (
    (b"", ""),
    (b"<html><head><title>gateway</title></head><body><hr>gateway</body></html>", "text/html"),
    (b"upstream said nothing", "text/plain; charset=utf-8"),
    (b"<!DOCTYPE html><html><body><p>&nbsp;gateway</body></html>", "text/html; charset=utf-8"),
    (b"<html><body>gateway</body></html>", "text/xml"),
    (b'{"error": "gateway"}', "application/json"),
)


def _status(status: int, *, happens: bool, retry_after: str | None = None) -> Callable[[Exchange], None]:
    def act(exchange: Exchange) -> None:
        if happens:
            exchange.passed_on()
        else:
            assert exchange.body is not None
        body, media = exchange.random.choice(_PAGES)
        exchange.give(response(status, body, media).with_field("Retry-After", retry_after))

    return act


SURE = tuple(Fault(f"status {one}", _status(one, happens=False, retry_after="0")) for one in TURNED_AWAY)
REFUSALS = tuple(Fault(f"status {one}", _status(one, happens=False)) for one in FOR_GOOD)
DOUBTFUL = (
    *(Fault(f"status {one} before the service", _status(one, happens=False)) for one in IN_DOUBT),
    *(Fault(f"status {one} after the service", _status(one, happens=True)) for one in IN_DOUBT),
)
