"""Check generated files, to detect errors of bindgen.

Text of a contract must not have become code, and the types in `schema.json` must match the classes in
`types.py`. Two different modules generate these files from the model. If the files differed, the runtime
would read fields that the classes do not have.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from functools import lru_cache

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
LONGEST = 300_000  # characters; parsing longer modules would take more time than generating them
_MODULES = frozenset(("datetime", "msgspec"))


class UnexpectedCode(AssertionError):
    """Raised if generated code has an unexpected form. This is an error of bindgen."""


def check(name: str, text: str) -> ast.Module | None:
    """Check the top-level statements of a module and return its syntax tree. Raises UnexpectedCode.

    Very long modules are not parsed. For these, the function returns None.
    """
    if len(text) > LONGEST:
        return None
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError) as error:
        raise UnexpectedCode(f"{name}: {error}") from None
    for node in tree.body:
        if not isinstance(node, _TOP):
            raise UnexpectedCode(
                f"{name}:{node.lineno}: {type(node).__name__} is not expected in a generated module "
                "(error of bindgen)"
            )
        if isinstance(node, ast.Expr) and not isinstance(node.value, ast.Constant):
            raise UnexpectedCode(
                f"{name}:{node.lineno}: {type(node.value).__name__} is not expected in a generated module "
                "(error of bindgen)"
            )
        if isinstance(node, ast.Import) and not {alias.name for alias in node.names} <= _MODULES:
            raise UnexpectedCode(
                f"{name}:{node.lineno}: import of a module that generated code does not use "
                "(error of bindgen)"
            )
    return tree


_SIMPLE = (*SIMPLE.values(), *BINARY.values(), *WIDER.values(), DAY)
_ANNOTATIONS = {simple.scalar.lower(): simple.annotation for simple in _SIMPLE}
_NAMES = re.compile(r"[^\[\]()|]+").findall


def prove(types: ast.Module, schema: bytes) -> None:
    """Check that the types and fields in schema.json are the same as in types.py. Raises UnexpectedCode.

    `types` is the syntax tree of types.py.
    """
    rows = msgspec.json.decode(schema, type=Schema)
    classes = {node.name: node for node in types.body if isinstance(node, ast.ClassDef)}
    for name, raw in rows.types.items():
        row = msgspec.json.decode(raw, type=TypeRow)
        if name not in classes:
            raise UnexpectedCode(f"{name}: types.py has no class for this type (error of bindgen)")
        _check_class(name, row, classes[name])
    expected = {*rows.types, *(name for name in classes if _is_enum(classes[name]))}
    changes = {f"{name}Changes" for name in rows.types}
    for name in classes.keys() - expected - changes:
        if not any(isinstance(base, ast.Name) and base.id == "TypedDict" for base in classes[name].bases):
            raise UnexpectedCode(f"{name}: schema.json has no type for this class (error of bindgen)")


def _is_enum(node: ast.ClassDef) -> bool:
    return any(isinstance(base, ast.Name) and base.id == "StrEnum" for base in node.bases)


def _check_class(name: str, row: TypeRow, node: ast.ClassDef) -> None:
    """Compare a class in types.py with its type in schema.json. Raises UnexpectedCode if they differ."""
    base = row.base if row.derivation == "extension" else "Record"
    if [_annotation(base_node) for base_node in node.bases] != [base]:
        raise UnexpectedCode(
            f"{name}: the class in types.py extends {[*map(_annotation, node.bases)]}, "
            f"but the type in schema.json extends {base} (error of bindgen)"
        )
    fields = {
        statement.target.id: statement
        for statement in node.body
        if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name)
    }
    unknown = [row.unknown] if row.unknown else []
    if [*fields] != [*(field.python for field in row.fields), *unknown]:
        raise UnexpectedCode(
            f"{name}: the class in types.py has the fields {[*fields]}, "
            "but the type in schema.json has other fields (error of bindgen)"
        )
    for field in row.fields:
        _check_field(f"{name}.{field.python}", field, fields[field.python])


def _annotation(node: ast.expr) -> str:
    """Return a type hint as text, like `ast.unparse`, which takes three times as long for the usual hints."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        return f"{_annotation(node.left)} | {_annotation(node.right)}"
    if isinstance(node, ast.Subscript) and not isinstance(node.slice, ast.Tuple):
        return f"{_annotation(node.value)}[{_annotation(node.slice)}]"
    if isinstance(node, ast.Constant) and node.value is None:
        return "None"
    return ast.unparse(node)


@lru_cache(1024)
def _expected(type_: str) -> Sequence[str]:
    """Return the names that must be in the type hint of a field whose type in schema.json is `type_`."""
    return tuple(_ANNOTATIONS.get(name.partition(":")[0], name) for name in _NAMES(type_))


def _check_field(where: str, row: FieldRow, node: ast.AnnAssign) -> None:
    """Compare the type hint and default of an attribute in types.py with its field in schema.json.

    `row` is the field, and `where` its name for errors. Raises UnexpectedCode if they do not match.
    """
    annotation = _annotation(node.annotation)
    repeats = row.occurs in ("*", "+") or bool(row.item)
    expected: Sequence[str] = _expected(row.type)
    if row.refused:
        expected = ["None"]
    elif row.kind == "any_attributes":
        expected = ["dict[str, str]"]
    elif row.type == "any" or row.kind in ("any", "content"):
        expected = ["AnyElement" if row.kind == "any" or row.type == MIXED else "AnyValue"]
    for type_name in expected:
        if type_name not in annotation:
            raise UnexpectedCode(
                f"{where}: the type is {row.type} in schema.json, but {annotation} in types.py "
                "(error of bindgen)"
            )
    if repeats and not row.refused and row.kind != "any_attributes" and not annotation.startswith("list["):
        raise UnexpectedCode(
            f"{where}: the element can repeat, but its attribute in types.py is not a list (error of bindgen)"
        )
    required = row.occurs == "1" and not (row.may_be_missing or row.rest_optional) and row.fixed is None
    if node.value is None and not required:
        raise UnexpectedCode(
            f"{where}: the element is optional, but its attribute in types.py does not have a default "
            "(error of bindgen)"
        )
