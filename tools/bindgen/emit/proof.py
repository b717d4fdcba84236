"""A last look at what was written: text of a contract that became code by accident would show here, and rows
of `schema.json` that are not those of the classes in `types.py`.

Both are made of the model, by two modules; where they differ, the run time would read what no class has.
"""

from __future__ import annotations

import ast
import re

import msgspec

from bindgen.simple_types import BINARY, DAY, SIMPLE, WIDER
from soapclient.runtime.schema import MIXED, FieldRow, Schema, TypeRow

_TOP = (
    ast.Expr,
    ast.Import,
    ast.ImportFrom,
    ast.Assign,
    ast.AnnAssign,
    ast.ClassDef,
    ast.FunctionDef,
    ast.If,
)
LONGEST = 300_000  # signs; to parse more takes longer than to write it
_MODULES = frozenset(("datetime", "msgspec"))


class NotAllowed(AssertionError):
    """Generated code is not of the shapes that are written: a fault of bindgen."""


def check(name: str, text: str) -> None:
    """Parse a module that is not very long and look at what stands at its top. Raises NotAllowed."""
    if len(text) > LONGEST:
        return
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError) as error:
        raise NotAllowed(f"{name}: {error}") from None
    for node in tree.body:
        if not isinstance(node, _TOP):
            raise NotAllowed(f"{name}:{node.lineno}: {type(node).__name__}")
        if isinstance(node, ast.Expr) and not isinstance(node.value, ast.Constant):
            raise NotAllowed(f"{name}:{node.lineno}: {type(node.value).__name__}")
        if isinstance(node, ast.Import) and not {alias.name for alias in node.names} <= _MODULES:
            raise NotAllowed(f"{name}:{node.lineno}: import")


_SIMPLE = (*SIMPLE.values(), *BINARY.values(), *WIDER.values(), DAY)
_ANNOTATIONS = {simple.scalar.lower(): simple.annotation for simple in _SIMPLE}
_NAMES = re.compile(r"[^\[\]()|]+").findall


def prove(types: str, schema: bytes) -> None:
    """Raise NotAllowed where a row has no field of its kind, or a field no row."""
    rows = msgspec.json.decode(schema, type=Schema)
    classes = {node.name: node for node in ast.parse(types).body if isinstance(node, ast.ClassDef)}
    for name, raw in rows.types.items():
        row = msgspec.json.decode(raw, type=TypeRow)
        if name not in classes:
            raise NotAllowed(f"{name}: a type without a class")
        _class(name, row, classes[name])
    known = {*rows.types, *(name for name in classes if _is_enum(classes[name]))}
    changes = {f"{name}Changes" for name in rows.types}
    for name in classes.keys() - known - changes:
        if not any(isinstance(base, ast.Name) and base.id == "TypedDict" for base in classes[name].bases):
            raise NotAllowed(f"{name}: a class without a row")


def _is_enum(node: ast.ClassDef) -> bool:
    return any(isinstance(base, ast.Name) and base.id == "StrEnum" for base in node.bases)


def _class(name: str, row: TypeRow, node: ast.ClassDef) -> None:
    base = row.base if row.derivation == "extension" else "Record"
    if [ast.unparse(each) for each in node.bases] != [base]:
        raise NotAllowed(f"{name}: its class extends {[*map(ast.unparse, node.bases)]}, its row {base}")
    fields = {
        each.target.id: each
        for each in node.body
        if isinstance(each, ast.AnnAssign) and isinstance(each.target, ast.Name)
    }
    kept = [row.unknown] if row.unknown else []
    if [*fields] != [*(field.python for field in row.fields), *kept]:
        raise NotAllowed(f"{name}: the class has the fields {[*fields]}, the rows others")
    for field in row.fields:
        _field(f"{name}.{field.python}", field, fields[field.python])


def _field(where: str, row: FieldRow, node: ast.AnnAssign) -> None:
    said = ast.unparse(node.annotation)
    many = row.occurs in ("*", "+") or bool(row.item)
    wanted = [_ANNOTATIONS.get(name.partition(":")[0], name) for name in _NAMES(row.type)]
    if row.refused:
        wanted = ["None"]
    elif row.kind == "any_attributes":
        wanted = ["dict[str, str]"]
    elif row.type == "any" or row.kind in ("any", "content"):
        wanted = ["AnyElement" if row.kind == "any" or row.type == MIXED else "AnyValue"]
    for each in wanted:
        if each not in said:
            raise NotAllowed(f"{where}: a row of the type {row.type}, a field of the type {said}")
    if many and not row.refused and row.kind != "any_attributes" and not said.startswith("list["):
        raise NotAllowed(f"{where}: it repeats, and its field is no list")
    must = row.occurs == "1" and not (row.may_be_missing or row.rest_optional) and row.fixed is None
    if node.value is None and not must:
        raise NotAllowed(f"{where}: optional, and its field has no default")
