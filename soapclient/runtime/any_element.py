"""Elements that are kept unchanged: content that a contract leaves open, and elements it does not declare.

A contract leaves content open with xs:any, xs:anyType and mixed content.
"""

from __future__ import annotations

import re
from collections import ChainMap
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import TypeAlias

import msgspec
from lxml import etree

from soapclient.runtime.elements import Element, qname_text
from soapclient.runtime.errors import EncodeError, local_name
from soapclient.runtime.protocols import JsonDataNode, Kept, KeptValue, Node, Reader
from soapclient.runtime.string_types import Q_NAME

XSI_TYPE = "{http://www.w3.org/2001/XMLSchema-instance}type"

_names_before_colons = re.compile(r"[^\W\d][\w.\-]*(?=:)").findall


AnyValue: TypeAlias = object
"""The value of an element of `xsd:anyType`.

It is decoded by its `xsi:type` (an int, a datetime, a value of a generated type), or an `AnyElement` if the
package does not know the type. Requests accept the same values.
"""


class AnyElement(msgspec.Struct, kw_only=True, gc=False, omit_defaults=True):
    """Any element. Its name and the names of its attributes are in Clark notation (`{namespace}name`).

    `text` is the text before the first child, `tail` the text after the element in its parent. The value of
    an `xsi:type` attribute is in Clark notation, too. `prefixes` maps prefixes that other texts and
    attributes may use, here and in children (`type="xs:string"`), to their namespaces; they are declared when
    the element is written. Comments are not kept, nor are the prefixes of the names of elements and
    attributes. `name` is ignored if the value is in a field that determines the element's name.
    """

    name: str = ""
    attributes: dict[str, str] = {}
    text: str = ""
    children: list[AnyElement] = []
    tail: str = ""
    prefixes: dict[str, str] = {}

    @classmethod
    def __get_pydantic_core_schema__(cls, source: object, handler: object) -> object:
        """Let pydantic, and so FastAPI, validate and serialize values of this type."""
        from soapclient.runtime.plain_values import pydantic_schema

        return pydantic_schema(cls, handler)


def fragment(text: str) -> Element:
    """Return an element with the content `text`, which may contain XML.

    Raises XMLSyntaxError or UnicodeEncodeError.
    """
    parser = etree.XMLParser(resolve_entities=False, no_network=True)
    return etree.fromstring(f"<any>{text}</any>".encode(), parser)


def read_any(node: Node, reader: Reader) -> AnyElement:
    """Read an element, without the text that follows it."""
    top: dict[str, str] = {}
    value = _read(node, reader, ChainMap(top))
    value.prefixes = top
    return value


def _read(node: Node, reader: Reader, scope: ChainMap[str, str]) -> AnyElement:
    """Read an element and its children.

    `scope` maps prefixes to namespaces. A prefix that is not in it is declared in its last map, at the top
    element.
    """
    reader.check_deadline()
    own: dict[str, str] = {}
    for prefix, space in _prefixes_used(node):
        if prefix not in scope:
            scope.maps[-1][prefix] = space
        elif scope[prefix] != space:
            own[prefix] = space
    if own:
        scope = scope.new_child(own)
    attributes = dict(node.items())
    if XSI_TYPE in attributes:
        try:
            attributes[XSI_TYPE] = Q_NAME.parse(attributes[XSI_TYPE], reader, node)
        except ValueError:  # an undeclared prefix: keep the text
            reader.unknown_value(node, attributes[XSI_TYPE])
    value = AnyElement(name=str(node.tag), attributes=attributes, text=node.text or "", prefixes=own)
    for inner in node:
        if isinstance(inner.tag, str):
            child_value = _read(inner, reader, scope)
            child_value.tail = inner.tail or ""
            value.children.append(child_value)
        elif value.children:  # a comment: the text after it continues the tail of the child before it
            value.children[-1].tail += inner.tail or ""
        else:
            value.text += inner.tail or ""
    return value


def _prefixes_used(node: Node) -> Iterator[tuple[str, str]]:
    """Yield (prefix, namespace) for each prefix that the texts or attributes of an element may use."""
    texts = [text for name, text in node.items() if name != XSI_TYPE]
    texts += [text for text in (node.text, *(inner.tail for inner in node)) if text]
    used = {prefix for text in texts if ":" in text for prefix in _names_before_colons(text)}
    if not used:
        return
    namespaces: object = getattr(node, "nsmap", None)
    for prefix, space in namespaces.items() if isinstance(namespaces, Mapping) else ():
        if prefix in used:
            yield prefix, space


def write_anything(value: AnyElement, node: Element, path: str) -> None:
    """Fill the new element `node` with the content of a value. Raises EncodeError.

    If prefixes must be declared, `node` is replaced by an element that declares them.
    """
    if not isinstance(value, AnyElement):
        raise EncodeError(path, value, 'an AnyElement, such as AnyElement(text="…")')
    parent = node.getparent()
    if value.prefixes and parent is not None:
        parent.remove(node)
        attributes = node.attrib
        node = _append(value, parent, str(node.tag), path)
        node.attrib.update(attributes)
    _fill(value, node, path)


def append_any(parent: Element, value: AnyElement, path: str) -> None:
    """Append a value as an element with the value's name. Raises EncodeError."""
    if not isinstance(value, AnyElement):
        raise EncodeError(path, value, 'an AnyElement such as AnyElement(name="{namespace}name", text="…")')
    node = _append(value, parent, value.name, path)
    _fill(value, node, path)
    try:
        node.tail = value.tail or None
    except (ValueError, TypeError) as error:
        raise EncodeError(path, value.name, "a tail of characters that XML allows", str(error)) from None


def _append(value: AnyElement, parent: Element, name: str, path: str) -> Element:
    """Append a child element that declares the prefixes of a value. Return the child."""
    try:
        if not value.prefixes:
            return etree.SubElement(parent, name)
        if "xmlns" in value.prefixes or not all(value.prefixes.values()):
            raise ValueError("a prefix must have a namespace and must not be `xmlns`")
        return etree.SubElement(parent, name, nsmap=value.prefixes)
    except (ValueError, TypeError, AttributeError) as error:
        allowed = "a name in Clark notation, and a dict of prefixes"
        raise EncodeError(path, value.name, allowed, str(error)) from None


def _fill(value: AnyElement, node: Element, path: str) -> None:
    try:
        for name, text in value.attributes.items():
            node.set(name, qname_text(node, text) if name == XSI_TYPE else text)
        if value.text:
            node.text = value.text
    except (ValueError, TypeError, AttributeError) as error:
        raise EncodeError(
            path, value.name, "valid XML names, and texts of characters that XML allows", str(error)
        ) from None
    for number, inner in enumerate(value.children, 1):
        append_any(node, inner, f"{path}/*[{number}]")


# ---- elements and attributes that are unknown to the contract


def keep(kept: Kept, children: Iterable[Node]) -> None:
    """Store unknown elements in `kept`, unchanged. A repeated element becomes a list."""
    by_name: dict[str, list[KeptValue]] = {}
    by_json = False
    for child in children:
        if not isinstance(child.tag, str):
            continue  # a comment
        values = by_name.setdefault(local_name(child.tag), [])
        if not isinstance(child, JsonDataNode):
            values.append(_generic(child))
            continue
        by_json, value = True, child.as_written()
        # Each member of a JSON array is a node, and each of them returns the complete array.
        if not (isinstance(value, list) and values and values[-1] is value):
            values.append(value)
    for name, values in by_name.items():
        kept[name] = joined(values if by_json else _alike(values))


def _alike(values: list[KeptValue]) -> list[KeptValue]:
    """Return the values of a repeated XML element. If one is a structure, all are converted to structures."""
    if len(values) > 1 and any(isinstance(value, dict) for value in values):
        return [{"$": value} if isinstance(value, str) else value for value in values]
    return values


def joined(values: list[KeptValue]) -> KeptValue:
    """Combine all values of one name into one value. If the first one is a list, the others extend a copy."""
    first = values[0]
    if len(values) == 1:
        return first
    return [*first, *values[1:]] if isinstance(first, list) else values


def keep_empty(values: Kept, node: Node, known: Collection[str]) -> None:
    """Store the null values and empty arrays of a JSON object in `values`, except those with `known` tags."""
    if isinstance(node, JsonDataNode):
        for tag, value in node.left_empty().items():
            if tag not in known:
                values.setdefault(local_name(tag), value)


def keep_attribute(values: Kept, name: str, value: str) -> None:
    """Store an unknown attribute in `values`."""
    values[f"@{local_name(name)}"] = value


def _generic(node: Node) -> str | Kept:
    """Return an unknown element as a string, or as a structure if it has attributes or children."""
    if not len(node) and not node.keys():
        return node.text or ""
    structure: Kept = {f"@{local_name(name)}": value for name, value in node.items()}
    if node.text and node.text.strip():
        structure["$"] = node.text
    keep(structure, node)
    return structure
