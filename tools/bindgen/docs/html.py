"""HTML as lxml's elements: text is only ever text, for the serialiser escapes it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TypeAlias

from lxml import html

Element = html.HtmlElement
Child: TypeAlias = "str | Element | Iterable[Child] | None"

# What XML has no place for, and so lxml neither: control characters, halves of characters, non-characters.
_UNFIT = re.compile("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
# After these a line ends in the source: nothing is laid out by it, and differences of two pages can be read.
_BLOCKS = frozenset(
    ("section", "div", "p", "dl", "dd", "ul", "li", "h1", "h2", "h3", "h4", "pre", "details", "summary")
)
_BLOCKS |= {"header", "main", "nav", "footer", "meta", "title", "style", "script", "head", "body"}


def el(tag: str, *children: Child, **attributes: str | bool | None) -> Element:
    """An element. Of an attribute's name `_` at the end is dropped, elsewhere it stands for `-`; True is an
    attribute without a value, False and None are none at all."""
    element = html.Element(tag)
    for name, value in attributes.items():
        if value is not None and value is not False:
            element.set(name.rstrip("_").replace("_", "-"), "" if value is True else fit(str(value)))
    append(element, *children)
    if tag in _BLOCKS:
        element.tail = "\n"
    return element


def append(element: Element, *children: Child) -> None:
    """Add texts and elements at the end; nested iterables are flattened."""
    for child in children:
        if child is None:
            continue
        if isinstance(child, str):
            _append_text(element, fit(child))
        elif isinstance(child, html.HtmlElement):
            element.append(child)
        else:
            append(element, *child)


def code(text: str, **attributes: str | bool | None) -> Element:
    """Text as it stands in the contract, or in code."""
    return el("code", text, **attributes)


def fit(text: str) -> str:
    """The text with U+FFFD for each character that a document cannot hold."""
    return _UNFIT.sub("\ufffd", text)


def document(root: Element) -> bytes:
    """The whole page in UTF-8."""
    written: str = html.tostring(root, doctype="<!DOCTYPE html>", encoding="unicode")
    return f"{written.rstrip()}\n".encode()


def _append_text(element: Element, text: str) -> None:
    if len(element):
        element[-1].tail = (element[-1].tail or "") + text
    else:
        element.text = (element.text or "") + text
