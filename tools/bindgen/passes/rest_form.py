"""What goes over REST is of one namespace and has a place in JSON: bodies are written, and JSON is read, by
the names alone. Over SOAP there are no such bounds."""

from __future__ import annotations

from collections.abc import Iterator

from bindgen import naming
from bindgen.model import Anything, Contract, Field, Operation, Simple, Struct
from bindgen.passes.walk import held, reached
from bindgen.problems import Place, Problem
from bindgen.simple_types import QUALIFIED


def run(contract: Contract) -> None:
    """Note a problem for each thing that an operation with a REST resource cannot have, once."""
    said: set[tuple[str, Place | None]] = set()

    def refuse(why: str, place: Place) -> None:
        if (why, place) not in said:
            said.add((why, place))
            contract.problems.append(Problem(f"{why}: not handled here", place))

    for operation in contract.operations:
        if operation.rest is None:
            continue
        for why in _operation(operation):
            refuse(why, operation.place)
        for struct in _structs(operation):
            for why, place in _struct(struct):
                refuse(f"{why}, and {operation.name} goes over REST", place)
        foreign: set[tuple[str, int]] = set()
        for field, space in _foreign(operation):
            if (field.kind, id(field)) in foreign:
                continue
            foreign.add((field.kind, id(field)))
            name = operation.name
            why = (
                f"{field.wire!r} is not of the namespace {space!r}, as all of {name} must be over REST"
                if field.kind == "element"
                else f"the attribute {field.wire!r} is of a namespace, and {name} goes over REST"
            )
            refuse(why, field.place)


def _operation(operation: Operation) -> Iterator[str]:
    if operation.style == "rpc" or operation.encoded:
        yield f"{operation.name} is of RPC style, and goes over REST"
    if operation.one_way:
        yield f"{operation.name} is one-way, and goes over REST"
    if operation.request_headers or operation.response_headers:
        yield f"{operation.name} has headers, and goes over REST"


def _structs(operation: Operation) -> Iterator[Struct]:
    return reached((operation.request, operation.response), lambda struct: held(struct.all_fields()))


def _struct(struct: Struct) -> Iterator[tuple[str, Place]]:
    met: set[tuple[str, str]] = set()
    for field in struct.all_fields():
        if field.kind in ("element", "attribute"):
            if (field.kind, field.wire) in met:
                yield f"two {field.kind}s {field.wire!r} in one type", field.place
            met.add((field.kind, field.wire))
    for field in struct.fields:
        for why in _field(field):
            yield why, field.place


def _field(field: Field) -> Iterator[str]:
    kind = field.item.type if field.item else field.type
    if field.kind == "group":
        yield f"{field.wire!r}, a group of elements that repeats or of which each may stand for the others"
    elif field.kind in ("any", "any_attributes"):
        yield f"{field.wire!r}, a wildcard"
    elif isinstance(kind, Anything):
        yield f"{field.wire!r} is of any type"
    elif isinstance(kind, Simple) and kind.xsd in QUALIFIED:
        yield f"{field.wire!r} is a qualified name"
    elif isinstance(kind, Struct) and kind.abstract:
        yield f"{field.wire!r} is of other types than its own, which is abstract (xsi:type)"
    # Where a nil may as well be left out, it is read as absent.
    if field.nillable and (field.least or field.repeats or field.own_least > 0):
        yield f"{field.wire!r} may be nil"


def _foreign(operation: Operation) -> Iterator[tuple[Field, str]]:
    rest = operation.rest
    if rest is None:
        return
    yield from _below(operation.response.all_fields(), naming.space(operation.response_tag))
    if not rest.body:
        return
    elsewhere = {*rest.in_path, *(parameter.field for parameter in rest.query)}
    whole = [
        field
        for field in operation.request.all_fields()
        if field.wire not in elsewhere and field.protocol != "soap" and not field.refused
    ]
    for named in [field for field in whole if field.wire == rest.body]:
        whole = named.type.all_fields() if isinstance(named.type, Struct) else []
        whole += [named.item] if named.item is not None else []
    yield from _below(whole, naming.space(rest.body_tag))


def _below(fields: list[Field], space: str) -> Iterator[tuple[Field, str]]:
    """Those that are of another namespace, at any depth."""
    seen: set[int] = set()
    todo = list(reversed(fields))
    while todo:
        field = todo.pop()
        if id(field) in seen:
            continue
        seen.add(id(field))
        if (
            field.kind in ("element", "attribute")
            and naming.space(field.tag) != (space, "")[field.kind != "element"]
        ):
            yield field, space
        if field.item is not None:
            todo.append(field.item)
        elif isinstance(field.type, Struct):
            todo += reversed(field.type.all_fields())
