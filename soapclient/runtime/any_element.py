"""What a contract leaves open (xs:any, xs:anyType, mixed content), or does not know, kept as it came."""

from __future__ import annotations

import re
from collections import ChainMap
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import TypeAlias

import msgspec
from lxml import etree

from soapclient.runtime.elements import Element, qname_text
from soapclient.runtime.errors import EncodeError, local_name
from soapclient.runtime.protocols import JsonMade, Kept, KeptValue, Node, Reader
from soapclient.runtime.texts import Q_NAME

XSI_TYPE = "{http://www.w3.org/2001/XMLSchema-instance}type"

_said_before_colons = re.compile(r"[^\W\d][\w.\-]*(?=:)").findall


AnyValue: TypeAlias = object
"""The value of an element of `xsd:anyType`: decoded by its `xsi:type` (an int, a datetime, a value of a
generated type), or an `AnyElement` if it has no type that the package knows. Requests take the same."""


class AnyElement(msgspec.Struct, kw_only=True, gc=False, omit_defaults=True):
    """An element, whatever it is. Its name and its attributes' are in Clark notation (`{namespace}name`).

    `text` is what stands before the first child, `tail` what follows the element within its parent. An
    `xsi:type` among the attributes has its value in Clark notation, too. `prefixes` are those that other
    texts and attributes may speak of, here and within (`type="xs:string"`), with the namespaces they mean:
    they are declared when it is written. The prefixes of names are not kept, nor are comments. Where a field
    has the type, and thereby the name, the `name` here is not looked at.
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
    """Parse the content of an element: XML, or a text. Raises XMLSyntaxError or UnicodeEncodeError."""
    parser = etree.XMLParser(resolve_entities=False, no_network=True)
    return etree.fromstring(f"<any>{text}</any>".encode(), parser)


def read_any(node: Node, reader: Reader) -> AnyElement:
    """An element as it is, but for what follows it."""
    top: dict[str, str] = {}
    found = _read(node, reader, ChainMap(top))
    found.prefixes = top
    return found


def _read(node: Node, reader: Reader, scope: ChainMap[str, str]) -> AnyElement:
    """`scope` is what prefixes mean; one that means nothing yet is declared at its far end, the top."""
    reader.check_deadline()
    own: dict[str, str] = {}
    for prefix, space in _spoken_of(node):
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
        except ValueError:  # of a prefix that means nothing; the text is all there is
            reader.unknown_value(node, attributes[XSI_TYPE])
    found = AnyElement(name=str(node.tag), attributes=attributes, text=node.text or "", prefixes=own)
    for inner in node:
        if isinstance(inner.tag, str):
            one = _read(inner, reader, scope)
            one.tail = inner.tail or ""
            found.children.append(one)
        elif found.children:  # a comment: what follows it belongs to what stood before
            found.children[-1].tail += inner.tail or ""
        else:
            found.text += inner.tail or ""
    return found


def _spoken_of(node: Node) -> Iterator[tuple[str, str]]:
    """Prefixes declared where an element stands that its texts or attributes may speak of."""
    texts = [text for name, text in node.items() if name != XSI_TYPE]
    texts += [text for text in (node.text, *(inner.tail for inner in node)) if text]
    said = {prefix for text in texts if ":" in text for prefix in _said_before_colons(text)}
    if not said:
        return
    known: object = getattr(node, "nsmap", None)
    for prefix, space in known.items() if isinstance(known, Mapping) else ():
        if prefix in said:
            yield prefix, space


def write_anything(value: AnyElement, node: Element, path: str) -> None:
    """Give a new element the content of a value; it is replaced where prefixes must be declared. Raises
    EncodeError."""
    if not isinstance(value, AnyElement):
        raise EncodeError(path, value, 'an AnyElement: give AnyElement(text="…") for a text')
    parent = node.getparent()
    if value.prefixes and parent is not None:
        parent.remove(node)
        attributes = node.attrib
        node = _new(value, parent, str(node.tag), path)
        node.attrib.update(attributes)
    _fill(value, node, path)


def append_any(parent: Element, value: AnyElement, path: str) -> None:
    """Append a value as an element of its own name. Raises EncodeError."""
    if not isinstance(value, AnyElement):
        raise EncodeError(path, value, 'an AnyElement: give AnyElement(name="{namespace}name", text="…")')
    node = _new(value, parent, value.name, path)
    _fill(value, node, path)
    try:
        node.tail = value.tail or None
    except (ValueError, TypeError) as error:
        raise EncodeError(path, value.name, "a tail that XML can hold", str(error)) from None


def _new(value: AnyElement, parent: Element, name: str, path: str) -> Element:
    """A new last child that declares the prefixes of a value."""
    try:
        if not value.prefixes:
            return etree.SubElement(parent, name)
        if "xmlns" in value.prefixes or not all(value.prefixes.values()):
            raise ValueError("a prefix means a namespace, and `xmlns` none")
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
        raise EncodeError(path, value.name, "names and texts that XML can hold", str(error)) from None
    for at, inner in enumerate(value.children, 1):
        append_any(node, inner, f"{path}/*[{at}]")


# ---- what a contract does not know


def keep(kept: Kept, children: Iterable[Node]) -> None:
    """Keep elements that the contract does not know, as they came. One that repeats becomes a list."""
    by_name: dict[str, list[KeptValue]] = {}
    by_json = False
    for child in children:
        if not isinstance(child.tag, str):
            continue  # a comment
        values = by_name.setdefault(local_name(child.tag), [])
        if not isinstance(child, JsonMade):
            values.append(_generic(child))
            continue
        by_json, value = True, child.as_written()
        # Each member of a JSON array is a node, and each of them returns the complete array.
        if not (isinstance(value, list) and values and values[-1] is value):
            values.append(value)
    for name, values in by_name.items():
        kept[name] = joined(values if by_json else _alike(values))


def _alike(values: list[KeptValue]) -> list[KeptValue]:
    """Return the values of a repeated XML element, all as structures if one of them is a structure."""
    if len(values) > 1 and any(isinstance(value, dict) for value in values):
        return [{"$": value} if isinstance(value, str) else value for value in values]
    return values


def joined(values: list[KeptValue]) -> KeptValue:
    """Return the value of a name that has these values, in order. A list at the start is continued."""
    first = values[0]
    if len(values) == 1:
        return first
    return [*first, *values[1:]] if isinstance(first, list) else values


def keep_empty(kept: Kept, node: Node, known: Collection[str]) -> None:
    """Keep what came by JSON as null or as an array without anything, but for the tags that are `known`."""
    if isinstance(node, JsonMade):
        for tag, value in node.left_empty().items():
            if tag not in known:
                kept.setdefault(local_name(tag), value)


def keep_attribute(kept: Kept, name: str, value: str) -> None:
    """Keep an attribute that the contract does not know."""
    kept[f"@{local_name(name)}"] = value


def _generic(node: Node) -> str | Kept:
    if not len(node) and not node.keys():
        return node.text or ""
    whole: Kept = {f"@{local_name(name)}": value for name, value in node.items()}
    if node.text and node.text.strip():
        whole["$"] = node.text
    keep(whole, node)
    return whole
