"""Find the shared key (a secret that client and service know) that a KeyInfo or a DerivedKeyToken names."""

from __future__ import annotations

import hmac
from typing import Final

from soapclient.errors import SecurityError
from soapclient.security._algorithms import SharedKey
from soapclient.security._derived_keys import TAGS, read_derived_key
from soapclient.security._xml import MESSAGE_SECURITY11, Element, Message, find, from_base64, referenced

_KEY_IDENTIFIER: Final = MESSAGE_SECURITY11 + "EncryptedKeySHA1"


class SharedKeys:
    """The shared keys that one message can use.

    `sent` is the key of the request if the message is its response, otherwise None. The keys in the message
    itself are added when they are decrypted. A reference must lead to the element object from which the
    key was decrypted. Comparing the Ids would not be safe, because an attacker can choose them.

    The number of derived keys has no separate limit: the limits for signatures and encrypted parts apply.
    """

    def __init__(self, message: Message, sent: SharedKey | None) -> None:
        self._message = message
        self._sent = sent
        self._keys: list[tuple[Element, SharedKey]] = []

    def add(self, element: Element, key: SharedKey) -> None:
        """Add the key that was decrypted from `element`, an EncryptedKey."""
        self._keys.append((element, key))

    def find(self, key_info: Element) -> tuple[bytes, SharedKey]:
        """Return the secret that a KeyInfo names, and its shared key.

        The secret is the shared key's own secret, or is derived from it by a DerivedKeyToken. Raises
        SecurityError if the KeyInfo is invalid or names an unknown key.
        """
        holder = find(key_info, "wsse:SecurityTokenReference")
        link = None if holder is None else find(holder, "wsse:Reference")
        if holder is None or link is None or len(key_info) != 1 or len(holder) != 1:
            shared = self._shared(key_info)
            return shared.secret, shared
        token = referenced(self._message.ids(), link.get("URI"))
        if token.tag not in TAGS:
            shared = self._shared(key_info)
            return shared.secret, shared
        if token.getparent() is not self._message.security:
            raise SecurityError(
                "reference", "a DerivedKeyToken that is used must be a child of the Security header"
            )
        shared = self._shared(token, is_token=True)
        return read_derived_key(token, shared.secret), shared

    def _shared(self, parent: Element, *, is_token: bool = False) -> SharedKey:
        """Return the shared key that the SecurityTokenReference in `parent` names. Raises SecurityError.

        `is_token` is True if `parent` is a DerivedKeyToken, which has other children, too.
        """
        holder = find(parent, "wsse:SecurityTokenReference")
        if holder is None or len(holder) != 1 or not (is_token or len(parent) == 1):
            raise SecurityError(
                "structure", "a KeyInfo or DerivedKeyToken must have exactly one reference to a shared key"
            )
        link = find(holder, "wsse:Reference")
        if link is not None:
            target = referenced(self._message.ids(), link.get("URI"))
            matches = [key for element, key in self._keys if element is target]
        else:
            node = find(holder, "wsse:KeyIdentifier")
            value = b""
            if node is not None and node.get("ValueType") == _KEY_IDENTIFIER:
                value = from_base64(node, "KeyIdentifier")
            keys = [key for _, key in self._keys] + ([] if self._sent is None else [self._sent])
            matches = [key for key in keys if hmac.compare_digest(key.identifier, value)]
        if not matches:
            raise SecurityError(
                "untrusted",
                "the message refers to a shared key that is neither in the request nor in the message",
            )
        return matches[0]
