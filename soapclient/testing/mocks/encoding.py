"""Support SOAP encoding in a mock: accept requests that omit elements (SOAP 1.1, section 5.6)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec
from lxml import etree

from soapclient.runtime.codec import Codec
from soapclient.runtime.fields import Field
from soapclient.runtime.nil import NIL_ATTRIBUTE
from soapclient.runtime.request_values import elements_of


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
    """Add a nil element to `node` for each required element that is missing.

    `name` is the name of the type of `node`. Child elements are completed in the same way.

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

    `children` are the elements of the field. If the field is a list with a wrapper element, `children` are
    the wrappers, and the items inside the wrappers are yielded. Otherwise, `children` themselves are yielded.
    """
    for child in children:
        yield from child.iterchildren(field.item) if field.item else [child]
