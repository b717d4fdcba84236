"""The service's JSON form of its XML (`record.md 4`), and plain JSON.

Numbers are written digit by digit, never through a binary float.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from decimal import Decimal

from lxml import etree

from ..contracts import Contract
from ..shapes import Shape
from ..trees import Value
from ..xml import lexical

# Repeated elements that are no array where there is one of them only.
COLLAPSED = frozenset(
    {"policy", "category", "region", "sub", "admediumItem", "incentiveItem", "gpp", "trackingCategoryItem"}
)
# Containers that sit in an array of one.
BOXED = frozenset({"regions", "categories"})
_NUMBERS = frozenset(
    {
        *("byte", "short", "int", "long", "integer", "positiveInteger", "nonNegativeInteger"),
        *("negativeInteger", "nonPositiveInteger", "unsignedByte", "unsignedShort"),
        *("unsignedInt", "unsignedLong", "float", "double", "decimal"),
    }
)
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?")
_DIGITS = re.compile(r"[0-9]+")


def from_element(contract: Contract, tag: str, element: etree._Element) -> str:
    """The content of `element`, which is of the type of the global element `tag`; its own name is dropped."""
    return _element(contract, contract.shapes.of_element(tag), element)


def _element(contract: Contract, shape: Shape, element: etree._Element) -> str:
    entries = [
        (f"@{one.name}", quoted(text))
        for one in shape.attributes
        if (text := element.get(one.tag)) is not None
    ]
    if shape.scalar is not None:
        text = element.text or ""
        return _object([*entries, ("$", quoted(text))]) if entries else _bare(shape.scalar, text)
    entries += _children(contract, shape, element)
    return _object(entries) if entries else '""'


def _children(contract: Contract, shape: Shape, element: etree._Element) -> Iterator[tuple[str, str]]:
    for field in shape.fields:
        type_ = contract.shapes[field.type]
        found = [_element(contract, type_, child) for child in element.iterchildren(field.tag)]
        if not found:
            continue
        if field.many and not (len(found) == 1 and field.name in COLLAPSED):
            yield field.name, f"[{','.join(found)}]"
        elif field.name in BOXED and found[0] != '""':
            yield field.name, f"[{found[0]}]"
        else:
            yield field.name, found[0]


def _bare(scalar: str, text: str) -> str:
    """Text alone, typed by what it looks like: also digits of a text are a number, so `01` becomes 1."""
    if scalar in _NUMBERS and _NUMBER.fullmatch(text):
        return text
    if _DIGITS.fullmatch(text):
        return text.lstrip("0") or "0"
    return text if text in ("true", "false") else quoted(text)


def plain(value: Value) -> str:
    """Any tree as it stands, for what has no XML: texts stay texts, entries that are None are left out."""
    if isinstance(value, Mapping):
        return _object([(name, plain(one)) for name, one in value.items() if one is not None])
    if isinstance(value, str | date):
        return quoted(lexical(value))
    if isinstance(value, Sequence):
        return f"[{','.join(plain(one) for one in value)}]"
    if isinstance(value, bool | int | Decimal):
        return lexical(value)
    raise TypeError(f"not a tree: {type(value).__name__}")


def quoted(text: str) -> str:
    """A JSON string; anything but what must be escaped stands as it is."""
    return json.dumps(text, ensure_ascii=False)


def _object(entries: Sequence[tuple[str, str]]) -> str:
    return "{" + ",".join(f"{quoted(name)}:{text}" for name, text in entries) + "}"
