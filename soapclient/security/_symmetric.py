"""Symmetric binding: request and response are signed and encrypted with one key, which the client creates."""

from __future__ import annotations

import hmac
from collections.abc import Callable, Sequence
from datetime import datetime
from functools import partial
from typing import Final, Literal

from cryptography import x509

from soapclient.errors import ConfigError
from soapclient.security._algorithms import CIPHERS, HMACS, Algorithms, SharedKey, checked_algorithms
from soapclient.security._blocks import Block
from soapclient.security._certificates import Source, TokenReference
from soapclient.security._derived_keys import PREFIXES, Version, add_derived_key, name_derived_key
from soapclient.security._writing import (
    ENCRYPTED_KEY,
    Recipient,
    add_signature,
    encrypt_parts,
    name_encrypted_key,
    targets_of,
)
from soapclient.security._xml import (
    MESSAGE_SECURITY,
    MESSAGE_SECURITY11,
    Element,
    Message,
    add,
    check_parts,
    q,
    signed_too_late,
    to_base64,
)

KEY_IDENTIFIER: Final = MESSAGE_SECURITY11 + "EncryptedKeySHA1"
# Bytes of a derived key for signatures: WS-SecurityPolicy 1.2, 6.1, has 192 bits for Basic256 and Basic192.
_SIGNATURE_KEY: Final = 24


class SymmetricBinding(Block):
    """Signs and encrypts a request with a random key, which is encrypted for the service.

    The service uses the same key for its response: verify it with `Verify(symmetric="response")`. The key
    does not prove who sent the request, because anyone who has the certificate of the service can encrypt a
    key for it. Add a `UsernameToken` to prove it.

    - `recipient_certificate`: the certificate of the service, or a file with it. Its key must be an RSA key.
      None if a service sends the message: the service uses the key of the request, which it has verified with
      `Verify(symmetric="request")`.
    - `parts`: the parts to sign, as for `Signature`.
    - `encrypt`: the parts to encrypt, as for `Encryption`. Empty to encrypt nothing.
    - `derived_keys`: sign and encrypt with keys that are derived from the random key
      (WS-SecureConversation).
    - `algorithms`: its `hash`, `cipher` and `transport` are used.
    - `token`: how the message names the certificate.
    - `encrypt_first`: encrypt before signing, so that the signature covers the encrypted content of the
      body. Parts other than the body cannot be encrypted and signed in this order.
    - `version`: the version of WS-SecureConversation for derived keys.

    Use this block instead of `Signature` and `Encryption`. Put it after the blocks that add the parts to sign
    or to encrypt. Raises ConfigError if an argument is invalid.

    >>> from soapclient.security import Security, SymmetricBinding, Timestamp, Verify
    >>> binding = SymmetricBinding("server.pem", derived_keys=False)
    >>> security = Security([Timestamp(), binding], verify=Verify(symmetric="response"))
    """

    __slots__ = (
        "_recipient",
        "algorithms",
        "derived_keys",
        "encrypt",
        "encrypt_first",
        "parts",
        "version",
    )

    def __init__(
        self,
        recipient_certificate: x509.Certificate | Source | None = None,
        *,
        parts: Sequence[str] = ("Body", "Timestamp"),
        encrypt: Sequence[str] = ("Body",),
        derived_keys: bool = True,
        algorithms: Algorithms | None = None,
        token: TokenReference = "thumbprint",
        encrypt_first: bool = False,
        version: Literal["2005-02", "2005-12"] = "2005-12",
    ) -> None:
        check_parts(parts, "parts")
        check_parts(encrypt, "encrypt", are_signed=False)
        if not parts:
            raise ConfigError("parts", "must name a part to sign", 'Pass parts=["Body", "Timestamp"]')
        lost = signed_too_late(parts, encrypt) or sorted({"Header"} & set(parts) & set(encrypt))
        if encrypt_first and lost:
            raise ConfigError(
                "encrypt",
                f"with encrypt_first, {lost[0]} cannot be both encrypted and signed",
                'Omit encrypt_first, or pass encrypt=["Body"]',
            )
        if version not in list(PREFIXES):
            raise ConfigError(
                "version",
                f"must be {' or '.join(PREFIXES)}, got {version!r}",
                "Pass a version of WS-SecureConversation",
            )
        self._recipient = None
        if recipient_certificate is not None:
            self._recipient = Recipient(recipient_certificate, token, "recipient_certificate")
        self.parts = tuple(parts)
        self.encrypt = tuple(encrypt)
        self.derived_keys = derived_keys
        self.algorithms = checked_algorithms(algorithms)
        self.encrypt_first = encrypt_first
        self.version: Version = version

    def add(self, message: Message, now: datetime, /) -> None:
        """Sign and encrypt the parts.

        Raises ConfigError if the message lacks all of the parts, or if there is neither a certificate nor the
        key of a verified request.
        """
        security = message.ensure_security()
        if self._recipient is not None:
            key, message._shared = self._recipient.add_key(security, self.algorithms)
            # A reference to an issuer's certificate may have added a BinarySecurityToken before the key.
            writer = _Writer(self, message, message._shared, partial(name_encrypted_key, key))
            writer.at = security.index(key) + 1
        elif message._shared is not None:
            writer = _Writer(self, message, message._shared, partial(_name_shared_key, message._shared))
        else:
            raise ConfigError(
                "recipient_certificate",
                "is required, because no request with a key was verified",
                "Pass the certificate of the service",
            )
        steps = [writer.sign, writer.encrypt]
        for step in steps[::-1] if self.encrypt_first else steps:
            step()

    def __repr__(self) -> str:
        recipient = "the sender of the request" if self._recipient is None else self._recipient
        return f"SymmetricBinding(for {recipient}, parts={list(self.parts)}, encrypt={list(self.encrypt)})"


class _Writer:
    """Writes the signature and the encrypted parts of one message, in two steps: `sign` and `encrypt`.

    `shared` is the key. `name_shared` adds a reference to this key to a KeyInfo. `at` is the index in the
    Security header at which elements are inserted. The receiver reads the header from the top, so the
    elements of the first step must come last.
    """

    def __init__(
        self,
        block: SymmetricBinding,
        message: Message,
        shared: SharedKey,
        name_shared: Callable[[Element], None],
    ) -> None:
        self.block = block
        self.message = message
        self.security = message.ensure_security()
        self.shared = shared
        self.name_shared = name_shared
        self.at = 0
        self._steps = 0

    def sign(self) -> None:
        """Add the signature of the block's `parts`, and with derived keys a DerivedKeyToken for it."""
        method = self.block.algorithms.hmac_uri
        length = min(_SIGNATURE_KEY, CIPHERS[self.block.algorithms.cipher_uri][0])
        secret, name_key = self._key(length)
        add_signature(
            self.message,
            self.block.parts,
            method,
            self.block.algorithms.digest_uri,
            at=self._place(),
            name_key=lambda _, key_info: name_key(key_info),
            sign=lambda data: hmac.digest(secret, data, HMACS[method].name),
        )

    def encrypt(self) -> None:
        """Encrypt the parts in the block's `encrypt`, and add a ReferenceList that names them.

        Does nothing if `encrypt` is empty.
        """
        if not self.block.encrypt:
            return
        targets = targets_of(self.message, self.block.encrypt, "encrypt")
        cipher = self.block.algorithms.cipher_uri
        secret, name_key = self._key(CIPHERS[cipher][0])
        references = add(self.security, "xenc:ReferenceList", at=self._place())
        encrypt_parts(self.message, targets, references, cipher, secret, name_key)

    def _key(self, length: int) -> tuple[bytes, Callable[[Element], None]]:
        """Return the key for signing or encrypting, and a function that adds a reference to it to a KeyInfo.

        With `derived_keys`, this is a new derived key of `length` bytes. Otherwise it is the shared key.
        """
        if not self.block.derived_keys:
            return self.shared.secret, self.name_shared
        token, secret = add_derived_key(
            self.security, self.shared.secret, length, self.block.version, self.name_shared, at=self.at
        )
        self.at += 1
        return secret, partial(name_derived_key, token, self.block.version)

    def _place(self) -> int:
        """Return the index at which the next step (sign or encrypt) inserts its element in the header.

        For the first step, this is the end of the Security header. For the second step, it is `at`.
        """
        self._steps += 1
        return len(self.security) if self._steps == 1 else self.at


def _name_shared_key(shared: SharedKey, key_info: Element) -> None:
    """Add a reference to `shared`, the key of the request, to an element of the response.

    `key_info` is the element: a KeyInfo or a DerivedKeyToken.
    """
    holder = add(key_info, "wsse:SecurityTokenReference")
    holder.set(q("wsse11:TokenType"), ENCRYPTED_KEY)
    identifier = add(holder, "wsse:KeyIdentifier", to_base64(shared.identifier))
    identifier.set("EncodingType", MESSAGE_SECURITY + "Base64Binary")
    identifier.set("ValueType", KEY_IDENTIFIER)
