"""SOAP encoding (SOAP 1.1 5) in a mock: requests may omit accessors, arrays name the type of their items."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import msgspec
from lxml import etree

from soapclient.runtime.codec import Codec
from soapclient.runtime.elements import qname_text
from soapclient.runtime.nil import NIL_ATTRIBUTE
from soapclient.runtime.request_values import elements_of

_XSD: Final = "{http://www.w3.org/2001/XMLSchema}"
_ENC: Final = "http://schemas.xmlsoap.org/soap/encoding/"
_ARRAY_TYPE: Final = "{http://schemas.xmlsoap.org/wsdl/}arrayType"

ArrayTypes = Mapping[str, str]  # an array's type → the type of its items, with `[]` for arrays of arrays


def with_omissions(codec: Codec) -> Codec:
    """Return a codec for the same types that reads an element with `xsi:nil` as None, whatever its type."""
    rows = {}
    for name in codec.schema.types:
        row = codec.row(name)
        fields = tuple(
            msgspec.structs.replace(field, nil=field.nil or field.kind == "element") for field in row.fields
        )
        rows[name] = msgspec.Raw(msgspec.json.encode(msgspec.structs.replace(row, fields=fields)))
    return Codec(msgspec.structs.replace(codec.schema, types=rows), codec.module)


def put_omitted(node: etree._Element, codec: Codec, name: str) -> None:
    """Put a nil element in the place of each accessor that a value of a type omits.

    An accessor may be omitted: no value is known, or a default is meant (SOAP 1.1 5.6).
    """
    for field in elements_of(codec, name):
        children = list(node.iterchildren(field.tag))
        if field.least and not field.repeats and not field.arms and not children:
            etree.SubElement(node, field.tag).set(NIL_ATTRIBUTE, "true")
        for child in children:
            if field.holds and child.get(NIL_ATTRIBUTE) is None:
                put_omitted(child, codec, field.holds)


def array_types(wsdl: bytes) -> ArrayTypes:
    """Return the arrays that a contract declares (SOAP 1.1 5.4.2), in Clark notation."""
    root = etree.fromstring(wsdl, etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=True))
    found = {}
    for kind in root.iter(f"{_XSD}complexType"):
        for attribute in kind.iterdescendants(f"{_XSD}attribute"):
            item = attribute.get(_ARRAY_TYPE)
            schema = next(kind.iterancestors(f"{_XSD}schema"), None)
            if item is not None and schema is not None and kind.get("name") is not None:
                tag = etree.QName(schema.get("targetNamespace") or None, str(kind.get("name"))).text
                prefix, _, local = item.rpartition(":")
                # The last brackets are those of this array; others belong to arrays in it.
                local = local.rpartition("[")[0]
                found[tag] = f"{{{attribute.nsmap.get(prefix or None, '')}}}{local}"
    return found


def say_arrays(node: etree._Element, codec: Codec, name: str, arrays: ArrayTypes) -> None:
    """Put `arrayType` on the arrays in an element of a type."""
    item = arrays.get(codec.xml_name(name))
    if item is not None:
        kind, bracket, ranks = item.partition("[")
        node.set(f"{{{_ENC}}}arrayType", f"{qname_text(node, kind)}{bracket}{ranks}[{len(node)}]")
    for field in elements_of(codec, name):
        for child in node.iterchildren(field.tag) if field.holds else ():
            say_arrays(child, codec, field.holds, arrays)
