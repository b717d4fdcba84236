"""Keys and certificates: reading them, and naming a certificate in a message."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Literal, TypeAlias

from cryptography import x509
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.serialization import Encoding, load_pem_private_key, pkcs12
from cryptography.x509.oid import NameOID

from soapclient.auth.credentials import Secret
from soapclient.errors import ConfigError, SecurityError
from soapclient.security._algorithms import PrivateKey
from soapclient.security._xml import (
    MESSAGE_SECURITY,
    MESSAGE_SECURITY11,
    X509_PROFILE,
    Element,
    add,
    ensure_id,
    q,
    to_base64,
)

Source: TypeAlias = str | Path | bytes
"""A file's path, or the content of a file as bytes. Content in PEM format may also be a string."""
SigningFunction: TypeAlias = Callable[[bytes, str], bytes]
"""Signs data with a key that stays elsewhere, such as in an HSM: `function(data, hash)`.

`hash` is `sha1`, `sha256`, `sha384` or `sha512`. Returns an RSA signature (PKCS #1 v1.5), or an ECDSA
signature in DER.
"""
TokenReference: TypeAlias = Literal["binary", "issuer-serial", "ski", "thumbprint", "embedded"]
"""How a message names a certificate.

- `binary`: a BinarySecurityToken in the Security header contains it.
- `issuer-serial`: by its issuer and serial number.
- `ski`: by its subject key identifier.
- `thumbprint`: by its SHA-1 hash.
- `embedded`: the reference itself contains it.
"""
TOKEN_REFERENCES: Final = ("binary", "issuer-serial", "ski", "thumbprint", "embedded")
# Errors of cryptography for keys and certificates that it cannot read or does not support.
UNREADABLE: Final = (ValueError, TypeError, UnsupportedAlgorithm)
_PEM: Final = "-----BEGIN"
_MAX_SHOWN: Final = 150  # characters of a path in errors: longer ones may be a key
_MAX_NAME: Final = 1000  # characters of an issuer's name in a message: longer ones take long to parse


@dataclass(frozen=True, slots=True)
class KeyPair:
    """A private key with its certificate, and the certificates of the intermediate authorities (`chain`).

    >>> from soapclient.security import KeyPair, Signature
    >>> pair = KeyPair.from_pem("client.key", "client.pem")
    >>> signature = Signature(pair)
    """

    key: PrivateKey = field(repr=False)
    certificate: x509.Certificate = field(repr=False)
    chain: tuple[x509.Certificate, ...] = field(default=(), repr=False)

    @classmethod
    def from_pem(cls, key: Source, certificate: Source, password: str | Secret | None = None) -> KeyPair:
        """Read a key and its certificate in PEM format. `password` decrypts the key.

        Raises ConfigError if a file cannot be read or the key does not belong to the certificate.
        """
        certificates = read_certificates(certificate, "certificate")
        return cls._checked(read_key(key, password), certificates[0], tuple(certificates[1:]))

    @classmethod
    def from_pkcs12(cls, source: Source, password: str | Secret | None = None) -> KeyPair:
        """Read a key with its certificates from a PKCS #12 file (`.p12`, `.pfx`).

        Raises ConfigError if the file cannot be read or has no key.
        """
        data, secret = _content(source, "pkcs12"), _password(password)
        try:
            key, certificate, chain = pkcs12.load_key_and_certificates(data, secret)
        except UNREADABLE:
            raise ConfigError(
                "pkcs12",
                "the file is not PKCS #12, or the password is wrong",
                "Check the file and its password",
            ) from None
        if certificate is None or not isinstance(key, rsa.RSAPrivateKey | ec.EllipticCurvePrivateKey):
            raise ConfigError(
                "pkcs12",
                "the file has no RSA or elliptic curve key with a certificate",
                "Export the private key and its certificate into one PKCS #12 file",
            )
        return cls._checked(key, certificate, tuple(chain))

    @classmethod
    def _checked(
        cls, key: PrivateKey, certificate: x509.Certificate, chain: tuple[x509.Certificate, ...]
    ) -> KeyPair:
        check_pair(key, certificate)
        return cls(key, certificate, chain)


def check_pair(key: object, certificate: x509.Certificate) -> None:
    """Raise ConfigError if a private key does not belong to a certificate."""
    if isinstance(key, rsa.RSAPrivateKey | ec.EllipticCurvePrivateKey):
        if key.public_key() != public_key(certificate):
            raise ConfigError(
                "key",
                f"does not belong to the certificate of {subject(certificate)}",
                "Pass a key and a certificate that belong together",
            )
    elif not callable(key):
        raise ConfigError(
            "key",
            f"must be an RSA or elliptic curve key, or a function, got {type(key).__name__}",
            "Read it with KeyPair.from_pem or KeyPair.from_pkcs12",
        )


def read_key(source: Source, password: str | Secret | None = None) -> PrivateKey:
    """Read a private key in PEM format.

    Raises ConfigError if it cannot be read. No error shows a part of the key.
    """
    data, secret = _content(source, "key"), _password(password)
    try:
        key = load_pem_private_key(data, secret)
    except UNREADABLE:
        raise ConfigError(
            "key",
            "is not a private key in PEM format, or the password is wrong or missing",
            "Check the file and its password",
        ) from None
    if not isinstance(key, rsa.RSAPrivateKey | ec.EllipticCurvePrivateKey):
        raise ConfigError(
            "key",
            f"must be an RSA or elliptic curve key, got {type(key).__name__}",
            "Use an RSA or elliptic curve key",
        )
    return key


def read_certificates(
    source: Source | x509.Certificate | Sequence[x509.Certificate], argument: str
) -> list[x509.Certificate]:
    """Return the certificates that were passed as an argument, or that are in a PEM or DER file.

    The list is never empty. Raises ConfigError if there is no certificate. `argument` is the name of the
    argument, for this error.
    """
    if isinstance(source, x509.Certificate):
        return [source]
    if not isinstance(source, str | Path | bytes):
        are_certificates = isinstance(source, Sequence) and all(
            isinstance(item, x509.Certificate) for item in source
        )
        if not are_certificates or not source:
            raise ConfigError(argument, "must be certificates", "Pass the path of a PEM or DER file")
        return list(source)
    data = _content(source, argument)
    try:
        if _PEM.encode() in data:
            return x509.load_pem_x509_certificates(data)
        return [x509.load_der_x509_certificate(data)]
    except ValueError:
        raise ConfigError(
            argument, "is not a certificate in PEM or DER format", "Pass a file with a certificate"
        ) from None


def _content(source: Source, argument: str) -> bytes:
    """Return the content of a file. `source` is its path, or the content itself.

    Raises ConfigError if the file cannot be read. The error does not show a key that was passed instead of a
    path. `argument` is the name of the argument, for this error.
    """
    if isinstance(source, bytes):
        return source
    if isinstance(source, str) and _PEM in source:
        return source.encode()
    if not isinstance(source, str | Path):
        raise ConfigError(
            argument,
            f"must be a path or bytes, got {type(source).__name__}",
            "Pass the path of a file, or its content as bytes",
        )
    try:
        return Path(source).read_bytes()
    except (OSError, ValueError) as error:
        problem = f"the file cannot be read: {getattr(error, 'strerror', None) or type(error).__name__}"
    name = str(source)
    if len(name) <= _MAX_SHOWN and name.isprintable():
        problem = f"{name}: {problem}"
    raise ConfigError(argument, problem, "Pass the path of a readable file, or its content as bytes")


def public_key(certificate: x509.Certificate) -> object:
    """Return the public key of a certificate; None if cryptography does not support it."""
    try:
        return certificate.public_key()
    except UNREADABLE:
        return None


def _password(password: str | Secret | None) -> bytes | None:
    text = password.reveal() if isinstance(password, Secret) else password
    if text is None:
        return None
    if not isinstance(text, str):
        raise ConfigError(
            "password",
            f"must be a string or a Secret, got {type(text).__name__}",
            "Pass the password of the key, or omit it",
        )
    return text.encode()


# ---- names of certificates


def subject(certificate: x509.Certificate) -> str:
    """Return the subject of a certificate, such as `CN=shop`, for messages.

    Returns a placeholder if the subject is invalid. cryptography parses a subject only when it is first
    used, so this function is the first one to notice an invalid subject.
    """
    try:
        return certificate.subject.rfc4514_string()
    except Exception:  # ValueError, TypeError and others, depending on the mistake
        return f"a certificate with the SHA-1 thumbprint {thumbprint(certificate).hex()}"


def thumbprint(certificate: x509.Certificate) -> bytes:
    """Return the SHA-1 hash of a certificate in DER format."""
    return certificate.fingerprint(hashes.SHA1())


def subject_key_identifier(certificate: x509.Certificate) -> bytes | None:
    """Return the subject key identifier of a certificate; None if it has none or it cannot be read."""
    try:
        extension = certificate.extensions.get_extension_for_class(x509.SubjectKeyIdentifier)
    except (x509.ExtensionNotFound, ValueError):
        return None
    return extension.value.digest


def load_certificate(der: bytes) -> x509.Certificate:
    """Parse the DER encoding of a certificate in a message. Raises SecurityError if it is invalid."""
    try:
        return x509.load_der_x509_certificate(der)
    except (ValueError, x509.InvalidVersion):
        raise SecurityError(
            "structure", "the message contains a certificate that cannot be parsed as X.509"
        ) from None


def is_issued_by(certificate: x509.Certificate, name: str, serial: str) -> bool:
    """Return True if a certificate has this issuer (`name`) and serial number.

    In some messages, the parts of the issuer's name are in the opposite order, or have no spaces between
    them. Therefore both orders are accepted, and spaces are ignored.
    """
    if len(name) > _MAX_NAME:
        return False
    try:
        issuer = x509.Name.from_rfc4514_string(
            re.sub(r"\s*,\s*(?=[A-Za-z0-9.]+=)", ",", name.strip()),
            {"EMAILADDRESS": NameOID.EMAIL_ADDRESS, "E": NameOID.EMAIL_ADDRESS},
        )
        ours, theirs = (
            [(item.oid, str(item.value).casefold()) for item in parsed]
            for parsed in (certificate.issuer, issuer)
        )
    except (ValueError, TypeError):
        return False
    return str(certificate.serial_number) == serial.strip() and ours in (theirs, theirs[::-1])


def add_reference(
    key_info: Element, certificate: x509.Certificate, reference: TokenReference, before: Element
) -> None:
    """Add a reference to a certificate to a KeyInfo, in the form that `reference` selects.

    For "binary", a BinarySecurityToken with the certificate is inserted, too. It is inserted before the
    element `before`, which uses the certificate, because receivers read the Security header from the top.
    """
    holder = add(key_info, "wsse:SecurityTokenReference")
    der = certificate.public_bytes(Encoding.DER)
    if reference == "binary":
        security = before.getparent()
        assert security is not None
        token = add(security, "wsse:BinarySecurityToken", to_base64(der), at=security.index(before))
        token.set("EncodingType", MESSAGE_SECURITY + "Base64Binary")
        token.set("ValueType", X509_PROFILE + "X509v3")
        add(holder, "wsse:Reference", URI="#" + ensure_id(token), ValueType=X509_PROFILE + "X509v3")
        return
    if reference == "issuer-serial":
        pair = add(add(holder, "ds:X509Data"), "ds:X509IssuerSerial")
        add(pair, "ds:X509IssuerName", certificate.issuer.rfc4514_string())
        add(pair, "ds:X509SerialNumber", str(certificate.serial_number))
        return
    value: bytes | None = der
    kind = X509_PROFILE + "X509v3"
    if reference == "ski":
        value, kind = subject_key_identifier(certificate), X509_PROFILE + "X509SubjectKeyIdentifier"
    elif reference == "thumbprint":
        value, kind = thumbprint(certificate), MESSAGE_SECURITY11 + "ThumbprintSHA1"
        holder.set(q("wsse11:TokenType"), X509_PROFILE + "X509v3")
    if value is None:
        raise ConfigError(
            "token",
            f"the certificate of {subject(certificate)} has no subject key identifier",
            'Pass another reference, such as token="issuer-serial"',
        )
    identifier = add(holder, "wsse:KeyIdentifier", to_base64(value))
    identifier.set("EncodingType", MESSAGE_SECURITY + "Base64Binary")
    identifier.set("ValueType", kind)
