"""A source → the model to compare, and what of it the model does not show."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from lxml import etree

from bindgen.diff import opaque
from bindgen.diff.sources import Source
from bindgen.model import Contract
from bindgen.reading import wsdl
from bindgen.reading.documents import Documents
from bindgen.reading.extensions import WSDL
from bindgen.settings import ContractSettings
from bindgen.simple_types import XSD

_DOCUMENTATION = (f"{{{XSD}}}annotation", f"{{{WSDL}}}documentation")
_MIXED = b"mixed"
_PARTLY = (f"{{{XSD}}}list", f"{{{XSD}}}union")


@dataclass(frozen=True, slots=True)
class Side:
    """One side of a comparison: `named` are all operations that its WSDL names, read or not.

    `opaque` are the components that are not looked into. `weak` says why the model may show less than the
    documents say; `meaning` is then a hash of all of them without documentation and layout.
    """

    source: Source
    contract: Contract
    named: frozenset[str]
    opaque: Mapping[str, opaque.Said]
    weak: str
    meaning: str


def read(source: Source) -> Contract:
    """The contract as its documents say it, before any pass; its `problems` say what is left out.

    Raises ContractRefused where it is no WSDL 1.1 at all, CatalogueError for a document that is not there.
    """
    settings = ContractSettings(source.name or "contract", "", source.documents.root_url, {})
    return wsdl.read_any(settings, Documents(source.documents, source.files))


def side(source: Source) -> Side:
    """All that a comparison needs of a source. Raises as `read` does."""
    contract = read(source)
    parser = etree.XMLParser(resolve_entities=False, no_network=True, remove_comments=True, remove_pis=True)
    root = etree.fromstring(contract.one_file, parser)
    names = (
        each.get("name", "").strip() for each in root.iterfind(f"{{{WSDL}}}portType/{{{WSDL}}}operation")
    )
    closed = opaque.components(root) if _MIXED in contract.one_file else {}
    weak = _weakness(contract, root)
    return Side(source, contract, frozenset(names), closed, weak, _meaning(root) if weak else "")


def _weakness(contract: Contract, root: etree._Element) -> str:
    """Why the model may show less than the documents say; "" where it does not."""
    if contract.notes:
        return contract.notes[0].message
    if next(root.iter(*_PARTLY), None) is not None:
        return "of lists and unions, what restricts their members"
    return ""


def _meaning(root: etree._Element) -> str:
    digest = hashlib.sha256()
    for piece in _pieces(root):
        digest.update(repr(piece).encode())
    return digest.hexdigest()


def _pieces(root: etree._Element) -> Iterator[object]:
    left_out = None
    for event, node in etree.iterwalk(root, events=("start", "end")):
        if event == "start" and left_out is None:
            if node.tag in _DOCUMENTATION:
                left_out = node
            else:
                yield node.tag, sorted((str(key), str(text)) for key, text in node.attrib.items())
        elif event == "end":
            if left_out is None:
                yield "end"
            elif left_out is node:
                left_out = None
