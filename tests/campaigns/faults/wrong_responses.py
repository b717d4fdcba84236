"""Complete but wrong responses: pages, faults without details, responses to other requests, other parts."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from random import Random
from typing import Final

from ..proxy import Exchange
from ..wire import Response, response
from .kinds import Family, Fault, giving, take

_PARTIAL: Final = 206
_PAGES: Final = (
    (b"<html><body>Please log in<br></body></html>", "text/html; charset=utf-8"),
    (b"<!DOCTYPE html>\n<html><body>Please log in</body></html>", "text/html"),
    (b'<html xmlns="http://www.w3.org/1999/xhtml"><body>Log in</body></html>', "application/xhtml+xml"),
    (b"<html><body>Please log in</body></html>", "text/xml; charset=utf-8"),
    (b'<html><body>Please log in</body></html>', "application/json"),
    (b"Please log in", ""),
)  # fmt: skip
_SOAP_FAULT: Final = (
    '<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body><s:Fault>'
    "<faultcode>s:%s</faultcode><faultstring>something went wrong</faultstring>%s"
    "</s:Fault></s:Body></s:Envelope>"
)
_DETAIL: Final = "<detail><SOAPException><code>500</code><reason>inside</reason></SOAPException></detail>"


def _both(name: str, answer: Callable[[Exchange], Response]) -> Family:
    """Return two faults with the same answer: before the service has the request, and after that."""

    def fault(when: str, *, happens: bool) -> Fault:
        def act(exchange: Exchange) -> None:
            take(exchange, happens=happens)
            exchange.give(answer(exchange))

        return Fault(f"{name} {when} the service", act)

    return fault("before", happens=False), fault("after", happens=True)


def _page(exchange: Exchange) -> Response:
    body, media = exchange.random.choice(_PAGES)
    return response(200, body, media)


def _empty(exchange: Exchange) -> Response:
    media = exchange.random.choice(("text/xml", "application/json", "application/xml", ""))
    return response(exchange.random.choice((200, 202, 204)), b"", media)


def _fault(exchange: Exchange, *, detailed: bool) -> Response:
    """Build a fault with status 500 for the request's protocol."""
    path = exchange.head.start.split(" ")[1]
    if "/soap/" in path:
        body = _SOAP_FAULT % ("Server", _DETAIL if detailed else "")
        return response(500, body.encode(), "text/xml; charset=utf-8")
    said = {"code": "500", "message": "something went wrong", "reason": "inside"} if detailed else {}
    said |= {"message": "something went wrong"}
    if path.startswith("/xml/"):
        inside = "".join(f"<{name}>{text}</{name}>" for name, text in said.items())
        return response(500, f"<response>{inside}</response>".encode(), "application/xml")
    inside = ", ".join(f'"{name}": {text if name == "code" else repr(text)}' for name, text in said.items())
    return response(500, f"{{{inside}}}".replace("'", '"').encode(), "application/json")


def _other(*, in_json: bool) -> Callable[[Exchange], None]:
    def act(exchange: Exchange) -> None:
        own = exchange.passed_on()
        other = exchange.of_another_operation(own) if own.media.endswith("json") == in_json else None
        exchange.give(other or own)

    return act


PAGES = _both("a page with 200", _page)
EMPTY = _both("an empty response", _empty)
FAULTS = (
    *_both("a fault without detail", partial(_fault, detailed=False)),
    *_both("a fault of code 500", partial(_fault, detailed=True)),
)
OTHERS = (Fault("the response to another operation", _other(in_json=False)),)
# JSON has no root name. The members of a response identify its operation.
NAMELESS = (Fault("the response to another operation, in JSON", _other(in_json=True)),)


# ---- wrong responses to range requests; others get the normal response


def _whole(exchange: Exchange) -> None:
    exchange.head = exchange.head.with_field("Range", None)
    exchange.give(exchange.passed_on())


def _other_bytes(answer: Response, random: Random) -> Response:
    """Return the correct Content-Range with bytes from another position."""
    if answer.status != _PARTIAL or len(answer.body) < 2:
        return answer
    place = random.randrange(1, len(answer.body))
    return answer.with_body(answer.body[place:] + answer.body[:place])


def _other_etag(answer: Response, random: Random) -> Response:
    return answer.with_field("ETag", '"another"') if answer.head.get("etag") else answer


def _other_range(answer: Response, random: Random) -> Response:
    size = len(answer.body)
    whole = answer.with_field("Content-Range", f"bytes 0-{size - 1}/{size}")
    return whole if answer.status == _PARTIAL else answer


PARTS = (
    Fault("the whole for a part", _whole),
    Fault("a part of other bytes", giving(_other_bytes)),
    Fault("a part of another range", giving(_other_range)),
    Fault("another ETag", giving(_other_etag)),
)
FAMILIES: Final[tuple[Family, ...]] = (PAGES, EMPTY, FAULTS, OTHERS, NAMELESS, PARTS)
