"""The service's JSON form of its XML (`docs/explanation/service.md#json`), written and read; and plain JSON.

Numbers are written digit by digit, never through a binary float. A body is read as the element that it stands
for, so that the schema validates both forms alike.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from decimal import Decimal

from lxml import etree

from ..codec import lexical
from ..contracts import Contract
from ..faults import Code, InvalidValue
from ..payload import Value
from ..schema import Field, SchemaType

# Repeated elements that are no array where there is one of them only.
COLLAPSED = frozenset(
    {"policy", "category", "region", "sub", "admediumItem", "incentiveItem", "gpp", "trackingCategoryItem"}
)
# Containers that sit in an array of one.
BOXED = frozenset({"regions", "categories"})
_NUMBERS = frozenset(
    {
        *("byte", "short", "int", "long", "integer", "positiveInteger", "nonNegativeInteger"),
        *("negativeInteger", "nonPositiveInteger", "unsignedByte", "unsignedShort"),
        *("unsignedInt", "unsignedLong", "float", "double", "decimal"),
    }
)
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?")
_DIGITS = re.compile(r"[0-9]+")


def from_element(contract: Contract, tag: str, element: etree._Element) -> str:
    """The content of `element`, which is of the type of the global element `tag`; its own name is dropped."""
    return _element(contract, contract.types.of_element(tag), element)


def _element(contract: Contract, shape: SchemaType, element: etree._Element) -> str:
    entries = [
        (f"@{one.name}", quoted(text))
        for one in shape.attributes
        if (text := element.get(one.tag)) is not None
    ]
    if shape.scalar is not None:
        text = element.text or ""
        return _object([*entries, ("$", quoted(text))]) if entries else _bare(shape.scalar, text)
    entries += _children(contract, shape, element)
    return _object(entries) if entries else '""'


def _children(contract: Contract, shape: SchemaType, element: etree._Element) -> Iterator[tuple[str, str]]:
    for field in shape.fields:
        type_ = contract.types[field.type]
        found = [_element(contract, type_, child) for child in element.iterchildren(field.tag)]
        if not found:
            continue
        if field.many and not (len(found) == 1 and field.name in COLLAPSED):
            yield field.name, f"[{','.join(found)}]"
        elif field.name in BOXED and found[0] != '""':
            yield field.name, f"[{found[0]}]"
        else:
            yield field.name, found[0]


def _bare(scalar: str, text: str) -> str:
    """Text alone, typed by what it looks like: also digits of a text are a number, so `01` becomes 1."""
    if scalar in _NUMBERS and _NUMBER.fullmatch(text):
        return text
    if _DIGITS.fullmatch(text):
        return text.lstrip("0") or "0"
    return text if text in ("true", "false") else quoted(text)


def plain(value: Value) -> str:
    """Any tree as it stands, for what has no XML: texts stay texts, entries that are None are left out."""
    if isinstance(value, Mapping):
        return _object([(name, plain(one)) for name, one in value.items() if one is not None])
    if isinstance(value, str | date):
        return quoted(lexical(value))
    if isinstance(value, Sequence):
        return f"[{','.join(plain(one) for one in value)}]"
    if isinstance(value, bool | int | Decimal):
        return lexical(value)
    raise TypeError(f"not a tree: {type(value).__name__}")


def quoted(text: str) -> str:
    """A JSON string; anything but what must be escaped stands as it is."""
    return json.dumps(text, ensure_ascii=False)


def _object(entries: Sequence[tuple[str, str]]) -> str:
    return "{" + ",".join(f"{quoted(name)}:{text}" for name, text in entries) + "}"


# Numbers stay the text they came in.
Json = str | bool | None | list["Json"] | dict[str, "Json"]


def parse(data: bytes) -> Json:
    """Strict JSON. Raises `InvalidValue` 100 for what is none, for a name twice in an object, and for NaN."""
    try:
        # The default strictness: control characters in strings are an error.
        found: Json = json.loads(
            data.decode("utf-8-sig"),
            parse_float=str,
            parse_int=str,
            parse_constant=_no_number,
            object_pairs_hook=_without_repeats,
        )
    except UnicodeDecodeError as error:
        raise InvalidValue(
            Code.MALFORMED, f"the JSON body is not UTF-8: byte {error.start} is wrong"
        ) from None
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        raise InvalidValue(Code.MALFORMED, f"this is not JSON: {error.msg} in {where}") from None
    except RecursionError:
        raise InvalidValue(Code.MALFORMED, "the JSON body is nested too deep") from None
    return found


def _no_number(name: str) -> Json:
    raise InvalidValue(Code.MALFORMED, f"{name} is no JSON number")


def _without_repeats(pairs: Sequence[tuple[str, Json]]) -> dict[str, Json]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise InvalidValue(Code.MALFORMED, f"{twice[:60]!r} stands twice in one object")
    return found


def unwrapped(value: Json, root: str) -> Json:
    """The content of the root, whose name may stand there or not."""
    if isinstance(value, Mapping) and list(value) == [root]:
        return value[root]
    return value


def element_of(contract: Contract, tag: str, shape: SchemaType, value: Json, path: str) -> etree._Element:
    """`value` as the element `tag`, its children in the schema's order whatever theirs was.

    Raises `InvalidValue` 103 that names the place for what has none in the schema.
    """
    element = etree.Element(tag)
    try:
        _fill(contract, element, shape, value, path)
    except ValueError:
        raise InvalidValue(
            Code.MALFORMED, f"{path}: there are characters that no document can hold"
        ) from None
    return element


def _fill(contract: Contract, element: etree._Element, shape: SchemaType, value: Json, path: str) -> None:
    if isinstance(value, list) and len(value) == 1:
        value = value[0]  # containers may sit in an array of one
    if isinstance(value, list):
        raise InvalidValue(Code.INVALID, f"{path}: one is wanted here, these are {len(value)}")
    if not isinstance(value, Mapping):
        if shape.scalar is None and value not in ("", None):
            raise InvalidValue(Code.INVALID, f"{path}: an object is wanted here")
        element.text = _text(value)
        return
    rest = dict(value)
    for attribute in shape.attributes:
        given = rest.pop(f"@{attribute.name}", None)
        if isinstance(given, list | dict):
            raise InvalidValue(Code.INVALID, f"{path}/@{attribute.name}: a text is wanted here")
        if given is not None:
            element.set(attribute.tag, _text(given))
    if shape.scalar is not None and "$" in rest:
        given = rest.pop("$")
        if isinstance(given, list | dict):
            raise InvalidValue(Code.INVALID, f"{path}/$: a text is wanted here")
        element.text = _text(given)
    for field in shape.fields:
        for entry in _entries(field, rest.pop(field.name, None)):
            child = etree.SubElement(element, field.tag)
            _fill(contract, child, contract.types[field.type], entry, f"{path}/{field.name}")
    if rest:
        raise InvalidValue(Code.INVALID, f"{path}: the contract has no {', '.join(sorted(rest))[:200]} here")


def _entries(field: Field, value: Json) -> Sequence[Json]:
    if value is None:
        return ()
    return value if field.many and isinstance(value, list) else (value,)


def _text(value: str | bool | None) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return value or ""
