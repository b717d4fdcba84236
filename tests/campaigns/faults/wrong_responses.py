"""Complete but wrong responses: pages, faults without details, responses to other requests."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from ..wire import Response, response
from .kinds import Fault

if TYPE_CHECKING:
    from ..proxy import Exchange

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


def _told(exchange: Exchange, happens: bool) -> None:
    if happens:
        exchange.passed_on()
    else:
        assert exchange.body is not None


def _page(happens: bool) -> Callable[[Exchange], None]:
    def act(exchange: Exchange) -> None:
        _told(exchange, happens)
        body, media = exchange.random.choice(_PAGES)
        exchange.give(response(200, body, media))

    return act


def _empty(happens: bool) -> Callable[[Exchange], None]:
    def act(exchange: Exchange) -> None:
        _told(exchange, happens)
        media = exchange.random.choice(("text/xml", "application/json", "application/xml", ""))
        exchange.give(response(exchange.random.choice((200, 202, 204)), b"", media))

    return act


def _fault(happens: bool, *, detailed: bool = False) -> Callable[[Exchange], None]:
    def act(exchange: Exchange) -> None:
        _told(exchange, happens)
        exchange.give(_fault_for(exchange, detailed=detailed))

    return act


def _fault_for(exchange: Exchange, *, detailed: bool) -> Response:
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


PAGES = (
    Fault("a page with 200 before the service", _page(happens=False)),
    Fault("a page with 200 after the service", _page(happens=True)),
)
EMPTY = (
    Fault("an empty response before the service", _empty(happens=False)),
    Fault("an empty response after the service", _empty(happens=True)),
)
FAULTS = (
    Fault("a fault without detail before the service", _fault(happens=False)),
    Fault("a fault without detail after the service", _fault(happens=True)),
    Fault("a fault of code 500 before the service", _fault(happens=False, detailed=True)),
    Fault("a fault of code 500 after the service", _fault(happens=True, detailed=True)),
)
OTHERS = (Fault("the response to another operation", _other(in_json=False)),)
# JSON has no root name. The members of a response identify its operation.
NAMELESS = (Fault("the response to another operation, in JSON", _other(in_json=True)),)
