"""Convert encoded requests: elements to nested dicts for REST, and days to date-times for SOAP.

The paths, queries and JSON bodies of REST are built from nested dicts, lists and texts. The keys are names of
elements without their namespace, "@name" for attributes, and "$" for the text of an element with attributes.
The contract decides which elements become lists, so that a list of one item stays a list. Texts of the
class `Bare` are numbers and booleans, which JSON writes without quotes.

If the contract declares a day as a date-time (`docs/explanation/service.md#dates`), the encoder writes a
date, which is what REST expects. For SOAP, this module replaces the date by its midnight in the report zone,
with the offset of that day.
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

_NOT_IN_REST = {
    XSI_TYPE: "a value of a derived type can be sent over SOAP only, because REST has no xsi:type",
    NIL_ATTRIBUTE: "nil can be sent over SOAP only, because REST has no xsi:nil",
}


class Bare(str):
    """The text of a number or a boolean, which is written without quotes in JSON."""

    __slots__ = ()


def wire_of(node: Element, types: Types, name: str) -> Wire:
    """Convert an encoded element of the type `name` to nested dicts, in the order of its children.

    Raises EncodeError if the element contains nil or a value of a derived type, because REST cannot send
    either of them.
    """
    _refuse_xsi(node)
    by_tag = {field.tag: field for field in elements_of(types, name)}
    wire: Wire = {f"@{local_name(key)}": str(value) for key, value in node.items()}
    if node.text:
        wire["$"] = node.text
    several: dict[str, list[str | Wire]] = {}
    for child in node:
        field, key = by_tag.get(str(child.tag)), local_name(child.tag)
        if field is None or field.repeats or key in wire:
            several.setdefault(key, []).append(_value_of(child, types, field))
            wire[key] = _as_list(several[key])
        elif field.item:
            _refuse_xsi(child)
            wire[key] = {local_name(field.item): _as_list([_value_of(item, types, field) for item in child])}
        else:
            wire[key] = _value_of(child, types, field)
    return wire


def _as_list(values: list[str | Wire]) -> list[str] | list[Wire]:
    """Cast a list for type checkers: its values are all texts or all dicts."""
    return cast("list[Wire]", values)


def _value_of(node: Element, types: Types, field: Field | None) -> str | Wire:
    if field is not None and field.holds:
        return wire_of(node, types, field.holds)
    _refuse_xsi(node)
    text = node.text or ""
    return Bare(text) if field is not None and field.leaf in JSON_LITERALS else text


def elements_of(types: Types, name: str) -> list[Field]:
    """Return the fields of a type that are elements, including those of its groups."""
    elements = []
    for field in types.fields(name):
        if field.kind == "group":
            elements += elements_of(types, field.holds)
        elif field.kind == "element":
            elements.append(field)
    return elements


def _refuse_xsi(node: Element) -> None:
    """Raise EncodeError for xsi:type or xsi:nil, because REST services do not know these attributes."""
    for name, reason in _NOT_IN_REST.items():
        if (text := node.get(name)) is not None:
            raise EncodeError(path_of(node), text, "", reason)


# ---- days


def has_days(types: Types, name: str) -> bool:
    """Return True if the type `name`, or a type nested in it at any depth, has a field of the type `DAY`.

    The values of such a field are days (2026-11-01), but the contract declares it as a date-time.
    """
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
    """Converter that replaces days by date-times at midnight in encoded elements of one type.

    It replaces only the values of fields of the type `DAY`. The contract declares these fields as date-times.
    """

    def __init__(self, types: Types, name: str) -> None:
        self._types = types
        self._name = name
        self._fields: dict[str, tuple[list[Field], dict[str, Field]]] = {}

    def put(self, node: Element, zone: dt.tzinfo, name: str = "") -> None:
        """Replace the days in an element and its children with midnights in `zone`.

        `name` is the type of the element `node`; "" is the type of this converter.
        """
        name = name or self._name
        attributes, elements = self._fields.get(name) or self._fields_with_days(name)
        for field in attributes:
            if (day := node.get(field.tag)) is not None:
                node.set(field.tag, _midnight(day, zone))
        for child in node:
            element_field = elements.get(str(child.tag))
            if element_field is None:
                continue
            for element in child if element_field.item else (child,):
                if element_field.leaf is DAY:
                    element.text = _midnight(element.text, zone) if element.text else element.text
                else:
                    self.put(element, zone, element_field.holds)

    def _fields_with_days(self, name: str) -> tuple[list[Field], dict[str, Field]]:
        """Return the fields of the type `name` that need conversion, as a pair (attributes, elements).

        The first is a list of the attributes that are days. The second is a dict, by tag, of the elements
        that are days or contain days.
        """
        fields = self._types.fields(name)
        attributes = [field for field in fields if field.kind == "attribute" and field.leaf is DAY]
        elements = {
            field.tag: field
            for field in elements_of(self._types, name)
            if field.leaf is DAY or (field.holds and has_days(self._types, field.holds))
        }
        days = self._fields[name] = attributes, elements
        return days


def _midnight(day: str, zone: dt.tzinfo) -> str:
    return DATE_TIME.text(dt.datetime.combine(dt.date.fromisoformat(day), dt.time(), zone))
