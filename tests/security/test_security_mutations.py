"""Random changes of the trees of valid messages: refused with a SecurityError, or without an effect."""

from __future__ import annotations

import copy
import os
import random
from collections.abc import Callable, Mapping, Sequence

import pytest
from lxml import etree

from soapclient.errors import SecurityError
from soapclient.security import (
    Algorithms,
    Block,
    Encryption,
    KeyPair,
    Message,
    SamlToken,
    Signature,
    SymmetricBinding,
    Timestamp,
    UsernameToken,
    Verify,
)
from tests.rings import examples
from tests.security.conftest import NOW, envelope, names, secured, sent
from tests.security.tampering import SIGNED, WHO, Element

Pairs = Mapping[str, KeyPair]
SEED = os.environ.get("SECURITY_SEED", "usual")
_ASSERTION = (
    b'<Assertion xmlns="urn:oasis:names:tc:SAML:2.0:assertion" ID="_1" Version="2.0"><x>t</x></Assertion>'
)
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
