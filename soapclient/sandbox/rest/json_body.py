"""A JSON body as the element it stands for, so that the schema judges both forms alike."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from lxml import etree

from ..contracts import Contract
from ..faults import Code, Refusal
from ..shapes import Field, Shape

# Numbers are kept as the text they came in.
Json = str | bool | None | list["Json"] | dict[str, "Json"]


def parse(data: bytes) -> Json:
    """Strict JSON. Raises `Refusal` 100 for what is none, for a name twice in an object, and for NaN."""
    try:
        # The default strictness: control characters in strings are an error.
        found: Json = json.loads(
            data.decode("utf-8-sig"),
            parse_float=str,
            parse_int=str,
            parse_constant=_no_number,
            object_pairs_hook=_object,
        )
    except UnicodeDecodeError as error:
        raise Refusal(Code.MALFORMED, f"the JSON body is not UTF-8: byte {error.start} is wrong") from None
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        raise Refusal(Code.MALFORMED, f"this is not JSON: {error.msg} in {where}") from None
    except RecursionError:
        raise Refusal(Code.MALFORMED, "the JSON body is nested too deep") from None
    return found


def _no_number(name: str) -> Json:
    raise Refusal(Code.MALFORMED, f"{name} is no JSON number")


def _object(pairs: Sequence[tuple[str, Json]]) -> dict[str, Json]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise Refusal(Code.MALFORMED, f"{twice[:60]!r} stands twice in one object")
    return found


def unwrapped(value: Json, root: str) -> Json:
    """The content of the root, whose name may stand there or not."""
    if isinstance(value, Mapping) and list(value) == [root]:
        return value[root]
    return value


def element_of(contract: Contract, tag: str, shape: Shape, value: Json, path: str) -> etree._Element:
    """`value` as the element `tag`, its children in the schema's order whatever theirs was.

    Raises `Refusal` 103 that names the place for what has none in the schema.
    """
    element = etree.Element(tag)
    try:
        _fill(contract, element, shape, value, path)
    except ValueError:
        raise Refusal(Code.MALFORMED, f"{path}: there are characters that no document can hold") from None
    return element


def _fill(contract: Contract, element: etree._Element, shape: Shape, value: Json, path: str) -> None:
    if isinstance(value, list) and len(value) == 1:
        value = value[0]  # containers may sit in an array of one
    if isinstance(value, list):
        raise Refusal(Code.INVALID, f"{path}: one is wanted here, these are {len(value)}")
    if not isinstance(value, Mapping):
        if shape.scalar is None and value not in ("", None):
            raise Refusal(Code.INVALID, f"{path}: an object is wanted here")
        element.text = _text(value)
        return
    rest = dict(value)
    for attribute in shape.attributes:
        given = rest.pop(f"@{attribute.name}", None)
        if isinstance(given, list | dict):
            raise Refusal(Code.INVALID, f"{path}/@{attribute.name}: a text is wanted here")
        if given is not None:
            element.set(attribute.tag, _text(given))
    if shape.scalar is not None and "$" in rest:
        given = rest.pop("$")
        if isinstance(given, list | dict):
            raise Refusal(Code.INVALID, f"{path}/$: a text is wanted here")
        element.text = _text(given)
    for field in shape.fields:
        for entry in _entries(field, rest.pop(field.name, None)):
            child = etree.SubElement(element, field.tag)
            _fill(contract, child, contract.shapes[field.type], entry, f"{path}/{field.name}")
    if rest:
        raise Refusal(Code.INVALID, f"{path}: the contract has no {', '.join(sorted(rest))[:200]} here")


def _entries(field: Field, value: Json) -> Sequence[Json]:
    if value is None:
        return ()
    return value if field.many and isinstance(value, list) else (value,)


def _text(value: str | bool | None) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return value or ""
