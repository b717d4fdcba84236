"""Verification of responses: signatures, trust, required parts and times.

A part is accepted if a trusted signature has digested this element of the tree. Ids, key references and
the order of a message only help to find elements; they prove nothing.
"""

from __future__ import annotations

import hmac
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Literal, cast

from cryptography import x509
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, padding, rsa, utils
from lxml import etree

from soapclient.errors import ConfigError, SecurityError
from soapclient.security import _certificates
from soapclient.security._algorithms import DIGESTS, ENVELOPED, EXCLUSIVE_C14N, LEGACY, MODERN, SIGNATURES
from soapclient.security._blocks import duration
from soapclient.security._certificates import KeyPair, Source
from soapclient.security._decryption import Decryption
from soapclient.security._key_info import certificate_of
from soapclient.security._trust import Peers, Trust
from soapclient.security._xml import (
    Element,
    Message,
    algorithm,
    canonical,
    check_parts,
    find,
    from_base64,
    inclusive_prefixes,
    need,
    q,
    referenced,
    to_base64,
)

_MAX_SIGNATURES = 4
_MAX_REFERENCES = 32


@dataclass(frozen=True, slots=True, kw_only=True)
class Verify:
    """The rules for responses. Raises ConfigError if an argument is invalid.

    - `trust`: the certificate of the service or a file with it, several certificates, or `Peers` or
      `Authorities`. None: signatures are not verified. Only useful with `decrypt`.
    - `signed`: the parts that one trusted signature must cover (names as for `Signature`). `Header` means
      that each header must be signed, and `Addressing` each header of WS-Addressing; a response without them
      is accepted. Other headers and attachments are read without verification.
    - `signed_if_present`: the parts that the same signature must cover if the response has them.
    - `decrypt`: the key pairs for decrypting.
    - `encrypted`: True if the body must be encrypted. This does not prove who sent it.
    - `max_age`: the highest age of the Timestamp, also if it expires later: a timedelta, or seconds. None: a
      response needs no Timestamp. Only a signed Timestamp proves something: without `trust`, it is not
      checked.
    - `skew`: the accepted difference between the clocks, a timedelta or seconds.
    - `algorithms`: the allowed algorithms: "modern" (`MODERN`), "legacy" (`LEGACY`, with SHA-1, CBC and
      RSA 1.5), or a set of identifiers.
    - `confirmation`: True if the response must confirm the signatures of the request
      (SignatureConfirmation, WSS 1.1), which proves that it responds to this request.
    - `actor`: the actor or role of the Security header.

    Comments are removed from a response, because signatures do not cover them.
    """

    trust: Trust | x509.Certificate | Sequence[x509.Certificate] | Source | None = None
    signed: Sequence[str] = ("Body", "Timestamp")
    signed_if_present: Sequence[str] = ()
    decrypt: KeyPair | Sequence[KeyPair] = ()
    encrypted: bool = False
    max_age: timedelta | float | None = timedelta(minutes=5)
    skew: timedelta | float = timedelta(minutes=1)
    algorithms: Literal["modern", "legacy"] | frozenset[str] = "modern"
    confirmation: bool = False
    actor: str = ""
    _trust: Trust | None = field(init=False)
    _pairs: tuple[KeyPair, ...] = field(init=False)
    _allowed: frozenset[str] = field(init=False)
    _max_age: timedelta | None = field(init=False)
    _skew: timedelta = field(init=False)

    def __post_init__(self) -> None:
        check_parts(self.signed, "signed")
        check_parts(self.signed_if_present, "signed_if_present")
        trust = trust_of(self.trust)
        pairs = [self.decrypt] if isinstance(self.decrypt, KeyPair) else self.decrypt
        if isinstance(pairs, str | bytes) or not isinstance(pairs, Sequence):
            pairs = [None]
        if not all(isinstance(pair, KeyPair) for pair in pairs):
            raise ConfigError("decrypt", "must be key pairs", "Pass decrypt=KeyPair.from_pem(…)")
        object.__setattr__(self, "_trust", trust)
        object.__setattr__(self, "_pairs", tuple(pairs))
        if trust is None and not self._pairs:
            advice = "Pass trust=certificate, or decrypt=KeyPair.from_pem(…)"
            raise ConfigError("trust", "nothing to verify and nothing to decrypt", advice)
        named = {"modern": MODERN, "legacy": LEGACY}
        algorithms = self.algorithms
        allowed = named.get(algorithms) if isinstance(algorithms, str) else algorithms
        if not isinstance(allowed, frozenset) or not allowed <= LEGACY:
            problem = "must be 'modern', 'legacy' or a frozenset of supported algorithms"
            raise ConfigError("algorithms", problem, "Pass 'modern', 'legacy', or a part of LEGACY")
        object.__setattr__(self, "_allowed", allowed)
        max_age = None if self.max_age is None else duration(self.max_age, "max_age")
        object.__setattr__(self, "_max_age", None if trust is None else max_age)
        object.__setattr__(self, "_skew", duration(self.skew, "skew"))
        if self._max_age is not None and "Timestamp" not in self.signed:
            problem = "must contain Timestamp: an age that is not signed proves nothing"
            raise ConfigError("signed", problem, "Add it, or pass max_age=None")
        if self.encrypted and not self._pairs:
            raise ConfigError("decrypt", "is required for encrypted=True", "Pass decrypt=KeyPair.from_pem(…)")
        if trust is None and self.confirmation:
            raise ConfigError("trust", "is required for confirmation=True", "Pass trust=certificate")

    def __repr__(self) -> str:
        """Without what was passed: a file may contain a key, too."""
        return f"Verify(trust={self._trust!r}, signed={list(self.signed)}, encrypted={self.encrypted})"

    def check(
        self, root: etree._Element, now: datetime | None = None, *, sent: Sequence[bytes] = ()
    ) -> list[etree._Element]:
        """Decrypt and verify an envelope in place. Returns the elements that trusted signatures cover.

        `now` is the current time; None for the clock of this machine. `sent` are the signature values of the
        request, for `confirmation`. Raises SecurityError.
        """
        now = datetime.now(UTC) if now is None else in_utc(now)
        etree.strip_tags(root, etree.Comment)
        if next(root.iter(etree.PI), None) is not None:
            raise SecurityError("structure", "the message has a processing instruction")
        message = Message.of(root, self.actor)
        return _Verification(self, message, now).run(sent)


def trust_of(value: object) -> Trust | None:
    """Return the trust that an argument means. Raises ConfigError if it has another type."""
    if isinstance(value, str | bytes | Path | x509.Certificate | Sequence):
        return Peers(value)
    if value is None or (hasattr(value, "candidates") and callable(getattr(value, "check", None))):
        return cast("Trust | None", value)
    problem = f"must be certificates, a file, Peers or Authorities, got {type(value).__name__}"
    raise ConfigError("trust", problem, "Pass the certificate of the service")


def in_utc(moment: datetime) -> datetime:
    """Convert a time to UTC. Raises ConfigError if it has no time zone."""
    if moment.tzinfo is None:
        raise ConfigError("now", "must have a time zone", "Return datetime.now(UTC)")
    return moment.astimezone(UTC)


class _Verification:
    """The verification of one response. The Security header is processed from the top.

    `covered` has, for each signature, the elements that it signs. Elements are compared by identity; the
    lists keep lxml's objects alive, which keeps their identity.
    """

    def __init__(self, rules: Verify, message: Message, now: datetime) -> None:
        self.rules = rules
        self.message = message
        self.now = now
        self.covered: list[list[Element]] = []
        self.decryption = Decryption(message, rules._pairs, rules._allowed)

    def run(self, sent: Sequence[bytes]) -> list[Element]:
        """Process the Security header, and check what the response must prove. Raises SecurityError."""
        security = self.message.security
        if security is None:
            raise SecurityError("missing", "the message has no Security header", part="Security")
        actions: dict[str, Callable[[Element], None]] = {}
        if not self.rules._pairs:
            self.decryption.finish(body_required=False)  # otherwise, a digest of an encrypted part would fail
        else:
            actions[q("xenc:EncryptedKey")] = self.decryption.run
        if self.rules._trust is not None:
            actions[q("ds:Signature")] = self.verify
        # Decryption may replace a child by others, also above the key that decrypts it.
        done: dict[int, Element] = {}
        while waiting := [node for node in security.iterchildren(*actions) if id(node) not in done]:
            node = waiting[0]
            done[id(node)] = node
            actions[str(node.tag)](node)
        self.decryption.finish(body_required=self.rules.encrypted)
        if self.rules._trust is not None:
            self.require_signed()
        if self.rules._max_age is not None:
            self.require_fresh(self.rules._max_age)
        if self.rules.confirmation:
            self.require_confirmation(sent)
        return [node for nodes in self.covered for node in nodes]

    # ---- what the response must prove

    def require_signed(self) -> None:
        """Raise SecurityError unless one signature covers all required parts."""
        parts: list[tuple[str, Element]] = []
        for name in self.rules.signed:
            nodes = self.message.parts(name)
            if not nodes and name not in ("Header", "Addressing"):
                raise SecurityError("missing", f"{name} is missing, and must be signed", part=name)
            parts += [(name, node) for node in nodes]
        optional = self.rules.signed_if_present
        parts += [(name, node) for name in optional for node in self.message.parts(name)]
        lacking = ""
        for nodes in self.covered:
            lacking = next((name for name, node in parts if not _covers(nodes, node)), "")
            if not lacking:
                return
        if self.covered and all(any(_covers(nodes, node) for nodes in self.covered) for _, node in parts):
            raise SecurityError("unsigned", "no single signature covers all required parts", part=lacking)
        name = lacking or (parts[0][0] if parts else "Body")
        raise SecurityError("unsigned", f"{name} is not signed", part=name)

    def require_fresh(self, max_age: timedelta) -> None:
        """Raise SecurityError unless the Timestamp is neither too old nor in the future."""
        stamps = self.message.parts("Timestamp")
        if len(stamps) != 1:
            code, count = ("structure", len(stamps)) if stamps else ("missing", "no")
            raise SecurityError(code, f"the message has {count} Timestamp", part="Timestamp")
        created, expires = (time_of(find(stamps[0], f"wsu:{name}")) for name in ("Created", "Expires"))
        if created is None:
            raise SecurityError("structure", "the Timestamp has no Created", part="Timestamp")
        if created > self.now + self.rules._skew:
            problem = f"the message was created at {created}, but it is {self.now}"
            raise SecurityError("future", problem, part="Timestamp")
        end = min(expires or created + max_age, created + max_age)
        if self.now - self.rules._skew > end:
            problem = f"the message was valid from {created} to {end}, but it is {self.now}"
            raise SecurityError("expired", problem, part="Timestamp")

    def require_confirmation(self, sent: Sequence[bytes]) -> None:
        """Raise SecurityError unless the response confirms exactly the signatures that were sent, and
        signs this.
        """
        security = self.message.security
        assert security is not None
        nodes = list(security.iterchildren(q("wsse11:SignatureConfirmation")))
        values = sorted(node.get("Value", "") for node in nodes)
        # If the request has no signatures, one confirmation has no value (WSS 1.1, 8.5).
        expected = sorted(map(to_base64, sent)) or [""]
        if values != expected:
            problem = "the message does not confirm the signatures of this request"
            raise SecurityError("confirmation", problem, part="SignatureConfirmation")
        if self.rules._trust is not None and not any(
            all(_covers(covered, node) for node in nodes) for covered in self.covered
        ):
            raise SecurityError(
                "unsigned", "SignatureConfirmation is not signed", part="SignatureConfirmation"
            )

    # ---- one signature

    def verify(self, signature: Element) -> None:
        """Verify a signature, and record the elements that it covers. Raises SecurityError."""
        if len(self.covered) == _MAX_SIGNATURES:
            raise SecurityError("structure", f"the message has more than {_MAX_SIGNATURES} signatures")
        trust = self.rules._trust
        assert trust is not None  # see `run`
        info = need(find(signature, "ds:SignedInfo"), "SignedInfo")
        canonicalization = need(find(info, "ds:CanonicalizationMethod"), "CanonicalizationMethod")
        algorithm(canonicalization, {EXCLUSIVE_C14N}, "CanonicalizationMethod")
        allowed = self.rules._allowed & set(SIGNATURES)
        method = algorithm(find(info, "ds:SignatureMethod"), allowed, "SignatureMethod")
        key_info = need(find(signature, "ds:KeyInfo"), "KeyInfo")
        certificate = certificate_of(key_info, self.message, trust.candidates)
        trust.check(certificate, (), self.now)
        value = from_base64(find(signature, "ds:SignatureValue"), "SignatureValue")
        _verify_value(certificate, method, value, canonical(info, inclusive_prefixes(canonicalization)))
        references = list(info.iterchildren(q("ds:Reference")))
        if not 0 < len(references) <= _MAX_REFERENCES:
            raise SecurityError("structure", f"a signature has {len(references)} references")
        ids = self.message.ids()
        self.covered.append([self._digested(reference, ids, signature) for reference in references])

    def _digested(self, reference: Element, ids: Mapping[str, Element], signature: Element) -> Element:
        """Return the element of a reference, after comparing its digest. Raises SecurityError."""
        target = referenced(ids, reference.get("URI"))
        steps = list(need(find(reference, "ds:Transforms"), "Transforms"))
        names = [algorithm(step, {EXCLUSIVE_C14N, ENVELOPED}, "Transform") for step in steps]
        if names not in ([EXCLUSIVE_C14N], [ENVELOPED, EXCLUSIVE_C14N]):
            raise SecurityError("reference", "the transforms must be one exclusive canonicalization")
        if any(ancestor is target for ancestor in signature.iterancestors()):
            # Because of this, the transform "enveloped" never removes anything.
            raise SecurityError("reference", "a signature is inside an element that it signs")
        if not self.message.is_read(target):
            problem = f"the signed element {etree.QName(target).localname} is at a place that is not read"
            raise SecurityError("reference", problem)
        allowed = self.rules._allowed & set(DIGESTS)
        digest = hashes.Hash(DIGESTS[algorithm(find(reference, "ds:DigestMethod"), allowed, "DigestMethod")])
        digest.update(canonical(target, inclusive_prefixes(steps[-1])))
        expected = from_base64(find(reference, "ds:DigestValue"), "DigestValue")
        if not hmac.compare_digest(digest.finalize(), expected):
            name = etree.QName(target).localname
            raise SecurityError("digest", f"{name} was changed after it was signed", part=name)
        return target


def _verify_value(certificate: x509.Certificate, method: str, value: bytes, data: bytes) -> None:
    """Raise SecurityError unless `value` is the signature of `data` by the key of a certificate."""
    key_class, kind = SIGNATURES[method]
    key = _certificates.public_key(certificate)
    if not isinstance(key, key_class):
        raise SecurityError("algorithm", "the signature method does not fit the key of the certificate")
    try:
        if isinstance(key, rsa.RSAPublicKey):
            key.verify(value, data, padding.PKCS1v15(), kind)
        elif isinstance(key, ec.EllipticCurvePublicKey):
            half = len(value) // 2
            pair = int.from_bytes(value[:half]), int.from_bytes(value[half:])
            key.verify(utils.encode_dss_signature(*pair), data, ec.ECDSA(kind))
    except (InvalidSignature, ValueError):  # ValueError: the key is too short for the hash function
        problem = f"the signature is not valid for the certificate of {_certificates.subject(certificate)}"
        raise SecurityError("signature", problem) from None


def _covers(signed: Sequence[Element], node: Element) -> bool:
    """Return True if an element or one of its ancestors is among the signed elements."""
    return any(ancestor is target for target in signed for ancestor in (node, *node.iterancestors()))


def time_of(node: Element | None) -> datetime | None:
    """Return the time in an element, in UTC; None if there is no element. Raises SecurityError."""
    if node is None:
        return None
    try:
        moment = datetime.fromisoformat((node.text or "").strip())
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError):
        raise SecurityError("structure", "the Timestamp has an invalid time", part="Timestamp") from None
