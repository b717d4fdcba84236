"""Python source text for the types of fields, and for the default and fixed values in a contract."""

from __future__ import annotations

from collections.abc import Iterator

from bindgen.emit.text import literal
from bindgen.model import Anything, Enum, Field, ListOf, Simple, Struct, Type, UnionOf


def value(kind: Type) -> str:
    """Return the type annotation for values of a type in responses.

    For an enumeration, the annotation also allows other strings.
    """
    if isinstance(kind, Simple):
        return kind.annotation  # fast path for most types, because contracts may be very large
    if isinstance(kind, Struct) and not kind.derived:
        return kind.python
    return " | ".join(dict.fromkeys(_union_members(kind)))


def closed(kind: Type) -> str:
    """Return the type annotation for values of a type in requests.

    For an enumeration, the annotation allows only its known values.
    """
    if isinstance(kind, Simple):
        return kind.annotation
    if isinstance(kind, ListOf):
        return f"Sequence[{closed(kind.item)}]"
    return " | ".join(dict.fromkeys(_closed_union_members(kind)))


def roots(struct: Struct) -> list[Struct]:
    """Return the types that a union must list to accept values of `struct` and of its derived types.

    These are `struct` and the types derived by restriction, because their classes are not Python subclasses
    of the class of `struct`.
    """
    if not struct.derived:  # most types
        return [struct]
    types: dict[int, Struct] = {id(struct): struct}
    for derived in struct.self_and_derived():
        if derived is not struct and derived.restricts is not None:
            types[id(derived)] = derived
    return list(types.values())


def _union_members(kind: Type) -> Iterator[str]:
    """Yield the members of the union type that annotates values of a type in responses (see `value`)."""
    if isinstance(kind, Simple):
        yield kind.annotation
    elif isinstance(kind, Enum):
        yield from (kind.python, "str")
    elif isinstance(kind, ListOf):
        yield f"list[{value(kind.item)}]"
    elif isinstance(kind, UnionOf):
        for member in kind.members:
            yield from _union_members(member)
    elif isinstance(kind, Anything):
        yield kind.annotation
    else:
        yield from (struct.python for struct in roots(kind))


def _closed_union_members(kind: Type) -> Iterator[str]:
    """Yield the parts of the annotation for request values of `kind`, which `closed` joins to a union."""
    if isinstance(kind, Enum):
        yield from (kind.python, kind.python_values)
    elif isinstance(kind, UnionOf):
        for member in kind.members:
            yield from _closed_union_members(member)
    else:
        yield from _union_members(kind)


def names(kind: Type) -> set[str]:
    """Return the names of the generated classes that occur in the annotation `closed(kind)`."""
    if isinstance(kind, Enum):
        return {kind.python, kind.python_values}
    if isinstance(kind, Struct):
        return {struct.python for struct in roots(kind)}
    inner = [kind.item] if isinstance(kind, ListOf) else kind.members if isinstance(kind, UnionOf) else []
    return {name for member in inner for name in names(member)}


def attribute(field: Field) -> tuple[str, str]:
    """Return the annotation and the default of a field as an attribute of its class, as Python source text.

    The default is "" if a value is required.
    """
    if field.refused:
        return "None", "None"
    if field.kind == "any_attributes":
        return "dict[str, str]", "{}"
    if field.most != 1:
        return f"list[{_or_none_item(value(field.type), field)}]", "[]"
    if field.item:
        return _with_default(field, f"list[{_or_none_item(value(field.item.type), field.item)}]")
    type_ = value(field.type)
    return _with_default(field, _or_changes(field, type_) if field.partial else type_)


def parameter(field: Field) -> tuple[str, str]:
    """Return the annotation and the default of a field as a parameter of a method, as Python source text.

    The default is "" if a value is required.
    """
    if field.refused:
        return "None", "None"
    if field.kind == "any_attributes":
        return "Mapping[str, str] | None", "None"
    if field.repeats:
        required = field.least and not field.rest_optional
        return f"Sequence[{_or_none_item(closed(field.type), field)}]", "" if required else "()"
    list_type = f"Sequence[{_or_none_item(closed(field.item.type), field.item)}]" if field.item else ""
    return _with_default(field, list_type or _or_changes(field, closed(field.type)), declared=True)


def change(field: Field) -> str:
    """Return the annotation of a field in the TypedDict with which callers send only changed fields."""
    item_type = closed(field.item.type if field.item else field.type)
    return f"Sequence[{item_type}]" if field.item or field.repeats else item_type


def copies(field: Field) -> bool:
    """Return True if the method parameter for a field is a sequence, which the method copies to a list."""
    return bool(field.item or field.repeats or isinstance(field.type, ListOf))


def _or_none_item(hint: str, item: Field) -> str:
    return f"{hint} | None" if item.nillable else hint


def _with_default(field: Field, type_: str, *, declared: bool = False) -> tuple[str, str]:
    """Return the annotation and the default of a field, as Python source text.

    The default is "" if the field is required.

    `type_` is the annotation without None. `declared` decides which fields are required:

    - True (for requests): the fields that the contract requires.
    - False (for responses): the same fields, except fields that are known to be missing in some responses.
    """
    has_default = field.default is not None or field.fixed is not None
    if has_default and (default_ := default(field)):
        return (type_, default_)
    if field.nillable and not field.item:
        return (f"{type_} | None", "") if field.least else (f"{type_} | Nil | None", "None")
    if field.least > 0 and field.fixed is None:
        declared_required = not (field.rest_optional or field.of_nil)
        if declared_required if declared else field.required:
            return type_, ""
    return f"{type_} | None", "None"


def _or_changes(field: Field, type_: str) -> str:
    if field.partial and isinstance(field.type, Struct):
        return f"{type_} | {field.type.python_changes}"
    return type_


_BLANK = " \t\n\r"
_MOST_DIGITS = 4000  # Python does not convert longer integers


def default(field: Field) -> str:
    """Return the Python expression for the default or fixed value of a field; "" if the field has none.

    - A missing attribute has its default or fixed value.
    - A required element with a fixed value always has this value.
    - The default of an element is not used, because it is for empty elements, not for missing ones.
    """
    value_ = field.fixed if field.fixed is not None else field.default
    if value_ is None or field.repeats or (field.kind != "attribute" and not (field.least and field.fixed)):
        return ""
    if field.kind == "attribute" and field.least and field.fixed is None:
        return ""
    return expression(field, value_)


def when_absent(field: Field) -> str | None:
    """Return the XML text of the value that a missing attribute has.

    Returns None in these cases:

    - a missing attribute has no value
    - `default` returns this value as a Python expression
    - the type is an enumeration, or contains qualified names (the namespaces of prefixes are not known here)
    """
    value_ = field.fixed if field.fixed is not None else field.default
    if (
        value_ is None
        or (field.least and field.fixed is None)
        or isinstance(field.type, Enum)
        or default(field)
    ):
        return None
    return None if _has_prefixes(field.type) else value_


def _has_prefixes(kind: Type) -> bool:
    if isinstance(kind, UnionOf):
        return any(map(_has_prefixes, kind.members))
    if isinstance(kind, ListOf):
        return _has_prefixes(kind.item)
    return isinstance(kind, Simple) and kind.xsd in ("QName", "NOTATION")


def expression(field: Field, text: str) -> str:
    """Convert a value of a field from XML text to a Python expression; "" if that is not possible."""
    kind = field.type
    if isinstance(kind, Enum):
        for candidate in (text, " ".join(text.split())):
            for member, value in kind.members.items():
                if value == candidate:
                    return f"{kind.python}.{member}"
        return ""
    if not isinstance(kind, Simple):
        return ""
    plain = text.strip(_BLANK)
    if kind.annotation == "str" and kind.xsd not in ("QName", "NOTATION"):
        return literal(text if kind.xsd in ("string", "anySimpleType") else " ".join(text.split()))
    if kind.annotation == "bool" and plain in ("true", "1", "false", "0"):
        return str(plain in ("true", "1"))
    if kind.annotation == "int" and plain.lstrip("+-").isdecimal() and len(plain) < _MOST_DIGITS:
        return str(int(plain))
    if kind.annotation == "Decimal" and plain.isascii() and _is_number(plain):
        return f"Decimal({literal(plain)})"
    return ""


def _is_number(text: str) -> bool:
    return (
        bool(text)
        and not set(text) - set("0123456789+-.eE")
        and any(character.isdigit() for character in text)
    )
