"""Read WS-SecurityPolicy 1.1 to 1.3: convert each alternative of a policy to a row (`PolicyRow`).

The rows are stored in schema.json of the generated package, and tell calls how to secure messages.

Assertions that are not supported are listed in `PolicyRow.unsupported`. A package can still be generated,
because a call needs only one supported alternative.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice, product
from typing import Final, Literal, cast, get_args

import msgspec
from lxml import etree

from bindgen.reading.definitions import BoundPort, Definitions
from bindgen.reading.findings import Findings
from bindgen.reading.nodes import WSDL
from bindgen.reading.policy_alternatives import MOST, REFERENCES, Alternative, Assertion, Attachments
from soapclient.runtime.policies import Include, PolicyRow, Reference, SupportingTokenRow, TokenRow

# WS-SecurityPolicy 1.1, and the extensions of that time: they use WS-SecureConversation of 2005-02.
_OLD_SPACES: Final = (
    "http://schemas.xmlsoap.org/ws/2005/07/securitypolicy",
    "http://schemas.microsoft.com/ws/2005/07/securitypolicy",
)
_SPACES: Final = (
    *_OLD_SPACES,
    "http://docs.oasis-open.org/ws-sx/ws-securitypolicy/200702",
    "http://docs.oasis-open.org/ws-sx/ws-securitypolicy/200802",
    "http://cxf.apache.org/custom/security-policy",  # suites with AES-GCM
)
_ENVELOPES: Final = ("http://schemas.xmlsoap.org/soap/envelope/", "http://www.w3.org/2003/05/soap-envelope")
_ADDRESSING: Final = "http://www.w3.org/2005/08/addressing"
_WSS: Final = "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-"
# Children of the Security header that policies name with XPath, and their names as parts.
_PARTS: Final = {
    "Timestamp": "Timestamp",
    "UsernameToken": "UsernameToken",
    "BinarySecurityToken": "BinarySecurityToken",
    "Assertion": "SamlAssertion",
}
_SUITES: Final = re.compile(r"(?:Basic(?:128|192|256)(?:GCM)?|TripleDes)(?:Sha256)?(?:Rsa15)?")
# Algorithms that a suite lists besides its own name, and that need nothing here.
_SUITE_OPTIONS: Final = ("ExclusiveC14N", "SOAPNormalization10", "STRTransform10", "XPath10", "XPathFilter20")
_BINDINGS: Final = {"TransportBinding": "transport", "AsymmetricBinding": "asymmetric"} | {
    "SymmetricBinding": "symmetric"
}
_FLAGS: Final = {
    "IncludeTimestamp": "timestamp",
    "EncryptBeforeSigning": "encrypt_first",
    "EncryptSignature": "encrypt_signature",
    "ProtectTokens": "protect_tokens",
}
_INITIATOR: Final = ("InitiatorToken", "InitiatorSignatureToken", "InitiatorEncryptionToken")
_RECIPIENT: Final = (
    *("RecipientToken", "RecipientSignatureToken", "RecipientEncryptionToken"),
    *("TransportToken", "ProtectionToken", "EncryptionToken", "SignatureToken"),
)
_HTTPS: Final[dict[str, Literal["certificate", "basic", "digest"]]] = {
    "RequireClientCertificate": "certificate",
    "HttpBasicAuthentication": "basic",
    "HttpDigestAuthentication": "digest",
}
# Forms of certificates in messages, other than one X.509 certificate of version 3.
_OTHER_CERTIFICATES: Final = (
    *("WssX509V1Token11", "WssX509Pkcs7Token10", "WssX509Pkcs7Token11"),
    *("WssX509PkiPathV1Token10", "WssX509PkiPathV1Token11"),
)
# Assertions that the client always complies with.
_NO_EFFECT: Final = (
    *("SignBeforeEncrypting", "OnlySignEntireHeadersAndBody", "Trust10", "Trust13", "Wss10", "Wss11"),
)
_SUPPORTING: Final = re.compile(r"(?:Signed|Endorsing|Encrypted)*SupportingTokens")
_XPATH: Final = re.compile(
    r"(?P<header>/(?:\w+:)?Envelope/(?:\w+:)?Header/(?:(?:\w+:)?Security/)?|/(?:\w+:)?Envelope/|.*//|/?)"
    r"(?:(?P<prefix>\w+):)?(?P<name>[\w.-]+)"
)
_LOCAL_NAME: Final = re.compile(r"\*\[local-name\(\)\s*=\s*['\"]([\w.-]+)['\"][^\]]*\]")
_NAMESPACE: Final = re.compile(r"namespace-uri\(\)\s*=\s*['\"]([^'\"]*)['\"]")


def is_security(assertion: etree._Element) -> bool:
    """Return True if an assertion belongs to WS-SecurityPolicy."""
    return etree.QName(assertion).namespace in _SPACES


class SecurityPolicies:
    """Reads the WS-SecurityPolicy of ports, operation by operation."""

    def __init__(self, definitions: Definitions, findings: Findings) -> None:
        self._attachments = Attachments(definitions)
        self._findings = findings
        self._refused: dict[str, list[tuple[BoundPort, str]]] = {}
        self._alternatives: dict[str, list[tuple[BoundPort, str]]] = {}

    def read(self, bound: BoundPort, name: str, node: etree._Element, abstract: etree._Element) -> None:
        """Convert the policies of the operation `name` to rows, and add these rows to the port's `policies`.

        `node` is the operation in the binding, `abstract` the operation in the port type.
        """
        ends = [[item.find(f"{{{WSDL}}}{end}") for item in (node, abstract)] for end in ("input", "output")]
        levels = [self._attachments.alternatives(nodes) for nodes in ((*bound.nodes, node, abstract), *ends)]
        if all(level == [()] for level in levels):
            return
        rows = [_row(*chosen) for chosen in islice(product(*levels), MOST)]
        if all(row == PolicyRow() for row in rows):
            return
        bound.port.policies[name] = tuple(dict.fromkeys(rows))
        reasons = [", ".join(row.unsupported) for row in rows if row.unsupported]
        if any(reason.startswith("PolicyReference ") for reason in reasons):
            return  # noted by `policy`
        if len(reasons) == len(rows):
            self._refused.setdefault(reasons[0], []).append((bound, name))
        elif reasons:
            self._alternatives.setdefault(reasons[0], []).append((bound, name))

    def note(self) -> None:
        """Add a note for each reason why the policies of operations are not supported.

        Adds a remark if only some alternatives of a policy are not supported.
        """
        for reasons, add, beginning in (
            (self._refused, self._findings.note, "a policy (wsp:Policy) is not applied: it requires"),
            (self._alternatives, self._findings.remark, "an alternative of a policy is not supported:"),
        ):
            for reason, uses in reasons.items():
                (bound, name), *others = uses
                more = f" and {len(others)} more" if others else ""
                text = f"{beginning} {reason} (WS-SecurityPolicy of {name} at {bound.port.name}{more})"
                add(bound.binding.document, bound.binding.node, text)


def _row(common: Alternative, request: Alternative, response: Alternative) -> PolicyRow:
    """Return the row (an object in schema.json) for one combination of alternatives.

    `common` applies to both messages of an operation, `request` and `response` only to one of them.
    """
    builder = _Builder()
    wss = [inner.name for item in common if item.name in ("Wss10", "Wss11") for inner in item.nested]
    builder.references = wss
    for assertions, ends in ((common, ("", "response_")), (request, ("",)), (response, ("response_",))):
        for assertion in assertions:
            builder.add(assertion, ends)
    return builder.row()


class _Builder:
    """Collects the assertions of one alternative, and converts them to a `PolicyRow`."""

    def __init__(self) -> None:
        self.values: dict[str, object] = {}
        self.parts: dict[str, list[str]] = {}
        self.supporting: list[SupportingTokenRow] = []
        self.lacking: list[str] = []
        self.references: list[str] = []

    def add(self, assertion: Assertion, ends: Sequence[str]) -> None:
        """Add an assertion.

        `ends` says to which messages the assertion applies: it contains "" for the request and "response_"
        for the response. These are the prefixes of the attributes in the row, such as `response_signed`.
        """
        name = assertion.name
        if assertion.node.tag in REFERENCES:
            self.lacking.append(f"PolicyReference {assertion.node.get('URI', '').strip()[:100]}")
        elif assertion.namespace not in _SPACES:
            return  # noted by `policy`; WS-Addressing is applied elsewhere
        elif name in _BINDINGS:
            self.binding(assertion)
        elif _SUPPORTING.fullmatch(name):
            self.supporting_tokens(assertion)
        elif name in ("SignedParts", "SignedElements"):
            self.add_parts(assertion, [f"{end}signed" for end in ends])
        elif name in ("EncryptedParts", "EncryptedElements", "ContentEncryptedElements"):
            self.add_parts(assertion, [f"{end}encrypted" for end in ends])
        elif name in ("RequiredParts", "RequiredElements"):
            self.add_parts(assertion, [f"{end}present" for end in ends])
        elif name in ("Wss10", "Wss11"):
            if any(inner.name == "RequireSignatureConfirmation" for inner in assertion.nested):
                self.values["confirmation"] = True
        elif name not in _NO_EFFECT:
            self.lacking.append(name)

    def binding(self, binding: Assertion) -> None:
        """Add a security binding, such as AsymmetricBinding, with the assertions nested in it."""
        kind = _BINDINGS[binding.name]
        if self.values.setdefault("binding", kind) != kind:
            self.lacking.append(f"{binding.name} in addition to another binding")
        for part in binding.nested:
            if part.name in _INITIATOR:
                self.token_of("initiator", part, binding.name)
            elif part.name in _RECIPIENT:
                self.token_of("recipient", part, binding.name)
            elif part.name == "AlgorithmSuite":
                self.suite(part)
            elif part.name == "Layout":
                layout = next((inner.name for inner in part.nested), "Lax")
                if layout not in ("Lax", "Strict", "LaxTsFirst", "LaxTsLast"):
                    self.lacking.append(f"{layout[:50]} in Layout")
                else:
                    self.values["layout"] = layout
            elif part.name in _FLAGS:
                self.values[_FLAGS[part.name]] = True
            elif part.name not in _NO_EFFECT:
                self.lacking.append(f"{part.name} in {binding.name}")

    def suite(self, assertion: Assertion) -> None:
        """Add the algorithm suite that `assertion` names, such as Basic256Sha256."""
        for inner in assertion.nested:
            if _SUITES.fullmatch(inner.name):
                self.values["suite"] = inner.name
            elif inner.name not in _SUITE_OPTIONS:
                self.lacking.append(f"{inner.name} in AlgorithmSuite")

    def token_of(self, role: str, holder: Assertion, binding: str) -> None:
        """Add the token in the assertion `holder`.

        `role` is the attribute of the row for this token, and `binding` the name of the security binding.
        """
        token = self.token(holder, holder.name)
        if token is None:
            return
        expected = "https" if binding == "TransportBinding" else "x509"
        if token.kind != expected:
            self.lacking.append(f"{_name_of(holder)} in {holder.name}")
            return
        if token.derived and binding == "AsymmetricBinding":
            self.lacking.append(f"RequireDerivedKeys in {binding}")
        if self.values.setdefault(role, token) != token:
            self.lacking.append(f"{holder.name} that differs from the other token of {binding}")

    def supporting_tokens(self, assertion: Assertion) -> None:
        """Add the supporting tokens in `assertion`, and the message parts that only these tokens sign."""
        flags = {flag.lower(): flag in assertion.name for flag in ("Signed", "Encrypted", "Endorsing")}
        for inner in assertion.nested:
            if inner.name.endswith("Token"):
                token = self.token(inner, assertion.name)
                if token is not None:
                    if token.derived and token.kind != "x509":
                        self.lacking.append(f"RequireDerivedKeys in {assertion.name}")
                    if token.kind == "https" or (token.kind == "x509") != flags["endorsing"]:
                        self.lacking.append(f"{inner.name} in {assertion.name}")
                    self.supporting.append(SupportingTokenRow(token=token, **flags))
            elif inner.name == "AlgorithmSuite":
                self.suite(inner)
            elif inner.name == "SignedParts" and flags["endorsing"]:
                self.add_parts(inner, ["signed"])
            else:
                self.lacking.append(f"{inner.name} in {assertion.name}")

    def token(self, holder: Assertion, where: str) -> TokenRow | None:
        """Return the row of a token; None if it is not supported.

        `holder` is the token, or an assertion with it. `where` is the name of the surrounding assertion.
        """
        token = next((inner for inner in holder.nested if inner.name.endswith("Token")), holder)
        names = [inner.name for inner in token.nested]
        include = next(
            (value for name, value in token.node.attrib.items() if str(name).endswith("IncludeToken")),
            "Always",
        )
        include = include.strip().rpartition("/")[2]
        if include not in get_args(Include):
            self.lacking.append(f"IncludeToken {include[:50]}")
            include = "Always"
        self.lacking += [name for name in names if name in _OTHER_CERTIFICATES]
        included = cast("Include", include)
        derived = any(name.endswith("DerivedKeys") for name in names)
        if "RequireImpliedDerivedKeys" in names:
            self.lacking.append(f"RequireImpliedDerivedKeys in {where}")
        if token.name == "X509Token":
            return TokenRow(
                kind="x509",
                include=included,
                reference=self.reference(names),
                derived=derived,
                old=derived and token.namespace in _OLD_SPACES,
            )
        if token.name == "UsernameToken":
            return TokenRow(
                kind="username",
                include=included,
                password="digest" if "HashPassword" in names else "none" if "NoPassword" in names else "text",
                nonce="Nonce" in names,
                created="Created" in names,
                derived=derived,
            )
        if token.name == "SamlToken":
            return TokenRow(kind="saml", include=included, derived=derived)
        if token.name == "HttpsToken":
            if token.node.get("RequireClientCertificate", "").strip() in ("true", "1"):
                names.append("RequireClientCertificate")
            for name in names:
                if name in _HTTPS:
                    return TokenRow(kind="https", authentication=_HTTPS[name])
            return TokenRow(kind="https")
        self.lacking.append(f"{token.name} in {where}")
        return None

    def reference(self, names: Sequence[str]) -> Reference:
        """Return how messages refer to a certificate, such as "thumbprint"; "" if the policy does not say it.

        `names` are the names of the assertions in the certificate's token. The assertions Wss10 and Wss11 of
        the policy are also used.
        """
        kinds: tuple[tuple[str, Reference], ...] = (
            ("ThumbprintReference", "thumbprint"),
            ("IssuerSerialReference", "issuer-serial"),
            ("KeyIdentifierReference", "ski"),
            ("EmbeddedTokenReference", "embedded"),
        )
        for suffix, reference in kinds:
            if f"Require{suffix}" in names:
                return reference
        for name, reference in (
            ("MustSupportRefThumbprint", kinds[0][1]),
            ("MustSupportRefIssuerSerial", kinds[1][1]),
            ("MustSupportRefKeyIdentifier", kinds[2][1]),
        ):
            if name in self.references:
                return reference
        return ""

    def add_parts(self, assertion: Assertion, attributes: Sequence[str]) -> None:
        """Add the message parts that an assertion names, such as the body, to the row.

        `attributes` are the names of the row's attributes to which the parts are added.
        """
        names: list[str] = []
        children = list(assertion.node.iterchildren("*"))
        for child in children:
            local = etree.QName(child).localname
            if local == "Body":
                names.append("Body")
            elif local == "Header":
                names.append(_header(child.get("Namespace", "").strip(), child.get("Name", "").strip()))
            elif local == "XPath":
                name = _part_of_path(child)
                names.append(name)
                if not name:
                    self.lacking.append(f"{assertion.name} with the XPath {(child.text or '').strip()[:100]}")
            else:
                self.lacking.append(f"{local} in {assertion.name}")
        if not children:  # for SignedParts all headers and the body (section 4.1.1)
            names += {"SignedParts": ["Header", "Body"], "EncryptedParts": ["Body"]}.get(assertion.name, [])
        for attribute in attributes:
            self.parts.setdefault(attribute, []).extend(filter(None, names))

    def row(self) -> PolicyRow:
        """Return the row with all assertions that were added."""
        parts = {attribute: tuple(dict.fromkeys(names)) for attribute, names in self.parts.items()}
        row = msgspec.structs.replace(PolicyRow(), **self.values, **parts, supporting=tuple(self.supporting))
        lacking = [*self.lacking, *_combinations(row)]
        return msgspec.structs.replace(row, unsupported=tuple(dict.fromkeys(lacking)))


def _combinations(row: PolicyRow) -> Iterator[str]:
    """Yield the assertions that are unsupported only in combination with others."""
    if row.binding in ("symmetric", "asymmetric"):
        encrypts = row.encrypted or row.response_encrypted or row.encrypt_signature
        if "TripleDes" in row.suite and (encrypts or row.binding == "symmetric"):
            yield f"{row.suite} in AlgorithmSuite"
        if row.binding == "symmetric":
            yield from _symmetric(row)
        for item in row.supporting:
            if item.endorsing:
                yield f"{item.assertion} with a binding that signs messages"
            if row.encrypt_first and item.signed and item.encrypted:
                yield f"{item.assertion} with EncryptBeforeSigning"
        if row.encrypt_first and row.binding == "asymmetric" and _is_encrypted_before_signing(row):
            yield "signed and encrypted parts besides the body with EncryptBeforeSigning"
        if row.encrypt_signature:
            yield "EncryptSignature"
    elif row.binding == "transport":
        if any(item.endorsing for item in row.supporting) and not (row.timestamp or row.signed):
            yield "EndorsingSupportingTokens without IncludeTimestamp"
    else:
        for name in ("signed", "encrypted", "response_signed", "response_encrypted"):
            if getattr(row, name):
                yield "parts without a binding"
                break
        if any(item.endorsing for item in row.supporting):
            yield "EndorsingSupportingTokens without a binding"


def _is_encrypted_before_signing(row: PolicyRow) -> bool:
    """Return True if a part other than the body may be both encrypted and signed in the same message.

    The caller has checked that the policy requires encryption before signing.
    """
    for signed, encrypted in (
        (row.signed, row.encrypted),
        (row.response_signed, row.response_encrypted),
    ):
        of_many = any(
            name in ("Header", "Addressing") or name.endswith("}*") for name in (*signed, *encrypted)
        )
        signed_headers = [name for name in signed if name != "Body"]
        for name in encrypted:
            if name != "Body" and (name in signed or (of_many and signed_headers)):
                return True
    return False


def _name_of(holder: Assertion) -> str:
    return next((inner.name for inner in holder.nested if inner.name.endswith("Token")), holder.name)


def _header(namespace: str, name: str) -> str:
    """Return the part name for a header, such as "{namespace}name".

    If `name` is "", the part name means all headers in the namespace.
    """
    if not name:
        return "Addressing" if namespace == _ADDRESSING else f"{{{namespace}}}*"
    return f"{{{namespace}}}{name}"


def _part_of_path(node: etree._Element) -> str:
    """Return the name of the message part that the XPath expression in `node` selects, such as "Body".

    Returns "" if the expression does not select one known element.
    """
    text = "".join((node.text or "").split())
    namespaces = _NAMESPACE.findall(text)
    match = _XPATH.fullmatch(_LOCAL_NAME.sub(r"\1", text))
    if match is None:
        return ""
    name, prefix = match["name"], match["prefix"]
    space = node.nsmap.get(prefix) if prefix else namespaces[-1] if namespaces else None
    if name == "Body" and (space is None or space in _ENVELOPES):
        return "Body"
    known = _PARTS.get(name)
    if known and (space is None or space.startswith((_WSS, "urn:oasis:names:tc:SAML"))):
        return known
    if space and (space == _ADDRESSING or "Header/" in match["header"]):
        return f"{{{space}}}{name}"
    return ""


def _symmetric(row: PolicyRow) -> Iterator[str]:
    """Yield the assertions that are unsupported in a symmetric binding."""
    if row.recipient is None:
        yield "SymmetricBinding without a ProtectionToken"
    if row.protect_tokens:
        yield "ProtectTokens in SymmetricBinding"
    if not row.timestamp:
        is_signed = row.signed or any(item.signed for item in row.supporting)
        if not is_signed or not (row.response_signed or row.confirmation):
            yield "SymmetricBinding without signed parts"
    if row.encrypt_first and {*row.encrypted, *row.response_encrypted} - {"Body"}:
        yield "encrypted parts besides the body with EncryptBeforeSigning"
