"""Derived keys of WS-SecureConversation: the function P_SHA1, and DerivedKeyToken elements.

A DerivedKeyToken describes how sender and receiver compute a key from a secret that both know.
"""

from __future__ import annotations

import hashlib
import hmac
import os
from collections.abc import Callable
from typing import Final, Literal, TypeAlias

from soapclient.errors import SecurityError
from soapclient.security._xml import NAMESPACES, Element, add, ensure_id, find, from_base64, q, to_base64

Version: TypeAlias = Literal["2005-02", "2005-12"]
"""A version of WS-SecureConversation. WS-SecurityPolicy 1.1 uses 2005-02, and 1.2 uses 2005-12."""
PREFIXES: Final[dict[Version, str]] = {"2005-02": "wsc05", "2005-12": "wsc"}
TAGS: Final = tuple(q(f"{prefix}:DerivedKeyToken") for prefix in PREFIXES.values())

_LABEL: Final = "WS-SecureConversation" * 2  # of both sides, if a token has no label
_MAX_LABEL: Final = 200
_NONCES: Final = range(16, 129)  # lengths in bytes
_MAX_LENGTH: Final = 64  # bytes of a key
_MAX_OFFSET: Final = 1024


def p_sha1(secret: bytes, seed: bytes, length: int) -> bytes:
    """Derive `length` bytes from a secret and a seed with the function P_SHA1 (RFC 2246, 5)."""
    output, last = b"", seed
    while len(output) < length:
        last = hmac.digest(secret, last, hashlib.sha1)
        output += hmac.digest(secret, last + seed, hashlib.sha1)
    return output[:length]


def add_derived_key(
    security: Element,
    secret: bytes,
    length: int,
    version: Version,
    name_key: Callable[[Element], None],
    *,
    at: int,
) -> tuple[Element, bytes]:
    """Derive a key from a secret, and add a DerivedKeyToken to the Security header.

    The DerivedKeyToken tells the receiver how to derive the same key. Its nonce is random. `at` is the index
    in the header at which it is inserted. `name_key` is called with the DerivedKeyToken, to which it
    must add a reference to the secret. Returns the DerivedKeyToken, and the derived key of `length` bytes.
    """
    prefix, nonce = PREFIXES[version], os.urandom(16)
    token = add(security, f"{prefix}:DerivedKeyToken", at=at)
    token.set("Algorithm", f"{NAMESPACES[prefix]}/dk/p_sha1")
    ensure_id(token)
    name_key(token)
    add(token, f"{prefix}:Offset", "0")
    add(token, f"{prefix}:Length", str(length))
    add(token, f"{prefix}:Nonce", to_base64(nonce))
    return token, p_sha1(secret, _LABEL.encode() + nonce, length)


def name_derived_key(token: Element, version: Version, key_info: Element) -> None:
    """Add to `key_info` a reference to `token`, a DerivedKeyToken of the same message."""
    holder = add(key_info, "wsse:SecurityTokenReference")
    kind = f"{NAMESPACES[PREFIXES[version]]}/dk"
    add(holder, "wsse:Reference", URI="#" + ensure_id(token), ValueType=kind)


def read_derived_key(token: Element, secret: bytes) -> bytes:
    """Return the key that a DerivedKeyToken derives from a secret.

    Raises SecurityError if the token is invalid or asks for a key that is too long. The length is limited,
    because deriving a long key takes time.
    """
    prefix = next(prefix for prefix in PREFIXES.values() if token.tag == q(f"{prefix}:DerivedKeyToken"))
    function = f"{NAMESPACES[prefix]}/dk/p_sha1"
    if (shown := token.get("Algorithm", function)) != function:
        raise SecurityError(
            "algorithm",
            f"the algorithm of a DerivedKeyToken must be P_SHA1, got {shown[:200] or 'none'}",
            part="DerivedKeyToken",
        )
    known = {"Offset", "Generation", "Length", "Label", "Nonce"}
    if unknown := {str(node.tag) for node in token.iterchildren("*")} - {
        q("wsse:SecurityTokenReference"),
        *(q(f"{prefix}:{name}") for name in known),
    }:
        raise SecurityError("structure", f"a DerivedKeyToken has an unknown element {min(unknown)[:200]}")
    length = _number(token, f"{prefix}:Length", _MAX_LENGTH, default=32)
    offset = _number(token, f"{prefix}:Offset", _MAX_OFFSET, default=0)
    if find(token, f"{prefix}:Generation") is not None:
        if find(token, f"{prefix}:Offset") is not None:
            raise SecurityError(
                "structure",
                "a DerivedKeyToken has both an Offset and a Generation, but only one of them is allowed",
            )
        offset = length * _number(token, f"{prefix}:Generation", _MAX_OFFSET // _MAX_LENGTH, default=0)
    label_node = find(token, f"{prefix}:Label")
    label = _LABEL if label_node is None else label_node.text or ""
    nonce = from_base64(find(token, f"{prefix}:Nonce"), "Nonce")
    if length < 16 or len(nonce) not in _NONCES or len(label) > _MAX_LABEL:
        raise SecurityError(
            "structure",
            "the length, the nonce or the label of a DerivedKeyToken is too short or too long",
            part="DerivedKeyToken",
        )
    return p_sha1(secret, label.encode() + nonce, offset + length)[offset:]


def _number(token: Element, name: str, highest: int, *, default: int) -> int:
    """Return the number in the child element `name` of a token, or `default` if there is no such element.

    Raises SecurityError if the text is not a number from 0 to `highest`.
    """
    node = find(token, name)
    text = str(default) if node is None else (node.text or "").strip()
    if not (text.isascii() and text.isdigit() and len(text) <= 4 and int(text) <= highest):
        raise SecurityError(
            "structure",
            f"{name.partition(':')[2]} of a DerivedKeyToken must be a number from 0 to {highest}",
            part="DerivedKeyToken",
        )
    return int(text)
