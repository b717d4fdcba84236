"""The Python types of fields, as text."""

from __future__ import annotations

from collections.abc import Iterator

from bindgen.emit import defaults
from bindgen.model import Anything, Enum, Field, ListOf, Simple, Struct, Type, UnionOf


def value(kind: Type) -> str:
    """The type of one value as a response may hold it: an enumeration is open."""
    if isinstance(kind, Simple):
        return kind.annotation  # most are, and contracts may be very large
    if isinstance(kind, Struct) and not kind.derived:
        return kind.python
    return " | ".join(dict.fromkeys(_parts(kind)))


def closed(kind: Type) -> str:
    """The type of one value as a request takes it: only the contract's own values."""
    if isinstance(kind, ListOf):
        return f"Sequence[{closed(kind.item)}]"
    return " | ".join(dict.fromkeys(_closed_parts(kind)))


def roots(struct: Struct) -> list[Struct]:
    """The types that a value declared as `struct` may be of, but for those that are subclasses in Python."""
    found: dict[int, Struct] = {id(struct): struct}
    for each in struct.standing_for():
        if each is not struct and each.restricts is not None:
            found[id(each)] = each
    return list(found.values())


def _parts(kind: Type) -> Iterator[str]:
    if isinstance(kind, Simple):
        yield kind.annotation
    elif isinstance(kind, Enum):
        yield from (kind.python, "str")
    elif isinstance(kind, ListOf):
        yield f"list[{value(kind.item)}]"
    elif isinstance(kind, UnionOf):
        for member in kind.members:
            yield from _parts(member)
    elif isinstance(kind, Anything):
        yield "AnyElement"
    else:
        yield from (struct.python for struct in roots(kind))


def _closed_parts(kind: Type) -> Iterator[str]:
    if isinstance(kind, Enum):
        yield from (kind.python, kind.python_values)
    elif isinstance(kind, UnionOf):
        for member in kind.members:
            yield from _closed_parts(member)
    else:
        yield from _parts(kind)


def names(kind: Type) -> set[str]:
    """The generated classes that `closed` speaks of."""
    if isinstance(kind, Enum):
        return {kind.python, kind.python_values}
    if isinstance(kind, Struct):
        return {struct.python for struct in roots(kind)}
    inner = [kind.item] if isinstance(kind, ListOf) else kind.members if isinstance(kind, UnionOf) else []
    return {name for each in inner for name in names(each)}


def attribute(field: Field) -> tuple[str, str]:
    """A struct attribute's type and default ("" where it must be given)."""
    if field.refused:
        return "None", "None"
    if field.kind == "any_attributes":
        return "dict[str, str]", "{}"
    if field.repeats:
        return f"list[{_one(value(field.type), field)}]", "[]"
    whole = f"list[{_one(value(field.item.type), field.item)}]" if field.item else ""
    return _with_default(field, whole or _or_changes(field, value(field.type)))


def parameter(field: Field) -> tuple[str, str]:
    """A method parameter's type and default."""
    if field.refused:
        return "None", "None"
    if field.kind == "any_attributes":
        return "Mapping[str, str] | None", "None"
    if field.repeats:
        must = field.least and not field.rest_optional
        return f"Sequence[{_one(closed(field.type), field)}]", "" if must else "()"
    whole = f"Sequence[{_one(closed(field.item.type), field.item)}]" if field.item else ""
    return _with_default(field, whole or _or_changes(field, closed(field.type)), declared=True)


def change(field: Field) -> str:
    """The type of a field among changes."""
    one = closed(field.item.type if field.item else field.type)
    return f"Sequence[{one}]" if field.item or field.repeats else one


def copies(field: Field) -> bool:
    """Whether a parameter is a sequence, of which the request has a list of its own."""
    return bool(field.item or field.repeats or isinstance(field.type, ListOf))


def _one(hint: str, item: Field) -> str:
    return f"{hint} | None" if item.nillable else hint


def _with_default(field: Field, whole: str, *, declared: bool = False) -> tuple[str, str]:
    """`declared`: what a response may lack is required all the same."""
    if given := defaults.of(field):
        return (whole, given)
    if field.nillable and not field.item:
        return (f"{whole} | None", "") if field.least else (f"{whole} | Nil | None", "None")
    asked = field.least > 0 and not (field.rest_optional or field.of_nil)
    required = asked if declared else field.required
    if required and field.fixed is None:
        return whole, ""
    return f"{whole} | None", "None"


def _or_changes(field: Field, whole: str) -> str:
    if field.partial and isinstance(field.type, Struct):
        return f"{whole} | {field.type.python_changes}"
    return whole
