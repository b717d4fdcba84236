"""The types of a schema as Python objects: their elements and attributes, in order, and their scalar types.

These objects are used only to convert dicts to elements and back. lxml validates the messages. If the schema
has an unsupported construct, loading the contract raises ValueError.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from lxml import etree

XSD = "http://www.w3.org/2001/XMLSchema"
_Q = f"{{{XSD}}}"
_GROUPS = (f"{_Q}sequence", f"{_Q}all", f"{_Q}choice")
_SILENT = (f"{_Q}annotation", f"{_Q}unique", f"{_Q}key")


@dataclass(frozen=True)
class Field:
    """An element or attribute that a type declares.

    `type` is the key of its type in `SchemaTypes`. `many` is True if the element may occur several times.
    """

    name: str
    tag: str
    type: str
    many: bool


@dataclass(frozen=True)
class SchemaType:
    """A type of the schema, with its attributes and child elements.

    `scalar` is the local name of its XSD base type, such as `int`. It is None if elements of the type do not
    contain text.
    """

    scalar: str | None
    fields: tuple[Field, ...]
    attributes: tuple[Field, ...]


class SchemaTypes:
    """All types of a schema. `types[key]` returns a type by its key (see `Field.type`)."""

    def __init__(self, schema: etree._Element) -> None:
        self._target = schema.get("targetNamespace", "")
        self._qualified = schema.get("elementFormDefault") == "qualified"
        self._elements: dict[str, str] = {}
        self._types: dict[str, SchemaType] = {}
        self._sources = {
            f"{{{self._target}}}{child.get('name')}": child
            for child in schema
            if child.tag in (f"{_Q}complexType", f"{_Q}simpleType")
        }
        for key, source in self._sources.items():
            self._types[key] = self._schema_type(source, key)
        for element in schema.iterfind(f"{_Q}element"):
            tag = f"{{{self._target}}}{element.get('name')}"
            self._elements[tag] = self._type_of(element, tag)

    def of_element(self, tag: str) -> SchemaType:
        """Return the type of the global element `{namespace}local`. Raises KeyError if it is unknown."""
        return self[self._elements[tag]]

    def __getitem__(self, key: str) -> SchemaType:
        return self._types[key] if key in self._types else _builtin(key)

    def _name(self, element: etree._Element, value: str) -> str:
        prefix, _, local = value.rpartition(":")
        return f"{{{element.nsmap.get(prefix or None, '')}}}{local}"

    def _type_of(self, element: etree._Element, path: str) -> str:
        type_name = element.get("type")
        if type_name is not None:
            return self._name(element, type_name)
        for child in element:
            if child.tag in (f"{_Q}complexType", f"{_Q}simpleType"):
                self._types[path] = self._schema_type(child, path)
                return path
        return f"{_Q}anyType"

    def _schema_type(self, source: etree._Element, path: str) -> SchemaType:
        if source.tag == f"{_Q}simpleType":
            return SchemaType(self._scalar(source), (), ())
        scalar: str | None = None
        fields: list[Field] = []
        attributes: list[Field] = []
        content = source
        for child in source:
            if child.tag in (f"{_Q}simpleContent", f"{_Q}complexContent"):
                content = next(item for item in child if item.tag not in _SILENT)
                base = self._name(content, content.get("base", ""))
                inherited = (
                    self._schema_type(self._sources[base], base) if base in self._sources else _builtin(base)
                )
                scalar = inherited.scalar if child.tag == f"{_Q}simpleContent" else None
                fields.extend(inherited.fields)
                attributes.extend(inherited.attributes)
        for child in content:
            if child.tag in _GROUPS:
                fields.extend(self._particles(child, path, False))
            elif child.tag == f"{_Q}attribute":
                name = child.get("name", "")
                attributes.append(Field(name, name, self._type_of(child, f"{path}/@{name}"), False))
            elif child.tag not in (*_SILENT, f"{_Q}simpleContent", f"{_Q}complexContent"):
                raise ValueError(f"{path}: {etree.QName(child).localname} is not supported by the sandbox")
        return SchemaType(scalar, tuple(fields), tuple(attributes))

    def _particles(self, group: etree._Element, path: str, repeated: bool) -> Iterator[Field]:
        repeated = repeated or group.get("maxOccurs", "1") != "1"
        for child in group:
            if child.tag in _GROUPS:
                yield from self._particles(child, path, repeated)
            elif child.tag == f"{_Q}element":
                name = child.get("name")
                if name is None:
                    raise ValueError(f"{path}: an element reference is not supported by the sandbox")
                qualified = child.get("form", "qualified" if self._qualified else "") == "qualified"
                tag = f"{{{self._target}}}{name}" if qualified else name
                many = repeated or child.get("maxOccurs", "1") != "1"
                yield Field(name, tag, self._type_of(child, f"{path}/{name}"), many)
            elif child.tag not in (*_SILENT, f"{_Q}any"):
                raise ValueError(f"{path}: {etree.QName(child).localname} is not supported by the sandbox")

    def _scalar(self, source: etree._Element) -> str:
        restriction = source.find(f"{_Q}restriction")
        if restriction is None:
            return "string"  # a list or a union, treated as plain text
        base = self._name(restriction, restriction.get("base", f"{_Q}string"))
        base_type = self._sources.get(base)
        return self._scalar(base_type) if base_type is not None else etree.QName(base).localname


def _builtin(key: str) -> SchemaType:
    if not key.startswith(_Q):
        raise KeyError(key)
    return SchemaType(key[len(_Q) :], (), ())
