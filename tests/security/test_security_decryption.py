"""Encrypted messages that are changed, or have other content than elements."""

from __future__ import annotations

import base64
from typing import Any

import pytest
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import padding, rsa
from lxml import etree

from soapclient.errors import SecurityError
from soapclient.security import (
    LEGACY,
    Algorithms,
    Encryption,
    Security,
    Signature,
    Timestamp,
    UsernameToken,
    Verify,
)
from soapclient.security._algorithms import encrypt
from tests.security.conftest import NOW, ORDERS, SOAP_11, envelope, names, refusal, secured, sent
from tests.security.tampering import (
    EVIL,
    SIGNED,
    WHO,
    WSSE,
    WSSE11,
    XENC,
    Element,
    Pairs,
    body,
    encrypted_for_client,
    header,
    one,
    security,
    signature,
    valid,
)


def test_body_that_is_not_encrypted_is_refused_if_required(pairs: Pairs) -> None:
    rules = Verify(trust=pairs["server"].certificate, decrypt=pairs["client"], encrypted=True)
    assert refusal(rules, valid(pairs)).code == "unencrypted"


@pytest.mark.parametrize("index", [0, 1])
def test_body_that_is_encrypted_in_part_is_refused_if_required(pairs: Pairs, index: int) -> None:
    root = encrypted_for_client(secured([Timestamp()]), pairs)
    body(root).insert(index, etree.fromstring(EVIL))
    assert refusal(Verify(decrypt=pairs["client"], encrypted=True), sent(root)).code == "unencrypted"


@pytest.mark.parametrize("part", ["Body", "UsernameToken", "{urn:example:who}Who", "Header"])
def test_named_parts_must_be_encrypted(pairs: Pairs, part: str) -> None:
    user = [Timestamp(), UsernameToken("ada", "secret-1")]
    rules = Verify(decrypt=pairs["client"], encrypted=[part])
    for parts, is_accepted in (([part], True), (["Timestamp"], False)):
        message = secured([*user, Encryption(pairs["client"].certificate, parts)])
        if is_accepted:
            rules.check(message, NOW)
            continue
        with pytest.raises(SecurityError, match=f"{part} is not encrypted"):
            rules.check(message, NOW)
    root = envelope(header=False)
    message = secured([Timestamp(), Encryption(pairs["client"].certificate, ["Timestamp", "Body"])], root)
    Verify(decrypt=pairs["client"], encrypted=["Body", part]).check(message, NOW)  # the part is absent


def test_all_failures_of_a_decryption_look_alike(pairs: Pairs) -> None:
    rules = Verify(trust=pairs["server"].certificate, decrypt=pairs["client"], algorithms=LEGACY)
    problems = set()
    for transport in ("rsa-oaep", "rsa-1.5"):
        for cipher in ("aes256-gcm", "aes256-cbc"):
            for damage in ("key", "last byte", "length", "first byte"):
                root = encrypted_for_client(valid(pairs), pairs, transport=transport, cipher=cipher)
                key = one(security(root), f"{XENC}EncryptedKey")
                value = one(key if damage == "key" else body(root), f".//{XENC}CipherValue")
                data = bytearray(base64.b64decode(value.text or ""))
                data[0 if damage == "first byte" else -1] ^= 1
                value.text = base64.b64encode(data[:5] if damage == "length" else data).decode()
                error = refusal(rules, sent(root))
                if error.code != "digest":  # decrypted to other XML, and refused by the signature
                    problems.add((error.code, error.problem))
    assert problems == {("decryption", "an encrypted part could not be decrypted")}


@pytest.mark.parametrize("token", ["binary", "embedded"])
def test_message_for_another_certificate_is_refused(pairs: Pairs, token: Any) -> None:
    block = Encryption(pairs["other"].certificate, token=token)
    message = sent(Security([block]).apply(secured([Timestamp()]), {})[0])
    with pytest.raises(
        SecurityError, match="encrypted for a certificate that is not in the argument decrypt"
    ):
        Verify(decrypt=pairs["client"]).check(message, NOW)


# ---- encrypted headers of WSS 1.1


def _with_encrypted_header(pairs: Pairs, *, plain: bytes | None = None) -> Element:
    """Return a signed message whose header `Who` is in an EncryptedHeader."""
    blocks = [Signature(pairs["server"], parts=SIGNED), Encryption(pairs["client"].certificate, [WHO])]
    root = secured([Timestamp(), *blocks])
    if plain is not None:
        root = _with_content(root, header(root), pairs, plain, "aes256-gcm")
    data = one(header(root), f"{XENC}EncryptedData")
    outer = root.makeelement(f"{WSSE11}EncryptedHeader")
    header(root).replace(data, outer)
    outer.append(data)
    return sent(root)


def test_encrypted_header_is_decrypted(pairs: Pairs) -> None:
    message = _with_encrypted_header(pairs)
    rules = Verify(trust=pairs["server"].certificate, signed=SIGNED, decrypt=pairs["client"], encrypted=[WHO])
    rules.check(message, NOW)
    assert [node.tag for node in header(message)] == [WHO, f"{WSSE}Security"]
    assert one(header(message), WHO).text == "me"


@pytest.mark.parametrize("plain", [b"", b"<a/><b/>", b"text"])
def test_encrypted_header_has_one_element(pairs: Pairs, plain: bytes) -> None:
    with pytest.raises(SecurityError, match="an encrypted part could not be decrypted"):
        Verify(decrypt=pairs["client"]).check(_with_encrypted_header(pairs, plain=plain), NOW)


@pytest.mark.parametrize("actor", [None, "urn:example:other"])
def test_encrypted_header_is_not_ignored(pairs: Pairs, actor: str | None) -> None:
    """Unless it is for another actor."""
    message = _with_encrypted_header(pairs)
    security(message).remove(one(security(message), f"{XENC}EncryptedKey"))
    if actor:
        one(header(message), f"{WSSE11}EncryptedHeader").set(f"{{{SOAP_11}}}actor", actor)
    rules = Verify(trust=pairs["server"].certificate, signed=["Timestamp"])
    # Its content was signed, and the signature refers to an element that is not there.
    assert refusal(rules, message).code == ("reference" if actor else "decryption")


def test_other_elements_in_an_encrypted_header_are_refused(pairs: Pairs) -> None:
    message = _with_encrypted_header(pairs)
    one(header(message), f"{WSSE11}EncryptedHeader").append(etree.fromstring(EVIL))
    with pytest.raises(SecurityError, match="only the body and headers may be encrypted"):
        Verify(decrypt=pairs["client"]).check(message, NOW)


# ---- decrypted content


def _with_content(root: Element, place: Element, pairs: Pairs, plain: bytes, cipher: Any) -> Element:
    """Return a message with other content in the EncryptedData of `place`. It need not be XML."""
    key = pairs["client"].certificate.public_key()
    assert isinstance(key, rsa.RSAPublicKey)
    secret = b"0" * 32
    oaep = padding.OAEP(padding.MGF1(hashes.SHA1()), hashes.SHA1(), None)
    uri = Algorithms(cipher=cipher).cipher_uri
    for node, data in (
        (one(security(root), f"{XENC}EncryptedKey"), key.encrypt(secret, oaep)),
        (one(place, f"{XENC}EncryptedData"), encrypt(uri, secret, plain)),
    ):
        one(node, f".//{XENC}CipherValue").text = base64.b64encode(data).decode()
    return sent(root)


def _content(pairs: Pairs, plain: bytes, cipher: Any) -> Element:
    root = encrypted_for_client(secured([Timestamp()]), pairs, cipher=cipher)
    return _with_content(root, body(root), pairs, plain, cipher)


@pytest.mark.parametrize("cipher", ["aes256-gcm", "aes256-cbc"])
@pytest.mark.parametrize(
    "plain",
    [
        b"</content><content>", b"</content>", b"<a/></content><!-- --><content>", b"</content><!DOCTYPE x>",
        b"<!DOCTYPE x [<!ENTITY e 'EVIL'>]><a>&e;</a>", b"<a>&e;</a>", b"<?evil?><a/>",
        b"<?xml version='1.0'?><a/>", b"text<a/>", b"<a/>text", b"\xff\xfe<\x00a\x00/\x00>\x00", b"<a",
        b"\x00",
    ],
)  # fmt: skip
def test_other_content_than_elements_cannot_be_decrypted(pairs: Pairs, plain: bytes, cipher: Any) -> None:
    rules = Verify(decrypt=pairs["client"], encrypted=True, algorithms=LEGACY)
    rules.check(_content(pairs, b"<a/><b/>", cipher), NOW)
    error = refusal(rules, _content(pairs, plain, cipher))
    assert (error.code, error.problem) == ("decryption", "an encrypted part could not be decrypted")


@pytest.mark.parametrize("text", ["<!DOCTYPE html><p>text</p>", "<!ENTITY", "x" * 10_500_000])
def test_any_text_can_be_decrypted(pairs: Pairs, text: str) -> None:
    root = envelope()
    one(body(root), f".//{{{ORDERS}}}name").text = text
    blocks = [Timestamp(), Signature(pairs["server"]), Encryption(pairs["client"].certificate)]
    data = etree.tostring(Security(blocks, now=lambda: NOW).apply(root, {})[0])
    message = etree.fromstring(data, etree.XMLParser(resolve_entities=False, huge_tree=True))
    Verify(trust=pairs["server"].certificate, decrypt=pairs["client"]).check(message, NOW)
    assert names(message)[0] == text


@pytest.mark.parametrize("position", [0, -1])
def test_signature_can_be_encrypted_for_the_client(pairs: Pairs, position: int) -> None:
    """The encrypted signature may come before the key that decrypts it."""
    encrypted = Encryption(pairs["client"].certificate, parts=["UsernameToken"])
    root = secured([Timestamp(), Signature(pairs["server"]), UsernameToken("me"), encrypted])
    plain = etree.tostring(signature(root), with_tail=False)
    security(root).remove(signature(root))
    security(root).insert(position, one(security(root), f"{XENC}EncryptedData"))
    message = _with_content(root, security(root), pairs, plain, "aes256-gcm")
    rules = Verify(trust=pairs["server"].certificate, decrypt=pairs["client"])
    assert any(node is body(message) for node in rules.check(message, NOW))


def test_encrypted_message_without_a_key_says_so(pairs: Pairs) -> None:
    with pytest.raises(SecurityError, match="no key was passed to decrypt it"):
        Verify(trust=pairs["server"].certificate).check(encrypted_for_client(valid(pairs), pairs), NOW)
