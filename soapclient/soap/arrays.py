"""The names of items in encoded arrays: any on the wire (SOAP 1.1 5.4.2), one in a contract.

Which one it is, the type of the array says, and that is found on the way down from the message's element: two
elements may have the same name, and hold arrays of the same items under different names.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from lxml import etree

from soapclient.contract.compiling import XSD
from soapclient.runtime.errors import local_name

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
_ANYTHING: Final = f"{{{XSD}}}anyType"
_XSI_TYPE: Final = "{http://www.w3.org/2001/XMLSchema-instance}type"
_COMPLEX, _ELEMENT, _GROUP = (f"{{{XSD}}}{name}" for name in ("complexType", "element", "group"))
_DERIVATIONS: Final = tuple(f"{{{XSD}}}{name}" for name in ("restriction", "extension"))


@dataclass(frozen=True, slots=True)
class Child:
    """An element within a type: its tag, and its type, None for one that is not known."""

    tag: str
    type: str | None


@dataclass(frozen=True, slots=True)
class ComplexType:
    """A complex type, as far as arrays need it: `items` are the elements of an array's items, None where it
    is no array; `children` its own elements by their local names, None for a name with several types."""

    base: str | None
    children: Mapping[str, Child | None]
    items: tuple[Child, ...] | None = None


@dataclass(frozen=True, slots=True)
class ItemTags:
    """The elements that a contract declares for the items of its arrays, found by the types around them.

    A type is named in Clark notation, with `[]` for each dimension of an array that has no type of its own;
    one without a name has a key that no name is. `elements` are the types of the global elements.
    """

    types: Mapping[str, ComplexType] = field(default_factory=dict)
    elements: Mapping[str, str | None] = field(default_factory=dict)

    def actual(self, declared: str | None, node: etree._Element) -> str | None:
        """The type of an element's content: that of its `xsi:type` where it is derived from the declared."""
        said = _named(node, node.get(_XSI_TYPE, ""))
        if said in self.types and (declared in {None, _ANYTHING} or declared in self._with_bases(said)):
            return said
        return declared

    def child(self, parent: str | None, tag: str) -> str | None:
        """The type of a child with that tag in an element of a type; None where the contract does not say."""
        for name in self._with_bases(parent):
            children = self.types[name].children if name in self.types else {}
            if local_name(tag) in children:
                found = children[local_name(tag)]
                return None if found is None else found.type
        return self.elements.get(tag)  # one that is substituted, or stands for a wildcard

    def item(self, array: str | None, came: str) -> Child:
        """The element for an item of an array of that type, whose own tag is `came`.

        What the contract does not say, or leaves open, is not guessed: then the item keeps its tag.
        """
        if array is not None and array.endswith("[]"):
            return Child(_ITEM, array.removesuffix("[]"))
        for name in self._with_bases(array):
            items = self.types[name].items if name in self.types else None
            if items is not None:
                same = [item for item in items if local_name(item.tag) == local_name(came)]
                fitting = same or items
                return fitting[0] if len(fitting) == 1 else Child(came, None)
        return Child(came, None)

    def _with_bases(self, name: str | None) -> list[str]:
        found: list[str] = []
        while name is not None and name not in found:
            found.append(name)
            name = self.types[name].base if name in self.types else None
        return found


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
    return _Declarations([schema for root in roots for schema in root.iter(f"{{{XSD}}}schema")]).read()


class _Declarations:
    """The types and elements of some schemas."""

    def __init__(self, schemas: list[etree._Element]) -> None:
        self._schemas = schemas
        self._groups = dict(self._named_nodes(_GROUP))
        self._globals = dict(self._named_nodes(_ELEMENT))
        nodes = [node for schema in schemas for node in schema.iter(_COMPLEX)]
        self._keys = {id(node): f"#{at}" for at, node in enumerate(nodes)}
        self._keys.update((id(node), name) for name, node in self._named_nodes(_COMPLEX))
        self._nodes = nodes  # kept, for an id is an element's as long as that is there

    def read(self) -> ItemTags:
        types = {self._keys[id(node)]: self._complex_type(node) for node in self._nodes}
        return ItemTags(types, {tag: self._type(node) for tag, node in self._globals.items()})

    def _named_nodes(self, tag: str) -> Iterator[tuple[str, etree._Element]]:
        for schema in self._schemas:
            for node in schema.iterchildren(tag):
                yield _clark(schema.get("targetNamespace", ""), node.get("name", "")), node

    def _type(self, element: etree._Element) -> str | None:
        inner = element.find(_COMPLEX)
        return _named(element, element.get("type", "")) if inner is None else self._keys[id(inner)]

    def _complex_type(self, node: etree._Element) -> ComplexType:
        content = node.find(f"{{{XSD}}}complexContent")
        step = next(iter(() if content is None else content.iterchildren(*_DERIVATIONS)), None)
        base = None if step is None else _named(step, step.get("base", ""))
        children = list(self._children(node if step is None else step, frozenset()))
        if step is not None and base == _ARRAY:
            return ComplexType(base, {}, tuple(children) or (Child(_ITEM, _said(step)),))
        found: dict[str, Child | None] = {}
        for child in children:
            name = local_name(child.tag)
            found[name] = child if found.get(name, child) == child else None
        return ComplexType(base, found)

    def _children(self, node: etree._Element, above: frozenset[str]) -> Iterator[Child]:
        """The elements of a content model; `above` are the groups that it stands in."""
        for part in node.iterchildren("*"):
            ref = _named(part, part.get("ref", ""))
            if part.tag == _ELEMENT and ref is None:
                yield Child(_tag(part), self._type(part))
            elif part.tag == _ELEMENT and ref is not None:
                yield Child(ref, self._type(self._globals[ref]) if ref in self._globals else None)
            elif part.tag == _GROUP and ref is not None and ref in self._groups and ref not in above:
                yield from self._children(self._groups[ref], above | {ref})
            elif part.tag in _MODELS:
                yield from self._children(part, above)


_MODELS: Final = frozenset(f"{{{XSD}}}{name}" for name in ("sequence", "choice", "all"))


def _said(step: etree._Element) -> str | None:
    """The type of the items that a restriction of an array names, beside its elements."""
    for part in step.iterchildren("*"):
        if (said := part.get(_WSDL_ARRAY_TYPE)) is not None:
            return _named(part, said.rpartition("[")[0])
    return None


def _tag(element: etree._Element) -> str:
    """The tag of an element within a type (XSD 1.0 part 1 3.3.2)."""
    schema = next(element.iterancestors(f"{{{XSD}}}schema"))
    form = element.get("form") or schema.get("elementFormDefault", "unqualified")
    space = schema.get("targetNamespace", "")
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
