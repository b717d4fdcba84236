"""What SOAP 1.1's encoding adds to XSD (section 5): arrays."""

from __future__ import annotations

from lxml import etree

from bindgen.model import ANYTHING, Field, Struct
from bindgen.problems import Place
from bindgen.reading.elements import Declared, ElementTypes
from bindgen.reading.nodes import ENCODING, WSDL, doc, kind, parts
from bindgen.reading.schemas import Schema

_ARRAY = f"{{{ENCODING}}}Array"
_ARRAY_TYPE = f"{{{WSDL}}}arrayType"


def array_item(schema: Schema, step: etree._Element) -> str | None:
    """What the items of an array are, as wsdl:arrayType says, "" where it does not; None for no array."""
    raw = step.get("base")
    if raw is None or schema.meant(step, raw) != _ARRAY:
        return None
    for child in parts(step):
        if kind(child) == "attribute" and (said := child.get(_ARRAY_TYPE)):
            return said.strip()
    return ""


def array(
    struct: Struct, schema: Schema, step: etree._Element, said: str, elements: ElementTypes
) -> list[Field]:
    """The one field of an array, `item`; none where its element is declared as such."""
    if any(inner.get("name") or inner.get("ref") for inner in step.iter("*") if kind(inner) == "element"):
        return []
    place = schema.document.place(step)
    named, _, sizes = said.partition("[")
    declared = Declared(ANYTHING)
    if named:
        node = next(child for child in parts(step) if child.get(_ARRAY_TYPE) is not None)
        declared = elements.named(schema, node, named)
    for _ in range(min(sizes.count("["), 8)):  # arrays of arrays
        inner = Struct(f"{struct.qname}_item", place, doc=doc(step), anonymous=True)
        inner.fields = [_items(declared, place)]
        declared = Declared(inner)
    return [_items(declared, place)]


def _items(declared: Declared, place: Place) -> Field:
    return Field(
        wire="item",
        kind="element",
        tag="item",
        type=declared.type,
        least=0,
        most=None,
        place=place,
        nillable=True,
        type_name=declared.name,
        facets=declared.facets,
    )
