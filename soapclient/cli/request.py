"""A request's element, made of the fields as they are given: each name put where the contract has it."""

from __future__ import annotations

from collections.abc import Collection
from typing import NoReturn

from lxml import etree

from soapclient.cli.contracts import did_you_mean
from soapclient.cli.given import Given
from soapclient.cli.shapes import Part, Shape, Shapes
from soapclient.errors import ContractError
from soapclient.runtime import AnyOperation
from soapclient.runtime.errors import local_name


def request_element(operation: AnyOperation, given: Given, shapes: Shapes) -> etree._Element:
    """Return the request as an element, its children in the order of the schema, without authentication.

    Raises ContractError for a name that the contract does not have, with those that it has, and for a value
    where none belongs. Values are not looked at.
    """
    element = etree.Element(operation.request_tag)
    shape = shapes.of_message(operation.request_tag)
    further = tuple(_rest_only(name, operation) for name in sorted(operation.rest_only))
    shape = Shape(tuple(part for part in shape.parts if part.name not in operation.authentication) + further)
    _Builder(operation, shapes).fill(element, given, shape, local_name(operation.request_tag))
    return element


class _Builder:
    def __init__(self, operation: AnyOperation, shapes: Shapes) -> None:
        self._operation = operation
        self._shapes = shapes

    def fill(self, element: etree._Element, given: Given, shape: Shape, path: str) -> None:
        found: dict[Part, list[Given]] = {}
        for name, entries in given.fields.items():
            part = shape.find(name) or self._no_such(name, entries, shape, path)
            found.setdefault(part, []).extend(entries)
        if given.text is not None:
            if not shape.text:
                self._refuse(
                    path, given.text, _names(shape.parts), "it has inner fields, and no text of its own"
                )
            self._set_text(element, given.text, path)
        for part in shape.parts:
            if part in found:
                self._place(element, part, found[part], f"{path}/{part.shown}")

    def _place(self, element: etree._Element, part: Part, entries: list[Given], path: str) -> None:
        if part.kind == "element":
            self._place_elements(element, part, entries, path)
            return
        for entry in entries:
            if entry.fields or entry.text is None or len(entries) > 1:
                texts = [entry.text for entry in entries]
                self._refuse(path, texts, "one text", "it is a single text without fields")
            if part.kind == "text":
                self._set_text(element, entry.text, path)
            else:
                self._set_attribute(element, part.tag, entry.text, path)

    def _place_elements(self, element: etree._Element, part: Part, entries: list[Given], path: str) -> None:
        shape = self._shapes.of_part(part)
        inner = shape.wrapped
        if inner is not None and not part.many and self._are_items(entries, shape, inner):
            entries = [Given(fields={inner.name: entries})]
        if len(entries) > 1 and not part.many:
            texts = [entry.text for entry in entries]
            self._refuse(path, texts, "one value", "it stands once at most")
        for entry in entries:
            self.fill(etree.SubElement(element, part.tag), entry, shape, path)

    def _are_items(self, entries: list[Given], wrapper: Shape, inner: Part) -> bool:
        """Whether a wrapped list is given without its wrapper: `regions=DE`, or a plain list in JSON."""
        items = self._shapes.of_part(inner)
        return all(
            entry.text is not None
            or (entry.listed and not all(wrapper.find(name) for name in entry.fields))
            or (bool(entry.fields) and all(items.find(name) for name in entry.fields))
            for entry in entries
        )

    def _no_such(self, name: str, entries: list[Given], shape: Shape, path: str) -> NoReturn:
        value = next((entry.text for entry in entries), None)
        if name in self._operation.authentication:
            self._refuse(f"{path}/{name}", None, "nothing", "the client itself fills this in when it signs")
        if shape.text and len(shape.parts) == 1:
            self._refuse(f"{path}/{name}", value, f"a text for {path}", f"{path} has no inner fields")
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
    """A field that REST alone has, so no schema does: simple, and told how often by the generated code."""
    tag = f"{operation.request_tag.rpartition('}')[0]}}}{name}"
    return Part("element", name, tag, many=True, declaration=etree.Element("text"))


def _names(parts: Collection[Part]) -> str:
    names = ", ".join(part.shown for part in parts)
    return names or "nothing, it has no fields"
