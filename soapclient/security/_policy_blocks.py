"""Convert a WS-SecurityPolicy to building blocks and rules, for the client and for the service.

The argument `role` of the functions is the side that sends the messages: "client" or "service".
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Final, Literal

from soapclient.errors import ConfigError
from soapclient.runtime.policies import PolicyRow, TokenRow
from soapclient.security._algorithms import DIGESTS, OAEP, OAEP11, RSA15, SIGNATURES, Algorithms
from soapclient.security._blocks import Block, Encryption, SamlToken, Signature, Timestamp, UsernameToken
from soapclient.security._certificates import TokenReference
from soapclient.security._security import Security
from soapclient.security._symmetric import SymmetricBinding
from soapclient.security._verify import Verify
from soapclient.security._xml import Message, add, ensure_id

if TYPE_CHECKING:
    from soapclient.security._keys import SecurityKeys

Role = Literal["client", "service"]
OTHER: Final[dict[Role, Role]] = {"client": "service", "service": "client"}

_SUITE: Final = re.compile(
    r"(?:Basic(?P<bits>128|192|256)|TripleDes)(?P<gcm>GCM)?(?P<sha2>Sha256)?(?P<rsa15>Rsa15)?"
)
_TOKENS: Final = {"username": "UsernameToken", "saml": "SamlAssertion"}
# Parts of a response that are always there. Others, such as headers, must be protected if they are there.
_ALWAYS: Final = ("Body", "Timestamp")
_INCLUDED: Final[dict[Role, tuple[str, ...]]] = {
    "client": ("Always", "AlwaysToRecipient", "Once"),
    "service": ("Always", "AlwaysToInitiator"),
}


@dataclass(frozen=True, slots=True)
class Parts:
    """The parts of messages that one side (client or service) signs, and the parts that it encrypts.

    Parts are given by their names, such as `Body`.
    """

    signed: tuple[str, ...]
    encrypted: tuple[str, ...]


def parts_of(policy: PolicyRow, role: Role) -> Parts:
    """Return the parts that one side must sign and encrypt, including the Timestamp and supporting tokens."""
    signed = list(policy.signed if role == "client" else policy.response_signed)
    encrypted = list(policy.encrypted if role == "client" else policy.response_encrypted)
    signed += ["Timestamp"] if policy.timestamp else []
    if role == "service":
        signed += ["SignatureConfirmation"] if policy.confirmation else []
    else:
        tokens = [
            (item, _TOKENS[item.token.kind]) for item in policy.supporting if item.token.kind in _TOKENS
        ]
        signed += [part for item, part in tokens if item.signed]
        encrypted += [part for item, part in tokens if item.encrypted]
    return Parts(tuple(dict.fromkeys(signed)), tuple(dict.fromkeys(encrypted)))


def security_of(
    policy: PolicyRow, keys: SecurityKeys, role: Role, *, confirmed: Sequence[str] | None = None
) -> Security:
    """Return the `Security` that secures the messages of one side (`role`), and verifies those it receives.

    The caller has checked that the keys are sufficient for the policy. `confirmed` are the values of the
    request's signatures, which a response confirms (SignatureConfirmation); None for the client.
    """
    blocks: list[Block] = [Timestamp()] if policy.timestamp else []
    if role == "client":
        blocks += _supporting_tokens(policy, keys)
    elif policy.confirmation:
        blocks.append(_Confirmation(confirmed or ()))
    if role == "client" and policy.present:
        blocks.append(_Present(policy.present))
    if policy.binding == "asymmetric":
        blocks += _asymmetric(policy, keys, role)
    elif policy.binding == "symmetric":
        blocks.append(_symmetric(policy, keys, role))
    elif role == "client":
        blocks += _endorsing(policy, keys)
    if policy.timestamp and policy.layout in ("LaxTsFirst", "LaxTsLast"):
        blocks.append(_TimestampPlace(is_last=policy.layout == "LaxTsLast"))
    return Security(blocks, verify=_rules(policy, keys, OTHER[role]), now=keys.now)


def algorithms_of(suite: str) -> Algorithms:
    """Return the algorithms of an algorithm suite of WS-SecurityPolicy, such as `Basic256Sha256`.

    Returns the default algorithms if the policy names no suite.
    """
    match = _SUITE.fullmatch(suite)
    if match is None:
        return Algorithms()
    return Algorithms(
        hash="sha256" if match["sha2"] else "sha1",
        cipher=f"aes{match['bits'] or 256}-{'gcm' if match['gcm'] else 'cbc'}",  # type: ignore[arg-type] # from the suite
        transport="rsa-1.5" if match["rsa15"] else "rsa-oaep",
    )


def _allowed(algorithms: Algorithms) -> frozenset[str]:
    """Return the identifiers of the algorithms that the other side may use.

    `algorithms` are the algorithms that this side uses.
    """
    digests = {uri for uri, kind in DIGESTS.items() if kind.name == algorithms.hash}
    signatures = {uri for uri, (_, kind) in SIGNATURES.items() if kind.name == algorithms.hash}
    signatures.add(algorithms.hmac_uri)
    transports = {RSA15} if algorithms.transport == "rsa-1.5" else {OAEP, OAEP11}
    return frozenset(digests | signatures | transports | {algorithms.cipher_uri})


def _supporting_tokens(policy: PolicyRow, keys: SecurityKeys) -> list[Block]:
    blocks: list[Block] = []
    for item in policy.supporting:
        token = item.token
        if token.kind == "username":
            blocks.append(
                UsernameToken(
                    keys.user,
                    None if token.password == "none" else keys.password,
                    digest=token.password == "digest",
                    nonce=token.nonce or None,
                    created=token.created or None,
                )
            )
        elif token.kind == "saml":
            assert keys.saml is not None  # see `choose`
            blocks.append(SamlToken(keys.saml))
    return blocks


def _asymmetric(policy: PolicyRow, keys: SecurityKeys, role: Role) -> list[Block]:
    """Return the Signature and the Encryption of one side, in the order that the policy requires."""
    parts, algorithms = parts_of(policy, role), algorithms_of(policy.suite)
    own, other = _tokens_of(policy, role)
    blocks: list[Block] = []
    if parts.signed:
        assert keys._pair is not None  # see `choose`
        token: TokenReference = (
            "binary" if own.include in _INCLUDED[role] else own.reference or "issuer-serial"
        )
        with_token = ("BinarySecurityToken",) if policy.protect_tokens and token == "binary" else ()
        blocks.append(
            Signature(*keys._pair, (*parts.signed, *with_token), token=token, algorithms=algorithms)
        )
    if parts.encrypted:
        assert keys._recipient is not None
        reference = other.reference or "issuer-serial"
        blocks.append(Encryption(keys._recipient, parts.encrypted, token=reference, algorithms=algorithms))
    return blocks[::-1] if policy.encrypt_first else blocks


def _symmetric(policy: PolicyRow, keys: SecurityKeys, role: Role) -> SymmetricBinding:
    """Return the block that signs and encrypts the messages of one side with the shared key."""
    parts, token = parts_of(policy, role), policy.recipient or TokenRow(kind="x509", include="Never")
    return SymmetricBinding(
        keys._recipient if role == "client" else None,
        parts=parts.signed,
        encrypt=parts.encrypted,
        derived_keys=token.derived,
        algorithms=algorithms_of(policy.suite),
        token="binary" if token.include in _INCLUDED["client"] else token.reference or "issuer-serial",
        encrypt_first=policy.encrypt_first,
        version="2005-02" if token.old else "2005-12",
    )


def _endorsing(policy: PolicyRow, keys: SecurityKeys) -> list[Block]:
    """Return a list with the block that signs with the policy's endorsing token, an X.509 certificate.

    The list is empty if the policy has no such token. Used if TLS protects the messages. The block signs the
    parts that the function `endorsed` returns.
    """
    for item in policy.supporting:
        if item.endorsing and item.token.kind == "x509":
            assert keys._pair is not None
            token: TokenReference = "binary"
            if item.token.include not in _INCLUDED["client"]:
                token = item.token.reference or "issuer-serial"
            return [
                Signature(*keys._pair, endorsed(policy), token=token, algorithms=algorithms_of(policy.suite))
            ]
    return []


def endorsed(policy: PolicyRow) -> tuple[str, ...]:
    """Return the names of the parts that an endorsing token signs if TLS protects the messages."""
    return ("Timestamp", *policy.signed) if policy.timestamp else policy.signed


def _rules(policy: PolicyRow, keys: SecurityKeys, sender: Role) -> Verify | None:
    """Return the rules by which messages of `sender` are verified; None if they need no verification."""
    parts = parts_of(policy, sender)
    signed, encrypted = parts.signed, parts.encrypted
    is_symmetric = policy.binding == "symmetric"
    if policy.binding not in ("asymmetric", "symmetric"):
        is_endorsed = any(item.endorsing for item in policy.supporting) and sender == "client"
        signed, encrypted = endorsed(policy) if is_endorsed else (), ()
    if not signed and not encrypted:
        return None
    # With a confirmation or a shared key, a response belongs to one request anyway. `PolicyService` checks
    # requests.
    may_be_repeated = sender == "service" and not policy.confirmation and not is_symmetric
    always = [*_ALWAYS, *_TOKENS.values()]
    has_age = policy.timestamp and bool(signed)
    return Verify(
        trust=keys._trust if signed and not is_symmetric else None,
        signed=[name for name in signed if name in always],
        signed_if_present=[name for name in signed if name not in (*always, "SignatureConfirmation")],
        decrypt=keys._decrypt if (sender == "client" if is_symmetric else encrypted) else (),
        encrypted=encrypted,
        max_age=keys.max_age if has_age else None,
        skew=keys.skew,
        algorithms=_allowed(algorithms_of(policy.suite)),
        confirmation=policy.confirmation and sender == "service" and bool(signed),
        replay=keys._replays if has_age and may_be_repeated else None,
        symmetric=None if not is_symmetric else "request" if sender == "client" else "response",
    )


def _tokens_of(policy: PolicyRow, role: Role) -> tuple[TokenRow, TokenRow]:
    """Return two tokens of the policy: the token of the side `role`, and the token of the other side."""
    initiator = policy.initiator or TokenRow(kind="x509")
    recipient = policy.recipient or TokenRow(kind="x509", include="Never")
    return (initiator, recipient) if role == "client" else (recipient, initiator)


class _Present(Block):
    """Block that refuses to send a request without the parts that the policy requires.

    The policy names these parts in its assertions RequiredParts and RequiredElements.
    """

    __slots__ = ("_parts",)

    def __init__(self, parts: Sequence[str]) -> None:
        self._parts = tuple(parts)

    def add(self, message: Message, now: datetime, /) -> None:
        """Raise ConfigError if the request lacks a part."""
        for part in self._parts:
            if not message.parts(part):
                raise ConfigError(
                    "wsse",
                    f"the WS-SecurityPolicy requires {part}, which the request does not have",
                    "Pass this header with the call, or add it to the request in a plugin",
                )


class _TimestampPlace(Block):
    """Block that moves the Timestamp to the beginning or the end of the Security header.

    The policy requires this with its assertion Layout (LaxTsFirst and LaxTsLast).
    """

    __slots__ = ("_is_last",)

    def __init__(self, *, is_last: bool) -> None:
        self._is_last = is_last

    def add(self, message: Message, now: datetime, /) -> None:
        """Move the Timestamp."""
        security = message.ensure_security()
        for node in message.parts("Timestamp"):
            security.remove(node)
            security.insert(len(security) if self._is_last else 0, node)


class _Confirmation(Block):
    """Block of a response that confirms the signatures of the request (SignatureConfirmation, WSS 1.1)."""

    __slots__ = ("_values",)

    def __init__(self, values: Sequence[str]) -> None:
        self._values = tuple(values)

    def add(self, message: Message, now: datetime, /) -> None:
        """Add a SignatureConfirmation for each signature of the request.

        If the request has no signatures, add one SignatureConfirmation without a value.
        """
        for value in self._values or ("",):
            node = add(message.ensure_security(), "wsse11:SignatureConfirmation")
            ensure_id(node)
            if value:
                node.set("Value", value)
