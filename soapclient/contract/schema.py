"""Checking messages against the contract's schema: lxml judges, xmlschema explains what lxml refused."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final
from xml.sax.saxutils import quoteattr

from lxml import etree

from soapclient.contract import patterns
from soapclient.contract.alone import XML, XML_SCHEMA, XSD, standing_alone
from soapclient.contract.misfits import Explainer, Misfit, Stuck
from soapclient.contract.patterns import TooMuch
from soapclient.errors import ContractError, ReplyError
from soapclient.forks import Lock
from soapclient.runtime.errors import local_name

# Times that patterns are left out for one message; each ends within half a second.
_MOST: Final = 10

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
        self._namespaces = [node.get("targetNamespace", "") for node in nodes]
        self._too_much = TooMuch()
        self._whole = _Compiled(sources, self._namespaces, self._too_much)
        self._bounded = self._whole  # without the patterns that were too much work for some value
        self._lock = Lock()

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
        """What is wrong with a message; of a value that cannot be judged, nobody says anything."""
        judge = self._whole
        for _ in range(_MOST):
            try:
                return judge.misfit(message)
            except Stuck as stuck:
                following = self._bounded if self._bounded is not judge else self._without(judge, stuck.at)
            if following is judge:
                break
            judge = following
        self._too_much.add_element(local_name(message.tag))
        return None

    def _without(self, judge: _Compiled, element: etree._Element) -> _Compiled:
        """The schema without the patterns that are too much work for `element`, where `judge` got stuck."""
        with self._lock:
            if self._bounded is judge:
                texts = [element.text or "", *map(str, element.attrib.values())]
                roots = [etree.fromstring(source) for source in judge.sources]
                found = patterns.too_much_for(roots, texts)
                for root in roots if found else ():
                    patterns.leave_out(root, found, self._too_much)
                if found:
                    sources = [etree.tostring(root) for root in roots]
                    self._bounded = _Compiled(sources, self._namespaces, self._too_much)
            return self._bounded


class _Compiled:
    """Schemas as libxml2 has them, with what explains what it says. Threads may share it."""

    def __init__(self, sources: Sequence[bytes], namespaces: Sequence[str], too_much: TooMuch) -> None:
        self.sources = sources
        self._explainer = Explainer(sources, lambda: _compile(sources, namespaces), too_much)
        self._schema = _compile(sources, namespaces)

    def misfit(self, message: etree._Element) -> Misfit | None:
        """What is wrong with a message. Raises Stuck where libxml2 comes to no end before it finds that."""
        try:
            valid = self._schema.validate(message)
        except etree.XMLSchemaValidateError:
            valid = False
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
