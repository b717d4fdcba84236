"""Guard of a local HTTP server. It checks requests before the application gets them.

A web page of any site can send requests to this machine. If the site lets its own host name resolve to
127.0.0.1 (DNS rebinding), the page can also read the responses. So three things are checked:

- The header `Host` must be a loopback name or address, the host that the server listens on, or one of
  `allow_hosts`.
- A request with the header `Origin` must come from a page with the same host and port.
- If other machines can reach the server, paths below `/-/` need `Authorization: Bearer TOKEN`.
"""

from __future__ import annotations

import ipaddress
import re
import secrets
from collections.abc import Iterable
from hmac import compare_digest
from typing import TYPE_CHECKING

from werkzeug.wrappers import Request, Response

from .switchboard import PREFIX

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

_AUTHORITY = re.compile(r"(\[[0-9a-fA-F:.]+\]|[A-Za-z0-9._-]+)(:[0-9]{1,5})?", re.ASCII)
_MAX_NAME = 253
_UNSPECIFIED = {"0.0.0.0", "::"}
_PROXY_FIX = "werkzeug.proxy_fix.orig"  # the environ before X-Forwarded-Host was applied


class Guard:
    """Refuses requests from pages of other sites and, for paths below `/-/`, requests without the token.

    If only this machine can reach the server, `token` is None, and no token is required.
    """

    def __init__(self, host: str, allow_hosts: Iterable[str] = (), *, trust_forwarded: bool = False) -> None:
        """Set the hosts that requests may name, and create the token if other machines can reach the server.

        `host` is the name or address on which the server listens. `allow_hosts` are further names or
        addresses that the header `Host` may have. `trust_forwarded` is True if a proxy is in front of the
        server, so that other machines can reach it.

        Raises ValueError if one of `allow_hosts` is not a host, TypeError if `allow_hosts` is a string.
        """
        if isinstance(allow_hosts, str):
            raise TypeError(f"allow_hosts must be a list of hosts such as ['sandbox'], got {allow_hosts!r}")
        extra = {_allowed(name) for name in allow_hosts}
        self._hosts = {_normalized(host), *extra} - _UNSPECIFIED
        reachable = trust_forwarded or bool(extra) or not _is_loopback(_normalized(host))
        self.token = secrets.token_urlsafe(32) if reachable else None

    def protect(self, application: WSGIApplication) -> WSGIApplication:
        """Return a WSGI application that passes only permitted requests to `application`."""

        def guarded(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
            """Pass a request to the application, or refuse it."""
            refusal = self._refusal(environ)
            return (application if refusal is None else refusal)(environ, start_response)

        return guarded

    def _refusal(self, environ: WSGIEnvironment) -> Response | None:
        """Return the error response for a request that is not permitted; None if the request is permitted."""
        own = environ.get(_PROXY_FIX, environ).get("HTTP_HOST") or ""
        host = _host(own)
        if host is None or not (_is_loopback(host) or host in self._hosts):
            name = repr(own[:_MAX_NAME])
            advice = "Use 127.0.0.1, or name the host with --allow-host, in Python with allow_hosts."
            return _refused(421, f"the request was refused: the host {name} is not allowed. {advice}")
        origin = environ.get("HTTP_ORIGIN")
        if origin is not None and not _same_site(origin, (own, environ.get("HTTP_HOST", ""))):
            text = "the request was refused: a page of another site sent it. Use a page of this server."
            return _refused(403, text)
        if self.token is not None and Request(environ).path.startswith(PREFIX):
            scheme, _, token = environ.get("HTTP_AUTHORIZATION", "").partition(" ")
            equal = compare_digest(token.encode(errors="replace"), self.token.encode())
            if scheme.lower() != "bearer" or not equal:
                text = (
                    f"{PREFIX} requires a token, because other machines can reach this server. "
                    "Send 'Authorization: Bearer TOKEN' with the token of the server."
                )
                return _refused(401, text, {"WWW-Authenticate": "Bearer"})
        return None


def _refused(status: int, text: str, headers: dict[str, str] | None = None) -> Response:
    """Return a response that refuses a request, with this status and text."""
    return Response(f"{text}\n", status, headers, content_type="text/plain; charset=utf-8")


def _allowed(name: str) -> str:
    """Return a host in `allow_hosts` in normalized form. Raises ValueError if it is not a host."""
    host = _host(f"[{name}]" if ":" in name and not name.startswith("[") else name)
    if host is None or name.partition("]")[2]:
        raise ValueError(f"allow_hosts: {name!r} is not a host. Name one without port, such as sandbox")
    return host


def _host(authority: str) -> str | None:
    """Return the normalized host in `host` or `host:port`. Return None if the text is not valid."""
    match = _AUTHORITY.fullmatch(authority)
    if match is None or len(match[1]) > _MAX_NAME:
        return None
    host = _normalized(match[1].strip("[]"))
    return None if ":" in host and not _is_address(host) else host


def _normalized(host: str) -> str:
    """Return a host name in lower case, or an IP address in its standard form without brackets."""
    try:
        return str(ipaddress.ip_address(host))
    except ValueError:
        return host.lower().removesuffix(".")


def _is_address(host: str) -> bool:
    """Return True if a host is an IP address."""
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


def _is_loopback(host: str) -> bool:
    """Return True if a host is this machine's loopback name or address."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _same_site(origin: str, authorities: Iterable[str]) -> bool:
    """Return True if `origin`, an Origin header, is an http or https origin of one of `authorities`.

    An authority is `host` or `host:port`.
    """
    scheme, separator, authority = origin.partition("://")
    names = {name.lower() for name in authorities if name}
    return bool(separator) and scheme in ("http", "https") and authority.lower() in names
