"""Find structs of a contract, and fields by the paths in settings. Report settings with unknown names."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Iterator

from bindgen.model import Contract, Field, Struct
from bindgen.problems import Problem
from bindgen.sections import OPERATION_FLAGS


def refuse(contract: Contract, setting: str, why: str, *, unplaced: tuple[str, ...] = ()) -> None:
    """Add a problem with a setting to `contract.problems`. `setting` is its path, such as `job.order`.

    The message is the name of the setting, directly followed by `why`. `unplaced` becomes `Problem.unplaced`:
    the elements of a request that the REST table does not place in path, query or body.
    """
    message = f"{contract.settings.where(setting)}{why}"
    contract.problems.append(Problem(message, setting=setting, unplaced=unplaced))


_ALIKE = 0.85


def absent(
    contract: Contract, setting: str, why: str, name: str, known: Iterable[str], listed: Iterable[str] = ()
) -> None:
    """Report that a setting has no effect, because the contract does not have `name`.

    `setting` and `why` have the same meaning as in `refuse`. `known` are the names in the contract. `listed`
    are all names in the setting, if its value is a list.

    This is reported as a problem in two cases, otherwise as a note:

    - The package is made by `bindgen init`: its settings apply to one WSDL only.
    - `name` is probably misspelt: it resembles a name in `known` that is not in `listed`, and it is not a
      message of another contract version (see `_is_of_another_version`).
    """
    alike = difflib.get_close_matches(name, set(known).difference(listed), 1, _ALIKE)
    if contract.settings.own or (alike and not _is_of_another_version(contract, name)):
        refuse(contract, setting, why)
    else:
        where = contract.settings.where(setting)
        contract.notes.append(Problem(f"{where}{why}; the line has no effect, and can be removed"))


def _is_of_another_version(contract: Contract, name: str) -> bool:
    """Return True if `name` is a request or response type that another version of the contract has.

    This is assumed if `name` is the name of an operation, followed by `Request` or `Response`. The operation
    must be in the settings, but not in this contract.
    """
    settings = contract.settings
    flagged = (name for key in OPERATION_FLAGS for name in settings.texts("operations", key))
    operations = {*flagged, *settings.section("rest")}
    missing = operations - {operation.name for operation in contract.operations}
    return name in {f"{item}{end}" for item in missing for end in ("Request", "Response")}


def reached(roots: Iterable[Struct], further: Callable[[Struct], Iterable[Struct]]) -> Iterator[Struct]:
    """Yield the roots, and all structs that can be reached from them, each once.

    `further` returns the structs to which a struct refers directly.
    """
    seen: set[int] = set()
    todo = list(roots)
    while todo:
        struct = todo.pop()
        if id(struct) not in seen:
            seen.add(id(struct))
            yield struct
            todo += further(struct)


def held(fields: Iterable[Field]) -> list[Struct]:
    """Return the structs that are types of the given fields.

    For an element that wraps a list, the type of the items is used.
    """
    structs: list[Struct] = []
    for field in fields:
        kind = field.item.type if field.item else field.type
        if isinstance(kind, Struct):
            structs.append(kind)
    return structs


def structs(contract: Contract, *, requests: bool = True) -> Iterator[Struct]:
    """Yield all structs that operations use, each once, including headers, faults and derived types.

    With `requests=False`, only the structs of responses are included. `contract.declared`, the types to
    generate even if no operation uses them, is included in both cases.
    """
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
    """Return the base of a type, its derived types, and the types of its fields."""
    return [*([struct.base] if struct.base else []), *struct.derived, *held(struct.fields)]


def field_at(contract: Contract, path: str, setting: str, *, required: bool = False) -> Field | None:
    """Return the field at the end of a path, such as `TYPE/FIELD`; None if it does not exist.

    A missing type or field is reported as in `steps_at`, which also explains `setting` and `required`.
    """
    return next(reversed(steps_at(contract, path, setting, required=required)), None)


def steps_at(contract: Contract, path: str, setting: str, *, required: bool = False) -> list[Field]:
    """Return the fields along a path such as `TYPE/FIELD`, `TYPE/FIELD/INNER` or `TYPE/@ATTRIBUTE`.

    The type's own fields take precedence over inherited ones. `setting` is the setting with the path. If the
    type or a field is missing, the list is empty, and:

    - A missing field is reported as a problem.
    - A missing type is reported as a problem if `required` is True. Otherwise, the function `absent` reports
      it as a problem or a note.
    """
    owner, *names = path.split("/")
    owners = [struct for struct in structs(contract) if struct.name == owner]
    for struct in owners:
        if names and (steps := steps_in(struct, names)):
            return steps
    if owners or required:
        noun = "field" if owners else "type"
        refuse(contract, setting, f" names {path!r}; the contract does not have this {noun}")
    else:
        why = f" names {path!r}; the contract does not have this type"
        absent(contract, setting, why, owner, [struct.name for struct in structs(contract)])
    return []


def steps_in(struct: Struct, names: list[str]) -> list[Field]:
    """Return the fields along a path inside a type; an empty list if it has no such field."""
    name, *inner = names
    kind = "attribute" if name.startswith("@") else "element"
    for field in reversed(struct.all_fields()):
        if field.wire == name.removeprefix("@") and field.kind == kind:
            if not inner:
                return [field]
            single = isinstance(field.type, Struct) and not (field.repeats or field.item)
            further = steps_in(field.type, inner) if single and isinstance(field.type, Struct) else []
            return [field, *further] if further else []
    return []


def fields_at(contract: Contract, section: str, key: str) -> Iterator[Field]:
    """Yield the fields whose paths the setting `section.key` lists. Paths without a field are reported."""
    for path in contract.settings.texts(section, key):
        if (field := field_at(contract, path, f"{section}.{key}")) is not None:
            yield field
