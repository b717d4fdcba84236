"""Error messages for failed connections, by their cause; test_transport_network has real connections."""

from __future__ import annotations

import ssl
from importlib import import_module

import pytest
import requests

from soapclient.transport.tls import ADVICE, explained, tls_error


def refused(code: int, presented: bytearray | str | None = None) -> ssl.SSLCertVerificationError:
    """Return the error as the ssl module and the transport create it."""
    error = ssl.SSLCertVerificationError(1, "certificate verify failed")
    error.verify_code = code
    if presented is not None:
        error.presented = presented  # type: ignore[attr-defined]  # see transport/connections.py
    return error


# Codes of OpenSSL's include/openssl/x509_vfy.h.
@pytest.mark.parametrize(
    ("code", "advice"),
    [(9, "time"), (10, "time"), (62, "host"), (64, "host"), (18, "trust"), (19, "trust"), (20, "trust")],
)
def test_unavailable_certificate_is_explained_by_the_error_code(code: int, advice: str) -> None:
    assert explained(refused(code), "a.example") == ("; for the host a.example", ADVICE[advice])


@pytest.mark.parametrize(
    ("presented", "said"),
    [
        (bytearray(b"no certificate"), "could not be decoded: SSLError"),
        (bytearray(b"\x30\x03\x02\x01\x05"), "could not be decoded: SSLError"),
        ("ConnectionResetError", "is not available: ConnectionResetError"),
        # By a Python without `_test_decode_cert`:
        (bytearray(b"\x30\x00"), "could not be decoded: AttributeError"),
    ],
)
def test_missing_certificate_is_explained(
    presented: bytearray | str, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if "Attribute" in said:
        monkeypatch.delattr(import_module("_ssl"), "_test_decode_cert")
    expected = f"; for the host a.example (its certificate {said})"
    assert explained(refused(20, presented), "a.example") == (expected, ADVICE["trust"])


# Alerts of RFC 8446, 6.2, as OpenSSL names them.
@pytest.mark.parametrize(
    ("said", "advice"),
    [
        ("[SSL: TLSV13_ALERT_CERTIFICATE_REQUIRED] tlsv13 alert certificate required", "client"),
        ("[SSL: SSLV3_ALERT_BAD_CERTIFICATE] sslv3 alert bad certificate", "client"),
        ("[SSL: TLSV1_ALERT_UNKNOWN_CA] tlsv1 alert unknown ca", "client"),
        ("[SSL: TLSV1_ALERT_ACCESS_DENIED] tlsv1 alert access denied", "client"),
        ("[SSL: SSLV3_ALERT_HANDSHAKE_FAILURE] sslv3 alert handshake failure", "handshake"),
        ("[SSL: WRONG_VERSION_NUMBER] wrong version number", None),
    ],
)
def test_tls_alert_of_the_service_is_explained(said: str, advice: str | None) -> None:
    wrapped = requests.exceptions.SSLError(ssl.SSLError(1, said))
    assert explained(wrapped, "a.example") == ("", None if advice is None else ADVICE[advice])


@pytest.mark.parametrize(
    ("error", "advice"),
    [
        (requests.exceptions.ProxyError("Tunnel connection failed: 407 Authentication Required"), "proxy"),
        (requests.exceptions.ProxyError("Cannot connect to proxy."), "way"),
        (requests.exceptions.ConnectionError("Connection refused"), None),
    ],
)
def test_other_errors_are_not_tls_errors(error: Exception, advice: str | None) -> None:
    assert tls_error(error) is None
    assert explained(error, "a.example") == ("", None if advice is None else ADVICE[advice])


def test_circular_exception_causes_terminate() -> None:
    first, second = ValueError("a"), OSError("b")
    first.__cause__, second.__cause__ = second, first
    assert tls_error(first) is None
