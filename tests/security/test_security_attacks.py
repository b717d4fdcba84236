"""The attacks of attacks.py, and other changed messages."""

from __future__ import annotations

import base64
import copy
import os
import random
from collections.abc import Callable, Sequence
from hashlib import sha256

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree

from soapclient.errors import SecurityError
from soapclient.security import (
    LEGACY,
    MODERN,
    Algorithms,
    Block,
    Encryption,
    Message,
    SamlToken,
    Security,
    Signature,
    SymmetricBinding,
    Timestamp,
    UsernameToken,
    Verify,
)
from tests.rings import examples
from tests.security.attacks import ATTACKS
from tests.security.conftest import NOW, ORDERS, SOAP_11, envelope, names, refusal, secured, sent
from tests.security.tampering import (
    ADDRESSING,
    DS,
    SIGNED,
    WHO,
    WSSE,
    WSU,
    XENC,
    Element,
    Pairs,
    body,
    canonical,
    encrypted_for_client,
    header,
    one,
    security,
    signature,
    signed_again,
    valid,
    wrapper,
)

# These attacks only use old algorithms. They are no attacks if the rules allow these.
_OLD = {"sha1", "encrypted_with_rsa_15", "encrypted_with_cbc"}


@pytest.mark.parametrize(
    ("name", "algorithms"),
    [*((name, "modern") for name in ATTACKS), *((name, "legacy") for name in ATTACKS if name not in _OLD)],
)
def test_attack_is_refused(name: str, algorithms: str, pairs: Pairs) -> None:
    rules = Verify(
        trust=pairs["server"].certificate,
        signed=SIGNED,
        decrypt=pairs["client"],
        algorithms=LEGACY if algorithms == "legacy" else MODERN,
    )
    rules.check(valid(pairs), NOW)
    message = sent(ATTACKS[name](valid(pairs), pairs))
    error = refusal(rules, message)
    assert error.problem
    assert len(str(error)) < 1500


def test_comments_do_not_split_texts(pairs: Pairs) -> None:
    message = valid(pairs)
    node = one(body(message), f".//{{{ORDERS}}}name")
    text = node.text or ""
    node.text = text[:3]
    comment = etree.Comment("x")
    comment.tail = text[3:]
    node.append(comment)
    message = sent(message)
    Verify(trust=pairs["server"].certificate).check(message, NOW)
    assert names(message) == names(envelope())


@pytest.mark.parametrize(
    "declaration",
    [
        '<!DOCTYPE x [<!ENTITY e "EVIL">]>',
        "<!DOCTYPE x>",
        '<!DOCTYPE x [<!ATTLIST soap:Body a CDATA "EVIL">]>',
        '<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]>',
    ],
)
def test_document_type_is_refused(pairs: Pairs, declaration: str) -> None:
    data = declaration.encode() + etree.tostring(valid(pairs))
    message = etree.fromstring(data, etree.XMLParser(resolve_entities=False, no_network=True))
    with pytest.raises(SecurityError, match="the message has a DOCTYPE"):
        Verify(trust=pairs["server"].certificate).check(message, NOW)


@pytest.mark.parametrize("place", [body, security])
def test_processing_instruction_is_refused(pairs: Pairs, place: Callable[[Element], Element]) -> None:
    message = secured([Timestamp()])
    place(message).append(etree.ProcessingInstruction("evil"))
    message = Security([Signature(pairs["server"])]).apply(message, {})[0]
    with pytest.raises(SecurityError, match="processing instruction"):
        Verify(trust=pairs["server"].certificate).check(sent(message), NOW)


_NAMES = ("Id", "wsu:Id", "Body", "EVIL", "Algorithm", "xmlns", "xmlns:soap")
_FRAGMENTS = (*_NAMES, "<", ">", "&", "#", '"', "\u00e4", "<!--", "<?", "]]>")
_CHANGE = st.tuples(st.integers(0, 10**6), st.integers(0, 40), st.sampled_from(_FRAGMENTS))


@settings(max_examples=examples(2_000))
@given(changes=st.lists(_CHANGE, min_size=1, max_size=4))
def test_changed_message_is_refused_or_reads_as_it_was_signed(
    changes: list[tuple[int, int, str]], pairs: Pairs, signed_message: bytes
) -> None:
    data = signed_message
    for position, removed, inserted in changes:
        at = position % len(data)
        data = data[:at] + inserted.encode() + data[at + removed :]
    rules = Verify(trust=pairs["server"].certificate, signed=SIGNED, decrypt=pairs["client"])
    try:
        message = etree.fromstring(data, etree.XMLParser(resolve_entities=False, no_network=True))
        rules.check(message, NOW)
    except (SecurityError, etree.XMLSyntaxError):
        return
    assert canonical(body(message)) == canonical(body(etree.fromstring(signed_message)))


@pytest.fixture(scope="module")
def signed_message(pairs: Pairs) -> bytes:
    return etree.tostring(valid(pairs))


# ---- parts that are read only if they are there


_PLACES: dict[str, Callable[[Element], Element]] = {
    "a header": wrapper,
    "the Security header": security,
    "the signature": lambda root: etree.SubElement(signature(root), f"{DS}Object"),
    "the Security header of another actor": lambda root: etree.SubElement(
        header(root), f"{WSSE}Security", {f"{{{SOAP_11}}}actor": "urn:example:other"}
    ),
}


@pytest.mark.parametrize("place", _PLACES)
@pytest.mark.parametrize("part", ["Addressing", "Header"])
def test_signed_header_cannot_be_hidden(place: str, part: str, pairs: Pairs) -> None:
    """Its signature stays valid if it is moved, and the response seems to have no such header."""
    original = envelope(header=False)
    name = f"{ADDRESSING}RelatesTo" if part == "Addressing" else WHO
    etree.SubElement(etree.SubElement(original, f"{{{SOAP_11}}}Header"), name).text = "urn:example:1"
    original.insert(0, original[1])
    parts = ("Body", "Timestamp", part)
    rules = Verify(trust=pairs["server"].certificate, signed=parts)
    message = secured([Timestamp(), Signature(pairs["server"], parts=parts)], original)
    rules.check(copy.deepcopy(message), NOW)
    _PLACES[place](message).append(one(header(message), name))
    with pytest.raises(SecurityError, match="at a place that receivers do not read") as caught:
        rules.check(sent(message), NOW)
    assert caught.value.code == "reference"


def test_header_without_a_signature_is_refused_if_all_must_be_signed(pairs: Pairs) -> None:
    parts = ("Body", "Timestamp", "Header")
    message = secured([Timestamp(), Signature(pairs["server"], parts=parts)])
    etree.SubElement(header(message), f"{ADDRESSING}RelatesTo").text = "urn:example:2"
    error = refusal(Verify(trust=pairs["server"].certificate, signed=parts), message)
    assert (error.code, error.part) == ("unsigned", "Header")


# ---- messages that take long


def test_long_name_of_an_issuer_is_refused_at_once(pairs: Pairs) -> None:
    message = secured([Timestamp(), Signature(pairs["server"], token="issuer-serial")])
    one(message, f".//{DS}X509IssuerName").text = "a" + " " * 1_000_000 + "a"  # would take hours
    assert refusal(Verify(trust=pairs["server"].certificate), message).code == "untrusted"


def test_many_encrypted_keys_are_refused_at_once(pairs: Pairs) -> None:
    message = encrypted_for_client(valid(pairs), pairs)
    key = one(security(message), f"{XENC}EncryptedKey")
    one(key, f"{XENC}ReferenceList").clear()
    key.attrib.clear()
    for _ in range(1000):
        security(message).insert(0, copy.deepcopy(key))
    rules = Verify(trust=pairs["server"].certificate, decrypt=pairs["client"])
    with pytest.raises(SecurityError, match="more than 4 encrypted keys"):
        rules.check(message, NOW)


def test_many_references_of_an_encrypted_key_are_refused_at_once(pairs: Pairs) -> None:
    message = encrypted_for_client(valid(pairs), pairs)
    listed = one(security(message), f"{XENC}EncryptedKey/{XENC}ReferenceList")
    for _ in range(10_000):
        listed.append(copy.deepcopy(listed[0]))
    rules = Verify(trust=pairs["server"].certificate, decrypt=pairs["client"])
    with pytest.raises(SecurityError, match="the message has 10001 references"):
        rules.check(message, NOW)


_ASSERTION = (
    b'<Assertion xmlns="urn:oasis:names:tc:SAML:2.0:assertion" ID="_1" Version="2.0"><x>t</x></Assertion>'
)


_HIDING_PLACES: dict[str, Callable[[Element], Element]] = {
    "object of the signature": lambda root: etree.SubElement(signature(root), f"{DS}Object"),
    "key of the signature": lambda root: one(signature(root), f"{DS}KeyInfo"),
    "reference to a token": lambda root: etree.SubElement(security(root), f"{WSSE}SecurityTokenReference"),
    "embedded": lambda root: etree.SubElement(security(root), f"{WSSE}Embedded"),
    "header": header,
    "other header": wrapper,
    "body": body,
    "security header": security,
}


@pytest.mark.sampled(8)
@pytest.mark.parametrize(
    ("part", "place"),
    [
        *(("SamlAssertion", place) for place in _HIDING_PLACES if place != "security header"),
        *(
            (name, place)
            for name in (WHO, "Header", "{urn:example:who}*")
            for place in ("body", "other header")
        ),
        *((name, "security header") for name in (f"{WSSE}Who", "Header")),
        *(("UsernameToken", place) for place in ("object of the signature", "embedded", "header", "body")),
    ],
)
def test_part_that_may_be_absent_cannot_be_hidden(pairs: Pairs, part: str, place: str) -> None:
    """Its signature stays valid if it is moved, and the message seems to have no such part."""
    root = envelope()
    who = header(root)[0]
    if part == f"{WSSE}Who":
        who.tag = part
    tokens = {"SamlAssertion": "{*}Assertion", "UsernameToken": f"{WSSE}UsernameToken"}
    parts = ("Timestamp", part if part in tokens else str(who.tag))
    blocks = [
        Timestamp(),
        SamlToken(_ASSERTION),
        UsernameToken("me"),
        Signature(pairs["server"], parts=parts),
    ]
    message = secured(blocks, root)
    rules = Verify(trust=pairs["server"].certificate, signed=["Timestamp"], signed_if_present=[part])
    rules.check(copy.deepcopy(message), NOW)
    node = one(security(message), tokens[part]) if part in tokens else header(message)[0]
    _HIDING_PLACES[place](message).append(node)
    with pytest.raises(SecurityError, match="at a place that receivers do not read"):
        rules.check(message, NOW)


@pytest.mark.parametrize("path", [f"{DS}Signature/{DS}KeyInfo", f"{DS}Signature/{DS}KeyInfo/*"])
def test_key_of_a_signature_may_be_signed(pairs: Pairs, path: str) -> None:
    message = valid(pairs)
    target, info = one(security(message), path), one(signature(message), f"{DS}SignedInfo")
    target.set(f"{WSU}Id", "key")
    reference = copy.deepcopy(info[-1])
    reference.set("URI", "#key")
    one(reference, f"{DS}DigestValue").text = base64.b64encode(sha256(canonical(target)).digest()).decode()
    info.append(reference)
    Verify(trust=pairs["server"].certificate, signed=SIGNED).check(signed_again(message, pairs), NOW)


def _token(root: Element) -> Element:
    return one(security(root), f"{WSSE}BinarySecurityToken")


def _covers_its_own_header(root: Element, pairs: Pairs) -> None:
    security(root).set(f"{WSU}Id", "all")
    one(signature(root), f".//{DS}Reference").set("URI", "#all")
    signed_again(root, pairs)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (_covers_its_own_header, "a signature is inside an element that it signs"),
        (lambda root, _: header(root).append(_token(root)), "must refer to a BinarySecurityToken in the Sec"),
        (lambda root, _: _token(root).set("ValueType", "urn:x#X509PKIPathv1"), "must have the type X509v3"),
    ],
)
def test_what_a_signature_may_refer_to(
    change: Callable[[Element, Pairs], object], said: str, pairs: Pairs
) -> None:
    root = valid(pairs)
    change(root, pairs)
    with pytest.raises(SecurityError, match=said):
        Verify(trust=pairs["server"].certificate, signed=SIGNED).check(sent(root), NOW)


# ---- random changes of the trees of valid messages: refused, or without an effect


SEED = os.environ.get("SECURITY_SEED", "usual")
_VALUES = (
    *("", "#", "#x", "\u00e4", "0", "-1", "AAAA", "=", "5" * 5000, "\u0661", "#default soap"),
    *("2026-11-20T12:00:00Z", "9999-12-31T23:59:59Z", "0001-01-01T00:00:00+14:00", "24:00"),
    *("http://www.w3.org/2000/09/xmldsig#sha1", "http://www.w3.org/2001/10/xml-exc-c14n#"),
)
USER = UsernameToken("ada", "secret-1", digest=True)
HIDDEN = ["Body", "UsernameToken"]
KINDS: dict[str, tuple[Callable[[Pairs], list[Block]], Callable[[Pairs], Verify]]] = {
    **{
        token: (
            lambda pairs, token=token: [  # type: ignore[misc] # of the loop
                Timestamp(),
                SamlToken(_ASSERTION),
                Signature(pairs["server"], parts=[*SIGNED, "SamlAssertion"], token=token),
            ],
            lambda pairs: Verify(
                trust=pairs["server"].certificate, signed_if_present=["SamlAssertion", WHO, "Header"]
            ),
        )
        for token in ("binary", "issuer-serial", "embedded")
    },
    "curve": (
        lambda pairs: [Timestamp(), Signature(pairs["curve"])],
        lambda pairs: Verify(trust=pairs["curve"].certificate),
    ),
    "encrypted": (
        lambda pairs: [
            *(Timestamp(), USER, Signature(pairs["server"], parts=["Timestamp", *HIDDEN])),
            Encryption(pairs["client"].certificate, HIDDEN),
        ],
        lambda pairs: Verify(trust=pairs["server"].certificate, decrypt=pairs["client"], encrypted=HIDDEN),
    ),
    "encrypted first": (
        lambda pairs: [
            Timestamp(),
            Encryption(pairs["client"].certificate, algorithms=Algorithms(cipher="aes128-cbc")),
            Signature(pairs["server"]),
        ],
        lambda pairs: Verify(
            trust=pairs["server"].certificate, decrypt=pairs["client"], encrypted=True, algorithms="legacy"
        ),
    ),
}


def _nodes(root: Element) -> list[Element]:
    return list(root.iter("*"))


def mutated(root: Element, others: Sequence[Element], chance: random.Random) -> None:
    """Change an element: remove, repeat, move, wrap, rename it, or change its text or an attribute."""
    nodes = _nodes(root)
    node, other = chance.choice(nodes[1:]), chance.choice(nodes)
    foreign = copy.deepcopy(chance.choice(_nodes(chance.choice(others))))
    parent = node.getparent()
    assert parent is not None
    texts = [*_VALUES, *(value for item in nodes for value in item.attrib.values())]
    match chance.randrange(9):
        case 0:
            parent.remove(node)
        case 1:
            node.addnext(copy.deepcopy(node))
        case 2 if other is not node and node not in other.iterancestors():
            other.append(node)
        case 3:
            node.text = chance.choice(_VALUES)
        case 4 if node.attrib:
            node.set(str(chance.choice(list(node.attrib))), chance.choice(texts))
        case 5 if node.attrib:
            del node.attrib[chance.choice(list(node.attrib))]
        case 6:
            node.tag = other.tag
        case 7:
            other.append(foreign)
        case _:
            wrapper = etree.Element(str(other.tag))
            node.addprevious(wrapper)
            wrapper.append(node)


@pytest.mark.parametrize("kind", KINDS)
def test_changed_tree_is_refused_or_reads_as_it_was_signed(pairs: Pairs, kind: str) -> None:
    chance = random.Random(f"{SEED}/{kind}")
    messages = {name: secured(blocks(pairs)) for name, (blocks, _) in KINDS.items()}
    request = secured([Timestamp(), SymmetricBinding(pairs["server"].certificate, encrypt=["Timestamp"])])
    expected, rules = names(envelope()), KINDS[kind][1](pairs)
    signed = [name for name in (*rules.signed, *rules.signed_if_present) if name != "Header"]
    verified = copy.deepcopy(messages[kind])
    rules.check(verified, NOW)
    count, refused = examples(200), 0
    for _ in range(count):
        root = copy.deepcopy(messages[kind])
        for _ in range(chance.choice((1, 1, 1, 2, 3))):
            if len(_nodes(root)) > 1:
                mutated(root, [*messages.values(), request], chance)
        message = sent(root)
        try:
            rules.check(message, NOW)
        except SecurityError:
            refused += 1
            continue
        assert names(message) == expected
        for name in signed:  # no part has been hidden
            assert len(Message.of(message).parts(name)) == len(Message.of(verified).parts(name))
    assert refused > count // 3
