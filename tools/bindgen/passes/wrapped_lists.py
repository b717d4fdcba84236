"""A field whose type is nothing but a repeating element is a list; the type itself disappears."""

from __future__ import annotations

from bindgen.model import Contract, Field, Struct
from bindgen.passes.walk import structs


def run(contract: Contract) -> None:
    """Mark the fields that wrap a list with the list's item."""
    for struct in list(structs(contract)):
        for field in struct.fields:
            if field.kind == "element" and field.most == 1 and isinstance(field.type, Struct):
                field.item = None if field.nillable else _only_item(field.type)


def _only_item(wrapper: Struct) -> Field | None:
    """The one field of a type that is a list, and that no other type has to do with."""
    if wrapper.base or wrapper.restricts or wrapper.derived or wrapper.abstract or len(wrapper.fields) != 1:
        return None
    item = wrapper.fields[0]
    return item if item.kind == "element" and item.most is None else None
