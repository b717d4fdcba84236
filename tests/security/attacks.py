"""Attacks: each changes a valid message, and must be refused with a SecurityError.

Some of them sign the changed message again with the service's own key: they test what a signature may say,
not if it is valid.
"""

from __future__ import annotations

import base64
import copy
import hashlib
import hmac
from collections.abc import Callable
from datetime import timedelta
from typing import cast

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import padding, rsa
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from lxml import etree

from soapclient.security import Algorithms, KeyPair, Security, Signature, Timestamp
from tests.security.conftest import NOW, ORDERS, SOAP_11, SOAP_12, secured
from tests.security.tampering import (
    C14N,
    DS,
    EVIL,
    MORE,
    SIGNED,
    WHO,
    WSSE,
    WSU,
    XENC,
    Attack,
    Element,
    Pairs,
    body,
    canonical,
    change_body,
    encrypted_for_client,
    evil_body,
    header,
    moved,
    one,
    security,
    signature,
    signed_again,
    valid,
    wrapper,
)

ATTACKS: dict[str, Attack] = {}


def attack(function: Attack) -> Attack:
    ATTACKS[function.__name__] = function
    return function


def _changed(change: Callable[[Element], object]) -> Attack:
    def changed(root: Element, pairs: Pairs) -> Element:
        change(root)
        return root

    return changed


def _id(root: Element) -> str:
    return body(root).get(f"{WSU}Id") or ""


# ---- removed, changed, or signed and encrypted in another way
ATTACKS |= {
    name: _changed(change)
    for name, change in {
        "second_body_before_the_signed_one": lambda root: body(root).addprevious(evil_body(root)),
        "second_body_after_the_signed_one": lambda root: root.append(evil_body(root)),
        "body_of_another_soap_version": lambda root: body(root).addprevious(
            etree.fromstring(f'<s:Body xmlns:s="{SOAP_12}">{EVIL}</s:Body>')
        ),
        "second_security_header": lambda root: header(root).insert(0, copy.deepcopy(security(root))),
        "second_header": lambda root: root.insert(0, copy.deepcopy(header(root))),
        "security_removed": lambda root: header(root).remove(security(root)),
        "signature_removed": lambda root: security(root).remove(signature(root)),
        "security_for_another_actor": lambda root: security(root).set(f"{{{SOAP_11}}}actor", "urn:x:other"),
        "text_changed": change_body,
        "attribute_added": lambda root: body(root)[0].set("evil", "1"),
        "processing_instruction_in_the_body": lambda root: one(body(root), f".//{{{ORDERS}}}name").append(
            etree.ProcessingInstruction("evil")
        ),
        "expires_changed": lambda root: setattr(
            one(security(root), f"{WSU}Timestamp/{WSU}Expires"), "text", "2036-01-01T00:00:00Z"
        ),
        "id_on_two_elements": lambda root: body(root)[0][0].set(f"{WSU}Id", _id(root)),
    }.items()
}
ATTACKS |= {
    "second_timestamp": lambda root, _: Security([Timestamp()], now=lambda: NOW).apply(root, {})[0],
    "body_not_signed": lambda _, pairs: change_body(
        secured([Timestamp(), Signature(pairs["server"], parts=["Timestamp", WHO])])
    ),
    "timestamp_missing": lambda _, pairs: secured([Signature(pairs["server"], parts=["Body", WHO])]),
    "sha1": lambda _, pairs: secured(
        [Timestamp(), Signature(pairs["server"], parts=SIGNED, algorithms=Algorithms(hash="sha1"))]
    ),
    "signed_with_another_key": lambda _, pairs: valid(pairs, "other"),
    "token_of_the_service_and_another_key": lambda root, pairs: signed_again(root, pairs, "other"),
    "encrypted_but_not_signed": lambda _, pairs: encrypted_for_client(secured([Timestamp()]), pairs),
    "encrypted_with_rsa_15": lambda root, pairs: encrypted_for_client(root, pairs, transport="rsa-1.5"),
    "encrypted_with_cbc": lambda root, pairs: encrypted_for_client(root, pairs, cipher="aes256-cbc"),
}


def _evil_who(root: Element) -> Element:
    etree.SubElement(header(root), WHO).text = "EVIL"
    return root


def _without_references(root: Element, count: int | None = None) -> Element:
    info = one(signature(root), f"{DS}SignedInfo")
    for reference in info.findall(f"{DS}Reference")[:count]:
        info.remove(reference)
    return change_body(root)


def _thousand(parent: Element, node: Element) -> None:
    for name in ("Id", f"{WSU}Id"):
        node.attrib.pop(name, None)
    for _ in range(1000):
        parent.append(copy.deepcopy(node))


ATTACKS |= {
    "second_header_with_the_same_name": lambda root, _: _evil_who(root),
    "signed_header_moved_and_replaced": _changed(
        lambda root: wrapper(_evil_who(root)).append(one(header(root), WHO))
    ),
    "reference_to_the_body_removed": lambda root, _: _without_references(root, 1),
    "all_references_removed": lambda root, pairs: signed_again(_without_references(root), pairs),
    "thousand_signatures": _changed(lambda root: _thousand(security(root), copy.deepcopy(signature(root)))),
    "thousand_empty_reference_lists": _changed(
        lambda root: _thousand(security(root), etree.Element(f"{XENC}ReferenceList"))
    ),
    # Such a message can be mixed from two messages of the service.
    "parts_signed_by_two_signatures": lambda _, pairs: secured(
        [Timestamp(), *(Signature(pairs["server"], parts=parts) for parts in (["Timestamp", WHO], ["Body"]))]
    ),
    "evil_body_signed_by_another": lambda root, pairs: Security(
        [Signature(pairs["other"], parts=["Body"])]
    ).apply(moved(root, wrapper), {})[0],
}


@attack
def thousand_references(root: Element, pairs: Pairs) -> Element:
    info = one(signature(root), f"{DS}SignedInfo")
    _thousand(info, info[-1])
    return signed_again(root, pairs)


# ---- wrapping: the signed element is still there, but another one is read
ATTACKS |= {
    "body_moved_into_a_header": lambda root, _: moved(root, wrapper),
    "body_moved_into_the_signature": lambda root, _: moved(
        root, lambda root: etree.SubElement(signature(root), f"{DS}Object")
    ),
    "body_moved_into_the_new_body": lambda root, _: moved(root, body),
    "body_moved_into_the_envelope": lambda root, _: moved(
        root, lambda root: etree.SubElement(root, "{urn:example}Wrapper")
    ),
    "body_moved_and_its_id_copied": lambda root, _: moved(root, wrapper, wsu_Id=_id(root)),
    "body_moved_and_its_id_copied_as_a_plain_id": lambda root, _: moved(root, wrapper, Id=_id(root)),
    "evil_body_encrypted_and_the_signed_one_moved": lambda root, pairs: encrypted_for_client(
        moved(root, wrapper), pairs
    ),
}


def _outer(root: Element) -> Element:
    return etree.fromstring(
        f'<soap:Envelope xmlns:soap="{SOAP_11}" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" '
        f'xmlns:xsd="http://www.w3.org/2001/XMLSchema"><soap:Header/><soap:Body>{EVIL}</soap:Body></soap:Envelope>'
    )


@attack
def envelope_inside_a_header_of_another(root: Element, pairs: Pairs) -> Element:
    outer = _outer(root)
    outer[0].append(copy.deepcopy(security(root)))
    header(root).remove(security(root))
    outer[0].append(root)
    return outer


@attack
def envelope_inside_the_body_of_another(root: Element, pairs: Pairs) -> Element:
    outer = _outer(root)
    outer[0].append(security(root))
    outer[1].append(root)
    return outer


@attack
def timestamp_moved_and_replaced(root: Element, pairs: Pairs) -> Element:
    wrapper(root).append(one(security(root), f"{WSU}Timestamp"))
    return Security([Timestamp()], now=lambda: NOW).apply(root, {})[0]


# ---- times


def _at(minutes: int) -> Attack:
    def old(root: Element, pairs: Pairs) -> Element:
        blocks = [Timestamp(), Signature(pairs["server"], parts=SIGNED)]
        return secured(blocks, at=NOW + timedelta(minutes=minutes))

    return old


ATTACKS["expired"] = _at(-20)
ATTACKS["in_the_future"] = _at(20)


def _timestamp(change: Callable[[Element], object]) -> Attack:
    """Change the Timestamp of an old message of the service, which it signs as it is now."""

    def changed(root: Element, pairs: Pairs) -> Element:
        root = _at(-120)(root, pairs)
        stamp = one(security(root), f"{WSU}Timestamp")
        change(stamp)
        reference = signature(root).findall(f".//{DS}Reference")[1]
        digest = hashlib.sha256(canonical(stamp)).digest()
        one(reference, f"{DS}DigestValue").text = base64.b64encode(digest).decode()
        return signed_again(root, pairs)

    return changed


ATTACKS["old_and_without_expires"] = _timestamp(lambda stamp: stamp.remove(stamp[1]))
ATTACKS["old_and_expires_in_ten_years"] = _timestamp(
    lambda stamp: setattr(stamp[1], "text", "2036-01-01T00:00:00Z")
)
ATTACKS["without_created"] = _timestamp(lambda stamp: stamp.remove(stamp[0]))
ATTACKS["created_is_not_a_time"] = _timestamp(lambda stamp: setattr(stamp[0], "text", "yesterday"))
ATTACKS["created_before_all_times"] = _timestamp(
    lambda stamp: setattr(stamp[0], "text", "0001-01-01T00:00:00+14:00")
)


# ---- algorithms


def _algorithm(element: str, identifier: str) -> Attack:
    def renamed(root: Element, pairs: Pairs) -> Element:
        one(signature(root), f".//{DS}{element}").set("Algorithm", identifier)
        return signed_again(root, pairs)

    return renamed


ATTACKS["signature_method_none"] = _algorithm("SignatureMethod", "none")
ATTACKS["signature_method_empty"] = _algorithm("SignatureMethod", "")
ATTACKS["signature_method_of_another_key"] = _algorithm("SignatureMethod", f"{MORE}ecdsa-sha256")
ATTACKS["digest_md5"] = _algorithm("DigestMethod", f"{MORE}md5")
ATTACKS["canonicalization_with_comments"] = _algorithm("CanonicalizationMethod", f"{C14N}WithComments")


def _hmac(secret: Callable[[x509.Certificate], bytes]) -> Attack:
    """Use what everybody knows of the service as the secret of an HMAC."""

    def signed(root: Element, pairs: Pairs) -> Element:
        info = one(change_body(root), f".//{DS}SignedInfo")
        one(info, f"{DS}SignatureMethod").set("Algorithm", f"{MORE}hmac-sha256")
        digest = hashlib.sha256(canonical(body(root))).digest()
        one(info, f"{DS}Reference/{DS}DigestValue").text = base64.b64encode(digest).decode()
        value = hmac.new(secret(pairs["server"].certificate), canonical(info), "sha256").digest()
        one(signature(root), f"{DS}SignatureValue").text = base64.b64encode(value).decode()
        return root

    return signed


def _public_key(encoding: Encoding) -> Callable[[x509.Certificate], bytes]:
    return lambda certificate: certificate.public_key().public_bytes(
        encoding, PublicFormat.SubjectPublicKeyInfo
    )


ATTACKS["hmac_with_the_public_key_as_pem"] = _hmac(_public_key(Encoding.PEM))
ATTACKS["hmac_with_the_public_key_as_der"] = _hmac(_public_key(Encoding.DER))
ATTACKS["hmac_with_the_certificate"] = _hmac(lambda certificate: certificate.public_bytes(Encoding.PEM))


# ---- keys


def _der(pair: KeyPair) -> str:
    return base64.b64encode(pair.certificate.public_bytes(Encoding.DER)).decode()


def _other_token(root: Element) -> Element:
    return one(root, f".//{WSSE}BinarySecurityToken")


@attack
def token_of_the_service_beside_the_used_one(root: Element, pairs: Pairs) -> Element:
    root = valid(pairs, "other")
    token = copy.deepcopy(_other_token(root))
    token.text = _der(pairs["server"])
    token.set(f"{WSU}Id", "token-of-the-service")
    security(root).insert(0, token)
    return root


def _key_info(change: Callable[[Element, Pairs], object]) -> Attack:
    def changed(root: Element, pairs: Pairs) -> Element:
        root = valid(pairs, "other")
        change(one(signature(root), f"{DS}KeyInfo"), pairs)
        return root

    return changed


def _two_certificates(info: Element, pairs: Pairs) -> None:
    info[0].remove(info[0][0])
    data = etree.SubElement(info[0], f"{DS}X509Data")
    for name in ("server", "other"):
        etree.SubElement(data, f"{DS}X509Certificate").text = _der(pairs[name])


def _serial_of_the_service(info: Element, pairs: Pairs) -> None:
    certificate = pairs["server"].certificate
    info[0].remove(info[0][0])
    data = etree.SubElement(info[0], f"{DS}X509Data")
    etree.SubElement(data, f"{DS}X509Certificate").text = _der(pairs["other"])
    serial = etree.SubElement(data, f"{DS}X509IssuerSerial")
    etree.SubElement(serial, f"{DS}X509IssuerName").text = certificate.issuer.rfc4514_string()
    etree.SubElement(serial, f"{DS}X509SerialNumber").text = str(certificate.serial_number)


def _bare_key(info: Element, pairs: Pairs) -> None:
    key = pairs["other"].certificate.public_key()
    assert isinstance(key, rsa.RSAPublicKey)
    info.clear()
    value = etree.SubElement(etree.SubElement(info, f"{DS}KeyValue"), f"{DS}RSAKeyValue")
    modulus = key.public_numbers().n.to_bytes(256)
    etree.SubElement(value, f"{DS}Modulus").text = base64.b64encode(modulus).decode()
    etree.SubElement(value, f"{DS}Exponent").text = "AQAB"


ATTACKS["two_references_in_a_key_info"] = _key_info(lambda info, _: info[0].append(copy.deepcopy(info[0][0])))
ATTACKS["two_key_references"] = _key_info(lambda info, _: info.append(copy.deepcopy(info[0])))
ATTACKS["two_certificates"] = _key_info(_two_certificates)
ATTACKS["serial_of_the_service_and_another_certificate"] = _key_info(_serial_of_the_service)
ATTACKS["bare_key"] = _key_info(_bare_key)
ATTACKS["no_key_info"] = _key_info(lambda info, _: cast("Element", info.getparent()).remove(info))
ATTACKS["huge_token"] = _key_info(
    lambda info, _: setattr(_other_token(info.getroottree().getroot()), "text", "A" * 4_000_000)
)


# ---- transforms and references


def _transform(change: Callable[[Element], object]) -> Attack:
    def changed(root: Element, pairs: Pairs) -> Element:
        change(one(signature(root), f".//{DS}Transforms"))
        return signed_again(change_body(root), pairs)

    return changed


def _inserted(identifier: str, content: str = "") -> Attack:
    transform = f'<ds:Transform xmlns:ds="{DS[1:-1]}" Algorithm="{identifier}">{content}</ds:Transform>'
    return _transform(lambda transforms: transforms.insert(0, etree.fromstring(transform)))


_FILTER = "http://www.w3.org/2002/06/xmldsig-filter2"
ATTACKS["xslt"] = _inserted(
    "http://www.w3.org/TR/1999/REC-xslt-19991116",
    '<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform"><xsl:template match="/"/>'
    "</xsl:stylesheet>",
)
ATTACKS["xpath"] = _inserted("http://www.w3.org/TR/1999/REC-xpath-19991116", "<ds:XPath>false()</ds:XPath>")
ATTACKS["xpath_filter"] = _inserted(_FILTER, f'<x:XPath xmlns:x="{_FILTER}" Filter="subtract">//*</x:XPath>')
ATTACKS["base64"] = _inserted(f"{DS[1:-1]}base64")
ATTACKS["no_transforms"] = _transform(
    lambda transforms: cast("Element", transforms.getparent()).remove(transforms)
)
ATTACKS["two_canonicalizations"] = _transform(
    lambda transforms: transforms.append(copy.deepcopy(transforms[0]))
)
ATTACKS["unknown_parameter"] = _transform(
    lambda transforms: etree.SubElement(transforms[0], "{urn:example}P")
)


@attack
def signature_inside_the_signed_body(root: Element, pairs: Pairs) -> Element:
    transforms = one(signature(root), f".//{DS}Transforms")
    enveloped = copy.deepcopy(transforms[0])
    enveloped.set("Algorithm", f"{DS[1:-1]}enveloped-signature")
    transforms.insert(0, enveloped)
    signed_again(root, pairs)
    moving = signature(root)
    etree.SubElement(moving, f"{DS}Object").append(etree.fromstring(EVIL))
    body(root).insert(0, moving)
    return root


def _uri(uri: str) -> Attack:
    def changed(root: Element, pairs: Pairs) -> Element:
        one(signature(root), f".//{DS}Reference").set("URI", uri)
        return signed_again(change_body(root), pairs)

    return changed


_URIS = ("", "#", "#xpointer(/)", "#xpointer(id('x'))", "cid:1", "file:///etc/passwd", "http://127.0.0.1:9/x")
ATTACKS |= {f"reference_to_{value or 'nothing'}": _uri(value) for value in _URIS}


@attack
def evil_header_with_the_id_of_the_body(root: Element, pairs: Pairs) -> Element:
    node = etree.fromstring(EVIL)
    node.set(f"{WSU}Id", _id(root))
    header(root).insert(0, node)
    return root


# ---- encryption


@attack
def evil_body_encrypted_with_the_id_of_the_signed_one(root: Element, pairs: Pairs) -> Element:
    root.replace(body(root), evil_body(root, wsu_Id=_id(root)))
    return encrypted_for_client(root, pairs)


@attack
def key_of_the_cipher_replaced(root: Element, pairs: Pairs) -> Element:
    root = encrypted_for_client(root, pairs)
    key = pairs["client"].certificate.public_key()
    assert isinstance(key, rsa.RSAPublicKey)
    replaced = key.encrypt(b"0" * 32, padding.OAEP(padding.MGF1(hashes.SHA1()), hashes.SHA1(), None))
    value = one(security(root), f"{XENC}EncryptedKey/{XENC}CipherData/{XENC}CipherValue")
    value.text = base64.b64encode(replaced).decode()
    return root


@attack
def encrypted_data_inside_the_content(root: Element, pairs: Pairs) -> Element:
    root = encrypted_for_client(root, pairs)
    outer = etree.Element("{urn:example}Outer")
    outer.append(body(root)[0])
    body(root).append(outer)
    return root
