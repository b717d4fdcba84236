"""WS-SecurityPolicy on the side of the service, for mocks: verify requests and secure responses."""

from __future__ import annotations

import copy
import hashlib
import hmac
from collections.abc import Sequence
from typing import TYPE_CHECKING

from lxml import etree

from soapclient.auth.credentials import Secret
from soapclient.errors import SecurityError
from soapclient.runtime import Package
from soapclient.runtime.policies import PolicyRow, TokenRow
from soapclient.runtime.schema import PortRow
from soapclient.security._blocks import duration
from soapclient.security._policy import body_tag, check_present, choose, operations_by_tag
from soapclient.security._policy_blocks import security_of
from soapclient.security._security import Security
from soapclient.security._verify import time_of
from soapclient.security._xml import Message, canonical, find, from_base64, inclusive_prefixes, q, to_base64

if TYPE_CHECKING:
    from soapclient.security._keys import SecurityKeys


class PolicyService(Security):
    """The security object (`wsse=`) of a mock: verifies one request, and secures its response.

    A request must meet one alternative of the policy of its operation. The response is secured by the same
    alternative. `ports` are the ports at the address of the request.

    Raises ConfigError if the policy of an operation has no alternative for which the keys are sufficient.
    """

    def __init__(self, keys: SecurityKeys, package: Package, ports: Sequence[PortRow]) -> None:
        super().__init__(now=keys.now)
        self._keys = keys
        self._policies: dict[str, tuple[PolicyRow, ...]] = {}
        self._by_tag: dict[str, list[str]] = {}
        for port in ports:
            operations = package.operations_of(port.port_type)
            for name in operations:
                policies = package.policies_of(port, name)
                self._policies.setdefault(name, policies)
                if policies:
                    choose(policies, keys, "service")
            self._by_tag = operations_by_tag(operations) | self._by_tag
        self._chosen: PolicyRow | None = None
        self._verified: Security | None = None
        self._confirmed: list[str] = []

    def verify(self, envelope: etree._Element, /) -> etree._Element:
        """Verify and decrypt a request. Returns the envelope to read.

        Raises SecurityError if the request does not meet the policy of its operation.
        """
        alternatives = dict.fromkeys(row for rows in self._policies.values() for row in rows)
        error: SecurityError | None = None
        for policy in alternatives:
            if policy.unsupported:
                continue
            root = copy.deepcopy(envelope)
            try:
                confirmed = _signature_values(root)
                security = security_of(policy, self._keys, "service")
                security.verify(root)
                self._check_tokens(policy, root)
                self._check_operation(policy, root)
                self._check_new(policy, root)
            except SecurityError as failure:
                error = error or failure
            else:
                self._chosen, self._confirmed = policy, confirmed
                self._verified = security
                return root
        if any(not self._policies[name] for name in self._by_tag.get(body_tag(envelope), ())):
            return envelope
        raise error or SecurityError(
            "policy", "the mock supports none of the alternatives of the service's WS-SecurityPolicy"
        )

    def apply(
        self, envelope: etree._Element, headers: dict[str, str], /
    ) -> tuple[etree._Element, dict[str, str]]:
        """Secure the response to a request that `verify` accepted. Returns the envelope and HTTP headers.

        The response is secured by the alternative of the policy that the request met. If the request met
        no alternative, the envelope and the HTTP headers are returned unchanged.
        """
        if self._chosen is None:
            return envelope, headers
        security = security_of(self._chosen, self._keys, "service", confirmed=self._confirmed)
        if self._verified is not None:
            security._share_key_of(self._verified)
        return security.apply(envelope, headers) if security.blocks else (envelope, headers)

    def _check_operation(self, policy: PolicyRow, root: etree._Element) -> None:
        names = self._by_tag.get(body_tag(root), [])
        if names and not any(policy in self._policies[name] for name in names):
            raise SecurityError(
                "policy", f"the request is not secured as the policy of {' and '.join(names)} requires"
            )

    def _check_tokens(self, policy: PolicyRow, root: etree._Element) -> None:
        """Raise SecurityError unless the request has the Timestamp and the tokens of the policy."""
        check_present(root, policy.present)
        message = Message.of(root)
        if policy.timestamp:
            self._check_time(message)
        for item in policy.supporting:
            if item.token.kind == "saml" and not message.parts("SamlAssertion"):
                raise SecurityError(
                    "missing",
                    "the request has no SAML assertion, but the policy requires it",
                    part="SamlAssertion",
                )
            if item.token.kind == "username":
                self._check_user(message, item.token)

    def _check_new(self, policy: PolicyRow, root: etree._Element) -> None:
        """Raise SecurityError if the signatures or the nonce of a request were received before."""
        message = Message.of(root)
        values = [hashlib.sha256(data).digest() for data in _signed_data(message)]
        if any(item.token.kind == "username" for item in policy.supporting):
            for token in message.parts("UsernameToken"):
                if (nonce := find(token, "wsse:Nonce")) is not None:
                    text = to_base64(from_base64(nonce, "Nonce"))
                    values.append(hashlib.sha256(f"{self._keys.user} {text}".encode()).digest())
        if values:
            longest = duration(self._keys.max_age, "max_age") + 2 * duration(self._keys.skew, "skew")
            self._keys._replays.add(values, self._time() + longest, self._time())

    def _check_time(self, message: Message) -> None:
        """Raise SecurityError unless the message has exactly one Timestamp, and it is valid now."""
        stamps = message.parts("Timestamp")
        if len(stamps) != 1:
            raise SecurityError(
                "missing", f"the message must have exactly one Timestamp, got {len(stamps)}", part="Timestamp"
            )
        now = self._time()
        created, expires = (time_of(find(stamps[0], f"wsu:{name}")) for name in ("Created", "Expires"))
        skew = duration(self._keys.skew, "skew")
        if created is None or created > now + skew or (expires is not None and expires < now - skew):
            raise SecurityError(
                "expired",
                f"the Timestamp is invalid: Created is {created}, Expires is {expires}, but it is {now} now",
                part="Timestamp",
            )

    def _check_user(self, message: Message, row: TokenRow) -> None:
        """Check the UsernameToken of a request. `row` is the token in the policy.

        Raises SecurityError unless the request has one UsernameToken with the right user name and password.
        If the token has a time, it must not be older than the setting `max_age`, and not in the future.
        """
        tokens = message.parts("UsernameToken")
        if len(tokens) != 1:
            raise SecurityError(
                "missing",
                f"the message must have exactly one UsernameToken, got {len(tokens)}",
                part="UsernameToken",
            )
        token = tokens[0]
        user, password = (find(token, f"wsse:{name}") for name in ("Username", "Password"))
        text = "" if password is None else password.text or ""
        digest = row.password == "digest"
        nonce, created = find(token, "wsse:Nonce"), find(token, "wsu:Created")
        for name, node, is_required in (("nonce", nonce, row.nonce), ("time", created, row.created)):
            if node is None and (is_required or digest):
                raise SecurityError(
                    "missing",
                    f"the UsernameToken has no {name}, but the policy requires it",
                    part="UsernameToken",
                )
        if (moment := time_of(created)) is not None:
            now, skew = self._time(), duration(self._keys.skew, "skew")
            if not now - duration(self._keys.max_age, "max_age") - skew <= moment <= now + skew:
                raise SecurityError(
                    "expired",
                    f"the UsernameToken was created at {moment}, but it is {now} now",
                    part="UsernameToken",
                )
        is_digest = password is not None and (password.get("Type") or "").endswith("#PasswordDigest")
        expected = self._keys.password
        expected = expected.reveal() if isinstance(expected, Secret) else expected or ""
        if row.password == "none":
            expected = ""
        elif digest:
            written = "" if created is None else created.text or ""
            digested = from_base64(nonce, "Nonce") + written.encode() + expected.encode()
            expected = to_base64(hashlib.sha1(digested).digest())
        name = "" if user is None else user.text or ""
        same = hmac.compare_digest(text.encode(), expected.encode())
        if name != self._keys.user or not same or is_digest != digest:
            raise SecurityError(
                "user", "the user name or the password in the UsernameToken is wrong", part="UsernameToken"
            )


def _signed_data(message: Message) -> list[bytes]:
    """Return the bytes that each signature in the Security header signs: its canonical SignedInfo.

    The caller must have verified the signatures before.
    """
    data = []
    for signature in [] if message.security is None else message.security.iterchildren(q("ds:Signature")):
        info = find(signature, "ds:SignedInfo")
        method = None if info is None else find(info, "ds:CanonicalizationMethod")
        if info is not None and method is not None:
            data.append(canonical(info, inclusive_prefixes(method)))
    return data


def _signature_values(root: etree._Element) -> list[str]:
    """Return the values of the signatures in the Security header, in Base64."""
    security = Message.of(root).security
    if security is None:
        return []
    values = (node.find(q("ds:SignatureValue")) for node in security.iterchildren(q("ds:Signature")))
    return ["".join((node.text or "").split()) for node in values if node is not None]
