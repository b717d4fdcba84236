"""Gateway statuses that replace the service's response, before or after the service was called."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from ..proxy import Exchange
from ..wire import response
from .kinds import ELSEWHERE, Family, Fault, take

# Only these statuses mean that a request was rejected before processing, temporarily or for good.
TURNED_AWAY: Final = (429, 503)
IN_DOUBT: Final = (408, 425, 499, 500, 502, 504, *range(506, 600))
NO_BODY: Final = (204, 205, 304)
# All statuses that a gateway may send after forwarding a request. Reads are retried only after the first
# group, because the others are permanent.
FORWARDED_ONCE: Final = (*range(200, 300), *TURNED_AWAY, *IN_DOUBT)
FORWARDED_FOR_GOOD: Final = tuple(
    status for status in range(300, 600) if status not in (*TURNED_AWAY, *IN_DOUBT)
)
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
# Error bodies of gateways. `%d` is the status, which many gateways repeat as a code.
_PROBLEMS: Final = (
    (b'{"type": "about:blank", "title": "Gateway", "status": %d}', "application/problem+json"),
    (b'{"code": %d, "message": "m", "reason": "r"}', "application/problem+json"),
    (b'{"code": %d, "message": "upstream connect error"}', "application/json"),
    (b'{"errors": [{"code": %d, "message": "gateway"}]}', "application/json"),
    (b"<error><code>%d</code><message>gateway</message></error>", "application/xml"),
)


def _status(status: int, *, happens: bool, retry_after: str | None = None) -> Callable[[Exchange], None]:
    def act(exchange: Exchange) -> None:
        take(exchange, happens=happens)
        body, media = exchange.random.choice(_PAGES)
        exchange.give(response(status, body, media).with_field("Retry-After", retry_after))

    return act


def _forwarded(status: int) -> Callable[[Exchange], None]:
    """Call the service, then send a gateway's response instead of the service's."""

    def act(exchange: Exchange) -> None:
        exchange.passed_on()
        body, media = exchange.random.choice(_PAGES + (_PROBLEMS if status >= 300 else ()))
        body = body.replace(b"%d", str(status).encode())
        answer = response(status, b"" if status in NO_BODY else body, media)
        exchange.give(answer.with_field("Location", ELSEWHERE) if 300 <= status < 400 else answer)

    return act


SURE = tuple(Fault(f"status {one}", _status(one, happens=False, retry_after="0")) for one in TURNED_AWAY)
REFUSALS = tuple(Fault(f"status {one}", _status(one, happens=False)) for one in FOR_GOOD)
DOUBTFUL = (
    *(Fault(f"status {one} before the service", _status(one, happens=False)) for one in IN_DOUBT),
    *(Fault(f"status {one} after the service", _status(one, happens=True)) for one in IN_DOUBT),
)
ANSWERED_ONCE = tuple(Fault(f"forwarded, then {one} by a gateway", _forwarded(one)) for one in FORWARDED_ONCE)
ANSWERED_FOR_GOOD = tuple(
    Fault(f"forwarded, then {one} by a gateway", _forwarded(one)) for one in FORWARDED_FOR_GOOD
)
FAMILIES: Final[tuple[Family, ...]] = (SURE, REFUSALS, DOUBTFUL, ANSWERED_ONCE, ANSWERED_FOR_GOOD)
