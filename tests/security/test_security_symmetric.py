"""Symmetric binding: one key for a request and its response, derived keys, and attacks on both."""

from __future__ import annotations

import base64
import copy
import hashlib
import hmac
import itertools
from collections.abc import Callable
from typing import Any

import pytest
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import padding, rsa
from lxml import etree

from soapclient.errors import ConfigError, SecurityError
from soapclient.security import (
    LEGACY,
    Algorithms,
    Block,
    Encryption,
    KeyPair,
    Message,
    Security,
    Signature,
    SymmetricBinding,
    Timestamp,
    UsernameToken,
    Verify,
)
from soapclient.security._derived_keys import p_sha1, read_derived_key
from tests.security.conftest import NOW, ORDERS, SOAP_11, SOAP_12, envelope, names, sent
from tests.security.tampering import (
    DS,
    EVIL,
    MORE,
    WSC,
    WSSE,
    WSSE11,
    WSU,
    XENC,
    Element,
    Pairs,
    body,
    canonical,
    change_body,
    header,
    moved,
    one,
    security,
    signature,
    wrapper,
)

WSC05 = "{http://schemas.xmlsoap.org/ws/2005/02/sc}"


class Exchange:
    """A client and a service that share a key."""

    def __init__(self, pairs: Pairs, *, confirmation: bool = False, **options: Any) -> None:
        blocks: list[Block] = [Timestamp(), UsernameToken("me", "a password")]
        parts = ("Body", "Timestamp", "UsernameToken")
        encrypt = options.pop("encrypt", ("Body", "UsernameToken"))
        legacy: Any = {"algorithms": LEGACY}
        self.client = Security(
            [*blocks, SymmetricBinding(pairs["server"].certificate, parts=parts, encrypt=encrypt, **options)],
            verify=Verify(symmetric="response", encrypted=bool(encrypt), confirmation=confirmation, **legacy),
            now=lambda: NOW,
        )
        answer = ("Body", "Timestamp", "SignatureConfirmation") if confirmation else ("Body", "Timestamp")
        self.confirmation = _Confirmation()
        own: list[Block] = [self.confirmation] if confirmation else []
        options.pop("token", None)
        self.service = Security(
            [
                Timestamp(),
                *own,
                SymmetricBinding(parts=answer, encrypt=("Body",) if encrypt else (), **options),
            ],
            verify=Verify(
                symmetric="request", signed=parts, decrypt=pairs["server"], encrypted=bool(encrypt), **legacy
            ),
            now=lambda: NOW,
        )

    def request(self, soap: str = SOAP_11) -> Element:
        return sent(self.client.apply(envelope(soap), {})[0])

    def response(self, request: Element, soap: str = SOAP_11) -> Element:
        value = request.findtext(f".//{DS}SignatureValue") or ""
        self.service.verify(request)
        self.confirmation.value = value
        return sent(self.service.apply(envelope(soap), {})[0])

    def exchanged(self) -> Element:
        """Return the response to a request."""
        return self.response(self.request())


class _Confirmation(Block):
    """SignatureConfirmation of a service."""

    value = ""

    def add(self, message: Message, now: object, /) -> None:
        node = etree.SubElement(message.ensure_security(), f"{WSSE11}SignatureConfirmation")
        node.set("Value", self.value)
        node.set(f"{WSU}Id", "confirmation")


def opened_by_hand(message: Element, pair: KeyPair) -> bytes:
    """Return the secret of the EncryptedKey, with cryptography alone."""
    value = message.findtext(f".//{XENC}EncryptedKey/{XENC}CipherData/{XENC}CipherValue") or ""
    assert isinstance(pair.key, rsa.RSAPrivateKey)
    oaep = padding.OAEP(padding.MGF1(hashes.SHA1()), hashes.SHA1(), None)
    return pair.key.decrypt(base64.b64decode(value), oaep)


_OPTIONS: list[dict[str, Any]] = [
    {"derived_keys": derived, "encrypt_first": first, "encrypt": encrypt}
    for derived, (first, encrypt) in itertools.product(
        (True, False), [(False, ("Body", "UsernameToken")), (False, ()), (True, ("Body",)), (True, ())]
    )
]
_OPTIONS += [
    {"version": "2005-02"},
    {"token": "binary"},
    {"algorithms": Algorithms("sha1", "aes128-cbc", "rsa-1.5")},
    {"algorithms": Algorithms("sha512", "aes192-gcm"), "token": "ski"},
    {"confirmation": True},
]


@pytest.mark.parametrize("soap", [SOAP_11, SOAP_12])
@pytest.mark.parametrize("options", _OPTIONS, ids=str)
def test_request_and_response_share_a_key(pairs: Pairs, options: dict[str, Any], soap: str) -> None:
    exchange = Exchange(pairs, **options)
    request = exchange.request(soap)
    is_encrypted = options.get("encrypt", True) != ()
    assert (b"getOrders" in etree.tostring(request)) is not is_encrypted
    hides_user = "UsernameToken" in options.get("encrypt", ["UsernameToken"])
    assert (b"a password" in etree.tostring(request)) is not hides_user
    response = exchange.response(request, soap)
    assert names(request) == names(envelope())
    assert request.findtext(f".//{WSSE}Password") == "a password"
    assert (b"getOrders" in etree.tostring(response)) is not is_encrypted
    assert response.find(f".//{XENC}EncryptedKey") is None
    exchange.client.verify(response)
    assert names(response) == names(envelope())


def test_response_with_the_key_of_another_request_is_refused(pairs: Pairs) -> None:
    exchange = Exchange(pairs)
    old = exchange.exchanged()
    exchange.request()
    with pytest.raises(SecurityError) as caught:
        exchange.client.verify(old)
    assert caught.value.code == "untrusted"


# ---- worked out by other means


@pytest.mark.parametrize(("version", "namespace"), [("2005-12", WSC), ("2005-02", WSC05)])
def test_signature_is_an_hmac_with_the_derived_key(pairs: Pairs, version: Any, namespace: str) -> None:
    request = Exchange(pairs, encrypt=(), version=version).request()
    token = one(security(request), f"{namespace}DerivedKeyToken")
    nonce = base64.b64decode(token.findtext(f"{namespace}Nonce") or "")
    assert (token.findtext(f"{namespace}Offset"), token.findtext(f"{namespace}Length")) == ("0", "24")
    seed = b"WS-SecureConversation" * 2 + nonce
    secret = opened_by_hand(request, pairs["server"])
    first = hmac.new(secret, seed, "sha1").digest()
    second = hmac.new(secret, first, "sha1").digest()
    key = b"".join(hmac.new(secret, item + seed, "sha1").digest() for item in (first, second))[:24]
    info = one(signature(request), f"{DS}SignedInfo")
    assert one(info, f"{DS}SignatureMethod").get("Algorithm") == f"{MORE}hmac-sha256"
    expected = hmac.new(key, canonical(info), "sha256").digest()
    assert base64.b64decode(one(signature(request), f"{DS}SignatureValue").text or "") == expected


def test_response_names_the_key_by_its_hash(pairs: Pairs) -> None:
    exchange = Exchange(pairs, derived_keys=False)
    request = exchange.request()
    value = request.findtext(f".//{XENC}EncryptedKey/{XENC}CipherData/{XENC}CipherValue") or ""
    expected = base64.b64encode(hashlib.sha1(base64.b64decode(value)).digest()).decode()
    identifiers = list(exchange.response(request).iter(f"{WSSE}KeyIdentifier"))
    assert [node.text for node in identifiers] == [expected, expected]
    assert {(node.get("ValueType") or "").rpartition("#")[2] for node in identifiers} == {"EncryptedKeySHA1"}


# ---- attacks: each changes a valid response, and must be refused

Attack = Callable[[Element, Element, Pairs], Element]
ATTACKS: dict[str, Attack] = {
    "request sent back": lambda response, request, pairs: request,
    "text changed": lambda response, request, pairs: change_body(response),
    "body moved": lambda response, request, pairs: moved(response, wrapper),
    "body moved and its Id copied": lambda response, request, pairs: moved(
        response, wrapper, wsu_Id=body(response).get(f"{WSU}Id") or ""
    ),
}


def attack(function: Attack) -> Attack:
    ATTACKS[function.__name__.replace("_", " ")] = function
    return function


def token_of(message: Element) -> Element:
    return one(security(message), f"{WSC}DerivedKeyToken")


def _changed(change: Callable[[Element], object]) -> Attack:
    def changed(response: Element, request: Element, pairs: Pairs) -> Element:
        change(response)
        return response

    return changed


def _method(response: Element) -> Element:
    return one(signature(response), f".//{DS}SignatureMethod")


ATTACKS |= {
    "key info without a reference": _changed(lambda root: one(signature(root), f"{DS}KeyInfo").clear()),
    "hmac sha1": _changed(lambda root: _method(root).set("Algorithm", f"{DS[1:-1]}hmac-sha1")),
    "signed by a certificate": _changed(lambda root: _method(root).set("Algorithm", f"{MORE}rsa-sha256")),
    "algorithm of derivation changed": _changed(lambda root: token_of(root).set("Algorithm", "urn:x:none")),
    "derived key moved": _changed(lambda root: wrapper(root).append(token_of(root))),
    "signature removed": _changed(lambda root: security(root).remove(signature(root))),
    "key of another exchange": lambda response, request, pairs: Exchange(pairs).exchanged(),
    "key encrypted for the service": lambda response, request, pairs: by_anybody(
        SymmetricBinding(pairs["server"].certificate)
    ),
    # Everybody can encrypt a key for the client and sign with it.
    "key encrypted for the client": lambda response, request, pairs: by_anybody(
        SymmetricBinding(pairs["client"].certificate), EVIL
    ),
    "only encrypted": lambda response, request, pairs: by_anybody(Encryption(pairs["client"].certificate)),
}


def by_anybody(block: Block, content: str = "") -> Element:
    """Return a message that a stranger secures, with other content in its body if it is given."""
    message = envelope()
    if content:
        body(message)[:] = [etree.fromstring(content)]
    return sent(Security([Timestamp(), block], now=lambda: NOW).apply(message, {})[0])


def set_child(token: Element, name: str, text: str) -> None:
    node = token.find(f"{WSC}{name}")
    (etree.SubElement(token, f"{WSC}{name}") if node is None else node).text = text


def _child(name: str, text: str) -> Attack:
    return _changed(lambda response: set_child(token_of(response), name, text))


for _name, _text in (
    ("Nonce", base64.b64encode(bytes(16)).decode()),
    ("Nonce", ""),
    ("Nonce", base64.b64encode(bytes(10_000)).decode()),
    ("Length", "0"),
    ("Length", "16"),
    ("Length", "-1"),
    ("Length", "9" * 5000),
    ("Offset", "20"),
    ("Offset", "1000000000"),
    ("Generation", "1"),
    ("Label", "x" * 10_000),
    ("Properties", ""),
):
    ATTACKS[f"{_name} {_text[:24]!r} {len(_text)}"] = _child(_name, _text)


@attack
def hmac_of_no_bits(response: Element, request: Element, pairs: Pairs) -> Element:
    etree.SubElement(_method(response), f"{DS}HMACOutputLength").text = "0"
    one(signature(response), f"{DS}SignatureValue").text = ""
    return response


@attack
def hmac_shortened(response: Element, request: Element, pairs: Pairs) -> Element:
    node = one(signature(response), f"{DS}SignatureValue")
    node.text = base64.b64encode(base64.b64decode(node.text or "")[:1]).decode()
    return response


@attack
def derived_from_itself(response: Element, request: Element, pairs: Pairs) -> Element:
    token = token_of(response)
    holder = one(token, f"{WSSE}SecurityTokenReference")
    holder.clear()
    etree.SubElement(holder, f"{WSSE}Reference").set("URI", "#" + (token.get(f"{WSU}Id") or ""))
    return response


@attack
def signature_of_the_request_over_the_response(response: Element, request: Element, pairs: Pairs) -> Element:
    """The key is the same, and so are the Ids that the attacker writes."""
    security(response).replace(signature(response), copy.deepcopy(signature(request)))
    for node in security(request).iter(f"{WSC}DerivedKeyToken"):
        security(response).insert(0, copy.deepcopy(node))
    return response


@pytest.mark.parametrize("encrypt", [("Body", "UsernameToken"), ()], ids=["encrypted", "signed"])
@pytest.mark.parametrize("name", ATTACKS)
def test_attack_on_a_response_is_refused(pairs: Pairs, name: str, encrypt: Any) -> None:
    exchange = Exchange(pairs, encrypt=encrypt)
    exchange.client.verify_rules = Verify(symmetric="response")
    request = exchange.request()
    response = exchange.response(copy.deepcopy(request))
    exchange.client.verify(copy.deepcopy(response))
    if not encrypt or name not in ("text changed",):
        response = ATTACKS[name](response, request, pairs)
    else:
        one(body(response), f".//{XENC}CipherValue").text = base64.b64encode(bytes(200)).decode()
    with pytest.raises(SecurityError) as caught:
        exchange.client.verify(sent(response))
    assert len(str(caught.value)) < 1500


@pytest.mark.parametrize("encrypt", [("Body",), ()], ids=["encrypted", "signed"])
def test_request_that_is_sent_back_is_not_its_response(pairs: Pairs, encrypt: Any) -> None:
    client = Security(
        [Timestamp(), SymmetricBinding(pairs["server"].certificate, encrypt=encrypt, derived_keys=False)],
        verify=Verify(symmetric="response"),
        now=lambda: NOW,
    )
    request = sent(client.apply(envelope(), {})[0])
    key = one(security(request), f"{XENC}EncryptedKey")
    identifier = hashlib.sha1(base64.b64decode(key.findtext(f".//{XENC}CipherValue") or "")).digest()
    security(request).remove(key)
    for link in list(request.iter(f"{WSSE}Reference")):  # named as responses name it
        holder = link.getparent()
        assert holder is not None
        holder.remove(link)
        node = etree.SubElement(holder, f"{WSSE}KeyIdentifier")
        node.set(
            "ValueType", "http://docs.oasis-open.org/wss/oasis-wss-soap-message-security-1.1#EncryptedKeySHA1"
        )
        node.text = base64.b64encode(identifier).decode()
    with pytest.raises(SecurityError, match="repeats the signature of the request"):
        client.verify(sent(request))


def test_parameters_of_an_hmac_are_refused_from_the_owner_of_the_key(pairs: Pairs) -> None:
    exchange = Exchange(pairs, derived_keys=False, encrypt=())
    response = exchange.exchanged()
    info = one(signature(response), f"{DS}SignedInfo")
    etree.SubElement(one(info, f"{DS}SignatureMethod"), f"{DS}HMACOutputLength").text = "256"
    shared = exchange.service._exchange().shared
    assert shared is not None
    value = hmac.new(shared.secret, canonical(info), "sha256").digest()
    one(signature(response), f"{DS}SignatureValue").text = base64.b64encode(value).decode()
    with pytest.raises(SecurityError, match="parameters of SignatureMethod"):
        exchange.client.verify(response)


@pytest.mark.parametrize(
    ("name", "text", "problem"),
    [
        ("Nonce", base64.b64encode(bytes(15)).decode(), "too short or too long"),
        ("Nonce", base64.b64encode(bytes(129)).decode(), "too short or too long"),
        ("Label", "x" * 201, "too short or too long"),
        ("Length", "15", "too short or too long"),
        ("Length", "65", "Length of a DerivedKeyToken must be a number from 0 to 64"),
        ("Offset", "1025", "Offset of a DerivedKeyToken must be a number from 0 to 1024"),
        ("Generation", "1", "both an Offset and a Generation"),
        ("Properties", "", "unknown element"),
    ],
)
def test_derived_keys_have_limits(pairs: Pairs, name: str, text: str, problem: str) -> None:
    token = token_of(Exchange(pairs).request())
    set_child(token, name, text)
    with pytest.raises(SecurityError, match=problem):
        read_derived_key(token, b"secret")


def test_generation_and_label_of_a_derived_key() -> None:
    token = etree.Element(f"{WSC}DerivedKeyToken")
    nonce = base64.b64encode(bytes(16)).decode()
    for name, text in (("Generation", "2"), ("Length", "20"), ("Label", "a"), ("Nonce", nonce)):
        set_child(token, name, text)
    assert read_derived_key(token, b"secret") == p_sha1(b"secret", b"a" + bytes(16), 60)[40:]


def test_failures_with_a_wrong_key_are_the_same(pairs: Pairs) -> None:
    """An attacker who changes the encrypted key learns nothing from the error."""
    problems = set()
    for change in (
        lambda data: bytes(len(data)),
        lambda data: data[:-1] + bytes([data[-1] ^ 1]),
        lambda data: b"x",
    ):
        exchange = Exchange(pairs, algorithms=Algorithms("sha256", "aes256-cbc", "rsa-1.5"))
        request = exchange.request()
        node = one(request, f".//{XENC}EncryptedKey/{XENC}CipherData/{XENC}CipherValue")
        node.text = base64.b64encode(change(base64.b64decode(node.text or ""))).decode()
        with pytest.raises(SecurityError) as caught:
            exchange.service.verify(request)
        problems.add((caught.value.code, caught.value.problem))
    assert problems == {("decryption", "an encrypted part could not be decrypted")}


def test_response_to_a_refused_request_has_no_key(pairs: Pairs) -> None:
    exchange = Exchange(pairs)
    exchange.exchanged()
    with pytest.raises(SecurityError):
        exchange.service.verify(envelope())
    with pytest.raises(ConfigError, match="no request with a key was verified"):
        exchange.service.apply(envelope(), {})


def _any(**arguments: Any) -> Any:
    return arguments


TO = "{http://www.w3.org/2005/08/addressing}To"


def encrypted_first(pairs: Pairs, signed: str, encrypted: str) -> list[Block]:
    """Return blocks that encrypt a part before they sign a part."""
    return [
        Timestamp(),
        Encryption(pairs["server"].certificate, ["Body", encrypted]),
        Signature(pairs["client"], parts=["Body", signed]),
    ]


@pytest.mark.parametrize(
    "names", [("Body", "Body"), ("Header", TO), ("Timestamp", "UsernameToken"), (TO, TO + "x"), (TO, "Body")]
)
def test_parts_may_be_encrypted_before_others_are_signed(pairs: Pairs, names: tuple[str, str]) -> None:
    assert len(Security(encrypted_first(pairs, *names)).blocks) == 3


@pytest.mark.parametrize(
    ("make", "problem"),
    [
        (lambda pairs: SymmetricBinding(pairs["curve"].certificate), "has no RSA key"),
        (lambda pairs: SymmetricBinding(parts=["Bdy"]), "not a part"),
        (lambda pairs: SymmetricBinding(encrypt=["Bdy"]), "not a part"),
        (lambda pairs: SymmetricBinding(parts=[]), "must name a part"),
        (
            lambda pairs: SymmetricBinding(encrypt_first=True, parts=["Header"], encrypt=["Header"]),
            "cannot be both encrypted and signed",
        ),
        (
            lambda pairs: SymmetricBinding(encrypt_first=True, parts=[TO], encrypt=["Addressing"]),
            "cannot be both encrypted and signed",
        ),
        *(
            (lambda pairs, names=names: Security(encrypted_first(pairs, *names)), "has encrypted it")
            for names in (
                (TO, TO),
                ("Addressing", TO),
                (TO, "Header"),
                (TO, TO[:-2] + "*"),
                ("Timestamp",) * 2,
            )
        ),
        (lambda pairs: SymmetricBinding(**_any(version="2004")), "must be 2005-02 or 2005-12"),
        (lambda pairs: Verify(**_any(symmetric="both")), "must be 'request' or 'response'"),
        (lambda pairs: Verify(symmetric="request"), "is required for symmetric='request'"),
        (lambda pairs: Verify(symmetric="response", trust=pairs["server"].certificate), "must be omitted"),
        (lambda pairs: Verify(symmetric="response", decrypt=pairs["client"]), "must be omitted"),
        (lambda pairs: Security([SymmetricBinding(), Timestamp()]), "comes later"),
        (
            lambda pairs: Security([SymmetricBinding(encrypt=["UsernameToken"]), UsernameToken("a", "b")]),
            "later",
        ),
    ],
)
def test_invalid_arguments_are_refused(pairs: Pairs, make: Any, problem: str) -> None:
    with pytest.raises(ConfigError, match=problem):
        make(pairs)


def test_key_is_not_shown(pairs: Pairs) -> None:
    exchange = Exchange(pairs)
    exchange.exchanged()
    text = repr(exchange.client) + repr(exchange.service) + repr(exchange.service._exchange())
    assert "SymmetricBinding(for CN=server" in text
    assert "secret" not in text
    assert ORDERS not in text
    assert header(exchange.request()) is not None
