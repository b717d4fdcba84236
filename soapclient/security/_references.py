"""References of a signature: find the element that a reference covers, and compare its digest."""

from __future__ import annotations

import hmac
import re
from collections.abc import Collection, Mapping
from typing import Final

from cryptography.hazmat.primitives import hashes
from lxml import etree

from soapclient.errors import SecurityError
from soapclient.runtime.service import Attachment
from soapclient.security._algorithms import DIGESTS, ENVELOPED, EXCLUSIVE_C14N
from soapclient.security._attachments import CONTENT_TRANSFORM, canonical_content, referenced_attachment
from soapclient.security._xml import (
    ATTACHMENTS,
    MESSAGE_SECURITY,
    Element,
    Message,
    algorithm,
    canonical,
    find,
    from_base64,
    inclusive_prefixes,
    need,
    q,
    referenced,
)

STR_TRANSFORM: Final = MESSAGE_SECURITY + "STR-Transform"
_TOKENS: Final = (q("wsse:BinarySecurityToken"), q("saml:Assertion"), q("saml2:Assertion"))
# Types of a KeyIdentifier with the Id of an assertion (SAML Token Profile 1.1, 3.4).
_ASSERTION_IDS: Final = ("SAMLAssertionID", "SAMLID")


def covered(
    reference: Element,
    ids: Mapping[str, Element],
    signature: Element,
    message: Message,
    digests: Collection[str],
    parts: Collection[str],
) -> Element:
    """Check the digest of a reference, and return the element that the reference covers.

    - `ids`: the elements of the message by Id. `signature`: the signature that contains the reference.
    - `digests`: the allowed hash functions.
    - `parts`: the names of the parts that the receiver requires. If the element has the name of such a part,
      it must be at the place in the message where this part belongs.

    Raises SecurityError if the digest is wrong, or if the reference or the place is not allowed.

    If the reference has an STR-Transform, it refers to a SecurityTokenReference. Then the covered element is
    the token to which that SecurityTokenReference refers, not the SecurityTokenReference itself.
    """
    target = referenced(ids, reference.get("URI"))
    steps = list(need(find(reference, "ds:Transforms"), "Transforms"))
    names = [algorithm(step, {EXCLUSIVE_C14N, ENVELOPED, STR_TRANSFORM}, "Transform") for step in steps]
    if names == [STR_TRANSFORM]:
        method = need(
            find(steps[0], "wsse:TransformationParameters/ds:CanonicalizationMethod"),
            "CanonicalizationMethod",
        )
        algorithm(method, {EXCLUSIVE_C14N}, "CanonicalizationMethod")
        target = _token(target, ids, message)
    elif names in ([EXCLUSIVE_C14N], [ENVELOPED, EXCLUSIVE_C14N]):
        method = steps[-1]
    else:
        raise SecurityError(
            "reference",
            "the transform of a signed reference must be exclusive canonicalization or STR-Transform",
        )
    if any(ancestor is target for ancestor in signature.iterancestors()):
        # Because of this, the transform "enveloped" never removes anything.
        raise SecurityError(
            "reference", "a signature is inside an element that it signs, which is not supported"
        )
    if not message.is_read(target, parts):
        raise SecurityError(
            "reference",
            f"the signed element {etree.QName(target).localname} is at a place that receivers do not read",
        )
    prefixes = inclusive_prefixes(method)
    data = canonical(target, prefixes)
    if names == [STR_TRANSFORM]:
        data = _with_default(target, data, prefixes)
    _compare(reference, data, digests, etree.QName(target).localname)
    return target


def covered_attachment(reference: Element, digests: Collection[str]) -> Attachment:
    """Check the digest of a reference to an attachment, and return the attachment. Raises SecurityError.

    `digests` are the allowed hash functions.
    """
    attachment = referenced_attachment(reference.get("URI", ""))
    steps = list(need(find(reference, "ds:Transforms"), "Transforms"))
    if len(steps) != 1 or len(steps[0]):
        raise SecurityError(
            "reference", "the reference to an attachment must have exactly one transform, without parameters"
        )
    algorithm(steps[0], {CONTENT_TRANSFORM}, "Transform")
    _compare(reference, canonical_content(attachment), digests, ATTACHMENTS)
    return attachment


def _compare(reference: Element, data: bytes, digests: Collection[str], part: str) -> None:
    """Compare data with the digest in a reference. Raises SecurityError if they do not match.

    `digests` are the allowed hash functions. `part` is the name of the part that has the data, for the error.
    """
    digest = hashes.Hash(DIGESTS[algorithm(find(reference, "ds:DigestMethod"), digests, "DigestMethod")])
    digest.update(data)
    expected = from_base64(find(reference, "ds:DigestValue"), "DigestValue")
    if not hmac.compare_digest(digest.finalize(), expected):
        changed = f"{part} was" if part != ATTACHMENTS else "an attachment was"
        raise SecurityError(
            "digest", f"{changed} changed after it was signed: its digest does not match", part=part
        )


def _token(holder: Element, ids: Mapping[str, Element], message: Message) -> Element:
    """Return the token to which `holder`, a SecurityTokenReference, refers. Raises SecurityError.

    The token must be a child of the Security header that is addressed to this receiver. References by issuer,
    thumbprint or key identifier are not supported, because they name a token that is not in the message.
    """
    token = None
    if holder.tag == q("wsse:SecurityTokenReference") and len(holder) == 1 and message.is_read(holder):
        link, identifier = find(holder, "wsse:Reference"), find(holder, "wsse:KeyIdentifier")
        if link is not None:
            token = referenced(ids, link.get("URI"))
        elif identifier is not None:
            kind = (identifier.get("ValueType") or "").rpartition("#")[2]
            name = (identifier.text or "").strip()
            token = referenced(ids, f"#{name}") if kind in _ASSERTION_IDS else None
    if token is None or token.tag not in _TOKENS or token.getparent() is not message.security:
        raise SecurityError(
            "reference",
            "an STR-Transform must refer to a BinarySecurityToken or an assertion of the Security header",
        )
    return token


def _with_default(token: Element, data: bytes, prefixes: Collection[str]) -> bytes:
    """Return `data`, the canonical XML of a token, with `xmlns=""` in the start tag.

    Returns `data` unchanged if it declares a default namespace. `prefixes` are the prefixes of
    InclusiveNamespaces. SOAP Message Security 1.1, 8.3, requires this attribute in the result of an
    STR-Transform.
    """
    name = etree.QName(token)
    declares = token.prefix is None and bool(name.namespace)
    if declares or ("#default" in prefixes and token.nsmap.get(None)):
        return data
    return re.sub(rb"^<[^\s>]+", rb'\g<0> xmlns=""', data, count=1)
