"""Elements that are written to: lxml's, and the prefixes that values in them need."""

from __future__ import annotations

from lxml import etree

Element = etree._Element  # lxml has no other name for it

_XML = "http://www.w3.org/XML/1998/namespace"


def element(tag: str) -> Element:
    """A new element, its own namespace the default one."""
    space = tag[1:].partition("}")[0] if tag.startswith("{") else ""
    return etree.Element(tag, nsmap={None: space} if space else None)


def qname_text(node: Element, name: str) -> str:
    """A name in Clark notation as a value that stands in `node`, where its prefix is declared.

    Raises ValueError for a name without a namespace where a default namespace would give it one.
    """
    space, _, local = name.removeprefix("{").rpartition("}")
    if not space:
        if node.nsmap.get(None):
            raise ValueError("a name without a namespace cannot be said here")
        return local
    return f"{prefix(node, space)}:{local}"


def prefix(node: Element, namespace: str) -> str:
    """A prefix that means the namespace in `node`; one is declared there where there is none."""
    if namespace == _XML:
        return "xml"
    if (known := _known(node, namespace)) is not None:
        return known
    # An attribute that comes and goes leaves its prefix declared: lxml has no other way to do so.
    gone = f"{{{namespace}}}declared"
    node.set(gone, "")
    del node.attrib[gone]
    found = _known(node, namespace)
    assert found is not None  # the line above declared it
    return found


def _known(node: Element, namespace: str) -> str | None:
    for name, space in node.nsmap.items():
        if space == namespace and name:
            return str(name)
    return None
