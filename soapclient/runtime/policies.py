"""The WS-SecurityPolicy of a port as data: classes for the entries of `security` in `schema.json`.

A policy is one alternative: the assertions that apply together to the messages of an operation. The parts of
a message that a policy protects have the same names as in `soapclient.security`: `Body`, `Header`,
`Timestamp`, `{namespace}name`, and so on.
"""

# Without `from __future__ import annotations`, as in `schema`.

from typing import TYPE_CHECKING, Final, Literal

import msgspec

from soapclient.runtime.schema import PortRow, Row

if TYPE_CHECKING:
    from soapclient.runtime.package import Package

TokenKind = Literal["x509", "username", "saml", "https"]
Include = Literal["Never", "Once", "AlwaysToRecipient", "AlwaysToInitiator", "Always"]
Reference = Literal["", "issuer-serial", "ski", "thumbprint", "embedded"]


class TokenRow(Row, frozen=True, kw_only=True):
    """A token that a policy requires.

    - `include`: says which messages contain the token. Other messages refer to it.
    - `reference`: how messages name a certificate that they do not contain; "" if the policy does not say.
    - `password`: how the password of a user name is sent.
    - `derived`: True if keys are derived from the token's key. `old`: True for the WS-SecureConversation of
      2005-02, False for 2005-12.
    - `authentication`: how the client authenticates over HTTPS: "certificate" (a client certificate),
      "basic", "digest", or "".
    """

    kind: TokenKind
    include: Include = "Always"
    reference: Reference = ""
    password: Literal["text", "digest", "none"] = "text"
    nonce: bool = False
    created: bool = False
    derived: bool = False
    old: bool = False
    authentication: Literal["", "certificate", "basic", "digest"] = ""


class SupportingTokenRow(Row, frozen=True, kw_only=True):
    """A token in addition to the tokens of the binding.

    `signed`: True if the message signature covers it. `encrypted`: True if it is encrypted. `endorsing`: True
    if its key signs the message signature, or the Timestamp if TLS protects the message.
    """

    token: TokenRow
    signed: bool = False
    encrypted: bool = False
    endorsing: bool = False

    @property
    def assertion(self) -> str:
        """The name of the assertion in the policy, such as `SignedSupportingTokens`."""
        flags = {"Signed": self.signed, "Endorsing": self.endorsing, "Encrypted": self.encrypted}
        return "".join(name for name, is_set in flags.items() if is_set) + "SupportingTokens"


class PolicyRow(Row, frozen=True, kw_only=True):
    """One alternative of the policy of an operation.

    - `initiator`: the token of the client, in the asymmetric binding. `recipient`: the token of the service,
      or the protection token of the symmetric binding, or the token of the transport binding.
    - `signed`, `encrypted`: parts of requests. `response_signed`, `response_encrypted`: parts of responses.
    - `present`, `response_present`: parts that requests and responses must have.
    - `unsupported`: the names of assertions that are not supported. Such a policy cannot be met.
    """

    binding: Literal["", "transport", "asymmetric", "symmetric"] = ""
    suite: str = ""
    layout: Literal["Lax", "Strict", "LaxTsFirst", "LaxTsLast"] = "Lax"
    timestamp: bool = False
    encrypt_first: bool = False
    encrypt_signature: bool = False
    protect_tokens: bool = False
    confirmation: bool = False
    initiator: TokenRow | None = None
    recipient: TokenRow | None = None
    supporting: tuple[SupportingTokenRow, ...] = ()
    signed: tuple[str, ...] = ()
    encrypted: tuple[str, ...] = ()
    response_signed: tuple[str, ...] = ()
    response_encrypted: tuple[str, ...] = ()
    present: tuple[str, ...] = ()
    response_present: tuple[str, ...] = ()
    unsupported: tuple[str, ...] = ()

    @property
    def weak(self) -> tuple[str, ...]:
        """The weak algorithms that the policy's algorithm suite requires for messages, such as `SHA-1`."""
        if self.binding not in ("asymmetric", "symmetric"):
            return ()
        weak = [] if "Sha256" in self.suite else ["SHA-1"]
        if self.encrypted or self.response_encrypted or self.binding == "symmetric":
            weak += [] if "GCM" in self.suite else ["CBC"]
            weak += ["Triple DES"] if "TripleDes" in self.suite else []
            weak += ["RSA 1.5"] if "Rsa15" in self.suite else []
        return tuple(weak)

    @property
    def required(self) -> tuple[str, ...]:
        """The protection of messages that the policy requires, such as `signed: Body`; () if none.

        HTTPS is not included. If the policy has unsupported assertions, the result names only these.
        """
        if self.unsupported:
            return (f"not supported: {', '.join(self.unsupported)}",)
        names = [
            *("supporting tokens", "signed", "encrypted", "timestamp"),
            *("signed in responses", "encrypted in responses"),
        ]
        return tuple(f"{name}: {value}" for name, value in self._facts() if name in names and value)

    @property
    def keys(self) -> tuple[str, ...]:
        """The names of the arguments of `SecurityKeys` that requests with this policy need."""
        kinds = {item.token.kind for item in self.supporting}
        own = ("key", "certificate") if self.binding == "asymmetric" or "x509" in kinds else ()
        other = ("recipient_certificate",) if self.binding in ("asymmetric", "symmetric") else ()
        user = ("user", "password") if "username" in kinds else ()
        return (*own, *other, *user, *(("saml",) if "saml" in kinds else ()))

    def lines(self) -> list[str]:
        """Return lines that describe the policy, such as `signed: Body, Timestamp`."""
        return [f"{name}: {value}" for name, value in self._facts() if value]

    def _facts(self) -> list[tuple[str, str]]:
        tokens = [f"{_NAMES[item.token.kind]} ({item.assertion})" for item in self.supporting]
        stamp = ("Timestamp",) if self.timestamp and self.binding in ("asymmetric", "symmetric") else ()
        of_client = "" if self.initiator is None else _NAMES[self.initiator.kind]
        of_service = "" if self.recipient is None else _NAMES[self.recipient.kind]
        return [
            ("binding", self.binding or "none"),
            ("token of the client", of_client),
            ("token of the service", of_service),
            ("supporting tokens", ", ".join(tokens)),
            ("signed", ", ".join((*self.signed, *stamp))),
            ("encrypted", ", ".join(self.encrypted)),
            ("signed in responses", ", ".join((*self.response_signed, *stamp))),
            ("encrypted in responses", ", ".join(self.response_encrypted)),
            ("required", ", ".join(self.present)),
            ("required in responses", ", ".join(self.response_present)),
            ("timestamp", "required" if self.timestamp else ""),
            ("signature confirmation", "required" if self.confirmation else ""),
            ("algorithm suite", self.suite),
            ("weak algorithms", ", ".join(self.weak)),
            ("not supported", ", ".join(self.unsupported)),
        ]


def policy_lines(package: "Package", port: PortRow) -> list[str]:
    """Return lines such as `signed: Body` that describe the policies of a port: MTOM and WS-SecurityPolicy.

    The list is empty if the port has no policy. If operations have different policies, or a policy has
    several alternatives, the lines of each alternative follow a line `policy: …`. This line has the names of
    the operations, the number of the alternative, or both.
    """
    operations: dict[tuple[PolicyRow, ...], list[str]] = {}
    for name in package.operations_of(port.port_type):
        operations.setdefault(package.policies_of(port, name), []).append(name)
    lines = [f"MTOM: {port.mtom}"] if port.mtom else []
    for policies, names in operations.items():
        for number, policy in enumerate(policies, 1):
            alternative = [f"alternative {number} of {len(policies)}"] if len(policies) > 1 else []
            of_names = [", ".join(names)] if len(operations) > 1 else []
            lines += [f"policy: {', '.join([*of_names, *alternative])}"] if alternative or of_names else []
            lines += policy.lines()
    return lines


def unsecured(package: "Package", port: PortRow) -> dict[str, PolicyRow]:
    """Return the operations of a port that must not be called without WS-Security.

    The result maps the name of each operation to an alternative of its policy: the first supported one, or
    the first one if none is supported. Operations with an alternative that requires nothing are left out.
    """
    rows: dict[str, PolicyRow] = {}
    for name in package.operations_of(port.port_type):
        policies = package.policies_of(port, name)
        if policies and all(policy.required for policy in policies):
            rows[name] = next((policy for policy in policies if not policy.unsupported), policies[0])
    return rows


_NAMES: Final[dict[str, str]] = {
    "x509": "X.509 certificate",
    "username": "user name",
    "saml": "SAML assertion",
    "https": "HTTPS",
}

POLICIES: Final = msgspec.json.Decoder(tuple[PolicyRow, ...])
"""Decoder for `security` in `schema.json`."""
