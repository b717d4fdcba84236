"""What an xsd:anyURI may be."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lxml import etree

_PLAIN = re.compile(
    r"https?://[A-Za-z0-9.-]+(?::\d{1,5})?(?:/[A-Za-z0-9._~/-]*)?(?:\?[A-Za-z0-9._~/?&=-]*)?", re.ASCII
).fullmatch


def is_uri(text: str) -> bool:
    """Whether `text` is an xsd:anyURI. Few need more than the first look; the rest libxml2 itself judges."""
    if _PLAIN(text):
        return True
    from lxml import etree

    node = etree.Element("u")
    node.text = text
    return _schema().validate(node)


@lru_cache(maxsize=1)
def _schema() -> etree.XMLSchema:
    from lxml import etree

    space = "http://www.w3.org/2001/XMLSchema"
    schema = f'<s:schema xmlns:s="{space}"><s:element name="u" type="s:anyURI"/></s:schema>'
    return etree.XMLSchema(etree.fromstring(schema))
