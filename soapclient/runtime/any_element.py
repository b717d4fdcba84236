"""Elements that have no generated type.

Content that the contract leaves open (xs:any, xs:anyType, mixed content) is read as an `AnyElement`. Elements
that the contract does not declare are kept as strings, dicts and lists.
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import TypeAlias

import msgspec
from lxml import etree

from soapclient._support.lazy_pattern import LazyPattern
from soapclient.runtime.elements import Element, qname_text
from soapclient.runtime.errors import EncodeError, local_name
from soapclient.runtime.protocols import JsonDataNode, Kept, KeptValue, Node, Reader
from soapclient.runtime.string_types import Q_NAME

XSI_TYPE = "{http://www.w3.org/2001/XMLSchema-instance}type"

_names_before_colons = LazyPattern(r"[^\W\d][\w.\-]*(?=:)")


AnyValue: TypeAlias = object
"""The value of an element of `xsd:anyType`.

It is decoded by its `xsi:type` (an int, a datetime, a value of a generated type), or an `AnyElement` if the
package does not know the type. Requests accept the same values.
"""


class AnyElement(msgspec.Struct, kw_only=True, gc=False, omit_defaults=True):
    """An element of any name. Element and attribute names are in Clark notation (`{namespace}name`).

    `name` is always set when an element is read. When a value is written, `name` is used only for the
    elements of a wildcard (xs:any) and the children of an `AnyElement`: all other names come from the
    contract.
    `text` is the text before the first child. `tail` is the text after the element, inside its parent, as in
    lxml.

    The value of an `xsi:type` attribute is in Clark notation, too. All other texts and attribute values are
    unchanged, so they may contain prefixes (`type="xs:string"`). `prefixes` maps these prefixes to
    namespaces. When the element is written, the prefixes are declared.

    Comments are dropped. The prefixes of element and attribute names are not kept either.
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
    """Parse a text that may contain XML tags. Return a wrapper element with the text as its content.

    Raises XMLSyntaxError if the tags are not well-formed or a character is not allowed in XML, and
    UnicodeEncodeError if the text has a lone surrogate.
    """
    parser = etree.XMLParser(resolve_entities=False, no_network=True)
    return etree.fromstring(f"<any>{text}</any>".encode(), parser)


def read_any(node: Node, reader: Reader) -> AnyElement:
    """Convert an element and its children to an `AnyElement`. Its `tail` stays empty."""
    top: dict[str, str] = {}
    value = _read(node, reader, ChainMap(top))
    value.prefixes = top
    return value


def _read(node: Node, reader: Reader, scope: ChainMap[str, str]) -> AnyElement:
    """Convert an element and its children to an `AnyElement`.

    `scope` is a ChainMap from prefix to namespace. It has the prefixes that the element and its ancestors
    declare. A prefix that is not in `scope` yet is added to `scope.maps[-1]`, the map of the top element.
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
    """Yield (prefix, namespace) for the prefixes that the texts and attribute values of an element use.

    Each declared prefix that is followed by a colon counts as used.
    """
    texts = [text for name, text in node.items() if name != XSI_TYPE]
    texts += [text for text in (node.text, *(inner.tail for inner in node)) if text]
    used = {prefix for text in texts if ":" in text for prefix in _names_before_colons.findall(text)}
    if not used:
        return
    namespaces: object = getattr(node, "nsmap", None)
    for prefix, space in namespaces.items() if isinstance(namespaces, Mapping) else ():
        if prefix in used:
            yield prefix, space


def write_anything(value: AnyElement, node: Element, path: str) -> None:
    """Write the content of an `AnyElement` into `node`, a new element.

    `path` is the path of the value, for errors. If the value has prefixes, this function replaces `node` in
    its parent by a new element that declares these prefixes. Raises EncodeError if XML does not allow a name
    or a text in the value.
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
    """Append an `AnyElement` to `parent`, under the value's own name.

    `path` is the path of the value, for errors. Raises EncodeError if XML does not allow a name or a text in
    the value.
    """
    if not isinstance(value, AnyElement):
        raise EncodeError(path, value, 'an AnyElement such as AnyElement(name="{namespace}name", text="…")')
    node = _append(value, parent, value.name, path)
    _fill(value, node, path)
    try:
        node.tail = value.tail or None
    except (ValueError, TypeError) as error:
        allowed = "in `tail`, only characters that XML allows"
        raise EncodeError(path, value.name, allowed, str(error)) from None


def _append(value: AnyElement, parent: Element, name: str, path: str) -> Element:
    """Append an empty child with the name `name`, which declares the prefixes of `value`. Return the child.

    `path` is the path of the value, for errors. Raises EncodeError if the name or a prefix is invalid.
    """
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
    """Add the unknown elements `children` to the dict `kept`. The keys are local names.

    The value of an XML element is a string or a dict (see `_generic`). The value of an element from JSON is
    its JSON value. If several elements have the same name, the dict has a list of their values.
    """
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
        # Each item of a JSON array is a node of its own, and `as_written` of each returns the complete array.
        if not (isinstance(value, list) and values and values[-1] is value):
            values.append(value)
    for name, values in by_name.items():
        kept[name] = joined(values if by_json else _alike(values))


def _alike(values: list[KeptValue]) -> list[KeptValue]:
    """Convert the values of a repeated XML element to one type: all strings or all dicts.

    If one value is a dict (an element with attributes or children), each string becomes `{"$": string}`.
    """
    if len(values) > 1 and any(isinstance(value, dict) for value in values):
        return [{"$": value} if isinstance(value, str) else value for value in values]
    return values


def joined(values: list[KeptValue]) -> KeptValue:
    """Return `values` as one value: a single value unchanged, several values as a list.

    If there are several values and the first one is itself a list, its items and the other values are
    returned as one flat list.
    """
    first = values[0]
    if len(values) == 1:
        return first
    return [*first, *values[1:]] if isinstance(first, list) else values


def keep_empty(values: Kept, node: Node, known: Collection[str]) -> None:
    """Add the unknown null values and empty arrays of a JSON object to the dict `values`, by local name.

    Does nothing if `node` is not from JSON. A value is unknown if its tag is not in `known`, the tags that
    the contract declares.
    """
    if isinstance(node, JsonDataNode):
        for tag, value in node.left_empty().items():
            if tag not in known:
                values.setdefault(local_name(tag), value)


def keep_attribute(values: Kept, name: str, value: str) -> None:
    """Add an unknown attribute to the dict `values`. Its key is the local name with a leading `@`."""
    values[f"@{local_name(name)}"] = value


def _generic(node: Node) -> str | Kept:
    """Return an unknown element as a string, or as a dict if it has attributes or children."""
    if not len(node) and not node.keys():
        return node.text or ""
    structure: Kept = {f"@{local_name(name)}": value for name, value in node.items()}
    if node.text and node.text.strip():
        structure["$"] = node.text
    keep(structure, node)
    return structure
