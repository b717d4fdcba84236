"""SOAP encoding in a mock: requests may omit elements, and responses declare the types of array items.

The rules are in SOAP 1.1, section 5.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

import msgspec
from lxml import etree

from soapclient.runtime.codec import Codec
from soapclient.runtime.elements import qname_text
from soapclient.runtime.fields import Field
from soapclient.runtime.nil import NIL_ATTRIBUTE
from soapclient.runtime.request_values import elements_of

_XSD: Final = "{http://www.w3.org/2001/XMLSchema}"
_ENC: Final = "http://schemas.xmlsoap.org/soap/encoding/"
_ARRAY_TYPE: Final = "{http://schemas.xmlsoap.org/wsdl/}arrayType"

# An array's type, or `TYPE/ELEMENT` for an array that an element declares → `ITEM[]`. Arrays of arrays have
# more brackets.
ArrayTypes = Mapping[str, str]


def with_omissions(codec: Codec) -> Codec:
    """Return a copy of a codec that accepts `xsi:nil` on all elements, not only on nillable ones.

    An element with `xsi:nil` is decoded as None.
    """
    rows = {}
    for name in codec.schema.types:
        row = codec.row(name)
        fields = tuple(
            msgspec.structs.replace(field, nil=field.nil or field.kind == "element") for field in row.fields
        )
        rows[name] = msgspec.Raw(msgspec.json.encode(msgspec.structs.replace(row, fields=fields)))
    return Codec(msgspec.structs.replace(codec.schema, types=rows), codec.module)


def put_omitted(node: etree._Element, codec: Codec, name: str) -> None:
    """Add a nil element for each required element that is missing in `node`, which has the type `name`.

    SOAP encoding lets a sender omit an element (an "accessor") if its value is unknown or if a default
    applies (SOAP 1.1, section 5.6). With the nil elements, the request can be decoded.
    """
    for field in elements_of(codec, name):
        children = list(node.iterchildren(field.tag))
        if field.least and not field.repeats and not field.arms and not children:
            etree.SubElement(node, field.tag).set(NIL_ATTRIBUTE, "true")
        for child in _values(children, field):
            if field.holds and child.get(NIL_ATTRIBUTE) is None:
                put_omitted(child, codec, field.holds)


def _values(children: Iterable[etree._Element], field: Field) -> Iterator[etree._Element]:
    """Yield the elements that contain the values of a field.

    `children` are the elements of the field. If the field is a list with a wrapper element, they are the
    wrappers, and the items inside them are yielded. Otherwise, `children` themselves are yielded.
    """
    for child in children:
        yield from child.iterchildren(field.item) if field.item else [child]


def array_types(wsdl: bytes) -> ArrayTypes:
    """Return the item types of the arrays that a WSDL declares, in Clark notation.

    The keys are the names of the array types. An array that is declared inline by an element has the key
    `TYPE/ELEMENT`. A value ends with brackets: `{urn:example}Item[]` (SOAP 1.1, section 5.4.2).
    """
    root = etree.fromstring(wsdl, etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=True))
    result = {}
    for attribute in root.iter(f"{_XSD}attribute"):
        declared = attribute.get(_ARRAY_TYPE)
        ancestors = [node for node in attribute.iterancestors() if node.get("name") is not None]
        owner = next((node for node in ancestors if node.tag == f"{_XSD}complexType"), None)
        schema = next(attribute.iterancestors(f"{_XSD}schema"), None)
        if declared is not None and owner is not None and schema is not None:
            elements = [str(node.get("name")) for node in ancestors[: ancestors.index(owner)]]
            name = etree.QName(schema.get("targetNamespace") or None, str(owner.get("name"))).text
            prefix, _, local = declared.rpartition(":")
            kind = f"{{{attribute.nsmap.get(prefix or None, '')}}}{local}"
            result["/".join([name, *reversed(elements)])] = kind
    return result


def say_arrays(node: etree._Element, codec: Codec, name: str, arrays: ArrayTypes) -> None:
    """Set the attribute `arrayType` on all arrays in `node`, an element of the type `name`.

    `arrays` are the item types of the arrays, from `array_types`.
    """
    tag = codec.xml_name(name)
    if tag in arrays:
        _say_array(node, arrays[tag])
    for field in elements_of(codec, name):
        children = list(node.iterchildren(field.tag))
        if inline := arrays.get(f"{tag}/{field.name}"):
            for child in children:
                _say_array(child, inline)
        for child in _values(children, field) if field.holds else ():
            say_arrays(child, codec, field.holds, arrays)


def _say_array(node: etree._Element, declared: str) -> None:
    """Set `arrayType` on an array, and on its items if these are arrays, too.

    `declared` is the item type with brackets, such as `{urn:example}Item[]`.
    """
    if node.get(NIL_ATTRIBUTE) is not None:
        return
    # The last brackets belong to this array: `int[][,]` has two dimensions, and its items are `int[]`.
    item, _, rank = declared.rpartition("[")
    kind, bracket, others = item.partition("[")
    sizes = ",".join([str(len(node)), *["1"] * rank.count(",")])
    node.set(f"{{{_ENC}}}arrayType", f"{qname_text(node, kind)}{bracket}{others}[{sizes}]")
    for child in node if bracket else ():
        _say_array(child, item)
