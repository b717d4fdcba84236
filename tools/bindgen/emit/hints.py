"""The Python types of fields, as text."""

from __future__ import annotations

from bindgen.model import Enum, Field, Simple, Struct


def value(kind: Simple | Enum | Struct) -> str:
    """The type of one value as a reply may hold it: an enumeration is open."""
    if isinstance(kind, Simple):
        return kind.annotation
    return f"{kind.python} | str" if isinstance(kind, Enum) else kind.python


def closed(kind: Simple | Enum | Struct) -> str:
    """The type of one value as a request takes it: only the contract's own values."""
    return f"{kind.python} | {kind.python_values}" if isinstance(kind, Enum) else value(kind)


def attribute(field: Field) -> tuple[str, str]:
    """A struct attribute's type and default ("" where it must be given)."""
    if field.refused:
        return "None", "None"
    if field.repeats:
        return f"list[{value(field.type)}]", "[]"
    whole = f"list[{value(field.item.type)}]" if field.item else _or_changes(field, value(field.type))
    return (whole, "") if field.required else (f"{whole} | None", "None")


def parameter(field: Field) -> tuple[str, str]:
    """A method parameter's type and default."""
    if field.refused:
        return "None", "None"
    kind = field.item.type if field.item else field.type
    one = closed(kind)
    if field.repeats:
        return f"Sequence[{one}]", "" if field.least else "()"
    whole = f"Sequence[{one}]" if field.item else _or_changes(field, one)
    return (whole, "") if field.least else (f"{whole} | None", "None")


def change(field: Field) -> str:
    """The type of a field among changes."""
    one = closed(field.item.type if field.item else field.type)
    return f"Sequence[{one}]" if field.item or field.repeats else one


def _or_changes(field: Field, whole: str) -> str:
    if field.partial and isinstance(field.type, Struct):
        return f"{whole} | {field.type.python_changes}"
    return whole
