"""A written element as dicts, lists and texts: what paths, queries and JSON bodies over REST are made of.

Names are those of elements without their namespace, attributes are keyed "@name" and the text beside them
"$". Which names repeat the rows say: a list of one stays a list.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from soapclient.runtime.any_element import XSI_TYPE
from soapclient.runtime.errors import EncodeError, local_name, path_of
from soapclient.runtime.nil import NIL_ATTRIBUTE
from soapclient.runtime.protocols import Wire

if TYPE_CHECKING:
    from soapclient.runtime.codec import Codec, Field
    from soapclient.runtime.elements import Element

_UNSAYABLE = {
    XSI_TYPE: "a value of a derived type is sent over SOAP only, REST has no xsi:type",
    NIL_ATTRIBUTE: "nil is sent over SOAP only, REST has no xsi:nil",
}


def wire_of(node: Element, codec: Codec, name: str) -> Wire:
    """The content of an element of a type, in its order.

    Raises EncodeError, with the path, for what REST has no form of: nil, and a value of a derived type.
    """
    _refuse_unsayable(node)
    by_tag = {field.tag: field for field in elements_of(codec, name)}
    wire: Wire = {f"@{local_name(key)}": str(value) for key, value in node.items()}
    if node.text:
        wire["$"] = node.text
    several: dict[str, list[str | Wire]] = {}
    for child in node:
        field, key = by_tag.get(str(child.tag)), local_name(child.tag)
        if field is None or field.repeats or key in wire:
            several.setdefault(key, []).append(_one(child, codec, field))
            wire[key] = _listed(several[key])
        elif field.item:
            _refuse_unsayable(child)
            wire[key] = {local_name(field.item): _listed([_one(each, codec, field) for each in child])}
        else:
            wire[key] = _one(child, codec, field)
    return wire


def _listed(values: list[str | Wire]) -> list[str] | list[Wire]:
    """All values of a field are of one kind: texts, or structures."""
    return cast("list[Wire]", values)


def _one(node: Element, codec: Codec, field: Field | None) -> str | Wire:
    if field is not None and field.holds:
        return wire_of(node, codec, field.holds)
    _refuse_unsayable(node)
    return node.text or ""


def elements_of(codec: Codec, name: str) -> list[Field]:
    """The elements of a type, those of its groups too."""
    found = []
    for field in codec.fields(name):
        if field.kind == "group":
            found += elements_of(codec, field.holds)
        elif field.kind == "element":
            found.append(field)
    return found


def _refuse_unsayable(node: Element) -> None:
    """Refuse what an element says of itself: REST would take it for attributes of the contract."""
    for name, reason in _UNSAYABLE.items():
        if (text := node.get(name)) is not None:
            raise EncodeError(path_of(node), text, "", reason)
