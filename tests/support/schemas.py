"""Schemas of contracts as documents, and random messages made from them, without generated code."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Literal, cast

from lxml import etree

XSD = "{http://www.w3.org/2001/XMLSchema}"
AUTHENTICATION = ("connectId", "timestamp", "nonce", "signature")
REFUSED = "notifyUrl"  # contracts.toml: no longer accepted

Fill = Literal["full", "bare", "random"]
Texts = Mapping[str, tuple[str, ...]]


def compiled_schema(wsdl: etree._ElementTree | etree._Element) -> etree.XMLSchema:
    """Compile the only schema of a WSDL with lxml."""
    (schema,) = wsdl.iter(f"{XSD}schema")
    return etree.XMLSchema(etree.fromstring(etree.tostring(schema)))  # with the prefixes of the WSDL


class SchemaDocument:
    """A schema with its elements and types by name."""

    def __init__(self, schema: etree._Element) -> None:
        self.schema = schema
        self.namespace = schema.get("targetNamespace", "")
        self.types = {
            node.get("name", ""): node
            for node in schema.iterchildren(f"{XSD}complexType", f"{XSD}simpleType")
        }
        self._elements = {node.get("name", ""): node for node in schema.iterchildren(f"{XSD}element")}

    def declaration(self, element: str) -> etree._Element:
        return self._elements[element]

    def definition(self, node: etree._Element, attribute: str = "type") -> etree._Element | str:
        """Return the type of an element or attribute: a definition, or the name of a built-in type."""
        inline = node.find(f"{XSD}complexType")
        if inline is not None:
            return inline
        prefix, _, local = node.get(attribute, "").partition(":")
        return self.types[local] if prefix == "tns" else local

    def instances(self, seed: object, fill: Fill, texts: Texts) -> Instances:
        return Instances(self, random.Random(f"{self.namespace} {seed} {fill}"), fill, texts)


class Instances:
    """Messages drawn from a schema: optional parts, occurrences and values are random."""

    def __init__(self, of: SchemaDocument, chance: random.Random, fill: Fill, texts: Texts) -> None:
        self._of = of
        self._chance = chance
        self._fill = fill
        self._texts = texts
        # Services use any prefix, and a decoder must accept all.
        self._nsmap = {chance.choice([None, "tns", "ns2"]): of.namespace}

    def message(self, element: str, *, without: tuple[str, ...] = ()) -> etree._Element:
        """Return a message of that element, without the named children."""
        nsmap = cast("dict[str, str]", self._nsmap)
        node = etree.Element(f"{{{self._of.namespace}}}{element}", nsmap=nsmap)
        self._fill_in(node, self._of.definition(self._of.declaration(element)), 0)
        for child in list(node):
            if etree.QName(child).localname in without:
                node.remove(child)
        return node

    def _fill_in(self, node: etree._Element, kind: etree._Element | str, depth: int) -> None:
        if isinstance(kind, str) or kind.tag == f"{XSD}simpleType":
            node.text = self._text(kind)
            return
        for extension in kind.iterfind(f"{XSD}simpleContent/{XSD}extension"):
            self._fill_in(node, self._of.definition(extension, "base"), depth)
        for attribute in kind.iterfind(f".//{XSD}attribute"):
            if attribute.get("use") == "required" or self._wanted():
                node.set(attribute.get("name", ""), self._text(self._of.definition(attribute)))
        for element in kind.iterfind(f"{XSD}sequence/{XSD}element"):
            for _ in range(self._count(element, depth)):
                child = etree.SubElement(node, f"{{{self._of.namespace}}}{element.get('name')}")
                self._fill_in(child, self._of.definition(element), depth + 1)

    def _text(self, kind: etree._Element | str) -> str:
        if isinstance(kind, str):
            return self._chance.choice(self._texts[kind])
        return self._chance.choice([node.get("value", "") for node in kind.iter(f"{XSD}enumeration")])

    def _wanted(self) -> bool:
        return self._fill == "full" or (self._fill == "random" and self._chance.random() < 0.6)

    def _count(self, element: etree._Element, depth: int) -> int:
        least = int(element.get("minOccurs", "1"))
        if element.get("maxOccurs", "1") == "1":
            return 1 if least or (self._wanted() and depth < 9) else 0
        if depth > 4 or self._fill == "bare":  # types can be recursive
            return least
        return self._chance.randint(max(1, least) if self._fill == "full" else least, 3)
