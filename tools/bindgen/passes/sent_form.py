"""What requests over SOAP cannot hold: zeep makes them of a nested dict of texts, and of these things it
would make something else, or nothing. Replies may have them all."""

from __future__ import annotations

from collections.abc import Iterator

from bindgen.model import Contract, Field, ListOf, Simple, Struct, Type, UnionOf
from bindgen.problems import Place

# zeep takes no text for these, or writes another.
_TAKEN_APART = frozenset(("duration", "gYearMonth", "gYear", "gMonthDay", "gDay", "gMonth"))


def misfits(contract: Contract) -> Iterator[tuple[str, Place]]:
    """Each such thing in a request over SOAP, and where it stands."""
    todo: list[Struct] = []
    for operation in contract.operations:
        if operation.soap:
            todo.append(operation.request)
            fields = operation.request.all_fields()
            if operation.request.anonymous and [field.kind for field in fields] == ["text"]:
                yield f"the request of {operation.name} is a text without attributes", fields[0].place
    seen: set[Struct] = set()
    while todo:
        struct = todo.pop()
        if struct in seen:
            continue
        seen.add(struct)
        if (added := _added_choice(struct)) is not None:
            why = f"{added.wire!r} is in a choice, which is all that an extension adds, in a request"
            yield why, added.place
        for field in struct.all_fields():
            for why in _field(field):
                yield why, field.place
            if isinstance(field.type, Struct):
                todo.append(field.type)


def _added_choice(struct: Struct) -> Field | None:
    """The first element of an extension by one choice: zeep makes the base's elements another arm of it."""
    above = [] if struct.base is None else struct.base.all_fields()
    own = [field for field in struct.fields if field.kind == "element"]
    if not own or not any(field.kind == "element" for field in above):
        return None
    outermost = {field.choices[0][0] if field.choices else "" for field in own}
    return own[0] if len(outermost) == 1 and "" not in outermost else None


def _field(field: Field) -> Iterator[str]:
    for kind in _kinds(field.type):
        if isinstance(kind, ListOf):
            yield f"{field.wire!r} is a list in one text (xs:list), in a request"
        elif isinstance(kind, Simple) and kind.xsd in _TAKEN_APART:
            yield f"{field.wire!r} is of type xs:{kind.xsd}, in a request"
    if field.grouped and field.own_least > 0:
        yield f"{field.wire!r} must stand in a group that may be left out, in a request"


def _kinds(kind: Type) -> Iterator[Type]:
    """A simple type, and those it is made of."""
    yield kind
    if isinstance(kind, ListOf):
        yield from _kinds(kind.item)
    elif isinstance(kind, UnionOf):
        for member in kind.members:
            yield from _kinds(member)
