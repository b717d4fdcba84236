"""An example as XML: alone, or in the envelope in which SOAP sends it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from lxml import etree

from bindgen.docs.instances import Free, Part, Text, Tree
from bindgen.model import Field

_ENVELOPES = {
    "1.1": "http://schemas.xmlsoap.org/soap/envelope/",
    "1.2": "http://www.w3.org/2003/05/soap-envelope",
}
_INSTANCE = "http://www.w3.org/2001/XMLSchema-instance"
Headers = Iterable[tuple[str, Tree]]


def envelope(tag: str, tree: Tree | None, headers: Headers = (), soap: str = "1.1") -> etree._Element:
    """A whole message. Without a `tag` the parts of `tree` are the body's own children; no tree, no body's
    content. `headers` are their tags and values."""
    space = _ENVELOPES[soap]
    root = etree.Element(f"{{{space}}}Envelope", nsmap={"soap": space})
    header = None
    for name, value in headers:
        header = etree.SubElement(root, f"{{{space}}}Header") if header is None else header
        header.append(element(name, value))
    body = etree.SubElement(root, f"{{{space}}}Body")
    if tree is not None and tag:
        body.append(element(tag, tree))
    elif tree is not None:
        for child in element("parts", tree):
            body.append(child)
    return root


def element(tag: str, tree: Tree) -> etree._Element:
    """The value as an element of that tag (Clark notation)."""
    spaces = dict.fromkeys([_space(tag), *_spaces(tree)])
    names: dict[str | None, str] = {}
    qualified = "" not in spaces
    for space in spaces:
        if space and qualified and None not in names:
            names[None] = space
        elif space:
            names[f"n{len(names) + 1}"] = space
    if any(_derives(each) for each in _trees(tree)):
        names["xsi"] = _INSTANCE
    root = etree.Element(tag, nsmap=names)
    _fill(root, tree)
    return root


def text(node: etree._Element) -> str:
    """The element's text, indented."""
    etree.indent(node, "  ")
    return etree.tostring(node, encoding="unicode")


def _fill(node: etree._Element, tree: Tree) -> None:
    if _derives(tree) and not tree.struct.holder:
        space, name = _space(tree.struct.qname), tree.struct.name
        prefix = next((prefix for prefix, each in node.nsmap.items() if each == space), None)
        node.set(f"{{{_INSTANCE}}}type", f"{prefix}:{name}" if prefix else name)
    for part in tree.parts:
        _put(node, part)


def _put(node: etree._Element, part: Part) -> None:
    field, value = part.field, part.value
    if field.kind == "attribute" and isinstance(value, Text):
        node.set(field.tag, value.text)
    elif field.kind == "text" and isinstance(value, Text):
        node.text = value.text
    elif field.kind == "group" and isinstance(value, Tree):
        _fill(node, value)
    elif field.kind == "any":
        etree.SubElement(node, _wild_tag(field, str(node.tag)))
    elif field.kind == "element":
        child = etree.SubElement(node, field.tag)
        if isinstance(value, Tree):
            _fill(child, value)
        elif isinstance(value, Text):
            child.text = value.text
        elif isinstance(value, Free):
            child.text = "anything"


def _wild_tag(field: Field, owner: str) -> str:
    """The tag of an element that a wildcard within an element of the tag `owner` lets in."""
    namespaces = field.wildcard.namespaces.split() if field.wildcard is not None else []
    first = namespaces[0] if namespaces else "##any"
    if first == "##targetNamespace":
        first = _space(owner)
    if first == "##local" or not first:
        return "anything"
    return "{urn:example}anything" if first.startswith("##") else f"{{{first}}}anything"


def _derives(tree: Tree) -> bool:
    return tree.struct is not tree.declared and not tree.struct.anonymous


def _trees(tree: Tree) -> Iterator[Tree]:
    yield tree
    for part in tree.parts:
        if isinstance(part.value, Tree):
            yield from _trees(part.value)


def _spaces(tree: Tree) -> Iterator[str]:
    """The namespaces of everything in it, "" for none."""
    for each in _trees(tree):
        if _derives(each):
            yield _space(each.struct.qname)
        for part in each.parts:
            if part.field.kind == "element":
                yield _space(part.field.tag)


def _space(tag: str) -> str:
    return tag[1:].partition("}")[0] if tag.startswith("{") else ""
