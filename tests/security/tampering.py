"""Helpers that change secured messages."""

from __future__ import annotations

import base64
from collections.abc import Callable, Mapping
from typing import Any

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import padding, rsa
from lxml import etree

from soapclient.security import Algorithms, Encryption, KeyPair, Security, Signature, Timestamp
from tests.security.conftest import ORDERS, SOAP_11, secured

Element = etree._Element
Pairs = Mapping[str, KeyPair]
Attack = Callable[[Element, Pairs], Element]

DS = "{http://www.w3.org/2000/09/xmldsig#}"
XENC = "{http://www.w3.org/2001/04/xmlenc#}"
_OASIS = "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-"
WSSE, WSU = f"{{{_OASIS}secext-1.0.xsd}}", f"{{{_OASIS}utility-1.0.xsd}}"
WSSE11 = "{http://docs.oasis-open.org/wss/oasis-wss-wssecurity-secext-1.1.xsd}"
WSC = "{http://docs.oasis-open.org/ws-sx/ws-secureconversation/200512}"
C14N = "http://www.w3.org/2001/10/xml-exc-c14n#"
MORE = "http://www.w3.org/2001/04/xmldsig-more#"
WHO = "{urn:example:who}Who"
ADDRESSING = "{http://www.w3.org/2005/08/addressing}"
EVIL = '<e:evil xmlns:e="urn:example:evil">EVIL</e:evil>'
SIGNED = ("Body", "Timestamp", WHO)


def one(root: Element, path: str) -> Element:
    node = root.find(path)
    assert node is not None
    return node


def body(root: Element) -> Element:
    return one(root, f"{{{SOAP_11}}}Body")


def header(root: Element) -> Element:
    return one(root, f"{{{SOAP_11}}}Header")


def security(root: Element) -> Element:
    return one(header(root), f"{WSSE}Security")


def signature(root: Element) -> Element:
    return one(security(root), f"{DS}Signature")


def valid(pairs: Pairs, who: str = "server") -> Element:
    return secured([Timestamp(), Signature(pairs[who], parts=SIGNED)])


def evil_body(root: Element, **ids: str) -> Element:
    node = root.makeelement(
        f"{{{SOAP_11}}}Body", {name.replace("wsu_", WSU): value for name, value in ids.items()}
    )
    node.append(etree.fromstring(EVIL))
    return node


def moved(root: Element, place: Callable[[Element], Element], **ids: str) -> Element:
    """Move the signed body into the element that `place` returns, and put an evil body in its place."""
    original = body(root)
    root.replace(original, evil_body(root, **ids))
    place(root).append(original)
    return root


def wrapper(root: Element) -> Element:
    return etree.SubElement(header(root), "{urn:example}Wrapper")


def change_body(root: Element) -> Element:
    one(body(root), f".//{{{ORDERS}}}name").text = "EVIL"
    return root


def canonical(node: Element) -> bytes:
    return etree.tostring(node, method="c14n", exclusive=True)


def signed_again(root: Element, pairs: Pairs, who: str = "server") -> Element:
    """Sign the SignedInfo as it is now."""
    key = pairs[who].key
    assert isinstance(key, rsa.RSAPrivateKey)
    data = key.sign(canonical(one(signature(root), f"{DS}SignedInfo")), padding.PKCS1v15(), hashes.SHA256())
    one(signature(root), f"{DS}SignatureValue").text = base64.b64encode(data).decode()
    return root


def encrypted_for_client(root: Element, pairs: Pairs, **algorithms: Any) -> Element:
    """Encrypt the body for the client."""
    block = Encryption(pairs["client"].certificate, algorithms=Algorithms(**algorithms))
    return Security([block]).apply(root, {})[0]
