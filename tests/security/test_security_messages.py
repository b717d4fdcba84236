"""Messages that are secured with one key and verified with the other side's rules."""

from __future__ import annotations

import base64
import hashlib
import itertools
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, padding, rsa
from lxml import etree

from soapclient.errors import ConfigError, SecurityError
from soapclient.security import (
    LEGACY,
    Algorithms,
    Authorities,
    Block,
    Encryption,
    SamlToken,
    Security,
    Signature,
    Timestamp,
    UsernameToken,
    Verify,
)
from soapclient.security._xml import Message, add, ensure_id
from tests.security.conftest import NOW, SOAP_11, SOAP_12, envelope, issue, names, refusal, secured, sent
from tests.security.tampering import DS, WSSE, WSU, Pairs, canonical, one, security

ALL = ("Body", "Timestamp", "UsernameToken", "Header")


@pytest.mark.parametrize("soap", [SOAP_11, SOAP_12])
@pytest.mark.parametrize("token", ["binary", "issuer-serial", "ski", "thumbprint", "embedded"])
@pytest.mark.parametrize(
    ("who", "hash_name"),
    [("client", "sha256"), ("client", "sha1"), ("client", "sha512"), ("curve", "sha256")],
)
def test_signed_message_is_verified_by_its_peer_only(
    pairs: Pairs, soap: str, token: Any, who: str, hash_name: Any
) -> None:
    signature = Signature(pairs[who], parts=ALL, token=token, algorithms=Algorithms(hash=hash_name))
    blocks = [Timestamp(), UsernameToken("me", "password", digest=True), signature]
    message = secured(blocks, envelope(soap))
    rules = Verify(trust=pairs[who].certificate, signed=ALL, algorithms=LEGACY)
    covered = rules.check(message, NOW)
    assert len(covered) == 4
    assert any(node is message[-1] for node in covered)
    other = Verify(trust=pairs["other"].certificate, signed=ALL, algorithms=LEGACY)
    assert refusal(other, secured(blocks, envelope(soap))).code == "untrusted"


@pytest.mark.parametrize("first", ["sign", "encrypt"])
@pytest.mark.parametrize(
    ("cipher", "transport"),
    list(
        itertools.product(
            ["aes128-gcm", "aes192-gcm", "aes256-gcm", "aes128-cbc", "aes192-cbc", "aes256-cbc"],
            ["rsa-oaep", "rsa-1.5"],
        )
    ),
)
def test_encrypted_message_is_decrypted(pairs: Pairs, first: str, cipher: Any, transport: Any) -> None:
    sign = Signature(pairs["client"])
    encrypt = Encryption(pairs["server"].certificate, algorithms=Algorithms("sha256", cipher, transport))
    message = secured([Timestamp(), *([sign, encrypt] if first == "sign" else [encrypt, sign])])
    assert b"getOrders" not in etree.tostring(message)
    rules = Verify(
        trust=pairs["client"].certificate, decrypt=pairs["server"], encrypted=True, algorithms=LEGACY
    )
    rules.check(message, NOW)
    body, original = message[-1][0], envelope()[-1][0]
    assert canonical(body) == canonical(original)


def test_password_digest_is_that_of_the_profile() -> None:
    # UsernameToken Profile 1.1.1, 3.1: Base64(SHA-1(nonce + created + password))
    message = secured([UsernameToken("me", "Pässwort", digest=True)])
    nonce = base64.b64decode(message.findtext(f".//{WSSE}Nonce") or "")
    created = message.findtext(f".//{WSU}Created") or ""
    assert created == "2026-11-20T12:00:00.000Z"
    assert len(nonce) == 16
    expected = hashlib.sha1(nonce + created.encode() + "Pässwort".encode()).digest()
    password = one(message, f".//{WSSE}Password")
    assert base64.b64decode(password.text or "") == expected
    assert (password.get("Type") or "").endswith("#PasswordDigest")


def test_each_message_has_its_own_nonce_and_ids() -> None:
    security = Security([Timestamp(), UsernameToken("me", "p", digest=True)])
    first, second = (etree.tostring(security.apply(envelope(), {})[0]) for _ in range(2))
    nonces = {etree.fromstring(data).findtext(f".//{WSSE}Nonce") for data in (first, second)}
    assert len(nonces) == 2


@pytest.mark.parametrize(
    ("block", "children"),
    [
        (UsernameToken("me"), ["Username"]),
        (UsernameToken("me", "p"), ["Username", "Password"]),
        (UsernameToken("me", "p", nonce=True), ["Username", "Password", "Nonce"]),
        (UsernameToken("me", "p", nonce=False, created=True), ["Username", "Password", "Created"]),
        (UsernameToken("me", "p", digest=True), ["Username", "Password", "Nonce", "Created"]),
    ],
    ids=["user", "password", "nonce", "created", "digest"],
)
def test_password_nonce_and_created_are_optional(block: UsernameToken, children: list[str]) -> None:
    node = one(secured([block]), f".//{WSSE}UsernameToken")
    assert [etree.QName(child).localname for child in node] == children


def test_timestamp_has_the_lifetime() -> None:
    message = secured([Timestamp(timedelta(seconds=90))])
    assert message.findtext(f".//{WSU}Expires") == "2026-11-20T12:01:30.000Z"


@pytest.mark.parametrize("who", ["client", "curve"])
def test_signing_function_signs(pairs: Pairs, who: str) -> None:
    """That of an elliptic curve returns DER."""
    key = pairs[who].key

    def sign(data: bytes, hash_name: str) -> bytes:
        assert hash_name == "sha256"
        if isinstance(key, rsa.RSAPrivateKey):
            return key.sign(data, padding.PKCS1v15(), hashes.SHA256())
        assert isinstance(key, ec.EllipticCurvePrivateKey)
        return key.sign(data, ec.ECDSA(hashes.SHA256()))

    message = secured([Timestamp(), Signature(sign, pairs[who].certificate)])
    Verify(trust=pairs[who].certificate).check(message, NOW)


def test_authority_needs_the_peer_as_well(pairs: Pairs) -> None:
    def is_leaf(certificate: x509.Certificate) -> bool:
        return certificate.subject == pairs["leaf"].certificate.subject

    authority = pairs["authority"].certificate
    message = [Timestamp(), Signature(pairs["leaf"])]
    Verify(trust=Authorities(authority, is_leaf)).check(secured(message), NOW)
    for rules, signer in (
        (Authorities(authority, is_leaf), "leaf2"),
        (Authorities(pairs["other"].certificate, is_leaf), "leaf"),
    ):
        assert (
            refusal(Verify(trust=rules), secured([Timestamp(), Signature(pairs[signer])])).code == "untrusted"
        )


@pytest.mark.parametrize("token", ["issuer-serial", "ski", "thumbprint"])
def test_certificate_may_be_trusted_twice(pairs: Pairs, token: Any) -> None:
    certificate = pairs["client"].certificate
    message = secured([Timestamp(), Signature(pairs["client"], token=token)])
    assert len(Verify(trust=[certificate, certificate]).check(message, NOW)) == 2


def test_expired_certificate_of_a_peer_is_refused(pairs: Pairs) -> None:
    later = NOW + timedelta(days=31)
    message = secured([Timestamp(), Signature(pairs["client"])], at=later)
    with pytest.raises(SecurityError, match="is valid from") as caught:
        Verify(trust=pairs["client"].certificate).check(message, later)
    assert caught.value.code == "untrusted"


SAML = (
    b'<saml2:Assertion xmlns:saml2="urn:oasis:names:tc:SAML:2.0:assertion" ID="_1" Version="2.0">'
    b"<saml2:Issuer>sts</saml2:Issuer></saml2:Assertion>"
)


def test_saml_assertion_is_sent_unchanged() -> None:
    given = itertools.count()

    def renewed() -> bytes:
        next(given)
        return SAML

    sending = Security([SamlToken(renewed)])
    for _ in range(2):
        message = sent(sending.apply(envelope(), {})[0])
        node = one(security(message), "{urn:oasis:names:tc:SAML:2.0:assertion}Assertion")
        assert canonical(node) == SAML
    assert next(given) == 2


@pytest.mark.parametrize("assertion", [b"<a/>", b"no XML", etree.fromstring("<Assertion/>")])
def test_other_xml_is_not_a_saml_assertion(assertion: Any) -> None:
    with pytest.raises(ConfigError, match="assertion"):
        SamlToken(assertion)


def test_request_without_the_parts_to_sign_is_not_secured(pairs: Pairs) -> None:
    with pytest.raises(ConfigError, match="none of the parts to sign: Timestamp"):
        secured([Signature(pairs["client"], parts=["Timestamp"])])


def test_nothing_shows_passwords_or_keys(pairs: Pairs) -> None:
    blocks: list[Block] = [UsernameToken("me", "my-password"), Signature(pairs["client"])]
    assert "my-password" not in repr(Security(blocks, verify=Verify(trust=pairs["server"].certificate)))
    assert "PRIVATE" not in repr(pairs["client"])
    assert Security(blocks).secrets == {"my-password"}


# ---- confirmations


def _confirmed(values: Sequence[str | None]) -> etree._Element:
    """Return a response with SignatureConfirmation elements, not signed yet."""
    root = envelope()
    header = Message.of(root).ensure_security()
    for value in values:
        node = add(header, "wsse11:SignatureConfirmation")
        ensure_id(node)
        if value is not None:
            node.set("Value", value)
    return root


def _signed_confirmation(pairs: Pairs, *values: str | None) -> etree._Element:
    signature = Signature(pairs["server"], parts=("Body", "Timestamp", "SignatureConfirmation"))
    return secured([Timestamp(), signature], _confirmed(values))


def _confirming(pairs: Pairs) -> Security:
    """Return the security of a client that requires confirmations."""
    rules = Verify(trust=pairs["server"].certificate, confirmation=True)
    return Security([Timestamp(), Signature(pairs["client"])], verify=rules, now=lambda: NOW)


def test_response_of_another_request_is_refused(pairs: Pairs) -> None:
    client = _confirming(pairs)
    request = client.apply(envelope(), {})[0]
    value = request.findtext(f".//{DS}SignatureValue")
    for values, accepted in (([value], True), ([], False), (["AAAA"], False), ([value, "AAAA"], False)):
        response = _signed_confirmation(pairs, *values)
        if accepted:
            assert names(client.verify(response)) == names(envelope())
        else:
            with pytest.raises(SecurityError) as caught:
                client.verify(response)
            assert caught.value.code == "confirmation"


@pytest.mark.parametrize("own_signature", [False, True])
def test_confirmation_must_be_signed_with_the_body(pairs: Pairs, own_signature: bool) -> None:
    client = _confirming(pairs)
    value = client.apply(envelope(), {})[0].findtext(f".//{DS}SignatureValue")
    blocks: list[Block] = [Timestamp(), Signature(pairs["server"])]
    if own_signature:
        blocks.append(Signature(pairs["server"], parts=["SignatureConfirmation"], token="issuer-serial"))
    with pytest.raises(SecurityError) as caught:
        client.verify(secured(blocks, _confirmed([value])))
    assert (caught.value.code, caught.value.part) == ("unsigned", "SignatureConfirmation")


def test_each_response_confirms_the_request_of_its_thread(pairs: Pairs) -> None:
    client = _confirming(pairs)
    barrier = threading.Barrier(4, timeout=60)

    def call(_: int) -> list[str]:
        request = client.apply(envelope(), {})[0]
        barrier.wait()  # all requests are sent before the first response is verified
        response = _signed_confirmation(pairs, request.findtext(f".//{DS}SignatureValue"))
        return names(client.verify(response))

    with ThreadPoolExecutor(4) as threads:
        assert list(threads.map(call, range(4))) == [names(envelope())] * 4


# ---- actors


@pytest.mark.parametrize(
    ("role", "is_ours"),
    [("", True), (f"{SOAP_12}/role/ultimateReceiver", True), ("urn:example:other", False)],
)
def test_role_of_the_ultimate_receiver_is_the_default(pairs: Pairs, role: str, is_ours: bool) -> None:
    message = secured([Timestamp(), Signature(pairs["client"])], envelope(SOAP_12))
    one(message, f".//{WSSE}Security").set(f"{{{SOAP_12}}}role", role)
    rules = Verify(trust=pairs["client"].certificate)
    if is_ours:
        rules.check(message, NOW)
    else:
        with pytest.raises(SecurityError, match="no Security header"):
            rules.check(message, NOW)


def test_actor_is_written_and_required(pairs: Pairs) -> None:
    for soap, attribute in ((SOAP_11, "actor"), (SOAP_12, "role")):
        security = Security(
            [Timestamp(), Signature(pairs["client"])], actor="urn:example:hub", now=lambda: NOW
        )
        message = sent(security.apply(envelope(soap), {})[0])
        assert one(message, f".//{WSSE}Security").get(f"{{{soap}}}{attribute}") == "urn:example:hub"
        Verify(trust=pairs["client"].certificate, actor="urn:example:hub").check(message, NOW)


# ---- SAML


def test_saml_assertion_of_both_versions_can_be_signed(pairs: Pairs) -> None:
    old = b'<a:Assertion xmlns:a="urn:oasis:names:tc:SAML:1.0:assertion" AssertionID="_1" MajorVersion="1"/>'
    parts = ("Body", "SamlAssertion")
    for assertion in (SAML, old):
        message = secured([SamlToken(assertion), Signature(pairs["client"], parts=parts)])
        rules = Verify(trust=pairs["client"].certificate, signed=parts, max_age=None)
        assert len(rules.check(message, NOW)) == 2


_XS = "http://www.w3.org/2001/XMLSchema"
_TYPED = (
    f'<s:Assertion xmlns:s="urn:oasis:names:tc:SAML:2.0:assertion" xmlns:xs="{_XS}" ID="_1">'
    f'<s:AttributeValue xmlns:xsi="{_XS}-instance" xsi:type="xs:string">&#228;</s:AttributeValue>'
    "</s:Assertion>"
)


@pytest.mark.parametrize("form", ["bytes", "element", "child"])
def test_saml_assertion_keeps_its_namespaces(pairs: Pairs, form: str) -> None:
    """The envelope declares the same namespace with another prefix, which lxml would prefer."""
    assertion: Any = _TYPED.encode()
    if form == "element":
        assertion = etree.fromstring(assertion)
    if form == "child":  # of a response of a token service, which declares the prefix
        bare = _TYPED.replace(f' xmlns:xs="{_XS}"', "")
        assertion = etree.fromstring(f'<r xmlns:xs="{_XS}">{bare}tail</r>'.encode())[0]
    parts = ("Body", "SamlAssertion", "Timestamp", "Header")
    message = secured([Timestamp(), SamlToken(assertion), Signature(pairs["client"], parts=parts)])
    node = one(message, ".//{*}Assertion")
    before = etree.fromstring(_TYPED.encode())
    form_of: Any = {"method": "c14n", "exclusive": True, "inclusive_ns_prefixes": ["xs"]}
    assert etree.tostring(node, **form_of) == etree.tostring(before, **form_of)
    Verify(trust=pairs["client"].certificate, signed=parts).check(message, NOW)
    assert names(message) == names(envelope())


def test_issuer_that_is_no_authority_is_refused(pairs: Pairs) -> None:
    """The certificate in the middle is trusted for messages, but may not issue certificates."""
    middle = pairs["leaf"]
    below = issue("below", pairs["other"].key, issuer=middle)
    rules = Authorities(pairs["authority"].certificate, lambda _: True)
    rules.check(middle.certificate, [], NOW)
    with pytest.raises(SecurityError, match="no trusted authority has issued the certificate of CN=below"):
        rules.check(below.certificate, [middle.certificate], NOW)


@pytest.mark.parametrize("name", ["CN=a=b,,", "no name", "", "CN=client,1.x=2"])
def test_issuer_name_that_cannot_be_read_matches_no_certificate(pairs: Pairs, name: str) -> None:
    message = secured([Timestamp(), Signature(pairs["client"], token="issuer-serial")])
    (issuer,) = message.iter("{http://www.w3.org/2000/09/xmldsig#}X509IssuerName")
    issuer.text = name
    with pytest.raises(SecurityError, match="the message does not contain its certificate") as caught:
        Verify(trust=pairs["client"].certificate).check(message, NOW)
    assert caught.value.code == "untrusted"
