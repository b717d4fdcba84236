"""Messages that are sent again, and signed tokens behind an STR-Transform that are moved."""

from __future__ import annotations

import base64
import copy
import hashlib
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from lxml import etree

from soapclient.errors import ConfigError, SecurityError
from soapclient.security import (
    Block,
    Replays,
    SamlToken,
    SecurityKeys,
    Signature,
    SymmetricBinding,
    Timestamp,
    UsernameToken,
    Verify,
)
from soapclient.soap.packages import package_of
from tests.security.conftest import NOW, SOAP_11, refusal, secured, sent
from tests.security.policies import (
    CONFIRM,
    DIGEST,
    SIGN_BODY,
    asymmetric,
    keys_of,
    package,
    policy,
    supporting,
    symmetric,
    user,
)
from tests.security.tampering import (
    C14N,
    DS,
    WSSE,
    WSU,
    Element,
    Pairs,
    body,
    canonical,
    one,
    security,
    signature,
    signed_again,
    wrapper,
)

MINUTE = timedelta(minutes=1)
USER = UsernameToken("me", "p", digest=True)


def accepts(rules: Verify, message: Element, minutes: float = 0) -> bool:
    """Return False if a copy of the message is refused as one that was received before."""
    try:
        rules.check(copy.deepcopy(message), NOW + minutes * MINUTE)
    except SecurityError as error:
        if error.code != "replay":
            raise
        return False
    return True


def _blocks(pairs: Pairs, kind: str) -> list[Block]:
    signature = Signature(pairs["server"], parts=["Body", "Timestamp", "UsernameToken"])
    blocks: dict[str, list[Block]] = {
        "signed": [Timestamp(), signature],
        "signed by a curve": [Timestamp(), Signature(pairs["curve"])],
        "signed user": [Timestamp(), USER, signature],
        "user": [USER],
        "symmetric": [Timestamp(), SymmetricBinding(pairs["client"].certificate)],
    }
    return blocks[kind]


def _rules(pairs: Pairs, kind: str, **options: Any) -> Verify:
    options = {"replay": Replays()} | options
    if kind == "symmetric":
        return Verify(symmetric="request", decrypt=pairs["client"], **options)
    if kind == "user":
        return Verify(decrypt=pairs["client"], **options)
    return Verify(trust=[pairs["server"].certificate, pairs["curve"].certificate], **options)


@pytest.mark.parametrize("kind", ["signed", "signed by a curve", "signed user", "user", "symmetric"])
def test_message_is_accepted_once(pairs: Pairs, kind: str) -> None:
    rules = _rules(pairs, kind)
    first, second = (secured(_blocks(pairs, kind)) for _ in range(2))
    assert accepts(rules, first)
    assert not accepts(rules, first)
    assert not accepts(rules, first, minutes=5.9)
    assert accepts(rules, second)
    with pytest.raises(SecurityError) as caught:  # forgotten, but too old
        rules.check(first, NOW + 7 * MINUTE)
    assert caught.value.code == "expired"


def test_curve_signature_in_another_form_is_the_same_message(pairs: Pairs) -> None:
    """With r and s, r and n - s are a valid signature, too."""
    rules = _rules(pairs, "signed by a curve")
    message = secured(_blocks(pairs, "signed by a curve"))
    assert accepts(rules, message)
    node = one(signature(message), f"{DS}SignatureValue")
    value = base64.b64decode(node.text or "")
    order = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551  # of P-256
    other = value[:32] + (order - int.from_bytes(value[32:])).to_bytes(32)
    node.text = base64.b64encode(other).decode()
    _rules(pairs, "signed by a curve").check(copy.deepcopy(message), NOW)
    assert not accepts(rules, message)


def test_nonce_cannot_be_used_in_another_message(pairs: Pairs) -> None:
    rules = _rules(pairs, "user")
    message = secured([USER])
    assert accepts(rules, message)
    one(body(message), ".//{*}name").text = "another"
    one(message, f".//{WSSE}Nonce").text = " " + (one(message, f".//{WSSE}Nonce").text or "") + "\n"
    assert not accepts(rules, message)


@pytest.mark.parametrize(
    "change",
    [
        lambda token: token.remove(one(token, f"{WSSE}Nonce")),
        lambda token: token.remove(one(token, f"{WSU}Created")),
    ],
)
def test_user_without_a_nonce_or_a_time_is_refused(pairs: Pairs, change: Callable[[Element], None]) -> None:
    message = secured([USER])
    change(one(security(message), f"{WSSE}UsernameToken"))
    assert not accepts(_rules(pairs, "user"), message)


def test_each_user_needs_a_nonce(pairs: Pairs) -> None:
    message = secured([USER, UsernameToken("root", "p")])
    assert not accepts(_rules(pairs, "user"), message)


def test_message_without_anything_to_remember_is_refused(pairs: Pairs) -> None:
    assert not accepts(_rules(pairs, "user"), secured([Timestamp()]))


@pytest.mark.parametrize(("minutes", "code"), [(7, "expired"), (-2, "future")])
def test_nonce_of_another_time_is_refused(pairs: Pairs, minutes: int, code: str) -> None:
    assert refusal(_rules(pairs, "user"), secured([USER]), NOW + minutes * MINUTE).code == code


def test_refused_message_is_not_remembered(pairs: Pairs) -> None:
    """Otherwise, an attacker could block a message by sending a changed copy first."""
    rules = _rules(pairs, "signed user")
    message = secured(_blocks(pairs, "signed user"))
    changed = copy.deepcopy(message)
    one(body(changed), ".//{*}name").text = "another"
    with pytest.raises(SecurityError):
        rules.check(changed, NOW)
    assert accepts(rules, message)


def test_full_memory_refuses_until_messages_expire(pairs: Pairs) -> None:
    rules = _rules(pairs, "signed", replay=Replays(2))
    messages = [secured(_blocks(pairs, "signed")) for _ in range(3)]
    assert [accepts(rules, item) for item in messages] == [True, True, False]
    assert not accepts(rules, messages[0])
    later = secured(_blocks(pairs, "signed"), at=NOW + 10 * MINUTE)
    assert accepts(rules, later, minutes=10)


def test_one_of_many_threads_has_a_message_accepted(pairs: Pairs) -> None:
    replays, start = Replays(), threading.Barrier(8)

    def is_accepted(_: int) -> bool:
        start.wait()
        try:
            replays.add([b"value"], NOW, NOW)
        except SecurityError:
            return False
        return True

    with ThreadPoolExecutor(8) as threads:
        assert list(threads.map(is_accepted, range(8))).count(True) == 1


@pytest.mark.parametrize(
    "make",
    [
        lambda pairs: Replays(0),
        lambda pairs: _rules(pairs, "user", replay=True),
        lambda pairs: _rules(pairs, "user", max_age=None),
        lambda pairs: _rules(pairs, "user", max_age=0),
    ],
)
def test_invalid_arguments_are_refused(pairs: Pairs, make: Callable[[Pairs], object]) -> None:
    with pytest.raises(ConfigError):
        make(pairs)


# ---- STR-Transform

STR = "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-soap-message-security-1.0#STR-Transform"
SAML = "{urn:oasis:names:tc:SAML:2.0:assertion}"
ASSERTION = (
    b'<saml2:Assertion xmlns:saml2="urn:oasis:names:tc:SAML:2.0:assertion" ID="assertion-1" Version="2.0">'
    b"<saml2:Subject>me</saml2:Subject></saml2:Assertion>"
)
SIGNED = ("Body", "Timestamp", "BinarySecurityToken")


def with_str(pairs: Pairs, token: str = "BinarySecurityToken", *, by_id: bool = False) -> Element:
    """Return a message whose signature covers a token by an STR-Transform, worked out by hand."""
    blocks: list[Block] = [Timestamp(), SamlToken(ASSERTION), Signature(pairs["server"])]
    message = secured(blocks)
    info = one(signature(message), f"{DS}SignedInfo")
    if token == "BinarySecurityToken":
        target = one(security(message), f"{WSSE}BinarySecurityToken")
        holder = one(signature(message), f"{DS}KeyInfo/{WSSE}SecurityTokenReference")
    else:
        target = one(security(message), f"{SAML}Assertion")
        holder = etree.SubElement(security(message), f"{WSSE}SecurityTokenReference")
        if by_id:
            node = etree.SubElement(holder, f"{WSSE}KeyIdentifier")
            node.set("ValueType", "http://docs.oasis-open.org/wss/oasis-wss-saml-token-profile-1.1#SAMLID")
            node.text = "assertion-1"
        else:
            etree.SubElement(holder, f"{WSSE}Reference").set("URI", "#assertion-1")
    holder.set(f"{WSU}Id", "str-1")
    # SOAP Message Security 1.1, 8.3: a canonical token without a default namespace gets an empty one.
    data = canonical(target)
    name, _, rest = data.partition(b" ")
    reference = copy.deepcopy(one(info, f"{DS}Reference"))
    reference.set("URI", "#str-1")
    transform = one(reference, f"{DS}Transforms/{DS}Transform")
    transform.set("Algorithm", STR)
    parameters = etree.SubElement(transform, f"{WSSE}TransformationParameters")
    etree.SubElement(parameters, f"{DS}CanonicalizationMethod").set("Algorithm", C14N)
    one(reference, f"{DS}DigestValue").text = base64.b64encode(
        hashlib.sha256(name + b' xmlns="" ' + rest).digest()
    ).decode()
    info.append(reference)
    return signed_again(message, pairs)


def check(message: Element, pairs: Pairs, *signed: str) -> list[Element]:
    return Verify(trust=pairs["server"].certificate, signed=signed or SIGNED).check(sent(message), NOW)


def test_token_behind_an_str_transform_is_signed(pairs: Pairs) -> None:
    assert {etree.QName(node).localname for node in check(with_str(pairs), pairs)} == {*SIGNED}
    for by_id in (False, True):
        message = with_str(pairs, "Assertion", by_id=by_id)
        covered = check(message, pairs, "Body", "Timestamp", "SamlAssertion")
        assert covered[-1].tag == f"{SAML}Assertion"


def _new_assertion(message: Element, name: str = "assertion-2") -> Element:
    node = etree.fromstring(ASSERTION.replace(b">me<", b">admin<").replace(b"assertion-1", name.encode()))
    security(message).append(node)
    return node


def _moved(message: Element, place: Element) -> None:
    place.append(one(security(message), f"{SAML}Assertion"))
    _new_assertion(message)


def _reference(message: Element) -> Element:
    return one(message, f".//*[@{WSU}Id='str-1']")


def _pointing(uri: Callable[[Element], str]) -> Callable[[Element], None]:
    return lambda message: _reference(message)[0].set("URI", uri(message))


def _transform(message: Element, change: Callable[[Element], object]) -> None:
    change(next(node for node in message.iter(f"{DS}Transform") if node.get("Algorithm") == STR))


_INCLUSIVE = "http://www.w3.org/TR/2001/REC-xml-c14n-20010315"
# Attacks on a message whose signature covers an assertion. Those with True sign the message again with the
# key of the service: they test what a signature may say.
STR_ATTACKS: dict[str, tuple[Callable[[Element], object], bool]] = {
    "assertion moved into a header": (lambda m: _moved(m, wrapper(m)), False),
    "assertion moved into the body": (lambda m: _moved(m, body(m)), False),
    "assertion moved into the signature": (
        lambda m: _moved(m, etree.SubElement(signature(m), f"{DS}Object")),
        False,
    ),
    "assertion changed": (lambda m: setattr(one(security(m), f".//{SAML}Subject"), "text", "x"), False),
    "second assertion": (_new_assertion, False),
    "reference to a second assertion": (
        _pointing(lambda m: "#" + (_new_assertion(m).get("ID") or "")),
        False,
    ),
    "reference moved into the body": (lambda m: body(m).append(_reference(m)), True),
    "reference moved into a header": (lambda m: wrapper(m).append(_reference(m)), False),
    "reference to the body": (_pointing(lambda m: "#" + (body(m).get(f"{WSU}Id") or "")), True),
    "reference to itself": (_pointing(lambda m: "#str-1"), True),
    "reference to another document": (_pointing(lambda m: "file:///etc/passwd"), True),
    "reference with two children": (lambda m: _reference(m).append(etree.Element(f"{WSSE}Embedded")), True),
    "not a reference": (lambda m: setattr(_reference(m), "tag", f"{WSSE}Embedded"), True),
    "no canonicalization": (lambda m: _transform(m, lambda node: node.remove(node[0])), True),
    "inclusive canonicalization": (
        lambda m: _transform(m, lambda node: node[0][0].set("Algorithm", _INCLUSIVE)),
        True,
    ),
    "another transform after it": (
        lambda m: _transform(m, lambda node: node.addnext(etree.Element(f"{DS}Transform", Algorithm=C14N))),
        True,
    ),
    "same Id twice": (lambda m: _new_assertion(m, "assertion-1"), False),
}


@pytest.mark.parametrize("name", STR_ATTACKS)
def test_attack_on_a_token_behind_an_str_transform_is_refused(pairs: Pairs, name: str) -> None:
    message = with_str(pairs, "Assertion")
    change, again = STR_ATTACKS[name]
    change(message)
    if again:
        message = signed_again(message, pairs)
    with pytest.raises(SecurityError):
        check(message, pairs, "Body", "Timestamp", "SamlAssertion")


def test_assertion_that_may_be_absent_cannot_be_hidden(pairs: Pairs) -> None:
    """Its signature stays valid if it is moved, and the message seems to have no assertion."""
    rules = Verify(trust=pairs["server"].certificate, signed_if_present=["SamlAssertion"])
    message = with_str(pairs, "Assertion")
    rules.check(copy.deepcopy(message), NOW)
    etree.SubElement(signature(message), f"{DS}Object").append(one(security(message), f"{SAML}Assertion"))
    with pytest.raises(SecurityError, match="must refer to"):
        rules.check(message, NOW)


def test_reference_may_be_at_another_place_of_the_security_header(pairs: Pairs) -> None:
    """The signature covers the token, not the reference."""
    message = with_str(pairs, "Assertion")
    security(message).insert(0, _reference(message))
    check(message, pairs, "Body", "Timestamp", "SamlAssertion")


# ---- by the policy of a service

WITH_NONCE = user("<sp13:Nonce/>", "<sp13:Created/>").replace(
    "<sp:UsernameToken",
    '<sp:UsernameToken xmlns:sp13="http://docs.oasis-open.org/ws-sx/ws-securitypolicy/200802"',
)
BY_POLICY = {  # policy: whether a response belongs to one request without being remembered
    "signed": (policy(asymmetric(), SIGN_BODY), False),
    "confirmed": (policy(asymmetric(), SIGN_BODY, CONFIRM), True),
    "symmetric": (policy(symmetric(), SIGN_BODY), True),
    "digest": (policy(supporting("", DIGEST)), None),
    "nonce": (policy(supporting("", WITH_NONCE)), None),
}


def shop_envelope(content: str = "<t:Buy><t:article>A</t:article></t:Buy>") -> Element:
    return etree.fromstring(
        f'<e:Envelope xmlns:e="{SOAP_11}" xmlns:t="urn:example:shop"><e:Body>{content}</e:Body></e:Envelope>'
    )


@pytest.mark.parametrize("name", BY_POLICY)
def test_policy_accepts_a_message_once(tmp_path: Path, pairs: Pairs, name: str) -> None:
    text, is_tied = BY_POLICY[name]
    clock = [NOW]
    with package(tmp_path, binding=text) as shop:
        contract = package_of(getattr(shop, shop.__all__[0]))
        port = contract.settings.ports[0]
        more: Any = {"user": "ada", "password": "secret-1", "now": lambda: clock[0]}
        keys = keys_of(pairs, "client", "server", **more)
        service_keys = keys_of(pairs, "server", "client", **more)
        client = keys.for_port(contract, port)
        request = sent(client.apply(shop_envelope(), {})[0])
        service = service_keys.for_service(contract, [port])
        service.verify(copy.deepcopy(request))
        clock[0] += timedelta(minutes=6)  # the last moment at which the message is fresh
        with pytest.raises(SecurityError, match="received before"):
            service_keys.for_service(contract, [port]).verify(copy.deepcopy(request))
        clock[0] += timedelta(minutes=1)
        with pytest.raises(SecurityError, match="it is 2026-11-20 12:07"):
            service_keys.for_service(contract, [port]).verify(copy.deepcopy(request))
        if is_tied is None:  # nothing proves who sent a response
            return
        clock[0] = NOW
        response = sent(service.apply(shop_envelope("<t:BuyResponse/>"), {})[0])
        client.verify(copy.deepcopy(response))
        client.apply(shop_envelope(), {})
        problem = "confirm|shared key|sign" if is_tied else "received before"
        with pytest.raises(SecurityError, match=problem):
            client.verify(response)


def test_mock_requires_the_nonce_of_the_policy(tmp_path: Path, pairs: Pairs) -> None:
    with package(tmp_path, binding=policy(supporting("", WITH_NONCE))) as shop:
        contract = package_of(getattr(shop, shop.__all__[0]))
        port = contract.settings.ports[0]
        keys = SecurityKeys(user="ada", password="secret-1", now=lambda: NOW)
        for nonce, created, problem in ((False, True, "no nonce"), (True, False, "no time")):
            block = UsernameToken("ada", "secret-1", nonce=nonce, created=created)
            request = secured([block], shop_envelope())
            with pytest.raises(SecurityError, match=problem):
                keys.for_service(contract, [port]).verify(request)
