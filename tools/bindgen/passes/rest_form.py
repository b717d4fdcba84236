"""What goes over REST is of one namespace: bodies are written, and JSON is read, by the names alone."""

from __future__ import annotations

from collections.abc import Iterator

from bindgen.model import Contract, Field, Operation, Struct
from bindgen.problems import Problem


def run(contract: Contract) -> None:
    """Note a problem for each name of another namespace than the body's, once."""
    said: set[tuple[str, int]] = set()
    for operation in contract.operations:
        for field, space in _foreign(operation):
            name = operation.name
            why = (
                f"{field.wire!r} is not of the namespace {space!r}, as all of {name} must be over REST"
                if field.kind == "element"
                else f"the attribute {field.wire!r} is of a namespace, and {name} goes over REST"
            )
            if (field.kind, id(field)) not in said:
                said.add((field.kind, id(field)))
                contract.problems.append(Problem(f"{why}: not handled here", field.place))


def _foreign(operation: Operation) -> Iterator[tuple[Field, str]]:
    rest = operation.rest
    if rest is None:
        return
    yield from _below(operation.reply.all_fields(), _space(operation.reply_tag))
    if not rest.body:
        return
    elsewhere = {*rest.in_path, *(parameter.field for parameter in rest.query)}
    whole = [
        field
        for field in operation.request.all_fields()
        if field.wire not in elsewhere and field.carrier != "soap" and not field.refused
    ]
    for named in [field for field in whole if field.wire == rest.body]:
        whole = named.type.all_fields() if isinstance(named.type, Struct) else []
        whole += [named.item] if named.item is not None else []
    yield from _below(whole, _space(rest.body_tag))


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
            and _space(field.tag) != (space, "")[field.kind != "element"]
        ):
            yield field, space
        if field.item is not None:
            todo.append(field.item)
        elif isinstance(field.type, Struct):
            todo += reversed(field.type.all_fields())


def _space(tag: str) -> str:
    return tag[1:].partition("}")[0] if tag.startswith("{") else ""
