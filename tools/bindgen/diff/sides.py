"""A source → the model to compare, and what of it the model does not show."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from lxml import etree

from bindgen.diff import bindings
from bindgen.diff.bindings import Offered
from bindgen.diff.canonical import NAMING, Defaults, Said, clark, said
from bindgen.diff.sources import Source
from bindgen.diff.unmodelled import Documents as Whole
from bindgen.model import Contract
from bindgen.reading import wsdl
from bindgen.reading.documents import Documents
from bindgen.reading.extensions import WSDL
from bindgen.settings import ContractSettings
from bindgen.simple_types import XSD

_MIXED_TAGS = (f"{{{XSD}}}complexType", f"{{{XSD}}}complexContent")


def opaque_components(root: etree._Element) -> dict[str, Said]:
    """Each such component of a contract's schemas by kind and name → what it says."""
    found: dict[str, tuple[Said, set[str]]] = {}
    opaque: list[str] = []
    for schema in root.iter(f"{{{XSD}}}schema"):
        space, defaults = schema.get("targetNamespace", ""), Defaults.of(schema)
        for node in schema.iterchildren("*"):
            name = f"{{{space}}}{node.get('name', '')}"
            found.setdefault(f"{etree.QName(node).localname} {name}", (said(node, defaults), _named(node)))
            if any(_is_mixed(inner) for inner in node.iter(*_MIXED_TAGS)):
                opaque.append(f"{etree.QName(node).localname} {name}")
    return {name: found[name][0] for name in _closure(opaque, found)}


def _is_mixed(node: etree._Element) -> bool:
    return node.get("mixed", "").strip() in ("true", "1")


def _closure(waiting: list[str], found: dict[str, tuple[Said, set[str]]]) -> set[str]:
    by_name: dict[str, list[str]] = {}
    for key in found:
        by_name.setdefault(key.partition(" ")[2], []).append(key)
    seen: set[str] = set()
    while waiting:
        key = waiting.pop()
        if key not in seen:
            seen.add(key)
            waiting += [other for name in found[key][1] for other in by_name.get(name, ())]
    return seen


def _named(node: etree._Element) -> set[str]:
    """What a component refers to."""
    return {
        clark(inner, raw) for inner in node.iter("*") for key in NAMING for raw in inner.get(key, "").split()
    }


_MIXED = b"mixed"


@dataclass(frozen=True, slots=True)
class Side:
    """One side of a comparison: `named` are all operations that its WSDL names, read or not.

    `opaque` are the components that are not looked into; `offered` are the ports with their operations;
    `documents` are what the model does not show.
    """

    source: Source
    contract: Contract
    named: frozenset[str]
    opaque: Mapping[str, Said]
    offered: list[Offered]
    documents: Whole


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
    closed = opaque_components(root) if _MIXED in contract.one_file else {}
    return Side(source, contract, frozenset(names), closed, bindings.read(root), Whole.of(root))
