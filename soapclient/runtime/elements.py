"""Create lxml elements, and declare the prefixes of qualified names in texts and attribute values."""

from __future__ import annotations

from lxml import etree

Element = etree._Element

_XML = "http://www.w3.org/XML/1998/namespace"


def element(tag: str) -> Element:
    """Create an element. The namespace of its tag is declared as the default namespace (`xmlns="…"`)."""
    space = tag[1:].partition("}")[0] if tag.startswith("{") else ""
    return etree.Element(tag, nsmap={None: space} if space else None)


def qname_text(node: Element, name: str) -> str:
    """Convert a name in Clark notation to `prefix:name`. Declare the prefix at `node` if necessary.

    Raises ValueError for a name without a namespace if a default namespace is in scope at `node`.
    """
    space, _, local = name.removeprefix("{").rpartition("}")
    if not space:
        if node.nsmap.get(None):
            raise ValueError(
                "a name without a namespace cannot be written here, because a default namespace is in scope"
            )
        return local
    return f"{prefix(node, space)}:{local}"


def prefix(node: Element, namespace: str) -> str:
    """Return a prefix that is bound to `namespace` at `node`. If there is none, declare one at `node`."""
    if namespace == _XML:
        return "xml"
    if (existing := _existing_prefix(node, namespace)) is not None:
        return existing
    # lxml can only declare a prefix by setting an attribute; the declaration stays after its removal.
    attribute = f"{{{namespace}}}declared"
    node.set(attribute, "")
    del node.attrib[attribute]
    declared = _existing_prefix(node, namespace)
    assert declared is not None
    return declared


def _existing_prefix(node: Element, namespace: str) -> str | None:
    for name, space in node.nsmap.items():
        if space == namespace and name:
            return str(name)
    return None
