"""Lexical forms of XML Schema.

Built-in types are compared with libxml2, allowed characters with XML.
"""

from __future__ import annotations

import pytest

from soapclient.runtime.lexical import collapsed, is_valid, items


@pytest.mark.parametrize(
    ("kind", "text", "valid"),
    [
        ("NCName", "a.b-c", True),
        ("NCName", "a:b", False),
        ("anyURI", "http://example.org/a b", True),
        ("duration", "P1Y", True),
        ("duration", "P", False),
        ("string", "a\x00b", False),  # characters that XML forbids are invalid for every type
        ("string", "a\x0bb", False),
        ("string", "\ud800", False),
    ],
)
def test_xml_characters_agree_with_libxml2(kind: str, text: str, valid: bool) -> None:
    assert is_valid(kind, text) is valid


def test_white_space_is_four_characters() -> None:
    text = " a\u00a0b \t\n\r c\u2003"
    assert collapsed(text) == "a\u00a0b c\u2003"
    assert items(text) == ["a\u00a0b", "c\u2003"]
    assert items(" \t") == []
