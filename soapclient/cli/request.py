"""The fields of a request: parsed from NAME=VALUE or JSON, and put in an element in schema order."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from typing import Final, NoReturn

from lxml import etree

from soapclient.cli.contracts import did_you_mean
from soapclient.cli.shapes import Part, Shape, Shapes
from soapclient.errors import ContractError
from soapclient.runtime import AnyOperation
from soapclient.runtime.errors import local_name

_STEP: Final = re.compile(r"(@?[^\W\d][\w-]*|\$)(?:\[([1-9]\d{0,3})\])?")
_HINT: Final = "write NAME=VALUE, inner names after dots: date=2026-11-01, adspaceItem.name=Blog"


class InvalidFields(ValueError):
    """The fields cannot be parsed; the text says why."""


@dataclass
class FieldValue:
    """A value with text, or with inner fields by name (attributes as `@name`), or both."""

    text: str | None = None
    fields: dict[str, list[FieldValue]] = field(default_factory=dict)
    listed: bool = False  # an entry of a JSON list

    @property
    def lacks_text(self) -> bool:
        """Whether there are attributes, and nothing yet that they belong to."""
        return self.text is None and bool(self.fields) and all(name.startswith("@") for name in self.fields)


def from_assignments(assignments: Iterable[str]) -> FieldValue:
    """Parse `date=2026-11-01`, `adspaceItem.@id=5`, `adspaceItem.regions.region=DE`, a name repeated
    for each of its values. `name[2].inner` is the second of several. Raises InvalidFields.
    """
    top = FieldValue()
    for assignment in assignments:
        name, equals, value = assignment.partition("=")
        if not equals:
            raise InvalidFields(f"{assignment!r} has no '=': {_HINT}")
        _put(top, [_step(step, name) for step in name.split(".")], value, name)
    return top


def from_json(text: str | bytes) -> FieldValue:
    """Parse a JSON object: names as in the contract, attributes `@name` (or `name`), text beside them
    `$` (or `value`), lists as lists; null means left out. Raises InvalidFields.
    """
    try:
        value: object = json.loads(
            text, object_pairs_hook=_object, parse_int=str, parse_float=str, parse_constant=_no_constant
        )
    except InvalidFields:
        raise
    except ValueError as error:  # of JSON, or of its encoding
        raise InvalidFields(f"invalid JSON: {error}") from None
    except RecursionError:
        raise InvalidFields("the JSON is nested too deeply") from None
    if not isinstance(value, FieldValue):
        raise InvalidFields("the JSON must be an object with the request's fields by name")
    return value


def request_element(operation: AnyOperation, value: FieldValue, shapes: Shapes) -> etree._Element:
    """Return the request as an element, its children in schema order, without authentication.

    Raises ContractError for an unknown name, with the known ones, and for a value where none is allowed.
    Values are not validated.
    """
    element = etree.Element(operation.request_tag)
    shape = shapes.of_message(operation.request_tag)
    further = tuple(_rest_only(name, operation) for name in sorted(operation.rest_only))
    shape = Shape(tuple(part for part in shape.parts if part.name not in operation.authentication) + further)
    _Builder(operation, shapes).fill(element, value, shape, local_name(operation.request_tag))
    return element


class _Builder:
    def __init__(self, operation: AnyOperation, shapes: Shapes) -> None:
        self._operation = operation
        self._shapes = shapes

    def fill(self, element: etree._Element, value: FieldValue, shape: Shape, path: str) -> None:
        found: dict[Part, list[FieldValue]] = {}
        for name, entries in value.fields.items():
            part = shape.find(name) or self._no_such(name, entries, shape, path)
            found.setdefault(part, []).extend(entries)
        if value.text is not None:
            if not shape.text:
                self._refuse(path, value.text, _names(shape.parts), "it has inner fields, and no text")
            self._set_text(element, value.text, path)
        for part in shape.parts:
            if part in found:
                self._place(element, part, found[part], f"{path}/{part.shown}")

    def _place(self, element: etree._Element, part: Part, entries: list[FieldValue], path: str) -> None:
        if part.kind == "element":
            self._place_elements(element, part, entries, path)
            return
        for entry in entries:
            if entry.fields or entry.text is None or len(entries) > 1:
                texts = [entry.text for entry in entries]
                self._refuse(path, texts, "one text", "it is one text without inner fields")
            if part.kind == "text":
                self._set_text(element, entry.text, path)
            else:
                self._set_attribute(element, part.tag, entry.text, path)

    def _place_elements(
        self, element: etree._Element, part: Part, entries: list[FieldValue], path: str
    ) -> None:
        shape = self._shapes.of_part(part)
        inner = shape.wrapped
        if inner is not None and not part.many and self._are_items(entries, shape, inner):
            entries = [FieldValue(fields={inner.name: entries})]
        if len(entries) > 1 and not part.many:
            texts = [entry.text for entry in entries]
            self._refuse(path, texts, "one value", "it occurs at most once")
        for entry in entries:
            self.fill(etree.SubElement(element, part.tag), entry, shape, path)

    def _are_items(self, entries: list[FieldValue], wrapper: Shape, inner: Part) -> bool:
        """Whether a wrapped list is written without its wrapper: `regions=DE`, or a plain list in JSON."""
        items = self._shapes.of_part(inner)
        return all(
            entry.text is not None
            or (entry.listed and not all(wrapper.find(name) for name in entry.fields))
            or (bool(entry.fields) and all(items.find(name) for name in entry.fields))
            for entry in entries
        )

    def _no_such(self, name: str, entries: list[FieldValue], shape: Shape, path: str) -> NoReturn:
        value = next((entry.text for entry in entries), None)
        if name in self._operation.authentication:
            self._refuse(f"{path}/{name}", None, "nothing", "the client sets it when it signs")
        if shape.text and len(shape.parts) == 1:
            self._refuse(f"{path}/{name}", value, f"a text for {path}", "it has no inner fields")
        hint = did_you_mean(name, [part.shown for part in shape.parts])
        self._refuse(f"{path}/{name}", value, _names(shape.parts), f"the contract has no such field{hint}")

    def _set_text(self, element: etree._Element, text: str, path: str) -> None:
        try:
            element.text = text
        except ValueError:
            self._refuse(path, text, "text", "a character that XML cannot hold")

    def _set_attribute(self, element: etree._Element, name: str, text: str, path: str) -> None:
        try:
            element.set(name, text)
        except ValueError:
            self._refuse(path, text, "text", "a character that XML cannot hold")

    def _refuse(self, path: str, value: object, allowed: str, reason: str) -> NoReturn:
        raise ContractError(path, value, allowed, reason, operation=self._operation.name)


def _rest_only(name: str, operation: AnyOperation) -> Part:
    """A field of REST only, in no schema: a simple value, whose number the generated code checks."""
    tag = f"{operation.request_tag.rpartition('}')[0]}}}{name}"
    return Part("element", name, tag, many=True, declaration=etree.Element("text"))


def _names(parts: Collection[Part]) -> str:
    names = ", ".join(part.shown for part in parts)
    return names or "nothing: it has no fields"


def _step(text: str, name: str) -> tuple[str, int | None]:
    match = _STEP.fullmatch(text)
    if match is None:
        raise InvalidFields(f"{name!r} is not a name: {_HINT}")
    return match[1], int(match[2]) if match[2] else None


def _put(node: FieldValue, steps: list[tuple[str, int | None]], value: str, name: str) -> None:
    for at, (step, index) in enumerate(steps, 1):
        twins = node.fields.setdefault(step, [])
        number = _number(twins, last=at == len(steps)) if index is None else index
        if number > len(twins) + 1:
            raise InvalidFields(f"{name}: item {number} comes before item {number - 1}")
        if number > len(twins):
            twins.append(FieldValue())
        node = twins[number - 1]
    if node.text is not None:
        raise InvalidFields(f"{name} occurs twice")
    node.text = value


def _number(twins: list[FieldValue], *, last: bool) -> int:
    """The number of an item without one: the next for a value, the latest for a step on the way."""
    another = not twins or (last and not twins[-1].lacks_text)
    return len(twins) + 1 if another else len(twins)


def _object(pairs: list[tuple[str, object]]) -> FieldValue:
    node = FieldValue()
    for name, value in pairs:
        if name in node.fields:
            raise InvalidFields(f"{name!r} occurs twice in one JSON object; make its value a list")
        if value is None:
            continue
        if isinstance(value, list):
            node.fields[name] = [_field_value(each, name, listed=True) for each in value]
        else:
            node.fields[name] = [_field_value(value, name)]
    return node


def _field_value(value: object, name: str, *, listed: bool = False) -> FieldValue:
    if isinstance(value, FieldValue):
        value.listed = listed
        return value
    if isinstance(value, bool):
        return FieldValue("true" if value else "false", listed=listed)
    if isinstance(value, str):
        return FieldValue(value, listed=listed)
    raise InvalidFields(f"{name!r} has a list within a list, or null in one")


def _no_constant(text: str) -> NoReturn:
    raise InvalidFields(f"{text} is not JSON; write it as a string if the contract allows it")
