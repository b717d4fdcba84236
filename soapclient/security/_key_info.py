"""Find the certificate that the KeyInfo of a signature or of an encrypted key names.

This module does not decide if the certificate is trusted.
"""

from __future__ import annotations

from collections.abc import Iterable

from cryptography import x509

from soapclient.errors import SecurityError
from soapclient.security._certificates import (
    is_issued_by,
    load_certificate,
    subject_key_identifier,
    thumbprint,
)
from soapclient.security._xml import Element, Message, find, from_base64, need, q, referenced


def certificate_of(
    key_info: Element, message: Message, candidates: Iterable[x509.Certificate]
) -> x509.Certificate:
    """Return the certificate that a KeyInfo names.

    `candidates` are certificates that the receiver has. The message may name one of them without containing
    it. Raises SecurityError if no certificate matches, or if several match.
    """
    reference = find(key_info, "wsse:SecurityTokenReference")
    holder = key_info if reference is None else reference
    if len(holder) != 1:
        raise SecurityError("structure", "a KeyInfo element must contain exactly one reference to a key")
    if (link := find(holder, "wsse:Reference")) is not None:
        return _token(referenced(message.ids(), link.get("URI")), message)
    if (inline := find(holder, "ds:X509Data/ds:X509Certificate")) is not None:
        return load_certificate(from_base64(inline, "X509Certificate"))
    if (pair := find(holder, "ds:X509Data/ds:X509IssuerSerial")) is not None:
        issuer = need(find(pair, "ds:X509IssuerName"), "X509IssuerName").text or ""
        serial = need(find(pair, "ds:X509SerialNumber"), "X509SerialNumber").text or ""
        matches = [item for item in candidates if is_issued_by(item, issuer, serial)]
    else:
        identifier = need(find(holder, "wsse:KeyIdentifier"), "KeyIdentifier")
        kind = (identifier.get("ValueType") or "").rpartition("#")[2]
        value = from_base64(identifier, "KeyIdentifier")
        if kind in ("X509v3", "X509v1"):
            return load_certificate(value)
        identify = {"ThumbprintSHA1": thumbprint, "X509SubjectKeyIdentifier": subject_key_identifier}.get(
            kind
        )
        matches = [item for item in candidates if identify is not None and identify(item) == value]
    matches = list(dict.fromkeys(matches))  # a file may contain a certificate twice
    if len(matches) != 1:
        raise SecurityError(
            "untrusted",
            "the message does not contain its certificate, and its reference does not match exactly one "
            "certificate in trust or decrypt",
        )
    return matches[0]


def _token(token: Element, message: Message) -> x509.Certificate:
    if token.tag != q("wsse:BinarySecurityToken") or token.getparent() is not message.security:
        raise SecurityError(
            "reference", "a key reference must refer to a BinarySecurityToken in the Security header"
        )
    kind = (token.get("ValueType") or "").rpartition("#")[2]
    if kind != "X509v3":
        raise SecurityError(
            "algorithm", f"a BinarySecurityToken must have the type X509v3, got {kind[:100] or 'none'}"
        )
    return load_certificate(from_base64(token, "BinarySecurityToken"))
