"""A last look at what was written: text of a contract that became code by accident would show here."""

from __future__ import annotations

import ast

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
