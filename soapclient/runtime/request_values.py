"""What the protocols make of a written element: values for REST, midnights for SOAP.

Paths, queries and JSON bodies over REST are made of dicts, lists and texts. Names are those of elements
without their namespace, attributes are keyed "@name" and the text beside them "$". Which names repeat the
rows say: a list of one stays a list. The texts of elements that are numbers or booleans are `Bare`.

Days that a contract types as date-times (`docs/explanation/service.md#dates`) are written bare, as REST has
them; over SOAP a day is its midnight in the report zone, with the offset of that day.
"""

from __future__ import annotations

import datetime as dt
from typing import cast

from soapclient.runtime.any_element import XSI_TYPE
from soapclient.runtime.elements import Element
from soapclient.runtime.errors import EncodeError, local_name, path_of
from soapclient.runtime.fields import Field, Types
from soapclient.runtime.nil import NIL_ATTRIBUTE
from soapclient.runtime.protocols import Wire
from soapclient.runtime.scalars import DATE_TIME, DAY, JSON_LITERALS

_UNSAYABLE = {
    XSI_TYPE: "a value of a derived type is sent over SOAP only, REST has no xsi:type",
    NIL_ATTRIBUTE: "nil is sent over SOAP only, REST has no xsi:nil",
}


class Bare(str):
    """The text of a number or a boolean, which JSON writes without quotes."""

    __slots__ = ()


def wire_of(node: Element, types: Types, name: str) -> Wire:
    """The content of an element of a type, in its order.

    Raises EncodeError, with the path, for what REST has no form of: nil, and a value of a derived type.
    """
    _refuse_unsayable(node)
    by_tag = {field.tag: field for field in elements_of(types, name)}
    wire: Wire = {f"@{local_name(key)}": str(value) for key, value in node.items()}
    if node.text:
        wire["$"] = node.text
    several: dict[str, list[str | Wire]] = {}
    for child in node:
        field, key = by_tag.get(str(child.tag)), local_name(child.tag)
        if field is None or field.repeats or key in wire:
            several.setdefault(key, []).append(_one(child, types, field))
            wire[key] = _listed(several[key])
        elif field.item:
            _refuse_unsayable(child)
            wire[key] = {local_name(field.item): _listed([_one(each, types, field) for each in child])}
        else:
            wire[key] = _one(child, types, field)
    return wire


def _listed(values: list[str | Wire]) -> list[str] | list[Wire]:
    """All values of a field are of one kind: texts, or structures."""
    return cast("list[Wire]", values)


def _one(node: Element, types: Types, field: Field | None) -> str | Wire:
    if field is not None and field.holds:
        return wire_of(node, types, field.holds)
    _refuse_unsayable(node)
    text = node.text or ""
    return Bare(text) if field is not None and field.leaf in JSON_LITERALS else text


def elements_of(types: Types, name: str) -> list[Field]:
    """The elements of a type, those of its groups too."""
    found = []
    for field in types.fields(name):
        if field.kind == "group":
            found += elements_of(types, field.holds)
        elif field.kind == "element":
            found.append(field)
    return found


def _refuse_unsayable(node: Element) -> None:
    """Refuse what an element says of itself: REST would take it for attributes of the contract."""
    for name, reason in _UNSAYABLE.items():
        if (text := node.get(name)) is not None:
            raise EncodeError(path_of(node), text, "", reason)


# ---- days


def has_days(types: Types, name: str) -> bool:
    """Whether a day may stand anywhere in a type."""
    seen, todo = {name}, [name]
    while todo:
        for field in types.fields(todo.pop()):
            if field.leaf is DAY:
                return True
            if field.holds and field.holds not in seen:
                seen.add(field.holds)
                todo.append(field.holds)
    return False


class Midnights:
    """Makes midnights of the days in elements of a type, as the codec wrote them."""

    def __init__(self, types: Types, name: str) -> None:
        self._types = types
        self._name = name
        self._fields: dict[str, tuple[list[Field], dict[str, Field]]] = {}

    def put(self, node: Element, zone: dt.tzinfo, name: str = "") -> None:
        """Go through an element. `name`: its type, by default the one of the whole message."""
        name = name or self._name
        attributes, elements = self._fields.get(name) or self._of(name)
        for field in attributes:
            if (day := node.get(field.tag)) is not None:
                node.set(field.tag, _midnight(day, zone))
        for child in node:
            found = elements.get(str(child.tag))
            if found is None:
                continue
            for each in child if found.item else (child,):
                if found.leaf is DAY:
                    each.text = _midnight(each.text, zone) if each.text else each.text
                else:
                    self.put(each, zone, found.holds)

    def _of(self, name: str) -> tuple[list[Field], dict[str, Field]]:
        """The attributes of a type that are days, and the elements that are, or hold any, by tag."""
        fields = self._types.fields(name)
        attributes = [field for field in fields if field.kind == "attribute" and field.leaf is DAY]
        elements = {
            field.tag: field
            for field in elements_of(self._types, name)
            if field.leaf is DAY or (field.holds and has_days(self._types, field.holds))
        }
        found = self._fields[name] = attributes, elements
        return found


def _midnight(day: str, zone: dt.tzinfo) -> str:
    return DATE_TIME.text(dt.datetime.combine(dt.date.fromisoformat(day), dt.time(), zone))
