"""The names of items in encoded arrays: any on the wire (SOAP 1.1 5.4.2), one in a contract."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from lxml import etree

from soapclient.contract.alone import XSD
from zxws._runtime.errors import local_name

ENCODINGS: Final = (
    "http://schemas.xmlsoap.org/soap/encoding/",
    "http://www.w3.org/2003/05/soap-encoding",
)
_ITEM: Final = "item"  # where the contract gives the items no element (bindgen.reading.encoding)
_ARRAY: Final = f"{{{ENCODINGS[0]}}}Array"
_ARRAY_TYPE: Final = f"{{{ENCODINGS[0]}}}arrayType"
_ITEM_TYPE: Final = f"{{{ENCODINGS[1]}}}itemType"
_ARRAY_SIZE: Final = f"{{{ENCODINGS[1]}}}arraySize"
_WSDL_ARRAY_TYPE: Final = "{http://schemas.xmlsoap.org/wsdl/}arrayType"


@dataclass(frozen=True, slots=True)
class ItemTags:
    """The elements that a contract declares for the items of its arrays.

    `by_holder`: local name of an element that is an array → tags of items. `by_type`: type of the items, in
    Clark notation → tags of items.
    """

    by_holder: Mapping[str, frozenset[str]] = field(default_factory=dict)
    by_type: Mapping[str, frozenset[str]] = field(default_factory=dict)

    def choose(self, holder: str, item_type: str | None, came: str) -> str:
        """The tag for an item in an array called `holder`, whose own tag is `came`.

        Where two types of arrays have the same holder and the same items, an item keeps a name that one of
        them declares.
        """
        held = self.by_holder.get(local_name(holder), frozenset())
        typed = self.by_type.get(item_type or "", frozenset())
        found = held & typed or held or typed or {_ITEM}
        return came if came in found else min(found, key=lambda tag: (tag != _ITEM, tag))


def is_array(node: etree._Element) -> bool:
    """Whether an element of an encoded message says that it is an array."""
    return any(node.get(key) is not None for key in (_ARRAY_TYPE, _ITEM_TYPE, _ARRAY_SIZE))


def item_type(array: etree._Element) -> str | None:
    """The type of an array's items as the array says it, in Clark notation; of arrays in arrays with `[]`."""
    said = array.get(_ARRAY_TYPE) or array.get(_ITEM_TYPE) or ""
    return _named(array, said.rpartition("[")[0] or said)


def sent_in_part(array: etree._Element) -> bool:
    """Whether items are left out at the beginning or between others (SOAP 1.1 5.4.2.1 and 5.4.2.2)."""
    offset, position = (f"{{{ENCODINGS[0]}}}{name}" for name in ("offset", "position"))
    if (array.get(offset) or "[0]").strip() != "[0]":
        return True
    return any(
        (item.get(position) or f"[{at}]").strip() != f"[{at}]"
        for at, item in enumerate(array.iterchildren("*"))
    )


def item_tags(documents: Iterable[bytes]) -> ItemTags:
    """The items of the arrays in some documents (WSDLs or schemas)."""
    parser = etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=True)
    roots = [etree.fromstring(document, parser) for document in documents if document]
    schemas = [schema for root in roots for schema in root.iter(f"{{{XSD}}}schema")]
    arrays: dict[str, str] = {}
    by_type: defaultdict[str, set[str]] = defaultdict(set)
    by_holder: defaultdict[str, set[str]] = defaultdict(set)
    for schema in schemas:
        for name, items, tag in _arrays(schema):
            arrays[name] = tag
            by_type[items].add(tag)
    for schema in schemas:
        for element in schema.iter(f"{{{XSD}}}element"):
            tag = arrays.get(_named(element, element.get("type", "")) or "", "")
            if tag:
                by_holder[element.get("name", "")].add(tag)
    return ItemTags(
        {name: frozenset(tags) for name, tags in by_holder.items()},
        {name: frozenset(tags) for name, tags in by_type.items()},
    )


def _arrays(schema: etree._Element) -> Iterator[tuple[str, str, str]]:
    """The named arrays of a schema: type, type of the items, tag of the items."""
    space = schema.get("targetNamespace", "")
    for kind in schema.iterchildren(f"{{{XSD}}}complexType"):
        for step in kind.iter(f"{{{XSD}}}restriction"):
            if _named(step, step.get("base", "")) != _ARRAY:
                continue
            element = next(step.iter(f"{{{XSD}}}element"), None)
            told = next((one for one in step.iter("*") if one.get(_WSDL_ARRAY_TYPE) is not None), None)
            said = "" if told is None else told.get(_WSDL_ARRAY_TYPE, "")
            items = _named(step if told is None else told, said.rpartition("[")[0])
            if element is not None and not items:
                items = _named(element, element.get("type", ""))
            tag = _ITEM if element is None else _tag(element, schema, space)
            yield _clark(space, kind.get("name", "")), items or "", tag


def _tag(element: etree._Element, schema: etree._Element, space: str) -> str:
    """The tag of an element within a type (XSD 1.0 part 1 3.3.2)."""
    if ref := element.get("ref"):
        return _named(element, ref) or _ITEM
    form = element.get("form") or schema.get("elementFormDefault", "unqualified")
    return _clark(space if form == "qualified" else "", element.get("name", _ITEM))


def _named(node: etree._Element, name: str) -> str | None:
    """A qualified name that stands in `node`, with what brackets follow it emptied: `{urn:a}Line[]`."""
    name, bracket, further = name.strip().partition("[")
    prefix, _, local = name.strip().rpartition(":")
    if not local:
        return None
    dimensions = "[]" * (bracket + further).count("[")
    return _clark(node.nsmap.get(prefix or None) or "", local) + dimensions


def _clark(space: str, local: str) -> str:
    return f"{{{space}}}{local}" if space else local
