"""Resolve and normalise the addresses in contracts, and check if their hosts may be requested.

Only this module converts http addresses to https.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from urllib.parse import unquote_plus, urljoin, urlsplit, urlunsplit

from soapclient._support.secret_names import is_secret

_NAME = re.compile(r"[a-z0-9_]([a-z0-9_.-]*[a-z0-9_])?|[0-9a-f:.]*:[0-9a-f:.]*")


@dataclass(frozen=True, slots=True)
class Hosts:
    """The hosts that may be requested.

    `names` are the host names in lower case and without port. If `names` is None, all hosts are allowed.
    """

    names: frozenset[str] | None = None

    @classmethod
    def of(cls, urls: Iterable[str], allowed: Iterable[str] = ()) -> Hosts:
        """Create a `Hosts` that allows the hosts of the addresses `urls` and the host names in `allowed`.

        Raises AddressError if a name in `allowed` is invalid.
        """
        hosts = {urlsplit(url).hostname or "" for url in urls}
        return cls(frozenset(hosts | {host_name(text) for text in allowed}))

    def admit(self, url: str) -> bool:
        """Return True if the host of an address may be requested. The port makes no difference."""
        return self.names is None or urlsplit(url).hostname in self.names


def host_name(text: str) -> str:
    """Normalise a host name for comparison.

    Raises AddressError if `text` is an address, has a port, or is empty.
    """
    name = text.strip().lower().removeprefix("[").removesuffix("]")
    if not _NAME.fullmatch(name):
        raise AddressError(f"must be a host name such as schemas.example.org, got {text!r}")
    return name


def how_to_allow(url: str) -> str:
    """Return the advice for an error message that tells the user how to allow the host of `url`."""
    return f"if you trust the host, allow it with --allow-host {urlsplit(url).hostname}"


_LOOPBACK_HOSTS = frozenset({"127.0.0.1", "localhost", "::1"})
_XML_WHITESPACE = " \t\r\n"
_CREDENTIALS = re.compile(r"(?<=//)[^/?#]*@")
_PARAMETER = re.compile(r"(?<=[?&])(?P<name>[^=&#\s]+)=[^&#\s]*")


class AddressError(ValueError):
    """Raised if an address may not be fetched.

    The message says why. It begins with a verb: callers put the address in front of it.
    """


def is_loopback(url: str) -> bool:
    """Return True if the address is on a loopback host, so that http is as safe as https."""
    return urlsplit(url).hostname in _LOOPBACK_HOSTS


def leads_here(url: str, base_url: str) -> bool:
    """Return True if `url` points to this machine, in any notation of its host, but `base_url` does not.

    `base_url` is the address of the document that refers to `url`. A document from another host must not make
    the user's machine request its own local services.
    """
    from soapclient.transport.ssrf_guard import is_this_machine

    host, base_host = (urlsplit(address).hostname or "" for address in (url, base_url))
    return is_this_machine(host) and not is_this_machine(base_host)


def normalise(url: str, without_tls: Collection[str] = ()) -> str:
    """Normalise an absolute http(s) address, so that documents can be identified by it.

    The fragment is removed and the host is in lower case. http becomes https, except on loopback hosts and
    on hosts in `without_tls`. Raises AddressError for any other scheme, a missing host, and an address
    with a user name or password.
    """
    try:
        parts = urlsplit(url.strip(_XML_WHITESPACE))
        port = parts.port
    except ValueError:
        # Do not show the text: it may contain credentials before an "@".
        raise AddressError("is not a well-formed address") from None
    if parts.scheme not in ("http", "https"):
        raise AddressError(f"has the scheme {parts.scheme!r}; only https is fetched")
    if not parts.hostname:
        raise AddressError("has no host")
    if "@" in parts.netloc:
        raise AddressError("contains credentials, which are never sent")
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    scheme = "https"
    if parts.scheme == "http" and (is_loopback(url) or parts.hostname in without_tls):
        scheme = "http"
    elif parts.scheme == "http" and port == 80:
        port = None
    netloc = host if port is None else f"{host}:{port}"
    return urlunsplit((scheme, netloc, parts.path, parts.query, ""))


def resolve(base_url: str, location: str) -> str:
    """Return the normalised address that `location` has in the document at `base_url`.

    `base_url` must be normalised. If it is an http address, addresses on its host stay http.
    """
    return normalise(join(base_url, location), without_tls(base_url))


def without_tls(url: str) -> tuple[str, ...]:
    """Return the argument `without_tls` for `normalise`: the host of `url` if `url` is http, else ()."""
    parts = urlsplit(url)
    return (parts.hostname or "",) if parts.scheme == "http" else ()


def join(base_url: str, location: str) -> str:
    """Return the absolute address of `location` in the document at `base_url`. http stays http.

    Raises AddressError if the location is not well-formed.
    """
    try:
        return urljoin(base_url, location.strip(_XML_WHITESPACE))
    except ValueError:
        raise AddressError("is not a well-formed address") from None


def is_relative(location: str) -> bool:
    """Return True if a location has neither a scheme nor a host, so that it may be a file in a folder.

    Raises AddressError if the location is not well-formed.
    """
    try:
        parts = urlsplit(location.strip(_XML_WHITESPACE))
    except ValueError:
        raise AddressError("is not a well-formed address") from None
    return not parts.scheme and not parts.netloc


def read_as_https(url: str, without_tls: Collection[str] = ()) -> str | None:
    """Return the https address to which `normalise` converts an http address.

    Returns None if `url` is not an http address, is not allowed, or stays http.
    """
    try:
        normalised = normalise(url, without_tls)
    except AddressError:
        return None
    written = urlsplit(url.strip(_XML_WHITESPACE)).scheme
    return normalised if written == "http" and normalised.startswith("https:") else None


def is_placeholder(url: str) -> bool:
    """Return True if the host of an address is reserved and never exists (`.invalid`, RFC 2606)."""
    try:
        host = urlsplit(url.strip(_XML_WHITESPACE)).hostname or ""
    except ValueError:
        return False
    return host == "invalid" or host.endswith(".invalid")


def redacted(text: str) -> str:
    """Return an address as it may be shown in an error message.

    The user, the password and the values of secret query parameters are replaced by "…".
    """
    return _PARAMETER.sub(_without_secret, _CREDENTIALS.sub("…@", text))


def _without_secret(parameter: re.Match[str]) -> str:
    """Return a query parameter as text. If its name suggests a secret, such as a key, "…" is its value."""
    return f"{parameter['name']}=…" if is_secret(unquote_plus(parameter["name"])) else parameter[0]
