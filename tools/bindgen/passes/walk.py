"""Finding things in a contract: all its structs, and what a path of `contracts.toml` means."""

from __future__ import annotations

from collections.abc import Iterator

from bindgen.model import Contract, Field, Struct
from bindgen.problems import Problem


def structs(contract: Contract, *, requests: bool = True) -> Iterator[Struct]:
    """Every struct that an operation reaches, once, by headers, faults and `xsi:type`, too; without
    `requests`, by what comes back alone."""
    seen: set[int] = set()
    todo: list[Struct] = []
    for operation in contract.operations:
        todo.append(operation.response)
        todo += [part.type for part in operation.response_headers]
        todo += [fault.type for fault in operation.faults]
        if requests:
            todo.append(operation.request)
            todo += [part.type for part in operation.request_headers]
    while todo:
        struct = todo.pop()
        if id(struct) in seen:
            continue
        seen.add(id(struct))
        yield struct
        if struct.base is not None:
            todo.append(struct.base)
        todo += struct.derived
        for field in struct.fields:
            kind = field.item.type if field.item else field.type
            if isinstance(kind, Struct):
                todo.append(kind)


def field_at(contract: Contract, path: str, setting: str) -> Field | None:
    """The field that `TYPE/FIELD` (or `TYPE/@ATTRIBUTE`) means; None, and a problem, where there is none."""
    owner, _, name = path.partition("/")
    kind = "attribute" if name.startswith("@") else "element"
    found = [struct for struct in structs(contract) if struct.name == owner]
    for struct in found:
        for field in struct.fields:
            if field.wire == name.removeprefix("@") and field.kind == kind:
                return field
    what = "such field" if found else "such type"
    contract.problems.append(
        Problem(
            f"contracts.toml: contracts.{contract.name}.{setting} names {path!r}; the contract has no {what}"
        )
    )
    return None


def fields_at(contract: Contract, section: str, key: str) -> Iterator[Field]:
    """The fields that a list of paths means."""
    for path in contract.settings.texts(section, key):
        if (field := field_at(contract, path, f"{section}.{key}")) is not None:
            yield field
