"""What a WSDL or XSD document is, and which other documents it names."""

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
    """One mention of another document: the location as written, and what may be found there. `lacks` says
    that there is no location where one is required; it is "" then."""

    location: str
    line: int
    allowed: tuple[Kind, ...]
    lacks: str = ""


def kind_of(root: etree._Element) -> Kind | None:
    """What a document is, by its root element; None when it is neither a WSDL 1.1 nor an XSD."""
    return _KIND_OF_ROOT.get(etree.QName(root).text)


def references(root: etree._Element) -> Iterator[Reference]:
    """Every document that is named where WSDL 1.1 and XSD 1.0 let documents be named.

    Only there: a schema quoted in a piece of documentation names nothing. An import without a location is
    an ordinary thing in a schema and gives no reference.
    """
    for imported in root.iterchildren(f"{{{WSDL}}}import"):
        yield _reference(imported, "location", ("wsdl", "xsd"))
    schemas = [root] if kind_of(root) == "xsd" else root.iterfind(f"{{{WSDL}}}types/{{{XSD}}}schema")
    for schema in schemas:
        for element in schema.iterchildren(*(f"{{{XSD}}}{local}" for local in _SCHEMA_REFERENCES)):
            found = _reference(element, "schemaLocation", ("xsd",))
            if found.location or etree.QName(element).localname != "import":
                yield found


def _reference(element: etree._Element, attribute: str, allowed: tuple[Kind, ...]) -> Reference:
    location, line = (element.get(attribute) or "").strip(" \t\r\n"), element.sourceline
    lacks = "" if location else f"line {line}: its {etree.QName(element).localname} has no {attribute}"
    return Reference(location, line or 0, allowed, lacks)


def has_xml_base(root: etree._Element) -> bool:
    """Whether any element moves the base of relative locations (nothing here follows that)."""
    attribute = "{http://www.w3.org/XML/1998/namespace}base"
    return any(element.get(attribute) is not None for element in root.iter("*"))
