"""MTOM in a mock: sends the binary values of a response as MIME parts instead of Base64 in the envelope."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterator, Sequence

from lxml import etree

from soapclient.runtime.binary import BASE64, append_include
from soapclient.runtime.codec import Codec
from soapclient.runtime.request_values import elements_of
from soapclient.soap.mtom import media_type_of
from soapclient.soap.multipart import BinaryPart, new_token


def binary_elements(node: etree._Element, codec: Codec, name: str) -> Iterator[tuple[etree._Element, str]]:
    """Yield (element, media types) for each element in `node` whose text is base64Binary.

    The media types are the types that the contract expects, as one string. `name` is the type of `node`.
    """
    for field in codec.fields(name):
        if field.kind == "text" and field.row.type == BASE64:
            yield node, field.row.content_types
    for field in elements_of(codec, name):
        for child in list(node.iterchildren(field.tag)):
            for value in child.iterchildren(field.item) if field.item else [child]:
                if field.holds:
                    yield from binary_elements(value, codec, field.holds)
                elif field.row.type == BASE64:
                    yield value, field.row.content_types


def take_parts(elements: Sequence[tuple[etree._Element, str]]) -> list[BinaryPart]:
    """Move the binary values of `elements`, the result of `binary_elements`, to MIME parts. Return the parts.

    The text of each element is replaced by an XOP include, which refers to the part. An element that is empty
    or does not contain valid Base64 is not changed.
    """
    parts, token = [], new_token()
    for number, (node, content_types) in enumerate(elements, 1):
        try:
            content = base64.b64decode(node.text or "", validate=True)
        except binascii.Error:  # a rule has added a drift here
            continue
        if content and not len(node):
            content_id = f"{number}.{token}@soapclient"
            node.text = None
            append_include(node, f"cid:{content_id}")
            parts.append(BinaryPart(content_id, media_type_of(node, content_types), content))
    return parts
