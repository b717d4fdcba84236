"""Where a fetch may lead that somebody else has named: a job the address of its file, a document the place of
another, a response the target of a redirect.

The configured host may lie anywhere. What is fetched from other hosts has to lie in the public networks, or,
where the configured host itself does not, in the same kind of network as that one
(docs/how-to/proxy-and-tls.md#addresses-that-others-name).
An address is judged whatever its spelling, and a name by all addresses that it has: by the one lookup whose
addresses are then connected to, so that a name cannot mean something else a moment later.
"""

from __future__ import annotations

import ipaddress
import re
import socket
import unicodedata
from collections.abc import Callable, Collection, Iterator
from typing import Final, Literal
from urllib.parse import urlsplit

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
_SAID: Final = {
    "private": "a private address",
    "loopback": "an address of this machine",
    "link-local": "a link-local address",
    "metadata": "the metadata service of a cloud",
    "shared": "an address behind a carrier's NAT",
    "multicast": "a multicast address",
    "unspecified": "no address of a host",
    "reserved": "a reserved address",
}

# The registries of special addresses (RFC 6890 and what has been added), the narrowest first.
_TABLE: Final[tuple[tuple[Network, tuple[str, ...]], ...]] = (
    (
        "metadata",
        # those of the clouds: most of them, Oracle's, Alibaba's, Azure's, and that of AWS over IPv6
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
# IPv6 addresses with an IPv4 one in their last 32 bits, which they stand for: mapped, NAT64.
_STANDING_FOR: Final = tuple(map(ipaddress.IPv6Network, ("::ffff:0:0/96", "64:ff9b::/96")))
_COMPATIBLE: Final = ipaddress.IPv6Network("::/96")
_ISATAP: Final = frozenset({0x00005EFE, 0x02005EFE})
_DOTS: Final = str.maketrans("\u3002\uff61", "..")  # as IDNA reads them (RFC 3490, 3.1)
_NUMBERS: Final = re.compile(r"[0-9a-fx.]*[0-9a-f]", re.ASCII)
# What names mean that no registry of the world has (RFC 6761, 6762, 8375; ICANN: internal).
_NAMES: Final[tuple[tuple[str, Network], ...]] = (
    ("localhost", "loopback"),
    ("localhost.localdomain", "loopback"),
    ("localdomain", "private"),
    ("local", "private"),
    ("internal", "private"),
    ("home.arpa", "private"),
)
_MOST_TRIED: Final = 4  # addresses of one host, the time to connect being shared among them


class Forbidden(Exception):
    """Nothing may be fetched there. `host` is as it was named, `found` its address, None where its name tells
    enough; `home` is the configured host."""

    def __init__(self, host: str, found: str | None, network: Network, home: str) -> None:
        self.host = host
        self.found = found
        self.network = network
        self.home = home
        meant = f"{host} is {_SAID[network]}"
        if found is None:
            meant = f"{host} names {_SAID[network]}"
        elif found != host:
            meant = f"{host} has the address {found}, {_SAID[network]}"
        super().__init__(f"{meant}, and {home or 'the contract'} does not lie there")

    @property
    def advice(self) -> str:
        """What to do where it is meant so."""
        return f"If that is to be trusted, set '{SETTING}' to {self.found or self.host}"


def network_of(address: Address) -> Network:
    """The kind of network that an address lies in; of one with another in it, the other's."""
    found = _listed(address)
    if isinstance(address, ipaddress.IPv4Address) or found in ("loopback", "unspecified", "metadata"):
        return found
    inner = [_listed(each) for each in _embedded(address)]
    stands_for = any(address in each for each in _STANDING_FOR)
    return next((each for each in inner if each != "public"), "public" if stands_for else found)


def _listed(address: Address) -> Network:
    for network, ranges in _NETWORKS:
        if any(address in each for each in ranges if each.version == address.version):
            return network
    return "reserved"  # of IPv6, all that has not been given out


def _embedded(address: ipaddress.IPv6Address) -> Iterator[ipaddress.IPv4Address]:
    number = int(address)
    ends_so = any(address in each for each in (*_STANDING_FOR, _COMPATIBLE))
    if ends_so or (number >> 32) & 0xFFFFFFFF in _ISATAP:
        yield ipaddress.IPv4Address(number & 0xFFFFFFFF)
    if address.sixtofour is not None:
        yield address.sixtofour
    if address.teredo is not None:
        yield from address.teredo


def network_named(host: str) -> Network | None:
    """The network that a host names by itself, without a lookup: an address in any spelling that libraries
    take (`2130706433`, `0x7f.1`, `[::ffff:7f00:1]`), or a name that means this machine or this network. None
    for all other names."""
    if (address := literal(host)) is not None:
        return network_of(address)
    name = _plain(host)
    for ending, network in _NAMES:
        if name == ending or name.endswith(f".{ending}"):
            return network
    return None if "." in name else "private"  # a name of one label is one of this network


def literal(host: str) -> Address | None:
    """The address that a host is, in any spelling; None for a name."""
    name = _plain(host)
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


def _plain(host: str) -> str:
    return unicodedata.normalize("NFKC", host).translate(_DOTS).lower().strip("[]").rstrip(".")


def is_this_machine(host: str) -> bool:
    """Whether a host names this very machine, in any spelling."""
    return network_named(host) in ("loopback", "unspecified")


def resolved(host: str, port: int) -> list[str]:
    """The addresses of a host, as the machine looks it up. Raises socket.gaierror, and UnicodeError."""
    found = socket.getaddrinfo(host.strip("[]"), port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(address[0]) for *_, address in found))


class Reach:
    """What may be fetched besides what the configured host has. Threads may share it.

    `home` is the configured host; `allowed` are hosts, addresses and networks that are not judged, or True
    for all (setting `allow_private`). `resolve` looks names up, `network_of` judges addresses.
    """

    def __init__(
        self,
        home: str,
        allowed: bool | Collection[str] = (),
        *,
        resolve: Resolve = resolved,
        network_of: Callable[[Address], Network] = network_of,
    ) -> None:
        self.home = _plain(home)
        self._all = allowed is True
        entries = () if isinstance(allowed, bool) else tuple(allowed)
        self._names = frozenset(map(_plain, entries))
        self._ranges = tuple(each for entry in entries if (each := range_of(entry)) is not None)
        self._resolve = resolve
        self._network_of = network_of
        self._own: frozenset[Network] | None = None

    def check(self, url: str) -> None:
        """Refuse an address that is forbidden whatever a lookup says; all that can be told where a proxy
        looks names up. Raises Forbidden."""
        host = urlsplit(url).hostname or ""
        if self._unjudged(host):
            return
        if (address := literal(host)) is not None:
            self._judge(host, address)
        elif (network := network_named(host)) is not None and network not in self._networks():
            raise Forbidden(host, None, network, self.home)

    def addresses(self, host: str, port: int) -> list[str]:
        """The addresses to connect to for a host, of one lookup. Raises Forbidden where one of them may not
        be asked, socket.gaierror, and UnicodeError."""
        found = list(self._resolve(host, port))
        if not self._unjudged(host):
            for each in found:
                self._judge(host.strip("[]"), ipaddress.ip_address(each))
        return found[:_MOST_TRIED]

    def _unjudged(self, host: str) -> bool:
        name = _plain(host)
        return self._all or name == self.home or name in self._names

    def _judge(self, host: str, address: Address) -> None:
        network = self._network_of(address)
        if network == "public" or any(address in each for each in self._ranges):
            return
        if network not in self._networks():
            raise Forbidden(host, str(address), network, self.home)

    def _networks(self) -> frozenset[Network]:
        """The networks besides the public ones: those of the configured host, where it has no address in
        these."""
        if self._own is None:
            found: set[Network] = set()
            try:
                if (known := literal(self.home)) is not None:
                    found = {self._network_of(known)}
                elif self.home:
                    given = self._resolve(self.home, 443)
                    found = {self._network_of(ipaddress.ip_address(each)) for each in given}
            except (OSError, UnicodeError):  # behind a proxy names may be unknown here
                named = network_named(self.home)
                found = set() if named is None else {named}
            self._own = frozenset() if "public" in found else frozenset(found - {"metadata"})
        return self._own


def range_of(entry: str) -> Range | None:
    """The network that an entry of `allow_private` is, an address being a small one; None for a name."""
    try:
        return ipaddress.ip_network(entry.strip("[]"))
    except ValueError:
        return None
