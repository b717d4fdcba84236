"""The schemas of a contract: where each named component is declared. `types` reads what they say."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from lxml import etree

from bindgen.problems import Problem
from bindgen.reading.documents import Document, Documents
from bindgen.simple_types import XSD

_COMPONENTS = {f"{{{XSD}}}{name}" for name in ("element", "complexType", "simpleType")}
_LINKS = {f"{{{XSD}}}{name}" for name in ("import", "include")}
_ANNOTATION = f"{{{XSD}}}annotation"


@dataclass(frozen=True, slots=True)
class Schema:
    """One xsd:schema element and the document it stands in."""

    document: Document
    node: etree._Element
    namespace: str

    def qualifies(self, node: etree._Element, kind: str) -> bool:
        """Whether a local element's or attribute's name carries the namespace."""
        return node.get("form", self.node.get(f"{kind}FormDefault", "unqualified")) == "qualified"


@dataclass(frozen=True, slots=True)
class Component:
    """A top-level element or type."""

    schema: Schema
    node: etree._Element


class Schemas:
    """All schemas reachable from those given, indexed by qualified name."""

    def __init__(self, documents: Documents, problems: list[Problem]) -> None:
        self._documents = documents
        self._problems = problems
        self._seen: set[etree._Element] = set()
        self.all: list[Schema] = []
        self.elements: dict[str, Component] = {}
        self.types: dict[str, Component] = {}

    def add(self, document: Document, node: etree._Element) -> None:
        """Index a schema element and, once each, what it imports and includes."""
        if node in self._seen:
            return
        self._seen.add(node)
        schema = Schema(document, node, node.get("targetNamespace", ""))
        self.all.append(schema)
        for child in _children(node):
            if child.tag in _LINKS:
                self._follow(schema, child)
            elif child.tag in _COMPONENTS:
                self._index(schema, child)
            elif child.tag != _ANNOTATION:
                self._refuse(document, child, f"{etree.QName(child).localname} is not handled yet")

    def _index(self, schema: Schema, node: etree._Element) -> None:
        name = node.get("name", "")
        table = self.elements if node.tag == f"{{{XSD}}}element" else self.types
        qname = f"{{{schema.namespace}}}{name}"
        if qname in table:
            self._refuse(schema.document, node, f"{name!r} is declared twice in its namespace")
        table.setdefault(qname, Component(schema, node))

    def _follow(self, schema: Schema, link: etree._Element) -> None:
        location = link.get("schemaLocation")
        including = link.tag == f"{{{XSD}}}include"
        if location is None:
            if including:
                self._refuse(schema.document, link, "an include must say where from: schemaLocation")
            return  # an import without a place names a namespace that stands elsewhere in the contract
        other = self._documents.beside(schema.document, location)
        if other.root.tag != f"{{{XSD}}}schema":
            self._refuse(schema.document, link, f"{location!r} is no schema")
        elif including and other.root.get("targetNamespace", "") != schema.namespace:
            self._refuse(
                schema.document, link, "an include of another namespace (chameleon) is not handled yet"
            )
        else:
            self.add(other, other.root)

    def _refuse(self, document: Document, node: etree._Element, why: str) -> None:
        self._problems.append(Problem(why, document.place(node)))


def _children(node: etree._Element) -> Iterator[etree._Element]:
    return (child for child in node if isinstance(child.tag, str))
