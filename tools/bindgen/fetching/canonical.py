"""The safe XML parser, and the canonical form in which documents are compared.

The canonical form is inclusive C14N 1.0 without comments and without whitespace between elements.
Documents that differ only in indentation or in serialisation have the same form. Exclusive C14N would drop
namespace declarations that only attribute values use (``type="tns:item"``), so contracts with different
meanings of ``tns`` would be equal.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

from lxml import etree

_XML_WHITESPACE = " \t\r\n"


class DocumentError(Exception):
    """Raised if a document cannot be read as XML.

    The message says why. It begins with a verb: callers put the name of the document in front of it.
    """


def parse(content: bytes) -> etree._Element:
    """Return the root element of an XML document. Nothing but `content` is read.

    Raises DocumentError if the document is empty, is not well-formed, or has a DOCTYPE. A DOCTYPE is needed
    only for entities, and contracts do not use entities.
    """
    if not content.strip():
        raise DocumentError("is empty")
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False)
    try:
        root = etree.fromstring(content, parser)
    except etree.XMLSyntaxError as error:
        raise DocumentError(f"is not well-formed XML ({error.msg})") from error
    if root.getroottree().docinfo.internalDTD is not None:
        raise DocumentError("has a DOCTYPE, which is not allowed")
    return root


def canonical_bytes(content: bytes) -> bytes:
    """Return the canonical form of a document. Raises DocumentError, like `parse`."""
    root = parse(content)
    for element in root.iter("*"):
        _drop_layout(element)
    try:
        return etree.tostring(root, method="c14n", exclusive=False, with_comments=False)
    except etree.LxmlError as error:
        # libxml2 fails for relative namespace URIs, because C14N does not define them.
        raise DocumentError(f"has no canonical form ({error})") from error


def _drop_layout(element: etree._Element) -> None:
    """Remove the text between an element's children if all of it is whitespace."""
    children = list(element)
    pieces = [element.text, *(child.tail for child in children)]
    if any(piece and piece.strip(_XML_WHITESPACE) for piece in pieces):
        return
    element.text = None
    for child in children:
        child.tail = None


def sha256(content: bytes) -> str:
    """Return the hexadecimal SHA-256 of the raw bytes."""
    return hashlib.sha256(content).hexdigest()


def canonical_sha256(content: bytes) -> str:
    """Return the hexadecimal SHA-256 of the canonical form. Raises DocumentError, like `parse`."""
    return sha256(canonical_bytes(content))


def combined_sha256(digests: Iterable[str]) -> str:
    """Return one digest of a contract from the canonical digests of its documents, in order of discovery.

    The order depends only on the documents (root first, breadth first) and addresses are not included, so
    a contract that moves to another address keeps its digest.
    """
    return sha256("".join(f"{digest}\n" for digest in digests).encode("ascii"))
