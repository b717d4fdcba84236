"""XML of secured messages: namespaces, the parts of an envelope, canonical XML, and Ids."""

from __future__ import annotations

import base64
import itertools
import uuid
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Final, TypeAlias

from lxml import etree

from soapclient.errors import ConfigError, SecurityError
from soapclient.security._algorithms import SharedKey

Element: TypeAlias = etree._Element

_OASIS: Final = "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-"
X509_PROFILE: Final = _OASIS + "x509-token-profile-1.0#"
MESSAGE_SECURITY: Final = _OASIS + "soap-message-security-1.0#"
MESSAGE_SECURITY11: Final = "http://docs.oasis-open.org/wss/oasis-wss-soap-message-security-1.1#"
USERNAME_PROFILE: Final = _OASIS + "username-token-profile-1.0#"
ADDRESSING: Final = "http://www.w3.org/2005/08/addressing"
NAMESPACES: Final = {
    "wsse": _OASIS + "wssecurity-secext-1.0.xsd",
    "wsu": _OASIS + "wssecurity-utility-1.0.xsd",
    "wsse11": "http://docs.oasis-open.org/wss/oasis-wss-wssecurity-secext-1.1.xsd",
    "ds": "http://www.w3.org/2000/09/xmldsig#",
    "xenc": "http://www.w3.org/2001/04/xmlenc#",
    "xenc11": "http://www.w3.org/2009/xmlenc11#",
    "ec": "http://www.w3.org/2001/10/xml-exc-c14n#",
    "wsc": "http://docs.oasis-open.org/ws-sx/ws-secureconversation/200512",
    "wsc05": "http://schemas.xmlsoap.org/ws/2005/02/sc",
    "saml": "urn:oasis:names:tc:SAML:1.0:assertion",
    "saml2": "urn:oasis:names:tc:SAML:2.0:assertion",
}
_ENVELOPES: Final = ("http://schemas.xmlsoap.org/soap/envelope/", "http://www.w3.org/2003/05/soap-envelope")
# Elements of these namespaces have an attribute `Id` without a namespace that is an Id.
_WITH_PLAIN_ID: Final = tuple(f"{{{NAMESPACES[prefix]}}}" for prefix in ("ds", "xenc", "wsse11"))

# Names of parts that are children of the Security header.
_IN_SECURITY: Final[Mapping[str, tuple[str, ...]]] = {
    "Timestamp": ("wsu:Timestamp",),
    "UsernameToken": ("wsse:UsernameToken",),
    "BinarySecurityToken": ("wsse:BinarySecurityToken",),
    "SignatureConfirmation": ("wsse11:SignatureConfirmation",),
    "SamlAssertion": ("saml2:Assertion", "saml:Assertion"),
}
# Elements of the Security header below which a KeyInfo or a reference to a token may be signed.
_KEY_NAMES: Final = ("ds:Signature", "ds:KeyInfo", "wsse:SecurityTokenReference", "xenc:EncryptedKey")
ATTACHMENTS: Final = "Attachments"
PARTS: Final = ("Body", "Header", "Addressing", *_IN_SECURITY, ATTACHMENTS)
_ULTIMATE_RECEIVER: Final = f"{_ENVELOPES[1]}/role/ultimateReceiver"  # as without a role (SOAP 1.2, 2.2)

PARSER: Final = etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=False)
# For content of messages that were parsed before, without a document type: it may have long texts.
CONTENT_PARSER: Final = etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=True)


# Finds the elements that may have an Id, five times as fast as a loop. One axis: linear in big documents.
_WITH_IDS: Final = etree.XPath(
    "descendant-or-self::*[@u:Id or @Id or @ID or @AssertionID]", namespaces={"u": NAMESPACES["wsu"]}
)


@cache
def q(name: str) -> str:
    """Convert a name such as `ds:KeyInfo`, with a prefix from `NAMESPACES`, to Clark notation."""
    prefix, _, local = name.partition(":")
    return f"{{{NAMESPACES[prefix]}}}{local}"


def check_parts(parts: Sequence[str], argument: str, *, are_signed: bool = True) -> None:
    """Raise ConfigError if a name in `parts` is not the name of a part. `argument` is the argument's name.

    `are_signed` is False for parts to encrypt, which cannot be attachments.
    """
    if isinstance(parts, str):
        raise ConfigError(argument, f"must be a list of names, got {parts!r}", f"Pass {argument}=[{parts!r}]")
    if not isinstance(parts, Collection) or not all(isinstance(name, str) for name in parts):
        raise ConfigError(argument, f"must be a list of names, got {parts!r}", f'Pass {argument}=["Body"]')
    if not are_signed and ATTACHMENTS in parts:
        raise ConfigError(
            argument, f"{ATTACHMENTS} cannot be encrypted", f"Remove {ATTACHMENTS} from {argument}"
        )
    for name in parts:
        if name not in PARTS and not (name.startswith("{") and "}" in name[:-1]):
            raise ConfigError(
                argument,
                f"{name!r} is not a part of a message",
                f"Use {', '.join(PARTS)}, or a header's name as {{namespace}}name",
            )


def signed_too_late(signed: Collection[str], encrypted: Collection[str]) -> list[str]:
    """Return the parts in `signed` that cannot be signed any more, because they are already encrypted.

    The result never contains `Body` or `Header`. Encrypting the body replaces only its content, and encrypted
    headers are signed as EncryptedData. Any other part does not exist any more after it is encrypted.
    """
    return [
        part
        for part in signed
        if part not in ("Body", "Header") and any(_may_be_same(part, other) for other in encrypted)
    ]


def _may_be_same(part: str, other: str) -> bool:
    """Return True if one element can belong to both parts. `part` must be neither `Body` nor `Header`."""
    if other == "Header":
        return part == "Addressing" or part.startswith("{")
    names = [f"{{{ADDRESSING}}}*" if name == "Addressing" else name for name in (part, other)]
    (space, _, local), (other_space, _, other_local) = (name.rpartition("}") for name in names)
    return space == other_space and (local == other_local or "*" in (local, other_local))


def add(
    parent: Element, name: str, text: str | None = None, /, at: int | None = None, **attributes: str
) -> Element:
    """Add a child element and return it. `at` is its index among the children; None for the last."""
    prefix = name.partition(":")[0]
    node = parent.makeelement(q(name), attributes, {prefix: NAMESPACES[prefix]})
    node.text = text
    parent.insert(len(parent) if at is None else at, node)
    return node


def to_base64(data: bytes) -> str:
    """Encode bytes as Base64 text."""
    return base64.b64encode(data).decode()


def from_base64(node: Element | None, name: str) -> bytes:
    """Decode the Base64 text of an element. `name` is its name, for errors.

    Raises SecurityError if the element is None, or if its text is not Base64.
    """
    try:
        return base64.b64decode("".join((need(node, name).text or "").split()), validate=True)
    except ValueError:
        raise SecurityError("structure", f"the content of the element {name} is not valid Base64") from None


def need(node: Element | None, name: str) -> Element:
    """Return an element that must be present. Raises SecurityError if it is None."""
    if node is None:
        raise SecurityError("structure", f"the required element {name} is missing")
    return node


def find(node: Element, path: str) -> Element | None:
    """Return the descendant at a path, such as `ds:KeyInfo/ds:X509Data`; None if there is none.

    Raises SecurityError if a step of the path matches several elements, because it is unclear which is meant.
    """
    for step in path.split("/"):
        matches = list(node.iterchildren(q(step)))
        if len(matches) > 1:
            raise SecurityError(
                "structure",
                f"an element has {len(matches)} child elements {step}, but at most one is allowed",
            )
        if not matches:
            return None
        node = matches[0]
    return node


def algorithm(node: Element | None, allowed: Collection[str], name: str) -> str:
    """Return the identifier in the attribute Algorithm of an element called `name`.

    Raises SecurityError if the identifier is not in `allowed`, or if `node` is None.
    """
    identifier = need(node, name).get("Algorithm", "")
    if identifier not in allowed:
        shown = identifier[:200] or "none"
        raise SecurityError(
            "algorithm",
            f"the attribute Algorithm of {name} has a value that is not allowed: {shown}",
            part=name,
        )
    return identifier


def canonical(node: Element, prefixes: Sequence[str] = ()) -> bytes:
    """Return the exclusive canonical XML of an element, without comments.

    `prefixes` are the prefixes of InclusiveNamespaces. libxml2 ignores the prefix "#default" unless the
    current thread has already created an element with this name. Therefore, if the list contains "#default",
    this function creates such an element first.
    """
    if "#default" in prefixes:
        etree.HTMLParser().makeelement("#default")
        node = etree.fromstring(etree.tostring(node, with_tail=False), CONTENT_PARSER)
    try:
        text: bytes = etree.tostring(
            node,
            method="c14n",
            exclusive=True,
            with_comments=False,
            inclusive_ns_prefixes=list(prefixes) or None,
        )
    except etree.C14NError:
        raise SecurityError(
            "structure", "the message has no canonical form, for example because of a relative namespace"
        ) from None
    return text


def inclusive_prefixes(method: Element) -> list[str]:
    """Return the prefixes of InclusiveNamespaces in a canonicalization method or transform.

    Raises SecurityError if there are other parameters.
    """
    listed = find(method, "ec:InclusiveNamespaces")
    if len(method) > (listed is not None):
        raise SecurityError(
            "reference",
            "a canonicalization has parameters other than InclusiveNamespaces, which is not supported",
        )
    return [] if listed is None else (listed.get("PrefixList") or "").split()


def ensure_id(node: Element) -> str:
    """Return the Id of an element. Adds an Id if the element has none."""
    name = etree.QName(node)
    plain = name.namespace in (NAMESPACES["ds"], NAMESPACES["xenc"])
    key = "Id" if plain else q("wsu:Id")
    if name.namespace == NAMESPACES["saml2"]:
        key = "ID"
    if name.namespace == NAMESPACES["saml"]:
        key = "AssertionID"
    value = node.get(key) or node.get(q("wsu:Id"))
    if not value:
        value = f"{name.localname}-{uuid.uuid4().hex}"
        node.set(key, value)
    return value


@dataclass(slots=True)
class Message:
    """A SOAP envelope whose structure has been checked.

    It has at most one header, one body, and at most one Security header that is addressed to this receiver.

    The docstring of `Block` has an example. `_shared` is the key that a request and its response share; None
    without a symmetric binding.
    """

    root: etree._Element
    soap: str
    header: etree._Element | None
    body: etree._Element
    security: etree._Element | None
    _shared: SharedKey | None = field(default=None, init=False, repr=False)

    @classmethod
    def of(cls, root: etree._Element, actor: str = "") -> Message:
        """Check the structure of an envelope.

        `actor` is the actor or role of the Security header that is addressed to this receiver.

        Raises SecurityError if the root is not an envelope, or if its structure is ambiguous.
        """
        if root.getparent() is not None or root.tag not in [f"{{{soap}}}Envelope" for soap in _ENVELOPES]:
            raise SecurityError("structure", "the root element is not the Envelope of SOAP 1.1 or 1.2")
        if root.getroottree().docinfo.internalDTD is not None:
            raise SecurityError("structure", "the message has a DOCTYPE, which SOAP does not allow")
        soap = etree.QName(root).namespace or ""
        children = [node for node in root if isinstance(node.tag, str)]
        tags = [node.tag for node in children]
        if tags not in ([f"{{{soap}}}Body"], [f"{{{soap}}}Header", f"{{{soap}}}Body"]):
            raise SecurityError(
                "structure",
                "the envelope must contain an optional Header and then one Body, and nothing else",
            )
        header = children[0] if len(children) == 2 else None
        headers = [
            node
            for node in (header.iterchildren(q("wsse:Security")) if header is not None else ())
            if _role(node, soap) == actor
        ]
        if len(headers) > 1:
            raise SecurityError(
                "structure",
                "the message has several Security headers for this receiver, but only one is allowed",
            )
        return cls(root, soap, header, children[-1], headers[0] if headers else None)

    def is_for_us(self, header: etree._Element) -> bool:
        """Return True if a header is addressed to this receiver, by its actor or role."""
        ours = "" if self.security is None else _role(self.security, self.soap)
        return _role(header, self.soap) == ours

    def ensure_security(self, actor: str = "") -> etree._Element:
        """Return the Security header. Adds it if the message has none."""
        if self.header is None:
            self.header = self.root.makeelement(f"{{{self.soap}}}Header")
            self.root.insert(0, self.header)
        if self.security is None:
            self.security = add(self.header, "wsse:Security")
            self.security.set(f"{{{self.soap}}}mustUnderstand", "1")
            if actor:
                self.security.set(
                    f"{{{self.soap}}}{'actor' if self.soap == _ENVELOPES[0] else 'role'}", actor
                )
        return self.security

    def append_unchanged(self, node: etree._Element) -> None:
        """Append an element to the Security header, with all of its namespace declarations.

        lxml removes a declaration if an ancestor declares the same namespace with another prefix. This would
        break texts that use the prefix, such as `xsi:type="xs:string"`, and signatures of the element. If a
        declaration was removed, the envelope is parsed again, so the elements of this message are new
        objects.
        """
        security = self.ensure_security()
        source, prefixes = etree.tostring(node), [prefix for prefix in node.nsmap if prefix]
        before = canonical(node, prefixes)
        security.append(node)
        if canonical(node, prefixes) == before:
            return
        assert self.header is not None
        name = f"place-{uuid.uuid4().hex}"
        place = self.root.makeelement(name)
        security.replace(node, place)
        places = self.root.index(self.header), self.header.index(security), self.root.index(self.body)
        text = etree.tostring(self.root).replace(f"<{name}/>".encode(), source)
        self.root = etree.fromstring(text, CONTENT_PARSER)
        self.header, self.body = self.root[places[0]], self.root[places[2]]
        self.security = self.header[places[1]]

    def parts(self, *names: str) -> list[etree._Element]:
        """Return the elements that belong to the parts with these names, without duplicates.

        `Body` is the body, `Header` all headers except the Security header, `Addressing` the headers of
        WS-Addressing, `{namespace}name` the headers with this name. The other names of `PARTS` are
        children of the Security header.
        """
        nodes = {id(node): node for name in names if name != ATTACHMENTS for node in self._part(name)}
        return list(nodes.values())

    def _part(self, name: str) -> list[etree._Element]:
        if name == "Body":
            return [self.body]
        if name in _IN_SECURITY:
            tags = map(q, _IN_SECURITY[name])
            return [] if self.security is None else list(self.security.iterchildren(*tags))
        if self.header is None:
            return []
        if name == "Header":
            return [node for node in self.header.iterchildren("*") if node is not self.security]
        return list(self.header.iterchildren(f"{{{ADDRESSING}}}*" if name == "Addressing" else name))

    def is_read(self, node: etree._Element, parts: Collection[str] = ()) -> bool:
        """Return True if a signed element is at a place from which receivers read it.

        These places are the body, the children of the header, elements of WS-Security in the Security header,
        and references to keys in these elements. An element with the name of one of `parts` must be at the
        place of this part. Reason: an attacker can move a signed element to a place that is not read. Its
        signature is still valid, but for the reader the part is missing.
        """
        names = [name for name in parts if self._has_name(node, name)]
        if names:
            return any(node is part for part in self.parts(*names))
        ancestors = list(node.iterancestors())
        if any(place is self.body for place in (node, *ancestors)):
            return True
        if any(place is self.security for place in ancestors):
            if etree.QName(node).namespace not in NAMESPACES.values():
                return False
            path = [node, *itertools.takewhile(lambda place: place is not self.security, ancestors)]
            return len(path) == 1 or all(str(place.tag) in map(q, _KEY_NAMES) for place in path)
        return bool(ancestors) and ancestors[0] is self.header

    def _has_name(self, node: etree._Element, part: str) -> bool:
        """Return True if an element has the name of a part, wherever it is in the message."""
        if part == "Body":
            return node.tag == self.body.tag
        if part in _IN_SECURITY:
            return str(node.tag) in map(q, _IN_SECURITY[part])
        if part == "Header":
            return node is not self.body and node.getparent() is not self.security
        space = ADDRESSING if part == "Addressing" else part[1:-2] if part.endswith("}*") else None
        return node.tag == part if space is None else etree.QName(node).namespace == space

    def ids(self) -> Mapping[str, etree._Element]:
        """Return all elements with an Id, by Id. Raises SecurityError if two elements have the same Id.

        An Id is `wsu:Id` of any element, or a plain `Id` that a standard declares. Some libraries write a
        plain `Id` on children of the envelope, of the header or of Security: these count, too. An `Id` inside
        the content of the body is data.
        """
        by_id: dict[str, Element] = {}
        places = (self.root, self.header, self.security)
        for node in _WITH_IDS(self.root):
            plain = node.get("Id")
            if plain and not (node.getparent() in places or str(node.tag).startswith(_WITH_PLAIN_ID)):
                plain = None
            saml = node.get("ID") if node.tag == q("saml2:Assertion") else None
            saml = node.get("AssertionID") if node.tag == q("saml:Assertion") else saml
            for value in {node.get(q("wsu:Id")), plain, saml}:
                if value and by_id.setdefault(value, node) is not node:
                    raise SecurityError("structure", f"two elements have the same Id {value[:100]!r}")
        return by_id


def _role(node: Element, soap: str) -> str:
    """Return the actor or role of a header; "" for the ultimate receiver."""
    role = (node.get(f"{{{soap}}}actor") or node.get(f"{{{soap}}}role") or "").strip()
    return "" if role == _ULTIMATE_RECEIVER else role


def referenced(ids: Mapping[str, Element], uri: str | None) -> Element:
    """Return the element that a URI such as `#id` refers to. Raises SecurityError if the message lacks it."""
    target = ids.get(uri[1:]) if uri and uri[0] == "#" else None
    if target is None:
        raise SecurityError(
            "reference",
            f"the reference {(uri or '')[:100]!r} does not match the Id of an element in the message",
        )
    return target
