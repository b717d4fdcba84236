"""Checking messages against the contract's schema: lxml judges, xmlschema explains what lxml refused."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final
from xml.sax.saxutils import quoteattr

from lxml import etree

from soapclient.contract.allowed import UNKNOWN
from soapclient.contract.alone import XML, XML_SCHEMA, XSD, standing_alone
from soapclient.contract.misfits import Explainer, Misfit
from soapclient.errors import ContractError, ReplyError
from zxws._runtime.errors import local_name

# libxml2 gives up within half a second on a pattern in which repetitions repeat each other.
_TOO_MUCH: Final = "it cannot be checked: a pattern of the schema is too much work for libxml2"

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
        self._explainer = Explainer(sources, lambda: _compile(sources, namespaces))

    def check_request(self, message: etree._Element, operation: str) -> None:
        """Raise ContractError where a request is not valid: which element, its value, and what fits."""
        if (misfit := self._misfit(message)) is not None:
            raise ContractError(*misfit, operation=operation)

    def check_reply(self, message: etree._Element, operation: str) -> None:
        """Raise ReplyError where a reply is not valid."""
        if (misfit := self._misfit(message)) is not None:
            expected = f"{misfit.allowed} ({misfit.reason})"
            raise ReplyError(misfit.path, misfit.value, expected, operation=operation)

    def _misfit(self, message: etree._Element) -> Misfit | None:
        try:
            valid = self._compiled.validate(message)
        except etree.XMLSchemaValidateError:
            return Misfit(local_name(message.tag), None, UNKNOWN, _TOO_MUCH)
        return None if valid else self._explainer.first(message)


def _relaxed(source: bytes, optional: Collection[str]) -> bytes:
    root = etree.fromstring(source)
    for node in root.iter(f"{{{XSD}}}element"):
        if node.getparent() is not root and (ALL in optional or node.get("name") in optional):
            node.set("minOccurs", "0")
    for node in root.iter(f"{{{XSD}}}attribute"):
        if node.get("use") == "required" and (ALL in optional or node.get("name") in optional):
            node.set("use", "optional")
    return etree.tostring(root)


def _compile(sources: Sequence[bytes], namespaces: Sequence[str]) -> etree.XMLSchema:
    spaces = list(namespaces)
    whole = list(sources)
    if XML not in spaces and any(b"xml:" in source for source in sources):
        whole.append(XML_SCHEMA)
        spaces.append(XML)
    alone = [standing_alone(source, spaces) for source in whole]
    if len(alone) == 1:
        return etree.XMLSchema(etree.fromstring(alone[0]))
    # libxml2 compiles one document, and takes one per namespace that it imports: all from memory.
    documents = {f"inline:{at}": source for at, source in enumerate(alone)}
    imports = ""
    for space in dict.fromkeys(spaces):
        parts = [at for at, namespace in enumerate(spaces) if namespace == space]
        includes = "".join(f'<x:include schemaLocation="inline:{at}"/>' for at in parts)
        target = f" targetNamespace={quoteattr(space)}" if space else ""
        joined = f'<x:schema xmlns:x="{XSD}"{target}>{includes}</x:schema>'
        documents[f"inline:all-{parts[0]}"] = joined.encode()
        named = f" namespace={quoteattr(space)}" if space else ""
        imports += f'<x:import{named} schemaLocation="inline:all-{parts[0]}"/>'
    parser = etree.XMLParser()
    parser.resolvers.add(_Inline(documents))
    # With a namespace of its own, for only such a schema may import components of no namespace.
    root = f'<x:schema xmlns:x="{XSD}" targetNamespace="inline:">{imports}</x:schema>'
    return etree.XMLSchema(etree.fromstring(root, parser))


class _Inline(etree.Resolver):
    def __init__(self, documents: Mapping[str, bytes]) -> None:
        self._documents = documents

    # The stubs hide the types of what is passed through here.
    def resolve(self, system_url: Any, public_id: Any, context: Any) -> Any:
        """Give the document of one of our own addresses; no other is ever fetched."""
        return self.resolve_string(self._documents[str(system_url)], context, base_url=str(system_url))
