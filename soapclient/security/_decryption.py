"""Decryption of responses (XML Encryption).

All failures of a decryption have the same message, so that an attacker cannot learn from them.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Collection, Iterator, Sequence
from typing import Final

from cryptography import x509
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import rsa
from lxml import etree

from soapclient.errors import SecurityError
from soapclient.security._algorithms import (
    CIPHERS,
    DIGESTS,
    MASKS,
    TRANSPORTS,
    SharedKey,
    decrypt,
    transport_padding,
)
from soapclient.security._certificates import KeyPair
from soapclient.security._key_info import certificate_of
from soapclient.security._shared_keys import SharedKeys
from soapclient.security._xml import (
    CONTENT_PARSER,
    Element,
    Message,
    algorithm,
    canonical,
    find,
    from_base64,
    need,
    q,
    referenced,
)

_HEADER: Final = q("wsse11:EncryptedHeader")
_MAX_KEYS: Final = 4
_MAX_REFERENCES: Final = 32


class Decryption:
    """Decrypts the encrypted parts of one message in place.

    `shared_keys` has the keys that client and service share. Each key that is decrypted from an EncryptedKey
    is added to it. If a ReferenceList is outside of an EncryptedKey, its parts are decrypted with these keys.

    `decrypted` is a dict of the elements that were decrypted. Its keys are Python's `id()` of the elements.
    `opened` is a list of the elements that contained encrypted parts.
    """

    def __init__(
        self,
        message: Message,
        pairs: Sequence[KeyPair],
        algorithms: frozenset[str],
        shared_keys: SharedKeys,
    ) -> None:
        self._message = message
        self._shared_keys = shared_keys
        self._pairs = pairs
        self._algorithms = algorithms
        self.opened: list[Element] = []
        self.decrypted: dict[int, Element] = {}
        self._keys = 0
        self._references = 0

    def open_key(self, key: Element) -> None:
        """Decrypt an EncryptedKey, and the parts that its ReferenceList names. Raises SecurityError."""
        self._keys += 1
        if self._keys > _MAX_KEYS:
            raise SecurityError("structure", f"the message has more than {_MAX_KEYS} encrypted keys")
        method = need(find(key, "xenc:EncryptionMethod"), "EncryptionMethod")
        transport = algorithm(method, self._algorithms & TRANSPORTS, "EncryptionMethod")
        private = self._private_key(need(find(key, "ds:KeyInfo"), "KeyInfo"))
        digest, mask = find(method, "ds:DigestMethod"), find(method, "xenc11:MGF")
        oaep = hashes.SHA1() if digest is None else DIGESTS[algorithm(digest, DIGESTS, "DigestMethod")]
        generator = hashes.SHA1() if mask is None else MASKS[algorithm(mask, MASKS, "MGF")]
        encrypted = from_base64(find(key, "xenc:CipherData/xenc:CipherValue"), "CipherValue")
        try:
            secret = private.decrypt(encrypted, transport_padding(transport, oaep, generator))
        except ValueError:
            secret = os.urandom(32)  # a key that decrypts nothing: the failure looks like any other
        self._shared_keys.add(key, SharedKey(secret, hashlib.sha1(encrypted).digest()))
        if (listed := find(key, "xenc:ReferenceList")) is not None:
            for data in self._listed(listed):
                self._open(data, secret)

    def open_list(self, listed: Element) -> None:
        """Decrypt the parts that a ReferenceList of the Security header names. Raises SecurityError.

        Each of these parts (EncryptedData) names its own key.
        """
        for data in self._listed(listed):
            secret, _ = self._shared_keys.find(need(find(data, "ds:KeyInfo"), "KeyInfo"))
            self._open(data, secret)

    def _listed(self, listed: Element) -> Iterator[Element]:
        """Yield the elements to which a ReferenceList refers.

        Raises SecurityError if an element does not exist, or if the message has too many of these references.
        """
        references = list(listed.iterchildren(q("xenc:DataReference")))
        self._references += len(references) or 1  # an empty list takes time, too
        if self._references > _MAX_REFERENCES:
            raise SecurityError(
                "structure",
                f"the message has {self._references} references to encrypted parts, "
                f"but at most {_MAX_REFERENCES} are allowed",
            )
        for reference in references:
            yield referenced(self._message.ids(), reference.get("URI"))

    def finish(self, required: Collection[str], *, has_keys: bool) -> None:
        """Check, after decrypting, that no encrypted part is left and that all required parts were encrypted.

        Raises SecurityError if the message still has encrypted parts, or if a part in `required` was not
        encrypted. A part other than the body may be absent from the message. `has_keys` is False if the
        receiver has no keys for decrypting.
        """
        message = self._message
        headers = () if message.header is None else message.header.iterchildren(_HEADER)
        for place in (message.body, message.header, message.security, *filter(message.is_for_us, headers)):
            if place is not None and place.find(q("xenc:EncryptedData")) is not None:
                problem = "an encrypted part could not be decrypted"
                if not has_keys:
                    problem = (
                        "the message is encrypted, but no key was passed to decrypt it (argument decrypt)"
                    )
                raise SecurityError("decryption", problem)
        for name in required:
            nodes = message.body if name == "Body" else message.parts(name)
            is_open = name != "Body" or any(parent is message.body for parent in self.opened)
            if not (is_open and all(id(node) in self.decrypted for node in nodes)):
                raise SecurityError("unencrypted", f"{name} is not encrypted, but must be", part=name)

    def _private_key(self, key_info: Element) -> rsa.RSAPrivateKey:
        certificates: list[x509.Certificate] = [pair.certificate for pair in self._pairs]
        certificate = certificate_of(key_info, self._message, certificates)
        for pair in self._pairs:
            if pair.certificate == certificate and isinstance(pair.key, rsa.RSAPrivateKey):
                return pair.key
        raise SecurityError(
            "decryption", "the message is encrypted for a certificate that is not in the argument decrypt"
        )

    def _open(self, data: Element, secret: bytes) -> None:
        """Replace an EncryptedData element by its decrypted content. `secret` is the key.

        If the EncryptedData is in an EncryptedHeader (WSS 1.1, 9.4), the EncryptedHeader is replaced.
        """
        parent = need(data.getparent(), "EncryptedData")
        message, replaced = self._message, data
        in_header = parent.tag == _HEADER and parent.getparent() is message.header and len(parent) == 1
        if in_header:
            parent, replaced = need(parent.getparent(), "Header"), parent
        if data.tag != q("xenc:EncryptedData") or not any(
            parent is place for place in (message.body, message.header, message.security)
        ):
            raise SecurityError(
                "structure",
                "an encrypted element is at a forbidden place: only the body and headers may be encrypted",
            )
        allowed = self._algorithms & set(CIPHERS)
        cipher = algorithm(find(data, "xenc:EncryptionMethod"), allowed, "EncryptionMethod")
        encrypted = from_base64(find(data, "xenc:CipherData/xenc:CipherValue"), "CipherValue")
        nodes = _parsed(cipher, secret, encrypted, replaced if in_header else parent)
        if in_header and len(nodes) != 1:
            raise SecurityError("decryption", "an encrypted part could not be decrypted")
        before = [canonical(node) for node in nodes]
        index = parent.index(replaced)
        parent.remove(replaced)
        parent[index:index] = nodes
        if [canonical(node) for node in nodes] != before:
            # lxml changes prefixes if an ancestor declares the same namespace with another one, which would
            # break signatures of the content.
            raise SecurityError(
                "structure",
                "the decrypted content and the envelope use different prefixes for a namespace, "
                "which is not supported",
            )
        self.opened.append(parent)
        self.decrypted |= {id(node): node for node in nodes}


def _parsed(cipher: str, secret: bytes, encrypted: bytes, parent: Element) -> list[Element]:
    """Decrypt the content of an EncryptedData element and parse it. Returns the elements.

    The content may use namespace prefixes that only the envelope declares. Therefore it is parsed with the
    namespace declarations of `parent`.
    """
    wrapper = etree.Element("content", nsmap=dict(parent.nsmap))
    start = etree.tostring(wrapper).removesuffix(b"/>") + b">"
    try:
        plain = decrypt(cipher, secret, encrypted)
        # Inside of an element, XML allows neither a document type nor another root.
        root = etree.fromstring(start + plain + b"</content>", CONTENT_PARSER)
        if (root.text or "").strip() or any((node.tail or "").strip() for node in root):
            raise ValueError("the decrypted content has text outside of elements")
        etree.strip_tags(root, etree.Comment)
        if next(root.iter(etree.PI), None) is not None:
            raise ValueError("the decrypted content has a processing instruction, which is not allowed")
        return list(root)
    except (ValueError, InvalidTag, etree.XMLSyntaxError, IndexError):
        raise SecurityError("decryption", "an encrypted part could not be decrypted") from None
