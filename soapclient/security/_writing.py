"""Write the elements that several blocks add: Signature, EncryptedKey and EncryptedData."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Sequence

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import rsa
from lxml import etree

from soapclient.errors import ConfigError
from soapclient.security._algorithms import (
    CIPHERS,
    DIGESTS,
    EXCLUSIVE_C14N,
    RSA15,
    Algorithms,
    SharedKey,
    encrypt,
    transport_padding,
)
from soapclient.security._attachments import CONTENT_TRANSFORM, to_sign
from soapclient.security._certificates import (
    TOKEN_REFERENCES,
    Source,
    TokenReference,
    add_reference,
    public_key,
    read_certificates,
    subject,
)
from soapclient.security._xml import (
    ATTACHMENTS,
    MESSAGE_SECURITY11,
    NAMESPACES,
    Element,
    Message,
    add,
    canonical,
    ensure_id,
    q,
    to_base64,
)

ENCRYPTED_KEY = MESSAGE_SECURITY11 + "EncryptedKey"


class Recipient:
    """The receiver of encrypted messages: a certificate with an RSA key.

    `token` selects how messages name the certificate. `argument` is the name of the argument with the
    certificate: if the certificate is invalid, a ConfigError with this name is raised.
    """

    __slots__ = ("_certificate", "_key", "_token")

    def __init__(self, source: x509.Certificate | Source, token: TokenReference, argument: str) -> None:
        check_reference(token)
        self._certificate = read_certificates(source, argument)[0]
        key = public_key(self._certificate)
        if not isinstance(key, rsa.RSAPublicKey):
            raise ConfigError(
                argument,
                f"the certificate of {subject(self._certificate)} has no RSA key",
                "Pass a certificate with an RSA key",
            )
        self._key = key
        self._token = token

    def add_key(self, security: Element, algorithms: Algorithms) -> tuple[Element, SharedKey]:
        """Add an EncryptedKey with a random key as the first element of the Security header.

        Returns the element, and the key in it.
        """
        secret = os.urandom(CIPHERS[algorithms.cipher_uri][0])
        transport = algorithms.transport_uri
        key = add(security, "xenc:EncryptedKey", at=0)  # before everything that it decrypts
        method = add(key, "xenc:EncryptionMethod", Algorithm=transport)
        if transport != RSA15:
            add(method, "ds:DigestMethod", Algorithm=NAMESPACES["ds"] + "sha1")
        add_reference(add(key, "ds:KeyInfo"), self._certificate, self._token, key)
        oaep = transport_padding(transport, hashes.SHA1(), hashes.SHA1())
        encrypted = self._key.encrypt(secret, oaep)
        add(add(key, "xenc:CipherData"), "xenc:CipherValue", to_base64(encrypted))
        return key, SharedKey(secret, hashlib.sha1(encrypted).digest())

    def __str__(self) -> str:
        return subject(self._certificate)


def check_reference(token: str) -> None:
    """Raise ConfigError if `token`, the way in which messages name a certificate, is unknown."""
    if token not in TOKEN_REFERENCES:
        raise ConfigError(
            "token",
            f"must be one of: {', '.join(TOKEN_REFERENCES)} (got {token!r})",
            "Pass one of the allowed names",
        )


def targets_of(message: Message, parts: Sequence[str], action: str) -> list[Element]:
    """Return the elements of a message that belong to the parts with these names.

    `action` is "sign" or "encrypt", for the error. Raises ConfigError if the message has none of the parts.
    """
    targets = message.parts(*parts)
    if not targets:
        raise ConfigError(
            "parts",
            f"the request has none of the parts to {action}: {', '.join(parts)}",
            f"Put the blocks that add them before the block that should {action} them, or name other parts",
        )
    return targets


def add_signature(
    message: Message,
    parts: Sequence[str],
    method: str,
    digest_uri: str,
    *,
    at: int,
    name_key: Callable[[Element, Element], None],
    sign: Callable[[bytes], bytes],
) -> None:
    """Add a Signature of parts to the Security header, at the index `at`.

    - `method`, `digest_uri`: the identifiers of the signature method and of the hash function.
    - `name_key` is called with the Signature and its KeyInfo, and must add a reference to the key.
    - `sign` is called with the canonical SignedInfo, and returns the signature.

    Raises ConfigError if the message has none of the parts.
    """
    attachments = to_sign() if ATTACHMENTS in parts else []
    targets = message.parts(*parts) if attachments else targets_of(message, parts, "sign")
    signature = add(message.ensure_security(), "ds:Signature", at=at)
    ensure_id(signature)
    info = add(signature, "ds:SignedInfo")
    add(info, "ds:CanonicalizationMethod", Algorithm=EXCLUSIVE_C14N)
    add(info, "ds:SignatureMethod", Algorithm=method)
    value = add(signature, "ds:SignatureValue")
    name_key(signature, add(signature, "ds:KeyInfo"))
    if "BinarySecurityToken" in parts:  # this signature has added one
        targets = message.parts(*parts)
    signed = [("#" + ensure_id(target), EXCLUSIVE_C14N, canonical(target)) for target in targets]
    signed += [(uri, CONTENT_TRANSFORM, content) for uri, content in attachments]
    for uri, transform, data in signed:
        reference = add(info, "ds:Reference", URI=uri)
        add(add(reference, "ds:Transforms"), "ds:Transform", Algorithm=transform)
        add(reference, "ds:DigestMethod", Algorithm=digest_uri)
        digest = hashes.Hash(DIGESTS[digest_uri])
        digest.update(data)
        add(reference, "ds:DigestValue", to_base64(digest.finalize()))
    value.text = to_base64(sign(canonical(info)))


def encrypt_parts(
    message: Message,
    targets: Sequence[Element],
    references: Element,
    cipher: str,
    secret: bytes,
    name_key: Callable[[Element], None],
) -> None:
    """Encrypt the elements `targets`, and add a reference to each one to `references`, a ReferenceList.

    Of the body, only the content is encrypted. `name_key` is called with the KeyInfo of each EncryptedData,
    and must add a reference to the key.
    """
    for target in targets:
        data, key_info = _replaced(target, is_content=target is message.body, cipher=cipher, secret=secret)
        name_key(key_info)
        add(references, "xenc:DataReference", URI="#" + ensure_id(data))


def name_encrypted_key(key: Element, key_info: Element) -> None:
    """Add to `key_info` a reference to `key`, an EncryptedKey of the same message.

    `key_info` is a KeyInfo or a DerivedKeyToken.
    """
    holder = add(key_info, "wsse:SecurityTokenReference")
    holder.set(q("wsse11:TokenType"), ENCRYPTED_KEY)
    add(holder, "wsse:Reference", URI="#" + ensure_id(key), ValueType=ENCRYPTED_KEY)


def _replaced(target: Element, *, is_content: bool, cipher: str, secret: bytes) -> tuple[Element, Element]:
    """Replace an element by EncryptedData, or only its content if `is_content` is True.

    Returns the EncryptedData and its KeyInfo.
    """
    parent = target if is_content else target.getparent()
    assert parent is not None
    if is_content:
        if (target.text or "").strip():
            raise ConfigError(
                "parts",
                "the body cannot be encrypted, because it has text outside of elements",
                "Encrypt other parts",
            )
        plain = b"".join(etree.tostring(child) for child in target)
        index = 0
        target.text = None
        del target[:]
    else:
        plain = etree.tostring(target, with_tail=False)
        index = parent.index(target)
        parent.remove(target)
    data = add(parent, "xenc:EncryptedData", at=index)
    data.set("Type", NAMESPACES["xenc"] + ("Content" if is_content else "Element"))
    add(data, "xenc:EncryptionMethod", Algorithm=cipher)
    key_info = add(data, "ds:KeyInfo")
    add(add(data, "xenc:CipherData"), "xenc:CipherValue", to_base64(encrypt(cipher, secret, plain)))
    return data, key_info
