"""Determine the kind of a document (WSDL or XSD), and find its references to other documents."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from lxml import etree

Kind = Literal["wsdl", "xsd"]

WSDL = "http://schemas.xmlsoap.org/wsdl/"
XSD = "http://www.w3.org/2001/XMLSchema"

ROOT_OF_KIND: dict[Kind, str] = {"wsdl": f"{{{WSDL}}}definitions", "xsd": f"{{{XSD}}}schema"}
_KIND_OF_ROOT = {root: kind for kind, root in ROOT_OF_KIND.items()}
_SCHEMA_REFERENCES = ("import", "include", "redefine")


@dataclass(frozen=True, slots=True)
class Reference:
    """One reference to another document: its location as written, and the kinds of document allowed there.

    If a required location is missing, `location` is "" and `lacks` is the error message.
    """

    location: str
    line: int
    allowed: tuple[Kind, ...]
    lacks: str = ""


def kind_of(root: etree._Element) -> Kind | None:
    """Return the kind of a document by its root element. None if it is neither WSDL 1.1 nor XSD."""
    return _KIND_OF_ROOT.get(etree.QName(root).text)


def references(root: etree._Element) -> Iterator[Reference]:
    """Yield the references to documents that WSDL 1.1 and XSD 1.0 define.

    Schemas quoted in documentation are ignored. An import without a location is allowed in a schema and is
    not a reference.
    """
    for imported in root.iterchildren(f"{{{WSDL}}}import"):
        yield _reference(imported, "location", ("wsdl", "xsd"))
    schemas = [root] if kind_of(root) == "xsd" else root.iterfind(f"{{{WSDL}}}types/{{{XSD}}}schema")
    for schema in schemas:
        for element in schema.iterchildren(*(f"{{{XSD}}}{local}" for local in _SCHEMA_REFERENCES)):
            reference = _reference(element, "schemaLocation", ("xsd",))
            if reference.location or etree.QName(element).localname != "import":
                yield reference


def _reference(element: etree._Element, attribute: str, allowed: tuple[Kind, ...]) -> Reference:
    """Return the reference that `element` contains.

    `attribute` is the name of the attribute with the location, and `allowed` are the kinds of document to
    which the element may refer.
    """
    location, line = (element.get(attribute) or "").strip(" \t\r\n"), element.sourceline
    lacks = "" if location else f"line {line}: its {etree.QName(element).localname} has no {attribute}"
    return Reference(location, line or 0, allowed, lacks)


_HAS_BASE = etree.XPath("boolean(//@xml:base)")


def has_xml_base(root: etree._Element) -> bool:
    """Return True if any element of the document has the attribute xml:base.

    It is not supported, because it changes the base of relative locations.
    """
    return bool(_HAS_BASE(root))
