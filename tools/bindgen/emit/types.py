"""types.py: what the data is."""

from __future__ import annotations

import re

from bindgen import naming
from bindgen.emit import hints
from bindgen.emit.text import Lines, imported, literal, module
from bindgen.model import Contract, Enum, Struct


def emit(contract: Contract, root: str) -> str:
    """The enumerations and structs of a contract, and what changes of one may hold."""
    annotated = {hints.attribute(field)[0] for struct in contract.structs for field in struct.fields}
    changed = [struct for struct in contract.structs if struct.changes]
    annotated |= {hints.change(field) for struct in changed for field in struct.all_fields()}
    everything = " ".join(annotated)
    standard = [
        *(["import datetime as dt"] if "dt." in everything else []),
        *(["from decimal import Decimal"] if "Decimal" in everything else []),
        *(["from enum import StrEnum"] if contract.enums else []),
    ]
    typing = [*(["Literal"] if contract.enums else []), *(["TypedDict"] if changed else [])]
    if typing:
        standard.append(f"from typing import {', '.join(typing)}")
    if "Sequence[" in everything:
        standard.insert(0, "from collections.abc import Sequence")
    if "import datetime as dt" in standard:
        standard.remove("import datetime as dt")
        standard.insert(0, "import datetime as dt")
    keeping = any(struct.keeps_unknown for struct in contract.structs)

    about = f"{contract.name} {contract.settings.version}"
    doc = f"Types of {about}. Enumerations are open when read, closed when sent."
    kept = ["", *imported("soapclient.runtime.protocols", ["KeptValue"])] if keeping else []
    lines = module(contract, doc, [*standard, *([""] if standard else []), "import msgspec", *kept])
    for enum in contract.enums:
        lines("", "")
        enumeration(lines, enum)
    for struct in contract.structs:
        lines("", "")
        structure(lines, struct)
        if struct.changes:
            lines("", "")
            _changes(lines, struct)
    return lines.text()


def enumeration(lines: Lines, enum: Enum) -> None:
    """The class of an enumeration, and the literals of its values."""
    with lines.block(f"class {enum.python}(StrEnum):"):
        lines.doc(enum.qname.rpartition("}")[2], enum.doc)
        lines("")
        for member, value in enum.members.items():
            lines(f"{member} = {literal(value)}")
    lines("", "")
    with lines.block(f"{enum.python_values} = Literal[", "]"):
        for value in enum.members.values():
            lines(f"{literal(value)},")


def structure(lines: Lines, struct: Struct, *, nil: bool = False) -> set[str]:
    """The class of a complex type; `nil` as in `hints.attribute`. Gives the types and defaults in it."""
    said: set[str] = set()
    keys = _keys(struct)
    renamed = [field for field in struct.fields if field.python != keys[id(field)]]
    with lines.block(f"class {struct.python}(", "):"):
        lines(f"{struct.base.python if struct.base else 'msgspec.Struct'},", "kw_only=True,", "gc=False,")
        lines("omit_defaults=True,")
        if renamed:
            with lines.block("rename={", "},"):
                for field in renamed:
                    lines(f"{literal(field.python)}: {literal(keys[id(field)])},")
    with lines.inside():
        lines.doc(struct.name, struct.doc)
        if struct.fields or struct.keeps_unknown:
            lines("")
        for field in struct.fields:
            kind, default = hints.attribute(field, nil=nil)
            said |= {kind, default}
            lines(f"{field.python}: {kind}{f' = {default}' if default else ''}")
            if field.doc or field.may_be_missing or field.refused:
                lines.doc(
                    field.doc, "The service leaves it out at times." * field.may_be_missing, field.refused
                )

        if struct.keeps_unknown:
            lines(f"{struct.unknown}: dict[str, KeptValue] = {{}}")
            lines.doc("Unknown elements, by name: as JSON gave them, numbers exactly.")
    return said


def _changes(lines: Lines, struct: Struct) -> None:
    with lines.block(f"class {struct.python_changes}(TypedDict, total=False):"):
        lines.doc(f"Changes of a {struct.python}: what is not given stays as it is.")
        lines("")
        for field in struct.all_fields():
            lines(f"{field.python}: {hints.change(field)}")


_QUOTED = re.compile(r'["\\]').search


def _keys(struct: Struct) -> dict[int, str]:
    """What each field is called in JSON: its wire name, with a mark where another field has that."""
    keys: dict[int, str] = {}
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
            keys[id(field)] = naming.unused(key, taken)
            taken.add(keys[id(field)])
    return keys
