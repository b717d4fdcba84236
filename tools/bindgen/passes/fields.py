"""Passes that determine how fields appear in Python, such as their types, and whether they may be missing.

Each pass is a function. Most passes apply a setting, such as `types.binary` or `refused.fields`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeVar

from bindgen.model import Contract, Enum, Field, ListOf, Simple, Struct, Type, UnionOf
from bindgen.passes.walk import field_at, fields_at, held, reached, refuse, structs
from bindgen.problems import Problem
from bindgen.simple_types import BINARY, DAY, SENT_BINARY, SIMPLE, WIDER, XSD

KindT = TypeVar("KindT", bound=Type)


def wrapped_lists(contract: Contract) -> None:
    """Find the fields whose type only wraps a list, and set their `item` to the repeated element.

    The wrapping type is then not generated.
    """
    for struct in list(structs(contract)):
        for field in struct.fields:
            if field.kind == "element" and field.most == 1 and isinstance(field.type, Struct):
                field.item = None if field.nillable else _wrapped_item(field.type)


def _wrapped_item(wrapper: Struct) -> Field | None:
    """Return the repeated field of a type that only wraps a list.

    Returns None for other types, and for types with a base or derived types.
    """
    if wrapper.base or wrapper.restricts or wrapper.derived or wrapper.abstract or len(wrapper.fields) != 1:
        return None
    item = wrapper.fields[0]
    return item if item.kind == "element" and item.most is None else None


def numbers(contract: Contract) -> None:
    """Give the fields in `types.binary` a binary float type. Other numbers stay exact, as money requires.

    For a package of `bindgen init`, also let the types of numbers accept INF and NaN, and the types of
    date-times accept values without a time zone. Packages of contracts.toml refuse these values.
    """
    if contract.settings.own:
        loosened: dict[int, Type] = {}
        simple = contract.simple_types
        for struct in structs(contract):
            for field in struct.fields:
                field.type = _widen(field.type, loosened)
                if field.item:
                    field.item.type = _widen(field.item.type, loosened)
        contract.simple_types = {name: _widen(kind, loosened) for name, kind in simple.items()}
    for field in fields_at(contract, "types", "binary"):
        if isinstance(field.type, Simple) and field.type.xsd in BINARY:
            field.type = BINARY[field.type.xsd]
        else:
            where = contract.settings.where("types.binary")
            why = f"{where} names {field.wire!r}, which is not an xsd:float or xsd:double"
            contract.problems.append(Problem(why, field.place, "types.binary"))


def _widen(kind: KindT, done: dict[int, Type]) -> KindT | Simple:
    """Return a type that allows more values: the type to which the table `WIDER` maps `kind`.

    Other types are returned as they are. In lists and unions, the types of the items or members are replaced.
    `done` maps the `id()` of each list and union that was already changed to the list or union.
    """
    if isinstance(kind, Simple):
        return WIDER.get(kind.scalar, kind)
    if isinstance(kind, ListOf | UnionOf) and id(kind) not in done:
        done[id(kind)] = kind
        if isinstance(kind, UnionOf):
            kind.members = [
                WIDER.get(member.scalar, member) if isinstance(member, Simple) else member
                for member in kind.members
            ]
            for member in kind.members:
                _widen(member, done)
        elif isinstance(kind.item, Simple):
            kind.item = WIDER.get(kind.item.scalar, kind.item)
        else:
            _widen(kind.item, done)
    return kind


def days(contract: Contract) -> None:
    """Set the day type for the date-times in `types.day`, which represent calendar days.

    Each protocol writes a day in its own format.
    """
    for field in fields_at(contract, "types", "day"):
        if isinstance(field.type, Simple) and field.type.xsd == DAY.xsd:
            field.type = DAY
        else:
            why = f"{contract.settings.where('types.day')} names {field.wire!r}, which is not an xsd:dateTime"
            contract.problems.append(Problem(why, field.place, "types.day"))


def binary(contract: Contract) -> None:
    """Let callers pass files and streams for base64Binary fields of requests, and set media types.

    If responses use the type that contains the field, the field still takes only bytes. If an element has a
    media type and a complex type with base64Binary text, the field for this text also gets the media type.
    """
    fields = [field.item or field for struct in structs(contract) for field in struct.fields]
    binaries = [field for field in fields if _is_base64(field.type)]
    if not binaries:
        return
    received = {id(field) for struct in structs(contract, requests=False) for field in struct.fields}
    for field in binaries:
        if id(field) not in received:
            field.type = SENT_BINARY
    for field in fields:
        if field.content_types and isinstance(field.type, Struct):
            for text in field.type.all_fields():
                if text.kind == "text" and _is_base64(text.type):
                    text.content_types = text.content_types or field.content_types


def _is_base64(kind: Type) -> bool:
    return isinstance(kind, Simple) and kind.scalar == SENT_BINARY.scalar


def optionality(contract: Contract) -> None:
    """Mark the fields in `types.may_be_missing`: required by the contract, but optional in responses."""
    if contract.settings.own:
        _mark_in_all(contract)
        return
    for field in fields_at(contract, "types", "may_be_missing"):
        field.may_be_missing = True


def _mark_in_all(contract: Contract) -> None:
    """Mark the fields in a user's `types.may_be_missing` or `--may-be-missing` as optional in responses.

    The type in a path can be a local or a qualified name. A local name means all types with this name. A path
    without effect is a problem, because it is probably misspelt.
    """
    problems = []
    paths = contract.settings.texts("types", "may_be_missing")
    received = {id(item) for item in structs(contract, requests=False)} if paths else set()
    for path in paths:
        owner, slash, name = path.rpartition("/")
        types = [item for item in structs(contract) if owner in (item.name, item.qname)]
        matches = [(item, field) for item in types for field in item.all_fields() if _is_named(field, name)]
        marked = [field for item, field in matches if field.least > 0 and id(item) in received]
        for field in marked:
            field.may_be_missing = True
        if not marked:
            why = (
                _why_not(types, [field for _, field in matches], owner, name) if slash else "the / is missing"
            )
            form = "TYPE/ELEMENT or TYPE/@ATTRIBUTE, such as GetThingResponse/colour"
            advice = "Remove it" if matches else f"Give {form}"
            is_option = path in contract.settings.by_option
            where = "--may-be-missing" if is_option else contract.settings.where("types.may_be_missing:")
            problems.append(Problem(f"{where} {path}: {why}. {advice}.", None, "types.may_be_missing"))
    contract.problems += problems


def _is_named(field: Field, name: str) -> bool:
    kind = "attribute" if name.startswith("@") else "element"
    return (field.kind, field.wire) == (kind, name.removeprefix("@"))


def _why_not(types: list[Struct], fields: list[Field], owner: str, name: str) -> str:
    """Return why a path `owner.name` in the setting `may_be_missing` has no effect.

    `types` are the types with the name `owner`, and `fields` their fields with the name `name`.
    """
    if not types:
        return f"the type {owner} is not generated"
    if any(field.least for field in fields):
        return f"{owner} is not part of a response, and requests require the value"
    if any(field.choices for field in fields):
        return f"{name} is in a choice, so it is not required by itself"
    if fields:
        return f"{name} is optional already"
    for holder in reached(_holders(types), lambda item: _holders([item])):
        if any(_is_named(field, name) for field in holder.fields):
            group = "a substitution group" if holder.holder == "substitution" else "a group that repeats"
            return f"{name} is in {group}, and such elements cannot be set here"
    return f"{owner} has no {'attribute' if name.startswith('@') else 'element'} {name}"


def _holders(types: list[Struct]) -> list[Struct]:
    """Return the groups that types contain, such as substitution groups. Each group is a Struct.

    In XML, the elements of a group are children of the type's element.
    """
    return [item for struct in types for item in held(struct.all_fields()) if item.holder]


def other_places(contract: Contract) -> None:
    """Set `Field.elsewhere`: other elements and attributes of responses that can contain a field's value.

    Their names are in the table `types.also_read_as`, which maps the path of each field to these names.
    Names of attributes begin with `@`.
    """
    for path, names in contract.settings.table("types", "also_read_as").items():
        setting = f"types.also_read_as.{path}"
        if (field := field_at(contract, path, setting)) is None:
            continue
        for why in _fill(contract, _owner(contract, field), field, names):
            refuse(contract, setting, f": {why}")


def _owner(contract: Contract, field: Field) -> Struct:
    return next(struct for struct in structs(contract) if field in struct.fields)


def _fill(contract: Contract, owner: Struct, field: Field, names: object) -> Iterator[str]:
    """Set `elsewhere` for one field: other elements and attributes that can contain its value.

    `names` are their names, `@NAME` for attributes. Yields the reasons why `names` is invalid.
    """
    if not isinstance(names, list) or not names or not all(isinstance(name, str) for name in names):
        yield f"must be a list of names, got {names!r}"
        return
    if isinstance(field.type, Struct) or field.item is not None or field.repeats:
        yield "only single values can be read from several places"
        return
    declared = {(item.kind, item.wire) for item in owner.all_fields()}
    for name in names:
        wire = name.removeprefix("@")
        if ("attribute" if wire != name else "element", wire) in declared:
            yield f"the contract declares {name!r} as a separate field"
        elif wire != name:
            field.elsewhere += (("attribute", wire),)
        else:
            field.elsewhere += (("element", f"{{{contract.namespace}}}{name}"),)


_TEXT = SIMPLE[f"{{{XSD}}}string"]


def refused(contract: Contract) -> None:
    """Add the fields in `refused.fields` and the values in `refused.values` to the types of the contract.

    Earlier versions of the service accepted them. They are never sent: if a caller uses one, the error
    message is the reason in the settings.
    """
    requests = {operation.request.name: operation.request for operation in contract.operations}
    for path, reason in contract.settings.table("refused", "fields").items():
        owner, _, name = path.partition("/")
        struct = requests.get(owner)
        if struct is None or any(field.wire == name for field in struct.fields):
            why = "is not a request" if struct is None else f"declares {name!r} itself"
            refuse(contract, "refused.fields", f": {owner!r} {why}")
            continue
        struct.fields.append(Field(name, "element", "", _TEXT, 0, 1, struct.place, refused=str(reason)))
    for path, reasons in contract.settings.table("refused", "values").items():
        field = field_at(contract, path, "refused.values")
        if field is None:
            continue
        where = contract.settings.where("refused.values")
        is_text = field.type is _TEXT or isinstance(field.type, Enum)
        if is_text and not field.repeats and isinstance(reasons, dict):
            allowed = {
                value for value in reasons if isinstance(field.type, Enum) and value in field.type.values
            }
            field.refused_values = {
                str(value): str(reason) for value, reason in reasons.items() if value not in allowed
            }
            for value in sorted(allowed):
                why = f"{where}: the line has no effect, because the contract allows {value!r} for {path}"
                contract.notes.append(Problem(why, field.place))
        else:
            why = f"{where}: {path} must be a field with a single text and have a table of values and reasons"
            contract.problems.append(Problem(why, field.place, "refused.values"))


def unknown(contract: Contract) -> None:
    """Mark the types in `types.keep_unknown`. Their objects keep the unknown elements of a response."""
    names = set(contract.settings.texts("types", "keep_unknown"))
    if not names:
        return
    for struct in structs(contract):
        if struct.name in names:
            struct.keeps_unknown = True
    for name in sorted(names - {struct.name for struct in structs(contract)}):
        refuse(contract, "types.keep_unknown", f": the type {name!r} is not used")
