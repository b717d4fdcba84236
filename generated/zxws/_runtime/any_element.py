"""Elements whose type the contract leaves open (xs:any, xs:anyType, mixed content), kept as they are."""

from __future__ import annotations

import msgspec

from zxws._runtime.elements import Element, child, qname_text
from zxws._runtime.errors import EncodeError
from zxws._runtime.protocols import Node, Reader
from zxws._runtime.texts import Q_NAME

XSI_TYPE = "{http://www.w3.org/2001/XMLSchema-instance}type"


class AnyElement(msgspec.Struct, kw_only=True, gc=False, omit_defaults=True):
    """An element, whatever it is. Its name and its attributes' are in Clark notation (`{namespace}name`).

    `text` is what stands before the first child, `tail` what follows the element within its parent. An
    `xsi:type` among the attributes has its value in Clark notation, too: prefixes are not kept. Comments are
    left out. Where a field has the type, and thereby the name, the `name` here is not looked at.
    """

    name: str = ""
    attributes: dict[str, str] = {}
    text: str = ""
    children: list[AnyElement] = []
    tail: str = ""


def read_any(node: Node, reader: Reader) -> AnyElement:
    """An element as it is, but for what follows it."""
    attributes = dict(node.items())
    if XSI_TYPE in attributes:
        try:
            attributes[XSI_TYPE] = Q_NAME.parse(attributes[XSI_TYPE], reader, node)
        except ValueError:  # of a prefix that means nothing; the text is all there is
            reader.unknown_value(node, attributes[XSI_TYPE])
    found = AnyElement(name=str(node.tag), attributes=attributes, text=node.text or "")
    for inner in node:
        if isinstance(inner.tag, str):
            one = read_any(inner, reader)
            one.tail = inner.tail or ""
            found.children.append(one)
        elif found.children:  # a comment: what follows it belongs to what stood before
            found.children[-1].tail += inner.tail or ""
        else:
            found.text += inner.tail or ""
    return found


def write_anything(value: AnyElement, node: Element, path: str) -> None:
    """Fill an element with the content of a value. Raises EncodeError."""
    if not isinstance(value, AnyElement):
        raise EncodeError(path, value, "an AnyElement")
    try:
        for name, text in value.attributes.items():
            node.set(name, qname_text(node, text) if name == XSI_TYPE else text)
        if value.text:
            node.text = value.text
    except (ValueError, TypeError, AttributeError) as error:
        raise EncodeError(path, value.name, "names and texts that XML can hold", str(error)) from None
    for at, inner in enumerate(value.children, 1):
        append_any(node, inner, f"{path}/*[{at}]")


def append_any(parent: Element, value: AnyElement, path: str) -> None:
    """Append a value as an element of its own name. Raises EncodeError."""
    if not isinstance(value, AnyElement):
        raise EncodeError(path, value, "an AnyElement")
    try:
        node = child(parent, value.name)
    except (ValueError, TypeError) as error:
        raise EncodeError(path, value.name, "a name in Clark notation", str(error)) from None
    write_anything(value, node, path)
    try:
        node.tail = value.tail or None
    except (ValueError, TypeError) as error:
        raise EncodeError(path, value.name, "a tail that XML can hold", str(error)) from None
