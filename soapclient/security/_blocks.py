"""Building blocks of secured requests, such as Timestamp and Signature.

Each block adds its elements to the Security header of a message.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Final, Protocol

from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec, padding, rsa, utils
from lxml import etree

from soapclient.auth.credentials import Secret
from soapclient.errors import ConfigError
from soapclient.security._algorithms import SIGNATURES, Algorithms, Hash, PrivateKey, checked_algorithms
from soapclient.security._certificates import (
    KeyPair,
    SigningFunction,
    Source,
    TokenReference,
    add_reference,
    check_pair,
    public_key,
    read_certificates,
    read_key,
    subject,
)
from soapclient.security._writing import (
    Recipient,
    add_signature,
    check_reference,
    encrypt_parts,
    name_encrypted_key,
    targets_of,
)
from soapclient.security._xml import (
    MESSAGE_SECURITY,
    PARSER,
    USERNAME_PROFILE,
    Element,
    Message,
    add,
    check_parts,
    ensure_id,
    q,
    to_base64,
)

_LONGEST: Final = timedelta(days=36_525)


class Block(Protocol):
    """Interface of a building block: one step that secures a request. Your own blocks implement `add`.

    >>> from lxml import etree
    >>> from soapclient.security import Message, Security, Timestamp
    >>> class TenantToken:
    ...     def add(self, message: Message, now) -> None:
    ...         etree.SubElement(message.security, "{urn:example:tenants}Tenant").text = "north"
    >>> security = Security([Timestamp(), TenantToken()])
    """

    __slots__ = ()

    def add(self, message: Message, now: datetime, /) -> None:
        """Add the block to a message. `now` is the time of the request, in UTC."""
        ...


class Timestamp(Block):
    """Adds the time of a request and the time at which it expires: `lifetime` later (seconds or a timedelta).

    >>> from soapclient.security import Security, Timestamp
    >>> security = Security(Timestamp(lifetime=60))
    """

    __slots__ = ("lifetime",)

    def __init__(self, lifetime: timedelta | float = timedelta(minutes=5)) -> None:
        self.lifetime = duration(lifetime, "lifetime")
        if not self.lifetime:
            raise ConfigError(
                "lifetime", f"must be positive, got {lifetime}", "Pass a number of seconds, or a timedelta"
            )

    def add(self, message: Message, now: datetime, /) -> None:
        """Add a Timestamp."""
        node = add(message.ensure_security(), "wsu:Timestamp")
        ensure_id(node)
        add(node, "wsu:Created", time_text(now))
        add(node, "wsu:Expires", time_text(now + self.lifetime))

    def __repr__(self) -> str:
        return f"Timestamp({self.lifetime.total_seconds():g})"


class UsernameToken(Block):
    """Adds a user name and, optionally, a password: as text, or as a digest of the password.

    Everybody who can read the message can read a password as text: use it only over TLS. The digest is
    SHA-1 of nonce, time and password (UsernameToken Profile 1.1). `nonce` and `created`: True to add a random
    nonce and the time. By default, they are added only with a digest, which needs both.

    Raises ConfigError if `user` is empty, if a text cannot be written in XML, or if a digest is requested
    without a password.

    >>> from soapclient.security import Security, UsernameToken
    >>> security = Security(UsernameToken("ada", "a password", digest=True))
    """

    __slots__ = ("_password", "created", "digest", "nonce", "user")

    def __init__(
        self,
        user: str,
        password: str | Secret | None = None,
        *,
        digest: bool = False,
        nonce: bool | None = None,
        created: bool | None = None,
    ) -> None:
        if not isinstance(user, str) or not user:
            raise ConfigError(
                "user",
                "must be a non-empty string",
                "Pass the user name as the first argument: UsernameToken(user, password)",
            )
        if digest and password is None:
            raise ConfigError(
                "password", "is required with digest=True", "Pass the password, or digest=False"
            )
        if digest and False in (nonce, created):
            raise ConfigError(
                "nonce", "nonce and created cannot be False with digest=True", "Omit both arguments"
            )
        if password is not None and not isinstance(password, str | Secret):
            raise ConfigError(
                "password",
                f"must be a string or a Secret, got {type(password).__name__}",
                "Pass UsernameToken(user, password)",
            )
        if password == "":
            raise ConfigError(
                "password", "is empty", "Pass a password, or omit the argument to send only the user name"
            )
        secret = Secret(password) if isinstance(password, str) else password
        for name, text in (("user", user), ("password", _revealed(secret))):
            if not _is_xml_text(text):
                raise ConfigError(
                    name,
                    "has a character that XML cannot contain (the value is not shown)",
                    "Remove control characters from the value",
                )
        self.user = user
        self._password = secret
        self.digest = digest
        self.nonce = digest if nonce is None else nonce
        self.created = digest if created is None else created

    @property
    def account(self) -> str:
        """A text that identifies the user, for `Security.username`."""
        return self.user

    @property
    def secrets(self) -> set[str]:
        """The texts that no error or log may show."""
        return {_revealed(self._password)} - {""}

    def add(self, message: Message, now: datetime, /) -> None:
        """Add a UsernameToken."""
        node = add(message.ensure_security(), "wsse:UsernameToken")
        ensure_id(node)
        add(node, "wsse:Username", self.user)
        nonce, created = os.urandom(16), time_text(now)
        if self._password is not None:
            if self.digest:
                digested = hashlib.sha1(nonce + created.encode() + _revealed(self._password).encode())
                text, kind = to_base64(digested.digest()), "PasswordDigest"
                add(node, "wsse:Password", text, Type=USERNAME_PROFILE + kind)
            else:
                add(node, "wsse:Password", _revealed(self._password), Type=USERNAME_PROFILE + "PasswordText")
        if self.nonce:
            add(node, "wsse:Nonce", to_base64(nonce), EncodingType=MESSAGE_SECURITY + "Base64Binary")
        if self.created:
            add(node, "wsu:Created", created)

    def __repr__(self) -> str:
        return f"UsernameToken({self.user!r})"


class Signature(Block):
    """Signs parts of a request.

    - `key`: a private key, a PEM file with it, a `KeyPair`, or a function that signs (`SigningFunction`, for
      keys in an HSM).
    - `certificate`: the certificate of the key, or a file with it. Omit it for a `KeyPair`.
    - `parts`: names of parts: `Body`, `Timestamp`, `UsernameToken`, `SamlAssertion`, `BinarySecurityToken`,
      `SignatureConfirmation`, `Addressing` (the headers of WS-Addressing), `Header` (all headers except the
      Security header), `{namespace}name` of a header, or `Attachments` (their content, by the SwA Profile).
      Parts that a request lacks are skipped.
    - `token`: how the message names the certificate (`TokenReference`).
    - `algorithms`: only its `hash` is used.
    - `password`: decrypts the file of the key.

    Raises ConfigError if an argument is invalid.

    >>> from soapclient import connect
    >>> from soapclient.security import Security, Signature, Timestamp, Verify
    >>> from soapclient.testing import mock
    >>> from weather import WeatherService  # bindgen init weather --file weather.wsdl
    >>> def signing(own: str, other: str) -> Security:
    ...     signature = Signature(f"{own}.key", f"{own}.pem")
    ...     return Security([Timestamp(), signature], verify=Verify(trust=f"{other}.pem"))
    >>> with mock("weather", wsse=signing("server", "client")) as server:
    ...     security = signing("client", "server")
    ...     with connect(WeatherService, address=server.address(), wsse=security) as service:
    ...         response = service.get_weather(city="Rome")
    """

    __slots__ = ("_certificate", "_key", "_public_key", "algorithms", "parts", "token")

    def __init__(
        self,
        key: PrivateKey | SigningFunction | KeyPair | Source,
        certificate: x509.Certificate | Source | None = None,
        parts: Sequence[str] = ("Body", "Timestamp"),
        *,
        token: TokenReference = "binary",
        algorithms: Algorithms | None = None,
        password: str | Secret | None = None,
    ) -> None:
        check_parts(parts, "parts")
        check_reference(token)
        if isinstance(key, KeyPair):
            if certificate is not None:
                raise ConfigError(
                    "certificate",
                    "must be omitted, because the KeyPair contains a certificate",
                    "Pass Signature(pair, parts=[…])",
                )
            self._key: PrivateKey | SigningFunction = key.key
            self._certificate = key.certificate
        else:
            if certificate is None:
                raise ConfigError(
                    "certificate",
                    "is required, unless key is a KeyPair",
                    "Pass the certificate that belongs to the key",
                )
            self._key = read_key(key, password) if isinstance(key, str | Path | bytes) else key
            self._certificate = read_certificates(certificate, "certificate")[0]
            check_pair(self._key, self._certificate)
        self.parts = tuple(parts)
        self.token = token
        self.algorithms = checked_algorithms(algorithms)
        self._public_key = public_key(self._certificate)
        self.algorithms.signature_uri(self._public_key)

    @property
    def account(self) -> str:
        """A text that identifies the signer, for `Security.username`."""
        return subject(self._certificate)

    def add(self, message: Message, now: datetime, /) -> None:
        """Add a signature of the parts.

        Raises ConfigError if the message has none of the parts, or if the function for signing fails.
        """
        method = self.algorithms.signature_uri(self._public_key)
        security = message.ensure_security()
        add_signature(
            message,
            self.parts,
            method,
            self.algorithms.digest_uri,
            at=_position(security),
            name_key=lambda signature, key_info: add_reference(
                key_info, self._certificate, self.token, signature
            ),
            sign=lambda data: self._sign(data, SIGNATURES[method][1]),
        )

    def _sign(self, data: bytes, kind: Hash) -> bytes:
        """Sign data with the hash function `kind`. Returns the signature in the format of XML Signature."""
        key = self._key
        if isinstance(key, rsa.RSAPrivateKey):
            return key.sign(data, padding.PKCS1v15(), kind)
        if isinstance(key, ec.EllipticCurvePrivateKey):
            signature = key.sign(data, ec.ECDSA(kind))
        else:
            with explained("key", "the function for signing failed"):
                signature = key(data, kind.name)
        try:
            if not isinstance(self._public_key, ec.EllipticCurvePublicKey):
                return bytes(memoryview(signature))
            size = (self._public_key.curve.key_size + 7) // 8
            r, s = utils.decode_dss_signature(signature)
            return r.to_bytes(size) + s.to_bytes(size)
        except (ValueError, TypeError, OverflowError):
            raise ConfigError(
                "key",
                f"the function for signing returned {type(signature).__name__}, not a signature",
                "The function must return bytes: PKCS #1 v1.5 for RSA keys, DER for ECDSA keys",
            ) from None

    def __repr__(self) -> str:
        return f"Signature(certificate of {subject(self._certificate)}, parts={list(self.parts)})"


class Encryption(Block):
    """Encrypts parts of a request for the owner of a certificate.

    - `recipient`: the certificate of the service, or a file with it. Its key must be an RSA key.
    - `parts`: as for `Signature`, without `Attachments`. For the body, its content is encrypted; for other
      parts, the element.
    - `token`: how the message names the certificate.
    - `algorithms`: its `cipher` and `transport` are used.

    An encrypted header is written as an `EncryptedData` (WSS 1.0), not as an `EncryptedHeader` (WSS 1.1).

    Blocks are applied in order: to encrypt what is signed, put Encryption after Signature. Raises
    ConfigError if an argument is invalid.

    >>> from soapclient.security import Encryption, KeyPair, Security, Signature, Timestamp, Verify
    >>> own = KeyPair.from_pem("client.key", "client.pem")
    >>> security = Security(
    ...     [Timestamp(), Signature(own), Encryption("server.pem")],
    ...     verify=Verify(trust="server.pem", decrypt=own, encrypted=True),
    ... )
    """

    __slots__ = ("_recipient", "algorithms", "parts", "token")

    def __init__(
        self,
        recipient: x509.Certificate | Source,
        parts: Sequence[str] = ("Body",),
        *,
        token: TokenReference = "issuer-serial",
        algorithms: Algorithms | None = None,
    ) -> None:
        check_parts(parts, "parts", are_signed=False)
        self._recipient = Recipient(recipient, token, "recipient")
        self.parts = tuple(parts)
        self.token = token
        self.algorithms = checked_algorithms(algorithms)

    def add(self, message: Message, now: datetime, /) -> None:
        """Encrypt the parts. Raises ConfigError if the message has none of the parts."""
        targets = targets_of(message, self.parts, "encrypt")
        key, shared = self._recipient.add_key(message.ensure_security(), self.algorithms)
        references = add(key, "xenc:ReferenceList")
        encrypt_parts(
            message,
            targets,
            references,
            self.algorithms.cipher_uri,
            shared.secret,
            partial(name_encrypted_key, key),
        )

    def __repr__(self) -> str:
        return f"Encryption(for {self._recipient}, parts={list(self.parts)})"


class SamlToken(Block):
    """A SAML assertion (1.1 or 2.0), as a bearer token.

    `assertion` is the element, its XML as bytes, or a function that returns one of these. The function is
    called for each attempt, so that it can renew the assertion. If the function fails, the call
    raises ConfigError.

    >>> from soapclient.security import SamlToken, Security
    >>> def fetch_assertion() -> bytes:  # called for each request
    ...     return b"<Assertion xmlns='urn:oasis:names:tc:SAML:2.0:assertion' ID='a1'/>"
    >>> security = Security(SamlToken(fetch_assertion))
    """

    __slots__ = ("_assertion",)

    def __init__(self, assertion: etree._Element | bytes | Callable[[], etree._Element | bytes]) -> None:
        self._assertion = assertion
        if not callable(assertion):
            _parsed_assertion(assertion)

    def add(self, message: Message, now: datetime, /) -> None:
        """Add the assertion. Raises ConfigError if it is not a SAML assertion, or if the function fails."""
        value = self._assertion
        if callable(value):
            with explained("assertion", "the function that returns the assertion failed"):
                value = value()
        node = _parsed_assertion(value)
        message.append_unchanged(node)

    def __repr__(self) -> str:
        return "SamlToken(…)"


_ASSERTIONS: Final = (q("saml:Assertion"), q("saml2:Assertion"))


def _parsed_assertion(value: object) -> Element:
    """Return a copy of a SAML assertion. Raises ConfigError if the value is not a SAML assertion.

    The error does not show the value, because an assertion is a credential.
    """
    # Not copied: a copy of an element lacks the namespace declarations of its ancestors.
    xml = etree.tostring(value, with_tail=False) if isinstance(value, etree._Element) else value
    try:
        node = etree.fromstring(xml, PARSER) if isinstance(xml, bytes) else None
    except etree.XMLSyntaxError:
        node = None
    if node is None or node.tag not in _ASSERTIONS or node.getroottree().docinfo.internalDTD is not None:
        raise ConfigError(
            "assertion",
            "is not an assertion of SAML 1.1 or 2.0",
            "Pass an element of lxml, its XML as bytes, or a function that returns one of these",
        )
    return node


def _revealed(password: Secret | None) -> str:
    """Return a password as text; "" for None."""
    return "" if password is None else password.reveal()


def _is_xml_text(text: str) -> bool:
    try:
        etree.Element("text").text = text
    except ValueError:
        return False
    return True


@contextmanager
def explained(argument: str, problem: str) -> Iterator[None]:
    """Context manager that converts the exceptions of a user's function to a ConfigError.

    `argument` is the name of the argument with the function, `problem` the text of the error. A ConfigError
    is not changed. Other errors of this library are converted: otherwise, a Timeout of a call that the
    function makes would look like a Timeout of the request that is being secured.
    """
    try:
        yield
    except ConfigError:
        raise
    except Exception as error:
        reason = type(error).__name__  # without its text, which may contain a secret
        raise ConfigError(
            argument,
            f"{problem}: {reason}",
            "Correct the function that was passed. Its exception is the __cause__ of this error",
        ) from error


def duration(value: timedelta | float, argument: str) -> timedelta:
    """Convert a duration (a timedelta, or seconds) to a timedelta.

    `argument` is the name of the argument, for errors. Raises ConfigError if the duration is invalid,
    negative, or longer than 100 years. A longer duration could end after the last possible date.
    """
    try:
        length = value if isinstance(value, timedelta) else timedelta(seconds=value)
        if timedelta() <= length <= _LONGEST:
            return length
    except (TypeError, ValueError, OverflowError):
        pass
    raise ConfigError(
        argument,
        f"must be a time from 0 to 100 years, got {value!r}",
        "Pass a number of seconds, or a timedelta",
    )


def time_text(moment: datetime) -> str:
    """Format a time as xsd:dateTime in UTC, with milliseconds."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3] + "Z"


def _position(security: Element) -> int:
    """Return the index in the Security header at which to insert a signature.

    The index is before all signatures and encrypted keys that other blocks have added, and before the
    tokens that these use. Receivers process the header from the top, so the element that was added last must
    come first. If there are no such elements, the index is the end of the header.
    """
    users = [
        index
        for index, node in enumerate(security)
        if node.tag in (q("ds:Signature"), q("xenc:EncryptedKey"))
    ]
    index = users[0] if users else len(security)
    while index and users and security[index - 1].tag == q("wsse:BinarySecurityToken"):
        index -= 1
    return index
