"""Guard against server-side request forgery (SSRF) by URLs that come from a service.

For example, a service sends the URL of a job's file, of an imported document, or of a redirect. The
configured host may be in any network. Any other host must be in a public network or in the same kind of
network as the configured host (docs/how-to/proxy-and-tls.md#addresses-that-others-name).

An address is recognised in every spelling. If a host name has several addresses, all of them are checked. The
connection uses the addresses that were checked, so that another DNS lookup cannot return different ones.
"""

from __future__ import annotations

import ipaddress
import re
import socket
import unicodedata
from collections.abc import Callable, Collection, Iterator
from typing import Final, Literal
from urllib.parse import urlsplit

from soapclient._support.lazy_pattern import LazyPattern

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Range = ipaddress.IPv4Network | ipaddress.IPv6Network
Resolve = Callable[[str, int], Collection[str]]
Network = Literal[
    "public",
    "private",
    "loopback",
    "link-local",
    "metadata",
    "shared",
    "multicast",
    "unspecified",
    "reserved",
]

SETTING: Final = "allow_private"
_DESCRIPTIONS: Final = {
    "private": "a private address",
    "loopback": "an address of this machine",
    "link-local": "a link-local address",
    "metadata": "the metadata service of a cloud",
    "shared": "an address of a carrier-grade NAT",
    "multicast": "a multicast address",
    "unspecified": "an unspecified address",
    "reserved": "a reserved address",
}

# From the registries of special addresses (RFC 6890 and later additions), the narrowest ranges first.
_TABLE: Final[tuple[tuple[Network, tuple[str, ...]], ...]] = (
    (
        "metadata",
        # metadata services: most clouds, Oracle, Alibaba, Azure, and AWS over IPv6
        ("169.254.169.254", "192.0.0.192", "100.100.100.200", "168.63.129.16", "fd00:ec2::254"),
    ),
    ("loopback", ("127.0.0.0/8", "::1")),
    ("unspecified", ("0.0.0.0/8", "::")),
    ("private", ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7", "fec0::/10", "64:ff9b:1::/48")),
    ("link-local", ("169.254.0.0/16", "fe80::/10")),
    ("shared", ("100.64.0.0/10",)),
    ("multicast", ("224.0.0.0/4", "ff00::/8")),
    (
        "reserved",
        (
            "192.0.0.0/24",
            "192.0.2.0/24",
            "192.88.99.0/24",
            "198.18.0.0/15",
            "198.51.100.0/24",
            "203.0.113.0/24",
            "240.0.0.0/4",
            "2001::/23",
            "2001:db8::/32",
            "3fff::/20",
        ),
    ),
    ("public", ("0.0.0.0/0", "2000::/3")),
)
_NETWORKS: Final = tuple((network, tuple(map(ipaddress.ip_network, ranges))) for network, ranges in _TABLE)
# IPv6 addresses that represent the IPv4 address in their last 32 bits: IPv4-mapped, NAT64.
_REPRESENTING_IPV4: Final = tuple(map(ipaddress.IPv6Network, ("::ffff:0:0/96", "64:ff9b::/96")))
_COMPATIBLE: Final = ipaddress.IPv6Network("::/96")
_ISATAP: Final = frozenset({0x00005EFE, 0x02005EFE})
_DOTS: Final = str.maketrans("\u3002\uff61", "..")  # dots in IDNA (RFC 3490, 3.1)
_NUMBERS: Final = LazyPattern(r"[0-9a-fx.]*[0-9a-f]", re.ASCII)
# Networks of names that are never in the public DNS (RFC 6761, 6762, 8375; ICANN: internal).
_NAMES: Final[tuple[tuple[str, Network], ...]] = (
    ("localhost", "loopback"),
    ("localhost.localdomain", "loopback"),
    ("localdomain", "private"),
    ("local", "private"),
    ("internal", "private"),
    ("home.arpa", "private"),
)
_MAX_ADDRESSES: Final = 4  # addresses of one host; they share the time to connect


class HostForbidden(Exception):
    """The client must not connect to a host.

    `host` is the name in the URL. `found` is its address, or None if the host is forbidden because of its
    name. `home` is the configured host.
    """

    def __init__(self, host: str, found: str | None, network: Network, home: str) -> None:
        self.host = host
        self.found = found
        self.network = network
        self.home = home
        message = f"{host} is {_DESCRIPTIONS[network]}"
        if found is None:
            message = f"{host} is a name for {_DESCRIPTIONS[network]}"
        elif found != host:
            message = f"{host} has the address {found}, {_DESCRIPTIONS[network]}"
        super().__init__(f"{message}, but {home or 'the contract'} is in another network")

    @property
    def advice(self) -> str:
        """Advice to a user who wants to connect to this host."""
        return f"If you trust it, set '{SETTING}' to {self.found or self.host}"


def network_of(address: Address) -> Network:
    """Return the kind of network of an address, such as "public" or "private".

    If an IPv6 address embeds an IPv4 address that is not public, the network of the IPv4 address is returned.
    """
    network = _network_in_table(address)
    if isinstance(address, ipaddress.IPv4Address) or network in ("loopback", "unspecified", "metadata"):
        return network
    inner = [_network_in_table(inner_address) for inner_address in _embedded(address)]
    represents_ipv4 = any(address in inner_address for inner_address in _REPRESENTING_IPV4)
    return next(
        (inner_address for inner_address in inner if inner_address != "public"),
        "public" if represents_ipv4 else network,
    )


def _network_in_table(address: Address) -> Network:
    """Return the kind of network of an address. Ignores IPv4 addresses that are embedded in it."""
    for network, ranges in _NETWORKS:
        if any(address in item for item in ranges if item.version == address.version):
            return network
    return "reserved"  # IPv6 ranges that are not assigned


def _embedded(address: ipaddress.IPv6Address) -> Iterator[ipaddress.IPv4Address]:
    """Yield the IPv4 addresses in an IPv6 address: mapped, NAT64, ISATAP, 6to4, Teredo."""
    number = int(address)
    has_ipv4_suffix = any(address in prefix for prefix in (*_REPRESENTING_IPV4, _COMPATIBLE))
    if has_ipv4_suffix or (number >> 32) & 0xFFFFFFFF in _ISATAP:
        yield ipaddress.IPv4Address(number & 0xFFFFFFFF)
    if address.sixtofour is not None:
        yield address.sixtofour
    if address.teredo is not None:
        yield from address.teredo


def network_named(host: str) -> Network | None:
    """Return the kind of network of a host without a DNS lookup; None if only a lookup can tell.

    The host may be an address in any spelling that libraries accept (`2130706433`, `0x7f.1`,
    `[::ffff:7f00:1]`), or a name that is reserved for this machine or this network.
    """
    if (address := literal(host)) is not None:
        return network_of(address)
    name = _normalized(host)
    for ending, network in _NAMES:
        if name == ending or name.endswith(f".{ending}"):
            return network
    return None if "." in name else "private"  # a name without a dot is in this network


def literal(host: str) -> Address | None:
    """Return a host as an address if it is one, in any spelling. None if it is a name."""
    name = _normalized(host)
    try:
        return ipaddress.ip_address(name)
    except ValueError:
        pass
    if not _NUMBERS.fullmatch(name):
        return None
    try:
        return ipaddress.IPv4Address(socket.inet_aton(name))
    except (OSError, ValueError):
        return None


def _normalized(host: str) -> str:
    """Return a host in lower case and in one Unicode form, without brackets and a final dot."""
    return unicodedata.normalize("NFKC", host).translate(_DOTS).lower().strip("[]").rstrip(".")


def is_this_machine(host: str) -> bool:
    """Return True if a host is this machine, in any spelling."""
    return network_named(host) in ("loopback", "unspecified")


def resolved(host: str, port: int) -> list[str]:
    """Look up a host, and return its addresses. Raises socket.gaierror and UnicodeError."""
    results = socket.getaddrinfo(host.strip("[]"), port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(address[0]) for *_, address in results))


class SsrfGuard:
    """Decides to which hosts a session may connect, by their kind of network. Thread-safe.

    `home` is the configured host. `allowed` are hosts, addresses and networks that are not checked; True
    allows all (setting `allow_private`). `resolve` looks up names, `network_of` classifies addresses.
    """

    def __init__(
        self,
        home: str,
        allowed: bool | Collection[str] = (),
        *,
        resolve: Resolve = resolved,
        network_of: Callable[[Address], Network] = network_of,
    ) -> None:
        self.home = _normalized(home)
        self._all = allowed is True
        entries = () if isinstance(allowed, bool) else tuple(allowed)
        self._names = frozenset(map(_normalized, entries))
        self._ranges = tuple(
            network_range for entry in entries if (network_range := range_of(entry)) is not None
        )
        self._resolve = resolve
        self._network_of = network_of
        self._own: frozenset[Network] | None = None

    def check(self, url: str) -> None:
        """Check the host of a URL without a DNS lookup.

        With a proxy, this is the only check, because the proxy looks up names. Raises HostForbidden.
        """
        host = urlsplit(url).hostname or ""
        if self._is_exempt(host):
            return
        if (address := literal(host)) is not None:
            self._check_address(host, address)
        elif (network := network_named(host)) is not None and network not in self._networks():
            raise HostForbidden(host, None, network, self.home)

    def addresses(self, host: str, port: int) -> list[str]:
        """Look up and check all addresses of a host. Return the addresses to try for a connection, at most 4.

        Raises HostForbidden, socket.gaierror and UnicodeError.
        """
        results = list(self._resolve(host, port))
        if not self._is_exempt(host):
            for address_text in results:
                self._check_address(host.strip("[]"), ipaddress.ip_address(address_text))
        return results[:_MAX_ADDRESSES]

    def _is_exempt(self, host: str) -> bool:
        """Return True if a host may be in any network: the configured host, or an entry of `allowed`."""
        name = _normalized(host)
        return self._all or name == self.home or name in self._names

    def _check_address(self, host: str, address: Address) -> None:
        """Raise HostForbidden if an address is not in an allowed network."""
        network = self._network_of(address)
        if network == "public" or any(address in item for item in self._ranges):
            return
        if network not in self._networks():
            raise HostForbidden(host, str(address), network, self.home)

    def _networks(self) -> frozenset[Network]:
        """Return the kinds of network to which the client may connect, besides public networks.

        These are the kinds of the configured host's addresses, except "metadata" (metadata services of
        clouds). The set is empty if one of the host's addresses is public.
        """
        if self._own is None:
            networks: set[Network] = set()
            try:
                if (address := literal(self.home)) is not None:
                    networks = {self._network_of(address)}
                elif self.home:
                    texts = self._resolve(self.home, 443)
                    networks = {self._network_of(ipaddress.ip_address(text)) for text in texts}
            except (OSError, UnicodeError):  # if a proxy is used, this machine may be unable to look up names
                named_network = network_named(self.home)
                networks = set() if named_network is None else {named_network}
            self._own = frozenset() if "public" in networks else frozenset(networks - {"metadata"})
        return self._own


def range_of(entry: str) -> Range | None:
    """Convert an entry of `allow_private` to a network. Returns None if the entry is a host name.

    A single address becomes a network with only this address.
    """
    try:
        return ipaddress.ip_network(entry.strip("[]"))
    except ValueError:
        return None
