"""Allowed targets of fetches: public addresses in every notation, and the accepted results of lookups.

No real name is looked up: lookups are tables. Servers that must not be reached listen on 127.0.0.2 and record
requests.
"""

from __future__ import annotations

import errno
import ipaddress
import pickle
import socket
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, nullcontext
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bindgen.fetching.download import DEFAULT_LIMITS, Downloader
from bindgen.fetching.errors import FetchError
from soapclient import Settings
from soapclient.clock import Deadline, SystemClock
from soapclient.errors import AddressRefused, ConfigError, ConnectionFailed
from soapclient.settings.transport import REACHED
from soapclient.transport import http
from soapclient.transport.session import open_session
from soapclient.transport.ssrf_guard import (
    Address,
    HostForbidden,
    Network,
    SsrfGuard,
    is_this_machine,
    literal,
    network_of,
)

HOME = "service.example"
PUBLIC = "93.184.216.34"
KNOWN: dict[str, list[str]] = {
    HOME: [PUBLIC, "2606:2800:220:1:248:1893:25c8:1946"],
    "files.example": ["151.101.1.69"],
    "inner.example": ["10.1.2.3"],
    "mixed.example": ["151.101.1.69", "192.168.0.7"],
    "here.example": ["127.0.0.1"],
    "meta.example": ["169.254.169.254"],
    "intranet.example": ["10.9.9.9", "fd12::9"],
    "sandbox": ["172.17.0.2"],
}


def lookup(host: str, port: int) -> list[str]:
    known = KNOWN.get(host.rstrip(".").lower())
    if known is None:
        raise socket.gaierror(socket.EAI_NONAME, "unknown")
    return known


def guard(home: str = HOME, allowed: bool | Sequence[str] = ()) -> SsrfGuard:
    return SsrfGuard(home, allowed, resolve=lookup)


# From the IANA registries, with a border of each range if there is one.
NETWORKS = {
    "public": "8.8.8.8 1.1.1.1 100.63.255.255 100.128.0.0 172.15.255.255 172.32.0.0 223.255.255.255 "
    "2606:4700::1111 2a00::1 ::ffff:8.8.8.8 64:ff9b::8.8.8.8 2002:808:808::1",
    "private": "10.0.0.0 10.255.255.255 172.16.0.0 172.31.255.255 192.168.0.0 192.168.255.255 fc00::1 "
    "fdff:ffff::1 fec0::1 ::ffff:10.0.0.1 64:ff9b::10.0.0.1 64:ff9b:1::8.8.8.8 2002:a00:1::1 ::10.0.0.1 "
    "2606:4700::5efe:10.0.0.1",
    "loopback": "127.0.0.1 127.255.255.255 ::1 ::ffff:127.0.0.1 64:ff9b::127.0.0.1 2002:7f00:1::",
    "link-local": "169.254.0.1 169.254.255.255 fe80::1 febf:ffff::1 ::ffff:169.254.1.1",
    "metadata": "169.254.169.254 fd00:ec2::254 192.0.0.192 100.100.100.200 168.63.129.16 "
    "::ffff:169.254.169.254 64:ff9b::a9fe:a9fe 2002:a9fe:a9fe::1",
    "shared": "100.64.0.0 100.127.255.255 ::ffff:100.64.0.1",
    "multicast": "224.0.0.1 239.255.255.255 ff02::1 ffff::1",
    "unspecified": "0.0.0.0 0.255.255.255 :: ::ffff:0.0.0.0",
    "reserved": "192.0.2.1 198.51.100.1 203.0.113.255 198.18.0.1 198.19.255.255 240.0.0.0 255.255.255.255 "
    "192.88.99.1 2001:db8::1 3fff::1 100::1 4000::1 5f00::1 ::8.8.8.8",
}


@pytest.mark.parametrize(
    ("address", "network"), [(each, name) for name, texts in NETWORKS.items() for each in texts.split()]
)
def test_network_of_an_address_is_classified(address: str, network: Network) -> None:
    assert network_of(ipaddress.ip_address(address)) == network


def test_teredo_is_classified_by_both_addresses_and_never_public() -> None:
    client = int(ipaddress.IPv4Address("10.0.0.1")) ^ 0xFFFFFFFF
    server = int(ipaddress.IPv4Address("8.8.8.8"))
    teredo = ipaddress.IPv6Address((0x20010000 << 96) | (server << 64) | client)
    assert teredo.teredo == (ipaddress.IPv4Address("8.8.8.8"), ipaddress.IPv4Address("10.0.0.1"))
    assert network_of(teredo) == "private"
    public = int(ipaddress.IPv4Address("9.9.9.9")) ^ 0xFFFFFFFF
    assert network_of(ipaddress.IPv6Address((0x20010000 << 96) | (server << 64) | public)) == "reserved"


@given(st.one_of(st.ip_addresses(v=4), st.ip_addresses(v=6)))
def test_public_addresses_are_public_to_the_standard_library(address: Address) -> None:
    mapped = address.ipv4_mapped if isinstance(address, ipaddress.IPv6Address) else None
    if network_of(address) == "public":
        plain = mapped or address
        assert plain.is_global or plain in ipaddress.ip_network("64:ff9b::/96")
        assert not (plain.is_private)
        assert not (plain.is_loopback)
        assert not (plain.is_link_local)
        assert not (plain.is_multicast)


@pytest.mark.parametrize(
    "host",
    [
        *("127.0.0.1", "2130706433", "0x7f000001", "0x7f.1", "0177.0.0.1", "127.1", "017700000001"),
        *("127.0.0.1.", "[::1]", "[::ffff:7f00:1]", "LOCALHOST", "localhost.", "a.localhost", "0"),
        *("0.0.0.0", "[::]", "\uff11\uff12\uff17.0.0.1", "127\u30020\u30020\u30021", "[::ffff:127.0.0.1]"),
    ],
)
def test_every_spelling_of_loopback_is_recognised(host: str) -> None:
    assert is_this_machine(host)
    with pytest.raises(HostForbidden):
        guard().check(f"https://{host}/")


@pytest.mark.parametrize(
    "host", ["example.org", "deadbeef.example", "0x7f.example", "a1.b2", "1.2.3.4.5", "f"]
)
def test_names_are_not_addresses(host: str) -> None:
    assert literal(host) is None
    assert not is_this_machine(host)


@pytest.mark.parametrize(
    "url",
    [
        *("https://169.254.169.254/latest", "https://[fd00:ec2::254]/", "https://10.0.0.1/"),
        *("https://0x0a000001/", "https://192.168.1.1:8443/", "https://[fe80::1%25eth0]/"),
        *("https://[fe80::1%eth0]/", "https://100.64.0.1/", "https://224.0.0.1/"),
        *("https://[64:ff9b::a00:1]/", "https://[2002:a00:1::]/", "https://metadata.google.internal/"),
        *("https://printer.local/", "https://router/", "https://3232235777/"),
    ],
)
def test_literal_address_is_refused_without_a_lookup(url: str) -> None:
    def never(host: str, port: int) -> list[str]:
        assert host == HOME, "only the configured host is looked up"
        return [PUBLIC]

    with pytest.raises(HostForbidden) as caught:
        SsrfGuard(HOME, resolve=never).check(url)
    assert caught.value.network != "public"


@pytest.mark.parametrize("host", ["inner.example", "mixed.example", "here.example", "meta.example"])
def test_name_is_checked_by_all_its_addresses(host: str) -> None:
    with pytest.raises(HostForbidden) as caught:
        guard().addresses(host, 443)
    assert caught.value.found == KNOWN[host][-1]
    assert caught.value.host == host


PRIVATE = "intranet.example"


@pytest.mark.parametrize(
    ("home", "allowed", "url", "accepted"),
    [
        (HOME, (), "https://files.example/", True),
        (HOME, (), f"https://{HOME}/", True),
        ("inner.example", (), "https://INNER.example./", True),
        # a private service may use private networks, but not loopback
        (PRIVATE, (), "https://inner.example/", True),
        (PRIVATE, (), "https://files.example/", True),
        (PRIVATE, (), "https://printer.local/", True),
        (PRIVATE, (), "https://here.example/", False),
        (PRIVATE, (), "https://meta.example/", False),
        (PRIVATE, (), "https://[fd00:ec2::254]/", False),
        ("127.0.0.1", (), "https://127.0.0.2/", True),
        ("127.0.0.1", (), "https://localhost/", True),
        ("127.0.0.1", (), "https://10.0.0.1/", False),
        ("sandbox", (), "http://127.0.0.1:6379/", False),  # a container
        ("sandbox", (), "http://localhost/", False),
        ("sandbox", (), "http://[::1]/", False),
        ("mixed.example", (), "https://inner.example/", False),  # it has a public address, too
        ("169.254.169.254", (), "https://[fd00:ec2::254]/", False),
        # a service that cannot be resolved is classified by its name
        ("unknown.example", (), "https://10.0.0.1/", False),
        ("service.internal", (), "https://10.0.0.1/", True),
        *((HOME, allowed, "https://inner.example/", True) for allowed in (["inner.example"], ["10.1.2.3"])),
        *((HOME, allowed, "https://inner.example/", True) for allowed in (["x", "10.1.0.0/16"], True)),
        (HOME, ["10.1.2.4/31", "x.inner.example", "192.168.0.0/16"], "https://here.example/", False),
        (HOME, ["192.168.0.0/16"], "https://inner.example/", False),
    ],
)
def test_hosts_are_allowed_by_the_network_of_the_service(
    home: str, allowed: bool | list[str], url: str, accepted: bool
) -> None:
    judged, host = guard(home, allowed), url.partition("//")[2].strip("/")
    found = KNOWN.get(host.rstrip(".").lower())
    with nullcontext() if accepted else pytest.raises(HostForbidden):
        judged.check(url)
        if found is not None:
            assert judged.addresses(host, 443) == found


def test_setting_accepts_names_addresses_and_networks() -> None:
    settings = Settings(allow_private=["Files.internal", "10.0.0.5", "10.1.0.0/16", "fd00::/8"])
    assert settings.allow_private == ("10.0.0.5", "10.1.0.0/16", "fd00::/8", "files.internal")
    assert REACHED.from_text("a.example, 10.0.0.0/8") == ["a.example", "10.0.0.0/8"]
    assert Settings(allow_private=True).allow_private is True
    for wrong in (["a b"], ["https://x"], "10.0.0.1", [7], ["10.0.0.1/33"]):
        with pytest.raises(ConfigError, match="allow_private"):
            Settings(allow_private=wrong)  # type: ignore[arg-type]  # invalid user input


def test_tls_paths_expand_the_home_directory(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    settings = Settings(verify="~/ca.pem", certificate=("~/a.pem", "~/a.key", "env:PW"))
    assert settings.verify == str(tmp_path / "ca.pem")
    assert settings.certificate == (str(tmp_path / "a.pem"), str(tmp_path / "a.key"), "env:PW")
    assert Settings(certificate="~/a.pem").certificate == str(tmp_path / "a.pem")
    assert Settings(verify="system").verify == "system"


# ---- on the wire


class Listener:
    """Listens on a loopback address and records the requests."""

    def __init__(self, host: str, port: int = 0, answer: bytes = b"") -> None:
        self.socket = socket.create_server((host, port))
        self.port: int = self.socket.getsockname()[1]
        self.heard: list[bytes] = []
        self._answer = answer or b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok"
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def _serve(self) -> None:
        while True:
            try:
                connection, _ = self.socket.accept()
            except OSError:
                return
            with connection:
                self.heard.append(connection.recv(65536))
                connection.sendall(self._answer.replace(b"{port}", b"%d" % self.port))

    def close(self) -> None:
        self.socket.shutdown(socket.SHUT_RDWR)
        self.socket.close()
        self._thread.join()


@contextmanager
def listening(host: str, port: int = 0, answer: bytes = b"") -> Iterator[Listener]:
    found = Listener(host, port, answer)
    try:
        yield found
    finally:
        found.close()


@contextmanager
def on_one_port(answer: bytes = b"") -> Iterator[tuple[Listener, Listener]]:
    """Listen on one port of 127.0.0.2 (inside) and of 127.0.0.1 (outside), which sends the response.

    `{port}` in the response is replaced. 127.0.0.1 is bound first, because other tests use only its ports. If
    another process uses the port on all addresses, the next free port is tried.
    """
    for _ in range(20):
        with ExitStack() as stack:
            outside = stack.enter_context(listening("127.0.0.1", answer=answer))
            try:
                inside = stack.enter_context(listening("127.0.0.2", outside.port))
            except OSError as error:
                if error.errno != errno.EADDRINUSE:
                    raise
                continue
            yield inside, outside
            return
    raise AssertionError("no port is free on both addresses")


def as_if(address: Address) -> Network:
    """Treat 127.0.0.1 as the internet, and all other addresses of this machine as the internal network."""
    return "public" if str(address) == "127.0.0.1" else "private"


def table(names: Mapping[str, list[str]], log: list[str]) -> Callable[[str, int], list[str]]:
    def find(host: str, port: int) -> list[str]:
        log.append(host)
        return names.get(host, [host])

    return find


def get(url: str, guard: SsrfGuard) -> http.Response:
    limits = http.Limits(operation="download", deadline=Deadline(SystemClock(), 20), connect_timeout=10)
    with open_session(guard=guard) as session:
        return http.send(session, "GET", url, headers={}, limits=limits)


def test_name_that_resolves_to_a_private_address_is_not_requested() -> None:
    log: list[str] = []
    names = {"service.example": ["127.0.0.1"], "files.example": ["127.0.0.2"]}
    judged = SsrfGuard("service.example", resolve=table(names, log), network_of=as_if)
    with on_one_port() as (inside, outside):
        assert b"".join(get(f"http://service.example:{outside.port}/", judged).chunks()) == b"ok"
        with pytest.raises(AddressRefused) as caught:
            get(f"http://files.example:{inside.port}/x?ticket=1", judged)
        assert (len(outside.heard), inside.heard) == (1, [])
    error = caught.value
    assert not error.request_sent
    assert error.operation == "download"
    said = str(error)
    assert "files.example has the address 127.0.0.2, a private address" in said
    assert "'allow_private' to 127.0.0.2" in said
    assert "service.example is in another network" in said
    assert "ticket=1" not in said
    assert str(pickle.loads(pickle.dumps(error))) == said


def test_checked_address_is_the_connected_address() -> None:
    """DNS rebinding: the name resolves to a public address first, and to an internal address afterwards."""
    answers = iter([["127.0.0.1"], ["127.0.0.2"], ["127.0.0.2"]])
    log: list[str] = []

    def rebinding(host: str, port: int) -> list[str]:
        log.append(host)
        return next(answers) if host == "files.example" else ["127.0.0.1"]

    judged = SsrfGuard("service.example", resolve=rebinding, network_of=as_if)
    with on_one_port() as (inside, outside):
        url = f"http://files.example:{outside.port}/"
        assert b"".join(get(url, judged).chunks()) == b"ok"
        assert log == ["files.example"]  # one lookup for the check and the connection
        with pytest.raises(AddressRefused):
            get(url, judged)
        assert (len(outside.heard), inside.heard) == (1, [])


def test_next_address_is_tried_if_one_does_not_listen() -> None:
    names = {"files.example": ["127.0.0.3", "127.0.0.1"]}
    judged = SsrfGuard("files.example", resolve=table(names, []), network_of=as_if)
    with listening("127.0.0.1") as outside:
        assert b"".join(get(f"http://files.example:{outside.port}/", judged).chunks()) == b"ok"
        assert b"Host: files.example" in outside.heard[0]


def test_a_name_without_addresses_is_a_failed_connection() -> None:
    nothing: list[str] = []
    for each in (nothing, None):

        def none(host: str, port: int, found: list[str] | None = each) -> list[str]:
            if found is None:
                raise socket.gaierror(socket.EAI_NONAME, "unknown")
            return found

        with pytest.raises(ConnectionFailed) as caught:
            get("http://files.example:9/", SsrfGuard("service.example", resolve=none))
        assert not caught.value.request_sent


def test_proxied_requests_are_checked_by_literal_address_and_name(monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(host: str, port: int) -> list[str]:
        raise socket.gaierror(socket.EAI_NONAME, "names are the proxy's")

    judged = SsrfGuard("service.example", resolve=unknown)
    with listening("127.0.0.1") as proxy:
        monkeypatch.setenv("HTTP_PROXY", f"http://127.0.0.1:{proxy.port}")
        monkeypatch.delenv("NO_PROXY", raising=False)
        for host in ("10.0.0.1", "0x7f.1", "2130706433", "metadata.google.internal", "localhost."):
            with pytest.raises(AddressRefused):
                get(f"http://{host}/x", judged)
        assert proxy.heard == []
        assert b"".join(get("http://files.example/x", judged).chunks()) == b"ok"
        assert proxy.heard[0].startswith(b"GET http://files.example/x")


def test_bindgen_checks_redirects_and_imports_with_the_same_module(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOAPCLIENT_ALLOW_HTTP", "true")
    names = {"service.example": ["127.0.0.1"], "schemas.example": ["127.0.0.2"]}

    def made(home: str, allowed: object) -> SsrfGuard:
        assert home == "service.example"
        return SsrfGuard(home, allowed, resolve=table(names, []), network_of=as_if)  # type: ignore[arg-type] # as given

    answer = (
        b"HTTP/1.1 302 Found\r\nLocation: https://schemas.example:{port}/x\r\n"
        b"Content-Length: 0\r\nConnection: close\r\n\r\n"
    )
    with on_one_port(answer) as (inside, outside):
        with Downloader(DEFAULT_LIMITS, guard=made) as downloader:
            with pytest.raises(FetchError, match=r"schemas\.example has the address 127\.0\.0\.2"):
                downloader.get(f"http://service.example:{outside.port}/a")
            with pytest.raises(FetchError, match=r"set 'allow_private' to 127\.0\.0\.2"):
                downloader.get(f"http://schemas.example:{inside.port}/x.xsd")
        assert inside.heard == []
