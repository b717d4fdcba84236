"""White space as XML Schema defines it (only four characters), and validation of texts with libxml2."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lxml import etree

BLANK = " \t\n\r"
SPACES = re.compile("[ \t\n\r]+")


def collapsed(text: str) -> str:
    """Collapse the white space of a text (XSD 1.0 part 2, section 4.3.6: `collapse`)."""
    return SPACES.sub(" ", text).strip(" ")


def items(text: str) -> list[str]:
    """Split a text at white space. Return the parts, or an empty list for a blank text."""
    parts = collapsed(text)
    return parts.split(" ") if parts else []


def is_valid(kind: str, text: str) -> bool:
    """Return True if `text` is valid for the built-in XSD type `kind`.

    A text with characters that XML cannot hold is not valid.
    """
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
