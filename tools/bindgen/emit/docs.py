"""Write docs.json: the documentation of operations, types and fields (`soapclient.runtime.documentation`)."""

from __future__ import annotations

import json
from collections.abc import Mapping

from bindgen.emit.module import made_by
from bindgen.emit.rows import keys
from bindgen.model import Contract, Field, Struct


def emit(contract: Contract) -> bytes:
    """Return docs.json, with one line for each type and operation; b"" if nothing is documented."""
    types: dict[str, dict[str, object]] = {}
    for struct in contract.structs:
        if entry := _type(struct):
            types[struct.python] = entry
    types |= {enum.python: {"text": enum.doc} for enum in contract.enums if enum.doc}
    operations = {name: operation.doc for name, operation in keys(contract).items() if operation.doc}
    if not types and not operations:
        return b""
    lines = [f'"made_by":{_text(made_by(contract))}']
    if types:
        lines.append(_section("types", types))
    if operations:
        lines.append(_section("operations", operations))
    return ("{\n" + ",\n".join(lines) + "\n}\n").encode()


def _type(struct: Struct) -> dict[str, object]:
    """Return the entry of a type in docs.json; {} if the type and its own fields are not documented."""
    fields = {field.python: text for field in struct.fields if (text := _of_field(field))}
    return {**({"text": struct.doc} if struct.doc else {}), **({"fields": fields} if fields else {})}


def _of_field(field: Field) -> str:
    """Return the documentation of a field.

    If an element that wraps a list is not documented, returns the documentation of the list's items.
    """
    return field.doc or (field.item.doc if field.item else "")


def _section(key: str, entries: Mapping[str, object]) -> str:
    lines = (f"{_text(name)}:{_text(entry)}" for name, entry in entries.items())
    return f"{_text(key)}:{{\n" + ",\n".join(lines) + "\n}"


def _text(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
