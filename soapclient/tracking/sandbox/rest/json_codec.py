"""Convert XML elements to the service's JSON form and back, and dicts to plain JSON.

The JSON form is described in `docs/explanation/service.md#json`. Numbers are written as decimal text, never
through a binary float. Request bodies are converted to elements, so that the schema validates both formats in
the same way.
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

# Repeated elements that are not written as an array if there is only one.
COLLAPSED = frozenset(
    {"policy", "category", "region", "sub", "admediumItem", "incentiveItem", "gpp", "trackingCategoryItem"}
)
# Containers that are wrapped in an array with one item.
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
    """Return the content of `element` as JSON. `tag` is the tag of a global element with the same type."""
    return _element(contract, contract.types.of_element(tag), element)


def _element(contract: Contract, schema_type: SchemaType, element: etree._Element) -> str:
    """Return the content of an element as JSON. `schema_type` is its type."""
    entries = [
        (f"@{attribute.name}", quoted(text))
        for attribute in schema_type.attributes
        if (text := element.get(attribute.tag)) is not None
    ]
    if schema_type.scalar is not None:
        text = element.text or ""
        return _object([*entries, ("$", quoted(text))]) if entries else _bare(schema_type.scalar, text)
    entries += _children(contract, schema_type, element)
    return _object(entries) if entries else '""'


def _children(
    contract: Contract, schema_type: SchemaType, element: etree._Element
) -> Iterator[tuple[str, str]]:
    """Yield (name, JSON) for each child field that the element contains."""
    for field in schema_type.fields:
        type_ = contract.types[field.type]
        values = [_element(contract, type_, child) for child in element.iterchildren(field.tag)]
        if not values:
            continue
        if field.many and not (len(values) == 1 and field.name in COLLAPSED):
            yield field.name, f"[{','.join(values)}]"
        elif field.name in BOXED and values[0] != '""':
            yield field.name, f"[{values[0]}]"
        else:
            yield field.name, values[0]


def _bare(scalar: str, text: str) -> str:
    """Return the text of an element as JSON. `scalar` is the XSD base type in the schema, such as `int`.

    Digits become a number even if the schema type is a string, so `01` becomes 1. Likewise, the texts `true`
    and `false` become booleans.
    """
    if scalar in _NUMBERS and _NUMBER.fullmatch(text):
        return text
    if _DIGITS.fullmatch(text):
        return text.lstrip("0") or "0"
    return text if text in ("true", "false") else quoted(text)


def plain(value: Value) -> str:
    """Return a dict, list or simple value as JSON, without a schema. Entries that are None are left out."""
    if isinstance(value, Mapping):
        return _object([(name, plain(item)) for name, item in value.items() if item is not None])
    if isinstance(value, str | date):
        return quoted(lexical(value))
    if isinstance(value, Sequence):
        return f"[{','.join(plain(item) for item in value)}]"
    if isinstance(value, bool | int | Decimal):
        return lexical(value)
    raise TypeError(f"cannot be written as JSON: {type(value).__name__}")


def quoted(text: str) -> str:
    """Return a JSON string. Only the required characters are escaped."""
    return json.dumps(text, ensure_ascii=False)


def _object(entries: Sequence[tuple[str, str]]) -> str:
    return "{" + ",".join(f"{quoted(name)}:{text}" for name, text in entries) + "}"


# Numbers are kept as strings.
Json = str | bool | None | list["Json"] | dict[str, "Json"]


def parse(data: bytes) -> Json:
    """Parse strict JSON, with numbers as strings.

    Raises `InvalidValue` 100 for invalid JSON, duplicate names and NaN.
    """
    try:
        # Default strictness: control characters in strings are an error.
        value: Json = json.loads(
            data.decode("utf-8-sig"),
            parse_float=str,
            parse_int=str,
            parse_constant=_reject_constant,
            object_pairs_hook=_unique_names,
        )
    except UnicodeDecodeError as error:
        raise InvalidValue(
            Code.MALFORMED, f"the JSON body is not UTF-8: the byte at offset {error.start} is invalid"
        ) from None
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        raise InvalidValue(Code.MALFORMED, f"the body is not JSON: {error.msg}, at {where}") from None
    except RecursionError:
        raise InvalidValue(Code.MALFORMED, "the JSON body is nested too deeply") from None
    return value


def _reject_constant(name: str) -> Json:
    raise InvalidValue(Code.MALFORMED, f"{name} is not a JSON number")


def _unique_names(pairs: Sequence[tuple[str, Json]]) -> dict[str, Json]:
    result = dict(pairs)
    if len(result) < len(pairs):
        names = [name for name, _ in pairs]
        duplicate = next(name for name in names if names.count(name) > 1)
        raise InvalidValue(Code.MALFORMED, f"{duplicate[:60]!r} occurs twice in one object")
    return result


def unwrapped(value: Json, root: str) -> Json:
    """Return `value[root]` if `value` is an object whose only name is `root`; otherwise return `value`."""
    if isinstance(value, Mapping) and list(value) == [root]:
        return value[root]
    return value


def element_of(
    contract: Contract, tag: str, schema_type: SchemaType, value: Json, path: str
) -> etree._Element:
    """Convert `value` to the element `tag`, with its children in schema order.

    `path`: the place of `value` in the request, for error messages. Raises `InvalidValue` 103 for values
    that are not in the schema.
    """
    element = etree.Element(tag)
    try:
        _fill(contract, element, schema_type, value, path)
    except ValueError:
        raise InvalidValue(Code.MALFORMED, f"{path}: contains characters that XML does not allow") from None
    return element


def _fill(
    contract: Contract, element: etree._Element, schema_type: SchemaType, value: Json, path: str
) -> None:
    """Set the content of `element`, which has the type `schema_type`, to the JSON value `value`.

    `path`: the place of `value` in the request, for error messages. Raises `InvalidValue` 103.
    """
    if isinstance(value, list) and len(value) == 1:
        value = value[0]  # a container may be wrapped in an array with one item
    if isinstance(value, list):
        raise InvalidValue(Code.INVALID, f"{path}: must be a single value, got a list of {len(value)}")
    if not isinstance(value, Mapping):
        if schema_type.scalar is None and value not in ("", None):
            raise InvalidValue(Code.INVALID, f"{path}: must be a JSON object")
        element.text = _text(value)
        return
    rest = dict(value)
    for attribute in schema_type.attributes:
        content = rest.pop(f"@{attribute.name}", None)
        if isinstance(content, list | dict):
            raise InvalidValue(Code.INVALID, f"{path}/@{attribute.name}: must be a string")
        if content is not None:
            element.set(attribute.tag, _text(content))
    if schema_type.scalar is not None and "$" in rest:
        content = rest.pop("$")
        if isinstance(content, list | dict):
            raise InvalidValue(Code.INVALID, f"{path}/$: must be a string")
        element.text = _text(content)
    for field in schema_type.fields:
        for entry in _entries(field, rest.pop(field.name, None)):
            child = etree.SubElement(element, field.tag)
            _fill(contract, child, contract.types[field.type], entry, f"{path}/{field.name}")
    if rest:
        raise InvalidValue(
            Code.INVALID, f"{path}: the contract does not declare {', '.join(sorted(rest))[:200]}"
        )


def _entries(field: Field, value: Json) -> Sequence[Json]:
    if value is None:
        return ()
    return value if field.many and isinstance(value, list) else (value,)


def _text(value: str | bool | None) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return value or ""
