"""What generated encoders to XML are made of. All raise EncodeError with the path of the field."""

from __future__ import annotations

from lxml import etree

Element = etree._Element  # lxml has no other name for it


def child(parent: Element, tag: str) -> Element:
    """A new last child."""
    return etree.SubElement(parent, tag)
