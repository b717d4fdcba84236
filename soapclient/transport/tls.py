"""What a connection failed of, in words: whose certificate was refused, and by whom; what a proxy wants."""

from __future__ import annotations

import importlib
import ssl
import tempfile
from collections.abc import Iterator, Mapping
from typing import Final, cast

_WRONG_HOST: Final = frozenset({62, 64})  # of OpenSSL's X509_V_ERR: host name, IP address
_TIME: Final = frozenset({9, 10})  # not yet valid; expired
ADVICE: Final = {
    "time": "The service has to renew its certificate; if that is in order, check this machine's clock.",
    "host": "Check the configured address: it has to be one of the names in the certificate.",
    "trust": "If this authority is to be trusted, name its certificate in the setting 'verify'.",
    "client": "The service wants a certificate of the client that it trusts: set 'certificate'.",
    "handshake": "The service may want a certificate of the client: set 'certificate'.",
    "proxy": "The proxy wants a user name and a password: set 'proxy_credentials', and with it 'proxies'.",
    "way": "Check the setting 'proxies', or HTTPS_PROXY and HTTP_PROXY, and the proxy's own rules.",
}
# Alerts of a service that lacks, or does not take, the client's certificate; as OpenSSL names them.
_CLIENT: Final = ("CERTIFICATE_REQUIRED", "ALERT_BAD_CERTIFICATE", "ALERT_UNKNOWN_CA", "ALERT_ACCESS_DENIED")


def tls_error(error: BaseException) -> ssl.SSLError | None:
    """The error of TLS that others were made of; None where it was none."""
    return next((each for each in made_of(error) if isinstance(each, ssl.SSLError)), None)


def explained(error: BaseException, host: str) -> tuple[str, str | None]:
    """What more is to be said of a failed connection, and what to do; "" and None where that is nothing."""
    failed = tls_error(error)
    if isinstance(failed, ssl.SSLCertVerificationError):
        code = getattr(failed, "verify_code", 0)
        kind = "time" if code in _TIME else "host" if code in _WRONG_HOST else "trust"
        return f"; for the host {host}{_described(getattr(failed, 'presented', None))}", ADVICE[kind]
    if failed is not None:
        said = str(failed)
        wanted = "client" if any(alert in said for alert in _CLIENT) else "handshake"
        return "", ADVICE[wanted] if wanted == "client" or "ALERT_HANDSHAKE_FAILURE" in said else None
    if any(type(each).__name__ == "ProxyError" for each in made_of(error)):
        return "", ADVICE["proxy" if "407" in str(error) else "way"]
    return "", None


def made_of(error: BaseException, *, context: bool = True) -> Iterator[BaseException]:
    """An error, and those that it was made of, the nearest first: libraries wrap them in arguments, reasons
    and causes. With their `context` they are followed to what was handled meanwhile."""
    seen: set[int] = set()
    waiting: list[object] = [error]
    while waiting:
        found = waiting.pop(0)
        if isinstance(found, BaseException) and id(found) not in seen:
            seen.add(id(found))
            yield found
            waiting += [*found.args, getattr(found, "reason", None), found.__cause__]
            waiting.append(found.__context__ if context else None)


def _described(presented: bytes | Exception | None) -> str:
    """Describe a certificate: its owner, hosts, issuer and dates; or say why it is not known."""
    if not isinstance(presented, bytes):
        return f" (its certificate is not known: {type(presented).__name__})" if presented else ""
    known = _decoded(presented)
    if isinstance(known, Exception):
        return f" (its certificate could not be decoded: {type(known).__name__})"
    names = [value for _, value in cast("list[tuple[str, str]]", known.get("subjectAltName", ()))]
    return (
        f" came the certificate of {_name(known.get('subject'))} "
        f"(hosts: {', '.join(names[:5]) or 'none'}), issued by {_name(known.get('issuer'))}, "
        f"valid from {known.get('notBefore')} to {known.get('notAfter')}"
    )


def _name(parts: object) -> str:
    """A distinguished name: `CN=…, O=…`."""
    pairs = [pair for part in cast("tuple[tuple[tuple[str, str], ...], ...]", parts or ()) for pair in part]
    short = {"commonName": "CN", "organizationName": "O", "organizationalUnitName": "OU", "countryName": "C"}
    return ", ".join(f"{short.get(kind, kind)}={value}" for kind, value in pairs) or "nobody"


def _decoded(presented: bytes) -> Mapping[str, object] | Exception:
    """Decode a certificate with Python's ssl, which offers this for trusted ones alone. Returns the error if
    that fails."""
    try:
        decode = importlib.import_module("_ssl")._test_decode_cert  # CPython's own tests use it
        with tempfile.NamedTemporaryFile("w", suffix=".pem") as file:
            file.write(ssl.DER_cert_to_PEM_cert(presented))
            file.flush()
            return cast("Mapping[str, object]", decode(file.name))
    except (AttributeError, OSError, ValueError) as error:
        return error
