"""What a WSDL or XSD document is, and which other documents it names."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

from lxml import etree

Kind = Literal["wsdl", "xsd"]

WSDL = "http://schemas.xmlsoap.org/wsdl/"
XSD = "http://www.w3.org/2001/XMLSchema"

ROOT_OF_KIND: dict[Kind, str] = {"wsdl": f"{{{WSDL}}}definitions", "xsd": f"{{{XSD}}}schema"}
_KIND_OF_ROOT = {root: kind for kind, root in ROOT_OF_KIND.items()}
_SCHEMA_REFERENCES = ("import", "include", "redefine")


class MissingLocation(Exception):
    """A reference that cannot do without a location has none."""


@dataclass(frozen=True, slots=True)
class Reference:
    """One mention of another document: the location as written, and what may be found there."""

    location: str
    line: int
    allowed: tuple[Kind, ...]


def kind_of(root: etree._Element) -> Kind | None:
    """What a document is, by its root element; None when it is neither a WSDL 1.1 nor an XSD."""
    return _KIND_OF_ROOT.get(etree.QName(root).text)


def references(
    root: etree._Element, lacking: Callable[[MissingLocation], None] | None = None
) -> Iterator[Reference]:
    """Every document that is named where WSDL 1.1 and XSD 1.0 let documents be named.

    Only there: a schema quoted in a piece of documentation names nothing. An import without a location is
    an ordinary thing in a schema and gives no reference. Where one is required, `lacking` is called; without
    that, MissingLocation is raised.
    """
    for element, attribute, allowed in _mentions(root):
        try:
            yield _reference(element, attribute, allowed)
        except MissingLocation as error:
            if lacking is None:
                raise
            lacking(error)


def _mentions(root: etree._Element) -> Iterator[tuple[etree._Element, str, tuple[Kind, ...]]]:
    for imported in root.iterchildren(f"{{{WSDL}}}import"):
        yield imported, "location", ("wsdl", "xsd")
    schemas = [root] if kind_of(root) == "xsd" else root.iterfind(f"{{{WSDL}}}types/{{{XSD}}}schema")
    for schema in schemas:
        for element in schema.iterchildren(*(f"{{{XSD}}}{local}" for local in _SCHEMA_REFERENCES)):
            may_lack = etree.QName(element).localname == "import"
            if may_lack and not _written(element, "schemaLocation"):
                continue
            yield element, "schemaLocation", ("xsd",)


def _reference(element: etree._Element, attribute: str, allowed: tuple[Kind, ...]) -> Reference:
    location = _written(element, attribute)
    if not location:
        local = etree.QName(element).localname
        raise MissingLocation(f"line {element.sourceline}: its {local} has no {attribute}")
    return Reference(location, element.sourceline or 0, allowed)


def _written(element: etree._Element, attribute: str) -> str:
    return (element.get(attribute) or "").strip(" \t\r\n")


def has_xml_base(root: etree._Element) -> bool:
    """Whether any element moves the base of relative locations (nothing here follows that)."""
    attribute = "{http://www.w3.org/XML/1998/namespace}base"
    return any(element.get(attribute) is not None for element in root.iter("*"))
