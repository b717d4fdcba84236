"""Explanations of connection errors: details of a refused certificate, and advice about TLS and proxies."""

from __future__ import annotations

import importlib
import ssl
import tempfile
from collections.abc import Iterator, Mapping
from typing import Final, cast

_WRONG_HOST: Final = frozenset({62, 64})  # X509_V_ERR of OpenSSL: host name, IP address
_TIME: Final = frozenset({9, 10})  # not yet valid; expired
ADVICE: Final = {
    "time": "The service must renew its certificate. If it is valid, check this machine's clock.",
    "host": "Check the configured address: it must be one of the names in the certificate.",
    "trust": "To trust this authority, set 'verify' to its certificate.",
    "client": "The service requires a client certificate that it trusts: set 'certificate'.",
    "handshake": "The service may require a client certificate: set 'certificate'.",
    "proxy": "The proxy requires a user name and a password: set 'proxies' and 'proxy_credentials'.",
    "way": "Check the setting 'proxies', or HTTPS_PROXY and HTTP_PROXY, and the rules of the proxy.",
}
# OpenSSL's names of the alerts that a service sends if the client certificate is missing or refused.
_CLIENT: Final = ("CERTIFICATE_REQUIRED", "ALERT_BAD_CERTIFICATE", "ALERT_UNKNOWN_CA", "ALERT_ACCESS_DENIED")


def tls_error(error: BaseException) -> ssl.SSLError | None:
    """Return the TLS error among the causes of an error; None if there is none."""
    return next((cause for cause in made_of(error) if isinstance(cause, ssl.SSLError)), None)


def explained(error: BaseException, host: str) -> tuple[str, str | None]:
    """Return an explanation to append to the message of a connection error, and advice for the user.

    The explanation is "" and the advice is None if there is nothing to add.
    """
    failed = tls_error(error)
    if isinstance(failed, ssl.SSLCertVerificationError):
        code = getattr(failed, "verify_code", 0)
        kind = "time" if code in _TIME else "host" if code in _WRONG_HOST else "trust"
        return f"; for the host {host}{_described(getattr(failed, 'presented', None))}", ADVICE[kind]
    if failed is not None:
        alert_text = str(failed)
        advice_key = "client" if any(alert in alert_text for alert in _CLIENT) else "handshake"
        return "", ADVICE[
            advice_key
        ] if advice_key == "client" or "ALERT_HANDSHAKE_FAILURE" in alert_text else None
    if any(type(cause).__name__ == "ProxyError" for cause in made_of(error)):
        return "", ADVICE["proxy" if "407" in str(error) else "way"]
    return "", None


def made_of(error: BaseException, *, context: bool = True) -> Iterator[BaseException]:
    """Yield an error and its causes, the nearest first.

    A cause is in the error's `args`, `reason` or `__cause__`, depending on the library that raised it. If
    `context` is True, `__context__` is followed, too: the error that was being handled when this error was
    raised.
    """
    seen: set[int] = set()
    waiting: list[object] = [error]
    while waiting:
        cause = waiting.pop(0)
        if isinstance(cause, BaseException) and id(cause) not in seen:
            seen.add(id(cause))
            yield cause
            waiting += [*cause.args, getattr(cause, "reason", None), cause.__cause__]
            waiting.append(cause.__context__ if context else None)


def _described(presented: bytearray | str | None) -> str:
    """Describe a certificate for an error message: its owner, hosts, issuer and dates.

    `presented` is the certificate (DER), or the name of the error that prevented fetching it.
    """
    if not presented:
        return ""
    if isinstance(presented, str):
        return f" (its certificate is not available: {presented})"
    certificate = _decoded(presented)
    if isinstance(certificate, Exception):
        return f" (its certificate could not be decoded: {type(certificate).__name__})"
    names = [value for _, value in cast("list[tuple[str, str]]", certificate.get("subjectAltName", ()))]
    return (
        f" the server sent the certificate of {_name(certificate.get('subject'))} "
        f"(hosts: {', '.join(names[:5]) or 'none'}), issued by {_name(certificate.get('issuer'))}, "
        f"valid from {certificate.get('notBefore')} to {certificate.get('notAfter')}"
    )


def _name(parts: object) -> str:
    """Format a distinguished name: `CN=…, O=…`."""
    pairs = [pair for part in cast("tuple[tuple[tuple[str, str], ...], ...]", parts or ()) for pair in part]
    short = {"commonName": "CN", "organizationName": "O", "organizationalUnitName": "OU", "countryName": "C"}
    return ", ".join(f"{short.get(kind, kind)}={value}" for kind, value in pairs) or "unknown"


def _decoded(presented: bytearray) -> Mapping[str, object] | Exception:
    """Decode a certificate (DER) to the dict of `ssl`. Returns the error if that fails.

    Uses an internal function of Python's ssl, because the public one only decodes trusted certificates.
    """
    try:
        decode = importlib.import_module("_ssl")._test_decode_cert  # CPython's own tests use it
        with tempfile.NamedTemporaryFile("w", suffix=".pem") as file:
            file.write(ssl.DER_cert_to_PEM_cert(bytes(presented)))
            file.flush()
            return cast("Mapping[str, object]", decode(file.name))
    except (AttributeError, OSError, ValueError) as error:
        return error
