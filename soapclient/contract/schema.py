"""Checking messages against the contract's schema: lxml judges, xmlschema explains what lxml refused."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any
from xml.sax.saxutils import quoteattr

from lxml import etree

from soapclient.contract.misfits import Explainer
from soapclient.errors import ContractError, ReplyError

_XSD = "http://www.w3.org/2001/XMLSchema"
ALL = "*"  # no XML name, so it can stand for all of them


class Schema:
    """A compiled schema. Threads may share it."""

    def __init__(self, nodes: Sequence[etree._Element], *, optional: Collection[str] = frozenset()) -> None:
        """`nodes` are the schemas of a contract; the elements and attributes named in `optional` (or `ALL`)
        are not required."""
        # Serialised and parsed again, so that the prefixes in scope of the WSDL travel along.
        sources = [etree.tostring(node) for node in nodes]
        if optional:
            sources = [_relaxed(source, optional) for source in sources]
        namespaces = [node.get("targetNamespace", "") for node in nodes]
        self._compiled = _compile(sources, namespaces)
        self._explainer = Explainer(
            sources[0] if len(sources) == 1 else None, lambda: _compile(sources, namespaces)
        )

    def check_request(self, message: etree._Element, operation: str) -> None:
        """Raise ContractError where a request is not valid: which element, its value, and what fits."""
        if not self._compiled.validate(message):
            misfit = self._explainer.first(message)
            raise ContractError(*misfit, operation=operation)

    def check_reply(self, message: etree._Element, operation: str) -> None:
        """Raise ReplyError where a reply is not valid."""
        if not self._compiled.validate(message):
            misfit = self._explainer.first(message)
            expected = f"{misfit.allowed} ({misfit.reason})"
            raise ReplyError(misfit.path, misfit.value, expected, operation=operation)


def _relaxed(source: bytes, optional: Collection[str]) -> bytes:
    root = etree.fromstring(source)
    for node in root.iter(f"{{{_XSD}}}element"):
        if node.getparent() is not root and (ALL in optional or node.get("name") in optional):
            node.set("minOccurs", "0")
    for node in root.iter(f"{{{_XSD}}}attribute"):
        if node.get("use") == "required" and (ALL in optional or node.get("name") in optional):
            node.set("use", "optional")
    return etree.tostring(root)


def _compile(sources: Sequence[bytes], namespaces: Sequence[str]) -> etree.XMLSchema:
    if len(sources) == 1:
        return etree.XMLSchema(etree.fromstring(sources[0]))
    # libxml2 compiles one document, and takes one per namespace that it imports: all from memory.
    documents = {f"inline:{at}": source for at, source in enumerate(sources)}
    imports = ""
    for space in dict.fromkeys(namespaces):
        parts = [at for at, namespace in enumerate(namespaces) if namespace == space]
        includes = "".join(f'<x:include schemaLocation="inline:{at}"/>' for at in parts)
        whole = f'<x:schema xmlns:x="{_XSD}" targetNamespace={quoteattr(space)}>{includes}</x:schema>'
        documents[f"inline:all-{parts[0]}"] = whole.encode()
        imports += f'<x:import namespace={quoteattr(space)} schemaLocation="inline:all-{parts[0]}"/>'
    parser = etree.XMLParser()
    parser.resolvers.add(_Inline(documents))
    return etree.XMLSchema(etree.fromstring(f'<x:schema xmlns:x="{_XSD}">{imports}</x:schema>', parser))


class _Inline(etree.Resolver):
    def __init__(self, documents: Mapping[str, bytes]) -> None:
        self._documents = documents

    # The stubs hide the types of what is passed through here.
    def resolve(self, system_url: Any, public_id: Any, context: Any) -> Any:
        """Give the document of one of our own addresses; no other is ever fetched."""
        return self.resolve_string(self._documents[str(system_url)], context, base_url=str(system_url))
