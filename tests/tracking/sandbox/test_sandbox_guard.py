"""The guard of local servers: allowed host names, pages and tokens; TLS, and TLS terminators."""

from __future__ import annotations

import http.client
import io
import socket
import ssl
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path

import pytest
import requests
from werkzeug.test import Client, EnvironBuilder
from werkzeug.wrappers import Request, Response

from soapclient.serving.bodies import body_of
from soapclient.serving.faults import InvalidValue
from soapclient.serving.guard import Guard
from soapclient.testing import Mock
from soapclient.testing.mocks.server import mock_service
from soapclient.tracking.sandbox import Sandbox, Serving, UnusableCertificate, serve
from tests.certificates import needs_openssl, openssl, signed_by_a_private_authority
from tests.stage import Stage

WSDL = "/wsdl/2011-03-01"
RULE = {"kind": "unavailable", "operation": None}


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    with Sandbox(switchboard=True) as running:
        yield running


def status(
    server: Serving | Mock, path: str = WSDL, method: str = "GET", json: object = None, **headers: str
) -> int:
    """Return the status of a request. `PORT` in a header is replaced by the server's port."""
    url = server.url
    sent = {name: text.replace("PORT", url.rpartition(":")[2]) for name, text in headers.items()}
    return requests.request(method, url + path, headers=sent, json=json, timeout=30).status_code


def test_log_is_not_served_under_another_host_name(sandbox: Sandbox) -> None:
    """A page can do this if its name resolves to this machine (DNS rebinding)."""
    with serve(sandbox) as server:
        assert status(server, "/-/calls") == 200
        for path in ("/-/calls", WSDL, "/", "//-/calls"):
            assert status(server, path, Host="evil.example") == 421
            assert status(server, path, Host="evil.example:PORT") == 421


def test_cross_site_requests_change_nothing(sandbox: Sandbox) -> None:
    with serve(sandbox) as server:
        for origin in ("https://evil.example", "null", "http://127.0.0.1:1", "http://localhost:PORT", ""):
            assert status(server, "/-/rules", "POST", RULE, Origin=origin) == 403
            assert status(server, "/xml/2011-03-01/profiles", "DELETE", Origin=origin) == 403
        assert sandbox.switches.rules() == []
        assert status(server, "/-/rules", "POST", RULE, Origin="http://127.0.0.1:PORT") == 201
        sandbox.reset()


def test_a_mock_has_the_same_guard() -> None:
    with Mock(mock_service("zxws.publisher", switchboard=True)) as mocked:
        path = mocked.address().removeprefix(mocked.url) + "?wsdl"
        assert status(mocked, path) == status(mocked, "/-/calls") == 200
        assert mocked.token is None
        for headers, refused in (({"Host": "evil.example"}, 421), ({"Origin": "https://evil.example"}, 403)):
            assert status(mocked, path, **headers) == status(mocked, "/-/calls", **headers) == refused
            assert status(mocked, "/-/rules", "POST", {"kind": "reset"}, **headers) == refused
        assert requests.get(f"{mocked.url}/-/rules", timeout=30).json() == []
    with Mock(mock_service("zxws.publisher", switchboard=True), allow_hosts=["mock"]) as mocked:
        assert status(mocked, path, Host="mock:80") == 200
        assert status(mocked, "/-/calls", Host="mock:80") == 401
        assert status(mocked, "/-/calls", Host="mock:80", Authorization=f"Bearer {mocked.token}") == 200


@pytest.mark.parametrize(
    "host", ["localhost", "LOCALHOST:1", "localhost.", "127.0.0.1:99999", "127.0.0.2", "[::1]", "[0:0::1]:80"]
)
def test_every_loopback_name_is_accepted(host: str) -> None:
    assert client_of(Guard("127.0.0.1")).get("/", headers={"Host": host}).status_code == 200


@pytest.mark.sampled(6)
@pytest.mark.parametrize(
    "host",
    [
        "", "[", "[::1", "::1", "127.0.0.1.evil.example", "localhost.evil.example", "a@127.0.0.1", "0.0.0.0",
        "127.1", "2130706433", "evil#127.0.0.1", "127.0.0.1, evil.example", "localhost:80:80", "[localhost]",
        "[::ffff:10.0.0.1]", "\u24dbocalhost", "\xff", "x" * 5000, "10.0.0.1", "127.0.0.1/",
    ],
)  # fmt: skip
def test_other_host_names_are_refused(host: str) -> None:
    environ = {"HTTP_HOST": host.encode().decode("latin-1")}
    for guard in (Guard("127.0.0.1"), Guard("0.0.0.0"), Guard("::", ["sandbox"])):
        response = client_of(guard).get("/", environ_overrides=environ)
        assert response.status_code == 421
        assert "--allow-host" in response.text


def test_a_request_without_a_host_is_refused() -> None:
    response = Response("served")
    guarded = Guard("127.0.0.1").protect(response)
    statuses: list[str] = []
    environ = {"REQUEST_METHOD": "GET", "PATH_INFO": "/", "SERVER_NAME": "127.0.0.1", "SERVER_PORT": "80"}
    guarded(environ, lambda line, *_: statuses.append(line))  # type: ignore[arg-type] # no write()
    assert statuses == ["421 MISDIRECTED REQUEST"]


def test_names_can_be_allowed() -> None:
    guard = Guard("0.0.0.0", ["Sandbox", "10.0.0.1", "fd00:0::1", "[fd00::2]"])
    for host in ("sandbox:8642", "SANDBOX", "10.0.0.1:80", "[fd00::1]", "[fd00::2]:1", "localhost"):
        assert client_of(guard).get("/", headers={"Host": host}).status_code == 200
    served = client_of(Guard("192.0.2.7")).get("/", headers={"Host": "192.0.2.7:80"})
    assert served.status_code == 200  # the address at which it is served
    for host in ("sandbox.example", "10.0.0.2", "x.sandbox"):
        assert client_of(guard).get("/", headers={"Host": host}).status_code == 421


def test_allowed_hosts_are_a_list() -> None:
    with pytest.raises(TypeError, match=r"must be a list of hosts such as \['sandbox'\], got 'sandbox'"):
        Guard("127.0.0.1", "sandbox")


@pytest.mark.sampled(6)
@pytest.mark.parametrize("name", ["", "http://x", "a b", "x:80", "[::1]:80", "ab:80", "*", "x/", "é"])
def test_only_hosts_can_be_allowed(sandbox: Sandbox, name: str) -> None:
    with pytest.raises(ValueError, match="is not a host"):
        serve(sandbox, allow_hosts=["sandbox", name])


@pytest.mark.sampled(2)
@pytest.mark.parametrize("settings", [{"host": "0.0.0.0"}, {"allow_hosts": ["x"]}, {"trust_forwarded": True}])
def test_switches_reachable_by_other_machines_need_a_token(
    sandbox: Sandbox, settings: dict[str, object]
) -> None:
    with serve(sandbox, **settings) as server:  # type: ignore[arg-type] # parametrized
        assert server.token is not None
        assert status(server) == 200
        for headers in ({}, {"Authorization": "Bearer wrong"}, {"Authorization": server.token}):
            assert status(server, "/-/calls", **headers) == 401
            assert status(server, "//-/calls", **headers) == 401
            assert status(server, "/-/reset", "POST", {}, **headers) == 401
        for scheme in ("Bearer", "bearer"):
            assert status(server, "/-/calls", Authorization=f"{scheme} {server.token}") == 200
        assert status(server, "/-/calls", Authorization=f"Basic {server.token}") == 401


def test_tokens_of_servers_differ(sandbox: Sandbox) -> None:
    with serve(sandbox, "0.0.0.0") as one, serve(sandbox, "0.0.0.0") as other, serve(sandbox) as local:
        assert one.token != other.token
        assert local.token is None


def test_forwarded_host_does_not_replace_the_host_header(sandbox: Sandbox) -> None:
    with serve(sandbox, trust_forwarded=True) as server:
        rebound = {"Host": "evil.example", "X-Forwarded-Host": "127.0.0.1"}
        assert status(server, **rebound) == 421
        forwarded = {"X-Forwarded-Host": "api.example", "X-Forwarded-Proto": "https"}
        assert status(server, **forwarded) == 200
        assert status(server, **forwarded, Origin="https://api.example") == 200
        assert status(server, **forwarded, Origin="https://evil.example") == 403


def test_refused_requests_are_not_in_the_log() -> None:
    with Stage() as stage:
        assert status(stage.server, Host="evil.example") == 421
        assert stage.sandbox.switches.calls() == []


def client_of(guard: Guard) -> Client:
    """Return a client of an application behind a guard."""
    return Client(guard.protect(Response("served")))


@pytest.mark.parametrize(
    ("host", "reached"),
    [("0.0.0.0", "http://127.0.0.1:"), ("::", "http://[::1]:"), ("127.0.0.2", "http://127.0.0.2:")],
)
def test_server_url_is_reachable_on_this_machine(sandbox: Sandbox, host: str, reached: str) -> None:
    try:
        server = serve(sandbox, host)
    except OSError:
        if ":" not in host:
            raise
        pytest.skip("this machine has no IPv6")
    with server:
        assert server.url.startswith(reached)
        assert requests.get(server.url + WSDL, timeout=30).status_code == 200


def test_the_addresses_of_a_mock_for_all_machines_can_be_called() -> None:
    with Mock(mock_service("zxws.publisher"), "0.0.0.0") as mocked:
        assert requests.get(mocked.wsdl, timeout=30).status_code == 200


def test_body_beyond_a_limit_that_another_function_has_set_is_refused() -> None:
    environ = EnvironBuilder(method="POST", input_stream=io.BytesIO(b"x" * 20)).get_environ()
    del environ["CONTENT_LENGTH"]
    request = Request(environ | {"wsgi.input_terminated": True})
    request.max_content_length = 10
    assert len(request.stream.read(10)) == 10
    with pytest.raises(InvalidValue, match="a request may have at most 15 bytes"):
        body_of(request, 15)


# ---- TLS, and a TLS terminator: independent clients, with a private CA


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return signed_by_a_private_authority(tmp_path_factory.mktemp("certificates"))


def wsdl(connection: http.client.HTTPConnection, headers: Mapping[str, str] | None = None) -> str:
    """Return the served WSDL, which contains the address of the request."""
    try:
        connection.request("GET", "/soap/2011-03-01?wsdl", headers=dict(headers or {}))
        response = connection.getresponse()
        assert response.status == 200
        return response.read().decode()
    finally:
        connection.close()


@needs_openssl
@pytest.mark.parametrize("own_file", [True, False])
def test_sandbox_serves_tls(folder: Path, sandbox: Sandbox, own_file: bool) -> None:
    certificate, key = (folder / "server.pem", folder / "server.key") if own_file else ("both.pem", None)
    trusting = ssl.create_default_context(cafile=str(folder / "ca.pem"))
    with serve(sandbox, certificate=folder / certificate, key=key) as server:
        scheme, _, place = server.url.partition("://")
        assert scheme == "https"
        port = int(place.rpartition(":")[2])
        found = wsdl(http.client.HTTPSConnection("localhost", port, context=trusting, timeout=20))
        assert f'location="https://localhost:{port}/soap/2011-03-01"' in found
        usual = ssl.create_default_context()
        strict = http.client.HTTPSConnection("localhost", port, context=usual, timeout=20)
        with pytest.raises(ssl.SSLCertVerificationError):
            strict.connect()
        # A client without TLS gets no response and does not block others.
        with socket.create_connection(("127.0.0.1", port), timeout=20) as plain:
            plain.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
            with suppress(ConnectionResetError):
                assert not plain.recv(1 << 16).startswith(b"HTTP/")
        silent = socket.create_connection(("127.0.0.1", port), timeout=20)
        wsdl(http.client.HTTPSConnection("127.0.0.1", port, context=trusting, timeout=20))
    with silent:  # the server's end ended the handshake
        assert silent.recv(1) == b""


@needs_openssl
def test_a_certificate_that_cannot_be_used_is_named(folder: Path, sandbox: Sandbox, tmp_path: Path) -> None:
    certificate, plain, encrypted = folder / "server.pem", folder / "server.key", tmp_path / "encrypted.key"
    openssl("ec", "-in", str(plain), "-aes256", "-passout", "pass:word", "-out", str(encrypted))
    for key, said in (
        (folder / "ca.key", "KEY_VALUES_MISMATCH"),
        (tmp_path / "none.key", "No such file or directory"),
        (encrypted, "the key is encrypted"),
        (folder / "names", r"cannot be used: \w"),
    ):
        with pytest.raises(UnusableCertificate, match=f"{key} cannot be used|{said}") as refused:
            serve(sandbox, certificate=certificate, key=key)
        assert str(certificate) in str(refused.value)
    with pytest.raises(UnusableCertificate, match="key requires certificate"):
        serve(sandbox, key=plain)  # otherwise it would be served without TLS


FORWARDED = {"X-Forwarded-Proto": "https", "X-Forwarded-Host": "api.example.org"}


@pytest.mark.parametrize("trusted", [True, False])
def test_tls_terminator_is_trusted_if_configured(sandbox: Sandbox, trusted: bool) -> None:
    with serve(sandbox, trust_forwarded=trusted) as server:
        host, port = server.url.removeprefix("http://").split(":")
        found = wsdl(http.client.HTTPConnection(host, int(port), timeout=20), FORWARDED)
        expected = "https://api.example.org" if trusted else server.url
        assert f'location="{expected}/soap/2011-03-01"' in found
        # Values sent by a client in addition to the terminator's are ignored: the last value counts.
        twice = {name: f"evil.example.org, {value}" for name, value in FORWARDED.items()}
        found = wsdl(http.client.HTTPConnection(host, int(port), timeout=20), twice)
        assert "evil.example.org" not in found
