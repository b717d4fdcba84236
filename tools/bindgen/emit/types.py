"""types.py: what the data is."""

from __future__ import annotations

import re

from bindgen import naming
from bindgen.emit import hints
from bindgen.emit.module import Uses, head, standard
from bindgen.emit.text import Lines, literal
from bindgen.model import Contract, Enum, Field, Struct
from bindgen.passes import orders


def emit(contract: Contract) -> str:
    """The enumerations and structs of a contract, and what changes of one may hold."""
    uses = Uses(frozenset())
    body = Lines()
    said: set[str] = set()
    for enum in contract.enums:
        body("", "")
        _enumeration(body, enum)
    for struct in contract.structs:
        body("", "")
        said |= _structure(body, struct)
        if struct.changes:
            body("", "")
            said |= _changes(body, struct)
    if contract.order_options:
        body("", "")
        said |= _order_options(body, contract)
    everything = " ".join(said)
    changed = contract.order_options or any(struct.changes for struct in contract.structs)
    typing = [*(["Literal"] if contract.enums else []), *(["TypedDict"] if changed else [])]
    known = standard(everything, abstract=["Sequence"] if "Sequence[" in everything else [], typing=typing)
    if contract.enums:
        known.insert(len(known) - 1, "from enum import StrEnum")
    for name in ("AnyElement", "AnyValue", "KeptValue", "Nil"):
        if re.search(rf"\b{name}\b", everything):
            uses(name)
    if contract.structs:
        uses("Record")
    lines = head(contract, f"Types of {called(contract)}. Enumerations are open when read, closed when sent.")
    lines(*([""] if known else []), *known, *uses.imports())
    lines.extend(body)
    return lines.text()


def called(contract: Contract) -> str:
    """A contract with its version."""
    return f"{contract.name} {contract.settings.version}".strip()


def _enumeration(lines: Lines, enum: Enum) -> None:
    with lines.block(f"class {enum.python}(StrEnum):"):
        if enum.doc:
            lines.doc(enum.doc)
            lines("")
        lines(*(f"{member} = {literal(value)}" for member, value in enum.members.items()))
    lines("", "", f"{enum.python_values} = Literal[{', '.join(map(literal, enum.members.values()))}]")


def _structure(lines: Lines, struct: Struct) -> set[str]:
    """The class of a complex type. Gives the types and defaults in it."""
    said: set[str] = set()
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
            said |= {kind, default}
            lines(f"{field.python}: {kind}{f' = {default}' if default else ''}")
            missing = "The service leaves it out at times." * field.may_be_missing
            if field.doc or missing or field.refused:
                lines.doc(field.doc, missing, field.refused)
        if struct.unknown:
            said.add("KeptValue")
            lines(f"{struct.unknown}: dict[str, KeptValue] = {{}}")
            lines.doc("Unknown elements, by name: as JSON gave them, numbers exactly.")
        if not (struct.doc or struct.fields or struct.unknown):
            lines("pass")
    return said


def _changes(lines: Lines, struct: Struct) -> set[str]:
    said = {field.python: hints.change(field) for field in struct.all_fields()}
    with lines.block(f"class {struct.python_changes}(TypedDict, total=False):"):
        lines.doc(f"Changes of a {struct.python}: what is not given stays as it is.")
        lines("", *(f"{name}: {kind}" for name, kind in said.items()))
    return set(said.values())


def _order_options(lines: Lines, contract: Contract) -> set[str]:
    """The options of an order beyond its type and days: columns, groups and filters."""
    operation, roles = orders.operation_of(contract), orders.roles(contract)
    listed = [role for role in roles if role in ("columns", "group_by")]
    said = dict.fromkeys(listed, "str | Sequence[str] | None")
    for each in orders.filters(contract):
        kind = hints.closed(each.kind)
        said[each.keyword] = f"Sequence[{kind}] | None" if each.several else f"{kind} | None"
    removed = [field for field in operation.request.all_fields() if field.refused] if operation else []
    lists = " and ".join(f"`{role}`" for role in listed)
    said |= {field.python: "None" for field in removed}
    with lines.block(f"class {contract.order_options}(TypedDict, total=False):"):
        lines.doc(
            "Options of an order beyond its type and days. None is omitted.",
            f"Names of {lists} are a list, or one text with commas." if lists else "",
            *(f"{field.python}: {field.refused}." for field in removed),
        )
        lines("", *(f"{name}: {kind}" for name, kind in said.items()))
    return set(said.values())


def camel(name: str) -> str:
    """A field's name in JSON where its class says no other one: as `Record` gives it."""
    first, *others = name.strip("_").split("_")
    return first + "".join(word[:1].upper() + word[1:] for word in others)


_QUOTED = re.compile(r'["\\]').search


def _keys(struct: Struct) -> list[tuple[Field, str]]:
    """What each field is called in JSON: its wire name, with a mark where another field has that."""
    keys: list[tuple[Field, str]] = []
    taken: set[str] = set()
    attributes: set[str] = set()
    for level in struct.line():
        elements = {field.wire for field in level.fields if field.kind == "element"}
        attributes |= {field.wire for field in level.fields if field.kind == "attribute"}
        for field in level.fields:
            # What is no name in XML is none of msgspec's either; what cannot come needs no name of its own.
            key = field.wire if field.wire.isprintable() and not _QUOTED(field.wire) else field.python
            if field.kind == "attribute" and (key in elements or key in taken):
                key = f"@{field.wire}"
            elif field.kind == "text" and key in attributes:
                key = "$"
            elif field.kind in ("any", "any_attributes", "group") and key in elements | attributes:
                key = f"*{field.wire}"
            key = naming.unused(key, taken)
            taken.add(key)
            if level is struct:
                keys.append((field, key))
    return keys
