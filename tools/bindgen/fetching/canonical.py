"""Documents as XML and as numbers: the safe parser, and the canonical form two copies are compared in.

The canonical form is inclusive C14N 1.0 without comments and without the whitespace that only lays a
document out, so a copy that was re-indented or written by another serialiser counts as the same. Inclusive,
because exclusive C14N drops namespace declarations that only attribute values use (``type="tns:item"``):
two contracts that differ in nothing but what ``tns`` means would look alike.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

from lxml import etree

_XML_WHITESPACE = " \t\r\n"


class DocumentError(Exception):
    """A document that cannot be taken as XML; the message says why, the caller knows which one it is."""


def parse(content: bytes) -> etree._Element:
    """The root element of an XML document; nothing beside the bytes is ever read.

    Raises DocumentError for what is empty, is not well-formed, or brings a DOCTYPE (the only door to
    entities, and of no use in a contract).
    """
    if not content.strip():
        raise DocumentError("is empty")
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False)
    try:
        root = etree.fromstring(content, parser)
    except etree.XMLSyntaxError as error:
        raise DocumentError(f"is not well-formed XML ({error.msg})") from error
    if root.getroottree().docinfo.internalDTD is not None:
        raise DocumentError("has a DOCTYPE, which is refused")
    return root


def canonical_bytes(content: bytes) -> bytes:
    """The canonical form of a document. Raises DocumentError as `parse` does."""
    root = parse(content)
    for element in root.iter("*"):
        _drop_layout(element)
    try:
        return etree.tostring(root, method="c14n", exclusive=False, with_comments=False)
    except etree.LxmlError as error:
        # libxml2 does so for relative namespace URIs, which C14N leaves undefined.
        raise DocumentError(f"has no canonical form ({error})") from error


def _drop_layout(element: etree._Element) -> None:
    """Empty the text between an element's children, unless the element has words of its own."""
    children = list(element)
    pieces = [element.text, *(child.tail for child in children)]
    if any(piece and piece.strip(_XML_WHITESPACE) for piece in pieces):
        return
    element.text = None
    for child in children:
        child.tail = None


def sha256(content: bytes) -> str:
    """Hexadecimal SHA-256 of the raw bytes."""
    return hashlib.sha256(content).hexdigest()


def canonical_sha256(content: bytes) -> str:
    """Hexadecimal SHA-256 of the canonical form. Raises DocumentError as `parse` does."""
    return sha256(canonical_bytes(content))


def combined_sha256(digests: Iterable[str]) -> str:
    """One digest over the canonical digests of a contract's documents, in the order of their discovery.

    The order follows from the documents alone (root first, breadth first), and no address goes in: the
    same contract served from elsewhere has the same digest.
    """
    return sha256("".join(f"{digest}\n" for digest in digests).encode("ascii"))
