"""Texts as XML Schema sees them: white space, which is four signs, fewer than Python's; and types whose texts
libxml2 itself judges, where a first look does not say that they are good."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lxml import etree

BLANK = " \t\n\r"
SPACES = re.compile("[ \t\n\r]+")


def collapsed(text: str) -> str:
    """A text as the types see it whose `whiteSpace` is `collapse` (XSD 1.0 part 2 4.3.6)."""
    return SPACES.sub(" ", text).strip(" ")


def items(text: str) -> list[str]:
    """What white space parts."""
    whole = collapsed(text)
    return whole.split(" ") if whole else []


def is_valid(kind: str, text: str) -> bool:
    """Whether `text` is of XSD's built-in type `kind`. False for what XML cannot hold at all."""
    from lxml import etree

    node = etree.Element("u")
    try:
        node.text = text
    except ValueError:
        return False
    return _schema(kind).validate(node)


@cache
def _schema(kind: str) -> etree.XMLSchema:
    from lxml import etree

    space = "http://www.w3.org/2001/XMLSchema"
    schema = f'<s:schema xmlns:s="{space}"><s:element name="u" type="s:{kind}"/></s:schema>'
    return etree.XMLSchema(etree.fromstring(schema))
