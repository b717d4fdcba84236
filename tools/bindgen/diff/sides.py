"""A source → the model to compare, and what of it the model does not show."""

from __future__ import annotations

from dataclasses import dataclass

from lxml import etree

from bindgen.diff import bindings, unmodelled
from bindgen.diff.bindings import Offered
from bindgen.diff.sources import Source
from bindgen.model import Contract
from bindgen.reading import wsdl
from bindgen.reading.documents import Documents
from bindgen.reading.nodes import WSDL
from bindgen.settings import ContractSettings


@dataclass(frozen=True, slots=True)
class Side:
    """One side of a comparison: `named` are all operations that its WSDL names, read or not.

    `offered` are the ports with their operations; `documents` are what the model does not show.
    """

    source: Source
    contract: Contract
    named: set[str]
    offered: list[Offered]
    documents: unmodelled.Documents

    @property
    def left_out(self) -> set[str]:
        """Operations that the WSDL names and the model lacks."""
        if not self.contract.problems:
            return set()
        return self.named - {each.name for each in self.contract.operations}


def read(source: Source) -> Contract:
    """The contract as its documents say it, before any pass; its `problems` say what is left out.

    Raises ContractRefused where it is no WSDL 1.1 at all, CatalogueError for a document that is not there.
    """
    settings = ContractSettings(source.name or "contract", "", source.documents.root_url, {}, own=True)
    return wsdl.read(settings, Documents(source.documents, source.files))


def side(source: Source) -> Side:
    """All that a comparison needs of a source. Raises as `read` does."""
    contract = read(source)
    parser = etree.XMLParser(resolve_entities=False, no_network=True, remove_comments=True, remove_pis=True)
    root = etree.fromstring(contract.one_file, parser)
    operations = root.iterfind(f"{{{WSDL}}}portType/{{{WSDL}}}operation")
    names = {each.get("name", "").strip() for each in operations}
    return Side(source, contract, names, bindings.read(root), unmodelled.Documents.of(root))
