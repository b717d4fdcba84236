from __future__ import annotations

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from bindgen.fetching import canonical

SCHEMA = b"""<?xml version="1.0" encoding="UTF-8"?>
<!-- a remark -->
<x:schema xmlns:x="http://www.w3.org/2001/XMLSchema" xmlns:t="urn:t"   targetNamespace='urn:t'>
  <x:element type="t:one"
     name="a"> <!-- alone --> </x:element> <!-- another -->
  <x:annotation><x:documentation>Two <b xmlns="">bold</b> <i xmlns="">words</i>
  </x:documentation></x:annotation>
</x:schema>
"""
# Written by hand after https://www.w3.org/TR/xml-c14n: sorted attributes (namespaces first), no comments.
SCHEMA_CANONICAL = (
    b'<x:schema xmlns:t="urn:t" xmlns:x="http://www.w3.org/2001/XMLSchema" targetNamespace="urn:t">'
    b'<x:element name="a" type="t:one"></x:element>'
    b"<x:annotation><x:documentation>Two <b>bold</b> <i>words</i>\n  </x:documentation></x:annotation>"
    b"</x:schema>"
)


def test_canonical_form_matches_a_known_digest() -> None:
    assert canonical.canonical_bytes(SCHEMA) == SCHEMA_CANONICAL
    assert canonical.canonical_sha256(SCHEMA) == hashlib.sha256(SCHEMA_CANONICAL).hexdigest()
    assert canonical.canonical_bytes(SCHEMA_CANONICAL) == SCHEMA_CANONICAL


def test_encoding_does_not_change_the_digest() -> None:
    text = SCHEMA.decode().replace("UTF-8", "UTF-16")
    assert canonical.canonical_bytes(text.encode("utf-16")) == SCHEMA_CANONICAL


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b'name="a"', b'name="b"'),
        (b'name="a"', b'name="a "'),
        (b'xmlns:t="urn:t"', b'xmlns:t="urn:u"'),
        (b"words", b"word"),
        (b"</b> <i", b"</b><i"),
        (b"<x:annotation>", b'<x:element name="c"/><x:annotation>'),
    ],
)
def test_different_content_changes_the_digest(old: bytes, new: bytes) -> None:
    assert SCHEMA.count(old) == 1
    assert canonical.canonical_bytes(SCHEMA.replace(old, new)) != SCHEMA_CANONICAL


_NAMES = st.sampled_from(["a", "b", "element"])
_TREES = st.recursive(
    st.tuples(_NAMES, st.dictionaries(_NAMES, st.text("xy <&\"'é", max_size=4)), st.just(())),
    lambda inner: st.tuples(_NAMES, st.just({}), st.lists(inner, max_size=3).map(tuple)),
    max_leaves=8,
)


def _element(tree: tuple[str, dict[str, str], tuple[object, ...]]) -> etree._Element:
    tag, attributes, children = tree
    element = etree.Element(tag, attributes)
    for child in children:
        element.append(_element(child))  # type: ignore[arg-type]  # a recursive type that mypy cannot express
    return element


@given(_TREES)
def test_indentation_and_serialisation_do_not_change_the_digest(
    tree: tuple[str, dict[str, str], tuple[object, ...]],
) -> None:
    element = _element(tree)
    plain = etree.tostring(element)
    etree.indent(element, "\t")
    indented = etree.tostring(element, encoding="iso-8859-1", xml_declaration=True)
    assert canonical.canonical_bytes(plain) == canonical.canonical_bytes(indented)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "is empty"),
        (b" \n", "is empty"),
        (b'{"a": 1}', "is not well-formed XML"),
        (b"<a>", "is not well-formed XML"),
        (b"<!DOCTYPE a><a/>", "DOCTYPE"),
        (b'<!DOCTYPE a SYSTEM "http://127.0.0.1:1/a.dtd"><a/>', "DOCTYPE"),
        (b'<!DOCTYPE a [<!ENTITY e SYSTEM "file:///etc/hostname">]><a>&e;</a>', "DOCTYPE"),
        (b"<a>&e;</a>", "is not well-formed XML"),
    ],
)
def test_invalid_documents_are_refused(content: bytes, said: str) -> None:
    with pytest.raises(canonical.DocumentError, match=said):
        canonical.parse(content)


@pytest.mark.parametrize("where", [b"<a>&e9;</a>", b'<a b="&e9;"/>'])
def test_entity_expansion_is_refused(where: bytes) -> None:
    doubling = b"".join(b'<!ENTITY e%d "%s">' % (n, b"&e%d;" % (n - 1) * 10) for n in range(1, 10))
    with pytest.raises(canonical.DocumentError, match=r"amplification|entity reference loop|DOCTYPE"):
        canonical.parse(b'<!DOCTYPE a [<!ENTITY e0 "0123456789">' + doubling + b"]>" + where)


def test_a_relative_namespace_has_no_canonical_form() -> None:
    with pytest.raises(canonical.DocumentError, match="no canonical form"):
        canonical.canonical_bytes(b'<a xmlns="relative"/>')


def test_the_digest_of_a_contract_depends_on_the_order_of_its_documents() -> None:
    one, two = "1" * 64, "2" * 64
    expected = hashlib.sha256(f"{one}\n{two}\n".encode()).hexdigest()
    assert canonical.combined_sha256([one, two]) == expected
    assert canonical.combined_sha256([two, one]) != expected
