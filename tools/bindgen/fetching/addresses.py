"""Addresses in a contract, and the hosts that may be asked. The one place that turns http into https."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from urllib.parse import unquote_plus, urljoin, urlsplit, urlunsplit

from soapclient._support.secret_names import is_secret

_NAME = re.compile(r"[a-z0-9_]([a-z0-9_.-]*[a-z0-9_])?|[0-9a-f:.]*:[0-9a-f:.]*")


@dataclass(frozen=True, slots=True)
class Hosts:
    """A set of host names, in lower case and without port; None stands for all of them."""

    names: frozenset[str] | None = None

    @classmethod
    def of(cls, urls: Iterable[str], allowed: Iterable[str] = ()) -> Hosts:
        """The hosts of some addresses, and those named besides. Raises AddressError for what is no name."""
        own = {urlsplit(url).hostname or "" for url in urls}
        return cls(frozenset(own | {host_name(text) for text in allowed}))

    def admit(self, url: str) -> bool:
        """Whether the host of an address may be asked. Its port makes no difference."""
        return self.names is None or urlsplit(url).hostname in self.names


def host_name(text: str) -> str:
    """A host name as it is compared. Raises AddressError for an address, a port, or no name at all."""
    name = text.strip().lower().removeprefix("[").removesuffix("]")
    if not _NAME.fullmatch(name):
        raise AddressError(f"must be a host name such as schemas.example.org, got {text!r}")
    return name


def how_to_allow(url: str) -> str:
    """What to do about an address whose host may not be asked."""
    return f"if that host is to be trusted, allow it with --allow-host {urlsplit(url).hostname}"


_LOOPBACK_HOSTS = frozenset({"127.0.0.1", "localhost", "::1"})
_XML_WHITESPACE = " \t\r\n"
_CREDENTIALS = re.compile(r"(?<=//)[^/?#]*@")
_PARAMETER = re.compile(r"(?<=[?&])(?P<name>[^=&#\s]+)=[^&#\s]*")


class AddressError(ValueError):
    """An address that may not be fetched; the message says why."""


def is_loopback(url: str) -> bool:
    """Whether the address is this very machine, where http is as good as https."""
    return urlsplit(url).hostname in _LOOPBACK_HOSTS


def leads_here(url: str, base_url: str) -> bool:
    """Whether an address is this very machine, in any spelling, and the one that names it is not.

    What lives elsewhere leads to nothing that listens on the machine of whoever fetches it.
    """
    from soapclient.transport.reach import is_this_machine

    here, there = (urlsplit(each).hostname or "" for each in (url, base_url))
    return is_this_machine(here) and not is_this_machine(there)


def normalise(url: str, without_tls: Collection[str] = ()) -> str:
    """An absolute http(s) address in the one form used as its identity.

    No fragment, host in lower case, and http read as https except on a loopback host (all addresses of
    the service are https) and on those in `without_tls`. Raises AddressError for every other scheme, for a
    missing host and for an address that carries a user name or password.
    """
    try:
        parts = urlsplit(url.strip(_XML_WHITESPACE))
        port = parts.port
    except ValueError:
        # Without its text, which may quote what stands before an "@".
        raise AddressError("is not a well-formed address") from None
    if parts.scheme not in ("http", "https"):
        raise AddressError(f"has the scheme {parts.scheme!r}; only https is fetched")
    if not parts.hostname:
        raise AddressError("names no host")
    if "@" in parts.netloc:
        raise AddressError("carries credentials, and none are ever sent")
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    scheme = "https"
    if parts.scheme == "http" and (is_loopback(url) or parts.hostname in without_tls):
        scheme = "http"
    elif parts.scheme == "http" and port == 80:
        port = None
    netloc = host if port is None else f"{host}:{port}"
    return urlunsplit((scheme, netloc, parts.path, parts.query, ""))


def resolve(base_url: str, location: str) -> str:
    """The normalised address that `location` names inside the document at `base_url`, which is normalised:
    where that came without TLS, its host is asked so for others, too."""
    return normalise(join(base_url, location), without_tls(base_url))


def without_tls(url: str) -> tuple[str, ...]:
    """The host of a normalised http address; none of an https one."""
    parts = urlsplit(url)
    return (parts.hostname or "",) if parts.scheme == "http" else ()


def join(base_url: str, location: str) -> str:
    """The address `location` names inside `base_url`, as written there: its scheme is not changed yet."""
    try:
        return urljoin(base_url, location.strip(_XML_WHITESPACE))
    except ValueError:
        raise AddressError("is not a well-formed address") from None


def is_relative(location: str) -> bool:
    """Whether a location has neither scheme nor host, so that a folder could stand for its base."""
    try:
        parts = urlsplit(location.strip(_XML_WHITESPACE))
    except ValueError:
        raise AddressError("is not a well-formed address") from None
    return not parts.scheme and not parts.netloc


def read_as_https(url: str, without_tls: Collection[str] = ()) -> str | None:
    """The https address that an http one is read as; None for an address that is read as it is written."""
    try:
        normalised = normalise(url, without_tls)
    except AddressError:
        return None
    written = urlsplit(url.strip(_XML_WHITESPACE)).scheme
    return normalised if written == "http" and normalised.startswith("https:") else None


def is_placeholder(url: str) -> bool:
    """Whether an address names no host that there could be (RFC 2606: `.invalid` is nobody's)."""
    try:
        host = urlsplit(url.strip(_XML_WHITESPACE)).hostname or ""
    except ValueError:
        return False
    return host == "invalid" or host.endswith(".invalid")


def redacted(text: str) -> str:
    """Return an address as errors show it: without user and password, and without keys in its query."""
    return _PARAMETER.sub(_without_secret, _CREDENTIALS.sub("…@", text))


def _without_secret(parameter: re.Match[str]) -> str:
    return f"{parameter['name']}=…" if is_secret(unquote_plus(parameter["name"])) else parameter[0]
