"""Algorithms of XML Signature and XML Encryption: identifiers and implementations."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Literal, TypeAlias

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives import padding as block_padding
from cryptography.hazmat.primitives.asymmetric import ec, padding, rsa
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from soapclient.errors import ConfigError

Hash: TypeAlias = hashes.SHA1 | hashes.SHA256 | hashes.SHA384 | hashes.SHA512
PrivateKey: TypeAlias = rsa.RSAPrivateKey | ec.EllipticCurvePrivateKey

_SIGNATURE: Final = "http://www.w3.org/2000/09/xmldsig#"
_MORE: Final = "http://www.w3.org/2001/04/xmldsig-more#"
_ENCRYPTION: Final = "http://www.w3.org/2001/04/xmlenc#"
_ENCRYPTION11: Final = "http://www.w3.org/2009/xmlenc11#"

EXCLUSIVE_C14N: Final = "http://www.w3.org/2001/10/xml-exc-c14n#"
ENVELOPED: Final = _SIGNATURE + "enveloped-signature"

DIGESTS: Final[Mapping[str, Hash]] = {
    _SIGNATURE + "sha1": hashes.SHA1(),
    _ENCRYPTION + "sha256": hashes.SHA256(),
    _MORE + "sha384": hashes.SHA384(),
    _ENCRYPTION + "sha512": hashes.SHA512(),
}
"""Hash functions for digests, by their identifiers."""

_SHA2: Final = (hashes.SHA256(), hashes.SHA384(), hashes.SHA512())
SIGNATURES: Final[Mapping[str, tuple[type, Hash]]] = {
    _SIGNATURE + "rsa-sha1": (rsa.RSAPublicKey, hashes.SHA1()),
    **{_MORE + f"rsa-{kind.name}": (rsa.RSAPublicKey, kind) for kind in _SHA2},
    **{_MORE + f"ecdsa-{kind.name}": (ec.EllipticCurvePublicKey, kind) for kind in _SHA2},
}
"""Signature methods by their identifiers: the class of the public key, and the hash function."""
HMACS: Final[Mapping[str, Hash]] = {
    _SIGNATURE + "hmac-sha1": hashes.SHA1(),
    **{_MORE + f"hmac-{kind.name}": kind for kind in _SHA2},
}
"""Signature methods with a shared key, by their identifiers."""

CIPHERS: Final[Mapping[str, tuple[int, bool]]] = {
    **{_ENCRYPTION + f"aes{bits}-cbc": (bits // 8, False) for bits in (128, 192, 256)},
    **{_ENCRYPTION11 + f"aes{bits}-gcm": (bits // 8, True) for bits in (128, 192, 256)},
}
"""Ciphers by their identifiers: the length of the key in bytes, and True if the cipher detects changes
(GCM).
"""

OAEP: Final = _ENCRYPTION + "rsa-oaep-mgf1p"
OAEP11: Final = _ENCRYPTION11 + "rsa-oaep"
RSA15: Final = _ENCRYPTION + "rsa-1_5"
TRANSPORTS: Final = frozenset({OAEP, OAEP11, RSA15})
MASKS: Final[Mapping[str, Hash]] = {_ENCRYPTION11 + "mgf1" + kind.name: kind for kind in DIGESTS.values()}
"""Mask generation functions of RSA-OAEP, by their identifiers."""

MODERN: Final = frozenset(
    {
        *(uri for uri in (*SIGNATURES, *HMACS, *DIGESTS) if "sha1" not in uri),
        *(uri for uri, (_, detects) in CIPHERS.items() if detects),
        OAEP,
        OAEP11,
    }
)
"""The algorithms that responses may use unless `Verify` allows others.

SHA-1, CBC and RSA 1.5 are not among them. RSA-OAEP uses SHA-1 inside by default, where it is not weak.
"""
LEGACY: Final = MODERN | set(SIGNATURES) | set(HMACS) | set(DIGESTS) | set(CIPHERS) | {RSA15}
"""All supported algorithms, with SHA-1, CBC and RSA 1.5. The Basic suites of WS-SecurityPolicy need them."""


@dataclass(frozen=True, slots=True)
class Algorithms:
    """The algorithms for signing and encrypting requests. Raises ConfigError if a name is unknown.

    - `hash`: the hash function of signatures and digests.
    - `cipher`: the cipher for encrypted parts.
    - `transport`: how the key of the cipher is encrypted for the recipient.

    The defaults are safe. `sha1`, the `cbc` ciphers and `rsa-1.5` are for services that require them.

    >>> from soapclient.security import Algorithms, Signature
    >>> signature = Signature("client.key", "client.pem", algorithms=Algorithms(hash="sha512"))
    """

    hash: Literal["sha1", "sha256", "sha384", "sha512"] = "sha256"
    cipher: Literal["aes128-gcm", "aes192-gcm", "aes256-gcm", "aes128-cbc", "aes192-cbc", "aes256-cbc"] = (
        "aes256-gcm"
    )
    transport: Literal["rsa-oaep", "rsa-1.5"] = "rsa-oaep"

    def __post_init__(self) -> None:
        for name, value, allowed in (
            ("hash", self.hash, [kind.name for kind in DIGESTS.values()]),
            ("cipher", self.cipher, [uri.partition("#")[2] for uri in CIPHERS]),
            ("transport", self.transport, ["rsa-oaep", "rsa-1.5"]),
        ):
            if value not in allowed:
                raise ConfigError(
                    "algorithms",
                    f"{name} must be one of: {', '.join(allowed)} (got {value!r})",
                    "Use one of the allowed names",
                )

    @property
    def digest_uri(self) -> str:
        """The identifier (a URI) of the hash function `hash`, for the digests of signed parts."""
        return next(uri for uri, kind in DIGESTS.items() if kind.name == self.hash)

    def signature_uri(self, public_key: object) -> str:
        """Return the identifier (a URI) of the signature method for a key and the hash function `hash`.

        `public_key` is the public key that belongs to the signing key. Raises ConfigError if there is no
        method for this type of key with this hash function.
        """
        for uri, (key_class, kind) in SIGNATURES.items():
            if kind.name == self.hash and isinstance(public_key, key_class):
                return uri
        raise ConfigError(
            "algorithms",
            f"there is no signature method for {type(public_key).__name__} with hash={self.hash!r}",
            'Sign with an RSA key, or with an elliptic curve key and hash="sha256" or longer',
        )

    @property
    def hmac_uri(self) -> str:
        """The identifier (a URI) of the signature method for a shared key: HMAC with `hash`."""
        return next(uri for uri, kind in HMACS.items() if kind.name == self.hash)

    @property
    def cipher_uri(self) -> str:
        """The identifier (a URI) of the cipher `cipher`, which encrypts parts of a message."""
        return next(uri for uri in CIPHERS if uri.partition("#")[2] == self.cipher)

    @property
    def transport_uri(self) -> str:
        """The identifier (a URI) of `transport`, the algorithm that encrypts the cipher's key."""
        return OAEP if self.transport == "rsa-oaep" else RSA15


def checked_algorithms(value: object) -> Algorithms:
    """Check the argument `algorithms` of a block, and return it. For None, return the default algorithms.

    Raises ConfigError if the value is not an `Algorithms` object.
    """
    if value is None:
        return Algorithms()
    if not isinstance(value, Algorithms):
        raise ConfigError(
            "algorithms",
            f"must be Algorithms, got {type(value).__name__}",
            'Pass algorithms=Algorithms(hash="sha256"), or omit the argument for the defaults',
        )
    return value


@dataclass(frozen=True, slots=True)
class SharedKey:
    """A secret key that client and service share. One side has sent it to the other in an EncryptedKey.

    `identifier` is the SHA-1 hash of the encrypted key. Later messages refer to the key by this hash.
    """

    secret: bytes = field(repr=False)
    identifier: bytes


def transport_padding(transport: str, digest: Hash, mask: Hash) -> padding.AsymmetricPadding:
    """Return the RSA padding with which a key is encrypted for its recipient.

    `transport` is the identifier of the key transport algorithm. `digest` and `mask` are the hash functions
    of OAEP. RSA 1.5 does not use them.
    """
    if transport == RSA15:
        return padding.PKCS1v15()
    return padding.OAEP(padding.MGF1(mask), digest, None)


def encrypt(cipher: str, secret: bytes, plain: bytes) -> bytes:
    """Encrypt bytes. `cipher` is the identifier of the cipher, `secret` its key.

    The result begins with the random initialization vector.
    """
    if CIPHERS[cipher][1]:
        nonce = os.urandom(12)
        return nonce + AESGCM(secret).encrypt(nonce, plain, None)
    padder = block_padding.PKCS7(128).padder()
    start = os.urandom(16)
    encryptor = Cipher(algorithms.AES(secret), modes.CBC(start)).encryptor()
    return start + encryptor.update(padder.update(plain) + padder.finalize()) + encryptor.finalize()


def decrypt(cipher: str, secret: bytes, encrypted: bytes) -> bytes:
    """Return the plain bytes for a result of `encrypt`. Raises ValueError or InvalidTag if it is invalid."""
    if len(secret) != CIPHERS[cipher][0]:
        raise ValueError("cannot decrypt: the length of the key does not match the cipher")
    if CIPHERS[cipher][1]:
        return AESGCM(secret).decrypt(encrypted[:12], encrypted[12:], None)
    decryptor = Cipher(algorithms.AES(secret), modes.CBC(encrypted[:16])).decryptor()
    padded = decryptor.update(encrypted[16:]) + decryptor.finalize()
    # XML Encryption 5.2.1: the last byte is the length of the padding. Its other bytes are arbitrary.
    if not padded or not 1 <= padded[-1] <= 16:
        raise ValueError("cannot decrypt: the padding is invalid")
    return padded[: -padded[-1]]
