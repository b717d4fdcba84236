"""Validate and normalize the addresses (URLs) of services."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Collection
from typing import Final
from urllib.parse import urlsplit

from soapclient._support.lazy_pattern import LazyPattern
from soapclient._support.redaction import safe_url, shown
from soapclient.auth.credentials import is_visible_ascii

# True for all hosts, False for none, or a collection of host names in lower case.
AllowHttp = bool | Collection[str]

ALLOWED: Final = (
    "an https address without user info, query and fragment, such as https://service.example/base "
    "(http for this machine only: 127.0.0.1, ::1, localhost, and for hosts of allow_http)"
)
# Percent signs and dot segments are not allowed: libraries rewrite them, so that the path that is sent would
# differ from the signed path.
_PATH: Final = LazyPattern(r"(?:/[A-Za-z0-9._~!$&'()*+,;=:@-]+)*")
_HOST: Final = LazyPattern(r"[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?\.?")
_LAST_PORT: Final = 65535
_VERSION: Final = LazyPattern(r"\d{4}-\d{2}-\d{2}", re.ASCII)


def normal_address(value: str, allow_http: AllowHttp = False) -> str:
    """Return a service's address in normal form: the scheme in lower case, without slashes at the end.

    Raises ValueError if the address is invalid. Its message is the problem, such as "has user info". http is
    allowed only for this machine and for the hosts in `allow_http`.
    """
    if not value or not is_visible_ascii(value):
        raise ValueError("has characters other than visible ASCII")
    if "?" in value or "#" in value:
        raise ValueError("has a query or a fragment")
    scheme, separator, rest = value.partition("://")
    authority, slash, path = rest.partition("/")
    if "@" in authority:
        raise ValueError("has user info")
    if not separator or scheme.lower() not in {"https", "http"}:
        raise ValueError("does not begin with https://")
    path = (slash + path).rstrip("/")
    if not _PATH.fullmatch(path) or any(segment in {".", ".."} for segment in path.split("/")):
        raise ValueError("has a path that libraries may rewrite (dot segments, empty segments, escapes)")
    host = _host_of(f"{scheme}://{authority}")
    if is_placeholder(host):
        raise ValueError("is a placeholder (hosts under .invalid do not exist)")
    if scheme.lower() == "http" and not may_be_http(host, allow_http):
        raise ValueError("is http, which is allowed only for this machine and for hosts of allow_http")
    return f"{scheme.lower()}://{authority}{path}"


def refuse_appended(address: str, *, appended: Collection[str]) -> str:
    """Return `address`, a normalized address, unchanged.

    Raises ValueError if it ends with a segment that the client itself appends.

    The client appends a version (`2011-03-01`) and the segments in `appended` to the address. An address that
    already ends with one of these (ignoring case) was probably copied from a complete request, and is
    refused.
    """
    rest = address
    while True:
        before, _, last = rest.rpartition("/")
        if before.endswith("/") or not (_VERSION.fullmatch(last) or last.lower() in appended):
            break
        rest = before
    if rest != address:
        raise ValueError(f"ends with {address.removeprefix(rest)}, which the client appends: use {rest}")
    return address


def may_be_http(host: str, allow_http: AllowHttp) -> bool:
    """Return True if a host may be called without TLS: this machine, or a host in `allow_http`."""
    if isinstance(allow_http, bool):
        return allow_http or is_loopback(host)
    return is_loopback(host) or host.lower() in allow_http


def is_loopback(host: str) -> bool:
    """Return True if a host (IPv6 without brackets) is this machine: 127.0.0.0/8, ::1, localhost."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host.lower() == "localhost"


def is_placeholder(host: str) -> bool:
    """Return True if a host is under the reserved name `.invalid`, like hosts in the built-in contracts."""
    return host.lower().rstrip(".").rpartition(".")[2] == "invalid"


def shown_address(value: object) -> str:
    """Format an invalid address for an error message, without passwords and tokens."""
    return repr(safe_url(value)) if isinstance(value, str) else shown(value)


def is_host(authority: str) -> bool:
    """Return True if a text is a host name or address, optionally with a port."""
    if set(authority) & set("/?#@"):
        return False
    try:
        return bool(_host_of(f"http://{authority}"))
    except ValueError:
        return False


def _host_of(url: str) -> str:
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
        is_valid = _HOST.fullmatch(host) is not None or ipaddress.ip_address(host) is not None
    except ValueError:
        is_valid, host, port = False, "", None
    if not is_valid or parts.netloc.endswith(":") or (port is not None and not 0 < port <= _LAST_PORT):
        raise ValueError("has no valid host name or port")
    return host
