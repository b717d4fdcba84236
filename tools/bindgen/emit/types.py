"""Write types.py, which has the data classes and enumerations of a package."""

from __future__ import annotations

import re

from bindgen import naming
from bindgen.emit import hints
from bindgen.emit.module import RuntimeImports, head, standard
from bindgen.emit.text import Lines, literal
from bindgen.model import Contract, Enum, Field, Struct
from bindgen.passes import orders


def emit(contract: Contract) -> str:
    """Return the module with the enumerations and structs of a contract, and two kinds of TypedDict.

    One kind of TypedDict has the changed fields of a struct, the other the options of a report order.
    """
    uses = RuntimeImports(frozenset())
    body = Lines()
    hints_used: set[str] = set()
    for enum in contract.enums:
        body("", "")
        _write_enum(body, enum)
    for struct in contract.structs:
        body("", "")
        hints_used |= _write_struct(body, struct)
        if struct.changes:
            body("", "")
            hints_used |= _write_changes(body, struct)
    if contract.order_options:
        body("", "")
        hints_used |= _write_order_options(body, contract)
    everything = " ".join(hints_used)
    changed = contract.order_options or any(struct.changes for struct in contract.structs)
    typing = [*(["Literal"] if contract.enums else []), *(["TypedDict"] if changed else [])]
    imports = standard(everything, abstract=["Sequence"] if "Sequence[" in everything else [], typing=typing)
    if contract.enums:
        imports.insert(len(imports) - 1, "from enum import StrEnum")
    for name in ("AnyElement", "AnyValue", "FileOrStream", "KeptValue", "Nil"):
        if re.search(rf"\b{name}\b", everything):
            uses(name)
    if contract.structs:
        uses("Record")
    lines = head(
        contract, f"Types of {called(contract)}. Only responses can have unknown enumeration values."
    )
    lines(*([""] if imports else []), *imports, *uses.imports())
    lines.extend(body)
    return lines.text()


def called(contract: Contract) -> str:
    """Return the name of a contract with its version."""
    return f"{contract.name} {contract.settings.version}".strip()


def _write_enum(lines: Lines, enum: Enum) -> None:
    """Write the class of an enumeration and the type of its values."""
    with lines.block(f"class {enum.python}(StrEnum):"):
        if enum.doc:
            lines.doc(enum.doc)
            lines("")
        lines(*(f"{member} = {literal(value)}" for member, value in enum.members.items()))
    lines("", "", f"{enum.python_values} = Literal[{', '.join(map(literal, enum.members.values()))}]")


def _write_struct(lines: Lines, struct: Struct) -> set[str]:
    """Write the class of a complex type. Returns the annotations and defaults in it, for the imports."""
    hints_used: set[str] = set()
    base = struct.base.python if struct.base else "Record"
    renamed = {field.python: key for field, key in _keys(struct) if key != camel(field.python)}
    keys = ", ".join(f"{literal(python)}: {literal(key)}" for python, key in renamed.items())
    with lines.block(f"class {struct.python}({base}{f', rename={{{keys}}}' if keys else ''}):"):
        if struct.doc:
            lines.doc(struct.doc)
            if struct.fields or struct.unknown:
                lines("")
        for field in struct.fields:
            kind, default = hints.attribute(field)
            hints_used.add(kind)
            hints_used.add(default)
            lines(f"{field.python}: {kind}{f' = {default}' if default else ''}")
            missing = "Required by the contract, but missing in some responses." * field.may_be_missing
            if field.doc or missing or field.refused:
                lines.doc(field.doc, missing, field.refused)
        if struct.unknown:
            hints_used.add("KeptValue")
            lines(f"{struct.unknown}: dict[str, KeptValue] = {{}}")
            lines.doc("Elements of the response that the contract does not have, by name. Numbers are exact.")
        if not (struct.doc or struct.fields or struct.unknown):
            lines("pass")
    return hints_used


def _write_changes(lines: Lines, struct: Struct) -> set[str]:
    hints_by_name = {field.python: hints.change(field) for field in struct.all_fields()}
    with lines.block(f"class {struct.python_changes}(TypedDict, total=False):"):
        lines.doc(f"Changes to a {struct.python}. Fields that are missing here keep their values.")
        lines("", *(f"{name}: {kind}" for name, kind in hints_by_name.items()))
    return set(hints_by_name.values())


def _write_order_options(lines: Lines, contract: Contract) -> set[str]:
    """Write the TypedDict for the options of a report order: columns, groups and filters.

    Returns the annotations in it, for the imports.
    """
    operation, roles = orders.operation_of(contract), orders.roles(contract)
    listed = [role for role in roles if role in ("columns", "group_by")]
    hints_by_name = dict.fromkeys(listed, "str | Sequence[str] | None")
    for located in orders.filters(contract):
        kind = hints.closed(located.kind)
        hints_by_name[located.keyword] = f"Sequence[{kind}] | None" if located.several else f"{kind} | None"
    removed = [field for field in operation.request.all_fields() if field.refused] if operation else []
    lists = " and ".join(f"`{role}`" for role in listed)
    hints_by_name |= {field.python: "None" for field in removed}
    with lines.block(f"class {contract.order_options}(TypedDict, total=False):"):
        lines.doc(
            "Options of a report order, besides the report type and the days. None is not sent.",
            f"Set {lists} to a list of names, or to a string of names separated by commas." if lists else "",
            *(f"{field.python}: {field.refused}." for field in removed),
        )
        lines("", *(f"{name}: {kind}" for name, kind in hints_by_name.items()))
    return set(hints_by_name.values())


def camel(name: str) -> str:
    """Return the default name of a field in JSON, as `Record` derives it from the Python name."""
    if "_" not in name:
        return name
    first, *others = name.strip("_").split("_")
    return first + "".join(word[:1].upper() + word[1:] for word in others)


_QUOTED = re.compile(r'["\\]').search


def _keys(struct: Struct) -> list[tuple[Field, str]]:
    """Return each field with its JSON name: its XML name, with a mark such as `@` if it is not unique."""
    keys: list[tuple[Field, str]] = []
    used: set[str] = set()
    attributes: set[str] = set()
    for level in struct.line():
        elements = {field.wire for field in level.fields if field.kind == "element"}
        attributes |= {field.wire for field in level.fields if field.kind == "attribute"}
        for field in level.fields:
            # A wire name that msgspec cannot encode is not a valid XML name either, so it never occurs.
            wire = field.wire
            key = wire if wire.isidentifier() or (wire.isprintable() and not _QUOTED(wire)) else field.python
            if field.kind == "attribute" and (key in elements or key in used):
                key = f"@{field.wire}"
            elif field.kind == "text" and key in attributes:
                key = "$"
            elif field.kind in ("any", "any_attributes", "group") and key in elements | attributes:
                key = f"*{field.wire}"
            if key in used:
                key = naming.unused(key, used)
            used.add(key)
            if level is struct:
                keys.append((field, key))
    return keys
