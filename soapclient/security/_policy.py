"""Apply the WS-SecurityPolicy of a service: building blocks and rules for each operation of a port."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextvars import ContextVar
from typing import TYPE_CHECKING, Final
from weakref import WeakKeyDictionary

from lxml import etree

from soapclient.errors import ConfigError, SecurityError
from soapclient.runtime import AnyOperation, Package
from soapclient.runtime.policies import PolicyRow
from soapclient.runtime.schema import PortRow
from soapclient.security._policy_blocks import OTHER, Role, parts_of, security_of
from soapclient.security._security import Security
from soapclient.security._xml import Message

if TYPE_CHECKING:
    from soapclient.security._keys import SecurityKeys

_ADVICE: Final = {
    "key": "Pass SecurityKeys(key=…, certificate=…)",
    "recipient_certificate": "Pass SecurityKeys(recipient_certificate=…)",
    "trust": "Pass SecurityKeys(trust=…) or SecurityKeys(recipient_certificate=…)",
    "decrypt": "Pass SecurityKeys(decrypt=KeyPair.from_pem(…))",
    "user": "Pass SecurityKeys(user=…, password=…)",
    "password": "Pass SecurityKeys(user=…, password=…)",
    "saml": "Pass SecurityKeys(saml=…)",
    "https": "Use an https address, or for a test on this machine, set allow_http=['127.0.0.1']",
    "auth": "Pass connect(…, auth=(user, password))",
    "certificate": "Pass connect(…, certificate=('client.pem', 'client.key'))",
}
# The operation of the last request of each object, in this thread or task (as in `_security`).
_used: ContextVar[WeakKeyDictionary[PolicySecurity, str] | None] = ContextVar("_used", default=None)


class PolicySecurity(Security):
    """The security object (`wsse=`) for the calls of a port.

    It secures each operation according to its policy.

    Raises ConfigError if the port has no policy, or if the keys are not sufficient for the policy of any
    operation. If they are sufficient only for some operations, calls of the other operations raise
    ConfigError.
    """

    __slots__ = ("_actions", "_by_operation", "_by_tag", "policies")

    def __init__(
        self,
        keys: SecurityKeys,
        package: Package,
        port: PortRow,
        *,
        over_tls: bool,
        authentication: Collection[str],
    ) -> None:
        super().__init__()
        operations = package.operations_of(port.port_type)
        built: dict[PolicyRow, Security] = {}
        self.policies: dict[str, PolicyRow] = {}
        self._by_operation: dict[str, Security | ConfigError | None] = {}
        for name in operations:
            policies = package.policies_of(port, name)
            self._by_operation[name] = None
            if not policies:
                continue
            try:
                policy = choose(policies, keys, "client", over_tls=over_tls, authentication=authentication)
                security = built.get(policy) or security_of(policy, keys, "client")
            except ConfigError as error:
                self._by_operation[name] = ConfigError(error.setting, f"{name}: {error.problem}", error.where)
                continue
            self.policies[name] = policy
            self._by_operation[name] = built[policy] = security
        values = list(self._by_operation.values())
        if not any(values):
            raise ConfigError(
                "wsse",
                f"the port {port.name} of {package.settings.name} has no WS-SecurityPolicy",
                "Pass wsse=Security([…]) with the blocks that the service requires, such as Timestamp()",
            )
        if not built:
            raise next(value for value in values if isinstance(value, ConfigError))
        self._by_tag = operations_by_tag(operations)
        self._actions = {name: operation.soap_action for name, operation in operations.items()}

    @property
    def verifies(self) -> bool:
        """True if the responses of at least one operation are verified or decrypted."""
        is_present = any(policy.response_present for policy in self.policies.values())
        return is_present or any(security.verifies for security in self._securities())

    @property
    def username(self) -> str | None:
        """A text that identifies the caller, such as the user name. See `Security.username`."""
        return ", ".join(sorted({item.username for item in self._securities() if item.username})) or None

    @property
    def secrets(self) -> set[str]:
        """The texts that no error or log may show."""
        return {secret for security in self._securities() for secret in security.secrets}

    def _securities(self) -> Iterator[Security]:
        return (item for item in self._by_operation.values() if isinstance(item, Security))

    def apply(
        self, envelope: etree._Element, headers: dict[str, str], /
    ) -> tuple[etree._Element, dict[str, str]]:
        """Secure a request as the policy of its operation requires.

        Returns the envelope and the HTTP headers to send. Raises ConfigError if the keys are not sufficient.
        """
        name = self._operation_of(envelope, headers)
        security = self._by_operation[name]
        if isinstance(security, ConfigError):
            raise security
        if security is not None:
            envelope, headers = security.apply(envelope, headers)
        latest = WeakKeyDictionary(_used.get() or {})
        latest[self] = name
        _used.set(latest)
        return envelope, headers

    def _operation_of(self, envelope: etree._Element, headers: Mapping[str, str]) -> str:
        """Return the name of the operation to which a request belongs.

        The element in the body identifies the operation. If several operations have this element, the SOAP
        action identifies it. Raises ConfigError if several operations remain and their policies differ.
        """
        names = self._by_tag.get(body_tag(envelope)) or self._by_tag.get("") or [*self._by_operation]
        values = [self._by_operation[name] for name in names]
        if len(set(map(id, values))) > 1 and not all(isinstance(value, ConfigError) for value in values):
            text = " ".join(headers.values())  # SOAPAction, or Content-Type with the action
            acting = [name for name in names if (action := self._actions[name]) and f'"{action}"' in text]
            if len(acting) != 1:
                raise ConfigError(
                    "wsse",
                    f"the requests of {', '.join(names)} look the same, but their WS-SecurityPolicy differs",
                    "Pass wsse=Security([…]) with the blocks that this operation requires",
                )
            names = acting
        return names[0]

    def verify(self, envelope: etree._Element, /) -> etree._Element:
        """Verify and decrypt the response to the last request of this thread or task.

        Returns the envelope to read. Raises SecurityError if the response does not comply with the policy of
        its operation.
        """
        latest = _used.get()
        if latest is None or self not in latest:
            raise SecurityError(
                "policy", "no request was secured in this thread or task, so its response cannot be verified"
            )
        security, policy = self._by_operation[latest[self]], self.policies.get(latest[self])
        if isinstance(security, Security):
            envelope = security.verify(envelope)
        if policy is not None:
            check_present(envelope, policy.response_present)
        return envelope

    def __repr__(self) -> str:
        return f"PolicySecurity({', '.join(self.policies)})"


def body_tag(envelope: etree._Element) -> str:
    """Return the tag of the first element in the body; "" if it is empty."""
    node = envelope.find("{*}Body/*")
    return "" if node is None else str(node.tag)


def check_present(envelope: etree._Element, parts: Collection[str]) -> None:
    """Raise SecurityError if a message lacks one of `parts`, which its policy requires.

    Faults are not checked, because they have other policies.
    """
    if not parts or body_tag(envelope).endswith("}Fault"):
        return
    message = Message.of(envelope)
    for part in parts:
        if not message.parts(part):
            raise SecurityError(
                "missing",
                f"{part} is missing, but the WS-SecurityPolicy of the service requires it",
                part=part,
            )


def operations_by_tag(operations: Mapping[str, AnyOperation]) -> dict[str, list[str]]:
    """Group the names of operations by the tags of their request elements.

    Several operations can share a tag.
    """
    names: dict[str, list[str]] = {}
    for name, operation in operations.items():
        names.setdefault(operation.request_tag, []).append(name)
    return names


def choose(
    policies: Sequence[PolicyRow],
    keys: SecurityKeys,
    role: Role,
    *,
    over_tls: bool = True,
    authentication: Collection[str] = ("basic", "digest", "certificate"),
) -> PolicyRow:
    """Return the first of `policies` that is supported and for which the keys are sufficient.

    `policies` are the alternatives that the WSDL has for an operation. `role` is the side that uses the keys.
    `over_tls` and `authentication` are as for `SecurityKeys.for_port`. Raises ConfigError if no alternative
    can be used.
    """
    first: ConfigError | None = None
    for policy in policies:
        lacking = list(_lacking(policy, keys, role, over_tls=over_tls, authentication=authentication))
        if not lacking:
            return policy
        setting = lacking[0][0]
        problem = "the WS-SecurityPolicy needs " + "; ".join(text for _, text in lacking)
        advice = _ADVICE.get(setting, "Use a service without these assertions, or pass Security([…])")
        name = setting if setting in _ADVICE else "wsse"
        if first is None or first.setting == "wsse":
            first = ConfigError(name, problem, advice)
    assert first is not None
    raise first


def _lacking(
    policy: PolicyRow, keys: SecurityKeys, role: Role, *, over_tls: bool, authentication: Collection[str]
) -> Iterator[tuple[str, str]]:
    """Yield (setting, reason) for each requirement of a policy that the side `role` cannot meet.

    `setting` is the name of the missing argument or setting (a key of `_ADVICE`), or "" if the policy is not
    supported. `reason` completes the sentence "the WS-SecurityPolicy needs …".
    """
    if policy.unsupported:
        yield "", f"{', '.join(policy.unsupported)}, which is not supported"
    client = role == "client"
    own, other = ("InitiatorToken", "RecipientToken") if client else ("RecipientToken", "InitiatorToken")
    sent, received = parts_of(policy, role), parts_of(policy, OTHER[role])
    if client and not over_tls:
        if policy.binding == "transport":
            yield "https", "https (TransportBinding), but the address is http"
        for item in policy.supporting:
            if not policy.binding and (item.signed or item.encrypted):  # only TLS protects this token
                yield "https", f"https ({item.assertion} without a binding), but the address is http"
    if policy.binding == "transport" and client:
        kind = "" if policy.recipient is None else policy.recipient.authentication
        if kind and kind not in authentication:
            setting = "certificate" if kind == "certificate" else "auth"
            how = "a client certificate" if kind == "certificate" else f"HTTP {kind} authentication"
            yield setting, f"{how} (HttpsToken)"
    if policy.binding == "symmetric":
        if client and keys._recipient is None:
            yield "recipient_certificate", "the certificate of the recipient (X509Token in ProtectionToken)"
        if not client and not keys._decrypt:
            yield "decrypt", "a key pair for decrypting (X509Token in ProtectionToken)"
    if policy.binding == "asymmetric":
        if sent.signed and keys._pair is None:
            yield "key", f"a key with its certificate (X509Token in {own})"
        if sent.encrypted and keys._recipient is None:
            yield "recipient_certificate", f"the certificate of the recipient (X509Token in {other})"
        if received.signed and keys._trust is None:
            yield "trust", f"the certificate that signs responses (X509Token in {other})"
        if received.encrypted and not keys._decrypt:
            yield "decrypt", f"a key pair for decrypting (X509Token in {own})"
    for item in policy.supporting:
        token, where = item.token, item.assertion
        if token.kind == "username":
            if not keys.user:
                yield "user", f"a user name (UsernameToken in {where})"
            elif token.password != "none" and keys.password is None:
                yield "password", f"a password (UsernameToken in {where})"
        elif token.kind == "saml" and client and keys.saml is None:
            yield "saml", f"a SAML assertion (SamlToken in {where})"
        elif token.kind == "x509":
            if client and keys._pair is None:
                yield "key", f"a key with its certificate (X509Token in {where})"
            elif not client and keys._trust is None:
                yield "trust", f"the certificate of the client (X509Token in {where})"
