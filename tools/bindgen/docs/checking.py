"""Whether an example is what the schemas of its contract allow: libxml2 is asked, as the run time does."""

from __future__ import annotations

from typing import Any

from lxml import etree

from bindgen.model import Contract
from bindgen.simple_types import XSD

_SCHEME = "reference:"
_IMPORT, _INCLUDE = f"{{{XSD}}}import", f"{{{XSD}}}include"
_LINKS = (_IMPORT, _INCLUDE, f"{{{XSD}}}redefine")


class Checker:
    """The schemas of a contract, its own and those beside it, compiled together."""

    def __init__(self, contract: Contract) -> None:
        self._schema = _compiled(contract)

    def misfit(self, node: etree._Element) -> str:
        """Why the schemas do not allow an element; "" where they do, or where there are none to ask."""
        if self._schema is None:
            return ""
        root = etree.fromstring(etree.tostring(node, encoding="UTF-8"))  # a document of its own
        if self._schema.validate(root):
            return ""
        return next((entry.message for entry in self._schema.error_log), "it does not fit the schema")


def _compiled(contract: Contract) -> etree.XMLSchema | None:
    nodes: list[etree._Element] = []
    for raw in (contract.one_file, contract.messages, contract.schema):
        if raw:
            root = etree.fromstring(raw, etree.XMLParser(resolve_entities=False, no_network=True))
            nodes += [root] if root.tag == f"{{{XSD}}}schema" else root.iter(f"{{{XSD}}}schema")
    sources: dict[str, bytes] = {}
    spaces: dict[str, list[str]] = {}
    for at, node in enumerate(nodes):
        # Serialised and parsed again, so that the prefixes in scope of the whole document travel along.
        copy = etree.fromstring(etree.tostring(node, with_tail=False, encoding="UTF-8"))
        for link in [each for each in copy.iter(*_LINKS) if each is not copy]:
            link.attrib.pop("schemaLocation", None)
            if link.tag != _IMPORT and (parent := link.getparent()) is not None:
                parent.remove(link)
        sources[f"{_SCHEME}{at}"] = etree.tostring(copy)
        spaces.setdefault(node.get("targetNamespace", ""), []).append(f"{_SCHEME}{at}")
    for number, (space, own) in enumerate(spaces.items()):
        sources[f"{_SCHEME}all-{number}"] = _joined(space, own)
    parser = etree.XMLParser(resolve_entities=False, no_network=True)
    parser.resolvers.add(_Memory(sources))
    try:
        return etree.XMLSchema(etree.fromstring(_every(list(spaces)), parser))
    except etree.XMLSchemaParseError:
        return None


def _every(spaces: list[str]) -> bytes:
    root = etree.Element(f"{{{XSD}}}schema", targetNamespace=f"{_SCHEME}all")
    for number, space in enumerate(spaces):
        named = {"namespace": space} if space else {}
        etree.SubElement(root, _IMPORT, named, schemaLocation=f"{_SCHEME}all-{number}")
    return etree.tostring(root)


def _joined(space: str, own: list[str]) -> bytes:
    root = etree.Element(f"{{{XSD}}}schema", {"targetNamespace": space} if space else {})
    for address in own:
        etree.SubElement(root, _INCLUDE, schemaLocation=address)
    return etree.tostring(root)


class _Memory(etree.Resolver):
    def __init__(self, sources: dict[str, bytes]) -> None:
        self._sources = sources

    # The stubs hide the types of what is passed through here.
    def resolve(self, system_url: Any, public_id: Any, context: Any) -> Any:
        """Give the text of one of our own addresses; nothing else is ever asked for."""
        return self.resolve_string(self._sources[str(system_url)], context, base_url=str(system_url))
