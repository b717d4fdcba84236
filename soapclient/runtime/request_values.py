"""A written element as dicts, lists and texts: what paths, queries and JSON bodies over REST are made of.

Names are those of elements without their namespace, attributes are keyed "@name" and the text beside them
"$". Which names repeat the rows say: a list of one stays a list.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from soapclient.runtime.any_element import XSI_TYPE
from soapclient.runtime.codec import Codec, Field
from soapclient.runtime.errors import local_name
from soapclient.runtime.protocols import Wire, WireValue

if TYPE_CHECKING:
    from soapclient.runtime.elements import Element


def wire_of(node: Element, codec: Codec, name: str) -> Wire:
    """The content of an element of a type, in its order."""
    by_tag = {field.tag: field for field in _elements(codec, _type_of(node, codec, name))}
    wire: Wire = {f"@{local_name(key)}": str(value) for key, value in node.items()}
    if node.text:
        wire["$"] = node.text
    for child in node:
        field = by_tag.get(str(child.tag))
        key = local_name(child.tag)
        value = _value(child, codec, field)
        known = wire.get(key)
        if isinstance(known, list) and not isinstance(value, list):
            wire[key] = [*known, value]  # type: ignore[list-item]  # one field is of texts or of structures
        elif field is not None and field.repeats:
            wire[key] = [value]  # type: ignore[list-item]  # as above
        else:
            wire[key] = value
    return wire


def _value(node: Element, codec: Codec, field: Field | None) -> WireValue:
    if field is not None and field.item:
        items = [_one(each, codec, field) for each in node]
        return {local_name(field.item): items}  # type: ignore[dict-item]  # as above
    return _one(node, codec, field)


def _one(node: Element, codec: Codec, field: Field | None) -> str | Wire:
    if field is not None and field.holds:
        return wire_of(node, codec, field.holds)
    return node.text or ""


def _elements(codec: Codec, name: str) -> list[Field]:
    """The elements of a type, those of its groups too."""
    found = []
    for field in codec.fields(name):
        if field.kind == "group":
            found += _elements(codec, field.holds)
        elif field.kind == "element":
            found.append(field)
    return found


def _type_of(node: Element, codec: Codec, name: str) -> str:
    """The type that an element says it is."""
    said = node.get(XSI_TYPE)
    if said is None:
        return name
    prefix, _, local = said.rpartition(":")
    space = node.nsmap.get(prefix or None)
    qualified = f"{{{space}}}{local}" if space else local
    return next((each for each in codec.standing_for(name) if codec.xml_name(each) == qualified), name)
