"""Convert XML to payloads (nested dicts, see `payload`) and back.

The schema (module `schema`) determines the order of elements, which of them are lists, and the types of
scalars.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal

from lxml import etree

from .contracts import Contract
from .faults import Code, InvalidValue
from .payload import Payload, Scalar, Value
from .schema import Field, SchemaType

_INTEGERS = frozenset(
    {
        *("byte", "short", "int", "long", "integer", "positiveInteger", "nonNegativeInteger"),
        *("negativeInteger", "nonPositiveInteger", "unsignedByte", "unsignedShort"),
        *("unsignedInt", "unsignedLong"),
    }
)
_MOMENT = re.compile(
    r"(\d{4})-(\d\d)-(\d\d)(?:T(\d\d):(\d\d):(\d\d)(?:\.(\d+))?)?(?:(Z)|([+-])(\d\d):(\d\d))?", re.ASCII
)


def decode(contract: Contract, element: etree._Element) -> Payload:
    """Convert an element to a payload (nested dicts). The element must be valid against the schema.

    Raises `InvalidValue` with the code 105 for years outside 1 to 9999.
    """
    value = _decode(contract, contract.types.of_element(str(element.tag)), element)
    return value if isinstance(value, Mapping) else {}


def _decode(contract: Contract, shape: SchemaType, element: etree._Element) -> Value:
    if shape.scalar is not None and not shape.attributes:
        return _scalar(shape.scalar, element.text or "", element)
    tree: dict[str, Value] = {}
    for attribute in shape.attributes:
        text = element.get(attribute.tag)
        if text is not None:
            scalar = contract.types[attribute.type].scalar or "string"
            tree[f"@{attribute.name}"] = _scalar(scalar, text, element)
    if shape.scalar is not None:
        tree["$"] = _scalar(shape.scalar, element.text or "", element)
    by_tag = {field.tag: field for field in shape.fields}
    lists: dict[str, list[Value]] = {}
    for child in element:
        field = by_tag.get(str(child.tag))
        if field is None:
            continue  # a comment, because the schema has refused everything else
        value = _decode(contract, contract.types[field.type], child)
        if field.many:
            lists.setdefault(field.name, []).append(value)
        else:
            tree[field.name] = value
    return {**tree, **lists}


def _scalar(kind: str, text: str, element: etree._Element) -> Scalar:
    if kind == "string":
        return text
    text = " ".join(text.split())
    if kind in _INTEGERS:
        return int(text)
    if kind == "boolean":
        return text in ("true", "1")
    if kind in ("float", "double", "decimal"):
        return Decimal(text.replace("INF", "Infinity"))
    if kind in ("date", "dateTime"):
        try:
            return _moment(kind, text)
        except (ValueError, OverflowError):
            name = etree.QName(element).localname
            raise InvalidValue(
                Code.OUT_OF_RANGE, f"{name}: the date {text} is outside the years 1 to 9999"
            ) from None
    return text


def _moment(kind: str, text: str) -> date | datetime:
    match = _MOMENT.fullmatch(text)
    if match is None:
        raise ValueError(text)
    year, month, day, hour, minute, second = (int(part or 0) for part in match.groups()[:6])
    if kind == "date":
        return date(year, month, day)
    zone: timezone | None = None
    if match[8]:
        zone = UTC
    elif match[9]:
        shift = timedelta(hours=int(match[10]), minutes=int(match[11]))
        zone = timezone(-shift if match[9] == "-" else shift)
    micro = int((match[7] or "0")[:6].ljust(6, "0"))
    # 24:00:00 is the first instant of the next day in XSD.
    moment = datetime(year, month, day, hour % 24, minute, second, micro, zone)
    return moment + timedelta(days=1) if hour == 24 else moment


def encode(contract: Contract, tag: str, tree: Payload) -> etree._Element:
    """Convert a payload (nested dicts) to an element with the tag `tag`, a global element of the schema.

    The children of the element are in schema order. Raises KeyError for names that are not in the contract.
    """
    root = etree.Element(tag, nsmap={None: contract.namespace})
    _fill(contract, root, contract.types.of_element(tag), tree)
    return root


def _fill(contract: Contract, element: etree._Element, shape: SchemaType, value: Value) -> None:
    if not isinstance(value, Mapping):
        if value is not None:
            element.text = lexical(value)
        return
    rest = set(value)
    for attribute in shape.attributes:
        rest.discard(f"@{attribute.name}")
        content = value.get(f"@{attribute.name}")
        if content is not None:
            element.set(attribute.tag, lexical(content))
    text = value.get("$")
    if shape.scalar is not None and text is not None:
        rest.discard("$")
        element.text = lexical(text)
    for field in shape.fields:
        rest.discard(field.name)
        for entry in _entries(field, value.get(field.name)):
            _fill(contract, etree.SubElement(element, field.tag), contract.types[field.type], entry)
    if rest:
        raise KeyError(
            f"{etree.QName(element).localname} has {', '.join(sorted(rest))}, not declared by the contract"
        )


def _entries(field: Field, value: Value) -> Sequence[Value]:
    if value is None:
        return ()
    if isinstance(value, Sequence) and not isinstance(value, str):
        return value
    return (value,)


def lexical(value: Value) -> str:
    """Format a scalar as XML text. Amounts stay decimal text such as `12.50`, never a binary float."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, datetime):
        return value.isoformat(timespec="milliseconds" if value.microsecond else "seconds")
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, Decimal):
        return format(value, "f")
    if isinstance(value, str | int):
        return str(value)
    raise TypeError(f"an element or attribute must have a single value, got {type(value).__name__}")
