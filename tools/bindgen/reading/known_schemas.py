"""Schemas that contracts use without bringing them along: for attributes such as xml:lang, and for what SOAP
1.1's encoding is made of. As much of them as is needed to check messages."""

from __future__ import annotations

from lxml import etree

from bindgen.reading.nodes import ENCODING, XML
from bindgen.simple_types import SIMPLE, XSD

_OF_XML = {"lang": "language", "base": "anyURI", "id": "ID", "space": "NCName"}
_ANY_CONTENT = {"minOccurs": "0", "maxOccurs": "unbounded", "processContents": "lax"}
_ANY_ATTRIBUTES = {"namespace": "##any", "processContents": "lax"}


def made(space: str) -> etree._Element:
    """The schema of one of the two namespaces."""
    nsmap = {"x": XSD} if space == XML else {"x": XSD, "t": space}
    schema = etree.Element(f"{{{XSD}}}schema", nsmap=nsmap, targetNamespace=space)
    if space == XML:
        _xml(schema)
    else:
        assert space == ENCODING
        _encoding(schema)
    return schema


def _xml(schema: etree._Element) -> None:
    for name, type_ in _OF_XML.items():
        etree.SubElement(schema, f"{{{XSD}}}attribute", name=name, type=f"x:{type_}")
    group = etree.SubElement(schema, f"{{{XSD}}}attributeGroup", name="specialAttrs")
    for name in _OF_XML:
        etree.SubElement(group, f"{{{XSD}}}attribute", ref=f"xml:{name}")


def _encoding(schema: etree._Element) -> None:
    for name in ("Array", "Struct"):
        kind = etree.SubElement(schema, f"{{{XSD}}}complexType", name=name)
        sequence = etree.SubElement(kind, f"{{{XSD}}}sequence")
        etree.SubElement(sequence, f"{{{XSD}}}any", _ANY_CONTENT)
        etree.SubElement(kind, f"{{{XSD}}}anyAttribute", _ANY_ATTRIBUTES)
    for name in ("arrayType", "offset", "position", "root"):
        etree.SubElement(schema, f"{{{XSD}}}attribute", name=name, type="x:string")
    for name in ("commonAttributes", "arrayAttributes", "arrayMemberAttributes"):
        group = etree.SubElement(schema, f"{{{XSD}}}attributeGroup", name=name)
        etree.SubElement(group, f"{{{XSD}}}anyAttribute", _ANY_ATTRIBUTES)
    for qname in SIMPLE:
        local = qname.rpartition("}")[2]
        _named(schema, local, f"x:{local}")
    _named(schema, "base64", "x:base64Binary")


def _named(schema: etree._Element, name: str, base: str) -> None:
    """A type of that name that is no more than another, with attributes of the encoding's."""
    kind = etree.SubElement(schema, f"{{{XSD}}}complexType", name=name)
    content = etree.SubElement(kind, f"{{{XSD}}}simpleContent")
    extension = etree.SubElement(content, f"{{{XSD}}}extension", base=base)
    etree.SubElement(extension, f"{{{XSD}}}anyAttribute", _ANY_ATTRIBUTES)
    etree.SubElement(schema, f"{{{XSD}}}element", name=name, type=f"t:{name}")
