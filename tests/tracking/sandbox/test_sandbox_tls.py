"""A sandbox over TLS, and behind a TLS terminator: independent clients, with a private CA."""

from __future__ import annotations

import http.client
import socket
import ssl
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path

import pytest

from soapclient.tracking.sandbox import Sandbox, UnusableCertificate, serve
from tests.certificates import needs_openssl, openssl, signed_by_a_private_authority


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return signed_by_a_private_authority(tmp_path_factory.mktemp("certificates"))


@pytest.fixture
def sandbox() -> Iterator[Sandbox]:
    with Sandbox() as sandbox:
        yield sandbox


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
        strict = http.client.HTTPSConnection(
            "localhost", port, context=ssl.create_default_context(), timeout=20
        )
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
    encrypted = tmp_path / "encrypted.key"
    openssl(
        *("ec", "-in", str(folder / "server.key"), "-aes256", "-passout", "pass:word", "-out", str(encrypted))
    )
    certificate = folder / "server.pem"
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
        serve(sandbox, key=folder / "server.key")  # otherwise it would be served without TLS


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
