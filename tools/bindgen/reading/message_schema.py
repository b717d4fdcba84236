"""The schema of messages that no schema declares: RPC style's wrappers, and parts that are types.

Requests can be checked against it, beside the contract's own schemas.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from lxml import etree

from bindgen import naming
from bindgen.model import Simple
from bindgen.reading.elements import Declared
from bindgen.reading.nodes import WSDL
from bindgen.reading.schemas import Schemas
from bindgen.reading.simple import ANY_TYPE
from bindgen.simple_types import XSD


@dataclass(frozen=True, slots=True)
class Child:
    """A part within a wrapper: an element of the contract's (`tag` alone), or a name and its type."""

    tag: str
    declared: Declared | None = None
    least: int = 1
    nillable: bool = False


class MessageSchema:
    """Collects elements, and writes them down as schemas, one for each namespace."""

    def __init__(self, schemas: Schemas) -> None:
        self._schemas = schemas
        # None: it was asked for twice with different content, so anything is let in.
        self._elements: dict[str, tuple[Child, ...] | Declared | None] = {}

    def wrapper(self, tag: str, children: Iterable[Child]) -> bool:
        """An element around some parts; gives whether it can be said in a schema what these are."""
        self._take(tag, tuple(children))
        return self._elements.get(tag, ()) is not None

    def element(self, tag: str, declared: Declared) -> None:
        """An element of a type."""
        self._take(tag, declared)

    def _take(self, tag: str, content: tuple[Child, ...] | Declared) -> None:
        if _qname(tag) not in self._schemas.elements:
            known = self._elements.get(tag, content)
            self._elements[tag] = content if known == content else None

    def text(self) -> bytes:
        """The schema; several of them stand in a wsdl:types, and nothing gives nothing."""
        spaces = list(dict.fromkeys(naming.space(tag) for tag in self._elements))
        schemas = [self._schema(space) for space in spaces]
        if not schemas:
            return b""
        root = schemas[0]
        if len(schemas) > 1:
            root = etree.Element(f"{{{WSDL}}}types", nsmap={None: WSDL})
            root.extend(schemas)
        etree.indent(root)
        return etree.tostring(root, xml_declaration=True, encoding="UTF-8") + b"\n"

    def _schema(self, space: str) -> etree._Element:
        elements = {tag: content for tag, content in self._elements.items() if naming.space(tag) == space}
        names = [name for content in elements.values() for name in self._named(content)]
        spaces = list(dict.fromkeys(naming.space(name) for name in names))
        prefixes = {
            each: f"n{at}" for at, each in enumerate((one for one in spaces if one not in ("", XSD)), 1)
        }
        nsmap = {"x": XSD, **{prefix: each for each, prefix in prefixes.items()}}
        prefixes[XSD] = "x"
        schema = etree.Element(f"{{{XSD}}}schema", nsmap=nsmap)
        if space:
            schema.set("targetNamespace", space)
        for each in spaces:
            if each not in (space, XSD):
                link = etree.SubElement(schema, f"{{{XSD}}}import")
                if each:
                    link.set("namespace", each)
        for tag, content in elements.items():
            node = etree.SubElement(schema, f"{{{XSD}}}element", name=naming.local(tag))
            if isinstance(content, Declared):
                node.set("type", _written(self._type(content), prefixes))
            elif content is not None:
                inner = etree.SubElement(node, f"{{{XSD}}}complexType")
                sequence = etree.SubElement(inner, f"{{{XSD}}}sequence")
                for child in content:
                    self._child(sequence, child, prefixes)
        return schema

    def _child(self, sequence: etree._Element, child: Child, prefixes: dict[str, str]) -> None:
        node = etree.SubElement(sequence, f"{{{XSD}}}element")
        if child.declared is None:
            node.set("ref", _written(child.tag, prefixes))
        else:
            node.set("name", naming.local(child.tag))
            node.set("type", _written(self._type(child.declared), prefixes))
            if child.nillable:
                node.set("nillable", "true")
        if not child.least:
            node.set("minOccurs", "0")

    def _named(self, content: tuple[Child, ...] | Declared | None) -> Iterable[str]:
        if isinstance(content, Declared):
            yield self._type(content)
        for child in content if isinstance(content, tuple) else ():
            yield child.tag if child.declared is None else self._type(child.declared)

    def _type(self, declared: Declared) -> str:
        """The name of a type, as a schema may say it."""
        if declared.name in self._schemas.types:
            return declared.name
        return f"{{{XSD}}}{declared.type.xsd}" if isinstance(declared.type, Simple) else ANY_TYPE


def _written(name: str, prefixes: dict[str, str]) -> str:
    prefix = prefixes.get(naming.space(name), "")
    return f"{prefix}:{naming.local(name)}" if prefix else naming.local(name)


def _qname(tag: str) -> str:
    return tag if tag.startswith("{") else f"{{}}{tag}"
