"""Verification of responses: signatures, trust, required parts and times.

A part is accepted only if a trusted signature covers exactly the element that is read. Ids, key references
and the order of elements help to find elements, but do not prove anything.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Literal, cast

from cryptography import x509
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric import ec, padding, rsa, utils
from lxml import etree

from soapclient.errors import ConfigError, SecurityError
from soapclient.runtime.service import Attachment, of_message
from soapclient.security import _certificates
from soapclient.security._algorithms import (
    DIGESTS,
    EXCLUSIVE_C14N,
    HMACS,
    LEGACY,
    MODERN,
    SIGNATURES,
    SharedKey,
)
from soapclient.security._attachments import is_attachment
from soapclient.security._blocks import duration
from soapclient.security._certificates import KeyPair, Source
from soapclient.security._decryption import Decryption
from soapclient.security._key_info import certificate_of
from soapclient.security._references import covered, covered_attachment
from soapclient.security._replay import Replays
from soapclient.security._shared_keys import SharedKeys
from soapclient.security._trust import Peers, Trust
from soapclient.security._xml import (
    ATTACHMENTS,
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
    to_base64,
)

_MAX_SIGNATURES = 4
_MAX_REFERENCES = 32


@dataclass(frozen=True, slots=True, kw_only=True)
class Verify:
    """The rules for responses. Raises ConfigError if an argument is invalid.

    - `trust`: the certificate of the service or a file with it, several certificates, or `Peers` or
      `Authorities`. If it is None, signatures are not verified, which is useful only with `decrypt`.
    - `signed`: the parts that one trusted signature must cover (names as for `Signature`). `Header` means
      that each header must be signed, `Addressing` each header of WS-Addressing, and `Attachments` the
      content of each attachment; a response without them is accepted. Other headers and attachments, and the
      MIME headers of attachments, are read without verification.
    - `signed_if_present`: the parts that the same signature must cover if the response has them.
    - `decrypt`: the key pairs for decrypting.
    - `encrypted`: True if the body must be encrypted, or the names of the parts that must be encrypted. Parts
      other than the body may be absent. Encryption does not prove who sent a message.
    - `max_age`: the highest age of the Timestamp, also if it expires later: a timedelta, or seconds. If it is
      None, a response needs no Timestamp. Only a signed Timestamp proves something: without `trust`, it is
      not checked.
    - `skew`: the accepted difference between the clocks, a timedelta or seconds.
    - `algorithms`: the allowed algorithms: "modern" (`MODERN`), "legacy" (`LEGACY`, with SHA-1, CBC and
      RSA 1.5), or a set of identifiers.
    - `confirmation`: True if the response must confirm the signatures of the request
      (SignatureConfirmation, WSS 1.1), which proves that it responds to this request.
    - `actor`: the actor or role of the Security header.
    - `symmetric`: "response" for a response to a request with a `SymmetricBinding`: it must be signed with
      the key of the request. "request", for a service: a request must be signed with a key that it encrypts
      for `decrypt`. This does not prove who sent it. `trust` must be None in both cases.
    - `replay`: a `Replays` object, which refuses a message that was received before. It needs `max_age`. A
      message is recognized by its signature and by the nonce of its UsernameToken. The UsernameToken must not
      be older than `max_age` either.

    Comments are removed from a response, because signatures do not cover them.

    >>> from soapclient.security import Replays, Security, Signature, Timestamp, Verify
    >>> security = Security(
    ...     [Timestamp(), Signature("client.key", "client.pem")],
    ...     verify=Verify(trust="server.pem", max_age=60, replay=Replays()),
    ... )
    """

    trust: Trust | x509.Certificate | Sequence[x509.Certificate] | Source | None = None
    signed: Sequence[str] = ("Body", "Timestamp")
    signed_if_present: Sequence[str] = ()
    decrypt: KeyPair | Sequence[KeyPair] = ()
    encrypted: bool | Sequence[str] = False
    max_age: timedelta | float | None = timedelta(minutes=5)
    skew: timedelta | float = timedelta(minutes=1)
    algorithms: Literal["modern", "legacy"] | frozenset[str] = "modern"
    confirmation: bool = False
    actor: str = ""
    symmetric: Literal["request", "response"] | None = None
    replay: Replays | None = None
    _encrypted: tuple[str, ...] = field(init=False)
    _trust: Trust | None = field(init=False)
    _pairs: tuple[KeyPair, ...] = field(init=False)
    _allowed: frozenset[str] = field(init=False)
    _max_age: timedelta | None = field(init=False)
    _skew: timedelta = field(init=False)

    def __post_init__(self) -> None:
        check_parts(self.signed, "signed")
        check_parts(self.signed_if_present, "signed_if_present")
        if not isinstance(self.encrypted, bool):
            check_parts(self.encrypted, "encrypted", are_signed=False)
        encrypted = ("Body",) * self.encrypted if isinstance(self.encrypted, bool) else self.encrypted
        object.__setattr__(self, "_encrypted", tuple(encrypted))
        trust = trust_of(self.trust)
        object.__setattr__(self, "_trust", trust)
        object.__setattr__(self, "_pairs", key_pairs(self.decrypt))
        self._check_symmetric(trust)
        if not self._verifies_signatures and not self._pairs:
            raise ConfigError(
                "trust",
                "is required, unless decrypt or symmetric is passed",
                "Pass trust=certificate, or decrypt=KeyPair.from_pem(…)",
            )
        named = {"modern": MODERN, "legacy": LEGACY}
        algorithms = self.algorithms
        allowed = named.get(algorithms) if isinstance(algorithms, str) else algorithms
        if not isinstance(allowed, frozenset) or not allowed <= LEGACY:
            raise ConfigError(
                "algorithms",
                "must be 'modern', 'legacy' or a frozenset of supported algorithms",
                "Pass 'modern', 'legacy', or a subset of soapclient.security.LEGACY",
            )
        object.__setattr__(self, "_allowed", allowed)
        max_age = None if self.max_age is None else duration(self.max_age, "max_age")
        object.__setattr__(self, "_max_age", max_age if self._verifies_signatures else None)
        object.__setattr__(self, "_skew", duration(self.skew, "skew"))
        if self._max_age is not None and "Timestamp" not in self.signed:
            raise ConfigError(
                "signed",
                "must contain Timestamp with max_age: a Timestamp that is not signed proves nothing",
                "Add 'Timestamp' to signed, or pass max_age=None",
            )
        if self.replay is not None and (not isinstance(self.replay, Replays) or not max_age):
            raise ConfigError(
                "replay",
                "must be a Replays object, and requires max_age: messages are remembered until they expire",
                "Pass Verify(…, max_age=300, replay=Replays())",
            )
        if self._encrypted and not self._can_decrypt:
            raise ConfigError(
                "decrypt", f"is required for encrypted={self.encrypted}", "Pass decrypt=KeyPair.from_pem(…)"
            )
        if not self._verifies_signatures and self.confirmation:
            raise ConfigError(
                "trust", "is required for confirmation=True", "Pass the certificate of the service: trust=…"
            )

    def _check_symmetric(self, trust: Trust | None) -> None:
        if self.symmetric not in (None, "request", "response"):
            raise ConfigError(
                "symmetric",
                f"must be 'request' or 'response', got {self.symmetric!r}",
                "Pass symmetric='response' to verify the responses of a service",
            )
        if self.symmetric is not None and trust is not None:
            raise ConfigError(
                "trust",
                "must be omitted with symmetric: signatures are verified by a shared key",
                f"Omit trust: Verify(symmetric={self.symmetric!r})",
            )
        if self.symmetric == "request" and not self._pairs:
            raise ConfigError(
                "decrypt", "is required for symmetric='request'", "Pass decrypt=KeyPair.from_pem(…)"
            )
        if self.symmetric == "response" and self._pairs:
            # Otherwise, an attacker could encrypt a key for the client, and sign with it.
            raise ConfigError(
                "decrypt",
                "must be omitted with symmetric='response': responses use the key of the request",
                "Omit decrypt: Verify(symmetric='response')",
            )

    @property
    def _verifies_signatures(self) -> bool:
        """True if messages must be signed."""
        return self._trust is not None or self.symmetric is not None

    @property
    def _can_decrypt(self) -> bool:
        """True if there are keys to decrypt with."""
        return bool(self._pairs) or self.symmetric == "response"

    def __repr__(self) -> str:
        """Return a text without the arguments, because a file that was passed may also contain a key."""
        return f"Verify(trust={self._trust!r}, signed={list(self.signed)}, encrypted={self.encrypted})"

    def check(
        self, root: etree._Element, now: datetime | None = None, *, sent: Sequence[bytes] = ()
    ) -> list[etree._Element]:
        """Decrypt and verify an envelope in place. Returns the elements that trusted signatures cover.

        `now` is the current time; None for the clock of this machine. `sent` are the signature values of the
        request, for `confirmation`. Raises SecurityError.
        """
        covered = self._run(root, now, sent, None).covered
        return [node for nodes in covered for node in nodes if not isinstance(node, Attachment)]

    def _check_exchange(
        self,
        root: etree._Element,
        now: datetime | None,
        sent: Sequence[bytes],
        shared: SharedKey | None,
    ) -> SharedKey | None:
        """Decrypt and verify an envelope in place, as `check` does. Called by `Security`.

        `shared` is the shared key of the request if `root` is a response. `sent` are the signature
        values of the request. Returns the shared key with which the envelope is signed; None if it is not
        signed with a shared key.
        """
        return self._run(root, now, sent, shared).shared

    def _run(
        self,
        root: etree._Element,
        now: datetime | None,
        sent: Sequence[bytes],
        shared: SharedKey | None,
    ) -> _Verification:
        now = datetime.now(UTC) if now is None else in_utc(now)
        etree.strip_tags(root, etree.Comment)
        if next(root.iter(etree.PI), None) is not None:
            raise SecurityError(
                "structure", "the message has an XML processing instruction, which SOAP does not allow"
            )
        verification = _Verification(self, Message.of(root, self.actor), now, sent, shared)
        verification.run()
        return verification


def trust_of(value: object) -> Trust | None:
    """Convert the argument `trust` to a `Trust` object; None stays None. Raises ConfigError."""
    if isinstance(value, str | bytes | Path | x509.Certificate | Sequence):
        return Peers(value)
    if value is None or (hasattr(value, "candidates") and callable(getattr(value, "check", None))):
        return cast("Trust | None", value)
    raise ConfigError(
        "trust",
        f"must be certificates, a file, Peers or Authorities, got {type(value).__name__}",
        "Pass the certificate of the service, or a file with it",
    )


def key_pairs(value: object) -> tuple[KeyPair, ...]:
    """Return the key pairs of the argument `decrypt`. Raises ConfigError."""
    pairs = [value] if isinstance(value, KeyPair) else value
    if not isinstance(pairs, list | tuple) or not all(isinstance(pair, KeyPair) for pair in pairs):
        raise ConfigError(
            "decrypt", "must be a KeyPair or a list of KeyPairs", "Pass decrypt=KeyPair.from_pem(…)"
        )
    return tuple(pairs)


def in_utc(moment: datetime) -> datetime:
    """Convert a time to UTC. Raises ConfigError if it has no time zone."""
    if moment.tzinfo is None:
        raise ConfigError("now", "must have a time zone", "Pass or return, for example, datetime.now(UTC)")
    return moment.astimezone(UTC)


class _Verification:
    """The verification of one response. The Security header is processed from the top.

    `covered` has, for each signature, the elements that it signs. Elements are compared by identity (`is`).
    This works because the lists keep lxml's element objects alive.
    """

    def __init__(
        self,
        rules: Verify,
        message: Message,
        now: datetime,
        sent: Sequence[bytes],
        shared: SharedKey | None,
    ) -> None:
        self.rules = rules
        self.message = message
        self.now = now
        self.sent = sent
        self.covered: list[list[Element | Attachment]] = []
        self.signers: list[SharedKey | None] = []
        self.signed_data: list[bytes] = []
        self.shared: SharedKey | None = None
        self.shared_keys = SharedKeys(message, shared if rules.symmetric == "response" else None)
        self.decryption = Decryption(message, rules._pairs, rules._allowed, self.shared_keys)

    def run(self) -> None:
        """Process the Security header, and check that the response meets all rules. Raises SecurityError."""
        security = self.message.security
        if security is None:
            raise SecurityError(
                "missing",
                "the message has no Security header",
                part="Security",
            )
        rules = self.rules
        actions: dict[str, Callable[[Element], None]] = {}
        if rules._pairs:
            actions[q("xenc:EncryptedKey")] = self.decryption.open_key
        if rules._can_decrypt:
            actions[q("xenc:ReferenceList")] = self.decryption.open_list
        else:  # otherwise, a digest of an encrypted part would fail
            self.decryption.finish((), has_keys=False)
        if rules._verifies_signatures:
            actions[q("ds:Signature")] = self.verify
        # Decryption may replace a child by others, also above the key that decrypts it.
        done: dict[int, Element] = {}
        while True:
            node = next((node for node in security.iterchildren(*actions) if id(node) not in done), None)
            if node is None:
                break
            done[id(node)] = node
            actions[str(node.tag)](node)
        self.decryption.finish(rules._encrypted, has_keys=rules._can_decrypt)
        if rules._verifies_signatures:
            self.require_signed()
        end = None if rules._max_age is None else self.require_fresh(rules._max_age)
        if rules.confirmation:
            self.require_confirmation()
        if rules.replay is not None:
            self.require_new(rules.replay, end)

    # ---- what the response must prove

    def require_signed(self) -> None:
        """Raise SecurityError unless one signature covers all required parts."""
        parts: list[tuple[str, Element | Attachment]] = []
        for name in self.rules.signed:
            nodes = self.message.parts(name)
            if not nodes and name not in ("Header", "Addressing", ATTACHMENTS):
                raise SecurityError(
                    "missing", f"{name} is missing, but must be present and signed", part=name
                )
            parts += [(name, node) for node in nodes]
        optional = self.rules.signed_if_present
        parts += [(name, node) for name in optional for node in self.message.parts(name)]
        if self.rules.confirmation:  # must be signed together with the body
            confirmations = self.message.parts("SignatureConfirmation")
            parts += [("SignatureConfirmation", node) for node in confirmations]
        if ATTACHMENTS in (*self.rules.signed, *optional):
            parts += [(ATTACHMENTS, attachment) for attachment in of_message.get()]
        lacking = ""
        for targets, signer in zip(self.covered, self.signers, strict=True):
            lacking = next((name for name, node in parts if not _covers(targets, node)), "")
            if not lacking:
                self.shared = signer
                return
        if self.covered and all(any(_covers(each, node) for each in self.covered) for _, node in parts):
            raise SecurityError("unsigned", "no single signature covers all required parts", part=lacking)
        name = lacking or (parts[0][0] if parts else "Body")
        raise SecurityError("unsigned", f"{name} is not signed, but must be", part=name)

    def require_fresh(self, max_age: timedelta) -> datetime:
        """Check the Timestamp of the message, and return the time at which the message expires.

        Raises SecurityError if the Timestamp is missing, older than `max_age`, expired, or in the future.
        """
        stamps = self.message.parts("Timestamp")
        if len(stamps) != 1:
            code = "structure" if stamps else "missing"
            raise SecurityError(
                code, f"the message must have exactly one Timestamp, got {len(stamps)}", part="Timestamp"
            )
        created, expires = (time_of(find(stamps[0], f"wsu:{name}")) for name in ("Created", "Expires"))
        if created is None:
            raise SecurityError(
                "structure", "the Timestamp has no element Created, which is required", part="Timestamp"
            )
        return self._check_age(created, expires, max_age, "Timestamp")

    def _check_age(
        self, created: datetime, expires: datetime | None, max_age: timedelta, part: str
    ) -> datetime:
        """Check two times of a part, and return the time at which the part expires.

        `created` and `expires` are the times in the part (`expires` may be None), `max_age` is the highest
        age. Raises SecurityError if the part has expired or was created in the future. `part` is its name,
        for errors.
        """
        if created > self.now + self.rules._skew:
            raise SecurityError(
                "future", f"the message was created at {created}, but it is {self.now} now", part=part
            )
        end = min(expires or created + max_age, created + max_age)
        if self.now - self.rules._skew > end:
            raise SecurityError(
                "expired",
                f"the message was valid from {created} to {end}, but it is {self.now} now",
                part=part,
            )
        return end

    def require_new(self, replays: Replays, end: datetime | None) -> None:
        """Raise SecurityError if the message was received before.

        `end` is the time until which the message is remembered. A message is recognized by its signatures and
        by the nonces of its UsernameTokens. Without a signature, each UsernameToken must have a nonce and a
        time.
        """
        values = list(self.signed_data)
        ends = [] if end is None else [end]
        max_age = duration(self.rules.max_age or 0, "max_age")
        tokens = self.message.parts("UsernameToken")
        for token in tokens:
            nonce, created = find(token, "wsse:Nonce"), find(token, "wsu:Created")
            moment = time_of(created)
            if nonce is None or moment is None:
                if not self.signed_data:
                    raise SecurityError(
                        "replay",
                        "the UsernameToken has no nonce or no time, so a copy of it cannot be recognized",
                        part="UsernameToken",
                    )
                continue
            ends.append(self._check_age(moment, None, max_age, "UsernameToken"))
            user = need(find(token, "wsse:Username"), "Username").text or ""
            values.append(hashlib.sha256(from_base64(nonce, "Nonce") + b"\0" + user.encode()).digest())
        if not values:
            raise SecurityError(
                "replay",
                "the message has no signature and no UsernameToken, so a copy of it cannot be recognized",
            )
        replays.add(values, max(ends) + self.rules._skew, self.now)

    def require_confirmation(self) -> None:
        """Raise SecurityError unless the response confirms all signatures of the request, and no others.

        The caller has checked with `require_signed` that the confirmations are signed.
        """
        security = self.message.security
        assert security is not None
        nodes = list(security.iterchildren(q("wsse11:SignatureConfirmation")))
        values = sorted(node.get("Value", "") for node in nodes)
        # If the request has no signatures, one confirmation has no value (WSS 1.1, 8.5).
        expected = sorted(map(to_base64, self.sent)) or [""]
        if values != expected:
            raise SecurityError(
                "confirmation",
                "the message does not confirm the signatures of this request",
                part="SignatureConfirmation",
            )

    # ---- one signature

    def verify(self, signature: Element) -> None:
        """Verify a signature, and record the elements that it covers. Raises SecurityError."""
        if len(self.covered) == _MAX_SIGNATURES:
            raise SecurityError("structure", f"the message has more than {_MAX_SIGNATURES} signatures")
        info = need(find(signature, "ds:SignedInfo"), "SignedInfo")
        canonicalization = need(find(info, "ds:CanonicalizationMethod"), "CanonicalizationMethod")
        algorithm(canonicalization, {EXCLUSIVE_C14N}, "CanonicalizationMethod")
        key_info = need(find(signature, "ds:KeyInfo"), "KeyInfo")
        value = from_base64(find(signature, "ds:SignatureValue"), "SignatureValue")
        data = canonical(info, inclusive_prefixes(canonicalization))
        method = find(info, "ds:SignatureMethod")
        shared = None
        if self.rules.symmetric is None:
            self._verify_by_certificate(method, key_info, value, data)
        else:
            shared = self._verify_by_shared_key(method, key_info, value, data)
        references = list(info.iterchildren(q("ds:Reference")))
        if not 0 < len(references) <= _MAX_REFERENCES:
            raise SecurityError(
                "structure",
                f"a signature must have 1 to {_MAX_REFERENCES} references, got {len(references)}",
            )
        ids = self.message.ids()
        digests = self.rules._allowed & set(DIGESTS)
        parts = (*self.rules.signed, *self.rules.signed_if_present)
        self.covered.append(
            [
                covered_attachment(reference, digests)
                if is_attachment(reference.get("URI"))
                else covered(reference, ids, signature, self.message, digests, parts)
                for reference in references
            ]
        )
        self.signers.append(shared)
        self.signed_data.append(hashlib.sha256(data).digest())

    def _verify_by_certificate(
        self, method: Element | None, key_info: Element, value: bytes, data: bytes
    ) -> None:
        """Verify a signature with the certificate that its KeyInfo names. Raises SecurityError.

        `value` is the signature, and `data` are the signed bytes. The certificate must be trusted.
        """
        trust = self.rules._trust
        assert trust is not None  # see `run`
        name = algorithm(method, self.rules._allowed & set(SIGNATURES), "SignatureMethod")
        certificate = certificate_of(key_info, self.message, trust.candidates)
        trust.check(certificate, (), self.now)
        _verify_value(certificate, name, value, data)

    def _verify_by_shared_key(
        self, method: Element | None, key_info: Element, value: bytes, data: bytes
    ) -> SharedKey:
        """Verify a signature with the shared key that its KeyInfo names, and return the key.

        `value` is the signature, and `data` are the signed bytes. Raises SecurityError.
        """
        name = algorithm(method, self.rules._allowed & set(HMACS), "SignatureMethod")
        if len(need(method, "SignatureMethod")):
            # With HMACOutputLength, a signature of a few bits would be valid.
            raise SecurityError(
                "algorithm", "parameters of SignatureMethod are not allowed, such as HMACOutputLength"
            )
        secret, shared = self.shared_keys.find(key_info)
        if not hmac.compare_digest(hmac.digest(secret, data, HMACS[name].name), value):
            raise SecurityError("signature", "the signature is not valid for the shared key of the message")
        if value in self.sent:
            # Both sides have the same key. An attacker could send the request back.
            raise SecurityError(
                "untrusted",
                "the response repeats the signature of the request: it may be the request, sent back",
            )
        return shared


def _verify_value(certificate: x509.Certificate, method: str, value: bytes, data: bytes) -> None:
    """Raise SecurityError unless `value` is the signature of `data` by the key of a certificate."""
    key_class, kind = SIGNATURES[method]
    key = _certificates.public_key(certificate)
    if not isinstance(key, key_class):
        raise SecurityError(
            "algorithm", "the signature method is for another type of key than the key in the certificate"
        )
    try:
        if isinstance(key, rsa.RSAPublicKey):
            key.verify(value, data, padding.PKCS1v15(), kind)
        elif isinstance(key, ec.EllipticCurvePublicKey):
            half = len(value) // 2
            pair = int.from_bytes(value[:half]), int.from_bytes(value[half:])
            key.verify(utils.encode_dss_signature(*pair), data, ec.ECDSA(kind))
    except (InvalidSignature, ValueError):  # ValueError: the key is too short for the hash function
        raise SecurityError(
            "signature",
            f"the signature is not valid for the certificate of {_certificates.subject(certificate)}",
        ) from None


def _covers(signed: Sequence[Element | Attachment], node: Element | Attachment) -> bool:
    """Return True if `node`, or an element that contains it, is in the list of signed elements."""
    places = [node] if isinstance(node, Attachment) else [node, *node.iterancestors()]
    return any(place is target for target in signed for place in places)


def time_of(node: Element | None) -> datetime | None:
    """Return the time in an element, in UTC; None for None. Raises SecurityError if it is not a time."""
    if node is None:
        return None
    try:
        moment = datetime.fromisoformat((node.text or "").strip())
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError):
        raise SecurityError(
            "structure", "Created or Expires is not a time such as 2026-11-01T12:00:00Z", part="Timestamp"
        ) from None
