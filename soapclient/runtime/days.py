"""Days that a contract types as date-times: how they are written (`docs/explanation/service.md#dates`).

The codec writes the bare day, as REST has it; over SOAP a day is its midnight in the report zone, with the
offset of that day. Which fields these are the rows say, not the names of elements.
"""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING

from soapclient.runtime.scalars import DATE_TIME, DAY

if TYPE_CHECKING:
    from soapclient.runtime.codec import Codec, Field
    from soapclient.runtime.elements import Element


def has_days(codec: Codec, name: str) -> bool:
    """Whether a day may stand anywhere in a type."""
    seen, todo = {name}, [name]
    while todo:
        for field in codec.fields(todo.pop()):
            if field.leaf is DAY:
                return True
            if field.holds and field.holds not in seen:
                seen.add(field.holds)
                todo.append(field.holds)
    return False


def put_midnights(codec: Codec, name: str, node: Element, zone: dt.tzinfo) -> None:
    """Make midnights of the days in an element of a type, as the codec wrote it."""
    _Midnights(codec, zone).put(name, node)


class _Midnights:
    def __init__(self, codec: Codec, zone: dt.tzinfo) -> None:
        self._codec = codec
        self._zone = zone
        self._fields: dict[str, tuple[list[Field], dict[str, Field]]] = {}

    def put(self, name: str, node: Element) -> None:
        """Go through an element."""
        attributes, elements = self._of(name)
        for field in attributes:
            if (day := node.get(field.tag)) is not None:
                node.set(field.tag, self._midnight(day))
        for child in node:
            found = elements.get(str(child.tag))
            if found is None:
                continue
            for each in child if found.item else (child,):
                if found.leaf is DAY:
                    each.text = self._midnight(each.text) if each.text else each.text
                else:
                    self.put(found.holds, each)

    def _of(self, name: str) -> tuple[list[Field], dict[str, Field]]:
        """The attributes of a type that are days, and the elements that are, or hold any, by tag."""
        if name not in self._fields:
            fields = [*self._codec.fields(name)]
            for field in fields:
                if field.kind == "group":  # its elements stand in the parent
                    fields += self._codec.fields(field.holds)
            attributes = [field for field in fields if field.kind == "attribute" and field.leaf is DAY]
            elements = {
                field.tag: field
                for field in fields
                if field.kind == "element" and (field.leaf is DAY or (field.holds and self._holds(field)))
            }
            self._fields[name] = attributes, elements
        return self._fields[name]

    def _holds(self, field: Field) -> bool:
        return has_days(self._codec, field.holds)

    def _midnight(self, day: str) -> str:
        return DATE_TIME.text(dt.datetime.combine(dt.date.fromisoformat(day), dt.time(), self._zone))
