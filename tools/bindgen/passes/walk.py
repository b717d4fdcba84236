"""Finding things in a contract: all its structs, and what a path of `contracts.toml` means."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Iterator

from bindgen.model import Contract, Field, Struct
from bindgen.problems import Problem
from bindgen.sections import OPERATION_FLAGS


def refuse(contract: Contract, setting: str, why: str, *, unplaced: tuple[str, ...] = ()) -> None:
    """Note what is wrong with a setting; `setting` is its path in the contract's table."""
    message = f"{contract.settings.where(setting)}{why}"
    contract.problems.append(Problem(message, setting=setting, unplaced=unplaced))


_ALIKE = 0.85


def absent(
    contract: Contract, setting: str, why: str, name: str, known: Iterable[str], listed: Iterable[str] = ()
) -> None:
    """Note that a setting is about something that the contract does not have, so that it has no effect.

    A name that is like one of the contract, which is not `listed` in the same setting, is a problem: it is
    most likely misspelt. So is any in a package of a user's own, whose settings are about that WSDL alone.
    """
    alike = difflib.get_close_matches(name, set(known).difference(listed), 1, _ALIKE)
    if contract.settings.own or (alike and not _is_of_another_version(contract, name)):
        refuse(contract, setting, why)
    else:
        where = contract.settings.where(setting)
        contract.notes.append(Problem(f"{where}{why}; this has no effect, and can be removed"))


def _is_of_another_version(contract: Contract, name: str) -> bool:
    """Return True for a message of an operation that settings name and the contract lacks."""
    settings = contract.settings
    flagged = (name for key in OPERATION_FLAGS for name in settings.texts("operations", key))
    named = {*flagged, *settings.section("rest")}
    lacking = named - {operation.name for operation in contract.operations}
    return name in {f"{each}{end}" for each in lacking for end in ("Request", "Response")}


def reached(roots: Iterable[Struct], further: Callable[[Struct], Iterable[Struct]]) -> Iterator[Struct]:
    """The structs and, once each, all that `further` leads to from them."""
    seen: set[int] = set()
    todo = list(roots)
    while todo:
        struct = todo.pop()
        if id(struct) not in seen:
            seen.add(id(struct))
            yield struct
            todo += further(struct)


def held(fields: Iterable[Field]) -> list[Struct]:
    """The types of those fields, of lists those of their items."""
    kinds = (field.item.type if field.item else field.type for field in fields)
    return [kind for kind in kinds if isinstance(kind, Struct)]


def structs(contract: Contract, *, requests: bool = True) -> Iterator[Struct]:
    """Every struct that an operation reaches, once, by headers, faults and `xsi:type`, too; without
    `requests`, by responses alone. With `all_types`, every declared one."""
    roots = list(contract.declared)
    for operation in contract.operations:
        roots.append(operation.response)
        roots += [part.type for form in operation.forms() for part in form.response_headers]
        roots += [part.type for part in operation.header_faults]
        roots += [fault.type for fault in operation.faults]
        if requests:
            roots.append(operation.request)
            roots += [part.type for form in operation.forms() for part in form.request_headers]
    return reached(roots, near)


def near(struct: Struct) -> list[Struct]:
    """What a type extends, what derives from it, and what its fields hold."""
    return [*([struct.base] if struct.base else []), *struct.derived, *held(struct.fields)]


def field_at(contract: Contract, path: str, setting: str, *, required: bool = False) -> Field | None:
    """The field that `TYPE/FIELD` (or `TYPE/@ATTRIBUTE`) means; None, and a problem, where there is none.

    Without `required`, a type that the contract lacks is a note.
    """
    owner, _, name = path.partition("/")
    kind = "attribute" if name.startswith("@") else "element"
    found = [struct for struct in structs(contract) if struct.name == owner]
    for struct in found:
        for field in struct.fields:
            if field.wire == name.removeprefix("@") and field.kind == kind:
                return field
    if found or required:
        what = "field" if found else "type"
        refuse(contract, setting, f" names {path!r}; the contract has no such {what}")
    else:
        why = f" names {path!r}; the contract has no such type"
        absent(contract, setting, why, owner, [struct.name for struct in structs(contract)])
    return None


def fields_at(contract: Contract, section: str, key: str) -> Iterator[Field]:
    """The fields that a list of paths means."""
    for path in contract.settings.texts(section, key):
        if (field := field_at(contract, path, f"{section}.{key}")) is not None:
            yield field
