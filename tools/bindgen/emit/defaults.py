"""The values that a contract gives, as Python: defaults of attributes, and what is fixed."""

from __future__ import annotations

from bindgen.emit.text import literal
from bindgen.model import Enum, Field, ListOf, Simple, Type, UnionOf

_BLANK = " \t\n\r"
_MOST_DIGITS = 4000  # Python converts no more


def of(field: Field) -> str:
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
    if given is None or (field.least and field.fixed is None) or isinstance(field.type, Enum) or of(field):
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
