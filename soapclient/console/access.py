"""Access to the console: its token, its cookie, and the limits of posted forms."""

from __future__ import annotations

from collections.abc import Callable
from hmac import compare_digest
from typing import Final
from urllib.parse import quote, urlsplit

from werkzeug.wrappers import Request, Response

_COOKIE: Final = "soapclient-console-{}"  # with the port: browsers send cookies to all ports of a host
_MAX_FIELDS: Final = 10_000  # of a posted form
_FORMS: Final = ("application/x-www-form-urlencoded", "multipart/form-data")


class ConsoleRequest(Request):
    """A request to the console. The size of its body is limited."""

    max_content_length = max_form_memory_size = 4_000_000
    max_form_parts = _MAX_FIELDS


def refusal_of(
    request: Request, console_token: str, problem: Callable[[int, str], Response]
) -> Response | None:
    """Check if a request is allowed. Return None if so, and otherwise the response to send.

    The response is an error page or, if the address has the correct token, a redirect that sets the cookie.
    `problem` is a function that creates an error page from a status and a text.
    """
    cookie = _COOKIE.format(_port(f"//{request.host}"))
    if request.method == "GET" and (token := request.args.get("token")) is not None:
        if not compare_digest(token.encode(errors="replace"), console_token.encode()):
            return problem(403, "The token is wrong. Open the address that the console printed.")
        path = "/" + quote(request.path.lstrip("/"))  # never `//other.example`, nor a line break
        response = Response(status=303, headers={"Location": path})
        response.set_cookie(cookie, console_token, httponly=True, samesite="Strict", path="/")
        return response
    token = request.cookies.get(cookie, "")
    if not compare_digest(token.encode(errors="replace"), console_token.encode()):
        return problem(403, "This page requires a token. Open the address that the console printed.")
    if request.method == "POST":
        if request.mimetype not in _FORMS:
            return problem(415, "The request must be a form.")
        if len(request.form) > _MAX_FIELDS:
            return problem(413, f"A form must have at most {_MAX_FIELDS} fields.")
    elif request.method not in ("GET", "HEAD"):
        return problem(405, f"The method must be GET, HEAD or POST, got {request.method}.")
    return None


def _port(address: str) -> int:
    """Return the port of an address, by default 80. Returns 0 if the address is invalid."""
    try:
        return urlsplit(address).port or 80
    except ValueError:
        return 0
