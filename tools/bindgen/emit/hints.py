"""The Python types of fields, and the values that a contract gives (defaults, what is fixed), as text."""

from __future__ import annotations

from collections.abc import Iterator

from bindgen.emit.text import literal
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
        yield kind.annotation
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
    if given := default(field):
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


_BLANK = " \t\n\r"
_MOST_DIGITS = 4000  # Python converts no more


def default(field: Field) -> str:
    """The Python default of a field that has one by its contract, "" where there is none to be said.

    An attribute that is absent has its default or fixed value; an element that must be there and is fixed
    can have that value only. (An element's default is for one that is there and empty.)
    """
    given = field.fixed if field.fixed is not None else field.default
    if given is None or field.repeats or (field.kind != "attribute" and not (field.least and field.fixed)):
        return ""
    if field.kind == "attribute" and field.least and field.fixed is None:
        return ""
    return expression(field, given)


def when_absent(field: Field) -> str | None:
    """The text that an absent attribute has by its contract, where Python has no expression for its value.

    None where there is none: of an enumeration only its own values are; what a prefix means is known where
    the schema stands, and not in a response.
    """
    given = field.fixed if field.fixed is not None else field.default
    if (
        given is None
        or (field.least and field.fixed is None)
        or isinstance(field.type, Enum)
        or default(field)
    ):
        return None
    return None if _has_prefixes(field.type) else given


def _has_prefixes(kind: Type) -> bool:
    if isinstance(kind, UnionOf):
        return any(map(_has_prefixes, kind.members))
    if isinstance(kind, ListOf):
        return _has_prefixes(kind.item)
    return isinstance(kind, Simple) and kind.xsd in ("QName", "NOTATION")


def expression(field: Field, text: str) -> str:
    """A value's text as a Python expression, "" where its type has none."""
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
    return bool(text) and not set(text) - set("0123456789+-.eE") and any(sign.isdigit() for sign in text)
